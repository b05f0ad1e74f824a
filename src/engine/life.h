/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beginning and end of a job: from a trace record to a slot, from a slot to its last row.
 */
#ifndef HORUS_ENGINE_LIFE_H
#define HORUS_ENGINE_LIFE_H

#include "engine/state.h"

/* Makes a live job of a trace record, or rejects it with the reason; tells observers and policy. */
HS_MUST_USE enum hs_status hs_life_submit(struct hs_engine *e, const struct hs_trace_job *record);
/* The work of a placed job is done: frees its GPUs, tells everyone, recycles the slot; or that of
 * an attempt which fails: then it is submitted again. */
HS_MUST_USE enum hs_status hs_life_finish(struct hs_engine *e, uint32_t slot);
/* A waiting job, or one whose GPUs were already taken, ends: state is HS_JOB_FAILED or
 * HS_JOB_REJECTED. */
HS_COLD HS_MUST_USE enum hs_status hs_life_abandon(struct hs_engine *e, uint32_t slot,
                                                   enum hs_job_state state, const char *reason);
/* At the horizon: closes segments and rows of all live jobs, in order of the trace. */
HS_MUST_USE enum hs_status hs_life_cut(struct hs_engine *e);
/* Asks the policy what the job will add to the sums of a GPU, and whether it may share one. */
void hs_life_load(struct hs_engine *e, uint32_t slot);
void hs_life_tell_policy(struct hs_engine *e, enum hs_event_kind kind, uint32_t slot);

/* A job begins or ceases to wait for GPUs. */
void hs_life_waits(struct hs_engine *e, const struct hs_job *job);
void hs_life_waits_no_more(struct hs_engine *e, const struct hs_job *job);

#endif
