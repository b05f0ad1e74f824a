/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reservations (MODEL.md 14) in a profile of free GPUs, so that backfilling plans around them.
 */
#pragma once

#include "policies/lib/free_profile.h"

/* Takes from a profile of the VC's free GPUs, in thousandths, what is free of windows to come while
 * they are open, and gives back what is free of open ones at their end. False: see
 * hs_free_profile_add. O(nodes of the windows). */
bool hs_reserved_take(struct hs_free_profile *f, const struct hs_view *v, uint32_t vc);
/* Of a job that starts or is expected to end at that time, which the profile counts on all nodes:
 * gives (1) or takes (-1) from then on what it holds of windows while they are open, for what is
 * free of these then is theirs. O(windows x nodes of the job). */
bool hs_reserved_correct(struct hs_free_profile *f, const struct hs_view *v, hs_job_id job,
                         int64_t from_us, int64_t sign);
