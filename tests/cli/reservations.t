SPDX-License-Identifier: GPL-3.0-or-later

Nodes for a user or a virtual cluster for some time (MODEL.md 14).

  $ cat >t.csv <<'END'
  > job_id,user,submit_time,duration,gpus
  > a,ann,0,100,4
  > b,bob,0,30,4
  > c,bob,5,60,4
  > d,ann,50,20,4
  > END
  $ cat >r.csv <<'END'
  > start,end,nodes,user,name
  > 40,90,1,ann,launch
  > END

# run-reservation
One node of two is reserved for ann from 40 to 90: n1, the last. At 30 c would run until 90, so it waits; d
is submitted at 50 and gets n1.

  $ horus run t.csv -c 2x4 -p fifo:scan=easy --reservations r.csv --decisions -q -o out >/dev/null
  $ cut -d, -f1-3,5,7- out/decisions.csv
  time,job_id,action,allocated_resources,trigger,because
  0,a,start,0-3,submit,"its turn: order submit, scan easy"
  0,b,start,4-7,submit,"its turn: order submit, scan easy"
  50,d,start,4-7,submit,on nodes reserved for it
  90,c,start,4-7,node,"its turn: order submit, scan easy"
  $ horus verify out | tail -n 1
  23 checks passed

# run-reservation-dates
The same on a trace with dates.

  $ sed -E 's/,(0|5|50),/,2020-04-01 10:00:\1,/; s/:([05]),/:0\1,/' t.csv >dates.csv
  $ printf 'start,end,gpus,user\n2020-04-01 10:00:40,2020-04-01 10:01:30,4,ann\n' >r2.csv
  $ for i in t r dates r2; do cat $i.csv; done | grep -c 2020
  5
  $ horus run t.csv -c 2x4 -p fifo:scan=easy --reservations r.csv -q -o one >/dev/null
  $ horus run dates.csv -c 2x4 -p fifo:scan=easy --reservations r2.csv -q -o two >/dev/null
  $ cut -d, -f1,9 one/jobs.csv >one.csv; cut -d, -f1,9 two/jobs.csv | cmp - one.csv

# reservation-input
Its file is an input of the run.

  $ horus run t.csv -c 2x4 -p fifo --reservations r.csv -q -o out >/dev/null
  $ jq -r '.inputs[] | select(.role == "reservations").path' out/manifest.json
  r.csv
  $ cmp r.csv out/reservations.csv && rm r.csv
  $ horus rerun out | tail -n 1
  manifest.json   -                 same

