# SPDX-License-Identifier: GPL-3.0-or-later
# The same.
"$HORUS" run traces/sample.csv -p ""
