# SPDX-License-Identifier: GPL-3.0-or-later
# A negative gang.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,-2,10
END
"$HORUS" run t.csv -c 2x4 -o out
