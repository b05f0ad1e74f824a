# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the scripts/reproduce-*.sh share, and some others; they source it first. Their arguments:
#   [--quick] [BUILD [FOLDER]]        defaults: build/release results
# It changes to the top of the tree and sets page, quick, horus (the program), folder (of the page), data
# ($HORUS_DATA, otherwise ../shared/data) and work, a folder that is removed with the script. An experiment
# compares policies on a workload; its figures are collected in $work/cells, from which the tables of
# results/PAGE.md are made: every figure is computed again, the text around them is in the page itself. A
# script without its data prints a message and stops; the same program writes the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
page=$(basename "$0" .sh)
page=${page#reproduce-}
quick=no
if [ "${1-}" = --quick ]; then
    quick=yes
    shift
fi
horus=${1:-build/release}/horus
folder=${2:-results}
# shellcheck disable=SC2034 # for the script that sources this
data=${HORUS_DATA:-../shared/data}
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-reproduce.XXXXXX")
trap 'rm -rf "$work"' EXIT
start_s=$SECONDS
told=() # -v NAME=VALUE, variables of a page's tables

say() { printf '%5d s  %s\n' $((SECONDS - start_s)) "$*" >&2; }

quietly() { # COMMAND...: its warnings only if it fails
    "$@" 2>"$work/log" || { cat "$work/log" >&2; return 1; }
}

needs() { # otherwise the page is unchanged
    local file
    for file in "$@"; do
        [ -e "$file" ] || { say "skip: no $file: $folder/$page.md is left as it is"; exit 0; }
    done
}

run_one() { # ARGUMENT...: into $work/one
    quietly "$horus" run "$@" -o "$work/one" -f -q --no-progress >"$work/said"
}

compare_into() { # TRACE ARGUMENT...: into $work/run
    "$horus" compare "$@" -j 2 -o "$work/run" -f -q --no-progress >/dev/null
}

versus() { # POLICIES TRACE ARGUMENT...; POLICIES is the name of an array
    local -n list=$1
    local options=() policy
    for policy in "${list[@]}"; do options+=(-p "$policy"); done
    compare_into "${@:2}" "${options[@]}"
}

# The jobs made by scripts/PAGE-workloads.awk, of the training configurations in $catalogue.
catalogue=configs/profiles.csv
workload() { # [NAME=VALUE...] [FILE...]
    local options=()
    while [[ ${1-} == *=* ]]; do options+=(-v "$1") && shift; done
    # shellcheck disable=SC2086 # a file or none
    awk "${options[@]}" -f scripts/draws.awk -f "scripts/$page-workloads.awk" $catalogue "$@"
}

# Columns of a CSV file by name, a blank between.
columns() { # NAME,... [FILE]
    awk -F, -v names="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; count = split(names, name); next }
        { for (i = 1; i <= count; i++) printf "%s%s", $at[name[i]], i < count ? " " : "\n" }' "${@:2}"
}

title() { # "COLUMN | COLUMN...": the first two lines of a table
    local bars=${1//[!|]/}
    printf '| %s |\n| ---%s |\n' "$1" "${bars//|/ | ---}"
}

# The number of nodes of 8 GPUs at which the GPU time of the jobs is LOAD of their capacity in DAYS, and the
# largest gang fits on all but SPARE of them.
nodes() { # TRACE LOAD DAYS [SPARE]
    awk -F, -v load="$2" -v days="$3" -v spare="${4:-0}" '
        function up(x) { return int(x) < x ? int(x) + 1 : int(x) }
        NR > 1 { work_s += $2 * $4; most = $2 > most ? $2 : most }
        END {
            n = up(work_s / 86400 / 8 / days / load)
            least = up(most / 8) + spare
            print n < least ? least : n
        }' "$1"
}

# Two jobs beside each other do the work of one, no more: 1 + u^1.016 v^1.763, our form with k = 1.
sliced() { # GPU
    cat <<JSON
{"kind": "interference", "format": 2, "tables": [],
 "forms": [{"gpu": "$1", "mode": "timeslice", "k": 1, "alpha": 1.016, "beta": 1.763}]}
JSON
}

# For the last comparison, the figures of $metrics. DRAW - is the run's assignment, @ its seed. The part of
# a policy's name that matches $drop, a regular expression, is removed.
metrics='' drop=''
cells() { # EXPERIMENT WORKLOAD DRAW
    awk -v experiment="$1" -v workload="$2" -v draw="$3" -v metrics="${metrics//$'\n'/ }" -v drop="$drop" \
        -f scripts/reproduce-cells.awk "$work/run/runs.csv" >>"$work/cells"
}

table() { # NAME [OF]
    awk -v of="${2-}" "${told[@]}" -f scripts/reproduce-page.awk -f "scripts/$page-page.awk" \
        -f <(echo "END { $1(of) }") "$work/cells"
}

across() { # METRIC REFERENCE NAME=EXPERIMENT...
    local IFS=';'
    table across "$*"
}

picture() { # NAME TITLE: of the last comparison
    mkdir -p "$folder/reference"
    "$horus" plot cdf "$work/run" --metric=jct,wait,run_slowdown --title "$2" --force \
        -o "$folder/reference/$1.svg" >/dev/null
}

quick_note() { [ $quick = no ] || echo "**Quick run: $(quick_is). These are not the results.**"; }

# The committed page with all text between '<!-- fill: COMMAND -->' and '<!-- end -->' generated again; a
# COMMAND that sets keeps=yes leaves it. The page is complete or the earlier one remains.
put_page() {
    local line skips=no keeps
    while IFS= read -r line <&3; do
        case $line in
        '<!-- fill: '*)
            printf '%s\n' "$line"
            line=${line#<!-- fill: }
            keeps=no
            eval "${line% -->}" >"$work/.fill"
            [ $keeps = no ] || continue
            skips=yes
            echo
            [ ! -s "$work/.fill" ] || printf '%s\n\n' "$(sed '/./,$!d' "$work/.fill")"
            ;;
        '<!-- end -->') skips=no ;;
        esac
        case $skips$line in no*) printf '%s\n' "$line" ;; esac
    done 3<"results/$page.md" >"$work/$page.md"
    mkdir -p "$folder"
    cp "$work/$page.md" "$folder/$page.md"
    say "$folder/$page.md"
}
