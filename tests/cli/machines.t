SPDX-License-Identifier: GPL-3.0-or-later

Machines that fail, are drained, join and are slow: --events.

# run-events
n0 fails at 4 s for 2 s. Job a has done 4 s, of which its checkpoint at 3 s keeps 3: 7 remain, and
start when b (submitted at 1 s) has ended: 6 + 5 = 11 s.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv --checkpoint-interval=3s -q -o out >/dev/null
  $ cut -d, -f1,2,3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,4,fault
  b,6,11,finish
  a,11,18,finish
  $ horus verify out | tail -n 1
  25 checks passed

# run-events-wake
The node returns at 6 s, and nothing else happens: the job that waits for it starts at once, except under policies
whose decisions are at the ends of rounds or intervals.

  $ printf 'job_id,submit_time,gpus,duration\na,1,1,5\n' >t.csv
  $ printf 'time,node,event\n0,n0,down\n6,n0,up\n' >e.csv
  $ for p in $(horus policies | awk '/^$/ { exit } NR > 1 && /^[a-z]/ { print $1 }'); do
  >     horus run t.csv -c 1x1 --events e.csv -p "$p" -q -o "$p" >/dev/null 2>&1
  >     grep -q '^a,6,11,' "$p/segments.csv" || echo "$p"
  > done
  philly
  gavel
  ftf
  allox
  optimus
  synergy
  chronus

# run-events-figures
The same, counted: a lost 1 s of work. GPU time held 16 s, of which 15 s of work stay; the node was
out for 2 of 18 s.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv --checkpoint-interval=3s -q -o out | grep -A 1 outages
  outages     1 stops by failures and 0 by drains, of 1 jobs; 0.000277778 GPU h lost
              GPUs in service 88.89 %; useful share of run time (ETTR) 0.9375
  $ cat out/outages.csv
  gpus,jobs,jobs_hit,faults,drains,run_time,mean_time_to_fault,lost_gpu_seconds,ettr
  1,2,1,1,0,16,16,1,0.9375
  $ grep -oE '"(jobs_hit|faults|fault_lost_gpu_seconds|lost_gpu_seconds|ettr|availability)": [^}]*' out/summary.json
  "lost_gpu_seconds": 1,
  "jobs_hit": 1,
  "faults": 1,
  "fault_lost_gpu_seconds": 1,
  "ettr": 0.9375,
  "availability": 0.8888888888888888
  "lost_gpu_seconds": "GPU s",
  "jobs_hit": "1",
  "faults": "1",
  "fault_lost_gpu_seconds": "GPU s",
  "ettr": "1",
  "availability": "1"
  $ grep gpus_out out/series.csv | head -n 7
  0,gpus_out,,0
  1,gpus_out,,0
  2,gpus_out,,0
  3,gpus_out,,0
  4,gpus_out,,1
  5,gpus_out,,1
  6,gpus_out,,0

# run-events-kept
The directory of a run keeps the file: it is checked and repeated from anywhere.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out >/dev/null
  $ cmp e.csv out/events.csv && rm e.csv && mkdir away && mv out away
  $ horus verify away/out | tail -n 1
  25 checks passed
  $ horus rerun away/out | grep -e events -e manifest
  events.csv      ec66798e78912934  same
  manifest.json   -                 same

# run-events-dates
Dates are of the trace's clock; the rows may be in any order.

  $ printf 'job_id,submit_time,gpus,duration\na,2020-04-01 00:00:00,1,10\n' >t.csv
  $ printf 'event,time,node\nup,2020-04-01 00:00:06,all\ndown,2020-04-01 00:00:04,100%%\n' >e.csv
  $ horus run t.csv -c 2x1 --events e.csv -q -o out >/dev/null
  $ cut -d, -f1,2,3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,4,fault
  a,6,16,finish

# run-events-rack
A rack fails as a whole; all nodes do, then a third of them, which is the first one.

  $ printf '{"racks": [{"nodes": [{"count": 1, "gpus": 2}]}, {"nodes": [{"count": 2, "gpus": 2}]}]}' >c.json
  $ printf 'job_id,submit_time,gpus,duration\na,0,6,10\n' >t.csv
  $ printf 'time,node,event\n4,rack:1,down\n5,n1,up\n7s,n2,up\n' >e.csv
  $ horus run t.csv -c c.json --events e.csv -q -o out >/dev/null
  $ cut -d, -f1,2,3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,4,fault
  a,7,17,finish
  $ horus verify out | tail -n 1
  25 checks passed
  $ printf 'time,node,event\n4,all,down\n5,all,up\n9,34%%,down\n10,n0,up\n' >e.csv
  $ horus run t.csv -c c.json --events e.csv -q -o all >/dev/null
  $ cut -d, -f1,2,3,7 all/segments.csv; horus verify all | tail -n 1
  job_id,start,end,ended_by
  a,0,4,fault
  a,5,9,fault
  a,10,20,finish
  25 checks passed

