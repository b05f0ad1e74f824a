SPDX-License-Identifier: GPL-3.0-or-later

Attempts that fail before a job is done.

# run-retries
J0 fails after 10 s and needs 20 s then, J1 comes at 5 and takes 15 s. attempts: J0 0-10, J1 10-25,
J0 25-45; work of J0 30 s, wait 0. merge ignores the column, also an invalid one: J0 0-30, J1 30-45.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,attempts
  > J0,0,1,30,10/20
  > J1,5,1,15,
  > END
  $ horus run t.csv -c 1x1 --assign=off --retries=attempts --check=full -q -o out >/dev/null
  $ cut -d, -f1,3,7,9,10,21,22,23,38 out/jobs.csv
  job_id,submission_time,starting_time,finish_time,waiting_time,isolated,run,queueing_delay,attempts
  J1,5,10,25,5,15,15,5,1
  J0,0,0,45,0,30,30,15,2
  $ cat out/segments.csv
  job_id,start,end,allocated_resources,mean_rate,tenants,ended_by
  J0,0,10,0,1,1,failure
  J1,10,25,0,1,1,finish
  J0,25,45,0,1,1,finish
  $ grep -o -e '"retries": [0-9][0-9]*' -e '"mean_wait_bound": "a.*"' out/summary.json
  "retries": 1
  "mean_wait_bound": "a job that fails waits again before its next attempt"
  $ sed -i 's,10/20,ten,' t.csv
  $ horus run t.csv -c 1x1 --assign=off --retries=merge -q -o merged >/dev/null
  $ cat merged/segments.csv
  job_id,start,end,allocated_resources,mean_rate,tenants,ended_by
  J0,0,30,0,1,1,finish
  J1,30,45,0,1,1,finish

# run-retries-bad
Attempts that do not add up, attempts that are no times, and traces without attempts.

  $ say() {
  >     printf 'job_id,submit_time,gpus,duration,attempts\nJ0,0,1,30,10/20\nJ1,5,1,15,%s\n' "$1" >t.csv
  >     horus run t.csv -c 1x1 --retries=attempts -q
  > }
  $ for cell in 10/4 10/6 7.5/7.500001 /15 15/ 10//5 -1/16 10/five; do
  >     say "$cell" 2>&1 | head -n 1
  > done
  t.csv:3:11: error: attempts does not add up to duration: '10/4'
  t.csv:3:11: error: attempts does not add up to duration: '10/6'
  t.csv:3:11: error: attempts does not add up to duration: '7.5/7.500001'
  t.csv:3:11: error: attempts is not a list of run times: '/15'
  t.csv:3:11: error: attempts is not a list of run times: '15/'
  t.csv:3:11: error: attempts is not a list of run times: '10//5'
  t.csv:3:11: error: attempts is not a list of run times: '-1/16'
  t.csv:3:11: error: attempts is not a list of run times: '10/five'
  $ say 10/4
  ! t.csv:3:11: error: attempts does not add up to duration: '10/4'
  !     3 | J1,5,1,15,10/4
  !       |           ^~~~
  !       = hint: 10/20 where duration is 30; --retries=merge leaves it alone; --map=attempts= leaves the column alone
  [3]
  $ horus run traces/sample.csv -c 1x1 --retries=attempts -q
  ! traces/sample.csv:1:1: error: no column 'attempts' for --retries=attempts
  !     1 | job_id,user,vc,submit_time,gpus,duration,status
  !       | ^~~~~~
  !       = hint: --retries=merge runs each job once, --retries=generate draws attempts
  [3]
  $ horus run traces/sample-helios.csv -c 1x1 --retries=attempts -q
  ! error: --retries=attempts: the helios format has no attempts
  !       = hint: --retries=merge runs each job once, --retries=generate draws attempts
  [2]
  $ horus run traces/sample-philly.json -c 1x1 --retries=attempts --philly-attempts=split -q
  ! error: --philly-attempts=split makes a job of each attempt: none is left to be submitted again
  !       = hint: leave out --philly-attempts=split, or --retries=attempts
  [2]
  $ horus trace info traces/sample.csv --retries=generate
  ! error: trace info: --retries=generate has no meaning
  !       = hint: trace assign writes jobs with generated attempts
  [2]

