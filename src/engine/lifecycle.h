/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beginning and end of a job: from a trace record to a slot, from a slot to its last row.
 */
#ifndef HORUS_ENGINE_LIFECYCLE_H
#define HORUS_ENGINE_LIFECYCLE_H

#include "engine/state.h"

/* Makes a live job of a trace record, or rejects it with the reason; reports it to observers and
 * policy. */
HS_MUST_USE enum hs_status hs_lifecycle_submit(struct hs_engine *e,
                                               const struct hs_trace_job *record);
/* The work of a placed job, or of an attempt that fails, is done: frees its GPUs, reports the end,
 * recycles the slot or submits the next attempt. */
HS_MUST_USE enum hs_status hs_lifecycle_finish(struct hs_engine *e, struct hs_job *job);
/* Ends a waiting job, or one that was already released; state is HS_JOB_FAILED or HS_JOB_REJECTED.
 * */
HS_COLD HS_MUST_USE enum hs_status hs_lifecycle_abandon(struct hs_engine *e, struct hs_job *job,
                                                        enum hs_job_state state,
                                                        const char *reason);
/* At the horizon: closes segments and rows of all live jobs, in order of the trace. */
HS_MUST_USE enum hs_status hs_lifecycle_cut(struct hs_engine *e);
void hs_lifecycle_notify_policy(struct hs_engine *e, enum hs_event_kind kind,
                                const struct hs_job *job);
/* The memory claim of the job per GPU: the predicted memory, at most its limit; 0 under a policy
 * without HS_KNOWS_MEMORY; more than any GPU has when it must run alone. */
uint32_t hs_oom_claim_mib(const struct hs_engine *e, const struct hs_job *job, uint32_t limit_mib);
/* A placed job is killed because its GPU ran out of memory: what it did since its start is lost, it
 * waits again, is believed to need more, and after oom_retries kills it runs only alone. */
HS_MUST_USE enum hs_status hs_oom(struct hs_engine *e, struct hs_job *job);

#endif
