# SPDX-License-Identifier: GPL-3.0-or-later
# Sets of GPU types and shares: openb.json has 195 + 204 V100 of 16 and 32 GB and 2 A10, no H100. Job
# a asks for half a GPU for an hour, in the hour between the first and the last submission: 0.5 GPUs;
# b for 8 of 2: 400 %.
cat >pods.csv <<'END'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,1000,1024,1,500,V100M16|V100M32,LS,Running,0,3600,0
b,1000,1024,8,1000,A10|H100,LS,Running,10,3610,10
c,1000,1024,1,1000,H100|H200,LS,Running,3600,3610,3600
END
"$HORUS" trace validate pods.csv -c configs/clusters/openb.json
