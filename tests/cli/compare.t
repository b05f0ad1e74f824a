SPDX-License-Identifier: GPL-3.0-or-later

`horus compare TRACE`: policies and seeds.
Where a case has no trace of its own, it is this one.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,1,8
  > c,2,1,2
  > END

# compare-bad-row
Every run stops at the same row: the error is printed once, for the first run, and no file remains.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,one,8
  > END
  $ horus compare t.csv -c 1x1 -p fifo -p sjf --seeds 1..3 -j 3 -o out
  ! t.csv:3:5: error: gpus is not a number: 'one'
  !     3 | b,1,one,8
  !       |     ^~~
  !       = hint: a whole number such as 8
  ! note: it was the run fifo-s1-a1: nothing was kept
  [3]
  $ ls
  configs
  t.csv
  tests
  traces

# compare-config
Policies as a list, one of them an object; --set policy.KEY applies to all; the output of --print-config is
a configuration again.

  $ cat >c.json <<'END'
  > {"policy": ["fifo", {"name": "sjf", "placement": "best_fit"}], "seeds": "1,2", "cluster": "1x1"}
  > END
  $ horus compare t.csv --config c.json --set policy.scan=fit --print-config | tee d.json |
  >     grep -E '"(policy|seeds|assignments|cluster|outputs)"'
    "cluster": "1x1",  // from c.json
    "policy": ["fifo:scan=fit", "sjf:placement=best_fit,scan=fit"],  // from --set
    "seeds": "1,2",  // from c.json
    "assignments": null,  // from default
    "sharing_mode": "cluster",  // from default
    "outputs": "summary",  // from default
  $ horus compare --config d.json -q -o out >/dev/null
  $ cut -d, -f1-5 out/runs.csv
  policy,seed,assignment,workload,cluster
  fifo:scan=fit,1,1,t,1x1
  fifo:scan=fit,2,2,t,1x1
  "sjf:placement=best_fit,scan=fit",1,1,t
  "sjf:placement=best_fit,scan=fit",2,2,t
  $ sed -n '/"policy": \[/,/\]/p' out/manifest.json
      "policy": [
        "fifo:scan=fit",
        "sjf:placement=best_fit,scan=fit"
      ],

# compare-default-directory
The directory is named after workload and content: the same comparison finds it, another seed makes
another name.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q >/dev/null
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -j 2 >/dev/null
  ! results/compare-t-+([0-9a-f]): error: this run directory exists (glob)
  !       = hint: give --force to replace it, or another name with -o
  [4]
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q --seeds 2 >/dev/null
  $ ls results
  compare-t-+([0-9a-f]) (glob)
  compare-t-+([0-9a-f]) (glob)

# compare-dry-run
Nothing is simulated, nothing written.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf --seeds 4..5 --assignments 7 -o out --dry-run
  trace       t.csv (csv): 3 jobs of 3 rows
  runs        fifo-s4-a7
              fifo-s5-a7
              sjf-s4-a7
              sjf-s5-a7
  directory   out/ (not written)
  $ ls
  configs
  t.csv
  tests
  traces

# compare-exists
An earlier comparison is replaced only with --force, which removes its kept runs, too.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o out --outputs jobs >/dev/null
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o out >/dev/null
  ! out: error: this run directory exists
  !       = hint: give --force to replace it, or another name with -o
  [4]
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o out --force >/dev/null
  $ ls . out
  .:
  configs
  out
  t.csv
  tests
  traces

  out:
  compare.csv
  manifest.json
  order.csv
  runs.csv

# compare-fail-if
mean JCT 15 under fifo, 13 under sjf (see compare-policies): -13.33 %. The files are still written.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o out --fail-if 'mean_jct<-13.4%' >/dev/null
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o out -f --fail-if 'mean_jct<-13%' \
  >     --fail-if 'mean_jct>14@fifo' --fail-if 'mean_jct>13@sjf' --fail-if 'makespan>+0%' >/dev/null
  ! error: --fail-if 'mean_jct<-13%': mean_jct of sjf is 13 s, -13.33 % against the 15 s of fifo
  ! error: --fail-if 'mean_jct>14@fifo': mean_jct of fifo is 15 s
  [1]
  $ ls out
  compare.csv
  manifest.json
  order.csv
  runs.csv

