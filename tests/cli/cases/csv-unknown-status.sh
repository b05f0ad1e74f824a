# SPDX-License-Identifier: GPL-3.0-or-later
# A status that no format uses.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,status
1,0,1,10,COMPLETED
2,5,1,10,EXPLODED
END
"$HORUS" run t.csv -c 2x4 -o out
