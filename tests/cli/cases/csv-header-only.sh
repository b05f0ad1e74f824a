# SPDX-License-Identifier: GPL-3.0-or-later
# No jobs at all.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
END
"$HORUS" run t.csv -c 2x4 -o out
