SPDX-License-Identifier: GPL-3.0-or-later

Deadlines in every report. Expected numbers are calculated by hand.

# deadlines-figures
One GPU, fifo: z runs 0-1, y 1-2, neither with a deadline; d never fits; a runs 2-12 and is 2 s early, b 12-14 and is 2 s
late, c 14-17 and is 8 s late. Of 4 jobs with a deadline 3 miss theirs, one of these rejected: 75 %. Lateness -2, 2 and
8 s: mean 8/3, p50 the second, p90 and above the third. a held its GPU for 10 s. JCT 12, 14, 13 s with a deadline, 1
and 2 s without. Rows that ended before the first job with a deadline have the columns, too.

  $ cat >jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,user,vc,deadline
  > z,0,1,1,u1,v1,
  > "y,""q",0,1,1,u1,v1,
  > a,0,1,10,u1,v1,14
  > b,0,1,2,u2,v1,12
  > c,4,1,3,u1,v2,9
  > d,5,9,3,u3,v2,9
  > END
  $ horus run jobs.csv -c 1x1:V100 --assign=off -o out 2>/dev/null | sed -n 3,4p
  policy  mean JCT  mean wait  makespan  rejected  late  missed  SLO JCT  best-effort JCT  GPU alloc
  fifo       8.4 s      5.0 s    17.0 s         1     3  75.0 %   13.0 s            1.5 s    100.0 %
  $ jq -rR 'split(",") | .[-4:] | join(",")' out/jobs.csv
  deadline,lateness,value,value_most
  ,,,
  ,,,
  9,,,
  14,-2,,
  12,2,,
  9,8,,
  $ cat out/deadlines.csv
  kind,name,deadlines,deadline_misses,deadline_rejected,deadline_miss_share,mean_lateness,max_lateness,deadline_met_gpu_seconds,value_kept,value_most
  all,,4,3,1,0.75,2.6666666666666665,8,10,0,0
  vc,v2,2,2,1,1,8,8,0,0,0
  vc,v1,2,1,0,0.5,0,2,10,0,0
  user,u3,1,1,1,1,,,0,0,0
  user,u1,2,1,0,0.5,3,8,10,0,0
  user,u2,1,1,0,1,2,2,0,0,0
  $ jq -r '.metrics | to_entries[] | select(.key | test("deadline|lateness|slo_|best_effort")) | "\(.key) \(.value)"' out/summary.json
  deadlines 4
  deadline_misses 3
  deadline_rejected 1
  deadline_miss_share 0.75
  mean_lateness 2.6666666666666665
  p50_lateness 2
  p90_lateness 8
  p95_lateness 8
  p99_lateness 8
  max_lateness 8
  deadline_met_gpu_seconds 10
  slo_mean_jct 13
  best_effort_mean_jct 1.5
  $ horus verify out | tail -n 5
  ok    lateness follows from the times: 6 jobs, 0 differences
  skip  values are those of the deadlines that were met: no job has deadlines with values
  ok    deadlines.csv follows from the rows: 6 rows, 0 differences
  ok    summary.json follows from the rows: 69 figures, 0 differences
  25 checks passed

