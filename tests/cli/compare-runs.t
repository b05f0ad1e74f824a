SPDX-License-Identifier: GPL-3.0-or-later

`horus compare RUN RUN`: two finished runs, job by job.

# compare-runs-other-load
The same trace with half the time between submissions: job b is submitted at 4, not at 8.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,8,1,10\n' >t.csv
  $ horus run t.csv -c 1x2:V100 -q -o a >/dev/null
  $ horus run t.csv -c 1x2:V100 --load=2 -q -o b >/dev/null
  $ horus compare a b
  ! b: error: not of the workload of a: job b, submitted at 4, is in it alone
  !       = hint: load differs: 1 in a, 2 in b
  [3]

# compare-runs-other-trace
Runs of two traces are not compared.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,11\n' >u.csv
  $ horus run t.csv -c 1x2:V100 -q -o a >/dev/null
  $ horus run u.csv -c 1x2:V100 -q -o b >/dev/null
  $ horus compare a b
  ! b: error: not of the workload of a: trace u.csv (b39305b2a66fce5e, 42 bytes) against t.csv (c58d523a77b753d7, 42 bytes)
  [3]

# compare-runs-over-input
The comparison cannot replace a run that it reads, even with --force.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ horus run t.csv -c 1x2:V100 -q -o a >/dev/null
  $ ln -s a again
  $ horus compare a again -o ./again --force
  ! error: -o ./again is one of the runs that are compared
  !       = hint: give another name
  [2]
  $ ls a
  jobs.csv
  manifest.json
  nodes.csv
  segments.csv
  series.csv
  summary.csv
  summary.json

# compare-runs-sample
The means of a comparison are those of the two summaries, which other code computes; two comparisons
write the same bytes; a run compared with itself shows no difference.

  $ horus run traces/sample.csv -c 8x8:V100 -p fifo -q -o a >/dev/null
  $ horus run traces/sample.csv -c 8x8:V100 -p srtf -q -o b >/dev/null
  $ horus compare a b -o c >shown
  $ horus compare a b -o d | tail -n +2 | cmp -s - <(tail -n +2 shown) || grep files shown
  files       c/
  $ cmp c/paired.csv d/paired.csv && cmp c/jobs_paired.csv d/jobs_paired.csv && echo twice the same
  twice the same
  $ mean() { # METRIC RUN
  >     sed -n "s/^ *\"mean_$1\": \([0-9.e+-]*\),*$/\1/p" "$2/summary.json" | head -n 1
  > }
  $ for metric in wait jct slowdown bounded_slowdown run_slowdown; do
  >     grep "^all,,$metric,2000,$(mean $metric a),$(mean $metric b)," c/paired.csv >/dev/null &&
  >         echo "mean $metric of both as in the summaries"
  > done
  mean wait of both as in the summaries
  mean jct of both as in the summaries
  mean slowdown of both as in the summaries
  mean bounded_slowdown of both as in the summaries
  mean run_slowdown of both as in the summaries

Every interval contains its estimate; a line here is one that does not.

  $ awk -F, 'NR > 1 && $8 != "" && ($7 < $8 || $7 > $9 || $10 < $11 || $10 > $12)' c/paired.csv
  $ horus compare a a -o e >/dev/null
  $ awk -F, 'NR > 1 && ($7 != 0 || $8 != 0 && $8 != "" || $14 != 1)' e/paired.csv

# compare-runs-summary-only
A run without jobs.csv has nothing to compare.

  $ horus run traces/sample.csv -c 8x8:V100 -q -o a >/dev/null
  $ horus run traces/sample.csv -c 8x8:V100 --outputs=summary -q -o b >/dev/null
  $ horus compare a b
  ! b: error: nothing to compare: the run was made without jobs.csv
  !       = hint: repeat the run with --outputs=all
  [3]

