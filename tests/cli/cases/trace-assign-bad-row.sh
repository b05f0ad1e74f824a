# SPDX-License-Identifier: GPL-3.0-or-later
# A trace that breaks off leaves no half file.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,x\n' > jobs.csv
"$HORUS" trace assign jobs.csv -o out.csv
status=$?
ls out.csv* 2> /dev/null
exit $status
