# SPDX-License-Identifier: GPL-3.0-or-later
# A run that wrote no schedule has nothing to verify.
"$HORUS" run traces/sample.csv -c 8x8:V100 --outputs=summary -q -o out >/dev/null
"$HORUS" verify out
