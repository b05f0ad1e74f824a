/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which shares of time the jobs of a pool get: classes of jobs into a linear program and its
 * solution back to the jobs, or the objectives that need none (OSDI'20 4).
 *
 * Jobs that are alike in all that the program knows of them are one class, whose members get equal
 * parts. That is exact: the mean over the members of any solution is one, too, and as good. With
 * pairs there are further variables, the time of pairs of two classes, by column generation.
 *
 * Variables are the shares x[g] of time that each member of a class spends on type g:
 *
 *     sum over classes of members gang x[g] <= GPUs of type g, sum over g of x[g] <= 1, and
 *     las         max t, gang / (weight P) sum over g of speed[g] x[g] >= t, where P is the mean
 *                 speed of all GPUs for it (OSDI'20 4.1); or, filled, >= its level
 *     makespan    max s, sum of speed[g] x[g] >= left s
 *     throughput  max of the sum of members speed[g] x[g]
 *     ftf         max t <= 1, sum of speed[g] x[g] >= least t: feasible where t = 1
 *
 * With pairs a further variable y[g] for two classes a and b is the time in all that a member of a
 * shares GPUs of type g with one of b. Each member has an equal part of it: y[g] / members is added
 * to its time and, times its rate beside the other, to its rate; gang y[g] to the GPUs in use. For
 * two members of one class both parts are its own. That is exact, as any solution by single jobs
 * gives one by classes as its mean over all permutations within them.
 *
 * Under ftf no two jobs are alike. Without pairs the least rates ask for a mixture instead: at
 * prices of the types each job by itself has the cheapest shares of its rate, and a program of a
 * row for each type mixes these answers to some prices, its own prices asking for the next
 * (Dantzig and Wolfe, Operations Research 8, 1960). A job is looked at a few times, and the program
 * stays as small as the number of types.
 */
#include "policies/gavel/gavel.h"

#include <math.h>
#include <string.h>

#define NO_TYPE     HS_GAVEL_TYPES
#define NONE        UINT32_MAX
#define GOAL_ERROR  1e-6 /* of the solver's optimum */
#define RHO_ERROR   1e-4
#define LEVEL_ERROR 1e-9       /* less than the solver lets a rate fall short of */
#define SHARE_MIN   1e-9       /* less is the noise of the solver */
#define FULL        (1 + 1e-9) /* of the GPUs in use: the same */
#define NEAR        1e-6       /* to the optimum: the solver's own tolerance is 1e-7 */

/* ---- programs ---- */

static void begin_program(struct hs_gavel_program *p)
{
    const bool is_ftf = p->objective == HS_GAVEL_FTF;
    hs_lp_begin(p->lp, true);
    if (p->objective != HS_GAVEL_THROUGHPUT)
        p->goal = hs_lp_column(p->lp, 1);
    for (uint32_t t = 0; t < p->types; t++)
        p->rows[t] = hs_lp_row(p->lp, -INFINITY, p->gpus[t]);
    p->first_row = p->types + is_ftf;
    if (is_ftf)
        hs_lp_set(p->lp, hs_lp_row(p->lp, -INFINITY, 1), p->goal, 1);
}

/* The rate of a member as the objective counts it is that times this. */
static double factor_of(const struct hs_gavel_program *p, const struct hs_gavel_class *c)
{
    double speeds = 0, gpus = 0;
    for (uint32_t t = 0; t < p->types; t++) {
        speeds += c->speed[t] * p->gpus[t];
        gpus += p->gpus[t];
    }
    return p->objective == HS_GAVEL_LAS ? c->gang * gpus / (c->weight * speeds) : 1;
}

/* Its first column: one for each type. */
static uint32_t add_class(struct hs_gavel_program *p, const struct hs_gavel_class *c)
{
    const bool is_sum = p->objective == HS_GAVEL_THROUGHPUT;
    const double factor = factor_of(p, c);
    const uint32_t all = hs_lp_row(p->lp, -INFINITY, 1);
    const uint32_t rate = hs_lp_row(p->lp, c->level, p->is_tight ? 0 : INFINITY);
    uint32_t first = 0;
    for (uint32_t t = 0; t < p->types; t++) {
        const uint32_t column = hs_lp_column(p->lp, is_sum ? c->members * c->speed[t] : 0);
        first = t == 0 ? column : first;
        hs_lp_set(p->lp, all, column, 1);
        hs_lp_set(p->lp, rate, column, factor * c->speed[t]);
        hs_lp_set(p->lp, p->rows[t], column, (double)c->members * c->gang);
    }
    if (p->objective == HS_GAVEL_LAS)
        hs_lp_set(p->lp, rate, p->goal, c->level > 0 ? 0 : -1);
    else if (p->objective == HS_GAVEL_MAKESPAN)
        hs_lp_set(p->lp, rate, p->goal, -c->left);
    else if (p->objective == HS_GAVEL_FTF)
        hs_lp_set(p->lp, rate, p->goal, -c->least);
    return first;
}

/* las: whether the class has as much in no solution of more: its rate has a price. */
static bool is_full(const struct hs_gavel_program *p, uint32_t first_column)
{
    const uint32_t number = (first_column - 1) / p->types; /* the goal is before them */
    return hs_lp_price(p->lp, p->first_row + 2 * number + 1) < -SHARE_MIN;
}

/* Whether pairs of jobs of so many GPUs at most may raise the optimum of the solved program of
 * single jobs. Beside another a job is no faster than alone, and a column of that gains nothing:
 * each is worth what its GPUs cost, at most, so that a pair gains at most what they cost. */
static bool may_pair(const struct hs_gavel_program *p, uint32_t gang)
{
    double most = 0;
    for (uint32_t t = 0; t < p->types; t++)
        most = fmax(most, hs_lp_price(p->lp, p->rows[t]));
    return most * gang > HS_GAVEL_GAIN_MIN;
}

double hs_gavel_couple_gain(const struct hs_gavel_program *p, const struct hs_gavel_couple *c)
{
    double gain = -hs_lp_price(p->lp, p->rows[c->type]) * c->of[0]->gang;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t time = p->first_row + 2 * c->number[i];
        const double price = hs_lp_price(p->lp, time) +
                             hs_lp_price(p->lp, time + 1) * factor_of(p, c->of[i]) * c->rate[i];
        gain -= price / c->of[i]->members;
        gain += p->objective == HS_GAVEL_THROUGHPUT ? c->rate[i] : 0;
    }
    return gain;
}

uint32_t hs_gavel_add_couple(struct hs_gavel_program *p, const struct hs_gavel_couple *c)
{
    const bool is_one = c->number[0] == c->number[1], is_sum = p->objective == HS_GAVEL_THROUGHPUT;
    const uint32_t column = hs_lp_column(p->lp, is_sum ? c->rate[0] + c->rate[1] : 0);
    hs_lp_set(p->lp, p->rows[c->type], column, c->of[0]->gang);
    for (uint32_t i = 0; i < (is_one ? 1 : 2); i++) {
        const uint32_t time = p->first_row + 2 * c->number[i];
        const double part = (is_one ? 2. : 1.) / c->of[i]->members;
        hs_lp_set(p->lp, time, column, part);
        hs_lp_set(p->lp, time + 1, column, part * factor_of(p, c->of[i]) * c->rate[i]);
    }
    return column;
}

/* Of each member, by type. */
static void shares_of(const struct hs_gavel_program *p, uint32_t first_column, double *shares)
{
    for (uint32_t t = 0; t < p->types; t++) {
        shares[t] = fmin(hs_lp_value(p->lp, first_column + t), 1);
        if (shares[t] < SHARE_MIN)
            shares[t] = 0;
    }
}

/* An equal part of each type for each of so many jobs, at most all the time. */
static void isolated_shares(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
                            uint64_t jobs, double *shares)
{
    double sum = 0;
    for (uint32_t t = 0; t < p->types; t++) {
        shares[t] = c->speed[t] > 0 ? p->gpus[t] / ((double)jobs * c->gang) : 0;
        sum += shares[t];
    }
    for (uint32_t t = 0; t < p->types; t++)
        shares[t] /= fmax(sum, 1);
}

/* The rate of a member with these shares. */
static double rate_of(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
                      const double *shares)
{
    double sum = 0;
    for (uint32_t t = 0; t < p->types; t++)
        sum += c->speed[t] * shares[t];
    return sum;
}

/* ---- ftf: least rates of jobs of which no two are alike ---- */

#define MIXED 64 /* the mixtures of eight types need few */

/* Adds up the GPUs of each type that all jobs take with such shares; false: one has none. */
typedef bool use_gpus(const void *jobs, const double *prices, double *gpus);
/* Each job has `part` of its cheapest shares at each of these prices. */
struct mixture {
    uint32_t count;
    struct mixture_part {
        double prices[HS_GAVEL_TYPES], part;
    } of[MIXED];
};
/* The shares of a job that has `rate` and no more at the least cost, with these prices of time on a
 * GPU of each type: of two types at most, else of one, and rest. False: no type is as fast. */
static bool cheapest_shares(const struct hs_gavel_program *p, const double *speed, double rate,
                            const double *prices, double *shares)
{
    const uint32_t none = p->types;
    double least = INFINITY, part = 0;
    uint32_t fast = 0, slow = none;
    for (uint32_t f = 0; f < p->types; f++)
        for (uint32_t s = 0; s <= none && p->gpus[f] > 0 && speed[f] > 0 && speed[f] >= rate; s++) {
            if (s < none && (p->gpus[s] <= 0 || speed[s] <= 0 || speed[s] >= rate))
                continue;
            const double from = s < none ? speed[s] : 0, price = s < none ? prices[s] : 0;
            const double of_time = (rate - from) / (speed[f] - from);
            const double cost = price + (prices[f] - price) * of_time;
            if (cost >= least)
                continue;
            least = cost;
            part = of_time;
            fast = f;
            slow = s;
        }
    memset(shares, 0, p->types * sizeof *shares);
    if (slow < none)
        shares[slow] = 1 - part;
    shares[fast] = part;
    return isfinite(least);
}

/* Those of the solution alone. */
static void keep_parts(const struct hs_gavel_program *p, struct mixture *m)
{
    const uint32_t count = m->count;
    m->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double part = hs_lp_value(p->lp, p->goal + 1 + i);
        if (part <= SHARE_MIN)
            continue;
        m->of[m->count] = m->of[i];
        m->of[m->count++].part = part;
    }
}

