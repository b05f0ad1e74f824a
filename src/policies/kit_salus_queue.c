/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_queue.h. A set in order of arrival whose bounds are memory (kit_order.h): what a
 * job keeps, or, when that is nothing, all that it needs.
 */
#include "policies/kit_salus_queue.h"

#include "policies/kit_salus_place.h"
#include "policies/kit_salus_turn.h"

static const char too_large[] = "a GPU has not the memory that it needs at most";
static const char hopeless[] = "the placement rule cannot place it even on idle nodes";

static uint32_t bounded(uint64_t mib)
{
    return mib < UINT32_MAX ? (uint32_t)mib : UINT32_MAX - 1;
}

/* All GPUs are the same to it as long as this is not more than they have. */
static uint32_t size_of(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct hs_salus_job *j = hs_salus_job(v, job);
    *is_constrained = j->least.kept_mib == 0;
    return bounded(*is_constrained ? j->least.all_mib : j->least.kept_mib);
}

enum hs_status hs_salus_queue_init(struct hs_salus *s, const struct hs_view *v)
{
    s->armed_us = -1;
    HS_TRY(hs_queue_init(&s->waiting, v));
    if (s->is_plain)
        return HS_OK;
    s->fresh = hs_view_alloc(v, (uint64_t)s->waiting.vcs * sizeof *s->fresh);
    if (s->fresh == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < s->waiting.vcs; vc++)
        s->waiting.by_vc[vc].size_of = size_of;
    return HS_OK;
}

void hs_salus_queue_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->need = hs_salus_need(&s->lanes, v, job);
    if (s->is_plain) {
        hs_queue_add(&s->waiting, v, job, 0);
        return;
    }
    j->least = hs_view_gpus(v, job) > 0 ? hs_salus_least(&s->lanes, &j->need) : (struct hs_room){0};
    j->is_fresh = true;
    hs_order_add(&s->fresh[hs_view_vc(v, job)], v, job, 0);
}

void hs_salus_queue_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    if (!j->is_fresh)
        hs_queue_remove(&s->waiting, v, job);
    else if (hs_order_has(v, job))
        hs_order_remove(&s->fresh[hs_view_vc(v, job)], v, job);
    j->is_fresh = false;
}

/* ---- when ---- */

void hs_salus_queue_wake(struct hs_salus *s)
{
    s->is_awake = true;
}

void hs_salus_queue_poll(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (!s->is_awake || s->armed_us > now_us)
        return;
    s->armed_us = (now_us / s->poll_us + 1) * s->poll_us;
    hs_plan_timer(p, s->armed_us, HS_SALUS_POLL_TAG);
}

typedef bool scan_fn(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc);

/* At a poll, if there is something new; a scan that ends at the one that it may admit goes on at
 * the next. */
static void scan_all(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, scan_fn *scan)
{
    if (!s->is_awake || (s->poll_us > 0 && hs_view_now_us(v) % s->poll_us != 0))
        return;
    bool is_over = true;
    for (uint32_t vc = 0; vc < s->waiting.vcs; vc++)
        is_over = scan(s, v, p, vc) && is_over;
    s->is_awake = !is_over;
    for (uint32_t pool = 0; is_over && pool < s->lanes.pool_count; pool++)
        s->lanes.pools[pool].freed_count = 0;
}

static bool is_too_large(const struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    return hs_view_gpus(v, job) > 0 &&
           hs_salus_is_too_large(&s->lanes, &hs_salus_job(v, job)->need);
}

/* What can never be admitted. */
static bool reject(const struct hs_salus *s, const struct hs_view *v, struct hs_plan *p,
                   hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    bool exceeds = is_too_large(s, v, job);
    if (hs_view_state(v, job) != HS_JOB_PENDING || (!exceeds && !hs_pool_is_idle(v, job)))
        return false;
    j->reason = exceeds ? too_large : hopeless;
    hs_plan_reject(p, job, j->reason);
    return true;
}

/* ---- the plain server ---- */

static bool serve(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_order *queue = &s->waiting.by_vc[vc];
    while (queue->count > 0) {
        hs_job_id job = hs_order_first(queue, v);
        int64_t startup_us = hs_view_gpus(v, job) > 0 ? hs_salus_startup_us(s, v, job) : 0;
        bool is_placed = !is_too_large(s, v, job) && hs_place(v, p, job, HS_PLACE_CONSOLIDATE);
        if (is_placed && startup_us > 0)
            hs_plan_owe(p, job, startup_us);
        if (!is_placed && !reject(s, v, p, job))
            break;
        hs_order_remove(queue, v, job);
        if (s->poll_us > 0)
            return queue->count == 0;
    }
    return true;
}

