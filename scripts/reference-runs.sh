#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Replays two real traces under the first policies with every check on, has each schedule verified
# independently, and writes the table of results/README.md.
#   scripts/reference-runs.sh [BUILD [FOLDER]]      defaults: build/release results; the data: $HORUS_DATA,
# else ../shared/data
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
page=README
data=$data/traces
needs "$data/venus_gpu_jobs_mar-jul2020.csv"

# row LABEL COMMAND... : one line of the table.
row() {
    local label=$1
    shift
    "$horus" "$@" --check=full -o "$work/run" --force -q >/dev/null
    "$horus" verify "$work/run" >/dev/null
    awk -F, -v label="$label" '
        { gsub(/"[^"]*"/, "-") } # texts of the assumptions hold commas; the figures do not
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        function of(metric) { return $column[metric] }
        { printf "| %s | %s | %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f | %d |\n", label,
            of("policy"), of("n_done"), of("mean_wait"), of("p99_wait"), of("mean_jct"),
            of("p50_jct"), of("makespan") / 86400, 100 * of("gpu_allocation"),
            100 * of("makespan_bound_share"), of("preemptions") }' "$work/run/summary.csv"
}

reference_runs() {
    title "workload | policy | jobs | mean wait s | p99 wait s | mean JCT s | p50 JCT s | makespan d | GPU allocation % | bound / makespan % | preemptions"
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

put_page