# run-events-bad
Impossible events, and rows that are no event, are refused at their place.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,down\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:3: error: node 'n0': the node is down already
  !       = hint: events of a node follow each other: down, up, drain, up, ...
  [3]
  $ printf 'time,node,event\n4,n7,down\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:2:3: error: the cluster has no such node
  !     2 | 4,n7,down
  !       |   ^~
  !       = hint: a node's name as in nodes.csv, rack:0, 10% or all
  [3]
  $ printf 'time,node,event\n4,n0,explode\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:2:6: error: this is no event of a machine
  !     2 | 4,n0,explode
  !       |      ^~~~~~~
  !       = hint: down, up, drain, cordon, add, remove or slow
  [3]
  $ printf 'time,node,event,value\n4,n0,slow,2\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:2:11: error: slow needs a value above 0, at most 1
  !     2 | 4,n0,slow,2
  !       |           ^
  !       = hint: slow,0.5: half the speed
  [3]
  $ printf 'time,node,event\nsoon,n0,down\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:2:1: error: time is not a time: 'soon'
  !     2 | soon,n0,down
  !       | ^~~~
  !       = hint: 90min or 2h after the first submission, or YYYY-MM-DD HH:MM:SS
  [3]
  $ printf 'time,node,event\n1,n0,down\n2020-01-01,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:3:1: error: times after the first submission and dates in one file
  !     3 | 2020-01-01,n0,up
  !       | ^~~~~~~~~~
  [3]
  $ printf 'time,node\n1,n0\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv -q -o out
  ! e.csv:1:1: error: missing column 'event'
  !     1 | time,node
  !       | ^~~~
  !       = hint: the columns are time, node, event and, for slow, value
  [3]

# run-faults-bad
Failures by draw need a rate and a time to repair, and no file besides.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n' >e.csv
  $ horus run t.csv -c 1x1 --faults mtbf=1d -q -o out
  ! error: faults need mtbf or rack_mtbf, and repair
  !       = hint: --faults=mtbf=30d,repair=4h
  [2]
  $ horus run t.csv -c 1x1 --faults mtbf=1d,repair=1h,forever=1 -q -o out
  ! error: faults: unknown parameter 'forever'
  !       = hint: the parameters are mtbf, rack_mtbf, repair, shape
  [2]
  $ horus run t.csv -c 1x1 --faults mtbf=1d,repair=1h --events e.csv -q -o out
  ! error: both --events and --faults
  !       = hint: leave one out
  [2]

# run-faults-without-checkpoints
A job that is longer than nodes live would run for ever.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ horus run t.csv -c 1x1 --faults mtbf=10d,repair=1h -q -o out >/dev/null
  ! warning: jobs without checkpoints start again after each failure: long ones may never end
  !       = hint: --checkpoint-cost=1min or --checkpoint-interval=1h, or --until

# run-faults
The same seed, the same failures; verify compares the run with its rows.

  $ horus run traces/sample.csv -c 8x8:V100 --faults=mtbf=1d,repair=2h,rack_mtbf=9d -p srtf \
  >     --max-jobs=300 --checkpoint-interval=10min --checkpoint-cost=10s -q -o a >/dev/null
  $ horus run traces/sample.csv -c 8x8:V100 --faults=mtbf=1d,repair=2h,rack_mtbf=9d -p srtf \
  >     --max-jobs=300 --checkpoint-interval=10min --checkpoint-cost=10s -q -o b >/dev/null
  $ cmp a/jobs.csv b/jobs.csv && cmp a/segments.csv b/segments.csv
  $ horus verify a | tail -n 1
  25 checks passed

# faults-bare-number
mtbf=10 is ten seconds: nodes would hardly ever be in service.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ horus run t.csv -c 1x1 --faults mtbf=10,repair=4h --checkpoint-interval=1h --until=1h -q -o out >/dev/null
  ! warning: nodes fail after 10 s in the mean, their repair takes 14400 s: most will be out of service
  !       = hint: a bare number is seconds
  ! warning: jobs not finished at the end of the simulation: 1

