# SPDX-License-Identifier: GPL-3.0-or-later
# Files that were changed after the run: told; and where they contradict each other, refused.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,0,1,20\n' >t.csv
"$HORUS" run t.csv -c 1x1 -q -o out >/dev/null
sed -i 's/^b,10,30,/b,11,30,/' out/segments.csv
"$HORUS" explain out
