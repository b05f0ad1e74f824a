# SPDX-License-Identifier: GPL-3.0-or-later
# Old Macintosh line ends.
printf 'job_id,submit_time,gpus,duration\r1,0,1,10\r' >t.csv
"$HORUS" run t.csv -c 2x4 -o out
