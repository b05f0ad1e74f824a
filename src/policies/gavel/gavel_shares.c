/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which shares of time the jobs of a pool get: classes of jobs into a linear program
 * (gavel_program.c) and its solution back to the jobs, or the objectives that need none.
 */
#include "policies/gavel/gavel.h"

#include <math.h>
#include <string.h>

#define NO_TYPE    HS_GAVEL_TYPES
#define NONE       UINT32_MAX
#define GOAL_ERROR 1e-6 /* of the solver's optimum */
#define RHO_ERROR  1e-4
/* Less than the solver lets a rate fall short of. */
#define LEVEL_ERROR 1e-9

static double weight_of(const struct hs_view *v, hs_job_id job)
{
    const int32_t priority = hs_view_priority(v, job);
    return priority > 0 ? 1.0 + priority : 1;
}

#define CLASS_FIGURES (7 + HS_GAVEL_TYPES)

/* All that the linear program knows of a job; last what matters in pairs alone. */
static void class_figures(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job,
                          double figures[CLASS_FIGURES])
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    const bool is_ftf = g->objective == HS_GAVEL_FTF;
    figures[0] = hs_view_gpus(v, job);
    figures[1] = weight_of(v, job);
    figures[2] = j->left_us;
    figures[3] = is_ftf ? j->base_us : 0;
    figures[4] = is_ftf ? (double)hs_view_submit_us(v, job) : 0;
    memcpy(figures + 5, j->speed, sizeof j->speed);
    double *paired = figures + 5 + HS_GAVEL_TYPES;
    paired[0] = paired[1] = 0;
    if (g->pairs != NULL) { /* a job that ran out of memory runs alone */
        paired[0] = hs_view_ooms(v, job) > 0 ? -1 : (double)hs_view_pair_kind(v, job);
        paired[1] = hs_view_gpu_mem_mib(v, job);
    }
}

/* Of two jobs: less than 0, 0 if they are of one class, or more. */
static int compare_classes(const struct hs_gavel *g, const struct hs_view *v, hs_job_id a,
                           hs_job_id b)
{
    double x[CLASS_FIGURES], y[CLASS_FIGURES];
    class_figures(g, v, a, x);
    class_figures(g, v, b, y);
    for (uint32_t i = 0; i < CLASS_FIGURES; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool by_class(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *g)
{
    const int order = compare_classes(g, v, a, b);
    return order != 0 ? order < 0 : hs_job_queue_tie_is_before(v, a, b);
}

static struct hs_gavel_class class_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    struct hs_gavel_class c = {.members = 1,
                               .gang = hs_view_gpus(v, job),
                               .weight = weight_of(v, job),
                               .left = j->left_us};
    memcpy(c.speed, j->speed, sizeof c.speed);
    return c;
}

/* The time that the job takes in all with an equal part. */
static double isolated_us(const struct hs_gavel_scratch *j)
{
    return j->base_us + j->left_us / j->isolated;
}

static double age_us(const struct hs_view *v, hs_job_id job)
{
    return (double)(hs_view_now_us(v) - hs_view_submit_us(v, job));
}

/* What is enough for a ratio of rho. */
static double least_rate(const struct hs_view *v, hs_job_id job, double rho)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    return j->left_us / (rho * isolated_us(j) - age_us(v, job));
}

