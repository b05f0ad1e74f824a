/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refslow.h.
 */
#include "refslow.h"

#include <math.h>
#include <stddef.h>

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

long double ref_util_pm(int util_pm)
{
    return util_pm < 0 ? 1 : (long double)util_pm / 1000;
}

/* S of i beside j, both active all the time. */
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
    } else {
        slowdown = general_slowdown(m, ref_util_pm(i->util_pm), ref_util_pm(j->util_pm));
    }
    return fminl(powl(slowdown, m->gamma), 1000);
}

/* A co-runner adds S_ij - 1, times the part of the time in which it is active. */
long double ref_slow(const struct ref_slow_model *m, int type, const struct ref_tenant *tenants,
                     int count, int self, long double *error)
{
    long double slowdown = 1, off = 0;
    for (int j = 0; j < count; j++) {
        const long double presence = tenants[j].presence;
        if (j == self || tenants[j].util_pm == 0)
            continue;
        long double pair = pair_slowdown(m, type, &tenants[self], &tenants[j]);
        slowdown += (pair - 1) * presence;
        /* The product is rounded, too. */
        off += REF_PAIR_ERROR * fmaxl(1, m->gamma * pair) * presence + (presence < 1 ? REF_Q20 : 0);
    }
    if (error != NULL)
        *error = off;
    return slowdown;
}

void ref_fill(int count, const long double *demand, const long double *weight, long double capacity,
              long double *given)
{
    bool is_met[REF_TENANTS_MAX] = {false};
    for (;;) {
        long double left = capacity, weights = 0, level;
        int next = -1;
        for (int i = 0; i < count; i++) {
            left -= is_met[i] ? demand[i] : 0;
            weights += is_met[i] ? 0 : weight[i];
            if (!is_met[i] && (next < 0 || demand[i] * weight[next] < demand[next] * weight[i]))
                next = i;
        }
        level = weights > 0 ? left / weights : 0;
        if (next < 0 || demand[next] > weight[next] * level) {
            for (int i = 0; i < count; i++)
                given[i] = is_met[i] ? demand[i] : weight[i] * level;
            return;
        }
        is_met[next] = true;
    }
}
