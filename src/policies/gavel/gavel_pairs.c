/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * share=pairs: two jobs of one gang size on the same GPUs of a type (OSDI'20 3.1, "space sharing").
 *
 * The linear program has a variable for the time of each two classes and type: many, of which few
 * are ever above 0. They are added where the prices of the last solution say that they would raise
 * the optimum, each class with its best partner at once, until none would: the optimum is that of
 * all pairs (column generation: Gilmore and Gomory, Operations Research 9, 1961). Where the program
 * of single jobs already says that no pair would, it is not written (gavel_shares.c). Left out
 * are pairs whose speeds relative to those alone add up to at most 1, as turns on the same GPU give
 * each job no less, and jobs whose predicted memory the type does not have.
 *
 * The time of two classes is given to few of the pairs of their members: in order of arrival on
 * both sides, as long as something of a member's equal part is left. A pair keeps its deficit from
 * solution to solution as long as it has a share.
 */
#include "policies/gavel/gavel.h"

#include <math.h>

#define NO_TYPE  HS_GAVEL_TYPES
#define TIME_MIN 1e-9

/* ---- arrays of pairs ---- */

typedef bool pair_order(const struct hs_view *v, const struct hs_gavel_pair *a,
                        const struct hs_gavel_pair *b);

static bool by_jobs(const struct hs_view *v, const struct hs_gavel_pair *a,
                    const struct hs_gavel_pair *b)
{
    (void)v;
    if (a->job[0] != b->job[0])
        return a->job[0] < b->job[0];
    return a->job[1] != b->job[1] ? a->job[1] < b->job[1] : a->type < b->type;
}

static bool by_priority(const struct hs_view *v, const struct hs_gavel_pair *a,
                        const struct hs_gavel_pair *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->deficit != b->deficit)
        return a->deficit > b->deficit;
    if (a->share != b->share)
        return a->share > b->share;
    const uint32_t i = a->job[0] == b->job[0];
    return hs_job_queue_tie_is_before(v, a->job[i], b->job[i]);
}

static void sift(const struct hs_view *v, struct hs_gavel_pair *pairs, uint32_t at, uint32_t count,
                 pair_order *precedes)
{
    const struct hs_gavel_pair moved = pairs[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && precedes(v, &pairs[child], &pairs[child + 1]);
        if (!precedes(v, &moved, &pairs[child]))
            break;
        pairs[at] = pairs[child];
    }
    pairs[at] = moved;
}

/* Heapsort, which needs no memory; the orders are total. */
static void sort(const struct hs_view *v, struct hs_gavel_pair *pairs, uint32_t count,
                 pair_order *precedes)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift(v, pairs, i, count, precedes);
    for (uint32_t end = count; end-- > 1;) {
        const struct hs_gavel_pair last = pairs[0];
        pairs[0] = pairs[end];
        pairs[end] = last;
        sift(v, pairs, 0, end, precedes);
    }
}

void hs_gavel_pairs_sort(struct hs_gavel_pool *pool, const struct hs_view *v, uint32_t type)
{
    for (uint32_t i = 0; i < pool->pair_count; i++) {
        struct hs_gavel_pair *p = &pool->pairs[i];
        const bool has_none = p->got <= 0 || pool->got[type] <= 0; /* as of a job */
        p->priority = p->type != type ? -1
                      : has_none      ? p->share * 1e9
                                      : p->share / (p->got / pool->got[type]);
    }
    sort(v, pool->pairs, pool->pair_count, by_priority);
}

/* ---- one solution ---- */

void hs_gavel_pairs_begin(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                          const struct hs_view *v)
{
    struct hs_gavel_pair *old = pool->pairs;
    pool->pairs = g->pairs->old;
    g->pairs->old = old;
    g->pairs->old_count = pool->pair_count;
    pool->pair_count = 0;
    sort(v, old, g->pairs->old_count, by_jobs);
}

