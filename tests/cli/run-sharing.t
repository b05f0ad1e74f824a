SPDX-License-Identifier: GPL-3.0-or-later

Jobs that share a GPU: parts of it, turns, interference.

# run-interference-noise
a beside b was measured (1.25), b beside a is fitted (2, with an RMSE of 0.06): noise changes b
alone, by a draw of the seed. Without it a takes 125 s, b has done 62.5 s by then and needs 37.5 s
more. A noise without effect causes a warning.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,model,batch
  > a,0,1,100,Alpha,32
  > b,0,1,100,Beta,
  > END
  $ M=tests/support/models
  $ run() {
  >     horus run t.csv -p pack --profiles $M/profiles.csv --models "$1,$M/predictor.json" \
  >         --assign columns -o out --force "${@:2}"
  > }
  $ for noise in 0 1; do
  >     rm -f a b
  >     for seed in 1 2 3 1; do
  >         run $M/interference.json -c 1x1:V100 -q --interference-noise $noise --seed $seed >/dev/null
  >         grep '^a' out/jobs.csv | cut -d, -f22 >>a
  >         grep '^b' out/jobs.csv | cut -d, -f22 >>b
  >     done
  >     echo "noise $noise: a runs $(sort -u a), b in $(sort -u b | wc -l) ways"
  >     [ $noise = 1 ] || cat b
  > done
  noise 0: a runs 125.000001, b in 1 ways
  162.500001
  162.500001
  162.500001
  162.500001
  noise 1: a runs 125.000001, b in 3 ways
  $ run $M/interference.json -c 1x1:V100 --interference-noise 1 | grep sharing
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs 0.060, others 0.080); noise 1 x RMSE
  $ run $M/interference.json -c 1x1:P100 --interference-noise 0.5 --gamma 2 | grep sharing
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs unknown, others unknown); noise 0.5 x RMSE (others 0.080); gamma 2
  $ run $M/interference.json -c 1x1:V100 --interference const:0.2 --interference-noise 1 >/dev/null
  ! note: interference_noise has no effect: interference const:0.2 is nothing measured
  $ sed 's/"rmse": [0-9.]*/"rmse": null/' $M/interference.json >untold.json
  $ run untold.json -c 1x1:V100 --interference-noise 1 >/dev/null
  ! warning: interference_noise has no effect on V100: the model file has no error of the speeds there
  !       = hint: "holdout" of its table and of "general"

# run-shares
Shares of GPUs from the trace to the rows. By hand: a opens GPU 0 (0.5), b fits there (0.3), c has
GPU 1 whole until 11, d wants 0.6 and waits for it; e wants half of two GPUs: GPU 0 has room again
when b ends at 50, and GPU 1, which d leaves at 31, is idle. GPU-s: 50 + 15 + 10 + 12 + 2 x 10;
allocated 107 of 2 x 100. Held: GPU 0 100 s, GPU 1 [1, 31) and [50, 70): 150 of 200.

  $ cat >t.csv <<'CSV'
  > job_id,submit_time,duration,gpus,gpu_milli
  > a,0,100,0.5,
  > b,0,50,0.3,
  > c,1,10,1,
  > d,2,20,0.6,
  > e,3,20,2,500
  > CSV
  $ horus run t.csv -c 1x2:V100 -p fifo --assign=off --check=full -o out | grep shares
  shares      4 of 5 jobs have shares of GPUs, reserved
  $ cut -d, -f1,4,7,9,13,24,31,44 out/jobs.csv
  job_id,requested_number_of_resources,starting_time,finish_time,allocated_resources,colocated,gpu_seconds,gpu_share
  c,1,1,11,1,0,10,1
  d,1,11,31,1,0,12,0.6
  b,1,0,50,0,0,15,0.3
  e,2,50,70,0-1,0,20,0.5
  a,1,0,100,0,0,50,0.5
  $ grep -e '"gpu_allocated_share"' -e '"gpu_allocation"' -e '"gpu_sharing"' out/summary.json | head -3
      "gpu_allocation": 0.75,
      "gpu_sharing": 0,
      "gpu_allocated_share": 0.535,
  $ horus verify out | tail -1
  22 checks passed

One thousandth more than there is; less GPU time; another share.

  $ sed 's/^\(b,.*\),0.3,/\1,0.501,/' out/jobs.csv >tampered
  $ mv tampered out/jobs.csv
  $ horus verify out | grep -A3 FAIL
  FAIL  the output files are as the manifest lists them: 6 files, 1 changed
          jobs.csv is not the file that the manifest lists
  ok    the trace is the one that was simulated: 1 file, 0 changed
  ok    every segment is of a job of the trace: 5 segments, 0 of unknown jobs
  --
  FAIL  no GPU is held twice: 5 segments, 1 overlaps
          segments.csv:6: the shares of GPU 0 at 0 are 1001 thousandths of it
  ok    no GPU gives more time than it has: 4 busy periods, 0 overused
  skip  every GPU is of a type that its job wants: no job that ran wants GPUs of a certain type
  --
  FAIL  jobs.csv says what the trace says: 5 jobs, 1 differences
          jobs.csv:4: job b: thousandths of gpu_share 501, by the trace 300
  FAIL  jobs.csv says what segments.csv says: 5 jobs, 1 differences
          jobs.csv:4: job b: gpu_seconds 15, by segments.csv 25.05
  ok    waits and turnarounds follow from the times: 5 jobs, 0 differences
  ok    slowdowns follow from the times: 5 jobs, 0 differences
  --
  FAIL  summary.json follows from the rows: 53 figures, 1 differences
          summary.json: gpu_allocated_share is 0.535, by the rows it is 0.58525
  ! error: out: 5 of 22 checks failed

