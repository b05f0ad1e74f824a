/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies an accepted plan to the jobs: all releases, then all placements, then controls (turns,
 * caps, memory limits, costs, awaited steps, ends of jobs, timers, counts), then the events that
 * report the result to the policy.
 */
#ifndef HORUS_ENGINE_COMMIT_H
#define HORUS_ENGINE_COMMIT_H

#include "engine/state.h"

HS_MUST_USE enum hs_status hs_commit(struct hs_engine *e);
/* The job has reached the work at which its memory changes. */
void hs_controls_memory_changes(struct hs_engine *e, uint32_t slot);
/* What ends with a placement. */
void hs_controls_clear(struct hs_engine *e, struct hs_job *job);

#endif
