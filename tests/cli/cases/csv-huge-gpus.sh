# SPDX-License-Identifier: GPL-3.0-or-later
# More GPUs than a 32-bit count holds.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,5000000000,10
END
"$HORUS" run t.csv -c 2x4 -o out
