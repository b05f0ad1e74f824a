# SPDX-License-Identifier: GPL-3.0-or-later
# A quote that is never closed.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1,10
"2,5,1,10
END
"$HORUS" run t.csv -c 2x4 -o out
