# SPDX-License-Identifier: GPL-3.0-or-later
# Strict FIFO on two nodes of 4: a 0-10, b waits for all 8: 10-15, c behind it: 15-18. Waits 0, 9, 13.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv -c 2x4 -o out
cat out/jobs.csv out/segments.csv
