SPDX-License-Identifier: GPL-3.0-or-later

`horus verify`.

# verify-part
Runs that read a part of a trace that is much larger than any buffer: the recorded hash is that of
the whole file, so that a changed end is noticed.

  $ awk 'BEGIN {
  >     print "job_id,submit_time,gpus,duration"
  >     for (i = 0; i < 40000; i++) print "j" i "," i * 10 ",1,7"
  > }' >t.csv
  $ horus run t.csv -c 1x1 --max-jobs 5 -o jobs -q >/dev/null
  $ horus run t.csv -c 1x1 --until 1min -o time -q >/dev/null
  ! warning: jobs not finished at the end of the simulation: 1
  $ for run in jobs time; do
  >     horus verify $run | grep -E 'trace is the one|passed'
  > done
  ok    the trace is the one that was simulated: 1 file, 0 changed
  22 checks passed
  ok    the trace is the one that was simulated: 1 file, 0 changed
  22 checks passed
  $ echo z,500000,1,1 >>t.csv
  $ for run in jobs time; do
  >     horus verify $run 2>&1 | grep -A1 'trace is the one'
  > done
  FAIL  the trace is the one that was simulated: 1 file, 1 changed
          t.csv has changed since the run
  FAIL  the trace is the one that was simulated: 1 file, 1 changed
          t.csv has changed since the run

# verify-rejected-late
A gang that no rack holds is rejected when the cluster is idle: after the end of job a, at its next attempt
(0, 120, 240 s). The run lasts until then: 2 of 4 GPUs were held for 130 of 240 s, 0.2708 in all.

  $ cat >c.json <<'END'
  > {"racks": [{"nodes": [{"gpus": 2}]}, {"nodes": [{"gpus": 2}]}]}
  > END
  $ printf 'job_id,submit_time,gpus,duration\na,0,2,130\nb,0,3,10\n' >t.csv
  $ horus run t.csv -c c.json -p philly:max_level=1 -q -o out >/dev/null 2>&1
  $ cut -d, -f1,16,23 out/jobs.csv
  job_id,status,queueing_delay
  a,unknown,0
  b,rejected,240
  $ grep "gpu_allocation.: 0" out/summary.json
      "gpu_allocation": 0.2708333333333333,
  $ horus verify out | grep -e figures -e passed
  ok    summary.json follows from the rows: 53 figures, 0 differences
  22 checks passed

# verify-summary-only
A run that wrote no schedule has nothing to verify.

  $ horus run traces/sample.csv -c 8x8:V100 --outputs=summary -q -o out >/dev/null
  $ horus verify out
  ! out: error: nothing to verify: the run was made without jobs.csv
  !       = hint: repeat the run with --outputs=all
  [3]

