# SPDX-License-Identifier: GPL-3.0-or-later
# Not a choice.
"$HORUS" run traces/sample.csv --check=ful
