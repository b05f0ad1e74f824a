/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lucid's profiler (3.2, Alg. 1): a few nodes set aside, on which each small job runs alone, fewest
 * GPUs first, for `profile` at most. A job that ends within that time never sees its virtual
 * cluster; of another the work is lost, and from then on its profile is known. With `scale` a node
 * is lent when many wait. Cost of a start: O(log jobs + nodes set aside).
 */
#include "policies/lucid/lucid.h"

/* scheduler of the released code: a burst is more than 10 waiting jobs, looked for each 10 s; it is
 * over with fewer than 5, looked for each 100 s. */
#define BURST         10u
#define BURST_OVER    5u
#define BURST_US      INT64_C(10000000)
#define BURST_OVER_US INT64_C(100000000)
#define BINS_AHEAD    5
#define HOUR_BINS     6
#define DAY_BINS      144
#define DAYS          7

/* ---- the forecast ---- */

void hs_lucid_count(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    const int64_t bin = hs_view_now_us(v) / HS_LUCID_BIN_US;
    const int64_t first = hs_later(s->bin + 1, bin - HS_LUCID_BINS + 1);
    for (int64_t b = first; b <= bin; b++)
        s->bins[b % HS_LUCID_BINS] = (struct hs_lucid_counts){0, 0};
    s->bin = bin;
    s->bins[bin % HS_LUCID_BINS].jobs++;
    s->bins[bin % HS_LUCID_BINS].gpus += hs_view_gpus(v, job);
}

/* Mean of `count` bins from `from` on, each the mean of the same bins of `days` days before. */
static double mean_of(const struct hs_lucid *s, int64_t from, int64_t count, int64_t days,
                      bool is_of_gpus)
{
    uint64_t sum = 0;
    for (int64_t b = from; b < from + count; b++)
        for (int64_t day = days > 0; day <= days; day++) {
            const int64_t bin = b - day * DAY_BINS; /* none was submitted since the last */
            const struct hs_lucid_counts *c = &s->bins[bin % HS_LUCID_BINS];
            if (bin <= s->bin && bin > s->bin - HS_LUCID_BINS)
                sum += is_of_gpus ? c->gpus : c->jobs;
        }
    return (double)sum / (double)(count * hs_later(days, 1));
}

double hs_lucid_forecast(const struct hs_lucid *s, int64_t at_us, bool is_of_gpus)
{
    const int64_t now = at_us / HS_LUCID_BIN_US; /* not over yet: neither past nor to come */
    if (s->series != NULL) {
        const int64_t end = hs_earlier(now + 1 + BINS_AHEAD, s->series_count);
        int64_t sum = 0;
        for (int64_t b = now + 1; b < end; b++)
            sum += s->series[b];
        return end > now + 1 ? (double)sum / 1e6 / (double)(end - now - 1) : -1;
    }
    const int64_t past = hs_earlier(now, HOUR_BINS);
    if (past == 0)
        return -1;
    const double hour = mean_of(s, now - past, past, 0, is_of_gpus);
    if (now + 1 < DAYS * DAY_BINS)
        return hour;
    return .5 * hour + .5 * mean_of(s, now + 1, BINS_AHEAD, DAYS, is_of_gpus);
}

/* ---- nodes ---- */

static bool is_aside(const struct hs_lucid *s, uint32_t node)
{
    uint32_t i = 0;
    while (i < s->aside_count && s->aside[i] != node)
        i++;
    return i < s->aside_count;
}

/* Another node like this one stays: what ran here can run there. */
static bool has_like(const struct hs_lucid *s, const struct hs_view *v, uint32_t node)
{
    const struct hs_node *a = hs_view_node(v, node);
    for (uint32_t n = v->nodes; n-- > 0;) {
        const struct hs_node *b = hs_view_node(v, n);
        if (n != node && a->type == b->type && a->gpus == b->gpus && a->cpus == b->cpus &&
            a->mem_mib == b->mem_mib && (!v->vcs_are_apart || a->vc == b->vc) && !is_aside(s, n))
            return true;
    }
    return false;
}

