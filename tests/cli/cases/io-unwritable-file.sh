# SPDX-License-Identifier: GPL-3.0-or-later
# The message names the file that was asked for, not one beside it.
"$HORUS" trace assign traces/sample.csv -o /nonexist/x.csv
