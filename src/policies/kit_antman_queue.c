/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who is to be guaranteed and who is not. Tenants take turns: a job gets the round after the one
 * before it of its tenant, or the present one, and jobs are served in order of rounds.
 *
 * A job of class `auto` is in the second set `autos` while it is in the queue of its tenant, and in
 * `upgradable` of its tenant while it runs as an opportunistic job.
 */
#include "policies/kit_antman.h"
#include "policies/kit_queue.h"

static struct hs_antman_tenant *tenant_of(const struct hs_antman *s, const struct hs_view *v,
                                          hs_job_id job)
{
    return &s->tenants[hs_view_vc(v, job)];
}

static bool is_auto(const struct hs_view *v, hs_job_id job)
{
    return hs_view_class(v, job) == HS_JOB_CLASS_AUTO;
}

static int64_t next_round(int64_t *of_tenant, int64_t now)
{
    *of_tenant = *of_tenant + 1 > now ? *of_tenant + 1 : now;
    return *of_tenant;
}

static void hope(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    hs_antman_job(v, job)->role = HS_ANTMAN_HOPING;
    hs_order_add(&s->hoping, v, job,
                 next_round(&tenant_of(s, v, job)->spare_round, s->spare_round));
}

void hs_antman_enqueue(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_tenant *t = tenant_of(s, v, job);
    if (hs_view_class(v, job) == HS_JOB_CLASS_OPPORTUNISTIC) {
        hope(s, v, job);
        return;
    }
    hs_antman_job(v, job)->role = HS_ANTMAN_QUEUED;
    hs_order_add(&t->queue, v, job, next_round(&t->round, s->round));
    if (is_auto(v, job))
        hs_order_add(&s->autos, v, job, hs_view_now_us(v) + s->conv_wait_us);
}

void hs_antman_served(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman *s = x->s;
    int64_t round = hs_order_key(x->v, job);
    s->spare_round = round > s->spare_round ? round : s->spare_round;
    hs_order_remove(&s->hoping, x->v, job);
    if (is_auto(x->v, job))
        hs_order_add(&tenant_of(s, x->v, job)->upgradable, x->v, job, 0);
}

void hs_antman_dequeue(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    struct hs_antman_tenant *t = tenant_of(s, v, job);
    if (j->role == HS_ANTMAN_QUEUED)
        hs_order_remove(&t->queue, v, job);
    if (j->role == HS_ANTMAN_QUEUED && is_auto(v, job))
        hs_order_remove(&s->autos, v, job);
    if (j->role == HS_ANTMAN_HOPING)
        hs_order_remove(&s->hoping, v, job);
    if (j->role == HS_ANTMAN_SPARE && is_auto(v, job))
        hs_order_remove(&t->upgradable, v, job);
    if (j->role == HS_ANTMAN_RESERVING) {
        hs_order_remove(&s->reserving, v, job);
        hs_antman_unreserve(s, v, job);
    }
    if (j->role == HS_ANTMAN_RESERVING || j->role == HS_ANTMAN_GUARANTEED)
        t->charged -= hs_view_gpus(v, job);
    j->role = HS_ANTMAN_NOBODY;
}

static uint64_t quota_left(const struct hs_antman_tenant *t)
{
    return t->quota > t->charged ? t->quota - t->charged : 0;
}

/* ---- upgrade ---- */

/* Nobody else has a right to its GPUs, and they have memory for its peak. */
static bool may_upgrade(const struct hs_antman_pass *x, hs_job_id job)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    const struct hs_hold *holds = x->s->holds.holds;
    for (uint32_t h = j->first_hold; h != 0; h = holds[h].next_of_job) {
        const struct hs_antman_gpu *g = &x->s->gpus[holds[h].gpu];
        uint64_t others_mib = g->least_mib - j->least_mib;
        if (g->owner != 0 || g->reserved != 0 ||
            (g->spares > 1 &&
             others_mib + j->peak_mib > hs_view_gpu_capacity_mib(x->v, holds[h].gpu)))
            return false;
    }
    return true;
}

