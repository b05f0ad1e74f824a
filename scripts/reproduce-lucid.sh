#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lucid (ASPLOS'23) beside the policies that its paper compares, on Venus' months: results/lucid.md.
# --quick takes 200 jobs a month.
#   scripts/reproduce-lucid.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
trace=$data/traces/venus_gpu_jobs_mar-jul2020.csv
users=$data/traces/venus_users_states_may28-jun06_2020.csv
needs "$trace" "$users"
most=1000000 # jobs of a month
[ $quick = no ] || most=200
months=(04 05 06 07)
names=(April May June July)
days=(30 31 30 31)

metrics="mean_jct mean_queueing_delay p99_wait max_jct lost_gpu_seconds profile_gpu_seconds ended_in_profile
    held_gpu_seconds n_jobs gpu_sharing"
tiresias=tiresias:queue_limits=18000,inqueue=submit,round_s=60,preempt_cost=table,cost_table=40/40/60
# shellcheck disable=SC2034,SC2054 # arrays that versus takes by name, of policies with parameters
{
    published=(fifo sjf qssf:pred_last=10 horus "$tiresias" lucid)
    fit=(fifo:scan=fit sjf:scan=fit qssf:scan=fit,pred=oracle horus:look_ahead=1000000 "$tiresias"
        lucid:pred=oracle)
    strict=(sjf qssf:pred=oracle lucid:pred=oracle,sharing=off)
    predicted=(qssf:pred=oracle qssf:pred=noisy,pred_sigma=1 qssf:pred=noisy,pred_sigma=3 qssf:pred=noisy,pred_sigma=8
        qssf:pred_last=10 qssf lucid:pred=oracle lucid:pred=noisy,pred_sigma=1 lucid:pred=noisy,pred_sigma=3
        lucid:pred=noisy,pred_sigma=8 lucid lucid:pred_last=0 lucid:estimator=no)
    parts=(lucid:pred=oracle lucid:pred=oracle,packing=naive lucid:pred=oracle,sharing=off
        lucid:pred=oracle,sharing=adapt lucid:estimator=no lucid:pred=oracle,first=exclusive
        lucid:pred=oracle,capacity=1 lucid:pred=oracle,score=utilsum lucid:pred=oracle,left=yes
        lucid:pred=oracle,keep=yes lucid:pred=oracle,scale=yes lucid:pred=oracle,profile_nodes=4
        lucid:pred=oracle,profile=known qssf:pred=oracle)
    times=(lucid:pred=oracle,profile_time=100s lucid:pred=oracle,profile_time=200s
        lucid:pred=oracle,profile_time=300s lucid:pred=oracle,profile_time=600s)
    sharers=(qssf:scan=fit,pred=oracle horus:look_ahead=1000000 "$tiresias" lucid:pred=oracle lucid:pred=oracle,packing=naive)
    estimates=(sjf:pred=rolling sjf:pred=rolling,pred_last=10 sjf:pred=rolling,pred_last=1 sjf:pred=noisy,pred_sigma=1
        sjf:pred=noisy,pred_sigma=3 sjf:pred=noisy,pred_sigma=8)
}

venus() { # EXPERIMENT POLICIES MONTH LOAD ARGUMENT...; MONTH counts from 0
    local jobs=$work/venus-${months[$3]}.csv
    quietly versus "$2" "$jobs" --map=configs/mappings/venus.json -c "$(nodes "$jobs" "$4" "${days[$3]}" 2)x8:RTX3090" "${@:5}"
    cells "$1" "$3" 1
}

# Spearman's rank correlation of estimates and run times, of a run's jobs.csv.
ranks() { # FILE POLICY
    columns isolated,estimate,requested_number_of_resources "$1" | awk -v OFS=, '$3 > 0 { print $1, $2 }' |
        sort -t, -k1,1g | rank_column | sort -t, -k2,2g | awk -F, -v OFS=, '{ print $2, $1 }' | rank_column |
        awk -F, -v p="$2" -v OFS='\t' '{ n++; x += $1; y += $2; xx += $1 * $1; yy += $2 * $2; xy += $1 * $2 }
            END { print "estimates", p, 1, 1, "rank_correlation",
                (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y)) }' >>"$work/cells"
}

# The first column, by which lines are sorted, becomes its rank; equal ones have their mean rank.
rank_column() {
    awk -F, -v OFS=, 'function flush(i) { for (i = 1; i <= n; i++) print first + (n - 1) / 2, rest[i]; n = 0 }
        $1 != value || NR == 1 { flush(); first = NR; value = $1 }
        { rest[++n] = $2 }
        END { flush() }'
}

experiments() {
    local m load util cap p
    for m in "${!months[@]}"; do
        say "${names[$m]}"
        awk -F, -v month="2020-${months[$m]}" -v most="$most" '
            NR == 1 || (substr($3, 1, 7) == month && n++ < most)' "$trace" >"$work/venus-${months[$m]}.csv"
        venus published published "$m" .95
        venus fit fit "$m" .95
        venus strict strict "$m" .95
        venus predicted predicted "$m" .95
        venus parts parts "$m" .95
    done
    say "profiles, loads, sharing"
    venus times times 3 .95
    for load in .8 .9 1 1.1; do venus "load $load" fit 3 "$load"; done
    for util in 36 52 80; do
        for cap in .87 1 1.07; do
            venus "sharing $util $cap" sharers 3 .95 --assign-target=$util --sharing-capacity=$cap
        done
    done
    say "estimates"
    quietly versus estimates "$users" -c 80x8:RTX3090 --max-jobs=$most
    cells estimates 1 1
    quietly versus estimates "$users" -c 133x8:RTX3090 --max-jobs=$most --outputs=jobs
    for p in "${estimates[@]}"; do ranks "$work/run/runs/${p//[:,]/-}-s1-a1/jobs.csv" "$p"; done
}

quick_is() { echo "200 jobs a month"; }

experiments
put_page
