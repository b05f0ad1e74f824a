# SPDX-License-Identifier: GPL-3.0-or-later
# One job in the files of four simulators: 61 minutes from 100 minutes on, a deadline 90 minutes after
# its submission, steps of half a second. 61 x 60 / 0.5 are 7320 iterations.
cat >jobs.csv <<'END'
job_id,submit_time,gpus,duration,user,model,batch,deadline,step,class
a,6000,2,3660,ann,LSTM,5,11400,0.5,guaranteed
END
for format in tiresias muri chronus elasticflow acme; do
    "$HORUS" trace convert jobs.csv --to $format -o - -q
done
