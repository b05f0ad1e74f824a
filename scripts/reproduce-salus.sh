#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the published experiments of Salus' policies (MLSys'20) on one GPU, as far as they can be reproduced:
# results/salus.md. --quick takes two workloads. Needs no data.
#   scripts/reproduce-salus.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
workloads=8
[ $quick = no ] || workloads=2
batches=(25 50 100)
batch_of=50 # of all tables but the first

# shellcheck disable=SC2034 # arrays that experiment takes by name
{
    rules=(salus-fifo salus-srtf salus-pack salus-fair salus-rr)
    lanes=(salus-fifo salus-pack salus-pack:lanes=code salus-pack:lanes=one)
    sets=(salus-fifo salus-pack)
}
metrics="makespan mean_wait mean_jct p95_jct mean_time_to_progress switches gpu_utilization n_done n_rejected"

# ---- runs ---------------------------------------------------------------------------------------

experiment() { # NAME WORKLOAD POLICIES TRACE ARGUMENT...
    quietly versus "$3" "$4" -c 1x1:P100 --assign=columns "${@:5}"
    cells "$1" "$2" 1
}

experiments() {
    local w model batch
    sliced P100 >"$work/sliced.json"
    for ((w = 1; w <= workloads; w++)); do
        say "trace $w"
        for batch in "${batches[@]}"; do
            workload kind=trace "seed=$w" "batch=$batch" >"$work/trace.csv"
            experiment "T, $batch" $w rules "$work/trace.csv" --models "$work/sliced.json"
        done
        workload kind=trace "seed=$w" "batch=$batch_of" >"$work/trace.csv"
        experiment "T, general" $w sets "$work/trace.csv" --interference=fit
        experiment "T, free" $w sets "$work/trace.csv" --interference=none
        experiment "L" $w lanes "$work/trace.csv" --models "$work/sliced.json"
    done
    for model in VAE SuperRes ResNet50; do
        say "set: $model"
        workload kind=set "model=$model" >"$work/set.csv"
        experiment "H, $model" 1 sets "$work/set.csv" --models "$work/sliced.json"
    done
}

# The number of 42 jobs, all submitted at once, that run at once.
many() {
    workload kind=many >"$work/many.csv"
    run_one "$work/many.csv" -c 1x1:P100 --assign=columns -p salus-fair
    awk -F, 'NR > 1 && $7 == 0 { n++ } END { print n }' "$work/one/jobs.csv"
}

# ---- page ---------------------------------------------------------------------------------------

quick_is() { echo "two workloads"; }

inference_note() {
    cat <<TEXT
- **42 inference jobs on one GPU** (14 models, three each; 42 times fewer GPUs than one each, 7 times
  fewer than with MPS): an inference job is idle until a request arrives and is judged by its latency;
  the traces here contain jobs that run to completion. The published ratio counts processes that fit, 6
  per GPU with MPS, where each has its own context and memory peak. By memory alone, of 42 *training*
  jobs, three of each of 14 configurations of the catalogue, $(many) fit in one lane at once; inference keeps
  no gradients and needs less.
TEXT
}

experiments
put_page
