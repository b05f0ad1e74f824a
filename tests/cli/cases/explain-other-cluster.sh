# SPDX-License-Identifier: GPL-3.0-or-later
# Told with a cluster that was changed after the run: who ran in a virtual cluster that is gone has
# no pool in which its GPUs could be counted. Told of the first segment of such a job, by hand: b
# ends first.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,vc
a,0,1,20,left
b,0,1,10,right
END
echo '{"nodes": [{"count": 1, "gpus": 2, "type": "V100"}], "vcs": {"left": 1, "right": 1}}' >c.json
"$HORUS" run t.csv -c c.json --vc=quota -q -o out >/dev/null
sed -i s/right/wrong/ c.json
"$HORUS" explain out
