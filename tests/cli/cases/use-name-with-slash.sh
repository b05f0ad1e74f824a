# SPDX-License-Identifier: GPL-3.0-or-later
# The name becomes part of a path.
"$HORUS" run traces/sample.csv --name=a/b
