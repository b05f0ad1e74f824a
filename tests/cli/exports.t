SPDX-License-Identifier: GPL-3.0-or-later

Exports in the form that clusters produce, made up: each runs with one command, or the message has it.

# exports-that-run
  $ printf 'JobID|User|Partition|State|Submit|Start|End|ReqTRES|AllocTRES\n7|ann|gpu|COMPLETED|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|cpu=8,gres/gpu:a100=2|cpu=8,gres/gpu:a100=2\n7.batch||||2024-05-01T10:05:00|2024-05-01T10:05:00|2024-05-01T11:05:00||\n' | sed 's/batch||||/batch|||COMPLETED|/' >sacct.txt
  $ printf 'JobID|State|Submit|Start|End|Elapsed|AllocTRES\n8|CANCELLED by 1000|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|1-00:00:30|gres/gpu=4\n' >elapsed.txt
  $ printf 'job_id\tsubmit_time\tgpus\tstart_time\tend_time\na\t2024-05-01T10:00:00Z\t2\t2024-05-01T10:01:00Z\t2024-05-01T10:11:00Z\n' >tabs.tsv
  $ printf 'job_id;submit_time;gpus;duration;user;status\na;0;1;60;ann;COMPLETED\n' >semicolons.csv
  $ printf 'job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\nj,worker,2,Terminated,10,70,400,8,50,T4\n' >pai.csv
  $ printf '; Version: 2.2\n1 0 60 30 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n' >log.swf
  $ for log in sacct.txt elapsed.txt tabs.tsv semicolons.csv pai.csv log.swf; do
  >     horus run $log -c 2x8:A100,1x8:T4 -q -o out -f --assign=off 2>/dev/null | head -n 1; sed -n 2p out/jobs.csv | cut -d, -f1,4,8; done
  sacct.txt (slurm) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  7,2,3600
  elapsed.txt (slurm) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  8,4,86430
  tabs.tsv (csv) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  a,2,600
  semicolons.csv (csv) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  a,1,60
  pai.csv (pai) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  j/worker,2,60
  log.swf (swf) on 2x8:A100,1x8:T4: 24 GPUs, 3 nodes
  1,1,30

# exports-name-types
GPU types of a log that the default cluster lacks: trace validate prints a -c with them. 8,000 GPU-seconds over 100 s are 80 GPUs,
a load of 80 % of 100: 13 nodes; the largest job of the other type fills two.

  $ printf 'job_id,submit_time,gpus,duration,gpu_type\na,0,4,1000,A100\nb,100,4,1000,A100\nc,50,9,1,Tesla T4\n' >types.csv
  $ horus trace validate types.csv | tail -n 2
  run it with: horus run types.csv -c 13x8:A100,2x8:T4
  -c is an assumption, nodes of 8 GPUs for a load of 80 %: the trace names only types
  $ horus trace validate types.csv -c 1x8:A100,2x8:T4 | tail -n 1
  run it with: horus run types.csv --cluster=1x8:A100,2x8:T4

