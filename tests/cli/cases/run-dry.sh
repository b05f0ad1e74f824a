# SPDX-License-Identifier: GPL-3.0-or-later
# Everything checked, nothing written.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv -c 2x4 --dry-run -o out
[ ! -e out ] && [ ! -e out.tmp ]
