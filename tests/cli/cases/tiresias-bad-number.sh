# SPDX-License-Identifier: GPL-3.0-or-later
# A GPU count of x.
cat >t.csv <<'END'
job_id,num_gpu,submit_time,iterations,model_name,duration,interval
0,1,0,606,vgg19,164,30
1,x,30,133,vgg11,147,23
END
"$HORUS" run t.csv -c 2x4 -o out
