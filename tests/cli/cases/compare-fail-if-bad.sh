# SPDX-License-Identifier: GPL-3.0-or-later
# Refused before anything is simulated.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
for condition in 'mean_jtc>+1%' 'mean_jct>1%' 'mean_jct' 'mean_jct>+1%@sfj' 'mean_jct>+1%@fifo'; do
    "$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -o out --fail-if "$condition"
    echo $?
done
ls
