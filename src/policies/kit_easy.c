/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_easy.h. What the orders of the classes hold against their bounds is the time that a job
 * will be busy, in steps: who is worth a look is found by the step, and then asked for the exact
 * time.
 */
#include "policies/kit_easy.h"

#include "policies/kit_queue.h"

#define NEAR       8u /* places of the table that a class may be at */
#define STEP_BITS  20 /* of a time in microseconds: about a second */
#define STEPS_MOST (UINT32_MAX - 2)

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Until it ends, if it starts now. */
static int64_t busy_us(const struct hs_view *v, hs_job_id job)
{
    return hs_view_cost_left_us(v, job) + hs_view_estimate_us(v, job);
}

/* From 1 on: a bound of 0 lets nobody through. */
static uint32_t steps_of(int64_t us)
{
    return (uint32_t)smaller((uint64_t)us >> STEP_BITS, STEPS_MOST - 1) + 1;
}

static uint32_t size_of(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    (void)is_constrained;
    return steps_of(busy_us(v, job));
}

/* Of all its GPUs. */
static uint64_t milli_of(const struct hs_view *v, hs_job_id job)
{
    return (uint64_t)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job);
}

enum hs_status hs_easy_init(struct hs_easy *e, const struct hs_view *v)
{
    e->vcs = hs_view_vcs(v);
    const uint64_t classes = (uint64_t)e->vcs + HS_EASY_CLASSES;
    e->classes = hs_view_alloc(v, classes * sizeof *e->classes);
    e->heads = hs_view_alloc(v, classes * sizeof *e->heads);
    e->running = hs_view_alloc(v, (uint64_t)e->vcs * sizeof *e->running);
    e->is_awake = hs_view_alloc(v, (uint64_t)e->vcs * sizeof *e->is_awake);
    if (e->classes == NULL || e->heads == NULL || e->running == NULL || e->is_awake == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < e->vcs; vc++)
        e->classes[vc] =
            (struct hs_easy_class){.jobs = {.size_of = size_of}, .vc = vc, .is_used = true};
    return HS_OK;
}

/* The class of the job, which is made if need be. */
static struct hs_easy_class *class_of(struct hs_easy *e, const struct hs_view *v, hs_job_id job)
{
    const uint32_t vc = hs_view_vc(v, job), gpus = hs_view_gpus(v, job);
    const uint32_t milli = hs_view_gpu_milli(v, job);
    const uint32_t at = hs_order_mix((uint64_t)gpus << 32 | (vc << 10 ^ milli));
    struct hs_easy_class *free = NULL;
    for (uint32_t i = 0; i < NEAR; i++) {
        struct hs_easy_class *c = &e->classes[e->vcs + (at + i) % HS_EASY_CLASSES];
        if (!c->is_used)
            free = free == NULL ? c : free;
        else if (c->vc == vc && c->gpus == gpus && c->milli == milli)
            return c;
    }
    struct hs_easy_class *mixed = &e->classes[vc];
    if (free == NULL)
        return mixed;
    *free = (struct hs_easy_class){.jobs = {.size_of = size_of},
                                   .vc = vc,
                                   .gpus = gpus,
                                   .milli = milli,
                                   .next = mixed->next,
                                   .is_used = true};
    mixed->next = (uint32_t)(free - e->classes) + 1;
    return free;
}

HS_APART void hs_easy_add(struct hs_easy *e, const struct hs_view *v, hs_job_id job, int64_t key)
{
    hs_order_add(&class_of(e, v, job)->jobs, v, job, key);
    hs_wake(e->is_awake, e->vcs, v, job);
}

HS_APART void hs_easy_remove(struct hs_easy *e, const struct hs_view *v, hs_job_id job)
{
    bool has_run = hs_view_first_start_us(v, job) >= 0;
    if (hs_order_has(v, job))
        hs_order_remove(has_run ? &e->running[hs_view_vc(v, job)] : &class_of(e, v, job)->jobs, v,
                        job);
    hs_wake(e->is_awake, e->vcs, v, job);
}

/* ---- a pass ---- */

