# SPDX-License-Identifier: GPL-3.0-or-later
# A gang that no rack holds is turned away when all is idle: after the end of job a, at its next try
# (0, 120, 240 s). The run lasts until then: 2 of 4 GPUs were held for 130 of 240 s, 0.2708 in all.
cat >c.json <<'END'
{"racks": [{"nodes": [{"gpus": 2}]}, {"nodes": [{"gpus": 2}]}]}
END
printf 'job_id,submit_time,gpus,duration\na,0,2,130\nb,0,3,10\n' >t.csv
"$HORUS" run t.csv -c c.json -p philly:max_level=1 -q -o out >/dev/null 2>&1
cut -d, -f1,16,23 out/jobs.csv
grep "gpu_allocation.: 0" out/summary.json
"$HORUS" verify out | grep -e figures -e passed
