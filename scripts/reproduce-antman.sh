#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs what AntMan (OSDI'20) published of its scheduler, as far as it can be built again, and writes
# results/antman.md: every figure is computed here, the text around them stands below.
#   scripts/reproduce-antman.sh [--quick] [BUILD [FOLDER]]        defaults: build/release results
# --quick takes one workload. Needs no data; same program, same bytes of the page.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/reproduce-common.sh
. scripts/reproduce-common.sh
begin antman "$@"
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
    cells "$name" "$w" 1 "${metrics//$'\n'/ }"
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

# A, GCN, 43 minutes alone, needs 3.5 GB; B, ResNet-50, 91.1 minutes, comes at minute 26 and needs 30 GB.
# Utilizations are ours: 10 and 85 %. Given LATER, B claims no more than A leaves and grows in its first
# second, as a job does that nobody asked what it needs.
pair() { # [later]
    echo "job_id,submit_time,gpus,duration,model,gpu_util,gpu_mem_mib,gpu_mem_later_mib,gpu_mem_later_after,step,vc,class"
    echo "1,0,1,2580,GCN,10,3338,,,0.1,B,opportunistic"
    if [ "${1-}" = later ]; then
        echo "2,1560,1,5466,ResNet50,85,4000,28610,1,0.2,A,guaranteed"
    else
        echo "2,1560,1,5466,ResNet50,85,28610,,,0.2,A,guaranteed"
    fi
}

# Quotas bind antman and philly; fifo and the packing that knows none get all GPUs for both tenants.
tenants() { # NAME WORKLOAD ARGUMENT...
    experiment "$1" "$2" "$work/tenants.csv" "$work/quota.json" antman antman:util_thr=0.6 antman:util_thr=0.4 antman:ramp=off \
        philly:fair_preempt=0 philly -- --vc=quota "${@:3}"
    experiment patient "$2" "$work/tenants.csv" "$work/quota.json" antman antman:ramp=off -- --vc=quota "${@:3}" \
        --memory-limits "$work/mild.csv"
    experiment "$1" "$2" "$work/tenants.csv" "$work/shared.json" fifo fifo:scan=fit gandiva-pack-only pack \
        -- --vc=quota "${@:3}"
    experiment alone "$2" "$work/guaranteed.csv" "$work/quota.json" fifo fifo:scan=fit -- --vc=quota
    # What was run on another trace or table, as a policy of its own.
    awk -F'\t' -v OFS='\t' -v name="$1" -v w="$2" '
        $3 == w && $1 == "alone" && $2 == "fifo" { $1 = name; $2 = "exclusive"; print }
        $3 == w && $1 == "patient" { $1 = name; $2 = $2 " patient"; print }' "$work/cells" >"$work/others"
    grep -vE '^(alone|patient)' "$work/cells" >"$work/kept"
    cat "$work/kept" "$work/others" >"$work/cells"
}

# Two jobs at a time do what one does, no more: our form of slowdowns with k = 1.
sliced() {
    cat <<'JSON'
{"kind": "interference", "format": 1, "tables": [],
 "general": {"gpu": "V100", "form": "1 + k u^alpha v^beta", "k": 1, "alpha": 1.016, "beta": 1.763}}
JSON
}

# Speed under a memory limit: all models as SuperRes, the most patient one that was measured.
mild() { awk -F, -v OFS=, 'NR == 1 || $1 == "SuperRes" { if (NR > 1) $1 = "*"; print $1, $2, $3 }' configs/memory-limits.csv; }

experiments() {
    local w
    sliced >"$work/sliced.json"
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
        awk -v seed="$w" -f scripts/draws.awk -f scripts/antman-workloads.awk configs/profiles.csv >"$work/tenants.csv"
        awk -F, 'NR == 1 || /guaranteed/' "$work/tenants.csv" >"$work/guaranteed.csv"
        tenants "T, sliced" "$w" --models "$work/sliced.json"
        tenants "T, general" "$w" --interference=fit
    done
}

# ---- page ---------------------------------------------------------------------------------------

