SPDX-License-Identifier: GPL-3.0-or-later

`horus run`: its words, its files, the three jobs of a schedule by hand. A case without a trace of its own
uses this one. Strict FIFO on two nodes of 4: a 0-10, b 10-15, c 15-18.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,8,5
  > c,2,4,3
  > END

# manifest-parameters
The manifest lists every parameter of the policy in the order of its table, also those with their
defaults. Given to -p, they make the same run: the same hash of jobs.csv, the same parameters.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,1,8
  > c,2,1,2
  > END
  $ horus run t.csv -c 1x1 -p horus:w-mem=0.5,max_tenants=2 -q -o one >/dev/null
  $ horus policies horus --json | jq -r '.parameters[].key' >table
  $ jq -r '.policy_parameters | keys_unsorted[]' one/manifest.json | diff table -
  $ jq -c '.policy_parameters | {w_mem, max_tenants}' one/manifest.json
  {"w_mem":"0.5","max_tenants":"2"}
  $ all=$(jq -r '.policy_parameters | to_entries | map("\(.key)=\(.value)") | join(",")' one/manifest.json)
  $ horus run t.csv -c 1x1 -p "horus:$all" -q -o two >/dev/null
  $ for run in one two; do
  >     jq -c '[.policy_parameters, (.outputs[] | select(.name == "jobs.csv") | .xxh3_64)]' $run/manifest.json
  > done | uniq | wc -l
  1
  $ horus compare t.csv -c 1x1 -p fifo -p sjf:scan=fit -q -o both >/dev/null
  $ jq -c '.policies[] | [.policy, .policy_parameters]' both/manifest.json
  ["fifo",{"scan":"strict","placement":"consolidate","types":"any","pred":"oracle","pred_file":"","pred_sigma":"1","pred_unknown":"1h","pred_last":"0","priority":"ignore","ageing":"0s","class":"ignore","reclaim":"no","grace":"30s","preempt_cost":"free","cost_table":"7s/30s/60s"}]
  ["sjf:scan=fit",{"scan":"fit","placement":"consolidate","types":"any","pred":"oracle","pred_file":"","pred_sigma":"1","pred_unknown":"1h","pred_last":"0","priority":"ignore","ageing":"0s","class":"ignore","reclaim":"no","grace":"30s","preempt_cost":"free","cost_table":"7s/30s/60s"}]

# run-after-dashes
After -- every word is an operand.

  $ horus run -c 2x4 -q -o out -- t.csv >/dev/null
  $ ls out/manifest.json
  out/manifest.json

# run-alone
A trace alone: default cluster, policy and directory name.

  $ horus t.csv
  t.csv (csv) on 16x8:V100: 128 GPUs, 16 nodes

  policy  mean JCT  mean wait  makespan  GPU alloc  p99 JCT  p50 JCT  p99 wait  slowdown
  fifo       6.0 s      0.0 s    10.0 s      7.2 %   10.0 s    5.0 s     0.0 s      1.00

  order       submit; scan strict; placement consolidate; gang all or nothing
  preemption  none; cost none
  knows       nothing; may: nothing
  ties        submission, then trace row; equally good nodes: lowest id
  vc          ignored: one pool for all
  speeds      run times are those of V100
  locality    cross-type: a spread gang on V100 is slowed by the mean of other types
  sharing     none: jobs have their GPUs to themselves
  profiles    0 named, 0 by utilization, 0 assumed, 3 none (not drawn: nothing here depends on them)
  bound       makespan  >= 10 s, 100.0 % of 10 s
  bound       mean_wait >= 0 s, reached
  bound       mean_jct  >= 6 s, 100.0 % of 6 s
  files       results/t-fifo-????????????/ (glob)
  ! note: no cluster given: 16x8:V100 is taken
  !       = hint: -c SPEC names another

# run-any-order
Options may follow the operand, also with POSIXLY_CORRECT set; short ones may be bundled, long ones
abbreviated.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ POSIXLY_CORRECT=1 horus run t.csv -fq --polic=sjf --clust 2x4 -oout >/dev/null
  $ jq -r .assumptions.policy out/manifest.json
  sjf

