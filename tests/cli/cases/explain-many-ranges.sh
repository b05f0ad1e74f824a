# SPDX-License-Identifier: GPL-3.0-or-later
# A gang gets every second GPU of 40, as jobs of one GPU that run on end hold the others: 20 ranges.
# JSON has them all; what a person reads is cut, and says so.
awk 'BEGIN { print "job_id,submit_time,gpus,duration"
    for (i = 0; i < 40; i++) printf "%d,0,1,%d\n", i, i % 2 ? 100 : 10
    print "gang,1,20,5" }' >t.csv
"$HORUS" run t.csv -c 1x40 -q -o out >/dev/null
"$HORUS" explain out --job gang --json | jq -r '.life[] | select(.gpus) | .gpus'
"$HORUS" explain out --job gang | grep -o 'runs .*;'
