SPDX-License-Identifier: GPL-3.0-or-later

Runs compared with the schedules recorded in their traces.

# backtest-startup
On two GPUs each job of the log holds its GPUs 10 s longer than its duration. The first half is a and b: the
least trimmed squares are 10 s. Without that a ends at 100 and b at 150: JCTs of 100 and 140 s where 110 and
160 are recorded, root mean square of 10 and 20. Of the rest c would have 160 for 190 and d 40 for 50: 30
and 10. With 10 s every start and end is that of the log.

  $ cat >log.csv <<'END'
  > job_id,submit_time,gpus,duration,start_time,end_time,user,vc
  > a,0,2,100,0,110,ann,x
  > b,10,2,50,110,170,bob,x
  > c,20,1,30,170,210,ann,y
  > d,300,1,40,300,350,bob,x
  > END
  $ horus backtest log.csv -c 1x2 --calibrate=startup -o out -q
  log.csv on 1x2 under fifo: 2 GPUs

  calibrated  on the first 2 of 4 jobs
  start-up    --startup=10s, by least trimmed squares of start to end minus run time
  overcommit  --overcommit=1 (not calibrated)
  error       RMSE of JCT: 15.8 s as given, 0.0 s calibrated; on the rest 22.4 s, 0.0 s
  compared    2 of 2 jobs

                                  mean         p50         p90         p95
    wait        recorded        75.0 s       0.0 s     150.0 s     150.0 s
                simulated       75.0 s       0.0 s     150.0 s     150.0 s
    JCT         recorded       120.0 s      50.0 s     190.0 s     190.0 s
                simulated      120.0 s      50.0 s     190.0 s     190.0 s
    GPUs held   recorded           1.2         2.0         2.0         2.0
                simulated          1.2         2.0         2.0         2.0

  mean JCT    +0.0 %; the error per job has a median of 0.0 % and a 90th percentile of 0.0 %

  vc                         jobs    p95 wait   simulated    mean JCT   simulated               JCT +-
    x                           1       0.0 s       0.0 s      50.0 s      50.0 s    +0.0 %      0.0 %
    y                           1     150.0 s     150.0 s     190.0 s     190.0 s    +0.0 %      0.0 %

  user                       jobs    p95 wait   simulated    mean JCT   simulated               JCT +-
    ann                         1     150.0 s     150.0 s     190.0 s     190.0 s    +0.0 %      0.0 %
    bob                         1       0.0 s       0.0 s      50.0 s      50.0 s    +0.0 %      0.0 %

  time                       jobs    p95 wait   simulated    mean JCT   simulated               JCT +-
    20                          1     150.0 s     150.0 s     190.0 s     190.0 s    +0.0 %      0.0 %
    265                         1       0.0 s       0.0 s      50.0 s      50.0 s    +0.0 %      0.0 %

  limits      during 0.0 % of the recorded waiting as many GPUs of this cluster were idle in the log as the job requested: possible causes are placement, quotas, holds, or machines out of service
              the simulated cluster begins empty: jobs that ran or waited before the first submission are not in the log
              a job that was stopped and resumed counts as running all the time; priorities, dependencies and abandoned waits are not recorded
  files       out/
  $ cat out/backtest_jobs.csv
  job_id,submission_time,gpus,vc,user,outcome,recorded_wait,simulated_wait,recorded_jct,simulated_jct,part
  a,0,2,x,ann,unknown,0,0,110,110,first
  b,10,2,x,bob,unknown,100,100,160,160,first
  c,20,1,y,ann,unknown,150,150,190,190,rest
  d,300,1,x,bob,unknown,0,0,50,50,rest
  $ head -n 3 out/backtest.csv
  group,key,metric,jobs,recorded_mean,recorded_p50,recorded_p90,recorded_p95,simulated_mean,simulated_p50,simulated_p90,simulated_p95,mean_error,p50_error,p90_error
  all,all,wait,2,75,0,150,150,75,0,150,150,0,,
  all,all,jct,2,120,50,190,190,120,50,190,190,0,0,0
  $ horus verify out | tail -n 1
  22 checks passed
  $ horus rerun out | grep backtest
  backtest.csv    f4368725ed05254b  of 'horus backtest': not compared
  backtest_jobs.csv  7d988381f70ef424  of 'horus backtest': not compared

