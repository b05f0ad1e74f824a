/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel: shares of time on each GPU type that are best for an objective (gavel_shares.c), and
 * rounds that give jobs about these shares.
 *
 *     at the boundary of a round
 *         if a job came or went, and the last solution is `reset` old: new shares X
 *         for each type, fastest first (in random order where speeds are not known):
 *             jobs by priority X / (time got there / time of all there), then by what they are
 *             behind (deficit), then by X, then by arrival, as many as fit; a job runs on one type
 *         a job chosen for the type it runs on stays; others are preempted, then placed, large
 *             gangs first
 *
 * Jobs of share 0 fill what is left (not under fifo). What a job got is counted from the last
 * solution on, and begins with half a round. Between boundaries freed GPUs stay idle, and arrivals
 * wait, unless refill=yes. The first job on an idle cluster begins a round. A pool is a virtual
 * cluster with nodes of its own, else all of them.
 *
 * Cost of a boundary: O(types x jobs log jobs) and, where shares are anew, a linear program of the
 * classes of jobs. While all jobs run on one type nothing can change, and no boundary is due.
 */
#include "policies/gavel/gavel.h"

#include <math.h>
#include <string.h>

#define NO_TYPE      HS_GAVEL_TYPES
#define FAILURES_MAX 5

static const char *const compat_names[] = {"off", "gavel", NULL};
static const char *const sharing_names[] = {"no", "pairs", NULL};
static const char *const objective_names[] = {"las",      "fifo",       "isolated", "ftf",
                                              "makespan", "throughput", "allox",    NULL};

/* ---- orders of jobs ---- */

/* The GPUs that a job is to start on, by which these stand first; the others, with 0, stay in their
 * order, which is nearly that of the next round. compat: sums of times depend on the order of all.
 */
static uint32_t gpus_to_start(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    const bool starts = j->chosen != NO_TYPE && j->held == NO_TYPE;
    return starts || g->compat ? hs_view_gpus(v, job) : 0;
}

static bool by_gang(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *g)
{
    return gpus_to_start(g, v, a) > gpus_to_start(g, v, b);
}

static bool by_priority(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *type)
{
    const uint32_t t = *(const uint32_t *)type;
    const struct hs_gavel_scratch *x = hs_gavel_of(v, a), *y = hs_gavel_of(v, b);
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->deficit[t] != y->deficit[t])
        return x->deficit[t] > y->deficit[t];
    if (x->share[t] != y->share[t])
        return x->share[t] > y->share[t];
    return hs_job_queue_tie_is_before(v, a, b);
}

/* ---- rounds ---- */

/* Counts the time of a running job up to now. */
static void account(struct hs_gavel_pool *pool, const struct hs_view *v, hs_job_id job)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    if (j->held == NO_TYPE || j->beside != HS_NO_JOB)
        return;
    const double time_us = (double)(hs_view_now_us(v) - j->since_us);
    j->got[j->held] += time_us;
    pool->got[j->held] += time_us;
    j->since_us = hs_view_now_us(v);
}

/* What was promised and not got is kept as a deficit; with `carry` it is also taken from what the
 * job got. */
static void close_accounts(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                           const struct hs_view *v)
{
    const double time = pool->solved >= 0 ? pool->now - pool->solved : 0;
    memset(pool->got, 0, sizeof pool->got);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        for (uint32_t t = 0; t < g->types; t++) {
            const double behind = j->share[t] * time - (j->got[t] - hs_gavel_half_round(g));
            j->deficit[t] += behind;
            j->got[t] = g->carries ? fmax(g->second, hs_gavel_half_round(g) - behind)
                                   : hs_gavel_half_round(g);
            pool->got[t] += j->got[t];
        }
    }
    for (uint32_t i = 0; i < pool->pair_count; i++) {
        struct hs_gavel_pair *p = &pool->pairs[i];
        const double behind = p->share * time - (p->got - hs_gavel_half_round(g));
        p->deficit += behind;
        p->got =
            g->carries ? fmax(g->second, hs_gavel_half_round(g) - behind) : hs_gavel_half_round(g);
        pool->got[p->type] += p->got;
    }
}

