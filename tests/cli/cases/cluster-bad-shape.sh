# SPDX-License-Identifier: GPL-3.0-or-later
# Not NODESxGPUS.
"$HORUS" run traces/sample.csv -c 4by8 -o out
