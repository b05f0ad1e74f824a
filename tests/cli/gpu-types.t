SPDX-License-Identifier: GPL-3.0-or-later

Jobs on clusters of several GPU types.

  $ jct() { # of a run: the times that the jobs took, each once
  >     awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.1f\n", $at["turnaround_time"] }' out/jobs.csv | sort -u
  > }

# types-order-of-groups
8 ResNet-50 of batch 64 and 3,600 s on a V100. A K80 has 0.141686 of that speed (configs/models/speed.json), and
3600 / 0.141686 = 25408.30. With types=any they go to the nodes of the lowest numbers, so that the order of the
groups decides; with types=fastest to the V100s.

  $ { echo job_id,submit_time,gpus,duration,model,batch; seq -f '%g,0,1,3600,ResNet50,64' 8; } >t.csv
  $ for types in any fastest; do for shape in 2x4:K80,2x4:V100 2x4:V100,2x4:K80; do
  >     horus run t.csv -c $shape --reference-type V100 -p fifo:types=$types -o out -f -q >/dev/null
  >     echo "$types $shape $(jct)"
  > done; done
  any 2x4:K80,2x4:V100 25408.3
  any 2x4:V100,2x4:K80 3600.0
  fastest 2x4:K80,2x4:V100 3600.0
  fastest 2x4:V100,2x4:K80 3600.0

Three more: the V100s are full, the rest goes to the K80s at once.

  $ { cat t.csv; seq -f '%g,0,1,3600,ResNet50,64' 9 11; } >more.csv
  $ horus run more.csv -c 2x4:K80,2x4:V100 --reference-type V100 -p fifo:types=fastest -o out -f -q >/dev/null; jct
  25408.3
  3600.0

Started at one time, each is recorded with the type of its own GPUs.

  $ awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["gpu_type"] }' out/jobs.csv | sort | uniq -c
        3 K80
        8 V100

The assumptions of a run state that, and the predictions of the policy.

  $ horus run t.csv -c 2x4:K80,2x4:V100 --reference-type V100 -p fifo:types=fastest -o out -f |
  >     grep -E '^(order|knows|predictor)'
  order       submit; scan strict; placement consolidate, on the fastest GPU type with room (predicted; ties: name); gang all or nothing
  knows       speed; may: nothing
  predictor   speed on GPU types table
  $ jq -c '.assumptions | [.placement, .knows, .predictor]' out/manifest.json
  ["consolidate, on the fastest GPU type with room (predicted; ties: name)","speed","speed on GPU types table"]

# types-of-a-whole-trace
The sample on three types, its profiles drawn: every figure of a run is the same in both orders, even if the
policy's predictions are noise.

  $ metrics() { jq -S .metrics out/summary.json; }
  $ for policy in fifo:scan=fit srtf:form=evict tiresias:index=las; do
  >     for shape in 4x8:V100,6x4:K80,3x8:P100 3x8:P100,6x4:K80,4x8:V100; do
  >         horus run traces/sample.csv -c $shape --reference-type V100 -p $policy,types=fastest \
  >             --speed-predictor noisy:0.5 -o out -f -q >/dev/null 2>&1 && metrics >$policy.$shape
  >     done
  >     cmp $policy.* && echo "$policy same"
  > done
  fifo:scan=fit same
  srtf:form=evict same
  tiresias:index=las same

# types-speed-predictor
Options that cannot predict speeds, and a predictor that no policy of the run uses.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
  $ horus run t.csv --speed-predictor noisy
  ! error: a predictor of speeds is oracle, table or noisy:SIGMA, SIGMA a number 0..5, not 'noisy'
  !       = hint: noisy:0.2 is off by about 20 %
  [2]
  $ horus run t.csv -c 1x1 --speed-predictor oracle -o out >/dev/null
  ! note: speed_predictor has no effect: fifo uses no such prediction ('horus policies')