A policy that cannot divide a GPU allocates a whole one, and the run states it.

  $ horus run t.csv -c 1x2:V100 -p srtf --assign=off -o whole | grep shares
  shares      4 of 5 jobs request shares of GPUs and have whole ones
  ! warning: 4 of 5 jobs request a share of a GPU and get whole GPUs: policy 'srtf' does not divide GPUs
  !       = hint: 'horus policies' shows which policies may divide GPUs
  $ grep -h shares_ out/manifest.json whole/manifest.json
      "shares_divided": 4,
      "shares_rounded": 0
      "shares_divided": 0,
      "shares_rounded": 4
  $ cut -d, -f1,4,31,44 whole/jobs.csv
  job_id,requested_number_of_resources,gpu_seconds,gpu_share
  c,1,10,1
  d,1,20,1
  e,2,40,1
  b,1,50,1
  a,1,100,1
  $ horus verify whole | tail -1
  22 checks passed

# run-turns
Rows of a run whose jobs take turns. Salus, a scenario by hand: B comes at 20.5 s and gets its turn
at 21 s, when A's mini-batch of 1 s is done; A waits for its 10 s and ends at 110. Gandiva by quanta
of 60 s, two jobs of 120 s on one GPU, each resume costs 1 s: A [0, 60) [120, 180) [240, 242), B
[60, 120) [180, 240) [242, 244). A is on the host for 60 + 60 s with 1,000 MiB, B for 60 + 2 s with
500 MiB.

  $ told() { # RUN
  >     cut -d, -f1,7,9,25,40- "$1/jobs.csv"
  >     cut -d, -f1-3,6,7 "$1/segments.csv"
  >     jq -c '.metrics | [.mean_wait, .mean_time_to_progress, .switches, .preemptions, .host_mib_seconds]' \
  >         "$1/summary.json"
  >     jq -c '.classes.class | map_values([.jobs, .mean_wait, .mean_jct, .mean_time_to_progress])' \
  >         "$1/summary.json"
  >     horus verify "$1" | grep -e switch -e host -e passed
  > }
  $ head=job_id,submit_time,gpus,duration,step,gpu_mem_mib,gpu_mem_persistent_mib,class
  $ printf '%s\nA,0,1,100,1,8000,1000,guaranteed\nB,20.5,1,10,1,8000,1000,opportunistic\n' $head >salus.csv
  $ printf '%s\nA,0,1,120,1,8000,1000,\nB,0,1,120,1,8000,500,guaranteed\n' $head >gandiva.csv
  $ horus run salus.csv -c 1x1 -p salus-srtf -o salus --assign=off >/dev/null 2>&1
  $ told salus
  job_id,starting_time,finish_time,overhead,class,first_progress,switches,host_mib_seconds,gpu_share,gpu_util_from,gpu_mem_from
  B,20.5,31,0,opportunistic,21,0,0,1,full,trace
  A,0,110,0,guaranteed,0,1,0,1,full,trace
  job_id,start,end,tenants,ended_by
  B,20.5,31,2,finish
  A,0,110,2,finish
  [0,0.25,1,0,0]
  {"guaranteed":[1,0,110,0],"opportunistic":[1,0,10.5,0.5]}
  ok    every suspension is a switch: 2 jobs, 0 differences (pauses leave no segment)
  ok    memory lies on the host while jobs are suspended: 2 jobs, 0 differences (at least what suspended jobs keep: lanes and limits are not in the files)
  21 checks passed
  $ horus run gandiva.csv -c 1x1 -p gandiva:slicing=exact,switch=1s,pack=no,arrival_front=no \
  >     -o gandiva --assign=off >/dev/null 2>&1
  $ told gandiva
  job_id,starting_time,finish_time,overhead,class,first_progress,switches,host_mib_seconds,gpu_share,gpu_util_from,gpu_mem_from
  A,0,242,2,auto,0,2,120000,1,,trace
  B,60,244,2,guaranteed,60,2,31000,1,,trace
  job_id,start,end,tenants,ended_by
  A,0,60,1,suspend
  B,60,120,1,suspend
  A,120,180,1,suspend
  B,180,240,1,suspend
  A,240,242,1,finish
  B,242,244,1,finish
  [30,30,4,0,151000]
  {"auto":[1,0,242,0],"guaranteed":[1,60,244,60]}
  ok    every suspension is a switch: 2 jobs, 0 differences
  ok    memory lies on the host while jobs are suspended: 2 jobs, 0 differences
  21 checks passed

# run-gavel-pairs
Pairs by their predicted speeds, and by the true ones with noise.

  $ for how in table noisy:0.3; do
  >   horus run traces/sample.csv -c 4x4:V100 -p gavel:share=pairs --speed-predictor=$how --max-jobs 60 --check=full -q -o $how >/dev/null
  >   horus verify $how | tail -n 1; done
  22 checks passed
  22 checks passed
