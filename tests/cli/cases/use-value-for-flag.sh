# SPDX-License-Identifier: GPL-3.0-or-later
# A flag takes no value.
"$HORUS" run traces/sample.csv --force=yes
