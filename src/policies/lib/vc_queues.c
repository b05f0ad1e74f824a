/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scans of waiting queues. Within a pass free capacity only shrinks, and all placers but skew are
 * monotone in the gang size, so once an unconstrained gang of n fails, every later unconstrained
 * one of n or more fails too: the scan asks for the next job below n and skips the rest unseen.
 * Same decisions as a linear scan, O(starts x log n) instead of O(queue); under skew only jobs that
 * are larger than all that is free are skipped.
 *
 * Sizes are thousandths of GPUs: of a gang all its GPUs, of shares the share of one worker. A share
 * fails only where no GPU is idle, and then every whole gang does; so one bound serves both.
 */
#include "policies/lib/vc_queues.h"

#define GPUS_MOST                                                                                  \
    (UINT32_MAX / HS_GPU_MILLI - 1) /* largest gang whose size in thousandths fits into 32 bits */

const char *const hs_scan_names[] = {"strict", "fit", "easy", "conservative", NULL};
const char *const hs_scan_two_names[] = {"strict", "fit", NULL};

uint32_t hs_vc_queues_size(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    (void)is_constrained;
    if (milli < HS_GPU_MILLI)
        gpus = gpus > 0;
    return (gpus < GPUS_MOST ? gpus : GPUS_MOST) * milli;
}

void hs_vc_queues_init(struct hs_vc_queues *q, const struct hs_view *v, enum hs_scan scan)
{
    q->vcs = v->vcs;
    q->by_vc = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->by_vc);
    q->is_awake = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->is_awake);
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        q->by_vc[vc].size_of = hs_vc_queues_size;
    q->is_strict = scan == HS_SCAN_STRICT;
}

static void hold(void *state, const struct hs_view *v, hs_job_id job, bool holds);

enum hs_status hs_vc_queues_prioritize(struct hs_vc_queues *q, const struct hs_view *v,
                                       const struct hs_priority *priority,
                                       const struct hs_preempt_cost *cost)
{
    const bool has_levels = hs_priority_counts(priority);
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        q->by_vc[vc].levels = has_levels ? priority : NULL;
    if (cost == NULL || !hs_priority_evicts(priority))
        return HS_OK;
    if (priority->use == HS_PRIORITY_PREEMPT && priority->classes == HS_CLASS_ORDER)
        return hs_view_fail(v, HS_E_USAGE,
                            "classes come before priorities: with priority=preempt "
                            "they need class=evict, or class=ignore");
    q->evicts_by = *priority;
    if (priority->use != HS_PRIORITY_PREEMPT)
        q->evicts_by.use = HS_PRIORITY_IGNORE;
    if (priority->classes != HS_CLASS_EVICT)
        q->evicts_by.classes = HS_CLASS_IGNORE;
    HS_TRY(hs_evictions_init(&q->evictions, v, &q->evicts_by, cost, q->is_strict));
    q->evictions.hold = hold;
    q->evictions.state = q;
    q->holders = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->holders);
    q->is_strict = false; /* the choice is */
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        struct hs_job_queue *by_start = &q->holders[vc].by_start.set;
        q->by_vc[vc].size_of = NULL;
        by_start->levels = hs_priority_counts(&q->evicts_by) ? &q->evicts_by : NULL;
        hs_evictions_order(&q->evictions, vc, by_start);
    }
    return HS_OK;
}

HS_EXPANDED void hs_wake(bool *is_awake, uint32_t vcs, const struct hs_view *v, hs_job_id job)
{
    if (v->vcs_are_apart && job != HS_NO_JOB)
        is_awake[hs_view_vc(v, job)] = true;
    else
        for (uint32_t vc = 0; vc < vcs; vc++)
            is_awake[vc] = true;
}

void hs_vc_queues_wake(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job)
{
    q->is_any_awake = true;
    hs_wake(q->is_awake, q->vcs, v, job);
}

HS_EXPANDED bool hs_vc_queues_needs_scan(struct hs_vc_queues *q, uint32_t vc)
{
    if (!q->is_awake[vc])
        return false;
    q->is_awake[vc] = false;
    return q->by_vc[vc].count > 0;
}

HS_EXPANDED void hs_vc_queues_add(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job,
                                  int64_t key)
{
    hs_job_queue_add(&q->by_vc[hs_view_vc(v, job)], v, job, key);
}

