SPDX-License-Identifier: GPL-3.0-or-later

`horus explain`.

# explain-bad-decisions
A decisions.csv that cannot be read is refused before anything is printed: standard output is
complete or empty. A bad row of another job does not matter.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,20
  > b,0,1,10
  > END
  $ horus run t.csv -c 1x2 --decisions -q -o out >/dev/null
  $ cp out/decisions.csv whole
  $ for damage in s/^time,/when,/ '/,b,/s/^0,/soon,/'; do
  >     sed "$damage" whole >out/decisions.csv
  >     for job in a b; do
  >         for form in "" --json; do
  >             horus explain out --job "$job" $form >said
  >             echo "$job$form: exit $?, $(wc -c <said | sed 's/[1-9][0-9]*/some/') bytes" >&2
  >         done
  >     done
  > done
  ! out/decisions.csv:1:66: error: there is no column 'time'
  !     1 | when,job_id,action,gpus,allocated_resources,value,trigger,because
  !       |                                                                  ^
  ! a: exit 3, 0 bytes
  ! out/decisions.csv:1:66: error: there is no column 'time'
  !     1 | when,job_id,action,gpus,allocated_resources,value,trigger,because
  !       |                                                                  ^
  ! a--json: exit 3, 0 bytes
  ! out/decisions.csv:1:66: error: there is no column 'time'
  !     1 | when,job_id,action,gpus,allocated_resources,value,trigger,because
  !       |                                                                  ^
  ! b: exit 3, 0 bytes
  ! out/decisions.csv:1:66: error: there is no column 'time'
  !     1 | when,job_id,action,gpus,allocated_resources,value,trigger,because
  !       |                                                                  ^
  ! b--json: exit 3, 0 bytes
  ! a: exit 0, some bytes
  ! a--json: exit 0, some bytes
  ! out/decisions.csv:3:1: error: time is not a time in seconds
  !     3 | soon,b,start,1,1,0,submit,"its turn: order submit, scan strict"
  !       | ^~~~
  ! b: exit 3, 0 bytes
  ! out/decisions.csv:3:1: error: time is not a time in seconds
  !     3 | soon,b,start,1,1,0,submit,"its turn: order submit, scan strict"
  !       | ^~~~
  ! b--json: exit 3, 0 bytes

