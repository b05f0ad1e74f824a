#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the experiments of the Horus papers as far as they are published: results/horus.md, and two figures
# in FOLDER/reference. --quick takes one workload and one draw, no trace and no figures.
#   scripts/reproduce-horus.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
workloads=5
draws=3
[ $quick = no ] || workloads=1 draws=1
trace=$data/traces/venus_gpu_jobs_mar-jul2020.csv
has_trace=no
[ $quick = yes ] || [ ! -r "$trace" ] || has_trace=yes
metrics="makespan mean_wait p99_wait mean_jct gpu_utilization_loaded gpu_utilization_sum_loaded
    mean_run_slowdown p99_run_slowdown max_run_slowdown ooms"
# shellcheck disable=SC2034 # of cells
drop='[:,]max_tenants=[0-9]+'

all="fifo pack gandiva-like colocate-fifo horus horus+ horus+:util_cap=130 horus-s"
ours="fifo horus+
    horus-s horus-s:slowdown_cap=1.2 horus-s:slowdown_cap=1.5 horus-s:slowdown_cap=1000
    horus-s:patience=1 horus-s:patience=100 horus-s:overtake=0s horus-s:overtake=7d
    horus-s:look_ahead=30 horus-s:look_ahead=300"
lanes="fifo gandiva-like horus horus+:queues=3 horus+:queues=4 horus+:queues=5"
loads=(0.6 0.8 1.0 1.1)
# On equal terms: each policy may try all waiting jobs.
alike="fifo fifo:scan=fit srtf pack:scan=fit gandiva-like:scan=fit horus:look_ahead=1000000
    horus+:look_ahead=1000000 horus-s"
# On GPUs of several types: policies that request a type, that do not, that weigh types.
typed="fifo fifo:types=fastest fifo:types=spare horus horus:w_type=1 horus+ horus+:w_type=1"

# ---- runs ---------------------------------------------------------------------------------------

compare() { # TRACE POLICIES TENANTS ARGUMENT...
    local jobs=$1 tenants=$3 options=(--max-tenants="$3") names policy
    read -ra names <<<"${2//$'\n'/ }"
    shift 3
    for policy in "${names[@]}"; do
        case $tenants:$policy in
        2:* | *:fifo* | *:srtf) options+=(-p "$policy") ;; # --max-tenants applies to all
        *:*:*) options+=(-p "$policy,max_tenants=$tenants") ;;
        *) options+=(-p "$policy:max_tenants=$tenants") ;;
        esac
    done
    compare_into "$jobs" "${options[@]}" "$@"
}

burst() { # EXPERIMENT POLICIES TENANTS GAMMA [JOBS]: every cell is a trace of its own
    local w d
    say "$1"
    for ((w = 1; w <= workloads; w++)); do
        for ((d = 1; d <= draws; d++)); do
            workload kind=burst seed="$w" draw="$d" jobs="${5-500}" >"$work/burst-$w-$d.csv"
            compare "$work/burst-$w-$d.csv" "$2" "$3" -c 3x4:RTX3090 --gamma="$4" \
                --seeds $((draws * (w - 1) + d))
            cells "$1" "$w" "$d"
        done
    done
}

drawn() { # `horus` draws, again for each workload
    local experiment=$1 kind=$2 policies=$3 tenants=$4 w
    shift 4
    say "$experiment"
    for ((w = 1; w <= workloads; w++)); do
        workload kind="$kind" seed="$w" draw=0 >"$work/$kind.csv"
        compare "$work/$kind.csv" "$policies" "$tenants" --seeds "$w" \
            --assignments "$((draws * (w - 1) + 1))..$((draws * w))" "$@"
        cells "$experiment" "$w" -
    done
}