/* A share of two jobs; what they are behind is that of the last solution. */
static void add(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                const hs_job_id jobs[2], uint32_t type, double share)
{
    const struct hs_gavel_pairs *s = g->pairs;
    const bool is_turned = hs_job_queue_tie_is_before(v, jobs[1], jobs[0]);
    struct hs_gavel_pair pair = {.job = {jobs[is_turned], jobs[!is_turned]}, .type = type};
    uint32_t low = 0, high = s->old_count;
    if (pool->pair_count == s->most) {
        pool->has_failed = true;
        return;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_jobs(v, &s->old[middle], &pair))
            low = middle + 1;
        else
            high = middle;
    }
    pair.got = hs_gavel_half_round(g);
    if (low < s->old_count && !by_jobs(v, &pair, &s->old[low])) {
        pair.deficit = s->old[low].deficit;
        pair.got = s->old[low].got;
    }
    pair.share = share;
    pool->pairs[pool->pair_count++] = pair;
}

static bool may_share(const struct hs_gavel *g, const struct hs_view *v, const hs_job_id jobs[2],
                      uint32_t type)
{
    const uint64_t wanted_mib =
        (uint64_t)hs_view_gpu_mem_mib(v, jobs[0]) + hs_view_gpu_mem_mib(v, jobs[1]);
    return wanted_mib <= g->pairs->capacity_mib[type] && hs_view_ooms(v, jobs[0]) == 0 &&
           hs_view_ooms(v, jobs[1]) == 0;
}

/* The rates of two classes beside each other; false: not to be had, or no better than turns. */
static bool meet(const struct hs_gavel *g, const struct hs_view *v, struct hs_gavel_couple *c)
{
    const hs_job_id jobs[2] = {g->pairs->first[c->number[0]], g->pairs->first[c->number[1]]};
    if (!may_share(g, v, jobs, c->type))
        return false;
    const struct hs_pair_speeds speeds =
        hs_view_pair_speeds(v, jobs[0], jobs[1], g->type_of[c->type]);
    c->rate[0] = c->of[0]->speed[c->type] * ((double)speeds.a_q32 / 0x1p32);
    c->rate[1] = c->of[1]->speed[c->type] * ((double)speeds.b_q32 / 0x1p32);
    return speeds.a_q32 + speeds.b_q32 > UINT64_C(1) << 32;
}

/* The class from `number` on, and the type, with which it gains most; of equals the first. */
static double best_couple(const struct hs_gavel *g, const struct hs_view *v,
                          const struct hs_gavel_program *program, uint32_t number,
                          struct hs_gavel_couple *best)
{
    const struct hs_gavel_pairs *s = g->pairs;
    const struct hs_gavel_class *own = &s->class_of[number];
    double most = HS_GAVEL_GAIN_MIN;
    for (uint32_t other = number; other < s->classes; other++) {
        const struct hs_gavel_class *of = &s->class_of[other];
        if (of->gang != own->gang || (other == number && own->members < 2))
            continue;
        for (uint32_t t = 0; t < g->types; t++) {
            struct hs_gavel_couple c = {.of = {own, of},
                                        .number = {number, other},
                                        .type = t,
                                        .rate = {own->speed[t], of->speed[t]}};
            /* at most what it would gain if the two did not slow each other */
            if (own->speed[t] <= 0 || of->speed[t] <= 0 ||
                hs_gavel_couple_gain(program, &c) <= most || !meet(g, v, &c))
                continue;
            const double gain = hs_gavel_couple_gain(program, &c);
            if (gain > most) {
                most = gain;
                *best = c;
            }
        }
    }
    return most;
}

enum hs_lp_status hs_gavel_pairs_solve(const struct hs_gavel *g, const struct hs_view *v,
                                       struct hs_gavel_program *program)
{
    struct hs_gavel_pairs *s = g->pairs;
    enum hs_lp_status status = hs_lp_solve(program->lp, HS_LP_ITERATIONS);
    s->columns = 0;
    for (bool is_best = false; status == HS_LP_OPTIMAL && !is_best;) {
        is_best = true;
        for (uint32_t i = 0; i < s->classes; i++) {
            struct hs_gavel_couple c = {0};
            if (best_couple(g, v, program, i, &c) <= HS_GAVEL_GAIN_MIN)
                continue;
            if (s->columns == HS_GAVEL_COLUMNS)
                return HS_LP_LIMIT;
            s->column[s->columns++] =
                (struct hs_gavel_column){.number = {c.number[0], c.number[1]},
                                         .type = c.type,
                                         .column = hs_gavel_add_couple(program, &c)};
            is_best = false;
        }
        if (!is_best)
            status = hs_lp_solve(program->lp, HS_LP_ITERATIONS);
    }
    return status;
}

