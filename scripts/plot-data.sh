#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The numbers that a plot draws, from the files of run directories, as a table with tabs on standard
# output; the plots of gnuplot and R both draw these. A line '#label I TEXT' names curve I.
#   scripts/plot-data.sh KIND [--KEY=VALUE...] RUN...
#   cdf      [--metric=jct,wait,slowdown]   metric run value share: jobs at or below the value
#   time     [--parts=120]                  metric key run begin end mean: GPUs held, utilization, jobs
#                                           waiting, over equal parts of the run
#   waits    [--parts=120]                  the same and low, high: GPUs that waiting jobs want, by cause, stacked
#   classes  [--by=gpus] [--metric=mean_wait,mean_jct,mean_slowdown]      metric class run jobs value
#   gantt                                   run upper lower start end colour ended job
#   heat     [--parts=240]                  run first last begin end held: share of the GPU time of
#                                           nodes first to last that any job held
#   sweep    [--x=KEY] [--metric=mean_jct,mean_wait,gpu_utilization]      metric curve x points mean
#                                           low high; its directory or sweep.csv in place of RUN
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
    echo "usage: plot-data.sh cdf|time|waits|classes|gantt|heat|sweep [--KEY=VALUE...] RUN..." >&2
    exit 2
}

# ---- CSV -----------------------------------------------------------------------------------------

of_csv() { # SCRIPT ARGUMENT...: one of the plot-*.awk
    local script=$1
    shift
    awk -f "$here/plot-csv.awk" -f "$here/plot-$script" "$@"
}

csv_says() { # PROGRAM ARGUMENT...: what it prints in BEGIN
    awk "${@:2}" -f "$here/plot-csv.awk" -f <(echo "BEGIN { $1 }")
}

summary() { # RUN COLUMN: of its summary.csv
    csv_says 'csv_open(file, column)
        csv_next(file)
        print plain(of(column))' -v file="$1/summary.csv" -v column="$2"
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
    for dir in "${runs[@]}"; do summary "$dir" policy; done >"$work/policies"
    if [ -n "$(sort "$work/policies" | uniq -d)" ]; then
        sed 's/ *$//; s|.*/||' "$work/names" >"$work/policies"
        [ -z "$(sort "$work/policies" | uniq -d)" ] || sed 's/ *$//' "$work/names" >"$work/policies"
    fi
    awk '{ gsub(/\t/, " "); print "#label\t" NR "\t" $0 }' "$work/policies"
}

# ---- kinds ---------------------------------------------------------------------------------------

