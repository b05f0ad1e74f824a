# SPDX-License-Identifier: GPL-3.0-or-later
# One GPU. fifo: a 0-10, b 10-18, c 18-20, mean wait (0+9+16)/3, mean JCT (10+17+18)/3 = 15. sjf: c before
# b, 10-12, 12-20: mean wait (0+8+11)/3, mean JCT (10+10+19)/3 = 13. srtf: a 0-1, b 1-2, c 2-4, b 4-11,
# a 11-20: nobody waits to start, mean JCT (20+10+2)/3. Ratios: 13/15 = 0.867, 32/45 = 0.711, 19/25.
# The makespan is 20 for all; no job waits on srtf, so that 0 / 8.33 is 0.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf -p srtf -o out
grep -E '^(policy|[a-z]*,(makespan|mean_wait|mean_jct|ooms)),' out/compare.csv
cut -d, -f1-5 out/runs.csv
cat out/order.csv
ls out