/* One node after the other: the last that may go of the virtual cluster with most nodes left. */
void hs_lucid_profiler_init(struct hs_lucid *s, const struct hs_view *v)
{
    uint64_t *left = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *left);
    s->arrived = s->profiling = hs_job_chain_empty(offsetof(struct hs_lucid_job, chain));
    s->bins = hs_view_alloc(v, HS_LUCID_BINS * sizeof *s->bins);
    s->bin = -1;
    for (uint32_t n = 0; n < v->nodes; n++)
        left[v->vcs_are_apart ? hs_view_node(v, n)->vc : 0]++;
    while (s->profile == HS_LUCID_PROFILE_NODES && s->aside_count < (uint64_t)s->profile_nodes) {
        uint32_t most = 0, node = v->nodes;
        for (uint32_t vc = 1; vc < v->vcs; vc++)
            most = left[vc] > left[most] ? vc : most;
        while (node-- > 0)
            if ((!v->vcs_are_apart || hs_view_node(v, node)->vc == most) && !is_aside(s, node) &&
                has_like(s, v, node))
                break;
        if (node >= v->nodes)
            return;
        s->aside[s->aside_count++] = node;
        left[most]--;
    }
}

static bool is_idle(const struct hs_view *v, uint32_t node)
{
    return hs_view_node_free(v, node) == hs_view_node(v, node)->gpus;
}

static void lend(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    const uint32_t size = hs_view_node(v, s->aside[0])->gpus;
    const uint32_t node = hs_view_idle_node(v, job, size, 0);
    if (node == HS_NO_NODE || s->aside_count == HS_LUCID_NODES)
        return;
    hs_plan_set_aside(p, node, true);
    s->aside[s->aside_count++] = node;
    s->lent = node + 1;
}

/* The node that came, once it is idle. */
static void give_back(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    const uint32_t lent = s->aside_count - 1;
    if (s->to_profile.count >= BURST_OVER || !is_idle(v, s->aside[lent]) ||
        hs_lucid_forecast(s, hs_view_now_us(v), true) > 5 * (double)s->limit)
        return;
    hs_plan_set_aside(p, s->aside[lent], false);
    s->aside_count--;
    s->lent = 0;
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        s->vcs[vc].is_awake = s->vcs[vc].has_release = true;
}

/* Time-aware scaling (3.2.2), at multiples of the two periods. True: a node has come. */
static bool scale(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    const bool was_lent = s->lent != 0;
    if (!s->scales || s->aside_count == 0)
        return false;
    if (!was_lent && s->to_profile.count > BURST && now_us % BURST_US == 0)
        lend(s, v, p, hs_job_queue_first(&s->to_profile));
    else if (s->lent != 0 && now_us % BURST_OVER_US == 0)
        give_back(s, v, p);
    const int64_t period_us = s->lent != 0 ? BURST_OVER_US : BURST_US;
    if ((s->lent != 0 || s->to_profile.count > BURST) && s->loan_us <= now_us) {
        s->loan_us = (now_us / period_us + 1) * period_us; /* the next multiple */
        hs_plan_timer(p, s->loan_us, 0);
    }
    return s->lent != 0 && !was_lent;
}

/* ---- profiles ---- */

/* Fewest free GPUs, then lowest id. */
static uint32_t node_for(const struct hs_lucid *s, const struct hs_view *v, hs_job_id job,
                         bool *can_ever)
{
    uint32_t best = HS_NO_NODE;
    const uint32_t gpus = hs_view_gpus(v, job);
    *can_ever = false;
    for (uint32_t i = 0; i < s->aside_count; i++) {
        const uint32_t node = s->aside[i], free_gpus = hs_view_node_free(v, node);
        if (hs_view_node(v, node)->gpus < gpus || !hs_view_may_use(v, job, node))
            continue;
        const bool has_rest = hs_view_node_workers(v, job, node) >= gpus;
        *can_ever |= has_rest || !is_idle(v, node);
        if (free_gpus < gpus || !has_rest)
            continue;
        const uint32_t least = best != HS_NO_NODE ? hs_view_node_free(v, best) : UINT32_MAX;
        if (free_gpus < least || (free_gpus == least && node < best))
            best = node;
    }
    return best;
}

