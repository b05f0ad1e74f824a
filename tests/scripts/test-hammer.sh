#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Random clusters (racks, GPU types, CPU and memory limits, quotas) and random traces, every other one
# with shares of GPUs and sets of GPU types, under random policies, all with --check=full; each
# finished run is verified independently. 200 scenarios, 2,000 with HORUS_LONG=1. One alone:
# tests/scripts/test-hammer.sh SEED
set -u
cd "$(dirname "$0")/../.." || exit 1
horus=$(realpath "${HORUS:-build/release/horus}")
scenario=$PWD/tests/scripts/test-hammer.awk
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

first=${1:-1}
last=${1:-$([ -n "${HORUS_LONG:-}" ] && echo 2000 || echo 200)}
failed=0
for ((seed = first; seed <= last; seed++)); do
    read -r -a options < <(awk -v seed="$seed" -v cluster=c.json -v trace=t.csv -f "$scenario")
    "$horus" run t.csv -c c.json "${options[@]}" --check=full -o run --force -q >out 2>&1 &&
        "$horus" verify run >out 2>&1 && continue
    failed=$((failed + 1))
    echo "FAIL - seed $seed: ${options[*]}"
    sed 's/^/    /' out
done
[ "$failed" -eq 0 ] && echo "ok - $((last - first + 1)) random scenarios run clean and verify"
exit "$((failed > 0))"
