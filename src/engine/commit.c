/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies a plan to the jobs. Only here GPUs are selected: first those that the policy named, then
 * for each placement the lowest free ones of its nodes. A job released and placed again on the same
 * nodes keeps its GPUs and is not touched. O(GPUs moved).
 */
#include "engine/state.h"

#include <stdlib.h>

/* ---- memory ---- */

static bool gpu_is_overclaimed(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    if (gpu->tenants < 2)
        return false;
    if (gpu->laned == 0)
        return gpu->mem_claimed_mib > hs_gpu_capacity_mib(e, gpu, gpu->tenants);
    return hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_CLAIMED) >
           hs_gpu_memory_capacity_mib(e, gpu, hs_gpu_first(e, gpu));
}

/* Applies a change of the job's memory: if it uses more, it counts as placed last on its GPUs. */
static void job_use_memory(struct hs_engine *e, struct hs_job *job)
{
    hs_progress_sync(e, job);
    if (hs_gpu_memory_update(e, job)) {
        struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
        hs_progress_renew(e, job);
        if (placement->oom_us == HS_TIME_MAX && hs_progress_overflows(e, job))
            placement->oom_us = e->now_us + e->config.oom_delay_us; /* unknown at the decision */
    }
    hs_progress_touch_beside(e, job);
}

void hs_commit_memory_change(struct hs_engine *e, struct hs_job *job)
{
    if (e->knows & HS_KNOWS_MEMORY) { /* policies see it now */
        struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
        needs->estimate.mem_mib = needs->gpu_mem_later_mib;
        hs_tentative_claim(e, job, hs_gpu_memory_claim_now_mib(e, job));
    }
    job_use_memory(e, job);
    hs_lifecycle_notify_policy(e, HS_EVENT_MEMORY, job, 0);
}

static enum hs_status job_limit_memory(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    hs_tentative_claim(e, job, hs_gpu_memory_claim_now_mib(e, job));
    bool claims_more = hs_claim_mib(e, job) > a->claim_before_mib ||
                       hs_placement_of(&e->jobs, job)->slice_group != 0;
    for (struct hs_allocation *at = hs_job_first(e, job); at != NULL; at = hs_job_next(e, at))
        if (claims_more && gpu_is_overclaimed(e, &e->gpus[at->gpu]))
            hs_plan_refuse(&e->plan, a->job, "without its memory limit GPU %u overflows", at->gpu);
    HS_TRY(e->plan.refused);
    job_use_memory(e, job);
    return HS_OK;
}

/* ---- turns ---- */

/* Checks that a job of a slice group fits its GPUs, and that few enough jobs run at once. */
static enum hs_status job_check_slice_group(struct hs_engine *e, const struct hs_job *job)
{
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        const uint32_t id = a->gpu;
        const struct hs_gpu *gpu = &e->gpus[id];
        if (gpu->tenants < 2)
            continue;
        if (gpu_is_overclaimed(e, gpu))
            hs_plan_refuse(&e->plan, hs_slot_of(&e->jobs, job),
                           "the lanes of GPU %u claim more memory than it has", id);
        uint32_t at_once = (uint32_t)hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_RUNNING);
        if (at_once > e->config.max_tenants)
            hs_plan_refuse(&e->plan, hs_slot_of(&e->jobs, job),
                           "%u jobs of GPU %u would run at the same time, not %u", at_once, id,
                           e->config.max_tenants);
    }
    return e->plan.refused;
}

static void job_slice(struct hs_engine *e, struct hs_job *job, const struct hs_action *a)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    hs_progress_sync(e, job);
    if (placement->slice_group != a->slice_group) {
        hs_progress_touch_beside(e, job); /* those that it did not disturb before, */
        int delta = (a->slice_group != 0) - (placement->slice_group != 0);
        placement->slice_group = a->slice_group;
        if (a->slice_group == 0)
            placement->coscheduled_set = 0;
        for (struct hs_allocation *at = hs_job_first(e, job); at != NULL; at = hs_job_next(e, at)) {
            struct hs_gpu *gpu = &e->gpus[at->gpu];
            gpu->laned = (uint16_t)(gpu->laned + delta);
            gpu->mem_used_mib = hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_USED);
            hs_utilization_mark(e, gpu->node);
        }
        hs_tentative_claim(e, job, hs_gpu_memory_claim_now_mib(e, job));
    }
    placement->share_q32 = a->value; /* and those that it slows from now on */
    hs_progress_touch_beside(e, job);
}

