# SPDX-License-Identifier: GPL-3.0-or-later
# Every fault by kind, and what would mend it.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1,10
2,x,1,10
3,5,one,10
4,6,1,-3
5,7,64,10
6,8,1
END
"$HORUS" trace validate t.csv -c 2x4
