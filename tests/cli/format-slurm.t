SPDX-License-Identifier: GPL-3.0-or-later

The format slurm: the output of sacct; and delimiters other than the comma. Fields and their forms are those
of sacct(1): Elapsed is [days-]hours:minutes:seconds, resources are lists of KEY=AMOUNT.

# run-slurm
101 holds 2 of 4 GPUs from 0 to 3600; 102 requests 4 and waits for it. 101.batch is a step of 101, 103 was
cancelled before it started, 104 has no GPU, 105_3 has not ended: four rows are left out. 106 requests a
H100, on which it ran; there is one. 1-00:00:10 is 86,410 s.

  $ cat >jobs.txt <<'END'
  > JobID|User|Account|Partition|State|Submit|Start|End|Elapsed|ReqTRES|AllocTRES
  > 101|ann|vision|gpu|COMPLETED|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|01:00:00|billing=16,cpu=16,gres/gpu=2,mem=128G,node=1|billing=16,cpu=16,gres/gpu:a100=2,gres/gpu=2,mem=128G,node=1
  > 101.batch||vision||COMPLETED|2024-03-01T10:05:00|2024-03-01T10:05:00|2024-03-01T11:05:00|01:00:00||cpu=16,gres/gpu=2,mem=128G,node=1
  > 102|bob|nlp|gpu|CANCELLED by 1001|2024-03-01T10:10:00|2024-03-01T10:20:00|2024-03-02T10:20:10|1-00:00:10|cpu=8,gres/gpu=4,mem=500M,node=1|cpu=8,gres/gpu=4,mem=500M,node=1
  > 103|bob|nlp|gpu|CANCELLED by 1001|2024-03-01T10:11:00|None|2024-03-01T10:12:00|00:00:00|cpu=8,gres/gpu=1,mem=1.50T,node=1|
  > 104|cy|nlp|cpu|COMPLETED|2024-03-01T10:12:00|2024-03-01T10:12:01|2024-03-01T10:13:01|00:01:00|cpu=8,mem=1G,node=1|cpu=8,mem=1G,node=1
  > 105_3|cy|nlp|gpu|RUNNING|2024-03-01T10:12:00|2024-03-01T10:12:01|Unknown|00:01:00|cpu=8,gres/gpu=4,mem=1G,node=1|cpu=8,gres/gpu=4,mem=1G,node=1
  > 106|cy|nlp|gpu|OUT_OF_MEMORY|2024-03-01T10:14:00|2024-03-01T10:15:00|2024-03-01T10:25:00|00:10:00|cpu=1,gres/gpu:h100=1,mem=1000K,node=1|cpu=1,gres/gpu:h100=1,mem=1000K,node=1
  > END
  $ horus run jobs.txt -c 1x4:A100,1x1:H100 --assign=off -p fifo:scan=fit -o out >run.txt
  ! warning: the speed of H100 relative to A100 is not known: taken as 1
  !       = hint: --models=builtin:models/speed-lambda.json knows more; or "speed" of its GPU type in the cluster file
  ! warning: 1 of 7 rows left out: CPU job (0 GPUs)
  ! warning: 1 of 7 rows left out: still running at the snapshot
  ! warning: 1 of 7 rows left out: never started
  ! warning: 1 of 7 rows left out: part of the run of a job
  $ horus verify out | tail -n 1
  24 checks passed
  $ cut -d, -f1,3,4,7-9 out/jobs.csv
  job_id,submission_time,requested_number_of_resources,starting_time,execution_time,finish_time
  106,840,1,840,600,1440
  101,0,2,0,3600,3600
  102,600,4,3600,86410,90010
  $ horus trace convert jobs.txt -o jobs.csv 2>notes.txt; tail -n 1 notes.txt
  note: 3 jobs from slurm to csv, nothing lost
  $ cut -d, -f1,3-7,12-14,22,31 jobs.csv
  job_id,gpus,duration,user,vc,gpu_type,nodes,cpus,mem_mib,outcome,gpu_type_ran
  101,2,3600,ann,gpu,,1,16,131072,completed,a100
  102,4,86410,bob,gpu,,1,8,500,cancelled,
  106,1,600,cy,gpu,h100,1,1,1,failed,h100

# slurm-start-end
Without Elapsed the run time is End - Start; without AllocTRES the GPUs are those requested; the account is
the virtual cluster if there is no partition.

  $ cat >jobs.txt <<'END'
  > JobID,Account,State,Submit,Start,End,ReqTRES
  > 7,nlp,COMPLETED,2024-03-01T10:00:00,2024-03-01T10:05:00,2024-03-01T10:06:40,"cpu=1,gres/gpu=3"
  > 8,nlp,CANCELLED,2024-03-01T10:00:00,Unknown,Unknown,"cpu=1,gres/gpu=3"
  > END
  $ horus trace convert jobs.txt -o jobs.csv 2>notes.txt; cut -d, -f1,3-6 jobs.csv
  job_id,gpus,duration,user,vc
  7,3,100,,nlp

