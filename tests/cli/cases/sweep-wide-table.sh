# SPDX-License-Identifier: GPL-3.0-or-later
# 9 loads do not fit beside the names in 100 columns: (100 - 28) / 12 = 6 do, and the table says
# that it is cut.
cat >e.json <<'J'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 },
  "grid": { "policy": ["fifo", "sjf"], "load": [1, 2, 3, 4, 5, 6, 7, 8, 9] } }
J
"$HORUS" sweep e.json -j 2 >said
sed -n '/^mean_jct/,/^$/p' said | awk '{ print NF, $0 }' | cut -c 1-42
