#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the 8,152 pods of openb, Alibaba's cluster of 2023, on its 1,213 nodes under best-fit placement, as
# recorded and so that they fill the cluster; prints the curves of allocated GPUs: results/openb.md, with
# the table of tests/oracle/test_published_fgd.c if it is built.
#   scripts/reproduce-openb.sh [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
pods=$data/traces/openb_pod_list_default.csv
nodes=$data/traces/openb_node_list_gpu_node.csv
needs "$pods" "$nodes"

replay() { # NAME PODS POLICY ARGUMENT...: into $work/NAME
    local name=$1 list=$2 policy=$3
    shift 3
    quietly "$horus" run "$list" -c "$nodes" -p "$policy" --cpu-jobs=keep --assign=off --sample=exact \
        --check=full -o "$work/$name" -q "$@" >/dev/null
    "$horus" verify "$work/$name" >"$work/verified" 2>&1 || { cat "$work/verified" >&2; return 1; }
    say "$name: $(tail -n 1 "$work/verified")"
}

metric() { # NAME METRIC
    sed 's/"[^"]*"/-/g' "$work/$1/summary.csv" | columns "$2"
}

deciles() { # LAST: 11 times from 0 to LAST
    awk -v last="$1" 'BEGIN { for (i = 0; i <= 10; i++) printf "%d\n", last * i / 10 }'
}

at() { # NAME METRICS: at the times of standard input
    awk -v metrics="$2" -f scripts/series-at.awk - "$work/$1/series.csv"
}

bar='function bar(gpus, i, text) { for (i = 0; i < gpus / most * 40; i++) text = text "#"; return text }'

recorded() { # the curve over time
    deciles "$1" | at recorded "running pending gpus_allocated gpus_held" |
        awk -v most="$2" "$bar"'
            { printf "%6.1f d %8d %8d %10.2f %6d  %s\n", $1 / 86400, $2, $3, $4, $5, bar($4) }'
}

filled() { # the curve over arrivals
    deciles "$1" | at filled "running pending gpus_allocated gpus_held" |
        awk -v most="$2" "$bar"'
            { printf "%8d %8d %8d %10.2f %6.1f %6d %6.1f  %s\n", $1 + 1, $2, $3, $4, 100 * $4 / most, $5,
                100 * $5 / most, bar($4) }'
}

# ---- runs ----------------------------------------------------------------------------------------

cut -d, -f1-5 "$pods" >"$work/five.csv"
count=$(($(wc -l <"$work/five.csv") - 1))
gpus=$(awk -F, 'NR > 1 { gpus += $4 } END { print gpus }' "$nodes")
replay recorded "$pods" fifo:placement=best_fit --openb-pending=run
replay filled "$work/five.csv" fifo:scan=fit,placement=best_fit --until="${count}s"

end=$(metric recorded makespan)
peak=$(awk -F, '$2 == "gpus_allocated" && $4 > most { most = $4 } END { print most }' "$work/recorded/series.csv")
first=$(awk -F, '$2 == "pending" && $4 > 0 { print $1; exit }' "$work/filled/series.csv")
read -r _ first_allocated first_held <<<"$(echo "$first" | at filled "gpus_allocated gpus_held")"
read -r _ running left allocated held <<<"$(echo $((count - 1)) |
    at filled "running pending gpus_allocated gpus_held")"
thousands() { sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again' <<<"$1"; }
share() { awk -v part="$1" -v all="$gpus" 'BEGIN { printf "%.1f %%", 100 * part / all }'; }

# ---- page ----------------------------------------------------------------------------------------

recorded_curve() {
    cat <<TEXT
The trace asks for at most $peak GPUs, so no pod waits: mean wait $(metric recorded mean_wait) s, makespan $end s.

        time  running  waiting  allocated   held
$(recorded "$end" "$peak" | sed 's/^/    /; s/ *$//')
TEXT
}

filled_curve() {
    cat <<TEXT
By the number of pods that have arrived; percent of all GPUs:

        pods  running  waiting  allocated      %   held      %
$(filled $((count - 1)) "$gpus" | sed 's/^/    /')

The first pod without room is number $(thousands $((first + 1))): $first_allocated GPUs are allocated by then ($(share "$first_allocated")),
$first_held held ($(share "$first_held")). At the end $running pods run and $left wait, $allocated GPUs are allocated
($(share "$allocated")), $held held ($(share "$held")). $(awk -v held="$held" -v allocated="$allocated" 'BEGIN { print held - allocated }') GPUs are lost in partly used GPUs; $((gpus - held)) stay
idle, on nodes without the CPUs, the memory or enough free GPUs for any waiting pod.
TEXT
}

fragments() { # without the program, the committed one
    local test=${horus%/*}/tests/oracle/test_published_fgd
    [ -x "$test" ] && [ -r "$data/oracles/openb-frag/default_gpushare.csv.gz" ] || { keeps=yes; return 0; }
    "$test" table
}

put_page
sed -n '/^## /,$p' "$folder/openb.md"
