# SPDX-License-Identifier: GPL-3.0-or-later
# Shares of GPUs from the trace to the rows. By hand: a opens GPU 0 (0.5), b fits there (0.3), c has
# GPU 1 whole until 11, d wants 0.6 and waits for it; e wants half of two GPUs: GPU 0 has room again
# when b ends at 50, and GPU 1, which d has left at 31, is idle. GPU-s: 50 + 15 + 10 + 12 + 2 x 10;
# allocated 107 of 2 x 100. Held: GPU 0 100 s, GPU 1 [1, 31) and [50, 70): 150 of 200.
cat >t.csv <<'CSV'
job_id,submit_time,duration,gpus,gpu_milli
a,0,100,0.5,
b,0,50,0.3,
c,1,10,1,
d,2,20,0.6,
e,3,20,2,500
CSV
"$HORUS" run t.csv -c 1x2:V100 -p fifo --assign=off --check=full -o out | grep shares
cut -d, -f1,4,7,9,13,24,31,44 out/jobs.csv
grep -e '"gpu_allocated_share"' -e '"gpu_allocation"' -e '"gpu_sharing"' out/summary.json | head -3
"$HORUS" verify out | tail -1
# one thousandth more than there is; less GPU time; another share
sed 's/^\(b,.*\),0.3$/\1,0.501/' out/jobs.csv >tampered
mv tampered out/jobs.csv
"$HORUS" verify out | grep -A3 FAIL
# who cannot divide a GPU gives it whole, and says so
"$HORUS" run t.csv -c 1x2:V100 -p srtf --assign=off -o whole | grep shares
grep -h shares_ out/manifest.json whole/manifest.json
cut -d, -f1,4,31,44 whole/jobs.csv
"$HORUS" verify whole | tail -1