# explain-exact
Over all jobs the times by cause, times the requested GPUs, are the figures that the engine accumulates
while it simulates, also under policies that preempt, share or respect quotas. They agree to the
microsecond, because both are sums of integers. For each job they are its `queueing_delay`, and its stages
in a row are its time in the system.

  $ awk 'BEGIN { s = 5; print "job_id,submit_time,gpus,duration,vc,gpu_util"
  >     for (i = 0; i < 60; i++) {
  >         s = (s * 1103515245 + 12345) % 2147483648; t += int(s / 65536) % 60
  >         s = (s * 1103515245 + 12345) % 2147483648; g = int(s / 65536) % 6
  >         s = (s * 1103515245 + 12345) % 2147483648
  >         printf "%d,%d.25,%d,%d.125,%s,%d\n", i, t, g < 5 ? 2 ^ g : 3, int(s / 65536) % 600, \
  >             i % 3 ? "a" : "b", 20 + s % 70 } }' >t.csv
  $ printf '{"nodes": [{"count": 6, "gpus": 4, "type": "V100"}], "vcs": {"a": 16, "b": 16}}' >c.json
  $ for run in "ignore fifo" "quota fifo:scan=fit" "quota srtf:preempt_cost=7s" "ignore tiresias" \
  >     "ignore gandiva" "quota philly" "ignore colocate-fifo"; do
  >     horus run t.csv -c c.json --vc="${run% *}" -p "${run#* }" -q --force -o out >/dev/null
  >     for job in $(seq 0 59); do horus explain out --job "$job" --json; done >each
  >     jq -r '
  >         . as $job | (.waits | map(to_entries[]) | group_by(.key)[]
  >             | "\(.[0].key) \(map(.value * 1e6 | round) | add * $job.gpus)"),
  >         (if ([.waits[][]] | map(. * 1e6 | round) | add) != (.queueing_delay * 1e6 | round)
  >             then "queueing_delay of \(.job_id)" else empty end),
  >         (if ([.life[] | (.to * 1e6 | round) - (.from * 1e6 | round)] | add // 0)
  >             != ((.end_time - .submission_time) * 1e6 | round)
  >             then "life of \(.job_id)" else empty end)' each >sums
  >     jq -r '.metrics | ["resources", "placement", "quota", "priority", "constraint"][] as $cause
  >         | "\($cause) \(.["wait_\($cause)_gpu_seconds"] * 1e6 | round)"' out/summary.json |
  >         awk 'NR == FNR { if ($2 == "of") print; else sum[$1] += $2; next }
  >             { figure[$1] = $2 }
  >             END { figure["fragmentation"] = figure["placement"] - figure["constraint"]
  >                   delete figure["placement"]
  >                   for (cause in figure) { met += figure[cause] > 0
  >                       if (figure[cause] != sum[cause]) print cause, figure[cause], sum[cause] }
  >                   print met, "causes met, all equal unless listed" }' sums -
  > done
  4 causes met, all equal unless listed
  4 causes met, all equal unless listed
  4 causes met, all equal unless listed
  4 causes met, all equal unless listed
  3 causes met, all equal unless listed
  4 causes met, all equal unless listed
  4 causes met, all equal unless listed
  ! error: policy 'srtf': 'preempt_cost' must be free|table|job|restart|checkpoint, not '7s'

# explain-job
a holds both GPUs until b, which is shorter, takes them at 20 for 10 s: a waits 10 s for resources after a
preemption, has 3 s of restart overhead and ends at 113: 100 of work, 10 of waiting, 3 of overhead, slowdown
1.13. c is submitted at 25 and starts after both at 113: 88 s of resources.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,user,preempt_cost
  > a,0,2,100,ann,3
  > b,20,2,10,bob,3
  > c,25,2,200,bob,3
  > END
  $ horus run t.csv -c 1x2 -p srtf:preempt_cost=job -q --decisions -o out >/dev/null
  $ horus explain out --job a
  job a: 2 GPUs, user ann
  under srtf:preempt_cost=job: order remaining, scan fit

    submitted      0.0 s                 0 s  after the first job of the trace
    waited        10.0 s                10 s  without GPUs, in total
    ran          103.0 s               103 s  holding GPUs
    JCT          113.0 s               113 s  unknown
    slowdown        1.13  JCT / run time alone on the reference GPU

  why it waited again after the policy took it off its GPUs
    resources          10.0 s                10 s    8.8 %  ##

  while it held GPUs
    overhead            3.0 s                 3 s    2.7 %  #
    running           100.0 s               100 s   88.5 %  #####################

  timeline      after         for
         0.0 s      20.0 s  runs   GPUs 0-1, rate 1.000; preempt
        20.0 s      10.0 s  waits  resources
        30.0 s      83.0 s  runs   GPUs 0-1, rate 0.964; finish

  overtaken by 1 job submitted later and started while it waited
    b                   2 GPUs  after 20.0 s

  interruptions: 1 preemption, 0 suspensions or pauses, 0 migrations, 0 times out of memory

  decided       after  at a           action      because
         0.0 s  submit         start       its turn: order remaining, scan fit
        20.0 s  submit         preempt     has more left than jobs that get its GPUs
        30.0 s  finish         resume      its turn: order remaining, scan fit

    resources      insufficient resources: fewer GPUs were free than it requested
  $ horus explain out --job c --json
  {
    "job_id": "c",
    "policy": "srtf:preempt_cost=job",
    "user": "bob",
    "vc": "",
    "model": "",
    "profile_from": "",
    "status": "unknown",
    "gpus": 2,
    "gpu_share": 1,
    "submission_time": 25,
    "starting_time": 113,
    "end_time": 313,
    "isolated": 200,
    "queueing_delay": 88,
    "run": 200,
    "overhead": 0,
    "colocated": 0,
    "waits": {
      "first": {"resources": 88, "fragmentation": 0, "constraint": 0, "quota": 0, "priority": 0},
      "preempted": {"resources": 0, "fragmentation": 0, "constraint": 0, "quota": 0, "priority": 0},
      "failed": {"resources": 0, "fragmentation": 0, "constraint": 0, "quota": 0, "priority": 0}
    },
    "life": [
      {
        "from": 25,
        "to": 113,
        "waits": {"resources": 88, "fragmentation": 0, "constraint": 0, "quota": 0, "priority": 0},
        "for_gpus_out": 0,
        "for_gpus_reserved": 0
      },
      {
        "from": 113,
        "to": 313,
        "gpus": "0-1",
        "mean_rate": 1,
        "tenants": 1,
        "ended_by": "finish"
      }
    ],
    "heads_of_line": {
      "jobs": 2,
      "named": [
        {"job_id": "c", "seconds": 83},
        {"job_id": "a", "seconds": 5}
      ]
    },
    "overtaken_by": {
      "jobs": 0,
      "named": []
    },
    "gpus_held_before_by": {
      "jobs": 1,
      "named": [
        {"job_id": "a", "end_time": 113}
      ]
    },
    "beside": {
      "jobs": 0,
      "named": []
    },
    "decisions": [
      {"time": 113, "action": "start", "gpus": "0-1", "value": 0, "trigger": "finish", "because": "its turn: order remaining, scan fit"}
    ]
  }
  $ horus run t.csv -c 1x2 -p fifo -q -o plain >/dev/null
  $ horus explain plain --job b | tail -n 4

  `horus run --decisions` records the decisions of the policy about it.

    resources      insufficient resources: fewer GPUs were free than it requested

# explain-many-ranges
A gang gets every second GPU of 40, as jobs of one GPU that run on end hold the others: 20 ranges.
JSON lists all; the text is cut, and marks the cut.

  $ awk 'BEGIN { print "job_id,submit_time,gpus,duration"
  >     for (i = 0; i < 40; i++) printf "%d,0,1,%d\n", i, i % 2 ? 100 : 10
  >     print "gang,1,20,5" }' >t.csv
  $ horus run t.csv -c 1x40 -q -o out >/dev/null
  $ horus explain out --job gang --json | jq -r '.life[] | select(.gpus) | .gpus'
  0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38
  $ horus explain out --job gang | grep -o 'runs .*;'
  runs   GPUs 0 2 4 6 8 10 12 14 ..., rate 1.000;

