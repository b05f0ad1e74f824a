/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of leases: which of the leases to come each accepted job has, within the GPUs there are.
 *
 *     admission   the job takes leases from the last one that it may have backwards, where GPUs are
 *                 left; if they are too few, the jobs accepted since the last boundary and it are
 *                 packed anew. If that fails as well, it is not accepted.
 *     packing     largest gangs first, then those with least slack, then those with most leases
 *                 open to them; each as above
 *     boundary    all accepted jobs are packed anew, or, where that fails, keep their plan. Then
 *                 GPUs of this lease that are left go to jobs planned for later, least slack first
 *                 (objective=maximise): each gives up its earliest later lease. solver=milp: by an
 *                 integer program; where it is not solved within its limits, as above.
 *
 * A plan that holds once thus holds until its job is done, if that needs no more time than
 * predicted. Cost of packing: O(leases) a job.
 */
#include <math.h>
#include <string.h>

#include "policies/chronus/chronus.h"

#define MINUTE_US INT64_C(60000000)
#define HOUR_US   (60 * MINUTE_US)
#define LP_ROWS   1200 /* of a program with leases of an hour; with shorter ones fewer [artifact] */

/* ---- times ---- */

uint32_t hs_chronus_gpus(uint32_t gpus, uint32_t node_gpus)
{
    uint32_t counted = 1;
    if (gpus > node_gpus)
        return (gpus + node_gpus - 1) / node_gpus * node_gpus;
    while (counted < gpus)
        counted *= 2;
    return counted < node_gpus ? counted : node_gpus;
}

int64_t hs_chronus_cost_us(const struct hs_chronus *o, uint32_t gpus)
{
    return llround((double)(o->checkpoint_us + o->resume_us) * (1 + log2(gpus)));
}

/* Time that this much work takes it, with restarts and the margin. */
static int64_t estimate_us(const struct hs_chronus *o, uint32_t gpus, int64_t work_us)
{
    const double restarts = (double)hs_chronus_cost_us(o, gpus) / (double)o->lease_us;
    const int64_t us = llround((1 + o->margin) * (1 + restarts) * (double)work_us);
    return o->compat ? us / MINUTE_US * MINUTE_US : us;
}

int64_t hs_chronus_left_us(const struct hs_chronus *o, const struct hs_view *v, hs_job_id job)
{
    const int64_t work_us = o->estimate.from == HS_ESTIMATE_ORACLE
                                ? hs_view_remaining_us(v, job)
                                : hs_view_estimate_us(v, job) - hs_view_attained_us(v, job);
    return hs_later(work_us, 0) + hs_view_cost_left_us(v, job);
}

/* Leases that it needs, at least one. */
static uint32_t needs(const struct hs_chronus *o, const struct hs_view *v, hs_job_id job)
{
    const uint32_t gpus = hs_chronus_of(v, job)->gpus;
    const int64_t us = estimate_us(o, gpus, hs_chronus_left_us(o, v, job));
    const int64_t leases = (us + o->lease_us - 1) / o->lease_us;
    return (uint32_t)hs_earlier(hs_later(leases, 1), HS_CHRONUS_LEASES);
}

/* ---- plans ---- */

static bool has_lease(const uint64_t *plan, int64_t lease)
{
    const uint64_t at = (uint64_t)lease % HS_CHRONUS_LEASES;
    return (plan[at / 64] >> at % 64 & 1) != 0;
}

static void change_lease(struct hs_chronus_pool *pool, const struct hs_chronus_scratch *j,
                         uint64_t *plan, int64_t lease)
{
    const uint64_t at = (uint64_t)lease % HS_CHRONUS_LEASES;
    plan[at / 64] ^= UINT64_C(1) << at % 64;
    if (has_lease(plan, lease))
        pool->used[at] += j->gpus;
    else
        pool->used[at] -= j->gpus;
}

static bool has_room(const struct hs_chronus_pool *pool, const struct hs_chronus_scratch *j,
                     int64_t lease)
{
    return pool->used[(uint64_t)lease % HS_CHRONUS_LEASES] + j->gpus <= pool->gpus;
}

static uint32_t planned_leases(const uint64_t *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < HS_CHRONUS_WORDS; i++)
        for (uint64_t word = plan[i]; word != 0; word &= word - 1)
            count++;
    return count;
}

/* Takes up to `count` leases more, the last ones with room; returns how many there were none of. */
static uint32_t take_last(struct hs_chronus_pool *pool, const struct hs_chronus_scratch *j,
                          uint64_t *plan, int64_t first, uint32_t count)
{
    const int64_t end = hs_earlier(j->end, first + HS_CHRONUS_LEASES - 1);
    for (int64_t lease = end - 1; lease >= first && count > 0; lease--)
        if (!has_lease(plan, lease) && has_room(pool, j, lease)) {
            change_lease(pool, j, plan, lease);
            count--;
        }
    return count;
}

/* Gives up the first `count` leases from `first` on; so many are planned there. */
static void give_first(struct hs_chronus_pool *pool, const struct hs_chronus_scratch *j,
                       uint64_t *plan, int64_t first, uint32_t count)
{
    for (int64_t lease = first; count > 0; lease++)
        if (has_lease(plan, lease)) {
            change_lease(pool, j, plan, lease);
            count--;
        }
}

