# SPDX-License-Identifier: GPL-3.0-or-later
# The same with scan=fit: c passes b and runs 2-5.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv -c 2x4 -p fifo:scan=fit -q -o out >/dev/null
cut -d, -f1,7,9 out/jobs.csv