/* Solves for the classes of all jobs; ftf: false if rho is less than they can have. */
static bool solve_program(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                          const struct hs_view *v, struct hs_gavel_program *program, double rho)
{
    double most_us = 1; /* work is relative to it: the solver's tolerances are absolute */
    HS_EACH_CHAINED(job, &pool->jobs, v)
        most_us = fmax(most_us, hs_gavel_of(v, job)->left_us);
    hs_gavel_begin(program);
    if (g->pairs != NULL)
        g->pairs->classes = 0;
    for (hs_job_id job = pool->jobs.first, after; job != HS_NO_JOB; job = after) {
        struct hs_gavel_class c = class_of(v, job);
        after = hs_gavel_next(v, job);
        for (; g->joins && after != HS_NO_JOB && compare_classes(g, v, job, after) == 0;
             c.members++)
            after = hs_gavel_next(v, after);
        if (g->objective == HS_GAVEL_FTF)
            c.least = least_rate(v, job, rho);
        c.level = hs_gavel_fills(g) ? hs_gavel_of(v, job)->priority : 0;
        c.left /= most_us;
        const uint32_t first = hs_gavel_add(program, &c);
        if (g->pairs != NULL && g->pairs->classes < HS_GAVEL_CLASSES) {
            g->pairs->first[g->pairs->classes] = job;
            g->pairs->class_of[g->pairs->classes++] = c;
        }
        for (hs_job_id at = job; at != after; at = hs_gavel_next(v, at))
            hs_gavel_of(v, at)->first_column = first;
    }
    const enum hs_lp_status status = g->pairs != NULL ? hs_gavel_pairs_solve(g, v, program)
                                                      : hs_lp_solve(v->lp, HS_LP_ITERATIONS);
    pool->has_failed |= status != HS_LP_OPTIMAL;
    return status == HS_LP_OPTIMAL &&
           (g->objective != HS_GAVEL_FTF || hs_lp_value(v->lp, program->goal) >= 1 - GOAL_ERROR);
}

static void read_shares(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, const struct hs_gavel_program *program)
{
    if (g->pairs != NULL)
        hs_gavel_pairs_read(g, pool, v, program);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        hs_gavel_shares(program, j->first_column, j->share);
    }
}

/* ftf without pairs */
struct fairness {
    const struct hs_gavel_program *program;
    const struct hs_gavel_pool *pool;
    const struct hs_view *v;
    double rho;
};

static bool use_fairly(const void *jobs, const double *prices, double *gpus)
{
    const struct fairness *f = jobs;
    HS_EACH_CHAINED(job, &f->pool->jobs, f->v) {
        double shares[HS_GAVEL_TYPES];
        if (!hs_gavel_cheapest(f->program, hs_gavel_of(f->v, job)->speed,
                               least_rate(f->v, job, f->rho), prices, shares))
            return false;
        for (uint32_t t = 0; t < f->program->types; t++)
            gpus[t] += hs_view_gpus(f->v, job) * shares[t];
    }
    return true;
}

static void read_mixture(const struct fairness *f, const struct hs_gavel_mixture *m)
{
    HS_EACH_CHAINED(job, &f->pool->jobs, f->v) {
        struct hs_gavel_scratch *j = hs_gavel_of(f->v, job);
        double shares[HS_GAVEL_TYPES];
        memset(j->share, 0, sizeof j->share);
        for (uint32_t i = 0; i < m->count; i++) {
            (void)hs_gavel_cheapest(f->program, j->speed, least_rate(f->v, job, f->rho),
                                    m->of[i].prices, shares);
            for (uint32_t t = 0; t < f->program->types; t++)
                j->share[t] += m->of[i].part * shares[t];
        }
    }
}

/* Whether a ratio of rho is to be had; then the jobs have shares for it. */
static bool share_fairly(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, struct hs_gavel_program *program,
                         struct hs_gavel_mixture *m, double rho)
{
    const struct fairness f = {.program = program, .pool = pool, .v = v, .rho = rho};
    if (g->pairs != NULL) {
        const bool is_enough = solve_program(g, pool, v, program, rho);
        if (is_enough)
            read_shares(g, pool, v, program);
        return is_enough;
    }
    const enum hs_lp_status status = hs_gavel_mix(program, use_fairly, &f, m);
    if (status == HS_LP_OPTIMAL)
        read_mixture(&f, m);
    pool->has_failed |= status != HS_LP_OPTIMAL && status != HS_LP_INFEASIBLE;
    return status == HS_LP_OPTIMAL;
}

