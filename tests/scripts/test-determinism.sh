#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A run gives the same bytes from every build and in every environment: the result files, and
# manifest.json except the names of the build, of the machine (`volatile`) and of the input.
# Builds: gcc, clang x -O0, -O2, -O3, -O3 -march=native x sanitizers; environments: time zone,
# locale, working folder; inputs: file, stdin, .gz, .zst.
# HORUS_LONG=1 runs all of them; otherwise the program at hand and one build by clang -O0.
subject=determinism
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

results=(jobs.csv segments.csv series.csv nodes.csv summary.json summary.csv)

# name | trace | arguments
workloads=(
    "fifo|traces/sample.csv|-c 8x8:V100 -p fifo:scan=easy"
    "srtf|traces/sample.csv|-c 4x8:V100,4x4:P100 -p srtf:form=replace,placement=random --sample 600s"
    "jitter|traces/sample.csv|-c 8x8:V100 -p sjf --tie-jitter 2 --seed 7"
    "estimates|traces/sample.csv|-c 4x8:V100 -p qssf:pred=noisy --seed 7"
    "rolling|traces/sample-helios.csv|-c 4x8:V100 -p sjf:pred=rolling"
    "gittins|traces/sample.csv|-c 4x8:V100,4x4:P100 -p tiresias:index=gittins,promote_knob=2,preempt_cost=checkpoint"
    "attempts|traces/sample-philly.json|-c 4x8:P100 -p philly:retry=30s --retries=generate --seed 7"
    "turns|traces/sample-classes.csv|-c 3x8:V100 -p gandiva:fluid_above=6 --max-jobs 150"
    "lanes|traces/sample-classes.csv|-c 3x8:V100 -p salus-rr:mode=fluid --max-jobs 150"
    "background|traces/sample-classes.csv|-c 3x8:V100 -p antman --max-jobs 150"
    "helios|traces/sample-helios.csv|-c 4x8:V100 -p srsf --sample exact"
    "philly|traces/sample-philly.json|-c 8x8:P100 -p sjf:scan=fit"
    "shares|traces/sample.csv|-c 4x8:V100,4x4:P100 -p gavel:share=pairs"
    "fair|traces/sample.csv|-c 4x8:V100,4x4:P100 -p ftf"
    "generated|gen:venus,n=3000,seed=3|-c 133x8:V100 -p sjf"
)

run() { # PROGRAM OUT TRACE ARGUMENT...; TRACE - reads standard input
    local program=$1 out=$2
    shift 2
    "$program" run "$@" -o "$out" --force -q >/dev/null 2>"$out.stderr" || {
        cat "$out.stderr"
        return 1
    }
}

digest() { # RUN: one line a result file
    local file
    for file in "${results[@]}"; do
        printf '%s %s\n' "$file" "$(sha256sum <"$1/$file")"
    done
}
# The part of the manifest that must agree between builds: without the entries that name build and machine.
manifest() { jq -S 'del(.volatile, .compiler, .flags, .commit)' "$1/manifest.json"; }

compare() { # LABEL WORKLOAD RUN
    local differences
    differences=$(
        diff <(digest "$work/$2.first") <(digest "$3")
        diff <(manifest "$work/$2.first") <(manifest "$3")
    )
    verdict "$2 $1" "$differences"
}

each_workload() { # LABEL PROGRAM: runs all of them, compares with the first
    local entry name trace arguments
    for entry in "${workloads[@]}"; do
        IFS='|' read -r name trace arguments <<<"$entry"
        # shellcheck disable=SC2086 # arguments are words
        if run "$2" "$work/$name.now" "$trace" $arguments; then
            if [ -d "$work/$name.first" ]; then
                compare "$1" "$name" "$work/$name.now"
            else
                mv "$work/$name.now" "$work/$name.first"
            fi
        else
            verdict "$name $1" "the run failed"
        fi
    done
}

build() { # FOLDER CC OPT: prints the program
    make -s -j2 BUILD="build/determinism/$1" CC="$2" OPT="$3" all >"$work/make.log" 2>&1 || {
        grep -E 'error|undefined|\*\*\*' "$work/make.log" >&2
        return 1
    }
    echo "$top/build/determinism/$1/horus"
}

built() { # LABEL FOLDER CC OPT
    local program
    if ! command -v "$3" >/dev/null; then
        skip "$1: $3 is not installed (scripts/install-deps.sh lint)"
    elif program=$(build "$2" "$3" "$4"); then
        each_workload "$1" "$program"
    else
        verdict "build $1" "does not build"
    fi
}

if ! command -v jq >/dev/null; then
    verdict jq "is not installed (scripts/install-deps.sh check)"
    exit 1
fi
each_workload first "$HORUS"
each_workload again "$HORUS"
TZ=America/Los_Angeles each_workload "TZ=America/Los_Angeles" "$HORUS"
TZ=Asia/Shanghai each_workload "TZ=Asia/Shanghai" "$HORUS"
for locale in $(locale -a 2>/dev/null | grep -iE '^(de_DE|fr_FR|en_US|tr_TR).*utf' | head -n 2) C.UTF-8; do
    LC_ALL=$locale each_workload "LC_ALL=$locale" "$HORUS"
done
COLUMNS=40 NO_COLOR=1 each_workload "COLUMNS=40" "$HORUS"

if [ -n "${HORUS_LONG-}" ] || command -v clang >/dev/null; then
    built "clang -O0" clang-O0 clang -O0
else
    built "gcc -O0" gcc-O0 gcc -O0
fi
if [ -n "${HORUS_LONG-}" ]; then
    for opt in -O0 -O2 -O3; do built "gcc $opt" "gcc$opt" gcc "$opt"; done
    for opt in -O2 -O3; do built "clang $opt" "clang$opt" clang "$opt"; done
    built "gcc -O3 -march=native" gcc-native gcc "-O3 -march=native"
    built "clang -O3 -march=native" clang-native clang "-O3 -march=native"
    built "gcc -O1 sanitizers" gcc-asan gcc \
        "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
fi

# The same bytes by another way of input. The manifest names the file, so only results are compared;
# standard input has no name and is called stdin.
gzip -c traces/sample.csv >"$work/sample.csv.gz"
zstd -q -c traces/sample.csv >"$work/sample.csv.zst"
IFS='|' read -r name trace arguments <<<"${workloads[0]}"
for input in "$work/sample.csv.gz" "$work/sample.csv.zst" -; do
    # shellcheck disable=SC2086 # arguments are words
    run "$HORUS" "$work/input" "$input" --name sample $arguments <"$trace" ||
        verdict "$name from ${input##*/}" "the run failed"
    [ "$input" != - ] || sed -i -e '2,$s/,stdin,/,sample,/' -e '2s/^stdin,/sample,/' \
        -e 's/"workload": "stdin"/"workload": "sample"/' "$work/input/"{jobs.csv,summary.csv,summary.json}
    verdict "$name from ${input##*/}" "$(diff <(digest "$work/$name.first") <(digest "$work/input"))"
done
exit $failed
