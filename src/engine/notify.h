/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Telling the observers: builds the public records from the live job and calls each observer once.
 */
#ifndef HORUS_ENGINE_NOTIFY_H
#define HORUS_ENGINE_NOTIFY_H

#include "engine/state.h"

HS_MUST_USE enum hs_status hs_observe_submit(struct hs_engine *e, const struct hs_job *job);
HS_MUST_USE enum hs_status hs_observe_start(struct hs_engine *e, struct hs_job *job);
/* An action that is applied; gpus are those that the job holds now. Call it only if
 * e->hears_decision is set. */
HS_MUST_USE enum hs_status hs_observe_decision(struct hs_engine *e, const struct hs_action *a,
                                               enum hs_decision_kind kind, uint64_t value);
/* Closes the running segment of a placed, synced job. */
HS_MUST_USE enum hs_status hs_observe_segment(struct hs_engine *e, const struct hs_job *job,
                                              enum hs_segment_end ended_by);
HS_MUST_USE enum hs_status hs_observe_finish(struct hs_engine *e, const struct hs_job *job,
                                             int64_t finish_us, const char *reason);
/* Fills the causes of waiting and reports the state of the instant. */
HS_MUST_USE enum hs_status hs_observe_instant(struct hs_engine *e);

#endif
