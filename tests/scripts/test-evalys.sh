#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# evalys' JobSet reads jobs.csv unchanged: evalys-facts.py does with pandas what its from_csv does
# (evalys is not packaged), on runs with and without preemption, sharing, jobs that never start and jobs
# without GPUs.
subject=evalys
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

for python in python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || "$python" -c 'import pandas' 2>/dev/null || continue
    break
done
if [ -z "$python" ]; then
    skip "python3-pandas is not installed"
    exit 0
fi

opens() { # NAME exclusive|preemptive|shared OPTION...
    local name=$1 kind=$2
    shift 2
    "$HORUS" run "$@" -q -o "$work/$name" >"$work/said" 2>&1 || cat "$work/said"
    succeeds "$name" "$python" tests/scripts/evalys-facts.py "$work/$name" "$kind"
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
    verdict "a file with $damage does not pass" "$(
        ! cmp -s "$work/fifo/jobs.csv" "$work/damaged/jobs.csv" || echo "it is not damaged"
        ! "$python" tests/scripts/evalys-facts.py "$work/damaged" exclusive >/dev/null 2>&1 || echo "it passes"
    )"
    rm -r "$work/damaged"
done
exit $failed