/* The type of the highest sum of speeds first. A policy that does not know speeds draws the order
 * at each boundary, as the released simulator does: in a fixed order, jobs on a cluster with room
 * would always run on the same type, be it the slowest. */
static void order_types(const struct hs_gavel *g, const struct hs_gavel_pool *pool,
                        const struct hs_view *v, uint32_t order[HS_GAVEL_TYPES])
{
    double key[HS_GAVEL_TYPES];
    for (uint32_t t = 0, at; t < g->types; t++) {
        const uint64_t draw = ((uint64_t)g->seed << 48) + ((uint64_t)t << 40);
        key[t] = g->is_aware ? pool->speeds[t]
                             : (double)hs_job_queue_mix(draw + (uint64_t)hs_view_now_us(v));
        for (at = t; at > 0 && key[order[at - 1]] < key[t]; at--)
            order[at] = order[at - 1];
        order[at] = t;
    }
}

/* Whether a job, or each of two, may still be chosen for a type. */
static bool is_free(const struct hs_gavel_scratch *j, uint32_t t)
{
    return j->chosen == NO_TYPE && j->speed[t] > 0;
}

/* A pair is before a job by the same order, and behind the job of its first member if all is equal.
 */
static bool is_pair_next(const struct hs_view *v, const struct hs_gavel_pair *pair, hs_job_id job,
                         uint32_t t)
{
    const struct hs_gavel_scratch *j = job != HS_NO_JOB ? hs_gavel_of(v, job) : NULL;
    if (pair == NULL || j == NULL)
        return pair != NULL;
    if (pair->priority != j->priority)
        return pair->priority > j->priority;
    if (pair->deficit != j->deficit[t])
        return pair->deficit > j->deficit[t];
    if (pair->share != j->share[t])
        return pair->share > j->share[t];
    return pair->job[0] != job && hs_job_queue_tie_is_before(v, pair->job[0], job);
}

/* Jobs and pairs, in order of priority, as many as there is room for. */
static void choose_for(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                       const struct hs_view *v, uint32_t t, double room)
{
    uint32_t at = 0;
    for (hs_job_id job = pool->jobs.first; room >= 1;) {
        const bool is_left = at < pool->pair_count && pool->pairs[at].priority >= 0;
        const struct hs_gavel_pair *pair = is_left ? &pool->pairs[at] : NULL;
        if (is_pair_next(v, pair, job, t)) {
            struct hs_gavel_scratch *a = hs_gavel_of(v, pair->job[0]),
                                    *b = hs_gavel_of(v, pair->job[1]);
            at++;
            if (!is_free(a, t) || !is_free(b, t) || hs_view_gpus(v, pair->job[0]) > room)
                continue;
            a->chosen = b->chosen = (uint8_t)t;
            a->mate = pair->job[1];
            b->mate = pair->job[0];
            room -= hs_view_gpus(v, pair->job[0]);
            continue;
        }
        if (job == HS_NO_JOB)
            return;
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        if (is_free(j, t) && hs_view_gpus(v, job) <= room &&
            (g->objective != HS_GAVEL_FIFO || j->priority > 0)) {
            j->chosen = (uint8_t)t;
            room -= hs_view_gpus(v, job);
        }
        job = hs_gavel_next(v, job);
    }
}

static void choose_jobs(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, bool is_refill)
{
    uint32_t order[HS_GAVEL_TYPES];
    double room[HS_GAVEL_TYPES];
    memcpy(room, pool->gpus, sizeof room);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        j->chosen = is_refill ? j->held : NO_TYPE;
        j->mate = is_refill ? j->beside : HS_NO_JOB;
        if (j->chosen != NO_TYPE && (j->mate == HS_NO_JOB || job < j->mate)) /* GPUs once */
            room[j->chosen] -= hs_view_gpus(v, job);
    }
    order_types(g, pool, v, order);
    for (uint32_t i = 0; i < g->types; i++) {
        const uint32_t t = order[i];
        HS_EACH_CHAINED(job, &pool->jobs, v) {
            struct hs_gavel_scratch *j = hs_gavel_of(v, job);
            const double share = j->speed[t] > 0 ? j->share[t] : 0;
            /* jobs that got nothing are before all others */
            const bool has_none = j->got[t] <= 0 || pool->got[t] <= 0;
            j->priority = has_none ? share * 1e9 : share / (j->got[t] / pool->got[t]);
        }
        hs_job_chain_sort(&pool->jobs, v, by_priority, &t);
        if (g->pairs != NULL)
            hs_gavel_pairs_sort(pool, v, t);
        choose_for(g, pool, v, t, room[t]);
    }
}

