# SPDX-License-Identifier: GPL-3.0-or-later
# An earlier comparison is not replaced unasked; with --force it goes with the runs that it kept.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o out --outputs jobs >/dev/null
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o out >/dev/null; echo $?
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o out --force >/dev/null; echo $?
ls . out
