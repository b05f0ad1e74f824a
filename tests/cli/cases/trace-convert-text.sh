# SPDX-License-Identifier: GPL-3.0-or-later
# Philly's archive writes None for nothing, so that a user of this name is none there; a byte that is
# no UTF-8 has no place in JSON.
printf 'job_id,submit_time,gpus,duration,user,vc\na,0,1,5,None,v\nb,1,1,5,u,\377\n' > jobs.csv
"$HORUS" trace convert jobs.csv -o out.json
"$HORUS" trace convert out.json -q --to tiresias -o -
