# SPDX-License-Identifier: GPL-3.0-or-later
# One command a line; what was given beside the file is in each; words are quoted for a shell.
cat >'my exp.json' <<'J'
{ "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1, 2] } }
J
cp "$HORUS" ./horus
./horus sweep 'my exp.json' -o out/ --max-jobs 5 --set 'policy.scan=fit' --list
./horus sweep 'my exp.json' -o out --make