mixed() { # on V100, P100 and K80, the groups of nodes in two orders
    local w order
    say M
    for ((w = 1; w <= workloads; w++)); do
        workload kind=gangs seed="$w" draw=0 >"$work/gangs.csv"
        for order in V100,4x8:P100,4x8:K80 K80,4x8:P100,4x8:V100; do
            compare "$work/gangs.csv" "$typed" 2 --seeds "$w" --load=0.8 -c "4x8:$order" \
                --assignments "$((draws * (w - 1) + 1))..$((draws * w))" --reference-type=V100
            cells "M ${order%%,*}" "$w" -
        done
        sed -i -e 's/^M V100\t/M\t/' -e 's/^M K80\t\([^\t]*\)/M\t\1, slowest first/' "$work/cells"
    done
}

venus() { # the jobs of $month with at most this many GPUs
    local nodes=$1 most=$2 policies=$3
    shift 3
    awk -F, -v most="$most" -v month="^2020-${month-06}" \
        'NR == 1 || ($3 ~ month && $2 <= most)' "$trace" >"$work/venus.csv"
    compare "$work/venus.csv" "$policies" 2 --map=configs/mappings/venus.json \
        -c "${nodes}x8:V100" "$@"
}

experiments() {
    local gamma tenants name load
    for gamma in 1 1.43 2.5; do
        for tenants in 2 3; do
            name="A, $tenants tenants"
            [ "$gamma" = 1 ] || name+=", gamma $gamma"
            burst "$name" "$all" "$tenants" "$gamma"
        done
    done
    drawn D gangs "$all fifo:scan=fit" 2 -c 8x8:RTX3090 --load=2
    for load in "${loads[@]}"; do
        drawn "L, load $load" gangs "$all fifo:scan=fit" 2 -c 8x8:RTX3090 --load="$load"
    done
    for tenants in 2 3; do
        burst "E, 2,500 jobs, $tenants tenants" "$alike" "$tenants" 1 2500
    done
    for load in 0.8 2; do
        drawn "E, gangs, load $load" gangs "$alike" 2 -c 8x8:RTX3090 --load="$load"
    done
    burst "S, burst" "$ours" 3 1
    drawn "S, gangs" gangs "$ours" 3 -c 8x8:RTX3090 --load=2
    drawn "S, load 0.8" gangs "$ours" 3 -c 8x8:RTX3090 --load=0.8
    drawn F waves "$lanes" 3 -c 2x8:RTX3090 --interference=none
    mixed
    if [ $has_trace = no ]; then
        say "skip: V: $([ $quick = yes ] && echo --quick || echo "no $trace")"
        return 0
    fi
    assumptions
    say V
    venus 33 1000000 "$all fifo:scan=fit horus:look_ahead=1000 horus:share_up_to=1000" \
        --assignments "1..$draws"
    cells V venus -
    say "V, up to 8 GPUs"
    venus 13 8 "$all fifo:scan=fit" --assignments "1..$draws"
    cells "V, up to 8 GPUs" venus -
}

# On equal terms, and under each assumption: all policies on the jobs of up to 8 GPUs, on 13 nodes.
assumptions() {
    local load month percent how error
    for load in 0.95 1.75; do
        say "E, load $load"
        for month in 04 05 06 07; do
            venus 13 8 "$alike" --load="$load" --assignments 1
            cells "E, load $load" "$month" -
        done
    done
    for how in timeslice,0.87 timeslice,1 timeslice,1.07 mps,auto; do
        for percent in 35 52 80; do
            say "U, $how, $percent %"
            venus 13 8 "$alike" --load=0.95 --assignments "1..$draws" --assign-target="$percent" \
                --sharing-mode="${how%,*}" --sharing-capacity="${how#*,}"
            cells "U, $how, $percent %" venus -
        done
    done
    for error in 0 0.154 0.45 0.9; do
        say "P, $error"
        venus 13 8 "$alike" --load=1.75 --assignments "1..$draws" --util-noise="$error"
        cells "P, $error" venus -
    done
    for error in 0 0.33 0.665; do
        say "P, memory $error"
        venus 13 8 "$alike" --load=1.75 --assignments "1..$draws" --memory-predictor=noisy \
            --memory-noise="$error"
        cells "P, memory $error" venus -
    done
}

