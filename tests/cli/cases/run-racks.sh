# SPDX-License-Identifier: GPL-3.0-or-later
# A gang is spread when it has more nodes than it needs; racks do not count, for nobody measured them
# apart. 2 + 2 nodes of 4 GPUs, placed by counting, and gangs of 8 that a spread slows to half. Behind
# 4 GPUs the gang has nodes 1 and 2, of two racks, and runs its 100 s; behind 2 GPUs it has nodes 0, 1
# and 2: 200 s. In one rack the same.
cat >speed.json <<'END'
{"kind": "speed", "format": 1, "types": ["P100"], "reference": "P100",
 "jobs": [], "families": [{"family": "F", "jobs": 1, "speed": {"P100": 1}}],
 "scaling": [], "spread": [{"family": "F", "gpu": "P100", "gpus": [8], "factor": [0.5]}], "holdout": []}
END
printf 'model,family\nM,F\n' >p.csv
echo '{"racks": [{"nodes": [{"count": 2, "gpus": 4, "type": "P100"}]},
                 {"nodes": [{"count": 2, "gpus": 4, "type": "P100"}]}]}' >two.json
echo '{"nodes": [{"count": 4, "gpus": 4, "type": "P100"}]}' >one.json
for cluster in two one; do
    for first in 4 2; do
        printf 'job_id,submit_time,gpus,duration,model\na,0,%s,100,M\nb,0,8,100,M\n' $first >t.csv
        "$HORUS" run t.csv -c $cluster.json -p fifo:placement=count --models speed.json \
            --profiles p.csv --assign columns -o out --force -q >said || cat said
        awk -F, -v what="$cluster, behind $first:" \
            '$1 == "b" { print what, "GPUs", $13 ", nodes", $20 ", ends at", $9 }' out/jobs.csv
    done
done
