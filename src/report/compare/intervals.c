/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See intervals.h. Two passes: mean, then squares about it.
 */
#include "report/compare/intervals.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/rng.h"

#define UPPER     0.975 /* both tails of a 95 % interval */
#define ROUNDINGS 4.0   /* two means, a quotient, a product: half an epsilon each, twofold */

static const struct hs_replicated nothing = {(double)NAN, (double)NAN, (double)NAN, 0};

/* Sums of the distances from the first value, so that equal values have no spread at all. */
struct replica_sums {
    double origin, sum, squares;
    uint32_t runs;
};

static void add(struct replica_sums *s, double value)
{
    if (s->runs == 0)
        s->origin = value;
    s->runs++;
    s->sum += value - s->origin;
}

static double mean_of(const struct replica_sums *s)
{
    return s->origin + s->sum / s->runs;
}

/* In a second pass, when the mean is known. */
static void add_square(struct replica_sums *s, double value)
{
    double away = (value - s->origin) - s->sum / s->runs;
    s->squares += away * away;
}

/* Half the length of the interval; NaN below two runs. */
static double half_width(const struct replica_sums *s)
{
    if (s->runs < 2)
        return (double)NAN;
    return hs_t_quantile(UPPER, s->runs - 1) * sqrt(s->squares / (s->runs - 1) / s->runs);
}

struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count)
{
    struct replica_sums s = {.runs = 0};
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i * stride]))
            add(&s, values[i * stride]);
    if (s.runs == 0)
        return nothing;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i * stride]))
            add_square(&s, values[i * stride]);
    double mean = mean_of(&s), half = half_width(&s);
    return (struct hs_replicated){mean, mean - half, mean + half, s.runs};
}

/* Does every pair have a ratio, and any a first that is not 0? */
static bool is_of_pairs(const double *values, const double *firsts, size_t stride, uint32_t count)
{
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!(values[i * stride] >= 0) || !(firsts[i * stride] >= 0))
            return false;
        is_any = is_any || firsts[i * stride] > 0;
    }
    return is_any;
}

/* What the ratio leaves unexplained of a value; of a value that is the ratio times its first, the
 * roundings of quotient and product are left, which are no spread. */
static double residual(double value, double ratio, double first)
{
    double away = value - ratio * first;
    return fabs(away) <= ROUNDINGS * DBL_EPSILON * value ? 0 : away;
}

struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count)
{
    struct replica_sums s = {.runs = 0}, of_first = {.runs = 0};
    if (!is_of_pairs(values, firsts, stride, count))
        return nothing;
    for (uint32_t i = 0; i < count; i++) {
        add(&s, values[i * stride]);
        add(&of_first, firsts[i * stride]);
    }
    double ratio = mean_of(&s) / mean_of(&of_first);
    struct replica_sums residuals = {.runs = count};
    for (uint32_t i = 0; i < count; i++) /* their mean is 0 */
        add_square(&residuals, residual(values[i * stride], ratio, firsts[i * stride]));
    double half = half_width(&residuals) / mean_of(&of_first), low = ratio - half;
    return (struct hs_replicated){ratio, low < 0 ? 0 : low, ratio + half, count};
}
