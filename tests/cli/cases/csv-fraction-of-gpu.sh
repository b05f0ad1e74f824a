# SPDX-License-Identifier: GPL-3.0-or-later
# A share of one GPU is a number below 1; one and a half GPUs are nothing: refused, not rounded.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1.5,10
END
"$HORUS" run t.csv -c 2x4 -o out
