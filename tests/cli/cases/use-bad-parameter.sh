# SPDX-License-Identifier: GPL-3.0-or-later
# A value the parameter does not have.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p fifo:scan=lax
