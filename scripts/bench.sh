#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a FIFO run costs: CPU time against a bare libcsv parse of the same file, taken in turns with
# it; nanoseconds per event and decision; peak memory of 100,000 and of 1,000,000 jobs at one load;
# what policies that preempt cost against it, at 95 % load and with 100,000 jobs waiting; what
# policies that share GPUs, or take turns on them, cost when the cluster is overloaded; nanoseconds
# per search for a GPU to share and per slowdown of a shared GPU; what generated jobs cost against a
# bare parse of them, and memory of generator and run when 1,000,000 and 10,000,000 are piped.
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

# Jobs of 1..8 GPUs (mean 2.1) for an hour on average, one every 9 s: load 0.79 of 133x8 GPUs; or
# one every GAP ms. Park and Miller's generator keeps awk's doubles exact; a longer file begins with
# the shorter one.
synthetic() { # JOBS [GAP]
    awk -v jobs="$1" -v gap="${2:-0}" '
        function draw(n) { seed = (seed * 16807) % 2147483647; return seed % n }
        function seconds(ms) { return sprintf("%d.%03d", (ms - ms % 1000) / 1000, ms % 1000) }
        BEGIN {
            seed = 20201
            print "job_id,submit_time,gpus,duration"
            for (i = 1; i <= jobs; i++) {
                time += draw(gap ? 2 * gap + 1 : 19)
                size = draw(10)
                print i "," (gap ? seconds(time) : time) "," \
                    (size < 7 ? 1 : 2 ^ (size - 6)) "," 60 + draw(7081)
            }
        }'
}

cost() { # COMMAND...: prints CPU_US PEAK_KIB
    "$build/tests/bench/bench_cost" "$@"
}