/* A job that was chosen for the type on which it runs keeps its GPUs, unless its present co-runner
 * keeps them without it, or its next co-runner keeps other GPUs. */
static void release(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                    struct hs_plan *p)
{
    HS_EACH_CHAINED(job, &pool->jobs, v)
        hs_gavel_of(v, job)->stays = false;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        const bool is_same = j->beside == j->mate;
        j->stays = j->held != NO_TYPE && j->held == j->chosen &&
                   (is_same || j->beside == HS_NO_JOB || !hs_gavel_of(v, j->beside)->stays) &&
                   (is_same || j->mate == HS_NO_JOB || !hs_gavel_of(v, j->mate)->stays);
    }
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        if (j->held == NO_TYPE || j->stays)
            continue;
        hs_plan_reason(p, j->held == j->chosen ? "it is to run beside another job in this round"
                                               : "other jobs are before it in this round");
        hs_plan_preempt(p, job, hs_cost_us(&g->cost, v, job));
        j->held = NO_TYPE;
        if (g->pairs != NULL)
            hs_gavel_pairs_leave(g, v, job);
    }
}

/* On the GPUs of the job that it is to share them with, else on free ones of its type. */
static bool start(const struct hs_gavel *g, const struct hs_view *v, struct hs_plan *p,
                  hs_job_id job)
{
    const hs_job_id mate = hs_gavel_of(v, job)->mate;
    if (mate != HS_NO_JOB && hs_gavel_of(v, mate)->held != NO_TYPE)
        return hs_gavel_pairs_take(g, v, p, job, mate);
    if (hs_place(v, p, job, (struct hs_place_rule){.placer = g->placer}) ||
        hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT}))
        return g->pairs == NULL || hs_gavel_pairs_take(g, v, p, job, HS_NO_JOB);
    (void)hs_reject_hopeless(v, p, job);
    return false;
}

/* Returns whether a job waits. */
static bool place_jobs(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                       const struct hs_view *v, struct hs_plan *p)
{
    bool is_any_waiting = false;
    release(g, pool, v, p);
    hs_job_chain_sort(&pool->jobs, v, by_gang, g);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        if (j->chosen != NO_TYPE && j->held == NO_TYPE) {
            hs_plan_reason(p, NULL);
            hs_view_search_type(v, g->type_of[j->chosen], true);
            if (start(g, v, p, job)) {
                j->held = j->chosen;
                j->since_us = hs_view_now_us(v);
            }
        }
        is_any_waiting |= j->held == NO_TYPE;
    }
    hs_view_search_type(v, HS_ANY_TYPE, true);
    return is_any_waiting;
}

static void begin_round(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    pool->now = (double)now_us;
    if (g->pairs != NULL)
        hs_gavel_pairs_account(pool, v);
    HS_EACH_CHAINED(job, &pool->jobs, v)
        account(pool, v, job);
    if (pool->is_dirty && (pool->solved < 0 || pool->now - pool->solved >= (double)g->reset_us)) {
        close_accounts(g, pool, v);
        hs_gavel_solve(g, pool, v);
    }
    choose_jobs(g, pool, v, false);
    const bool is_any_waiting = place_jobs(g, pool, v, p);
    pool->boundary_us = now_us;
    pool->next_us = g->types > 1 || is_any_waiting || pool->pair_count > 0 || pool->is_dirty
                        ? now_us + g->round_us
                        : INT64_MAX;
}

