#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Random clusters (racks, GPU types, CPU and memory limits, quotas) and random traces, every other one
# with shares of GPUs and sets of GPU types, under random policies, all with --check=full; each
# finished run is verified independently. 200 scenarios, 2,000 with HORUS_LONG=1. One alone:
# tests/scripts/test-hammer.sh SEED
subject=hammer
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

cd "$work" || exit 1

first=${1:-1}
last=${1:-$([ -n "${HORUS_LONG:-}" ] && echo 2000 || echo 200)}
for ((seed = first; seed <= last; seed++)); do
    read -r -a options < <(awk -v seed="$seed" -v cluster=c.json -v trace=t.csv \
        -f "$top/tests/scripts/test-hammer.awk")
    # a run that rejects every job has exit code 3 and is verified like others
    { "$HORUS" run t.csv -c c.json "${options[@]}" --check=full -o run --force -q >out 2>&1 ||
        { [ $? -eq 3 ] && grep -q 'jobs were rejected under' out; }; } &&
        "$HORUS" verify run >out 2>&1 && continue
    verdict "seed $seed: ${options[*]}" "$(cat out)"
done
[ $failed -ne 0 ] || verdict "$((last - first + 1)) random scenarios run clean and verify" ""
exit $failed
