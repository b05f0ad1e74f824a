#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the experiments of the Horus papers as far as they are published and writes results/horus.md:
# every figure is computed here, the text around them stands below.
#   scripts/reproduce-horus.sh [--quick] [BUILD [FOLDER]]        defaults: build/release results
# Writes FOLDER/horus.md and, where gnuplot is, FOLDER/reference/horus-*.png. --quick takes one
# workload and one draw, no trace and no pictures. The trace: $HORUS_DATA/traces, else
# ../shared/data/traces. Same program, same bytes of the page.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/reproduce-common.sh
. scripts/reproduce-common.sh
begin horus "$@"
workloads=5
draws=3
if [ $quick = yes ]; then
    workloads=1
    draws=1
fi
trace=$data/traces/venus_gpu_jobs_mar-jul2020.csv
has_trace=no
[ $quick = yes ] || [ ! -r "$trace" ] || has_trace=yes
metrics="makespan mean_wait p99_wait mean_jct gpu_utilization_loaded gpu_utilization_sum_loaded
    mean_run_slowdown p99_run_slowdown max_run_slowdown"

all="fifo pack gandiva-like colocate-fifo horus horus+ horus+:util_cap=130 horus-s"
ours="fifo horus+ horus+:look_ahead=64
    horus-s horus-s:slowdown_cap=1.2 horus-s:slowdown_cap=1.5 horus-s:slowdown_cap=1000
    horus-s:patience=1 horus-s:patience=100 horus-s:overtake=0s horus-s:overtake=7d
    horus-s:look_ahead=30 horus-s:look_ahead=1000"
rivals="fifo pack gandiva-like horus horus+ horus-s"
lanes="fifo gandiva-like horus horus+:queues=3 horus+:queues=4 horus+:queues=5"
loads=(0.6 0.8 1.0 1.1)

# ---- runs ---------------------------------------------------------------------------------------

workload() { # KIND SEED [DRAW]
    awk -v kind="$1" -v seed="$2" -v draw="${3-0}" -f scripts/draws.awk \
        -f scripts/horus-workloads.awk configs/profiles.csv
}

compare() { # TRACE POLICIES TENANTS ARGUMENT...; TENANTS own: as each is preset
    local jobs=$1 tenants=$3 options=() names policy
    read -ra names <<<"${2//$'\n'/ }"
    shift 3
    [ "$tenants" = own ] || options+=(--max-tenants="$tenants")
    for policy in "${names[@]}"; do
        case $tenants:$policy in
        own:* | 2:* | *:fifo) options+=(-p "$policy") ;; # --max-tenants holds for all
        *:*:*) options+=(-p "$policy,max_tenants=$tenants") ;;
        *) options+=(-p "$policy:max_tenants=$tenants") ;;
        esac
    done
    compare_into "$jobs" "${options[@]}" "$@"
}

note() { # EXPERIMENT WORKLOAD DRAW
    cells "$@" "${metrics//$'\n'/ }" '[:,]max_tenants=[0-9]+'
}

burst() { # EXPERIMENT POLICIES TENANTS GAMMA: every cell is a trace of its own
    local w d
    say "$1"
    for ((w = 1; w <= workloads; w++)); do
        for ((d = 1; d <= draws; d++)); do
            workload burst "$w" "$d" >"$work/burst-$w-$d.csv"
            compare "$work/burst-$w-$d.csv" "$2" "$3" -c 3x4:RTX3090 --gamma="$4" \
                --seeds $((draws * (w - 1) + d))
            note "$1" "$w" "$d"
        done
    done
}

drawn() { # EXPERIMENT KIND POLICIES TENANTS ARGUMENT...: `horus` draws, anew for each workload
    local experiment=$1 kind=$2 policies=$3 tenants=$4 w
    shift 4
    say "$experiment"
    for ((w = 1; w <= workloads; w++)); do
        workload "$kind" "$w" >"$work/$kind.csv"
        compare "$work/$kind.csv" "$policies" "$tenants" --seeds "$w" \
            --assignments "$((draws * (w - 1) + 1))..$((draws * w))" "$@"
        note "$experiment" "$w" -
    done
}

