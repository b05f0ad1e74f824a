# SPDX-License-Identifier: GPL-3.0-or-later
# What no comparison can be made of.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv; echo $?
"$HORUS" compare -p fifo -p sjf; echo $?
"$HORUS" compare t.csv -p fifo,sjf; echo $?
"$HORUS" compare t.csv -p fifo; echo $?
"$HORUS" compare t.csv -p fifo -p sjf -p fifo; echo $?
"$HORUS" compare t.csv -p fifo -p sfj; echo $?
"$HORUS" compare t.csv -p fifo -p sjf:scan=fit,scan=fit; echo $?
"$HORUS" compare t.csv -c 1x1 -p fifo -p fifo:scan=strict --dry-run >/dev/null; echo $?
"$HORUS" compare t.csv -p fifo -p sjf --seeds 5..1; echo $?
"$HORUS" compare t.csv -p fifo -p sjf --seeds 1..2 --seed 3; echo $?
"$HORUS" compare t.csv -p fifo -p sjf --assignments 0..2; echo $?
"$HORUS" compare t.csv -p fifo --seeds 1..1000 --assignments 1..11; echo $?
"$HORUS" compare - -p fifo -p sjf <t.csv; echo $?
"$HORUS" compare t.csv -p fifo -p sjf --metrics mean_jct,p99wait; echo $?
"$HORUS" compare t.csv -p fifo -p sjf --metrics mean_jct,p99_wait,mean_jct; echo $?
"$HORUS" compare t.csv -p fifo -p sjf -j 0; echo $?
ls
