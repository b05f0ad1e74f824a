# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of two traces are not compared.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
printf 'job_id,submit_time,gpus,duration\na,0,1,11\n' >u.csv
"$HORUS" run t.csv -c 1x2:V100 -q -o a >/dev/null
"$HORUS" run u.csv -c 1x2:V100 -q -o b >/dev/null
"$HORUS" compare a b
