#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# scripts/run-tests.sh counts what it runs: TAP, scripts' lines, silent programs, crashes, time-outs.
subject=run-tests
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

program() { # NAME LINE...
    local file=$work/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

expect() { # NAME STATUS LAST-LINE WORDS PROGRAM...
    local name=$1 want=$2 last=$3 words=$4 said status
    shift 4
    said=$(HORUS_TEST_LIMIT=1 "$top/scripts/run-tests.sh" -j 2 "$@" 2>&1)
    status=$?
    verdict "$name" "$(
        [ $status -eq "$want" ] && [ "$(tail -n 1 <<<"$said")" = "$last" ] &&
            grep -q -- "$words" <<<"$said" || printf 'status %d\n%s\n' $status "$said"
    )"
}

program tap 'printf "1..3\nok 1 - a\nok 2 - b\nskip: no data\nnot ok 3 # SKIP c\n"'
program tapfail 'printf "1..2\nok 1 - a\nnot ok 2 - b\n# 1 != 2\n"; exit 1'
program lines.sh 'printf "ok - a\nskip - b: no tool\n"'
program linesfail.sh 'printf "ok - a\nFAIL - b\nwhy\n"; exit 1'
program silent 'exit 0'
program crash 'kill -SEGV $$'
program half 'echo "ok 1 - a"; kill -ABRT $$'
program slow 'exec sleep 5'

expect "TAP with a skip" 0 "2 passed, 0 failed, 1 skipped" "skip - c: no data" "$work/tap"
expect "TAP with a failure shows its output" 1 "1 passed, 1 failed, 0 skipped" "# 1 != 2" \
    "$work/tapfail"
expect "script lines" 0 "1 passed, 0 failed, 1 skipped" "skip - b: no tool" "$work/lines.sh"
expect "script failure" 1 "1 passed, 1 failed, 0 skipped" "| why" "$work/linesfail.sh"
expect "a silent program is one case" 0 "1 passed, 0 failed, 0 skipped" silent "$work/silent"
expect "a crash is a failure" 1 "0 passed, 1 failed, 0 skipped" "exit status 139" "$work/crash"
expect "a crash after a pass is a failure" 1 "1 passed, 1 failed, 0 skipped" "exit status 134" \
    "$work/half"
expect "a program that hangs is stopped" 1 "0 passed, 1 failed, 0 skipped" "stopped after 1 s" \
    "$work/slow"
expect "a missing program is a failure" 1 "1 passed, 1 failed, 0 skipped" "exit status 127" \
    "$work/silent" "$work/absent"
expect "totals add up" 1 "6 passed, 3 failed, 2 skipped" tap "$work"/{tap,tapfail,lines.sh} \
    "$work"/{linesfail.sh,silent,crash}
exit $failed
