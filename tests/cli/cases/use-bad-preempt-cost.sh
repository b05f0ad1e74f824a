# SPDX-License-Identifier: GPL-3.0-or-later
# A cost that is no time.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p srtf:preempt_cost=7/x/60
