# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The part of bench.sh that holds policies against jobs, GPUs and load: points of the grid, one
# workload at a time, the policies in turns, a bare parse of it before and behind each. Needs bench-common.sh
# and the lists of bench.sh.
# shellcheck disable=SC2154

declare -A jobs_cost # "POLICY GPUS LOAD" -> "JOBS CPU_US" of the largest number of jobs measured
declare -A base_jobs # POLICY -> the most jobs measured at 1,024 GPUs and 95 %
declare -A spent_us  # POLICY -> at the point at hand

# All outputs are written where there is a target for them.
outputs_of() { # POLICY JOBS GPUS LOAD
    echo summary
    [ "$3 $4" = "1024 95" ] && [ "$2" -ge 100000 ] || return 0
    case $1 in fifo | sjf | srtf | tiresias | horus | pack | gandiva:slicing=fluid) echo all ;; esac
}

# Would it end? By the cost of fewer jobs on the same cluster.
is_affordable() { # POLICY JOBS GPUS LOAD
    local known=${jobs_cost["$1 $3 $4"]-} had us
    [ -n "$known" ] || return 0
    read -r had us <<<"$known"
    [ "$us" -ge 0 ] && [ $((us * $2 / had)) -le $((cap_s * 1000000)) ]
}

# One point of each policy. Rounds end early for a policy that has taken 1 s of CPU, 10 s where the
# targets are: the slow ones are measured once, which is enough for them.
grid_group() { # JOBS GPUS LOAD POLICY...
    local jobs=$1 gpus=$2 load=$3 round policy outputs fields enough_us=1000000 todo=()
    shift 3
    spent_us=()
    [ "$gpus $load" != "1024 95" ] || enough_us=10000000
    for policy; do
        if is_affordable "$policy" "$jobs" "$gpus" "$load"; then
            todo+=("$policy")
        else
            echo "{\"part\": \"grid\", \"policy\": \"$policy\", \"outputs\": \"summary\"," \
                "\"jobs\": $jobs, \"gpus\": $gpus, \"load\": $load, \"capped\": true}" >>"$work/samples"
            jobs_cost["$policy $gpus $load"]="$jobs -1"
        fi
    done
    [ ${#todo[@]} -gt 0 ] || return 0
    log "$jobs jobs, $gpus GPUs, $load % load: ${#todo[@]} policies"
    workload "$jobs" "$gpus" "$load" "$work/trace.csv"
    for ((round = 1; round <= rounds; round++)); do
        fields="\"jobs\": $jobs, \"gpus\": $gpus, \"load\": $load, \"round\": $round"
        for policy in "${todo[@]}"; do
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

# The arms of a star: jobs at two loads, GPUs, load. A policy's last two arms have as many jobs as
# it could do at 1,024 GPUs and 95 %. At 30 % hardly a job waits, however many there are: equal load
# is equal work there, while at 95 % strict order with Venus' gangs has a queue that grows with the
# trace (the table shows both).
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
