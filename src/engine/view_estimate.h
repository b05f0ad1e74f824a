/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of run times in the life of a job: made once, when it is submitted, by the source that
 * the policy chose in its init; learnt from when it is done.
 */
#ifndef HORUS_ENGINE_VIEW_ESTIMATE_H
#define HORUS_ENGINE_VIEW_ESTIMATE_H

#include "engine/state.h"

/* Before the policy hears of the submission. Each attempt of a job is a job of its own. */
void hs_estimate_submitted(struct hs_engine *e, struct hs_job *job);
/* What the policy was told, or could have been; -1 = nothing. */
int64_t hs_estimate_told_us(const struct hs_engine *e, const struct hs_job *job);
/* Before the policy hears of the end, of an attempt too. */
HS_MUST_USE enum hs_status hs_estimate_done(struct hs_engine *e, const struct hs_job *job);

#endif