Every copy with a different value is found.

  $ cp -r out cut; sed -i 's/,12,2,,$/,12,1,,/' cut/jobs.csv; horus verify cut | grep -A1 FAIL
  FAIL  the output files are as the manifest lists them: 7 files, 1 changed
          jobs.csv is not the file that the manifest lists
  --
  FAIL  lateness follows from the times: 6 jobs, 1 differences
          jobs.csv:6: job b: lateness 1, by its own times 2
  ! error: cut: 2 of 25 checks failed
  $ cp -r out late; sed -i 's/,14,-2,,$/,15,-3,,/' late/jobs.csv; horus verify late | grep -A1 FAIL
  FAIL  the output files are as the manifest lists them: 7 files, 1 changed
          jobs.csv is not the file that the manifest lists
  --
  FAIL  deadlines are those of the trace: 6 jobs, 1 differences
          jobs.csv:5: job a: deadline 15, by the trace 14
  --
  FAIL  deadlines.csv follows from the rows: 6 rows, 3 differences
          deadlines.csv:2: all '' by the rows differs
  --
  FAIL  summary.json follows from the rows: 69 figures, 1 differences
          summary.json: mean_lateness is 2.6666666666666665, by the rows it is 2.3333333333333335
  ! error: late: 4 of 25 checks failed
  $ cp -r out users; sed -i '/u3/d' users/deadlines.csv; horus verify users | grep -A1 FAIL
  FAIL  the output files are as the manifest lists them: 7 files, 1 changed
          deadlines.csv is not the file that the manifest lists
  --
  FAIL  deadlines.csv follows from the rows: 5 rows, 1 differences
          deadlines.csv has 5 rows, by jobs.csv 6
  ! error: users: 2 of 25 checks failed
  $ horus rerun out 2>&1 | awk '/deadlines.csv/ {print $1, $3}'
  deadlines.csv same

# deadlines-options
Soft deadlines, a 0-10, b 10-20, c 20-30, d 30-31 without any, e too large. a is done by 12 s and worth 10 of 10; b by 20 s,
its second option: 5 of 10; c by neither: 0 of 10; e is rejected: 0 of 7. Kept 15 of 37. b has missed its deadline, the first.

  $ cat >jobs.csv <<'END'
  > job_id,submit_time,gpus,duration,deadline_options
  > a,0,1,10,12:10/20:5
  > b,0,1,10,12:10/20:5/40:2.5
  > c,0,1,10,12:10/20:4
  > d,0,1,1,
  > e,0,9,1,5:7
  > END
  $ horus run jobs.csv -c 1x1:V100 -p fifo --assign=off -o out 2>/dev/null | sed -n 3,4p
  policy  mean JCT  mean wait  makespan  rejected  late  missed  value kept  SLO JCT  best-effort JCT
  fifo      22.8 s     15.0 s    31.0 s         1     3  75.0 %      40.5 %   20.0 s           31.0 s
  $ cut -d, -f1,47- out/jobs.csv
  job_id,deadline,lateness,value,value_most
  e,5,,0,7
  a,12,-2,10,10
  b,12,8,5,10
  c,12,18,0,10
  d,,,,
  $ jq -c '.metrics | [.deadlines, .deadline_misses, .value_kept, .value_most, .value_kept_share]' out/summary.json
  [4,3,15,37,0.40540540540540543]
  $ sed -n 2p out/deadlines.csv
  all,,4,3,1,0.75,8,18,10,15,37
  $ horus verify out | tail -n 5
  ok    lateness follows from the times: 5 jobs, 0 differences
  ok    values are those of the deadlines that were met: 4 jobs with options, 0 differences
  ok    deadlines.csv follows from the rows: 3 rows, 0 differences
  ok    summary.json follows from the rows: 69 figures, 0 differences
  26 checks passed
  $ cp -r out other; sed -i '/^b,/s/,5,10$/,10,10/' other/jobs.csv; horus verify other | grep -A1 'FAIL  values'
  FAIL  values are those of the deadlines that were met: 4 jobs with options, 1 differences
          jobs.csv:4: job b: value 10 of 10, by the trace 5 of 10
  ! error: other: 4 of 26 checks failed

