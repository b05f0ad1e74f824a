/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See intervals.h. Over runs: two passes, mean, then squares about it. Over jobs: sums are exact,
 * and only their quotient is a double: the same bits everywhere. O(resamples x blocks) for a
 * figure.
 */
#include "report/compare/intervals.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "report/stats/exact.h"

/* ---- over runs ---- */

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

/* ---- over jobs ---- */

#define TAIL_DEN 40 /* 2.5 % on either side */

static void block_means(const int64_t *values, uint32_t count, uint32_t blocks, double *means)
{
    hs_i128 sums[HS_BOOTSTRAP_BLOCKS_MAX] = {0};
    uint32_t sizes[HS_BOOTSTRAP_BLOCKS_MAX] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = hs_bootstrap_block(i, count, blocks);
        sums[block] += values[i];
        sizes[block]++;
    }
    for (uint32_t b = 0; b < blocks; b++)
        means[b] = (double)sums[b] / sizes[b];
}

/* Lag-1 autocorrelation; 0 where all values are equal. */
static double neighbour_correlation(const double *x, uint32_t count)
{
    double mean = 0, squares = 0, products = 0;
    for (uint32_t i = 0; i < count; i++)
        mean += x[i] / count;
    for (uint32_t i = 0; i < count; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        products += i > 0 ? (x[i] - mean) * (x[i - 1] - mean) : 0;
    }
    return squares > 0 ? products / squares : 0;
}

double hs_bootstrap_chance(uint32_t blocks)
{
    return 1.96 / sqrt(blocks);
}

uint32_t hs_bootstrap_blocks(const int64_t *values, uint32_t count, double *correlation)
{
    double means[HS_BOOTSTRAP_BLOCKS_MAX];
    uint32_t blocks = count < HS_BOOTSTRAP_BLOCKS_MAX ? count : HS_BOOTSTRAP_BLOCKS_MAX;
    for (;; blocks /= 2) {
        block_means(values, count, blocks, means);
        *correlation = neighbour_correlation(means, blocks);
        if (*correlation <= hs_bootstrap_chance(blocks) || blocks / 2 < HS_BOOTSTRAP_BLOCKS_LEAST)
            return blocks;
    }
}

void hs_bootstrap_open(struct hs_bootstrap *b, uint32_t blocks, uint32_t resamples, uint64_t seed)
{
    struct hs_rng rng;
    *b = (struct hs_bootstrap){.resamples = resamples, .blocks = blocks};
    b->times = hs_alloc_zeroed((uint64_t)resamples * blocks + 1, sizeof *b->times);
    b->values = hs_alloc_zeroed((uint64_t)resamples + 1, sizeof *b->values);
    hs_rng_open(&rng, seed, "bootstrap");
    for (uint32_t r = 0; r < resamples; r++)
        for (uint32_t i = 0; i < blocks; i++)
            b->times[(uint64_t)r * blocks + hs_rng_below(&rng, blocks)]++;
    hs_rng_close(&rng);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct hs_bootstrap_range hs_bootstrap_interval(struct hs_bootstrap *b, const hs_i128 *num,
                                                const hs_i128 *den)
{
    uint32_t with = 0, count = 0;
    for (uint32_t i = 0; i < b->blocks; i++)
        with += den[i] != 0;
    for (uint32_t r = 0; r < b->resamples && with >= HS_BOOTSTRAP_BLOCKS_WITH; r++) {
        const uint8_t *times = b->times + (uint64_t)r * b->blocks;
        hs_i128 above = 0, below = 0;
        for (uint32_t i = 0; i < b->blocks; i++) {
            above += num[i] * times[i];
            below += den[i] * times[i];
        }
        if (below > 0)
            b->values[count++] = hs_exact_signed(above, below);
    }
    /* the k-th from either end, k = (resamples + 1) x 2.5 % rounded down (Efron and Tibshirani,
     * 1993, 12.5) */
    uint32_t k = (count + 1) / TAIL_DEN;
    if (k == 0)
        return (struct hs_bootstrap_range){(double)NAN, (double)NAN};
    qsort(b->values, count, sizeof *b->values, compare_doubles);
    return (struct hs_bootstrap_range){b->values[k - 1], b->values[count - k]};
}

void hs_bootstrap_close(struct hs_bootstrap *b)
{
    hs_free(b->times);
    hs_free(b->values);
    *b = (struct hs_bootstrap){0};
}
