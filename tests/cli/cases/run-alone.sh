# SPDX-License-Identifier: GPL-3.0-or-later
# A trace alone: default cluster, policy and directory name.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" t.csv
