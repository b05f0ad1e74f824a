# SPDX-License-Identifier: GPL-3.0-or-later
# The page in the directory of the run, listed in its manifest, is the page of `horus report`. The run
# has the name that it has without, and is the same when it is repeated.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\n' >t.csv
"$HORUS" run t.csv -c 1x1 -q >/dev/null
ls results >name
"$HORUS" run t.csv -c 1x1 -q --report --force >/dev/null
ls results | cmp - name
run=$(echo results/*)
ls "$run"
jq -r '.outputs[] | select(.name == "report.html") | .bytes' "$run/manifest.json" >listed
wc -c <"$run/report.html" | cmp - listed
"$HORUS" report "$run" -o - | cmp - "$run/report.html"
jq '.config.report' "$run/manifest.json"
"$HORUS" rerun "$run" 2>/dev/null | sed 's/[0-9a-f]\{16\}/HASH/'
"$HORUS" verify "$run" | tail -n 1
