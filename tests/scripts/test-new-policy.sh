#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `make new-policy NAME=x` on a copy of the tree: one new file and one new line; the result builds without a
# warning, runs, is listed, and passes the conformance tests. Existing objects are copied, so only few files
# are compiled.
subject=new-policy
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

tree=$work
refuses() { ! "$@"; }

cp -rp "$top"/{Makefile,src,include,scripts,traces,configs} "$tree/"
mkdir -p "$tree"/{tests,build/release/tests}
cp -rp "$top"/tests/{support,ref,fuzz,conformance} "$tree/tests/" || exit 1
built=$(dirname "$HORUS")
cp -rp "$built"/{src,flags,sources,builtin_files.def,libraries} "$tree/build/release/"
sed "s#=$top/#=$tree/#" "$built/flags" >"$tree/build/release/flags" # of -ffile-prefix-map
touch -r "$built/flags" "$tree/build/release/flags"
cp -rp "$built"/tests/{support,ref,fuzz} "$tree/build/release/tests/"
cp -r "$tree/src" "$tree/before"
cd "$tree" || exit 1

succeeds "creates" make -s new-policy NAME=sjf-ageing
succeeds "one file and one line" test "$(diff -r before src | grep -c '^[<>O]')" -eq 2
succeeds "refuses a name that is taken" refuses make -s new-policy NAME=sjf-ageing
succeeds "refuses the name of a policy in another's file" refuses make -s new-policy NAME=sjf
succeeds "refuses a name that is no identifier" refuses make -s new-policy NAME='a b'
verdict "builds without a warning" "$(make -s -j2 all tests 2>&1 || echo "exit code $?")"
succeeds "is listed" sh -c 'build/release/horus policies | grep -q sjf-ageing'
succeeds "runs" build/release/horus run traces/sample.csv -c 8x8:V100 -p sjf-ageing -o run -q
succeeds "schedules like fifo" sh -c '
    build/release/horus run traces/sample.csv -c 8x8:V100 -p fifo -o fifo -q &&
    cmp run/segments.csv fifo/segments.csv'
succeeds "passes the conformance tests" build/release/tests/conformance/test_policies
exit $failed
