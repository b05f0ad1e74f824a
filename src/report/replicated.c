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

/* Half the length of the interval, from the sum of squares about the mean. */
static double half_width(double squares, uint32_t runs)
{
    double variance = squares / (runs - 1);
    return hs_t_quantile(UPPER, runs - 1) * sqrt(variance / runs);
}

struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count)
{
    struct hs_replicated mean = nothing;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(values[i * stride]))
            continue;
        sum += values[i * stride];
        mean.runs++;
    }
    if (mean.runs == 0)
        return mean;
    mean.value = sum / mean.runs;
    for (uint32_t i = 0; i < count; i++) {
        double away = values[i * stride] - mean.value;
        squares += isnan(away) ? 0 : away * away;
    }
    if (mean.runs > 1) {
        mean.low = mean.value - half_width(squares, mean.runs);
        mean.high = mean.value + half_width(squares, mean.runs);
    }
    return mean;
}

struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count)
{
    double sum = 0, squares = 0;
    bool has_zero = false;
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i * stride], first = firsts[i * stride];
        if (!(first > 0) || !(value >= 0))
            return nothing;
        has_zero = has_zero || value == 0;
        sum += has_zero ? 0 : log(value / first);
    }
    struct hs_replicated ratio = nothing;
    ratio.runs = count;
    if (count == 1 || has_zero) {
        ratio.value = has_zero ? 0 : values[0] / firsts[0]; /* without the rounding of exp(log) */
        return ratio;
    }
    double mean = sum / count;
    for (uint32_t i = 0; i < count; i++) {
        double away = log(values[i * stride] / firsts[i * stride]) - mean;
        squares += away * away;
    }
    ratio.value = exp(mean);
    ratio.low = exp(mean - half_width(squares, count));
    ratio.high = exp(mean + half_width(squares, count));
    return ratio;
}
