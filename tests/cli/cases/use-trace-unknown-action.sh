# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt action.
"$HORUS" trace inof traces/sample.csv