/* In place; it has run there, so that nobody needs to make way for it at first. */
static void upgrade(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    struct hs_antman_tenant *t = tenant_of(s, x->v, job);
    hs_order_remove(&t->upgradable, x->v, job);
    t->charged += hs_view_gpus(x->v, job);
    j->role = HS_ANTMAN_GUARANTEED;
    for (uint32_t h = j->first_hold; h != 0; h = s->holds.holds[h].next_of_job) {
        uint32_t gpu = s->holds.holds[h].gpu;
        struct hs_antman_gpu *g = &s->gpus[gpu];
        g->spares--;
        g->spare_pm -= j->util_pm;
        g->least_mib -= j->least_mib;
        hs_antman_set_owner(s, x->v, gpu, job + 1);
        g->since_us = x->now_us - s->init_us;
        hs_antman_begin_ramp(x, gpu);
        hs_antman_unsettle(s, x->v, gpu);
    }
    hs_plan_because(x->p, "quota is free again: guaranteed from here on");
    hs_plan_background(x->p, job, false);
}

static void upgrade_all(const struct hs_antman_pass *x)
{
    for (uint32_t vc = 0; vc < x->s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &x->s->tenants[vc];
        hs_job_id job = hs_order_next_fitting(&t->upgradable, x->v, HS_NO_JOB, quota_left(t)), next;
        for (; job != HS_NO_JOB; job = next) {
            next = hs_order_next_fitting(&t->upgradable, x->v, job, quota_left(t));
            if (hs_view_gpus(x->v, job) <= quota_left(t) && may_upgrade(x, job))
                upgrade(x, job);
        }
    }
}

/* ---- guaranteed jobs ---- */

/* With its quota: it starts, or waits with all GPUs that it could have. before: GPUs reserved for
 * those who come first. */
static void place_or_reserve(const struct hs_antman_pass *x, hs_job_id job, uint64_t before)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (hs_antman_place(x, job, before)) {
        if (j->role == HS_ANTMAN_RESERVING)
            hs_order_remove(&s->reserving, x->v, job);
        hs_antman_start(x, job, HS_ANTMAN_GUARANTEED);
        hs_antman_unreserve(s, x->v, job);
        return;
    }
    if (j->role != HS_ANTMAN_RESERVING) {
        j->role = HS_ANTMAN_RESERVING;
        hs_order_add(&s->reserving, x->v, job, s->reservations++);
    }
    if (hs_reject_hopeless(x->v, x->p, job))
        hs_antman_dequeue(s, x->v, job);
    else
        hs_antman_reserve(x, job, before);
}

/* A GPU was freed that it may use; or it is the first, which may turn out to be hopeless. */
static bool is_worth_a_try(const struct hs_antman_pass *x, hs_job_id job, uint32_t looked_count)
{
    const struct hs_antman *s = x->s;
    if (job == hs_order_first(&s->reserving, x->v))
        return true;
    for (uint32_t i = 0; i < looked_count; i++)
        if (hs_view_may_use(x->v, job, s->looked[i]))
            return true;
    return false;
}

/* Where GPUs were freed is looked at now, and what is freed meanwhile in another round. */
static uint32_t take_freed(struct hs_antman *s)
{
    uint32_t count = s->freed_count, *taken = s->freed;
    for (uint32_t i = 0; i < count; i++)
        s->is_freed[taken[i]] = false;
    s->freed = s->looked;
    s->looked = taken;
    s->freed_count = 0;
    return count;
}

/* Who has reserved goes first, in the order of the reservations, as long as there are GPUs that
 * nobody owns and nobody before has reserved; again, if one of them gave GPUs back. */
static void serve_reserving(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    const struct hs_order *set = &s->reserving;
    while (s->freed_count > 0) {
        uint32_t count = take_freed(s);
        uint64_t before = 0;
        hs_job_id job = hs_order_first(set, x->v), next;
        for (; job != HS_NO_JOB && s->open_gpus + s->reserved_gpus > before; job = next) {
            next = hs_order_next(set, x->v, job);
            if (is_worth_a_try(x, job, count))
                place_or_reserve(x, job, before);
            before += hs_antman_job(x->v, job)->reserved_count;
        }
    }
}

