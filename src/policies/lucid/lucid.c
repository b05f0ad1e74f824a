/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lucid (Hu et al., ASPLOS'23): non-preemptive, by predicted GPU time, with jobs packed in pairs.
 *
 *     a small job runs on the nodes of the profiler first (3.2, Alg. 1), alone, fewest GPUs first,
 *         for `profile_time` at most: one that ends within that time never sees its virtual
 *         cluster; of another the work is lost, and from then on its profile is known. With `scale`
 *         a node is lent when many wait. Cost of a start: O(log jobs + nodes set aside)
 *     in each virtual cluster, jobs in order of GPUs x predicted duration:
 *         beside a host, if sharing is on and there is one; else alone, if it fits; else skipped
 *         (sharing off: the first that does not fit stops the scan)
 *     host: the first to start of the jobs alone on their GPUs, with as many GPUs on one node, with
 *         memory for both, whose score and the job's add up to at most `capacity`, and whose key is
 *         at least the job's / `ratio`
 *
 * A job and a host that do not go together never will: scores, memory and keys do not change. So a
 * job is held against all hosts once, and later only against those that became hosts since; a job
 * is tried alone only after a release. Cost of a scan: that of what it starts, the hosts for each
 * job that came, and the jobs of a gang size of which there is a new host.
 */
#include "policies/lucid/lucid.h"

#include <string.h>

#include "policies/lib/allocation_map.h"

/* The score of a job of which nothing is measured: packed with idle ones only. */
#define UNPROFILED 2

/* scheduler of the released code: a burst is more than 10 waiting jobs, looked for each 10 s; it is
 * over with fewer than 5, looked for each 100 s. */
#define BURST         10u
#define BURST_OVER    5u
#define BURST_US      INT64_C(10000000)
#define BURST_OVER_US INT64_C(100000000)
#define BINS          1008 /* of the forecast: seven days of 600 s */
#define BIN_US        INT64_C(600000000)
#define BINS_AHEAD    5
#define HOUR_BINS     6
#define DAY_BINS      144
#define DAYS          7

static const char *const profile_names[] = {"nodes", "known", NULL};
static const char *const score_names[] = {"tree", "table", "utilsum", NULL};
static const char *const sharing_names[] = {"on", "off", "adapt", NULL};
static const char *const packing_names[] = {"binder", "naive", NULL};
static const char *const compat_names[] = {"off", "lucid", NULL};
static const char *const first_names[] = {"pack", "exclusive", NULL};

/* ---- jobs that wait ---- */

static uint32_t class_of(const struct hs_view *v, hs_job_id job)
{
    const uint32_t gpus = hs_view_gpus(v, job);
    return gpus <= HS_LUCID_GANG && hs_view_gpu_milli(v, job) == HS_GPU_MILLI ? gpus : 0;
}

static struct hs_lucid_vc *vc_of(const struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    return &s->vcs[hs_view_vc(v, job)];
}

/* A depth-2 tree: bandwidth, then utilization (the coefficients are parameters). */
static uint8_t score_of(const struct hs_lucid *s, const struct hs_job_profile *profile)
{
    if (s->score == HS_LUCID_SCORE_TABLE)
        return profile->sharing_score >= 0 ? (uint8_t)profile->sharing_score : UNPROFILED;
    if (profile->util_pm < 0 || profile->bw_util_pm < 0)
        return UNPROFILED;
    if (profile->bw_util_pm > s->tree_bandwidth_pm)
        return 2;
    return profile->util_pm > s->tree_util_pm;
}

void hs_lucid_wait(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    struct hs_lucid_vc *vc = vc_of(s, v, job);
    struct hs_job_profile profile;
    const bool is_known = hs_view_profile(v, job, &profile) && hs_view_ooms(v, job) == 0;
    j->where = HS_LUCID_WAITING;
    j->partner = HS_NO_JOB;
    j->score = is_known ? score_of(s, &profile) : UNPROFILED;
    j->util_pm = is_known ? profile.util_pm : -1;
    j->mem_mib = is_known ? profile.mem_mib : 0;
    j->kind = is_known ? profile.configuration : HS_NO_PROFILE;
    j->set = HS_LUCID_FRESH;
    hs_job_queue_add(&vc->sets[HS_LUCID_FRESH], v, job, j->key);
    vc->is_awake = true;
}

static void unqueue(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    hs_job_queue_remove(&vc_of(s, v, job)->sets[j->set], v, job);
}

/* ---- the forecast ---- */

static void count_submission(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    const int64_t bin = hs_view_now_us(v) / BIN_US;
    const int64_t first = hs_later(s->bin + 1, bin - BINS + 1);
    for (int64_t b = first; b <= bin; b++)
        s->bins[b % BINS] = (struct hs_lucid_counts){0, 0};
    s->bin = bin;
    s->bins[bin % BINS].jobs++;
    s->bins[bin % BINS].gpus += hs_view_gpus(v, job);
}

/* Mean of `count` bins from `from` on, each the mean of the same bins of `days` days before. */
static double mean_of(const struct hs_lucid *s, int64_t from, int64_t count, int64_t days,
                      bool is_of_gpus)
{
    uint64_t sum = 0;
    for (int64_t b = from; b < from + count; b++)
        for (int64_t day = days > 0; day <= days; day++) {
            const int64_t bin = b - day * DAY_BINS; /* none was submitted since the last */
            const struct hs_lucid_counts *c = &s->bins[bin % BINS];
            if (bin <= s->bin && bin > s->bin - BINS)
                sum += is_of_gpus ? c->gpus : c->jobs;
        }
    return (double)sum / (double)(count * hs_later(days, 1));
}

/* Mean of the next five whole bins; negative: no forecast. */
static double forecast(const struct hs_lucid *s, int64_t at_us, bool is_of_gpus)
{
    const int64_t now = at_us / BIN_US; /* not over yet: neither past nor to come */
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
static void open_profiler(struct hs_lucid *s, const struct hs_view *v)
{
    uint64_t *left = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *left);
    s->arrived = s->profiling = hs_job_chain_empty(offsetof(struct hs_lucid_job, chain));
    s->bins = hs_view_alloc(v, BINS * sizeof *s->bins);
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
        forecast(s, hs_view_now_us(v), true) > 5 * (double)s->limit)
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

/* Ends profiles, routes the jobs that have arrived, lends nodes and starts profiles. */
static enum hs_status decide_profiles(struct hs_lucid *s, const struct hs_view *v,
                                      struct hs_plan *p)
{
    if (!s->is_open)
        for (uint32_t i = 0; i < s->aside_count; i++)
            hs_plan_set_aside(p, s->aside[i], true);
    s->is_open = true;
    s->is_evicting = false;
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
    for (hs_job_id job; (job = s->arrived.first) != HS_NO_JOB;) {
        hs_job_chain_remove(&s->arrived, v, job);
        if (s->compat)
            HS_TRY(hs_lucid_compat_come(s, v, job));
        else
            route(s, v, job);
    }
    if (s->compat) {
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

/* ---- hosts ---- */

static void become_host(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    const uint32_t class = class_of(v, job);
    if (class == 0 || j->node == HS_NO_NODE || j->mem_mib == 0)
        return;
    struct hs_lucid_vc *vc = vc_of(s, v, job);
    const bool is_first = vc->hosts[1][class].count == 0;
    vc->most_key[class] = is_first ? j->key : hs_later(vc->most_key[class], j->key);
    j->is_host = j->is_new_host = true;
    hs_job_queue_add(&vc->hosts[1][class], v, job, j->started);
}

static void cease_to_host(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    if (j->is_host)
        hs_job_queue_remove(&vc_of(s, v, job)->hosts[j->is_new_host][class_of(v, job)], v, job);
    j->is_host = false;
}

static bool suits(const struct hs_lucid *s, const struct hs_view *v, hs_job_id job, hs_job_id host)
{
    const struct hs_lucid_job *j = hs_lucid_of(v, job), *h = hs_lucid_of(v, host);
    const uint64_t mib = (uint64_t)j->mem_mib + h->mem_mib;
    if (mib >= (uint64_t)s->mem_mib || mib > hs_view_gpu_capacity_mib(v, h->gpus[0]))
        return false;
    if (!hs_view_may_use(v, job, h->node) || !hs_view_may_join(v, h->gpus[0], job) ||
        (hs_view_is_constrained(v, job) &&
         hs_view_node_workers(v, job, h->node) < hs_view_gpus(v, job)))
        return false;
    if (s->packing == HS_LUCID_PACKING_NAIVE)
        return true;
    if (s->score == HS_LUCID_SCORE_UTILSUM
            ? j->util_pm < 0 || h->util_pm < 0 || j->util_pm + h->util_pm > 10 * s->score_sum
            : j->score + h->score > s->capacity)
        return false;
    const int64_t held_us = s->counts_left ? hs_view_now_us(v) - h->held_from_us : 0;
    const int64_t left = hs_later(h->key - held_us * hs_view_gpus(v, host), 0);
    return !s->is_estimating || (double)j->key <= s->ratio * (double)left;
}

static hs_job_id first_host(const struct hs_lucid *s, const struct hs_view *v, hs_job_id job,
                            const struct hs_job_queue *hosts)
{
    hs_job_id host = hs_job_queue_first(hosts);
    while (host != HS_NO_JOB && !suits(s, v, job, host))
        host = hs_job_queue_next(hosts, v, host);
    return host;
}

/* ---- a scan ---- */

struct lucid_scan {
    struct hs_lucid *s;
    const struct hs_view *v;
    struct hs_plan *p;
    struct hs_lucid_vc *vc;
    uint32_t vc_index;
    struct hs_gang_limits room; /* in GPUs: larger gangs do not fit alone */
    struct hs_merge_head at[HS_LUCID_SETS + 1];
    struct hs_merge_heap heads;
};

/* The host keeps running; both are slower, by an unknown amount. */
static bool pack(struct lucid_scan *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    const uint32_t class = class_of(v, job), gpus = hs_view_gpus(v, job);
    if (class == 0 || j->mem_mib == 0 || hs_view_quota_room(v, x->vc_index) < gpus)
        return false;
    hs_job_id host = first_host(x->s, v, job, &x->vc->hosts[1][class]);
    if (j->set == HS_LUCID_FRESH) {
        const hs_job_id old = first_host(x->s, v, job, &x->vc->hosts[0][class]);
        if (host == HS_NO_JOB ||
            (old != HS_NO_JOB && hs_lucid_of(v, old)->started < hs_lucid_of(v, host)->started))
            host = old;
    }
    if (host == HS_NO_JOB)
        return false;
    const struct hs_lucid_job *h = hs_lucid_of(v, host);
    hs_plan_reason(x->p, "beside a job whose score, memory and duration suit");
    hs_plan_start(x->p, job);
    for (uint32_t i = 0; i < gpus; i++)
        hs_plan_on_gpu(x->p, h->gpus[i]);
    hs_plan_reason(x->p, NULL);
    memcpy(j->gpus, h->gpus, sizeof j->gpus);
    j->node = h->node;
    j->partner = host;
    hs_lucid_of(v, host)->partner = job;
    cease_to_host(x->s, v, host);
    return true;
}

static void narrow(struct lucid_scan *x)
{
    const uint64_t gpus = hs_vc_queues_room(x->v, x->vc_index);
    x->room.plain = hs_smaller(x->room.plain, gpus);
    x->room.constrained = hs_smaller(x->room.constrained, gpus);
}

/* A gang that may share has its GPUs by number. */
static bool place_alone(struct lucid_scan *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    const uint32_t class = class_of(v, job);
    const struct hs_place_rule rule = {.placer = HS_PLACE_CONSOLIDATE};
    const uint32_t node =
        class > 0 && hs_view_has_room(v, job) ? hs_view_best_fit(v, job, class) : HS_NO_NODE;
    j->node = node;
    if (node == HS_NO_NODE)
        return hs_place(v, x->p, job, rule);
    hs_plan_start(x->p, job);
    for (uint32_t i = 0, gpu = 0; i < class; i++) {
        j->gpus[i] = gpu = hs_view_idle_gpu(v, node, gpu);
        hs_plan_on_gpu(x->p, gpu++);
    }
    return true;
}

static bool start_alone(struct lucid_scan *x, hs_job_id job)
{
    const bool is_constrained = hs_view_is_constrained(x->v, job);
    const uint32_t gpus = hs_view_gpus(x->v, job);
    if (gpus > (is_constrained ? x->room.constrained : x->room.plain))
        return false;
    if (!place_alone(x, job)) {
        if (!is_constrained)
            x->room.plain = gpus - 1;
        return false;
    }
    narrow(x);
    hs_lucid_of(x->v, job)->started = x->s->starts;
    become_host(x->s, x->v, job);
    return true;
}

static bool try(struct lucid_scan *x, hs_job_id job, bool is_sharing)
{
    struct hs_lucid_job *j = hs_lucid_of(x->v, job);
    const bool packs_first = is_sharing && x->s->first == HS_LUCID_FIRST_PACK;
    const bool is_started = (packs_first && pack(x, job)) || start_alone(x, job) ||
                            (is_sharing && !packs_first && pack(x, job));
    j->pass = x->s->passes;
    if (is_started) {
        j->started = x->s->starts++;
        unqueue(x->s, x->v, job);
        j->where = HS_LUCID_RUNNING;
        j->held_from_us = hs_view_now_us(x->v);
        if (x->s->compat)
            hs_lucid_compat_start(x->s, x->v, job);
        return true;
    }
    if (x->s->lent == 0 && hs_reject_hopeless(x->v, x->p, job)) {
        unqueue(x->s, x->v, job);
        j->where = HS_LUCID_GONE;
        return true;
    }
    if (j->set == HS_LUCID_FRESH) {
        unqueue(x->s, x->v, job);
        j->set = (uint8_t)class_of(x->v, job);
        hs_job_queue_add(&x->vc->sets[j->set], x->v, job, j->key);
    }
    return false;
}

/* The next job of a set, behind `after`, that may have a chance: those that came all have; of a
 * gang size with new hosts those of which the key is small enough; and those that may fit alone. */
static hs_job_id next_of(const struct lucid_scan *x, uint32_t set, hs_job_id after)
{
    struct hs_job_queue *jobs = &x->vc->sets[set];
    const struct hs_gang_limits all = {UINT64_MAX, UINT64_MAX};
    if (jobs->count == 0)
        return HS_NO_JOB;
    if (set == HS_LUCID_FRESH)
        return hs_job_queue_next_within(jobs, x->v, after, all);
    if (set > 0 && x->vc->hosts[1][set].count > 0) {
        const hs_job_id job = hs_job_queue_next_within(jobs, x->v, after, all);
        const bool has_ratio = x->s->packing == HS_LUCID_PACKING_BINDER && x->s->is_estimating;
        if (job == HS_NO_JOB || !has_ratio ||
            (double)hs_lucid_of(x->v, job)->key <= x->s->ratio * (double)x->vc->most_key[set])
            return job;
    }
    if (!x->vc->has_release)
        return HS_NO_JOB;
    /* on an idle cluster jobs that do not fit never will: they are tried, and rejected */
    const bool is_idle =
        hs_view_free_gpus(x->v, x->vc_index) == hs_view_total_gpus(x->v, x->vc_index);
    return hs_job_queue_next_within(jobs, x->v, after, is_idle ? all : x->room);
}

static void scan_pairs(struct lucid_scan *x)
{
    for (uint32_t set = 0; set < HS_LUCID_SETS; set++) {
        const hs_job_id first = next_of(x, set, HS_NO_JOB);
        if (first != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){first, set});
    }
    while (x->heads.count > 0) {
        const struct hs_merge_head head = x->heads.at[0];
        const hs_job_id next = next_of(x, head.set, head.job);
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, head.set});
        if (hs_lucid_of(x->v, head.job)->pass != x->s->passes)
            (void)try(x, head.job, true);
    }
    for (uint32_t c = 1; c < HS_LUCID_CLASSES; c++) /* every job has been held against them */
        for (hs_job_id host; (host = hs_job_queue_first(&x->vc->hosts[1][c])) != HS_NO_JOB;) {
            struct hs_lucid_job *h = hs_lucid_of(x->v, host);
            hs_job_queue_remove(&x->vc->hosts[1][c], x->v, host);
            hs_job_queue_add(&x->vc->hosts[0][c], x->v, host, h->started);
            h->is_new_host = false;
        }
}

