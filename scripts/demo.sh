#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Replays the shipped trace under three policies and prints one table of their summaries.
#   scripts/demo.sh PROGRAM        run directories go to results/demo-POLICY
set -eu
cd "$(dirname "$0")/.."
horus=${1:-build/release/horus}
trace=traces/sample.csv
cluster=8x8:V100
policies=(fifo sjf srtf)

files=()
for policy in "${policies[@]}"; do
    "$horus" run "$trace" -c "$cluster" -p "$policy" -o "results/demo-$policy" --force -q >/dev/null
    files+=("results/demo-$policy/summary.csv")
done

echo "$trace on $cluster, means over all jobs, times in seconds"
awk -F, '
    BEGIN {
        shown = split("jobs makespan mean_wait p95_wait mean_jct p95_jct gpu_allocation preemptions", metric, " ")
        printf "%-8s", "policy"
        for (i = 1; i <= shown; i++) printf "%15s", metric[i]
        printf "\n"
    }
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        printf "%-8s", $column["policy"]
        for (i = 1; i <= shown; i++) printf "%15.6g", $column[metric[i]]
        printf "\n"
    }' "${files[@]}"
echo "Files: results/demo-*/ (jobs.csv, segments.csv, series.csv, nodes.csv, summary.json, manifest.json)"
