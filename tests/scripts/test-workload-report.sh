#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/report/workload-report.sh: results/workloads.md equals the committed page; without traces the tables
# of real ones stay unchanged, with a message; a figure that misses its goal is named and counted. The same
# for results/held-out.md, if the traces are available.
subject=workload-report
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

build=$(dirname "$HORUS")

# Without traces the tables that need them are those of the present page.
mkdir -p "$work/page"
cp results/workloads.md "$work/page"
HORUS_DATA=$work/nowhere tests/report/workload-report.sh "$build" "$work/page" 2>"$work/said"
status=$?
verdict "results/workloads.md is as committed" "$(
    [ $status = 0 ] || { echo "exit code $status"; cat "$work/said"; }
    diff results/workloads.md "$work/page/workloads.md"
)"
verdict "tables of real traces stay without them, and this is said" "$(
    grep -c '^skip: no traces in .*: table ".*" of .* is left as it is$' "$work/said" | grep -vx 2
    grep -c '^| Venus, March to July 2020 |' "$work/page/workloads.md" | grep -vx 1
)"
if [ -r "$HORUS_DATA/traces/venus_gpu_jobs_mar-jul2020.csv" ]; then
    verdict "tables of real traces are as committed" "$(
        "$build/tests/report/report_workloads" venus >"$work/venus"
        "$build/tests/report/report_workloads" real-fits "$work" >"$work/real-fits"
        for name in venus real-fits; do
            sed -n "/^<!-- fill: real $name/,/^<!-- end -->\$/p" results/workloads.md | grep -v '^<!--' |
                diff -B - "$work/$name"
        done
    )"
else
    skip "tables of real traces: none in $HORUS_DATA/traces"
fi

# Generated jobs beside the later part of traces.
if [ -r "$HORUS_DATA/traces/itp/itp_cluster07.csv" ]; then
    scripts/reproduce-held-out.sh --quick "$build" "$work/page" >"$work/said" 2>&1 || cat "$work/said"
    verdict "results/held-out.md is as committed, users apart" "$(diff results/held-out.md "$work/page/held-out.md")"
else
    skip "results/held-out.md: no traces in $HORUS_DATA/traces"
fi

# Stand-ins with a given output: one figure met, one met by the mean, two missed.
mkdir -p "$work/build/tests/report" "$work/made"
cat >"$work/build/tests/report/report_workloads" <<'END'
#!/bin/sh
[ "$1" = goals ] || exit 0
printf '\n### lab\n\n'
echo '| G1 | a | 1 |  | 1 | x | 1 | 0 | 0 to 0 | 1 | met |'
echo '| G2 | b | 1 |  | 1 | x | 1 | 0 | 0 to 2 | 1 | met by the mean |'
echo '| G3 | c | 1 |  | 1 | x | 9 | 8 | 8 to 8 | 1 | **missed** |'
echo '| G4 | d | 1 |  | 1 | x | 9 | 8 | 8 to 8 | 1 | **missed** |'
echo '| - | e | 1 |  | 1 | x | 9 | 8 | 8 to 8 |  | stated |'
END
chmod +x "$work/build/tests/report/report_workloads"
tests/report/workload-report.sh "$work/build" "$work/made" 2>"$work/said"
verdict "what is missed is counted and named" "$(
    grep -qxF "| \`lab\` | 1 | 1 | 2 | G3: c, G4: d |" "$work/made/workloads.md" ||
        grep -F 'lab' "$work/made/workloads.md"
    grep -q '^goals are missed: see ' "$work/said" || cat "$work/said"
)"
exit "$failed"
