# SPDX-License-Identifier: GPL-3.0-or-later
# A directory below a file cannot be made.
: >file
"$HORUS" run traces/sample.csv -c 8x8:V100 -o file/out
