# SPDX-License-Identifier: GPL-3.0-or-later
# The series of waiting GPUs, at every change, add up to the figures of the summary: to the last
# digit, since both are sums of integer microseconds. Gangs of up to 16 on nodes of 4, so that some
# wait for several nodes; and virtual clusters with quotas. The two parts of shape are all of it.
awk 'BEGIN { s = 11; print "job_id,submit_time,gpus,duration,vc"
    for (i = 0; i < 300; i++) {
        s = (s * 1103515245 + 12345) % 2147483648; t += int(s / 65536) % 40
        s = (s * 1103515245 + 12345) % 2147483648; g = int(s / 65536) % 6
        s = (s * 1103515245 + 12345) % 2147483648
        printf "%d,%d,%d,%d,%s\n", i, t, g < 5 ? 2 ^ g : 3, int(s / 65536) % 500 + 1, \
            i % 3 ? "a" : "b" } }' >t.csv
printf '{"nodes": [{"count": 6, "gpus": 4}], "vcs": {"a": 18, "b": 18}}' >c.json
for run in "ignore fifo" "quota fifo:scan=fit" "quota srtf" "ignore tiresias"; do
    "$HORUS" run t.csv -c c.json --vc="${run% *}" -p "${run#* }" -q --sample=exact --force -o out \
        >/dev/null
    jq -r '.metrics | ["capacity", "shape", "quota", "order", "locality"][] as $cause
        | "\($cause) \(.["wait_\($cause)_gpu_seconds"])"' out/summary.json >figures
    awk -F, 'NR == FNR { split($0, f, " "); figure[f[1]] = f[2]; next }
        $2 == "gpus_waiting" { sum[$3] += value[$3] * ($1 - since[$3]); since[$3] = $1
                               value[$3] = $4 }
        END { for (cause in value) sum[cause] += value[cause] * ($1 - since[cause])
              figure["fragmentation"] = figure["shape"] - figure["locality"]
              for (cause in figure) {
                  if (figure[cause] != sum[cause]) print cause, figure[cause], sum[cause]
                  seen = seen (figure[cause] > 0 ? " " substr(cause, 1, 3) : "") }
              n = split(seen, s, " "); print n, "causes met, all equal unless listed" }' \
        figures out/series.csv
done
