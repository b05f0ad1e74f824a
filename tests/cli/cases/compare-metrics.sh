# SPDX-License-Identifier: GPL-3.0-or-later
# The columns that are asked for, however narrow the terminal; a policy of several parameters.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
COLUMNS=40 "$HORUS" compare t.csv -c 1x1 -p fifo -p sjf:scan=fit,placement=best_fit -q -o out \
    --metrics n_jobs,makespan,p50_jct,max_slowdown,goodput
