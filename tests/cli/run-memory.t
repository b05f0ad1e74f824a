SPDX-License-Identifier: GPL-3.0-or-later

Limits of GPU memory.

# memory-limits-bad
A table of memory limits with a fault is an error with its line, also under a policy that does not
read it. A valid one is an input of the run, with a note if the policy limits no job.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
  $ printf 'model,limit,speed\nvgg16,50,0.9\nvgg16,40,98\n' >m.csv
  $ horus run t.csv -c 1x1:V100 -p fifo --memory-limits m.csv
  ! m.csv:3:10: error: speed is not above 0 and at most 1: '98'
  !     3 | vgg16,40,98
  !       |          ^~
  !       = hint: relative to no limit, for example 0.98; it grows with the limit, up to 1 at 100
  [3]
  $ printf 'model,limit,speed,source\nvgg16,50,0.9,ours\n*,10,1,ours\n' >m.csv
  $ horus run t.csv -c 1x1:V100 -p fifo --memory-limits m.csv -o out >/dev/null
  ! note: memory_limits has no effect: fifo limits no job's memory
  $ jq -r '.inputs[] | select(.role == "memory_limits") | .path, .bytes' out/manifest.json
  m.csv
  55

# run-memory-limits
AntMan's own example of memory on one GPU of 32 GiB: SuperRes 10, VGG-16 16 and ResNet-50 20 GiB, all
opportunistic, fit as 4, 8 and 20. By figure 10, as shipped, they run at .83, .98 and 1 until r ends at
1000; then there is memory for both and they have 20 s and 170 s left (.98 in Q32 is less by 2e-11, so v
ends a microsecond late). Until then 8 and 6 GiB are on the host: 14,336,000 MiB s. By a table without a
cost of limits all end at 1000, with as much on the host in all. The table is an input of a run whose policy
limits memory.

  $ cat >t.csv <<'END'
  > job_id,submit_time,gpus,duration,model,class,gpu_mem_mib,gpu_mem_persistent_mib,step,gpu_util
  > s,0,1,1000,Super-Res,opportunistic,10240,300,0.2,20
  > v,0,1,1000,VGG-16,opportunistic,16384,300,0.2,20
  > r,0,1,1000,resnet50,opportunistic,20480,300,0.2,20
  > END
  $ echo '{"gpu_types": {"X": {"mem_mib": 32768}}, "nodes": [{"gpus": 1, "type": "X"}]}' >c.json
  $ run() {
  >     echo "-- $*"
  >     horus run t.csv -c c.json -p antman:shrink_ms_per_gb=0,growth_ms_per_gb=0 --assign off \
  >         --interference none --memory-reserve 0 -q -o out --force "$@" >/dev/null
  >     awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  >         { print $1 " ends at " $at["finish_time"]; host += $at["host_mib_seconds"] }
  >         END { print "MiB s on the host: " host }' out/jobs.csv | sort
  >     jq -r '.inputs[] | select(.role == "memory_limits") | .path' out/manifest.json
  > }
  $ run
  --\x20 (esc)
  MiB s on the host: 14336000
  r ends at 1000
  s ends at 1170
  v ends at 1020.000001
  builtin:memory-limits.csv
  $ printf 'limit,speed,model\n0,1,*\n' >m.csv
  $ run --memory-limits m.csv
  -- --memory-limits m.csv
  MiB s on the host: 14336000
  r ends at 1000
  s ends at 1000
  v ends at 1000
  m.csv