static void decide_pool(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = pool->next_us;
    if (pool->count == 0) {
        pool->boundary_us = -1;
        pool->next_us = INT64_MAX;
    } else if (pool->boundary_us < 0 || now_us == pool->next_us) {
        begin_round(g, pool, v, p);
    } else if (pool->is_woken) {
        pool->next_us = hs_round_from(pool->boundary_us, g->round_us, now_us);
        if (pool->next_us == now_us) {
            begin_round(g, pool, v, p);
        } else if (g->refills) {
            choose_jobs(g, pool, v, true);
            (void)place_jobs(g, pool, v, p);
        }
    }
    pool->is_woken = false;
    if (pool->next_us != next_us && pool->next_us != INT64_MAX)
        hs_plan_timer(p, pool->next_us, 0);
}

/* ---- compat=gavel ----
 *
 * compat=gavel: what the simulator of the paper (stanford-futuredata/gavel, scheduler.py) does and
 * no parameter would say:
 *
 * - Steps are whole. In a round a job does as many as fit into it, and no more; the next round
 *   begins at the end of the job that takes longest, so rounds are shorter than `round` and drift.
 *   A job without a count of steps makes one a second.
 * - With no job running the time jumps to the next arrival, and the gap counts as time received.
 * - A job that came after the last solution is chosen, and takes up GPUs, but does not run.
 * - Solutions are `reset` apart (the simulator: 1,920 s), but one at time 0 counts as none.
 * - A gang with fewer steps to do in a round than GPUs does nothing, and is dropped after five such
 *   rounds in a row: its workers get the quotient, rounded down.
 * - fifo, not aware, on one type: at a solution the ended jobs and those with a share are walked in
 *   order of arrival, and at each ended one the head of the queue gets a share if it fits into the
 *   cluster less the jobs walked so far: more than fit may then have one, and take turns. On
 *   several types it draws a type and uses another, which is not imitated.
 *
 * A job that the engine runs continuously does as much in a round if it rests at its beginning: the
 * rest is an overhead, and what a microsecond rounds off is made up for in the next round.
 * Times are in seconds and computed in its order: among jobs that have got as much, the last bits
 * decide which is next. With jobs waiting and none running the simulator solves at once
 * if no arrival is left, else it waits for one; which a policy cannot know: this one solves.
 */

static void compat_go(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                      hs_job_id job)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    pool->ending -= j->is_ending;
    if (g->objective != HS_GAVEL_FIFO || j->share[0] <= 0)
        return;
    /* the next with a share takes over those that ended before it */
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    hs_job_id next = hs_gavel_next(v, job);
    while (next != HS_NO_JOB && hs_gavel_of(v, next)->share[0] <= 0)
        next = hs_gavel_next(v, next);
    *(next != HS_NO_JOB ? &hs_gavel_of(v, next)->ended : &pool->last_ended) += j->ended + 1;
}

/* Books a round of a job in advance. */
static void book_round(struct hs_gavel_pool *pool, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, double length_us)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    const bool has_failed =
        j->steps > 0 && (gang > 1 ? j->round_steps < gang : j->round_steps <= 0);
    double rest_us = length_us;
    if (has_failed) {
        j->failures++;
        pool->is_dirty = true;
    } else {
        const double got = pool->now + j->round_s - pool->end;
        j->failures = 0;
        j->done += j->round_steps;
        j->is_ending = j->done >= j->steps;
        pool->ending += j->is_ending;
        j->got[j->held] += got;
        pool->got[j->held] += got;
        const double work_us =
            (double)hs_view_remaining_us(v, job) - (j->steps - j->done) / j->steps_per_s * 1e6;
        rest_us = j->is_ending ? 0 : length_us - work_us / j->speed[j->held];
    }
    if (rest_us >= 1)
        hs_plan_add_overhead(p, job, (int64_t)rest_us);
}

