SPDX-License-Identifier: GPL-3.0-or-later

Figures on request: finish-time fairness and energy. Expected numbers are calculated by hand from MODEL.md
10.

# fairness
Two gangs of all 4 GPUs, 100 s each, at once: each would have half the cluster, but a runs alone 0-100 with
both in the system (N = 2, D = 200 s, rho .5), b 100-200 with N = (100 x 2 + 100 x 1) / 200 = 1.5, D = 150
s, rho 200 / 150. A job of one GPU at 300 is alone: its share suffices, D = 10 s. One without GPUs does not
count.

  $ printf 'job_id,submit_time,gpus,duration\na,0,4,100\nb,0,4,100\nc,300,1,10\nd,305,0,99\n' >t.csv
  $ horus run t.csv -c 1x4:V100 -p fifo --fairness --cpu-jobs=keep -o out -q | sed -n 3,4p
  policy  mean JCT  mean wait  makespan  mean rho  max rho  rho > 1  GPU alloc  p99 JCT  p50 JCT
  fifo     102.2 s     25.0 s   404.0 s      0.94     1.33   33.3 %     50.1 %  200.0 s   99.0 s
  $ awk -F, '{ print $1, $(NF - 1), $NF }' out/jobs.csv
  job_id fair_jct rho
  a 200 0.5
  b 150 1.333333
  c 10 1
  d \x20 (esc)
  $ sed -n '/"metrics"/,/}/p' out/summary.json | grep rho
      "mean_rho": 0.9444443333333333,
      "p50_rho": 1,
      "p90_rho": 1.333333,
      "p95_rho": 1.333333,
      "p99_rho": 1.333333,
      "max_rho": 1.333333,
      "rho_above_1_share": 0.3333333333333333
  $ horus verify out | tail -n 1
  22 checks passed

One GPU, a 100 s at 0, b 10 s at 10 that goes first: a is in the system for 110 s with N = (110 + 10) / 110,
D = 100 x 120 / 110; b for 10 s with N = 2, D = 20 s.

  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\nb,10,1,10\n' >t.csv
  $ horus run t.csv -c 1x1:V100 -p srtf --fairness -o out -f -q >/dev/null
  $ awk -F, '{ print $1, $(NF - 1), $NF }' out/jobs.csv
  job_id fair_jct rho
  b 20 0.5
  a 109.090909 1.008333

A cluster of a V100 and one of a quarter of its speed: the mean speed is .625, so D = 100 / .625 = 160 s for a job that is
alone, rho .625. Of four jobs a and b run and end at 100, N = 4 until then, half a GPU each: D = 100 / .625 x 4 / 2 = 320 s
of a, rho .3125, and 25 / .625 x 2 = 80 s of b, rho 1.25.

  $ echo '{"gpu_types": {"V100": {}, "P100": {"speed": 0.25}}, "nodes": [{"gpus": 1, "type": "V100"},
  >       {"gpus": 1, "type": "P100"}]}' >c.json
  $ printf 'job_id,submit_time,gpus,duration\na,0,1,100\n' >one.csv
  $ horus run one.csv -c c.json --fairness --assign=off -p fifo:types=fastest -o out -f -q >/dev/null
  $ awk -F, '{ print $1, $(NF - 1), $NF }' out/jobs.csv
  job_id fair_jct rho
  a 160 0.625
  $ printf 'job_id,submit_time,gpus,duration,gpu_type\na,0,1,100,V100\nb,0,1,25,P100\nc,0,1,100,\nd,0,1,100,\n' >four.csv
  $ horus run four.csv -c c.json --fairness --assign=off -p fifo -o out -f -q >/dev/null
  $ awk -F, 'NR < 4 { print $1, $(NF - 1), $NF }' out/jobs.csv
  job_id fair_jct rho
  a 320 0.3125
  b 80 1.25

# fairness-by-definition
N from the times in jobs.csv, pair by pair of jobs, and D and rho from it: equal to the program's, to a
microsecond and to the digits of rho, with jobs that share and are preempted.

  $ for p in fifo srtf horus gandiva; do
  >     horus run traces/sample.csv -c 2x8:V100 -p $p --max-jobs=200 --assign=always --fairness -o out -f -q >/dev/null
  >     awk -F, -v p=$p 'function off(a, b) { return a > b ? a - b : b - a }
  >         NR > 1 { n++; from[n] = $3; to[n] = $9; gpus[n] = $4; work[n] = $21; fair[n] = $(NF - 1); rho[n] = $NF }
  >         END {
  >             for (i = 1; i <= n; i++) {
  >                 jobs_s = 0
  >                 for (j = 1; j <= n; j++) {
  >                     a = from[i] > from[j] ? from[i] : from[j]
  >                     b = to[i] < to[j] ? to[i] : to[j]
  >                     jobs_s += b > a ? b - a : 0
  >                 }
  >                 slower = jobs_s / (to[i] - from[i]) * gpus[i] / 16
  >                 d = work[i] * (slower > 1 ? slower : 1)
  >                 faults += off(d, fair[i]) > 1e-6 + 1e-11 * d || off((to[i] - from[i]) / d, rho[i]) > 1e-6 * (1 + rho[i])
  >                 slowed += slower > 1
  >             }
  >             print p, n, (slowed > 0), faults + 0
  >         }' out/jobs.csv
  > done
  fifo 200 1 0
  srtf 200 1 0
  horus 200 1 0
  gandiva 200 1 0