static void job_toggle(struct hs_engine *e, struct hs_job *job, bool is_active)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    hs_progress_sync(e, job);
    job->state = is_active ? HS_JOB_RUNNING : HS_JOB_PAUSED;
    if (is_active) {
        placement->is_waiting = false;
    } else {
        hs_sharing_overhead_of(&e->jobs, job)->switches++;
        placement->alarm_ns = HS_TIME_MAX;
    }
    hs_progress_touch_beside(e, job);
}

/* ---- other settings ---- */

/* Requests an event at the end of a mini-batch; none occurs after the last of the job. */
static void job_notify_step(struct hs_engine *e, struct hs_job *job, uint64_t steps)
{
    int64_t step_ns = hs_training_profile_of(&e->jobs, job)->step_ns;
    hs_progress_sync(e, job);
    uint64_t done = (uint64_t)(hs_run_of(&e->jobs, job)->done_ns / step_ns);
    hs_u128 at_ns = (hs_u128)(done + steps) * (uint64_t)step_ns;
    hs_placement_of(&e->jobs, job)->alarm_ns =
        at_ns < (hs_u128)HS_TIME_MAX ? (int64_t)at_ns : HS_TIME_MAX;
    hs_progress_touch(e, job);
}

static void job_add_overhead(struct hs_engine *e, struct hs_job *job, int64_t cost_us)
{
    hs_jobs_begin_run(&e->jobs, job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    hs_progress_sync(e, job);
    run->cost_left_us += cost_us;
    if (!hs_job_is_placed(job) || run->cost_left_us == 0)
        return;
    if (job->state == HS_JOB_RUNNING ||
        (job->state == HS_JOB_PAUSED && hs_placement_of(&e->jobs, job)->is_waiting))
        job->state = HS_JOB_STARTING;
    hs_progress_touch_beside(e, job); /* while it pays a cost, it does not disturb the others */
}

/* Reports an action before it is applied; a kill was reported when the job left its GPUs. */
static enum hs_status observe_setting(struct hs_engine *e, const struct hs_action *a)
{
    static const enum hs_decision_kind kinds[] = {
        [HS_ACT_ADD_OVERHEAD] = HS_DECISION_ADD_OVERHEAD,
        [HS_ACT_PAUSE] = HS_DECISION_PAUSE,
        [HS_ACT_RESUME] = HS_DECISION_UNPAUSE,
        [HS_ACT_SLICE] = HS_DECISION_SHARE,
        [HS_ACT_CAP] = HS_DECISION_THROTTLE,
        [HS_ACT_BACKGROUND] = HS_DECISION_BACKGROUND,
        [HS_ACT_MEM_LIMIT] = HS_DECISION_LIMIT,
        [HS_ACT_REJECT] = HS_DECISION_REJECT,
    };
    uint64_t value = a->value;
    if (a->kind >= HS_COUNT_OF(kinds) || kinds[a->kind] == 0 ||
        (a->kind == HS_ACT_ADD_OVERHEAD && value == 0))
        return HS_OK;
    if (a->kind == HS_ACT_BACKGROUND)
        return hs_observe_decision(e, a,
                                   value != 0 ? HS_DECISION_BACKGROUND : HS_DECISION_FOREGROUND, 0);
    if (a->kind == HS_ACT_MEM_LIMIT)
        value = hs_needs_of(&e->jobs, hs_engine_job(e, a->job))->mem_limit_mib;
    return hs_observe_decision(e, a, kinds[a->kind], value);
}

static enum hs_status job_set(struct hs_engine *e, const struct hs_action *a)
{
    const uint32_t of_placed = 1u << HS_ACT_HOST | 1u << HS_ACT_SLICE | 1u << HS_ACT_CAP |
                               1u << HS_ACT_BACKGROUND | 1u << HS_ACT_NOTIFY_STEP;
    struct hs_job *job = a->kind < HS_ACT_TIMER ? hs_engine_job(e, a->job) : NULL;
    uint32_t timer;
    if ((of_placed >> a->kind & 1) != 0 && !hs_job_is_placed(job)) /* the plan took its GPUs */
        return HS_OK;
    if (e->observes_decision != 0)
        HS_TRY(observe_setting(e, a));
    switch (a->kind) {
    case HS_ACT_PAUSE:
    case HS_ACT_RESUME:
        job_toggle(e, job, a->kind == HS_ACT_RESUME);
        break;
    case HS_ACT_SLICE:
        job_slice(e, job, a);
        break;
    case HS_ACT_CAP:
        hs_placement_of(&e->jobs, job)->cap_q32 = a->value;
        hs_progress_touch_beside(e, job);
        break;
    case HS_ACT_BACKGROUND:
        hs_placement_of(&e->jobs, job)->is_background = a->value != 0;
        hs_progress_touch_beside(e, job);
        break;
    case HS_ACT_HOST: /* sets the rate of a job that kept its GPUs */
        hs_progress_sync(e, job);
        hs_progress_touch(e, job);
        break;
    case HS_ACT_NOTIFY_STEP:
        job_notify_step(e, job, a->value);
        break;
    case HS_ACT_ADD_OVERHEAD:
        job_add_overhead(e, job, a->time_us);
        break;
    case HS_ACT_LOSE_WORK:
        hs_progress_sync(e, job);
        hs_lifecycle_lose_work(e, job, (int64_t)a->value * HS_NS_PER_US);
        hs_progress_touch(e, job);
        break;
    case HS_ACT_MEM_LIMIT:
        return job_limit_memory(e, a);
    case HS_ACT_KILL:
        return hs_lifecycle_abandon(e, job, HS_JOB_FAILED, "killed by the policy");
    case HS_ACT_REJECT:
        return hs_lifecycle_abandon(e, job, HS_JOB_REJECTED, a->reason);
    case HS_ACT_TIMER:
        timer = hs_pool_take(&e->timers, e->timer_tags);
        e->timer_tags[timer] = a->value;
        hs_heap_set(&e->timer_events, timer, a->time_us, e->timer_sequence++);
        break;
    case HS_ACT_COUNT:
        e->instant.policy_counter[a->value]++;
        break;
    default:
        break;
    }
    return HS_OK;
}

/* Applies all actions except releases and placements, in order; then checks limits of their
 * GPUs. */
static enum hs_status plan_set_all(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->plan.count; i++) {
        struct hs_action *a = &e->plan.actions[i];
        bool is_other_slice_group =
            a->kind == HS_ACT_SLICE && a->slice_group != 0 &&
            hs_placement_of(&e->jobs, hs_engine_job(e, a->job))->slice_group != a->slice_group;
        a->takes_allocation = a->turn.slice_group != 0 || is_other_slice_group;
        HS_TRY(job_set(e, a));
    }
    for (uint32_t i = 0; i < e->plan.count; i++)
        if (e->plan.actions[i].takes_allocation)
            HS_TRY(job_check_slice_group(e, hs_engine_job(e, e->plan.actions[i].job)));
    return HS_OK;
}

