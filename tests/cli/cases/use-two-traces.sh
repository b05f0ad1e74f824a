# SPDX-License-Identifier: GPL-3.0-or-later
# Two operands.
"$HORUS" run traces/sample.csv traces/sample.csv
