# SPDX-License-Identifier: GPL-3.0-or-later
# A zip of 2 and a list of 2, whose second row leaves a key out: 4 points.
cat >e.json <<'J'
{ "name": "mixed", // comments are allowed
  "config": { "trace": "traces/sample.csv", "max_jobs": 5 },
  "zip": { "cluster": ["8x8:V100", "4x8:V100"], "load": [1, 0.5] },
  "list": [ { "policy": "horus", "policy.look_ahead": 3 }, { "policy": "fifo" } ] }
J
"$HORUS" sweep e.json -q >/dev/null && cut -d, -f1,3-8 results/mixed/sweep.csv
"$HORUS" sweep e.json --pending
"$HORUS" sweep e.json --status
