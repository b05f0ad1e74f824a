# SPDX-License-Identifier: GPL-3.0-or-later
# 25 s at 40 steps a second are 1000 steps, back again 25 s. Without speeds the fields are those of
# Shockwave, where any job has its duration; with them a job that the file does not know ends it.
printf '{"v100": {"LM (batch size 5)": {"null": 40}}}\n' >speeds.json
printf 'job_id,submit_time,gpus,duration,model,batch\na,0,2,25,LSTM,5\n' >lm.csv
printf 'job_id,submit_time,gpus,duration\nb,7,1,3.5\n' >any.csv
"$HORUS" trace convert lm.csv --gavel-throughputs speeds.json -o lm.trace
cat lm.trace
"$HORUS" trace convert lm.trace --gavel-throughputs speeds.json -o -  --to csv -q | cut -d, -f1-4,8,10
"$HORUS" trace convert any.csv --to gavel -o - -q
"$HORUS" trace convert any.csv --gavel-throughputs speeds.json -o any.trace
test -e any.trace || echo none