# verify-tampered
A changed segment is found: b starts while a holds its GPUs.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > END
  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ sed -i "s/^b,10,15/b,9,14/" out/segments.csv
  $ horus verify out
  FAIL  the output files are as the manifest lists them: 6 files, 1 changed
          segments.csv is not the file that the manifest lists
  ok    the trace is the one that was simulated: 1 file, 0 changed
  ok    every segment is of a job of the trace: 3 segments, 0 of unknown jobs
  ok    every GPU exists in the cluster: 16 GPU holdings, 0 beyond it
  ok    every gang is whole: 3 segments, 0 of another size
  ok    nothing starts before its submission: 3 segments, 0 too early
  FAIL  no GPU is held twice: 3 segments, 4 overlaps
          GPU 0 at 9: job a (segments.csv:2) and job b (segments.csv:3)
          GPU 1 at 9: job a (segments.csv:2) and job b (segments.csv:3)
          GPU 2 at 9: job a (segments.csv:2) and job b (segments.csv:3)
  ok    no GPU gives more time than it has: 12 busy periods, 0 overused
  skip  every GPU is of a type that its job wants: no job that ran wants GPUs of a certain type
  skip  no node gives more cores or memory than it has: no job that ran wants cores or memory of a node
  skip  no node serves two virtual clusters: the run has no partition into virtual clusters
  ok    a job is in one place at a time and ends once: 3 segments, 0 overlaps
  ok    jobs.csv has one row a job of the trace: 3 jobs, 0 missing or too many
  ok    jobs.csv says what the trace says: 3 jobs, 0 differences
  FAIL  jobs.csv says what segments.csv says: 3 jobs, 4 differences
          jobs.csv:2: job a: colocated 0, by segments.csv 1
          jobs.csv:3: job b: starting_time 10, by segments.csv 9
          jobs.csv:3: job b: finish_time 15, by segments.csv 14
  ok    waits and turnarounds follow from the times: 3 jobs, 0 differences
  ok    slowdowns follow from the times: 3 jobs, 0 differences
  ok    every job comes to its end: 3 jobs, 0 not ended
  ok    work is lost where a GPU ran out of memory or a node failed: 3 jobs, 0 differences
  ok    every finished job has done its work: 3 jobs, 0 differences (3 exactly, 0 within the printed digits of mean_rate)
  ok    jobs fail and are tried again as they should: 0 attempts, 0 differences
  ok    every suspension is a switch: 3 jobs, 0 differences
  FAIL  jobs make progress from where they say: 3 jobs, 1 differences
          jobs.csv:3: job b: first_progress 10, by segments.csv 9
  ok    memory lies on the host while jobs are suspended: 3 jobs, 0 differences
  FAIL  summary.json follows from the rows: 53 figures, 12 differences
          summary.json: colocated_share is 0, by the rows it is 0.1111111111111111
          summary.json: mean_wait is 7.333333333333333, by the rows it is 7
          summary.json: mean_jct is 13.333333333333334, by the rows it is 13
  ! error: out: 5 of 22 checks failed
  [1]

# verify-tiny
A correct run.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > END
  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ horus verify out
  ok    the output files are as the manifest lists them: 6 files, 0 changed
  ok    the trace is the one that was simulated: 1 file, 0 changed
  ok    every segment is of a job of the trace: 3 segments, 0 of unknown jobs
  ok    every GPU exists in the cluster: 16 GPU holdings, 0 beyond it
  ok    every gang is whole: 3 segments, 0 of another size
  ok    nothing starts before its submission: 3 segments, 0 too early
  ok    no GPU is held twice: 3 segments, 0 overlaps
  ok    no GPU gives more time than it has: 16 busy periods, 0 overused
  skip  every GPU is of a type that its job wants: no job that ran wants GPUs of a certain type
  skip  no node gives more cores or memory than it has: no job that ran wants cores or memory of a node
  skip  no node serves two virtual clusters: the run has no partition into virtual clusters
  ok    a job is in one place at a time and ends once: 3 segments, 0 overlaps
  ok    jobs.csv has one row a job of the trace: 3 jobs, 0 missing or too many
  ok    jobs.csv says what the trace says: 3 jobs, 0 differences
  ok    jobs.csv says what segments.csv says: 3 jobs, 0 differences
  ok    waits and turnarounds follow from the times: 3 jobs, 0 differences
  ok    slowdowns follow from the times: 3 jobs, 0 differences
  ok    every job comes to its end: 3 jobs, 0 not ended
  ok    work is lost where a GPU ran out of memory or a node failed: 3 jobs, 0 differences
  ok    every finished job has done its work: 3 jobs, 0 differences (3 exactly, 0 within the printed digits of mean_rate)
  ok    jobs fail and are tried again as they should: 0 attempts, 0 differences
  ok    every suspension is a switch: 3 jobs, 0 differences
  ok    jobs make progress from where they say: 3 jobs, 0 differences
  ok    memory lies on the host while jobs are suspended: 3 jobs, 0 differences
  ok    summary.json follows from the rows: 53 figures, 0 differences
  22 checks passed

