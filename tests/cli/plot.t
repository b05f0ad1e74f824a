SPDX-License-Identifier: GPL-3.0-or-later

`horus plot`: its messages. (What the figures show: tests/scripts/test-plots.sh.)

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\nc,2,1,2\n' >t.csv
  $ horus run t.csv -c 1x1 -q -o run >/dev/null

# plot-written
A figure is replaced only with --force; - is standard output.

  $ horus plot cdf run
  figure.svg
  $ horus plot cdf run
  ! figure.svg: error: this file exists
  !       = hint: give --force to replace it, or another name
  [4]
  $ horus plot cdf run --force -o - | cmp - figure.svg
  $ head -c 4 figure.svg
  <svg (no-eol)

# plot-wrong-words
An unknown kind, an unknown form of file, options that the kind does not take.

  $ horus plot
  ! error: plot: KIND RUN... is missing
  !       = hint: usage: horus plot [options] KIND RUN...
  [2]
  $ horus plot cdf
  ! error: plot: KIND RUN... is missing
  !       = hint: usage: horus plot [options] KIND RUN...
  [2]
  $ horus plot pie run
  ! error: plot: unknown kind of a figure 'pie'
  !       = hint: did you mean 'time'?
  [2]
  $ horus plot cdf run -o figure.jpg
  ! figure.jpg: error: the name of a figure must end in .svg, .pdf, .png or .csv
  [2]
  $ horus plot cdf run --metric=mood
  ! error: no metric 'mood' of a cdf: jct, wait, slowdown, queueing_delay, run_slowdown or lateness
  [2]
  $ horus plot cdf run --metric=jct,wait,jct,wait,jct,wait,jct
  ! error: --metric has at most 6 names
  [2]
  $ horus plot classes run --metric=mean_mood
  ! error: classes have no metric 'mean_mood'
  !       = hint: see 'Classes' in results/README.md
  [2]
  $ horus plot time run --metric=jct
  ! error: a figure of kind 'time' takes no --metric
  !       = hint: 'horus help plot' lists the options of each kind
  [2]
  $ horus plot cdf run run run run run run run run run
  ! error: a figure has at most 8 runs or policies, not 9
  !       = hint: name only some of them
  [2]
  $ ls
  configs
  run
  t.csv
  tests
  traces

# plot-wrong-runs
Operands that are no runs, and runs without data for the kind.

  $ horus plot cdf nowhere
  ! nowhere: error: cannot open: No such file or directory
  [4]
  $ mkdir empty
  $ horus plot cdf empty
  ! empty: error: not a finished run: there is no manifest.json in it
  !       = hint: the manifest is written last: without it a run was cut short
  [3]
  $ horus run t.csv -c 1x1 --outputs=summary -q -o short >/dev/null
  $ horus plot cdf short
  ! short: error: there is no jobs.csv: --outputs left it out
  !       = hint: repeat it with --outputs=all
  [3]
  $ horus plot time short
  ! short: error: there is no series.csv: --outputs left it out
  !       = hint: repeat it with --outputs=all
  [3]
  $ horus run t.csv -c 1x1 --until=1s -q -o early >/dev/null
  ! warning: jobs not finished at the end of the simulation: 2
  $ horus plot cdf early
  ! error: no run has a completed job inside the window of --warmup and --cooldown
  [3]
  $ horus run traces/sample.csv -c 8x8 --max-jobs=501 -q -o long >/dev/null
  $ horus plot gantt long
  ! fifo: error: 501 placements; a Gantt chart has at most 500
  !       = hint: draw it as 'heat', or a shorter run
  [3]
  $ horus plot classes run --by=class
  ! error: no run has classes by 'class'
  !       = hint: --by is gpus, vc, user_quintile, outcome or class
  [3]
  $ ls
  configs
  early
  empty
  long
  run
  short
  t.csv
  tests
  traces

# plot-other-jobs
Runs of other jobs are drawn beside each other, with a message.

  $ horus run t.csv -c 1x1 -p sjf --max-jobs=2 -q -o fewer >/dev/null
  $ horus plot cdf run fewer
  ! warning: fifo and sjf are of different jobs: not only the policy differs
  !       = hint: 'horus compare' runs policies on one trace
  figure.svg
  $ cp t.csv u.csv && horus run u.csv -c 1x1 -p sjf -q -o other >/dev/null
  $ horus report run other -o page.html | sed 's/([0-9]* bytes)//'
  page.html\x20 (esc)
  ! warning: fifo and sjf are of different jobs: not only the policy differs
  !       = hint: 'horus compare' runs policies on one trace
  $ horus run t.csv -c 1x1 -p sjf -q -o same >/dev/null && horus plot cdf run same --force
  figure.svg

