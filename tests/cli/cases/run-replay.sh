# SPDX-License-Identifier: GPL-3.0-or-later
# One GPU, first come first served; jobs of 100 s submitted on four days, two a day 10 s apart. From
# the second day to the third, in a tenth of the time: c and d, 10 s each, 1 s apart: d waits 9 s;
# then a sample, which leaves the same jobs out of every run, and says how many. verify and rerun
# read the trace in the same way.
cat > jobs.csv <<'END'
job_id,submit_time,gpus,duration
a,2020-04-01 00:00:00,1,100
b,2020-04-01 00:00:10,1,100
c,2020-04-02 00:00:00,1,100
d,2020-04-02 00:00:10,1,100
e,2020-04-03 00:00:00,1,100
f,2020-04-03 00:00:10,1,100
g,2020-04-04 00:00:00,1,100
h,2020-04-04 00:00:10,1,100
END
"$HORUS" run jobs.csv -c 1x1:V100 -q -o part --window 2020-04-02..2d --scale-time 0.1 > /dev/null
cut -d, -f1,3,7-10 part/jobs.csv
"$HORUS" verify part | tail -n 1
"$HORUS" rerun part | tail -n 1
"$HORUS" run jobs.csv -c 1x1:V100 -q -o some --sample-jobs 0.5 --seed 3 > /dev/null
"$HORUS" verify some | tail -n 1
"$HORUS" trace convert jobs.csv -q --sample-jobs 50% --seed 3 -o - --to csv | cut -d, -f1 | tail -n +2 | sort > sample
tail -n +2 some/jobs.csv | cut -d, -f1 | sort | cmp - sample && echo same jobs
"$HORUS" trace info jobs.csv --window 3d..
"$HORUS" run jobs.csv -c 1x1:V100 -o none --window 2019-01-01..2020-01-01
"$HORUS" run jobs.csv -c 1x1:V100 -o none --window 5d..1d
"$HORUS" run jobs.csv -c 1x1:V100 -o none --window tomorrow
"$HORUS" run jobs.csv -c 1x1:V100 -o none --sample-jobs 0
"$HORUS" run jobs.csv -c 1x1:V100 -o none --scale-time -1
ls -d none 2> /dev/null || echo nothing was written
