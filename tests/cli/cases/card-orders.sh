# SPDX-License-Identifier: GPL-3.0-or-later
# Policies whose cards must not read the same: what srsf and las go by, what a quirk charges.
for policy in srtf srsf las tiresias:inqueue=submit tiresias:index=gittins srtf:compat=muri las:compat=muri,preempt_cost=table; do
    "$HORUS" run traces/sample.csv -c 8x8:V100 -p "$policy" --max-jobs 20 --dry-run -q | grep -E "^(policy|order|preemption)"
done
