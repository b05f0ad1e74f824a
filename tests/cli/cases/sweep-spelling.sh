# SPDX-License-Identifier: GPL-3.0-or-later
# '-' and '_' are the same in keys: a table has one spelling of them, so that a report knows a seed
# (no panels a seed: two loads, each over two runs), and a point may not have both.
cat >e.json <<'J'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max-jobs": 5 },
  "grid": { "load": [1, 2], "assign-seed": [1, 2] } }
J
"$HORUS" sweep e.json >/dev/null
cut -d, -f1,3-6 results/e/sweep.csv
"$HORUS" report results/e -o e.html >/dev/null
grep -o '[^"]*mean JCT [^"<]*runs' e.html | sed 's/JCT .*, /JCT ..., /' | sort -u
cat >twice.json <<'J'
{ "config": { "trace": "traces/sample.csv" },
  "list": [ { "tie-jitter": 1, "tie_jitter": 2 } ] }
J
"$HORUS" sweep twice.json --list 2>&1
echo "exit $?"
