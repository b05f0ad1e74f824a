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
#include "policies/kit_queue.h"

#define GPUS_MOST (UINT32_MAX / HS_GPU_MILLI - 1) /* whose size can be told */

const char *const hs_scan_names[] = {"strict", "fit", "easy", NULL};
const char *const hs_scan_two_names[] = {"strict", "fit", NULL};

uint32_t hs_queue_size(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    (void)is_constrained;
    if (milli < HS_GPU_MILLI)
        gpus = gpus > 0;
    return (gpus < GPUS_MOST ? gpus : GPUS_MOST) * milli;
}

enum hs_status hs_queue_init(struct hs_queue *q, const struct hs_view *v)
{
    q->vcs = hs_view_vcs(v);
    q->by_vc = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->by_vc);
    q->is_awake = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->is_awake);
    for (uint32_t vc = 0; q->by_vc != NULL && vc < q->vcs; vc++)
        q->by_vc[vc].size_of = hs_queue_size;
    return q->by_vc != NULL && q->is_awake != NULL ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_queue_init_for(struct hs_queue *q, const struct hs_view *v, enum hs_scan scan)
{
    HS_TRY(hs_queue_init(q, v));
    if (scan == HS_SCAN_STRICT) {
        q->fronts = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->fronts);
        q->tails = hs_view_alloc(v, (uint64_t)q->vcs * sizeof *q->tails);
        return q->fronts != NULL && q->tails != NULL ? HS_OK : HS_E_MEMORY;
    }
    q->asks = hs_view_alloc(v, sizeof *q->asks);
    return q->asks != NULL ? hs_asks_init(q->asks, v) : HS_E_MEMORY;
}

HS_EXPANDED void hs_wake(bool *is_awake, uint32_t vcs, const struct hs_view *v, hs_job_id job)
{
    if (hs_view_vcs_are_apart(v))
        is_awake[hs_view_vc(v, job)] = true;
    else
        for (uint32_t vc = 0; vc < vcs; vc++)
            is_awake[vc] = true;
}

void hs_queue_wake(struct hs_queue *q, const struct hs_view *v, hs_job_id job)
{
    q->is_any_awake = true;
    hs_wake(q->is_awake, q->vcs, v, job);
}

void hs_queue_wake_all(struct hs_queue *q)
{
    q->is_any_awake = true;
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        q->is_awake[vc] = true;
}

HS_EXPANDED bool hs_queue_needs_scan(struct hs_queue *q, uint32_t vc)
{
    if (!q->is_awake[vc])
        return false;
    q->is_awake[vc] = false;
    if (q->fronts != NULL)
        return q->fronts[vc].count > 0;
    return q->by_vc[vc].count > 0 || (q->asks != NULL && q->asks->count[vc] > 0);
}

/* A job that waits in a front knows of no subtree: there it is told who came HS_QUEUE_AHEAD places
 * behind it. A hint: by now that may be somebody else, or nobody. */
static uint32_t *ahead_of(const struct hs_view *v, hs_job_id job)
{
    struct hs_order_link *link = hs_view_scratch(v, job);
    return &link->least_constrained;
}

static void add_to_front(struct hs_queue *q, const struct hs_view *v, hs_job_id job, uint32_t vc,
                         int64_t key)
{
    struct hs_queue_tail *tail = &q->tails[vc];
    uint32_t *last = &tail->last[tail->count % HS_QUEUE_AHEAD];
    hs_front_add(&q->fronts[vc], v, job, key);
    *ahead_of(v, job) = HS_NO_JOB;
    if (hs_front_reached(&q->fronts[vc]) != job)
        return;
    if (*last != 0)
        *ahead_of(v, *last - 1) = job;
    *last = job + 1;
    tail->count++;
}

