# SPDX-License-Identifier: GPL-3.0-or-later
# What --fit has no use for, what has no use without it, and a trace with too few jobs.
"$HORUS" generate --fit x.csv --like venus -o w.json
"$HORUS" generate --like venus --map a=b -o w.json
printf 'job_id,submit_time,gpus,duration\n1,0,1,5\n' >one.csv
"$HORUS" generate --fit one.csv -o w.json
status=$?
[ ! -e w.json ] && exit $status
