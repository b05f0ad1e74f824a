# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing is simulated, nothing written.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf --seeds 4..5 --assignments 7 -o out --dry-run
ls
