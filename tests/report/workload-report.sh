#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Compares generated workloads, and workloads fitted to traces, with published figures and with real
# traces: results/workloads.md.
#   tests/report/workload-report.sh [BUILD [FOLDER]]        defaults: build/release results
# Tables of real traces need $HORUS_DATA, otherwise ../shared/data; without it they stay unchanged, with a
# message.
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/../../scripts/reproduce-common.sh"
page=workloads
tables=${horus%/horus}/tests/report/report_workloads

"$tables" goals 100000 8 >"$work/goals" # jobs, seeds
has_data=yes
for file in venus_gpu_jobs_mar-jul2020.csv philly_sep-oct2017.csv philly_vc_7f04ca_0e4a51.csv; do
    [ -r "$data/traces/$file" ] || has_data=no
done

real() { # TABLE ARGUMENT...: of real traces
    if [ $has_data = yes ]; then
        "$tables" "$@"
    else
        keeps=yes
        echo "skip: no traces in $data/traces: table \"$1\" of $folder/$page.md is left as it is" >&2
    fi
}

goals_in_short() {
    awk -F ' [|] ' '
        /^### / { workload = substr($0, 5); order[++n] = workload }
        / [|] met [|]$/ { met[workload]++ }
        / [|] met by the mean [|]$/ { mean[workload]++ }
        / [|] [*][*]missed[*][*] [|]$/ {
            missed[workload]++
            split($1, goal, " ")
            list[workload] = list[workload] (list[workload] == "" ? "" : ", ") substr($1, 3) ": " $2
        }
        END {
            print "| workload | met under every seed | by the mean of the seeds | missed | which |"
            print "| --- | --- | --- | --- | --- |"
            for (i = 1; i <= n; i++)
                printf "| `%s` | %d | %d | %d | %s |\n", order[i], met[order[i]], mean[order[i]],
                    missed[order[i]], list[order[i]]
        }' "$work/goals"
}

put_page
! grep -q '[*][*]missed[*][*]' "$work/goals" || echo "goals are missed: see $folder/$page.md" >&2
