#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# configs/models/*.json are what scripts/calibrate.sh fits to the public measurements, byte by byte,
# at any place and twice; they hold no row of Lucid's pairs, whose licence keeps them out; and the
# figures of the fits can be drawn.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/horus-shipped.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
: "${HORUS:=$top/build/release/horus}"
models=$top/configs/models
failed=0

verdict() { # NAME FAULTS
    if [ -z "$2" ]; then
        echo "ok - shipped models: $1"
    else
        echo "FAIL - shipped models: $1:"
        printf '%s\n' "$2"
        failed=1
    fi
}

kept=$(jq -r '.tables[] | select(.pairs != null) | .gpu' "$models/interference.json" 2>&1)
verdict "measured pairs of Gavel's types alone" "$(diff <(printf '%s\n' P100 V100 K80) - <<<"$kept")"

cd "$top" || exit 1
scripts/calibrate.sh "$HORUS" "$work/models" "$work/rows" 2>"$work/said"
case $? in
0) ;;
3)
    echo "skip - shipped models: fitted again: $(cat "$work/said")"
    exit $failed
    ;;
*)
    verdict "fitted again" "$(cat "$work/said")"
    exit 1
    ;;
esac
for kind in interference utilization predictor speed; do
    verdict "$kind.json fitted again is the same" \
        "$(cmp "$work/models/$kind.json" "$models/$kind.json" 2>&1 ||
            diff "$work/models/$kind.json" "$models/$kind.json" | head -n 10)"
done

# Other paths to the data, no rows asked for, other time zone: nothing of that may show.
ln -s "$(cd "${HORUS_DATA:-../shared/data}" && pwd)" "$work/elsewhere"
HORUS_DATA=$work/elsewhere TZ=Asia/Shanghai scripts/calibrate.sh "$HORUS" "$work/again" 2>"$work/said" ||
    cat "$work/said"
verdict "the same from elsewhere" "$(for kind in interference utilization predictor speed; do
    cmp "$work/again/$kind.json" "$work/models/$kind.json" 2>&1
    cmp "$work/again/$kind.txt" "$work/models/$kind.txt" 2>&1
done)"

if command -v gnuplot >/dev/null; then
    mkdir "$work/models/rows" "$work/plots"
    mv "$work/rows/interference.csv" "$work/models/rows/"
    verdict "figures are drawn without a warning" "$(
        gnuplot -c scripts/plot-calibration.gp "$work/models" "$work/plots" 2>&1 >"$work/drawn"
        for figure in observed utilization residual; do
            file=$work/plots/calibration-$figure.png
            [ "$(head -c 4 "$file" 2>/dev/null | tail -c 3)" = PNG ] || echo "no $file"
            grep -qxF "$file" "$work/drawn" || echo "$file was not named"
        done
    )"
else
    echo "skip - shipped models: figures: no gnuplot"
fi
exit $failed