/* To 1e-4 of the least ratio, as the released code does. Returns a ratio for which the jobs have
 * shares, if it is below `high`. */
static double bisect_rho(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, struct hs_gavel_program *program, double low,
                         double high)
{
    struct hs_gavel_mixture m = {.count = 1};
    for (uint32_t t = 0; t < g->types; t++)
        m.of[0].prices[t] = 1;
    while (high - low > RHO_ERROR * high && !pool->has_failed) {
        const double rho = (low + high) / 2;
        *(share_fairly(g, pool, v, program, &m, rho) ? &high : &low) = rho;
    }
    return high;
}

/* Finish-time fairness (Themis, NSDI'20): the least rho for which (age + left / rate) / isolated
 * time is at most rho for every job, between the most that an age forces and what equal parts give.
 * Pairs can lower it as far as the job that alone and always on its fastest type has it highest. */
static void share_by_rho(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, struct hs_gavel_program *program)
{
    struct hs_gavel alone = *g;
    double low = 0, high = 0, least = 0;
    alone.pairs = NULL;
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        double most = 0;
        for (uint32_t t = 0; t < g->types; t++)
            most = fmax(most, pool->gpus[t] > 0 ? j->speed[t] : 0);
        low = fmax(low, age_us(v, job) / isolated_us(j));
        high = fmax(high, (age_us(v, job) + j->left_us / j->isolated) / isolated_us(j));
        least = fmax(least, (age_us(v, job) + j->left_us / most) / isolated_us(j));
    }
    high = bisect_rho(&alone, pool, v, program, low, high);
    if (g->pairs == NULL || high - least <= RHO_ERROR * high)
        return;
    hs_job_chain_sort(&pool->jobs, v, by_class, g);
    (void)bisect_rho(g, pool, v, program, least, high);
}

/* Water filling (OSDI'20 4.3): jobs that can have no more than the least rate keep it as their
 * level, and the least rate of the others is raised further, until all have a level. */
static bool fill(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                 struct hs_gavel_program *program)
{
    HS_EACH_CHAINED(job, &pool->jobs, v)
        hs_gavel_of(v, job)->priority = 0;
    for (bool are_left = true, rises = true; are_left && rises;) {
        if (!solve_program(g, pool, v, program, 0))
            return false;
        const double level = hs_lp_value(program->lp, program->goal);
        are_left = rises = false;
        HS_EACH_CHAINED(job, &pool->jobs, v) {
            struct hs_gavel_scratch *j = hs_gavel_of(v, job);
            if (j->priority > 0)
                continue;
            if (hs_gavel_is_full(program, j->first_column))
                j->priority = level * (1 - LEVEL_ERROR);
            rises |= j->priority > 0;
            are_left |= j->priority <= 0;
        }
    }
    return true;
}

/* By the program of single jobs, unless pairs may be better. */
static void share_by_program(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                             const struct hs_view *v, struct hs_gavel_program *program)
{
    struct hs_gavel alone = *g;
    uint32_t gang = 0; /* the largest */
    alone.pairs = NULL;
    hs_job_chain_sort(&pool->jobs, v, by_class, &alone);
    HS_EACH_CHAINED(job, &pool->jobs, v)
        gang = hs_view_gpus(v, job) > gang ? hs_view_gpus(v, job) : gang;
    bool is_solved = hs_gavel_fills(g) ? fill(&alone, pool, v, program)
                                       : solve_program(&alone, pool, v, program, 0);
    const bool has_pairs = is_solved && g->pairs != NULL && hs_gavel_may_pair(program, gang);
    if (has_pairs) {
        hs_job_chain_sort(&pool->jobs, v, by_class, g);
        is_solved = solve_program(g, pool, v, program, 0);
    }
    if (is_solved)
        read_shares(has_pairs ? g : &alone, pool, v, program);
}

