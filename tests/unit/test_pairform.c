/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pair form over its whole domain, compared with the formula in doubles and with values
 * calculated by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/profile.h"

#define FULL 1000

static struct hs_pairform form;

/* k, alpha, beta: the fit of configs/models/README.md, the closed queue, exponents on either side
 * of 1, no interference, the limits of a model file. */
static const double forms[][3] = {
    {0.677, 1.016, 1.763}, {1, 1, 1}, {0.49, 1, 1},    {0.3, 0.2, 0.5},
    {1, 3.5, 0.01},        {0, 1, 2}, {100, 10, 0.01},
};
#define FORMS (sizeof forms / sizeof forms[0])

static void init(const double *p)
{
    hs_pairform_init(&form, p[0], p[1], p[2]);
}

/* Powers of two are exact in Q20, so that these are ==. */
static void test_exact(void **state)
{
    (void)state;
    hs_pairform_init(&form, 1, 1, 1);
    assert_int_equal(hs_pairform_excess_q20(&form, 1000, 1000), HS_Q20_ONE);
    assert_int_equal(hs_pairform_excess_q20(&form, 500, 1000), HS_Q20_ONE / 2);
    assert_int_equal(hs_pairform_excess_q20(&form, 500, 500), HS_Q20_ONE / 4);
    assert_int_equal(hs_pairform_excess_q20(&form, 250, 500), HS_Q20_ONE / 8);
    hs_pairform_init(&form, 0.5, 2, 3);
    assert_int_equal(hs_pairform_excess_q20(&form, 500, 1000), HS_Q20_ONE / 8);
    assert_int_equal(hs_pairform_excess_q20(&form, 1000, 500), HS_Q20_ONE / 16);
    assert_int_equal(hs_pairform_excess_q20(&form, 500, 500), HS_Q20_ONE / 64);
}

/* Idle is 0, unknown counts as idle, above 100 % as 100 %. */
static void test_edges(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        init(forms[f]);
        uint64_t most_q20 = (uint64_t)(forms[f][0] * (double)HS_Q20_ONE + 0.5);
        assert_int_equal(hs_pairform_excess_q20(&form, FULL, FULL), most_q20);
        assert_int_equal(hs_pairform_excess_q20(&form, INT32_MAX, FULL + 1), most_q20);
        for (int32_t u = -1; u <= FULL; u++) {
            assert_int_equal(hs_pairform_excess_q20(&form, 0, u), 0);
            assert_int_equal(hs_pairform_excess_q20(&form, u, 0), 0);
            assert_int_equal(hs_pairform_excess_q20(&form, -1, u), 0);
            assert_int_equal(hs_pairform_excess_q20(&form, u, INT32_MIN), 0);
        }
    }
}

/* All 10^6 pairs of utilizations: monotone in both, at most k, and within one unit of Q20 of the
 * formula (half a unit for rounding k, scaled by at most 1, half for rounding the product; for
 * k = 100 also the tables' 2^-31 count: 100 x 2 x 2^-31 is 0.1 unit). */
static void test_whole_domain(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        const double *p = forms[f];
        uint64_t above[FULL + 1] = {0};
        double other_power[FULL + 1];
        init(p);
        for (int32_t v = 0; v <= FULL; v++)
            other_power[v] = pow(v / 1000.0, p[2]);
        for (int32_t u = 0; u <= FULL; u++) {
            double own_power = p[0] * pow(u / 1000.0, p[1]);
            uint64_t left = 0;
            for (int32_t v = 0; v <= FULL; v++) {
                uint64_t excess_q20 = hs_pairform_excess_q20(&form, u, v);
                double truth_q20 = own_power * other_power[v] * (double)HS_Q20_ONE;
                if (excess_q20 < left || excess_q20 < above[v] || excess_q20 > form.k_q20 ||
                    fabs((double)excess_q20 - truth_q20) > 1.1)
                    fail_msg("form %zu at %d, %d: %llu, not %g", f, (int)u, (int)v,
                             (unsigned long long)excess_q20, truth_q20);
                left = excess_q20;
                above[v] = excess_q20;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_whole_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
