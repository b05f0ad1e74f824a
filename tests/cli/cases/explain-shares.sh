# SPDX-License-Identifier: GPL-3.0-or-later
# What shares of GPUs wait for. By hand: a and b leave 400 thousandths on each of two GPUs until 100.
# c wants 500: 800 are left, but not on one GPU (fragmentation). d wants 900 (capacity). e wants 300,
# which would fit (order: c is before it). The run books as it goes, explain replays its rows.
cat >t.csv <<'CSV'
job_id,submit_time,duration,gpus
a,0,100,0.6
b,0,100,0.6
c,0,10,0.5
d,0,10,0.9
e,0,10,0.3
CSV
"$HORUS" run t.csv -c 1x2:V100 -p fifo --assign=off -o out >/dev/null
grep -e '"wait_[a-z]*_gpu_seconds": [0-9]' out/summary.json
"$HORUS" explain out
"$HORUS" explain out --job d | head -8
"$HORUS" explain out --job d --json | head -12