static void begin_compat_round(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                               const struct hs_view *v, struct hs_plan *p)
{
    pool->now = pool->is_running ? pool->end : (double)hs_view_now_us(v) / 1e6;
    if (pool->is_dirty &&
        (pool->solved <= 0 || pool->now - pool->solved >= (double)g->reset_us / 1e6)) {
        close_accounts(g, pool, v);
        hs_gavel_solve(g, pool, v);
        HS_EACH_CHAINED(job, &pool->jobs, v)
            hs_gavel_of(v, job)->is_unsolved = false;
    }
    choose_jobs(g, pool, v, false);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        if (hs_gavel_of(v, job)->is_unsolved)
            hs_gavel_of(v, job)->chosen = NO_TYPE;
    }
    (void)place_jobs(g, pool, v, p);
    double end = pool->now;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        if (j->held == NO_TYPE)
            continue;
        const double per_s = j->steps_per_s * j->speed[j->held];
        j->round_steps = fmin(floor(per_s * (double)g->round_us / 1e6), j->steps - j->done);
        j->round_s = j->round_steps / per_s;
        end = fmax(end, pool->now + j->round_s);
    }
    const double end_us = rint(end * 1e6);
    pool->is_running = false;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        if (hs_gavel_of(v, job)->held == NO_TYPE)
            continue;
        book_round(pool, v, p, job, end_us - (double)hs_view_now_us(v));
        pool->is_running = true;
    }
    pool->end = pool->is_running ? end : pool->end;
    pool->next_us = pool->is_running ? (int64_t)end_us : INT64_MAX;
}

static void decide_compat_pool(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                               const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = pool->next_us;
    if (pool->count == 0) {
        pool->is_running = false;
        pool->next_us = INT64_MAX;
    } else if (pool->ending == 0 &&
               (now_us >= pool->next_us || (!pool->is_running && pool->is_woken))) {
        bool drops = false;
        hs_plan_reason(p, "its rounds end before its gang does a step");
        HS_EACH_CHAINED(job, &pool->jobs, v) {
            if (hs_gavel_of(v, job)->failures < FAILURES_MAX)
                continue;
            hs_plan_kill(p, job);
            drops = true;
        }
        hs_plan_reason(p, NULL);
        if (drops) {
            hs_plan_timer(p, now_us, 0); /* to go on when they have gone */
            return;
        }
        begin_compat_round(g, pool, v, p);
        if (!pool->is_running && pool->is_dirty) {
            pool->solved = 0;
            begin_compat_round(g, pool, v, p);
        }
    }
    pool->is_woken = false;
    if (pool->next_us != INT64_MAX && pool->next_us != next_us) /* a round of no steps is over */
        hs_plan_timer(p, pool->next_us > now_us ? pool->next_us : now_us, 0);
}

/* ---- decisions ---- */

static enum hs_status gavel_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_gavel *g = state;
    hs_vc_queues_scan(&g->cpu_jobs, v, p, (struct hs_place_rule){.placer = g->placer});
    HS_EACH_CHAINED(job, &g->pools[g->pool_count].jobs, v)
        hs_plan_reject(p, job, "no GPU type has as many GPUs as its gang");
    for (uint32_t i = 0; i < g->pool_count; i++) {
        (g->compat ? decide_compat_pool : decide_pool)(g, &g->pools[i], v, p);
        if (g->pools[i].has_failed)
            return hs_view_fail(v, HS_E_LIMIT, "the linear program was not solved");
    }
    return HS_OK;
}

/* ---- jobs ---- */

static void come(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    bool can_run = false;
    j->held = j->chosen = NO_TYPE;
    j->beside = j->mate = HS_NO_JOB;
    for (uint32_t t = 0; t < g->types; t++) {
        const uint32_t type = g->type_of[t];
        hs_view_search_type(v, type, true);
        if (hs_view_capacity(v, job) >= hs_view_gpus(v, job))
            j->speed[t] = !g->is_aware ? 1
                          : g->compat  ? hs_view_speed(v, job, type)
                                       : (double)hs_view_speed_q32(v, job, type) / 0x1p32;
        j->got[t] = hs_gavel_half_round(g);
        can_run |= j->speed[t] > 0;
    }
    hs_view_search_type(v, HS_ANY_TYPE, true);
    j->pool = !can_run ? g->pool_count : v->vcs_are_apart ? hs_view_vc(v, job) : 0;
    struct hs_gavel_pool *pool = hs_gavel_pool_of(g, v, job);
    for (uint32_t t = 0; t < g->types; t++) /* compat: v100, p100, k80, as names go backwards */
        pool->speeds[t] = g->compat ? t : pool->speeds[t] + j->speed[t];
    if (g->compat) {
        j->steps = (double)hs_view_steps_in_all(v, job, &j->steps_per_s);
        if (j->steps <= 0 || j->steps_per_s <= 0) {
            j->steps = (double)hs_view_duration_us(v, job) / 1e6;
            j->steps_per_s = 1;
        }
        j->is_unsolved = true;
    }
    hs_job_chain_insert(&pool->jobs, v, job, pool->jobs.last);
    pool->count++;
    pool->is_dirty = pool->is_woken = true;
}

