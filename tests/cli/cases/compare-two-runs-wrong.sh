# SPDX-License-Identifier: GPL-3.0-or-later
# Two operands are two finished runs, which have their policies already.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" run t.csv -c 1x1 -q -o a >/dev/null
"$HORUS" compare a t.csv; echo $?
"$HORUS" compare a a -p fifo; echo $?
"$HORUS" compare a; echo $?
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf --outputs jobs -q -o both >/dev/null
"$HORUS" compare a both; echo $?
"$HORUS" compare both; echo $?
"$HORUS" verify both; echo $?
"$HORUS" compare a elsewhere; echo $?
"$HORUS" compare both/runs/fifo-s1-a1 both/runs/sjf-s1-a1 -o pair -q >/dev/null; echo $?
"$HORUS" compare a pair; echo $?
"$HORUS" compare both/runs/fifo-s1-a1 both/runs/sjf-s1-a1 --bootstrap 0 | grep -E '^(JCT|policy)'
