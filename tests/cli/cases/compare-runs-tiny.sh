# SPDX-License-Identifier: GPL-3.0-or-later
# Two runs job by job: three jobs on one node of two GPUs.
#   FIFO  0 0-100, 1 100-160, 2 160-180: waits 0 90 140, JCT 100 150 160, slowdown 1 2.5 8
#   SRTF  0 0-10 90-180, 1 10-20 40-90, 2 20-40: waits 0 0 0, JCT 180 80 20, slowdown 1.8 1.33 1
# Mean JCT 410/3 and 280/3; differences +80 -70 -140. One GPU: 150 and 80; two: 130 and 100.
# Isolated 20, 60, 100 s: of three the quartiles end at the 1st, 2nd, 3rd and 3rd.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
0,0,2,100
1,10,1,60
2,20,2,20
END
"$HORUS" run t.csv -c 1x2:V100 -p fifo -q -o a >/dev/null
"$HORUS" run t.csv -c 1x2:V100 -p srtf -q -o b >/dev/null
"$HORUS" compare a b -o c && cat c/jobs_paired.csv && grep '^all' c/paired.csv