# types-newer
A100 and H100 are in the second file of speeds: 3600 / 2.03078 and 3600 / 4.36989, the means of ResNet-50's family.
A family that Lambda did not run has the mean of the others: of 18 jobs, whose logarithms are 4 x 1.4748 + 8 x 1.8935 +
2 x 2.0647 + 4 x 2.0858 by family, 1 / exp(33.52 / 18) = .155, off by 39 % of that. Without the file the warning names it; of a T4 neither
file knows a speed.

  $ printf 'job_id,submit_time,gpus,duration,model\na,0,1,3600,ResNet50\n' >t.csv
  $ for type in A100 H100; do
  >     horus run t.csv -c 1x1:$type --reference-type V100 --models builtin:models/speed-lambda.json -o out -f -q >/dev/null
  >     jct
  > done
  1772.7
  823.8
  $ horus predict --job ResNet18:64 --gpu H100 --models builtin:models/speed-lambda.json | grep 'V100'
    speed on V100            0.155 x       0.061 x    other families
  ! builtin:models/interference.json:3207:15: note: 14 of 14 jobs measured on H100 are not in the catalogue and are left out, e.g. 'ResNet50/synthetic/128/amp'
  !  3207 |       "jobs": [
  !       |               ^
  $ horus run t.csv -c 2x1:V100,1x1:H100 -o out -f -q >/dev/null
  ! warning: the speed of H100 relative to V100 is not known: taken as 1
  !       = hint: --models=builtin:models/speed-lambda.json knows more; or "speed" of its GPU type in the cluster file
  $ horus run t.csv -c 1x1:V100,2x1:A100 -o out -f -q | grep ^speeds
  speeds      run times are those of A100 (the type with most GPUs); V100 x 1, not measured; jobs take any type that is free
  ! warning: the speed of V100 relative to A100 is not known: taken as 1
  !       = hint: --models=builtin:models/speed-lambda.json knows more; or "speed" of its GPU type in the cluster file
  $ horus run t.csv -c 2x1:V100,1x1:T4 -o out -f -q >/dev/null
  ! warning: the speed of T4 relative to V100 is not known: taken as 1
  !       = hint: "speed" of its GPU type in the cluster file

# gpu-type-names
In a shape case, vendor and board do not count, and a size of memory chooses the form that has it; a V100 of 32 GB is the
V100M32. What is unknown is refused.

  $ run() { horus run jobs.csv -c "$1" --force -q -o out | sed -n 's/^speeds *//p'; }
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' > jobs.csv
  $ run 2x4:v100; run '2x4:Tesla V100'; run 2x4:V100-SXM2-32GB; run '2x4:NVIDIA A100-SXM4-40GB'; run 2x4:a100-1g.5gb
  run times are those of V100
  run times are those of V100
  run times are those of V100M32
  run times are those of A100
  run times are those of A100-1g.5gb
  $ run 2x4:V100,1x4:Foo
  ! error: cluster '2x4:V100,1x4:Foo': unknown GPU type 'Foo'
  !     1 | 2x4:V100,1x4:Foo
  !       |              ^~~
  !       = hint: known are V100, P100, P40, K80, A100, T4, A10, V100M16, V100M32, P4, RTX2080, RTX2080Ti, RTX3090, RTX4090, RTX8000, RTXA6000, RTX6000Ada, A30, A40, L4, L40, L40S, A100-80GB, A100-80GB-PCIe, A800, H20, H800, H100, H100-PCIe, H200, A100-4g.20gb, A100-3g.20gb, A100-2g.10gb, A100-1g.5gb; a cluster file defines others (configs/README.md)
  $ run 2x4:P100-PCIE-12GB 2>&1 | head -1
  error: cluster '2x4:P100-PCIE-12GB': unknown GPU type 'P100-PCIE-12GB'

A trace may use other names than the cluster; a cluster file defines its own types, which have that name
only.

  $ cat > types.csv <<'END'
  > job_id,submit_time,gpus,duration,gpu_type
  > a,0,1,10,v100
  > b,1,1,10,Tesla V100-SXM2-16GB
  > c,2,1,10,A100|tesla-v100
  > d,3,1,10,Foo
  > e,4,1,10,A100
  > f,5,1,10,Foo
  > END
  $ horus run types.csv -c 1x4:V100 -q --force -o out 2> /dev/null | grep -e '^fifo' -e '^rejected'
  fifo      10.0 s      0.0 s    12.0 s         3     62.5 %   10.0 s   10.0 s     0.0 s      1.00
  rejected    2 of 6 jobs: its GPU type 'Foo' is unknown
  rejected    1 of 6 jobs: no node has its GPU type 'A100'
  $ cut -d, -f1,16,19 out/jobs.csv
  job_id,status,gpu_type
  d,rejected,
  e,rejected,
  f,rejected,
  a,unknown,V100
  b,unknown,V100
  c,unknown,V100
  $ horus trace validate types.csv -c 1x4:V100 | sed -n '/never fit/,$p'
  3 jobs can never fit the cluster: a run rejects them
      line 5: job 'd' requests GPU type 'Foo', which the cluster lacks
      line 6: job 'e' requests GPU type 'A100', which the cluster lacks
      line 7: job 'f' requests GPU type 'Foo', which the cluster lacks

  0 faults
  run it with: horus run types.csv --cluster=1x4:V100
  $ horus verify out | grep -v ^ok
  skip  no node gives more cores or memory than it has: no job that ran wants cores or memory of a node
  skip  no node serves two virtual clusters: the run has no partition into virtual clusters
  23 checks passed
  $ echo '{"gpu_types": {"Foo": {"mem_mib": 32768}, "V100-SXM2-32GB": {}}, "nodes": [{"gpus": 2, "type": "Foo"},
  >   {"gpus": 2, "type": "V100-SXM2-32GB"}]}' > own.json
  $ horus run types.csv -c own.json -q --force -o out 2> /dev/null | grep -e '^fifo' -e '^rejected'
  fifo      10.0 s      0.0 s    15.0 s         4     33.3 %   10.0 s   10.0 s     0.0 s      1.00
  rejected    1 of 6 jobs: no node has its GPU type 'v100'
  rejected    1 of 6 jobs: no node has its GPU type 'Tesla V100-SXM2-16GB'
  rejected    1 of 6 jobs: no node has its GPU type 'A100|tesla-v100'
  rejected    1 of 6 jobs: no node has its GPU type 'A100'
  $ echo '{"nodes": [{"gpus": 2, "type": "tesla v100"}]}' > alias.json
  $ horus run types.csv -c alias.json -q --force -o out 2> /dev/null | grep '^rejected'
  rejected    2 of 6 jobs: its GPU type 'Foo' is unknown
  rejected    1 of 6 jobs: no node has its GPU type 'A100'

