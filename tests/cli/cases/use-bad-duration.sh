# SPDX-License-Identifier: GPL-3.0-or-later
# Not a time.
"$HORUS" run traces/sample.csv --until=soon
