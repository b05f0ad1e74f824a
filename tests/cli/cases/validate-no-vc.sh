# SPDX-License-Identifier: GPL-3.0-or-later
# A job without a virtual cluster where there are some: what the check foretells, the run does.
printf 'job_id,submit_time,gpus,duration,vc\n0,0,2,10,a\n1,1,2,10,\n' >t.csv
printf '{"nodes": [{"gpus": 8}], "vcs": {"a": 4}}' >c.json
"$HORUS" trace validate t.csv -c c.json --vc=quota | grep -A1 'never fit'
"$HORUS" run t.csv -c c.json --vc=quota -o o >out
