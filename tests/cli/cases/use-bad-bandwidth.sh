# SPDX-License-Identifier: GPL-3.0-or-later
# A storage that moves nothing.
"$HORUS" run traces/sample.csv -p srtf:preempt_cost=checkpoint --storage-bandwidth 0
