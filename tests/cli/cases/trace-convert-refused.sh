# SPDX-License-Identifier: GPL-3.0-or-later
# Each with what to do about it; nothing is written.
printf 'job_id,submit_time,gpus,duration\na,0,1,5\nb,1,x,5\n' > jobs.csv
"$HORUS" trace convert jobs.csv; echo $?
"$HORUS" trace convert jobs.csv -o out.dat; echo $?
"$HORUS" trace convert jobs.csv -o -; echo $?
"$HORUS" trace convert jobs.csv --to heljos -o out; echo $?
"$HORUS" trace info jobs.csv --to helios; echo $?
"$HORUS" trace convert jobs.csv -o jobs.csv; echo $?
"$HORUS" trace convert jobs.csv -o out.csv -c 1x1:V100; echo $?
"$HORUS" trace convert jobs.csv -o out.csv --retries=generate; echo $?
"$HORUS" trace convert jobs.csv -o out.json.gz; echo $?
ls
