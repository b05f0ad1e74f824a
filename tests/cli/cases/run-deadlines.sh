# SPDX-License-Identifier: GPL-3.0-or-later
# One GPU: a runs 0-10 and is on time to the second, b runs 10-20 and is 1 s late, c never fits.
printf '%s\n' job_id,submit_time,gpus,duration,deadline a,0,1,10,10 b,0,1,10,19 c,0,9,1,50 >jobs.csv
"$HORUS" run jobs.csv -c 1x1 -o out -q >/dev/null 2>&1
grep -E '"deadline(s|_misses)": [0-9]' out/summary.json
