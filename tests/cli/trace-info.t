SPDX-License-Identifier: GPL-3.0-or-later

`horus trace info`.

# trace-bad-batch
A batch is a whole number from 1 on, or nothing; 64.0 is accepted, because programs write it for 64
in a column with empty cells.

  $ for batch in abc -1 0 2.5; do
  >     printf 'job_id,submit_time,gpus,duration,model,batch\na,0,1,10,ResNet18,%s\n' "$batch" >t.csv
  >     horus trace info t.csv
  > done
  ! t.csv:2:19: error: batch is not a whole number from 1 on: 'abc'
  !     2 | a,0,1,10,ResNet18,abc
  !       |                   ^~~
  !       = hint: samples a step; leave it empty for a model without; --map=batch= leaves the column alone
  ! t.csv:2:19: error: batch is not a whole number from 1 on: '-1'
  !     2 | a,0,1,10,ResNet18,-1
  !       |                   ^~
  !       = hint: samples a step; leave it empty for a model without; --map=batch= leaves the column alone
  ! t.csv:2:19: error: batch is not a whole number from 1 on: '0'
  !     2 | a,0,1,10,ResNet18,0
  !       |                   ^
  !       = hint: samples a step; leave it empty for a model without; --map=batch= leaves the column alone
  ! t.csv:2:19: error: batch is not a whole number from 1 on: '2.5'
  !     2 | a,0,1,10,ResNet18,2.5
  !       |                   ^~~
  !       = hint: samples a step; leave it empty for a model without; --map=batch= leaves the column alone
  [3]
  $ printf 'job_id,submit_time,gpus,duration,model,batch\na,0,1,10,ResNet18,64.0\nb,1,1,10,A3C,\n' >t.csv
  $ horus trace assign t.csv -o - 2>/dev/null | cut -d, -f1,8,10
  job_id,model,batch
  a,ResNet18,64
  b,A3C,

# trace-info
Native sample.

  $ horus trace info traces/sample.csv
  trace        traces/sample.csv (csv)
  rows         2000
  jobs         2000
  first        153
  last         427050
  span         4.94 days
  GPU hours    6801.5
  mean demand  57.4 GPUs over the span
  largest job  16 GPUs
  VCs          3
  users        40

  outcome              jobs     jobs % GPU time %
  completed            1194       59.7       67.7
  cancelled             522       26.1       17.4
  failed                284       14.2       14.9

  GPUs                 jobs     jobs % GPU time %
  1                    1103       55.2       15.8
  2                     196        9.8        4.6
  3-4                   261       13.1         14
  5-8                   330       16.5       35.5
  9-16                  110        5.5       30.1

  duration, seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1           3514         4        40       243      1416      8417     14358     62265     71942
  2           2888         3        34       213      1197      7118     11584     53280     56044
  3-4         3276         3        26       164      1246      7062     12619     66470     70560
  5-8         3291         5        43       231      1595      6467     12157     63763     69523
  9-16        4188         3        28       225      1451      9459     38995     66355     66528
  all         3422         4        37       225      1403      7472     13930     62323     71942

  time between submissions (within the class), seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1        386.992         1         7        16       419      1210      2153      4011      8293
  2           2152         2         8        17      2613      7128     11077     30498     32026
  3-4         1624         1         8        16      1923      4611      8315     21261     32349
  5-8         1291         2        10        18      1499      3930      6475     16002     21329
  9-16        3761         3         9        17      5258     11437     19434     29062     32179
  all      213.555         1         8        16       233       659       986      2320      4756

  Quantiles are observed values, at most 0.1 % above the exact ones (logarithmic histogram).

