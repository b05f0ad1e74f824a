/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a job claims of a GPU's memory, and what happens when it needs more (model.md 5).
 */
#ifndef HORUS_ENGINE_OVERFLOW_H
#define HORUS_ENGINE_OVERFLOW_H

#include "engine/state.h"

/* What plans count for the job per GPU: what the policy believes of its memory, at most the limit;
 * nothing under a policy that knows no memory; more than any GPU has when it must run alone. */
uint32_t hs_overflow_claim_mib(const struct hs_engine *e, const struct hs_job *job,
                               uint32_t limit_mib);
/* A placed job is killed because its GPU ran out of memory: what it did since its start is lost, it
 * waits again, is believed to need more, and after oom_retries kills it runs only alone. */
HS_MUST_USE enum hs_status hs_overflow(struct hs_engine *e, uint32_t slot);

#endif