cdf() {
    local metric run
    need jobs
    for run in "${!runs[@]}"; do
        mkdir "$work/$run"
        of_csv values.awk -v file="${runs[run]}/jobs.csv" -v manifest="${runs[run]}/manifest.json" \
            -v metrics="${metrics//,/ }" -v folder="$work/$run"
    done
    [ "$(find "$work" -mindepth 2 -type f -size +0 | wc -l)" -gt 0 ] ||
        fail "no job counts in any of the runs: done, and inside the window of --warmup and --cooldown"
    print_labels
    printf 'metric\trun\tvalue\tshare\n'
    for metric in ${metrics//,/ }; do
        for run in "${!runs[@]}"; do
            sort -n "$work/$run/$metric" | awk -f "$here/plot-cdf.awk" |
                awk -v head="$metric	$((run + 1))" '{ print head "\t" $0 }'
        done
    done
}

over_time() { # METRICS
    local run
    need series
    print_labels
    for run in "${!runs[@]}"; do
        [ ! -f "${runs[run]}/nodes.csv" ] || csv_says 'csv_open(file, "gpus")
            while (csv_next(file)) n += of("gpus")
            print n' -v file="${runs[run]}/nodes.csv"
    done | sort -n | awk '{ n = $1 } END { if (NR) print "#gpus\t1\t" n }'
    printf 'metric\tkey\trun\tbegin\tend\tmean\n'
    for run in "${!runs[@]}"; do
        of_csv parts.awk -f "$here/plot-series.awk" -v file="${runs[run]}/series.csv" -v end="$(summary "${runs[run]}" makespan)" \
            -v metrics="$1" -v parts="$parts" -v run=$((run + 1))
    done
}

waits() {
    over_time gpus_waiting | grep -v '^#gpus' | awk -f "$here/plot-waits.awk"
}

classes() {
    command -v jq >/dev/null || fail "jq is not installed" "$("$here/install-deps.sh" --print plot)"
    print_labels
    # shellcheck disable=SC2016 # variables of jq
    jq -rn --arg by "$by" --arg metrics "$metrics" '
        def plain: gsub("[\\x01-\\x1f\\x7f]+"; " ") | gsub("\""; "\u0027");
        [inputs.classes[$by] // {}] as $runs
        | [$runs[] | keys_unsorted] | (add // []) as $all
        | (reduce $all[] as $c ([]; if index($c) then . else . + [$c] end)) as $found
        | (["0", "1", "2-4", "5-8", "9-16", "17-32", ">32"] as $gpus
            | if $by == "gpus" then [$gpus[] | select([.] | inside($found))] else $found end) as $names
        | ($names | to_entries[] | "#class\t\(.key + 1)\t\(.value | plain)"),
          "metric\tclass\trun\tjobs\tvalue",
          ($metrics | split(",")[]) as $m | range($names | length) as $c | range($runs | length) as $r
        | $runs[$r][$names[$c]] | select(. != null and .[$m] != null)
        | [$m, $c + 1, $r + 1, .jobs, .[$m]] | @tsv' "${runs[@]/%//summary.json}" >"$work/classes"
    grep -q '^#class' "$work/classes" || fail "no run has classes by '$by'" \
        "--by=gpus, vc, user_quintile, outcome or class; see results/README.md"
    [ "$(grep -vc '^#' "$work/classes")" -gt 1 ] || fail "classes have no metric among '$metrics'" \
        "see 'Classes' in results/README.md"
    cat "$work/classes"
}

sweep() {
    local file=$1
    [ ! -d "$file" ] || file=${file%/}/sweep.csv
    [ -f "$file" ] || fail "$file: no such file" "horus sweep EXPERIMENT.json --gather writes it"
    of_csv student.awk -f "$here/plot-sweep.awk" -v file="$file" -v along="$along" \
        -v metrics="${metrics//,/ }"
}

gantt() {
    need segments
    print_labels
    of_csv gantt.awk -v runs="$(printf '%s\n' "${runs[@]}")" -v most=500 >"$work/boxes"
    grep '^#' "$work/boxes" || true
    printf 'run\tupper\tlower\tstart\tend\tcolour\tended\tjob\n'
    grep -v '^#' "$work/boxes" || true
}

heat() {
    local run end
    need segments nodes
    print_labels
    end=$(for run in "${!runs[@]}"; do summary "${runs[run]}" makespan; done | sort -n | tail -n 1)
    printf 'run\tfirst\tlast\tbegin\tend\theld\n'
    for run in "${!runs[@]}"; do
        printf "\n\n" # gnuplot draws a block as an image
        of_csv parts.awk -f "$here/plot-heat.awk" -v step=list -v file="${runs[run]}/segments.csv" >"$work/gpus"
        sort -n -k1,1 -k2,2 "$work/gpus" | of_csv parts.awk -f "$here/plot-heat.awk" -v step=sum \
            -v nodes="${runs[run]}/nodes.csv" -v end="$end" -v parts="$parts" -v run=$((run + 1)) \
            -v run_end="$(summary "${runs[run]}" makespan)"
    done
}

# ---- command line --------------------------------------------------------------------------------

[ $# -gt 0 ] || usage 'which kind?'
kind=$1
shift
parts=120
by=gpus
along=
case $kind in
cdf) metrics=jct,wait,slowdown ;;
classes) metrics=mean_wait,mean_jct,mean_slowdown ;;
sweep) metrics=mean_jct,mean_wait,gpu_utilization ;;
heat) parts=240 ;;
time | waits | gantt) ;;
*) usage "unknown kind '$kind'" ;;
esac
while [ $# -gt 0 ]; do
    case $kind$1 in
    cdf--metric=* | classes--metric=* | sweep--metric=*) metrics=${1#*=} ;;
    time--parts=* | waits--parts=* | heat--parts=*) parts=${1#*=} ;;
    classes--by=*) by=${1#*=} ;;
    sweep--x=*) along=${1#*=} ;;
    *--) shift && break ;;
    *--*) usage "unknown option '$1' of $kind" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || usage 'which runs?'
[[ $parts =~ ^[1-9][0-9]{0,3}$ ]] || usage "--parts=$parts: not a number from 1 to 9999"
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-plot.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
[ "$kind" = sweep ] || find_runs "$@"
case $kind in
time) over_time 'gpus_held util_model waiting=pending+suspended' ;;
waits) waits ;;
sweep)
    [ $# -eq 1 ] || usage 'one sweep at a time'
    sweep "$1"
    ;;
*) $kind ;;
esac
