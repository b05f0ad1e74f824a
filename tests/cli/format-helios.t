SPDX-License-Identifier: GPL-3.0-or-later

The format helios: SenseTime's log of Slurm.

# helios-bad-date
A month 13.

  $ cat >t.csv <<'END'
  > job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  > 1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > 2,u1,vcA,1,4,1,COMPLETED,2020-13-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > END
  $ horus run t.csv -c 2x8 -o out
  ! t.csv:3:26: error: submit_time is not a time: '2020-13-01 00:00:00'
  !     3 | 2,u1,vcA,1,4,1,COMPLETED,2020-13-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  !       |                          ^~~~~~~~~~~~~~~~~~~
  !       = hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
  [3]

# helios-bad-gpus
A GPU count with letters.

  $ cat >t.csv <<'END'
  > job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  > 1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > 2,u1,vcA,two,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > END
  $ horus run t.csv -c 2x8 -o out
  ! t.csv:3:10: error: gpu_num is not a number: 'two'
  !     3 | 2,u1,vcA,two,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  !       |          ^~~
  !       = hint: a whole number such as 8
  [3]

# helios-missing-column
gpu_num is not there.

  $ cat >t.csv <<'END'
  > job_id,user,vc,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  > 1,u1,vcA,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > END
  $ horus run t.csv -c 2x8 -o out --format helios
  ! t.csv:1:1: error: missing column 'gpu_num'
  !     1 | job_id,user,vc,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  !       | ^~~~~~
  !       = hint: the file has: job_id, user, vc, cpu_num, node_num, state, submit_time, start_time, end_time, duration, queue; name the columns with --format=csv --map=gpus=COLUMN
  [3]

# helios-negative-duration
It ended before it began.

  $ cat >t.csv <<'END'
  > job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  > 1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,-600,0
  > END
  $ horus run t.csv -c 2x8 -o out
  ! t.csv:2:86: error: duration is negative
  !     2 | 1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,-600,0
  !       |                                                                                      ^~~~
  [3]

# helios-unknown-state
A state that Slurm does not have.

  $ cat >t.csv <<'END'
  > job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
  > 1,u1,vcA,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > 2,u1,vcA,1,4,1,CANCELED_BY_CAT,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  > END
  $ horus run t.csv -c 2x8 -o out
  ! t.csv:3:16: error: unknown state 'CANCELED_BY_CAT'
  !     3 | 2,u1,vcA,1,4,1,CANCELED_BY_CAT,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:10:00,600,0
  !       |                ^~~~~~~~~~~~~~~
  !       = hint: COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, SUSPENDED, Pass, Killed or unknown; or --map-value=state:CANCELED_BY_CAT=completed (or failed, cancelled)
  [3]

# trace-info-helios
Helios sample.

  $ horus trace info traces/sample-helios.csv
  trace        traces/sample-helios.csv (helios)
  rows         1000
  jobs         476
  dropped      523 CPU job (0 GPUs)
  dropped      1 still running at the snapshot
  first        2020-05-01 00:15:32
  last         2020-05-03 08:51:55
  span         2.36 days
  GPU hours    1188.6
  mean demand  21 GPUs over the span
  largest job  16 GPUs
  VCs          4
  users        39

  outcome              jobs     jobs % GPU time %
  completed             287       60.3       58.5
  cancelled             112       23.5       29.4
  failed                 77       16.2       12.1

  GPUs                 jobs     jobs % GPU time %
  1                     274       57.6       24.1
  2                      59       12.4        7.3
  3-4                    37        7.8       10.4
  5-8                    75       15.8       39.7
  9-16                   31        6.5       18.4

  duration, seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1           3770         6        57       225      1530      8666     23788     69408     70560
  2           2650         7        28       174       628      6334     13454     59788     59788
  3-4         3014         5        79       442      1257      3308     14082     70675     70675
  5-8         2831         3        35       332      1775      9369     12543     38246     38246
  9-16        1590         1         9       169       788      3381      7534     23328     23328
  all         3282         5        49       250      1365      7534     14282     59788     70675

  time between submissions (within the class), seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1        746.458         5        16       111       913      2114      3545      6941      9072
  2           3381         3        14       363      3669     11924     16159     35023     35023
  3-4         4865        10        42      3314      7131     11027     22709     22913     22913
  5-8         2572         1        18       344      3852      7146     12889     19880     19880
  9-16        5448         4        13        19     10151     15445     33942     40072     40072
  all      429.017         4        15        88       565      1150      1935      3709      4950

  Quantiles are observed values, at most 0.1 % above the exact ones (logarithmic histogram).