# run-young-daly
With a cost of checkpoints their interval follows from the failures, unless it is given as none or a time.

  $ horus run traces/sample.csv -c 8x8:V100 --faults mtbf=1d,repair=2h --max-jobs=300 --checkpoint-cost=10s \
  >     -o a | grep checkpoints
  checkpoints after each sqrt(2 x cost x mean time between failures of the job's nodes) of work
  $ horus verify a | tail -n 1
  25 checks passed
  $ horus run traces/sample.csv -c 8x8:V100 --faults mtbf=1d,repair=2h --max-jobs=300 --checkpoint-cost=10s \
  >     --checkpoint-interval=young-daly -q -o b >/dev/null
  $ cmp a/segments.csv b/segments.csv
  $ horus run traces/sample.csv -c 8x8:V100 --faults mtbf=1d,repair=2h --max-jobs=300 --checkpoint-cost=10s \
  >     --checkpoint-interval=10min -o c | grep checkpoints
  checkpoints after each 10min of work

# run-young-daly-needs
It needs the means of a law and a cost. Without a cost, and of --events, the default is none.

  $ horus run traces/sample.csv -c 8x8:V100 --checkpoint-interval=young-daly --checkpoint-cost=10s -q -o a
  ! error: --checkpoint-interval=young-daly needs the mean time between failures of --faults
  !       = hint: --checkpoint-interval=1h, or --faults
  [2]
  $ printf 'time,node,event\n4,n0,down\n' >e.csv
  $ horus run traces/sample.csv -c 8x8:V100 --events e.csv --checkpoint-interval=young-daly -q -o a
  ! error: --checkpoint-interval=young-daly needs the mean time between failures of --faults
  !       = hint: --checkpoint-interval=1h, or --faults
  [2]
  $ horus run traces/sample.csv -c 8x8:V100 --faults mtbf=1d,repair=2h --checkpoint-interval=young-daly -q -o a
  ! error: --checkpoint-interval=young-daly needs the cost of a checkpoint
  !       = hint: --checkpoint-cost=1min
  [2]
  $ horus run traces/sample.csv -c 8x8:V100 --events e.csv --checkpoint-cost=10s --max-jobs=9 -o a | grep checkpoints
  checkpoints none
  $ horus run traces/sample.csv -c 8x8:V100 --checkpoint-interval=often -q -o b
  ! error: an interval of checkpoints is young-daly, none, auto or a time of at most 100 years, not 'often'
  !       = hint: --checkpoint-interval=1h
  [2]

# events-never-back
Job a needs the node that failed. A run ends there, also under a policy whose timer always returns.

  $ printf 'job_id,submit_time,gpus,duration\na,0,2,1000\nb,0,1,1000\n' >t.csv
  $ printf 'time,node,event\n100,n1,down\n' >e.csv
  $ for p in fifo gavel optimus philly; do
  >     horus run t.csv -c 2x1 -p $p --events e.csv -q -o $p >/dev/null
  >     grep -c unfinished $p/jobs.csv; horus verify $p | tail -n 1
  > done
  1
  25 checks passed
  1
  25 checks passed
  0
  24 checks passed
  1
  25 checks passed
  ! warning: jobs not finished at the end of the simulation: 1
  ! warning: jobs not finished at the end of the simulation: 1
  ! warning: jobs not finished at the end of the simulation: 1

# run-events-order
Events that cannot follow one another on a node are refused. And a on n0, of half speed from 10 to 40, has
done 10 + 15 + 10 s when n0 is removed at 50; it starts again when n0 is back at 60.

  $ printf 'job_id,submit_time,duration,gpus\na,0,100,4\nb,0,30,4\nc,5,60,4\n' >t.csv
  $ with() { printf '%s\n' time,node,event,value "$@" >e.csv; horus run t.csv -c 2x4 --events e.csv -q -o out; }
  $ with 10,n0,drain, 20,n0,cordon,
  ! e.csv:3: error: node 'n0': the node is cordoned or drained already
  !       = hint: events of a node follow each other: down, up, drain, up, ...
  [3]
  $ with 10,n0,up,
  ! e.csv:2: error: node 'n0': the node is up already
  !       = hint: events of a node follow each other: down, up, drain, up, ...
  [3]
  $ with 10,n0,down, 20,n0,add,
  ! e.csv:3: error: node 'n0': the node is in the cluster already
  !       = hint: events of a node follow each other: down, up, drain, up, ...
  [3]
  $ with 10,n0,remove, 20,n0,down,
  ! e.csv:3: error: node 'n0': the node is not in the cluster at that time
  !       = hint: events of a node follow each other: down, up, drain, up, ...
  [3]
  $ with 10,n0,slow,0.5 40,n0,up, 50,n0,remove, 60,n0,add, >/dev/null
  $ cut -d, -f1-5,7 out/segments.csv; horus verify out | tail -n 1
  job_id,start,end,allocated_resources,mean_rate,ended_by
  b,0,30,4-7,1,finish
  a,0,50,0-3,0.7,fault
  c,30,90,4-7,1,finish
  a,60,160,0-3,1,finish
  25 checks passed

A node that is cordoned is drained as its maintenance begins. b, the shortest, has n0; a gives n1 to c at 5. b leaves n0 at 20 with 10 s
left, and takes n1 from c, which has 45. n0 is back at 60: a has 95.

  $ printf '%s\n' time,node,event 10,n0,cordon 20,n0,drain 60,n0,up >e.csv
  $ horus run t.csv -c 2x4 -p srtf --events e.csv -q -f -o out >/dev/null
  $ cut -d, -f1-5,7 out/segments.csv; horus verify out | tail -n 1
  job_id,start,end,allocated_resources,mean_rate,ended_by
  a,0,5,4-7,1,preempt
  b,0,20,0-3,1,drain
  c,5,20,4-7,1,preempt
  b,20,30,4-7,1,finish
  c,30,75,4-7,1,finish
  a,60,155,0-3,1,finish
  25 checks passed

# events-only-timers
With a node removed for ever, b waits only for the end of gavel's round, at 360.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,5,1,10\n' >t.csv
  $ printf 'time,node,event\n1,n1,down\n' >e.csv
  $ horus run t.csv -c 2x1 -p gavel --events e.csv -q -o out >/dev/null
  $ cut -d, -f1-3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,10,finish
  b,360,370,finish
