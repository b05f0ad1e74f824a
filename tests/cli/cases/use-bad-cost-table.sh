# SPDX-License-Identifier: GPL-3.0-or-later
# A preemption that costs less than nothing.
"$HORUS" run traces/sample.csv -c 8x8:V100 -p srtf:preempt_cost=table,cost_table=-7/30