# types-ran-on
A log of a mixed cluster: the column card contains the GPU type on which a job ran, and its run time is that
of this type. On a V100 the K80's job takes 3600 x .141686 = 510.07 s; on a K80 the V100's 25408.30 s and
the K80's 3600 s again. A job without one ran on the reference type; the speed of H7 is unknown.

  $ printf 'job_id,submit_time,gpus,duration,model,batch,card\na,0,1,3600,ResNet50,64,K80\n' >t.csv
  $ printf 'b,0,1,3600,ResNet50,64,V100\nc,0,1,3600,ResNet50,64,\n' >>t.csv
  $ for type in V100 K80; do
  >     horus run t.csv --map ran_on=card -c 1x4:$type --reference-type V100 -o out -f | grep '^ran on'
  >     awk -F, 'NR > 1 { printf "%s %.2f\n", $1, $8 }' out/jobs.csv
  >     horus verify out | tail -n 1
  > done
  ran on      2 run times are those of the GPU type that the trace names
  a 510.07
  b 3600.00
  c 3600.00
  22 checks passed
  ran on      2 run times are those of the GPU type that the trace names
  a 3600.00
  b 25408.30
  c 25408.30
  21 checks passed
  $ printf 'job_id,submit_time,gpus,duration,gpu_type_ran\na,0,1,3600,H7\n' >h7.csv
  $ horus run h7.csv -c 1x4:V100 -o out -f -q >/dev/null
  ! warning: 1 of 1 jobs ran on a GPU type on which their speed is not known, e.g. 'H7': their run times count as those of the reference type
  !       = hint: "speed" of the GPU type in the cluster file, or --models with its speeds

