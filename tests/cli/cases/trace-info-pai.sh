# SPDX-License-Identifier: GPL-3.0-or-later
# PAI's task table, which has no header: by hand, of 5 rows one is a CPU task, one still ran and one
# has no end; job c wants 1.5 GPUs, so that it gets 2.
cat >pai_task_table.csv <<'END'
a,worker,2.0,Terminated,10.0,70.0,600.0,29.296875,50.0,T4
b,ps,1.0,Terminated,11.0,70.0,600.0,29.296875,,
c,worker,1.0,Failed,12.0,24.0,600.0,29.296875,150.0,MISC
d,worker,1.0,Running,13.0,,600.0,29.296875,100.0,MISC
e,worker,1.0,Failed,14.0,,600.0,29.296875,100.0,MISC
END
"$HORUS" trace info pai_task_table.csv | head -n 8