HS_EXPANDED void hs_vc_queues_remove(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job)
{
    if (hs_job_queue_has(v, job))
        hs_job_queue_remove(&q->by_vc[hs_view_vc(v, job)], v, job);
}

/* A job gets its GPUs, at that time, or loses them; one without any is never evicted. */
static void count_holder(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job, bool gets,
                         int64_t start_us)
{
    const uint64_t gpus = hs_view_gpus(v, job);
    if (gpus == 0)
        return;
    struct hs_vc_holders *holders = &q->holders[hs_view_vc(v, job)];
    holders->gpus += gets ? gpus : -gpus;
    if (gets)
        hs_job_queue_add(&holders->by_start.set, v, job, start_us);
    else
        hs_job_queue_remove(&holders->by_start.set, v, job);
}

static void hold(void *state, const struct hs_view *v, hs_job_id job, bool holds)
{
    count_holder(state, v, job, holds, hs_job_queue_key(v, job));
}

/* A job with GPUs ends, or was stopped: perhaps by reclaim, and then it is in no set any more. */
static void lose_holder(struct hs_vc_queues *q, const struct hs_view *v, hs_job_id job)
{
    if (q->holders != NULL &&
        !(q->evictions.priority->reclaims && hs_evictions_forget(&q->evictions, v, job)) &&
        hs_job_queue_has(v, job))
        count_holder(q, v, job, false, 0);
}

void hs_vc_queues_event(struct hs_vc_queues *q, const struct hs_view *v,
                        const struct hs_event *event, int64_t key)
{
    const hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        hs_vc_queues_add(q, v, job, key);
        if (!q->is_strict || v->ties_are_drawn)
            hs_vc_queues_wake(q, v, job);
        /* under strict order the first job has been tried, and nothing was freed since */
        else if (hs_job_queue_first(&q->by_vc[hs_view_vc(v, job)]) == job)
            q->is_any_awake = q->is_awake[hs_view_vc(v, job)] = true;
        break;
    case HS_EVENT_STARTED:
        hs_vc_queues_remove(q, v, job);
        if (q->holders != NULL)
            count_holder(q, v, job, true, hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        lose_holder(q, v, job);
        hs_vc_queues_add(q, v, job, key);
        break;
    case HS_EVENT_TIMER: /* the end of a notice */
        q->is_any_awake = q->is_awake[event->tag] = true;
        break;
    case HS_EVENT_FINISH:
        if (hs_view_first_start_us(v, job) < 0) /* rejected */
            hs_vc_queues_remove(q, v, job);
        else
            lose_holder(q, v, job);
        hs_vc_queues_wake(q, v, job);
        break;
    case HS_EVENT_NODE:
        hs_vc_queues_wake(q, v, HS_NO_JOB);
        break;
    default:
        break;
    }
}

HS_EXPANDED bool hs_pool_is_idle(const struct hs_view *v, hs_job_id job)
{
    uint32_t vc = hs_view_vc(v, job);
    return hs_view_free_gpus(v, vc) == hs_view_total_gpus(v, vc);
}

bool hs_job_waits(const struct hs_view *v, hs_job_id job)
{
    enum hs_job_state state = hs_view_state(v, job);
    return state == HS_JOB_PENDING || state == HS_JOB_SUSPENDED;
}

HS_EXPANDED bool hs_reject_hopeless(const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    if (!hs_pool_is_idle(v, job) || hs_view_state(v, job) != HS_JOB_PENDING)
        return false;
    hs_plan_reject(p, job, "the placement rule cannot place it even on idle nodes");
    return true;
}

/* Returns true if the job was started or rejected. */
static inline bool place_or_reject(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                                   struct hs_place_rule rule)
{
    return hs_place(v, p, job, rule) || hs_reject_hopeless(v, p, job);
}

uint64_t hs_vc_queues_room(const struct hs_view *v, uint32_t vc)
{
    return hs_smaller(hs_view_free_gpus(v, vc), hs_view_quota_room(v, vc));
}

void hs_vc_queues_narrow_by_room(struct hs_gang_limits *bounds, const struct hs_view *v,
                                 uint32_t vc)
{
    uint64_t gpus = hs_view_free_gpus(v, vc);
    uint64_t room = gpus > 0 ? gpus * HS_GPU_MILLI : hs_view_share_room(v, vc);
    room = hs_smaller(room, hs_view_quota_room_milli(v, vc));
    bounds->plain = hs_smaller(bounds->plain, room);
    bounds->constrained = hs_smaller(bounds->constrained, room);
}