# compare-fail-if-bad
Refused before anything is simulated.

  $ for condition in 'mean_jtc>+1%' 'mean_jct>1%' 'mean_jct' 'mean_jct>+1%@sfj' 'mean_jct>+1%@fifo'; do
  >     horus compare t.csv -c 1x1 -p fifo -p sjf -o out --fail-if "$condition"
  >     echo $?
  > done
  2
  2
  2
  2
  2
  ! error: --fail-if 'mean_jtc>+1%': unknown metric 'mean_jtc'
  !       = hint: did you mean 'mean_jct'?
  ! error: --fail-if 'mean_jct>1%': a percentage needs a sign, + or -
  !       = hint: +1% is a change against the first policy; a share itself is written 0.5
  ! error: --fail-if 'mean_jct': neither '>' nor '<'
  !       = hint: for example 'mean_jct>+1%', 'gpu_utilization<-5%@sjf' or 'ooms>0'
  ! error: --fail-if 'mean_jct>+1%@sfj': unknown policy 'sfj'
  !       = hint: did you mean 'sjf'?
  ! error: --fail-if 'mean_jct>+1%@fifo': the others are compared with the first policy
  !       = hint: name another, or leave the '@' out
  $ ls
  configs
  t.csv
  tests
  traces

# compare-interrupted
SIGTERM in the middle: no directory remains, and no process that would create it again.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > END
  $ seq 200000 | sed 's/.*/j&,&,1,900/' >>t.csv
  $ horus compare t.csv -c 8x8 -p fifo -p sjf -p srtf --seeds 1..4 -j 2 --check=full -q -o out &
  ! error: stopped by SIGTERM: nothing was kept
  $ pid=$!
  $ for _ in $(seq 200); do
  >     ls -d out.tmp-*/runs/*.tmp-* >/dev/null 2>&1 && break
  >     sleep 0.05
  > done
  $ ls -d out.tmp-*/runs >/dev/null && echo "runs are at work"
  runs are at work
  $ kill -TERM "$pid"
  $ wait "$pid"
  [143]
  $ sleep 0.2
  $ ls
  configs
  t.csv
  tests
  traces

