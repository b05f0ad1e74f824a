/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A histogram to few points between which the logarithm of the value is straight. Each step of the
 * distribution function, from the share below a value to the share up to it, is two constraints; a
 * stretch is drawn as far as a line from its begin passes all of them (the swinging door of
 * Bristol, ISA 1990), so that one pass finds the points and none is missed by more than the
 * tolerance.
 */
#include <math.h>

#include "workload/fit_parts.h"

#define RANK_STEP    1e-7 /* between points that stand above each other */
#define NOISE_KS     1.36 /* / sqrt(n): 95 % of samples of n are nearer to their source */
#define NOISE_PART   .1
#define LEAST_OFF    .001
#define STEP         .001 /* of a value that is taken as it is: what is as good as it */
#define FROM_NOTHING .5   /* above 0 the logarithm has to begin somewhere */
#define TAIL_PART    .01  /* of the jobs beyond a value, which decide about the mean */

struct door {
    double *rank, *value;
    uint32_t count;
    double tolerance;
    bool is_rounded_up;
    double x, y;       /* where the stretch begins: logarithm of the value, rank */
    double low, high;  /* slopes that pass all constraints so far */
    double last_value; /* of them; that of the begin before the first */
    bool is_fresh;     /* no constraint yet */
};

static void put(struct door *d, double rank, double value)
{
    double least = d->count > 0 ? d->rank[d->count - 1] + RANK_STEP : 0;
    if (d->count == HS_CURVE_POINTS_MAX)
        return; /* the last one is put in the place of this */
    d->rank[d->count] = rank > least ? rank : least;
    d->value[d->count++] = value;
}

static void begin(struct door *d, double value, double rank)
{
    d->x = log(value);
    d->y = rank;
    d->low = 0;
    d->high = INFINITY;
    d->last_value = value;
    d->is_fresh = true;
}

static bool passes(struct door *d, double value, double rank)
{
    double tolerance = fmin(d->tolerance, TAIL_PART * (1 - rank));
    double width = log(value) - d->x;
    double low = fmax(d->low, (rank - tolerance - d->y) / width);
    double high = fmin(d->high, (rank + tolerance - d->y) / width);
    if (low > high)
        return false;
    d->low = low;
    d->high = high;
    d->last_value = value;
    d->is_fresh = false;
    return true;
}

/* Values ascend. */
static void constrain(struct door *d, double value, double rank)
{
    if (passes(d, value, rank))
        return;
    if (!d->is_fresh) { /* ends the stretch at the last constraint */
        double at = d->y + (d->low + d->high) / 2 * (log(d->last_value) - d->x);
        put(d, at, d->last_value);
        begin(d, d->last_value, at);
        if (passes(d, value, rank))
            return;
    }
    put(d, rank, value); /* the begin was too high for it: level, and exact from here */
    begin(d, value, rank);
}

/* Up to where the distribution function is level before it steps up at a value. */
static double foot(const struct door *d, uint64_t value)
{
    double at = d->is_rounded_up ? (double)value - 1 : (double)value * (1 - STEP);
    return at > 0 ? at : FROM_NOTHING;
}

static void draw(struct door *d, const struct hs_loghist *values)
{
    double all = (double)values->count;
    uint32_t at = 0;
    uint64_t value, count, sum = 0, before = 0;
    for (; hs_loghist_next(values, &at, &value, &count); before = value) {
        double rank = (double)sum / all, upto = (double)(sum + count) / all;
        if (sum == 0) {
            put(d, 0, (double)value);
            if (count < values->count)
                put(d, upto, (double)value);
            begin(d, value > 0 ? (double)value : FROM_NOTHING, upto);
        } else {
            if (before == 0) {
                put(d, rank, foot(d, value));
                begin(d, foot(d, value), rank);
            } else if (foot(d, value) > (double)before) {
                constrain(d, foot(d, value), rank);
            }
            constrain(d, (double)value, upto);
        }
        sum += count;
    }
    while (d->count > 1 && d->rank[d->count - 1] > 1 - RANK_STEP)
        d->count--;
    if (d->count == HS_CURVE_POINTS_MAX)
        d->count--;
    put(d, 1, (double)values->max);
    d->rank[d->count - 1] = 1;
}

enum hs_status hs_fit_curve(const struct hs_loghist *values, bool is_rounded_up,
                            struct hs_arena *arena, struct hs_curve *curve)
{
    struct door d = {.is_rounded_up = is_rounded_up,
                     .tolerance =
                         fmax(LEAST_OFF, NOISE_PART * NOISE_KS / sqrt((double)values->count))};
    d.rank = hs_arena_alloc(arena, HS_CURVE_POINTS_MAX * sizeof *d.rank);
    d.value = hs_arena_alloc(arena, HS_CURVE_POINTS_MAX * sizeof *d.value);
    if (d.rank == NULL || d.value == NULL)
        return HS_E_MEMORY;
    draw(&d, values);
    *curve = (struct hs_curve){d.rank, d.value, d.count};
    return HS_OK;
}