# plot-wrong-sweep
A sweep is no run, and a run no sweep; a key that was not swept, a column that sweep.csv lacks.

  $ echo '{"config": {"trace": "t.csv", "cluster": "1x1"}, "grid": {"policy": ["fifo", "sjf"], "load": [1, 2]}}' >e.json
  $ horus sweep e.json -q -o swept >/dev/null
  $ horus plot sweep run
  ! error: a figure of kind 'sweep' needs the directory of a sweep
  [2]
  $ horus plot cdf swept
  ! error: a figure of kind 'cdf' needs runs, or a comparison
  [2]
  $ horus plot sweep swept --x=colour --metric=mean_jct
  ! swept/sweep.csv: error: 'colour' was not swept; there are: policy load
  [3]
  $ horus plot sweep swept --metric=mood
  ! swept/sweep.csv:1:1: error: there is no column 'mood'
  !     1 | point,run,state,exit,axis_policy,axis_load,workload,cluster,seed,policy,order,scan,placement,preempt...
  !       | ^~~~~
  [3]
  $ ls
  configs
  e.json
  run
  swept
  t.csv
  tests
  traces

# plot-without-converter
PDF and PNG need rsvg-convert.

  $ PATH=/nowhere "$HORUS" plot cdf run -o figure.pdf
  ! error: rsvg-convert is not installed: it makes pdf of the figure
  !       = hint: install it (Debian: apt-get install librsvg2-bin), or write .svg
  [4]
  $ ls
  configs
  run
  t.csv
  tests
  traces

# plot-pareto
On one GPU a runs 100 s, b and c are submitted at 1 and 2 s for 10 and 20: under fifo they end at 100, 110
and 130, JCTs of 100, 109 and 128; under srtf b at 11, c at 31, a at 130: 130, 10 and 29. With 50 s for each
start fifo is dominated in both metrics: the line has one step, from srtf (56.3 and 130 s) to fifo (112.3
and 128 s).

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv
  $ for p in fifo srtf; do horus run t.csv -c 1x1 -p $p -q -o $p >/dev/null; done; horus run t.csv -c 1x1 --startup=50s -q -o slow >/dev/null
  ! warning: 54 % of the GPU time of jobs is overhead of starts, switches, preemptions and moves, not work
  !       = hint: longer quanta or rounds, fewer preemptions or a smaller cost help (parameters in 'horus policies NAME', and --startup)
  $ horus plot pareto fifo srtf slow -o p.svg && grep -o '<title>[^<]*' p.svg
  p.svg
  <title>no other is better in one and as good in the other
  <title>fifo: mean JCT 112.3 s, p99 JCT 128.0 s
  <title>srtf: mean JCT 56.3 s, p99 JCT 130.0 s
  <title>slow: mean JCT 212.3 s, p99 JCT 278.0 s
  $ grep -o 'd="[^"]*"><title>no other' p.svg | sed 's/[0-9]//g'
  d="M hv"><title>no other
  $ horus plot pareto fifo srtf -o p.svg --metric=mean_jct --force
  ! error: a figure of this kind has two metrics
  !       = hint: --metric=mean_jct,fairness_jain
  [2]
  $ horus plot pareto fifo srtf -o p.svg --metric=mean_jct,mood --force
  ! error: fifo has no 'mood'
  [3]

# plot-points
The points of a figure as CSV. For the same runs, JCTs of 100, 109, 128 and of 130, 10, 29 s; waits of 0,
99, 108 and of 0, 0, 9 s: a curve begins with the share at the left edge of the axis. For values over time
the sums over it: 130 GPU seconds; 207 job seconds of waiting, which are GPU seconds as each requests one;
under srtf 9 of c, and 30 of a, which b and c suspend.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv
  $ for p in fifo srtf; do horus run t.csv -c 1x1 -p $p -q -o $p >/dev/null; done
  $ points() { horus plot $1 fifo srtf -o p.csv --force ${2:+--metric=$2} | cmp - <(echo p.csv) && sed 's/\.\([0-9][0-9]\)[0-9]*/.\1/g' p.csv; }
  $ points cdf jct,wait
  series,part,x_name,x,x_end,y_name,y,lower,upper
  fifo,,jct_s,10,,share,0,,
  fifo,,jct_s,100,,share,0.33,,
  fifo,,jct_s,109,,share,0.66,,
  fifo,,jct_s,128,,share,1,,
  srtf,,jct_s,10,,share,0.33,,
  srtf,,jct_s,29,,share,0.66,,
  srtf,,jct_s,130,,share,1,,
  fifo,,wait_s,1,,share,0.33,,
  fifo,,wait_s,99,,share,0.66,,
  fifo,,wait_s,108,,share,1,,
  srtf,,wait_s,1,,share,0.66,,
  srtf,,wait_s,9,,share,1,,
  $ points classes mean_jct,mean_wait
  series,part,x_name,x,x_end,y_name,y,lower,upper
  fifo,,gpus,1,,mean_jct_s,112.33,,
  srtf,,gpus,1,,mean_jct_s,56.33,,
  fifo,,gpus,1,,mean_wait_s,69,,
  srtf,,gpus,1,,mean_wait_s,3,,
  $ points gantt
  series,part,x_name,x,x_end,y_name,y,lower,upper
  fifo,a,time_s,0,100,gpu,0.5,0,1
  fifo,b,time_s,100,110,gpu,0.5,0,1
  fifo,c,time_s,110,130,gpu,0.5,0,1
  srtf,a,time_s,0,1,gpu,0.5,0,1
  srtf,b,time_s,1,11,gpu,0.5,0,1
  srtf,c,time_s,11,31,gpu,0.5,0,1
  srtf,a,time_s,31,130,gpu,0.5,0,1
  $ points pareto
  series,part,x_name,x,x_end,y_name,y,lower,upper
  fifo,front,mean_jct_s,112.33,,p99_jct_s,128,,
  srtf,front,mean_jct_s,56.33,,p99_jct_s,130,,
  $ sums() { awk -F, 'NR > 1 { sum[$1 " " $2 " " $6] += $7 * ($5 - $4) } END { for (of in sum) printf "%s %.2f\n", of, sum[of] }' p.csv | sort; }
  $ for kind in time waits heat; do points $kind >/dev/null && sums; done
  fifo gpus_held gpus 130.00
  fifo waiting jobs 207.00
  srtf gpus_held gpus 130.00
  srtf waiting jobs 39.00
  fifo resources gpus 207.00
  srtf resources gpus 39.00
  fifo n0 jobs_per_gpu 130.00
  srtf n0 jobs_per_gpu 130.00