# compare-runs-tiny
Two runs job by job: three jobs on one node of two GPUs.
FIFO  0 0-100, 1 100-160, 2 160-180: waits 0 90 140, JCT 100 150 160, slowdown 1 2.5 8
SRTF  0 0-10 90-180, 1 10-20 40-90, 2 20-40: waits 0 0 0, JCT 180 80 20, slowdown 1.8 1.33 1
Mean JCT 410/3 and 280/3; differences +80 -70 -140. One GPU: 150 and 80; two: 130 and 100.
Isolated 20, 60, 100 s: of three the quartiles end at the 1st, 2nd, 3rd and 3rd.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 0,0,2,100
  > 1,10,1,60
  > 2,20,2,20
  > END
  $ horus run t.csv -c 1x2:V100 -p fifo -q -o a >/dev/null
  $ horus run t.csv -c 1x2:V100 -p srtf -q -o b >/dev/null
  $ horus compare a b -o c && cat c/jobs_paired.csv && grep '^all' c/paired.csv
          A     B
  run     a     b
  policy  fifo  srtf

  jobs        3 compared, done in both
  intervals   none: of fewer than 10 jobs they would mean nothing

                     mean A  mean B    B - A  95 % interval  B / A  95 % interval
  wait               76.7 s   0.0 s  -76.7 s              -  0.000              -
  JCT               136.7 s  93.3 s  -43.3 s              -  0.683              -
  slowdown             3.83    1.38    -2.46              -  0.359              -
  bounded slowdown     3.83    1.38    -2.46              -  0.359              -
  run slowdown         1.00    1.00     0.00              -  1.000              -

  job by job        B better    equal  B worse  median B - A
  wait                66.7 %   33.3 %    0.0 %       -90.0 s
  JCT                 66.7 %    0.0 %   33.3 %       -70.0 s
  slowdown            66.7 %    0.0 %   33.3 %         -1.17
  bounded slowdown    66.7 %    0.0 %   33.3 %         -1.17
  run slowdown         0.0 %  100.0 %    0.0 %          0.00

  JCT                     jobs   mean A   mean B  B / A  95 % interval  B better  equal  B worse
  1 GPU                      1  150.0 s   80.0 s  0.533              -   100.0 %  0.0 %    0.0 %
  2-4 GPUs                   2  130.0 s  100.0 s  0.769              -    50.0 %  0.0 %   50.0 %
  isolated q1 <= 20.0 s      1  160.0 s   20.0 s  0.125              -   100.0 %  0.0 %    0.0 %
  isolated q2 <= 60.0 s      1  150.0 s   80.0 s  0.533              -   100.0 %  0.0 %    0.0 %
  isolated q3 <= 100.0 s     1  100.0 s  180.0 s  1.800              -     0.0 %  0.0 %  100.0 %

  files       c/
  job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,run_b,compared
  0,0,2,,0,0,100,180,80,100,100,100,1
  1,10,1,,90,0,150,80,-70,60,60,60,1
  2,20,2,,140,0,160,20,-140,20,20,20,1
  all,,wait,3,76.66666666666667,0,-76.66666666666667,,,0,,,0.666667,0.333333,0,-90
  all,,jct,3,136.66666666666666,93.33333333333333,-43.333333333333336,,,0.6829268292682927,,,0.666667,0,0.333333,-70
  all,,slowdown,3,3.8333333333333335,1.3777776666666666,-2.4555556666666667,,,0.35942026086956524,,,0.666667,0,0.333333,-1.166667
  all,,bounded_slowdown,3,3.8333333333333335,1.3777776666666666,-2.4555556666666667,,,0.35942026086956524,,,0.666667,0,0.333333,-1.166667
  all,,run_slowdown,3,1,1,0,,,1,,,0,1,0,0

