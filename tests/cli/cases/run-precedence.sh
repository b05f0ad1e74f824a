# SPDX-License-Identifier: GPL-3.0-or-later
# default < --config < --set < flag, whatever their order.
echo '{"max_tenants": 5, "seed": 5, "load": 5}' >c.json
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,4,10
b,1,8,5
c,2,4,3
END
"$HORUS" run t.csv --max-tenants=4 --set max_tenants=3 --set seed=3 --config c.json --print-config | grep -E "max_tenants|seed|load|startup"
