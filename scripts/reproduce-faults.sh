#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Failures of nodes beside closed forms and published figures: results/faults.md. --quick takes a tenth of
# the failures.
#   scripts/reproduce-faults.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
failures=600
[ $quick = no ] || failures=60

# Kokolis et al. (HPCA'25): 6.50 failures per thousand node-days of RSC-1, nodes of 8 GPUs.
mtbf_s=13292308

# A job on NODES nodes of 8 GPUs, with two spare nodes, for an expected number of failures.
one() { # NODES OPTION...: its row of outages.csv
    printf 'job_id,submit_time,gpus,duration\n0,0,%d,%d\n' $(($1 * 8)) $((failures * mtbf_s / $1)) \
        >"$work/job.csv"
    run_one "$work/job.csv" -c "$(($1 + 2))x8" --faults "mtbf=${mtbf_s}s,repair=60s" --outputs summary "${@:2}"
    tail -n 1 "$work/one/outages.csv"
}

sizes() { # NODES:PUBLISHED...: hours, "-" if there is none
    title "GPUs | failures | mean time to failure, h | closed form, h | published, h"
    for size; do
        say "$size nodes"
        one "${size%:*}" --checkpoint-interval 60s | awk -F, -v nodes="${size%:*}" -v mtbf=$mtbf_s \
            -v published="${size#*:}" '{
                printf "| %d | %d | %.4g | %.4g | %s |\n", nodes * 8, $4, $7 / 3600, mtbf / nodes / 3600,
                    published }'
    done
}

# Daly's mean time for an interval t with cost c and restart r: M exp(r/M) (exp((t+c)/M) - 1).
intervals() { # NODES COST RESTART SECONDS...
    title "interval, s | ETTR | closed form | lost GPU time, % of held"
    local failures=$((5 * failures))
    for interval in "${@:4}"; do
        say "interval $interval"
        one "$1" --checkpoint-interval "${interval}s" --checkpoint-cost "$2s" --restart-cost "$3s" |
            awk -F, -v m="$mtbf_s" -v nodes="$1" -v c="$2" -v r="$3" -v t="$interval" '{
                m /= nodes
                printf "| %d | %.4f | %.4f | %.2f |\n", t, $9, t / (m * exp(r / m) * (exp((t + c) / m) - 1)),
                    100 * $8 / ($6 * nodes * 8) }'
    done
}

# The cost of failures for a workload.
workload() { # POLICY...
    title "policy | MTBF of a node, days | jobs hit | stops | ETTR | availability | mean JCT, h"
    for policy; do
        for days in none 150 30 10; do
            say "$policy $days"
            faults=(--faults "mtbf=${days}d,repair=12h" --checkpoint-interval 1h)
            [ $days != none ] || faults=()
            run_one gen:philly,n=20000,seed=1 -c 64x8 -p "$policy" --outputs summary "${faults[@]}"
            jq -r --arg policy "$policy" --arg days "$days" '
                def round4: . * 10000 | round / 10000;
                .metrics | "| `\($policy)` | \($days) | \(.jobs_hit // 0) | \(.faults // 0) " +
                    "| \(.ettr // 1 | round4) | \(.availability // 1 | round4) " +
                    "| \(.mean_jct / 36 | round / 100) |"' "$work/one/summary.json"
        done
    done
}

quick_is() { echo "a tenth of the failures"; }

put_page
