#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# openb: the curves of allocated GPUs, of pods as recorded and of pods that fill the cluster, compared with
# programs that contain only the rules; results/openb.md equals the committed page.
subject=openb
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

pods=$HORUS_DATA/traces/openb_pod_list_default.csv
nodes=$HORUS_DATA/traces/openb_node_list_gpu_node.csv

# By hand: nothing before the first row, the last value at a time, the last value past the end.
printf 'time,metric,key,value\n2,a,,5\n2,b,,1\n3,c,,9\n4,a,,7\n' >"$work/series.csv"
verdict "series-at.awk gives the value at a time" "$(printf '%s\n' 0 2 3.5 4 9 |
    awk -v metrics="b a" -f scripts/series-at.awk - "$work/series.csv" | tr '\t' ' ' | diff - <(printf '0 0 0\n2 1 5\n3.5 1 5\n4 1 7\n9 1 7\n'))"

if [ ! -f "$pods" ] || [ ! -f "$nodes" ]; then
    skip "the curves: no lists in $HORUS_DATA/traces"
    exit "$failed"
fi

replay() { # NAME PODS POLICY ARGUMENT...
    local name=$1 list=$2 policy=$3
    shift 3
    "$HORUS" run "$list" -c "$nodes" -p "$policy" --cpu-jobs=keep --assign=off --sample=exact \
        -o "$work/$name" -q "$@" >"$work/$name.out" 2>&1 || cat "$work/$name.out"
}

at() { # NAME METRICS: at the times of standard input, one a line
    awk -v metrics="$2" -f scripts/series-at.awk - "$work/$1/series.csv"
}

# ---- as recorded: no pod waits, so the curve is the sum of the running pods ----

replay recorded "$pods" fifo:placement=best_fit --openb-pending=run
awk -v order="$work/order" -f tests/scripts/openb-alive.awk "$pods" >"$work/alive"
cut -d' ' -f1 "$work/alive" | at recorded gpus_allocated |
    awk '{ printf "%d %d\n", $1, $2 * 1000 + 0.5 }' >"$work/got"
verdict "as recorded, $(wc -l <"$work/alive") instants are those of a sum" "$(diff "$work/alive" "$work/got" | head)"
verdict "as recorded, 8,152 pods run to their end" "$(awk -F, 'NR > 1 && $6 == 1 { n++ } END {
    if (n != 8152) print n, "did" }' "$work/recorded/jobs.csv")"

# ---- filling up: the same pods against best fit by its rules ----

cut -d, -f1-5 "$pods" >"$work/five.csv"
replay filled "$work/five.csv" fifo:scan=fit,placement=best_fit --until=8152s
awk -f tests/scripts/openb-fill.awk "$nodes" "$pods" >"$work/fill"
seq 0 8151 | at filled "gpus_allocated gpus_held pending" |
    awk '{ printf "%d %d %d\n", $2 * 1000 + 0.5, $3, $4 }' >"$work/got"
verdict "filling up, $(wc -l <"$work/fill") arrivals find what best fit leaves" "$(diff "$work/fill" "$work/got" | head)"

# ---- the page ----

scripts/reproduce-openb.sh "$(dirname "$HORUS")" "$work/page" >"$work/said" 2>&1
verdict "results/openb.md is what the script writes" "$(diff results/openb.md "$work/page/openb.md" 2>&1 | head
    [ -s "$work/page/openb.md" ] || tail -n 5 "$work/said")"
exit "$failed"
