# SPDX-License-Identifier: GPL-3.0-or-later
# A colon and no type.
"$HORUS" run traces/sample.csv -c 4x8: -o out
