# SPDX-License-Identifier: GPL-3.0-or-later
# A table of restarts with a fault is refused at its place, also where nobody would ask it.
printf 'job_id,submit_time,gpus,duration\na,0,1,1\n' >t.csv
printf 'model,gpus,restart_s\nvgg16,1,7\nvgg16,two,8\n' >r.csv
"$HORUS" run t.csv -p fifo --restart-table r.csv
