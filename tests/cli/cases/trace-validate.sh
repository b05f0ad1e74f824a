# SPDX-License-Identifier: GPL-3.0-or-later
# A sound trace against a cluster.
"$HORUS" trace validate traces/sample.csv -c 8x8:V100
