# SPDX-License-Identifier: GPL-3.0-or-later
# --set of a misspelt key.
"$HORUS" run traces/sample.csv -o out --set sede=4
