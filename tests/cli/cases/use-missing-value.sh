# SPDX-License-Identifier: GPL-3.0-or-later
# An option without its value.
"$HORUS" run traces/sample.csv -c
