#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs what Salus (MLSys'20) published of its policies on one GPU, as far as it can be built again, and
# writes results/salus.md: every figure is computed here, the text around them stands below.
#   scripts/reproduce-salus.sh [--quick] [BUILD [FOLDER]]        defaults: build/release results
# --quick takes two workloads. Needs no data; same program, same bytes of the page.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/reproduce-common.sh
. scripts/reproduce-common.sh
begin salus "$@"
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

workload() { # NAME=VALUE...
    local options=() pair
    for pair in "$@"; do options+=(-v "$pair"); done
    awk "${options[@]}" -f scripts/draws.awk -f scripts/salus-workloads.awk configs/profiles.csv
}

experiment() { # NAME WORKLOAD POLICIES TRACE ARGUMENT...
    local -n list=$3
    local options=() policy
    for policy in "${list[@]}"; do options+=(-p "$policy"); done
    quietly compare_into "$4" "${options[@]}" -c 1x1:P100 --assign=columns "${@:5}"
    cells "$1" "$2" 1 "$metrics"
}

# Two iterations at a time do what one does, no more: 1 + u^1.016 v^1.763, our form with k = 1.
sliced() {
    cat <<'JSON'
{"kind": "interference", "format": 1, "tables": [],
 "general": {"gpu": "P100", "form": "1 + k u^alpha v^beta", "k": 1, "alpha": 1.016, "beta": 1.763}}
JSON
}

experiments() {
    local w model batch
    sliced >"$work/sliced.json"
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
    for model in VAE SuperRes ResNet50 "SuperRes util=67"; do
        say "set: $model"
        # shellcheck disable=SC2086 # a model, and perhaps a utilization
        workload kind=set model=$model >"$work/set.csv"
        experiment "H, $model, sliced" 1 sets "$work/set.csv" --models "$work/sliced.json"
        experiment "H, $model, general" 1 sets "$work/set.csv" --interference=fit
    done
}

# How many of 42 jobs, all submitted at once, run at once.
many() {
    workload kind=many >"$work/many.csv"
    quietly "$horus" run "$work/many.csv" -c 1x1:P100 --assign=columns -p salus-fair -o "$work/one" -f -q \
        --no-progress >"$work/said"
    awk -F, 'NR > 1 && $7 == 0 { n++ } END { print n }' "$work/one/jobs.csv"
}

# ---- page ---------------------------------------------------------------------------------------

