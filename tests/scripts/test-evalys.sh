#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# jobs.csv opens in evalys' JobSet as it is: what its from_csv does, done by evalys-facts.py with
# pandas (python3-pandas; evalys is not packaged), on runs with and without preemption, sharing, jobs
# that never start and jobs without GPUs.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${HORUS:=$top/build/release/horus}"
export LC_ALL=C TZ=UTC
for python in python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || "$python" -c 'import pandas' 2>/dev/null || continue
    break
done
if [ -z "$python" ]; then
    echo "skip - evalys: python3-pandas is not installed"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-evalys.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 1
failed=0

opens() { # NAME exclusive|preemptive|shared OPTION...
    local name=$1 kind=$2 said
    shift 2
    said=$("$HORUS" run "$@" -q -o "$work/$name" 2>&1 >/dev/null) || {
        echo "FAIL - evalys: $name: the run itself failed"
        printf '%s\n' "$said"
        failed=1
        return
    }
    if said=$("$python" tests/scripts/evalys-facts.py "$work/$name" "$kind" 2>&1); then
        echo "ok - evalys: $name"
    else
        echo "FAIL - evalys: $name"
        printf '%s\n' "$said"
        failed=1
    fi
}

opens fifo exclusive traces/sample.csv -c 8x8:V100 -p fifo
opens sjf exclusive traces/sample.csv -c 8x8:V100 -p sjf
opens preempted preemptive traces/sample.csv -c 8x8:V100 -p srtf
opens co-located shared traces/sample.csv -c 3x8:V100 -p horus
opens sliced shared traces/sample-classes.csv -c 4x8:V100 -p antman
opens a-horizon exclusive traces/sample.csv -c 8x8:V100 -p fifo --until 2d
opens rejected-jobs exclusive traces/sample.csv -c 4x4:V100,1x8:P100 -p fifo:placement=count
opens cpu-jobs exclusive traces/sample-helios.csv -c 8x8:V100 -p fifo --cpu-jobs=keep

# Files that JobSet would refuse or misread are found.
for damage in '2s/,1,\([0-9]*\),/,yes,\1,/' '1s/stretch/strech/' 's/,\([0-9]*\)-\([0-9]*\),u/,\1:\2,u/' \
    '9,99s/,\([0-9]*\),u/,0,u/'; do
    cp -r "$work/fifo" "$work/damaged"
    sed -i "$damage" "$work/damaged/jobs.csv"
    if cmp -s "$work/fifo/jobs.csv" "$work/damaged/jobs.csv" ||
        "$python" tests/scripts/evalys-facts.py "$work/damaged" exclusive >/dev/null 2>&1; then
        echo "FAIL - evalys: a file with $damage passes"
        failed=1
    else
        echo "ok - evalys: a file with $damage does not pass"
    fi
    rm -r "$work/damaged"
done
exit $failed