/* The free type of highest speed; not aware: any with room, drawn by seed and rank. */
static uint32_t choose_type(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job,
                            const double *room)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    uint32_t best = NO_TYPE, fitting = 0;
    for (uint32_t t = 0; t < g->types; t++) {
        if (j->speed[t] <= 0 || hs_view_gpus(v, job) > room[t])
            continue;
        const uint32_t draw =
            hs_job_queue_mix(((uint64_t)g->seed << 32) + hs_view_rank(v, job)) % ++fitting;
        if (best == NO_TYPE || (g->is_aware ? j->speed[t] > j->speed[best] : draw == 0))
            best = t;
    }
    return best;
}

/* In order of arrival, each on one type; aware, a running job may go to a better one. */
static void share_by_arrival(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                             const struct hs_view *v)
{
    double room[HS_GAVEL_TYPES];
    memcpy(room, pool->gpus, sizeof room);
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        for (uint32_t t = 0; t < g->types; t++) {
            if (g->is_aware)
                j->share[t] = 0;
            room[t] -= j->share[t] * hs_view_gpus(v, job);
        }
    }
    bool is_open = true;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        bool has_type = false;
        for (uint32_t t = 0; t < g->types; t++)
            has_type |= j->share[t] > 0;
        const uint32_t type = has_type || !is_open ? NO_TYPE : choose_type(g, v, job, room);
        is_open &= has_type || type != NO_TYPE;
        if (type == NO_TYPE)
            continue;
        j->share[type] = 1;
        room[type] -= hs_view_gpus(v, job);
    }
    if (g->pairs != NULL)
        hs_gavel_pairs_by_arrival(g, pool, v);
}

/* The first job from this one on that has no share. */
static hs_job_id head_from(const struct hs_view *v, hs_job_id job)
{
    while (job != HS_NO_JOB && hs_gavel_of(v, job)->share[0] > 0)
        job = hs_gavel_next(v, job);
    return job;
}

/* The head gets a share if it fits. */
static void share_head(const struct hs_view *v, hs_job_id *head, double *room)
{
    if (*head == HS_NO_JOB || hs_view_gpus(v, *head) > *room)
        return;
    hs_gavel_of(v, *head)->share[0] = 2; /* not to be walked */
    *room -= hs_view_gpus(v, *head);
    *head = head_from(v, *head);
}

/* compat=gavel, not aware, on one type (gavel_rounds.c). */
static void share_by_walk(struct hs_gavel_pool *pool, const struct hs_view *v)
{
    double room = pool->gpus[0];
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    hs_job_id head = head_from(v, pool->jobs.first);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        for (; j->ended > 0; j->ended--)
            share_head(v, &head, &room);
        room -= j->share[0] == 1 ? hs_view_gpus(v, job) : 0;
    }
    for (; pool->last_ended > 0; pool->last_ended--)
        share_head(v, &head, &room);
    while (head != HS_NO_JOB && hs_view_gpus(v, head) <= room)
        share_head(v, &head, &room);
    HS_EACH_CHAINED(job, &pool->jobs, v)
        hs_gavel_of(v, job)->share[0] = fmin(hs_gavel_of(v, job)->share[0], 1);
}

/* ---- allox ----
 *
 * AlloX (Le et al., EuroSys'20), as Gavel has it: waiting jobs of one GPU are matched with places
 * of the free GPUs, counted from the end; a job in place k delays k jobs, itself among them, by its
 * time there, so that the sum over k times time is the sum of all waits and times. The matching of
 * least cost is exact (Hungarian method by shortest augmenting paths: Jonker and Volgenant,
 * Computing 38, 1987). The first job of each GPU is committed to the type until it ends, the others
 * are matched anew at the next solution.
 *
 * At equal cost the type that comes first by name is taken. Cost: O(jobs^2 x places) at worst;
 * where jobs that take long come first, as here, nearly every path has length one: O(jobs x
 * places).
 */