/* Members of one class in twos, the last three, if one is left, by turns. */
static void give_within(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, const struct hs_gavel_column *c, double time)
{
    const uint32_t members = g->pairs->class_of[c->number[0]].members;
    hs_job_id job = g->pairs->first[c->number[0]];
    for (uint32_t left = members; left > 1; left -= 2) {
        const hs_job_id second = hs_gavel_next(v, job), third = hs_gavel_next(v, second);
        const double share = (left == 3 ? 1 : 2) * time / members;
        add(g, pool, v, (hs_job_id[]){job, second}, c->type, share);
        if (left == 3) {
            add(g, pool, v, (hs_job_id[]){job, third}, c->type, share);
            add(g, pool, v, (hs_job_id[]){second, third}, c->type, share);
            return;
        }
        job = third;
    }
}

/* Each of m members has n parts of the time / (m n), and each of n others m. */
static void give_between(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, const struct hs_gavel_column *c, double time)
{
    const struct hs_gavel_pairs *s = g->pairs;
    const uint64_t members[2] = {s->class_of[c->number[0]].members,
                                 s->class_of[c->number[1]].members};
    hs_job_id jobs[2] = {s->first[c->number[0]], s->first[c->number[1]]};
    uint64_t left[2] = {members[1], members[0]};
    for (uint64_t rest = members[0] * members[1]; rest > 0;) {
        const uint64_t parts = left[0] < left[1] ? left[0] : left[1];
        add(g, pool, v, jobs, c->type,
            time * (double)parts / ((double)members[0] * (double)members[1]));
        rest -= parts;
        for (uint32_t i = 0; i < 2; i++) {
            left[i] -= parts;
            if (left[i] > 0 || rest == 0)
                continue;
            left[i] = members[!i];
            jobs[i] = hs_gavel_next(v, jobs[i]);
        }
    }
}

void hs_gavel_pairs_read(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, const struct hs_gavel_program *program)
{
    pool->pair_count = 0;
    for (uint32_t i = 0; i < g->pairs->columns; i++) {
        const struct hs_gavel_column *c = &g->pairs->column[i];
        const double time = hs_lp_value(program->lp, c->column);
        if (time > TIME_MIN)
            (c->number[0] == c->number[1] ? give_within : give_between)(g, pool, v, c, time);
    }
}

/* The type of a job that has all the time of one; NO_TYPE. */
static uint32_t type_of(const struct hs_gavel *g, const struct hs_gavel_scratch *j)
{
    uint32_t t = 0;
    while (t < g->types && j->share[t] < 1)
        t++;
    return t < g->types ? t : NO_TYPE;
}

void hs_gavel_pairs_by_arrival(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                               const struct hs_view *v)
{
    HS_EACH_CHAINED(job, &pool->jobs, v)
        hs_gavel_of(v, job)->mate = HS_NO_JOB;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        hs_job_id best = HS_NO_JOB;
        double most = g->threshold;
        if (type_of(g, hs_gavel_of(v, job)) != NO_TYPE || hs_gavel_of(v, job)->mate != HS_NO_JOB)
            continue;
        HS_EACH_CHAINED(other, &pool->jobs, v) {
            const uint32_t t = type_of(g, hs_gavel_of(v, other));
            const hs_job_id jobs[2] = {other, job};
            if (t == NO_TYPE || hs_view_gpus(v, other) != hs_view_gpus(v, job) ||
                hs_gavel_of(v, job)->speed[t] <= 0 || !may_share(g, v, jobs, t))
                continue;
            const struct hs_pair_speeds speeds = hs_view_pair_speeds(v, other, job, g->type_of[t]);
            const double sum = (double)(speeds.a_q32 + speeds.b_q32) / 0x1p32;
            if (sum > most) {
                most = sum;
                best = other;
            }
        }
        if (best == HS_NO_JOB)
            return;
        struct hs_gavel_scratch *j = hs_gavel_of(v, best);
        const uint32_t t = type_of(g, j);
        j->share[t] = 0;
        j->mate = job;
        hs_gavel_of(v, job)->mate = best;
        add(g, pool, v, (hs_job_id[]){best, job}, t, 1);
    }
}

