# SPDX-License-Identifier: GPL-3.0-or-later
# Not a number.
"$HORUS" run traces/sample.csv --seed=0x10
