SPDX-License-Identifier: GPL-3.0-or-later

Why jobs wait: the causes and the decisions that a run writes.

# run-decisions
A node of four under EASY: a holds three GPUs until 100, so b (4) has its reservation at 100. c (1) would
finish at 103 and waits; d (1) is submitted at 20, finishes at 70 and is backfilled; e never fits, which the
simulator decides, not the policy. At 100 a's end starts b, at 150 b's end c. The runs of a comparison
contain the same rows, and `horus explain` reads them.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration
  > a,0,3,100
  > b,10,4,50
  > c,13,1,90
  > d,20,1,50
  > e,30,8,1
  > END
  $ horus run t.csv -c 1x4 -p fifo:scan=easy -q --decisions -o out >/dev/null 2>&1
  $ ls out
  decisions.csv
  jobs.csv
  manifest.json
  nodes.csv
  segments.csv
  series.csv
  summary.csv
  summary.json
  $ cat out/decisions.csv
  time,job_id,action,gpus,allocated_resources,value,trigger,because
  0,a,start,3,0-2,0,submit,"its turn: order submit, scan easy"
  20,d,start,1,3,0,submit,backfilled: done before the reservation of the head
  100,b,start,4,0-3,0,finish,"its turn: order submit, scan easy"
  150,c,start,1,0,0,finish,"its turn: order submit, scan easy"
  $ horus verify out | tail -n 1
  22 checks passed
  $ horus compare t.csv -c 1x4 -p fifo:scan=easy -p srtf -q --outputs=jobs,segments,decisions -o both \
  >     >/dev/null 2>&1
  $ cmp out/decisions.csv both/runs/fifo*easy*/decisions.csv && echo "the same in a comparison"
  the same in a comparison
  $ horus explain both/runs/srtf*/ --job b --json | jq -c '.decisions[]'
  {"time":10,"action":"start","gpus":"0-3","value":0,"trigger":"submit","because":"its turn: order remaining, scan fit"}

# run-series-digits
Two GPUs at 500 per mille, of which a slow node leaves .3333: 166.65 per mille, at an instant as in the mean.

  $ printf 'job_id,submit_time,gpus,duration,gpu_util\na,0,2,100,50\n' >t.csv
  $ printf 'time,node,event,value\n0,n0,slow,0.3333\n' >e.csv
  $ for sample in exact 100; do
  >     horus run t.csv -c 2x1:V100 --assign=columns --locality=none --events=e.csv --sample=$sample -q -f -o out >/dev/null
  >     grep ^0,util_model out/series.csv
  > done
  0,util_model,,0.16665
  0,util_model,,0.16665

# run-wait-causes
The series of waiting GPUs, at every change, add up to the figures of the summary: to the last
digit, since both are sums of integer microseconds. Gangs of up to 16 on nodes of 4, so that some
wait for several nodes; and virtual clusters with quotas. Placement is the sum of its two parts.

  $ awk 'BEGIN { s = 11; print "job_id,submit_time,gpus,duration,vc"
  >     for (i = 0; i < 300; i++) {
  >         s = (s * 1103515245 + 12345) % 2147483648; t += int(s / 65536) % 40
  >         s = (s * 1103515245 + 12345) % 2147483648; g = int(s / 65536) % 6
  >         s = (s * 1103515245 + 12345) % 2147483648
  >         printf "%d,%d,%d,%d,%s\n", i, t, g < 5 ? 2 ^ g : 3, int(s / 65536) % 500 + 1, \
  >             i % 3 ? "a" : "b" } }' >t.csv
  $ printf '{"nodes": [{"count": 6, "gpus": 4}], "vcs": {"a": 18, "b": 18}}' >c.json
  $ for run in "ignore fifo" "quota fifo:scan=fit" "quota srtf" "ignore tiresias"; do
  >     horus run t.csv -c c.json --vc="${run% *}" -p "${run#* }" -q --sample=exact --force -o out \
  >         >/dev/null
  >     jq -r '.metrics | ["resources", "placement", "quota", "priority", "constraint"][] as $cause
  >         | "\($cause) \(.["wait_\($cause)_gpu_seconds"])"' out/summary.json >figures
  >     awk -F, 'NR == FNR { split($0, f, " "); figure[f[1]] = f[2]; next }
  >         $2 == "gpus_waiting" { sum[$3] += value[$3] * ($1 - since[$3]); since[$3] = $1
  >                                value[$3] = $4 }
  >         END { for (cause in value) sum[cause] += value[cause] * ($1 - since[cause])
  >               figure["fragmentation"] = figure["placement"] - figure["constraint"]
  >               for (cause in figure) {
  >                   if (figure[cause] != sum[cause]) print cause, figure[cause], sum[cause]
  >                   seen = seen (figure[cause] > 0 ? " " substr(cause, 1, 3) : "") }
  >               n = split(seen, s, " "); print n, "causes met, all equal unless listed" }' \
  >         figures out/series.csv
  > done
  5 causes met, all equal unless listed
  5 causes met, all equal unless listed
  6 causes met, all equal unless listed
  5 causes met, all equal unless listed
