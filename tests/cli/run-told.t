SPDX-License-Identifier: GPL-3.0-or-later

Messages of a run about its trace: rejections, columns without effect, demand.

# run-all-rejected
A run in which nothing ran has exit code 3 and keeps its directory; so has a comparison. One job that fits is enough.

  $ printf 'job_id,submit_time,gpus,duration,gpu_type\na,0,9,10,\nb,1,8,10,V100\nc,2,8,10,A100\n' > large.csv
  $ horus run large.csv -c 1x4:V100 -o all -q > /dev/null
  ! warning: job a rejected: it needs more GPUs than the nodes it may use have
  ! warning: job b rejected: it needs more GPUs than the nodes it may use have
  ! warning: job c rejected: no node has its GPU type 'A100'
  ! warning: 3 of 3 jobs were rejected
  !       = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  ! large.csv: error: all 3 jobs were rejected under 'fifo': nothing ran
  !       = hint: is it the right cluster? `horus trace validate TRACE -c CLUSTER` lists the jobs that do not fit, and why
  [3]
  $ horus verify all | head -1
  ok    the output files are as the manifest lists them: 6 files, 0 changed
  $ horus compare large.csv -c 1x4:V100 -p fifo -p sjf -o both 2>&1 | grep -v warning
        = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  large.csv: error: all 3 jobs were rejected under 'fifo': nothing ran
        = hint: is it the right cluster? `horus trace validate TRACE -c CLUSTER` lists the jobs that do not fit, and why
  large.csv on 1x4:V100: 4 GPUs, 1 nodes; 2 policies, 1 run each

  policy  rejected
  fifo           3
  sjf            3
             1.00x

  ratios      to fifo; *: best
  knows       fifo: nothing; may: nothing
              sjf: duration; may: nothing
  rejected    fifo: 2 of 3 jobs: it needs more GPUs than the nodes it may use have
  rejected    fifo: 1 of 3 jobs: no node has its GPU type 'A100'
  rejected    sjf: 2 of 3 jobs: it needs more GPUs than the nodes it may use have
  rejected    sjf: 1 of 3 jobs: no node has its GPU type 'A100'
  files       both/
  $ horus run large.csv -c 1x8:V100 -o some -q 2> /dev/null | grep -e policy -e fifo -e '^rejected'
  policy  mean JCT  mean wait  makespan  rejected  GPU alloc  p99 JCT  p50 JCT  p99 wait  slowdown
  fifo      10.0 s      0.0 s    11.0 s         2     90.9 %   10.0 s   10.0 s     0.0 s      1.00
  rejected    1 of 3 jobs: it needs more GPUs than the nodes it may use have
  rejected    1 of 3 jobs: no node has its GPU type 'A100'
  $ horus report some -o page.html > /dev/null && grep -o 'By reason[^<]*' page.html
  By reason: it needs more GPUs than the nodes it may use have: 1; no node has its GPU type &#39;A100&#39;: 1
  $ horus compare large.csv -c 1x8:V100 -p fifo -p sjf -o other 2> /dev/null | grep -v "^files"
  large.csv on 1x8:V100: 8 GPUs, 1 nodes; 2 policies, 1 run each

  policy  mean JCT  mean wait  rejected  makespan  p99 JCT  p99 wait
  fifo      10.0 s      0.0 s         2    11.0 s   10.0 s     0.0 s
  sjf       10.0 s      0.0 s         2    11.0 s   10.0 s     0.0 s
             1.00x                1.00x     1.00x    1.00x

  finding     The mean JCT is 10.0 s under each.
  pareto      fifo sjf: of mean JCT, p99 JCT
  ratios      to fifo; *: best
  knows       fifo: nothing; may: nothing
              sjf: duration; may: nothing
  rejected    fifo: 1 of 3 jobs: it needs more GPUs than the nodes it may use have
  rejected    fifo: 1 of 3 jobs: no node has its GPU type 'A100'
  rejected    sjf: 1 of 3 jobs: it needs more GPUs than the nodes it may use have
  rejected    sjf: 1 of 3 jobs: no node has its GPU type 'A100'
  $ horus compare large.csv -c 1x4:V100 -p fifo -p sjf -o status > /dev/null 2>&1
  [3]

# run-columns-ignored
Of priority, deadline, class and range of GPUs, those in which jobs differ and which the policy ignores:
gandiva uses priorities and resizes jobs, antman uses classes, neither uses deadlines. A column with a
single value is not reported.

  $ cat > columns.csv <<'END'
  > job_id,submit_time,gpus,duration,priority,deadline,class,gpus_min,gpus_max
  > a,0,1,10,3,100,guaranteed,1,2
  > b,1,1,10,4,,opportunistic,1,1
  > END
  $ for policy in fifo gandiva antman; do horus run columns.csv -c 1x4:V100 -p $policy --force -o out > /dev/null; done
  ! warning: 2 of 2 jobs have a priority: policy 'fifo' ignores it
  !       = hint: its parameter priority=order puts jobs of higher priority first
  ! warning: 1 of 2 jobs have a deadline: policy 'fifo' ignores it
  ! warning: 1 of 2 jobs have a range of GPUs: policy 'fifo' ignores it
  !       = hint: 'horus policies' shows which policies may resize jobs
  ! warning: 2 of 2 jobs have a class: policy 'fifo' ignores it
  !       = hint: its parameter class=order puts guaranteed jobs first
  ! warning: 1 of 2 jobs have a deadline: policy 'gandiva' ignores it
  ! warning: 2 of 2 jobs have a class: policy 'gandiva' ignores it
  ! warning: 2 of 2 jobs have a priority: policy 'antman' ignores it
  ! warning: 1 of 2 jobs have a deadline: policy 'antman' ignores it
  ! warning: 1 of 2 jobs have a range of GPUs: policy 'antman' ignores it
  !       = hint: 'horus policies' shows which policies may resize jobs
  $ sed 's/4,,opp.*/3,,guaranteed,1,1/; s/100,\(.*\),2/,\1,1/' columns.csv > same.csv
  $ horus run same.csv -c 1x4:V100 -o same > /dev/null

# run-warned-of-demand
100 jobs of one GPU for 10 s, one each 10 s, on 8 GPUs: 1000 GPU s over 990 s of 8 GPUs are 12.6 %, and no
job waits. On one GPU, for 10.1 s each, they need 102 %. For 99 jobs there is no message, the table shows as
much.

  $ awk 'BEGIN { print "job_id,submit_time,gpus,duration"; for (i = 0; i < 100; i++) print i "," 10 * i ",1,10" }' > even.csv
  $ horus run even.csv -c 1x8:V100 -o idle > /dev/null
  ! note: no job waited: jobs request 13 % of the GPU time over the span of their submissions, so policies that order jobs cannot differ
  !       = hint: --load=2 submits the jobs in half the time
  $ sed 's/10$/10.1/' even.csv > dense.csv
  $ horus run dense.csv -c 1x1:V100 -o full > /dev/null
  ! note: jobs request 102 % of the GPU time over the span of their submissions: the queue grows all the time, so waits depend on the length of the trace
  !       = hint: --load below 1 submits them in more time
  $ horus run even.csv -c 1x8:V100 --max-jobs 99 -o few > /dev/null
