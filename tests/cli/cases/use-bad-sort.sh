# SPDX-License-Identifier: GPL-3.0-or-later
# Not a window.
"$HORUS" run traces/sample.csv --sort=some