void hs_vc_queues_narrow_by_failure(struct hs_gang_limits *bounds, const struct hs_view *v,
                                    hs_job_id job, struct hs_place_rule rule)
{
    bool is_gang_of_shares = hs_view_gpu_milli(v, job) < HS_GPU_MILLI && hs_view_gpus(v, job) > 1;
    if (!hs_view_is_constrained(v, job) && hs_place_is_monotone(rule) && !is_gang_of_shares)
        bounds->plain = (uint64_t)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job) - 1;
}

static void scan_fit(struct hs_job_queue *set, const struct hs_view *v, struct hs_plan *p,
                     uint32_t vc, struct hs_place_rule rule)
{
    struct hs_gang_limits bounds = {UINT64_MAX, UINT64_MAX};
    hs_vc_queues_narrow_by_room(&bounds, v, vc);
    hs_job_id job = hs_job_queue_next_within(set, v, HS_NO_JOB, bounds);
    hs_job_id head = hs_job_queue_first(set); /* the first job that does not fit */
    while (job != HS_NO_JOB) {
        hs_plan_reason(p, job == head ? NULL : "passes jobs before it that do not fit now");
        if (place_or_reject(v, p, job, rule)) {
            hs_vc_queues_narrow_by_room(&bounds, v, vc);
            head = job == head ? hs_job_queue_next(set, v, job) : head;
        } else {
            hs_vc_queues_narrow_by_failure(&bounds, v, job, rule);
        }
        job = hs_job_queue_next_within(set, v, job, bounds);
    }
    hs_plan_reason(p, NULL);
}

HS_EXPANDED void hs_vc_queues_scan_set(struct hs_job_queue *set, const struct hs_view *v,
                                       struct hs_plan *p, uint32_t vc, enum hs_scan scan,
                                       struct hs_place_rule rule)
{
    if (scan == HS_SCAN_FIT) {
        scan_fit(set, v, p, vc, rule);
        return;
    }
    hs_job_id job = hs_job_queue_first(set);
    while (job != HS_NO_JOB) {
        const hs_job_id next = hs_job_queue_next(set, v, job);
        if (next != HS_NO_JOB) /* in a long queue it is in no cache: 10 % of a run of fifo */
            hs_view_expect(v, next);
        if (!place_or_reject(v, p, job, rule))
            break;
        job = next;
    }
}

static void scan_evicting(void *state, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_vc_queues *q = state;
    struct hs_evictions *x = &q->evictions;
    const bool has_classes = q->evicts_by.classes != HS_CLASS_IGNORE;
    struct hs_choice choice = {.classes = &q->holders[vc].by_start,
                               .class_count = 1,
                               .waiting = &q->by_vc[vc],
                               .levels = 1,
                               .holders_first = true,
                               .is_strict = x->is_strict,
                               .room = hs_vc_queues_room(v, vc) + x->vcs[vc].coming,
                               .held = q->holders[vc].gpus,
                               .evict_reason =
                                   has_classes ? "jobs before it by class or priority get its GPUs"
                                               : "jobs of higher priority get its GPUs",
                               .evictions = hs_evictions_act(x) ? x : NULL};
    hs_preempt_select(&choice, v);
    hs_choice_apply(&choice, v, p, q->rule, x->cost, HS_COMPAT_OFF);
}

void hs_vc_queues_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                       struct hs_place_rule rule)
{
    if (!q->is_any_awake)
        return;
    q->is_any_awake = false;
    if (q->holders != NULL) {
        q->rule = rule;
        hs_evictions_scan(&q->evictions, v, p, q->by_vc, q->is_awake, scan_evicting, q);
        return;
    }
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        if (hs_vc_queues_needs_scan(q, vc))
            hs_vc_queues_scan_set(&q->by_vc[vc], v, p, vc,
                                  q->is_strict ? HS_SCAN_STRICT : HS_SCAN_FIT, rule);
}

/* ---- with a placement of the policy's own ---- */

void hs_colocate_event(struct hs_vc_queues *q, const struct hs_view *v,
                       const struct hs_event *event, int64_t key)
{
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        hs_vc_queues_add(q, v, event->job, key);
    else if (event->kind == HS_EVENT_FINISH)
        hs_vc_queues_remove(q, v, event->job);
    else if (event->kind != HS_EVENT_NODE)
        return;
    hs_vc_queues_wake(q, v, event->job);
}