/* In order, until one does not fit; one that the quota of its virtual cluster stops is passed. */
static void start_profiles(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    hs_plan_reason(p, "alone, to be profiled");
    for (hs_job_id job = hs_job_queue_first(&s->to_profile), next; job != HS_NO_JOB; job = next) {
        struct hs_lucid_job *j = hs_lucid_of(v, job);
        bool can_ever;
        const uint32_t node = node_for(s, v, job, &can_ever);
        next = hs_job_queue_next(&s->to_profile, v, job);
        if (can_ever && hs_view_quota_room(v, hs_view_vc(v, job)) < hs_view_gpus(v, job))
            continue;
        if (can_ever && node == HS_NO_NODE)
            break;
        hs_job_queue_remove(&s->to_profile, v, job);
        if (!can_ever) {
            hs_lucid_wait(s, v, job);
            continue;
        }
        hs_plan_start_on_node(p, job, node);
        hs_job_chain_insert(&s->profiling, v, job, s->profiling.last);
        j->where = HS_LUCID_PROFILING;
        j->due_us = hs_view_now_us(v) + s->profile_us;
        hs_plan_timer(p, j->due_us, 0);
    }
    hs_plan_reason(p, NULL);
}

static void end_profiles(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    hs_plan_reason(p, "its profile is taken");
    for (hs_job_id job = s->profiling.first, next; job != HS_NO_JOB; job = next) {
        struct hs_lucid_job *j = hs_lucid_of(v, job);
        if (j->due_us > now_us)
            break;
        next = j->chain.after;
        hs_job_chain_remove(&s->profiling, v, job);
        hs_plan_end_profile(p, job, s->keeps, s->keeps ? hs_cost_us(&s->cost, v, job) : 0);
        s->is_evicting = true;
    }
    hs_plan_reason(p, NULL);
}

/* Not one that was profiled and comes again because its attempt failed, nor one for which the
 * virtual cluster has too few GPUs now. */
static void route(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_job_profile profile;
    const uint32_t gpus = hs_view_gpus(v, job);
    if (s->aside_count == 0 || hs_view_profile(v, job, &profile) || gpus == 0 || gpus > s->limit ||
        gpus > hs_view_capacity(v, job)) {
        hs_lucid_wait(s, v, job);
        return;
    }
    hs_lucid_of(v, job)->where = HS_LUCID_TO_PROFILE;
    hs_job_queue_add(&s->to_profile, v, job, gpus);
}

enum hs_status hs_lucid_profiler_decide(struct hs_lucid *s, const struct hs_view *v,
                                        struct hs_plan *p)
{
    if (!s->is_open)
        for (uint32_t i = 0; i < s->aside_count; i++)
            hs_plan_set_aside(p, s->aside[i], true);
    s->is_open = true;
    s->is_evicting = false;
    end_profiles(s, v, p);
    for (hs_job_id job; (job = s->arrived.first) != HS_NO_JOB;) {
        hs_job_chain_remove(&s->arrived, v, job);
        if (s->compat != 0)
            HS_TRY(hs_lucid_compat_come(s, v, job));
        else
            route(s, v, job);
    }
    if (s->compat != 0) {
        hs_lucid_compat_decide(s, v, p);
        return HS_OK;
    }
    start_profiles(s, v, p);
    if (scale(s, v, p))
        start_profiles(s, v, p);
    if (s->is_evicting)
        hs_plan_timer(p, hs_view_now_us(v), 0);
    return HS_OK;
}