/* Sharing off: in order, until one does not fit. */
static void scan_strict(struct lucid_scan *x)
{
    x->room = (struct hs_gang_limits){UINT64_MAX, UINT64_MAX};
    for (;;) {
        hs_job_id job = HS_NO_JOB;
        for (uint32_t set = 0; set < HS_LUCID_SETS; set++) {
            const hs_job_id first = hs_job_queue_first(&x->vc->sets[set]);
            if (first != HS_NO_JOB &&
                (job == HS_NO_JOB || hs_job_queue_is_before(x->vc->sets, x->v, first, job)))
                job = first;
        }
        if (job == HS_NO_JOB || !try(x, job, false))
            return;
    }
}

/* ---- adaptive sharing (3.4) ---- */

/* Hosts that were held against no job while sharing was off count as new. */
static void set_sharing(struct hs_lucid *s, const struct hs_view *v, bool shares)
{
    for (uint32_t i = 0; i < s->vc_count && shares != s->shares; i++) {
        struct hs_lucid_vc *vc = &s->vcs[i];
        for (uint32_t c = 1; c < HS_LUCID_CLASSES; c++)
            for (hs_job_id host; (host = hs_job_queue_first(&vc->hosts[0][c])) != HS_NO_JOB;) {
                cease_to_host(s, v, host);
                become_host(s, v, host);
            }
        vc->is_awake = vc->has_release = true;
    }
    s->shares = shares;
}