# explain-no-job
A misspelt job; a run without its segments; a directory that is no run.

  $ printf 'job_id,submit_time,gpus,duration\njob-0815,0,1,10\n' >t.csv
  $ horus run t.csv -c 1x2 -q -o out >/dev/null
  $ horus explain out --job job-0851
  ! out: error: the run has no job 'job-0851'
  !       = hint: did you mean 'job-0815'?
  [3]
  $ horus run t.csv -c 1x2 -q --outputs=jobs -o few >/dev/null
  $ horus explain few
  ! few: error: nothing to explain: the run was made without segments.csv
  !       = hint: repeat the run with --outputs=all
  [3]
  $ horus explain .
  ! .: error: not a run itself: it holds 2 runs
  !       = hint: name one, such as ./few
  [3]

# explain-other-cluster
The cluster file is kept in the run's directory; there it was changed after the run: a job of a virtual cluster that no longer exists has no
pool in which its GPUs could be counted. The error names the first segment of such a job: b ends
first.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,vc
  > a,0,1,20,left
  > b,0,1,10,right
  > END
  $ echo '{"nodes": [{"count": 1, "gpus": 2, "type": "V100"}], "vcs": {"left": 1, "right": 1}}' >c.json
  $ horus run t.csv -c c.json --vc=quota -q -o out >/dev/null
  $ sed -i s/right/wrong/ c.json && horus explain out | head -n 1
  out: 2 jobs, 2 placements, 2 GPUs
  $ sed -i s/right/wrong/ out/cluster.json
  $ horus explain out
  ! out: warning: 'out/cluster.json' was changed after the run
  !       = hint: causes are found with the changed cluster
  ! out/segments.csv:2:1: error: job_id is not a job of a virtual cluster that the cluster has
  !     2 | b,0,10,1,1,1,finish
  !       | ^
  [3]

