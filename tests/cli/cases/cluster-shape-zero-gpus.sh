# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes without a GPU.
"$HORUS" run traces/sample.csv -c 4x0:V100 -o out
