SPDX-License-Identifier: GPL-3.0-or-later

Virtual clusters and their quotas.

# run-borrowed-quota
A quota that may be exceeded: b, quota 2, holds all 4 GPUs from 0 to 100 s, because a has no job; under fifo
its gang would be rejected. a's gang of 2 is tried at 50 and 170 s.

  $ printf '{"vcs": {"a": 2, "b": 2}}\n' >vcs.json
  $ printf 'job_id,submit_time,gpus,duration,vc\nj1,0,4,100,b\nj2,50,2,10,a\n' >jobs.csv
  $ horus run jobs.csv -c 1x4 --vc quota --vc-file vcs.json -p philly:fair_preempt=0 -o out \
  >     --assign=off | grep -E '^(order|preemption|knows|vc) '
  order       submit, virtual clusters by use of quota; scan fit, each job by retries; placement locality levels; gang all or nothing
  preemption  none; cost none
  knows       nothing; may: set timers, borrow quota
  vc          quota: shared nodes, a GPU quota each, which may be exceeded
  $ cut -d, -f1,3,7,9 out/jobs.csv
  job_id,submission_time,starting_time,finish_time
  j1,0,0,100
  j2,50,170,180
  $ horus verify out | tail -n 1
  22 checks passed

# validate-no-vc
A job without a virtual cluster on a cluster that has them: the run behaves as `trace validate` announces.

  $ printf 'job_id,submit_time,gpus,duration,vc\n0,0,2,10,a\n1,1,2,10,\n' >t.csv
  $ printf '{"nodes": [{"gpus": 8}], "vcs": {"a": 4}}' >c.json
  $ horus trace validate t.csv -c c.json --vc=quota | grep -A1 'never fit'
  1 jobs can never fit the cluster: a run rejects them
      line 3: job '1' names no VC
  $ horus run t.csv -c c.json --vc=quota -o o >out
  ! warning: job 1 rejected: it names no virtual cluster
  ! warning: 1 of 2 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them

# vc-file-other-day
The last row of a VC file belongs to a larger cluster than -c, an earlier row to a smaller one.

  $ cat >vcs.csv <<'END'
  > date,vcA,vcB,total
  > 2020-04-01,32,16,48
  > 2020-04-02,32,40,72
  > END
  $ horus run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.csv -o out
  ! vcs.csv:3: error: virtual cluster 'vcB' needs 40 GPUs, but only 32 are left of the cluster's 64
  !       = hint: the sizes change from day to day: --vc-date takes another row; --vc=quota assigns no nodes
  [3]
  $ horus run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.csv --vc-date=2020-04-01 -o out
  ! vcs.csv:2: error: the virtual clusters have 48 GPUs in all, the cluster 64: 2 nodes are left
  !       = hint: the sizes change from day to day: --vc-date takes another row; --vc=quota assigns no nodes
  [3]

# vc-file-without-vc
A VC file without --vc.

  $ horus run traces/sample.csv -c 8x8:V100 --vc-file=vcs.json -o out
  ! error: --vc-file and --vc-date have no effect with --vc=ignore
  !       = hint: say --vc=partition or --vc=quota
  [2]

# vc-no-such-date
A date that the file does not have.

  $ cat >vcs.csv <<'END'
  > date,vcA,vcB,total
  > 2020-04-01,32,32,64
  > 2020-04-02,24,40,64
  > END
  $ horus run traces/sample.csv -c 8x8:V100 --vc=quota --vc-file=vcs.csv --vc-date=2021-04-01 -o out
  ! vcs.csv: error: there is no row of 2021-04-01; the rows are 2020-04-01 to 2020-04-02
  [3]

# vc-none-in-shape
A shape has no virtual clusters.

  $ horus run traces/sample.csv -c 8x8:V100 --vc=partition -o out
  ! error: the cluster has no virtual clusters
  !       = hint: add "vcs": {"name": gpus} to the cluster's JSON, or give a file of VCs
  [2]

