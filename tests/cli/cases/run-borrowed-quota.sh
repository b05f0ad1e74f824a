# SPDX-License-Identifier: GPL-3.0-or-later
# A quota that may be exceeded, on the card: b, quota 2, holds all 4 GPUs from 0 to 100 s, because a
# has nothing to run; under fifo its gang would be turned away. a's pair is tried at 50 and 170 s.
printf '{"vcs": {"a": 2, "b": 2}}\n' >vcs.json
printf 'job_id,submit_time,gpus,duration,vc\nj1,0,4,100,b\nj2,50,2,10,a\n' >jobs.csv
"$HORUS" run jobs.csv -c 1x4 --vc quota --vc-file vcs.json -p philly:fair_preempt=0 -o out \
    --assign=off | grep -E '^(order|preemption|knows|vc) '
cut -d, -f1,3,7,9 out/jobs.csv
"$HORUS" verify out | tail -n 1
