# SPDX-License-Identifier: GPL-3.0-or-later
# Not a sampling.
"$HORUS" run traces/sample.csv --sample=sometimes