static void adapt(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), check_us = now_us / s->check_us * s->check_us;
    if (s->sharing != HS_LUCID_SHARING_ADAPT)
        return;
    if (check_us > s->checked_us) {
        const double jobs = forecast(s, check_us, false);
        s->checked_us = check_us;
        set_sharing(s, v, jobs < 0 || jobs > s->low);
    }
    bool waits = false;
    for (uint32_t i = 0; i < s->vc_count; i++)
        for (uint32_t set = 0; set < HS_LUCID_SETS; set++)
            waits |= s->vcs[i].sets[set].count > 0;
    if (waits && s->timer_us <= now_us) {
        s->timer_us = check_us + s->check_us;
        hs_plan_timer(p, s->timer_us, 0);
    }
}

/* ---- the policy ---- */

static enum hs_status lucid_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_lucid *s = state;
    HS_TRY(decide_profiles(s, v, p));
    if (s->is_evicting) /* their jobs wait when this plan is applied: then, at this instant */
        return HS_OK;
    adapt(s, v, p);
    for (uint32_t i = 0; i < s->vc_count; i++) {
        struct hs_lucid_vc *vc = &s->vcs[i];
        if (!vc->is_awake)
            continue;
        struct lucid_scan x = {.s = s, .v = v, .p = p, .vc = vc, .vc_index = i};
        x.heads = (struct hs_merge_heap){.at = x.at, .order = vc->sets};
        x.room = (struct hs_gang_limits){UINT64_MAX, UINT64_MAX};
        narrow(&x);
        s->passes++;
        (s->shares ? scan_pairs : scan_strict)(&x);
        vc->is_awake = vc->has_release = false;
    }
    if (s->compat)
        hs_lucid_compat_wake(s, v, p);
    return HS_OK;
}