# compare-intervals
V100 and P100 at the made-up speeds of the test models: which job runs at which speed depends on the
draw, so the seeds differ. Means, intervals and ratios are computed again from runs.csv, with
t(0.975, 3) = 3.182446305 (any table of Student's t): none may differ by more than 1e-9 of itself.

  $ M=tests/support/models
  $ awk 'BEGIN {
  >     print "job_id,submit_time,gpus,duration"
  >     for (i = 0; i < 60; i++) print "j" i "," i ",1," 20 + i * 37 % 50
  > }' >t.csv
  $ horus compare t.csv -c 1x2:V100,1x2:P100 -p fifo -p sjf --seeds 3,9 --assignments 1..2 -o out -q \
  >     --profiles $M/profiles.csv --models $M/speed.json | grep -E '^[^ ]+ on|^(ratios|order)'
  t.csv on 1x2:V100,1x2:P100: 4 GPUs, 2 nodes; 2 policies, 4 runs each
  ratios      to fifo over 4 pairs of runs; intervals 95 %, +- that of a mean; *: best
  order       sjf before fifo by mean JCT in 4 of 4 pairs of runs
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  ! warning: P100, the type with most GPUs, is assumed to be the one on which the trace was recorded
  !       = hint: --reference-type=TYPE names another
  $ horus compare t.csv -c 1x2 -p fifo --seeds 1,2 -o one -q | grep -E '^[^ ]+ on|^(ratios|intervals)'
  t.csv on 1x2: 2 GPUs, 1 nodes; 1 policy, 2 runs each
  intervals   95 % of the mean over 2 runs
  $ cut -d, -f1-3 out/runs.csv
  policy,seed,assignment
  fifo,3,1
  fifo,3,2
  fifo,9,1
  fifo,9,2
  sjf,3,1
  sjf,3,2
  sjf,9,1
  sjf,9,2
  $ awk -F, '
  >     function near(name, got, want) {
  >         n++
  >         if ((got - want) ^ 2 > (1e-9 * want) ^ 2) print name " is " got ", should be " want
  >     }
  >     NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  >     NR == FNR {
  >         gsub(/"[^"]*"/, "")
  >         jct[$1, ++runs[$1]] = $(at["mean_jct"]); next
  >     }
  >     $2 == "mean_jct" {
  >         t = 3.182446305; sum = first = squares = rest = 0
  >         for (i = 1; i <= 4; i++) { sum += jct[$1, i]; first += jct["fifo", i] }
  >         for (i = 1; i <= 4; i++) {
  >             squares += (jct[$1, i] - sum / 4) ^ 2
  >             rest += (jct[$1, i] - sum / first * jct["fifo", i]) ^ 2
  >         }
  >         half = t * sqrt(squares / 3 / 4); ratio_half = t * sqrt(rest / 3 / 4) / (first / 4)
  >         near($1 " mean", $4, sum / 4)
  >         near($1 " low", $5, sum / 4 - half)
  >         near($1 " high", $6, sum / 4 + half)
  >         near($1 " ratio", $7, sum / first)
  >         near($1 " ratio low", $8, sum / first - ratio_half)
  >         near($1 " ratio high", $9, sum / first + ratio_half)
  >         if ($1 == "sjf" && ratio_half == 0) print "the seeds make no difference"
  >         for (i = 1; i <= 4; i++) agree += jct[$1, i] < jct["fifo", i]
  >     }
  >     END { print n " figures, sjf before fifo in " agree }' out/runs.csv out/compare.csv
  12 figures, sjf before fifo in 4

# compare-alike
Of a and b, submitted at once, fifo runs a first, which ends at 10, b at 11; sjf and srtf b, which ends at 1, a at 11: 6 s for 10.5.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,0,1,1\n' >two.csv
  $ horus compare two.csv -c 1x1 -p fifo -p sjf -p srtf -q -o out | grep finding
  finding     The mean JCT is lowest under sjf, and equally low under 1 other: 6.0 s, 0.571 times that under fifo.

# compare-metrics
The requested columns, however narrow the terminal; a policy of several parameters.

  $ COLUMNS=40 horus compare t.csv -c 1x1 -p fifo -p sjf:scan=fit,placement=best_fit -q -o out \
  >     --metrics n_jobs,makespan,p50_jct,max_slowdown,useful_gpu_share
  t.csv on 1x1: 1 GPUs, 1 nodes; 2 policies, 1 run each

  policy  n_jobs  makespan  p50 JCT    max_slowdown    useful_gpu_share
  fifo         3    20.0 s   17.0 s            9.00             100.0 %
  sjf:scan=fit,placement=best_fit
               3    20.0 s   10.0 s *          5.00 *           100.0 %
           1.00x     1.00x   0.588x          0.556x               1.00x

  finding     The mean JCT is lowest under sjf:scan=fit,placement=best_fit: 13.0 s, 0.867 times that under fifo; the p99 JCT is lowest under fifo.
  pareto      fifo sjf:scan=fit,placement=best_fit: of mean JCT, p99 JCT
  ratios      to fifo; *: best
  scan        fifo: strict
              sjf:scan=fit,placement=best_fit: fit
  placement   fifo: consolidate
              sjf:scan=fit,placement=best_fit: best_fit
  knows       fifo: nothing; may: nothing
              sjf:scan=fit,placement=best_fit: duration; may: nothing
  files       out/

