# SPDX-License-Identifier: GPL-3.0-or-later
# What is drawn fits the smallest GPU of the cluster.
cat > cluster.json <<END
{"gpu_types": {"A": {"mem_mib": 2700}, "B": {"mem_mib": 16384}},
 "nodes": [{"gpus": 4, "type": "A"}, {"gpus": 4, "type": "B"}]}
END
"$HORUS" trace assign traces/sample.csv -q -c cluster.json -o out.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpu_mem_mib") c = i }
         NR > 1 { n++; large += $c > 2700; missing += $c == "" }
         END { print n, large, missing }' out.csv
