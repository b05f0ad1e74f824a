# SPDX-License-Identifier: GPL-3.0-or-later
# Time does not run backwards.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1,-10
END
"$HORUS" run t.csv -c 2x4 -o out