# compare-one-row-a-run
runs.csv has the columns of summary.csv, except that policy and seed come first; the rest of the row
is that of `horus run`, and the files of a kept run equal those that `horus run` writes.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf:scan=fit --outputs jobs,segments -o out -q >/dev/null
  $ horus run t.csv -c 1x1 -p sjf:scan=fit --outputs jobs,segments -o run -q >/dev/null
  $ ls out/runs out/runs/sjf-scan=fit-s1-a1
  out/runs:
  fifo-s1-a1
  sjf-scan=fit-s1-a1

  out/runs/sjf-scan=fit-s1-a1:
  jobs.csv
  manifest.json
  segments.csv
  summary.csv
  summary.json
  $ for file in jobs.csv segments.csv summary.csv summary.json; do
  >     cmp "out/runs/sjf-scan=fit-s1-a1/$file" "run/$file"
  > done
  $ diff <(head -n 1 out/runs.csv | tr , '\n' | sort) <(
  >     { head -n 1 run/summary.csv | tr , '\n'; echo assignment; } | sort)
  $ horus verify out/runs/sjf-scan=fit-s1-a1 | tail -n 1
  22 checks passed

# compare-policies
One GPU. fifo: a 0-10, b 10-18, c 18-20, mean wait (0+9+16)/3, mean JCT (10+17+18)/3 = 15. sjf: c
before b, 10-12, 12-20: mean wait (0+8+11)/3, mean JCT (10+10+19)/3 = 13. srtf: a 0-1, b 1-2, c 2-4,
b 4-11, a 11-20: no job waits to start, mean JCT (20+10+2)/3. Ratios: 13/15 = 0.867, 32/45 = 0.711,
19/25. The makespan is 20 for all; no job waits on srtf, so that 0 / 8.33 is 0.

  $ horus compare t.csv -c 1x1 -p fifo -p sjf -p srtf -o out
  t.csv on 1x1: 1 GPUs, 1 nodes; 3 policies, 1 run each

  policy  mean JCT    mean wait    queueing    makespan  p99 JCT    p99 wait
  fifo      15.0 s        8.3 s       8.3 s      20.0 s   18.0 s *    16.0 s
  sjf       13.0 s        6.3 s       6.3 s      20.0 s   19.0 s      11.0 s
            0.867x       0.760x      0.760x       1.00x    1.06x      0.688x
  srtf      10.7 s *      0.0 s *     4.0 s *    20.0 s   20.0 s       0.0 s *
            0.711x        0.00x      0.480x       1.00x    1.11x       0.00x

  finding     The mean JCT is lowest under srtf: 10.7 s, 0.711 times that under fifo; the p99 JCT is lowest under fifo.
  pareto      fifo sjf srtf: of mean JCT, p99 JCT
  ratios      to fifo; *: best
  scan        fifo: strict
              sjf: strict
              srtf: fit
  cost        fifo: none
              sjf: none
              srtf: free
  knows       fifo: nothing; may: nothing
              sjf: duration; may: nothing
              srtf: duration; may: preempt
  files       out/
  $ grep -E '^(policy|[a-z]*,(makespan|mean_wait|mean_jct|ooms)),' out/compare.csv
  policy,metric,unit,mean,low,high,ratio,ratio_low,ratio_high,runs
  fifo,makespan,s,20,,,1,,,1
  fifo,mean_wait,s,8.333333333333334,,,1,,,1
  fifo,mean_jct,s,15,,,1,,,1
  fifo,ooms,1,0,,,,,,1
  sjf,makespan,s,20,,,1,,,1
  sjf,mean_wait,s,6.333333333333333,,,0.7599999999999999,,,1
  sjf,mean_jct,s,13,,,0.8666666666666667,,,1
  sjf,ooms,1,0,,,,,,1
  srtf,makespan,s,20,,,1,,,1
  srtf,mean_wait,s,0,,,0,,,1
  srtf,mean_jct,s,10.666666666666666,,,0.711111111111111,,,1
  srtf,ooms,1,0,,,,,,1
  $ cut -d, -f1-5 out/runs.csv
  policy,seed,assignment,workload,cluster
  fifo,1,1,t,1x1
  sjf,1,1,t,1x1
  srtf,1,1,t,1x1
  $ cat out/order.csv
  first,second,metric,cells,agree,ratio,ratio_low,ratio_high
  srtf,sjf,mean_jct,1,1,0.8205128205128205,,
  sjf,fifo,mean_jct,1,1,0.8666666666666667,,
  $ ls out
  compare.csv
  manifest.json
  order.csv
  runs.csv