Attempts are converted one by one, and a type need not be in the cluster: 1000 s and 2000 s on a K80 are 141.69 s and
283.37 s on a V100.

  $ printf 'job_id,submit_time,gpus,duration,attempts,model,batch,gpu_type_ran\n' >t.csv
  $ printf 'a,0,1,3000,1000/2000,ResNet50,64,K80\n' >>t.csv
  $ horus run t.csv -c 1x1:V100 --retries attempts -o out -f -q >/dev/null
  $ awk -F, 'NR > 1 { printf "%.2f\n", $3 - $2 }' out/segments.csv
  141.69
  283.37
  $ horus verify out | tail -n 1
  22 checks passed

# types-spare
A V100 and a K80. Relative to a V100 A3C has .465 of its speed on a K80, ResNet50 .14; the mean job of the
catalogue is between. Fastest first, a takes the V100, although it gains least there; with types=spare b
gets it. An unknown job is predicted to be as fast on both: on the K80 that is more than the mean job.

  $ printf 'job_id,submit_time,gpus,duration,model,batch\na,0,1,100,A3C,\nb,1,1,100,ResNet50,64\n' >t.csv
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\n' >none.csv
  $ for types in fastest spare; do
  >     horus run t.csv -c 1x1:V100,1x1:K80 --reference-type V100 --speed-predictor=oracle -p fifo:types=$types -o out -f |
  >         grep ^order
  >     awk -F, 'NR > 1 { print $1, $8, $19 }' out/jobs.csv
  > done
  order       submit; scan strict; placement consolidate, on the fastest GPU type with room (predicted; ties: name); gang all or nothing
  a 100 V100
  b 705.786035 K80
  order       submit; scan strict; placement consolidate, on the GPU type with room where it gains most beside the mean job (predicted; ties: name); gang all or nothing
  b 100 V100
  a 215.014923 K80
  $ horus run none.csv -c 1x1:V100,1x1:K80 --reference-type V100 --assign=off -p fifo:types=spare -o out -f -q >/dev/null
  ! warning: the speed of K80 relative to V100 is not known: taken as 1
  !       = hint: "speed" of its GPU type in the cluster file
  $ awk -F, 'NR > 1 { print $1, $8, $19 }' out/jobs.csv
  a 100 K80

# types-reference
The reference type is the one with most GPUs, of several the first by name, for any order of the groups; a
type with a speed in the cluster file is none.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
  $ for shape in 2x4:V100,1x8:K80 1x8:K80,2x4:V100 1x8:K80,3x4:V100 3x4:V100,1x8:K80; do
  >     horus run t.csv -c $shape -o out -f 2> /dev/null | grep '^speeds'
  > done
  speeds      run times are those of K80 (the type with most GPUs); V100 by model, x 1 without; jobs take any type that is free
  speeds      run times are those of K80 (the type with most GPUs); V100 by model, x 1 without; jobs take any type that is free
  speeds      run times are those of V100 (the type with most GPUs); K80 by model, x 1 without; jobs take any type that is free
  speeds      run times are those of V100 (the type with most GPUs); K80 by model, x 1 without; jobs take any type that is free
  $ echo '{"gpu_types": {"K80": {"speed": 0.2}, "P100": {}}, "nodes": [{"gpus": 8, "type": "K80"},
  >       {"gpus": 1, "type": "P100"}]}' >c.json
  $ horus run t.csv -c c.json -o out -f 2> /dev/null | grep '^speeds'
  speeds      run times are those of P100 (the type with most GPUs); K80 by model, x 0.2 without; jobs take any type that is free

