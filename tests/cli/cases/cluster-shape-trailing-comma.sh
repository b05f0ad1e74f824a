# SPDX-License-Identifier: GPL-3.0-or-later
# A comma and nothing behind it.
"$HORUS" run traces/sample.csv -c 4x8:V100, -o out
