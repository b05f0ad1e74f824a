# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The parts of bench.sh beside the grid: a backlog that comes at once, memory, whole files of other
# sizes and formats, the generator, and searches that sharing policies make. Needs bench-common.sh
# and the lists of bench.sh.
# shellcheck disable=SC2154

# A run of one job: what starting costs, which the growth of the others is not to contain.
part_start() {
    local round
    workload 1 1024 95 "$work/one.csv"
    for ((round = 1; round <= 5; round++)); do
        take_run "\"part\": \"start\", \"round\": $round" "$work/one.csv" -c 128x8:V100 -p fifo \
            --outputs summary
    done
}

# Jobs that are all there from the first moment; ten times as many until a run is too long.
part_backlog() {
    local jobs policy round
    declare -A stopped=()
    for jobs in 1000 10000 100000 1000000; do
        log "$jobs jobs at once"
        burst "$jobs" "$work/burst-$jobs.csv"
        for policy in "${policies[@]}"; do
            [ -z "${stopped[$policy]-}" ] || continue
            for ((round = 1; round <= (jobs < 100000 ? rounds : 1); round++)); do
                if ! take_run "\"part\": \"backlog\", \"policy\": \"$policy\", \"jobs\": $jobs, \"round\": $round" \
                    "$work/burst-$jobs.csv" -c 128x8:V100 -p "$policy" --outputs summary; then
                    stopped[$policy]=yes
                    break
                fi
                [ "$cpu_us" -le $((cap_s * 100000)) ] || stopped[$policy]=yes
            done
            [ -z "${stopped[$policy]-}" ] || [ "$jobs" -eq 1000000 ] ||
                echo "{\"part\": \"backlog\", \"policy\": \"$policy\", \"jobs\": $((jobs * 10))," \
                    "\"capped\": true}" >>"$work/samples"
        done
        rm -f "$work/burst-$jobs.csv"
    done
}

# Idle clusters: what a GPU takes, under every policy.
part_idle() {
    local policy gpus round
    workload 1 1024 95 "$work/one.csv"
    log "idle clusters"
    for policy in "${policies[@]}"; do
        for gpus in 1024 131072; do
            for ((round = 1; round <= 3; round++)); do
                take_run "\"part\": \"idle\", \"policy\": \"$policy\", \"gpus\": $gpus, \"round\": $round" \
                    "$work/one.csv" -c "$((gpus / 8))x8:V100" -p "$policy" --outputs summary || break
            done
        done
    done
}

# So many jobs from the generator's pipe that memory would show them, if it kept any.
part_pipe() {
    local jobs us kib
    local cap_s=0
    for jobs in 100000 10000000; do
        log "$jobs jobs through a pipe"
        mkfifo "$work/pipe"
        cost "$horus" generate --like venus --load 0.3 -c 128x8:V100 -n "$jobs" -q --format csv \
            -o "$work/pipe" >"$work/generator" &
        take_run "\"part\": \"pipe\", \"jobs\": $jobs" - -c 128x8:V100 -p fifo --outputs summary \
            <"$work/pipe"
        wait $!
        read -r _ _ us kib <"$work/generator"
        echo "{\"part\": \"pipe-generator\", \"jobs\": $jobs, \"cpu_us\": $us, \"peak_kib\": $kib}" \
            >>"$work/samples"
        rm "$work/pipe"
    done
}

# The four Helios clusters together (3.36 M rows, 802 nodes of 8 GPUs) and Philly's 117,325 jobs.
part_files() {
    local round outputs
    local cap_s=0
    log "3,360,000 rows of Helios, 117,325 jobs of Philly"
    workload 3360000 6416 95 "$work/helios.csv"
    "$horus" generate --like philly -n 117325 --format philly -q -o "$work/cluster_job_log"
    for ((round = 1; round <= (rounds < 2 ? rounds : 2); round++)); do
        for outputs in summary all; do
            beside "$work/helios.csv" \
                take_run "\"part\": \"file\", \"file\": \"helios\", \"outputs\": \"$outputs\", \"round\": $round" \
                "$work/helios.csv" -c 802x8:V100 -p fifo --outputs $outputs
        done
        for outputs in summary all; do
            take_run "\"part\": \"file\", \"file\": \"philly\", \"outputs\": \"$outputs\", \"round\": $round" \
                "$work/cluster_job_log" -c configs/clusters/philly.json -p fifo --outputs $outputs
        done
    done
    rm -f "$work/helios.csv" "$work/cluster_job_log"
}

part_generate() {
    local round
    log "the generator"
    "$horus" generate --like venus -n 1000000 -q --format csv -o "$work/made.csv"
    for ((round = 1; round <= rounds; round++)); do
        beside "$work/made.csv" take "\"part\": \"made\", \"round\": $round" \
            "$horus" generate --like venus -n 1000000 -q --format csv -o /dev/null
    done
    rm -f "$work/made.csv"
}

# What they look for in clusters that are half full, and what a shared GPU's slowdown costs to look up.
part_searches() {
    log "searches for a GPU to share, lookups of slowdowns"
    "$build/tests/bench/bench_share" | awk '{
        printf "{\"part\": \"search\", \"gpus\": %d, \"workers\": %d, \"index_ns\": %d, \"scan_ns\": %d}\n",
            $1, $2, $3, $4 }' >>"$work/samples"
    "$build/tests/bench/bench_interference" | jq -cR '{part: "lookup", text: .}' >>"$work/samples"
}