/* Of the tenants that are not blocked, the one whose turn it is. */
static struct hs_antman_tenant *next_tenant(const struct hs_antman_pass *x, hs_job_id *head)
{
    struct hs_antman_tenant *best = NULL;
    for (uint32_t vc = 0; vc < x->s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &x->s->tenants[vc];
        hs_job_id job = t->is_blocked ? HS_NO_JOB : hs_order_first(&t->queue, x->v);
        if (job == HS_NO_JOB || (best != NULL && hs_order_is_before(&t->queue, x->v, *head, job)))
            continue;
        best = t;
        *head = job;
    }
    return best;
}

static void charge(struct hs_antman *s, const struct hs_view *v, struct hs_antman_tenant *t,
                   hs_job_id job)
{
    int64_t round = hs_order_key(v, job);
    s->round = round > s->round ? round : s->round;
    hs_antman_dequeue(s, v, job);
    t->charged += hs_view_gpus(v, job);
}

/* Of class `auto`, and it has waited for quota long enough. */
static bool is_due(const struct hs_antman_pass *x, hs_job_id job)
{
    return is_auto(x->v, job) && hs_antman_job(x->v, job)->other.key <= x->now_us;
}

static void become_opportunistic(const struct hs_antman_pass *x, hs_job_id job)
{
    hs_antman_dequeue(x->s, x->v, job);
    hope(x->s, x->v, job);
}

static void serve_queues(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    struct hs_antman_tenant *t;
    hs_job_id job = HS_NO_JOB;
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc].is_blocked = false;
    while ((t = next_tenant(x, &job)) != NULL) {
        uint32_t gpus = hs_view_gpus(x->v, job);
        if (gpus <= quota_left(t)) {
            charge(s, x->v, t, job);
            place_or_reserve(x, job, s->reserved_gpus);
        } else if (gpus > t->quota && !is_auto(x->v, job) &&
                   hs_view_state(x->v, job) == HS_JOB_PENDING) {
            hs_plan_reject(x->p, job, "it needs more GPUs than the quota of its virtual cluster");
            hs_antman_dequeue(s, x->v, job);
        } else if (is_due(x, job)) {
            become_opportunistic(x, job);
        } else {
            t->is_blocked = true;
        }
    }
}

/* Those behind others that wait for quota, too. */
static void convert(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    hs_job_id job;
    while ((job = hs_order_first(&s->autos, x->v)) != HS_NO_JOB) {
        int64_t at_us = hs_antman_job(x->v, job)->other.key;
        if (at_us > x->now_us) {
            if (at_us != s->conversion_at_us)
                hs_plan_timer(x->p, at_us, s->gpu_count + UINT64_C(1));
            s->conversion_at_us = at_us;
            return;
        }
        become_opportunistic(x, job);
    }
}

void hs_antman_serve(const struct hs_antman_pass *x)
{
    upgrade_all(x);
    serve_reserving(x);
    serve_queues(x);
    convert(x);
}

/* ---- check ---- */

static const char *check_set(const struct hs_order *set, const struct hs_view *v,
                             enum hs_antman_role role)
{
    if (!hs_order_is_valid(set, v))
        return "a queue is out of order";
    for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j))
        if (hs_antman_job(v, j)->role != role || hs_job_waits(v, j) == (role == HS_ANTMAN_SPARE))
            return "a queue holds a job that is something else";
    return NULL;
}

const char *hs_antman_check_queues(const struct hs_antman *s, const struct hs_view *v)
{
    const char *broken = check_set(&s->reserving, v, HS_ANTMAN_RESERVING);
    if (broken == NULL)
        broken = check_set(&s->hoping, v, HS_ANTMAN_HOPING);
    if (broken == NULL)
        broken = check_set(&s->autos, v, HS_ANTMAN_QUEUED);
    for (uint32_t vc = 0; vc < s->tenant_count && broken == NULL; vc++) {
        const struct hs_antman_tenant *t = &s->tenants[vc];
        broken = check_set(&t->queue, v, HS_ANTMAN_QUEUED);
        if (broken == NULL)
            broken = check_set(&t->upgradable, v, HS_ANTMAN_SPARE);
        if (broken == NULL && t->charged > t->quota)
            broken = "a tenant is charged more than its quota";
    }
    return broken;
}