/* Actions that take GPUs from a job, and those that only move one. */
#define RELEASES                                                                                   \
    (1u << HS_ACT_PREEMPT | 1u << HS_ACT_SUSPEND | 1u << HS_ACT_MIGRATE | 1u << HS_ACT_KILL)
#define MOVES                                                                                      \
    (1u << HS_ACT_PREEMPT | 1u << HS_ACT_SUSPEND | 1u << HS_ACT_MIGRATE | 1u << HS_ACT_START)

/* Tells whether the plan gives the job its nodes (*is_within), and no other job its GPUs. */
static bool is_same_placement(struct hs_engine *e, const struct hs_job *job,
                              const struct hs_action *a, bool *is_within)
{
    const struct hs_pick *picks = &e->plan.picks[a->first_pick];
    const uint32_t held = hs_placement_of(&e->jobs, job)->gpus_held;
    bool is_same = a->gpus == held && job->state != HS_JOB_PAUSED;
    *is_within = a->gpus == held;
    for (struct hs_allocation *at = hs_job_first(e, job); at != NULL; at = hs_job_next(e, at)) {
        is_same = is_same && e->gpus[at->gpu].tentative_tenants == 0;
        e->node_balance[at->node] -= at->count;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) {
        is_same = is_same && picks[i].gpu == UINT32_MAX;
        e->node_balance[picks[i].node] += picks[i].count;
    }
    for (uint32_t i = 0; i < a->pick_count; i++) { /* equal sums: no node is left over elsewhere */
        *is_within = *is_within && e->node_balance[picks[i].node] == 0;
        e->node_balance[picks[i].node] = 0;
    }
    for (struct hs_allocation *at = hs_job_first(e, job); at != NULL; at = hs_job_next(e, at))
        e->node_balance[at->node] = 0;
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
        for (struct hs_allocation *at = e->is_exclusive ? NULL : hs_job_first(e, job); at != NULL;
             at = hs_job_next(e, at))
            hs_tentative_book(e, at->gpu, job, 1);
    }
}

