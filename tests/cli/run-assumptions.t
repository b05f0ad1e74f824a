SPDX-License-Identifier: GPL-3.0-or-later

The assumptions that a run states.

# card-orders
Policies whose assumptions must read differently: the order of srsf and las, the cost that a compat
option adds, a quantum.

  $ for policy in srtf srsf las tiresias:inqueue=submit tiresias:index=gittins srtf:compat=muri las:compat=muri,preempt_cost=table gandiva-like gandiva-like:quantum=600; do
  >     horus run traces/sample.csv -c 8x8:V100 -p "$policy" --max-jobs 20 --dry-run -q | grep -E "^(policy|order|preemption)"
  > done
  policy      srtf
  order       remaining; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost free
  policy      srsf
  order       remaining x GPUs; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost free
  policy      las
  order       queue by attained time, arrival there; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost free
  policy      tiresias:inqueue=submit
  order       queue by attained GPU time, submit; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost free
  policy      tiresias:index=gittins
  order       queue by attained GPU time, Gittins index; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost free
  policy      srtf:compat=muri
  order       remaining; scan fit; placement consolidate; gang all or nothing
  preemption  replace; cost restart at every event
  policy      las:compat=muri,preempt_cost=table
  order       queue by attained time, arrival there; scan fit; placement consolidate; gang all or nothing
  preemption  evict; cost restart at every event, table at a resumption
  policy      gandiva-like
  order       submit; scan strict; placement gandiva-like; gang all or nothing
  preemption  none; cost none
  policy      gandiva-like:quantum=600
  order       submit; scan strict; placement gandiva-like; gang all or nothing
  preemption  quantum; cost fixed

