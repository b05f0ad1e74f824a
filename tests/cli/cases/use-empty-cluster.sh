# SPDX-License-Identifier: GPL-3.0-or-later
# An empty text where one is needed.
"$HORUS" run traces/sample.csv -c ""