struct pass {
    struct hs_easy *e;
    const struct hs_view *v;
    struct hs_plan *p;
    uint32_t vc;
    enum hs_placer placer;
    uint32_t count;          /* of heads */
    struct hs_bounds bounds; /* of sizes worth a try (hs_queue_size) */
    int64_t until_us;        /* to the start of the reservation */
    uint64_t extra;          /* thousandths that it leaves over */
};

static struct hs_order *jobs_of(const struct pass *x, uint32_t set)
{
    return &x->e->classes[set].jobs;
}

static bool is_before(const struct pass *x, hs_job_id a, hs_job_id b)
{
    return hs_order_is_before(jobs_of(x, x->vc), x->v, a, b);
}

/* Puts a head where the heap has a gap at `at`, moving others up. */
static void sift_down(struct pass *x, uint32_t at, struct hs_easy_head head)
{
    struct hs_easy_head *heads = x->e->heads;
    for (uint32_t below = 2 * at + 1; below < x->count; below = 2 * at + 1) {
        if (below + 1 < x->count && is_before(x, heads[below + 1].job, heads[below].job))
            below++;
        if (is_before(x, head.job, heads[below].job))
            break;
        heads[at] = heads[below];
        at = below;
    }
    heads[at] = head;
}

static void order_heads(struct pass *x)
{
    for (uint32_t at = x->count / 2; at-- > 0;)
        sift_down(x, at, x->e->heads[at]);
}

/* In place of the first of all heads comes another of its class, or none. */
static void replace_first(struct pass *x, hs_job_id job)
{
    struct hs_easy_head head = {job, x->e->heads[0].set};
    if (job == HS_NO_JOB)
        head = x->e->heads[--x->count];
    sift_down(x, 0, head);
}

/* It holds GPUs from now on: its end counts for the next reservation. */
static void move_to_running(struct pass *x, hs_job_id job, uint32_t set)
{
    hs_order_remove(jobs_of(x, set), x->v, job);
    hs_order_add(&x->e->running[x->vc], x->v, job, hs_view_now_us(x->v) + busy_us(x->v, job));
}

/* Starts jobs in order while they fit; the first that does not, or HS_NO_JOB. */
static hs_job_id start_in_order(struct pass *x)
{
    for (uint32_t set = x->vc, next;; set = next - 1) {
        hs_job_id first = hs_order_first(jobs_of(x, set), x->v);
        if (first != HS_NO_JOB)
            x->e->heads[x->count++] = (struct hs_easy_head){first, set};
        next = x->e->classes[set].next;
        if (next == 0)
            break;
    }
    order_heads(x);
    while (x->count > 0) {
        const struct hs_easy_head head = x->e->heads[0];
        hs_job_id next = hs_order_next(jobs_of(x, head.set), x->v, head.job);
        bool is_started = hs_place(x->v, x->p, head.job, x->placer);
        if (!is_started && !hs_reject_hopeless(x->v, x->p, head.job))
            return head.job;
        replace_first(x, next);
        if (is_started)
            move_to_running(x, head.job, head.set);
    }
    return HS_NO_JOB;
}

/* When the head can have its GPUs, counting thousandths only: the expected end of the running job
 * that frees the last it lacks, which is now where that end has passed. */
static void reserve(struct pass *x, hs_job_id head)
{
    const struct hs_view *v = x->v;
    const struct hs_order *running = &x->e->running[x->vc];
    const uint64_t wanted = milli_of(v, head);
    uint64_t free_milli =
        hs_view_free_gpus(v, x->vc) * HS_GPU_MILLI + hs_view_share_rooms(v, x->vc);
    free_milli = smaller(free_milli, hs_view_quota_room_milli(v, x->vc));
    for (hs_job_id j = hs_order_first(running, v); j != HS_NO_JOB;
         j = hs_order_next(running, v, j)) {
        free_milli += milli_of(v, j);
        if (free_milli >= wanted) {
            int64_t until_us = hs_order_key(v, j) - hs_view_now_us(v);
            x->until_us = until_us > 0 ? until_us : 0;
            x->extra = free_milli - wanted;
            return;
        }
    }
}