/* A mixture for which the GPUs are enough; none: HS_LP_INFEASIBLE. Starts from the prices of the
 * mixture, at least one, and leaves there what is good to start from for other rates. Cost:
 * O(jobs x types^2) for each price, of which a program of few types and kinds of jobs looks at two
 * or three. */
static enum hs_lp_status mix(struct hs_gavel_program *p, use_gpus *use, const void *jobs,
                             struct mixture *m)
{
    double most = INFINITY; /* of the GPUs of a type, that the mixture takes */
    hs_lp_begin(p->lp, true);
    p->goal = hs_lp_column(p->lp, -1);
    for (uint32_t t = 0; t < p->types; t++) {
        p->rows[t] = hs_lp_row(p->lp, -INFINITY, 0);
        hs_lp_set(p->lp, p->rows[t], p->goal, -p->gpus[t]);
    }
    const uint32_t whole = hs_lp_row(p->lp, 1, 1);
    for (uint32_t i = 0; i < MIXED; i++) {
        struct mixture_part *a = &m->of[i];
        double used[HS_GAVEL_TYPES] = {0}, cost = 0, budget = 0;
        bool is_enough = true; /* by itself */
        for (uint32_t t = 0; i == m->count && t < p->types; t++)
            a->prices[t] = hs_lp_price(p->lp, p->rows[t]);
        m->count += i == m->count;
        if (!use(jobs, a->prices, used))
            return HS_LP_INFEASIBLE;
        const uint32_t column = hs_lp_column(p->lp, 0);
        hs_lp_set(p->lp, whole, column, 1);
        for (uint32_t t = 0; t < p->types; t++) {
            hs_lp_set(p->lp, p->rows[t], column, used[t]);
            is_enough &= used[t] <= FULL * p->gpus[t];
            cost += a->prices[t] * used[t];
            budget += a->prices[t] * p->gpus[t];
        }
        if (is_enough) {
            m->of[0] = *a;
            m->of[0].part = m->count = 1;
            return HS_LP_OPTIMAL;
        }
        if (cost > FULL * budget || cost > (most - NEAR) * budget) { /* as for all mixtures */
            const struct mixture_part first = m->of[0];
            m->of[0] = *a; /* likely to say the same of other rates */
            *a = first;
            return HS_LP_INFEASIBLE;
        }
        if (i + 1 < m->count)
            continue;
        const enum hs_lp_status status = hs_lp_solve(p->lp, HS_LP_ITERATIONS);
        if (status != HS_LP_OPTIMAL)
            return status;
        most = hs_lp_value(p->lp, p->goal);
        if (most <= FULL) {
            keep_parts(p, m);
            return HS_LP_OPTIMAL;
        }
    }
    m->count = 1;
    return HS_LP_INFEASIBLE;
}