# run-deadlines
One GPU: a runs 0-10 and is on time to the second, b runs 10-20 and is 1 s late, c never fits.

  $ printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,10,10 b,0,1,10,19 c,0,9,1,50 >jobs.csv
  $ horus run jobs.csv -c 1x1 -o out -q >/dev/null 2>&1
  $ grep -E '"deadline(s|_misses)": [0-9]' out/summary.json
      "deadlines": 3,
      "deadline_misses": 2,

# run-dry
Everything is checked, nothing is written.

  $ horus run t.csv -c 2x4 --dry-run -o out
  trace       t.csv (csv): 3 jobs of 3 rows, 58 bytes
  cluster     2x4: nodes 2, GPUs 8, GPU types 1, racks 1
  policy      fifo
  order       submit; scan strict; placement consolidate; gang all or nothing
  preemption  none; cost none
  knows       nothing; may: nothing
  ties        submission, then trace row; equally good nodes: lowest id
  vc          ignored: one pool for all
  speeds      run times are those of untyped GPUs
  locality    not known of untyped GPUs: a spread gang runs at full speed
  sharing     none: jobs have their GPUs to themselves
  profiles    0 named, 0 by utilization, 0 assumed, 3 none (not drawn: nothing here depends on them)
  directory   out/ (not written)
  $ ls -d out* .out* 2>/dev/null
  [2]

# run-force
--force replaces a run.

  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  $ horus run t.csv -c 2x4 -p sjf -q -o out --force >/dev/null
  $ jq -r .assumptions.policy out/manifest.json
  sjf

# run-jitter
Ties broken by rule and at random.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,8,10
  > b,0,8,20
  > c,0,8,30
  > END
  $ horus run t.csv -c 2x4 -q --tie-jitter 5 -o out | sed -n "/^Ties/,/^$/p"
  Ties drawn at random in 5 runs:
    metric                         by rule          mean     deviation           min           max
    makespan                            60            60             0            60            60
    mean_wait                    13.333333     19.333333       5.47723     13.333333     26.666667
    p50_wait                            10            16       8.94427            10            30
    p99_wait                            30            42        8.3666            30            50
    mean_jct                     33.333333     39.333333       5.47723     33.333333     46.666667
    p50_jct                             30            42        8.3666            30            50
    p99_jct                             60            60             0            60            60
    max_wait                            30            42        8.3666            30            50
    gpu_allocation                       1             1             0             1             1
    mean_bounded_slowdown              1.5     2.2222222      0.750514           1.5     3.1666667
   (esc)
  $ jq -c .tie_jitter.mean_wait out/summary.json
  {"mean":19.333333333333332,"deviation":5.477225575051661,"min":13.333333333333334,"max":26.666666666666668}

# run-outputs
Only the files of --outputs are written.

  $ horus run t.csv -c 2x4 -q --outputs=jobs -o out >/dev/null
  $ ls out
  jobs.csv
  manifest.json
  summary.csv
  summary.json

# run-rejected
Jobs that can never fit are reported, not dropped.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,4,10
  > b,1,9,5
  > c,2,4,3
  > d,3,99,1
  > END
  $ horus run t.csv -c 2x4 -q -o out >/dev/null
  ! warning: job b rejected: it needs more GPUs than the nodes it may use have
  ! warning: job d rejected: it needs more GPUs than the nodes it may use have
  ! warning: 2 of 4 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  $ cut -d, -f1,17 out/jobs.csv
  job_id,model
  b,
  d,
  c,
  a,

