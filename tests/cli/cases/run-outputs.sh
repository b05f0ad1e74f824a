# SPDX-License-Identifier: GPL-3.0-or-later
# Only what was asked for.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv -c 2x4 -q --outputs=jobs -o out >/dev/null
ls out
