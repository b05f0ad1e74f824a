# SPDX-License-Identifier: GPL-3.0-or-later
# Minutes: 158 of 2 GPUs and 30 of one are 5.8 GPU hours; in seconds 0.1. One of two is guaranteed.
cat >jobs.csv <<'END'
job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
3,vc_a,2,100,5458,inception_v3,158,5,318-400,10-5,0,soft
4,vc_b,1,130,3621,alexnet,30,17,130,10,1,best
END
"$HORUS" trace info jobs.csv | head -20
"$HORUS" trace info jobs.csv --time-unit=s | sed -n 6,7p
