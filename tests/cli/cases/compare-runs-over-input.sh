# SPDX-License-Identifier: GPL-3.0-or-later
# The comparison may not take the place of a run that it reads, not even by force.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\n' >t.csv
"$HORUS" run t.csv -c 1x2:V100 -q -o a >/dev/null
ln -s a again
"$HORUS" compare a again -o ./again --force
status=$?
ls a
exit $status