/* Of the times that jobs of the class may be busy, in steps. */
static struct hs_bounds bounds_of(const struct pass *x, uint32_t set, hs_job_id job)
{
    const bool is_mixed = set == x->vc;
    bool is_constrained = false;
    const uint64_t size = is_mixed ? 0 : hs_queue_size(x->v, job, &is_constrained);
    const uint64_t least = is_mixed ? 1 : milli_of(x->v, job);
    const uint64_t steps = least <= x->extra ? UINT64_MAX : steps_of(x->until_us);
    return (struct hs_bounds){.plain = size <= x->bounds.plain ? steps : 0,
                              .constrained = size <= x->bounds.constrained ? steps : 0};
}

static hs_job_id next_of(struct pass *x, uint32_t set, hs_job_id member, hs_job_id after)
{
    return hs_order_next_within(jobs_of(x, set), x->v, after, bounds_of(x, set, member));
}

/* True when it was started. */
static bool try_behind(struct pass *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    const uint64_t milli = milli_of(v, job);
    bool ends_before = busy_us(v, job) <= x->until_us, is_constrained = false;
    uint32_t size = hs_queue_size(v, job, &is_constrained);
    is_constrained = hs_view_is_constrained(v, job);
    if (size > (is_constrained ? x->bounds.constrained : x->bounds.plain) ||
        (!ends_before && milli > x->extra))
        return false;
    hs_plan_because(x->p, ends_before ? "backfilled: done before the reservation of the head"
                                      : "backfilled: on GPUs that the head will not need");
    if (!hs_place(v, x->p, job, x->placer)) {
        hs_queue_narrow_by_failure(&x->bounds, v, job, x->placer);
        return false;
    }
    x->extra -= ends_before ? 0 : milli;
    hs_queue_narrow_by_room(&x->bounds, v, x->vc);
    return true;
}

/* Those behind the head: of each class the first that may start. */
static void backfill(struct pass *x, hs_job_id head)
{
    struct hs_easy_head *heads = x->e->heads;
    const uint32_t count = x->count;
    x->bounds = (struct hs_bounds){UINT64_MAX, UINT64_MAX};
    hs_queue_narrow_by_room(&x->bounds, x->v, x->vc);
    x->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_easy_head h = heads[i];
        hs_job_id before = hs_order_prev(jobs_of(x, h.set), x->v, h.job);
        hs_job_id job = next_of(x, h.set, h.job, h.job == head ? head : before);
        if (job != HS_NO_JOB)
            heads[x->count++] = (struct hs_easy_head){job, h.set};
    }
    order_heads(x);
    while (x->count > 0) {
        const struct hs_easy_head h = heads[0];
        bool is_started = try_behind(x, h.job);
        replace_first(x, next_of(x, h.set, h.job, h.job));
        if (is_started)
            move_to_running(x, h.job, h.set);
    }
    hs_plan_because(x->p, NULL);
}

HS_APART void hs_easy_scan(struct hs_easy *e, const struct hs_view *v, struct hs_plan *p,
                           enum hs_placer placer)
{
    for (uint32_t vc = 0; vc < e->vcs; vc++) {
        if (!e->is_awake[vc])
            continue;
        e->is_awake[vc] = false;
        struct pass x = {.e = e, .v = v, .p = p, .vc = vc, .placer = placer};
        hs_job_id head = start_in_order(&x);
        if (head == HS_NO_JOB)
            continue;
        reserve(&x, head);
        backfill(&x, head);
    }
}

const char *hs_easy_check(const struct hs_easy *e, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < e->vcs; vc++)
        if (!hs_order_is_valid(&e->running[vc], v))
            return "the ends of the running jobs are out of order";
    for (uint32_t set = 0; set < e->vcs + HS_EASY_CLASSES; set++) {
        const struct hs_order *jobs = &e->classes[set].jobs;
        if (!hs_order_is_valid(jobs, v))
            return "a waiting queue is out of order";
        for (hs_job_id j = hs_order_first(jobs, v); j != HS_NO_JOB; j = hs_order_next(jobs, v, j))
            if (!hs_job_waits(v, j))
                return "a waiting queue holds a job that does not wait";
    }
    return NULL;
}
