# SPDX-License-Identifier: GPL-3.0-or-later
# Pods that share GPUs, on the node list: a (0.6) and b (0.4) fit one GPU, c (0.5) opens the other one
# of machine-a, d wants a whole V100M32 or T4 and waits for the T4 that e holds: until 30. f was never
# scheduled and is left out. Times by hand: submitted at creation, run from scheduling to deletion.
cat >nodes.csv <<'END'
sn,cpu_milli,memory_mib,gpu,model
machine-a,64000,262144,2,P100
machine-b,32000,262144,1,T4
END
cat >pods.csv <<'END'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,1000,1024,1,600,P100,LS,Running,0,50,0
b,1152,1024,1,400,,BE,Failed,0,42,2
c,1000,1024,1,500,P100,LS,Succeeded,1,11,1
e,4000,1024,1,1000,T4,LS,Succeeded,1,31,2
d,4000,1024,1,1000,V100M32|T4,LS,Succeeded,2,12,2
f,4000,1024,1,1000,,LS,Pending,3,12,
END
"$HORUS" run pods.csv -c nodes.csv --assign=off -p fifo:placement=best_fit -o out >run.txt
cut -d, -f1,3,7-9,13 out/jobs.csv
"$HORUS" verify out | tail -n 1