page_head() {
    cat <<'TEXT'
# Salus: what reproduces

`make reproduce-salus` runs every experiment below and writes this page: all figures and verdicts are
computed, none is edited. The paper is Yu and Chowdhury, "Salus: Fine-Grained GPU Sharing Primitives
for Deep Learning Applications" (MLSys'20). Its abstract and its code could be read; its trace is not
published, and its table of four rows is from memory, checked only in that its figures agree with
each other and with the abstract (3.19). Needs no data beside this tree.

TEXT
    [ $quick = no ] ||
        printf '%s\n\n' "**Quick run: two workloads. These are not the results.**"
    cat <<TEXT
**Reading it.** A ratio is taken workload by workload and averaged over $workloads; in brackets: 95 %
interval, Student's t. *Within 10 %*: of the published ratio; *within the interval*: that has it.

**100 jobs on one P100.** A look-alike: models, batches, iteration times and memory are 33 of the
authors' own, which the catalogue holds (\`configs/profiles.csv\`, from their \`tests/workloads.csv\`);
which of them the jobs were is not published. Lengths are Weibull of shape 2/3 with mean 3.0 minutes, in
whole iterations; submissions uniform over 50 minutes; the order a random one of those under which
FIFO's mean queue is 0.55 of its makespan. So FIFO's row is put in (mean queue 167.6, 95 % JCT 251.1 of
303.4 minutes), and the shape was chosen for SRTF's mean JCT of 0.18 of its makespan; the rest comes out.

    awk -v kind=trace -v seed=1 -v batch=50 -f scripts/draws.awk -f scripts/salus-workloads.awk \\
        configs/profiles.csv >trace.csv
    horus compare trace.csv -c 1x1:P100 --assign=columns -p salus-fifo -p salus-srtf -p salus-pack -p salus-fair

| policy | what it is here |
| --- | --- |
| \`salus-fifo\` | one job at a time, in order of arrival |
| \`salus-srtf\` | one lane, the job of least declared time left; who was admitted keeps its model on the GPU |
| \`salus-pack\` | lanes, which run at the same time and slow each other; iterations take turns in a lane |
| \`salus-fair\` | one lane, least GPU time used so far: a newcomer runs until it has caught up |
| \`salus-rr\` | one lane, turns from each arrival on |

**Slices**: two iterations at a time do no more than one after the other does (a slowdown of
1 + u^1.016 v^1.763; u = 94 %, ResNet-50 in Gandiva's Table 1). *General form*: our slowdowns by
utilization, fitted on an RTX 3090, where two busy jobs do 1.35 times the work of one.

## Against the paper

With slices, by the largest batch that a job may have: 11, 22 or all 33 configurations.

TEXT
    local IFS=';'
    table against "${batches[*]}"
    page_why
}

page_why() {
    cat <<'TEXT'

- **Makespans** come out: a GPU that is busy gains little from running two iterations at a time, which is
  what slices assume; with the general form PACK would end far too early (below).
- **SRTF and FAIR**: the published ratios are between ours, and memory decides. Nobody is ever swapped
  out, so that a short job waits until those that were admitted before it leave room for its model and
  its scratch memory. The larger the batches, the longer until the first iteration (below; published for
  SRTF: 28.6 minutes).
- **PACK's mean JCT** is better here and its 95 % JCT no worse than FIFO's. Jobs that do not fit are
  passed by, so that small ones begin early: their queue is shorter than published, in the lanes of the
  paper and, by less, in those of the published code (last table of the 100 jobs). Which memory the
  clients declared is not published; larger declarations lengthen the queue, as larger batches do.
- 95 % JCTs are those of the five longest jobs, a matter of the shape of the lengths.
TEXT
}

page_trace() {
    printf '\n## The 100 jobs\n\nMinutes, ours, then published. Batches of up to %s, with slices:\n\n' $batch_of
    table trace "T, $batch_of"
    printf '\nWith all batches, up to 100:\n\n'
    table trace "T, 100"
    printf '\nPACK alone has lanes that slow each other. Batches of up to %s with the general form:\n\n' $batch_of
    table trace "T, general"
    printf '\nAnd where lanes do not slow each other, which nobody measured:\n\n'
    table trace "T, free"
    cat <<'TEXT'

Lanes as the paper has them (the default of `pack`: a lane is as large as the largest of the scratch
memories in it), as the published code does (room for one job), and a single lane; with slices:

TEXT
    table trace L
}

page_sets() {
    cat <<'TEXT'

## 300 alike jobs of 500 iterations

Makespan of FIFO, relative to that of PACK. Only ResNet-50's iteration time and memory are published; VAE
and SuperRes have Gandiva's utilizations (of other batches) and rates, and memories of ours (1 and 2
GB), by which so many lanes fit beside each other.

TEXT
    table sets
    cat <<'TEXT'

SuperRes at 14 % is far from filling the GPU with seven lanes; the published 2.38 is about what these
would do if one alone used 67 %. Its batch is 128, and nothing tells what that uses.
TEXT
}

page_limits() {
    cat <<TEXT

## Not here

- **42 inference jobs on one GPU** (14 models, three each; 42 times fewer GPUs than one each, 7 times
  fewer than with MPS): an inference job is idle until a request comes and is judged by its latency; the
  traces here are of jobs that want to be done. The published ratio counts processes that fit, 6 a GPU
  with MPS, where each has a context and peak of its own. By memory alone, of 42 jobs that are *trained*,
  three of each of 14 configurations of the catalogue, $at_once are in one lane at once; inference keeps
  no gradients and needs less.
- Start-up times (9 to 61 s, on the CPU) are part of the lengths here, in all rows alike: under FIFO they
  would be paid one after the other, under the others side by side.
- The persistent part of a job's memory is computed (weights and optimizer), the clients' declarations
  were not published.
TEXT
}

experiments
at_once=$(many)
{
    page_head
    page_trace
    page_sets
    page_limits
} >"$work/salus.md"
put_page
