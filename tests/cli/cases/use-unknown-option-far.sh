# SPDX-License-Identifier: GPL-3.0-or-later
# An option like no other.
"$HORUS" run traces/sample.csv --zzzzzz