static inline void add(struct hs_queue *q, const struct hs_view *v, hs_job_id job, uint32_t vc,
                       int64_t key)
{
    if (q->fronts != NULL)
        add_to_front(q, v, job, vc, key);
    else if (q->asks == NULL || !hs_asks_add(q->asks, v, job, key))
        hs_order_add(&q->by_vc[vc], v, job, key);
}

void hs_queue_add(struct hs_queue *q, const struct hs_view *v, hs_job_id job, int64_t key)
{
    add(q, v, job, hs_view_vc(v, job), key);
}

/* Under strict the first in order has been tried, and nothing was freed since. */
HS_EXPANDED void hs_queue_submit(struct hs_queue *q, const struct hs_view *v, hs_job_id job,
                                 int64_t key)
{
    const uint32_t vc = hs_view_vc(v, job);
    add(q, v, job, vc, key);
    if (q->fronts == NULL || hs_view_ties_are_drawn(v))
        hs_queue_wake(q, v, job);
    else if (hs_front_first(&q->fronts[vc], v) == job)
        q->is_any_awake = q->is_awake[vc] = true;
}

HS_EXPANDED void hs_queue_remove(struct hs_queue *q, const struct hs_view *v, hs_job_id job)
{
    if (!hs_order_has(v, job))
        return;
    if (q->fronts != NULL)
        hs_front_remove(&q->fronts[hs_view_vc(v, job)], v, job);
    else if (q->asks == NULL || !hs_asks_remove(q->asks, v, job))
        hs_order_remove(&q->by_vc[hs_view_vc(v, job)], v, job);
}

HS_EXPANDED void hs_queue_finish(struct hs_queue *q, const struct hs_view *v, hs_job_id job)
{
    if (hs_view_first_start_us(v, job) < 0) /* it was turned away */
        hs_queue_remove(q, v, job);
    hs_queue_wake(q, v, job);
}

bool hs_pool_is_idle(const struct hs_view *v, hs_job_id job)
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

HS_EXPANDED bool hs_place_or_reject(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                                    enum hs_placer placer)
{
    return hs_place(v, p, job, placer) || hs_reject_hopeless(v, p, job);
}

static void scan_strict(const struct hs_order *set, const struct hs_view *v, struct hs_plan *p,
                        enum hs_placer placer)
{
    hs_job_id job = hs_order_first(set, v);
    while (job != HS_NO_JOB && hs_place_or_reject(v, p, job, placer))
        job = hs_order_next(set, v, job);
}

/* A gang that cannot find a place as things stand: what is free says so without a try. */
static bool is_hopeless_now(const struct hs_view *v, hs_job_id job, enum hs_placer placer)
{
    return !hs_view_is_constrained(v, job) && hs_view_gpu_milli(v, job) == HS_GPU_MILLI &&
           hs_view_gpus(v, job) > hs_placer_bound(v, hs_view_vc(v, job), placer);
}

/* Of a set that is not empty. Who found no place the last time is still the first as a rule, and
 * most of what ends makes none for it. */