# The utilization of GPUs by jobs together, from the files of the runs of the last comparison.
audit() { # EXPERIMENT
    local run
    for run in "$work"/run/runs/*; do
        "$horus" verify "$run" | sed -n "s/^\(ok\|FAIL\)  *no GPU gives more time than it has: /\1 /p"
    done | awk -v experiment="$1" '
        { gsub(",", ""); periods += $2; faults += $5; runs++ }
        END { printf "| %s | %d | %d | %d |\n", experiment, runs, periods, faults }' >>"$work/audit"
}

pictures() {
    [ $quick = no ] || return 0
    say "pictures"
    compare "$work/burst-1-1.csv" "$all" 2 -c 3x4:RTX3090 --outputs all
    audit "A, 2 tenants, first workload"
    picture horus-burst "500 jobs at once on 12 GPUs, two tenants a GPU"
    [ $has_trace = yes ] || return 0
    venus 13 8 "$all" --outputs all
    audit "V, up to 8 GPUs, first draw"
    picture horus-venus "Helios Venus, June 2020, jobs of up to 8 GPUs, on 13 nodes, two tenants a GPU"
}

# ---- page ---------------------------------------------------------------------------------------

quick_is() { echo "one workload, one draw, no trace"; }

venus_note() {
    if [ $has_trace = no ]; then
        printf '%s\n\n' "**Not run: the trace is not here** (\`\$HORUS_DATA/traces\`)."
        return 0
    fi
    awk -F, '$3 ~ /^2020-06/ {
            jobs++
            time += $2 * $4
            large += $2 > 8
            large_time += $2 > 8 ? $2 * $4 : 0
        }
        END {
            printf "All %d jobs, on 33 of the 133 nodes so that they queue. Gangs of more than 8 GPUs\n" \
                "are %.0f %% of the jobs and %.0f %% of the GPU time, and by default share no GPU\n" \
                "(`share_up_to`). If the five jobs of least utilization are such gangs and find no idle\n" \
                "nodes, `horus` starts nothing behind them. The last three rows look further ahead, let\n" \
                "these gangs share, or skip jobs without sharing.\n\n",
                jobs, 100 * large / jobs, 100 * large_time / time
        }' "$trace"
}

# Eight ResNet-50 of an hour on 8 K80 of 24 GB and 8 V100 of 16 GB.
large_k80() {
    local policy
    echo '{"gpu_types": {"K80": {"mem_mib": 24576}, "V100": {"mem_mib": 16384}}, "nodes": [
        {"count": 2, "gpus": 4, "type": "K80"}, {"count": 2, "gpus": 4, "type": "V100"}]}' >"$work/k80.json"
    (echo job_id,submit_time,gpus,duration,model,batch; seq -f 'j%g,0,1,3600,ResNet50,64' 8) >"$work/k80.csv"
    title "policy | mean JCT, s | GPUs"
    for policy in horus horus:w_type=1; do
        run_one "$work/k80.csv" -c "$work/k80.json" --reference-type=V100 -p "$policy"
        awk -F, -v policy="$policy" 'NR > 1 { sum += $11; types[$19]++; n++ }
            END { printf "| `%s` | %.0f |", policy, sum / n; for (t in types) print " " types[t] " " t " |" }' \
            "$work/one/jobs.csv"
    done
}

audit_table() {
    title "runs of | runs | periods in which a GPU is held | above its capacity"
    [ ! -e "$work/audit" ] || cat "$work/audit"
}

# Only if the trace is available.
venus_across() { [ $has_trace = no ] || across "$@"; }
venus_table() { [ $has_trace = no ] || table experiment "$1"; }

experiments
pictures
put_page