Twice the time doubles the values of the lists; missing entries are reported.

  $ horus trace convert jobs.csv --scale-time=2 -o two.csv 2>/dev/null; cut -d, -f1,18,32 two.csv
  job_id,deadline,deadline_options
  a,24,24:10/40:5
  b,24,24:10/40:5/80:2.5
  c,24,24:10/40:4
  d,,
  e,10,10:7
  $ horus trace convert jobs.csv --to helios -o helios.csv 2>&1 | grep options
  warning: 4 of 5 jobs lose their deadline_options: the helios format has none
  $ printf 'job_id,submit_time,gpus,duration,deadline_options\na,0,1,10,12:10/11:5\n' >bad.csv
  $ horus run bad.csv -c 1x1
  ! bad.csv:2:10: error: deadline_options is not a list of times and values: '12:10/11:5'
  !     2 | a,0,1,10,12:10/11:5
  !       |          ^~~~~~~~~~
  !       = hint: at most 64 in order of time, e.g. 60:10/90:2.5: done 60 s after submission, it is worth 10; --map=deadline_options= leaves the column alone
  [3]

# deadlines-chronus
Lists of minutes by the names of Chronus; a job of the best effort whose list repeats its submission has none. The first job
is done after 30 minutes, by 31: 10. The second waits for it and takes 60: worth 5 by 61.

  $ cat >jobs.csv <<'END'
  > job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
  > 0,u,1,10,1,vgg16,30,0,31-40,10-5,0,soft
  > 1,u,1,10,1,vgg16,30,0,31-61,10-5,0,soft
  > 2,u,1,10,1,vgg16,30,0,10,10,1,best
  > END
  $ horus run jobs.csv -c 1x1:V100 -p edf --assign=off -q -o out >/dev/null 2>&1
  $ cut -d, -f1,47- out/jobs.csv
  job_id,deadline,lateness,value,value_most
  0,1860,-60,10,10
  1,1860,1740,5,10
  2,,,,
  $ horus verify out | tail -n 1
  26 checks passed

# deadlines-none
If no job has a deadline there are no columns, no figures, no file and no section.

  $ printf 'job_id,submit_time,gpus,duration,deadline\na,0,1,10,\n' >jobs.csv
  $ horus run jobs.csv -c 1x1:V100 --assign=off -q -o out >/dev/null
  $ head -n 1 out/jobs.csv | grep -o '[^,]*$'
  gpu_mem_from
  $ jq -r '.metrics | keys[] | select(test("deadline|lateness|slo_|best_effort"))' out/summary.json
  deadline_misses
  deadlines
  $ test -e out/deadlines.csv
  [1]
  $ horus report out -o r.html >/dev/null; grep -c '#deadlines' r.html
  0
  [1]

# deadlines-window
Jobs outside of the window of --warmup count as jobs and as misses, not in the distribution.

  $ printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,10,9 b,5,1,10,25 c,6,1,5, >jobs.csv
  $ horus run jobs.csv -c 1x1:V100 --assign=off --warmup=1s -q -o out >/dev/null 2>&1
  $ jq -c '.metrics | [.deadlines, .deadline_misses, .mean_lateness, .slo_mean_jct, .best_effort_mean_jct]' out/summary.json
  [2,1,-5,15,19]
  $ horus verify out | tail -n 1
  25 checks passed

# deadlines-horizon
A job cut by the horizon has missed a deadline before it, but not a later one.

  $ printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,100,10 b,0,1,100,30 >jobs.csv
  $ horus run jobs.csv -c 1x2:V100 --assign=off --until=20s -q -o out >/dev/null 2>&1
  $ jq -c '.metrics | [.deadlines, .deadline_misses, .mean_lateness]' out/summary.json
  [2,1,null]
  $ jq -r .absent.mean_lateness out/summary.json
  no job with a deadline was completed inside the window
  $ horus verify out | tail -n 1
  25 checks passed

