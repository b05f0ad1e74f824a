#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The kit that measures how jobs share a GPU: simulated loops on the CPU have known rates, and invalid
# arguments are refused before a file is made.
subject=measure-sharing
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

kit=$top/scripts/measure-sharing
if ! command -v python3 >/dev/null; then
    skip 'measure-sharing: python3 is not installed'
    exit 0
fi
refuses() { # WORDS ARGUMENT...
    "$kit" -o "$work/none" "${@:2}" >"$work/out" 2>&1 && echo 'exit code 0'
    grep -q -- "$1" "$work/out" || cat "$work/out"
    [ ! -e "$work/none.csv" ] || echo 'a file was made'
}
succeeds 'fake loops have the rates that they must have' "$kit" --self-test
verdict 'an unknown mode is refused' "$(refuses 'unknown: magic' --modes magic --gpu A10)"
verdict 'a GPU type is asked for' "$(refuses '--gpu is missing')"
exit "$failed"
