#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Replays the shipped trace under three policies and prints one table of their summaries.
#   scripts/demo.sh PROGRAM        run directories go to ${HORUS_DEMO_RUNS:-results}/demo-POLICY
set -eu
cd "$(dirname "$0")/.."
horus=${1:-build/release/horus}
trace=traces/sample.csv
cluster=8x8:V100
policies=(fifo sjf srtf)
runs=${HORUS_DEMO_RUNS:-results}

files=()
for policy in "${policies[@]}"; do
    "$horus" run "$trace" -c "$cluster" -p "$policy" -o "$runs/demo-$policy" --force -q >/dev/null
    files+=("$runs/demo-$policy/summary.csv")
done

echo
echo "$trace on $cluster"
awk -F, '
    { gsub(/"[^"]*"/, "-") } # texts of the assumptions hold commas; the figures do not
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    function of(metric) { return $column[metric] }
    !header++ {
        printf "%-8s %6s %12s %12s %12s %9s %10s %12s %10s\n", "policy", "jobs", "mean wait",
            "p95 wait", "mean JCT", "vs first", "makespan", "GPU alloc", "preempted"
        first = of("mean_jct")
    }
    {
        printf "%-8s %6d %10.2f h %10.2f h %10.2f h %8.2fx %8.2f d %10.1f %% %10d\n", of("policy"),
            of("n_jobs"), of("mean_wait") / 3600, of("p95_wait") / 3600, of("mean_jct") / 3600,
            of("mean_jct") / first, of("makespan") / 86400, 100 * of("gpu_allocation"),
            of("preemptions")
    }' "${files[@]}"
echo
echo "Every job, placement and figure: $runs/demo-{fifo,sjf,srtf}/"