# run-retries-generate
Generated attempts precede the recorded run and add to its work; they are the same under every
policy, and the output of `trace assign` replays to the same schedule. The warning counts what
jobs.csv contains: jobs with more than one attempt, attempts beyond the first, work beyond the
durations of the sample.

  $ run() { # DIR OPTION...
  >     horus run "${@:2}" -c 8x8:V100 --max-jobs=200 -q -o "$1" >/dev/null 2>"$1.said"
  > }
  $ run a traces/sample.csv --retries=generate
  $ run b traces/sample.csv --retries=generate -p srtf
  $ cmp a.said b.said
  $ for dir in a b; do
  >     cut -d, -f1,21,38 $dir/jobs.csv | sort >$dir.txt
  >     horus verify $dir | tail -n 1
  > done
  22 checks passed
  22 checks passed
  $ cmp a.txt b.txt
  $ horus trace assign traces/sample.csv --max-jobs=200 -c 8x8:V100 --retries=generate -o t.csv -q \
  >     2>t.said
  $ cmp a.said t.said
  $ run c t.csv --retries=attempts
  $ cmp a/segments.csv c/segments.csv
  $ awk -F, -v recorded="$(awk -F, 'NR > 1 && NR < 202 { sum += $6 } END { print sum }' traces/sample.csv)" '
  >     NR > 1 { work += $21; failures += $38 - 1; jobs += $38 > 1 }
  >     END {
  >         printf "warning: %d of 200 jobs fail %d times before their recorded run: %.1f h of run time " \
  >                "in addition to the trace'"'"'s\n", jobs, failures, (work - recorded) / 3600
  >     }' a/jobs.csv | cmp - a.said

# verify-retries
A failure that is written a second too early, and one that is written as a preemption, do not pass.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,attempts
  > J0,0,1,30,10/20
  > J1,5,1,15,
  > END
  $ horus run t.csv -c 1x1 --retries=attempts -q -o out >/dev/null
  $ horus verify out | grep -e tried -e passed
  ok    jobs fail and are tried again as they should: 2 attempts, 0 differences
  22 checks passed
  $ cp -r out told
  $ sed -i 's/^J0,0,10,0,1,1,failure/J0,0,10,0,1,1,preempt/' told/segments.csv
  $ horus verify told | grep -A2 -e what.segments -e tried | grep -v ^ok
  FAIL  jobs.csv says what segments.csv says: 2 jobs, 1 differences
          jobs.csv:3: job J0: preemptions 0, by segments.csv 1
  --
  FAIL  jobs fail and are tried again as they should: 0 attempts, 2 differences
          jobs.csv:3: job J0: attempts 2, by segments.csv 1
          jobs.csv:3: job J0 is done after 1 attempts, by the trace it takes 2
  ! error: told: 4 of 22 checks failed
  $ sed -i 's/^J0,0,10,/J0,0,9,/' out/segments.csv
  $ horus verify out | grep -A1 -e tried -e done.its -e summary
  FAIL  every finished job has done its work: 2 jobs, 1 differences (1 exactly, 0 within the printed digits of mean_rate)
          job J0 ran 29, 0 of it overhead, for 30 of work
  FAIL  jobs fail and are tried again as they should: 2 attempts, 1 differences
          attempt 1 of job J0 ran 9 for 10 of work
  --
  FAIL  summary.json follows from the rows: 53 figures, 7 differences
          summary.json: mean_queueing_delay is 10, by the rows it is 10.5
          summary.json: mean_run_slowdown is 1, by the rows it is 0.9833335
          summary.json: p50_run_slowdown is 1, by the rows it is 0.966667
  ! error: out: 5 of 22 checks failed