simulate() { # TRACE OUT ARGUMENT...
    local trace=$1 out=$2
    shift 2
    cost "$horus" run "$trace" -o "$out" --force -q --no-progress "$@"
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
    read -r all all_kib < <(simulate "$trace" "$work/all" "${mapping[@]}" -c 133x8:V100 -p fifo)
    read -r few few_kib < <(simulate "$trace" "$work/few" "${mapping[@]}" --outputs summary \
        -c 133x8:V100 -p fifo)
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
    read -r us kib < <(simulate "$work/$jobs_n.csv" "$work/$jobs_n" -c 133x8:V100 -p fifo)
    echo "$jobs_n $us $kib"
done >"$work/sizes"
read -r _ small_us small_kib < <(sed -n 1p "$work/sizes")
read -r _ large_us large_kib < <(sed -n 2p "$work/sizes")

# 7,564 GPU seconds a job: one every 7,483 ms is 95 % of 1,064 GPUs, one every 7,109 ms all of them.
# backlog: the first 100,000 jobs come at once and the others as fast as they can be served.
backlog() { # JOBS
    synthetic "$1" 7109 | awk -F, -v OFS=, '
        NR == 1 { print; next }
        NR <= 100001 { $2 = 0; from = 0 }
        NR == 100002 { from = $2 }
        NR > 100001 { $2 = sprintf("%.3f", $2 - from) }
        { print }'
}

# One line of JSON a policy: medians of CPU time and peak memory over $work/load.csv, and the median
# ratio to the first policy, in rounds that take the policies in turns.
against_first() { # ROUNDS CLUSTER MEMBERS POLICY...: MEMBERS of each line, as JSON
    local rounds=$1 cluster=$2 members=$3 column=1 policy
    shift 3
    for ((round = 0; round < rounds; round++)); do
        for policy; do
            simulate "$work/load.csv" "$work/out" --outputs summary -c "$cluster" -p "$policy"
        done | paste -sd ' '
    done >"$work/taken"
    for policy; do
        echo "{$members, \"policy\": \"$policy\"," \
            "\"cpu_us\": $(awk -v c=$column '{ print $c }' "$work/taken" | median)," \
            "\"peak_kib\": $(awk -v c=$((column + 1)) '{ print $c }' "$work/taken" | median)," \
            "\"ratio\": $(awk -v c=$column '{ print $c / $1 }' "$work/taken" | median)}"
        column=$((column + 2))
    done
}

for workload in load:10000 load:100000 load:1000000 backlog:1000000; do
    jobs_n=${workload#*:}
    if [ "${workload%:*}" = load ]; then
        synthetic "$jobs_n" 7483
    else
        backlog "$jobs_n"
    fi >"$work/load.csv"
    against_first "$((rounds < 3 ? rounds : 3))" 133x8:V100 \
        "\"workload\": \"${workload%:*}\", \"jobs\": $jobs_n" fifo srtf srsf tiresias las
done >"$work/preemptive"

# Load 2.5 of what the GPUs do one job at a time: everybody shares, and many wait.
for gpus in 1024 10000; do # 7,564 GPU seconds a job
    synthetic 100000 $((7564 * 1000 / (gpus * 5 / 2))) >"$work/load.csv"
    against_first "$((rounds < 5 ? rounds : 5))" "$((gpus / 8))x8:V100" "\"gpus\": $gpus" \
        fifo pack gandiva-like colocate-fifo horus horus+ horus-s
done >"$work/sharing"

# Half as much again as the GPUs can do: whoever slices, packs or lets others in the background.
synthetic 100000 $((7564 * 1000 * 2 / 3 / 1024)) >"$work/load.csv"
against_first "$((rounds < 3 ? rounds : 3))" 128x8:V100 '"gpus": 1024' fifo \
    gandiva:slicing=fluid gandiva:slicing=exact salus-srtf salus-rr:mode=fluid antman \
    >"$work/turns"
"$build/tests/bench/bench_share" |
    awk '{ printf "{\"gpus\": %d, \"workers\": %d, \"index_ns\": %d, \"scan_ns\": %d}\n",
           $1, $2, $3, $4 }' >"$work/searches"

# A million jobs to a file against a bare parse of it; then a pipe with a compressor in it, whose both
# ends are measured.
"$horus" generate --like venus -n 1000000 -q -o "$work/generated.csv"
for ((round = 0; round < (rounds < 5 ? rounds : 5); round++)); do
    read -r parse _ < <(cost "$build/tests/bench/bench_parse" "$work/generated.csv")
    read -r made _ < <(cost "$horus" generate --like venus -n 1000000 -q --format csv -o /dev/null)
    echo "$parse $made"
done >"$work/made"
for jobs_n in 1000000 10000000; do
    mkfifo "$work/pipe" "$work/packed"
    gzip -1 <"$work/pipe" >"$work/packed" &
    cost "$horus" generate --like venus -n "$jobs_n" -q --format csv -o "$work/pipe" >"$work/generator" &
    read -r us kib < <(cost "$horus" run - -o "$work/piped" --force -q --no-progress \
        --outputs summary -c 133x8:V100 -p fifo <"$work/packed")
    wait
    read -r made_us made_kib <"$work/generator"
    echo "{\"jobs\": $jobs_n, \"cpu_us\": $us, \"peak_kib\": $kib," \
        "\"generator_cpu_us\": $made_us, \"generator_peak_kib\": $made_kib}"
    rm "$work/pipe" "$work/packed"
done >"$work/pipes"

jq -n --arg trace "$what" --argjson rounds "$rounds" --argjson jobs "$jobs" \
    --slurpfile preemptive "$work/preemptive" --slurpfile turns "$work/turns" \
    --argjson generated "$(awk '{ print $2 / $1 }' "$work/made" | median)" \
    --argjson generated_us "$(awk '{ print $2 }' "$work/made" | median)" \
    --slurpfile pipes "$work/pipes" \
    --slurpfile sharing "$work/sharing" --slurpfile searches "$work/searches" \
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
              memory_ratio: ($large_kib / $small_kib)},
    preemptive: $preemptive, sharing: $sharing, turns: $turns, searches: $searches,
    generated_1M: {cpu_us: $generated_us, ratio: $generated}, pipes: $pipes}' >results/bench.json

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
    "  1,000,000 jobs     \(.jobs_1M | (.cpu_us | ms) + (.peak_kib | mib) + "   " + (.memory_ratio | times))  (target x 1.1)",
    "Policies that preempt, 1,064 GPUs, summary alone; against FIFO (target x 6); CPU time grows with the jobs to the power of (target 1.1)",
    (.preemptive as $all | .preemptive[] | . as $row |
        ($all[] | select(.policy == $row.policy and .workload == "load" and .jobs == 10000) | .cpu_us) as $first |
        "  \(.jobs | at(8)) jobs  \(if .workload == "load" then "95 % load      " else "100,000 waiting" end)  \(.policy + " " * (9 - (.policy | length)))\(.cpu_us | ms)\(.peak_kib | mib)   \(.ratio | times)" +
        (if .workload == "load" and .jobs > 10000 then "   ^ \((.cpu_us / $first | log10) / (.jobs / 10000 | log10) | to(2))" else "" end)),
    "Policies that share GPUs, load 2.5, 100,000 jobs, summary alone; against FIFO (target x 5 on 1,024 GPUs)",
    (.sharing[] | "  \(.gpus | at(6)) GPUs  \(.policy + " " * (14 - (.policy | length)))\(.cpu_us | ms)   \(.ratio | times)"),
    "Policies that take turns, load 1.5, 100,000 jobs, 1,024 GPUs, summary alone; against FIFO (target x 15 for shares of time)",
    (.turns[] | "  \(.policy + " " * (22 - (.policy | length)))\(.cpu_us | ms)   \(.ratio | times)"),
    "GPUs to share, half of them open, ns: by the index, by a look at each",
    (.searches[] | "  \(.gpus | at(6)) GPUs  \(if .workers == 1 then "one worker, found   " else "gang of \(.workers), planned   " end)\(.index_ns | at(9))\(.scan_ns | at(9))"),
    "Generated: Venus, 1,000,000 jobs to a CSV against a bare parse of it",
    "  horus generate     \(.generated_1M | (.cpu_us | ms) + "              " + (.ratio | times))",
    "Compressed and piped into FIFO, summary alone: CPU time and peak memory of generator and run",
    (.pipes[] | "  \(.jobs | at(10)) jobs  \(.generator_cpu_us | ms)\(.generator_peak_kib | mib)  \(.cpu_us | ms)\(.peak_kib | mib)")
    ' results/bench.json

"$build/tests/bench/bench_interference"