/* ---- classes of jobs ---- */

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
    begin_program(program);
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
        const uint32_t first = add_class(program, &c);
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
        shares_of(program, j->first_column, j->share);
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
        if (!cheapest_shares(f->program, hs_gavel_of(f->v, job)->speed,
                             least_rate(f->v, job, f->rho), prices, shares))
            return false;
        for (uint32_t t = 0; t < f->program->types; t++)
            gpus[t] += hs_view_gpus(f->v, job) * shares[t];
    }
    return true;
}

/* Whether a ratio of rho is to be had; then the jobs have shares for it. */
static bool share_fairly(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, struct hs_gavel_program *program,
                         struct mixture *m, double rho)
{
    const struct fairness f = {.program = program, .pool = pool, .v = v, .rho = rho};
    if (g->pairs != NULL) {
        const bool is_enough = solve_program(g, pool, v, program, rho);
        if (is_enough)
            read_shares(g, pool, v, program);
        return is_enough;
    }
    const enum hs_lp_status status = mix(program, use_fairly, &f, m);
    pool->has_failed |= status != HS_LP_OPTIMAL && status != HS_LP_INFEASIBLE;
    if (status != HS_LP_OPTIMAL)
        return false;
    HS_EACH_CHAINED(job, &pool->jobs, v) {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        double shares[HS_GAVEL_TYPES];
        memset(j->share, 0, sizeof j->share);
        for (uint32_t i = 0; i < m->count; i++) {
            (void)cheapest_shares(program, j->speed, least_rate(v, job, rho), m->of[i].prices,
                                  shares);
            for (uint32_t t = 0; t < program->types; t++)
                j->share[t] += m->of[i].part * shares[t];
        }
    }
    return true;
}