# run-report
The page in the directory of the run, listed in its manifest, is the page of `horus report`.
--report changes neither the name of the run nor the result of `rerun`.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
  $ horus run t.csv -c 1x1 -q >/dev/null
  $ ls results >name
  $ horus run t.csv -c 1x1 -q --report --force >/dev/null
  $ ls results | cmp - name
  $ run=$(echo results/*)
  $ ls "$run"
  jobs.csv
  manifest.json
  nodes.csv
  report.html
  segments.csv
  series.csv
  summary.csv
  summary.json
  $ jq -r '.outputs[] | select(.name == "report.html") | .bytes' "$run/manifest.json" >listed
  $ wc -c <"$run/report.html" | cmp - listed
  $ horus report "$run" -o - | cmp - "$run/report.html"
  $ jq '.config.report' "$run/manifest.json"
  null
  $ horus rerun "$run" 2>/dev/null
  file            recorded          now
  jobs.csv        +([0-9a-f])  same (glob)
  segments.csv    +([0-9a-f])  same (glob)
  series.csv      +([0-9a-f])  same (glob)
  nodes.csv       +([0-9a-f])  same (glob)
  summary.json    +([0-9a-f])  same (glob)
  summary.csv     +([0-9a-f])  same (glob)
  report.html     +([0-9a-f])  derived from the others: not compared (glob)
  manifest.json   -                 same
  $ horus verify "$run" | tail -n 1
  22 checks passed

# run-tiny
Strict FIFO on two nodes of 4: a 0-10, b waits for all 8: 10-15, c behind it: 15-18. Waits 0, 9, 13.

  $ horus run t.csv -c 2x4 -o out
  t.csv (csv) on 2x4: 8 GPUs, 2 nodes

  policy  mean JCT  mean wait  makespan  GPU alloc  p99 JCT  p50 JCT  p99 wait  slowdown
  fifo      13.3 s      7.3 s    18.0 s     63.9 %   16.0 s   14.0 s    13.0 s      1.33

  order       submit; scan strict; placement consolidate; gang all or nothing
  preemption  none; cost none
  knows       nothing; may: nothing
  ties        submission, then trace row; equally good nodes: lowest id
  vc          ignored: one pool for all
  speeds      run times are those of untyped GPUs
  locality    not known of untyped GPUs: a spread gang runs at full speed
  sharing     none: jobs have their GPUs to themselves
  profiles    0 named, 0 by utilization, 0 assumed, 3 none (not drawn: nothing here depends on them)
  bound       makespan  >= 11.5 s, 63.9 % of 18 s
  bound       mean_wait >= 0.16666667 s, 2.3 % of 7.3333333 s
  bound       mean_jct  >= 6.1666667 s, 46.3 % of 13.333333 s
  files       out/
  $ cat out/jobs.csv out/segments.csv
  job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,user,vc,status,model,batch,gpu_type,nodes,isolated,run,queueing_delay,colocated,overhead,lost,slowdown,preemptions,migrations,ooms,gpu_seconds,predicted_util,gpu_util,dataset,precision,profile_from,run_slowdown,attempts,estimate,class,first_progress,switches,host_mib_seconds,gpu_share,gpu_util_from,gpu_mem_from
  a,t,0,4,,1,0,10,10,0,10,1,0-3,,,unknown,,,GPU,1,10,10,0,0,0,0,1,0,0,0,40,,,,,,1,1,,auto,0,0,0,1,,
  b,t,1,8,,1,10,5,15,9,14,2.8,0-7,,,unknown,,,GPU,2,5,5,9,0,0,0,2.8,0,0,0,40,,,,,,1,1,,auto,10,0,0,1,,
  c,t,2,4,,1,15,3,18,13,16,5.333333,0-3,,,unknown,,,GPU,1,3,3,13,0,0,0,5.333333,0,0,0,12,,,,,,1,1,,auto,15,0,0,1,,
  job_id,start,end,allocated_resources,mean_rate,tenants,ended_by
  a,0,10,0-3,1,1,finish
  b,10,15,0-7,1,1,finish
  c,15,18,0-3,1,1,finish

# run-tiny-fit
The same with scan=fit: c passes b and runs 2-5.

  $ horus run t.csv -c 2x4 -p fifo:scan=fit -q -o out >/dev/null
  $ cut -d, -f1,7,9 out/jobs.csv
  job_id,starting_time,finish_time
  c,2,5
  a,0,10
  b,10,15

# run-until
Jobs that a horizon cuts are counted.

  $ horus run t.csv -c 2x4 --until 12s -q -o out >/dev/null
  ! warning: jobs not finished at the end of the simulation: 2
  $ cut -d, -f1,7,9 out/jobs.csv
  job_id,starting_time,finish_time
  a,0,10
  b,10,
  c,,

# run-limits
Events by hand: submissions at 0, 1, 2, ends at 10, 15, 18. The fourth is the end of a at 10, when b
starts: what --until=10s writes too, but for the manifest. The sixth is the last: nothing is cut. A
limit of wall-clock time that is over at once cuts the run behind the first look at the clock, the
16th instant; where that was, the run is repeated.

  $ horus run t.csv -c 2x4 --max-events=4 -o four | tail -2
  ! warning: the run was cut by --max-events=4 at 10 s of the simulation
  !       = hint: later jobs of the trace are in no file
  ! warning: jobs not finished at the end of the simulation: 2
  ! error: documented limit exceeded
  cut         by --max-events=4 at 10 s of the simulation; 2 jobs unfinished
  files       four/
  $ horus run t.csv -c 2x4 --max-events=4 --force -q -o four >/dev/null 2>&1
  [5]
  $ cut -d, -f1,7,9 four/jobs.csv
  job_id,starting_time,finish_time
  a,0,10
  b,10,
  c,,
  $ horus run t.csv -c 2x4 --until=10s -q -o until >/dev/null 2>&1
  $ diff -rq four until
  Files four/manifest.json and until/manifest.json differ
  [1]
  $ jq -c .stopped four/manifest.json until/manifest.json
  {"by":"max_events","at_us":10000000,"is_deterministic":true}
  {"by":"until","at_us":10000000,"is_deterministic":true}
  $ horus report four -o - | grep -o 'the run was cut by [^<]*'
  the run was cut by --max-events=4 at 10 s of the simulation
  $ horus run t.csv -c 2x4 --max-events=6 -q -o six >/dev/null
  $ jq -c .stopped six/manifest.json
  null
  $ horus run traces/sample.csv -c 8x8:V100 -p srtf --max-wall=1us -q -o wall >/dev/null
  ! warning: the run was cut by --max-wall=0.000001s at +([0-9]) s of the simulation: not deterministic, a faster machine gets further (glob)
  !       = hint: later jobs of the trace are in no file
  ! warning: jobs not finished at the end of the simulation: +([0-9]) (glob)
  ! error: documented limit exceeded
  [5]
  $ jq -c '[.stopped.by, .stopped.is_deterministic, .engine.instants]' wall/manifest.json
  ["max_wall",false,16]
  $ for run in four until wall; do
  >     horus verify $run | tail -1
  >     horus rerun $run 2>&1 | grep -c same
  > done
  22 checks passed
  7
  22 checks passed
  7
  22 checks passed
  7
  $ horus run t.csv -c 2x4 --max-events=4 --tie-jitter=3 -q -o ties 2>&1 >/dev/null | grep ties
  warning: 3 of 3 runs with random ties were cut by --max-events or --max-wall
  $ cat >e.json <<'END'
  > { "config": { "trace": "t.csv", "cluster": "2x4" }, "grid": { "max_events": [4, 0] } }
  > END
  $ horus sweep e.json -q -o sweep 2>/dev/null >&2
  $ cut -d, -f3-5 sweep/sweep.csv
  state,exit,axis_max_events
  done,0,4
  done,0,0
  $ jq .stopped.by sweep/runs/*/manifest.json | sort
  "max_events"
  null

# run-rigid
A range of exactly the requested GPUs marks a job as rigid: optimus, which resizes jobs without a range,
gives it one GPU of the eight, the other one seven; converted, the trace still has the range.

  $ printf 'job_id,submit_time,gpus,duration,gpus_min,gpus_max\na,0,1,100,1,1\nb,0,1,100,,\nc,0,2,100,,2\n' >jobs.csv
  $ head -n 3 jobs.csv >two.csv
  $ horus run two.csv -c 1x8:V100 -p optimus --assign=off --outputs=all -q -o out >/dev/null 2>&1
  $ awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["job_id"], $at["allocated_resources"] }' out/jobs.csv | sort
  a 0
  b 1-7
  job_id allocated_resources
  $ horus verify out | grep -E 'gang|passed'
  ok    every gang is whole: 2 segments, 0 of another size
  21 checks passed
  $ horus trace convert jobs.csv -q --to csv -o - | cut -d, -f1,20,21
  job_id,gpus_min,gpus_max
  a,1,1
  b,,
  c,2,2

