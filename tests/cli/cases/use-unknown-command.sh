# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt command.
"$HORUS" rum traces/sample.csv
