#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Instructions of a fixed set of runs, counted by callgrind and compared with a committed list: unlike
# times, they do not depend on the load of the machine. Inputs are generated from fixed seeds; every policy
# has 2,000 jobs.
#   tests/bench/bench-instr.sh [BUILD] [WORD]           WORD: only names that contain it
#   tests/bench/bench-instr.sh --bless [BUILD]          writes tests/bench/instructions.csv
# Exit code 1 if a count is more than 3 % above the list. Counts depend on compiler and libc: if these
# differ from the list's, a message says so and 25 % are allowed. HORUS_BENCH_LIST: another list.
set -eu
cd "$(dirname "$0")/../.."
list=${HORUS_BENCH_LIST:-tests/bench/instructions.csv}
bless=no
if [ "${1-}" = --bless ]; then
    bless=yes
    shift
fi
build=${1:-build/release}
word=${2:-}
horus=$build/horus
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-instr.XXXXXX")
trap 'rm -rf "$work"' EXIT
if ! command -v valgrind >/dev/null; then
    echo "skip - bench-instr: valgrind is not installed (scripts/install-deps.sh bench)"
    exit 0
fi

shape=16x8:V100
"$horus" generate --like venus --load 0.9 -c $shape -n 2000 --seed 1 --format helios -q \
    -o "$work/helios.csv"
"$horus" generate --like venus --load 0.9 -c $shape -n 2000 --seed 1 --format csv -q \
    -o "$work/native.csv.gz"
"$horus" generate --like philly --load 0.9 -c $shape -n 2000 --seed 1 --format philly -q \
    -o "$work/cluster_job_log"
head -n 2 "$work/helios.csv" >"$work/one.csv"
# All at once: the queue has 2,000 jobs from the first moment on.
awk -F, -v OFS=, 'NR > 1 { $8 = "2020-04-01 00:00:00" } { print }' "$work/helios.csv" >"$work/burst.csv"

# NAME ARGUMENT...: the fixed set. Turns of single mini-batches are not in it: they are millions.
cases() {
    local policy helios="run $work/helios.csv -c $shape"
    echo "start run $work/one.csv -c $shape --outputs summary -p fifo"
    for policy in $("$horus" policies | awk '/^$/ { exit } NR > 1 && /^[a-z]/ { print $1 }'); do
        case $policy in
        gandiva) policy=gandiva:slicing=fluid ;;
        salus-pack | salus-fair | salus-rr) policy=$policy:mode=fluid ;;
        esac
        echo "run-$policy $helios --outputs summary -p $policy"
    done
    for policy in fifo srtf tiresias horus; do
        echo "burst-$policy run $work/burst.csv -c $shape --outputs summary -p $policy"
    done
    echo "two-types-gavel run $work/helios.csv -c 8x8:V100,8x8:P100 --outputs summary -p gavel"
    echo "outputs-all $helios --outputs all -p fifo"
    echo "outputs-all-shared $helios --outputs all -p horus"
    echo "check-full $helios --outputs summary --check full -p fifo"
    echo "read-gzip run $work/native.csv.gz -c $shape --outputs summary -p fifo"
    echo "read-philly run $work/cluster_job_log -c $shape --outputs summary -p fifo"
    echo "generate-helios generate --like venus -n 2000 --seed 1 --format helios"
    echo "generate-csv generate --like venus -n 2000 --seed 1 --format csv"
}

counted() { # NAME ARGUMENT...: prints NAME,INSTRUCTIONS
    local name=$1 more=()
    shift
    [ "$1" != run ] || more=(-o "$work/out-$name" --no-progress)
    # An empty environment: its size would be counted.
    env -i PATH="$PATH" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$horus" "$@" "${more[@]}" -q >/dev/null 2>"$work/said-$name" || {
        cat "$work/said-$name" >&2
        return 1
    }
    awk -v name="$name" '/ Collected : / { print name "," $NF }' "$work/said-$name"
}
export -f counted
export work horus

cases | { grep -F -- "$word" || true; } >"$work/cases"
xargs -r -P "$(nproc)" -I LINE bash -c 'counted LINE' <"$work/cases" >"$work/unordered" || {
    echo "bench-instr: a run failed" >&2
    exit 1
}
[ -s "$work/unordered" ] || {
    echo "bench-instr: nothing is called '$word'" >&2
    exit 2
}
compiler=$("$horus" version --verbose | sed -n 's/^compiler *//p')
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)

{
    echo name,instructions,compiler,libc
    while read -r name _; do
        grep "^$name," "$work/unordered" | sed "s/\$/,$compiler,$libc/"
    done <"$work/cases"
} >"$work/list"
if [ $bless = yes ]; then
    cp "$work/list" "$list"
    echo "wrote $list"
    exit 0
fi
[ -r "$list" ] || {
    echo "bench-instr: no $list; --bless writes it" >&2
    exit 1
}

awk -F, -v list="$list" '
    FNR == 1 { next }
    FNR == NR { had[$1] = $2; tools[$1] = $3 ", " $4; next }
    {
        if (!FNR_seen++) printf "%-34s %14s %14s %9s\n", "instructions", "list", "now", "change"
        if (!($1 in had)) {
            printf "%-34s %14s %14d           new: --bless adds it\n", $1, "", $2
            next
        }
        seen[$1]
        loose = tools[$1] != $3 ", " $4
        if (loose) other = tools[$1]
        change = $2 / had[$1] - 1
        limit = loose ? 0.25 : 0.03
        note = change > limit ? "  FAIL" : change < -0.03 ? "  fewer" : ""
        failed += change > limit
        fewer += change < -0.03
        printf "%-34s %14d %14d %+8.1f %%%s\n", $1, had[$1], $2, 100 * change, note
        mine = $3 ", " $4
    }
    END {
        if (other) print "note: the list is of " other ", this is " mine ": 25 % are allowed"
        if (fewer) print fewer " fewer by 3 % or more: make bench-instr BLESS=1 writes the list again"
        if (failed) print "FAIL - bench-instr: " failed " above " (other ? 25 : 3) " %"
        else print "ok - bench-instr"
        exit failed > 0
    }' "$list" "$work/list"
