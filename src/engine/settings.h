/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a plan sets on jobs without moving them: turns, caps, memory limits, costs, requests; and
 * the ends of jobs, timers and counts.
 */
#ifndef HORUS_ENGINE_SETTINGS_H
#define HORUS_ENGINE_SETTINGS_H

#include "engine/state.h"

/* All actions of the plan but releases and placements, in their order; then what has to hold on the
 * GPUs that they concern. */
HS_MUST_USE enum hs_status hs_settings_apply(struct hs_engine *e);
/* A job sits down in the lane of the plan (lane 0: in none). */
void hs_settings_sit_down(struct hs_engine *e, struct hs_job *job, const struct hs_turn *turn);
/* The job needs more or less memory from now on: it has come that far. */
HS_MUST_USE enum hs_status hs_settings_memory_changes(struct hs_engine *e, uint32_t slot);
/* What ends with a placement. */
void hs_settings_clear(struct hs_engine *e, struct hs_job *job);

#endif