/* Off its GPUs in the virtual cluster: its partner is alone there, and may be a host again. */
static void leave(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    cease_to_host(s, v, job);
    const bool frees = !s->compat || hs_lucid_compat_end(s, v, job);
    if (j->partner != HS_NO_JOB) {
        hs_lucid_of(v, j->partner)->partner = HS_NO_JOB;
        if (frees)
            become_host(s, v, j->partner);
    }
    for (uint32_t i = 0; i < s->vc_count; i++)
        if (!v->vcs_are_apart || i == hs_view_vc(v, job))
            s->vcs[i].is_awake = s->vcs[i].has_release = true;
}

static void lucid_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_lucid *s = state;
    const bool is_end = event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED;
    for (uint32_t i = 0; event->kind == HS_EVENT_NODE && i < s->vc_count; i++)
        s->vcs[i].is_awake = s->vcs[i].has_release = true;
    if (event->kind == HS_EVENT_SUBMIT) {
        struct hs_lucid_job *j = hs_lucid_of(v, event->job);
        *j = (struct hs_lucid_job){.where = HS_LUCID_ARRIVED, .partner = HS_NO_JOB};
        j->key =
            s->is_estimating ? hs_estimate_gpu_time_us(v, event->job) : hs_view_gpus(v, event->job);
        if (hs_view_gpus(v, event->job) > 0)
            count_submission(s, v, event->job);
        hs_job_chain_insert(&s->arrived, v, event->job, s->arrived.last);
    }
    if (!is_end)
        return;
    struct hs_lucid_job *j = hs_lucid_of(v, event->job);
    if (j->where == HS_LUCID_RUNNING)
        leave(s, v, event->job);
    else if (s->compat && j->where == HS_LUCID_PROFILING)
        (void)hs_lucid_compat_end(s, v, event->job);
    else if (!s->compat && j->where == HS_LUCID_PROFILING) { /* it gives quota back */
        struct hs_lucid_vc *vc = vc_of(s, v, event->job);
        vc->is_awake = vc->has_release = true;
        if (event->kind == HS_EVENT_FINISH)
            hs_job_chain_remove(&s->profiling, v, event->job);
    }
    j->where = HS_LUCID_GONE;
    if (event->kind == HS_EVENT_STOPPED)
        hs_lucid_wait(s, v, event->job);
}

