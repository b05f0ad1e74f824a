# SPDX-License-Identifier: GPL-3.0-or-later
# Counts by eye: three jobs come through (one is still running, one asks for no GPU). Helios has no
# deadline (1), no GPU type (2), no shares (1) and no attempts; 0.4 s become 1 s, 2.5 cores 3, and
# the submission at 59.6 s is on the next minute: 2 jobs with a rounded submission, 1 duration.
cat > jobs.csv <<'END'
job_id,submit_time,gpus,duration,user,vc,gpu_type,cpus,deadline,status
a,59.6,1,0.4,u,v1,V100,2.5,,Pass
b,60.2,16,3600,"x, y",v2,P100,32,9000,Killed
c,86400,0.5,30,,,,,,
d,86401,1,5,,,,,,RUNNING
e,86402,0,5,,,,,,Pass
END
"$HORUS" trace convert jobs.csv --to helios -o -
