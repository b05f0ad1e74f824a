/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's side of the plan, third part: back to a mark. Cost: that of the actions undone.
 */
#include "engine/plan.h"
#include "engine/shadow.h"

uint32_t hs_plan_mark(const struct hs_plan *p)
{
    return p->count;
}

/* What it did to the claims and marks of the job. */
static void action_undo_marks(struct hs_plan *p, const struct hs_action *a, struct hs_job *job)
{
    if (a->turn.lane != 0)
        hs_job_set_claim(&p->engine->jobs, job, a->claim_in_lane_before_mib);
    switch (a->kind) {
    case HS_ACT_START:
        job->plan &= (uint8_t)~HS_PLAN_PLACED;
        break;
    case HS_ACT_PREEMPT:
    case HS_ACT_SUSPEND:
    case HS_ACT_MIGRATE:
    case HS_ACT_KILL:
        hs_job_set_claim(&p->engine->jobs, job, a->claim_before_mib);
        hs_shadow_hold(p->engine, job);
        job->plan = 0;
        break;
    case HS_ACT_REJECT:
    case HS_ACT_PAUSE:
    case HS_ACT_RESUME:
        job->plan = 0;
        break;
    case HS_ACT_MEM_LIMIT:
        hs_needs_of(&p->engine->jobs, job)->mem_limit_mib = a->limit_before_mib;
        if (job->plan & (HS_PLAN_RELEASED | HS_PLAN_PLACED))
            hs_job_set_claim(&p->engine->jobs, job, a->claim_before_mib);
        else
            hs_shadow_claim(p->engine, job, a->claim_before_mib);
        break;
    default:
        break;
    }
}

static void action_undo(struct hs_plan *p, const struct hs_action *a)
{
    struct hs_engine *e = p->engine;
    if (!hs_action_has_job(a))
        return;
    struct hs_job *job = hs_engine_job(e, a->job);
    for (uint32_t i = a->pick_count; i-- > 0;) {
        const struct hs_pick *pick = &p->picks[a->first_pick + i];
        e->vc_held_milli[job->ask.vc] -= (uint64_t)pick->count * job->ask.gpu_milli;
        if (pick->gpu != UINT32_MAX) {
            e->gpus[pick->gpu].is_given = false;
            hs_shadow_unseat(e, pick->gpu, job);
        } else
            hs_shadow_give(e, pick->node, pick->count, job);
    }
    action_undo_marks(p, a, job);
}

void hs_plan_rollback(struct hs_plan *p, uint32_t mark)
{
    if (p->refused != HS_OK || p->count <= mark)
        return; /* nothing to undo; an action that was open at the mark stays open */
    while (p->count > mark) {
        const struct hs_action *a = &p->actions[--p->count];
        action_undo(p, a);
        p->pick_count = a->first_pick;
    }
    p->is_open = false;
}
