/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From plan to jobs. GPUs are given names only here: first those the policy named, then for each
 * placement the lowest free ones of its nodes. A job released and placed again on the same nodes
 * keeps its very GPUs and notices nothing.
 */
#include "engine/commit.h"

#include <stdlib.h>

#include "engine/life.h"
#include "engine/observe.h"
#include "engine/overflow.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/shadow.h"

/* Actions that take GPUs from a job. */
#define RELEASES (1u << HS_ACT_PREEMPT | 1u << HS_ACT_MIGRATE | 1u << HS_ACT_KILL)

/* The same nodes, and nobody else has a claim on the job's own GPUs: it can stay where it is. */
static bool is_same_placement(struct hs_engine *e, const struct hs_job *job,
                              const struct hs_action *a)
{
    const struct hs_pick *picks = &e->plan.picks[a->first_pick];
    bool is_same = a->gpus == job->gpus_held && job->state != HS_JOB_PAUSED;
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        const struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        is_same = is_same && gpu->shadow_tenants == 0;
        e->node_balance[gpu->node]--;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) {
        is_same = is_same && picks[i].gpu == UINT32_MAX;
        e->node_balance[picks[i].node] += picks[i].count;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) { /* equal sums: no node is left over elsewhere */
        is_same = is_same && e->node_balance[picks[i].node] == 0;
        e->node_balance[picks[i].node] = 0;
    }
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job)
        e->node_balance[e->gpus[e->jobs.seats[s].gpu].node] = 0;
    return is_same;
}

static void plan_mark_kept(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        struct hs_action *a = &e->plan.actions[i];
        if (a->kind != HS_ACT_START)
            continue;
        const struct hs_job *job = hs_engine_job(e, a->job);
        if (!(job->plan & HS_PLAN_RELEASED) || !is_same_placement(e, job, a))
            continue;
        a->is_kept = true;
        e->plan.actions[job->plan_action].is_kept = true;
        for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job)
            hs_shadow_name(e, e->jobs.seats[s].gpu, job);
    }
}

static enum hs_status job_release(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    bool is_moved = (job->plan & HS_PLAN_PLACED) != 0;
    hs_progress_sync(e, job);
    enum hs_segment_end end = is_moved                 ? HS_SEGMENT_MIGRATE
                              : a->kind == HS_ACT_KILL ? HS_SEGMENT_KILL
                                                       : HS_SEGMENT_PREEMPT;
    HS_TRY(hs_observe_segment(e, a->job, end));
    HS_TRY(hs_progress_unseat(e, a->job));
    hs_heap_remove(&e->job_events, a->job);
    job->finish_us = job->oom_us = HS_TIME_MAX;
    job->cost_left_us += a->time_us;
    job->share_q32 = job->cap_q32 = HS_Q32_ONE;
    job->lane = 0;
    if (is_moved)
        job->migrations++;
    else if (a->kind == HS_ACT_PREEMPT)
        job->preemptions++;
    job->state = HS_JOB_SUSPENDED;
    e->instant.running--;
    e->instant.suspended++;
    hs_backlog_add(&e->backlog, job->ask.vc, job->gpus);
    return HS_OK;
}

static enum hs_status plan_release_all(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if ((RELEASES >> a->kind & 1) && !a->is_kept)
            HS_TRY(job_release(e, a));
    }
    return HS_OK;
}

/* Named GPUs are withheld from the placements that take any of a node. */
static void plan_reserve_named(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.pick_count; i++) {
        uint32_t id = e->plan.picks[i].gpu;
        if (id != UINT32_MAX)
            e->gpu_free[id / 64] &= ~(UINT64_C(1) << (id % 64));
    }
}

/* The lowest `count` free GPUs of a node, which has them, onto ids. */
static uint32_t *node_take(struct hs_engine *e, uint32_t node, uint32_t count,
                           const struct hs_job *job, uint32_t *ids)
{
    uint32_t first = e->cluster->nodes[node].first_gpu;
    uint32_t word = first / 64;
    uint64_t bits = e->gpu_free[word] & (UINT64_MAX << (first % 64));
    while (count > 0) {
        while (bits == 0)
            bits = e->gpu_free[++word];
        uint32_t id = word * 64 + HS_CTZ64(bits);
        bits &= bits - 1;
        e->gpu_free[word] &= ~(UINT64_C(1) << (id % 64));
        hs_shadow_name(e, id, job);
        *ids++ = id;
        count--;
    }
    return ids;
}

