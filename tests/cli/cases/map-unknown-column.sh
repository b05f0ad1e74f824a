# SPDX-License-Identifier: GPL-3.0-or-later
# A map to a column that is not there.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1,5
END
"$HORUS" run t.csv -c 2x4 -o out --map duration=runtime
