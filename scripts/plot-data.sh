#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The numbers that a plot draws, from the files of run directories, as a table with tabs on standard
# output; the plots of gnuplot and R both draw these. A line '#label I TEXT' names curve I.
#   scripts/plot-data.sh KIND [--KEY=VALUE...] RUN...
#   cdf      [--metric=jct,wait,slowdown]   metric run value share: jobs at or below the value
#   time     [--parts=120]                  metric key run begin end mean: GPUs held, utilization, jobs
#                                           waiting, over equal parts of the run
# A RUN is what 'horus run' wrote, or a comparison with --outputs, which stands for its runs. Exit 2:
# usage; 3: what a plot needs is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C

fail() {
    echo "plot: $1" >&2
    [ $# -lt 2 ] || echo "  = hint: $2" >&2
    exit 3
}

usage() {
    echo "plot: $1" >&2
    echo "usage: plot-data.sh cdf|time [--KEY=VALUE...] RUN..." >&2
    exit 2
}

# ---- run directories -----------------------------------------------------------------------------

# Into runs: each operand that is a run, and the runs of each that is a comparison.
runs=()
find_runs() {
    local dir
    for dir in "$@"; do
        dir=${dir%/}
        [ -d "$dir" ] || fail "$dir: no such directory"
        if [ -f "$dir/summary.csv" ]; then
            [ -f "$dir/manifest.json" ] || fail "$dir: no manifest.json: not a finished run"
            runs+=("$dir")
        elif [ -d "$dir/runs" ]; then
            runs+=("$dir"/runs/*/)
        elif [ -f "$dir/compare.csv" ]; then
            fail "$dir: a comparison that kept no runs" \
                "compare again with --outputs=all, or draw it with 'plot.sh compare'"
        else
            fail "$dir: not what 'horus run' wrote"
        fi
    done
    runs=("${runs[@]%/}")
    [ ${#runs[@]} -le 8 ] || fail "${#runs[@]} runs; a plot has room for 8" "name those that matter"
}

need() { # FILE...: of every run
    local dir file
    for dir in "${runs[@]}"; do
        for file in "$@"; do
            [ -f "$dir/$file.csv" ] || fail "$dir/$file.csv is not there: --outputs left it out" \
                "run again with --outputs=all, or with $(IFS=,; echo "--outputs=$*")"
        done
    done
}

# A run is called by its policy; where two are of one policy, by their directories.
print_labels() {
    local dir
    for dir in "${runs[@]}"; do
        printf '%s\n' "$dir" | tr '\n' ' ' && echo
    done >"$work/names"
    for dir in "${runs[@]}"; do
        awk -v file="$dir/summary.csv" -f "$here/plot-csv.awk" \
            -f <(echo 'BEGIN { csv_open(file, "policy"); csv_next(file); print plain(of("policy")) }')
    done >"$work/policies"
    if [ -n "$(sort "$work/policies" | uniq -d)" ]; then
        sed 's/ *$//; s|.*/||' "$work/names" >"$work/policies"
        [ -z "$(sort "$work/policies" | uniq -d)" ] || sed 's/ *$//' "$work/names" >"$work/policies"
    fi
    awk '{ gsub(/\t/, " "); print "#label\t" NR "\t" $0 }' "$work/policies"
}

# Value of a column of a run's summary.csv.
summary() { # RUN COLUMN
    awk -v file="$1/summary.csv" -v column="$2" -f "$here/plot-csv.awk" \
        -f <(echo 'BEGIN { csv_open(file, column); csv_next(file); print of(column) }')
}

# ---- kinds ---------------------------------------------------------------------------------------

cdf() {
    local metric run
    need jobs
    print_labels
    printf 'metric\trun\tvalue\tshare\n'
    for run in "${!runs[@]}"; do
        mkdir "$work/$run"
        awk -v file="${runs[run]}/jobs.csv" -v manifest="${runs[run]}/manifest.json" \
            -v metrics="${metrics//,/ }" -v folder="$work/$run" \
            -f "$here/plot-csv.awk" -f "$here/plot-values.awk" || exit
    done
    for metric in ${metrics//,/ }; do
        for run in "${!runs[@]}"; do
            sort -n "$work/$run/$metric" | awk -f "$here/plot-cdf.awk" |
                awk -v head="$metric	$((run + 1))" '{ print head "\t" $0 }'
        done
    done
}

time_() {
    local run
    need series
    print_labels
    for run in "${!runs[@]}"; do
        [ ! -f "${runs[run]}/nodes.csv" ] ||
            awk -v file="${runs[run]}/nodes.csv" -f "$here/plot-csv.awk" -f <(echo 'BEGIN {
                csv_open(file, "gpus"); while (csv_next(file)) n += of("gpus"); print n }')
    done | sort -n | awk '{ n = $1 } END { if (NR) print "#gpus\t" n }'
    printf 'metric\tkey\trun\tbegin\tend\tmean\n'
    for run in "${!runs[@]}"; do
        awk -v file="${runs[run]}/series.csv" -v end="$(summary "${runs[run]}" makespan)" \
            -v metrics='gpus_held util_model waiting=pending+suspended' -v parts="$parts" \
            -v run=$((run + 1)) -f "$here/plot-csv.awk" -f "$here/plot-series.awk" || exit
    done
}

# ---- command line --------------------------------------------------------------------------------

[ $# -gt 0 ] || usage 'which kind?'
kind=$1
shift
metrics=jct,wait,slowdown
parts=120
while [ $# -gt 0 ]; do
    case $kind$1 in
    cdf--metric=*) metrics=${1#*=} ;;
    time--parts=*) parts=${1#*=} ;;
    *--) shift && break ;;
    *--*) usage "unknown option '$1' of $kind" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || usage 'which runs?'
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-plot.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
case $kind in
cdf | time) find_runs "$@" ;;
*) usage "unknown kind '$kind'" ;;
esac
case $kind in
cdf) cdf ;;
time) time_ ;;
esac
