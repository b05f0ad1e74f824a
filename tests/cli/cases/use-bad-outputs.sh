# SPDX-License-Identifier: GPL-3.0-or-later
# Not an output.
"$HORUS" run traces/sample.csv --outputs=job