page_head() {
    cat <<'TEXT'
# AntMan: what reproduces

`make reproduce-antman` runs every experiment below and writes this page: all figures and verdicts are
computed, none is edited. The paper is Xiao et al., "AntMan: Dynamic Scaling on GPU Clusters for Deep
Learning" (OSDI'20). Its scheduler was published again, its local coordinator only as a container
image; its traces were not. Needs no data beside this tree.

TEXT
    [ $quick = no ] ||
        printf '%s\n\n' "**Quick run: one workload. These are not the results.**"
    cat <<TEXT
**Reading it.** A ratio is taken workload by workload and averaged over $workloads; in brackets: 95 %
interval, Student's t. *Within 10 %*: of the published ratio; *within the interval*: that has it.

| policy | what it is here |
| --- | --- |
| \`antman\` | guaranteed jobs of tenants with quota; opportunistic ones fill what those leave idle |
| \`fifo\` | YARN-CS: a strict queue a tenant, who may use all GPUs |
| \`philly\` | YARN-CS-preempt: jobs beyond the quota of their tenant make way, and keep what they did |
| \`philly:fair_preempt=0\` | the same without preemption |
| \`gandiva-pack-only\` | what AntMan's authors took for Gandiva: packs where utilization is lowest and memory enough |

## Against the paper

With slices (below):

TEXT
    table against "T, sliced"
    page_why
}

page_why() {
    cat <<'TEXT'

- **Guaranteed jobs** run as if alone. They even end earlier than under FIFO in a cluster of their own,
  because a gang reserves GPUs and others pass it by.
- **Makespan**: opportunistic jobs of hours that sit beside others end late, at the speed that is left to
  them, while GPUs elsewhere are idle; nobody ever moves.
- **Candidates** are GPUs of less than 80 % utilization, measured, and those that are held back count with
  what they would use. By measurement alone they would pile up: a gang runs at the lowest of its caps, so
  that one worker under a busy guaranteed job stops all of them and the other GPUs look idle. The
  threshold matters little then (below).
- **Packing** (`gandiva-pack-only`) is better here, relative to FIFO, than the 560 to 500 minutes that were
  published: memory is known exactly, no job overflows, and of two jobs that share a GPU both get on.
- **Preempted jobs** are fewer: `philly` looks for somebody to make way every two minutes, and arrivals
  within two hours leave opportunistic jobs few GPUs to be driven from.
TEXT
}

page_pair() {
    cat <<'TEXT'

## Two jobs on one GPU

A V100 of 32 GB. A, a GCN, is opportunistic, needs 3.5 GB and 43 minutes alone; B, ResNet-50, is guaranteed,
comes at minute 26 and needs 30 GB and 91.1 minutes. JCT in minutes. A uses 10 % of the GPU and B 85 %, and
A minds little memory as little as SuperRes does, which is ours: it loses 0.9 minutes in its ramp beside
B and 6 % of its speed by what lies on the host.

TEXT
    table pair 'philly|Preempt: a preempted job goes on later|fails|91.1;fifo|FIFO|43.0|108.2;gandiva-pack-only|Pack: B does not tell that it will grow|43.1|fails;|UMem: both swap pages of memory as the driver likes|43.4|541.6;antman|AntMan|43.9|91.8'
    cat <<'TEXT'

- **Preempt** in the paper kills A for good; a preempted job here goes on when the GPU is free again.
- **Pack**: B overflows the GPU in its first second, is killed and runs when A is done: the paper leaves
  it failed.
- **UMem** has no policy here: what two jobs do to each other through paging of the driver was measured
  for this pair alone. With the published speeds under a memory limit (`configs/memory-limits.csv`:
  ResNet-50 at 90 % of its memory runs at 0.34) B would take 268 minutes, half of what was seen.
TEXT
}

page_tenants() {
    cat <<'TEXT'

## Two tenants on 64 GPUs

8 servers of 8 V100; 400 jobs within two hours, of 1, 2, 4, 8 GPUs (70, 12, 11, 7 %), run times log-normal
(median one hour, sigma 1, at most ten hours); nine models of five domains (vision, language, speech,
recommendation, advertising, 20 % each) out of the catalogue, each job in one of the batches and
precisions that were measured, with their utilization and memory. A coin tells the tenant: A has a quota
of 64 GPUs and asks for guaranteed jobs, B has none and asks for opportunistic ones. Sizes, run times and
arrivals are ours: the paper says neither how many jobs there are nor when they come. Under YARN-CS it
has a makespan of about 1,300 minutes and a mean JCT of 560.

    awk -v seed=1 -f scripts/draws.awk -f scripts/antman-workloads.awk configs/profiles.csv >tenants.csv

**Slices**: two jobs beside each other do no more than one after the other (a slowdown of
1 + u^1.016 v^1.763), as on a GPU that is time-sliced and busy:

TEXT
    table tenants "T, sliced"
    cat <<'TEXT'

**General form**: our slowdowns by utilization, fitted on an RTX 3090, where two busy jobs do 1.35 times the
work of one:

TEXT
    table tenants "T, general"
}

page_limits() {
    cat <<'TEXT'

## Not here

- The production cluster (more than 5,000 GPUs, queueing 1,132 to 550 s) and its 10,000 jobs whose
  mini-batches were 0 to 4 % slower beside opportunistic ones: not published. Here a guaranteed job is
  not slowed at all while the caps of its neighbours hold; it is in the seconds until they are cut.
- Growth and shrinkage of memory take 17 to 115 ms in the paper; at one decision every 10 s that is less
  than 1 %.
- ESPnet beside ResNet-50 (20.1 to 105.2 minutes unmanaged, 20.8 under AntMan) is one measured pair.
TEXT
}

experiments
{
    page_head
    page_pair
    page_tenants
    page_limits
} >"$work/antman.md"
put_page
