#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads fitted to the first half of a real trace beside its second half, and generated users beside
# real ones: results/held-out.md. --quick leaves the table of users as it is.
#   scripts/reproduce-held-out.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
traces=$data/traces
needs "$traces/itp/itp_cluster07.csv" "$traces/venus_users_states_may28-jun06_2020.csv"
seeds=8

# A real trace in native columns, in order of submission, times in seconds: $work/all.csv.
read_trace() { # FILE MAP [VALUES]
    rm -f "$work/all.csv"
    quietly "$horus" trace convert "$traces/$1" ${2:+--map="$2"} ${3:+--map-value="$3"} --sort=all -q -o "$work/all.csv"
    jobs=$(($(wc -l <"$work/all.csv") - 1))
}

rows() { # FIRST LAST: these of all.csv, from 1
    awk -v first="$1" -v last="$2" 'NR == 1 || (NR > first && NR <= last + 1)' "$work/all.csv"
}

fit() { # FROM INTO
    rm -f "$2"
    quietly "$horus" generate --fit "$1" --sort=all -q -o "$2"
}

generate() { # WORKLOAD JOBS SEED INTO
    rm -f "$4"
    "$horus" generate --workload "$1" -n "$2" --seed "$3" -q -o "$4"
}

distances() { # A B: KS of durations, GPUs, gaps; noise
    "$horus" trace info "$1" --compare "$2" | awk '
        /^duration  all/ { duration = $5; noise = $6 }
        /^GPUs  / { gpus = $4 }
        /^gap / { gap = $4 }
        END { print duration, gpus, gap, noise }'
}

halves() { # TITLE: of all.csv
    local before own made
    say "$1"
    rows 1 $((jobs / 2)) >"$work/first.csv"
    rows $((jobs / 2 + 1)) "$jobs" >"$work/later.csv"
    fit "$work/first.csv" "$work/fitted.json"
    generate "$work/fitted.json" $((jobs - jobs / 2)) 1 "$work/made.csv"
    read -ra before <<<"$(distances "$work/later.csv" "$work/first.csv")"
    read -ra made <<<"$(distances "$work/later.csv" "$work/made.csv")"
    read -ra own <<<"$(distances "$work/first.csv" "$work/made.csv")"
    printf '| %s | %d | %.3f | %.3f, %.3f | %.3f, %.3f | %.3f, %.3f | %.3f |\n' "$1" "$jobs" "${before[3]}" "${before[0]}" \
        "${made[0]}" "${before[1]}" "${made[1]}" "${before[2]}" "${made[2]}" "${own[2]}"
}

philly=(philly_sep-oct2017.csv 'job_id=@row,submit_time=timestamp,gpus=num_gpus,vc=cluster')
states=(status=state 'state:Pass=completed,state:Killed=cancelled,state:Failed=failed')
venus_users=(venus_users_states_may28-jun06_2020.csv "${states[@]}")
philly_users=(philly_users_states_first_two_thirds.csv "${states[@]}")

trace() { # TITLE FILE [MAP [VALUES]]
    read_trace "${@:2}"
    halves "$1"
}

second_halves() {
    local cluster
    title "trace | jobs | noise | durations | sizes | gaps | gaps of the first half"
    for cluster in 01 03 05 07 09; do trace "ITP $cluster" "itp/itp_cluster$cluster.csv"; done
    trace "Venus, March to July 2020" venus_gpu_jobs_mar-jul2020.csv configs/mappings/venus.json
    trace "Venus, ten days with users" "${venus_users[@]}"
    trace "Philly, passed jobs, September and October 2017" "${philly[@]}"
    grep -v ,b436b2, "$work/all.csv" >"$work/others.csv"
    mv "$work/others.csv" "$work/all.csv"
    jobs=$(($(wc -l <"$work/all.csv") - 1))
    halves "the same without the VC b436b2"
    trace "Philly, two VCs" philly_vc_7f04ca_0e4a51.csv configs/mappings/philly-vc.json
    trace "Philly, August and September 2017, with users" "${philly_users[@]}"
    trace "PAI, 2020" pai_sample_first_half.csv configs/mappings/pai-sample.json
}