# exports-with-a-hint
Columns with other names are listed, with the options to paste; the command that follows is that of the
hint.

  $ printf 'instance_sn,app_name,gpu_request,creation_time,scheduled_time,deletion_time\ni1,a,1,0,5,100\ni2,b,2,3,6,90\n' >alibaba.csv
  $ horus run alibaba.csv -c 2x8
  ! alibaba.csv:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | instance_sn,app_name,gpu_request,creation_time,scheduled_time,deletion_time
  !       | ^~~~~~~~~~~
  !       = hint: the file has: instance_sn, app_name, gpu_request, creation_time, scheduled_time, deletion_time; name the columns with --format=csv --map=gpus=gpu_request,job_id=instance_sn,submit_time=creation_time,start_time=scheduled_time,end_time=deletion_time
  [3]
  $ horus run alibaba.csv -c 2x8 -q -o out --map=job_id=instance_sn,gpus=gpu_request,submit_time=creation_time,start_time=scheduled_time,end_time=deletion_time | head -n 1
  alibaba.csv (csv) on 2x8: 16 GPUs, 2 nodes
  $ printf 'pod;created;gpu;started;finished;status\np1;2024-05-01 10:00:00;2;2024-05-01 10:01:00;2024-05-01 11:00:00;Succeeded\n' >pods.csv
  $ horus run pods.csv -c 2x8
  ! pods.csv:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | pod;created;gpu;started;finished;status
  !       | ^~~
  !       = hint: the file has: pod, created, gpu, started, finished, status; name the columns with --format=csv --map=gpus=gpu,job_id=pod,submit_time=created,start_time=started,end_time=finished
  [3]
  $ horus run pods.csv -c 2x8 --map=gpus=gpu,job_id=@row,submit_time=created,start_time=started,end_time=finished
  ! pods.csv:2:66: error: unknown state 'Succeeded'
  !     2 | p1;2024-05-01 10:00:00;2;2024-05-01 10:01:00;2024-05-01 11:00:00;Succeeded
  !       |                                                                  ^~~~~~~~~
  !       = hint: COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, SUSPENDED, Pass, Killed or unknown; or --map-value=state:Succeeded=completed (or failed, cancelled)
  [3]
  $ horus run pods.csv -c 2x8 -q -o pods --map=gpus=gpu,job_id=@row,submit_time=created,start_time=started,end_time=finished \
  >     --map-value=state:Succeeded=completed | head -n 1
  pods.csv (csv) on 2x8: 16 GPUs, 2 nodes
  $ cut -d, -f1,8,16 pods/jobs.csv; horus verify pods | tail -n 1
  job_id,execution_time,status
  0,3540,completed
  22 checks passed
  $ printf 'id,timestamp,num_gpus,runtime\n1,10,2,30\n' >names.csv
  $ horus trace validate names.csv
  ! names.csv:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | id,timestamp,num_gpus,runtime
  !       | ^~
  !       = hint: the file has: id, timestamp, num_gpus, runtime; name the columns with --format=csv --map=gpus=num_gpus,job_id=id,submit_time=timestamp,duration=runtime
  [3]
  $ printf 'JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 101 gpu train ann R 1:00 1 n1\n' >squeue.txt
  $ horus run squeue.txt
  ! note: no cluster given: 16x8:V100 is taken
  !       = hint: -c SPEC names another
  ! squeue.txt: error: squeue and scontrol list jobs that have not ended: their run times are not known
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]
  $ printf '{"apiVersion": "v1", "items": [{"metadata": {"name": "p"}}], "kind": "List"}' >pods.json
  $ horus run pods.json
  ! note: no cluster given: 16x8:V100 is taken
  !       = hint: -c SPEC names another
  ! pods.json: error: this is a list of Kubernetes as kubectl prints it
  !       = hint: jq -rf configs/mappings/kubernetes-pods.jq FILE >jobs.csv makes a trace of pods, kubernetes-nodes.jq a cluster of nodes (installed below share/doc/horus)
  [3]

# exports-of-other-commands
Other job and node lists of Slurm and Kubernetes commands.

  $ printf '       JobID    JobName      State\n------------ ---------- ----------\n' >sacct.txt; horus trace info sacct.txt
  ! sacct.txt: error: a table of sacct in columns, which cuts long values
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]
  $ printf 'NodeName=gpu01 Arch=x86_64\n   Gres=gpu:a100:8(S:0-1)\n' >nodes; horus run traces/sample.csv -c nodes
  ! nodes: error: nodes in another form of Slurm
  !       = hint: sinfo -N -o '%N|%c|%m|%G' >nodes.txt is read
  [3]
  $ printf 'PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n' >nodes; horus run traces/sample.csv -c nodes
  ! nodes: error: nodes in another form of Slurm
  !       = hint: sinfo -N -o '%N|%c|%m|%G' >nodes.txt is read
  [3]
  $ printf '{\n    "apiVersion": "v1",\n    "items": []}' >nodes.json; horus run traces/sample.csv -c nodes.json
  ! nodes.json: error: this is a list of Kubernetes as kubectl prints it
  !       = hint: jq -f configs/mappings/kubernetes-nodes.jq FILE >cluster.json is read
  [3]