static void lucid_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_lucid *s = state;
    hs_estimate_needs(&s->estimate, knows);
    if (!s->is_estimating)
        *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS;
    if (s->compat) {
        *knows |= HS_KNOWS_DURATION;
        return;
    }
    *can &= ~(uint32_t)HS_CAN_SLICE;
    if (s->profile == HS_LUCID_PROFILE_NODES)
        *knows &= ~(uint32_t)HS_KNOWS_MODEL;
    if (s->sharing == HS_LUCID_SHARING_OFF)
        *can &= ~(uint32_t)HS_CAN_COLOCATE;
}

static enum hs_status lucid_init(void *state, const struct hs_view *v)
{
    struct hs_lucid *s = state;
    if (s->is_estimating)
        HS_TRY(hs_estimate_open(&s->estimate, v));
    if (s->forecast_file != NULL)
        HS_TRY(hs_view_numbers(v, s->forecast_file, &s->series, &s->series_count));
    s->vc_count = v->vcs;
    s->vcs = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->vcs);
    for (uint32_t i = 0; i < s->vc_count; i++)
        for (uint32_t c = 1; c < HS_LUCID_CLASSES; c++)
            s->vcs[i].hosts[0][c].link_offset = s->vcs[i].hosts[1][c].link_offset =
                offsetof(struct hs_lucid_job, host);
    s->shares = s->sharing == HS_LUCID_SHARING_ON;
    open_profiler(s, v);
    return s->compat ? hs_lucid_compat_init(s, v) : HS_OK;
}