# Weeks of Philly with at least a thousand jobs: their gaps, and their distance from the week before.
weeks() {
    local first last have=no
    say "weeks of Philly"
    read_trace "${philly[@]}"
    title "week | jobs | mean gap, s | median gap, s | gaps of at most 2 s, % | KS from the week before | VC with most jobs"
    awk -F, 'NR > 1 { week = int($2 / 604800); if (week != last) { print NR - 1; last = week } } END { print NR }' \
        "$work/all.csv" >"$work/starts"
    paste "$work/starts" <(tail -n +2 "$work/starts") | while read -r first last; do
        [ "$((${last:-0} - first))" -ge 1000 ] || continue
        rows "$first" $((last - 1)) >"$work/week.csv"
        awk -F, 'NR > 2 { print $2 - at } NR > 1 { at = $2 }' "$work/week.csv" | sort -n >"$work/gaps"
        awk -v n="$(wc -l <"$work/gaps")" -v vc="$(tail -n +2 "$work/week.csv" | cut -d, -f 6 | sort | uniq -c | sort -nr |
            awk -v jobs=$((last - first)) 'NR == 1 { printf "`%s`, %.0f %%", $2, 100 * $1 / jobs }')" -v ks="$([ $have = no ] || distances "$work/before.csv" "$work/week.csv" | cut -d ' ' -f 3)" \
            -v day="$(date -u -d "@$(sed -n 2p "$work/week.csv" | cut -d, -f 2)" +%F)" '
            { sum += $1 } $1 <= 2 { short++ } NR == int((n + 1) / 2) { median = $1 }
            END { printf "| from %s | %d | %.0f | %d | %.0f | %s | %s |\n", day, n + 1, sum / n, median, 100 * short / n, ks, vc }' \
            "$work/gaps"
        mv "$work/week.csv" "$work/before.csv"
        have=yes
    done
}

# For a run of qssf with rolling predictions and no queue: the inequality of users, the share that they
# explain of log durations and outcomes (variance between users / variance), and the factor of the
# predictions.
users_of() { # TRACE
    run_one "$1" -c 1000x8 -p qssf:pred=rolling --assign=off --outputs all
    columns user,execution_time,estimate,requested_number_of_resources,status "$work/one/jobs.csv" | awk '
        { d = $2 > 1 ? $2 : 1; e = $3 > 1 ? $3 : 1
          print $1, d * $4, log(d), ($5 == "completed"), ($5 == "failed"), (e > d ? e / d : d / e) }' >"$work/jobs"
    cut -d ' ' -f 6 "$work/jobs" | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' >"$work/factor"
    awk '{ work[$1] += $2 } END { for (u in work) print work[u] }' "$work/jobs" | sort -gr |
        awk '{ work[NR] = $1; all += $1 }
            END { n = int(.05 * NR + .5); for (i = 1; i <= n; i++) top += work[i]; print top / all }' >"$work/top"
    awk '{ n[$1]++; for (k = 3; k <= 5; k++) { sum[k] += $k; squares[k] += $k * $k; of[$1, k] += $k } }
        END { for (k = 3; k <= 5; k++) {
                  between = 0
                  for (u in n) between += of[u, k] * of[u, k] / n[u]
                  mean = sum[k] * sum[k] / NR
                  print (between - mean) / (squares[k] - mean) } }' "$work/jobs" | paste -s -d ' ' >"$work/shares"
    paste -d ' ' "$work/top" "$work/shares" "$work/factor"
}

summary() { # TITLE: of lines of users_of
    awk -v title="$1" '{ for (k = 1; k <= NF; k++) { sum[k] += $k; if (NR == 1 || $k < least[k]) least[k] = $k
            if (NR == 1 || $k > most[k]) most[k] = $k } n = NF }
        END { printf "| %s |", title
            for (k = 1; k <= n; k++) {
                form = k == n ? "%.1f" : "%.2f"
                printf NR == 1 ? " " form " |" : " " form " (" form " to " form ") |", sum[k] / NR, least[k], most[k] }
            print "" }'
}

users() { # TITLE FILE MAP VALUES
    local seed what
    say "users: $1"
    read_trace "${@:2}"
    fit "$work/all.csv" "$work/alike.json"
    sed 's/\("users": {.*"sigma": [0-9.]*\),.*}/\1}/' "$work/alike.json" >"$work/equal.json"
    users_of "$work/all.csv" | summary "$1, real"
    for what in alike equal; do
        for ((seed = 1; seed <= seeds; seed++)); do
            generate "$work/$what.json" "$jobs" $seed "$work/made.csv"
            users_of "$work/made.csv"
        done | summary "generated$([ $what = alike ] || echo ', users that differ in weight alone')"
    done
}

users_alike() {
    [ $quick = no ] || { keeps=yes; return 0; }
    title "trace | top 5 % of users, of GPU time | durations by user | completed | failed | predictions off by a factor of"
    users "Venus, ten days" "${venus_users[@]}"
    users "Philly, August and September" "${philly_users[@]}"
}

put_page
