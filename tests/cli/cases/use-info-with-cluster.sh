# SPDX-License-Identifier: GPL-3.0-or-later
# An option without a meaning here.
"$HORUS" trace info traces/sample.csv -c 8x8:V100