static void lucid_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_lucid *s = state;
    *out = (struct hs_semantics){
        .order = !s->is_estimating                        ? "GPUs"
                 : s->estimate.from == HS_ESTIMATE_ORACLE ? "GPU time"
                                                          : "estimated GPU time",
        .scan = s->sharing == HS_LUCID_SHARING_OFF ? "strict" : "fit",
        .placement = "consolidate, pairs",
        .preemption = s->profile == HS_LUCID_PROFILE_NODES ? "after a profile" : "none",
        .cost = s->keeps ? hs_cost_text(&s->cost, false) : "work of the profile"};
}

static const char *check_job(const struct hs_view *v, hs_job_id job)
{
    const struct hs_lucid_job *j = hs_lucid_of(v, job);
    if (j->partner != HS_NO_JOB && (j->is_host || hs_lucid_of(v, j->partner)->partner != job))
        return "a pair is no pair from the other side, or takes a third";
    for (uint32_t i = 0; i < class_of(v, job); i++)
        if (hs_view_gpu_tenants(v, j->gpus[i]) != 1u + (j->partner != HS_NO_JOB))
            return "a host is not alone on its GPUs";
    return NULL;
}

static const char *lucid_check(const void *state, const struct hs_view *v)
{
    const struct hs_lucid *s = state;
    const char *fault = hs_waiting_check(&s->to_profile, v);
    for (uint32_t i = 0; i < s->vc_count && fault == NULL; i++) {
        for (uint32_t set = 0; set < HS_LUCID_SETS && fault == NULL; set++)
            fault = hs_waiting_check(&s->vcs[i].sets[set], v);
        for (uint32_t n = 0; n < 2 * HS_LUCID_CLASSES && fault == NULL; n++) {
            const struct hs_job_queue *hosts = &s->vcs[i].hosts[n % 2][n / 2];
            fault = hs_job_queue_is_valid(hosts, v) ? NULL : "the hosts are out of order";
            for (hs_job_id h = hs_job_queue_first(hosts); h != HS_NO_JOB && fault == NULL;
                 h = hs_job_queue_next(hosts, v, h))
                fault = check_job(v, h);
        }
    }
    return fault;
}

