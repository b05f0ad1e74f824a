# SPDX-License-Identifier: GPL-3.0-or-later
# A shape has no virtual clusters.
"$HORUS" run traces/sample.csv -c 8x8:V100 --vc=partition -o out