# vc-too-large
Virtual clusters with more GPUs than the cluster.

  $ echo '{"vcs": {"vcA": 64, "vcB": 64}}' >vcs.json
  $ horus run traces/sample.csv -c 8x8:V100 --vc=partition --vc-file=vcs.json -o out
  ! vcs.json:1:28: error: virtual cluster 'vcB' needs 64 GPUs, but only 0 are left of the cluster's 64
  !     1 | {"vcs": {"vcA": 64, "vcB": 64}}
  !       |                            ^~
  [3]

# cohorts
Quotas that are lent (1x8, 4 GPUs each): under fifo x holds all until its first job ends at 100. With
reclaim=yes b gets notice at 10, when y needs its quota back, and stops at 40, with 61 s left. y waits 30 s
and b 50 s for 4 GPUs of quota: 320 GPU seconds.

  $ printf '{"vcs": {"x": {"gpus": 4, "cohort": "c"}, "y": {"gpus": 4, "cohort": "c"}}}\n' >vcs.json
  $ printf 'job_id,submit_time,gpus,duration,vc\na,0,4,100,x\nb,1,4,100,x\ny,10,4,50,y\n' >jobs.csv
  $ horus run jobs.csv -c 1x8 --vc quota --vc-file vcs.json -p fifo:reclaim=yes -o out --assign=off \
  >     --decisions | grep -E '^(preemption|knows|vc) '
  preemption  reclaimed; cost free
  knows       nothing; may: preempt, set timers
  vc          quota: shared nodes, a GPU quota each, lent within cohorts
  $ cut -d, -f1,3,7,9 out/jobs.csv
  job_id,submission_time,starting_time,finish_time
  y,10,40,90
  a,0,0,100
  b,1,1,151
  $ grep preempt out/decisions.csv
  40,b,preempt,4,4-7,0,timer,the quota that it borrows is taken back
  $ horus verify out | tail -n 1
  22 checks passed
  $ horus explain out --json | jq -c '.gpu_seconds'
  {"resources":0,"fragmentation":0,"constraint":0,"quota":320,"priority":0}

# cohorts-not-known
A policy of fixed quotas, and reclaim if nothing is lent.

  $ printf '{"vcs": {"x": {"gpus": 4, "cohort": "c"}}}\n' >vcs.json
  $ horus run traces/sample.csv -c 1x8 --vc quota --vc-file vcs.json -p synergy -o out
  ! error: policy 'synergy': rounds are of fixed quotas: not with cohorts
  [2]
  $ horus run traces/sample.csv -c 1x8 -p fifo:reclaim=yes -o out
  ! error: policy 'fifo': reclaim=yes needs --vc=quota and virtual clusters in cohorts
  [2]

# cohorts-wrong
Limits and names of cohorts; a cohort in itself.

  $ cat >vcs.json <<'END'
  > {"vcs": {"x": {"gpus": 4, "cohort": "lab", "lending_limit": 5},
  >          "y": {"gpus": 4, "borrowing_limit": 1},
  >          "z": {"cohort": "lap"}},
  >  "cohorts": {"lab": {"cohort": "all"}, "all": {"cohort": "lab"}}}
  > END
  $ horus run traces/sample.csv -c 1x8 --vc quota --vc-file vcs.json -o out
  ! vcs.json:4:21: error: cohort 'lab' is in itself
  !     4 |  "cohorts": {"lab": {"cohort": "all"}, "all": {"cohort": "lab"}}}
  !       |                     ^
  ! vcs.json:1:61: error: 'x' has 4 GPUs and lends at most that, not 5
  !     1 | {"vcs": {"x": {"gpus": 4, "cohort": "lab", "lending_limit": 5},
  !       |                                                             ^
  ! vcs.json:2:46: error: "borrowing_limit" of 'y', which is in no cohort
  !     2 |          "y": {"gpus": 4, "borrowing_limit": 1},
  !       |                                              ^
  !       = hint: add "cohort": its name
  ! vcs.json:3:15: error: "gpus" of 'z' is missing
  !     3 |          "z": {"cohort": "lap"}},
  !       |               ^
  ! vcs.json:3:26: error: there is no cohort 'lap'
  !     3 |          "z": {"cohort": "lap"}},
  !       |                          ^~~~~
  !       = hint: add it to "cohorts"
  [3]
