/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See settings.h.
 */
#include "engine/settings.h"

#include "engine/life.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/residency.h"
#include "engine/shadow.h"
#include "engine/busy.h"

void hs_settings_sit_down(struct hs_engine *e, struct hs_job *job, const struct hs_turn *turn)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    stay->lane = turn->lane;
    stay->unit = turn->unit;
    stay->keeps = (uint8_t)turn->keeps;
    stay->is_waiting = turn->lane != 0 && turn->is_waiting;
    stay->is_active = !stay->is_waiting;
}

/* ---- memory ---- */

/* Claims of the tenants, whatever turns they take. */
static bool gpu_is_overclaimed(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    if (gpu->tenants < 2)
        return false;
    if (gpu->laned == 0)
        return gpu->mem_claimed_mib > hs_gpu_capacity_mib(e, gpu, gpu->tenants);
    return hs_residency_claimed_mib(e, gpu->first_seat) >
           hs_residency_capacity_mib(e, gpu, gpu->first_seat);
}

/* What it needs or may use has changed: who takes more counts as the newcomer. */
static enum hs_status job_use_memory(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    hs_progress_sync(e, job);
    if (hs_residency_update(e, job)) {
        struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
        hs_progress_renew(e, slot);
        if (stay->oom_us == HS_TIME_MAX && hs_progress_overflows(e, job))
            stay->oom_us = e->now_us + e->config.oom_delay_us; /* nobody could know */
    }
    return hs_progress_touch_beside(e, slot);
}

enum hs_status hs_settings_memory_changes(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    if (e->knows & HS_KNOWS_MEMORY) { /* it is seen now */
        struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
        needs->estimate.mem_mib = needs->gpu_mem_later_mib;
        hs_shadow_claim(e, job, hs_residency_claim_now_mib(e, job));
    }
    HS_TRY(job_use_memory(e, slot));
    hs_life_tell_policy(e, HS_EVENT_MEMORY, slot);
    return HS_OK;
}

static enum hs_status job_limit_memory(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    hs_shadow_claim(e, job, hs_residency_claim_now_mib(e, job));
    bool claims_more =
        hs_claim_mib(e, job) > a->claim_before_mib || hs_stay_of(&e->jobs, job)->lane != 0;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job)
        if (claims_more && gpu_is_overclaimed(e, &e->gpus[e->jobs.seats[s].gpu]))
            hs_plan_refuse(&e->plan, a->job, "without its memory limit GPU %u overflows",
                           e->jobs.seats[s].gpu);
    HS_TRY(e->plan.refused);
    return job_use_memory(e, a->job);
}

/* ---- turns ---- */

/* Who sits in a lane must have room there, and not too many may run at the same time. */
static enum hs_status job_check_lane(struct hs_engine *e, uint32_t slot)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        uint32_t id = e->jobs.seats[s].gpu;
        const struct hs_gpu *gpu = &e->gpus[id];
        if (gpu->tenants < 2)
            continue;
        if (gpu_is_overclaimed(e, gpu))
            hs_plan_refuse(&e->plan, slot, "the lanes of GPU %u claim more memory than it has", id);
        uint32_t at_once = hs_residency_at_once(e, gpu->first_seat);
        if (at_once > e->config.max_tenants)
            hs_plan_refuse(&e->plan, slot, "%u jobs of GPU %u would run at the same time, not %u",
                           at_once, id, e->config.max_tenants);
    }
    return e->plan.refused;
}

/* It goes on where it sits, in another lane. */
static void job_change_lane(struct hs_engine *e, struct hs_job *job, uint32_t lane)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    int delta = (lane != 0) - (stay->lane != 0);
    stay->lane = lane;
    if (lane == 0)
        stay->unit = 0;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu->laned = (uint16_t)(gpu->laned + delta);
        gpu->mem_used_mib = hs_residency_used_mib(e, gpu->first_seat);
        hs_busy_mark(e, gpu->node);
    }
    hs_shadow_claim(e, job, hs_residency_claim_now_mib(e, job));
}

