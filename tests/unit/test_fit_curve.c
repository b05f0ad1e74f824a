/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms to curves: by hand where a person can follow, else the curve's own distribution
 * function against the numbers that it was made of.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "workload/fit_parts.h"

#define JOBS 20000

struct fitted {
    struct hs_loghist values;
    struct hs_arena arena;
    struct hs_curve curve;
};

static void fit(struct fitted *f, const uint64_t *values, uint32_t count)
{
    *f = (struct fitted){0};
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(hs_loghist_add(&f->values, values[i]), HS_OK);
    assert_int_equal(hs_fit_curve(&f->values, true, &f->arena, &f->curve), HS_OK);
    assert_true(f->curve.rank[0] == 0 && f->curve.rank[f->curve.count - 1] == 1);
    for (uint32_t i = 1; i < f->curve.count; i++) {
        assert_true(f->curve.rank[i] > f->curve.rank[i - 1]);
        assert_true(f->curve.value[i] >= f->curve.value[i - 1]);
    }
}

static void drop(struct fitted *f)
{
    hs_loghist_free(&f->values);
    hs_arena_free(&f->arena);
}

static double drawn(const struct fitted *f, double rank)
{
    return ceil(hs_curve_at(&f->curve, rank));
}

/* Of 4 jobs two take 0 s, one 3, one 1,000: each quarter of the ranks is one of them. */
static void test_few(void **state)
{
    static const uint64_t values[] = {0, 1000, 3, 0};
    struct fitted f;
    (void)state;
    fit(&f, values, 4);
    assert_true(drawn(&f, .01) == 0 && drawn(&f, .499) == 0);
    assert_true(drawn(&f, .51) == 3 && drawn(&f, .74) == 3);
    assert_true(drawn(&f, .76) == 1000 && drawn(&f, .9999) == 1000);
    drop(&f);
}

static void test_one_value(void **state)
{
    static const uint64_t values[] = {7, 7, 7};
    struct fitted f;
    (void)state;
    fit(&f, values, 3);
    assert_int_equal(f.curve.count, 2);
    assert_true(drawn(&f, .001) == 7 && drawn(&f, 1) == 7);
    drop(&f);
}

/* All ranks at or below which the curve, rounded up, is at most this value. */
static double upto(const struct fitted *f, double value)
{
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (drawn(f, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Durations over six decades with a tenth of them just 60 s: off by .001 of the jobs (or by the
 * width of a bucket of the histogram, .1 % of a value, which is less), in the tail by 1 % of the
 * jobs beyond; so the mean is right within about 1 %. 20,000 numbers become few points. */
static void test_many(void **state)
{
    static uint64_t values[JOBS];
    struct fitted f;
    double mean = 0;
    (void)state;
    for (uint32_t i = 0; i < JOBS; i++) {
        double z = hs_normal_of(11, i);
        values[i] = i % 10 == 0 ? 60 : (uint64_t)ceil(exp(5.5 + 2.3 * z));
        mean += (double)values[i] / JOBS;
    }
    fit(&f, values, JOBS);
    qsort(values, JOBS, sizeof *values, by_size);
    for (uint32_t i = 0; i + 1 < JOBS; i++) {
        double share = (i + 1.0) / JOBS, allowed = fmin(.002, .02 * (1 - share) + 1e-6);
        if (values[i + 1] > values[i] + values[i] / 1000 &&
            fabs(upto(&f, (double)values[i]) - share) > allowed)
            fail_msg("%u s: %g, not %g", (unsigned)values[i], upto(&f, (double)values[i]), share);
    }
    assert_true(fabs(hs_curve_mean(&f.curve) / mean - 1) < .015);
    assert_true(f.curve.count < 300);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
