# SPDX-License-Identifier: GPL-3.0-or-later
# What a run tells of jobs that take turns. Salus, micro-scenario S4 of the design: B comes at 20.5 s
# and gets its turn at 21 s, when A's mini-batch of 1 s is done; A waits for its 10 s and ends at 110.
# Gandiva by quanta of 60 s, two jobs of 120 s on one GPU, each resume costs 1 s: A [0, 60) [120, 180)
# [240, 242), B [60, 120) [180, 240) [242, 244). A is on the host for 60 + 60 s with 1,000 MiB, B for
# 60 + 2 s with 500 MiB.
told() { # RUN
    cut -d, -f1,7,9,25,40- "$1/jobs.csv"
    cut -d, -f1-3,6,7 "$1/segments.csv"
    jq -c '.metrics | [.mean_wait, .mean_time_to_progress, .switches, .preemptions, .host_mib_seconds]' \
        "$1/summary.json"
    jq -c '.classes.class | map_values([.jobs, .mean_wait, .mean_jct, .mean_time_to_progress])' \
        "$1/summary.json"
    "$HORUS" verify "$1" | grep -e switch -e host -e passed
}
head=job_id,submit_time,gpus,duration,step,gpu_mem_mib,gpu_mem_persistent_mib,class
printf '%s\nA,0,1,100,1,8000,1000,guaranteed\nB,20.5,1,10,1,8000,1000,opportunistic\n' $head >salus.csv
printf '%s\nA,0,1,120,1,8000,1000,\nB,0,1,120,1,8000,500,guaranteed\n' $head >gandiva.csv
"$HORUS" run salus.csv -c 1x1 -p salus-srtf -o salus --assign=off >/dev/null 2>&1
told salus
"$HORUS" run gandiva.csv -c 1x1 -p gandiva:slicing=exact,switch=1s,pack=no,arrival_front=no \
    -o gandiva --assign=off >/dev/null 2>&1
told gandiva
