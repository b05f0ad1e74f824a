# SPDX-License-Identifier: GPL-3.0-or-later
# The elastic range is upside down.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,gpus_min,gpus_max
1,0,4,10,4,2
END
"$HORUS" run t.csv -c 2x4 -o out