static int id_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum hs_status job_place(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    uint32_t *end = e->gpu_ids;
    for (uint32_t i = 0; i < a->pick_count; i++) {
        const struct hs_pick *pick = &e->plan.picks[a->first_pick + i];
        if (pick->gpu != UINT32_MAX)
            *end++ = pick->gpu;
        else
            end = node_take(e, pick->node, pick->count, job, end);
    }
    bool is_ascending = true;
    for (const uint32_t *id = e->gpu_ids + 1; id < end; id++)
        is_ascending = is_ascending && id[-1] < id[0];
    if (!is_ascending)
        qsort(e->gpu_ids, (size_t)(end - e->gpu_ids), sizeof *e->gpu_ids, id_compare);
    if (job->state == HS_JOB_PENDING)
        e->instant.pending--;
    else
        e->instant.suspended--;
    hs_backlog_remove(&e->backlog, job->ask.vc, job->gpus);
    e->instant.running++;
    bool is_move = a->kind == HS_ACT_MIGRATE || (job->plan & HS_PLAN_RELEASED);
    if (job->cost_left_us > 0)
        job->state = is_move ? HS_JOB_MIGRATING : HS_JOB_STARTING;
    else
        job->state = HS_JOB_RUNNING;
    job->synced_us = e->now_us;
    if (job->first_start_us < 0)
        job->first_start_us = e->now_us;
    HS_TRY(hs_progress_seat(e, a->job, e->gpu_ids, (uint32_t)(end - e->gpu_ids)));
    return hs_observe_start(e, a->job);
}

static enum hs_status plan_place_all(struct hs_engine *e)
{
    if (e->plan.has_named)
        plan_reserve_named(e);
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if ((a->kind == HS_ACT_START || a->kind == HS_ACT_MIGRATE) && !a->is_kept)
            HS_TRY(job_place(e, a));
    }
    return HS_OK;
}

/* The shares of a lane must fit into its time, on each GPU of the job. */
static enum hs_status job_check_shares(struct hs_engine *e, uint32_t slot)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        uint32_t id = e->jobs.seats[s].gpu;
        uint64_t shares = 0;
        for (uint32_t t = e->gpus[id].first_seat; t != HS_NO_SEAT;
             t = e->jobs.seats[t].next_on_gpu) {
            const struct hs_job *tenant = hs_engine_job(e, e->jobs.seats[t].job);
            shares += tenant->lane == job->lane ? tenant->share_q32 : 0;
        }
        if (job->lane > 0 && shares > HS_Q32_ONE) {
            hs_plan_refuse(&e->plan, slot, "shares of lane %u on GPU %u add up to more than 1",
                           job->lane, id);
            return e->plan.refused;
        }
    }
    return HS_OK;
}

static enum hs_status job_limit_memory(struct hs_engine *e, uint32_t slot, uint32_t limit_mib)
{
    struct hs_job *job = hs_engine_job(e, slot);
    bool is_limit = limit_mib > 0 && limit_mib < job->gpu_mem_peak_mib;
    uint32_t mib = is_limit ? limit_mib : job->gpu_mem_peak_mib;
    uint32_t claim_mib = hs_overflow_claim_mib(e, job, is_limit ? limit_mib : UINT32_MAX);
    bool grows = mib > job->gpu_mem_mib, claims_more = claim_mib > job->mem_claim_mib;
    hs_shadow_claim(e, job, claim_mib);
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu->mem_used_mib += (uint64_t)mib - job->gpu_mem_mib;
        if (claims_more && gpu->tenants > 1 &&
            gpu->mem_claimed_mib > hs_gpu_capacity_mib(e, gpu, gpu->tenants))
            hs_plan_refuse(&e->plan, slot, "without its memory limit GPU %u overflows",
                           e->jobs.seats[s].gpu);
    }
    job->gpu_mem_mib = mib;
    HS_TRY(e->plan.refused);
    if (grows)
        hs_progress_renew(e, slot);
    if (grows && job->oom_us == HS_TIME_MAX && hs_progress_overflows(e, job))
        job->oom_us = e->now_us + e->config.oom_delay_us; /* nobody could know */
    return hs_progress_touch_beside(e, slot);
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
    hs_progress_sync(e, job);
    job->cost_left_us += cost_us;
    if (!hs_job_is_placed(job) || job->cost_left_us == 0)
        return HS_OK;
    if (job->state == HS_JOB_RUNNING)
        job->state = HS_JOB_STARTING;
    return hs_progress_touch(e, slot);
}

