/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The block bootstrap: its interval for sums calculated by hand, and how often its intervals
 * contain the true mean of data of a known distribution. Coverages have a standard error, stated
 * beside each; bounds are three standard errors, and seeds are fixed.
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/compare/paired.c"

#define BLOCKS BLOCKS_MAX
#define LENGTH 10000
#define UNIT   1000000 /* values are millionths of a standard deviation */

/* Sums and counts of the values of each block. */
struct sums {
    hs_i128 num[BLOCKS], den[BLOCKS];
};

static void add_up(struct sums *sums, const int64_t *values, uint32_t count, uint32_t blocks)
{
    *sums = (struct sums){{0}, {0}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = block_of(i, count, blocks);
        sums->num[block] += values[i];
        sums->den[block]++;
    }
}

static void blocks_are_even_and_in_order(void **state)
{
    (void)state;
    uint32_t sizes[25] = {0}, last = 0;
    for (uint32_t i = 0; i < 1007; i++) {
        uint32_t block = block_of(i, 1007, 25);
        assert_true(block == last || block == last + 1);
        sizes[last = block]++;
    }
    assert_int_equal(last, 24);
    for (int b = 0; b < 25; b++) /* 1007 = 25 x 40 + 7 */
        assert_in_range(sizes[b], 40, 41);
}

/* A single value: every resample has it. */
static void what_does_not_vary_has_no_width(void **state)
{
    (void)state;
    struct bootstrap b;
    struct sums sums;
    draw_blocks(&b, 12, 200, 1);
    for (int i = 0; i < 12; i++) {
        sums.num[i] = -3 * (i + 1);
        sums.den[i] = 2 * (i + 1);
    }
    struct hs_paired_range range = interval_of(&b, sums.num, sums.den);
    assert_true(range.low == -1.5 && range.high == -1.5);
    for (int i = 0; i < 12; i++)
        sums.num[i] = 0;
    range = interval_of(&b, sums.num, sums.den);
    assert_true(range.low == 0 && range.high == 0);
    hs_free(b.times);
    hs_free(b.values);
}

/* The definition again, in doubles: 20 blocks, each drawn from the named stream; of 120 resamples
 * the 3rd from either end, (120 + 1) / 40 rounded down. */
static void it_is_the_percentile_interval_of_drawn_blocks(void **state)
{
    (void)state;
    static double values[120];
    struct bootstrap b;
    struct hs_rng rng;
    struct sums sums;
    for (int i = 0; i < 20; i++) {
        sums.num[i] = i * i - 7 * i;
        sums.den[i] = 3 + i % 4;
    }
    hs_rng_open(&rng, 77, "bootstrap");
    for (int r = 0; r < 120; r++) {
        double num = 0, den = 0;
        for (int i = 0; i < 20; i++) {
            uint64_t block = hs_rng_below(&rng, 20);
            num += (double)sums.num[block];
            den += (double)sums.den[block];
        }
        values[r] = num / den;
    }
    hs_rng_close(&rng);
    qsort(values, 120, sizeof *values, hs_order_doubles);
    draw_blocks(&b, 20, 120, 77);
    struct hs_paired_range range = interval_of(&b, sums.num, sums.den);
    hs_free(b.times);
    hs_free(b.values);
    assert_true(values[2] < values[3] &&
                values[116] < values[117]); /* an error by one place would be detected */
    assert_true(range.low == values[2] && range.high == values[117]);
}

/* The stream depends on the seed alone. */
static void the_seed_decides(void **state)
{
    (void)state;
    struct hs_paired_range range[3];
    struct sums sums;
    for (int i = 0; i < 30; i++) {
        sums.num[i] = i;
        sums.den[i] = 1;
    }
    static const uint64_t seeds[3] = {5, 5, 6};
    for (int k = 0; k < 3; k++) {
        struct bootstrap b;
        draw_blocks(&b, 30, 1000, seeds[k]);
        range[k] = interval_of(&b, sums.num, sums.den);
        hs_free(b.times);
        hs_free(b.values);
    }
    assert_true(range[0].low == range[1].low && range[0].high == range[1].high);
    assert_true(range[0].low != range[2].low || range[0].high != range[2].high);
}

static bool has_interval(uint32_t blocks, uint32_t with, uint32_t resamples)
{
    struct bootstrap b;
    struct sums sums = {{0}, {0}};
    for (uint32_t i = 0; i < with; i++) {
        sums.num[i] = 1;
        sums.den[i] = 1;
    }
    draw_blocks(&b, blocks, resamples, 1);
    struct hs_paired_range range = interval_of(&b, sums.num, sums.den);
    hs_free(b.times);
    hs_free(b.values);
    assert_true(isnan(range.low) == isnan(range.high));
    return !isnan(range.low);
}

/* 2.5 % of fewer than 39 resamples is less than one; intervals from fewer than ten blocks miss too
 * often. */
static void too_little_has_no_interval(void **state)
{
    (void)state;
    assert_true(has_interval(100, 10, 2000));
    assert_false(has_interval(100, 9, 2000));
    assert_false(has_interval(100, 0, 2000));
    assert_false(has_interval(9, 9, 2000));
    assert_false(has_interval(0, 0, 2000));
    assert_true(has_interval(100, 100, 39));
    assert_false(has_interval(100, 100, 38));
    assert_false(has_interval(100, 100, 0));
}