static void scan_front(struct hs_queue *q, uint32_t vc, const struct hs_view *v, struct hs_plan *p,
                       enum hs_placer placer)
{
    struct hs_front *set = &q->fronts[vc];
    uint32_t *stuck = &q->tails[vc].stuck;
    hs_job_id job = hs_front_first(set, v);
    if (*stuck == job + 1 && is_hopeless_now(v, job, placer))
        return;
    while (hs_place_or_reject(v, p, job, placer)) {
        hs_job_id expected = *ahead_of(v, job);
        job = hs_front_next(set, v, job);
        if (job == HS_NO_JOB)
            return;
        if (expected == HS_NO_JOB)
            expected = hs_front_next(set, v, job);
        hs_view_expect(v, expected); /* who has waited for long is far away: it is under way */
    }
    *stuck = job + 1;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t hs_queue_room(const struct hs_view *v, uint32_t vc)
{
    return smaller(hs_view_free_gpus(v, vc), hs_view_quota_room(v, vc));
}

uint64_t hs_queue_room_milli(const struct hs_view *v, uint32_t vc)
{
    uint64_t gpus = hs_view_free_gpus(v, vc);
    uint64_t room = gpus > 0 ? gpus * HS_GPU_MILLI : hs_view_share_room(v, vc);
    return smaller(room, hs_view_quota_room_milli(v, vc));
}

void hs_queue_narrow_by_room(struct hs_bounds *bounds, const struct hs_view *v, uint32_t vc)
{
    uint64_t room = hs_queue_room_milli(v, vc);
    bounds->plain = smaller(bounds->plain, room);
    bounds->constrained = smaller(bounds->constrained, room);
}

void hs_queue_narrow_by_failure(struct hs_bounds *bounds, const struct hs_view *v, hs_job_id job,
                                enum hs_placer placer)
{
    bool is_gang_of_shares = hs_view_gpu_milli(v, job) < HS_GPU_MILLI && hs_view_gpus(v, job) > 1;
    if (!hs_view_is_constrained(v, job) && hs_placer_is_monotone(placer) && !is_gang_of_shares)
        bounds->plain = (uint64_t)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job) - 1;
}

static void scan_fit(struct hs_order *set, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                     enum hs_placer placer)
{
    struct hs_bounds bounds = {UINT64_MAX, UINT64_MAX};
    hs_queue_narrow_by_room(&bounds, v, vc);
    hs_job_id job = hs_order_next_within(set, v, HS_NO_JOB, bounds);
    hs_job_id head = hs_order_first(set, v); /* the first that does not start */
    while (job != HS_NO_JOB) {
        hs_plan_because(p, job == head ? NULL : "passes jobs before it that do not fit now");
        if (hs_place_or_reject(v, p, job, placer)) {
            hs_queue_narrow_by_room(&bounds, v, vc);
            head = job == head ? hs_order_next(set, v, job) : head;
        } else {
            hs_queue_narrow_by_failure(&bounds, v, job, placer);
        }
        job = hs_order_next_within(set, v, job, bounds);
    }
    hs_plan_because(p, NULL);
}

void hs_queue_scan_set(struct hs_order *set, const struct hs_view *v, struct hs_plan *p,
                       uint32_t vc, enum hs_scan scan, enum hs_placer placer)
{
    if (scan == HS_SCAN_STRICT)
        scan_strict(set, v, p, placer);
    else
        scan_fit(set, v, p, vc, placer);
}

void hs_queue_scan(struct hs_queue *q, const struct hs_view *v, struct hs_plan *p,
                   enum hs_placer placer)
{
    if (!q->is_any_awake)
        return;
    q->is_any_awake = false;
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        if (!hs_queue_needs_scan(q, vc))
            continue;
        if (q->fronts != NULL)
            scan_front(q, vc, v, p, placer);
        else
            hs_asks_scan(q->asks, &q->by_vc[vc], v, p, vc, placer);
    }
}

static const char *fronts_check(const struct hs_queue *q, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        const struct hs_front *set = &q->fronts[vc];
        if (!hs_front_is_valid(set, v))
            return "the front of a waiting queue is out of order";
        for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(set, v, j)) != HS_NO_JOB;)
            if (!hs_job_waits(v, j))
                return "a waiting queue holds a job that does not wait";
    }
    return NULL;
}

const char *hs_queue_check(const struct hs_queue *q, const struct hs_view *v)
{
    if (q->fronts != NULL)
        return fronts_check(q, v);
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        const struct hs_order *set = &q->by_vc[vc];
        if (!hs_order_is_valid(set, v))
            return "a waiting queue is out of order";
        for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j))
            if (!hs_job_waits(v, j))
                return "a waiting queue holds a job that does not wait";
    }
    if (q->asks != NULL && !hs_asks_is_valid(q->asks, v))
        return "jobs that wait by what they ask are out of order";
    return NULL;
}
