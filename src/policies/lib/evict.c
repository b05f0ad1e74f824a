/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/evict.h"

static struct hs_evict_link *link_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

enum hs_status hs_evictions_init(struct hs_evictions *x, const struct hs_view *v,
                                 const struct hs_priority *priority,
                                 const struct hs_preempt_cost *cost, bool is_strict)
{
    if (priority->reclaims && !v->has_cohorts)
        return hs_view_fail(v, HS_E_USAGE,
                            "reclaim=yes needs --vc=quota and virtual clusters in cohorts");
    *x = (struct hs_evictions){.priority = priority,
                               .cost = cost,
                               .vcs = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *x->vcs),
                               .vc_count = v->vcs,
                               .is_strict = is_strict};
    return HS_OK;
}

void hs_evictions_order(struct hs_evictions *x, uint32_t vc, struct hs_job_queue *by_start)
{
    x->vcs[vc].by_start = by_start;
    x->vcs[vc].on_notice = *by_start; /* as empty */
}

uint32_t hs_evictions_can(const struct hs_priority *priority, bool notifies_last)
{
    return priority->grace_us > 0 && (priority->reclaims || notifies_last) ? HS_CAN_TIME : 0;
}

/* Gives the job notice, if it has none, and returns whether that is over. */
static bool give_notice(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job)
{
    struct hs_evict_link *link = link_of(v, job);
    const uint32_t vc = hs_view_vc(v, job), decision = x->vcs[vc].decisions;
    const bool was_chosen = link->chosen_in == decision || link->chosen_in + 1 == decision;
    if (x->priority->grace_us == 0)
        return true;
    if (!was_chosen || link->due_us == 0) {
        link->due_us = hs_view_now_us(v) + x->priority->grace_us;
        hs_plan_timer(p, link->due_us, vc);
    }
    link->chosen_in = decision;
    return link->due_us <= hs_view_now_us(v);
}

bool hs_evictions_allow(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job)
{
    return !hs_priority_is_last(x->priority, v, job) || give_notice(x, v, p, job);
}

static bool has_claim(const struct hs_evict_vc *vc, const struct hs_evict_link *link)
{
    return link->chosen_in == vc->decisions && link->due_us == 0;
}

void hs_evictions_start(struct hs_evictions *x, const struct hs_view *v, hs_job_id job)
{
    const struct hs_evict_link *link = link_of(v, job);
    struct hs_evict_vc *vc = &x->vcs[hs_view_vc(v, job)];
    if (vc->claimed > 0 && has_claim(vc, link))
        vc->claimed -= hs_view_gpus(v, job);
}

/* ---- reclaim ---- */

bool hs_evictions_forget(struct hs_evictions *x, const struct hs_view *v, hs_job_id job)
{
    struct hs_evict_link *link = link_of(v, job);
    const bool had_notice = link->has_notice;
    if (had_notice)
        hs_job_queue_remove(&x->vcs[hs_view_vc(v, job)].on_notice, v, job);
    link->has_notice = false;
    return had_notice;
}

/* The job of the VC that is stopped next. */
static hs_job_id last_of(const struct hs_evict_vc *vc)
{
    return vc->notice_at != HS_NO_JOB ? vc->notice_at : vc->at;
}

/* Whether the job of one VC is stopped before that of another. */
static bool goes_before(const struct hs_view *v, const struct hs_evict_vc *a,
                        const struct hs_evict_vc *b)
{
    const bool a_has_notice = a->notice_at != HS_NO_JOB, b_has_notice = b->notice_at != HS_NO_JOB;
    return a_has_notice != b_has_notice
               ? a_has_notice
               : hs_job_queue_is_before(a->by_start, v, last_of(b), last_of(a));
}

/* Chooses a job that borrows what a quota lends, and stops it or gives it notice: one with notice,
 * else the last in order. One that has notice counts as gone while others claim. */
static bool take_back(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                      struct hs_evict_vc *lender)
{
    struct hs_evict_vc *best = NULL;
    for (uint32_t vc = 0; vc < x->vc_count; vc++)
        if (last_of(&x->vcs[vc]) != HS_NO_JOB && hs_view_is_borrowing(v, vc, lender->quota) &&
            (best == NULL || goes_before(v, &x->vcs[vc], best)))
            best = &x->vcs[vc];
    if (best == NULL)
        return false;
    const hs_job_id job = last_of(best);
    struct hs_evict_link *link = link_of(v, job);
    if (link->has_notice) {
        best->notice_at = hs_job_queue_prev(&best->on_notice, v, job);
    } else {
        best->at = hs_job_queue_prev(best->by_start, v, job);
        x->hold(x->state, v, job, false);
    }
    if (give_notice(x, v, p, job)) {
        (void)hs_evictions_forget(x, v, job);
        hs_plan_preempt(p, job, hs_cost_us(x->cost, v, job));
        return true;
    }
    if (!link->has_notice)
        hs_job_queue_add(&best->on_notice, v, job, hs_job_queue_key_in(best->by_start, v, job));
    link->has_notice = true;
    lender->coming += hs_view_gpus(v, job);
    hs_view_quota_count(v, hs_view_vc(v, job), -(int64_t)hs_view_gpus(v, job));
    return true;
}