# plot-classes-of-seeds
Of a comparison the means over its runs: here those of the jobs of both, as each run has all of them.

  $ horus compare traces/sample.csv -c 8x8:V100 -p sjf:pred=noisy --max-jobs 300 --load 2 --seeds 1..2 --outputs all \
  >     -q -o two >/dev/null 2>&1
  $ horus plot classes two --metric=mean_jct -o two.csv >/dev/null
  $ means() { awk -F, -v of=$1 '$4 == of { sum += $11; jobs++ } END { printf "%.3f\n", sum / jobs }' $2; }
  $ for run in two/runs/*; do means 1 $run/jobs.csv; done | uniq | wc -l
  2
  $ awk -F, '$4 == 1 { printf "%.3f\n", $7 }' two.csv | diff - <(means 1 <(cat two/runs/*/jobs.csv))

# plot-ends
After its end a run holds nothing, and unknown utilization is not drawn: of 10 s of one GPU beside 130.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,1,1,10\nc,2,1,20\n' >t.csv && printf 'job_id,submit_time,gpus,duration\nb,0,1,10\n' >b.csv
  $ for t in t b; do horus run $t.csv -c 1x1 -q -o $t >/dev/null; done
  $ horus plot time t b -o p.csv && awk -F, 'NR > 1 { sum[$1 " " $2] += $7 * ($5 - $4) } END { for (of in sum) printf "%s %.2f\n", of, sum[of] }' p.csv | sort
  p.csv
  b gpus_held 10.00
  b waiting 0.00
  t gpus_held 130.00
  t waiting 207.00
  ! warning: t and b are of different jobs: not only the policy differs
  !       = hint: 'horus compare' runs policies on one trace
  $ horus plot time t b -o - | grep -c utilization
  0
  ! warning: t and b are of different jobs: not only the policy differs
  !       = hint: 'horus compare' runs policies on one trace
  [1]

# plot-faults
n0 is out from 4 to 6 s of 18: 16 of 18 s of availability, a second of work lost. One job is stopped.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,5\n' >t.csv
  $ printf 'time,node,event\n4,n0,down\n6,n0,up\n' >e.csv
  $ horus run t.csv -c 1x1 --events e.csv --checkpoint-interval=3s -q -o out >/dev/null
  $ horus plot faults out -o - | grep -oE 'availability[^<]*|jobs stopped[^<]*|GPUs out[^<]*'
  GPUs out of service, free
  jobs stopped by failures
  availability 88.89 %, 0.000278 GPU h lost
  $ horus plot faults out -o p.csv
  p.csv
  $ awk -F, 'NR > 1 { sum[$2 " " $6] += $6 == "jobs" ? $7 : $7 * ($5 - $4) } END { for (of in sum) printf "%s %.2f\n", of, sum[of] }' p.csv | sort
  gpus_held gpus 16.00
  gpus_out gpus 2.00
  stopped_by_fault jobs 1.00
  $ horus plot gantt out -o - | grep -oE 'failed or killed|taken off its GPUs'
  failed or killed
  $ horus report out -o page.html 2>/dev/null >/dev/null
  $ grep -c '<h2>Failures and drains</h2>' page.html
  1
  $ grep -oE '(failures: work|GPU-hours lost)[^<"]*' page.html | sort -u
  GPU-hours lost by cause
  failures: work since the last checkpoint
  $ horus run t.csv -c 1x1 -q -o calm >/dev/null
  $ horus plot faults calm -o -
  ! error: no run has machines that fail or are drained
  !       = hint: runs with --events or --faults
  [3]
  $ horus report calm -o calm.html 2>/dev/null >/dev/null
  $ grep -c 'Failures and drains' calm.html
  0
  [1]
