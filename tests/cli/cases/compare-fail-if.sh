# SPDX-License-Identifier: GPL-3.0-or-later
# mean JCT 15 under fifo, 13 under sjf (see compare-policies): -13.33 %. The files are there all the same.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o out --fail-if 'mean_jct<-13.4%' >/dev/null; echo $?
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -q -o out -f --fail-if 'mean_jct<-13%' \
    --fail-if 'mean_jct>14@fifo' --fail-if 'mean_jct>13@sjf' --fail-if 'makespan>+0%' >/dev/null
echo $?
ls out
