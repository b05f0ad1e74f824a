# SPDX-License-Identifier: GPL-3.0-or-later
# A point by its number, and again; its configuration.
cat >e.json <<'J'
{ "config": { "trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 5 }, "grid": { "load": [1, 2] } }
J
"$HORUS" sweep e.json --index 2 | sed 's/-[0-9a-f]*\//-HASH\//'
"$HORUS" sweep e.json --index 2 | sed 's/-[0-9a-f]*\//-HASH\//'
"$HORUS" sweep e.json --pending
"$HORUS" sweep e.json --index 2 --print-config | grep -e load -e '"cluster"' -e '"outputs"'
"$HORUS" sweep e.json --gather -q | tail -1
cut -d, -f1,3-5 results/e/sweep.csv
