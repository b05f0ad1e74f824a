SPDX-License-Identifier: GPL-3.0-or-later

`horus generate`, and gen: instead of a trace.

# gen-rerun
A run over made-up jobs records their workload as an input and can be repeated; `rerun` reports a
workload file that has changed.

  $ horus run gen:venus,n=500 -c 133x8:V100 -q -o run >/dev/null
  $ jq -r '.inputs[] | select(.role == "trace" or .role == "workload") | .role + " " + .path' run/manifest.json
  trace gen:venus,n=500
  workload builtin:workloads/venus.json
  $ horus rerun run | tail -1
  manifest.json   -                 same
  $ horus verify run | tail -1
  22 checks passed
  $ sed 's/"jobs_per_day": [0-9.]*/"jobs_per_day": 100/' configs/workloads/venus.json >mine.json
  $ horus run gen:mine.json,n=500 -c 133x8:V100 -q -o mine >/dev/null
  $ sed -i 's/"jobs_per_day": 100/"jobs_per_day": 200/' mine.json
  $ horus rerun mine >/dev/null
  ! mine.json: error: input 'workload' is not that of the run: recorded * (glob)
  !       = hint: paths are as they were given: run in the folder that they are relative to
  [3]

# generate-fit
The jobs by hand: 12 of one GPU, one each hour, half of them completed after 10 s, half failed after
20 s: "duration_s" steps at rank .5 (a tail may be off by 1 %); they are too few for more than one
row of "states". Four of user b, VC right, 8 GPUs, 5 s behind each other: of 13 runs 12 are single
jobs, rank .923077. 25 clock hours: 0 and 1 h are there twice, so hours weigh 1/2, 5/2 and ten times
1, of 13. 16 jobs in 90015 x 16/15 s are 14.3976 a day. Runs 12 and 1 are weights sqrt 12 and 1 /
sqrt 12: sigma = log(12) / 2 / .67449 = 1.842. A week is not covered, so weekdays are alike.

  $ {
  >     echo job_id,submit_time,gpus,duration,user,vc,outcome
  >     for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
  >         printf '%d,2020-04-01 %02d:00:00,1,%d,a,left,%s\n' "$i" "$i" $((10 + i % 2 * 10)) \
  >             "$([ $((i % 2)) = 0 ] && echo completed || echo failed)"
  >     done
  >     for s in 00 05 10 15; do
  >         echo "b$s,2020-04-02 01:00:$s,8,3600,b,right,cancelled"
  >     done
  > } >lab.csv
  $ horus generate --fit lab.csv -o lab.json && cat lab.json
  // Fitted to 16 jobs of lab by horus generate --fit.
  {
    "name": "lab",
    "arrivals": {
      "first": "2020-04-01",
      "jobs_per_day": 14.3976,
      "weekdays": [0.1428571, 0.1428571, 0.1428571, 0.1428571, 0.1428571, 0.1428571, 0.1428571],
      "hours": [0.0384615, 0.1923077, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0.0769231, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      "batches": {
        "jobs": [[0, 1], [0.9230769, 1], [0.9234615, 3], [1, 4]],
        "gap_s": [[0, 5], [1, 5]],
        "same_size": 1,
        "duration_correlation": 0,
        "whole": true
      }
    },
    "sizes": [
      {
        "name": "1",
        "gpus": [[1, 0.75]],
        "duration_s": [[0, 10], [0.5, 10], [0.5025, 19], [1, 20]],
        "states": [[1, 0.5, 0, 0.5]],
        "batch_max": 1
      },
      {
        "name": "8",
        "gpus": [[8, 0.25]],
        "duration_s": [[0, 3600], [1, 3600]],
        "states": [[1, 0, 1, 0]]
      }
    ],
    "users": {"count": 2, "sigma": 1.842064, "duration_correlation": 0, "outcome_correlation": 0},
    "vcs": [
      {"name": "left", "shares": [1, 0], "gpus_max": 1},
      {"name": "right", "shares": [0, 1], "gpus_max": 8}
    ]
  }
  ! note: fitted to 16 jobs: 14.4 a day, 2 classes of sizes, 2 users, 2 VCs
  $ horus generate --workload lab.json -n 5 -q -o made.csv && wc -l <made.csv
  6

A failed job with two retries, all alike: a mean of 2 retries, at the limit of what "max" allows.

  $ awk 'BEGIN { print "job_id,submit_time,gpus,duration,outcome,attempts"
  >     for (i = 0; i < 12; i++) print i "," i * 60 ",1,30,failed,5/5/20" }' >again.csv
  $ horus generate --fit again.csv --attempts -o again.json -q && grep -A3 '"retries"' again.json
        "retries": 1.99998
      }
    ],
    "retries": {
      "max": 2,
      "time_s": [[0, 5], [1, 5]]
    }
  $ horus generate --workload again.json -n 2 -q -o - | cut -d, -f1,3,4,22,23
  job_id,gpus,duration,outcome,attempts
  1,1,30,failed,5/5/20
  2,1,30,failed,5/5/20