# backtest-overcommit
Four jobs at once on a cluster of two nodes with a GPU each: in the log none waits. With two nodes two
of four wait for 100 s; twice as many nodes repeat the log.

  $ (echo job_id,submit_time,gpus,duration,start_time; for i in 0 1 2 3 4 5 6 7; do
  >     echo "j$i,$((i / 4 * 200)),1,100,$((i / 4 * 200))"; done) >log.csv
  $ horus backtest log.csv -c 2x1 -o out -q | head -n 7
  log.csv on 2x1 under fifo: 4 GPUs, overcommitted 2 times

  calibrated  on the first 4 of 8 jobs
  start-up    --startup=0s (not calibrated)
  overcommit  --overcommit=2, by least squares of JCT in 6 simulations
  error       RMSE of JCT: 70.7 s as given, 0.0 s calibrated; on the rest 70.7 s, 0.0 s
  compared    4 of 4 jobs
  $ horus run log.csv -c 2x1 --overcommit=2 -o run -q | head -n 1
  log.csv (csv) on 2x1: 4 GPUs, 4 nodes
  $ cmp out/jobs.csv run/jobs.csv && horus verify run | tail -n 1
  22 checks passed
  $ horus backtest log.csv -c 2x1 -o json -q --json | jq -c '.calibration, .groups[0].jct, .not_told[0]'
  {"jobs":4,"of":8,"simulations":6,"startup":0,"overcommit":2,"rms_jct":{"first":70.71067811865476,"first_calibrated":0,"rest":70.71067811865476,"rest_calibrated":0}}
  {"recorded":{"mean":100,"p50":100,"p90":100,"p95":100},"simulated":{"mean":100,"p50":100,"p90":100,"p95":100}}
  "run times are measured from start to end and include the start-up, so --startup is not calibrated"
  $ horus run log.csv -c 2x1 --overcommit=0.5 -o half -q | head -n 1
  log.csv (csv) on 2x1: 1 GPUs, 1 nodes

# backtest-limits
What is left out and what a log cannot contain, with figures. b waits from 10 to 20 while one of two GPUs is
idle, its whole request: 10 of the 10 s that jobs waited. c has no start.

  $ cat >log.csv <<'END'
  > job_id,submit_time,gpus,duration,start_time,end_time
  > a,0,1,100,0,100
  > b,10,1,50,20,70
  > c,30,1,50,,
  > END
  $ horus backtest log.csv -c 1x2 --calibrate=none -o out -q
  log.csv on 1x2 under fifo: 2 GPUs

  calibrated  nothing: all jobs are compared
  compared    2 of 3 jobs

                                  mean         p50         p90         p95
    wait        recorded         5.0 s       0.0 s      10.0 s      10.0 s
                simulated        0.0 s       0.0 s       0.0 s       0.0 s
    JCT         recorded        80.0 s      60.0 s     100.0 s     100.0 s
                simulated       75.0 s      50.0 s     100.0 s     100.0 s
    GPUs held   recorded           1.3         1.0         2.0         2.0
                simulated          1.7         2.0         2.0         2.0

  mean JCT    -6.2 %; the error per job has a median of 0.0 % and a 90th percentile of 16.7 %

  time                       jobs    p95 wait   simulated    mean JCT   simulated               JCT +-
    0                           1       0.0 s       0.0 s     100.0 s     100.0 s    +0.0 %      0.0 %
    7.5                         1      10.0 s       0.0 s      60.0 s      50.0 s   -16.7 %     16.7 %

  limits      1 of 3 jobs lack a valid recorded start and end: they are simulated but not compared
              during 100.0 % of the recorded waiting as many GPUs of this cluster were idle in the log as the job requested: possible causes are placement, quotas, holds, or machines out of service
              run times are measured from start to end and include the start-up, so --startup is not calibrated
              the simulated cluster begins empty: jobs that ran or waited before the first submission are not in the log
              a job that was stopped and resumed counts as running all the time; priorities, dependencies and abandoned waits are not recorded
  files       out/
  $ horus run log.csv -c 1x2 -o run -q | head -n 1
  log.csv (csv) on 1x2: 2 GPUs, 1 nodes

# backtest-units
Run times of 10 and 20 minutes, started and ended in seconds: 1,800 s are 60 times 30 s.

  $ printf 'job_id,submit_time,start_time,end_time,gpus,duration\na,0,50,650,1,10\nb,60,60,1260,1,20\n' >minutes.csv
  $ horus backtest minutes.csv -c 1x4:V100 --calibrate=none -q -o out | sed -n 1p
  minutes.csv on 1x4:V100 under fifo: 4 GPUs
  ! minutes.csv: warning: the times from start to end are 60 times the run times: are both in the same unit?
  !       = hint: a column is read in the unit that its name ends in, such as duration_min
  $ sed 1s/duration/duration_min/ minutes.csv >named.csv
  $ horus backtest named.csv -c 1x4:V100 --map=duration=duration_min --calibrate=none -q -o out -f | grep 'mean JCT'
  mean JCT    -2.7 %; the error per job has a median of 0.0 % and a 90th percentile of 7.7 %
  time                       jobs    p95 wait   simulated    mean JCT   simulated               JCT +-

# backtest-refusals
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,5\n' >plain.csv
  $ horus backtest plain.csv -c 1x2
  ! plain.csv: error: no job has a recorded start at or after its submission: there is nothing to compare with
  !       = hint: a csv needs the columns start_time and end_time, or --map=start_time=COLUMN,end_time=COLUMN; 'horus run' does not
  [3]
  $ horus backtest - -c 1x2 <plain.csv
  ! error: backtest reads the trace several times: it cannot be standard input
  !       = hint: put it into a file
  [2]
  $ horus backtest plain.csv -c 1x2 --load=2
  ! error: backtest: the recorded schedule does not apply to a trace changed by --load or --scale-time
  !       = hint: leave --load and --scale-time out
  [2]
  $ horus backtest plain.csv -c 1x2 --retries=generate
  ! error: backtest: attempts of --retries=generate have no recorded times
  !       = hint: --retries=merge or --retries=attempts
  [2]

