SPDX-License-Identifier: GPL-3.0-or-later

The format openb: pods of Alibaba's cluster, which share GPUs.

# run-openb
Pods that share GPUs, on the node list: a (0.6) and b (0.4) fit one GPU, c (0.5) starts on the other GPU of
machine-a, d requests a whole V100M32 or T4 and waits for the T4 that e holds: until 30. f was never
scheduled and is excluded. Times by hand: submitted at creation, run from scheduling to deletion.

  $ cat >nodes.csv <<'END'
  > sn,cpu_milli,memory_mib,gpu,model
  > machine-a,64000,262144,2,P100
  > machine-b,32000,262144,1,T4
  > END
  $ cat >pods.csv <<'END'
  > name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
  > a,1000,1024,1,600,P100,LS,Running,0,50,0
  > b,1152,1024,1,400,,BE,Failed,0,42,2
  > c,1000,1024,1,500,P100,LS,Succeeded,1,11,1
  > e,4000,1024,1,1000,T4,LS,Succeeded,1,31,2
  > d,4000,1024,1,1000,V100M32|T4,LS,Succeeded,2,12,2
  > f,4000,1024,1,1000,,LS,Pending,3,12,
  > END
  $ horus run pods.csv -c nodes.csv --assign=off -p fifo:placement=best_fit -o out >run.txt
  ! warning: the speed of T4 relative to P100 is not known: taken as 1
  !       = hint: "speed" of its GPU type in the cluster file
  ! warning: 1 of 6 rows left out: never started
  ! warning: 5 of 5 jobs have a class: policy 'fifo' ignores it
  !       = hint: its parameter class=order puts guaranteed jobs first
  $ cut -d, -f1,3,7-9,13 out/jobs.csv
  job_id,submission_time,starting_time,execution_time,finish_time,allocated_resources
  c,1,1,10,11,1
  e,1,1,29,30,2
  b,0,0,40,40,0
  d,2,30,10,40,2
  a,0,0,50,50,0
  $ horus verify out | tail -n 1
  24 checks passed

# trace-openb-five
openb's lists with five columns have no times: jobs are submitted a second apart, and none ends
before the last submission.

  $ cat >pods.csv <<'END'
  > name,cpu_milli,memory_mib,num_gpu,gpu_milli
  > a,12000,16384,1,1000
  > b,6000,12288,1,460
  > END
  $ horus trace info pods.csv | head -n 6
  trace        pods.csv (openb)
  rows         2
  jobs         2
  first        0
  last         1
  span         0 days
  ! pods.csv:1:1: warning: the list has no times: pods are submitted one second apart, in its order, and run for 1,000,000 s
  !     1 | name,cpu_milli,memory_mib,num_gpu,gpu_milli
  !       | ^~~~
