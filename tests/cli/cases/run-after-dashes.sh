# SPDX-License-Identifier: GPL-3.0-or-later
# Behind -- everything is an operand.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run -c 2x4 -q -o out -- t.csv >/dev/null
ls out/manifest.json