# backtest-formats
Formats with recorded starts: Slurm's Start, Helios' start_time, the waits of swf. In each the only job
waits for 60 s, and the simulated one does not.

  $ printf 'JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:03:00|gres/gpu=2\n' >slurm.txt
  $ printf 'job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n' >helios.csv
  $ printf '1,u,v,1,1,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 00:02:00,60,60\n' >>helios.csv
  $ printf '; Version: 2.2\n1 0 60 30 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n' >log.swf
  $ for log in slurm.txt helios.csv log.swf; do horus backtest $log -c 1x2 --calibrate=none -o out -f -q >/dev/null
  >     tail -n 1 out/backtest_jobs.csv; done
  1,0,2,,,completed,60,0,180,120,rest
  1,0,1,v,u,completed,60,0,120,60,rest
  1,0,1,1,1,completed,60,0,90,30,rest

# trace-start-to-end
A csv with start and end needs no duration. A job without a start never started, one without an end is dropped as
well; an end before the start is a bad row.

  $ printf 'job_id,submit_time,gpus,start_time,end_time\na,0,1,5,25\nb,1,1,,\nc,2,1,9,\n' >log.csv
  $ horus run log.csv -c 1x2 -o out -q >/dev/null
  ! warning: 1 of 3 rows left out: never started
  ! warning: 1 of 3 rows left out: start or end missing
  $ cut -d, -f1,5 out/jobs.csv
  job_id,requested_time
  a,
  $ horus run log.csv --map start_time=end_time,end_time=start_time -c 1x2 -o out -q -f
  ! log.csv:2:7: error: the end is before the start
  !     2 | a,0,1,5,25
  !       |       ^
  [3]
  $ horus run log.csv --map end_time= -c 1x2 -o out -q -f
  ! log.csv:1:1: error: missing column 'duration'
  !     1 | job_id,submit_time,gpus,start_time,end_time
  !       | ^~~~~~
  !       = hint: the file has: job_id, submit_time, gpus, start_time, end_time; name the columns with --format=csv --map=start_time=start_time,end_time=end_time
  [3]

# backtest-page
The log of backtest-startup without calibration: on the two GPUs a ends at 100, b at 150, c at 180, d at 340: JCTs of 100, 140, 160
and 40 s, 110 in the mean, where 110, 160, 190 and 50 are recorded, 127.5 in the mean: 13.7 % less, and 9.1, 12.5, 15.8 and 20 %
job by job.

  $ cat >log.csv <<'END'
  > job_id,submit_time,gpus,duration,start_time,end_time,user,vc
  > a,0,2,100,0,110,ann,x
  > b,10,2,50,110,170,bob,x
  > c,20,1,30,170,210,ann,y
  > d,300,1,40,300,350,bob,x
  > END
  $ horus backtest log.csv -c 1x2 --calibrate=none -o out -q >/dev/null && horus report out -o out.html >/dev/null
  $ sed -n '/id="backtest"/,/<\/section>/p' out.html >section && grep -o 'The error of the mean JCT is [^<]*' section
  The error of the mean JCT is -13.7 %; the error per job has a median of 12.5 % and a 90th percentile of 20.0 %.
  $ grep -o '<th scope="row">[^<]*</th>.*' section | sed 's/<[^>]*>/ /g; s/  */ /g; s/&#8239;//g; s/ $//' | head -n 12
   wait, recorded 62.5 s 0.0 s 150.0 s 150.0 s
   wait, simulated 55.0 s 0.0 s 130.0 s 130.0 s
   JCT, recorded 127.5 s 110.0 s 190.0 s 190.0 s
   JCT, simulated 110.0 s 100.0 s 160.0 s 160.0 s
   GPUs held, recorded 1.267 2 2 2
   GPUs held, simulated 1.1 1 2 2
   1 2 150.0 s 130.0 s 120.0 s 100.0 s -16.7% 15.8%
   2-4 2 100.0 s 90.0 s 135.0 s 120.0 s -11.1% 9.1%
   x 3 100.0 s 90.0 s 106.7 s 93.3 s -12.5% 12.5%
   y 1 150.0 s 130.0 s 190.0 s 160.0 s -15.8% 15.8%
   ann 2 150.0 s 130.0 s 150.0 s 130.0 s -13.3% 9.1%
   bob 2 100.0 s 90.0 s 105.0 s 90.0 s -14.3% 12.5%
  $ horus run log.csv -c 1x2 -q -o run >/dev/null && horus report run -o run.html >/dev/null && grep -c 'id="backtest"' run.html
  0
  [1]
