# SPDX-License-Identifier: GPL-3.0-or-later
# No duration.
cat >t.csv <<'END'
job_id,num_gpu,submit_time,iterations,model_name,interval
0,1,0,606,vgg19,30
END
"$HORUS" run t.csv -c 2x4 -o out --format tiresias
