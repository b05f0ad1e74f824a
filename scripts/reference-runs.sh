#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Replays two real traces under the first policies with every check on, has each schedule verified
# independently, and writes the table of results/README.md.
#   scripts/reference-runs.sh [PROGRAM]      the data: $HORUS_DATA, else ../shared/data
set -euo pipefail
cd "$(dirname "$0")/.."
horus=${1:-build/release/horus}
data=${HORUS_DATA:-../shared/data}/traces
page=results/README.md
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

if [ ! -f "$data/venus_gpu_jobs_mar-jul2020.csv" ]; then
    echo "skip: no traces in $data"
    exit 0
fi

# row LABEL COMMAND... : one line of the table.
row() {
    local label=$1
    shift
    "$horus" "$@" --check=full -o "$runs/run" --force -q >/dev/null
    "$horus" verify "$runs/run" >/dev/null
    awk -F, -v label="$label" '
        { gsub(/"[^"]*"/, "-") } # texts of the card hold commas; the figures do not
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        function of(metric) { return $column[metric] }
        { printf "| %s | %s | %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f | %d |\n", label,
            of("policy"), of("n_done"), of("mean_wait"), of("p99_wait"), of("mean_jct"),
            of("p50_jct"), of("makespan") / 86400, 100 * of("gpu_allocation"),
            100 * of("makespan_bound_share"), of("preemptions") }' "$runs/run/summary.csv"
}

table() {
    echo "| workload | policy | jobs | mean wait s | p99 wait s | mean JCT s | p50 JCT s | makespan d | GPUs held % | bound / makespan % | preemptions |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    local policy
    for policy in fifo sjf srtf; do
        row Venus run "$data/venus_gpu_jobs_mar-jul2020.csv" --map=configs/mappings/venus.json \
            -c 133x8:V100 -p "$policy"
    done
    for policy in fifo sjf srtf; do
        row "Venus, 60 nodes" run "$data/venus_gpu_jobs_mar-jul2020.csv" \
            --map=configs/mappings/venus.json -c 60x8:V100 -p "$policy"
    done
    for policy in fifo sjf srtf; do
        row Philly run "$data/philly_vc_7f04ca_0e4a51.csv" --map=configs/mappings/philly-vc.json \
            -c configs/clusters/philly-2vc.json --vc=partition -p "$policy"
    done
}

table >"$runs/table"
awk -v table="$runs/table" '
    /reference-runs: begin/ { print; while ((getline line < table) > 0) print line; skip = 1 }
    /reference-runs: end/ { skip = 0 }
    !skip && !/reference-runs: begin/' "$page" >"$runs/page"
cp "$runs/page" "$page"
cat "$runs/table"
