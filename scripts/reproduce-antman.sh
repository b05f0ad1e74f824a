#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the published experiments of AntMan's scheduler (OSDI'20), as far as they can be reproduced:
# results/antman.md. --quick takes one workload. Needs no data.
#   scripts/reproduce-antman.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
workloads=5
[ $quick = no ] || workloads=1

metrics="makespan mean_wait mean_jct p95_jct class_guaranteed_mean_jct class_opportunistic_mean_jct
    preemptions ooms gpu_utilization host_mib_seconds n_done"

# ---- runs ---------------------------------------------------------------------------------------

cluster() { # NODES GPUS QUOTA-A QUOTA-B
    cat <<JSON
{"gpu_types": {"V100": {"mem_mib": 32768, "speed": 1}},
 "nodes": [{"count": $1, "gpus": $2, "type": "V100"}], "vcs": {"A": $3, "B": $4}}
JSON
}

experiment() { # NAME WORKLOAD TRACE CLUSTER POLICY... [-- ARGUMENT...]
    local name=$1 w=$2 trace=$3 cluster=$4 options=() names=()
    shift 4
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=(-p "$1")
        names+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    quietly compare_into "$trace" "${options[@]}" -c "$cluster" --reference-type=V100 --assign=columns \
        --predictor=oracle --outputs=jobs "$@"
    cells "$name" "$w" 1
    for policy in "${names[@]}"; do
        awk -F, -v OFS='\t' -v experiment="$name" -v policy="$policy" -v workload="$w" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            {
                jobs++
                preempted += $at["preemptions"] > 0
                if ($at["class"] == "guaranteed") { guaranteed++; slowdown += $at["run_slowdown"] }
                if (jobs <= 2) jct[$at["job_id"]] = $at["turnaround_time"]
            }
            END {
                print experiment, policy, workload, 1, "preempted", preempted / jobs
                if (guaranteed) print experiment, policy, workload, 1, "guaranteed_run_slowdown", slowdown / guaranteed
                if (jobs == 2)
                    for (id in jct) print experiment, policy, workload, 1, "jct_" id, jct[id]
            }' "$work/run/runs/${policy//[:,]/-}-s1-a1/jobs.csv" >>"$work/cells"
    done
}

# A, GCN, 43 minutes alone, needs 3.5 GB; B, ResNet-50, 91.1 minutes, is submitted at minute 26 and needs 30
# GB. Utilizations are ours: 10 and 85 %. With LATER, B claims no more than A leaves and grows in its first
# second, like a job of unknown demand.
pair() { # [later]
    echo "job_id,submit_time,gpus,duration,model,gpu_util,gpu_mem_mib,gpu_mem_later_mib,gpu_mem_later_after,step,vc,class"
    echo "1,0,1,2580,GCN,10,3338,,,0.1,B,opportunistic"
    if [ "${1-}" = later ]; then
        echo "2,1560,1,5466,ResNet50,85,4000,28610,1,0.2,A,guaranteed"
    else
        echo "2,1560,1,5466,ResNet50,85,28610,,,0.2,A,guaranteed"
    fi
}

# Quotas bind antman and philly; fifo and packing ignore them, so both tenants may get all GPUs.
tenants() { # NAME WORKLOAD ARGUMENT...
    experiment "$1" "$2" "$work/tenants.csv" "$work/quota.json" antman antman:util_thr=0.6 antman:util_thr=0.4 antman:ramp=off \
        philly:fair_preempt=0 philly -- --vc=quota "${@:3}"
    experiment patient "$2" "$work/tenants.csv" "$work/quota.json" antman antman:ramp=off -- --vc=quota "${@:3}" \
        --memory-limits "$work/mild.csv"
    experiment "$1" "$2" "$work/tenants.csv" "$work/shared.json" fifo fifo:scan=fit gandiva-pack-only pack \
        -- --vc=quota "${@:3}"
    experiment alone "$2" "$work/guaranteed.csv" "$work/quota.json" fifo fifo:scan=fit -- --vc=quota
    # A run on another trace or table, listed as a policy of its own.
    awk -F'\t' -v OFS='\t' -v name="$1" -v w="$2" '
        $3 == w && $1 == "alone" && $2 == "fifo" { $1 = name; $2 = "exclusive"; print }
        $3 == w && $1 == "patient" { $1 = name; $2 = $2 " patient"; print }' "$work/cells" >"$work/others"
    grep -vE '^(alone|patient)' "$work/cells" >"$work/kept"
    cat "$work/kept" "$work/others" >"$work/cells"
}

# Speed under a memory limit: all models as SuperRes, the measured model with the least sensitivity.
mild() { awk -F, -v OFS=, 'NR == 1 || $1 == "SuperRes" { if (NR > 1) $1 = "*"; print $1, $2, $3 }' configs/memory-limits.csv; }

experiments() {
    local w
    sliced V100 >"$work/sliced.json"
    mild >"$work/mild.csv"
    cluster 1 1 1 0 >"$work/one.json"
    cluster 1 1 1 1 >"$work/one-each.json"
    cluster 8 8 64 0 >"$work/quota.json"
    cluster 8 8 64 64 >"$work/shared.json"

    say "two jobs"
    pair >"$work/pair.csv"
    pair later >"$work/later.csv"
    experiment P 1 "$work/pair.csv" "$work/one.json" antman philly -- --vc=quota --memory-limits "$work/mild.csv"
    experiment P 1 "$work/pair.csv" "$work/one-each.json" fifo fifo:scan=fit -- --vc=quota
    experiment P 1 "$work/later.csv" "$work/one-each.json" gandiva-pack-only pack
    for ((w = 1; w <= workloads; w++)); do
        say "tenants $w"
        workload seed="$w" >"$work/tenants.csv"
        awk -F, 'NR == 1 || /guaranteed/' "$work/tenants.csv" >"$work/guaranteed.csv"
        tenants "T, sliced" "$w" --models "$work/sliced.json"
        tenants "T, general" "$w" --interference=fit
    done
}

# ---- page ---------------------------------------------------------------------------------------

quick_is() { echo "one workload"; }

experiments
put_page