# energy
A V100 draws 36 W idle and 228 W busy. a: 2 GPUs for 100 s at .5, 2 x 192 x .5 x 100 = 19200 J; b: one for 50 s at 1,
9600 J; 4 idle GPUs for 100 s, 14400 J; 43200 J in all.

  $ printf 'job_id,submit_time,gpus,duration,gpu_util\na,0,2,100,50\nb,0,1,50,100\n' >t.csv
  $ horus run t.csv -c 1x4:V100 --power -o out | grep -e ^policy -e ^fifo -e ^power
  policy  mean JCT  mean wait  makespan  energy J  GPU alloc  p99 JCT  p50 JCT  p99 wait  slowdown
  fifo      75.0 s      0.0 s   100.0 s     43200     62.5 %  100.0 s   50.0 s     0.0 s      1.00
  power       V100 36 W idle, 228 W busy
  $ awk -F, '{ print $1, $NF }' out/jobs.csv
  job_id energy
  b 9600
  a 19200
  $ sed -n '/"metrics"/,/}/p' out/summary.json | grep energy
      "energy": 43200,
      "idle_energy": 14400,
      "jobs_energy": 28800
  $ horus verify out | tail -n 1
  22 checks passed

Unknown values are left out, with a reason: watts of a T4, utilization of c.

  $ horus run t.csv -c 1x4:T4 --power -o out -f -q | grep ^power
  power       T4 not measured: no energy
  $ awk -F, '{ print $1, $NF }' out/jobs.csv
  job_id energy
  b\x20 (esc)
  a\x20 (esc)
  $ grep 'energy.*because\|energy.*known' out/summary.json
      "energy": "the power of a GPU type of the cluster is not known",
      "idle_energy": "the power of a GPU type of the cluster is not known",
      "jobs_energy": "the power of a GPU type of the cluster is not known"
  $ printf 'job_id,submit_time,gpus,duration,gpu_util\na,0,2,100,50\nc,0,1,50,\n' >u.csv
  $ horus run u.csv -c 1x4:V100 --power -o out -f -q > /dev/null
  $ awk -F, '{ print $1, $NF }' out/jobs.csv
  job_id energy
  c\x20 (esc)
  a 19200
  $ grep energy out/summary.json
      "energy": null,
      "idle_energy": 14400,
      "jobs_energy": null
      "energy": "J",
      "idle_energy": "J",
      "jobs_energy": "J"
      "energy": "the GPU utilization of some job is not known",
      "jobs_energy": "the GPU utilization of some job is not known"

# energy-is-conserved
The sum of all jobs and idle GPUs is the energy of the run, to the microjoule, with jobs that share, are
preempted and lose work; and the energy of jobs is 192 W times the GPU time that the utilization model
accounts.

  $ for p in fifo srtf horus gandiva antman; do
  >     horus run traces/sample.csv -c 4x8:V100 -p $p --max-jobs=500 --assign=always --power -o out -f -q >/dev/null
  >     awk -F, -v p=$p 'function micro(x) { split(x "." , d, "."); return d[1] * 1000000 + substr(d[2] "000000", 1, 6) }
  >         NR == FNR { if (FNR > 1) sum += micro($NF); next }
  >         / "(energy|idle_energy|jobs_energy|gpu_utilization|makespan)": [0-9]/ {
  >             gsub(/[ ",]/, ""); split($0, f, ":"); m[f[1]] = f[2] }
  >         END { print p, sum == micro(m["jobs_energy"]), sum + micro(m["idle_energy"]) == micro(m["energy"]),
  >               m["idle_energy"] == 36 * 32 * m["makespan"],
  >               sprintf("%.5f", m["jobs_energy"] / (192 * 32 * m["makespan"] * m["gpu_utilization"])) }' out/jobs.csv out/summary.json
  > done
  fifo 1 1 1 1.00000
  srtf 1 1 1 1.00000
  horus 1 1 1 1.00000
  gandiva 1 1 1 1.00000
  antman 1 1 1 1.00000

# extras-change-nothing
Without the options the files are unchanged: the figures on request come after the others.

  $ printf 'job_id,submit_time,gpus,duration,gpu_util\na,0,2,100,50\nb,0,3,50,100\n' >t.csv
  $ horus run t.csv -c 1x4:V100 -o plain -q >/dev/null
  $ horus run t.csv -c 1x4:V100 -o all --fairness --power -q >/dev/null
  $ for f in segments series nodes; do cmp plain/$f.csv all/$f.csv; done
  $ awk -F, -v OFS=, '{ NF -= 3; print }' all/jobs.csv | cmp - plain/jobs.csv
  $ awk -F, -v OFS=, '{ NF -= 10; print }' all/summary.csv | cmp - plain/summary.csv

# extras-compared
Policies side by side, and the page.

  $ printf 'job_id,submit_time,gpus,duration,gpu_util\na,0,4,100,50\nb,1,4,10,100\n' >t.csv
  $ horus compare t.csv -c 1x4:V100 -p fifo -p srtf --fairness --power -o both -q | sed -n 3,7p
  policy  mean JCT    mean wait    queueing    makespan  mean rho    rho > 1  energy J  p99 JCT
  fifo     104.5 s       49.5 s      49.5 s     110.0 s      3.11     50.0 %     61920  109.0 s *
  srtf      60.0 s *      0.0 s *     5.0 s *   110.0 s      0.75 *   50.0 %     61920  110.0 s
            0.574x        0.00x      0.101x       1.00x    0.243x      1.00x     1.00x    1.01x
   (esc)
