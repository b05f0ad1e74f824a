# SPDX-License-Identifier: GPL-3.0-or-later
# A run without jobs.csv has nothing to compare.
"$HORUS" run traces/sample.csv -c 8x8:V100 -q -o a >/dev/null
"$HORUS" run traces/sample.csv -c 8x8:V100 --outputs=summary -q -o b >/dev/null
"$HORUS" compare a b
