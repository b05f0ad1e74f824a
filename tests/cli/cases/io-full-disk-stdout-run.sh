# SPDX-License-Identifier: GPL-3.0-or-later
# The same after a run: its files stay.
"$HORUS" run traces/sample.csv -c 8x8:V100 -q -o out >/dev/full
code=$?
ls out
exit $code