# run-rack-speed
Two racks of two nodes; the gang of twelve needs one more node than a rack has, so two racks: full speed.
The gang of eight does not wait and is in one rack, unless the rule is by id.

  $ printf '{"racks":[{"nodes":[{"count":2,"gpus":4}]},{"nodes":[{"count":2,"gpus":4}]}]}' >c.json
  $ printf 'job_id,submit_time,gpus,duration\na,0,12,10\nb,20,2,40\nc,21,8,10\n' >t.csv
  $ horus run t.csv -c c.json -p fifo:placement=rack --rack-speed=0.5 -o a | grep locality
  locality    not known of untyped GPUs: a spread gang runs at full speed; in more racks than needed x 0.5
  $ horus run t.csv -c c.json -p fifo:placement=first_fit --rack-speed=0.5 -q -o b >/dev/null
  $ cut -d, -f1,2,3,6 a/segments.csv
  job_id,start,end,tenants
  a,0,10,1
  c,21,31,1
  b,20,60,1
  $ cut -d, -f1,2,3,6 b/segments.csv
  job_id,start,end,tenants
  a,0,10,1
  c,21,41,1
  b,20,60,1
  $ horus verify b | tail -n 1
  22 checks passed
  $ horus run t.csv -c 4x4 --rack-speed=0.5 -o c >/dev/null
  ! note: rack_speed has no effect: the cluster has one rack
  $ horus run t.csv -c c.json --rack-speed=0.5 --locality=none -o d >/dev/null
  ! note: rack_speed has no effect: locality is none

