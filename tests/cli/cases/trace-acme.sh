# SPDX-License-Identifier: GPL-3.0-or-later
# Kalos: the first job ran for 8 s, not for the 18 of its duration, which counts the queue; the second
# never started, the third has no GPU. 64 GPUs for 8 s are 0.1 GPU hours.
cat >trace_kalos.csv <<'END'
job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time
dlc1,u1,8.0,64.0,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0
dlc2,u1,8.0,64.0,960,1000,100.0,Other,CANCELLED,2023-05-17 11:02:58+00:00,,2023-05-17 11:03:16+00:00,,2023-05-17 11:03:16+00:00,18,,
dlc3,u1,1.0,0.0,8,10,,Other,COMPLETED,2023-05-17 11:02:59+00:00,2023-05-17 11:03:00+00:00,2023-05-17 11:03:16+00:00,,,17,1.0,0.0
END
"$HORUS" trace info trace_kalos.csv | head -12