# compare-processes
One process and four write the same bytes, except the part of the manifest called volatile. A
message that six runs have in common is shown once.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > huge,1,64,5
  > b,2,2,2
  > END
  $ for j in 1 4; do
  >     horus compare t.csv -c 2x1 -p fifo -p sjf --seeds 1..3 -j $j --outputs all -o out$j -q >table$j
  >     sed -i '/volatile/,$d' out$j/manifest.json out$j/runs/*/manifest.json
  >     sed -i 's#out[14]/#out/#' table$j
  > done
  ! warning: job huge rejected: it needs more GPUs than the nodes it may use have
  ! warning: 1 of 3 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  ! warning: job huge rejected: it needs more GPUs than the nodes it may use have
  ! warning: 1 of 3 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  $ diff -r out1 out4 && cmp table1 table4 && find out4 -type f | wc -l
  46

# compare-wrong-words
Command lines from which no comparison can be made.

  $ horus compare t.csv
  ! error: compare: no policy is given
  !       = hint: one -p each, e.g. -p fifo -p sjf; 'horus policies' lists them
  [2]
  $ horus compare -p fifo -p sjf
  ! error: compare: TRACE is missing
  !       = hint: horus compare TRACE -p fifo -p sjf
  [2]
  $ horus compare t.csv -p fifo,sjf
  ! error: 'fifo,sjf' is not one policy
  !       = hint: one -p each, e.g. -p fifo -p sjf
  [2]
  $ horus compare t.csv -p fifo
  ! error: compare: there is only one run
  !       = hint: a second -p, or --seeds 1..5
  [2]
  $ horus compare t.csv -p fifo -p sjf -p fifo
  ! error: compare: policy 'fifo' is given twice
  !       = hint: leave one out
  [2]
  $ horus compare t.csv -p fifo -p sfj
  ! error: unknown policy 'sfj'
  !       = hint: did you mean 'sjf'?
  [2]
  $ horus compare t.csv -p fifo -p sjf:scan=fit,scan=fit
  ! error: policy 'sjf': 'scan' is given twice
  !       = hint: leave one out
  [2]
  $ horus compare t.csv -c 1x1 -p fifo -p fifo:scan=strict --dry-run >/dev/null
  ! note: policies 'fifo' and 'fifo:scan=strict' have the same parameters
  $ horus compare t.csv -p fifo -p sjf --seeds 5..1
  ! error: --seeds: the range '5..1' runs downwards
  !       = hint: the smaller end first: 1..5
  [2]
  $ horus compare t.csv -c 1x1 -p fifo -p sjf --seeds 5 --dry-run | grep -c -- -s5-
  ! note: --seeds 5 is one seed; 1..5 are 5
  2
  $ horus compare t.csv -p fifo -p sjf --seeds 1..2 --seed 3
  ! error: compare: both --seeds and --seed
  !       = hint: leave one out
  [2]
  $ horus compare t.csv -p fifo -p sjf --assignments 0..2
  ! error: --assignments: '0..2' is neither a number from 1 to 9000000000000000 nor a range of them
  !       = hint: for example 1..5 or 1,3,7
  [2]
  $ horus compare t.csv -p fifo --seeds 1..1000 --assignments 1..11
  ! error: compare: 11000 runs are more than 10000
  !       = hint: compare in parts
  [2]
  $ horus compare - -p fifo -p sjf <t.csv
  ! error: compare reads the trace several times: it cannot be standard input
  !       = hint: put the trace into a file
  [2]
  $ horus compare t.csv -p fifo -p sjf --metrics mean_jct,p99wait
  ! error: metrics: unknown metric 'p99wait'
  !       = hint: did you mean 'p99_wait'?
  [2]
  $ horus compare t.csv -p fifo -p sjf --metrics mean_jct,p99_wait,mean_jct
  ! error: metrics: 'mean_jct' is given twice
  !       = hint: leave one out
  [2]
  $ horus compare t.csv -p fifo -p sjf -j 0
  ! error: '--processes' must be an integer from 1 to 1024, not '0'
  [2]
  $ ls
  configs
  t.csv
  tests
  traces

# compare-seeds-that-change-nothing
Under fifo and sjf, without sharing, nothing is drawn: more seeds are no more evidence. --retries=generate
draws failures by the seed.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv
  $ horus compare t.csv -c 1x1 -p fifo -p sjf --seeds 1..3 -q -o same | grep -A 1 ^ratios
  ratios      to fifo over 3 pairs of runs; intervals 95 %, +- that of a mean; *: best
  seeds       the 3 runs of a policy are the same: no random draw depends on the seed, as it would with gen:NAME or pred=noisy
  $ horus compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf --max-jobs 300 --retries=generate --seeds 1..2 -q -o drawn 2>/dev/null | grep -c ^seeds
  0
  [1]
  $ horus compare t.csv -c 1x1 -p fifo -p sjf -q -o one | grep -c ^seeds
  0
  [1]

# compare-finding-by-chance
A difference within noise is no finding. The statement about mean JCT uses the ratio of the two best over
pairs of runs, that about p99 JCT the intervals of the ratios to the first: 0.9 to 1.2 and 0.7 to 1.1
overlap.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv
  $ horus compare t.csv -c 1x1 -p sjf -p fifo -p srtf --seeds 1..2 -q -o out >/dev/null
  $ rows() { sed -i -E "/^$1,$2,/s/.*/$1,$2,s,$3/" out/compare.csv; }
  $ finding() { printf '%s\n' first,second,metric,cells,agree,ratio,ratio_low,ratio_high "fifo,srtf,mean_jct,2,1,0.9,$1" >out/order.csv
  >     horus report out -o page.html --force >/dev/null 2>&1; grep -o 'class="finding">[^<]*' page.html | cut -d'>' -f2; }
  $ rows sjf mean_jct 100,,,1,1,1,2; rows fifo mean_jct 50,,,0.5,0.4,0.6,2; rows srtf mean_jct 55,,,0.55,0.45,0.65,2
  $ rows sjf p99_jct 100,,,1,1,1,2; rows fifo p99_jct 100,,,1,0.9,1.2,2; rows srtf p99_jct 90,,,0.9,0.7,1.1,2
  $ finding 0.8,1
  The mean JCT is lowest under fifo: 50.0 s, 0.5 times that under sjf (0.4 to 0.6 with 95 % confidence); the difference to srtf may be chance.
  $ rows srtf p99_jct 80,,,0.8,0.75,0.85,2; finding 0.8,0.99
  The mean JCT is lowest under fifo: 50.0 s, 0.5 times that under sjf (0.4 to 0.6 with 95 % confidence); the p99 JCT is lowest under srtf.
  $ finding ,
  The mean JCT is lowest under fifo: 50.0 s, 0.5 times that under sjf (0.4 to 0.6 with 95 % confidence); the p99 JCT is lowest under srtf.

# compare-terms
The finding states what the best policy may do and the first may not; a policy that resizes jobs depends on
their models, so models are drawn, with a message.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,7200\nb,0,1,3600\n' >t.csv
  $ horus compare t.csv -c 1x4 -p fifo -p optimus -q -o out | grep ^finding | sed 's/.*fifo\. //'
  Under optimus, unlike fifo, any job may get more or fewer GPUs than it requests. The profiles of 100 % of the jobs are assumed.
  $ horus run t.csv -c 1x4 -p optimus -q -o run | grep -E '^(speeds|profiles)'
  speeds      run times are those of untyped GPUs; on other numbers of GPUs by model, in proportion without
  profiles    0 named, 0 by utilization, 2 assumed (drawn, mean GPU util 52 %, --seed 1), 0 none

# compare-fail-if-zero
There is no preemption under fifo, and one under srtf.

  $ printf 'job_id,submit_time,duration,gpus\na,0,100,1\nb,5,10,1\n' >t.csv
  $ horus compare t.csv -c 1x1 -p fifo -p srtf -q -o out --fail-if 'preemptions>+10%' >/dev/null
  ! error: --fail-if 'preemptions>+10%': preemptions of srtf is 1, that of fifo 0
  [1]
