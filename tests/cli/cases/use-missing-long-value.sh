# SPDX-License-Identifier: GPL-3.0-or-later
# A long option without its value.
"$HORUS" run traces/sample.csv --until
