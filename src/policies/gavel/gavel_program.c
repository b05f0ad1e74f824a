/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear programs of Gavel. Variables are the shares x[g] of time that each member of a class
 * spends on type g:
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

#define SHARE_MIN 1e-9       /* less is the noise of the solver */
#define FULL      (1 + 1e-9) /* of the GPUs in use: the same */
#define NEAR      1e-6       /* to the optimum: the solver's own tolerance is 1e-7 */

void hs_gavel_begin(struct hs_gavel_program *p)
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

uint32_t hs_gavel_add(struct hs_gavel_program *p, const struct hs_gavel_class *c)
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

bool hs_gavel_is_full(const struct hs_gavel_program *p, uint32_t first_column)
{
    const uint32_t number = (first_column - 1) / p->types; /* the goal is before them */
    return hs_lp_price(p->lp, p->first_row + 2 * number + 1) < -SHARE_MIN;
}

bool hs_gavel_may_pair(const struct hs_gavel_program *p, uint32_t gang)
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

void hs_gavel_shares(const struct hs_gavel_program *p, uint32_t first_column, double *shares)
{
    for (uint32_t t = 0; t < p->types; t++) {
        shares[t] = fmin(hs_lp_value(p->lp, first_column + t), 1);
        if (shares[t] < SHARE_MIN)
            shares[t] = 0;
    }
}

void hs_gavel_isolated(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
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

double hs_gavel_rate(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
                     const double *shares)
{
    double sum = 0;
    for (uint32_t t = 0; t < p->types; t++)
        sum += c->speed[t] * shares[t];
    return sum;
}

bool hs_gavel_cheapest(const struct hs_gavel_program *p, const double *speed, double rate,
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
static void keep_parts(const struct hs_gavel_program *p, struct hs_gavel_mixture *m)
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

enum hs_lp_status hs_gavel_mix(struct hs_gavel_program *p, hs_gavel_use *use, const void *jobs,
                               struct hs_gavel_mixture *m)
{
    double most = INFINITY; /* of the GPUs of a type, that the mixture takes */
    hs_lp_begin(p->lp, true);
    p->goal = hs_lp_column(p->lp, -1);
    for (uint32_t t = 0; t < p->types; t++) {
        p->rows[t] = hs_lp_row(p->lp, -INFINITY, 0);
        hs_lp_set(p->lp, p->rows[t], p->goal, -p->gpus[t]);
    }
    const uint32_t whole = hs_lp_row(p->lp, 1, 1);
    for (uint32_t i = 0; i < HS_GAVEL_MIXED; i++) {
        struct hs_gavel_answer *a = &m->of[i];
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
            const struct hs_gavel_answer first = m->of[0];
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