static bool by_time(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    const struct hs_gavel_scratch *x = hs_gavel_of(v, a), *y = hs_gavel_of(v, b);
    (void)nothing;
    return x->priority != y->priority ? x->priority > y->priority
                                      : hs_job_queue_tie_is_before(v, a, b);
}

/* Shortest augmenting path from a job to a free place. */
static void match(struct hs_gavel_allox *a, uint32_t row)
{
    uint32_t left = a->places, at = NONE;
    for (uint32_t c = 0; c < a->places;
         c++) { /* backwards: at equal cost the first place is found */
        a->left[c] = a->places - 1 - c;
        a->distance[c] = INFINITY;
    }
    double moved = 0;
    for (uint32_t r = row; at == NONE || a->taken_by[at] != NONE;) {
        uint32_t next = 0;
        double least = INFINITY;
        for (uint32_t i = 0; i < left; i++) {
            const uint32_t c = a->left[i];
            const struct hs_gavel_place *p = &a->place[c];
            const double distance = moved + (p->number * a->time[r][p->type] + a->age[r]) -
                                    a->job_price[r] - a->price[c];
            if (distance < a->distance[c]) {
                a->distance[c] = distance;
                a->before[c] = at;
            }
            if (a->distance[c] < least || (a->distance[c] == least && a->taken_by[c] == NONE)) {
                least = a->distance[c];
                next = i;
            }
        }
        at = a->left[next];
        a->left[next] = a->left[--left];
        a->left[left] = at; /* behind those that are left stand those that were reached */
        moved = least;
        r = a->taken_by[at];
    }
    a->job_price[row] += moved;
    for (uint32_t i = left; i < a->places; i++) {
        const uint32_t c = a->left[i];
        if (a->taken_by[c] != NONE)
            a->job_price[a->taken_by[c]] += moved - a->distance[c];
        a->price[c] -= moved - a->distance[c];
    }
    for (uint32_t c = at; c != NONE; c = a->before[c])
        a->taken_by[c] = a->before[c] != NONE ? a->taken_by[a->before[c]] : row;
}

/* Waiting jobs of one GPU, the first to come, then those that take longest first. */
static void collect(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                    double *room)
{
    struct hs_gavel_allox *a = g->allox;
    uint32_t waiting = 0;
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        for (uint32_t t = 0; t < g->types; t++)
            room[t] -= hs_gavel_of(v, job)->share[t];
    }
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        double speed = 0; /* the highest where there is room */
        bool is_committed = false;
        for (uint32_t t = 0; t < g->types; t++) {
            speed = room[t] > 0 ? fmax(speed, j->speed[t]) : speed;
            is_committed |= j->share[t] > 0;
        }
        const bool is_in = !is_committed && speed > 0 && hs_view_gpus(v, job) == 1 &&
                           waiting < HS_GAVEL_ALLOX_JOBS;
        waiting += is_in;
        j->priority = !is_in ? -1 : g->compat == HS_GAVEL_COMPAT_OFF ? j->left_us / speed : 0;
    }
    hs_job_chain_sort(&pool->jobs, v, by_time, NULL);
    a->jobs = 0;
    for (hs_job_id job = pool->jobs.first; a->jobs < waiting; job = hs_gavel_next(v, job)) {
        const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        const bool is_compat = g->compat != HS_GAVEL_COMPAT_OFF;
        const double left = is_compat ? j->steps - j->done : j->left_us;
        const double unit = is_compat ? j->steps_per_s : 1;
        for (uint32_t t = 0; t < g->types; t++)
            a->time[a->jobs][t] = j->speed[t] > 0 ? left / (unit * j->speed[t]) : INFINITY;
        a->age[a->jobs] = is_compat ? pool->now - (double)hs_view_submit_us(v, job) / 1e6 : 0;
        a->job_price[a->jobs] = 0;
        a->job[a->jobs++] = job;
    }
}