/* ---- GPUs ---- */

void hs_gavel_pairs_account(struct hs_gavel_pool *pool, const struct hs_view *v)
{
    for (uint32_t i = 0; i < pool->pair_count; i++) {
        struct hs_gavel_pair *p = &pool->pairs[i];
        struct hs_gavel_scratch *a = hs_gavel_of(v, p->job[0]), *b = hs_gavel_of(v, p->job[1]);
        if (a->beside != p->job[1] || a->held != p->type)
            continue;
        const double time_us = (double)(hs_view_now_us(v) - a->since_us);
        p->got += time_us;
        pool->got[p->type] += time_us;
        a->since_us = b->since_us = hs_view_now_us(v);
    }
}

bool hs_gavel_pairs_take(const struct hs_gavel *g, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, hs_job_id holder)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    if (holder == HS_NO_JOB) {
        hs_allocation_map_add_planned(&g->pairs->map, p, job, &j->first_allocation);
        return true;
    }
    hs_plan_reason(p, "beside a job that slows it little, by the shares of pairs");
    if (!hs_place_beside(v, p, job, &g->pairs->map, &j->first_allocation,
                         hs_gavel_of(v, holder)->first_allocation))
        return false;
    hs_gavel_of(v, holder)->beside = job;
    j->beside = holder;
    return true;
}

void hs_gavel_pairs_leave(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    if (j->beside != HS_NO_JOB)
        hs_gavel_of(v, j->beside)->beside = HS_NO_JOB;
    j->beside = HS_NO_JOB;
    hs_allocation_map_drop(&g->pairs->map, &j->first_allocation);
}

void hs_gavel_pairs_go(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                       const struct hs_view *v, hs_job_id job)
{
    const hs_job_id beside = hs_gavel_of(v, job)->beside;
    uint32_t kept = 0;
    hs_gavel_pairs_account(pool, v);
    for (uint32_t i = 0; i < pool->pair_count; i++)
        if (pool->pairs[i].job[0] != job && pool->pairs[i].job[1] != job)
            pool->pairs[kept++] = pool->pairs[i];
    pool->pair_count = kept;
    if (beside != HS_NO_JOB) /* which has the GPUs alone from now on */
        hs_gavel_of(v, beside)->since_us = hs_view_now_us(v);
    hs_gavel_pairs_leave(g, v, job);
}

enum hs_status hs_gavel_pairs_init(struct hs_gavel *g, const struct hs_view *v)
{
    struct hs_gavel_pairs *s = g->pairs = hs_view_alloc(v, sizeof *s);
    const uint64_t pools = g->pool_count;
    if (!g->is_aware || g->compat || hs_gavel_fills(g))
        return hs_view_fail(v, HS_E_USAGE, "share=pairs needs aware=yes, compat=off and fill=no");
    hs_allocation_map_init(&s->map, v);
    s->most = (uint32_t)(HS_GAVEL_PAIRS / pools);
    s->old = hs_view_alloc(v, s->most * sizeof *s->old);
    for (uint32_t i = 0; i < pools; i++)
        g->pools[i].pairs = hs_view_alloc(v, s->most * sizeof *s->old);
    for (uint32_t t = 0; t < g->types; t++)
        s->capacity_mib[t] = UINT32_MAX;
    for (uint32_t n = 0; n < v->nodes; n++)
        for (uint32_t t = 0; t < g->types && hs_view_node(v, n)->gpus > 0; t++)
            if (g->type_of[t] == hs_view_node(v, n)->type)
                s->capacity_mib[t] = hs_view_gpu_capacity_mib(v, hs_view_node(v, n)->first_gpu);
    return HS_OK;
}
