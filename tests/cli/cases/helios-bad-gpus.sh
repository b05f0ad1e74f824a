# SPDX-License-Identifier: GPL-3.0-or-later
# A GPU count with letters.
cat >t.csv <<'END'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
2,u1,vcA,two,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
END
"$HORUS" run t.csv -c 2x8 -o out
