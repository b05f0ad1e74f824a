# SPDX-License-Identifier: GPL-3.0-or-later
# 2 x 2 points in the order of the file, the last key fastest; ranges of numbers; policies as objects.
cat >e.json <<'J'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  "grid": { "policy": ["fifo", { "name": "sjf", "scan": "fit" }], "seed": "1..2" } }
J
"$HORUS" sweep e.json >/dev/null && cut -d, -f1,3-6 results/e/sweep.csv