# generate-fit-refused
Options that contradict --fit, options that need it, and a trace with too few jobs.

  $ horus generate --fit x.csv --like venus -o w.json
  ! error: generate: --fit writes a workload and takes no options of jobs
  !       = hint: first --fit TRACE -o w.json, then --workload w.json
  [2]
  $ horus generate --like venus --map a=b -o w.json
  ! error: generate: --map needs --fit
  !       = hint: --fit TRACE
  [2]
  $ printf 'job_id,submit_time,gpus,duration\n1,0,1,5\n' >one.csv
  $ horus generate --fit one.csv -o w.json
  ! error: a workload is fitted to 10 jobs with GPUs or more, there are 1
  [3]
  $ [ ! -e w.json ]

# generate-refused
Requests that are refused, each with a hint.

  $ horus generate
  ! error: generate: neither --like nor --workload is given
  !       = hint: --like takes earth, itp01, itp03, itp05, itp07, itp09, pai, philly, saturn, uranus, venus
  [2]
  $ horus generate --like venis
  ! error: unknown workload 'venis'
  !       = hint: did you mean 'venus'?
  [2]
  $ horus generate --like venus --workload w.json
  ! error: generate: --like and --workload exclude each other
  !       = hint: leave one out
  [2]
  $ horus generate --like venus -n 10 -c 4x8
  ! error: generate: -c needs --load
  !       = hint: --load=0.8 -c 16x8:V100
  [2]
  $ horus generate --like venus -n 10 --load 0.5
  ! error: an offered load needs a cluster
  !       = hint: -c CLUSTER sets the number of GPUs; gen:NAME,load=X,gpus=N sets it in the text
  [2]
  $ horus generate --like venus -n 10 --days 1 --load 0.5 -c 4x8
  ! error: jobs and days set the number of jobs a day, and so does load
  !       = hint: leave one of the three out
  [2]
  $ horus generate --like venus -n 100000000
  ! error: 100000000 jobs in 146045 days exceed the range of a trace
  !       = hint: more jobs a day, or fewer jobs
  [2]
  $ horus generate --like venus -n 10 -o x.dat
  ! error: no format is known by the name of the file 'x.dat'
  !       = hint: name the format: csv, helios, philly, swf or gavel
  [2]
  $ horus run gen:venus,m=4 -c 4x8
  ! error: gen: unknown key 'm'
  !       = hint: did you mean 'n'?
  [2]
  $ horus trace info gen:venus,load=0.5
  ! error: an offered load needs a cluster
  !       = hint: -c CLUSTER sets the number of GPUs; gen:NAME,load=X,gpus=N sets it in the text
  [2]

# generate-same
The same request and seed give the same jobs, in each way: a file, a pipe, gen: as TRACE, a file that
contains this line, the attempts of another format. Another seed gives other jobs.

  $ horus generate --like philly -n 3000 --seed 7 -q -o a.csv
  $ horus generate --like philly -n 3000 --seed 7 -q -o b.csv.zst
  $ horus generate --like philly -n 3000 --seed 7 -q -o log --format philly
  $ echo gen:philly,seed=7,n=3000 >request
  $ horus run a.csv -c 64x8 -q -o of-file >of-file.out
  $ horus generate --like philly -n 3000 --seed 7 -q | horus run - -c 64x8 -q -o of-pipe >/dev/null
  $ horus run gen:philly,n=3000,seed=7 -c 64x8 -q -o of-gen >/dev/null
  $ horus run request -c 64x8 -q -o of-request >/dev/null
  $ horus run b.csv.zst -c 64x8 -q -o of-zst >/dev/null
  $ horus run gen:philly,n=3000,seed=8 -c 64x8 -q -o of-8 >/dev/null
  $ for run in of-pipe of-gen of-request of-zst of-8; do
  >     # workload_name is that of the trace
  >     if cmp -s <(cut -d, -f1,3- of-file/jobs.csv) <(cut -d, -f1,3- $run/jobs.csv); then
  >         echo "$run same"
  >     else
  >         echo "$run differs"
  >     fi
  > done
  of-pipe same
  of-gen same
  of-request same
  of-zst same
  of-8 differs
  $ horus run gen:philly,n=3000,seed=7 -c 64x8 -q --retries=attempts -o with-attempts >/dev/null
  $ horus run log --format philly -c 64x8 -q --retries=attempts -o of-log >/dev/null
  $ cmp <(cut -d, -f1,3- with-attempts/segments.csv) <(cut -d, -f1,3- of-log/segments.csv) && echo attempts same
  attempts same
  $ horus generate --like venus --days 2.5 --load 0.8 -c 8x8 --seed 9 -q -o c.csv
  $ horus trace convert gen:venus,days=2.5,load=0.8,gpus=64,seed=9 -q -o d.csv && cmp <(cut -d, -f1-8 c.csv) <(cut -d, -f1-8 d.csv) && echo load same
  load same
  $ wc -l <of-gen/jobs.csv
  3001