static uint32_t node_of(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_allocation *first = hs_job_first(e, job);
    return first != NULL ? first->node : HS_NO_NODE;
}

/* Tells whether the job is suspended and started again on other GPUs of the same nodes. */
static bool is_switch(const struct hs_action *release)
{
    return release->kind == HS_ACT_SUSPEND && release->is_within;
}

/* From now on the policy may read the job's profile. If is_lost, its work must be repeated. */
static void job_end_profile(struct hs_engine *e, struct hs_job *job, bool is_lost)
{
    hs_lifecycle_book_profile(e, job, HS_POLICY_COUNTER_PROFILED);
    job->is_profiled = true;
    if (is_lost) {
        hs_lifecycle_lose_placement(e, job);
        hs_run_of(&e->jobs, job)->attained_us = 0;
    }
}

/* Takes the job off its GPUs and clears its settings there; a suspended process stays on the
 * host. */
static enum hs_status job_release(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    bool is_moved = (job->plan & HS_PLAN_PLACED) != 0 && !is_switch(a);
    bool is_hosted = !is_moved && a->kind == HS_ACT_SUSPEND;
    bool is_kill = a->kind == HS_ACT_KILL, is_lost = a->profile == HS_PROFILE_LOST;
    hs_progress_sync(e, job);
    if (!is_moved && e->observes_decision != 0)
        HS_TRY(hs_observe_decision(e, a,
                                   is_kill     ? HS_DECISION_KILL
                                   : is_hosted ? HS_DECISION_SUSPEND
                                               : HS_DECISION_PREEMPT,
                                   (uint64_t)a->time_us));
    HS_TRY(hs_observe_segment(e, job,
                              is_moved    ? HS_SEGMENT_MIGRATE
                              : is_kill   ? HS_SEGMENT_KILL
                              : is_hosted ? HS_SEGMENT_SUSPEND
                              : is_lost   ? HS_SEGMENT_PROFILE
                                          : HS_SEGMENT_PREEMPT));
    if (a->profile != HS_PROFILE_NONE)
        job_end_profile(e, job, is_lost);
    const uint32_t node = node_of(e, job), gpus = hs_placement_of(&e->jobs, job)->gpus_held;
    hs_progress_deallocate(e, job);
    hs_heap_remove(&e->job_events, job->placement);
    hs_jobs_end_placement(&e->jobs, job);
    if (is_hosted) {
        hs_jobs_begin_placement(&e->jobs, job);
        struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
        placement->synced_us = e->now_us;
        placement->is_hosted = true;
        placement->gpus_hosted = gpus;
        placement->node_hosted = node;
        hs_gpu_memory_settle(e, job);
        hs_sharing_overhead_of(&e->jobs, job)->switches++;
    }
    run->cost_left_us += a->time_us;
    run->migrations += is_moved;
    run->preemptions += !is_moved && !is_lost && a->kind == HS_ACT_PREEMPT;
    job->state = HS_JOB_SUSPENDED;
    e->instant.running--;
    e->instant.suspended++;
    hs_wait_account_change(&e->wait_account, &job->ask, job->gpus, 1);
    return HS_OK;
}

/* Writes the lowest `count` free GPUs of a node, which has enough, to ids. */
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
        hs_tentative_book(e, id, job, 1);
        *ids++ = id;
        count--;
    }
    return ids;
}

static int id_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return HS_ORDER(*x, *y);
}

/* Writes the GPUs of a placement to gpu_ids, ascending, as in each pick; returns their number. */
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

