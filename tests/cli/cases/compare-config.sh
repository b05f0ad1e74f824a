# SPDX-License-Identifier: GPL-3.0-or-later
# Policies as a list, one of them an object; --set policy.KEY is for all; what --print-config shows is a
# configuration again.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
cat >c.json <<'END'
{"policy": ["fifo", {"name": "sjf", "placement": "best_fit"}], "seeds": "1,2", "cluster": "1x1"}
END
"$HORUS" compare t.csv --config c.json --set policy.scan=fit --print-config | tee d.json |
    grep -E '"(policy|seeds|assignments|cluster|outputs)"'
"$HORUS" compare --config d.json -q -o out >/dev/null
cut -d, -f1-5 out/runs.csv
sed -n '/"policy": \[/,/\]/p' out/manifest.json
