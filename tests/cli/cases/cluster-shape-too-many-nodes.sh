# SPDX-License-Identifier: GPL-3.0-or-later
# More nodes than the documented limit.
"$HORUS" run traces/sample.csv -c 2000000x8:V100 -o out
