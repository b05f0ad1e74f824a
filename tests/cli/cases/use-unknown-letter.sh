# SPDX-License-Identifier: GPL-3.0-or-later
# A letter that means nothing.
"$HORUS" run traces/sample.csv -Z
