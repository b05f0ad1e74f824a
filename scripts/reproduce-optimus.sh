#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Optimus (EuroSys'18) beside other policies: results/optimus.md. --quick takes 200 jobs of Philly. The
# comparison with the released simulator is the test oracle/test_published_optimus of BUILD; without it, or
# the data, its table is left as it is.
#   scripts/reproduce-optimus.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
jobs=2000
[ $quick = no ] || jobs=200

# "optimus, load 0.5, all: 640 jobs, mean JCT 2394.3 s, published 2395.4 (-0.05 %), rank correlation 0.99"
artifact() {
    local test=${horus%/*}/tests/oracle/test_published_optimus
    if [ ! -x "$test" ] || [ ! -e "$data/oracles/pollux" ]; then
        keeps=yes
        return
    fi
    title "policy | load | applications | jobs | mean JCT, s | published, s | difference | rank correlation"
    HORUS_DATA=$data quietly "$test" |
        sed -nE 's/^([a-z]+), load ([0-9.]+), ([a-z ]+): ([0-9]+) jobs, mean JCT ([0-9.]+) s, published ([0-9.]+) \((.*)\), rank correlation ([0-9.]+)$/| `\1` | \2 | \3 | \4 | \5 | \6 | \7 | \8 |/p'
}

philly() {
    [ -e "$work/philly.csv" ] ||
        quietly "$horus" generate --like philly --jobs $jobs --load 0.9 -c 16x8:P100 --seed 1 -o "$work/philly.csv"
    rows "$work/philly.csv" 16x8:P100 "$@"
}

# 90 jobs of nine lengths, 400 to 3,600 s, for 1 to 3 GPUs, in [0, 12,000] s.
nine() {
    awk 'BEGIN {
        print "job_id,submit_time,gpus,duration"
        for (i = 0; i < 90; i++) printf "%d,%d,%d,%d\n", i, i * 12000 / 90, 1 + i % 3, 400 * (1 + i * 4 % 9)
    }' >"$work/nine.csv"
    rows "$work/nine.csv" 6x4:P100 "$@"
}

rows() { # told=PREDICTOR applies from there on
    local trace=$1 cluster=$2 policy predictor=oracle
    shift 2
    title "policy | predicted speeds | mean JCT, h | p99 JCT, h | makespan, h | preemptions | changes of size"
    for policy; do
        case $policy in told=*) predictor=${policy#*=} && continue ;; esac
        say "$policy"
        run_one "$trace" --sort=all -c "$cluster" -p "$policy" --speed-predictor="$predictor" --losses=draw --outputs summary
        jq -r --arg policy "$policy" --arg told "$predictor" '
            def hours: . / 36 | round / 100;
            .metrics | "| `\($policy)` | \($told) | \(.mean_jct | hours) | \(.p99_jct | hours) | \(.makespan | hours) " +
                "| \(.preemptions) | \(.migrations) |"' "$work/one/summary.json"
    done
}

# Means over 20 draws of the nine kinds' errors: standard deviations of ln(told / true).
errors() { # SPEED/WORK...; the first is compared with
    local pair seed speed
    title "error of speeds, % | error of the work left, % | mean JCT, h | longer, % | makespan, h | longer, %"
    for pair; do
        speed=${pair%/*}
        say "errors $pair"
        for ((seed = 1; seed <= 20; seed++)); do
            run_one "$work/nine.csv" --sort=all -c 6x4:P100 -p "optimus:error=${pair#*/}" --seed $seed --outputs summary \
                --speed-predictor="$([ "$speed" = 0 ] && echo oracle || echo "noisy:$speed")"
            jq -r --arg pair "$pair" '"\($pair) \(.metrics.mean_jct) \(.metrics.makespan)"' "$work/one/summary.json"
        done
    done | awk '{
            if (!($1 in jct)) order[++n] = $1
            jct[$1] += $2 / 20 / 3600
            span[$1] += $3 / 20 / 3600
        }
        END {
            for (i = 1; i <= n; i++) {
                split(order[i], e, "/")
                printf "| %g | %g | %.2f | %+.1f | %.2f | %+.1f |\n", 100 * e[1], 100 * e[2], jct[order[i]],
                    100 * (jct[order[i]] / jct[order[1]] - 1), span[order[i]], 100 * (span[order[i]] / span[order[1]] - 1)
            }
        }'
}

quick_is() { echo "200 jobs of Philly"; }

put_page