# verify-outages-tampered
Each rule on machines fails if its file is changed. n0 is down from 4 to 6: a has done 4 s, keeps 3 of its
checkpoint, and waits for b.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv --checkpoint-interval=3s -q -o out >/dev/null
  $ try() { cp -r out bad; sed -i "$2" "bad/$1"
  >   horus verify bad 2>/dev/null | grep -A 2 FAIL | grep -v -e '^ok' -e 'output files' -e manifest -e '^--'; rm -r bad; }
  $ horus verify out | grep -c FAIL
  0
  [1]
  $ try events.csv s/^6/7/ # it comes back later
  FAIL  no job holds GPUs of a node out of service: 3 segments, 1 do
          segments.csv:3: job b starts at 6 on node n0, which is out of service
  $ try events.csv s/^4/3/ # it fails earlier
  FAIL  no job holds GPUs of a node out of service: 3 segments, 2 do
          segments.csv:2: job a holds GPUs of node n0 after its 'down' at 3
          segments.csv:2: job a ends at 4 by fault, and no node of it did
  $ try segments.csv s/fault/preempt/
  FAIL  jobs.csv says what segments.csv says: 2 jobs, 1 differences
          jobs.csv:3: job a: preemptions 0, by segments.csv 1
  FAIL  work is lost where a GPU ran out of memory or a node failed: 2 jobs, 1 differences
          jobs.csv:3: job a: lost 1, by segments.csv 0
  FAIL  what machines cost jobs follows from the rows: 15 figures, 7 differences
          outages.csv: jobs_hit is 1, by the rows 0
          outages.csv: faults is 1, by the rows 0
  FAIL  summary.json follows from the rows: 53 figures, 1 differences
          summary.json: preemptions is 0, by the rows it is 1
  $ try series.csv s/^4,gpus_out,,1/4,gpus_out,,0/
  FAIL  capacity over time follows from events and segments: 18 rows, 1 differences
          series.csv:81: gpus_out is 0.000000, by events and segments 1.000000
  $ try outages.csv s/0.9375/0.9376/
  FAIL  what machines cost jobs follows from the rows: 15 figures, 1 differences
          outages.csv: ettr is 0.9376, by the rows 0.9375
  $ try jobs.csv '/^a/s/,0,1,1.8,/,0,2,1.8,/'
  FAIL  work is lost where a GPU ran out of memory or a node failed: 2 jobs, 1 differences
          jobs.csv:3: job a: lost 2, by segments.csv 1
  FAIL  every finished job has done its work: 2 jobs, 1 differences (1 exactly, 0 within the printed digits of mean_rate)
          job a ran 11, 0 of it overhead, for 10 of work
  FAIL  what machines cost jobs follows from the rows: 15 figures, 4 differences
          outages.csv: lost_gpu_seconds is 1, by the rows 2
          outages.csv: ettr is 0.9375, by the rows 0.875
  FAIL  summary.json follows from the rows: 53 figures, 1 differences
          summary.json: lost_gpu_seconds is 1, by the rows it is 2
  $ try summary.json 's/"availability": 0.8888888888888888/"availability": 0.9/'
  FAIL  what machines cost jobs follows from the rows: 15 figures, 1 differences
          summary.json: availability is 0.9, by the rows 0.888888888889

# verify-outages-drawn
Failures by draw are drawn again: another seed in the manifest is another history.

  $ horus run traces/sample.csv -c 8x8:V100 --faults=mtbf=1d,repair=2h --max-jobs=300 \
  >     --checkpoint-interval=10min -q -o out >/dev/null
  $ horus verify out | tail -n 1
  25 checks passed
  $ sed -i 's/"seed": 1,/"seed": 2,/' out/manifest.json
  $ horus verify out | grep FAIL | cut -d: -f1
  FAIL  no job holds GPUs of a node out of service
  FAIL  capacity over time follows from events and segments
  FAIL  what machines cost jobs follows from the rows
  ! error: out: 3 of 25 checks failed

# verify-reservation-tampered
Node n1 is reserved for ann from 40 to 90 s, where d starts at 50 s.

  $ printf 'job_id,user,submit_time,duration,gpus\na,ann,0,100,4\nb,bob,0,30,4\nd,ann,50,20,4\n' >t.csv
  $ printf 'start,end,gpus,user\n40,90,4,ann\n' >r.csv
  $ horus run t.csv -c 2x4 -p fifo --reservations r.csv -q -o out >/dev/null
  $ horus verify out | tail -n 1
  23 checks passed
  $ sed -i s/ann/bob/ out/reservations.csv
  $ horus verify out | grep -A 1 'FAIL.*reserved'
  FAIL  no job starts on nodes reserved for others: 3 segments, 1 do
          segments.csv:3: job d starts at 50 on node n1, which line 2 of reservations.csv keeps for others
  ! error: out: 2 of 23 checks failed
