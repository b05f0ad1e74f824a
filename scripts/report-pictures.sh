#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pictures of the pages that `horus report` makes, by headless Chromium: of the sweep
# configs/sweeps/load.json over 5,000 jobs like those of the sample, and of one run of the sample.
#   scripts/report-pictures.sh BUILD [OUT]      default OUT: results; the pages stay in BUILD/report
# Needs chromium (scripts/install-deps.sh browser).
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/report-pictures.sh BUILD [OUT]}
out=${2:-results}
pages=$PWD/$build/report
mkdir -p "$pages"

picture() { # NAME HEIGHT
    "$build/horus" report "$pages/$1" -o "$pages/$1.html" --force >&2
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
        --user-data-dir="$pages/profile" --window-size="1100,$2" \
        --screenshot="$PWD/$out/report-$1.png" "file://$pages/$1.html" >"$pages/browser.log" 2>&1 ||
        { cat "$pages/browser.log" >&2; exit 1; }
    echo "$out/report-$1.png"
}

LC_ALL=C awk -v kind=native -v jobs=5000 -f scripts/make-samples.awk >"$pages/jobs-5000.csv"
"$build/horus" sweep configs/sweeps/load.json --set trace="$pages/jobs-5000.csv" -o "$pages/sweep" -j 2 >&2
"$build/horus" run traces/sample.csv -c 8x8:V100 -p srtf -q --force -o "$pages/run" >&2
picture sweep 1690
picture run 2210
rm -rf "$pages/profile"
