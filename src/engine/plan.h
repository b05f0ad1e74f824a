/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the plan (horus/plan.h): begin and end of its writing. What a policy appends changes
 * the shadow of the cluster at once (node counts, tenants per GPU, VC use), so that its next
 * question is answered as if it were done; the jobs themselves change only in hs_commit.
 */
#ifndef HORUS_ENGINE_PLAN_H
#define HORUS_ENGINE_PLAN_H

#include "engine/state.h"

void hs_plan_begin(struct hs_engine *e);
/* HS_E_POLICY if an action was refused (reported), else HS_OK with the last action complete. */
HS_MUST_USE enum hs_status hs_plan_end(struct hs_engine *e);
/* A new action of a live job (of nobody: timers, counts), or NULL when the plan is refused. */
struct hs_action *hs_plan_append(struct hs_plan *p, enum hs_action_kind kind, hs_job_id job);
/* Did the policy declare HS_CAN_x? If not, the plan is refused for want of it. */
bool hs_plan_may(struct hs_plan *p, hs_job_id job, uint32_t need, const char *what);
/* Reports a policy bug and remembers it: the run ends with it after the next decision, whether it
 * was made there or in on_event. */
HS_PRINTF(3, 4)
HS_COLD void hs_plan_refuse(struct hs_plan *p, hs_job_id job, const char *fmt, ...);

#endif
