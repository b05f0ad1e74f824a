# SPDX-License-Identifier: GPL-3.0-or-later
# Over all jobs the times by cause, times the GPUs wanted, are the figures that the engine booked as
# it went along: of policies that preempt, share or respect quotas, too. To the microsecond: sums of
# integers. And of each job they are its `pending`, its stages in a row its time in the system.
awk 'BEGIN { s = 5; print "job_id,submit_time,gpus,duration,vc,gpu_util"
    for (i = 0; i < 60; i++) {
        s = (s * 1103515245 + 12345) % 2147483648; t += int(s / 65536) % 60
        s = (s * 1103515245 + 12345) % 2147483648; g = int(s / 65536) % 6
        s = (s * 1103515245 + 12345) % 2147483648
        printf "%d,%d.25,%d,%d.125,%s,%d\n", i, t, g < 5 ? 2 ^ g : 3, int(s / 65536) % 600, \
            i % 3 ? "a" : "b", 20 + s % 70 } }' >t.csv
printf '{"nodes": [{"count": 6, "gpus": 4, "type": "V100"}], "vcs": {"a": 16, "b": 16}}' >c.json
for run in "ignore fifo" "quota fifo:scan=fit" "quota srtf:preempt_cost=7s" "ignore tiresias" \
    "ignore gandiva" "quota philly" "ignore colocate-fifo"; do
    "$HORUS" run t.csv -c c.json --vc="${run% *}" -p "${run#* }" -q --force -o out >/dev/null
    for job in $(seq 0 59); do "$HORUS" explain out --job "$job" --json; done >each
    jq -r '
        . as $job | (.waits | map(to_entries[]) | group_by(.key)[]
            | "\(.[0].key) \(map(.value * 1e6 | round) | add * $job.gpus)"),
        (if ([.waits[][]] | map(. * 1e6 | round) | add) != (.pending * 1e6 | round)
            then "pending of \(.job_id)" else empty end),
        (if ([.life[] | (.to * 1e6 | round) - (.from * 1e6 | round)] | add // 0)
            != ((.end_time - .submission_time) * 1e6 | round)
            then "life of \(.job_id)" else empty end)' each >sums
    jq -r '.metrics | ["capacity", "shape", "quota", "order", "locality"][] as $cause
        | "\($cause) \(.["wait_\($cause)_gpu_seconds"] * 1e6 | round)"' out/summary.json |
        awk 'NR == FNR { if ($2 == "of") print; else sum[$1] += $2; next }
            { figure[$1] = $2 }
            END { figure["fragmentation"] = figure["shape"] - figure["locality"]
                  delete figure["shape"]
                  for (cause in figure) { met += figure[cause] > 0
                      if (figure[cause] != sum[cause]) print cause, figure[cause], sum[cause] }
                  print met, "causes met, all equal unless listed" }' sums -
done
