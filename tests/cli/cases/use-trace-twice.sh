# SPDX-License-Identifier: GPL-3.0-or-later
# An operand and --trace.
"$HORUS" run traces/sample.csv --trace=traces/sample.csv
