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
#include "engine/plan.h"
#include "engine/progress.h"
#include "engine/residency.h"
#include "engine/settings.h"
#include "engine/shadow.h"
#include "engine/whole.h"

/* Actions that take GPUs from a job, and those that do no more than to move one. */
#define RELEASES                                                                                   \
    (1u << HS_ACT_PREEMPT | 1u << HS_ACT_SUSPEND | 1u << HS_ACT_MIGRATE | 1u << HS_ACT_KILL)
#define MOVES                                                                                      \
    (1u << HS_ACT_PREEMPT | 1u << HS_ACT_SUSPEND | 1u << HS_ACT_MIGRATE | 1u << HS_ACT_START)

/* The same nodes (*is_within), and nobody else has a claim on the job's own GPUs: it can stay where
 * it is. */
static bool is_same_placement(struct hs_engine *e, const struct hs_job *job,
                              const struct hs_action *a, bool *is_within)
{
    const struct hs_pick *picks = &e->plan.picks[a->first_pick];
    const uint32_t held = hs_stay_of(&e->jobs, job)->gpus_held;
    bool is_same = a->gpus == held && job->state != HS_JOB_PAUSED;
    *is_within = a->gpus == held;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        const struct hs_seat *seat = &e->jobs.seats[s];
        is_same = is_same && e->gpus[seat->gpu].shadow_tenants == 0;
        e->node_balance[seat->node] -= seat->count;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) {
        is_same = is_same && picks[i].gpu == UINT32_MAX;
        e->node_balance[picks[i].node] += picks[i].count;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) { /* equal sums: no node is left over elsewhere */
        *is_within = *is_within && e->node_balance[picks[i].node] == 0;
        e->node_balance[picks[i].node] = 0;
    }
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job)
        e->node_balance[e->jobs.seats[s].node] = 0;
    return is_same && *is_within;
}

static void plan_mark_kept(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        struct hs_action *a = &e->plan.actions[i];
        if (a->kind != HS_ACT_START)
            continue;
        const struct hs_job *job = hs_engine_job(e, a->job);
        if (!(job->plan & HS_PLAN_RELEASED))
            continue;
        struct hs_action *release = &e->plan.actions[hs_run_of(&e->jobs, job)->plan_action];
        if (!is_same_placement(e, job, a, &release->is_within))
            continue;
        a->is_kept = true;
        release->is_kept = true;
        for (uint32_t s = e->is_whole ? HS_NO_SEAT : hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
             s = e->jobs.seats[s].next_of_job)
            hs_shadow_name(e, e->jobs.seats[s].gpu, job);
    }
}

static uint32_t node_of(const struct hs_engine *e, const struct hs_job *job)
{
    const uint32_t seat = hs_first_seat(&e->jobs, job);
    return seat != HS_NO_SEAT ? e->jobs.seats[seat].node : HS_NO_NODE;
}

static enum hs_decision_kind release_kind(const struct hs_action *a)
{
    return a->kind == HS_ACT_KILL      ? HS_DECISION_KILL
           : a->kind == HS_ACT_SUSPEND ? HS_DECISION_SUSPEND
                                       : HS_DECISION_PREEMPT;
}

/* Suspended and started again on other GPUs of the same nodes. */
static bool is_switch(const struct hs_action *release)
{
    return release->kind == HS_ACT_SUSPEND && release->is_within;
}

/* Off its GPUs, and with it all that was set for it there; on the host its process waits for it. */
static enum hs_status job_get_up(struct hs_engine *e, struct hs_job *job, bool is_hosted)
{
    const uint32_t node = node_of(e, job), gpus = hs_stay_of(&e->jobs, job)->gpus_held;
    HS_TRY(hs_progress_unseat(e, hs_slot_of(&e->jobs, job)));
    hs_heap_remove(&e->job_events, job->stay);
    hs_jobs_end_stay(&e->jobs, job);
    if (!is_hosted)
        return HS_OK;
    HS_TRY(hs_jobs_begin_toll(&e->jobs, job));
    HS_TRY(hs_jobs_begin_stay(&e->jobs, job));
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    stay->synced_us = e->now_us;
    stay->is_hosted = true;
    stay->gpus_hosted = gpus;
    stay->node_hosted = node;
    hs_residency_settle(e, job);
    return HS_OK;
}

