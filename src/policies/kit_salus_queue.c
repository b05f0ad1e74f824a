/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_queue.h. Jobs that came are tried once; who is refused stands with those that were
 * refused before (kit_salus_refused.h).
 */
#include "policies/kit_salus_queue.h"

#include "policies/kit_salus_place.h"
#include "policies/kit_salus_refused.h"
#include "policies/kit_salus_turn.h"

static const char too_large[] = "it needs more GPU memory than lanes may have of any GPU";
static const char hopeless[] = "the placement rule cannot place it even on idle nodes";

enum hs_status hs_salus_queue_init(struct hs_salus *s, const struct hs_view *v)
{
    s->armed_us = -1;
    HS_TRY(hs_queue_init(&s->waiting, v));
    return s->is_plain ? HS_OK : hs_salus_refused_init(s, v);
}

void hs_salus_queue_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->need = hs_salus_need(&s->lanes, v, job);
    j->is_fresh = true;
    hs_queue_add(&s->waiting, v, job, 0);
}

void hs_salus_queue_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    if (j->is_fresh)
        hs_queue_remove(&s->waiting, v, job);
    else if (!s->is_plain)
        hs_salus_refused_remove(s, v, job);
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
    bool exceeds = is_too_large(s, v, job);
    if (hs_view_state(v, job) != HS_JOB_PENDING || (!exceeds && !hs_pool_is_idle(v, job)))
        return false;
    hs_salus_job(v, job)->reason = exceeds ? too_large : hopeless;
    hs_plan_reject(p, job, hs_salus_job(v, job)->reason);
    return true;
}

/* ---- the plain server ---- */

static bool serve(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    const struct hs_order *queue = &s->waiting.by_vc[vc];
    while (queue->count > 0) {
        hs_job_id job = hs_order_first(queue, v);
        int64_t startup_us = hs_view_gpus(v, job) > 0 ? hs_salus_startup_us(s, v, job) : 0;
        hs_plan_because(p, NULL);
        bool is_placed = !is_too_large(s, v, job) && hs_place(v, p, job, HS_PLACE_CONSOLIDATE);
        if (is_placed && startup_us > 0)
            hs_plan_owe(p, job, startup_us);
        if (!is_placed && !reject(s, v, p, job))
            break;
        hs_salus_queue_remove(s, v, job);
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
    hs_plan_because(p, NULL);
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

/* The fresh job comes before the refused one, of which there may be none. */
static bool is_fresh_next(const struct hs_order *fresh, const struct hs_view *v, hs_job_id refused)
{
    hs_job_id first = hs_order_first(fresh, v);
    return first != HS_NO_JOB &&
           (refused == HS_NO_JOB || hs_order_is_before(fresh, v, first, refused));
}

static bool scan(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    const struct hs_order *fresh = &s->waiting.by_vc[vc];
    struct hs_salus_refused_scan refused;
    hs_salus_refused_begin(&refused, s, v, vc);
    for (;;) {
        hs_job_id job = hs_salus_refused_head(&refused);
        bool is_admitted;
        if (is_fresh_next(fresh, v, job)) {
            job = hs_order_first(fresh, v);
            is_admitted = admit(s, v, p, job);
            hs_salus_queue_remove(s, v, job);
            if (!is_admitted)
                hs_salus_refused_add(s, v, job);
        } else if (job != HS_NO_JOB) {
            is_admitted = hs_salus_refused_may_fit(&refused, job) && admit(s, v, p, job);
            hs_salus_refused_next(&refused, is_admitted);
        } else {
            return true;
        }
        if (is_admitted && s->poll_us > 0)
            return fresh->count == 0 && hs_salus_refused_head(&refused) == HS_NO_JOB;
    }
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
    const char *broken = hs_queue_check(&s->waiting, v);
    for (uint32_t vc = 0; vc < s->waiting.vcs && !s->is_plain; vc++)
        if (s->waiting.by_vc[vc].count > 0 && !s->is_awake)
            return "a job that came was not looked at";
    return broken != NULL || s->is_plain ? broken : hs_salus_refused_check(s, v);
}
