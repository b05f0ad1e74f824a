SPDX-License-Identifier: GPL-3.0-or-later

A run's figures for jobs that neither the trace nor the catalogue describes, and the peaks of utilization.
GPU memory is unknown unless a GPU type has its own: V100, 16 GiB.

# unknown-gpt2

The catalogue times GPT-2 but has no utilization and no memory of it on any V100: 100 %, and a GPU
that is not shared. 12 h of work on 2 GPUs last 6 h (before: 3 at a time side by side for nothing).

  $ { echo job_id,submit_time,duration,gpus,model; seq -f 'j%g,0,3600,1,GPT-2' 12; } >t.csv
  $ horus run t.csv -c 1x2:V100 -p pack:max_tenants=3 -o out >text
  ! warning: 12 of 12 jobs have no known GPU utilization: counted as 100 % (--unknown-util)
  !       = hint: add it to the trace, or to a row of --profiles
  ! warning: 12 of 12 jobs have no known GPU memory: counted as a whole GPU, which they do not share (--unknown-memory)
  !       = hint: add it to the trace, or to a row of --profiles
  $ grep '^unknown' text
  unknown     GPU utilization of 12 of 12 jobs, counted as 100 %; GPU memory of 12 of 12 jobs, counted as a whole GPU, which they do not share
  $ cut -d, -f1,9 out/jobs.csv | sed -n '1p;$p'
  job_id,finish_time
  j12,21600
  $ jq -c '.gpu_util_from, .gpu_mem_from' out/manifest.json
  {"unknown":0,"trace":0,"profile":0,"assumed":0,"family":0,"full":12,"drawn":0}
  {"unknown":0,"trace":0,"profile":0,"assumed":0,"family":0,"full":12,"drawn":0}
  $ jq -r .assumptions.unknown out/summary.json
  GPU utilization of 12 of 12 jobs, counted as 100 %; GPU memory of 12 of 12 jobs, counted as a whole GPU, which they do not share

An error instead, and a draw from the catalogue. If no GPU is shared there is no message.

  $ horus run t.csv -c 1x2:V100 -p pack --unknown-util error -o no
  ! error: job 'j1': its GPU utilization is not known, and GPUs are shared
  !       = hint: a column gpu_util, a model of the catalogue, or --unknown-util=full
  [3]
  $ horus run t.csv -c 1x2:V100 -p pack --unknown-memory error -o no
  ! error: job 'j1': its GPU memory is not known, and GPUs are shared
  !       = hint: a column gpu_mem_mib, a model of the catalogue, or --unknown-memory=full
  [3]
  $ horus run t.csv -c 1x2:V100 -p pack --unknown-util draw --unknown-memory draw -o out -f 2>&1 >text |
  >     grep warning
  warning: 12 of 12 jobs have no known GPU utilization: counted as one drawn from the catalogue (--unknown-util)
  warning: 12 of 12 jobs have no known GPU memory: counted as one drawn from the catalogue (--unknown-memory)
  $ horus run t.csv -c 1x2:V100 -p fifo -o out -f 2>&1 | grep -i unknown
  [1]
  $ horus run t.csv -c 1x2:V100 -p fifo --unknown-util draw -o out -f >text
  ! note: unknown_util has no effect: fifo shares no GPU

# unknown-family

A family's mean is that of the rows measured on the GPU type of the job's own row: (20 + 40) / 2 and (1000 +
3000) / 2; the row on an A100 does not count.

  $ printf 'model,family,gpu,util,mem_mib\nA,F,V100,20,1000\nB,F,V100,40,3000\n' >p.csv
  $ printf 'C,F,V100,,\nD,F,A100,90,9000\nE,G,V100,80,7000\n' >>p.csv
  $ printf 'job_id,submit_time,duration,gpus,model\nc,0,10,1,C\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p pack --interference none --assign columns --profiles p.csv -o out 2>&1 | grep 'no known\|^unknown'
  warning: 1 of 1 jobs have no known GPU utilization: counted as the mean of their family (--unknown-util)
  warning: 1 of 1 jobs have no known GPU memory: counted as the mean of their family (--unknown-memory)
  unknown     GPU utilization of 1 of 1 jobs, counted as the mean of their family; GPU memory of 1 of 1 jobs, counted as the mean of their family
  $ cut -d, -f1,33,45,46 out/jobs.csv
  job_id,gpu_util,gpu_util_from,gpu_mem_from
  c,0.3,family,family