# types-of-cpu-jobs
A CPU job needs no profile on any type: of three jobs without one it is not counted.

  $ printf 'job_id,submit_time,gpus,duration,model\na,0,0,60,\nb,0,1,60,VGG16\nc,0,1,60,\n' >t.csv
  $ horus run t.csv -c 2x1:V100,1x1:P100 --assign=columns --cpu-jobs=keep -q -o out 2>&1 >/dev/null | grep profile
  warning: 1 of 2 jobs have no profile: on P100 they run at 1 times the speed of V100

# types-ran-exact
A job that runs again on the type that it ran on takes as long as in the trace, to the microsecond, for any
speed.

  $ awk 'BEGIN {
  >     print "job_id,submit_time,gpus,duration,model,batch,gpu_type_ran"
  >     split("K80 P100 V100", type); split("ResNet50,64 ResNet18,32 Transformer,64", model)
  >     for (i = 0; i < 900; i++)
  >         printf "%d,%d,1,%.6f,%s,%s\n", i, i, 1 + i * i / 999983, model[1 + i % 3], type[1 + int(i / 3) % 3]
  > }' >t.csv
  $ horus run t.csv -c 9x4:V100,9x4:K80,9x4:P100 --reference-type V100 -p fifo:types=match -o out -f -q >/dev/null
  $ awk -F, 'NR == FNR { ran[$1] = $4; next } FNR > 1 && $8 - ran[$1] != 0 { off++ } END { print off + 0, FNR }' t.csv out/jobs.csv
  0 901
  $ horus verify out | tail -n 1
  21 checks passed

# types-match
As the trace ran: the K80's job waits for a K80 although V100s are idle, the other has no recorded type.

  $ printf 'job_id,submit_time,gpus,duration,gpu_type_ran\na,0,2,10,K80\nb,1,1,10,K80\nc,1,1,10,\n' >t.csv
  $ horus run t.csv -c 1x4:V100,1x2:K80 --reference-type V100 --assign off -p fifo:scan=fit,types=match -o out -f 2>&1 |
  >     grep '^order'
  order       submit; scan fit; placement consolidate, on the GPU type that it ran on in the trace; gang all or nothing
  $ awk -F, 'NR > 1 { print $1, $7, $19 }' out/jobs.csv
  a 0 K80
  c 1 V100
  b 10 K80

# horus-w-type
A K80 of 24 GB beside a V100 of 16: eight ResNet-50 fill less of the memory of the K80s, so the cost of
horus places them there, where they take 25408 s; with w_type their predicted speed counts, too.

  $ echo '{"gpu_types": {"K80": {"mem_mib": 24576}, "V100": {"mem_mib": 16384}}, "nodes": [
  >       {"count": 2, "gpus": 4, "type": "K80"}, {"count": 2, "gpus": 4, "type": "V100"}]}' >c.json
  $ (echo job_id,submit_time,gpus,duration,model,batch; seq -f 'j%g,0,1,3600,ResNet50,64' 8) >t.csv
  $ for policy in horus horus:w_type=1; do
  >     horus run t.csv -c c.json --reference-type V100 -p $policy -o out -f 2> /dev/null | grep ^knows
  >     awk -F, 'NR > 1 { print $8, $19 }' out/jobs.csv | sort | uniq -c
  > done
  knows       utilization, memory; may: co-locate
        8 25408.297234 K80
  knows       utilization, memory, speed; may: co-locate
        8 3600 V100

# gpu-types-of-cpu-jobs
A job without GPUs has no type, even if GPUs may be shared.

  $ printf 'job_id,submit_time,gpus,duration,gpu_util,gpu_mem_mib\na,0,1,10,50,1000\nb,1,0,10,,\n' >t.csv
  $ for policy in fifo pack; do
  >     horus run t.csv -c 1x1:V100 -p $policy --cpu-jobs=keep --assign=off --interference=none -q -o out --force >/dev/null
  >     awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $1, "(" $at["gpu_type"] ")" }' out/jobs.csv
  > done
  a (V100)
  b ()
  a (V100)
  b ()