/* To 1e-4 of the least ratio, as the released code does. Returns a ratio for which the jobs have
 * shares, if it is below `high`. */
static double bisect_rho(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, struct hs_gavel_program *program, double low,
                         double high)
{
    struct mixture m = {.count = 1};
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
            if (is_full(program, j->first_column))
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
    const bool has_pairs = is_solved && g->pairs != NULL && may_pair(program, gang);
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
        j->priority = !is_in ? -1 : g->compat ? 0 : j->left_us / speed;
    }
    hs_job_chain_sort(&pool->jobs, v, by_time, NULL);
    a->jobs = 0;
    for (hs_job_id job = pool->jobs.first; a->jobs < waiting; job = hs_gavel_next(v, job)) {
        const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        const double left = g->compat ? j->steps - j->done : j->left_us;
        const double unit = g->compat ? j->steps_per_s : 1;
        for (uint32_t t = 0; t < g->types; t++)
            a->time[a->jobs][t] = j->speed[t] > 0 ? left / (unit * j->speed[t]) : INFINITY;
        a->age[a->jobs] = g->compat ? pool->now - (double)hs_view_submit_us(v, job) / 1e6 : 0;
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
        isolated_shares(program, &c, pool->count, j->share);
        j->isolated = rate_of(program, &c, j->share);
    }
}

void hs_gavel_solve(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v)
{
    struct hs_gavel_program program = {
        .lp = v->lp, .objective = (enum hs_gavel_objective)g->objective, .types = g->types};
    program.is_tight = g->compat && g->objective == HS_GAVEL_MAKESPAN;
    memcpy(program.gpus, pool->gpus, sizeof program.gpus);
    if (g->pairs != NULL)
        hs_gavel_pairs_begin(g, pool, v);
    share_equally(g, pool, v, &program);
    if (g->objective == HS_GAVEL_FIFO && g->compat && !g->is_aware && g->types == 1) {
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