# peak-places

Horus places by the peak. x (40 %) and y (10 %) hold the two GPUs. n has a mean of 50 % and a peak of
90 %: beside x 1.6 x (40 + 90 - 100) % = .48, beside y nothing is missing or too much: GPU 1. By the
mean it would go beside x: 10 % short of 100 against 40 %.

  $ printf 'model,family,gpu,util,util_peak,mem_mib\nX,F,V100,40,40,1000\n' >p.csv
  $ printf 'Y,F,V100,10,,1000\nN,F,V100,50,90,1000\n' >>p.csv
  $ printf 'job_id,submit_time,duration,gpus,model\nx,0,1000,1,X\ny,1,1000,1,Y\nn,2,10,1,N\n' >t.csv
  $ horus run t.csv -c 1x2:V100 -p horus --interference none --predictor oracle --assign columns --profiles p.csv -o out >text 2>&1
  $ cut -d, -f1,13 out/jobs.csv
  job_id,allocated_resources
  n,1
  x,0
  y,1
  $ grep ^predictor text | grep -c peak
  0
  [1]

# mean-stands-for-peak

If no row has a peak the mean replaces it, and the assumptions state that: the same n goes to x. The queue
uses means: m (30 %, peak 95 %) starts before k (40 %, peak 45 %) when z leaves the GPU.

  $ printf 'model,family,gpu,util,util_peak,mem_mib\nX,F,V100,40,,1000\n' >p.csv
  $ printf 'Y,F,V100,10,,1000\nN,F,V100,50,,1000\n' >>p.csv
  $ printf 'job_id,submit_time,duration,gpus,model\nx,0,1000,1,X\ny,1,1000,1,Y\nn,2,10,1,N\n' >t.csv
  $ horus run t.csv -c 1x2:V100 -p horus --interference none --predictor oracle --assign columns --profiles p.csv -o out >text 2>&1
  $ cut -d, -f1,13 out/jobs.csv
  job_id,allocated_resources
  n,0
  x,0
  y,1
  $ grep ^predictor text
  predictor   utilization oracle, its peak is the mean (none measured), slowdown by it (RMSE of speed 0.071), memory oracle
  $ printf 'model,family,gpu,util,util_peak,mem_mib\nK,F,V100,40,45,9000\n' >p.csv
  $ printf 'M,F,V100,30,95,9000\nZ,F,V100,50,,9000\n' >>p.csv
  $ printf 'job_id,submit_time,duration,gpus,model\nz,0,100,1,Z\nk,1,10,1,K\nm,2,10,1,M\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p horus --interference none --predictor oracle --assign columns --profiles p.csv -o out -f >text 2>&1
  $ cut -d, -f1,7 out/jobs.csv
  job_id,starting_time
  z,0
  m,100
  k,110

# memory-by-mode

