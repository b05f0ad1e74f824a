/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two passes: mean, then squares about it. The number of runs is small.
 */
#include "report/replicated.h"

#include <math.h>
#include <stdbool.h>

#include "base/tquantile.h"

#define UPPER 0.975 /* both tails of a 95 % interval */

static const struct hs_replicated nothing = {(double)NAN, (double)NAN, (double)NAN, 0};

/* Sums of the distances from the first value, so that equal values have no spread at all. */
struct sums {
    double origin, sum, squares;
    uint32_t runs;
};

static void add(struct sums *s, double value)
{
    if (s->runs == 0)
        s->origin = value;
    s->runs++;
    s->sum += value - s->origin;
}

static double mean_of(const struct sums *s)
{
    return s->origin + s->sum / s->runs;
}

/* In a second pass, when the mean is known. */
static void add_square(struct sums *s, double value)
{
    double away = (value - s->origin) - s->sum / s->runs;
    s->squares += away * away;
}

/* Half the length of the interval; NaN below two runs. */
static double half_width(const struct sums *s)
{
    if (s->runs < 2)
        return (double)NAN;
    return hs_t_quantile(UPPER, s->runs - 1) * sqrt(s->squares / (s->runs - 1) / s->runs);
}

struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count)
{
    struct sums s = {.runs = 0};
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

struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count)
{
    struct sums s = {.runs = 0};
    bool has_zero = false;
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i * stride], first = firsts[i * stride];
        if (!(first > 0) || !(value >= 0))
            return nothing;
        has_zero = has_zero || value == 0;
        if (!has_zero)
            add(&s, log(value / first));
    }
    if (count == 0)
        return nothing;
    if (has_zero || count == 1) { /* one: without the rounding of exp(log) */
        double ratio = has_zero ? 0 : values[0] / firsts[0];
        return (struct hs_replicated){ratio, (double)NAN, (double)NAN, count};
    }
    for (uint32_t i = 0; i < count; i++)
        add_square(&s, log(values[i * stride] / firsts[i * stride]));
    double mean = mean_of(&s), half = half_width(&s);
    return (struct hs_replicated){exp(mean), exp(mean - half), exp(mean + half), count};
}
