# SPDX-License-Identifier: GPL-3.0-or-later
# runs.csv has the columns of summary.csv, but for policy and seed, which stand in front; the rest of the
# row is that of `horus run`, and a kept run is what `horus run` writes.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,10
b,1,1,8
c,2,1,2
END
"$HORUS" compare t.csv -c 1x1 -p fifo -p sjf:scan=fit --outputs jobs,segments -o out -q >/dev/null
"$HORUS" run t.csv -c 1x1 -p sjf:scan=fit --outputs jobs,segments -o run -q >/dev/null
ls out/runs out/runs/sjf-scan=fit-s1-a1
for file in jobs.csv segments.csv summary.csv summary.json; do
    cmp "out/runs/sjf-scan=fit-s1-a1/$file" "run/$file"
done
diff <(head -n 1 out/runs.csv | tr , '\n' | sort) <(
    { head -n 1 run/summary.csv | tr , '\n'; echo assignment; } | sort)
"$HORUS" verify out/runs/sjf-scan=fit-s1-a1 | tail -n 1