static void give_all(struct hs_chronus_pool *pool, struct hs_chronus_scratch *j, int64_t first)
{
    give_first(pool, j, j->plan, first, planned_leases(j->plan));
}

static bool by_slack(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    const struct hs_chronus_scratch *x = hs_chronus_of(v, a), *y = hs_chronus_of(v, b);
    const int64_t x_slack = x->end - x->need, y_slack = y->end - y->need;
    (void)nothing;
    return x_slack != y_slack ? x_slack < y_slack : hs_job_queue_tie_is_before(v, a, b);
}

static bool by_gpus(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    const struct hs_chronus_scratch *x = hs_chronus_of(v, a), *y = hs_chronus_of(v, b);
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus;
    if (x->end - x->need == y->end - y->need && x->end != y->end)
        return x->end > y->end;
    return by_slack(v, a, b, nothing);
}

/* Packs the jobs of a chain anew; false, and nothing changed, if one does not get what it needs. */
static bool pack(struct hs_chronus_pool *pool, enum hs_chronus_state state, const struct hs_view *v,
                 int64_t first)
{
    bool is_packed = true;
    hs_job_chain_sort(&pool->chains[state], v, by_gpus, NULL);
    HS_EACH_CHAINED(job, &pool->chains[state], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        memcpy(j->tried, j->plan, sizeof j->tried);
        give_all(pool, j, first);
    }
    HS_EACH_CHAINED(job, &pool->chains[state], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        is_packed = is_packed && take_last(pool, j, j->plan, first, j->need) == 0;
    }
    HS_EACH_CHAINED(job, &pool->chains[state], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        if (is_packed)
            break;
        give_all(pool, j, first);
        for (int64_t lease = first; memcmp(j->plan, j->tried, sizeof j->plan) != 0; lease++)
            if (has_lease(j->tried, lease))
                change_lease(pool, j, j->plan, lease);
    }
    return is_packed;
}

/* ---- admission ---- */

static bool fits_until(struct hs_chronus_pool *pool, const struct hs_view *v, hs_job_id job,
                       int64_t first, int64_t end)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    j->end = end;
    if (end - first < (int64_t)j->need)
        return false;
    if (take_last(pool, j, j->plan, first, j->need) == 0)
        return true;
    give_all(pool, j, first);
    return pack(pool, HS_CHRONUS_IS_RECENT, v, first);
}

/* Whether it fits by its deadline, or one of several, the first with which it does; or, with a
 * tolerance above 1, somewhat later: then as early as bisection finds. */
static bool fits(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                 hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    const int64_t first = hs_view_now_us(v) / o->lease_us + 1;
    const int64_t submit_us = hs_view_submit_us(v, job);
    struct hs_deadline_option option;
    for (uint32_t i = 0; hs_view_deadline_option(v, job, i, &option) || i == 0; i++) {
        j->due_us = i == 0 ? hs_view_deadline_us(v, job) : submit_us + option.after_us;
        if (fits_until(pool, v, job, first, j->due_us / o->lease_us))
            return true;
    }
    const int64_t late_us = llround(o->tolerance * (double)(j->due_us - submit_us));
    int64_t fails = j->due_us / o->lease_us, end = (submit_us + late_us) / o->lease_us;
    if (end <= fails || !fits_until(pool, v, job, first, end))
        return false;
    while (end - fails > 1) {
        const int64_t middle = fails + (end - fails) / 2;
        give_all(pool, j, first);
        if (fits_until(pool, v, job, first, middle)) {
            end = middle;
        } else {
            fails = middle;
            (void)fits_until(pool, v, job, first, end); /* as before */
        }
    }
    return true;
}

static bool is_accepted(enum hs_chronus_state state)
{
    return state == HS_CHRONUS_IS_RECENT || state == HS_CHRONUS_IS_PLANNED;
}

void hs_chronus_move(struct hs_chronus_pool *pool, const struct hs_view *v, hs_job_id job,
                     enum hs_chronus_state state)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    hs_job_chain_remove(&pool->chains[j->state], v, job);
    if (is_accepted(j->state) && !is_accepted(state))
        give_all(pool, j, 0);
    hs_job_chain_insert(&pool->chains[state], v, job, pool->chains[state].last);
    j->state = state;
}

void hs_chronus_admit(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v, hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    j->need = needs(o, v, job);
    hs_chronus_move(pool, v, job, HS_CHRONUS_IS_RECENT);
    if (!fits(o, pool, v, job))
        hs_chronus_move(pool, v, job, HS_CHRONUS_IS_UNACCEPTED);
}

/* ---- boundaries ---- */

/* What a job needs now. If that is more than was predicted and there is no room, it goes on with
 * what it has. */
static void correct(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                    const struct hs_view *v, hs_job_id job, int64_t first)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    const uint32_t has = planned_leases(j->plan), need = needs(o, v, job);
    if (need < has)
        give_first(pool, j, j->plan, first, has - need);
    else
        (void)take_last(pool, j, j->plan, first, need - has);
    j->need = planned_leases(j->plan);
}

