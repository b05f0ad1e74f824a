# SPDX-License-Identifier: GPL-3.0-or-later
# A GPU type's scalar speed gives way to what was measured of the model; without profiles it decides.
printf 'job_id,submit_time,gpus,duration,model\na,0,1,10,ResNet18\n' >t.csv
cat >c.json <<'END'
{"gpu_types": {"V100": {}, "P100": {"speed": 0.1}},
 "nodes": [{"count": 1, "gpus": 1, "type": "P100"}]}
END
for assign in auto off; do
    "$HORUS" run t.csv -c c.json --reference-type V100 --assign=$assign -o out --force --quiet >/dev/null
    cut -d, -f1,8 out/jobs.csv
done