The catalogue has 20000 MiB for the model of job a, which ran on the V100 of the trace: not rejected,
capped. With shared GPUs it runs alone: b waits for a. Memory in the trace still rejects.

  $ printf 'model,family,gpu,util,mem_mib\nBig,F,A100,50,20000\nSmall,F,V100,20,1000\n' >p.csv
  $ printf 'job_id,submit_time,duration,gpus,model\na,0,100,1,Big\nb,1,10,1,Small\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p fifo --assign columns --profiles p.csv -o out -f >text
  ! note: 1 of 2 jobs have more GPU memory by their profile than any GPU that they may use: it is capped at the GPU's
  $ cut -d, -f1,7,9,16 out/jobs.csv
  job_id,starting_time,finish_time,status
  a,0,100,unknown
  b,100,110,unknown
  $ horus run t.csv -c 1x1:V100 -p pack --interference none --assign columns --profiles p.csv -o out -f >text
  ! note: 1 of 2 jobs have more GPU memory by their profile than any GPU that they may use: it is capped at the GPU's, which they do not share
  $ cut -d, -f1,7,9,16 out/jobs.csv
  job_id,starting_time,finish_time,status
  a,0,100,unknown
  b,100,110,unknown
  $ printf 'job_id,submit_time,duration,gpus,model,gpu_mem_mib\na,0,100,1,Big,20000\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p pack --interference none --assign columns --profiles p.csv -o out -f 2>&1 >text | grep reject
  warning: job a rejected: it needs 20000 MiB of GPU memory (by the trace or its profile), and no GPU that it may use has them
  warning: 1 of 1 jobs were rejected
        = hint: they have status rejected in jobs.csv; `horus trace validate TRACE` prints a cluster for them
  t.csv: error: all 1 jobs were rejected under 'pack': nothing ran

# profiles-nothing-depends-on

Under policies that neither share nor need profiles, on one GPU type, none is drawn, and there is no
utilization to report; a model named in the trace is kept. With two types, or beside a policy that shares,
every job has one: both policies of a comparison see the same jobs.

  $ printf 'job_id,submit_time,duration,gpus,model\na,0,10,1,ResNet18\nb,0,10,1,\n' >t.csv
  $ card() { horus run t.csv "$@" -o out -f 2>&1 | grep '^profiles'; cut -d, -f1,17,33,36,45 out/jobs.csv; }
  $ card -c 1x2:V100 -p fifo
  profiles    1 named, 0 by utilization, 0 assumed, 1 none (not drawn: nothing here depends on them)
  job_id,model,gpu_util,profile_from,gpu_util_from
  a,ResNet18,0.587,trace,profile
  b,,,,
  $ card -c 1x2:V100 -p fifo --assign always
  profiles    1 named, 0 by utilization, 1 assumed (drawn, mean GPU util 52 %, --seed 1), 0 none
  job_id,model,gpu_util,profile_from,gpu_util_from
  a,ResNet18,0.587,trace,profile
  b,MobileNetV2,0.695,drawn,assumed
  $ card -c 1x1:V100,1x1:P100 -p fifo
  profiles    1 named, 0 by utilization, 1 assumed (drawn, mean GPU util 52 %, --seed 1), 0 none
  job_id,model,gpu_util,profile_from,gpu_util_from
  a,ResNet18,0.587,trace,profile
  b,MobileNetV2,0.695,drawn,assumed
  $ horus compare t.csv -c 1x2:V100 -p fifo -p pack -o both --outputs all >text 2>&1
  $ cut -d, -f36 both/runs/fifo-s1-a1/jobs.csv both/runs/pack-s1-a1/jobs.csv | uniq -c
        1 profile_from
        1 trace
        1 drawn
        1 profile_from
        1 trace
        1 drawn
  $ printf 'job_id,submit_time,duration,gpus\na,0,10,1\n' >t.csv
  $ horus run t.csv -c 1x2:V100 -p fifo -o out -f 2>&1 | grep -c 'GPU util'
  0
  [1]

# assumed-is-said

Tables, explanations and pages state that utilization and models of drawn profiles are assumed.

  $ printf 'job_id,submit_time,duration,gpus,user\na,0,10,1,u\nb,0,10,1,v\n' >t.csv
  $ COLUMNS=160 horus run t.csv -c 1x1:V100 -p fifo --assign always --report -o out >text
  $ grep -o 'assumed GPU util' text
  assumed GPU util
  $ jq -r .metrics.assumed_utilization_share out/summary.json
  1
  $ horus explain out --job b | grep -c '(assumed)'
  2
  $ grep -c 'is assumed: it depends on profiles drawn' out/report.html
  1
