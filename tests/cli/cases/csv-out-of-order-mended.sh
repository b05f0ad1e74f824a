# SPDX-License-Identifier: GPL-3.0-or-later
# The same rows within the window, and the notice of it.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,100,1,10
2,90,1,10
3,80,1,10
4,70,1,10
5,1,1,10
END
"$HORUS" run t.csv -c 2x4 -o out --sort=all | head -n 4
