/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Streams: the published mixer, independence of streams, and moments within bounds that a correct
 * generator exceeds with probability below 1e-9 (the seeds are fixed, so the test is
 * deterministic).
 */
#include "base/rng.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* First output of splitmix64 from state 0 (Vigna's splitmix64.c; Java's SplittableRandom(0)). */
#define SPLITMIX_0 UINT64_C(0xe220a8397b1dcdaf)
#define GAMMA      UINT64_C(0x9e3779b97f4a7c15)

/* mix64(a, b) = splitmix(splitmix(a) + b); with a = 0, b = s - SPLITMIX_0 it is splitmix(s).
 * The outputs from state 0 are splitmix(0), splitmix(gamma), splitmix(2 gamma); those from state
 * 1234567 are in Rosetta Code, "Pseudo-random numbers/Splitmix64". */
static void test_mix_is_splitmix64(void **state)
{
    (void)state;
    assert_true(hs_mix64(0, 0 - SPLITMIX_0) == SPLITMIX_0);
    assert_true(hs_mix64(0, GAMMA - SPLITMIX_0) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(hs_mix64(0, 2 * GAMMA - SPLITMIX_0) == UINT64_C(0x06c45d188009454f));
    assert_true(hs_mix64(0, 1234567 - SPLITMIX_0) == UINT64_C(6457827717110365317));
    assert_true(hs_mix64(0, 1234567 + GAMMA - SPLITMIX_0) == UINT64_C(3203168211198807973));
}

static void test_seeds_differ_by_seed_and_purpose(void **state)
{
    static const char *const purposes[] = {"", "a", "b", "ab", "ba", "aa"};
    uint64_t seeds[12];
    (void)state;
    for (unsigned i = 0; i < 12; i++)
        seeds[i] = hs_seed_of(i / 6, purposes[i % 6]);
    for (unsigned i = 0; i < 12; i++)
        for (unsigned k = 0; k < i; k++)
            assert_true(seeds[i] != seeds[k]);
    assert_true(seeds[0] == hs_seed_of(0, ""));
}

static void test_streams_repeat_and_do_not_disturb_each_other(void **state)
{
    struct hs_rng alone, with, other;
    (void)state;
    hs_rng_open(&alone, 1, "generator");
    hs_rng_open(&with, 1, "generator");
    hs_rng_open(&other, 1, "failures");
    unsigned equal = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t draw = hs_rng_below(&alone, UINT32_MAX);
        equal += hs_rng_below(&other, UINT32_MAX) == draw;
        assert_true(hs_rng_below(&with, UINT32_MAX) == draw);
    }
    assert_true(equal < 3);
    hs_rng_close(&alone);
    hs_rng_close(&with);
    hs_rng_close(&other);
}

/* Seeds that differ only above bit 32 give different streams, although GSL ignores those bits. */
static void test_high_seed_bits_count(void **state)
{
    struct hs_rng a, b;
    (void)state;
    hs_rng_open(&a, 5, "x");
    hs_rng_open(&b, 5 + (UINT64_C(1) << 40), "x");
    unsigned equal = 0;
    for (int i = 0; i < 100; i++)
        equal += hs_rng_below(&a, UINT32_MAX) == hs_rng_below(&b, UINT32_MAX);
    assert_true(equal < 2);
    hs_rng_close(&a);
    hs_rng_close(&b);
}

/* Mean of 10^6 uniforms: 1/2, standard error 0.289e-3; exponential of mean 3: 3, 3e-3. 6.5 of them
 * on either side. */
static void test_moments(void **state)
{
    struct hs_rng rng;
    double uniform = 0, exponential = 0;
    (void)state;
    hs_rng_open(&rng, 42, "moments");
    for (int i = 0; i < 1000000; i++) {
        double u = gsl_rng_uniform_pos(rng.gsl);
        double e = gsl_ran_exponential(rng.gsl, 3);
        assert_true(u > 0 && u < 1 && e >= 0);
        uniform += u;
        exponential += e;
    }
    assert_true(fabs(uniform / 1e6 - 0.5) < 0.0019);
    assert_true(fabs(exponential / 1e6 - 3) < 0.0195);
    hs_rng_close(&rng);
}

/* 10^6 normal draws: mean 0, standard error 1e-3; variance 1, sqrt(2) 1e-3; within one standard
 * deviation 682,689 of them, 465. Bounds are 6.5 of each. A draw depends on (seed, index) alone. */
static void test_normal_draws(void **state)
{
    double sum = 0, squares = 0;
    int within = 0;
    (void)state;
    for (uint64_t i = 0; i < 1000000; i++) {
        double z = hs_normal_of(hs_seed_of(1, "a"), i);
        sum += z;
        squares += z * z;
        within += fabs(z) < 1;
    }
    assert_true(fabs(sum / 1e6) < 0.0065);
    assert_true(fabs(squares / 1e6 - 1) < 0.0092);
    assert_in_range(within, 682689 - 3023, 682689 + 3023);
    assert_true(hs_normal_of(1, 5) == hs_normal_of(1, 5));
    assert_true(hs_normal_of(1, 5) != hs_normal_of(2, 5) &&
                hs_normal_of(1, 5) != hs_normal_of(1, 6));
}

/* Six faces, 600,000 throws: 100,000 each, standard deviation 288.7; 6.5 of them. */
static void test_below_is_fair(void **state)
{
    struct hs_rng rng;
    unsigned faces[6] = {0};
    (void)state;
    hs_rng_open(&rng, 7, "dice");
    for (int i = 0; i < 600000; i++)
        faces[hs_rng_below(&rng, 6)]++;
    for (unsigned face = 0; face < 6; face++)
        assert_in_range(faces[face], 100000 - 1877, 100000 + 1877);
    hs_rng_close(&rng);
}

static void test_below_at_the_ends_of_its_range(void **state)
{
    struct hs_rng rng;
    uint64_t over_31_bits = 0;
    (void)state;
    hs_rng_open(&rng, 7, "ends");
    for (int i = 0; i < 1000; i++) {
        assert_true(hs_rng_below(&rng, 1) == 0);
        assert_true(hs_rng_below(&rng, UINT64_C(1) << 32) < UINT64_C(1) << 32);
        uint64_t n = (UINT64_C(3) << 30) + 1; /* a quarter of the draws is refused */
        uint64_t draw = hs_rng_below(&rng, n);
        assert_true(draw < n);
        over_31_bits += draw >> 31 != 0;
    }
    assert_in_range(over_31_bits, 250, 417); /* a third, within 5.6 standard errors */
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mix_is_splitmix64),
        cmocka_unit_test(test_seeds_differ_by_seed_and_purpose),
        cmocka_unit_test(test_streams_repeat_and_do_not_disturb_each_other),
        cmocka_unit_test(test_high_seed_bits_count),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_normal_draws),
        cmocka_unit_test(test_below_is_fair),
        cmocka_unit_test(test_below_at_the_ends_of_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