# run-card-sharing
What a run states about sharing and predictions: the errors of the made-up model files (0.060 and
0.080 on V100, none on P100), of a bias too (hypot(0.5, 0.1) = 0.51), and only of what the policy
uses: fifo nothing, pack memory alone, horus the slowdown of pairs too (0.100). With at most two
tenants, by the policy (pack) or by the run, nothing is stated about three. Jobs without profiles
share without slowdown, which is a warning.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,1,100
  > END
  $ M=tests/support/models
  $ card() {
  >     echo "-- $*"
  >     horus run t.csv --models $M/interference.json,$M/predictor.json --profiles $M/profiles.csv \
  >         -q -o out --force "$@" | grep -E '^(sharing|predictor)'
  > }
  $ card -c 1x1:V100 -p fifo
  -- -c 1x1:V100 -p fifo
  sharing     none: jobs have their GPUs to themselves
  $ card -c 1x1:V100 -p pack --memory-predictor noisy
  -- -c 1x1:V100 -p pack --memory-predictor noisy
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs 0.060, others 0.080)
  predictor   memory noisy (standard deviation of ln 0.665)
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  $ card -c 1x1:V100 -p pack:max_tenants=3
  -- -c 1x1:V100 -p pack:max_tenants=3
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs 0.060, others 0.080); 3+ tenants: excesses added up, not measured
  predictor   memory oracle
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  $ card -c 1x1:V100 -p horus --max-tenants 2 --util-noise 0.5 --util-bias 0.1
  -- -c 1x1:V100 -p horus --max-tenants 2 --util-noise 0.5 --util-bias 0.1
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs 0.060, others 0.080)
  predictor   utilization noisy (RMSLE 0.51, bias 0.1), its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  $ card -c 1x1:V100,1x1:P100 -p horus --max-tenants 8 --sharing-mode mps --sharing-capacity 1.4 --gamma 1.43
  -- -c 1x1:V100,1x1:P100 -p horus --max-tenants 8 --sharing-mode mps --sharing-capacity 1.4 --gamma 1.43
  sharing     V100 mps, capacity 1.4 GPU; P100 mps, capacity 1.4 GPU; measured+fit (RMSE of speed: profiled pairs unknown; others unknown); gamma 1.43; 3+ tenants: excesses added up, not measured
  predictor   utilization noisy (RMSLE 0.154), its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  ! warning: P100, the type with most GPUs, is assumed to be the one on which the trace was recorded
  !       = hint: --reference-type=TYPE names another
  $ card -c 1x1:V100 -p horus --interference none --predictor oracle
  -- -c 1x1:V100 -p horus --interference none --predictor oracle
  sharing     timeslice, capacity 1 GPU; none: no slowdown beyond that
  predictor   utilization oracle, its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  $ card -c 1x1:V100 -p horus --interference const:0.2 --predictor regress --predictor-holdout model
  -- -c 1x1:V100 -p horus --interference const:0.2 --predictor regress --predictor-holdout model
  sharing     timeslice, capacity 1 GPU; const:0.2: slower by this share beside any other, not measured
  predictor   utilization regress (fitted without the job's model), its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: no profile of a distributed model fits: jobs of several GPUs draw from all profiles
  $ card -c 1x1:V100 -p horus --assign off
  -- -c 1x1:V100 -p horus --assign off
  sharing     timeslice, capacity 1 GPU; measured+fit (RMSE of speed: profiled pairs 0.060, others 0.080); 3+ tenants: excesses added up, not measured
  predictor   utilization noisy (RMSLE 0.154), its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: 1 of 1 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles
  ! warning: 1 of 1 jobs have no known GPU memory: counted as a whole GPU, which they do not share (--unknown-memory)
  !       = hint: add it to the trace, or to a row of --profiles
  $ card -c 1x1:V100 -p horus --assign off --interference none
  -- -c 1x1:V100 -p horus --assign off --interference none
  sharing     timeslice, capacity 1 GPU; none: no slowdown beyond that
  predictor   utilization noisy (RMSLE 0.154), its peak is the mean (none measured), slowdown by it (RMSE of speed 0.100), memory oracle
  ! warning: 1 of 1 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles
  ! warning: 1 of 1 jobs have no known GPU memory: counted as a whole GPU, which they do not share (--unknown-memory)
  !       = hint: add it to the trace, or to a row of --profiles
  $ card -c 1x1:V100 -p fifo --assign off
  -- -c 1x1:V100 -p fifo --assign off
  sharing     none: jobs have their GPUs to themselves
  $ horus run t.csv -c 1x1 -p pack --sharing-capacity 9
  ! error: a sharing capacity is auto, none or a number 0.1..8, not '9'
  !       = hint: 1: the tenants of a GPU share the time of one GPU
  [2]
  $ horus run t.csv -c 1x1 -p pack --predictor oracle --memory-noise 1 -o out --force >/dev/null
  ! warning: memory_noise has no effect: memory_predictor is oracle
  !       = hint: --memory-predictor=noisy
  ! note: predictor has no effect: pack uses no such prediction ('horus policies')

# run-muri-restart-table
The quirk of Muri reads the table of restarts for any preemption cost: no note.

  $ printf "model,gpus,restart_s\n*,1,5\n" >restarts.csv
  $ horus run traces/sample.csv -c 8x8:V100 -p srtf:compat=muri --restart-table restarts.csv --max-jobs 20 --dry-run >out

# run-start-by-model
salus:startup_by=model charges for a start the time of the table of restarts, as shipped 7 s for vgg16 and 5
s for dqn on one GPU (Muri), and startup, 1 s, for a model without a row. Each job has a GPU of its own and
ends 100 s after its start-up. The table is an input of a run that reads it.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,model,gpu_mem_mib,gpu_mem_persistent_mib,step
  > a,0,1,100,VGG-16,1000,100,1
  > b,0,1,100,dqn,1000,100,1
  > END
  $ run() {
  >     echo "-- $*"
  >     horus run t.csv -c 1x2:V100 --assign off -q -o out --force "$@" | grep '^preemption'
  >     awk -F, 'NR > 1 { print $1 " ends at " $9 }' out/jobs.csv | sort
  >     jq -r '.inputs[] | select(.role == "restarts") | .path' out/manifest.json
  > }
  $ run -p salus:startup_by=model,startup=1s
  -- -p salus:startup_by=model,startup=1s
  preemption  at mini-batches, memory kept; cost restart at the start
  a ends at 107
  b ends at 105
  builtin:restart.csv
  ! warning: 2 of 2 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles
  $ printf 'model,gpus,restart_s\ndqn,1,2.5\n' >r.csv
  $ run -p salus:startup_by=model,startup=1s --restart-table r.csv
  -- -p salus:startup_by=model,startup=1s --restart-table r.csv
  preemption  at mini-batches, memory kept; cost restart at the start
  a ends at 101
  b ends at 102.5
  r.csv
  ! warning: 2 of 2 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles
  $ run -p salus:startup=1s
  -- -p salus:startup=1s
  preemption  at mini-batches, memory kept; cost free
  a ends at 101
  b ends at 101
  ! warning: 2 of 2 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles

# run-exact-turns
Turns of mini-batches of 1 s: a and b have had one each at 2. If no more turns are simulated, each has a
quarter of the time from there on: a and b end at 6, c, which needs one more second, at 8, d at 10. The run
states this, and so do the assumptions of each run that may do it.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,gpu_mem_mib,gpu_mem_persistent_mib,step,gpu_util
  > a,0,1,2,100,10,1,100
  > b,0,1,2,100,10,1,100
  > c,0,1,2,100,10,1,100
  > d,0,1,4,100,10,1,100
  > END
  $ for p in salus-rr:exact_turns=2 salus-rr salus-rr:mode=exact; do
  >     horus run t.csv -c 1x1:V100 --assign off --interference=none --force -o out -p $p | grep ^preemption
  >     awk -F, 'NR > 1 { print $1, $9 }' out/jobs.csv | sort | paste -sd ' '
  > done
  preemption  at mini-batches, memory kept; shares of time after exact_turns; cost free
  a 6 b 6 c 8 d 10
  preemption  at mini-batches, memory kept; shares of time after exact_turns; cost free
  a 5 b 6 c 7 d 10
  preemption  at mini-batches, memory kept; cost free
  a 5 b 6 c 7 d 10
  ! warning: policy 'salus-rr' has simulated exact_turns turns: from then on shares of time replace them
  !       = hint: mode=exact simulates all turns, one event each