# explain-run
Two nodes of four. a and b (3 GPUs) leave one GPU free on each; c requests 2 from 20 on and gets them when b
ends at 60: 40 s of fragmentation. d requests 1 from 30 on and would fit, but c is before it: 30 s of
priority. e requests all 8 from 40 on and has them when a ends at 100: 60 s of resources. In GPU-hours 80,
30 and 480 / 3600; c's 80 GPU-s in [20, 60) of a run of 110 s.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,3,100
  > b,10,3,50
  > c,20,2,30
  > d,30,1,5
  > e,40,8,10
  > END
  $ horus run t.csv -c 2x4 -p fifo -q -o out >/dev/null
  $ horus explain out
  out: 5 jobs, 5 placements, 8 GPUs
  under fifo: order submit, scan strict

  GPU-hours of waiting (requested GPUs x time), by cause
    resources             0.133   81.4 %  ########################
    fragmentation         0.022   13.6 %  ####
    constraint            0.000    0.0 %
    quota                 0.000    0.0 %
    priority              0.008    5.1 %  ##
    all                   0.164

  GPUs requested by waiting jobs, mean of each twelfth of the run
          from      resources  fragmentation       priority         all
         0.0 s            0.0            0.0            0.0         0.0
         9.2 s            0.0            0.0            0.0         0.0
        18.3 s            0.0            1.6            0.0         1.6
        27.5 s            0.0            2.0            0.7         2.7
        36.7 s            5.1            2.0            1.0         8.1
        45.8 s            8.0            2.0            1.0        11.0
        55.0 s            8.0            1.1            0.5         9.6
        64.2 s            8.0            0.0            0.0         8.0
        73.3 s            8.0            0.0            0.0         8.0
        82.5 s            8.0            0.0            0.0         8.0
        91.7 s            7.3            0.0            0.0         7.3
       100.8 s            0.0            0.0            0.0         0.0

  longest waits
    job   GPUs   submitted      waited  why
    e        8      40.0 s      60.0 s  resources 100 %
    c        2      20.0 s      40.0 s  fragmentation 100 %
    d        1      30.0 s      30.0 s  priority 100 %
  `horus explain out --job e` explains one job.

    resources      insufficient resources: fewer GPUs were free than it requested
    fragmentation  enough GPUs were free, but not together on a node that could hold it
    priority       head-of-line blocking or lower priority: it would have fitted, but others were first
  $ horus explain out --json | jq -c '.gpu_seconds, (.intervals | length),
  >     (.longest[] | [.job_id, .queueing_delay, .first])'
  {"resources":480,"fragmentation":80,"constraint":0,"quota":0,"priority":30}
  12
  ["e",60,{"resources":60,"fragmentation":0,"constraint":0,"quota":0,"priority":0}]
  ["c",40,{"resources":0,"fragmentation":40,"constraint":0,"quota":0,"priority":0}]
  ["d",30,{"resources":0,"fragmentation":0,"constraint":0,"quota":0,"priority":30}]

