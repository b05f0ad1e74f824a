# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep of one workload at three arrival rates. By hand, for fifo on one GPU: a 10, b 8 and c 2 s
# come at 0, 1 and 2 s at load 1: JCT 10, 17, 18 s, mean 15; at load 0.5 at 0, 2, 4: 10, 16, 16,
# mean 14; at load 2 at 0, 0.5, 1: 10, 17.5, 19, mean 15.5. sjf has c before b: JCT at load 1 10, 19
# and 10, mean 13; at load 0.5 10, 18, 8, mean 12; at load 2 10, 19.5, 11, mean 13.5. The same digits as in sweep.csv.
printf 'job_id,submit_time,gpus,duration\na,0,1,10\nb,1,1,8\nc,2,1,2\n' >t.csv
cat >e.json <<'END'
{"config": {"trace": "t.csv", "cluster": "1x1"},
 "grid": {"policy": ["fifo", "sjf"], "load": [1, 0.5, 2]}}
END
"$HORUS" sweep e.json -o out -q >/dev/null
"$HORUS" report out | sed 's/([0-9]* bytes)/(N bytes)/'
for policy in fifo sjf; do
    grep -o "<tr data-run=\"$policy\">.*" report.html |
        grep -o 'data-metric="mean_jct" data-value="[^"]*"' | sed "s/^/$policy /"
done
grep -o 'swept: [^<]*' report.html
# A point that failed is told of.
sed -i 's/^\(2,[^,]*\),done,0,\(fifo,0.5\).*/\1,failed,5,\2/' out/sweep.csv
"$HORUS" report out --force -o - 2>/dev/null | grep -o '[^>]* points failed [^<]*\|failed, exit 5'
"$HORUS" report out out -o two.html || echo "exit $?"
