# SPDX-License-Identifier: GPL-3.0-or-later
# Native sample.
"$HORUS" trace info traces/sample.csv
