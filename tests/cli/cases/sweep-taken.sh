# SPDX-License-Identifier: GPL-3.0-or-later
# The directory of a run is not taken for a sweep: its manifest stays as it is.
"$HORUS" run traces/sample.csv -c 8x8:V100 --max-jobs=1 -o run >/dev/null
echo '{ "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1] } }' >e.json
before=$(cksum <run/manifest.json)
"$HORUS" sweep e.json -o run 2>&1
echo "exit $?"
[ "$before" = "$(cksum <run/manifest.json)" ] && ls run
# A file in the way is told once, not by each of the points.
"$HORUS" sweep e.json -o e.json/x 2>&1
echo "exit $?"
# Something that is no directory of a run, to who reads runs.
"$HORUS" report e.json -o page.html 2>&1
echo "exit $?"
