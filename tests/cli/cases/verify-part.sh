# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that read a part of a trace much larger than any buffer: the hash is still that of the whole
# file, so that a changed end is noticed.
awk 'BEGIN {
    print "job_id,submit_time,gpus,duration"
    for (i = 0; i < 40000; i++) print "j" i "," i * 10 ",1,7"
}' >t.csv
"$HORUS" run t.csv -c 1x1 --max-jobs 5 -o jobs -q >/dev/null
"$HORUS" run t.csv -c 1x1 --until 1min -o time -q >/dev/null
for run in jobs time; do
    "$HORUS" verify $run | grep -E 'trace is the one|passed'
done
echo z,500000,1,1 >>t.csv
for run in jobs time; do
    "$HORUS" verify $run 2>&1 | grep -A1 'trace is the one'
done
