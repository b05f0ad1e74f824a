#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# configs/models/*.json are the output of scripts/calibrate.sh on the public measurements, byte by byte,
# in any folder and twice; they contain no row of Lucid's pairs, which their licence excludes; and the
# figures of the fits can be drawn.
subject='shipped models'
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

models=$top/configs/models

kept=$(jq -r '.tables[] | select(.pairs != null) | .gpu' "$models/interference.json" 2>&1)
verdict "measured pairs of Gavel's types and our own alone" "$(
    diff <(printf '%s\n' P100 V100 K80 H200 H200 H100 H100) - <<<"$kept"
)"

scripts/calibrate.sh "$HORUS" "$work/models" "$work/rows" 2>"$work/said"
case $? in
0) ;;
3)
    skip "fitted again: $(cat "$work/said")"
    exit $failed
    ;;
*)
    verdict "fitted again" "$(cat "$work/said")"
    exit 1
    ;;
esac
for kind in interference utilization predictor speed speed-mig speed-lambda; do
    verdict "$kind.json fitted again is the same" \
        "$(cmp "$work/models/$kind.json" "$models/$kind.json" 2>&1 ||
            diff "$work/models/$kind.json" "$models/$kind.json" | head -n 10)"
done

# Other paths to the data, without rows, another time zone: none of them may change the bytes.
ln -s "$HORUS_DATA" "$work/elsewhere"
HORUS_DATA=$work/elsewhere TZ=Asia/Shanghai scripts/calibrate.sh "$HORUS" "$work/again" 2>"$work/said" ||
    cat "$work/said"
verdict "the same from elsewhere" "$(for kind in interference utilization predictor speed speed-mig speed-lambda; do
    cmp "$work/again/$kind.json" "$work/models/$kind.json" 2>&1
    cmp "$work/again/$kind.txt" "$work/models/$kind.txt" 2>&1
done)"

exit $failed
