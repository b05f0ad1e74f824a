# SPDX-License-Identifier: GPL-3.0-or-later
# A table of memory limits with a fault is refused at its place, also where nobody would ask it. A good one
# is an input of the run, and a note says that it cannot matter to a policy that limits nobody.
printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
printf 'model,limit,speed\nvgg16,50,0.9\nvgg16,40,98\n' >m.csv
"$HORUS" run t.csv -c 1x1:V100 -p fifo --memory-limits m.csv
echo "exit $?"
printf 'model,limit,speed,source\nvgg16,50,0.9,ours\n*,10,1,ours\n' >m.csv
"$HORUS" run t.csv -c 1x1:V100 -p fifo --memory-limits m.csv -o out >/dev/null
jq -r '.inputs[] | select(.role == "memory_limits") | .path, .bytes' out/manifest.json