static enum hs_status job_release(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    bool is_moved = (job->plan & HS_PLAN_PLACED) != 0 && !is_switch(a);
    hs_progress_sync(e, job);
    if (!is_moved && e->hears_decision != 0)
        HS_TRY(hs_observe_decision(e, a, release_kind(a), (uint64_t)a->time_us));
    enum hs_segment_end end = is_moved                    ? HS_SEGMENT_MIGRATE
                              : a->kind == HS_ACT_KILL    ? HS_SEGMENT_KILL
                              : a->kind == HS_ACT_SUSPEND ? HS_SEGMENT_SUSPEND
                                                          : HS_SEGMENT_PREEMPT;
    HS_TRY(hs_observe_segment(e, a->job, end));
    HS_TRY(job_get_up(e, job, !is_moved && a->kind == HS_ACT_SUSPEND));
    run->cost_left_us += a->time_us;
    if (is_moved)
        run->migrations++;
    else if (a->kind == HS_ACT_PREEMPT)
        run->preemptions++;
    else if (a->kind == HS_ACT_SUSPEND)
        hs_toll_of(&e->jobs, job)->switches++;
    job->state = HS_JOB_SUSPENDED;
    e->instant.running--;
    e->instant.suspended++;
    hs_life_waits(e, job);
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

/* The GPUs of a placement onto gpu_ids, ascending; how many. Those of one pick are. */
static uint32_t name_gpus(struct hs_engine *e, const struct hs_action *a)
{
    const struct hs_pick *picks = &e->plan.picks[a->first_pick];
    const struct hs_job *job = &e->jobs.jobs[a->job];
    uint32_t *end = e->gpu_ids;
    bool is_ascending = true;
    for (uint32_t i = 0; i < a->pick_count; i++) {
        uint32_t *first = end;
        if (picks[i].gpu != UINT32_MAX)
            *end++ = picks[i].gpu;
        else
            end = node_take(e, picks[i].node, picks[i].count, job, end);
        is_ascending = is_ascending && (i == 0 || first[-1] < first[0]);
    }
    uint32_t count = (uint32_t)(end - e->gpu_ids);
    if (!is_ascending)
        qsort(e->gpu_ids, count, sizeof *e->gpu_ids, id_compare);
    return count;
}

/* Before the job is placed. */
static enum hs_decision_kind placing_kind(const struct hs_engine *e, const struct hs_action *a)
{
    const struct hs_job *job = &e->jobs.jobs[a->job];
    bool is_move = a->kind == HS_ACT_MIGRATE ||
                   ((job->plan & HS_PLAN_RELEASED) != 0 &&
                    !is_switch(&e->plan.actions[hs_run_of(&e->jobs, job)->plan_action]));
    return is_move                          ? HS_DECISION_MIGRATE
           : job->state == HS_JOB_SUSPENDED ? HS_DECISION_RESUME
                                            : HS_DECISION_START;
}

/* Nobody else's rate hangs on who comes and goes, and nothing but that is in the plan: a job that
 * sits can be rated at once, for good. */
static bool rates_are_final(const struct hs_engine *e)
{
    return e->is_whole && (e->plan.kinds & ~MOVES) == 0;
}

static enum hs_status job_place(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    const enum hs_decision_kind kind = placing_kind(e, a);
    hs_progress_sync(e, job); /* what it had on the host while it waited */
    HS_TRY(hs_jobs_begin_stay(&e->jobs, job));
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    stay->synced_us = e->now_us;
    if (job->state == HS_JOB_PENDING)
        e->instant.pending--;
    else
        e->instant.suspended--;
    hs_life_waits_no_more(e, job);
    e->instant.running++;
    bool is_move = a->kind == HS_ACT_MIGRATE || (job->plan & HS_PLAN_RELEASED);
    hs_settings_sit_down(e, job, &a->turn);
    if (run->cost_left_us > 0)
        job->state = is_move ? HS_JOB_MIGRATING : HS_JOB_STARTING;
    else
        job->state = stay->is_waiting ? HS_JOB_PAUSED : HS_JOB_RUNNING;
    if (run->first_start_us < 0)
        run->first_start_us = e->now_us;
    HS_TRY(e->is_whole ? hs_whole_seat(e, a)
                       : hs_progress_seat(e, a->job, e->gpu_ids, name_gpus(e, a)));
    if (stay->is_hosted && node_of(e, job) != stay->node_hosted)
        run->migrations++; /* its process went along */
    stay->is_hosted = false;
    if (e->hears_decision != 0)
        HS_TRY(hs_observe_decision(e, a, kind, (uint64_t)run->cost_left_us));
    HS_TRY(hs_observe_start(e, a->job));
    return rates_are_final(e) ? hs_progress_rate(e, job) : hs_progress_touch(e, a->job);
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

/* Who came and who went, told after everything is true; the marks on the jobs have served. A job
 * that was moved is released by one action and placed by a later one. */
static void plan_tell(struct hs_engine *e)
{
    const uint8_t marks = HS_PLAN_RELEASED | HS_PLAN_PLACED | HS_PLAN_ENDED | HS_PLAN_TOGGLED;
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if (!hs_action_has_job(a))
            continue;
        struct hs_job *job = hs_engine_job(e, a->job);
        bool is_move = (job->plan & HS_PLAN_RELEASED) && (job->plan & HS_PLAN_PLACED);
        if (is_move && a->kind != HS_ACT_START && a->kind != HS_ACT_MIGRATE)
            continue;
        job->plan &= (uint8_t)~marks;
        if (a->kind == HS_ACT_PREEMPT || a->kind == HS_ACT_SUSPEND)
            hs_life_tell_policy(e, HS_EVENT_STOPPED, a->job);
        else if (a->kind == HS_ACT_START && !is_move)
            hs_life_tell_policy(e, HS_EVENT_STARTED, a->job);
    }
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
    if ((e->plan.kinds & ~MOVES) != 0 || e->plan.has_lanes)
        HS_TRY(hs_settings_apply(e));
    e->plan.is_applying = true;
    HS_TRY(hs_progress_rerate(e));
    e->plan.is_applying = false;
    plan_tell(e);
    return HS_OK;
}