# explain-shares
Causes of waiting of shares of GPUs. By hand: a and b leave 400 thousandths on each of two GPUs until 100. c
requests 500: 800 are left, but not on one GPU (fragmentation). d requests 900 (resources). e requests 300,
which would fit (priority: c is before it). The run accumulates these times while it simulates, explain
replays its rows.

  $ cat >t.csv <<'CSV'
  > job_id,submit_time,duration,gpus
  > a,0,100,0.6
  > b,0,100,0.6
  > c,0,10,0.5
  > d,0,10,0.9
  > e,0,10,0.3
  > CSV
  $ horus run t.csv -c 1x2:V100 -p fifo --assign=off -o out >/dev/null
  $ grep -e '"wait_[a-z]*_gpu_seconds": [0-9]' out/summary.json
      "wait_resources_gpu_seconds": 100,
      "wait_placement_gpu_seconds": 100,
      "wait_quota_gpu_seconds": 0,
      "wait_priority_gpu_seconds": 100,
      "wait_constraint_gpu_seconds": 0,
  $ horus explain out
  out: 5 jobs, 5 placements, 2 GPUs
  under fifo: order submit, scan strict

  GPU-hours of waiting (requested GPUs x time), by cause
    resources             0.028   33.3 %  ##########
    fragmentation         0.028   33.3 %  ##########
    constraint            0.000    0.0 %
    quota                 0.000    0.0 %
    priority              0.028   33.3 %  ##########
    all                   0.083

  GPUs requested by waiting jobs, mean of each twelfth of the run
          from      resources  fragmentation       priority         all
         0.0 s            1.0            1.0            1.0         3.0
         9.2 s            1.0            1.0            1.0         3.0
        18.3 s            1.0            1.0            1.0         3.0
        27.5 s            1.0            1.0            1.0         3.0
        36.7 s            1.0            1.0            1.0         3.0
        45.8 s            1.0            1.0            1.0         3.0
        55.0 s            1.0            1.0            1.0         3.0
        64.2 s            1.0            1.0            1.0         3.0
        73.3 s            1.0            1.0            1.0         3.0
        82.5 s            1.0            1.0            1.0         3.0
        91.7 s            0.9            0.9            0.9         2.7
       100.8 s            0.0            0.0            0.0         0.0

  longest waits
    job   GPUs   submitted      waited  why
    c        1       0.0 s     100.0 s  fragmentation 100 %
    d        1       0.0 s     100.0 s  resources 100 %
    e        1       0.0 s     100.0 s  priority 100 %
  `horus explain out --job c` explains one job.

    resources      insufficient resources: fewer GPUs were free than it requested
    fragmentation  enough GPUs were free, but not together on a node that could hold it
    priority       head-of-line blocking or lower priority: it would have fitted, but others were first
  $ horus explain out --job d | head -8
  job d: 0.900 of 1 GPU
  under fifo: order submit, scan strict

    submitted      0.0 s                 0 s  after the first job of the trace
    waited       100.0 s               100 s  without GPUs, in total
    ran           10.0 s                10 s  holding GPUs
    JCT          110.0 s               110 s  unknown
    slowdown       11.00  JCT / run time alone on the reference GPU
  $ horus explain out --job d --json | head -13
  {
    "job_id": "d",
    "policy": "fifo",
    "user": "",
    "vc": "",
    "model": "",
    "profile_from": "",
    "status": "unknown",
    "gpus": 1,
    "gpu_share": 0.9,
    "submission_time": 0,
    "starting_time": 100,
    "end_time": 110,

# explain-tampered
Files that were changed after the run: a warning, and an error if they contradict each other.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,0,1,20\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o out >/dev/null
  $ sed -i 's/^b,10,30,/b,11,30,/' out/segments.csv
  $ horus explain out
  ! out/segments.csv: warning: not the file that the manifest lists: it was changed after the run
  !       = hint: `horus verify` checks the run
  ! out: error: jobs.csv and segments.csv contradict each other about job 'b'
  !       = hint: `horus verify` checks the run
  [3]

# explain-by-nothing
Jobs of no length: no GPU time, so no share of it.

  $ printf 'job_id,submit_time,gpus,duration,user\na,0,1,0,ann\n' >t.csv
  $ horus run t.csv -c 1x4 -q -o out >/dev/null; horus explain out --by=user | cut -c1-64
  user                         jobs   GPU-hours    share   mean wa
  ann                             1         0.0        -       0.0

# explain-by-names
Columns of a terminal, not bytes: 李雷 fills four, björn five; a long name is not cut.

  $ printf 'job_id,submit_time,gpus,duration,user\n' >t.csv
  $ for user in 李雷 björn ann team-of-large-language-models-a; do echo "$user,0,1,3600,$user" >>t.csv; done
  $ horus run t.csv -c 1x4 -q -o out >/dev/null; horus explain out --by=user | sed 's/ %.*//'
  user                         jobs   GPU-hours    share   mean wait    p50 wait    p95 wait    p99 wait    mean JCT
  ann                             1         1.0   25.0
  bj\xc3\xb6rn                           1         1.0   25.0 (esc)
  team-of-large-language-models-a         1         1.0   25.0
  \xe6\x9d\x8e\xe9\x9b\xb7                            1         1.0   25.0 (esc)

  Jain's index 1.0000: 1 = all wait in proportion to their GPU time

# explain-by
Shares of users. a holds 2 GPUs from 0 to 10, b and c one from 10 on, e never fits: 25 of 40 GPU seconds are
ann's. b waits 10 s of 15 and is late, a is not. Jain's index: ann needs 25 GPU seconds of the 2 x 10 + 15
during which her jobs are in the system, bob 15 of 25: (.7143 + .6)^2 / (2 (.7143^2 + .6^2)) = .9925.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,user,vc,status,deadline
  > a,0,2,10,ann,x,completed,20
  > b,0,1,5,ann,x,failed,12
  > c,0,1,15,bob,y,completed,
  > e,0,9,1,bob,,completed,
  > END
  $ horus run t.csv -c 1x2 -q --outputs=all,teams -o out >/dev/null 2>&1
  $ horus explain out --by=user
  user                         jobs   GPU-hours    share   mean wait    p50 wait    p95 wait    p99 wait    mean JCT  late
  ann                             2         0.0   62.5 %       5.0 s       0.0 s      10.0 s      10.0 s      12.5 s     1 of 2
  bob                             2         0.0   37.5 %      10.0 s      10.0 s      10.0 s      10.0 s      25.0 s     0 of 0

  Jain's index 0.9925: 1 = all wait in proportion to their GPU time
  $ horus explain out --by=state
  state                        jobs   GPU-hours    share   mean wait    p50 wait    p95 wait    p99 wait    mean JCT  late
  completed                       2         0.0   87.5 %       5.0 s       0.0 s      10.0 s      10.0 s      17.5 s     0 of 1
  failed                          1         0.0   12.5 %      10.0 s      10.0 s      10.0 s      10.0 s      15.0 s     1 of 1
  rejected                        1         0.0    0.0 %           -           -           -           -           -     0 of 0

  Jain's index 0.8621: 1 = all wait in proportion to their GPU time
  $ cat out/users.csv
  name,jobs,done,gpu_seconds,share,mean_wait,p50_wait,p95_wait,p99_wait,mean_jct,deadlines,deadline_misses
  ann,2,2,25,0.625,5,0,10,10,12.5,2,1
  bob,2,1,15,0.375,10,10,10,10,25,0,0
  $ horus explain out --by=vc --csv | cmp - out/vcs.csv && echo "the same"
  the same
  $ horus explain out --by=gpus --json | jq -c '.of[] | [.name, .jobs, .gpu_seconds, .p95_wait]'
  ["1",2,20,10]
  ["2-4",1,20,0]
  ["9-16",1,0,null]
  $ horus verify out | tail -n 1; horus rerun out | grep csv
  25 checks passed
  jobs.csv        33c90cd8bcd6aa28  same
  segments.csv    c34cb7b6deb46c1d  same
  series.csv      c6854f78e34297d8  same
  nodes.csv       4737146862d271b4  same
  deadlines.csv   e8133fbf5207de5e  same
  summary.csv     f518b71839f77689  same
  vcs.csv         a0da79c66ef87f95  same
  users.csv       686ebc68dcb23388  same
  $ horus explain out --by=user --job a
  ! error: explain: both --job and --by
  !       = hint: leave one out
  [2]
  $ horus explain out --csv
  ! error: explain: --csv is for --by
  !       = hint: --by=user --csv
  [2]

  $ printf 'job_id,submit_time,gpus,duration,owner\na,0,1,10,ann\n' >t.csv; horus run t.csv -c 1x2 -q -o nobody >/dev/null
  $ horus explain nobody --by=user | tail -n 1
  no job has one: run with --map=user=COLUMN to read a column of another name

# explain-machines
The failure that stopped a job, and the causes of its wait after that: n0 until 6 s, behind b, which was
queued before the job returned to the queue; from 6 on b.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv --checkpoint-interval=3s -q -o out >/dev/null
  $ horus explain out --job a | sed -n '/^why it waited again/,/^overtaken/p'
  why it waited again after a failure, a drain or running out of GPU memory
    resources           7.0 s                 7 s   38.9 %  #########

  while it held GPUs
    running            11.0 s                11 s   61.1 %  ###############

  timeline      after         for
         0.0 s       4.0 s  runs   GPU 0, rate 1.000; fault: node n0, down
         4.0 s       7.0 s  waits  resources; 29 % for GPUs out of service
        11.0 s       7.0 s  runs   GPU 0, rate 1.000; finish

  head of the queue meanwhile: the first submitted of the jobs that did not fit
    a                   1 GPU   for 5.0 s, waits for resources  (the job itself)
    b                   1 GPU   for 2.0 s, waits for resources

  overtaken by 1 job submitted later and started while it waited
  $ horus explain out --job a --json | jq -c '.life[0:2], .heads_of_line'
  [{"from":0,"to":4,"gpus":"0","mean_rate":1,"tenants":1,"ended_by":"fault","stopped_by":{"node":"n0","event":"down"}},{"from":4,"to":11,"waits":{"resources":7,"fragmentation":0,"constraint":0,"quota":0,"priority":0},"for_gpus_out":2,"for_gpus_reserved":0}]
  {"jobs":2,"named":[{"job_id":"a","seconds":5},{"job_id":"b","seconds":2}]}

# explain-reservation
c could start at 30 s on n1, which is reserved for ann from 40 s on: from 30 to 50 s and from 70 to 90 s it
waits because of that, before and between because of the running jobs.

  $ printf '%s\n' job_id,user,submit_time,duration,gpus a,ann,0,100,4 b,bob,0,30,4 c,bob,5,60,4 d,ann,50,20,4 >t.csv
  $ printf 'start,end,nodes,user,name\n40,90,1,ann,launch\n' >r.csv
  $ horus run t.csv -c 2x4 -p fifo:scan=easy --reservations r.csv -q -o out >/dev/null
  $ horus explain out --job c | grep reserved
         0.0 s      85.0 s  waits  resources 88 %, priority 12 %; 47 % for reserved GPUs (line 2: launch, for ann)
  $ horus explain out --job c --json | jq .life[0].for_gpus_reserved
  40

# explain-blocker
Under a strict order one job without room blocks those behind it: w requests 4 GPUs of which 2 are free
until 20 s.

  $ printf 'job_id,submit_time,gpus,duration\nlong,0,2,20\nw,1,4,10\nsmall,2,1,5\n' >t.csv
  $ horus run t.csv -c 1x4 -q -o out >/dev/null
  $ horus explain out --job small | grep -A 2 'head of'
  head of the queue meanwhile: the first submitted of the jobs that did not fit
    w                   4 GPUs  for 18.0 s, waits for resources
    small               1 GPU   for 10.0 s, waits for resources  (the job itself)

# explain-exact-machines
The causes agree with the figures of the engine, with nodes out of service and reserved.

  $ printf 'time,node,event\n1000,n1,down\n9000,n1,up\n2000,n2,drain\n30000,n2,up\n500,n3,add\n60000,n4,cordon\n' >e.csv
  $ printf 'start,end,nodes,user\n1000,20000,n5 n6,u01\n4000,90000,1,u02\n' >r.csv
  $ for by in --events=e.csv --faults=mtbf=1d,repair=2h --reservations=r.csv; do
  >     horus run traces/sample.csv -c 8x8:V100 $by -p fifo:scan=easy --max-jobs=500 --until=40d -q -f -o out >/dev/null
  >     horus explain out --json | jq -c '[.gpu_seconds[]]' >said
  >     jq -c '.metrics | [.wait_resources_gpu_seconds, .wait_placement_gpu_seconds - .wait_constraint_gpu_seconds,
  >         .wait_constraint_gpu_seconds, .wait_quota_gpu_seconds, .wait_priority_gpu_seconds]' out/summary.json |
  >         jq -c --slurpfile s said 'map(. * 1e6 | round) == ($s[0] | map(. * 1e6 | round))'; done
  true
  true
  true

# explain-a-long-life
k129 has 20 placements, 19 waits between them and a decision at the start of each: 14 + 6 of the 39 lines
are shown, and 24 of the decisions. All ten jobs that waited longest waited mostly after preemptions.

  $ horus run traces/sample-classes.csv -c 3x8:V100 -p tiresias:queue_limits=300/1000/5000/20000 --locality=none --max-jobs 250 --decisions -q -o out >/dev/null 2>&1
  $ grep -c ^k129, out/segments.csv; grep -c ,k129, out/decisions.csv
  20
  39
  $ horus explain out --job k129 | grep -o '[0-9]* more .*'
  19 more such lines
  15 more are in decisions.csv
  $ horus explain out | grep -c 'after preemptions'
  10

# explain-beside-others

  $ horus run traces/sample.csv -c 2x4:V100 -p gandiva --max-jobs 60 --decisions -q -o out >/dev/null 2>&1
  $ job=$(awk -F, '$6 == 2 {print $1; exit}' out/segments.csv)
  $ horus explain out --job $job | grep -o 'beside others\|up to . jobs on one' | sort -u
  beside others
  up to 2 jobs on one
