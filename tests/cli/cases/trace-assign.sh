# SPDX-License-Identifier: GPL-3.0-or-later
# One job by its columns, one by its telemetry, two drawn (a gang, an idle one), one without GPUs.
cat > profiles.csv <<END
model,dataset,batch,precision,gpu,util,mem_mib,distributed
NetA,Set,32,fp32,G,30,2000,yes
NetB,,64,amp,G,80,3000,no
END
cat > jobs.csv <<END
job_id,submit_time,gpus,duration,user,model,batch,gpu_util,deadline,outcome
named,0,1,10,u,net-b,60,55.5,,Pass
told,1.5,1,10,u,,,79,,Killed
gang,2,8,10,v,,,,100,
idle,3,1,10,v,,,0,,
cpu,4,0,10,v,,,,,
END
"$HORUS" trace assign jobs.csv --profiles profiles.csv --cpu-jobs=keep --assign-target 30 -o out.csv
cat out.csv
