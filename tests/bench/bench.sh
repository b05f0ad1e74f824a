#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The cost of runs: CPU time, wall time and memory of every policy by jobs, GPUs and load, each beside bare
# libcsv parses of the same file directly before and after it; growth exponents; long queues; memory per job
# and GPU; whole files; the generator.
#   tests/bench/bench.sh [BUILD] [OPTION...]      a star around 1 M jobs, 1,024 GPUs, 95 %: 15 minutes
#     --all                     the whole product of the lists below: hours
#     --policies A,B            these alone, of the star or the product
#     --jobs 10k,1M  --gpus 64  --load 70,95    only this part of the product, and nothing else
#     --parts grid,classes,random,backlog,idle,pipe,files,generate,searches,faults    of the star; all
#     --rounds N [3]            medians of so many; beside the base point, runs of a second have one
#     --cap SECONDS [10, of the product 120]    of CPU a run; longer ones are left out, and shown as such
#     -o FILE                   [results/bench.json]
#   tests/bench/bench.sh --show FILE...           the tables of an earlier one, or of parts of one program
#   tests/bench/bench.sh --join FILE... >FILE     such parts as one file
#   tests/bench/bench.sh --page FILE... >PAGE     the tables of results/speed.md, in the same way
# A measurement, not a test: a missed target is marked, and only a failed run ends it.
set -eu
cd "$(dirname "$0")/../.."
here=tests/bench

jq_of() { # PROGRAM FILE...: jq with the functions of bench.jq; the files are its inputs
    jq -nr -L "$here" "include \"bench\"; $1" "${@:2}"
}

case ${1-} in
--show | --join | --page)
    action=$1
    shift
    [ $# -gt 0 ] || {
        echo "usage: bench.sh --show FILE... | --join FILE... | --page FILE..." >&2
        exit 2
    }
    case $action in
    --show) jq_of '[inputs] | joined_files | text' "$@" ;;
    --join) jq_of '[inputs] | joined_files' "$@" ;;
    --page) jq_of '[inputs] | joined_files | page' "$@" ;;
    esac
    exit 0
    ;;
esac

build=build/release
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    build=$1
    shift
fi
horus=$build/horus
form=star
has_list=no
rounds=3
cap_s=
to=results/bench.json
parts=(grid classes random backlog idle pipe files generate searches faults)
policies=()
job_counts=(10000 100000 1000000 10000000)
gpu_counts=(64 1024 16384 131072)
loads=(70 95 150)

# ---- workloads, and one sample: what one command costs, as one line of JSON ---------------------

log() { echo "bench: $*" >&2; }

number() { # 10k, 1M -> 10000, 1000000
    case $1 in
    *k) echo "${1%k}000" ;;
    *M) echo "${1%M}000000" ;;
    *) echo "$1" ;;
    esac
}

# Helios' twelve columns; gangs, durations and hours of Venus, as many jobs a day as need LOAD percent of
# the GPUs.
workload() { # JOBS GPUS LOAD_PERCENT FILE
    parsed=
    "$horus" generate --like venus -n "$1" -c "$(($2 / 8))x8:V100" --format helios -q -f -o "$4" \
        --load "$(awk -v percent="$3" 'BEGIN { print percent / 100 }')"
}

# The first JOBS of them, all submitted at once, with required columns only.
burst() { # JOBS FILE
    [ -s "$work/burst.csv" ] || "$horus" generate --like venus -n 1000000 --format csv -q |
        awk -F, -v OFS=, '{ print $1, NR == 1 ? $2 : 0, $3, $4 }' >"$work/burst.csv"
    head -n "$(($1 + 1))" "$work/burst.csv" >"$2"
}

every_policy() { # turns are taken as shares of time: those of mini-batches one by one are another matter
    "$horus" policies | awk '/^$/ { exit } NR > 1 && /^[a-z]/ {
        print $1 ($1 == "gandiva" ? ":slicing=fluid" : $1 ~ /^salus-(pack|fair|rr)$/ ? ":mode=fluid" : "")
    }'
}

