# SPDX-License-Identifier: GPL-3.0-or-later
# A run over made-up jobs names their workload as an input and can be made again; a workload of one's
# own that has changed since is told.
"$HORUS" run gen:venus,n=500 -c 133x8:V100 -q -o run >/dev/null
jq -r '.inputs[] | select(.role == "trace" or .role == "workload") | .role + " " + .path' run/manifest.json
"$HORUS" rerun run | tail -1
"$HORUS" verify run | tail -1
sed 's/"jobs_per_day": [0-9.]*/"jobs_per_day": 100/' configs/workloads/venus.json >mine.json
"$HORUS" run gen:mine.json,n=500 -c 133x8:V100 -q -o mine >/dev/null
sed -i 's/"jobs_per_day": 100/"jobs_per_day": 200/' mine.json
"$HORUS" rerun mine 2>&1 >/dev/null | sed 's/recorded.*//'