static enum hs_status job_slice(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    hs_progress_sync(e, job);
    if (stay->lane != a->lane) {
        HS_TRY(hs_progress_touch_beside(e, a->job)); /* those that it did not disturb so far, */
        job_change_lane(e, job, a->lane);
    }
    stay->share_q32 = a->value; /* and those whom it disturbs from now on */
    return hs_progress_touch_beside(e, a->job);
}

static enum hs_status job_pause(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    hs_progress_sync(e, job);
    job->state = HS_JOB_PAUSED;
    hs_toll_of(&e->jobs, job)->switches++;
    hs_stay_of(&e->jobs, job)->alarm_ns = HS_TIME_MAX;
    return hs_progress_set_active(e, slot, false);
}

static enum hs_status job_resume(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    hs_progress_sync(e, job);
    job->state = HS_JOB_RUNNING;
    hs_stay_of(&e->jobs, job)->is_waiting = false;
    return hs_progress_set_active(e, slot, true);
}

/* ---- others ---- */

/* The end of a mini-batch from now; beyond the last of the job it never comes. */
static enum hs_status job_await_step(struct hs_engine *e, uint32_t slot, uint64_t steps)
{
    struct hs_job *job = hs_engine_job(e, slot);
    int64_t step_ns = hs_traits_of(&e->jobs, job)->step_ns;
    HS_TRY(hs_jobs_begin_toll(&e->jobs, job)); /* it will be told there */
    hs_progress_sync(e, job);
    uint64_t done = (uint64_t)(hs_run_of(&e->jobs, job)->done_ns / step_ns);
    hs_u128 at_ns = (hs_u128)(done + steps) * (uint64_t)step_ns;
    hs_stay_of(&e->jobs, job)->alarm_ns =
        at_ns < (hs_u128)HS_TIME_MAX ? (int64_t)at_ns : HS_TIME_MAX;
    return hs_progress_touch(e, slot);
}

static enum hs_status timer_add(struct hs_engine *e, int64_t at_us, uint64_t tag)
{
    uint32_t slot = e->free_timer;
    if (slot != UINT32_MAX) {
        e->free_timer = e->timers[slot].next_free;
    } else {
        HS_TRY(hs_grow((void **)&e->timers, &e->timer_cap, (uint64_t)e->timer_high + 1,
                       sizeof *e->timers, HS_LIVE_JOBS_MAX));
        slot = e->timer_high++;
    }
    e->timers[slot] = (struct hs_timer){.at_us = at_us, .tag = tag};
    return hs_heap_set(&e->timer_events, slot, at_us, e->timer_sequence++);
}

static enum hs_status job_owe(struct hs_engine *e, uint32_t slot, int64_t cost_us)
{
    struct hs_job *job = hs_engine_job(e, slot);
    HS_TRY(hs_jobs_begin_run(&e->jobs, job));
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    hs_progress_sync(e, job);
    run->cost_left_us += cost_us;
    if (!hs_job_is_placed(job) || run->cost_left_us == 0)
        return HS_OK;
    if (job->state == HS_JOB_RUNNING ||
        (job->state == HS_JOB_PAUSED && hs_stay_of(&e->jobs, job)->is_waiting))
        job->state = HS_JOB_STARTING;
    return hs_progress_touch(e, slot);
}

static enum hs_status placed_job_set(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    if (!hs_job_is_placed(job)) /* the same plan took it off its GPUs */
        return HS_OK;
    if (a->kind == HS_ACT_SLICE)
        return job_slice(e, a);
    if (a->kind == HS_ACT_AWAIT_STEP)
        return job_await_step(e, a->job, a->value);
    if (a->kind == HS_ACT_CAP)
        hs_stay_of(&e->jobs, job)->cap_q32 = a->value;
    else
        hs_stay_of(&e->jobs, job)->is_background = a->value != 0;
    return hs_progress_touch_beside(e, a->job);
}

