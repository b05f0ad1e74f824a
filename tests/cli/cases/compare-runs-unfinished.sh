# SPDX-License-Identifier: GPL-3.0-or-later
# One GPU until 12 s. FIFO: d 0-1, a 1-11, b begins. SJF: d 0-1, b 1-5, a begins. Both have done d,
# each one other, none c. What only one has done is counted, not compared.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
d,0,1,1
a,0,1,10
b,0,1,4
c,0,1,20
END
"$HORUS" run t.csv -c 1x1:V100 -p fifo --until=12s -q -o a >/dev/null 2>&1
"$HORUS" run t.csv -c 1x1:V100 -p sjf --until=12s -q -o b >/dev/null 2>&1
"$HORUS" compare a b --bootstrap=0