/* Claims room of the quota that is the turn of the VC. */
static void claim(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                  struct hs_job_queue *waiting, uint32_t vc)
{
    struct hs_evict_vc *u = &x->vcs[vc];
    for (hs_job_id job = u->claimer;;) {
        const uint64_t most = hs_view_quota_within(v, vc, u->quota);
        job = hs_job_queue_next_fitting(waiting, v, job, x->is_strict ? UINT64_MAX : most);
        if (job == HS_NO_JOB || hs_view_gpus(v, job) > most)
            return;
        if (has_claim(u, link_of(v, job)))
            continue;
        const uint32_t gpus = hs_view_gpus(v, job);
        while (hs_view_quota_room(v, vc) < gpus && take_back(x, v, p, u))
            ;
        hs_view_quota_count(v, vc, gpus);
        u->claimed += gpus;
        link_of(v, job)->chosen_in = u->decisions;
        link_of(v, job)->due_us = 0;
        if (x->is_strict)
            u->claimer = job;
    }
}

/* Jobs that have notice count as held again, in place of as much that is claimed; those that had
 * it before and were not chosen now go on. */
static void settle(struct hs_evictions *x, const struct hs_view *v, uint32_t vc)
{
    struct hs_evict_vc *u = &x->vcs[vc];
    hs_view_quota_count(v, vc, -(int64_t)hs_smaller(u->claimed, u->coming));
    for (hs_job_id job = hs_job_queue_first(&u->on_notice), next; job != HS_NO_JOB; job = next) {
        next = hs_job_queue_next(&u->on_notice, v, job);
        if (link_of(v, job)->chosen_in == u->decisions) {
            hs_view_quota_count(v, vc, hs_view_gpus(v, job));
            continue;
        }
        (void)hs_evictions_forget(x, v, job);
        x->hold(x->state, v, job, true);
    }
}

static void claim_all(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                      struct hs_job_queue *waiting)
{
    uint32_t deepest = 0;
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        struct hs_evict_vc *u = &x->vcs[vc];
        u->at = hs_job_queue_last(u->by_start);
        u->notice_at = hs_job_queue_last(&u->on_notice);
        u->claimer = HS_NO_JOB;
        u->quota = vc;
        u->depth = 0;
        for (uint32_t at = vc; (at = hs_view_cohort(v, at)) != HS_NO_QUOTA;)
            u->depth++;
        deepest = u->depth > deepest ? u->depth : deepest;
    }
    hs_plan_reason(p, "the quota that it borrows is taken back");
    for (uint32_t depth = deepest; depth > 0; depth--)
        for (uint32_t vc = 0; vc < x->vc_count; vc++) {
            struct hs_evict_vc *u = &x->vcs[vc];
            if (u->depth != depth)
                continue;
            claim(x, v, p, &waiting[vc], vc);
            u->quota = hs_view_cohort(v, u->quota);
            u->depth--;
        }
    hs_plan_reason(p, NULL);
    for (uint32_t vc = 0; vc < x->vc_count; vc++)
        settle(x, v, vc);
}

/* What is claimed and not held by jobs on notice. */
static int64_t reserved(const struct hs_evict_vc *vc)
{
    return vc->claimed > vc->coming ? (int64_t)(vc->claimed - vc->coming) : 0;
}

/* Under reclaim all VCs decide if one is awake. */
static void scan_all(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                     struct hs_job_queue *waiting, hs_evict_scan *scan, void *state)
{
    for (uint32_t vc = 0; vc < x->vc_count; vc++)
        x->vcs[vc].decisions++;
    claim_all(x, v, p, waiting);
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        hs_view_quota_count(v, vc, -reserved(&x->vcs[vc]));
        if (waiting[vc].count > 0)
            scan(state, v, p, vc);
        hs_view_quota_count(v, vc, reserved(&x->vcs[vc]));
    }
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        hs_view_quota_count(v, vc, -reserved(&x->vcs[vc]));
        x->vcs[vc].claimed = x->vcs[vc].coming = 0;
    }
}

void hs_evictions_scan(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                       struct hs_job_queue *waiting, bool *is_awake, hs_evict_scan *scan,
                       void *state)
{
    bool is_any = false;
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        if (!is_awake[vc])
            continue;
        is_awake[vc] = false;
        is_any = true;
        if (x->priority->reclaims)
            continue;
        x->vcs[vc].decisions++;
        if (waiting[vc].count > 0)
            scan(state, v, p, vc);
    }
    if (is_any && x->priority->reclaims)
        scan_all(x, v, p, waiting, scan, state);
}
