# SPDX-License-Identifier: GPL-3.0-or-later
# Every run stops at the same row: it is said once, by the first of them, and nothing is left behind.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,one,8
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf --seeds 1..3 -j 3 -o out
echo $?
ls
