/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work is conserved with ==, and an eta is neither a microsecond early nor late (MODEL.md 1, 4).
 */
#include "base/fixed.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"

static void test_rate_1_finishes_at_start_plus_work(void **state)
{
    struct hs_work w = {.total_ns = 60 * INT64_C(1000000000)};
    (void)state;
    assert_true(hs_work_eta_us(&w, HS_Q32_ONE) == 60000000);
    hs_work_advance(&w, HS_Q32_ONE, 59999999);
    assert_true(w.done_ns == w.total_ns - 1000 && w.carry == 0);
    assert_true(hs_work_eta_us(&w, HS_Q32_ONE) == 1);
    hs_work_advance(&w, HS_Q32_ONE, 1);
    assert_true(w.done_ns == w.total_ns);
    assert_true(hs_work_eta_us(&w, HS_Q32_ONE) == 0);
}

/* 10 ns at rate 1/3 (floor 2^32 / 3): 1 us gives 333 ns; at rate 2^-32, 1 us gives
 * 1000 / 2^32 ns, so that 10 ns take 10 x 2^32 / 1000 = 42949672.96, up to 42949673 us. */
static void test_small_rates(void **state)
{
    struct hs_work w = {.total_ns = 10};
    (void)state;
    assert_true(hs_work_eta_us(&w, HS_Q32_ONE / 3) == 1);
    assert_true(hs_work_eta_us(&w, 1) == 42949673);
    assert_true(hs_work_eta_us(&w, 0) == HS_TIME_MAX);
    hs_work_advance(&w, 1, 42949672);
    assert_true(w.done_ns == 9);
    hs_work_advance(&w, 1, 1);
    assert_true(w.done_ns == 10 && w.carry == 0);
}

/* Half a nanosecond is carried, not lost: 2 x 0.5 = 1. Rate 2^31 / 1000 x 1000 ns would not be
 * whole, so take rate 2147484 = ceil(2^31 / 1000): 1 us earns 2147484000 / 2^32 = 0.5000001 ns. */
static void test_fractions_are_carried(void **state)
{
    struct hs_work w = {.total_ns = 100};
    (void)state;
    hs_work_advance(&w, 2147484, 1);
    assert_true(w.done_ns == 0 && w.carry == 2147484000u);
    hs_work_advance(&w, 2147484, 1);
    assert_true(w.done_ns == 1 && w.carry == 2 * UINT64_C(2147484000) - HS_Q32_ONE);
}

/* 2^63 - 1 ns of work, a time span and a rate at the limits of their ranges: nothing wraps. */
static void test_ends_of_the_ranges(void **state)
{
    struct hs_work w = {.total_ns = INT64_MAX};
    (void)state;
    /* ceil((2^63 - 1) / 1000) = ceil(9223372036854775.807) */
    assert_true(hs_work_eta_us(&w, HS_Q32_ONE) == INT64_C(9223372036854776));
    /* At rate 2^-32 it would take 9.2e15 us x 2^32, beyond the range of time. */
    assert_true(hs_work_eta_us(&w, 1) == HS_TIME_MAX);
    hs_work_advance(&w, HS_Q32_ONE, HS_TIME_MAX);
    assert_true(w.done_ns == INT64_MAX && w.carry == 0);
}

static void test_no_work_is_done_at_once(void **state)
{
    struct hs_work w = {0};
    (void)state;
    assert_true(hs_work_eta_us(&w, 0) == 0);
    hs_work_advance(&w, HS_Q32_ONE, 5);
    assert_true(w.done_ns == 0);
}

/* A million random steps: done x 2^32 + carry == sum of rate x time, in 128 bits. */
static void test_work_is_conserved(void **state)
{
    struct hs_work w = {.total_ns = INT64_MAX};
    hs_u128 given = 0;
    (void)state;
    for (uint64_t i = 0; i < 1000000; i++) {
        uint64_t rate_q32 = hs_mix64(1, i) % (2 * HS_Q32_ONE);
        int64_t dt_us = (int64_t)(hs_mix64(2, i) % 1000000);
        hs_work_advance(&w, rate_q32, dt_us);
        given += (hs_u128)rate_q32 * (uint64_t)(dt_us * HS_NS_PER_US);
        assert_true(((hs_u128)(uint64_t)w.done_ns << 32) + w.carry == given);
    }
    /* 10^6 x 1 x 0.5 s: far below the cap, which would hide an error. */
    assert_true(w.done_ns < w.total_ns);
}

/* At the eta the work is done, a microsecond earlier it is not, from any state and at any rate. */
static void test_eta_is_exact(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        int64_t total_ns = 1 + (int64_t)(hs_mix64(3, i) >> (1 + i % 62));
        struct hs_work w = {.total_ns = total_ns,
                            .done_ns = (int64_t)(hs_mix64(4, i) % (uint64_t)total_ns),
                            .carry = i % 3 == 0 ? 0 : hs_mix64(5, i) % HS_Q32_ONE};
        uint64_t rate_q32 = i % 2 == 0 ? HS_Q32_ONE : 1 + (hs_mix64(6, i) >> (31 + i % 33));
        int64_t eta_us = hs_work_eta_us(&w, rate_q32);
        if (eta_us == HS_TIME_MAX)
            continue;
        struct hs_work before = w, after = w;
        hs_work_advance(&before, rate_q32, eta_us - 1);
        hs_work_advance(&after, rate_q32, eta_us);
        assert_true(eta_us >= 1);
        assert_true(before.done_ns < total_ns);
        assert_true(after.done_ns == total_ns);
    }
}

/* Interruptions change nothing: the eta of the rest is the rest of the eta. */
static void test_eta_survives_interruptions(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        struct hs_work w = {.total_ns = 1 + (int64_t)(hs_mix64(7, i) % 10000000000)};
        uint64_t rate_q32 = 1 + hs_mix64(8, i) % HS_Q32_ONE;
        int64_t eta_us = hs_work_eta_us(&w, rate_q32);
        int64_t now_us = 0;
        for (int cut = 0; cut < 5 && now_us < eta_us; cut++) {
            int64_t dt_us = (int64_t)(hs_mix64(i, (uint64_t)cut) % (uint64_t)(eta_us - now_us));
            hs_work_advance(&w, rate_q32, dt_us);
            now_us += dt_us;
            assert_true(now_us + hs_work_eta_us(&w, rate_q32) == eta_us);
        }
    }
}

static void test_q32_product(void **state)
{
    (void)state;
    assert_true(hs_q32_mul(HS_Q32_ONE, 12345) == 12345);
    assert_true(hs_q32_mul(HS_Q32_ONE / 2, HS_Q32_ONE / 2) == HS_Q32_ONE / 4);
    assert_true(hs_q32_mul(3, HS_Q32_ONE / 2) == 1); /* 1.5, down */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_1_finishes_at_start_plus_work),
        cmocka_unit_test(test_small_rates),
        cmocka_unit_test(test_fractions_are_carried),
        cmocka_unit_test(test_ends_of_the_ranges),
        cmocka_unit_test(test_no_work_is_done_at_once),
        cmocka_unit_test(test_work_is_conserved),
        cmocka_unit_test(test_eta_is_exact),
        cmocka_unit_test(test_eta_survives_interruptions),
        cmocka_unit_test(test_q32_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
