/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's side of the plan, second part: what moves no GPU. Costs owed, turns, caps, memory
 * limits, requests to be told of something, grounds.
 */
#include "engine/plan.h"
#include "engine/residency.h"
#include "engine/shadow.h"
#include "horus/policy.h"

void hs_plan_because(struct hs_plan *p, const char *text)
{
    p->because = text;
}

void hs_plan_owe(struct hs_plan *p, hs_job_id slot, int64_t cost_us)
{
    struct hs_action *a = hs_plan_append(p, HS_ACT_OWE, slot);
    if (a == NULL)
        return;
    const struct hs_job *job = hs_engine_job(p->engine, slot);
    if (job->state == HS_JOB_PAUSED || (job->plan & HS_PLAN_ENDED) || cost_us < 0) {
        p->count--;
        hs_plan_refuse(p, slot,
                       "a cost of at least 0 is owed by a job that lives and is not paused");
        return;
    }
    a->time_us = cost_us;
}

/* By the plan so far. */
static bool will_be_placed(const struct hs_job *job)
{
    bool is_leaving = (job->plan & (HS_PLAN_RELEASED | HS_PLAN_ENDED)) != 0;
    return (hs_job_is_placed(job) && !is_leaving) || (job->plan & HS_PLAN_PLACED) != 0;
}

static bool is_legal_setting(const struct hs_engine *e, const struct hs_job *job,
                             enum hs_action_kind kind, uint32_t lane, uint64_t value)
{
    bool is_fraction = value > 0 && value <= HS_Q32_ONE;
    switch (kind) {
    case HS_ACT_PAUSE:
        return job->state == HS_JOB_RUNNING && job->plan == 0;
    case HS_ACT_RESUME:
        return job->state == HS_JOB_PAUSED && job->plan == 0;
    case HS_ACT_CAP:
        return will_be_placed(job) && is_fraction;
    case HS_ACT_AWAIT_STEP:
        return will_be_placed(job) && hs_traits_of(&e->jobs, job)->step_ns > 0 && value > 0;
    case HS_ACT_SLICE:
        return will_be_placed(job) && is_fraction && (lane > 0 || value == HS_Q32_ONE);
    default:
        return will_be_placed(job);
    }
}

/* Settings of a placed job that move no GPU. */
static void plan_set(struct hs_plan *p, enum hs_action_kind kind, hs_job_id slot, uint32_t lane,
                     uint64_t value)
{
    struct hs_action *a = hs_plan_append(p, kind, slot);
    if (a == NULL)
        return;
    a->value = value;
    a->lane = lane;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    if (!is_legal_setting(p->engine, job, kind, lane, value)) {
        p->count--;
        hs_plan_refuse(p, slot,
                       "pause needs a running job, resume a paused one, slice and cap a placed one "
                       "and a value in (0, 1], lane 0 a share of 1, to await a step a placed one "
                       "of known mini-batches");
    } else if (kind == HS_ACT_PAUSE || kind == HS_ACT_RESUME) {
        job->plan |= HS_PLAN_TOGGLED;
    }
}

void hs_plan_pause(struct hs_plan *p, hs_job_id job)
{
    if (hs_plan_may(p, job, HS_CAN_SLICE, "slice"))
        plan_set(p, HS_ACT_PAUSE, job, 0, 0);
}

void hs_plan_resume(struct hs_plan *p, hs_job_id job)
{
    if (hs_plan_may(p, job, HS_CAN_SLICE, "slice"))
        plan_set(p, HS_ACT_RESUME, job, 0, 0);
}

void hs_plan_slice(struct hs_plan *p, hs_job_id job, uint32_t lane, uint64_t share_q32)
{
    if (hs_plan_may(p, job, HS_CAN_SLICE, "slice"))
        plan_set(p, HS_ACT_SLICE, job, lane, share_q32);
}

void hs_plan_cap(struct hs_plan *p, hs_job_id job, uint64_t cap_q32)
{
    if (hs_plan_may(p, job, HS_CAN_THROTTLE, "throttle"))
        plan_set(p, HS_ACT_CAP, job, 0, cap_q32);
}

void hs_plan_background(struct hs_plan *p, hs_job_id job, bool is_background)
{
    if (hs_plan_may(p, job, HS_CAN_THROTTLE, "throttle"))
        plan_set(p, HS_ACT_BACKGROUND, job, 0, is_background);
}

void hs_plan_await_step(struct hs_plan *p, hs_job_id job, uint32_t steps)
{
    if (p->refused == HS_OK)
        plan_set(p, HS_ACT_AWAIT_STEP, job, 0, steps);
}

/* A job that this plan has placed claims what it claimed then until the plan is applied. */
void hs_plan_mem_limit(struct hs_plan *p, hs_job_id slot, uint32_t mib)
{
    if (!hs_plan_may(p, slot, HS_CAN_THROTTLE, "throttle"))
        return;
    struct hs_action *a = hs_plan_append(p, HS_ACT_MEM_LIMIT, slot);
    if (a == NULL)
        return;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    if (job->plan & HS_PLAN_ENDED) {
        p->count--;
        hs_plan_refuse(p, slot, "a job that this plan ends gets no memory limit");
        return;
    }
    a->claim_before_mib = hs_claim_mib(p->engine, job);
    struct hs_job_needs *needs = hs_needs_of(&p->engine->jobs, job);
    a->limit_before_mib = needs->mem_limit_mib;
    needs->mem_limit_mib = mib;
    if (job->plan == 0 || (job->plan & HS_PLAN_TOGGLED))
        hs_shadow_claim(p->engine, job, hs_residency_claim_now_mib(p->engine, job));
    else if ((job->plan & HS_PLAN_PLACED) == 0) /* it holds nothing any more */
        hs_job_set_claim(&p->engine->jobs, job, hs_residency_claim_mib(p->engine, job, NULL));
}

void hs_plan_timer(struct hs_plan *p, int64_t at_us, uint64_t tag)
{
    if (!hs_plan_may(p, HS_NO_JOB, HS_CAN_TIME, "set timers"))
        return;
    if (at_us < p->engine->now_us) {
        hs_plan_refuse(p, HS_NO_JOB, "a timer lies in the past");
        return;
    }
    struct hs_action *a = hs_plan_append(p, HS_ACT_TIMER, HS_NO_JOB);
    if (a == NULL)
        return;
    a->time_us = at_us;
    a->value = tag;
}

void hs_plan_count(struct hs_plan *p, enum hs_tally what)
{
    struct hs_action *a = hs_plan_append(p, HS_ACT_COUNT, HS_NO_JOB);
    if (a != NULL)
        a->value = what;
}

void hs_plan_reject(struct hs_plan *p, hs_job_id slot, const char *reason)
{
    struct hs_action *a = hs_plan_append(p, HS_ACT_REJECT, slot);
    if (a == NULL)
        return;
    struct hs_job *job = hs_engine_job(p->engine, slot);
    if (job->state != HS_JOB_PENDING || job->plan != 0) {
        p->count--;
        hs_plan_refuse(p, slot, "only a job that never started can be rejected");
        return;
    }
    a->reason = reason;
    job->plan |= HS_PLAN_ENDED;
}
