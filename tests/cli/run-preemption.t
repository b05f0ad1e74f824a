SPDX-License-Identifier: GPL-3.0-or-later

The cost of preemption.

# restart-table-bad
A table of restarts with a fault is an error with its line, also under a policy that does not read
it.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
  $ printf 'model,gpus,restart_s\nvgg16,1,7\nvgg16,two,8\n' >r.csv
  $ horus run t.csv -p fifo --restart-table r.csv
  ! r.csv:3:7: error: gpus is not a number of GPUs: 'two'
  !     3 | vgg16,two,8
  !       |       ^~~
  !       = hint: the size of the gang, at least 1
  [3]

# run-restart
The cost of a preemption by model. a is preempted at 10 and resumes at 30 with 90 s left. Restart: 8
s for vgg16 on 4 GPUs as shipped (Muri), 2.5 s by our table: ends at 128 and 122.5. Checkpoint: 528
MiB twice at 100 MiB/s are 10.56 s, at 200 MiB/s 5.28 s, and the restart's 8: 138.56, 133.28. The
table of restarts is an input of the run, under a policy that preempts. An option without effect
causes a note. Without a profile: 30 s by the table of gang sizes, 150.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,model
  > a,0,4,100,VGG-16
  > b,10,4,20,dqn
  > END
  $ printf 'model,checkpoint_mib\nvgg16,528\ndqn,\n' >p.csv
  $ printf 'model,gpus,restart_s,source\nvgg_16,1,2.5,ours\n*,1,1,ours\n' >r.csv
  $ assign=columns
  $ run() {
  >     echo "-- $*"
  >     horus run t.csv -c 1x4:V100 --profiles p.csv --assign $assign -o out --force "$@" 2>&1 |
  >         grep -E '^(preemption|note|warning|error)'
  >     awk -F, '$1 == "a" { print "a ends at " $9 ", overhead " $25 }' out/jobs.csv
  >     jq -r '.inputs[] | select(.role == "restarts") | .path' out/manifest.json
  > }
  $ run -p srtf:preempt_cost=restart
  -- -p srtf:preempt_cost=restart
  preemption  evict; cost restart
  a ends at 128, overhead 8
  builtin:restart.csv
  $ run -p srtf:preempt_cost=restart --restart-table r.csv
  -- -p srtf:preempt_cost=restart --restart-table r.csv
  preemption  evict; cost restart
  a ends at 122.5, overhead 2.5
  r.csv
  $ run -p srtf:preempt_cost=checkpoint
  -- -p srtf:preempt_cost=checkpoint
  preemption  evict; cost checkpoint
  a ends at 138.56, overhead 18.56
  builtin:restart.csv
  $ run -p srtf:preempt_cost=checkpoint --storage-bandwidth 200
  -- -p srtf:preempt_cost=checkpoint --storage-bandwidth 200
  preemption  evict; cost checkpoint
  a ends at 133.28, overhead 13.28
  builtin:restart.csv
  $ run -p srtf:preempt_cost=restart --storage-bandwidth 200
  -- -p srtf:preempt_cost=restart --storage-bandwidth 200
  note: storage_bandwidth has no effect: a preemption costs 'restart'
  preemption  evict; cost restart
  a ends at 128, overhead 8
  builtin:restart.csv
  $ run -p srtf --restart-table r.csv
  -- -p srtf --restart-table r.csv
  note: restart_table has no effect: a preemption costs 'free'
  preemption  evict; cost free
  a ends at 120, overhead 0
  r.csv
  $ run -p fifo --restart-table r.csv --storage-bandwidth 200
  -- -p fifo --restart-table r.csv --storage-bandwidth 200
  note: restart_table has no effect: fifo preempts no job
  note: storage_bandwidth has no effect: fifo preempts no job
  preemption  none; cost none
  a ends at 100, overhead 0
  r.csv
  $ run -p fifo
  -- -p fifo
  preemption  none; cost none
  a ends at 100, overhead 0
  $ assign=off
  $ run -p srtf:preempt_cost=checkpoint
  -- -p srtf:preempt_cost=checkpoint
  warning: 2 of 2 jobs have no profile, so the size of their checkpoints is not known: their preemptions cost as in cost_table
  preemption  evict; cost checkpoint
  a ends at 150, overhead 30
  builtin:restart.csv

