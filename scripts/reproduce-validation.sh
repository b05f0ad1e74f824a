#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Measured runs of real clusters beside their simulation: results/validation.md.
#   scripts/reproduce-validation.sh [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
shockwave=$data/oracles/shockwave muri=$data/oracles/muri-testbed kube=$data/oracles/b200-kube
jobs=$data/traces/shockwave_120.csv
needs "$shockwave/min_total_duration_jobs.csv" "$muri/SRTF.csv" "$kube/m_fifo.csv" "$jobs"

# Of lines "submission recorded simulated", the last two from the submission on: errors of mean JCT and makespan, and
# job by job the median and the 90th per cent of |simulated - recorded| / recorded. A quantile is the smallest
# value with at least that share at or below it.
errors() { # TITLE
    awk '{ e = ($3 - $2) / $2; print (e < 0 ? -e : e), $0 }' | sort -g | awk -v title="$1" '
        function up(x) { return int(x) < x ? int(x) + 1 : int(x) }
        {
            by[NR] = $1; first = NR == 1 || $2 < first ? $2 : first
            told += $3; ours += $4
            end[0] = $2 + $3 > end[0] ? $2 + $3 : end[0]; end[1] = $2 + $4 > end[1] ? $2 + $4 : end[1]
        }
        END {
            printf "| %s | %+.1f | %+.1f | %.1f | %.1f |\n", title, 100 * (ours / told - 1),
                100 * ((end[1] - first) / (end[0] - first) - 1), 100 * by[up(NR / 2)], 100 * by[up(NR * .9)]
        }'
}

head_of_errors() { title "$1 | mean JCT, % | makespan, % | per job, median, % | 90th percentile, %"; } # OF

beside() { # TRACE CLUSTER POLICY [ARGUMENT...]: into $work/run
    quietly "$horus" backtest "$1" -c "$2" -p "$3" --assign=off --locality=none --outputs=jobs -o "$work/run" -f -q \
        --no-progress "${@:4}" >"$work/said"
}

# For the last run; jobs of the part. Submissions of the trace may be later than those of the file
# SUBMITTED, job and time.
pairs() { # PART [SUBMITTED]
    awk -F, -v part="$1" 'FILENAME != ARGV[ARGC - 1] { at[$1] = $2; next }
        FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["part"] == part {
            late = $c["job_id"] in at ? $c["submission_time"] - at[$c["job_id"]] : 0
            print $c["submission_time"] - late, $c["recorded_jct"] + late, $c["simulated_jct"] + late
        }' "${2:-/dev/null}" "$work/run/backtest_jobs.csv"
}

# ---- Shockwave: 32 GPUs, 120 jobs -----------------------------------------------------------------

# "LENGTH RUN": length of a round on the cluster, s, and the part of it that a job runs.
rounds_of() { # POLICY
    awk -F, '$1 == "physical" {
        last = $10 + 1 > last ? $10 + 1 : last; end = $3 + $5 > end ? $3 + $5 : end; run += $7; rounds += $11 }
        END { printf "%.1f %.1f\n", end / last, run / rounds }' "$shockwave/$1_jobs.csv"
}

# The jobs with run times of the trace, the authors' simulation or the cluster, times FACTOR.
shockwave_jobs() { # POLICY trace|simulation|physical FACTOR
    awk -F, -v OFS=, -v kind="$2" -v factor="$3" '
        NR == FNR { if ($1 == kind) run[$2] = $7; if ($1 == "physical") jct[$2] = $5; next }
        FNR == 1 { print "job_id,submit_time,gpus,duration,start_time,end_time"; next }
        { print $1, $2, $3, factor * (kind == "trace" ? $4 : run[$1]), $2, $2 + jct[$1] }' \
        "$shockwave/$1_jobs.csv" "$jobs"
}

shockwave_table() {
    local policy other objective length run kind title factor
    local -A titles=([trace]="of the trace, one batch size" [simulation]="of their simulation" [physical]="as measured")
    for policy in max_min_fairness min_total_duration; do
        objective=las other=min_total_duration
        [ $policy = max_min_fairness ] || objective=makespan other=max_min_fairness
        read -r length run < <(rounds_of $other)
        factor=$(awk -v a="$length" -v b="$run" 'BEGIN { printf "%.4f", a / b }')
        printf '\n`%s`: rounds of %s s, of which a job runs %s s (measured under `%s`).\n\n' \
            $policy "$length" "$run" $other
        head_of_errors "run times"
        awk -F, '$1 == "physical" { told[$2] = $5; at[$2] = $3 } $1 == "simulation" { ours[$2] = $5 }
            END { for (job in told) print at[job], told[job], ours[job] }' "$shockwave/${policy}_jobs.csv" |
            errors "their simulator"
        for kind in trace simulation physical; do
            title=${titles[$kind]}
            shockwave_jobs $policy $kind "$factor" >"$work/jobs.csv"
            beside "$work/jobs.csv" 8x4:V100 \
                "gavel:objective=$objective,round=${length}s,reset=1000s,carry=yes" --calibrate=none
            pairs rest | errors "ours, $title"
        done
    done
}

# ---- Muri: 64 GPUs, 400 jobs ----------------------------------------------------------------------

# The testbed decides every 360 s: jobs are submitted at the next of these instants; run times times FACTOR.
muri_jobs() { # RUN FACTOR
    echo "job_id,submit_time,gpus,duration,start_time,end_time"
    columns job_id,submit_time,gpus,duration,start_time,end_time "$muri/$1.csv" | awk -v OFS=, -v factor="$2" '
        { at = int($2 / 360) * 360; print $1, at < $2 ? at + 360 : at, $3, factor * $4, $5, $6 }'
}

longer_by() { # RUN: run times on the cluster over those of the trace
    columns executed_s,duration "$muri/$1.csv" | awk '{ ran += $1; told += $2 } END { printf "%.4f", ran / told }'
}

muri_table() {
    local run other policy factor
    head_of_errors "run, run times"
    for run in SRTF tiresias; do
        policy=srtf other=tiresias
        [ $run = SRTF ] || policy=tiresias:round_s=360 other=SRTF
        awk -F, 'NR > 1 { print $1 "," $3 }' "$muri/$run.csv" >"$work/submitted"
        for factor in 1 "$(longer_by $other)"; do
            muri_jobs $run "$factor" >"$work/jobs.csv"
            beside "$work/jobs.csv" 8x8:V100 $policy --calibrate=none
            pairs rest "$work/submitted" | errors "$run, $([ "$factor" = 1 ] && echo of the trace ||
                echo "$factor times these, as measured under $other")"
        done
    done
}

# ---- a kube-scheduler: 8 GPUs, 1,000 pods -----------------------------------------------------------

kube_table() {
    local run
    head_of_errors "run, second half of the pods"
    for run in fifo sjf; do
        awk -F, -v OFS=, 'NR == 1 { print "job_id,submit_time,gpus,duration,start_time,end_time"; next }
            { print $1, $3, $4, $5, $3 + $6, $3 + $7 }' "$kube/m_$run.csv" >"$work/jobs.csv"
        beside "$work/jobs.csv" 1x8 $run:scan=fit --calibrate=startup --startup=0
        cp "$work/said" "$work/calibrated"
        pairs rest >"$work/pairs"
        beside "$work/jobs.csv" 1x8 $run:scan=fit --calibrate=none
        tail -n "$(wc -l <"$work/pairs")" <(pairs rest) | errors "$run, no start-up"
        errors "$run, $(sed -n 's/^start-up *\(--startup=[^,]*\),.*/`\1`/p' "$work/calibrated") by the first half" \
            <"$work/pairs"
    done
}

put_page
