# SPDX-License-Identifier: GPL-3.0-or-later
# More GPUs on a node than the documented limit.
"$HORUS" run traces/sample.csv -c 1x2000:V100 -o out
