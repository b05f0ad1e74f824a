#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `make new-policy NAME=x` on a copy of the tree: one new file, one new line, and what comes out
# builds without a warning, runs, is listed, and passes the conformance tests.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/horus-policy.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0

check() { # NAME COMMAND...
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "ok - new-policy: $name"
    else
        echo "FAIL - new-policy: $name"
        printf '%s\n' "$said"
        failed=1
    fi
}
refuses() { ! "$@"; }

cp -r "$top"/{Makefile,src,include,scripts,traces,configs} "$tree/"
mkdir "$tree/tests"
cp -r "$top"/tests/{support,ref,conformance} "$tree/tests/" || exit 1
cp -r "$tree/src" "$tree/before"
cd "$tree" || exit 1

check "creates" make -s new-policy NAME=newcomer
check "one file and one line" test "$(diff -r before src | grep -c '^[<>O]')" -eq 2
check "refuses a name that is taken" refuses make -s new-policy NAME=newcomer
check "refuses a name that is no identifier" refuses make -s new-policy NAME='a b'
check "builds without a warning" make -s -j2 OPT=-O1 CFLAGS=-Werror all tests
check "is listed" sh -c 'build/release/horus policies | grep -q newcomer'
check "runs" build/release/horus run traces/sample.csv -c 8x8:V100 -p newcomer -o run -q
check "schedules like fifo" sh -c '
    build/release/horus run traces/sample.csv -c 8x8:V100 -p fifo -o fifo -q &&
    cmp run/segments.csv fifo/segments.csv'
check "passes the conformance tests" build/release/tests/conformance/test_policies
exit $failed
