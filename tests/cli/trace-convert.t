SPDX-License-Identifier: GPL-3.0-or-later

`horus trace convert`.

# trace-convert
Counts by eye: three jobs are converted (one is still running, one requests no GPU). Helios has no deadline
(1), no GPU type (2), no shares (1) and no attempts; 0.4 s become 1 s, 2.5 cores 3, and the submission at
59.6 s is on the next minute: 2 jobs with a rounded submission, 1 duration.

  $ cat > jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,user,vc,gpu_type,cpus,deadline,status
  > a,59.6,1,0.4,u,v1,V100,2.5,,Pass
  > b,60.2,16,3600,"x, y",v2,P100,32,9000,Killed
  > c,86400,0.5,30,,,,,,
  > d,86401,1,5,,,,,,RUNNING
  > e,86402,0,5,,,,,,Pass
  > END
  $ horus trace convert jobs.csv --to helios -o -
  job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  a,u,v1,1,3,1,COMPLETED,1970-01-01 00:01:00,1970-01-01 00:01:00,1970-01-01 00:01:01,1,0
  b,"x, y",v2,16,32,2,CANCELLED,1970-01-01 00:01:00,1970-01-01 00:01:00,1970-01-01 01:01:00,3600,0
  c,,,1,,1,,1970-01-02 00:00:00,1970-01-02 00:00:00,1970-01-02 00:00:30,30,0
  ! warning: 1 of 5 rows left out: CPU job (0 GPUs)
  ! warning: 1 of 5 rows left out: still running at the snapshot
  ! warning: 1 of 3 jobs lose their gpu_milli: the helios format has none, a share becomes a whole GPU
  ! warning: 2 of 3 jobs: submit_time rounded to steps of 1 s
  ! warning: 1 of 3 jobs: duration rounded to steps of 1 s
  ! warning: 2 of 3 jobs lose their gpu_type: the helios format has none
  ! warning: 1 of 3 jobs: cpus rounded up to steps of 1 core
  ! warning: 1 of 3 jobs lose their deadline: the helios format has none
  ! note: 3 jobs from csv to helios
  ! note: assumed: for jobs without them, start_time, end_time and queue as if started at once, and node_num by 8 GPUs a node