cost() { # COMMAND...: WALL_US USER_US CPU_US PEAK_KIB; exit code 152: more than the cap
    "$build/tests/bench/bench_cost" -t "$cap_s" "$@"
}

# Appends to $work/samples. FIELDS: members of the line, as JSON. The cap ends a run, not the
# measurement: such a line has "capped" in place of a cost.
take() { # FIELDS COMMAND...
    local fields=$1 status=0 figures
    shift
    figures=$(cost "$@" 2>"$work/stderr") || status=$?
    if [ $status -eq 152 ]; then
        echo "{$fields, \"capped\": true}" >>"$work/samples"
        return 1
    elif [ $status -ne 0 ]; then
        cat "$work/stderr" >&2
        log "exit code $status: $*"
        exit 1
    fi
    read -r wall_us user_us cpu_us peak_kib <<<"$figures"
    fields+=", \"wall_us\": $wall_us, \"user_us\": $user_us, \"cpu_us\": $cpu_us, \"peak_kib\": $peak_kib"
    echo "{$fields}" >>"$work/samples"
}

# Changes the last sample.
amend() { # JQ_ARGUMENT...
    jq -c "$@" <(tail -n 1 "$work/samples") >"$work/sample"
    sed -i '$d' "$work/samples"
    cat "$work/sample" >>"$work/samples"
}

parsed= # the file of the last bare parse, as long as nothing else ran since
parse_us=

bare_parse() { # FILE
    read -r _ _ parse_us _ < <(cost "$build/tests/bench/bench_parse" "$1")
    parsed=$1
}

# A sample of a command beside bare parses of its file: the speed of the machine changes within seconds, so
# each is compared with the mean of the parses directly before and after. The parse after one command is the
# parse before the next.
beside() { # FILE COMMAND...: take or take_run with its arguments
    local file=$1 before_us
    shift
    [ "$parsed" = "$file" ] || bare_parse "$file"
    parsed=
    before_us=$parse_us
    "$@" || return 1
    bare_parse "$file"
    amend --argjson us "$(((before_us + parse_us) / 2))" '. + {parse_us: $us}'
}

# A run, with the counts of its manifest.
quiet=-q
take_run() { # FIELDS TRACE ARGUMENT...
    local fields=$1 trace=$2
    shift 2
    rm -rf "$work/out" "$work"/out.tmp-* "$work/.out.horus" # of a capped run
    take "$fields" "$horus" run "$trace" -o "$work/out" $quiet --no-progress "$@" || return 1
    amend --slurpfile m "$work/out/manifest.json" --slurpfile s "$work/out/summary.json" \
        '. + ($m[0].engine | {events, decisions, live: .peak_live_jobs, ran: .jobs}) +
         {colocated: $s[0].metrics.colocated_share}'
}

# ---- policies against jobs, GPUs and load: a bare parse before and behind each ------------------

declare -A jobs_cost # "POLICY GPUS LOAD" -> "JOBS CPU_US" of the largest number of jobs measured
declare -A base_jobs # POLICY -> the most jobs measured at 1,024 GPUs and 95 %
declare -A spent_us  # POLICY -> at the point at hand

# All outputs are written if they have a target.
outputs_of() { # POLICY JOBS GPUS LOAD
    echo summary
    [ "$3 $4" = "1024 95" ] && [ "$2" -ge 100000 ] || return 0
    case $1 in fifo | sjf | srtf | tiresias | horus | pack | gandiva:slicing=fluid) echo all ;; esac
}

# True if the run should end within the cap, from the cost of fewer jobs on the same cluster.
is_affordable() { # POLICY JOBS GPUS LOAD
    local known=${jobs_cost["$1 $3 $4"]-} had us
    [ -n "$known" ] || return 0
    read -r had us <<<"$known"
    [ "$us" -ge 0 ] && [ $((us * $2 / had)) -le $((cap_s * 1000000)) ]
}

