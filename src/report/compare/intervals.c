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

/* The mean of what is not NaN is origin + shift: by distances from the first value, so that equal
 * values have no spread at all. */
struct mean {
    double origin, shift;
    uint32_t runs;
};

static struct mean mean_of(const double *values, size_t stride, uint32_t count)
{
    struct mean m = {.runs = 0};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i * stride])) {
            m.origin = m.runs++ == 0 ? values[i * stride] : m.origin;
            sum += values[i * stride] - m.origin;
        }
    m.shift = sum / m.runs;
    return m;
}

/* Half the length of the interval; NaN below two runs. */
static double half_width(double squares, uint32_t runs)
{
    if (runs < 2)
        return (double)NAN;
    return hs_t_quantile(UPPER, runs - 1) * sqrt(squares / (runs - 1) / runs);
}

struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count)
{
    const struct mean m = mean_of(values, stride, count);
    double squares = 0;
    if (m.runs == 0)
        return nothing;
    for (uint32_t i = 0; i < count; i++) {
        const double away = (values[i * stride] - m.origin) - m.shift;
        squares += isnan(values[i * stride]) ? 0 : away * away;
    }
    const double mean = m.origin + m.shift, half = half_width(squares, m.runs);
    return (struct hs_replicated){mean, mean - half, mean + half, m.runs};
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
    if (!is_of_pairs(values, firsts, stride, count))
        return nothing;
    const struct mean of = mean_of(values, stride, count), first = mean_of(firsts, stride, count);
    const double mean = first.origin + first.shift, ratio = (of.origin + of.shift) / mean;
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) { /* their mean is 0 */
        const double away = residual(values[i * stride], ratio, firsts[i * stride]);
        squares += away * away;
    }
    const double half = half_width(squares, count) / mean, low = ratio - half;
    return (struct hs_replicated){ratio, low < 0 ? 0 : low, ratio + half, count};
}
