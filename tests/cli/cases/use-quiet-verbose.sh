# SPDX-License-Identifier: GPL-3.0-or-later
# Both.
"$HORUS" run traces/sample.csv -qv
