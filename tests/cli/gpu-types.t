SPDX-License-Identifier: GPL-3.0-or-later

Jobs on clusters of several GPU types.

  $ jct() { # of a run: the times that the jobs took, each once
  >     awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["turnaround_time"] }' out/jobs.csv | sort -u
  > }

# types-order-of-groups
8 ResNet-50 of batch 32 and 3,600 s on a V100. A K80 has 0.148223 of that speed (configs/models/speed.json), and
3600 / 0.148223 = 24287.73. With types=any they go to the nodes of the lowest numbers, so that the order of the
groups decides; with types=fastest to the V100s.

  $ { echo job_id,submit_time,gpus,duration,model; seq -f '%g,0,1,3600,ResNet50' 8; } >t.csv
  $ for types in any fastest; do for shape in 2x4:K80,2x4:V100 2x4:V100,2x4:K80; do
  >     horus run t.csv -c $shape --reference-type V100 -p fifo:types=$types -o out -f -q >/dev/null
  >     echo "$types $shape $(jct)"
  > done; done
  any 2x4:K80,2x4:V100 24287.728607
  any 2x4:V100,2x4:K80 3600
  fastest 2x4:K80,2x4:V100 3600
  fastest 2x4:V100,2x4:K80 3600

Three more: the V100s are full, the rest goes to the K80s at once.

  $ { cat t.csv; seq -f '%g,0,1,3600,ResNet50' 9 11; } >more.csv
  $ horus run more.csv -c 2x4:K80,2x4:V100 --reference-type V100 -p fifo:types=fastest -o out -f -q >/dev/null; jct
  24287.728607
  3600

The assumptions of a run say so, and what the policy was told.

  $ horus run t.csv -c 2x4:K80,2x4:V100 --reference-type V100 -p fifo:types=fastest -o out -f |
  >     grep -E '^(order|knows|predictor)'
  order       submit; scan strict; placement consolidate, on the fastest GPU type with room (predicted; ties: name); gang all or nothing
  knows       speed; may: nothing
  predictor   speed on GPU types table
  $ jq -c '.assumptions | [.placement, .knows, .predictor]' out/manifest.json
  ["consolidate, on the fastest GPU type with room (predicted; ties: name)","speed","speed on GPU types table"]

# types-of-a-whole-trace
The sample on three types, its profiles drawn: every figure of a run is the same in both orders, also where what
the policy is told is noise.

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
What cannot be a predictor of speeds, and one that no policy of the run asks.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
  $ horus run t.csv --speed-predictor noisy
  ! error: a predictor of speeds is oracle, table or noisy:SIGMA, SIGMA a number 0..5, not 'noisy'
  !       = hint: noisy:0.2 is off by about 20 %
  [2]
  $ horus run t.csv -c 1x1 --speed-predictor oracle -o out >/dev/null
  ! note: speed_predictor has no effect: fifo asks for no such prediction ('horus policies')
