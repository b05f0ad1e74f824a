SPDX-License-Identifier: GPL-3.0-or-later

The formats gavel and Shockwave's: steps, and a file that says how many a second.

# trace-convert-gavel
25 s at 40 steps a second are 1000 steps, and again 25 s. Without speeds the fields are those of Shockwave,
where any job has its duration; with them a job that the file does not have is an error.

  $ printf '{"v100": {"LM (batch size 5)": {"null": 40}}}\n' >speeds.json
  $ printf 'job_id,submit_time,gpus,duration,model,batch\na,0,2,25,LSTM,5\n' >lm.csv
  $ printf 'job_id,submit_time,gpus,duration\nb,7,1,3.5\n' >any.csv
  $ horus trace convert lm.csv --gavel-throughputs speeds.json -o lm.trace
  ! warning: 1 of 1 jobs lose their job_id: the gavel format has none
  ! note: 1 jobs from csv to gavel
  ! note: assumed: no commands; a mode, static, where it is written as Shockwave's
  $ cat lm.trace
  LM (batch size 5)\t-\t-\t-\t0\t1000\t2\t1\t-1\t0 (esc)
  $ horus trace convert lm.trace --gavel-throughputs speeds.json -o -  --to csv -q | cut -d, -f1-4,8,10
  job_id,submit_time,gpus,duration,model,batch
  0,0,2,25,LSTM,5
  $ horus trace convert any.csv --to gavel -o - -q
  -\t-\t-\t-\t0\t0\t1\tstatic\t1\t-1\t3.5\t7 (esc)
  ! warning: 1 of 1 jobs lose their job_id: the gavel format has none
  $ horus trace convert any.csv --gavel-throughputs speeds.json -o any.trace
  ! error: job 'b' has no model: Gavel's traces need its steps
  !       = hint: without --gavel-throughputs durations are written, in the fields of Shockwave
  [3]
  $ test -e any.trace || echo none
  none

# trace-gavel
1000 steps at 40 a second on 2 GPUs are 25 s, 100 at 2 a second 50 s. Half the GPU time each. Other
formats do not take the option.

  $ printf 'LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t2\t1\t-1\t0\n' >jobs.trace
  $ printf 'A3C\tpython3 main.py\trl\t--max-steps\t0\t100\t1\t5\t1.2\t10\n' >>jobs.trace
  $ cat >throughputs.json <<'END'
  > {"v100": {"('LM (batch size 5)', 2)": {"null": 40}, "('A3C', 1)": {"null": 2}}}
  > END
  $ horus trace info jobs.trace --gavel-throughputs throughputs.json
  trace        jobs.trace (gavel)
  rows         2
  jobs         2
  first        0
  last         10
  span         0 days
  GPU hours    0
  mean demand  10 GPUs over the span
  largest job  2 GPUs
  VCs          0
  users        0
  mini-batch   known of 2 jobs

  outcome              jobs     jobs % GPU time %
  unknown                 2        100        100

  GPUs                 jobs     jobs % GPU time %
  1                       1         50         50
  2                       1         50         50

  duration, seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  1             50        50        50        50        50        50        50        50        50
  2             25        25        25        25        25        25        25        25        25
  all         37.5        25        25        25        50        50        50        50        50

  time between submissions (within the class), seconds
  GPUs        mean        p5       p25       p50       p75       p90       p95       p99       max
  all           10        10        10        10        10        10        10        10        10

  Quantiles are observed values, at most 0.1 % above the exact ones (logarithmic histogram).
  $ horus trace info traces/sample.csv --gavel-throughputs throughputs.json
  ! error: --gavel-throughputs is for the gavel format, not for csv
  !       = hint: leave --gavel-throughputs out
  [2]

# trace-gavel-no-throughputs
Gavel's traces contain steps; the time of a step is in another file, which must be named.

  $ printf 'LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t2\t1\t-1\t0\n' >jobs.trace
  $ horus trace info jobs.trace
  ! jobs.trace:1:48: error: a trace of Gavel has the steps of a job, not their duration
  !     1 | LM (batch size 5)\x09python3 main.py\x09lm\x09--steps\x091\x091000\x092\x091\x09-1\x090
  !       |                                                               ^~~~
  !       = hint: --gavel-throughputs=FILE, one of Gavel's *_throughputs.json
  [2]

# trace-gavel-unknown-job
A job that the file of throughputs does not have is a bad row, which --skip-bad-rows may leave out.

  $ printf 'A3C\tcmd\trl\t--n\t0\t100\t1\t1\t-1\t10\n' >jobs.trace
  $ printf 'LM (batch size 5)\tcmd\tlm\t--n\t1\t1000\t2\t1\t-1\t20\n' >>jobs.trace
  $ printf '{"v100": {"A3C": {"null": 2}}}\n' >throughputs.json
  $ horus trace info jobs.trace --gavel-throughputs throughputs.json | head -2
  ! jobs.trace:2:1: error: throughputs.json has no speed of 'LM (batch size 5)' on 2 GPUs
  !     2 | LM (batch size 5)\x09cmd\x09lm\x09--n\x091\x091000\x092\x091\x09-1\x0920
  !       | ^~~~~~~~~~~~~~~~~
  !       = hint: another of Gavel's *_throughputs.json may have it
  $ horus trace info jobs.trace --gavel-throughputs throughputs.json --skip-bad-rows 50 | head -4
  trace        jobs.trace (gavel)
  rows         2
  jobs         1
  bad rows     1
  ! jobs.trace:2:1: warning: throughputs.json has no speed of 'LM (batch size 5)' on 2 GPUs
  !     2 | LM (batch size 5)\x09cmd\x09lm\x09--n\x091\x091000\x092\x091\x09-1\x0920
  !       | ^~~~~~~~~~~~~~~~~
  !       = hint: another of Gavel's *_throughputs.json may have it
  ! jobs.trace: warning: skipped 1 bad rows of 2: 1 required value missing
