# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt option.
"$HORUS" run traces/sample.csv --polcy fifo
