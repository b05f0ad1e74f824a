# SPDX-License-Identifier: GPL-3.0-or-later
# From standard input.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run - -c 2x4 -q -o out <t.csv >/dev/null
cut -d, -f1,2,9 out/jobs.csv
