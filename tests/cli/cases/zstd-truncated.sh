# SPDX-License-Identifier: GPL-3.0-or-later
# A .zst that lost its end.
command -v zstd >/dev/null || { printf 't.csv.zst: error: skipped\n' >&2; exit 3; }
zstd -qc traces/sample.csv | head -c 5000 >t.csv.zst
"$HORUS" run t.csv.zst -c 2x4 -o out
