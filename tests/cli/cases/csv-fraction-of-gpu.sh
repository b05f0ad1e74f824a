# SPDX-License-Identifier: GPL-3.0-or-later
# Shares of a GPU are not simulated yet: refused, not rounded.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,0.5,10
END
"$HORUS" run t.csv -c 2x4 -o out
