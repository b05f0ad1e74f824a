# SPDX-License-Identifier: GPL-3.0-or-later
# More bad rows than were allowed.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
1,0,1,10
2,x,1,10
3,x,1,10
4,9,1,10
END
"$HORUS" run t.csv -c 2x4 -o out --skip-bad-rows=25%
