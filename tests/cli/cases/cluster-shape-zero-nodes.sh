# SPDX-License-Identifier: GPL-3.0-or-later
# No nodes.
"$HORUS" run traces/sample.csv -c 0x8:V100 -o out