# One point of each policy. Rounds end early for a policy that has taken 1 s of CPU, 10 s at points with
# targets: the slow policies are measured once, which is enough for them.
grid_group() { # JOBS GPUS LOAD POLICY...
    local jobs=$1 gpus=$2 load=$3 round policy outputs fields enough_us=1000000 remaining=()
    shift 3
    spent_us=()
    [ "$gpus $load" != "1024 95" ] || enough_us=10000000
    for policy; do
        if is_affordable "$policy" "$jobs" "$gpus" "$load"; then
            remaining+=("$policy")
        else
            echo "{\"part\": \"grid\", \"policy\": \"$policy\", \"outputs\": \"summary\"," \
                "\"jobs\": $jobs, \"gpus\": $gpus, \"load\": $load, \"capped\": true}" >>"$work/samples"
            jobs_cost["$policy $gpus $load"]="$jobs -1"
        fi
    done
    [ ${#remaining[@]} -gt 0 ] || return 0
    log "$jobs jobs, $gpus GPUs, $load % load: ${#remaining[@]} policies"
    workload "$jobs" "$gpus" "$load" "$work/trace.csv"
    for ((round = 1; round <= rounds; round++)); do
        fields="\"jobs\": $jobs, \"gpus\": $gpus, \"load\": $load, \"round\": $round"
        for policy in "${remaining[@]}"; do
            [ "${spent_us[$policy]:-0}" -le $enough_us ] || continue
            for outputs in $(outputs_of "$policy" "$jobs" "$gpus" "$load"); do
                if ! beside "$work/trace.csv" \
                    take_run "\"part\": \"grid\", \"policy\": \"$policy\", \"outputs\": \"$outputs\", $fields" \
                    "$work/trace.csv" -c "$((gpus / 8))x8:V100" -p "$policy" --outputs "$outputs"; then
                    cpu_us=-1
                    spent_us[$policy]=$((enough_us + 1))
                else
                    spent_us[$policy]=$((${spent_us[$policy]:-0} + cpu_us))
                fi
                [ "$outputs" = all ] || jobs_cost["$policy $gpus $load"]="$jobs $cpu_us"
                [ "$gpus $load" != "1024 95" ] || [ "$cpu_us" -lt 0 ] || base_jobs[$policy]=$jobs
            done
        done
    done
    rm -f "$work/trace.csv"
}

# Every combination of the lists; 10 M jobs for fifo alone.
grid_product() {
    local jobs gpus load
    for load in "${loads[@]}"; do
        for gpus in "${gpu_counts[@]}"; do
            for jobs in "${job_counts[@]}"; do
                if [ "$jobs" -le 1000000 ] || [ "$has_list" = yes ]; then
                    grid_group "$jobs" "$gpus" "$load" "${policies[@]}"
                elif [[ " ${policies[*]} " == *" fifo "* ]]; then
                    grid_group "$jobs" "$gpus" "$load" fifo
                fi
            done
        done
    done
}

# The arms of a star: jobs at two loads, GPUs, load. A policy's last two arms have as many jobs as it could
# finish at 1,024 GPUs and 95 %. At 30 % hardly a job waits, for any number of jobs: equal load is equal
# work there, while at 95 % strict order with Venus' gangs has a queue that grows with the trace (the table
# shows both).
grid_star() {
    local jobs gpus load policy base able
    for load in 30 95; do
        for jobs in 10000 100000 1000000; do
            grid_group "$jobs" 1024 "$load" "${policies[@]}"
        done
    done
    for base in 1000000 100000 10000; do
        able=()
        for policy in "${policies[@]}"; do
            [ "${base_jobs[$policy]-}" != "$base" ] || able+=("$policy")
        done
        [ ${#able[@]} -gt 0 ] || continue
        for gpus in 64 16384 131072; do
            grid_group "$base" "$gpus" 95 "${able[@]}"
        done
        for load in 70 150; do
            grid_group "$base" 1024 "$load" "${able[@]}"
        done
    done
    local cap_s=$((cap_s * 8))
    [[ " ${policies[*]} " != *" fifo "* ]] || grid_group 10000000 1024 95 fifo
}

# ---- GPUs that are really shared; random combinations --------------------------------------------

# Every second job opportunistic.
half_opportunistic() { # JOBS GPUS LOAD_PERCENT FILE
    "$horus" generate --like venus -n "$1" -c "$(($2 / 8))x8:V100" --format csv -q \
        --load "$(awk -v percent="$3" 'BEGIN { print percent / 100 }')" |
        awk -F, -v OFS=, 'NR == 1 { for (at = 1; $at != "class"; at++); print; next }
            { $at = NR % 2 ? "guaranteed" : "opportunistic"; print }' >"$4"
}

part_classes() {
    local jobs
    local cap_s=$((cap_s * 30))
    for jobs in 10000 100000 1000000; do
        log "$jobs jobs, half of them opportunistic"
        half_opportunistic "$jobs" 1024 95 "$work/classes.csv"
        take_run "\"part\": \"classes\", \"policy\": \"antman\", \"jobs\": $jobs" \
            "$work/classes.csv" -c 128x8:V100 -p antman --outputs summary || break
    done
    rm -f "$work/classes.csv"
}

# Policies, parameters, clusters and workloads by a fixed seed. Combinations that the program refuses, such
# as conflicting parameters, are left out.
random_combinations=200
part_random() {
    local policy cluster workload at count=0 fifo_us fields
    local -A fifo_cost=()
    local clusters='["8x8:V100", "128x8:V100", "2048x8:V100", "64x4:P100,96x8:V100"]'
    local workloads='["venus 50 %", "venus 95 %", "venus 150 %", "classes 95 %"]'
    log "$random_combinations random combinations of 50,000 jobs"
    while IFS=$'\t' read -r policy cluster workload && [ $count -lt $random_combinations ]; do
        at="$work/random $cluster $workload.csv"
        local cap_s=0 quiet='' gpus
        case $cluster in 8x8*) gpus=64 ;; 2048*) gpus=16384 ;; *) gpus=1024 ;; esac
        if [ ! -e "$at" ]; then
            local load=${workload#* }
            "$([ "${workload% * %}" = classes ] && echo half_opportunistic || echo workload)" \
                50000 $gpus "${load% %}" "$at"
            read -r _ _ "fifo_cost[$cluster $workload]" _ < <(cost "$horus" run "$at" -c "$cluster" -p fifo \
                -o "$work/fifo" --force -q --no-progress --outputs summary)
        fi
        head -n 2 "$at" >"$work/two.csv"
        "$horus" run "$work/two.csv" -c "$cluster" -p "$policy" -q --dry-run >"$work/stdout" 2>&1 || continue
        fifo_us=${fifo_cost["$cluster $workload"]}
        cap_s=$((fifo_us / 10000 + 1)) # 100 times, in seconds
        fields="\"part\": \"random\", \"policy\": \"$policy\", \"cluster\": \"$cluster\","
        take_run "$fields \"workload\": \"$workload\", \"fifo_us\": $fifo_us" "$at" -c "$cluster" \
            -p "$policy" --outputs summary || true
        ! grep -q 'this run takes long' "$work/stderr" || amend '. + {told: true}'
        count=$((count + 1))
    done < <(jq -nr -L "$here" --slurpfile p <("$horus" policies --json) --argjson c "$clusters" \
        --argjson w "$workloads" 'include "bench"; combinations(2000; 1; $p[0]; $c; $w)')
    rm -f "$work"/random*
}

# ---- a backlog that comes at once, memory, whole files, the generator, searches -----------------

# A run of one job: the cost of the start, which must not count in the growth of the others.
part_start() {
    local round
    workload 1 1024 95 "$work/one.csv"
    for ((round = 1; round <= 5; round++)); do
        take_run "\"part\": \"start\", \"round\": $round" "$work/one.csv" -c 128x8:V100 -p fifo \
            --outputs summary
    done
}

# Jobs that are all submitted at once; ten times as many until a run is too long.
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

# Idle clusters: the cost of a GPU, under every policy.
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

# So many jobs from the generator's pipe that stored jobs would show in its memory.
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

# Failures and repairs of nodes, 100,000 of them, alternating with a run without.
part_faults() {
    local round mtbf law
    local cap_s=0
    log "failures of nodes"
    workload 1000000 1024 95 "$work/trace.csv"
    for ((round = 1; round <= rounds; round++)); do
        for mtbf in none 3.2d; do
            law=()
            [ $mtbf = none ] || law=(--faults "mtbf=$mtbf,repair=1h" --checkpoint-interval 1h)
            take_run "\"part\": \"faults\", \"mtbf\": \"$mtbf\", \"round\": $round" "$work/trace.csv" \
                -c 128x8:V100 -p fifo --outputs summary "${law[@]}"
        done
    done
    rm -f "$work/trace.csv"
}

# The cost of searches in half-full clusters, and of looking up the slowdown of a shared GPU.
part_searches() {
    log "searches for a GPU to share, lookups of slowdowns"
    "$build/tests/bench/bench_share" | awk '{
        printf "{\"part\": \"search\", \"gpus\": %d, \"workers\": %d, \"index_ns\": %d, \"scan_ns\": %d}\n",
            $1, $2, $3, $4 }' >>"$work/samples"
    "$build/tests/bench/bench_interference" | jq -cR '{part: "lookup", text: .}' >>"$work/samples"
}

# ---- command line -------------------------------------------------------------------------------

as_numbers() { # A,B,...: one a line
    local one
    for one in ${1//,/ }; do number "$one"; done
}

while [ $# -gt 0 ]; do
    case $1 in
    --all) form=product ;;
    --policies | --jobs | --gpus | --load | --parts | --rounds | --cap | -o)
        [ $# -gt 1 ] || {
            log "$1 wants a value"
            exit 2
        }
        ;;&
    --policies) IFS=, read -ra policies <<<"$2" ;;
    --jobs) mapfile -t job_counts < <(as_numbers "$2") ;;
    --gpus) mapfile -t gpu_counts < <(as_numbers "$2") ;;
    --load) mapfile -t loads < <(as_numbers "$2") ;;
    --parts) IFS=, read -ra parts <<<"$2" ;;
    --rounds) rounds=$2 ;;
    --cap) cap_s=$2 ;;
    -o) to=$2 ;;
    *)
        log "unknown option $1; the head of tests/bench/bench.sh tells them"
        exit 2
        ;;
    esac
    case $1 in
    --jobs | --gpus | --load)
        form=product
        has_list=yes
        parts=(grid)
        ;;
    esac
    [ "$1" = --all ] || shift
    shift
