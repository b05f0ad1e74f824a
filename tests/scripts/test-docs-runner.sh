#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# test-docs.sh executes commands of all shapes on a page, and detects every kind of error.
subject=docs-runner
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

page() { # NAME LINE...: writes a page and runs it
    local name=$1
    shift
    printf '%s\n' "$@" >"$work/$name.md"
    HORUS_DATA=/nowhere "$top/tests/scripts/test-docs.sh" "$work/$name.md" >"$work/$name.said" 2>&1
    code=$?
    sed -i "s#$work/##" "$work/$name.said"
}

expect() { # NAME CODE LINE...: exactly these lines that begin with ok, FAIL or skip
    local name=$1 wanted=$2
    shift 2
    printf '%s\n' "$@" >"$work/wanted"
    verdict "$name" "$(
        [ "$code" -eq "$wanted" ] || echo "exit code $code"
        grep -E '^(ok|FAIL|skip) - ' "$work/$name.said" | diff "$work/wanted" - || cat "$work/$name.said"
    )"
}

# shellcheck disable=SC2016,SC1003 # backquotes, $A and backslashes are of the page
page good '# Heading' '    jq -n 1   # behind a heading' '' 'Text: `horus run -c X --seed=1`, `make help`.' '' \
    '```' 'export A=7' 'jq -n 2 |' '    cat; jq -n \' '    3' '```' '1. An item:' '' \
    '       jq -n "1 +' '           $A"' '       # = jq -n 8' '' '   Text of the item.' '' 'Printed:' '' \
    '    {"not": "a command"}' '' 'and' '' '    make -s help' '    make bench' '' 'and' '' \
    '    ls $HORUS_DATA/traces' '    cat what-that-made' '' 'the end.'
# shellcheck disable=SC2016
expect good 0 'ok - good.md:2: jq -n 1' 'ok - good.md:4: `horus run -c X --seed=1`' \
    'ok - good.md:4: `make help`' 'ok - good.md:7: export A=7' 'ok - good.md:8: jq -n 2 |' \
    'ok - good.md:14: jq -n "1 +' 'ok - good.md:14: = jq -n 8: 8' 'ok - good.md:26: make -s help' \
    'ok - good.md:27: make bench (written out only: minutes, and needs a quiet machine)' \
    'skip - good.md:31: ls $HORUS_DATA/traces: third parties'"'"' data is not here' \
    'skip - good.md:32: cat what-that-made: follows one that wants third parties'"'"' data'

# shellcheck disable=SC2016
page bad '    horus run nothing.csv' '' '`horus run --no-such=1`' '`horus dance`' '`make nothing`' '' \
    '    dance -x' '' 'and' '' '    jq -n 1' '    # = jq -n 1.001' '' 'and' '' '    make nothing' '' 'and' '' \
    '    jq -n "1'
# shellcheck disable=SC2016
expect bad 1 'FAIL - bad.md:1: horus run nothing.csv: exit code 4, expected 0' \
    'FAIL - bad.md:3: `horus run --no-such=1`: run has no option --no-such' \
    'FAIL - bad.md:4: `horus dance`: there is no command dance' \
    'FAIL - bad.md:5: `make nothing`: there is no target nothing' \
    'FAIL - bad.md:7: a block that is no command, and test-docs.sh does not know it: dance -x' \
    'ok - bad.md:11: jq -n 1' 'FAIL - bad.md:11: = jq -n 1.001: 1.001, and above 1' \
    'FAIL - bad.md:16: make nothing: exit code 2, expected 0' \
    'FAIL - bad.md:20: a command without an end: jq -n "1'
exit $failed