/* What is to be told of it before it is done. A kill was told when the job left its GPUs; the rest
 * is between the policy and the clock. */
static bool is_decision(const struct hs_engine *e, const struct hs_action *a,
                        enum hs_decision_kind *kind)
{
    switch (a->kind) {
    case HS_ACT_PAUSE:
        *kind = HS_DECISION_PAUSE;
        return true;
    case HS_ACT_RESUME:
        *kind = HS_DECISION_UNPAUSE;
        return true;
    case HS_ACT_SLICE:
        *kind = HS_DECISION_SHARE;
        break;
    case HS_ACT_CAP:
        *kind = HS_DECISION_THROTTLE;
        break;
    case HS_ACT_BACKGROUND:
        *kind = a->value != 0 ? HS_DECISION_BACKGROUND : HS_DECISION_FOREGROUND;
        break;
    case HS_ACT_OWE:
        *kind = HS_DECISION_OWE;
        return a->time_us > 0;
    case HS_ACT_MEM_LIMIT:
        *kind = HS_DECISION_LIMIT;
        return true;
    case HS_ACT_REJECT:
        *kind = HS_DECISION_REJECT;
        return true;
    default:
        return false;
    }
    return hs_job_is_placed(&e->jobs.jobs[a->job]); /* else the plan took it off its GPUs */
}

static enum hs_status tell_decision(struct hs_engine *e, const struct hs_action *a)
{
    enum hs_decision_kind kind;
    if (!is_decision(e, a, &kind))
        return HS_OK;
    bool has_value = kind == HS_DECISION_SHARE || kind == HS_DECISION_THROTTLE;
    uint64_t value = kind == HS_DECISION_OWE ? (uint64_t)a->time_us
                     : kind == HS_DECISION_LIMIT
                         ? hs_needs_of(&e->jobs, hs_engine_job(e, a->job))->mem_limit_mib
                     : has_value ? a->value
                                 : 0;
    return hs_observe_decision(e, a, kind, value);
}

static enum hs_status job_set(struct hs_engine *e, const struct hs_action *a)
{
    if (e->hears_decision != 0)
        HS_TRY(tell_decision(e, a));
    switch (a->kind) {
    case HS_ACT_PAUSE:
        return job_pause(e, a->job);
    case HS_ACT_RESUME:
        return job_resume(e, a->job);
    case HS_ACT_SLICE:
    case HS_ACT_CAP:
    case HS_ACT_BACKGROUND:
    case HS_ACT_AWAIT_STEP:
        return placed_job_set(e, a);
    case HS_ACT_OWE:
        return job_owe(e, a->job, a->time_us);
    case HS_ACT_MEM_LIMIT:
        return job_limit_memory(e, a);
    case HS_ACT_KILL:
        return hs_life_abandon(e, a->job, HS_JOB_FAILED, "killed by the policy");
    case HS_ACT_REJECT:
        return hs_life_abandon(e, a->job, HS_JOB_REJECTED, a->reason);
    case HS_ACT_TIMER:
        return timer_add(e, a->time_us, a->value);
    case HS_ACT_COUNT:
        e->instant.tally[a->value]++;
        return HS_OK;
    case HS_ACT_START:
    case HS_ACT_PREEMPT:
    case HS_ACT_SUSPEND:
    case HS_ACT_MIGRATE:
        break;
    }
    return HS_OK;
}

enum hs_status hs_settings_apply(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        struct hs_action *a = &e->plan.actions[i];
        bool is_other_lane = a->kind == HS_ACT_SLICE && a->lane != 0 &&
                             hs_stay_of(&e->jobs, hs_engine_job(e, a->job))->lane != a->lane;
        a->takes_seat = a->turn.lane != 0 || is_other_lane;
        HS_TRY(job_set(e, a));
    }
    for (uint32_t i = 0; i < e->plan.count; i++)
        if (e->plan.actions[i].takes_seat)
            HS_TRY(job_check_lane(e, e->plan.actions[i].job));
    return HS_OK;
}