done
[ -n "$cap_s" ] || { [ $form = star ] && cap_s=10; } || cap_s=120
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
: >"$work/samples"
[ ${#policies[@]} -gt 0 ] || mapfile -t policies < <(every_policy)

part_grid() { "grid_$form"; }

# One compound command: the shell reads it whole, so the file may change during a long run.
measure() {
    part_start
    for part in "${parts[@]}"; do
        declare -F "part_$part" >/dev/null || {
            log "unknown part '$part'; the head of tests/bench/bench.sh tells them"
            exit 2
        }
        "part_$part"
    done

    lines() { printf '%s\n' "$@" | jq -R . | jq -cs .; }
    jq -n -L "$here" --slurpfile samples "$work/samples" --arg form "$form" --argjson rounds "$rounds" \
        --argjson cap "$cap_s" --arg program "$("$horus" --version)" \
        --arg compiler "$("$horus" version --verbose | sed -n 's/^compiler *//p')" \
        --arg cpu "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)" \
        --argjson cores "$(nproc)" --argjson policies "$(lines "${policies[@]}")" '
        include "bench";
        {program: $program, compiler: $compiler, machine: {cpu: $cpu, cores: $cores},
         form: $form, rounds: $rounds, cap_s: $cap, policies: $policies} + ($samples | figures) +
        {samples: $samples}' >"$work/result.json"
    mkdir -p "$(dirname "$to")"
    cp "$work/result.json" "$to"
    "$0" --show "$to"
}
measure; exit
