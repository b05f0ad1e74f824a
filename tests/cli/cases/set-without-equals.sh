# SPDX-License-Identifier: GPL-3.0-or-later
# --set of no pair.
"$HORUS" run traces/sample.csv -o out --set seed
