#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do two builds of horus give the same bytes? Every output of a set of runs - all policies, made-up
# workloads, clusters from one node to mixed ones, virtual clusters, preemption, retries, shares of
# GPUs, horizons - from both, compared with cmp. Not compared are, of the manifest, the build, the
# machine and the hashes of the outputs, which are compared themselves; and of standard output how
# many blanks there are: columns are as wide as their names. The old outputs get the names of today
# first (renamed-words.sed).
#   scripts/same-results.sh OLD NEW [WORD]   two programs; OLD may be a commit, which is built in a
#                                            worktree that goes afterwards; WORD: only cases that contain it
#   make same BASE=COMMIT                    this tree against a commit
# Prints the cases that differ; exit code 1 if there are any.
set -eu
export COLUMNS=300 # room for all columns, whatever their names
cd "$(dirname "$0")/.."
usage="usage: same-results.sh OLD NEW [WORD] (make same BASE=COMMIT)"
new=$(realpath "${2:?$usage}")
word=${3:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-same.XXXXXX")
trap 'rm -rf "$work"; git worktree prune' EXIT
if [ -x "${1:?$usage}" ]; then
    old=$(realpath "$1")
else
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || {
        echo "same-results.sh: there is no commit '$1'" >&2
        exit 2
    }
    git worktree add -q --detach "$work/base" "$commit"
    # Sums of GPU time of large gangs overflowed up to c2240bb; the base is compared with this corrected.
    sed -i 's/+= hs_record_milli(job) \*/+= (hs_u128)hs_record_milli(job) */' \
        "$work"/base/src/report/stats.c 2>/dev/null || true
    echo "building $(git describe --always --tags "$commit")" >&2
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u VARIANT -u BUILD -u CC -u OPT -u CFLAGS -u LDFLAGS \
        make -C "$work/base" -s -j "$(nproc)" build/release/horus >&2
    old=$work/base/build/release/horus
fi

# One case a line: the arguments of a run.
cases() {
    local policy more fast
    for policy in $("$old" policies | awk '/^$/ { exit } NR > 1 && /^[a-z]/ { print $1 }'); do
        fast=()
        case $policy in # simulate every mini-batch: jobs of seconds instead of hours
        salus-pack | salus-fair | salus-rr) fast=(--scale-time 0.0005 --until 100s) ;;
        esac
        echo "gen:venus,n=3000,seed=1 -c 6x8:V100 -p $policy ${fast[*]}"
        echo "gen:philly,n=1500,seed=2 -c 9x4:V100,3x8:P100 --decisions -p $policy ${fast[*]}"
        [ -n "${fast[*]}" ] || # made-up failures take minutes, for any jobs
            echo "gen:venus,n=500,seed=3 -c 12x4:V100 --check full --retries generate -p $policy"
        echo "gen:pai,n=1000,seed=4 -c 30x2:V100,10x8:P100 --decisions -p $policy ${fast[*]}"
    done
    for policy in fifo sjf srtf srsf tiresias las philly horus antman qssf; do
        echo "gen:venus,n=3000,seed=5 -c configs/clusters/venus.json --vc partition -p $policy"
        echo "gen:venus,n=2000,seed=6 -c configs/clusters/venus.json --vc quota -p $policy"
        echo "gen:saturn,n=4000,seed=7 -c 20x8:V100 --tie-jitter 2 --until 200h -p $policy"
        echo "gen:philly,n=20000,seed=8 -c 40x8:V100 --outputs summary -p $policy"
        echo "traces/sample-classes.csv -c 2x4:V100 --decisions -p $policy"
    done
    for more in fifo:scan=fit fifo:scan=easy fifo:placement=first_fit,scan=fit sjf:scan=fit \
        sjf:placement=spread fifo:placement=random fifo:placement=skew,scan=fit \
        fifo:placement=yarn srtf:preempt_cost=table tiresias:index=gittins \
        gandiva:slicing=exact salus-rr:mode=fluid horus:scan=fit; do
        echo "gen:venus,n=4000,seed=9 -c 10x8:V100 --decisions -p $more"
        echo "gen:uranus,n=4000,seed=10 -c 7x8:V100,9x4:P100 --load 3 -p $more"
    done
    echo "gen:venus,n=60000,seed=11 -c 133x8:V100 -p fifo"
    echo "gen:earth,n=30000,seed=12 -c 128x8:V100 --load 2 -p tiresias"
    echo "gen:earth,n=30000,seed=12 -c 128x8:V100 --load 2 -p srtf --outputs summary"
    for more in traces/sample.csv traces/sample-helios.csv traces/sample-philly.json; do
        echo "$more -c 2x8:V100 -p fifo"
        echo "$more -c 2x8:V100 -p horus --sample exact --outputs all"
        echo "$more -c 2x8:V100 -p srtf --warmup 1h --cooldown 1h --startup 30s"
    done
}

taken() { # PROGRAM DIR ARGUMENT...: one run, its messages beside its files
    local program=$1 dir=$2
    shift 2
    mkdir -p "$dir"
    "$program" run "$@" -o "$dir/run" --no-progress >"$dir/stdout" 2>"$dir/stderr" ||
        echo "exit code $?" >>"$dir/stdout"
    sed -i "s#$dir#DIR#g" "$dir/stdout" "$dir/stderr"
    [ ! -e "$dir/run/manifest.json" ] ||
        jq 'del(.volatile, .commit, .version, .compiler, .flags, .libraries, .outputs[].bytes,
                .outputs[].xxh3_64)' \
            "$dir/run/manifest.json" >"$dir/manifest"
    rm -f "$dir/run/manifest.json"
}

renamed() { # DIR: outputs of the old program, with the names of today
    find "$1" -type f -exec sed -E -i -f scripts/renamed-words.sed {} +
}

count=0
differ=0
while read -r line; do
    [[ $line == *"$word"* ]] || continue
    read -ra arguments <<<"$line"
    rm -rf "$work/old" "$work/new"
    taken "$old" "$work/old" "${arguments[@]}" &
    taken "$new" "$work/new" "${arguments[@]}"
    wait
    renamed "$work/old"
    sed -E -i 's/ +/ /g; s/-+/-/g' "$work/old/stdout" "$work/new/stdout"
    count=$((count + 1))
    if ! diff -rq "$work/old" "$work/new" >"$work/said"; then
        differ=$((differ + 1))
        echo "differs: $line: $(sed "s#$work/##g" "$work/said" | paste -sd ';')"
    fi
done < <(cases)
echo "$count runs, $differ of them differ"
[ "$count" -gt 0 ] && [ "$differ" -eq 0 ]
