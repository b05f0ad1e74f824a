SPDX-License-Identifier: GPL-3.0-or-later

The format swf, Standard Workload Format.

# run-swf
jobs.swf by hand. One GPU, first come first served, real times in seconds: a 0 to 10.5, b from 0.5 waits
until 10.5, runs to 12, c from 1.4 waits until 12, runs to 12.2, d requests 2 GPUs (rejected), e from 1.6 is
cut by --until 13 after its start at 12.2, f still waits. Rounded instants (.5 up): a 0-11; b 1: 11-12, so
wait 10, run 1; c 1: 12-12, wait 11, run 0; e 2: starts at 12, wait 10. Users z, y; y comes second.

  $ printf '%s\n' job_id,submit_time,gpus,duration,user,vc,status a,0,1,10.5,z,,completed \
  >     'b,0.5,1,1.5,y,two lines,failed' 'c,1.4,1,0.2,z,,cancelled' 'd,1.5,2,1,,,' 'e,1.6,1,9,z,last,' 'f,2,1,1,y,last,' >t.csv
  $ horus run t.csv -c 1x1:V100 --until 13 --outputs=swf -q -o out >/dev/null
  ! warning: job d rejected: it needs more GPUs than the nodes it may use have
  ! warning: 1 of 6 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  ! warning: jobs not finished at the end of the simulation: 2
  $ ls out
  jobs.swf
  manifest.json
  summary.csv
  summary.json
  $ cat out/jobs.swf
  ; Version: 2.2
  ; Computer: GPUs of a simulated cluster
  ; Conversion: horus, a simulator; the workload is t
  ; MaxJobs: 6
  ; MaxRecords: 6
  ; Preemption: No
  ; MaxNodes: 1
  ; MaxProcs: 1
  ; MaxQueues: 2
  ; Queues: virtual clusters, which are groups too
  ; Queue: 1 two lines
  ; Queue: 2 last
  ; MaxPartitions: 1
  ; Partitions: GPU types
  ; Partition: 1 V100
  ; Note: a processor is a GPU; allocated are those of the last placement
  ; Note: run time is from first start to end, whatever came between
  ; Note: times are differences of instants rounded to the second
  1 0 0 11 1 -1 -1 1 -1 -1 1 1 -1 -1 -1 1 -1 -1
  2 1 10 1 1 -1 -1 1 -1 -1 0 2 1 -1 1 1 -1 -1
  3 1 11 0 1 -1 -1 1 -1 -1 5 1 -1 -1 -1 1 -1 -1
  4 2 -1 -1 -1 -1 -1 2 -1 -1 5 -1 -1 -1 -1 -1 -1 -1
  5 2 10 -1 1 -1 -1 1 -1 -1 -1 1 2 -1 2 1 -1 -1
  6 2 -1 -1 -1 -1 -1 1 -1 -1 -1 2 2 -1 2 -1 -1 -1
  $ jq -c '.outputs[] | select(.name == "jobs.swf") | .rows' out/manifest.json
  6

# run-swf-again
A schedule that a run wrote is a workload. With enough GPUs for all jobs at once, `trace info`
prints the same of both, except the times of submission: those of a run start with the first job,
which the sample submits at 153 s. A run of the schedule writes the same schedule.

  $ horus run traces/sample.csv -c 64x8:V100 -p fifo --outputs=swf -q -o out >quiet
  $ horus trace info traces/sample.csv | sed -n '2,/^VCs/p' >of-trace
  $ horus trace info out/jobs.swf | sed -n '2,/^VCs/p' >of-run
  $ diff of-trace of-run
  3,4c3,4
  < first        153
  < last         427050
  ---
  \x3e first        0 (esc)
  \x3e last         426897 (esc)
  [1]
  $ horus run out/jobs.swf -c 64x8:V100 -p fifo --vc=ignore -q --outputs=swf -o again >quiet
  $ diff <(grep -v '^; Conversion' out/jobs.swf) <(grep -v '^; Conversion' again/jobs.swf) | head -5

# trace-convert-swf
Names become numbers, with a note at their first use; a job id that is no number becomes the number after
the largest. Fields that the format lacks are listed.

  $ cat >jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,user,vc,status,model
  > a,100,2,25.4,ann,7,Pass,LSTM
  > 9,160,1,3,bob,,Failed,
  > END
  $ horus trace convert jobs.csv -o jobs.swf
  ! warning: 1 of 2 jobs: job_id is not what the swf format can hold, and reads back as something else
  ! warning: 1 of 2 jobs: duration rounded to steps of 1 s
  ! warning: 1 of 2 jobs lose their model: the swf format has none
  ! note: 2 jobs from csv to swf
  $ cat jobs.swf
  ; Version: 2.2
  ; Conversion: horus
  ; Queues: virtual clusters
  ; Partitions: GPU types asked for
  ; Note: a processor is a GPU
  ; UnixStartTime: 100
  ; User: 1 ann
  1 0 -1 25 -1 -1 -1 2 -1 -1 1 1 -1 -1 7 -1 -1 -1
  ; User: 2 bob
  9 60 -1 3 -1 -1 -1 1 -1 -1 0 2 -1 -1 -1 -1 -1 -1
  $ horus trace convert jobs.swf -o - --to csv -q | cut -d, -f1-6,22
  job_id,submit_time,gpus,duration,user,vc,outcome
  1,100,2,25,ann,7,completed
  9,160,1,3,bob,,failed

# trace-swf
A log of six lines: two jobs, one of them of 0 s; a part of a run, an unknown run time, an unknown
number of processors and none at all are skipped and counted. 2003-01-01 00:00:00 UTC is 1041379200,
and the log is an hour east of it.

  $ cat >log.swf <<'END'
  > ; Version: 2.2
  > ; UnixStartTime: 1041379200
  > ; TimeZone: 3600
  > 1 10 5 100 8 -1 -1 8 600 -1 1 1 1 -1 1 1 -1 -1
  > 2 20 5   0 4 -1 -1 4 600 -1 5 2 1 -1 1 1 -1 -1
  > 3 30 5  50 4 -1 -1 4 600 -1 2 2 1 -1 1 1 -1 -1
  > 4 40 5  -1 4 -1 -1 4 600 -1 5 2 1 -1 1 1 -1 -1
  > 5 50 5  60 -1 -1 -1 -1 600 -1 0 2 1 -1 1 1 -1 -1
  > 6 60 5  60 0 -1 -1 0 600 -1 0 2 1 -1 1 1 -1 -1
  > END
  $ horus trace info log.swf | head -14
  trace        log.swf (swf)
  rows         6
  jobs         2
  dropped      1 CPU job (0 GPUs)
  dropped      1 start or end missing
  dropped      1 number of processors not known
  dropped      1 part of the run of a job
  first        2003-01-01 01:00:10
  last         2003-01-01 01:00:20
  span         0 days
  GPU hours    0.2
  mean demand  80 GPUs over the span
  largest job  8 GPUs
  VCs          1
