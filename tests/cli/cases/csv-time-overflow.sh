# SPDX-License-Identifier: GPL-3.0-or-later
# A submission beyond the range of the clock.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,99999999999999999,1,10
END
"$HORUS" run t.csv -c 2x4 -o out
