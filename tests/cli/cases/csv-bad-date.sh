# SPDX-License-Identifier: GPL-3.0-or-later
# 30 February.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,2020-02-28 00:00:00,1,10
2,2020-02-30 00:00:00,1,10
END
"$HORUS" run t.csv -c 2x4 -o out
