# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the scripts/reproduce-*.sh share; they source it from the top of the tree and call
# `begin PAGE "$@"` with their own arguments:
#   [--quick] [BUILD [FOLDER]]        defaults: build/release results
# It sets quick, horus (the program), folder (of the page), data ($HORUS_DATA, else ../shared/data)
# and work, a folder of its own that goes with the script. An experiment compares policies on a
# workload; its figures are collected in $work/cells, of which the tables of the page are made.
export LC_ALL=C
told=() # -v NAME=VALUE, what a page tells its tables

begin() { # PAGE [--quick] [BUILD [FOLDER]]
    page=$1
    shift
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
}

say() { printf '%5d s  %s\n' $((SECONDS - start_s)) "$*" >&2; }

quietly() { # COMMAND...: its warnings only if it fails
    "$@" 2>"$work/log" || { cat "$work/log" >&2; return 1; }
}

compare_into() { # TRACE ARGUMENT...: into $work/run
    "$horus" compare "$@" -j 2 -o "$work/run" -f -q --no-progress >/dev/null
}

# Of the last comparison, the figures that the page needs. DRAW - is the run's assignment, @ its
# seed. A policy loses what its name has of DROP, a regular expression.
cells() { # EXPERIMENT WORKLOAD DRAW METRICS [DROP]
    awk -v experiment="$1" -v workload="$2" -v draw="$3" -v metrics="$4" -v drop="${5-}" \
        -f scripts/reproduce-cells.awk "$work/run/runs.csv" >>"$work/cells"
}

table() { # NAME [OF]
    awk -v table="$1" -v of="${2-}" "${told[@]}" -f scripts/reproduce-page.awk -f "scripts/$page-page.awk" \
        "$work/cells"
}

across() { # METRIC REFERENCE NAME=EXPERIMENT...
    local IFS=';'
    table across "$*"
}

picture() { # NAME TITLE: of the last comparison
    mkdir -p "$folder/reference"
    LC_ALL=C.UTF-8 gnuplot -c scripts/plot-compare.gp "$work/run" "$folder/reference/$1.png" "$2"
}

can_draw() {
    [ $quick = no ] || return 1
    command -v gnuplot >/dev/null && return
    say "skip: pictures: no gnuplot"
    return 1
}

pictured() { # NAME CAPTION
    [ $quick = yes ] || printf '\n![%s](reference/%s.png)\n' "$2" "$1"
}

# The page is complete or the one before stays.
put_page() { # from $work
    mkdir -p "$folder"
    cp "$work/$page.md" "$folder/$page.md"
    say "$folder/$page.md"
}
