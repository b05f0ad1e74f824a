# SPDX-License-Identifier: GPL-3.0-or-later
# By hand. All durations: a 10 20 30 100, b 10 40 100 100: after 30 s it is 3/4 to 1/4, so 0.5; means
# 40 and 62.5 (1.5625), medians 25 and 70 (2.8). One GPU: a 10 20 30, b 10 40: 1 to 1/2 after 30 s;
# means 20, 25; medians 20, 25. Two to four GPUs: a 100, b 100. Half a GPU in b alone. GPUs: of a
# three quarters are at 1 and all at 4; of b 1/4 at 0.5, 3/4 at 1: 0.25; means 7/4 and 6.5/4. Gaps: a
# 1 1 1, b 2 2 2. Noise: 1.36 sqrt(1/4 + 1/4) = 0.9617, sqrt(1/3 + 1/2) 1.2415, sqrt(2) 1.9233,
# sqrt(2/3) 1.1104. Outcomes: 3/4 and 2/4 completed, 1/4 and 1/4 failed, 0 and 1/4 unknown.
cat > a.csv <<'END'
job_id,submit_time,gpus,duration,status
a,0,1,10,Pass
b,1,1,20,Pass
c,2,1,30,Failed
d,3,4,100,Pass
END
cat > b.csv <<'END'
name,when,n,length,status
a,100,1,10,Pass
b,102,1,40,Pass
c,104,0.5,100,Failed
d,106,4,100,
END
"$HORUS" trace info --compare a.csv b.csv --map job_id=name,submit_time=when,gpus=n,duration=length
"$HORUS" trace info --compare - - < a.csv
"$HORUS" trace info --compare nowhere.csv a.csv
"$HORUS" trace convert --compare a.csv a.csv -o b2.csv