# reservation-faults
Each error at its place.

  $ try() { printf '%s\n' start,end,nodes,gpus,user,vc,name "$@" >b.csv
  >   horus run t.csv -c 2x4 -p fifo --reservations b.csv -q -o o; }
  $ try x,5,1,,ann,,
  ! b.csv:2:1: error: start is not a time: 'x'
  !     2 | x,5,1,,ann,,
  !       | ^
  !       = hint: 90min or 2h after the first submission, or YYYY-MM-DD HH:MM:SS
  [3]
  $ try 5,2020-01-01,1,,ann,,
  ! b.csv:2:3: error: times after the first submission and dates in one file
  !     2 | 5,2020-01-01,1,,ann,,
  !       |   ^~~~~~~~~~
  [3]
  $ try 10,5,1,,ann,,
  ! b.csv:2:4: error: the end is not after the start
  !     2 | 10,5,1,,ann,,
  !       |    ^
  [3]
  $ try 5,10,,,ann,,
  ! b.csv:2:6: error: give either nodes or gpus
  !     2 | 5,10,,,ann,,
  !       |      ^
  !       = hint: nodes: names or a number; gpus: a number that is whole nodes
  [3]
  $ try 5,10,1,8,ann,,
  ! b.csv:2:6: error: give either nodes or gpus
  !     2 | 5,10,1,8,ann,,
  !       |      ^
  !       = hint: nodes: names or a number; gpus: a number that is whole nodes
  [3]
  $ try 5,10,3,,ann,,
  ! b.csv:2:6: error: 3 nodes are more than the 2 that are not reserved at that time
  !     2 | 5,10,3,,ann,,
  !       |      ^
  [3]
  $ try 5,10,,6,ann,,
  ! b.csv:2:7: error: 6 GPUs are no whole number of nodes: 2 are left over
  !     2 | 5,10,,6,ann,,
  !       |       ^
  !       = hint: a reservation is of whole nodes
  [3]
  $ try 5,10,0,,ann,,
  ! b.csv:2:6: error: not a number of nodes: '0'
  !     2 | 5,10,0,,ann,,
  !       |      ^
  !       = hint: at least 1
  [3]
  $ try '5,10,n0 n7,,ann,,'
  ! b.csv:2:6: error: there is no node 'n7'
  !     2 | 5,10,n0 n7,,ann,,
  !       |      ^~~~~
  !       = hint: names of nodes with blanks between, or a number of nodes
  [3]
  $ try '5,10,n0 n0,,ann,,'
  ! b.csv:2:6: error: node 'n0' is named twice
  !     2 | 5,10,n0 n0,,ann,,
  !       |      ^~~~~
  [3]
  $ try 5,10,n1,,ann,,launch '8,12,n0 n1,,bob,,'
  ! b.csv:3:6: error: node 'n1' is reserved at that time by line 2, launch
  !     3 | 8,12,n0 n1,,bob,,
  !       |      ^~~~~
  [3]
  $ try 5,10,1,,ann,, 8,12,2,,bob,,
  ! b.csv:3:6: error: 2 nodes are more than the 1 that are not reserved at that time
  !     3 | 8,12,2,,bob,,
  !       |      ^
  [3]
  $ try 5,10,1,,,,
  ! b.csv:2:9: error: the reservation has no owner
  !     2 | 5,10,1,,,,
  !       |         ^
  !       = hint: a user, a virtual cluster, or both
  [3]
  $ try 5,10,1,,,a,
  ! b.csv:2:10: error: the run has no virtual clusters, so none is 'a'
  !     2 | 5,10,1,,,a,
  !       |          ^
  !       = hint: say --vc=partition or --vc=quota
  [3]
  $ try 5,10
  ! b.csv:2:5: error: 2 fields where the header has 7
  !     2 | 5,10
  !       |     ^
  !       = hint: a field without a value is empty, not left out
  [3]

# reservation-columns

  $ printf 'start,nodes,user\n' >b.csv
  $ horus run t.csv -c 2x4 -p fifo --reservations b.csv -q -o o
  ! b.csv:1:1: error: missing column 'end'
  !     1 | start,nodes,user
  !       | ^~~~~
  !       = hint: the columns are start, end, nodes or gpus, user, vc, name, and note for notes
  [3]

# reservation-vcs
Under a partition a reservation is of nodes of one virtual cluster.

  $ printf '{"vcs": {"a": 4, "b": 4}}\n' >vcs.json
  $ sed '1s/$/,vc/; 2,$s/$/,a/' t.csv >v.csv
  $ try() { printf '%s\n' start,end,nodes,user,vc "$@" >b.csv
  >   horus run v.csv -c 2x4 --vc=partition --vc-file=vcs.json -p fifo --reservations b.csv -q -o o; }
  $ try 5,10,1,ann,
  ! b.csv:2:12: error: the reservation names no virtual cluster
  !     2 | 5,10,1,ann,
  !       |            ^
  !       = hint: with --vc=partition a reservation is of nodes of one virtual cluster
  [3]
  $ try 5,10,1,ann,c
  ! b.csv:2:12: error: there is no virtual cluster 'c'
  !     2 | 5,10,1,ann,c
  !       |            ^
  [3]
  $ try 5,10,n1,ann,a
  ! b.csv:2:6: error: node 'n1' belongs to another virtual cluster than 'a'
  !     2 | 5,10,n1,ann,a
  !       |      ^~
  [3]
  $ try 5,10,2,ann,a
  ! b.csv:2:6: error: 2 nodes are more than the 1 that are not reserved at that time
  !     2 | 5,10,2,ann,a
  !       |      ^
  [3]

# reservation-unknown-user
Users are known when the trace has been read.

  $ printf 'start,end,nodes,user\n5,10,1,zed\n' >b.csv
  $ horus run t.csv -c 2x4 -p fifo --reservations b.csv -q -o o >/dev/null
  ! b.csv:2: warning: reserved for user 'zed', but no job of the run is of that user