void hs_salus_queue_serve(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    scan_all(s, v, p, serve);
}

/* ---- admission ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool is_idle(const struct hs_view *v, uint32_t vc)
{
    return hs_view_free_gpus(v, vc) == hs_view_total_gpus(v, vc);
}

/* What those may need at most who were refused before room was made. In an idle pool all are
 * tried, so that who cannot have even that is turned away; a quota may have been what was short. */
static struct hs_bounds bounds_of(const struct hs_salus *s, const struct hs_view *v, uint32_t vc)
{
    const struct hs_salus_lanes *l = &s->lanes;
    const struct hs_salus_pool *pool = &l->pools[l->pool_count > 1 ? vc : 0];
    struct hs_bounds bounds = {0, 0};
    if (pool->freed_count > HS_SALUS_FREED || is_idle(v, vc) || hs_view_quota(v, vc) != UINT64_MAX)
        return (struct hs_bounds){UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < pool->freed_count; i++) {
        uint32_t first = hs_view_node_first_gpu(v, pool->freed[i]);
        for (uint32_t id = first; id < first + hs_view_node_gpus(v, pool->freed[i]); id++) {
            uint64_t free_mib = hs_salus_free_mib(l, id);
            bounds.plain = larger(bounds.plain, free_mib);
            bounds.constrained = larger(bounds.constrained, free_mib);
            for (uint32_t at = l->gpus[id].first_seat; at != HS_NO_SEAT;
                 at = l->seats[at].next_on_gpu) {
                struct hs_room room = hs_salus_room(l, l->seats[at].lane);
                bounds.plain = larger(bounds.plain, room.kept_mib);
                bounds.constrained = larger(bounds.constrained, room.all_mib);
            }
        }
    }
    return bounds;
}

static void list_newcomer(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->is_newcomer = true;
    j->next_newcomer = HS_NO_JOB;
    if (s->last_newcomer == HS_NO_JOB)
        s->first_newcomer = job;
    else
        hs_salus_job(v, s->last_newcomer)->next_newcomer = job;
    s->last_newcomer = job;
}

static bool admit(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    if (hs_view_gpus(v, job) == 0) {
        if (!hs_place(v, p, job, HS_PLACE_COUNT))
            return false;
    } else if (hs_salus_admit(s, v, p, job)) {
        hs_salus_came(s, v, job);
    } else if (!reject(s, v, p, job)) {
        return false;
    }
    list_newcomer(s, v, job);
    return true;
}

/* Of two that wait, or of which one may be HS_NO_JOB, the one that came first. */
static hs_job_id earlier(const struct hs_order *set, const struct hs_view *v, hs_job_id a,
                         hs_job_id b)
{
    if (a == HS_NO_JOB || b == HS_NO_JOB)
        return a == HS_NO_JOB ? b : a;
    return hs_order_is_before(set, v, a, b) ? a : b;
}

static bool scan(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_order *tried = &s->waiting.by_vc[vc], *fresh = &s->fresh[vc];
    struct hs_bounds bounds = bounds_of(s, v, vc);
    hs_job_id old = hs_order_next_within(tried, v, HS_NO_JOB, bounds), job;
    while ((job = earlier(tried, v, old, hs_order_first(fresh, v))) != HS_NO_JOB) {
        bool is_admitted = admit(s, v, p, job);
        bool is_fresh = job != old;
        if (is_admitted && !is_fresh)
            bounds = bounds_of(s, v, vc);
        if (!is_fresh)
            old = hs_order_next_within(tried, v, job, bounds);
        if (is_fresh || is_admitted)
            hs_salus_queue_remove(s, v, job);
        if (is_fresh && !is_admitted)
            hs_order_add(tried, v, job, 0);
        if (is_admitted && s->poll_us > 0)
            return fresh->count == 0 && old == HS_NO_JOB;
    }
    return true;
}

void hs_salus_queue_scan(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    scan_all(s, v, p, scan);
}

void hs_salus_queue_repeat(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    for (hs_job_id j = s->first_newcomer; j != HS_NO_JOB; j = hs_salus_job(v, j)->next_newcomer) {
        if (hs_salus_job(v, j)->reason != NULL)
            hs_plan_reject(p, j, hs_salus_job(v, j)->reason);
        else if (hs_salus_job(v, j)->lane == 0)
            hs_plan_start(p, j);
        else
            hs_salus_start(s, v, p, j);
    }
}

const char *hs_salus_queue_check(const struct hs_salus *s, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < s->waiting.vcs && s->fresh != NULL; vc++)
        if (s->fresh[vc].count > 0 && !s->is_awake)
            return "a job that came was not looked at";
    return hs_queue_check(&s->waiting, v);
}
