/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers of one half compared with Slurm's published table and long doubles, and decayed means
 * compared with their integral.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/simple/fair.c"

#define DAY_US INT64_C(86400000000)

static double power(hs_u128 num, uint64_t den)
{
    return (double)half_power_q62(num, den) / 0x1p62;
}

/* doc/html/classic_fair_share.shtml of Slurm, section Example: fair-share factors 2**(-UE/S) of
 * users 1 to 5, to six decimals. User 5's effective usage is (0.25 * 35 / 60 = 0.14583). */
static void slurm_example(void **state)
{
    (void)state;
    assert_true(fabs(power(3875, 3000) - 0.408479) < 5e-7);
    assert_true(fabs(power(275, 50) - 0.022097) < 5e-7);
    assert_true(fabs(power(15, 5) - 0.125) < 1e-15);
    assert_true(fabs(power(25, 25) - 0.5) < 1e-15);
    assert_true(fabs(power(25 * 35, 60 * 35) - 0.749154) < 5e-7);
}

static void powers(void **state)
{
    (void)state;
    assert_true(half_power_q62(0, 7) == UINT64_C(1) << 62);
    assert_true(half_power_q62(12 * 7, 7) == UINT64_C(1) << 50);
    assert_true(half_power_q62(62, 1) == 1 && half_power_q62(63, 1) == 0);
    for (uint64_t i = 0; i < 100000; i++) {
        const uint64_t den = (hs_mix64(1, i) >> i % 63) + 1, num = hs_mix64(2, i) >> i % 61;
        const long double exact = exp2l(-(long double)num / (long double)den);
        const long double own = (long double)half_power_q62(num, den) / 0x1p62L;
        assert_true(fabsl(own - exact) < 0x1p-55L);
    }
}

/* 4 from day 0 to 14, then 0, half-life 14 days: 4 (1 - 1/2) = 2 at day 14, 1 at day 28. From then
 * on 2: at day 42 it is 1/2 + 2 (1 - 1/2) = 1.5. */
static void by_hand(void **state)
{
    struct decayed d = {0};
    (void)state;
    decayed_change(&d, 0, 4, 14 * DAY_US);
    decayed_change(&d, 14 * DAY_US, -4, 14 * DAY_US);
    assert_true(d.mean_q32 == UINT64_C(2) << 32);
    decayed_change(&d, 28 * DAY_US, 2, 14 * DAY_US);
    assert_true(d.mean_q32 == UINT64_C(1) << 32);
    assert_true(decayed_at(&d, 42 * DAY_US, 14 * DAY_US) == UINT64_C(3) << 31);
}

/* Many changes at random times: the sum over the intervals of constant level is the integral. */
static void integral(void **state)
{
    struct decayed d = {0};
    long double mean = 0;
    int64_t at_us = 0;
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        const int64_t passed_us = (int64_t)(hs_mix64(3, i) % (uint64_t)DAY_US >> i % 37);
        const long double kept = exp2l(-(long double)passed_us / (7 * DAY_US));
        mean = mean * kept + (long double)d.level * (1 - kept);
        at_us += passed_us;
        const int64_t level = (int64_t)(hs_mix64(4, i) % 1000000);
        decayed_change(&d, at_us, level - (int64_t)d.level, 7 * DAY_US);
        assert_true(fabsl((long double)d.mean_q32 / 0x1p32L - mean) < 1e-5L);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slurm_example), cmocka_unit_test(powers),
                                       cmocka_unit_test(by_hand), cmocka_unit_test(integral)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
