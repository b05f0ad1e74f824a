# SPDX-License-Identifier: GPL-3.0-or-later
# The same trace, but half the time between submissions: job b comes at 4, not at 8.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,8,1,10\n' >t.csv
"$HORUS" run t.csv -c 1x2:V100 -q -o a >/dev/null
"$HORUS" run t.csv -c 1x2:V100 --load=2 -q -o b >/dev/null
"$HORUS" compare a b
