#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the published experiments of Gandiva's scheduler (OSDI'18), as far as they can be reproduced:
# results/gandiva.md. --quick takes one workload of each kind. Needs no data.
#   scripts/reproduce-gandiva.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
workloads=5
loads=(90 95 100)
[ $quick = no ] || workloads=1

baseline=fifo:placement=best_fit,scan=fit
packing=gandiva:migrate=no,defrag=no,grow=no
moving=gandiva:pack=no,grow=no
slices=gandiva:pack=no
# shellcheck disable=SC2034 # arrays that experiment takes by name
{
    six=(fifo "$slices" "$slices,slicing=fluid" gandiva)
    mix=("$baseline" fifo "$packing" "$packing,slicing=fluid" "$packing,pack=no" "$packing,max_height=2"
        "$packing,max_height=16" gandiva gandiva-pack-only)
    ends=("$baseline" "$packing" gandiva-pack-only)
    days=(fifo fifo:scan=fit fifo:placement=count "$moving" "$moving,slicing=fluid" "$moving,migrate=no,defrag=no" srtf)
}
steps=(500 1000 2000 3000) # ms, of mini-batches that are not published
metrics="makespan mean_wait mean_jct p95_jct migrations switches trials_kept trials_undone
    gpu_utilization overhead_gpu_seconds held_gpu_seconds host_mib_seconds"

# ---- runs ---------------------------------------------------------------------------------------

catalogue= # the published figures of its models are in gandiva-workloads.awk

# Every policy of an array on one trace; the outputs are in $work/run/runs, a folder each.
experiment() { # NAME WORKLOAD POLICIES TRACE ARGUMENT...
    quietly versus "$3" "$4" --assign=columns --predictor=oracle "${@:5}"
    cells "$1" "$2" 1
}

cell() { # EXPERIMENT POLICY WORKLOAD: of "METRIC VALUE" lines
    awk -v OFS='\t' -v experiment="$1" -v policy="$2" -v workload="$3" \
        '{ print experiment, policy, workload, 1, $1, $2 }' >>"$work/cells"
}

folder_of() { run=$work/run/runs/${1//[:,]/-}-s1-a1; } # POLICY, of the last comparison

copies() { # SERIES ARGUMENT...: gain of 1 to 8 copies on one GPU, relative to one
    run_one "$work/copies.csv" -c "$work/cells.json" --vc=partition -p pack:max_tenants=8,mem_margin=0 \
        --assign=columns --profiles "$work/table1.csv" "${@:2}"
    columns finish_time,vc "$work/one/jobs.csv" | awk -v OFS='\t' -v series="$1" '
        { end[$2 " " $3] = $1 }
        END {
            for (set in end) {
                split(set, part, " ")
                print series, part[1], 1, 1, part[2], part[2] * 3600 / end[set] - 1
            }
        }' | sort >>"$work/cells"
}

mixed() { # NAME WORKLOAD POLICIES PROFILES ARGUMENT...
    local -n these=$3
    local policy
    experiment "$1" "$2" "$3" "$work/mix.csv" -c "$work/mixed.json" --profiles "$4" "${@:5}" \
        --outputs=jobs,segments,series --sample=60s
    for policy in "${these[@]}"; do
        folder_of "$policy"
        awk -v what=early -f scripts/gandiva-runs.awk "$4" "$run/jobs.csv" "$run/segments.csv" "$run/series.csv" |
            cell "$1" "$policy" "$2"
    done
}

clusters() {
    local types='"gpu_types": {"P40": {"mem_mib": 24576, "speed": 1}, "P100": {"mem_mib": 16384, "speed": 1}}'
    local p100='"gpu_types": {"P100": {"mem_mib": 16384}}'
    echo "{$p100, \"nodes\": [{\"gpus\": 4, \"type\": \"P100\"}]}" >"$work/four.json"
    echo "{$types, \"nodes\": [{\"count\": 23, \"gpus\": 4, \"type\": \"P40\"}, {\"count\": 22, \"gpus\": 4, \"type\": \"P100\"}]}" \
        >"$work/mixed.json"
    echo "{$p100, \"nodes\": [{\"count\": 25, \"gpus\": 4, \"type\": \"P100\"}]}" >"$work/hundred.json"
}

experiments() {
    local w l policy reading
    clusters
    workload kind=names >"$work/names"
    workload kind=profiles >"$work/table1.csv"
    workload kind=profiles table=fig13 >"$work/fig13.csv"
    for reading in few eight; do workload kind=interference reading=$reading >"$work/$reading.json"; done
    workload kind=pairs reading=few >"$work/pairs.csv"

    say "copies"
    workload kind=copies >"$work/copies.csv"
    workload kind=cells >"$work/cells.json"
    copies "P, general" --interference=fit
    for reading in few eight; do copies "P, $reading" --models "$work/$reading.json"; done

    say "six"
    workload kind=six >"$work/six.csv"
    experiment "S" 1 six "$work/six.csv" -c "$work/four.json" --profiles "$work/table1.csv" \
        --models "$work/eight.json" --outputs=jobs,segments
    for policy in "${six[@]}"; do
        folder_of "$policy"
        awk -v what=shared -f scripts/gandiva-runs.awk "$run/jobs.csv" "$run/segments.csv" | cell S "$policy" 1
    done

    for ((w = 1; w <= workloads; w++)); do
        say "mix $w"
        workload kind=mix seed=$w >"$work/mix.csv"
        mixed "M, eight" $w mix "$work/table1.csv" --models "$work/eight.json"
        mixed "M, few" $w ends "$work/table1.csv" --models "$work/few.json"
        mixed "M, general" $w ends "$work/table1.csv" --interference=fit
        for l in "${steps[@]}"; do
            workload kind=profiles step_ms="$l" >"$work/steps.csv"
            mixed "M, $l ms" $w ends "$work/steps.csv" --models "$work/eight.json"
        done
    done
    for ((w = 1; w <= workloads; w++)); do
        for l in "${loads[@]}"; do
            say "days $w, load $l"
            workload kind=days table=fig13 seed=$w load="$l" >"$work/days.csv"
            experiment "D, $l" $w days "$work/days.csv" -c "$work/hundred.json" --profiles "$work/fig13.csv"
        done
    done
}

# ---- page ---------------------------------------------------------------------------------------

told=(-v "baseline=$baseline" -v "exact=$slices" -v "packing=$packing" -v "moving=$moving")
quick_is() { echo "one workload of each kind"; }

packing_table() { table packing_gains "$(paste -sd ';' "$work/names")"; }

refused() { # calibrate's refusal of Table 1
    ! "$horus" calibrate interference --data "$work/pairs.csv" --profiles "$work/table1.csv" \
        -o "$work/never.json" 2>&1 >/dev/null | sed 's/^/      /'
}

experiments
put_page