# run-long-ids
Ids of jobs may be long.

  $ { echo job_id,submit_time,duration,gpus; printf '%0200d,0,10,1\n%0200d,1,10,1\n%0100d,12,10,1\n' 1 2 3; } >t.csv
  $ horus run t.csv -c 1x1 -q -o out >/dev/null
  $ diff <(cut -d, -f1 t.csv) <(cut -d, -f1 out/jobs.csv)

# run-fork-memory
The policy after a fork sees the memory demand of jobs at that time: b waits, as 10 GB do not fit beside 10
GB.

  $ printf 'job_id,submit_time,duration,gpus,gpu_mem_mib,gpu_util\na,0,100,1,10000,20\nb,0,100,1,10000,20\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p fifo -q -o first --until 10s --snapshot moment >/dev/null 2>&1
  $ horus run --from moment -p pack -q -o out >/dev/null
  $ cut -d, -f1-3,7 out/segments.csv
  job_id,start,end,ended_by
  a,0,10,fork
  a,10,100,finish
  b,100,200,finish

# run-from-other-models
A snapshot goes on with the models of its run or not at all: its manifest would name the hash of a file that had no
part in it.

  $ printf 'job_id,submit_time,duration,gpus,gpu_mem_mib,gpu_util\na,0,10,1,10,100\nb,0,10,1,10,100\n' >t.csv
  $ cp configs/models/interference.json mine.json
  $ horus run t.csv -c 1x1:V100 -p pack --models mine.json -q -o first --until 5s --snapshot moment >/dev/null 2>&1
  $ horus run --from moment -q -o rest >/dev/null && horus rerun rest >/dev/null
  $ echo >>mine.json
  $ horus run --from moment -q -o other
  ! error: the inputs are not those that the run had read
  !       = hint: --from needs unchanged inputs
  [3]
  $ ls other
  ! ls: cannot access 'other': No such file or directory
  [2]
