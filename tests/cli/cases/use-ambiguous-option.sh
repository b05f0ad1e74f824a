# SPDX-License-Identifier: GPL-3.0-or-later
# A short form of two options.
"$HORUS" run traces/sample.csv --co=4x4
