# SPDX-License-Identifier: GPL-3.0-or-later
# A .gz that lost its end.
gzip -c traces/sample.csv | head -c 5000 >t.csv.gz
"$HORUS" run t.csv.gz -c 2x4 -o out