static void go(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gavel_pool *pool = hs_gavel_pool_of(g, v, job);
    if (g->compat)
        compat_go(g, pool, v, job);
    else
        account(pool, v, job);
    if (g->pairs != NULL)
        hs_gavel_pairs_go(g, pool, v, job);
    for (uint32_t t = 0; t < g->types && !g->compat; t++)
        pool->speeds[t] -= hs_gavel_of(v, job)->speed[t];
    hs_job_chain_remove(&pool->jobs, v, job);
    pool->count--;
    pool->is_dirty = pool->is_woken = true;
}

/* Of each type, by name, on nodes in service. */
static void count_gpus(struct hs_gavel *g, const struct hs_view *v)
{
    for (uint32_t i = 0; i < g->pool_count; i++)
        for (uint32_t t = 0; t < g->types; t++)
            g->pools[i].gpus[t] = (double)hs_view_type_gpus(v, i, g->type_of[t]);
}

static void gavel_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_gavel *g = state;
    if (event->kind == HS_EVENT_TIMER)
        return;
    for (uint32_t i = 0; event->kind == HS_EVENT_NODE && i < g->pool_count; i++)
        g->pools[i].is_dirty = g->pools[i].is_woken = true;
    if (event->kind == HS_EVENT_NODE)
        count_gpus(g, v);
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, event->job) == 0)
        hs_vc_queues_event(&g->cpu_jobs, v, event, 0);
    else if (event->kind == HS_EVENT_SUBMIT)
        come(g, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        go(g, v, event->job);
    else if (event->kind == HS_EVENT_STOPPED && g->pairs != NULL && hs_job_waits(v, event->job) &&
             hs_gavel_of(v, event->job)->held != NO_TYPE) { /* from now on it runs alone */
        struct hs_gavel_pool *pool = hs_gavel_pool_of(g, v, event->job);
        hs_gavel_pairs_go(g, pool, v, event->job);
        hs_gavel_of(v, event->job)->held = NO_TYPE;
        pool->is_dirty = pool->is_woken = true;
    }
}

static enum hs_status gavel_init(void *state, const struct hs_view *v)
{
    struct hs_gavel *g = state;
    g->second = g->compat ? 1 : 1e6;
    if (g->objective == HS_GAVEL_ALLOX)
        g->allox = hs_view_alloc(v, sizeof *g->allox);
    if (v->gpu_types > HS_GAVEL_TYPES)
        return hs_view_fail(v, HS_E_LIMIT, "the cluster has more than 8 GPU types");
    if (hs_cost_most_us(&g->cost) >= g->round_us)
        return hs_view_fail(v, HS_E_USAGE,
                            "a cost of cost_table is as long as a round: jobs that change places "
                            "at each boundary would do no work");
    for (; g->types < v->gpu_types; g->types++) { /* by name: their numbers do not matter */
        const char *name = hs_view_gpu_type(v, g->types)->name;
        uint32_t at = g->types;
        for (; at > 0 && strcmp(hs_view_gpu_type(v, g->type_of[at - 1])->name, name) > 0; at--)
            g->type_of[at] = g->type_of[at - 1];
        g->type_of[at] = g->types;
    }
    hs_vc_queues_init(&g->cpu_jobs, v, HS_SCAN_FIT);
    g->pool_count = v->vcs_are_apart ? v->vcs : 1;
    g->pools = hs_view_alloc(v, (g->pool_count + UINT64_C(1)) * sizeof *g->pools);
    for (uint32_t i = 0; i <= g->pool_count; i++)
        g->pools[i] = (struct hs_gavel_pool){
            .jobs = hs_job_chain_empty(offsetof(struct hs_gavel_scratch, chain)),
            .boundary_us = -1,
            .next_us = INT64_MAX,
            .solved = -1};
    count_gpus(g, v);
    return hs_gavel_has_pairs(g) ? hs_gavel_pairs_init(g, v) : HS_OK;
}

