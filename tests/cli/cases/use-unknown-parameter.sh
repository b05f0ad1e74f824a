# SPDX-License-Identifier: GPL-3.0-or-later
# A misspelt parameter.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p fifo:scam=fit
