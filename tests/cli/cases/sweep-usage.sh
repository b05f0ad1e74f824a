# SPDX-License-Identifier: GPL-3.0-or-later
# One thing at a time; points from 1; a metric that is one.
cat >e.json <<'J'
{ "config": { "trace": "traces/sample.csv", "max_jobs": 5 }, "grid": { "load": [1, 2] } }
J
try() { "$HORUS" sweep "$@" 2>&1; echo "exit $?"; }
try
try none.json
try e.json --list --status
try e.json --index 3
try e.json -q --verbose
try e.json --load 3 --status
try e.json -q --metric mean_jtc -o out