# trace-convert-attempts
Two attempts of 10 s and 20 s with a gap of 5 s between: one job of 30 s that fails once. Written
again they follow each other; from then on the file is the same through each format.

  $ cat > log.json <<'END'
  > [{"status": "Failed", "vc": "v", "jobid": "app_1", "user": "u", "submitted_time": "2017-10-09 07:00:00",
  >   "attempts": [{"start_time": "2017-10-09 07:00:03", "end_time": "2017-10-09 07:00:13",
  >                 "detail": [{"ip": "m7", "gpus": ["gpu0", "gpu3"]}, {"ip": "m9", "gpus": ["gpu1"]}]},
  >                {"start_time": "2017-10-09 07:00:18", "end_time": "2017-10-09 07:00:38",
  >                 "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1", "gpu2"]}]}]},
  >  {"status": "Pass", "vc": null, "jobid": "app_2", "user": "None", "submitted_time": "2017-10-09 07:00:01",
  >   "attempts": [{"start_time": "2017-10-09 07:00:01", "end_time": "2017-10-09 07:00:01", "detail": []}]}]
  > END
  $ horus trace convert log.json --retries=attempts --cpu-jobs=keep -o one.csv.zst
  ! note: 2 jobs from philly to csv, nothing lost
  $ horus trace convert one.csv.zst -q --retries=attempts --cpu-jobs=keep -o two.json
  ! warning: 1 of 2 jobs lose their end_time: the philly format has none
  $ horus trace convert two.json -q --retries=attempts --cpu-jobs=keep -o three.csv
  $ horus trace convert three.csv -q --retries=attempts --cpu-jobs=keep -o four.json.gz
  $ gzip -dc four.json.gz | cmp - two.json && cat three.csv two.json
  job_id,submit_time,gpus,duration,user,vc,gpu_type,model,dataset,batch,precision,nodes,cpus,mem_mib,gpu_mem_mib,gpu_util,priority,deadline,preempt_cost,gpus_min,gpus_max,outcome,attempts,class,step,gpu_mem_persistent_mib,checkpoint_mib,gpu_mem_later_mib,gpu_mem_later_after,gpu_milli,gpu_type_ran,deadline_options,loss_curve,start_time,end_time
  app_1,1507532400,3,30,u,v,,,,,,,,,,,,,,,,failed,10/20,,,,,,,,,,,1507532403,1507532433
  app_2,1507532401,0,0,,,,,,,,,,,,,,,,,,completed,,,,,,,,,,,,1507532401,1507532401
  [
    {"status": "Failed", "vc": "v", "jobid": "app_1", "attempts": [{"start_time": "2017-10-09 07:00:03", "end_time": "2017-10-09 07:00:13", "detail": [{"ip": "m0", "gpus": ["gpu0", "gpu1", "gpu2"]}]}, {"start_time": "2017-10-09 07:00:13", "end_time": "2017-10-09 07:00:33", "detail": [{"ip": "m0", "gpus": ["gpu0", "gpu1", "gpu2"]}]}], "submitted_time": "2017-10-09 07:00:00", "user": "u"},
    {"status": "Pass", "vc": null, "jobid": "app_2", "attempts": [{"start_time": "2017-10-09 07:00:01", "end_time": "2017-10-09 07:00:01", "detail": []}], "submitted_time": "2017-10-09 07:00:01", "user": null}
  ]
  $ horus trace convert log.json --to helios -o - # 38 - 3 = 35 s, the gap included
  job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  app_1,u,v,3,,1,FAILED,2017-10-09 07:00:00,2017-10-09 07:00:03,2017-10-09 07:00:38,35,3
  ! warning: 1 of 2 rows left out: CPU job (0 GPUs)
  ! warning: 1 of 1 jobs have several attempts: each is folded into one
  !       = hint: --retries=attempts keeps them
  ! note: 1 jobs from philly to helios
  ! note: assumed: for jobs without them, start_time, end_time and queue as if started at once, and node_num by 8 GPUs a node
  $ horus trace convert one.csv.zst -q -o folded.csv
  ! warning: 1 of 2 rows left out: CPU job (0 GPUs)
  ! warning: 1 of 1 jobs have several attempts: each is folded into one
  !       = hint: --retries=attempts keeps them

# trace-convert-recorded
Recorded starts and ends are kept: 1 waited 5 s, 2 did not wait. The third end is 3 s after start and run
time, which only formats with a column for it can hold. At twice the pace none of them is valid.

  $ cat > log.csv <<'END'
  > job_id,submit_time,gpus,duration,start_time,end_time
  > 1,0,1,30,5,35
  > 2,10,2,20,10,30
  > 3,20,1,10,40,53
  > 4,30,1,10,,
  > END
  $ horus trace convert log.csv -o kept.csv
  ! note: 4 jobs from csv to csv, nothing lost
  $ cut -d, -f1,4,34,35 kept.csv
  job_id,duration,start_time,end_time
  1,30,5,35
  2,20,10,30
  3,10,40,53
  4,10,,
  $ horus trace convert log.csv --to helios -q -o helios.csv; cut -d, -f 1,9- helios.csv
  job_id,start_time,end_time,duration,queue
  1,1970-01-01 00:00:05,1970-01-01 00:00:35,30,5
  2,1970-01-01 00:00:10,1970-01-01 00:00:30,20,0
  3,1970-01-01 00:00:40,1970-01-01 00:00:53,10,20
  4,1970-01-01 00:00:30,1970-01-01 00:00:40,10,0
  $ horus trace convert helios.csv -q -f -o again.csv; cut -d, -f1,4,34,35 again.csv
  job_id,duration,start_time,end_time
  1,30,5,35
  2,20,10,30
  3,10,40,53
  4,10,30,40
  $ horus trace convert log.csv -o log.swf; grep -v ';' log.swf | cut -d' ' -f 1-4
  1 0 5 30
  2 10 0 20
  3 20 20 10
  4 30 -1 10
  ! warning: 1 of 4 jobs lose their end_time: the swf format has none
  ! note: 4 jobs from csv to swf
  $ horus trace convert log.swf -q -f -o again.csv; cut -d, -f1,4,34,35 again.csv
  job_id,duration,start_time,end_time
  1,30,5,35
  2,20,10,30
  3,10,40,50
  4,10,,
  $ horus trace convert log.csv -q -o log.json; horus trace convert log.json -q -f -o again.csv; cut -d, -f1,4,34,35 again.csv
  job_id,duration,start_time,end_time
  1,30,5,35
  2,20,10,30
  3,10,40,50
  4,10,30,40
  ! warning: 1 of 4 jobs lose their end_time: the philly format has none
  $ horus trace assign log.csv -q --assign=off -f -o again.csv 2>/dev/null; cut -d, -f1,4,34,35 again.csv
  job_id,duration,start_time,end_time
  1,30,5,35
  2,20,10,30
  3,10,40,53
  4,10,,
  $ horus trace convert log.csv --load=2 -f -o again.csv; cut -d, -f1,2,34,35 again.csv
  job_id,submit_time,start_time,end_time
  1,0,,
  2,5,,
  3,10,,
  4,15,,
  ! note: submissions are shifted: recorded starts and ends, if any, are left out
  ! note: 4 jobs from csv to csv