venus() { # NODES GPUS POLICIES ARGUMENT...: June's jobs of at most so many GPUs
    local nodes=$1 most=$2 policies=$3
    shift 3
    awk -F, -v most="$most" 'NR == 1 || ($3 ~ /^2020-06/ && $2 <= most)' "$trace" >"$work/venus.csv"
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
    burst "A, own limits" "$rivals" own 1
    for load in 0.6 1.0 2; do
        drawn "D, own limits, load $load" gangs "$rivals" own -c 8x8:RTX3090 --load="$load"
    done
    burst "S, burst" "$ours" 3 1
    drawn "S, gangs" gangs "$ours" 3 -c 8x8:RTX3090 --load=2
    drawn "S, load 0.8" gangs "$ours" 3 -c 8x8:RTX3090 --load=0.8
    drawn F waves "$lanes" 3 -c 2x8:RTX3090 --interference=none
    if [ $has_trace = no ]; then
        say "skip: V: $([ $quick = yes ] && echo --quick || echo "no $trace")"
        return 0
    fi
    say V
    venus 33 1000000 "$all fifo:scan=fit horus:look_ahead=1000 horus:share_up_to=1000" \
        --assignments "1..$draws"
    note V venus -
    say "V, up to 8 GPUs"
    venus 13 8 "$all fifo:scan=fit" --assignments "1..$draws"
    note "V, up to 8 GPUs" venus -
}

pictures() {
    can_draw || return 0
    say "pictures"
    compare "$work/burst-1-1.csv" "$all" 2 -c 3x4:RTX3090 --outputs all
    picture horus-burst "500 jobs at once on 12 GPUs, two tenants a GPU"
    [ $has_trace = yes ] || return 0
    venus 13 8 "$all" --outputs all
    picture horus-venus "Helios Venus, June 2020, jobs of up to 8 GPUs, on 13 nodes, two tenants a GPU"
}

# ---- page ---------------------------------------------------------------------------------------