# deadlines-compare
Of two policies, and of a sweep over the rule, where points without deadlines have empty cells. On one GPU
edf runs a at 0-1, c at 1-2 and b at 2-12: no job is late. By fifo, whatever is drawn, a (0-1) and b (1-11,
due by 12 at the earliest) meet theirs and c (11-12, due by 10 at the latest) does not: 11 GPU s of jobs on
time.

  $ printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,1,1 b,0,1,10,30 c,0,1,1,2 >jobs.csv
  $ horus compare jobs.csv -c 1x1:V100 --assign=off -p fifo -p edf -o out 2>/dev/null | sed -n 3,6p
  policy  mean JCT    mean wait     late    makespan  missed    SLO JCT    p99 lateness    p99 JCT
  fifo       8.0 s        4.0 s        1      12.0 s  33.3 %      8.0 s          10.0 s     12.0 s
  edf        5.0 s *      1.0 s *      0 *    12.0 s   0.0 % *    5.0 s *         0.0 s *   12.0 s
            0.625x       0.250x    0.00x       1.00x   0.00x     0.625x           0.00x      1.00x
  $ grep -E ',(deadline_misses|p99_lateness|slo_mean_jct),' out/compare.csv
  fifo,deadline_misses,1,1,,,1,,,1
  fifo,p99_lateness,s,10,,,1,,,1
  fifo,slo_mean_jct,s,8,,,1,,,1
  edf,deadline_misses,1,0,,,0,,,1
  edf,p99_lateness,s,0,,,0,,,1
  edf,slo_mean_jct,s,5,,,0.625,,,1
  $ horus report out -o r.html >/dev/null; grep -c '<section id="deadlines">' r.html
  1
  $ cut -d, -f1-4 jobs.csv >plain.csv
  $ cat >grid.json <<'END'
  > {"config": {"trace": "plain.csv", "cluster": "1x1:V100", "policy": "fifo", "assign": "off"},
  >  "grid": {"deadlines": ["trace", "gavel"]}}
  > END
  $ horus sweep grid.json -o sweep >/dev/null 2>&1
  $ awk -F, '{for (i = 1; i <= NF; i++) if (NR == 1) name[i] = $i; else if (name[i] ~ /^deadline/) print NR - 1, name[i], $i}' <(sed 's/"[^"]*"//g' sweep/sweep.csv)
  1 deadlines 0
  1 deadline_misses 0
  1 deadline_rejected\x20 (esc)
  1 deadline_miss_share\x20 (esc)
  1 deadline_met_gpu_seconds\x20 (esc)
  2 deadlines 3
  2 deadline_misses 1
  2 deadline_rejected 0
  2 deadline_miss_share 0.3333333333333333
  2 deadline_met_gpu_seconds 11

# deadlines-plot
The distribution as a figure.

  $ printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,10,14 b,0,1,2,8 >jobs.csv
  $ horus run jobs.csv -c 1x1:V100 --assign=off -q -o out >/dev/null 2>&1
  $ horus plot cdf out --metric=lateness -o fig.svg; grep -c 'Lateness: end - deadline' fig.svg
  fig.svg
  1

# deadlines-milp-falls-back
A lease program that is abandoned after one iteration is planned greedily, which the run reports once.

  $ printf 'job_id,submit_time,gpus,duration,deadline\n' >t.csv
  $ for i in 1 2 3 4 5 6; do echo "j$i,0,2,3600,$((i * 5400))" >>t.csv; done
  $ horus run t.csv -c 1x4 -p chronus:solver=milp,iterations=1 -q -o out >/dev/null
  ! warning: policy 'chronus', t = 1200.000000 s: a program of leases is not solved within `iterations`: it, and others that are not, are planned greedily

# deadlines-page
The page of a run with deadlines draws by how much jobs were late.

  $ horus run traces/sample.csv -p edf --deadlines=gavel --report -q -o out >/dev/null 2>&1
  $ grep -o 'Share of the completed jobs with at most this lateness' out/report.html
  Share of the completed jobs with at most this lateness

# deadlines-at-once
A deadline at the first submission is like any other: the job is 10 s late.

  $ printf 'job_id,submit_time,gpus,duration,deadline\na,0,1,10,0\n' >t.csv
  $ horus run t.csv -c 1x1 -p edf --assign=off -q -o out >/dev/null
  $ jq -rR 'split(",") | .[-4:-2] | join(",")' out/jobs.csv
  deadline,lateness
  0,10
