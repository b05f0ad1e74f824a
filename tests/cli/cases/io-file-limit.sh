# SPDX-License-Identifier: GPL-3.0-or-later
# A file that may not grow: nothing is left behind.
ulimit -f 16
"$HORUS" run traces/sample.csv -c 8x8:V100 -q -o out
code=$?
ls -d out* 2>/dev/null
exit $code
