#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a FIFO run costs: CPU time against a bare libcsv parse of the same file, taken in turns with
# it; nanoseconds per event and decision; peak memory of 100,000 and of 1,000,000 jobs at one load;
# nanoseconds per slowdown of a shared GPU.
#   scripts/bench.sh BUILD         HORUS_BENCH_ROUNDS=11   $HORUS_DATA: see tests/README.md
# Prints a table, writes results/bench.json. A measurement, not a test: it fails only if a run does.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
horus=$build/horus
rounds=${HORUS_BENCH_ROUNDS:-11}
data=${HORUS_DATA:-../shared/data}
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Jobs of 1..8 GPUs (mean 2.1) for an hour on average, one every 9 s: load 0.79 of 133x8 GPUs.
# Park and Miller's generator keeps awk's doubles exact; a longer file begins with the shorter one.
synthetic() { # JOBS
    awk -v jobs="$1" '
        function draw(n) { seed = (seed * 16807) % 2147483647; return seed % n }
        BEGIN {
            seed = 20201
            print "job_id,submit_time,gpus,duration"
            for (i = 1; i <= jobs; i++) {
                time += draw(19)
                size = draw(10)
                print i "," time "," (size < 7 ? 1 : 2 ^ (size - 6)) "," 60 + draw(7081)
            }
        }'
}

cost() { # COMMAND...: prints CPU_US PEAK_KIB
    "$build/tests/bench/bench_cost" "$@"
}

simulate() { # TRACE OUT ARGUMENT...
    local trace=$1 out=$2
    shift 2
    cost "$horus" run "$trace" -c 133x8:V100 -p fifo -o "$out" --force -q --no-progress "$@"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

trace=$data/traces/venus_gpu_jobs_mar-jul2020.csv
mapping=(--map configs/mappings/venus.json)
what="Helios Venus"
if [ ! -r "$trace" ]; then
    echo "bench: no $trace; a synthetic trace of 77,574 jobs stands in for it" >&2
    trace=$work/synthetic.csv
    mapping=()
    what=synthetic
    synthetic 77574 >"$trace"
fi

for ((round = 0; round < rounds; round++)); do
    read -r parse _ < <(cost "$build/tests/bench/bench_parse" "$trace")
    read -r all all_kib < <(simulate "$trace" "$work/all" "${mapping[@]}")
    read -r few few_kib < <(simulate "$trace" "$work/few" "${mapping[@]}" --outputs summary)
    echo "$parse $all $few $all_kib $few_kib"
done >"$work/rounds"
[ "$(awk 'NF == 5' "$work/rounds" | wc -l)" -eq "$rounds" ] || {
    echo "bench: a run failed" >&2
    exit 1
}

parse_us=$(awk '{ print $1 }' "$work/rounds" | median)
all_us=$(awk '{ print $2 }' "$work/rounds" | median)
few_us=$(awk '{ print $3 }' "$work/rounds" | median)
all_ratio=$(awk '{ print $2 / $1 }' "$work/rounds" | median)
few_ratio=$(awk '{ print $3 / $1 }' "$work/rounds" | median)
all_kib=$(awk '{ print $4 }' "$work/rounds" | median)
few_kib=$(awk '{ print $5 }' "$work/rounds" | median)
events=$(jq .engine.events "$work/few/manifest.json")
decisions=$(jq .engine.decisions "$work/few/manifest.json")
jobs=$(jq .engine.jobs "$work/few/manifest.json")

for jobs_n in 100000 1000000; do
    synthetic "$jobs_n" >"$work/$jobs_n.csv"
    read -r us kib < <(simulate "$work/$jobs_n.csv" "$work/$jobs_n")
    echo "$jobs_n $us $kib"
done >"$work/sizes"
read -r _ small_us small_kib < <(sed -n 1p "$work/sizes")
read -r _ large_us large_kib < <(sed -n 2p "$work/sizes")

jq -n --arg trace "$what" --argjson rounds "$rounds" --argjson jobs "$jobs" \
    --argjson events "$events" --argjson decisions "$decisions" \
    --argjson parse_us "$parse_us" --argjson all_us "$all_us" --argjson few_us "$few_us" \
    --argjson all_ratio "$all_ratio" --argjson few_ratio "$few_ratio" \
    --argjson all_kib "$all_kib" --argjson few_kib "$few_kib" \
    --argjson small_us "$small_us" --argjson small_kib "$small_kib" \
    --argjson large_us "$large_us" --argjson large_kib "$large_kib" '{
    trace: $trace, rounds: $rounds, jobs: $jobs, events: $events, decisions: $decisions,
    parse_cpu_us: $parse_us,
    all_outputs: {cpu_us: $all_us, ratio: $all_ratio, peak_kib: $all_kib},
    summary_only: {cpu_us: $few_us, ratio: $few_ratio, peak_kib: $few_kib,
                   ns_per_event: ($few_us * 1000 / $events),
                   ns_per_decision: ($few_us * 1000 / $decisions)},
    jobs_100k: {cpu_us: $small_us, peak_kib: $small_kib},
    jobs_1M: {cpu_us: $large_us, peak_kib: $large_kib,
              memory_ratio: ($large_kib / $small_kib)}}' >results/bench.json

jq -r '
    def at(n): tostring | (" " * ([n - length, 0] | max)) + .;
    def to(d): . * pow(10; d) | round / pow(10; d);
    def ms: . / 1000 | to(1) | tostring + " ms" | at(11);
    def mib: . / 1024 | to(1) | tostring + " MiB" | at(11);
    def times: "x " + (to(2) | tostring);
    "FIFO over \(.trace), \(.jobs) jobs, \(.events) events, \(.decisions) decisions; CPU time, median of \(.rounds) rounds",
    "  bare libcsv parse  \(.parse_cpu_us | ms)",
    "  all outputs        \(.all_outputs | (.cpu_us | ms) + (.peak_kib | mib) + "   " + (.ratio | times))  (target x 5)",
    "  summary alone      \(.summary_only | (.cpu_us | ms) + (.peak_kib | mib) + "   " + (.ratio | times))  (target x 2.5)",
    "  of which           \(.summary_only | (.ns_per_event | to(0) | at(8)) + " ns an event," + (.ns_per_decision | to(0) | at(6)) + " ns a decision, parsing included")",
    "Synthetic, equal load, all outputs",
    "    100,000 jobs     \(.jobs_100k | (.cpu_us | ms) + (.peak_kib | mib))",
    "  1,000,000 jobs     \(.jobs_1M | (.cpu_us | ms) + (.peak_kib | mib) + "   " + (.memory_ratio | times))  (target x 1.1)"
    ' results/bench.json

"$build/tests/bench/bench_interference"