# exports-of-other-systems
Lists of other schedulers, and tables that are almost a trace, are identified, with what to do.

  $ printf 'JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST\n1 ann RUN gpu a b\n' >lsf.txt; horus trace info lsf.txt
  ! lsf.txt: error: a list of jobs of LSF
  !       = hint: a CSV is read: job_id,submit_time,start_time,end_time,gpus,user, a row a job that has ended, times as seconds or 2020-04-01 12:30:00 ('horus help formats')
  [3]
  $ printf 'Job Id: 12.pbs01\n    Job_Name = train\n    Resource_List.ngpus = 2\n' >pbs.txt; horus trace info pbs.txt
  ! pbs.txt: error: jobs of PBS
  !       = hint: a CSV is read: job_id,submit_time,start_time,end_time,gpus,user, a row a job that has ended, times as seconds or 2020-04-01 12:30:00 ('horus help formats')
  [3]
  $ printf 'JobId=1 JobName=x\n   JobState=RUNNING\n' >scontrol.txt; horus trace info scontrol.txt
  ! scontrol.txt: error: squeue and scontrol list jobs that have not ended: their run times are not known
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]
  $ printf 'NAMESPACE  NAME  READY   STATUS   RESTARTS\n' >kubectl.txt; horus trace info kubectl.txt
  ! kubectl.txt: error: a table of kubectl without times and GPUs
  !       = hint: kubectl get pods --all-namespaces -o json | jq -rf configs/mappings/kubernetes-pods.jq >jobs.csv
  [3]
  $ printf '\357\273\277sep=;\njob_id;submit_time;gpus;duration\na;0;1;5\n' >excel.csv; horus trace info excel.csv
  ! excel.csv: error: the first line is Excel's delimiter line
  !       = hint: sed 1d FILE | horus ... -
  [3]
  $ sed 1d excel.csv | horus trace info - | sed -n 3p
  jobs         1
  $ printf '{"id": "a", "submit_time": 0, "gpus": 1, "duration": 5}\n{"id": "b", "submit_time": 0, "gpus": 1, "duration": 5}\n' >jobs.json
  $ horus trace info jobs.json
  ! jobs.json: error: not a trace of a known format
  !       = hint: as CSV it may be one: jq -rs 'flatten | (.[0] | keys_unsorted) as $k | $k, (.[] | [.[$k[]]]) | @csv' FILE >jobs.csv
  [3]
  $ jq -rs 'flatten | (.[0] | keys_unsorted) as $k | $k, (.[] | [.[$k[]]]) | @csv' jobs.json >jobs.csv; horus trace info jobs.csv --map=job_id=id | sed -n 3p
  jobs         2
  $ printf 'NODELIST|CPUS|MEMORY|GRES\ngpu0[1-8]|64|1031000|gpu:a100:8\n' >sinfo.txt; horus run traces/sample.csv -c sinfo.txt
  ! sinfo.txt:2:1: error: several nodes in one row: 'gpu0[1-8]'
  !     2 | gpu0[1-8]|64|1031000|gpu:a100:8
  !       | ^~~~~~~~~
  !       = hint: -N of sinfo gives each node a row
  [3]

# exports-in-other-words
Names are known in any case and punctuation, user, team and state among them; trace validate ends with the
command that maps each state by its first letters.

  $ printf 'Task;Owner;Team;Queued at;Began;Finished;Num GPUs;Final\nt1;ann;x;2024-01-01 00:00:00;2024-01-01 00:01:00;2024-01-01 01:01:00;2;OK\nt2;bob;y;2024-01-01 00:00:05;2024-01-01 00:00:05;2024-01-01 00:10:05;1;ERR\nt3;bob;y;2024-01-01 00:00:06;2024-01-01 00:00:06;2024-01-01 00:10:05;1;Killed by user\n' >log.csv
  $ horus run log.csv -c 2x8
  ! log.csv:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | Task;Owner;Team;Queued at;Began;Finished;Num GPUs;Final
  !       | ^~~~
  !       = hint: the file has: Task, Owner, Team, Queued at, Began, Finished, Num GPUs, Final; name the columns with --format=csv --map='status=Final,gpus=Num GPUs,job_id=Task,submit_time=Queued at,start_time=Began,end_time=Finished,user=Owner,vc=Team'
  [3]
  $ horus trace validate log.csv --map='status=Final,gpus=Num GPUs,job_id=Task,submit_time=Queued at,start_time=Began,end_time=Finished,user=Owner,vc=Team' --map-value=state:other=failed
  trace        log.csv (csv)
  rows         3
  jobs         0

  3 unknown state
      log.csv:2:72: error: unknown state 'OK'
      log.csv:3:72: error: unknown state 'ERR'
      log.csv:4:72: error: unknown state 'Killed by user'
      repair: --map-value='state:other=failed,state:OK=completed,state:ERR=failed,state:Killed by user=cancelled', if that is what they mean; else correct the rows, or skip them with --skip-bad-rows=1%

  3 faults
  run it with: horus run log.csv --map='status=Final,gpus=Num GPUs,job_id=Task,submit_time=Queued at,start_time=Began,end_time=Finished,user=Owner,vc=Team' --map-value='state:other=failed,state:OK=completed,state:ERR=failed,state:Killed by user=cancelled'
  ! log.csv: error: the trace has faults, listed above
  [3]
  $ horus run log.csv --map='status=Final,gpus=Num GPUs,job_id=Task,submit_time=Queued at,start_time=Began,end_time=Finished,user=Owner,vc=Team' \
  >     --map-value='state:other=failed,state:OK=completed,state:ERR=failed,state:Killed by user=cancelled' -c 2x8 -q -o out >log.txt; cut -d, -f1,8,14-16 out/jobs.csv
  job_id,execution_time,user,vc,status
  t2,600,bob,y,failed
  t3,599,bob,y,cancelled
  t1,3600,ann,x,completed
  $ printf 'job_id,submit_time,gpus,duration\n1,0,1,1:30:00\n2,0,1,1-00:00:10\n3,0,1,90min\n4,0,1,soon\n' >spans.csv
  $ horus run spans.csv -c 2x8 -q -o spans --skip-bad-rows=25% >log.txt; cut -d, -f1,8 spans/jobs.csv
  job_id,execution_time
  1,5400
  3,5400
  2,86410
  ! spans.csv:5:7: warning: duration is not a number: 'soon'
  !     5 | 4,0,1,soon
  !       |       ^~~~
  !       = hint: seconds such as 12.5, with a point, or 1:30:00, or 90min; start_time and end_time may take its place
  ! spans.csv: warning: skipped 1 bad rows of 4: 1 not a number