static void share_by_matching(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                              const struct hs_view *v)
{
    struct hs_gavel_allox *a = g->allox;
    double room[HS_GAVEL_TYPES];
    uint32_t gpus = 0;
    memcpy(room, pool->gpus, sizeof room);
    collect(g, pool, v, room);
    a->places = 0;
    for (uint32_t number = 1; number <= a->jobs; number++) {
        gpus = 0;
        for (uint32_t t = 0; t < g->types; t++) {
            /* no more GPUs than jobs, and places for all jobs on those of each type */
            const uint32_t free = (uint32_t)fmin(room[t], a->jobs);
            for (uint32_t i = 0; i < free && (number - 1) * free < a->jobs; i++)
                a->place[a->places++] = (struct hs_gavel_place){t, gpus + i, number};
            gpus += free;
        }
    }
    for (uint32_t c = 0; c < a->places; c++) {
        a->price[c] = 0;
        a->taken_by[c] = NONE;
    }
    for (uint32_t row = 0; row < a->jobs && a->places > 0; row++)
        match(a, row);
    for (uint32_t i = 0; i < gpus; i++)
        a->first[i] = NONE;
    for (uint32_t c = 0; c < a->places; c++) /* numbers rise */
        if (a->taken_by[c] != NONE)
            a->first[a->place[c].gpu] = c;
    for (uint32_t i = 0; i < gpus; i++)
        if (a->first[i] != NONE)
            hs_gavel_of(v, a->job[a->taken_by[a->first[i]]])->share[a->place[a->first[i]].type] = 1;
}

/* ---- all objectives ---- */

/* What jobs have left to do, and their rates and shares with equal parts. */
static void share_equally(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                          const struct hs_view *v, const struct hs_gavel_program *program)
{
    const bool knows_left = hs_gavel_needs_left(g);
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        /* at least 1 us: a job without work, or with costs alone, would leave the makespan
         * unbounded */
        const double left_us = knows_left ? fmax((double)hs_view_remaining_us(v, job), 1) : 0;
        if (j->isolated > 0)
            j->base_us += (j->left_us - left_us) / j->isolated;
        j->left_us = left_us;
        if (g->objective == HS_GAVEL_FIFO || g->objective == HS_GAVEL_ALLOX)
            continue; /* shares stay */
        const struct hs_gavel_class c = class_of(v, job);
        hs_gavel_isolated(program, &c, pool->count, j->share);
        j->isolated = hs_gavel_rate(program, &c, j->share);
    }
}

void hs_gavel_solve(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v)
{
    const bool is_compat = g->compat == HS_GAVEL_COMPAT_GAVEL;
    struct hs_gavel_program program = {
        .lp = v->lp, .objective = (enum hs_gavel_objective)g->objective, .types = g->types};
    program.is_tight = is_compat && g->objective == HS_GAVEL_MAKESPAN;
    memcpy(program.gpus, pool->gpus, sizeof program.gpus);
    if (g->pairs != NULL)
        hs_gavel_pairs_begin(g, pool, v);
    share_equally(g, pool, v, &program);
    if (g->objective == HS_GAVEL_FIFO && is_compat && !g->is_aware && g->types == 1) {
        share_by_walk(pool, v);
    } else if (g->objective == HS_GAVEL_FIFO) {
        share_by_arrival(g, pool, v);
    } else if (g->objective == HS_GAVEL_ALLOX) {
        share_by_matching(g, pool, v);
    } else if (g->objective != HS_GAVEL_ISOLATED) {
        (g->objective == HS_GAVEL_FTF ? share_by_rho : share_by_program)(g, pool, v, &program);
    }
    pool->solved = pool->now;
    pool->is_dirty = false;
}

bool hs_gavel_by_arrival(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    (void)nothing;
    return hs_job_queue_tie_is_before(v, a, b);
}