page_head() {
    cat <<'TEXT'
# Horus: what reproduces

`make reproduce-horus` runs every experiment below and writes this page: all figures and verdicts are
computed, none is edited. The papers are Yeung et al., "Towards GPU Utilization Prediction for Cloud
Deep Learning" (HotCloud'20), "Horus: An Interference-Aware Resource Manager for Deep Learning
Systems" (ICA3PP'20) and "Horus: Interference-Aware and Prediction-Based Scheduling in Deep Learning
Systems" (TPDS 33(1), 2022). Their abstracts and the author's own simulator could be read; their
tables could not.

TEXT
    [ $quick = no ] ||
        printf '%s\n\n' "**Quick run: one workload, one draw, no trace. These are not the results.**"
    cat <<TEXT
**Reading it.** Unless a column says otherwise a figure is a ratio to \`fifo\`, which gives each job its
GPUs to itself in strict order of submission; below 1 is less. An experiment has
$workloads workloads x $draws draws of which model each job trains. A ratio is taken cell by cell, between runs of the
same jobs, and averaged. In brackets: 95 % interval, Student's t over the means of the workloads,
since draws of one workload share its jobs; in V, which has one workload, over its draws. *Holds*:
with the whole interval; *on average*: the mean does, the interval does not, or is not looked at. Run
slowdown: time on GPUs / time alone. Loaded: while a job waits. Utilization is *modelled* (of two jobs
less than the sum) or *summed* (min(100 %, sum of the utilizations alone), which is what papers
count).

| policy | order | GPU |
| --- | --- | --- |
| \`fifo\`; \`fifo:scan=fit\` | submission, strict; passing by jobs that do not fit | its own |
| \`pack\` | submission, strict | the fullest with memory for the job |
| \`gandiva-like\` | submission, strict | least memory, load and tenants, nothing told of the newcomer |
| \`colocate-fifo\` | submission, strict | least cost of Horus: memory, distance from 100 % utilization, tenants |
| \`horus\` | least predicted utilization, the first 5 | the same |
| \`horus+\` | lanes of alike jobs, the lane of most jobs x wait first | the same |
| \`horus-s\`, ours | submission, but those that pair well first by up to 6 hours; a window of 300 | least predicted slowdown added; none where that is too much |
TEXT
}

page_claims() {
    cat <<'TEXT'

## Claims

What papers and a prototype of 118 lines (2 to 5 workloads, pair speeds of Lucid as measured) let
expect before this page was made, and what came of it.

TEXT
    table claims
    cat <<'TEXT'

## Against the papers

Experiment A is nearest to their testbed. The prototype's `horus` had 2 and 3 tenants.

TEXT
    table papers
}

page_burst() {
    cat <<'TEXT'

## A: a burst on a small cluster

12 GPUs (3 x 4 RTX 3090), 500 one-GPU jobs, all submitted at once. A draw picks 13 of the 14 models
that were measured on this GPU, with one batch and precision each, and gives every job one of them,
all 13 alike; the trace names it, so that nothing is left to `--assign`. Durations: log-normal, median
20 minutes, sigma 1, cut at 4 hours. One cell by hand:

    awk -v kind=burst -v seed=1 -v draw=1 -f scripts/draws.awk -f scripts/horus-workloads.awk \
        configs/profiles.csv >burst.csv
    horus compare burst.csv -c 3x4:RTX3090 --max-tenants=2 --seeds=1 -p fifo -p pack -p horus -p horus+

Two tenants a GPU, with slowdowns of pairs as calibrated:

TEXT
    table experiment "A, 2 tenants"
    cat <<'TEXT'

Three tenants; beyond pairs the slowdown is modelled, nobody has published measurements:

TEXT
    table experiment "A, 3 tenants"
    pictured horus-burst "Two tenants, first workload, first draw"
    cat <<'TEXT'

Stronger interference: slowdowns to the power gamma. 1.43 makes 3.2, the worst of the ICA3PP
abstract, of 2.25, the worst that Lucid measured; 2.5 is beyond anything measured. Makespan, mean
wait, then the p99 run slowdown itself:

TEXT
    local stronger=("2 tenants, 1.43=A, 2 tenants, gamma 1.43" "2 tenants, 2.5=A, 2 tenants, gamma 2.5"
        "3 tenants, 1.43=A, 3 tenants, gamma 1.43" "3 tenants, 2.5=A, 3 tenants, gamma 2.5")
    across makespan fifo "${stronger[@]}"
    echo
    across mean_wait fifo "${stronger[@]}"
    echo
    across p99_run_slowdown - "${stronger[@]}"
}

page_gangs() {
    cat <<'TEXT'

## D: gangs

64 GPUs (8 x 8 RTX 3090), 1,200 jobs of 1, 2, 4 and 8 GPUs (55, 20, 15, 10 %), Poisson arrivals of twice
what the cluster can do, 2 tenants. A workload is sizes, times and durations; the models are drawn
(`--assignments`, mean utilization 52 %), other ones for each workload. `fifo:scan=fit` shows what
passing by a gang that does not fit brings without any sharing. The prototype had other sizes and
durations, and a `fifo` that lost less to gangs.

TEXT
    table experiment D
    cat <<'TEXT'

## L: below saturation

The same jobs at other loads. Mean JCT against `fifo`, then the mean run slowdown itself:

TEXT
    local at=() load
    for load in "${loads[@]}"; do at+=("load $load=L, load $load"); done
    across mean_jct fifo "${at[@]}"
    echo
    across mean_run_slowdown - "${at[@]}"
}

page_free() {
    cat <<'TEXT'

## F: sharing for free

The published simulator never slows a job that shares (a task is looked up among identifiers, and is
never found), so its gains are those of free sharing. Its trace is not published. Run on 400 one-GPU
jobs in bursts on 16 GPUs it printed makespans of 0.68 and mean waits of 0.26 of its own FIFO, with
Horus, Horus+ and Gandiva-like alike in makespan. The same shape here, on an honest FIFO:
`--interference=none`, 3 tenants, 200 jobs at once and 200 more when 16 GPUs can have done three
quarters of the first.

TEXT
    table experiment F
}

page_ours() {
    cat <<'TEXT'

## `horus-s` against the others

Ours places by predicted slowdown and was made to end jobs earlier and to slow them less without a
later end. Ratios of `horus-s` to each of the others: mean JCT, p99 run slowdown, makespan. With the
same limit of tenants for all (2 or 3), and with the limit that each has preset (`pack` and
`gandiva-like` 2, the others 3). Its parameters were chosen on other workloads of the same kinds.

TEXT
    table rivals
    cat <<'TEXT'

## S: the parameters of `horus-s`

A's burst and D's gangs at loads 2 and 0.8, up to 3 tenants; beside it `horus+`, also with its widest
window. Mean JCT against `fifo`, makespan, p99 wait, then the p99 run slowdown itself:

TEXT
    local at=("burst=S, burst" "gangs, load 2=S, gangs" "gangs, load 0.8=S, load 0.8")
    across mean_jct fifo "${at[@]}"
    echo
    across makespan fifo "${at[@]}"
    echo
    across p99_wait fifo "${at[@]}"
    echo
    across p99_run_slowdown - "${at[@]}"
}

page_trace() {
    cat <<'TEXT'

## V: a real trace

Helios Venus (Hu et al., SC'21, CC BY 4.0), jobs submitted in June 2020; virtual clusters ignored, 2
tenants. The trace tells no models: they are drawn, mean utilization 52 %, and the draws differ in
nothing else.

TEXT
    if [ $has_trace = no ]; then
        echo "**Not run: the trace is not here** (\`\$HORUS_DATA/traces\`)."
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
                "(`share_up_to`). Where such gangs are the five jobs of least utilization and find no\n" \
                "idle nodes, `horus` starts nothing behind them: hence the rows that look further ahead,\n" \
                "let them share, or pass by without sharing.\n\n",
                jobs, 100 * large / jobs, 100 * large_time / time
        }' "$trace"
    table experiment V
    printf '\nThe jobs of up to 8 GPUs alone, on 13 nodes, which is nearly the same load:\n\n'
    table experiment "V, up to 8 GPUs"
    pictured horus-venus "Jobs of up to 8 GPUs, first draw"
}

page_limits() {
    cat <<'TEXT'

## Regime, and what was never published

- **Interference is that of later measurements**: RTX 3090 under time slicing (Lucid), V100 under MPS
  (Gavel), fitted; see `configs/models/README.md`. On the former two jobs did 1.35 times the work of
  one even at 180 to 200 % combined utilization (mean of 22 pairs). GPUs of 2020 may have been worse:
  gamma is a knob for that, not a measurement of it.
- **Queue order and choice of GPU are two things.** Ascending utilization shortens waits and leaves the
  heavy jobs to the end, beside each other. `colocate-fifo` has the cost alone and tells them apart.
- **Sharing and passing by are two things.** `fifo` stops at the first job that does not fit, and five
  jobs of `horus` do not; `fifo:scan=fit` has the second alone.
- Memory is known exactly (`--memory-predictor=oracle`), so that packing blindly never overflows a GPU;
  utilization is told with the published error (RMSLE 0.154).
- The published simulator's FIFO puts each new batch at the head of the queue. Ours does not.

Unpublished, hence parameters, with defaults of ours or of the published code: family, features and
training size of the predictor; the cost equation as printed, its weights (1.6 and 1.3 are the code's)
and whether its utilization is mean or peak; trace and size of the TPDS simulation; which 13 models,
and how often each; slowdowns by GPU; whether Horus reschedules; all tables by policy. `horus policies
horus` lists the parameters with their sources.
TEXT
}

experiments
{
    page_head
    page_claims
    page_burst
    page_gangs
    page_free
    page_trace
    page_ours
    page_limits
} >"$work/horus.md"
put_page
pictures
