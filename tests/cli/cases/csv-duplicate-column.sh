# SPDX-License-Identifier: GPL-3.0-or-later
# Two columns of one name: which is meant?
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,duration
1,0,1,10,20
END
"$HORUS" run t.csv -c 2x4 -o out