/* Leases of later for this one. */
static void fill_lease(struct hs_chronus_pool *pool, const struct hs_view *v, int64_t first)
{
    hs_job_chain_sort(&pool->chains[HS_CHRONUS_IS_PLANNED], v, by_slack, NULL);
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        if (j->need == 0 || has_lease(j->plan, first) || !has_room(pool, j, first))
            continue;
        give_first(pool, j, j->plan, first, 1);
        change_lease(pool, j, j->plan, first);
    }
}

/* ---- integer programs ---- */

/* The accepted jobs with least slack, as many as LP_ROWS allow with the leases open to them;
 * returns the first lease behind all of these. */
static int64_t choose_free(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                           const struct hs_view *v, int64_t first, uint64_t *count)
{
    const int64_t rows = LP_ROWS * o->lease_us / HOUR_US;
    int64_t end = first;
    *count = 0;
    hs_job_chain_sort(&pool->chains[HS_CHRONUS_IS_PLANNED], v, by_slack, NULL);
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        const int64_t later = hs_later(end, hs_earlier(j->end, first + HS_CHRONUS_LEASES - 1));
        j->is_free = j->need > 0 && (int64_t)*count + 1 + later - first <= rows;
        if (!j->is_free)
            continue;
        end = later;
        ++*count;
        memcpy(j->tried, j->plan, sizeof j->tried);
        give_all(pool, j, first);
    }
    return end;
}

/* x = 1 where a free job has a lease: as many as it needs, in each lease at most the GPUs that the
 * others leave; most, or least, GPUs of the first one. */
static void build(struct hs_chronus_pool *pool, const struct hs_view *v, int64_t first, int64_t end,
                  bool is_minimum)
{
    hs_lp_begin(v->lp, !is_minimum);
    for (int64_t lease = first; lease < end; lease++)
        (void)hs_lp_row(v->lp, -INFINITY,
                        (double)(pool->gpus - pool->used[lease % HS_CHRONUS_LEASES]));
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        const struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        if (!j->is_free)
            continue;
        const uint32_t row = hs_lp_row(v->lp, j->need, j->need);
        for (int64_t lease = first; lease < hs_earlier(j->end, end); lease++) {
            const double part = lease == first ? (double)j->gpus / (double)pool->gpus : 0;
            const uint32_t column = hs_lp_column(v->lp, part);
            hs_lp_binary(v->lp, column);
            hs_lp_set(v->lp, row, column, 1);
            hs_lp_set(v->lp, (uint32_t)(lease - first), column, j->gpus);
        }
    }
}

/* Plans of the free jobs by the program; false, and nothing changed, if it was not solved. */
static bool solve(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                  int64_t first, bool is_minimum)
{
    uint64_t count;
    uint32_t column = 0;
    const int64_t end = choose_free(o, pool, v, first, &count);
    if (count == 0)
        return false;
    build(pool, v, first, end, is_minimum);
    const bool is_solved = hs_lp_solve(v->lp, (int)o->iterations) == HS_LP_OPTIMAL;
    if (!is_solved)
        hs_view_warn(v,
                     "a program of leases is not solved within `iterations`: it, and others that "
                     "are not, are planned greedily");
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        for (int64_t lease = first; j->is_free && lease < hs_earlier(j->end, end);
             lease++, column++)
            if (is_solved ? hs_lp_value(v->lp, column) > 0.5 : has_lease(j->tried, lease))
                change_lease(pool, j, j->plan, lease);
    }
    return is_solved;
}

void hs_chronus_renew(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v)
{
    const int64_t lease = hs_view_now_us(v) / o->lease_us;
    const bool is_minimum = o->objective == HS_CHRONUS_MINIMISE ||
                            (o->objective == HS_CHRONUS_ADAPTIVE &&
                             pool->chains[HS_CHRONUS_IS_UNACCEPTED].first != HS_NO_JOB);
    while (pool->chains[HS_CHRONUS_IS_RECENT].first != HS_NO_JOB)
        hs_chronus_move(pool, v, pool->chains[HS_CHRONUS_IS_RECENT].first, HS_CHRONUS_IS_PLANNED);
    for (hs_job_id job = pool->chains[HS_CHRONUS_IS_PLANNED].first, next; job != HS_NO_JOB;
         job = next) {
        next = hs_chronus_next(v, job);
        hs_chronus_of(v, job)->is_leased = false;
        if (hs_chronus_of(v, job)->end > lease)
            correct(o, pool, v, job, lease);
        else
            hs_chronus_move(pool, v, job, HS_CHRONUS_IS_UNACCEPTED);
    }
    if (o->solver != HS_CHRONUS_MILP || !solve(o, pool, v, lease, is_minimum)) {
        (void)pack(pool, HS_CHRONUS_IS_PLANNED, v, lease);
        if (!is_minimum)
            fill_lease(pool, v, lease);
    }
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        j->is_leased = has_lease(j->plan, lease);
        if (j->is_leased)
            change_lease(pool, j, j->plan, lease);
    }
}