/* Whether the failure of this job says something about others: it needs GPUs and may use any node.
 */
static bool tells_of_others(const struct hs_view *v, hs_job_id job)
{
    return !hs_view_is_constrained(v, job) && hs_view_gpus(v, job) > 0;
}

bool hs_is_full(const struct hs_view *v, hs_job_id job)
{
    return tells_of_others(v, job) && hs_view_is_full(v, job);
}

/* The next job behind a refused one, without the gangs that the placement is known to refuse as
 * well. One step per job where the number of refusals is limited. */
static hs_job_id next_placeable(struct hs_job_queue *set, const struct hs_view *v, hs_job_id job,
                                const struct hs_colocate_rule *rule, uint64_t *refusals_left)
{
    uint32_t blocked = rule->blocked_gpus == NULL
                           ? UINT32_MAX
                           : rule->blocked_gpus(rule->state, v, hs_view_vc(v, job));
    if (blocked == UINT32_MAX || *refusals_left == 0)
        return hs_job_queue_next(set, v, job);
    struct hs_gang_limits limits = {.plain = (uint64_t)blocked * HS_GPU_MILLI - 1,
                                    .constrained = UINT64_MAX};
    if (set->count <= rule->max_refusals)
        return hs_job_queue_next_within(set, v, job, limits);
    job = hs_job_queue_next(set, v, job);
    while (job != HS_NO_JOB && !hs_view_is_constrained(v, job) && hs_view_gpus(v, job) >= blocked)
        job = --*refusals_left > 0 ? hs_job_queue_next(set, v, job) : HS_NO_JOB;
    return job;
}

static uint32_t scan_vc(struct hs_job_queue *set, const struct hs_view *v, struct hs_plan *p,
                        const struct hs_colocate_rule *rule)
{
    uint64_t refusals_left = rule->max_refusals;
    uint32_t starts = 0;
    bool is_held = false;  /* a GPU is held, so no job is rejected as hopeless */
    bool has_room = false; /* after the last start some GPU was idle or open to another tenant */
    hs_job_id job = hs_job_queue_first(set);
    while (job != HS_NO_JOB && refusals_left > 0) {
        hs_job_id next = HS_NO_JOB;
        if (rule->place(rule->state, v, p, job)) {
            next = hs_job_queue_next(set, v, job);
            hs_job_queue_remove(set, v, job);
            has_room = false;
            if (++starts == rule->max_starts)
                break;
        } else {
            is_held = is_held || !hs_pool_is_idle(v, job);
            refusals_left -= is_held || !hs_reject_hopeless(v, p, job);
            bool is_full = !has_room && hs_is_full(v, job);
            has_room = has_room || (!is_full && tells_of_others(v, job));
            if (is_full && hs_job_queue_next_fitting(set, v, job, 0) == HS_NO_JOB)
                break;
            next = is_held ? next_placeable(set, v, job, rule, &refusals_left)
                           : hs_job_queue_next(set, v, job);
        }
        job = next;
    }
    return starts;
}

uint32_t hs_colocate_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule)
{
    uint32_t starts = 0;
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        if (hs_vc_queues_needs_scan(q, vc))
            starts += scan_vc(&q->by_vc[vc], v, p, rule);
    return starts;
}

const char *hs_waiting_check(const struct hs_job_queue *queue, const struct hs_view *v)
{
    if (!hs_job_queue_is_valid(queue, v))
        return "a waiting queue is out of order";
    HS_EACH_QUEUED(j, queue, v)
        if (!hs_job_waits(v, j))
            return "a waiting queue holds a job that does not wait";
    return NULL;
}

const char *hs_vc_queues_check(const struct hs_vc_queues *q, const struct hs_view *v)
{
    const char *fault = NULL;
    for (uint32_t vc = 0; fault == NULL && vc < q->vcs; vc++) {
        fault = hs_waiting_check(&q->by_vc[vc], v);
        if (q->holders == NULL)
            continue;
        const struct hs_job_queue *set = &q->holders[vc].by_start.set;
        uint64_t gpus = 0;
        HS_EACH_QUEUED(j, set, v)
            gpus += hs_view_gpus_held(v, j);
        if (!hs_job_queue_is_valid(set, v) || gpus != q->holders[vc].gpus)
            return "the jobs that hold GPUs are out of order or miscounted";
    }
    return fault;
}