# exports-outcomes-by-other-names
A column with the name of one of outcomes is read as that if its first value is an outcome; otherwise a
warning has the options to read it with, and its other possible meanings. A row that is still running is
left out before its empty cells are read.

  $ printf 'job_id,submit_time,gpus,duration,State\na,0,1,10,COMPLETED\nb,1,1,,RUNNING\nc,2,1,5,FAILED\nd,3,1,5,\n' >state.csv
  $ horus run state.csv -c 1x8 -q -o state >log.txt; cut -d, -f1,16 state/jobs.csv
  job_id,status
  c,failed
  d,unknown
  a,completed
  ! warning: 1 of 4 rows left out: still running at the snapshot
  $ sed 's/RUNNING/Oops/; s/,,Oops/,1,Oops/' state.csv >odd.csv; horus run odd.csv -c 1x8 -q -o odd
  ! odd.csv:3:9: error: unknown state 'Oops'
  !     3 | b,1,1,1,Oops
  !       |         ^~~~
  !       = hint: COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, SUSPENDED, Pass, Killed or unknown; or --map-value=state:Oops=completed (or failed, cancelled); or --map=status= to leave it
  [3]
  $ printf 'job_id,submit_time,gpus,duration,Phase\na,0,1,10,warm\nb,1,1,4,train\n' >phase.csv
  $ horus run phase.csv -c 1x8 -q -o phase >log.txt; cut -d, -f1,16 phase/jobs.csv
  job_id,status
  b,unknown
  a,unknown
  ! phase.csv:2:10: warning: column 'Phase' is not read as the outcome of jobs: 'warm' is none
  !     2 | a,0,1,10,warm
  !       |          ^~~~
  !       = hint: to read it: --map='status=Phase' --map-value='state:warm=completed' (or failed, cancelled); to leave it: --map=status=
  $ for more in --map=status= --map=vc=Phase "--map-value=state:warm=completed,state:train=failed"; do
  >     horus run phase.csv -c 1x8 -q -o phase -f "$more" >log.txt; sed -n 2p phase/jobs.csv | cut -d, -f15,16; done
  ,unknown
  train,unknown
  ,failed

# exports-with-faults
The faults of a file, and the command that runs it nevertheless.

  $ printf 'job_id,submit_time,gpus,duration\na,10,1,5\nb,x,1,5\nc,0,1,5\n' >faults.csv
  $ horus trace validate faults.csv -c 2x8 --sort=0 | tail -n 2
  2 faults
  run it with: horus run faults.csv --sort=0 --cluster=2x8 --sort=all --skip-bad-rows=33.4
  ! faults.csv: error: the trace has faults, listed above
  $ horus run faults.csv --cluster=2x8 --sort=all --skip-bad-rows=33.4 -q -o out 2>/dev/null | head -n 1
  faults.csv (csv) on 2x8: 16 GPUs, 2 nodes
  $ horus run faults.csv --map-value=state:Succeeded
  ! note: no cluster given: 16x8:V100 is taken
  !       = hint: -c SPEC names another
  ! error: 'state:Succeeded' is not COLUMN:VALUE=WORD
  !       = hint: --map-value=state:Succeeded=completed,state:Error=failed
  [2]

