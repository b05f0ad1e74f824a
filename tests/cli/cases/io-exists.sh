# SPDX-License-Identifier: GPL-3.0-or-later
# An existing directory is not overwritten.
mkdir out
"$HORUS" run traces/sample.csv -c 8x8:V100 -o out
