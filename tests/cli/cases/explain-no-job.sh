# SPDX-License-Identifier: GPL-3.0-or-later
# A slip of a job's name; a run without its segments; a directory that is no run.
printf 'job_id,submit_time,gpus,duration\njob-0815,0,1,10\n' >t.csv
"$HORUS" run t.csv -c 1x2 -q -o out >/dev/null
"$HORUS" explain out --job job-0851
echo "exit $?" >&2
"$HORUS" run t.csv -c 1x2 -q --outputs=jobs -o few >/dev/null
"$HORUS" explain few
echo "exit $?" >&2
"$HORUS" explain .