# generate-load-drawn
With a heavy tail the drawn jobs need less GPU time than expected of such jobs, or more: the figures of
'trace info'.

  $ horus generate --like philly -n 500 --load 0.9 -c 4x8:V100 -o my.csv
  ! note: philly: 500 jobs in 20.0 days, 25 a day; GPUs busy: 28.8 expected, 16.71 with these jobs
  $ awk -F, 'NR > 1 { sum += $3 * $4 } END { printf "%.4g\n", sum / 20.0 / 86400 }' my.csv
  16.71

# generate-by-seed
Without a seed of its own gen: takes the run's, so seeds give other traces, and pairs of runs have one
trace; a file with the request has the same jobs in every run.

  $ jobs() { cut -d, -f1,3- $1/jobs.csv; }
  $ horus compare gen:philly,n=300 -c 8x8 -p fifo -p sjf --seeds 1..2 --outputs=all -q -o both | grep -c ^seeds
  0
  [1]
  $ for seed in 1 2; do horus run gen:philly,n=300,seed=$seed -c 8x8 -q -o of-$seed >/dev/null; cmp <(jobs of-$seed) <(jobs both/runs/fifo-s$seed-a$seed) && echo same; done
  same
  same
  $ horus run gen:philly,n=300 --seed=2 -c 8x8 -q -o alone >/dev/null && cmp <(jobs of-2) <(jobs alone) && horus verify alone | tail -1 && horus rerun alone | tail -1
  22 checks passed
  manifest.json   -                 same
  $ horus compare both/runs/fifo-s1-a1 alone
  ! alone: error: not of the workload of both/runs/fifo-s1-a1: * (glob)
  !       = hint: seed differs: 1 in both/runs/fifo-s1-a1, 2 in alone
  [3]
  $ echo gen:philly,n=300 >request && horus run request -c 8x8 --seed=2 -q -o of-request >/dev/null && cmp <(jobs of-request) <(jobs of-1)
  $ echo '{"config": {"trace": "gen:philly,n=300", "cluster": "8x8"}, "grid": {"policy": ["fifo", "sjf"], "seed": "1..2"}}' >e.json
  $ horus sweep e.json -q | grep -c 'the same at every seed'
  0
  [1]
  $ horus sweep e.json --set trace=request -q -o e | grep 'the same at every seed'
  the same at every seed: no random draw depends on the seed, as it would with gen:NAME or pred=noisy

# generate-too-wide
The warning counts what awk counts: jobs with more GPUs than the four of the cluster.

  $ horus generate --like venus -n 100 --load .5 -c 1x4 -o n.csv 2>log
  $ sed -n 2p log
  warning: 36 of 100 jobs request more GPUs than -c has: a run will reject them
  $ awk -F, 'NR > 1 && $3 > 4' n.csv | wc -l
  36

# generate-exists
A file of the user is kept without --force, whichever command would write it.

  $ echo mine >mine.csv
  $ horus generate --like venus -n 10 -o mine.csv
  ! mine.csv: error: this file exists
  !       = hint: give --force to replace it, or another name
  [4]
  $ horus trace convert traces/sample.csv -q -o mine.csv 2>/dev/null
  [4]
  $ horus trace assign traces/sample.csv -q -o mine.csv 2>/dev/null
  [4]
  $ horus generate --fit traces/sample.csv -q -o mine.csv 2>/dev/null
  [4]
  $ printf 'type,a,b,ta,tb\n' >pairs.csv; horus calibrate interference --data pairs.csv -o mine.csv 2>&1 | head -1
  mine.csv: error: this file exists
  $ horus run traces/sample.csv -c 8x8:V100 --until 1d --snapshot mine.csv -q -o run 2>/dev/null
  [4]
  $ horus run traces/sample.csv -c 8x8:V100 --until 1d --snapshot day.zst -q -o run >/dev/null
  ! warning: jobs not finished at the end of the simulation: 51
  $ horus run traces/sample.csv -c 8x8:V100 --until 1d --snapshot day.zst -q -o again >/dev/null # it is one
  ! warning: jobs not finished at the end of the simulation: 51
  $ cat mine.csv
  mine
  $ horus generate --like venus -n 10 -q --force -o mine.csv; wc -l <mine.csv
  11
  $ horus generate --like venus -n 10 -q --format=csv -o /dev/null

# generate-request-nul
A byte 0 in a file with a request: the text after it is not dropped.

  $ printf 'gen:philly,n=5\0,seed=46' >nul.gen; horus trace info nul.gen
  ! nul.gen: error: a request for synthetic jobs has a byte 0
  [3]
