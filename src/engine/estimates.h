/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of run times: made once a job, at its submission, from the source that the policy
 * chose in its init; updated when a job ends.
 */
#ifndef HORUS_ENGINE_ESTIMATES_H
#define HORUS_ENGINE_ESTIMATES_H

#include "engine/state.h"

/* Call it before the policy gets the submission. Each attempt of a job counts as a job. */
void hs_estimate_submitted(struct hs_engine *e, struct hs_job *job);
/* The estimate that the policy got, or would have got; -1 = none. */
int64_t hs_estimate_told_us(const struct hs_engine *e, const struct hs_job *job);
/* Call it before the policy gets the end of a job, or of an attempt. */
void hs_estimate_done(struct hs_engine *e, const struct hs_job *job);

#endif
