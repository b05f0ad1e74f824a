#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What runs cost: CPU time, wall time and memory of every policy against jobs, GPUs and load, each
# beside bare libcsv parses of the same file right before and behind it; growth exponents; backlogs;
# memory per job and GPU; whole files; the generator.
#   scripts/bench.sh [BUILD] [OPTION...]      a star around 1 M jobs, 1,024 GPUs, 95 %: 15 minutes
#     --all                     the whole product of the lists below: hours
#     --policies A,B            these alone, of the star or the product
#     --jobs 10k,1M  --gpus 64  --load 70,95    only this part of the product, and nothing else
#     --parts grid,backlog,idle,pipe,files,generate,searches    of the star; all
#     --rounds N [3]            medians of so many; beside the base point, runs of a second have one
#     --cap SECONDS [10, of the product 120]    of CPU a run; longer ones are left out, and shown as such
#     -o FILE                   [results/bench.json]
#   scripts/bench.sh --show FILE...           the tables of an earlier one, or of parts of one program
#   scripts/bench.sh --join FILE... >FILE     such parts as one file
#   scripts/bench.sh --page BEFORE AFTER >results/speed.md    the page, of two programs
# A measurement, not a test: what misses its target is marked, and only a run that fails ends it.
set -eu
cd "$(dirname "$0")/.."
here=scripts

jq_of() { # PROGRAM FILE...: jq with the functions of bench-*.jq; the files are its inputs
    jq -nr -L "$here" "include \"bench-figures\"; include \"bench-tables\"; include \"bench-page\"; $1" \
        "${@:2}"
}

case ${1-} in
--show | --join | --page)
    action=$1
    shift
    [ $# -gt 0 ] && { [ "$action" != --page ] || [ $# -eq 2 ]; } || {
        echo "usage: bench.sh --show FILE... | --join FILE... | --page BEFORE AFTER" >&2
        exit 2
    }
    case $action in
    --show) jq_of '[inputs] | joined_files | text' "$@" ;;
    --join) jq_of '[inputs] | joined_files' "$@" ;;
    --page) jq_of 'input as $before | input as $after | page($before; $after)' "$@" ;;
    esac
    exit 0
    ;;
esac

build=build/release
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    build=$1
    shift
fi
horus=$build/horus
form=star
has_list=no
rounds=3
cap_s=
to=results/bench.json
parts=(grid backlog idle pipe files generate searches)
policies=()
job_counts=(10000 100000 1000000 10000000)
gpu_counts=(64 1024 16384 131072)
loads=(70 95 150)
# shellcheck source=scripts/bench-common.sh
. "$here/bench-common.sh"
# shellcheck source=scripts/bench-grid.sh
. "$here/bench-grid.sh"
# shellcheck source=scripts/bench-parts.sh
. "$here/bench-parts.sh"

as_numbers() { # A,B,...: one a line
    local one
    for one in ${1//,/ }; do number "$one"; done
}

while [ $# -gt 0 ]; do
    case $1 in
    --all) form=product ;;
    --policies | --jobs | --gpus | --load | --parts | --rounds | --cap | -o)
        [ $# -gt 1 ] || {
            log "$1 wants a value"
            exit 2
        }
        ;;&
    --policies) IFS=, read -ra policies <<<"$2" ;;
    --jobs) mapfile -t job_counts < <(as_numbers "$2") ;;
    --gpus) mapfile -t gpu_counts < <(as_numbers "$2") ;;
    --load) mapfile -t loads < <(as_numbers "$2") ;;
    --parts) IFS=, read -ra parts <<<"$2" ;;
    --rounds) rounds=$2 ;;
    --cap) cap_s=$2 ;;
    -o) to=$2 ;;
    *)
        log "unknown option $1; the head of scripts/bench.sh tells them"
        exit 2
        ;;
    esac
    case $1 in
    --jobs | --gpus | --load)
        form=product
        has_list=yes
        parts=(grid)
        ;;
    esac
    [ "$1" = --all ] || shift
    shift
done
[ -n "$cap_s" ] || { [ $form = star ] && cap_s=10; } || cap_s=120
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
: >"$work/samples"
[ ${#policies[@]} -gt 0 ] || mapfile -t policies < <(every_policy)

part_grid() { "grid_$form"; }

# One command to the shell, which would otherwise read on in a file that changes under a long run.
measure() {
    part_start
    for part in "${parts[@]}"; do
        declare -F "part_$part" >/dev/null || {
            log "unknown part '$part'; the head of scripts/bench.sh tells them"
            exit 2
        }
        "part_$part"
    done

    lines() { printf '%s\n' "$@" | jq -R . | jq -cs .; }
    jq -n -L "$here" --slurpfile samples "$work/samples" --arg form "$form" --argjson rounds "$rounds" \
        --argjson cap "$cap_s" --arg program "$("$horus" --version)" \
        --arg compiler "$("$horus" version --verbose | sed -n 's/^compiler *//p')" \
        --arg cpu "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)" \
        --argjson cores "$(nproc)" --argjson policies "$(lines "${policies[@]}")" '
        include "bench-figures";
        {program: $program, compiler: $compiler, machine: {cpu: $cpu, cores: $cores},
         form: $form, rounds: $rounds, cap_s: $cap, policies: $policies} + ($samples | figures) +
        {samples: $samples}' >"$work/result.json"
    mkdir -p "$(dirname "$to")"
    cp "$work/result.json" "$to"
    "$0" --show "$to"
}
measure; exit
