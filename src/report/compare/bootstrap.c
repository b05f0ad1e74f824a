/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See bootstrap.h. Sums are exact, and only their quotient is a double: the same bits everywhere.
 * O(resamples x blocks) for a figure.
 */
#include "report/compare/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "report/stats/exact.h"

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

static void draw(struct hs_bootstrap *b, struct hs_rng *rng)
{
    for (uint32_t r = 0; r < b->resamples; r++)
        for (uint32_t i = 0; i < b->blocks; i++)
            b->times[(uint64_t)r * b->blocks + hs_rng_below(rng, b->blocks)]++;
}

void hs_bootstrap_open(struct hs_bootstrap *b, uint32_t blocks, uint32_t resamples, uint64_t seed)
{
    struct hs_rng rng;
    *b = (struct hs_bootstrap){.resamples = resamples, .blocks = blocks};
    b->times = hs_alloc_zeroed((uint64_t)resamples * blocks + 1, sizeof *b->times);
    b->values = hs_alloc_zeroed((uint64_t)resamples + 1, sizeof *b->values);
    hs_rng_open(&rng, seed, "bootstrap");
    if (blocks > 0)
        draw(b, &rng);
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