/* In sample on the 66 configurations of its measurements; another model than any of these: 74 %. */
#define TREE "CART of depth 2 on Lucid's 66 labels (calibration/lucid)"
#define CODE "S-Lab-System-Group/Lucid 63685a3"

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(
        struct hs_lucid, profile, "profile", "nodes", profile_names,
        "nodes: small jobs first run on the profiling nodes; known: all jobs were measured before"),
    HS_PARAM_INT(struct hs_lucid, profile_nodes, "profile_nodes", "2", 0, HS_LUCID_NODES,
                 "number of profiling nodes, as long as other nodes of their kind remain",
                 .only_with = "profile=nodes", .source = CODE ", Venus and Philly"),
    HS_PARAM_DURATION(struct hs_lucid, profile_us, "profile_time", "200s", 1, 1e6,
                      "longest time that a job is profiled", .only_with = "profile=nodes",
                      .source = CODE ": Venus 200 s, Philly 80 s"),
    HS_PARAM_INT(struct hs_lucid, limit, "limit", "8", 1, 1024,
                 "most GPUs, on one node, of a job that is profiled", .only_with = "profile=nodes",
                 .source = CODE ": Venus 8, Philly 4"),
    HS_PARAM_FLAG(struct hs_lucid, keeps, "keep", "no",
                  "a job keeps the work done while profiled, and pays preempt_cost",
                  .only_with = "profile=nodes"),
    HS_COST_PARAMS(struct hs_lucid, cost),
    HS_PARAM_FLAG(struct hs_lucid, scales, "scale", "no",
                  "the profiler also uses an idle node during bursts", .only_with = "profile=nodes",
                  .source = "ASPLOS'23 3.2.2"),
    HS_PARAM_CHOICE(struct hs_lucid, sharing, "sharing", "on", sharing_names,
                    "pairs of jobs: always, never, or only while many jobs are expected (adapt)",
                    .source = CODE),
    HS_PARAM_DURATION(struct hs_lucid, check_us, "check", "100s", 1, 1e6,
                      "sharing=adapt: interval at which the forecast is evaluated",
                      .only_with = "sharing=adapt", .source = CODE),
    HS_PARAM_REAL(struct hs_lucid, low, "low", "2", 0, 1e6,
                  "sharing=adapt: no new pairs while at most this many jobs are expected in each "
                  "600 s of the next 50 minutes",
                  .only_with = "sharing=adapt", .source = CODE),
    HS_PARAM_FILE(
        struct hs_lucid, forecast_file, "forecast_file", NULL, NULL,
        "file with the submissions (scale: GPUs) in each 600 s from time 0 on, one per line; "
        "absent: forecast from the last hour and this time of day in the last 7 days"),
    HS_PARAM_CHOICE(struct hs_lucid, packing, "packing", "binder", packing_names,
                    "pairs by memory, scores and durations, or by memory alone",
                    .source = "ASPLOS'23 fig. 11: w/o binder"),
    HS_PARAM_CHOICE(struct hs_lucid, first, "first", "pack", first_names,
                    "which is tried first: sharing with a running job, or idle GPUs",
                    .source = "ASPLOS'23 Alg. 2"),
    HS_PARAM_CHOICE(struct hs_lucid, score, "score", "tree", score_names,
                    "interference score of a job: by a decision tree on two features, or by its "
                    "label in the catalogue; utilsum: sum of the utilizations of a pair instead",
                    .source = "ASPLOS'23 3.5.1"),
    HS_PARAM_INT(struct hs_lucid, capacity, "capacity", "2", 0, 4,
                 "largest sum of the scores of a pair",
                 .source = "ASPLOS'23 3.5.1; 1: Lucid's apathetic mode"),
    HS_PARAM_INT(struct hs_lucid, tree_bandwidth_pm, "tree_bandwidth", "305", 0, 1000,
                 "score=tree: bandwidth utilization, per mille, above which a job has score 2",
                 .only_with = "score=tree", .source = TREE),
    HS_PARAM_INT(struct hs_lucid, tree_util_pm, "tree_util", "250", 0, 1000,
                 "score=tree: utilization, per mille, above which another job has score 1, else 0",
                 .only_with = "score=tree", .source = TREE),
    HS_PARAM_INT(struct hs_lucid, score_sum, "score_sum", "120", 0, 200,
                 "score=utilsum: largest sum of the utilizations of a pair, %",
                 .only_with = "score=utilsum"),
    HS_PARAM_REAL(struct hs_lucid, ratio, "ratio", "2", 0, 1e9,
                  "limit on the guest's predicted duration divided by its host's", .source = CODE),
    HS_PARAM_FLAG(struct hs_lucid, counts_left, "left", "no",
                  "ratio uses the remaining duration of the host, not the whole"),
    HS_PARAM_SIZE_MIB(struct hs_lucid, mem_mib, "memory", "24576MiB", 1, 1 << 30,
                      "limit on the memory of a pair, besides that of its GPU", .source = CODE),
    HS_PARAM_FLAG(struct hs_lucid, is_estimating, "estimator", "yes",
                  "order by predicted duration; no: by GPUs alone, and ratio is ignored",
                  .source = "ASPLOS'23 fig. 11: w/o estimator"),
    HS_ESTIMATE_PARAMS_OF(struct hs_lucid, estimate, "rolling", "10"),
    HS_PARAM_CHOICE(
        struct hs_lucid, compat, "compat", "off", compat_names,
        "whole seconds, profiles at no cost and other deviations of the published simulator",
        .source = CODE),
    HS_PARAM_FILE(struct hs_lucid, compat_speeds, "compat_speeds", NULL, NULL,
                  "compat=lucid: file with the speed of each row of the catalogue as the guest of "
                  "each other, then as its host, one per line",
                  .only_with = "compat=lucid"),
    {0}};

const struct hs_policy_ops hs_policy_lucid = {
    .name = "lucid",
    .summary = "least predicted GPU time first, in compatible pairs, after a short profiling run",
    .cite = "Hu et al., Lucid: A Non-intrusive, Scalable and Interpretable Scheduler for Deep "
            "Learning Training Jobs, ASPLOS'23",
    .can = HS_CAN_PREEMPT | HS_CAN_COLOCATE | HS_CAN_TIME | HS_CAN_PROFILE | HS_CAN_SLICE,
    .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_PROFILE | HS_KNOWS_MODEL,
    .params = params,
    HS_POLICY_HOOKS(lucid, struct hs_lucid, struct hs_lucid_job),
    .tenants = hs_pair_tenants,
};
