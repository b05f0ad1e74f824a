# SPDX-License-Identifier: GPL-3.0-or-later
# Not a format.
"$HORUS" run traces/sample.csv --format=phily
