# SPDX-License-Identifier: GPL-3.0-or-later
# Two nodes of four. a and b (3 GPUs) leave one GPU free on each; c wants 2 from 20 on and gets them
# when b ends at 60: 40 s of fragmentation. d wants 1 from 30 on and would fit, but c is before it:
# 30 s of order. e wants all 8 from 40 on and has them when a ends at 100: 60 s of capacity.
# In GPU-hours 80, 30 and 480 / 3600; c's 80 GPU-s in [20, 60) of a run of 110 s.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,3,100
b,10,3,50
c,20,2,30
d,30,1,5
e,40,8,10
END
"$HORUS" run t.csv -c 2x4 -p fifo -q -o out >/dev/null
"$HORUS" explain out
"$HORUS" explain out --json | jq -c '.gpu_seconds, (.intervals | length),
    (.longest[] | [.job_id, .pending, .first])'
