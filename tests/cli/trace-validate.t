SPDX-License-Identifier: GPL-3.0-or-later

`horus trace validate`.

# trace-validate
A valid trace against a cluster.

  $ horus trace validate traces/sample.csv -c 8x8:V100
  trace        traces/sample.csv (csv)
  rows         2000
  jobs         2000

  offered load over the span of the submissions
                                  GPUs         jobs  mean GPU demand   load %
  all                               64         2000             57.4     89.6
  VC        vc0                      -          759             22.2        -
  VC        vc1                      -          700             19.5        -
  VC        vc2                      -          541             15.7        -

  0 jobs can never fit the cluster

  0 faults
  run it with: horus run traces/sample.csv --cluster=8x8:V100

# trace-validate-faults
Every error by kind, with a hint.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > 1,0,1,10
  > 2,x,1,10
  > 3,5,one,10
  > 4,6,1,-3
  > 5,7,64,10
  > 6,8,1
  > END
  $ horus trace validate t.csv -c 2x4
  trace        t.csv (csv)
  rows         6
  jobs         2

  1 wrong number of fields
      t.csv:7:6: error: 3 fields where the header has 4
      repair: correct the rows, or skip them with --skip-bad-rows=1%

  1 not a number
      t.csv:4:5: error: gpus is not a number: 'one'
      hint: a whole number such as 8
      repair: correct the rows, or skip them with --skip-bad-rows=1%

  1 not a time
      t.csv:3:3: error: submit_time is not a time: 'x'
      hint: a number, or a date, the year first, and time: 2020-04-01 12:30:00
      repair: correct the rows, or skip them with --skip-bad-rows=1%

  1 out of range
      t.csv:5:7: error: duration is negative
      repair: check --time-unit; else correct the rows, or skip them with --skip-bad-rows=1%

  offered load over the span of the submissions
                                  GPUs         jobs  mean GPU demand   load %
  all                                8            2             92.9   1160.7

  1 jobs can never fit the cluster: a run rejects them
      line 6: job '5' requests 64 GPUs, the cluster has 8

  4 faults
  run it with: horus run t.csv --cluster=2x4 --skip-bad-rows=66.7
  ! t.csv: error: the trace has faults, listed above
  [3]

# trace-validate-types
Sets of GPU types and shares: openb.json has 195 + 204 V100 of 16 and 32 GB and 2 A10, no H100. Job a
requests half a GPU for an hour, in the hour between the first and the last submission: 0.5 GPUs; b requests
8 of 2, which it names twice: 400 %.

  $ cat >pods.csv <<'END'
  > name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
  > a,1000,1024,1,500,V100M16|V100M32,LS,Running,0,3600,0
  > b,1000,1024,8,1000,A10|A10|H100,LS,Running,10,3610,10
  > c,1000,1024,1,1000,H100|H200,LS,Running,3600,3610,3600
  > END
  $ horus trace validate pods.csv -c configs/clusters/openb.json
  trace        pods.csv (openb)
  rows         3
  jobs         3

  offered load over the span of the submissions
                                  GPUs         jobs  mean GPU demand   load %
  all                             6212            3              8.5      0.1
  GPU type  V100M16|V100M32        399            1              0.5      0.1
  GPU type  A10|A10|H100             2            1                8      400
  GPU type  H100|H200                -            1                0        -

  2 jobs can never fit the cluster: a run rejects them
      line 3: job 'b' requests 8 GPUs, GPU type A10|A10|H100 has 2
      line 4: job 'c' requests GPU type 'H100|H200', which the cluster lacks

  0 faults
  run it with: horus run pods.csv --cluster=configs/clusters/openb.json

# trace-validate-command
A run passes over so many bad rows of the first thousand, and of all later: 400 at the head of 2,000 rows are 40 %. Of a row the first fault
is counted: a state that is no outcome, not the utilization behind it, which the run meets once the state has a meaning.

  $ awk 'BEGIN { print "job_id,submit_time,gpus,duration"; for (i = 1; i <= 2000; i++) print i "," i ",1," (i <= 400 ? "x" : 5) }' >t.csv
  $ horus trace validate t.csv 2>&1 | tail -n 1
  run it with: horus run t.csv --skip-bad-rows=40
  $ horus run t.csv --skip-bad-rows=40 -q -o out 2>&1 | grep skipped
  t.csv: warning: skipped 400 bad rows of 2000: 400 not a number
  $ printf 'job_id,submit_time,gpus,duration,status,gpu_util\na,0,1,5,left,N/A\nb,0,1,5,left,1\nc,0,1,5,failed,N/A\nd,0,1,5,failed,1\n' >s.csv
  $ horus trace validate s.csv 2>&1 | tail -n 1
  run it with: horus run s.csv --map-value='state:left=failed' --skip-bad-rows=75
  $ horus run s.csv --map-value='state:left=failed' --skip-bad-rows=75 -q -o s 2>&1 | grep skipped
  s.csv: warning: skipped 2 bad rows of 4: 2 not a number