static void blocks_grow_until_neighbours_differ(void **state)
{
    (void)state;
    static int64_t values[LENGTH];
    double correlation = -1;
    assert_int_equal(blocks_of(values, LENGTH, &correlation), 100); /* all values are 0 */
    assert_true(correlation == 0);
    assert_int_equal(blocks_of(values, 60, &correlation), 60);
    assert_int_equal(blocks_of(values, 1, &correlation), 1);
    /* a trend: of 25 block means in a line the sum of squares is 2 (1 + 4 + ... + 144) = 1300, that
     * of neighbouring products 1300 - 144 - 12 = 1144 */
    for (int i = 0; i < LENGTH; i++)
        values[i] = i;
    assert_int_equal(blocks_of(values, LENGTH, &correlation), 25);
    assert_true(fabs(correlation - 1144.0 / 1300) < 1e-9);
    /* high for 100 values, low for 100, ...: adjacent blocks differ as much as possible */
    for (int i = 0; i < LENGTH; i++)
        values[i] = i / 100 % 2;
    assert_int_equal(blocks_of(values, LENGTH, &correlation), 100);
    assert_true(fabs(correlation + 0.99) < 1e-9); /* 99 products of 100 squares */
    /* for 200: blocks of 100 come in equal pairs, r = (50 - 49) / 100 = 0.01; no longer blocks
     * needed */
    for (int i = 0; i < LENGTH; i++)
        values[i] = i / 200 % 2;
    assert_int_equal(blocks_of(values, LENGTH, &correlation), 100);
    assert_true(fabs(correlation - 0.01) < 1e-9);
    /* for 400: groups of four are equal, 75 alike and 24 not, r = 0.51 > 0.196; blocks of 200 in
     * equal pairs: 25 alike and 24 not, r = 0.02 */
    for (int i = 0; i < LENGTH; i++)
        values[i] = i / 400 % 2;
    uint32_t blocks = blocks_of(values, LENGTH, &correlation);
    assert_int_equal(blocks, 50);
    assert_in_range(correlation > 0 && correlation < chance_of(50), 1, 1);
}

/* Box and Muller, 1958. */
static double normal(struct hs_rng *rng)
{
    double u = gsl_rng_uniform_pos(rng->gsl), v = gsl_rng_uniform_pos(rng->gsl);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

struct coverage {
    uint32_t held,
        whole; /* counts of experiments: interval contains the mean; 100 blocks accepted */
};

/* Values of mean 0 and variance 1, each `memory` times the last plus an independent part. */
static struct coverage cover(uint32_t experiments, uint32_t count, double memory, uint64_t seed)
{
    static int64_t values[LENGTH];
    struct coverage c = {0, 0};
    struct bootstrap b;
    struct hs_rng rng;
    struct sums sums;
    draw_blocks(&b, BLOCKS, 400, seed);
    hs_rng_open(&rng, seed, "experiments");
    for (uint32_t e = 0; e < experiments; e++) {
        double x = normal(&rng), correlation;
        for (uint32_t i = 0; i < count; i++) {
            values[i] = llrint(x * UNIT);
            x = memory * x + sqrt(1 - memory * memory) * normal(&rng);
        }
        add_up(&sums, values, count, BLOCKS);
        struct hs_paired_range range = interval_of(&b, sums.num, sums.den);
        c.held += range.low <= 0 && range.high >= 0;
        c.whole += blocks_of(values, count, &correlation) == BLOCKS;
    }
    hs_rng_close(&rng);
    hs_free(b.times);
    hs_free(b.values);
    return c;
}

/* Independent values: the spread of 100 block means follows a t distribution with 99 degrees, short
 * by sqrt(99/100): P(|t| < 1.950) = 94.6 %, of 2,000 experiments with a standard error of 0.5 %.
 * The test for longer blocks errs once in 40 times. */
static void it_covers_independent_values(void **state)
{
    (void)state;
    struct coverage c = cover(2000, 500, 0, 3);
    assert_in_range(c.held, 2000 * 0.931, 2000 * 0.961);
    assert_in_range(c.whole, 2000 * 0.965, 2000);
}

/* Each value is 0.9 of the last plus noise: the mean of n has a variance of 19 / n instead of 1 /
 * n, so an interval from single values would contain the mean in 35 % of all cases. Blocks of 100
 * capture 17.2 of the 19 (19 - 180 / 100, Box and Jenkins, variance of a mean): P(|t| < 1.950
 * sqrt(17.2 / 19)) = 93.4 %, of 1,000 experiments with a standard error of 0.8 %. */
static void it_covers_values_that_hang_together(void **state)
{
    (void)state;
    struct coverage c = cover(1000, LENGTH, 0.9, 4);
    assert_in_range(c.held, 1000 * 0.910, 1000 * 0.957);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_even_and_in_order),
        cmocka_unit_test(what_does_not_vary_has_no_width),
        cmocka_unit_test(it_is_the_percentile_interval_of_drawn_blocks),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(too_little_has_no_interval),
        cmocka_unit_test(blocks_grow_until_neighbours_differ),
        cmocka_unit_test(it_covers_independent_values),
        cmocka_unit_test(it_covers_values_that_hang_together),
    };
    return cmocka_run_group_tests_name("bootstrap", tests, NULL, NULL);
}