# compare-runs-unfinished
One GPU until 12 s. FIFO: d 0-1, a 1-11, b begins. SJF: d 0-1, b 1-5, a begins. Both runs complete
d, each completes one more, neither c. Jobs that only one run completes are counted, not compared.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > d,0,1,1
  > a,0,1,10
  > b,0,1,4
  > c,0,1,20
  > END
  $ horus run t.csv -c 1x1:V100 -p fifo --until=12s -q -o a >/dev/null 2>&1
  $ horus run t.csv -c 1x1:V100 -p sjf --until=12s -q -o b >/dev/null 2>&1
  $ horus compare a b --bootstrap=0
          A     B
  run     a     b
  policy  fifo  sjf

  jobs        1 compared, done in both; not: 1 done in A alone, 1 done in B alone, 1 done in neither

                    mean A  mean B  B - A  95 % interval  B / A  95 % interval
  wait               0.0 s   0.0 s  0.0 s              -      -              -
  JCT                1.0 s   1.0 s  0.0 s              -  1.000              -
  slowdown            1.00    1.00   0.00              -  1.000              -
  bounded slowdown    1.00    1.00   0.00              -  1.000              -
  run slowdown        1.00    1.00   0.00              -  1.000              -

  job by job        B better    equal  B worse  median B - A
  wait                 0.0 %  100.0 %    0.0 %         0.0 s
  JCT                  0.0 %  100.0 %    0.0 %         0.0 s
  slowdown             0.0 %  100.0 %    0.0 %          0.00
  bounded slowdown     0.0 %  100.0 %    0.0 %          0.00
  run slowdown         0.0 %  100.0 %    0.0 %          0.00

  JCT                   jobs  mean A  mean B  B / A  95 % interval  B better    equal  B worse
  1 GPU                    1   1.0 s   1.0 s  1.000              -     0.0 %  100.0 %    0.0 %
  isolated q1 <= 1.0 s     1   1.0 s   1.0 s  1.000              -     0.0 %  100.0 %    0.0 %

# compare-two-runs-wrong
Two operands must be two finished runs; their policies are recorded, so that -p is refused.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,10
  > b,1,1,8
  > c,2,1,2
  > END
  $ horus run t.csv -c 1x1 -q -o a >/dev/null
  $ horus compare a t.csv
  ! error: compare: 't.csv' is no run directory
  !       = hint: two operands are two finished runs; policies are named with -p
  [2]
  $ horus compare a a -p fifo
  ! error: compare: policy has no meaning for two finished runs
  !       = hint: leave it out
  [2]
  $ horus compare a
  ! error: compare: 'a' is a run directory: a second one is missing
  !       = hint: horus compare RUN RUN
  [2]
  $ horus compare t.csv -c 1x1 -p fifo -p sjf --outputs jobs -q -o both >/dev/null
  $ horus compare a both
  ! error: compare: 'both' is a comparison, not a run
  !       = hint: name two of the runs in its runs/ (--outputs=jobs keeps them)
  [2]
  $ horus compare both
  ! error: compare: 'both' is a comparison, not a run
  !       = hint: name two of the runs in its runs/ (--outputs=jobs keeps them)
  [2]
  $ horus verify both
  ! both: error: not a run itself: it holds 2 runs
  !       = hint: name one, such as both/runs/fifo-s1-a1
  [3]
  $ horus compare a elsewhere
  ! elsewhere: error: cannot open: No such file or directory
  !       = hint: two operands are two finished runs; policies are named with -p
  [4]
  $ horus compare both/runs/fifo-s1-a1 both/runs/sjf-s1-a1 -o pair -q >/dev/null
  $ horus compare a pair
  ! error: compare: 'pair' is a comparison of two runs, not a run
  !       = hint: name the two runs themselves
  [2]
  $ horus compare both/runs/fifo-s1-a1 both/runs/sjf-s1-a1 --bootstrap 0 | grep -E '^(JCT|policy)'
  policy  fifo                  sjf
  JCT               15.0 s  13.0 s  -2.0 s              -  0.867              -
  JCT                 33.3 %   33.3 %   33.3 %         0.0 s
  JCT                    jobs  mean A  mean B  B / A  95 % interval  B better    equal  B worse
