/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast a job runs where it sits (model.md 4): a gang at the rate of its slowest worker; a GPU
 * with several active tenants slows each of them by the interference model, unless they take turns
 * in one lane. O(nodes of the job), where it shares none of its GPUs and all are alike O(1).
 */
#ifndef HORUS_ENGINE_RATE_H
#define HORUS_ENGINE_RATE_H

#include "engine/state.h"

/* The rate of the job now, Q32. */
uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job);
/* The rate that its placement gives a job, once it is not held up by a cost. */
uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job);

/* Jobs that take turns with each other, each in its own. */
static inline bool hs_rate_are_apart(const struct hs_job_stay *a, const struct hs_job_stay *b)
{
    return a->lane != 0 && a->lane == b->lane && (a->unit == 0 || a->unit != b->unit);
}

#endif