static void gavel_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_gavel *g = state;
    if (!hs_gavel_has_pairs(g)) {
        *can &= ~(uint32_t)HS_CAN_COLOCATE;
        *knows &= ~(uint32_t)(HS_KNOWS_PAIRS | HS_KNOWS_MEMORY);
    }
    if (!g->is_aware)
        *knows &= ~(uint32_t)HS_KNOWS_SPEED;
    if (!hs_gavel_needs_left(g) && !g->compat)
        *knows &= ~(uint32_t)HS_KNOWS_DURATION;
}

static void gavel_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[] = {
        [HS_GAVEL_LAS] = "shares by max-min fairness, rounds",
        [HS_GAVEL_FIFO] = "submit, rounds",
        [HS_GAVEL_ISOLATED] = "equal shares, rounds",
        [HS_GAVEL_FTF] = "shares by finish-time fairness, rounds",
        [HS_GAVEL_MAKESPAN] = "shares of least makespan, rounds",
        [HS_GAVEL_ALLOX] = "matching of least mean completion time, rounds",
        [HS_GAVEL_THROUGHPUT] = "shares of most throughput, rounds",
    };
    const struct hs_gavel *g = state;
    *out = (struct hs_semantics){.order = hs_gavel_fills(g)
                                              ? "shares by max-min fairness, filled, rounds"
                                              : orders[g->objective],
                                 .scan = g->objective == HS_GAVEL_FIFO ? "strict" : "fit",
                                 .placement = hs_placer_names[g->placer],
                                 .preemption = "evict",
                                 .cost = hs_cost_text(&g->cost, false),
                                 .ties = "what a job is behind its share, its share, submission"};
}

static const char *gavel_check(const void *state, const struct hs_view *v)
{
    const struct hs_gavel *g = state;
    for (uint32_t i = 0; i < g->pool_count; i++) {
        uint64_t count = 0;
        HS_EACH_CHAINED(job, &g->pools[i].jobs, v) {
            const hs_job_id beside = hs_gavel_of(v, job)->beside;
            double time = 0;
            for (uint32_t t = 0; t < g->types; t++)
                time += hs_gavel_of(v, job)->share[t];
            if (time > 1 + HS_GAVEL_GAIN_MIN)
                return "a job is to work more than all the time";
            if ((hs_gavel_of(v, job)->held == NO_TYPE) != hs_job_waits(v, job))
                return "a job holds GPUs that it was not chosen for";
            if (beside != HS_NO_JOB && (hs_gavel_of(v, beside)->beside != job ||
                                        hs_view_gpus_held(v, beside) != hs_view_gpus_held(v, job)))
                return "a job is in a pair that its partner is not in";
            count++;
        }
        if (count != g->pools[i].count)
            return "the chain of live jobs is broken";
    }
    const char *broken = g->pairs != NULL ? hs_allocation_map_check(&g->pairs->map, v) : NULL;
    return broken != NULL ? broken : hs_vc_queues_check(&g->cpu_jobs, v);
}

