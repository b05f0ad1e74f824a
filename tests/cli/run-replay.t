SPDX-License-Identifier: GPL-3.0-or-later

A window, a sample and another scale of time of a trace.

# replay-seeds
A sample depends on the seed. A comparison over seeds and a sweep read the trace once for many runs;
each seed must have the jobs and the mean JCT of a single run with that seed. Half the scale of time
halves the makespan.

  $ value() { # FILE ROW COLUMN: of a CSV
  >     awk -F, -v row="$2" -v column="$3" '{ gsub(/"[^"]*"/, "") }
  >         NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } NR == row + 1 { print $(at[column]) }' "$1"
  > }
  $ horus compare traces/sample.csv -c 8x8 -p fifo --seeds 1..2 --sample-jobs 0.2 -o both -q > /dev/null
  ! warning: 1629 of 2000 rows left out: not in the sample
  ! warning: 1588 of 2000 rows left out: not in the sample
  $ cat > e.json <<'END'
  > {"config": {"trace": "traces/sample.csv", "cluster": "8x8", "sample_jobs": 0.2},
  >  "grid": {"seed": [1, 2], "scale_time": [1, 0.5]}}
  > END
  $ horus sweep e.json -o grid -q -j 2 > /dev/null
  ! warning: 1629 of 2000 rows left out: not in the sample
  ! warning: 1588 of 2000 rows left out: not in the sample
  $ for seed in 1 2; do
  >     horus run traces/sample.csv -c 8x8 -q --seed $seed --sample-jobs 0.2 -o one$seed > /dev/null
  >     for metric in n_jobs mean_jct; do
  >         own=$(value one$seed/summary.csv 1 $metric)
  >         [ "$own" = "$(value both/runs.csv $seed $metric)" ] || echo "compare, seed $seed: $metric differs"
  >         [ "$own" = "$(value grid/sweep.csv $((2 * seed - 1)) $metric)" ] || echo "sweep, seed $seed: $metric differs"
  >     done
  >     whole=$(value grid/sweep.csv $((2 * seed - 1)) makespan) half=$(value grid/sweep.csv $((2 * seed)) makespan)
  >     awk -v whole="$whole" -v half="$half" 'BEGIN { d = whole / half - 2; print (d < 1e-6 && d > -1e-6) ? "half" : "not half: " whole " " half }'
  > done 2> notes
  half
  half
  $ sort -u notes
  warning: 1588 of 2000 rows left out: not in the sample
  warning: 1629 of 2000 rows left out: not in the sample
  $ [ "$(value one1/summary.csv 1 n_jobs)" != "$(value one2/summary.csv 1 n_jobs)" ] && echo "seeds differ"
  seeds differ

# run-replay
One GPU, first come first served; jobs of 100 s submitted on four days, two a day 10 s apart. From
the second day to the third, in a tenth of the time: c and d, 10 s each, 1 s apart: d waits 9 s;
then a sample, which leaves the same jobs out of every run and prints how many. verify and rerun
read the trace in the same way.

  $ cat > jobs.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,2020-04-01 00:00:00,1,100
  > b,2020-04-01 00:00:10,1,100
  > c,2020-04-02 00:00:00,1,100
  > d,2020-04-02 00:00:10,1,100
  > e,2020-04-03 00:00:00,1,100
  > f,2020-04-03 00:00:10,1,100
  > g,2020-04-04 00:00:00,1,100
  > h,2020-04-04 00:00:10,1,100
  > END
  $ horus run jobs.csv -c 1x1:V100 -q -o part --window 2020-04-02..2d --scale-time 0.1 > /dev/null
  ! warning: 2 of 8 rows left out: before the time window, behind which none is read
  $ cut -d, -f1,3,7-10 part/jobs.csv
  job_id,submission_time,starting_time,execution_time,finish_time,waiting_time
  c,0,0,10,10,0
  d,1,10,10,20,9
  $ horus verify part | tail -n 1
  22 checks passed
  $ horus rerun part | tail -n 1
  manifest.json   -                 same
  $ horus run jobs.csv -c 1x1:V100 -q -o some --sample-jobs 0.5 --seed 3 > /dev/null
  ! warning: 4 of 8 rows left out: not in the sample
  $ horus verify some | tail -n 1
  22 checks passed
  $ horus trace convert jobs.csv -q --sample-jobs 50% --seed 3 -o - --to csv | cut -d, -f1 | tail -n +2 | sort > sample
  ! warning: 4 of 8 rows left out: not in the sample
  $ tail -n +2 some/jobs.csv | cut -d, -f1 | sort | cmp - sample && echo same jobs
  same jobs
  $ horus trace info jobs.csv --window 3d..
  trace        jobs.csv (csv)
  rows         8
  jobs         2
  dropped      6 before the time window, behind which none is read
  first        2020-04-04 00:00:00
  last         2020-04-04 00:00:10
  span         0 days
  GPU hours    0.1
  mean demand  20 GPUs over the span
  largest job  1 GPUs
  VCs          0
  users        0

  outcome              jobs     jobs % GPU time %
  unknown                 2        100        100

  GPUs                 jobs     jobs % GPU time %
  1                       2        100        100

  duration, seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1            100       100       100       100       100       100       100       100       100
  all          100       100       100       100       100       100       100       100       100

  time between submissions (within the class), seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1             10        10        10        10        10        10        10        10        10
  all           10        10        10        10        10        10        10        10        10

  Quantiles are observed values, at most 0.1 % above the exact ones (logarithmic histogram).
  $ horus run jobs.csv -c 1x1:V100 -o none --window 2019-01-01..2020-01-01
  ! jobs.csv: error: no job to replay in 8 rows
  !       = hint: the first submission is at 2020-04-01 00:00:00
  [3]
  $ horus run jobs.csv -c 1x1:V100 -o none --window 5d..1d
  ! error: the window ends before it begins: '5d..1d'
  !       = hint: FROM..TO, for example 10d..20d, 2017-10-01..2017-12-01 or ..12h
  [2]
  $ horus run jobs.csv -c 1x1:V100 -o none --window tomorrow
  ! error: window is not two times or dates with '..' between: 'tomorrow'
  !       = hint: FROM..TO, for example 10d..20d, 2017-10-01..2017-12-01 or ..12h
  [2]
  $ horus run jobs.csv -c 1x1:V100 -o none --sample-jobs 0
  ! error: '--sample-jobs' must be a number from 1e-09 to 1, not '0'
  [2]
  $ horus run jobs.csv -c 1x1:V100 -o none --scale-time -1
  ! error: '--scale-time' must be a number from 1e-06 to 1000000, not '-1'
  [2]
  $ ls -d none 2> /dev/null || echo nothing was written
  nothing was written