static enum hs_status job_set(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    switch (a->kind) {
    case HS_ACT_PAUSE:
        hs_progress_sync(e, job);
        job->state = HS_JOB_PAUSED;
        return hs_progress_set_active(e, a->job, false);
    case HS_ACT_RESUME:
        hs_progress_sync(e, job);
        job->state = HS_JOB_RUNNING;
        return hs_progress_set_active(e, a->job, true);
    case HS_ACT_SLICE:
        if (!hs_job_is_placed(job)) /* the same plan took it off its GPUs */
            return HS_OK;
        job->share_q32 = a->value;
        job->lane = a->lane;
        return hs_progress_touch_beside(e, a->job);
    case HS_ACT_CAP:
        if (!hs_job_is_placed(job))
            return HS_OK;
        job->cap_q32 = a->value;
        return hs_progress_touch(e, a->job);
    case HS_ACT_OWE:
        return job_owe(e, a->job, a->time_us);
    case HS_ACT_MEM_LIMIT:
        return job_limit_memory(e, a->job, (uint32_t)a->value);
    case HS_ACT_KILL:
        return hs_life_abandon(e, a->job, HS_JOB_FAILED, "killed by the policy");
    case HS_ACT_REJECT:
        return hs_life_abandon(e, a->job, HS_JOB_REJECTED, a->reason);
    case HS_ACT_TIMER:
        return timer_add(e, a->time_us, a->value);
    case HS_ACT_START:
    case HS_ACT_PREEMPT:
    case HS_ACT_MIGRATE:
        break;
    }
    return HS_OK;
}

/* Who came and who went, told after everything is true. */
static void plan_tell(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if (a->kind != HS_ACT_PREEMPT && a->kind != HS_ACT_START)
            continue;
        struct hs_job *job = hs_engine_job(e, a->job);
        uint8_t marks = job->plan;
        bool is_move = (marks & HS_PLAN_RELEASED) && (marks & HS_PLAN_PLACED);
        if (a->kind == HS_ACT_PREEMPT && !is_move)
            hs_life_tell_policy(e, HS_EVENT_STOPPED, a->job);
        else if (a->kind == HS_ACT_START && !is_move)
            hs_life_tell_policy(e, HS_EVENT_STARTED, a->job);
    }
}

static void plan_clear_marks(struct hs_engine *e)
{
    const uint8_t marks = HS_PLAN_RELEASED | HS_PLAN_PLACED | HS_PLAN_ENDED | HS_PLAN_TOGGLED;
    for (uint32_t i = 0; i < e->plan.count; i++)
        if (e->plan.actions[i].kind != HS_ACT_TIMER)
            hs_engine_job(e, e->plan.actions[i].job)->plan &= (uint8_t)~marks;
}

static enum hs_status plan_set_all(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++)
        HS_TRY(job_set(e, &e->plan.actions[i]));
    for (uint32_t i = 0; i < e->plan.count; i++)
        if (e->plan.actions[i].kind == HS_ACT_SLICE)
            HS_TRY(job_check_shares(e, e->plan.actions[i].job));
    return HS_OK;
}

enum hs_status hs_commit(struct hs_engine *e)
{
    if (e->plan.count == 0)
        return HS_OK;
    if (e->plan.kinds & RELEASES) {
        plan_mark_kept(e);
        HS_TRY(plan_release_all(e));
    }
    HS_TRY(plan_place_all(e));
    if (e->plan.kinds & ~(1u << HS_ACT_START))
        HS_TRY(plan_set_all(e));
    HS_TRY(hs_progress_rerate(e));
    plan_tell(e);
    plan_clear_marks(e);
    return HS_OK;
}
