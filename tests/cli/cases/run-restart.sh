# SPDX-License-Identifier: GPL-3.0-or-later
# What a preemption costs by the model. a is preempted at 10 and resumes at 30 with 90 s left. Restart:
# 8 s for vgg16 on 4 GPUs as shipped (Muri), 2.5 s by our table: ends at 128 and 122.5. Checkpoint: 528
# MiB twice at 100 MiB/s are 10.56 s, at 200 MiB/s 5.28 s, and the restart's 8: 138.56, 133.28. The
# table of restarts is an input of the run, under a policy that preempts. What cannot matter is noted.
# Without a profile: 30 s by the table of gang sizes, 150.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,model
a,0,4,100,VGG-16
b,10,4,20,dqn
END
printf 'model,checkpoint_mib\nvgg16,528\ndqn,\n' >p.csv
printf 'model,gpus,restart_s,source\nvgg_16,1,2.5,ours\n*,1,1,ours\n' >r.csv
assign=columns
run() {
    echo "-- $*"
    "$HORUS" run t.csv -c 1x4:V100 --profiles p.csv --assign $assign -o out --force "$@" 2>&1 |
        grep -E '^(preemption|note|warning|error)'
    awk -F, '$1 == "a" { print "a ends at " $9 ", overhead " $25 }' out/jobs.csv
    jq -r '.inputs[] | select(.role == "restarts") | .path' out/manifest.json
}
run -p srtf:preempt_cost=restart
run -p srtf:preempt_cost=restart --restart-table r.csv
run -p srtf:preempt_cost=checkpoint
run -p srtf:preempt_cost=checkpoint --storage-bandwidth 200
run -p srtf:preempt_cost=restart --storage-bandwidth 200
run -p srtf --restart-table r.csv
run -p fifo --restart-table r.csv --storage-bandwidth 200
run -p fifo
assign=off
run -p srtf:preempt_cost=checkpoint
