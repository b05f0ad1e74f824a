#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two writers of one output at the same time, with different inputs: the output is in the end that of one of
# the two, and the refused writer gets a message (exit code 4). HORUS_LONG=1: 200 races.
subject=race
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
races=10
[ -z "${HORUS_LONG:-}" ] || races=200
cp traces/sample.csv "$work/t.csv"
cd "$work" || exit 1

run() { "$HORUS" run t.csv -c 8x8:V100 -q -p "$@" >/dev/null; }                  # POLICY OPTION...
table() { "$HORUS" compare t.csv -c 8x8:V100 --max-jobs 300 -q -p sjf -p "$@" >/dev/null; }
made() { "$HORUS" generate --like philly -n 20000 --format csv --seed "$@" >/dev/null; } # SEED OPTION...
rows() { cat "$1"/*.csv; }

run fifo -o run.fifo && run srtf -o run.srtf && table fifo -o table.fifo && table srtf -o table.srtf
made 1 -o made.1 2>said && made 2 -o made.2 2>said

race() { # KIND A B OPTION...: what is wrong
    local kind=$1 a=$2 b=$3 first second codes
    shift 3
    "$kind" "$a" -o out "$@" 2>said.a &
    first=$!
    "$kind" "$b" -o out "$@" 2>said.b &
    second=$!
    wait $first
    codes=$?
    wait $second
    codes+=" $?"
    case $codes in
        '0 0' | '0 4' | '4 0') ;;
        *) echo "$kind: exit codes $codes: $(cat said.a said.b)" ;;
    esac
    [ "$codes" = '0 0' ] || grep -qE 'another horus is writing|exists' said.a said.b || cat said.a said.b
    if [ "$kind" = made ]; then
        cmp -s out made.1 || cmp -s out made.2 || echo "made: of neither seed"
    else
        rows out | cmp -s - <(rows "$kind.$a") || rows out | cmp -s - <(rows "$kind.$b") || echo "$kind: mixed"
        [ "$kind" != run ] || "$HORUS" verify out >said 2>&1 || cat said
    fi
    find . -name '*.tmp-*' -o -name '*.old-*' -o -name '.*.horus'
}
findings=$(
    for ((i = 0; i < races; i++)); do
        case $((i % 5)) in
            0) race run fifo srtf ;;
            1) run sjf -o out && race run srtf fifo --force ;;
            2) race made 1 2 ;;
            3) race table fifo srtf ;;
            4) race run fifo srtf --force ;;
        esac
        rm -rf out
    done
)
verdict "$races races: wholly one of the two, or a refusal" "$findings"
exit $failed
