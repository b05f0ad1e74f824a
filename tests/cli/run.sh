#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Golden tests of the command line.
#   tests/cli/run.sh [--bless] [NAME...]
# A case is cases/NAME.sh, run by bash in an empty scratch folder that has the links traces/,
# configs/ and tests/ into the tree, with $HORUS the program. What it prints is compared with
#   NAME.stdout, NAME.stderr   exactly; a missing file means: prints nothing
#   NAME.stdout.glob, ...      line by line as shell patterns; a line `...` stands for any lines
#   NAME.stdout.ignore, ...    not at all
#   NAME.exit                  exit code; missing means 0
# --bless writes the exact files and NAME.exit from what the program does now; .glob files are
# left for you to edit. Read the diff before you commit it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cases=$top/tests/cli/cases
: "${HORUS:=$top/build/release/horus}"
export HORUS LC_ALL=C TZ=UTC NO_COLOR=1 TERM=dumb COLUMNS=100

bless=no
if [ "${1-}" = --bless ]; then
    bless=yes
    shift
fi
if [ ! -x "$HORUS" ]; then
    echo "FAIL - cli: no program at $HORUS (run make)"
    exit 1
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/horus-cli.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# Lines of file $2 against patterns of file $1.
matches_glob() {
    local -a want got
    mapfile -t want <"$1"
    mapfile -t got <"$2"
    matches_from 0 0
}
matches_from() { # index into want, index into got
    local w=$1 g=$2
    while [ "$w" -lt ${#want[@]} ]; do
        if [ "${want[$w]}" = ... ]; then
            while [ "$g" -le ${#got[@]} ]; do
                matches_from $((w + 1)) "$g" && return 0
                g=$((g + 1))
            done
            return 1
        fi
        [ "$g" -lt ${#got[@]} ] || return 1
        # shellcheck disable=SC2053 # the right side is a pattern on purpose
        [[ ${got[$g]} == ${want[$w]} ]] || return 1
        w=$((w + 1)) g=$((g + 1))
    done
    [ "$g" -eq ${#got[@]} ]
}

check_stream() { # NAME stdout|stderr FILE: prints the difference
    local expected=$cases/$1.$2
    if [ -e "$expected.ignore" ]; then
        return 0
    elif [ -e "$expected.glob" ]; then
        matches_glob "$expected.glob" "$3" || diff -u --label "$1.$2.glob" --label got \
            "$expected.glob" "$3"
    elif [ -e "$expected" ]; then
        diff -u --label "$1.$2" --label got "$expected" "$3"
    else
        diff -u --label "$1.$2 (empty)" --label got /dev/null "$3"
    fi
}

bless_stream() { # NAME stdout|stderr FILE
    local expected=$cases/$1.$2
    [ -e "$expected.ignore" ] || [ -e "$expected.glob" ] && return 0
    if [ -s "$3" ]; then cp "$3" "$expected"; else rm -f "$expected"; fi
}

run_case() {
    local name=$1 code wanted=0 differences
    mkdir -p "$scratch/$name/in"
    cd "$scratch/$name/in" || exit 1
    ln -s "$top/traces" "$top/configs" "$top/tests" .
    bash "$cases/$name.sh" >../stdout 2>../stderr </dev/null
    code=$?
    cd "$top" || exit 1
    [ -e "$cases/$name.exit" ] && wanted=$(cat "$cases/$name.exit")
    if [ "$bless" = yes ]; then
        bless_stream "$name" stdout "$scratch/$name/stdout"
        bless_stream "$name" stderr "$scratch/$name/stderr"
        if [ "$code" -ne 0 ]; then echo "$code" >"$cases/$name.exit"; else rm -f "$cases/$name.exit"; fi
        echo "ok - cli/$name blessed, exit $code"
        return 0
    fi
    differences=$(
        check_stream "$name" stdout "$scratch/$name/stdout"
        check_stream "$name" stderr "$scratch/$name/stderr"
        [ "$code" -eq "$wanted" ] || echo "exit code $code, expected $wanted"
    )
    rm -rf "${scratch:?}/$name"
    if [ -z "$differences" ]; then
        echo "ok - cli/$name"
    else
        echo "FAIL - cli/$name"
        printf '%s\n' "$differences"
        return 1
    fi
}

if [ $# -eq 0 ]; then
    for file in "$cases"/*.sh; do
        [ -e "$file" ] || continue
        set -- "$@" "$(basename "$file" .sh)"
    done
fi
failed=0
for name in "$@"; do
    run_case "${name%.sh}" || failed=1
done
exit $failed
