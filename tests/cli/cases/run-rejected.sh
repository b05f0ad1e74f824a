# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs that can never fit are reported, not dropped.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,9,5
c,2,4,3
d,3,99,1
END
"$HORUS" run t.csv -c 2x4 -q -o out >/dev/null
cut -d, -f1,17 out/jobs.csv