# trace-convert-refused
Each error has a hint; nothing is written.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,5\nb,1,x,5\n' > jobs.csv
  $ horus trace convert jobs.csv
  ! error: trace convert: where to write is missing
  !       = hint: -o FILE, or -o - for standard output
  [2]
  $ horus trace convert jobs.csv -o out.dat
  ! error: no format is known by the name of the file 'out.dat'
  !       = hint: name the format: csv, helios, * or * (glob)
  [2]
  $ horus trace convert jobs.csv -o -
  ! error: no format is known by the name of the file '-'
  !       = hint: name the format: csv, helios, * or * (glob)
  [2]
  $ horus trace convert jobs.csv --to heljos -o out
  ! error: unknown trace format 'heljos'
  !       = hint: did you mean 'helios'? (glob)
  [2]
  $ horus trace info jobs.csv --to helios
  ! error: trace info: --to has no meaning
  !       = hint: trace convert writes formats
  [2]
  $ horus trace convert jobs.csv -o jobs.csv
  ! error: -o jobs.csv would destroy the input jobs.csv
  !       = hint: write to another file
  [2]
  $ horus trace convert jobs.csv -o out.csv -c 1x1:V100
  ! error: trace convert: -c has no meaning
  !       = hint: trace validate takes a cluster
  [2]
  $ horus trace convert jobs.csv -o out.csv --retries=generate
  ! error: trace convert: --retries=generate has no meaning
  !       = hint: trace assign writes jobs with generated attempts
  [2]
  $ horus trace convert jobs.csv -o out.json.gz
  ! jobs.csv:3:5: error: gpus is not a number: 'x'
  !     3 | b,1,x,5
  !       |     ^
  !       = hint: a whole number such as 8
  [3]
  $ ls
  configs
  jobs.csv
  tests
  traces

# trace-convert-text
Philly's archive writes None for an empty field, so that a user of this name becomes an empty one; a
byte that is not UTF-8 cannot be written to JSON.

  $ printf 'job_id,submit_time,gpus,duration,user,vc\na,0,1,5,None,v\nb,1,1,5,u,\377\n' > jobs.csv
  $ horus trace convert jobs.csv -o out.json
  ! warning: 1 of 2 jobs: user is not what the philly format can hold, and reads back as something else
  ! warning: 1 of 2 jobs: vc is not what the philly format can hold, and reads back as something else
  ! note: 2 jobs from csv to philly
  ! note: assumed: attempts follow each other without a gap, the first at once if the job has no start, on machines m0, m1, ... of 8 GPUs
  $ horus trace convert out.json -q --to helios -o -
  job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  a,,v,1,,1,,1970-01-01 00:00:00,1970-01-01 00:00:00,1970-01-01 00:00:05,5,0
  b,u,\xc3\xbf,1,,1,,1970-01-01 00:00:01,1970-01-01 00:00:01,1970-01-01 00:00:06,5,0 (esc)