# exports-public
Public logs, rows as their publishers show them (traces/README.md, Other logs). ITP: the hint is the whole command. The deadline of
ElasticFlow's own files is a time of the trace. Spot jobs have workers x GPUs; an instance without times is a fault,
one on CPUs is dropped; fleetsim's microseconds become seconds.

  $ printf 'job_id,submission_time,duration,num_gpu\n6b2d9ccc-6279-403c-e1a2-cfe7810d5c57,16566,3890,4\n' >itp.csv
  $ horus trace info itp.csv
  ! itp.csv:1:1: error: missing columns 'gpus', 'submit_time'
  !     1 | job_id,submission_time,duration,num_gpu
  !       | ^~~~~~
  !       = hint: the file has: job_id, submission_time, duration, num_gpu; name the columns with --format=csv --map=gpus=num_gpu,submit_time=submission_time
  [3]
  $ printf 'job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n6b2d9ccc,16566,40285,bert,21347,64,4,3890\n' >elasticflow.csv
  $ horus trace convert elasticflow.csv --map=submit_time=submission_time,gpus=num_gpu,model=model_name,batch=batch_size -q -o e.csv; cut -d, -f1-4,8,10,18 e.csv
  job_id,submit_time,gpus,duration,model,batch,deadline
  6b2d9ccc,16566,4,3890,bert,64,21347
  $ printf '%s\n' job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type \
  >     239255,13,A10,20,1,1,0,2764799,HP 437260,57,A100-SXM4-80GB,15,1,16,9589663,41060,Spot |
  >     awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print $0, "gpus"; next }
  >         { print $0, $at["gpu_request"] * $at["worker_num"] }' >spot.csv
  $ horus trace convert spot.csv --map=job_id=job_name,vc=organization,gpu_type=gpu_model,class=job_type \
  >     --map-value=class:HP=guaranteed,class:Spot=opportunistic -q -o s.csv; cut -d, -f1-7,24 s.csv
  job_id,submit_time,gpus,duration,user,vc,gpu_type,class
  239255,0,1,2764799,,13,A10,guaranteed
  437260,9589663,16,41060,,57,A100-SXM4-80GB,opportunistic
  $ printf '%s\n' instance_sn,app_name,cpu_request,gpu_request,creation_time,scheduled_time,deletion_time \
  >     i0,a0,12,1,,, i1,a1,12,1,100.0,130.0,400.0 i2,a1,64,0,100.0,130.0,400.0 >dlrm.csv
  $ horus trace convert dlrm.csv --skip-bad-rows=100% -o d.csv --map=job_id=instance_sn,user=app_name,gpus=gpu_request,cpus=cpu_request,submit_time=creation_time,start_time=scheduled_time,end_time=deletion_time; cut -d, -f1-5,13,34- d.csv
  job_id,submit_time,gpus,duration,user,cpus,start_time,end_time
  i1,100,1,270,a1,12,130,400
  ! dlrm.csv:2:12: warning: submit_time is empty
  !     2 | i0,a0,12,1,,,
  !       |            ^
  ! dlrm.csv: warning: skipped 1 bad rows of 3: 1 required value missing
  ! warning: 1 of 3 rows left out: CPU job (0 GPUs)
  ! note: 1 jobs from csv to csv, nothing lost
  $ printf '%s\n' '# hand-written' job_id,user,tenant,class,submit_time,num_chips,chip_type,num_nodes,duration_s,walltime_limit_s,final_status \
  >     a,u0,t0,eval,0,1,h100,1,120.5,600,COMPLETED b,u1,t1,pretrain,30000001,16,h100,2,150,,CANCELED c,u1,t1,eval,30000002,1,,1,9,9,TIMEOUT |
  >     awk -F, -v OFS=, '!/^ *(#|$)/ { if (n++) $5 = sprintf("%.6f", $5 / 1e6); print }' >canonical.csv
  $ horus trace convert canonical.csv --map=vc=tenant,gpus=num_chips,gpu_type=chip_type,duration=duration_s,status=final_status,class= -q -o f.csv; cut -d, -f1-7,22 f.csv
  job_id,submit_time,gpus,duration,user,vc,gpu_type,outcome
  a,0,1,120.5,u0,t0,h100,completed
  b,30.000001,16,150,u1,t1,h100,cancelled
  c,30.000002,1,9,u1,t1,,failed