/* The same policy by the names of its objectives. */
#define PARAMS(objective_preset)                                                                   \
    HS_PARAM_CHOICE(struct hs_gavel, objective, "objective", objective_preset, objective_names,    \
                    "objective that the shares of time optimize",                                  \
                    .source = "Narayanan et al. OSDI'20"),                                         \
        HS_PARAM_FLAG(                                                                             \
            struct hs_gavel, is_aware, "aware", "yes",                                             \
            "use the speeds of jobs on GPU types; no: all types count as the reference type"),     \
        HS_PARAM_CHOICE(                                                                           \
            struct hs_gavel, share, "share", "no", sharing_names,                                  \
            "no: jobs run alone; pairs: two jobs share GPUs where the solution gives them time",   \
            .only_with = "objective=las|fifo|ftf|makespan|throughput",                             \
            .source = "OSDI'20 3.1, space sharing"),                                               \
        HS_PARAM_REAL(struct hs_gavel, threshold, "pair_above", "1.5", 0, 2,                       \
                      "objective=fifo: least sum of the relative speeds of a pair",                \
                      .only_with = "share=pairs", .source = "stanford-futuredata/gavel c4fa400"),  \
        HS_PARAM_DURATION(struct hs_gavel, round_us, "round", "360s", 1, 1e6,                      \
                          "time between boundaries",                                               \
                          .source = "OSDI'20 3.2: rounds of 6 minutes"),                           \
        HS_PARAM_DURATION(struct hs_gavel, reset_us, "reset", "0s", 0, 1e7,                        \
                          "least time between two solutions, which arrivals and ends trigger"),    \
        HS_PARAM_FLAG(struct hs_gavel, carries, "carry", "no",                                     \
                      "time that a job received in excess of its share is carried over to the "    \
                      "next solution"),                                                            \
        HS_PARAM_FLAG(struct hs_gavel, fills, "fill", "no",                                        \
                      "water filling: after the least rate also raise those of jobs that can "     \
                      "have more, in the same way",                                                \
                      .only_with = "objective=las", .source = "OSDI'20 4.3"),                      \
        HS_PARAM_FLAG(struct hs_gavel, refills, "refill", "no",                                    \
                      "jobs also start on free GPUs between boundaries"),                          \
        HS_PARAM_FLAG(struct hs_gavel, joins, "classes", "yes",                                    \
                      "equal jobs are one variable of the linear program: the same optimum in "    \
                      "less time; under ftf only with share=pairs"),                               \
        HS_PARAM_INT(                                                                              \
            struct hs_gavel, seed, "seed", "0", 0, 1e9,                                            \
            "aware=no: seed of the random order of types, and of the types of jobs under fifo"),   \
        HS_PARAM_CHOICE(struct hs_gavel, placer, "placement", "consolidate",                       \
                        hs_placer_plain_names,                                                     \
                        "which free GPUs of the type a gang gets; if the rule finds none, any"),   \
        HS_COST_PARAMS(struct hs_gavel, cost),                                                     \
        HS_PARAM_CHOICE(                                                                           \
            struct hs_gavel, compat, "compat", "off", compat_names,                                \
            "whole steps, drifting rounds and other deviations of the published simulator",        \
            .source = "stanford-futuredata/gavel c4fa400; with reset=1920s")

static const struct hs_param las_params[] = {PARAMS("las"), {0}};
static const struct hs_param ftf_params[] = {PARAMS("ftf"), {0}};
static const struct hs_param allox_params[] = {PARAMS("allox"), {0}};

#define GAVEL(id, label, text, source, table)                                                      \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_COLOCATE,                                     \
        .knows = HS_KNOWS_SPEED | HS_KNOWS_DURATION | HS_KNOWS_PAIRS | HS_KNOWS_MEMORY,            \
        .params = table,                                                                           \
        HS_POLICY_HOOKS(gavel, struct hs_gavel, struct hs_gavel_scratch),                          \
        .tenants = hs_pair_tenants,                                                                \
        .load = hs_pair_load,                                                                      \
    }

GAVEL(gavel, "gavel", "shares of time on GPU types by a linear program, allocated in rounds",
      "Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning "
      "Workloads, OSDI'20",
      las_params);
GAVEL(ftf, "ftf",
      "gavel for finish-time fairness: finish times relative to an equal part of the cluster",
      "Mahajan et al., Themis, NSDI'20, as objective of Narayanan et al., Gavel, OSDI'20",
      ftf_params);
GAVEL(allox, "allox", "gavel with the matching of jobs to GPUs of least mean completion time",
      "Le et al., AlloX, EuroSys'20, as objective of Narayanan et al., Gavel, OSDI'20",
      allox_params);
