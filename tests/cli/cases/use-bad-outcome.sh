# SPDX-License-Identifier: GPL-3.0-or-later
# Not an outcome.
"$HORUS" run traces/sample.csv --outcomes=completed,exploded