# slurm-left-out
Rows that are no run of a job on GPUs, each under its own name: 201 waits, 202 was cancelled before it
started, as older versions of Slurm print it (allocated nothing, ran 0 s), 203 ran twice (sacct
--duplicates), the first time until it was requeued, 204 held two shards of a GPU. 205 ran for 0 s on 2
GPUs: it is a job.

  $ printf '%s\n' 'JobID|State|Submit|Start|End|Elapsed|ReqTRES|AllocTRES' \
  >     '201|PENDING|2024-03-01T10:00:00|Unknown|Unknown|00:00:00|cpu=8,gres/gpu=2|' \
  >     '202|CANCELLED by 1001|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T10:05:00|00:00:00|cpu=8,gres/gpu=2|' \
  >     '203|REQUEUED|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T10:15:00|00:10:00|gres/gpu=2|gres/gpu=2' \
  >     '203|COMPLETED|2024-03-01T10:15:00|2024-03-01T10:25:00|2024-03-01T10:45:00|00:20:00|gres/gpu=2|gres/gpu=2' \
  >     '204|COMPLETED|2024-03-01T10:15:00|2024-03-01T10:25:00|2024-03-01T10:45:00|00:20:00|gres/shard=2|gres/shard=2' \
  >     '205|FAILED|2024-03-01T10:20:00|2024-03-01T10:25:00|2024-03-01T10:25:00|00:00:00|gres/gpu=2|gres/gpu=2' >jobs.txt
  $ horus trace info jobs.txt | sed -n '2,/first/p'
  rows         6
  jobs         2
  dropped      2 never started
  dropped      1 shard of a GPU, whose size is not known
  dropped      1 part of the run of a job
  first        2024-03-01 10:15:00
  $ horus trace convert jobs.txt -q -o jobs.csv; cut -d, -f1,3,4 jobs.csv
  job_id,gpus,duration
  203,2,1200
  205,2,0
  ! warning: 2 of 6 rows left out: never started
  ! warning: 1 of 6 rows left out: shard of a GPU, whose size is not known
  ! warning: 1 of 6 rows left out: part of the run of a job

# slurm-no-trace
One id twice, an end before the start, a header without GPUs or none at all.

  $ printf '%s\n' 'JobID|State|Submit|Start|End|AllocTRES' \
  >     '1|NODE_FAIL|2024-10-27T02:00:00|2024-10-27T02:30:00|2024-10-27T02:40:00|gres/gpu=2' \
  >     '1|COMPLETED|2024-10-27T02:40:00|2024-10-27T02:45:00|2024-10-27T02:50:00|gres/gpu=2' \
  >     '2|COMPLETED|2024-10-27T02:50:00|2024-10-27T02:50:00|2024-10-27T02:10:00|gres/gpu=2' >jobs.txt
  $ horus trace validate jobs.txt 2>/dev/null | sed -n '/out of/,/run it/p'
  1 out of range
      jobs.txt:4:53: error: End is before Start
      hint: where clocks are set back in autumn, TZ=UTC sacct ... prints times of one clock
      repair: check --time-unit; else correct the rows, or skip them with --skip-bad-rows=1%

  1 job id seen before
      jobs.txt:3:1: error: job id '1' was seen before: jobs.txt:2:1
      repair: --map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row a job

  2 faults
  run it with: horus run jobs.txt --skip-bad-rows=66.7
  $ sed 1d jobs.txt | sed 's/gres/cpu=2,gres/' >rows.txt; horus trace info rows.txt
  ! rows.txt: error: the first line is a job, not the names of columns: sacct without its header
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]
  $ cut -d'|' -f1,2,4- jobs.txt >no-submit.txt; horus trace info no-submit.txt
  ! no-submit.txt:1:1: error: missing columns 'gpus', 'job_id', 'submit_time', 'duration'
  !     1 | JobID|State|Start|End|AllocTRES
  !       | ^~~~~
  !       = hint: the file has: JobID, State, Start, End, AllocTRES; name the columns with --format=csv --map=status=State,gpus=COLUMN,job_id=JobID,submit_time=COLUMN,start_time=Start,end_time=End, or take those of sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]

# slurm-faults
  $ cat >jobs.txt <<'END'
  > JobID|State|Submit|Elapsed|AllocTRES
  > 1|COMPLETED|2024-03-01T10:00:00|10:00|gres/gpu=x
  > 2|DONE|2024-03-01T10:00:00|10:00|gres/gpu=1
  > 3|COMPLETED|2024-03-01T10:00:00|1:10:00:00|gres/gpu=1
  > 4|COMPLETED|2024-03-01T10:00:00|10:00|gres/gpu=1
  > END
  $ horus trace validate jobs.txt | grep error
      jobs.txt:2:39: error: 'gres/gpu=x' is no amount of a resource
      jobs.txt:4:33: error: Elapsed is no length of time
      jobs.txt:3:3: error: unknown state 'DONE'
  ! jobs.txt: error: the trace has faults, listed above
  $ cut -d'|' -f1-3,5 jobs.txt >no-time.txt; horus trace info no-time.txt
  ! no-time.txt:1:1: error: no column ElapsedRaw or Elapsed, nor both Start and End
  !     1 | JobID|State|Submit|AllocTRES
  !       | ^~~~~
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]
  $ cut -d'|' -f1-4 jobs.txt >no-gpus.txt; horus trace info no-gpus.txt
  ! no-gpus.txt:1:1: error: no column AllocTRES or ReqTRES: the GPUs of a job
  !     1 | JobID|State|Submit|Elapsed
  !       | ^~~~~
  !       = hint: sacct --allusers --allocations --parsable2 --starttime=2024-01-01 --format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES
  [3]

# csv-delimiters
Semicolons, bars and tabs between the fields of a plain CSV: the same trace.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,2,20\n' >comma.csv
  $ horus trace convert comma.csv -o all.csv 2>notes.txt
  $ for d in ';' '|' '\t'; do tr ',' "$d" <comma.csv >other.csv; horus trace convert other.csv -o other-all.csv 2>notes.txt; cmp all.csv other-all.csv; rm other-all.csv; done