# trace-info-compare
By hand. All durations: a 10 20 30 100, b 10 40 100 100: after 30 s it is 3/4 to 1/4, so 0.5; means
40 and 62.5 (1.5625), medians 25 and 70 (2.8). One GPU: a 10 20 30, b 10 40: 1 to 1/2 after 30 s;
means 20, 25; medians 20, 25. Two to four GPUs: a 100, b 100. Half a GPU in b alone. GPUs: of a
three quarters are at 1 and all at 4; of b 1/4 at 0.5, 3/4 at 1: 0.25; means 7/4 and 6.5/4. Gaps: a
1 1 1, b 2 2 2. Noise: 1.36 sqrt(1/4 + 1/4) = 0.9617, sqrt(1/3 + 1/2) 1.2415, sqrt(2) 1.9233,
sqrt(2/3) 1.1104. Outcomes: 3/4 and 2/4 completed, 1/4 and 1/4 failed, 0 and 1/4 unknown.

  $ cat > a.csv <<'END'
  > job_id,submit_time,gpus,duration,status
  > a,0,1,10,Pass
  > b,1,1,20,Pass
  > c,2,1,30,Failed
  > d,3,4,100,Pass
  > END
  $ cat > b.csv <<'END'
  > name,when,n,length,status
  > a,100,1,10,Pass
  > b,102,1,40,Pass
  > c,104,0.5,100,Failed
  > d,106,4,100,
  > END
  $ horus trace info --compare a.csv b.csv --map job_id=name,submit_time=when,gpus=n,duration=length
  A:
  trace        a.csv (csv)
  rows         4
  jobs         4

  B:
  trace        b.csv (csv)
  rows         4
  jobs         4

            GPUs      values A   values B       KS    noise      mean    median
  duration  all              4          4      0.5   0.9617    1.5625       2.8
            < 1              0          1        -        -         -         -
            1                3          2      0.5   1.2415      1.25      1.25
            2-4              1          1        0   1.9233         1         1
  GPUs                       4          4     0.25   0.9617    0.9286         1
  gap                        3          3        1   1.1104         2         2

  outcome         share A    share B difference
  unknown               0       0.25       0.25
  completed          0.75        0.5       0.25
  failed             0.25       0.25          0
  largest                                  0.25

  KS: largest difference of the two cumulative distributions, over all values. noise: 95 % quantile of
  KS for two samples of these sizes from one distribution. mean, median: B divided by A.
  $ horus trace info --compare - - < a.csv
  ! error: trace info: both traces are standard input
  !       = hint: put one of them into a file
  [2]
  $ horus trace info --compare nowhere.csv a.csv
  ! nowhere.csv: error: cannot open: No such file or directory
  [4]
  $ horus trace convert --compare a.csv a.csv -o b2.csv
  ! error: trace convert: --compare has no meaning
  !       = hint: trace info compares two traces
  [2]

# trace-info-json
Two jobs of 1 and 2 GPUs for 10 and 30 s, submitted 5 s apart: 10 + 60 GPU-seconds, 70 / 5 = 14 GPUs in the mean.

  $ printf 'job_id,submit_time,gpus,duration,user,status\na,0,1,10,ann,Pass\nb,5,2,30,bob,Failed\nc,6,0,1,bob,Pass\n' >t.csv
  $ horus trace info --json t.csv
  {
    "trace": "t.csv",
    "format": "csv",
    "rows": 3,
    "jobs": 2,
    "bad_rows": 0,
    "dropped": [
      {"reason": "CPU job (0 GPUs)", "rows": 1}
    ],
    "rounded_up": 0,
    "reordered": 0,
    "first": 0,
    "last": 5,
    "gpu_seconds": 70,
    "mean_gpus": 14,
    "largest_job": 2,
    "vcs": 0,
    "users": 2,
    "with_step": 0,
    "elastic": 0,
    "outcomes": [
      {"name": "completed", "jobs": 1, "gpu_seconds": 10},
      {"name": "failed", "jobs": 1, "gpu_seconds": 60}
    ],
    "classes": [
      {"name": "auto", "jobs": 2, "gpu_seconds": 70}
    ],
    "gpus": [
      {
        "name": "1",
        "jobs": 1,
        "gpu_seconds": 10,
        "duration": {"mean": 10, "p5": 10, "p25": 10, "p50": 10, "p75": 10, "p90": 10, "p95": 10, "p99": 10, "max": 10},
        "gap": {"mean": null, "p5": null, "p25": null, "p50": null, "p75": null, "p90": null, "p95": null, "p99": null, "max": null}
      },
      {
        "name": "2",
        "jobs": 1,
        "gpu_seconds": 60,
        "duration": {"mean": 30, "p5": 30, "p25": 30, "p50": 30, "p75": 30, "p90": 30, "p95": 30, "p99": 30, "max": 30},
        "gap": {"mean": null, "p5": null, "p25": null, "p50": null, "p75": null, "p90": null, "p95": null, "p99": null, "max": null}
      },
      {
        "name": "all",
        "jobs": 2,
        "gpu_seconds": 70,
        "duration": {"mean": 20, "p5": 10, "p25": 10, "p50": 10, "p75": 30, "p90": 30, "p95": 30, "p99": 30, "max": 30},
        "gap": {"mean": 5, "p5": 5, "p25": 5, "p50": 5, "p75": 5, "p90": 5, "p95": 5, "p99": 5, "max": 5}
      }
    ]
  }
  $ horus trace info --json t.csv --compare t.csv
  ! error: trace info: distances are not printed as JSON
  !       = hint: leave one out
  [2]
  $ horus trace validate --json t.csv
  ! error: trace validate: --json has no meaning
  !       = hint: trace info prints its figures as JSON
  [2]