static enum hs_status job_place(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_job *job = hs_engine_job(e, a->job);
    const enum hs_decision_kind kind = placing_kind(e, a);
    hs_progress_sync(e, job); /* accounts for its memory on the host while it waited */
    hs_jobs_begin_placement(&e->jobs, job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    placement->synced_us = e->now_us;
    if (job->state == HS_JOB_PENDING)
        e->instant.pending--;
    else
        e->instant.suspended--;
    hs_wait_account_change(&e->wait_account, &job->ask, job->gpus, -1);
    e->instant.running++;
    bool is_move = a->kind == HS_ACT_MIGRATE || (job->plan & HS_PLAN_RELEASED);
    placement->slice_group = a->turn.slice_group;
    placement->coscheduled_set = a->turn.coscheduled_set;
    placement->keeps = (uint8_t)a->turn.keeps;
    placement->is_waiting = a->turn.slice_group != 0 && a->turn.is_waiting;
    if (run->cost_left_us > 0 || hs_fork_has_waived(e, a->job))
        job->state = is_move ? HS_JOB_MIGRATING : HS_JOB_STARTING;
    else
        job->state = placement->is_waiting ? HS_JOB_PAUSED : HS_JOB_RUNNING;
    if (run->first_start_us < 0)
        run->first_start_us = e->now_us;
    if (e->is_exclusive)
        hs_exclusive_allocate(e, a);
    else
        hs_progress_allocate(e, job, e->gpu_ids, name_gpus(e, a));
    if (placement->is_hosted && node_of(e, job) != placement->node_hosted)
        run->migrations++; /* its process moved with it */
    placement->is_hosted = false;
    if (e->observes_decision != 0)
        HS_TRY(hs_observe_decision(e, a, kind, (uint64_t)run->cost_left_us));
    placement->segment_start_us = e->now_us;
    placement->segment_done_ns = run->done_ns;
    placement->segment_carry = run->carry;
    placement->segment_cost_us = run->cost_left_us;
    HS_TRY(hs_observe_start(e, job));
    if (e->is_exclusive && (e->plan.kinds & ~MOVES) == 0) /* no co-runner, no other action */
        hs_progress_rate(e, job);
    else
        hs_progress_touch(e, job);
    return HS_OK;
}

/* Reports starts and stops to the policy after the whole plan was applied, and clears the marks on
 * the jobs. A moved job is released by one action and placed by a later one. */
static void plan_report(struct hs_engine *e)
{
    const uint8_t marks = HS_PLAN_RELEASED | HS_PLAN_PLACED | HS_PLAN_ENDED | HS_PLAN_TOGGLED;
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if (a->kind >= HS_ACT_TIMER)
            continue;
        struct hs_job *job = hs_engine_job(e, a->job);
        bool is_move = (job->plan & HS_PLAN_RELEASED) && (job->plan & HS_PLAN_PLACED);
        if (is_move && a->kind != HS_ACT_START && a->kind != HS_ACT_MIGRATE)
            continue;
        job->plan &= (uint8_t)~marks;
        if (a->kind == HS_ACT_PREEMPT || a->kind == HS_ACT_SUSPEND)
            hs_lifecycle_notify_policy(e, HS_EVENT_STOPPED, job, 0);
        else if (a->kind == HS_ACT_START && !is_move)
            hs_lifecycle_notify_policy(e, HS_EVENT_STARTED, job, 0);
    }
}

enum hs_status hs_commit(struct hs_engine *e)
{
    if (e->plan.kinds & RELEASES) {
        plan_mark_kept(e);
        for (uint32_t i = 0; i < e->plan.count; i++) {
            const struct hs_action *a = &e->plan.actions[i];
            if ((RELEASES >> a->kind & 1) && !a->is_kept)
                HS_TRY(job_release(e, a));
        }
    }
    for (uint32_t i = 0; e->plan.has_named && i < e->plan.pick_count; i++) {
        uint32_t id = e->plan.picks[i].gpu; /* excluded where no GPU is named */
        if (id != UINT32_MAX)
            e->gpu_free[id / 64] &= ~(UINT64_C(1) << (id % 64));
    }
    for (uint32_t i = 0; i < e->plan.count; i++) {
        const struct hs_action *a = &e->plan.actions[i];
        if ((a->kind == HS_ACT_START || a->kind == HS_ACT_MIGRATE) && !a->is_kept)
            HS_TRY(job_place(e, a));
    }
    if ((e->plan.kinds & ~MOVES) != 0 || e->plan.has_slice_groups)
        HS_TRY(plan_set_all(e));
    e->plan.is_applying = true;
    HS_TRY(hs_progress_rerate(e));
    e->plan.is_applying = false;
    plan_report(e);
    return HS_OK;
}