# run-costs-above-work
More than half of the GPU time is overhead: a takes 10 + 20 s of one GPU, b 10 + 6 s of four. Overheads are
10 + 40 of 30 + 64 GPU seconds, 53 % (of the time of jobs alone 20 of 46 s). With 20 and 10 s they are 50 of
30 + 80, 45 %. A policy that takes a GPU from a (8 s) at 1 for b (1 s) causes 30 s of overhead for a: 30 of
39 s, 77 %.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,20\nb,0,4,6\n' >t.csv
  $ horus run t.csv -c 2x4 --startup=10s -q -o out >/dev/null
  ! warning: 53 % of the GPU time of jobs is overhead of starts, switches, preemptions and moves, not work
  !       = hint: longer quanta or rounds, fewer preemptions or a smaller cost help (parameters in 'horus policies NAME', and --startup)
  $ sed -i s/,4,6/,4,10/ t.csv
  $ horus run t.csv -c 2x4 --startup=10s -q -o less >/dev/null
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,8\nb,1,1,1\n' >t.csv
  $ horus run t.csv -c 1x1 -p srtf:preempt_cost=table,cost_table=30/30/30 -q -o evict 2>&1 >/dev/null | grep -o '^.*%'
  warning: 77 %

# run-edf
One GPU: 12 s are due by 14, c makes it 15. edf runs b 0-2, a 2-4, c 4-7, a 7-15: a is late. With admission
c is rejected at its submission, and no job is late but c, which never finishes.

  $ cat >jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,deadline
  > a,0,1,10,14
  > b,0,1,2,12
  > c,4,1,3,9
  > END
  $ horus run jobs.csv -c 1x1:V100 -p edf --assign=off -o out | sed -n 3,4p
  policy  mean JCT  mean wait  queueing  makespan  late  missed  SLO JCT  GPU alloc  p99 lateness
  edf        6.7 s      0.7 s     1.7 s    15.0 s     1  33.3 %    6.7 s    100.0 %         1.0 s
  $ cut -d, -f1,2,9 out/jobs.csv
  job_id,workload_name,finish_time
  b,jobs,2
  c,jobs,7
  a,jobs,15
  $ horus run jobs.csv -c 1x1:V100 -p edf:admission=reject --assign=off -o out2 | grep -E 'edf|rejected'
  policy                mean JCT  mean wait  makespan  rejected  late  missed  SLO JCT  GPU alloc
  edf:admission=reject     7.0 s      1.0 s    12.0 s         1     1  33.3 %    7.0 s    100.0 %
  rejected    1 of 3 jobs: its deadline cannot be met
  ! warning: job c rejected: its deadline cannot be met
  ! warning: 1 of 3 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  $ horus run jobs.csv -c 1x1:V100 -p fifo --assign=off -o out3 | sed -n 3,4p
  policy  mean JCT  mean wait  makespan  late  missed  SLO JCT  GPU alloc  p99 lateness  p99 JCT
  fifo      11.0 s      6.0 s    15.0 s     1  33.3 %   11.0 s    100.0 %         6.0 s   12.0 s
  ! warning: 3 of 3 jobs have a deadline: policy 'fifo' ignores it

# class-evict
Spot jobs are opportunistic (1x4): b gets notice at 10, and stops at 40. Without the parameter the run
reports that the column has no effect.

  $ printf 'job_id,submit_time,gpus,duration,class\na,0,2,100,spot\nb,1,2,100,opportunistic\ng,10,2,50,guaranteed\n' >jobs.csv
  $ horus run jobs.csv -c 1x4 -p fifo:class=evict -o out --assign=off --decisions | grep -E '^(order|preemption) '
  order       class, then submit; scan strict; placement consolidate; gang all or nothing
  preemption  by class; cost free
  $ cut -d, -f1,3,7,9 out/jobs.csv
  job_id,submission_time,starting_time,finish_time
  g,10,40,90
  a,0,0,100
  b,1,1,151
  $ grep preempt out/decisions.csv
  40,b,preempt,2,2-3,0,timer,jobs before it by class or priority get its GPUs
  $ horus run jobs.csv -c 1x4 -p fifo -o out2 --assign=off >/dev/null
  ! warning: 3 of 3 jobs have a class: policy 'fifo' ignores it
  !       = hint: its parameter class=order puts guaranteed jobs first

# class-refused
If no job is stopped, or by more than classes.

  $ horus run traces/sample.csv -c 4x8 -p fifo:class=evict,scan=easy -o out
  ! error: policy 'fifo': priority=preempt, class=evict and reclaim=yes need scan=strict or scan=fit
  [2]
  $ horus run traces/sample.csv -c 4x8 -p fifo:class=order,priority=preempt -o out
  ! error: policy 'fifo': classes come before priorities: with priority=preempt they need class=evict, or class=ignore
  [2]
  $ horus run traces/sample.csv -c 4x8 -p srtf:class=evict,form=replace -o out
  ! error: policy 'srtf': class and reclaim=yes need form=evict
  [2]
  $ horus run traces/sample.csv -c 4x8 -p edf:reclaim=yes,preempt=no -o out
  ! error: policy 'edf': reclaim=yes needs preempt=yes
  [2]
  $ horus run traces/sample.csv -c 1x4 -p fifo:grace=5s -o out 2>&1 | head -n 2
  warning: policy 'fifo': 'grace' has no effect: reclaim is no
        = hint: class=evict or reclaim=yes