# reservation-other-policy
Under srtf c has n1 at 40, when the window begins: it stops there, and takes n0 from a, which has more left;
d, which is ann's, gets n1. A policy that shares GPUs is refused.

  $ horus run t.csv -c 2x4 -p srtf --reservations r.csv --decisions -q -o out >/dev/null
  $ cut -d, -f1,2,3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,5,preempt
  b,0,30,finish
  c,5,40,drain
  a,30,40,preempt
  c,40,65,finish
  d,50,70,finish
  a,65,150,finish
  $ grep reserved out/decisions.csv
  50,d,start,4,4-7,0,submit,on nodes reserved for it
  $ horus verify out | tail -n 1
  23 checks passed
  $ sed -i s/^40/39/ out/reservations.csv
  $ horus verify out | grep -A 2 'FAIL.*reserved'
  FAIL  no job starts on nodes reserved for others: 7 segments, 1 do
          segments.csv:4: job c is on node n1 when line 2 begins
  ok    summary.json follows from the rows: 53 figures, 0 differences
  ! error: out: 2 of 23 checks failed
  $ horus run t.csv -c 2x4 -p gandiva --reservations r.csv -q -o o
  ! error: --reservations: policy 'gandiva', as it is set, shares GPUs, resizes jobs or sets nodes aside itself
  !       = hint: use a policy that gives each job its own whole GPUs, as many as it requests
  [2]

# reservation-locality
A gang on two nodes of 2 is slower if one of 4 would suffice (MODEL.md 4), whether that one is held or
reserved.

  $ printf '{"gpu_types": {"P100": {"mem_mib": 16384, "speed": 1}}, "nodes": [{"gpus": 4, "type": "P100"}, {"count": 2, "gpus": 2, "type": "P100"}]}\n' >c.json
  $ printf 'job_id,user,submit_time,duration,gpus,model\na,ann,0,1000,4,\nx,bob,0,100,4,ResNet50\n' >held.csv
  $ sed 2d held.csv >x.csv && printf 'start,end,nodes,user\n0,1000,n0,ann\n' >r.csv
  $ horus run held.csv -c c.json -p fifo:placement=best_fit -q -o held >/dev/null 2>&1
  $ horus run x.csv -c c.json -p fifo:placement=best_fit --reservations r.csv -q -o reserved >/dev/null 2>&1
  $ grep ^x held/segments.csv && diff <(grep ^x held/segments.csv) <(grep ^x reserved/segments.csv)
  x,0,114.949664,4-7,0.869945997,1,finish
  $ horus verify reserved | tail -n 1
  23 checks passed

# reservation-of-all-nodes
A job submitted while all nodes are reserved waits: gavel rejects only jobs that no type could ever hold.
Its rounds of 6 minutes begin at the submission of b; a, on reserved nodes, is not one of its jobs.

  $ printf 'job_id,user,submit_time,duration,gpus\na,ann,0,10,4\nb,bob,5,10,2\n' >t.csv
  $ printf 'start,end,nodes,user\n0,20,2,ann\n' >r.csv
  $ horus run t.csv -c 2x4:V100 -p gavel --reservations r.csv -q -o out >/dev/null
  $ cut -d, -f1-4 out/segments.csv
  job_id,start,end,allocated_resources
  a,0,10,0-3
  b,365,375,0-1

# reservation-fork
At 60 a has n0, d has n1, which is reserved for ann until 90, and c waits. Under srtf the engine puts d back
on n1, and the policy puts a, which has less left than c, back on n0: neither has a restart overhead. A
policy that shares GPUs cannot continue.

  $ sed s/^a,ann/a,cat/ t.csv >c.csv
  $ horus run c.csv -c 2x4 -p fifo:scan=easy --reservations r.csv --restart-cost 5s -q -o first --until 60s --snapshot moment >/dev/null 2>&1
  $ horus run --from moment -p srtf -q -o out >/dev/null
  $ cut -d, -f1-3,7 out/segments.csv
  job_id,start,end,ended_by
  b,0,30,finish
  a,0,60,fork
  d,50,60,fork
  d,60,70,finish
  a,60,100,finish
  c,90,150,finish
  $ horus verify out | tail -n 1
  23 checks passed
  $ horus run --from moment -p gandiva -q -o o
  ! error: --reservations: policy 'gandiva', as it is set, shares GPUs, resizes jobs or sets nodes aside itself
  !       = hint: use a policy that gives each job its own whole GPUs, as many as it requests
  [2]
