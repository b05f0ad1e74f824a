# SPDX-License-Identifier: GPL-3.0-or-later
# One process or four: the same bytes, but for what the manifest calls volatile. The message of six runs is
# shown once.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
huge,1,64,5
b,2,2,2
END
for j in 1 4; do
    "$HORUS" compare t.csv -c 2x1 -p fifo -p sjf --seeds 1..3 -j $j --outputs all -o out$j -q >table$j
    sed -i '/volatile/,$d' out$j/manifest.json out$j/runs/*/manifest.json
    sed -i 's#out[14]/#out/#' table$j
done
diff -r out1 out4 && cmp table1 table4 && find out4 -type f | wc -l
