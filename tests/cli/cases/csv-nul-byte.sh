# SPDX-License-Identifier: GPL-3.0-or-later
# A NUL inside a field.
printf 'job_id,submit_time,gpus,duration\n1,0,1,1\0000\n' >t.csv
"$HORUS" run t.csv -c 2x4 -o out
