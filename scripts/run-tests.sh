#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs test programs, some at a time, and counts their cases.
#   scripts/run-tests.sh [-j N] PROGRAM...
# A program is a cmocka test (TAP: `ok`, `not ok`, `# SKIP`) or a script that prints a line
# `ok - NAME`, `FAIL - NAME` or `skip - NAME: reason` a case; one that prints neither is one case.
# Failing programs have their output shown, but for the cases that passed. The last line is `N passed, N failed, N skipped`.
set -u
# Tests that call make print themselves what they build.
unset MAKEFLAGS MFLAGS MAKELEVEL VARIANT BUILD CC OPT CFLAGS LDFLAGS
limit_s=${HORUS_TEST_LIMIT:-900}
# A failed allocation is an error of the program, under the sanitizer too.
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

run_one() { # PROGRAM LOG: prints the program's line, leaves LOG and LOG.count
    local program=$1 log=$2 status begin
    # A program that fails or dies while it writes its coverage counters spoils them for all.
    case $program in *-checkpoint.sh | *-faults.sh | *-kill.sh | *-race.sh | *-three-ways.sh) export GCOV_PREFIX=$log.gcov ;; esac
    begin=$(date +%s%N)
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit_s" "$program" >"$log" 2>&1 </dev/null
    status=$?
    local ms=$((($(date +%s%N) - begin) / 1000000))
    awk -v status="$status" -v limit="$limit_s" -v ms="$ms" -v name="${program#build/*/}" \
        -v count="$log.count" '
        /^skip - / { skipped++; notes[++n] = $0; next }
        # The text that the test printed before its TAP line is the reason.
        /^not ok .*# SKIP/ {
            skipped++
            sub(/^not ok [0-9]+ # SKIP */, "")
            sub(/^[Ss][Kk][Ii][Pp]([Pp][Ee][Dd])?: */, "", said)
            notes[++n] = "skip - " $0 ": " said
            said = ""
            next
        }
        /^not ok / || /^FAIL - / { failed++; said = ""; next }
        /^ok / { passed++; said = ""; next }
        { said = $0 }
        END {
            if (status == 124) { failed++; notes[++n] = "stopped after " limit " s" }
            else if (status != 0 && !failed) { failed++; notes[++n] = "exit status " status }
            else if (status == 0 && !passed && !failed && !skipped) passed++
            printf "%-4s %-44s %4d passed%s%s  %d.%03d s\n", failed ? "FAIL" : "ok", name, passed,
                failed ? sprintf(", %d failed", failed) : "",
                skipped ? sprintf(", %d skipped", skipped) : "", int(ms / 1000), ms % 1000
            for (i = 1; i <= n; i++) print "     " notes[i]
            print passed + 0, failed + 0, skipped + 0 > count
            exit failed > 0
        }' "$log" || grep -v '^ok ' "$log" | sed 's/^/     | /' | tail -n 200
}

if [ "${1-}" = --one ]; then
    # Printed in one piece, so that parallel programs do not interleave.
    text=$(run_one "$2" "$3")
    printf '%s\n' "$text"
    exit 0
fi

jobs=2
if [ "${1-}" = -j ]; then
    jobs=$2
    shift 2
fi
logs=$(mktemp -d "${TMPDIR:-/tmp}/horus-tests.XXXXXX") || exit 1
trap 'rm -rf "$logs"' EXIT

# Scripts first: they take longest.
{
    for program in "$@"; do case $program in *.sh) echo "$program" ;; esac; done
    for program in "$@"; do case $program in *.sh) ;; *) echo "$program" ;; esac; done
} | awk -v logs="$logs" '{ printf "%s\n%s/%04d\n", $0, logs, NR }' |
    xargs -r -d '\n' -n 2 -P "$jobs" "$0" --one

cat "$logs"/*.count 2>/dev/null | awk -v programs="$#" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        failed += programs - NR # a program without a count did not return
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }'
