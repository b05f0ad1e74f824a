/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refslow.h. O(2^n n^2) for a queue of n.
 */
#include "refslow.h"

#include <math.h>
#include <stddef.h>

struct set {
    const struct ref_slow_model *model;
    int type;
    const struct ref_tenant *tenants;
    int count;
};

struct known { /* a value and how far it may be off */
    long double value, error;
};

static long double clip(long double x, long double low, long double high)
{
    return x < low ? low : x > high ? high : x;
}

static const struct ref_row *row_of(const struct ref_table *t, int profile)
{
    for (int i = 0; profile != REF_NO_PROFILE && i < t->rows; i++)
        if (t->row[i].profile == profile)
            return &t->row[i];
    return NULL;
}

static long double at(const struct ref_curve *c, long double x)
{
    return c->at_0 + c->slope * x + (x > 0.5L ? c->bend * (x - 0.5L) : 0);
}

static long double general_slowdown(const struct ref_slow_model *m, long double u, long double v)
{
    return 1 + m->k * powl(u, m->alpha) * powl(v, m->beta);
}

/* From the coefficients of both: the speed is cut to [0.05, 1] (README, "fitted"). */
static long double fitted_slowdown(const struct ref_slow_model *m, const struct ref_table *t,
                                   const struct ref_row *own, const struct ref_row *other)
{
    long double speed = t->effect[own->model][other->model];
    if (t->form == REF_RANK1)
        speed += 1 / (1 + own->a * other->b);
    else
        speed += 1 / general_slowdown(m, own->util, other->util) + at(&own->own, other->util) +
                 at(&other->other, own->util);
    return 1 / clip(speed, 0.05L, 1);
}

/* S of i beside j, both there all the time. */
static long double pair_slowdown(const struct ref_slow_model *m, int type,
                                 const struct ref_tenant *i, const struct ref_tenant *j)
{
    const struct ref_table *t = &m->table[type];
    const struct ref_row *own = row_of(t, i->profile), *other = row_of(t, j->profile);
    long double slowdown = 1;
    if (j->util_pm == 0)
        return 1;
    if (own != NULL && other != NULL) {
        slowdown = m->is_fit ? 0 : t->measured[own - t->row][other - t->row];
        slowdown = slowdown > 0 ? fmaxl(slowdown, 1) : fitted_slowdown(m, t, own, other);
    } else if (i->util_pm >= 0 && j->util_pm >= 0) {
        slowdown =
            general_slowdown(m, (long double)i->util_pm / 1000, (long double)j->util_pm / 1000);
    }
    return fminl(powl(slowdown, m->gamma), 1000);
}

/* S_ij - 1, by as much of the time as j is there. */
static struct known excess(const struct set *s, int i, int j)
{
    long double slowdown = pair_slowdown(s->model, s->type, &s->tenants[i], &s->tenants[j]);
    long double raised = fmaxl(1, s->model->gamma * slowdown);
    long double cut = s->tenants[j].presence < 1 ? REF_Q20 : 0; /* the product is rounded, too */
    return (struct known){(slowdown - 1) * s->tenants[j].presence,
                          REF_PAIR_ERROR * raised * s->tenants[j].presence + cut};
}

static struct known slowdown_in(const struct set *s, unsigned members, int i);

/* How much more often than alone j is found in the queue of these members, j among them. */
static struct known crowding(const struct set *s, unsigned members, int j)
{
    if (s->tenants[j].util_pm <= 0)
        return (struct known){1, 0};
    long double u = (long double)s->tenants[j].util_pm / 1000;
    struct known round = slowdown_in(s, members, j);
    return (struct known){(1 - (1 - u) / round.value) / u,
                          (1 - u) / u * round.error / (round.value * round.value)};
}

/* Mean value analysis, one customer a class: i, arriving, sees the network of the others. */
static struct known slowdown_in(const struct set *s, unsigned members, int i)
{
    struct known slowdown = {1, 0};
    for (int j = 0; j < s->count; j++) {
        if (j == i || (members >> j & 1) == 0)
            continue;
        struct known pair = excess(s, i, j), crowd = {1, 0};
        if (pair.value <= 0)
            continue;
        if (s->model->is_queueing)
            crowd = crowding(s, members & ~(1u << i), j);
        slowdown.value += fminl(pair.value * crowd.value, fmaxl(1, pair.value));
        slowdown.error += pair.error * crowd.value + pair.value * crowd.error;
    }
    return slowdown;
}

long double ref_slow(const struct ref_slow_model *m, int type, const struct ref_tenant *tenants,
                     int count, int self, long double *error)
{
    const struct set s = {m, type, tenants, count};
    unsigned members = 0;
    for (int j = 0; j < count; j++)
        if (tenants[j].util_pm != 0 || j == self)
            members |= 1u << j;
    struct known slowdown = slowdown_in(&s, members, self);
    if (error != NULL)
        *error = slowdown.error;
    return slowdown.value;
}
