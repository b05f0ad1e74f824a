/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The noise of the sharing model: residuals have the mean and the deviation that the hold-out error
 * states, depend on the ordered pair, the type and the seed and on nothing else, and do not change
 * measured pairs. Tolerances are four standard errors of the estimate tested.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/interference_fixture.h"

#define ONE      HS_Q20_ONE
#define SIGMAS   4.0
#define ROUNDING 4e-6 /* of two slowdowns below 2 in Q20, as speeds */

/* Slowdowns 1 + u v of 70.0 to 89.9 %: 1.49 to 1.81, speeds 0.55 to 0.67, so that no residual of
 * 0.08 x 3.5 reaches a bound. */
#define LOW   700
#define STEPS 200
#define RMSE  0.08 /* of interference_tables */

static struct hs_interference_options noise_of(double noise, uint64_t seed)
{
    return (struct hs_interference_options){.gamma = 1, .noise = noise, .seed = seed};
}

static struct hs_tenant of_util(int32_t util_pm)
{
    return (struct hs_tenant){.profile = HS_NO_PROFILE, .util_pm = util_pm};
}

static uint64_t of_pair(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                        struct hs_tenant other)
{
    const struct hs_tenant tenants[2] = {own, other};
    return hs_interference_slowdown_q20(m, type, tenants, 2, 0, NULL);
}

static double speed_of(uint64_t slowdown_q20)
{
    return (double)ONE / (double)slowdown_q20;
}

/* From any table of the normal distribution. */
static void normal_quantiles(void **state)
{
    (void)state;
    assert_true(hs_normal_quantile(0.5) == 0);
    assert_true(fabs(hs_normal_quantile(0.975) - 1.959963984540054) < 1e-14);
    assert_true(fabs(hs_normal_quantile(0.8413447460685429) - 1) < 1e-14);
    assert_true(fabs(hs_normal_quantile(0.001) + 3.090232306167813) < 1e-13);
}

typedef double field[STEPS][STEPS];

/* Residuals of bare utilizations on a type, in units of the standard deviation. */
static void fill(field z, double noise, uint64_t seed, uint32_t type)
{
    struct hs_interference_options options = noise_of(noise, seed);
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    for (int32_t i = 0; i < STEPS; i++)
        for (int32_t j = 0; j < STEPS; j++) {
            double speed = speed_of(of_pair(m, type, of_util(LOW + i), of_util(LOW + j)));
            z[i][j] = (speed - 1 / (1 + (LOW + i) * (LOW + j) / 1e6)) / (noise * RMSE);
        }
    hs_interference_free(m);
}

/* Mean of the products of two fields, the second one shifted, or transposed. */
static double correlation(field a, field b, int32_t down, int32_t right, bool is_turned)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i + down < STEPS; i++)
        for (int32_t j = is_turned ? i + 1 : 0; j + right < STEPS; j++, count++)
            sum += a[i][j] * (is_turned ? b[j][i] : b[i + down][j + right]);
    return sum * sqrt(count) / count; /* in standard errors */
}

static void residuals_are_normal(void **state)
{
    (void)state;
    static field z;
    const double n = STEPS * STEPS;
    double sum = 0, squares = 0, beyond_1 = 0, beyond_2 = 0;
    fill(z, 1, 1, INTERFERENCE_P100); /* for a type without a fit: the error of the RTX 3090 */
    for (uint32_t i = 0; i < STEPS; i++)
        for (uint32_t j = 0; j < STEPS; j++) {
            sum += z[i][j];
            squares += z[i][j] * z[i][j];
            beyond_1 += fabs(z[i][j]) > 1;
            beyond_2 += fabs(z[i][j]) > 2;
        }
    assert_true(fabs(sum / n) < SIGMAS / sqrt(n));
    assert_true(fabs(sqrt(squares / n) - 1) < SIGMAS / sqrt(2 * n));
    /* 31.73 and 4.55 % of a normal distribution */
    assert_true(fabs(beyond_1 / n - 0.3173) < SIGMAS * sqrt(0.3173 * 0.6827 / n));
    assert_true(fabs(beyond_2 / n - 0.0455) < SIGMAS * sqrt(0.0455 * 0.9545 / n));
}

static void each_pair_has_its_own(void **state)
{
    (void)state;
    static field z, other;
    fill(z, 1, 1, INTERFERENCE_P100);
    assert_true(fabs(correlation(z, z, 0, 0, true)) < SIGMAS); /* a beside b, b beside a */
    assert_true(fabs(correlation(z, z, 0, 1, false)) < SIGMAS);
    assert_true(fabs(correlation(z, z, 1, 0, false)) < SIGMAS);
    assert_true(fabs(correlation(z, z, 1, 1, false)) < SIGMAS);
    fill(other, 1, 2, INTERFERENCE_P100); /* another seed */
    assert_true(fabs(correlation(z, other, 0, 0, false)) < SIGMAS);
    fill(other, 1, 1, INTERFERENCE_V100); /* another type */
    assert_true(fabs(correlation(z, other, 0, 0, false)) < SIGMAS);
    fill(other, 0.5, 1, INTERFERENCE_P100); /* half the noise: half the same residuals */
    for (uint32_t i = 0; i < STEPS; i++)
        for (uint32_t j = 0; j < STEPS; j++)
            assert_true(fabs(z[i][j] - other[i][j]) * RMSE / 2 < ROUNDING);
    static field again;
    fill(other, 1, 1, INTERFERENCE_V100_AGAIN); /* two spellings of one type */
    fill(again, 1, 1, INTERFERENCE_V100);
    assert_memory_equal(again, other, sizeof other);
}

/* ---- jobs of the catalogue ---- */

#define JOBS 64u
static const struct hs_interference_type types[] = {{.gpu = "V100"}, {.gpu = "T4"}};

/* Rank-1 with 0.8 x 0.8 for every pair: S 1.64, RMSE 0.05; job 0 beside job 1 was measured as 1.64
 * as well. The file lists the jobs in one order, the catalogue in the same or in reverse. */
static struct hs_interference *load_jobs(const struct hs_interference_options *options,
                                         bool is_reversed, struct hs_catalogue *catalogue)
{
    static char model[8192], profiles[4096];
    struct hs_interference *m = NULL;
    struct sink sink;
    size_t at = 0, used = (size_t)snprintf(profiles, sizeof profiles, "%s\n",
                                           "model,dataset,batch,precision,util");
    at = (size_t)snprintf(
        model, sizeof model,
        "{\"kind\": \"interference\", \"format\": 2, \"forms\": [{\"gpu\": \"V100\", "
        "\"mode\": \"timeslice\", \"k\": 1, "
        "\"alpha\": 1, \"beta\": 1, \"holdout\": [{\"rmse\": 0.08}]}], \"tables\": [{\"gpu\": "
        "\"V100\", \"mode\": \"timeslice\", \"form\": \"rank-1\", \"pairs\": [[0, 1, 1.64]], "
        "\"holdout\": [{\"rmse\": "
        "0.05}], \"jobs\": [");
    for (unsigned i = 0; i < JOBS; i++) {
        at += (size_t)snprintf(model + at, sizeof model - at,
                               "%s{\"profile\": \"m%u/d/1/fp32\", \"a\": 0.8, \"b\": 0.8}",
                               i > 0 ? ", " : "", i);
        used += (size_t)snprintf(profiles + used, sizeof profiles - used, "m%u,d,1,fp32,80\n",
                                 is_reversed ? JOBS - 1 - i : i);
    }
    at += (size_t)snprintf(model + at, sizeof model - at, "]}]}");
    sink_init(&sink);
    if (hs_catalogue_load(catalogue, scratch_write("jobs.csv", profiles, used), &sink.diag) !=
            HS_OK ||
        hs_interference_load(&m, scratch_write("jobs.json", model, at), catalogue, options, types,
                             2, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
    return m;
}

static struct hs_tenant job(const struct hs_catalogue *catalogue, unsigned i, int32_t util_pm)
{
    char key[32];
    (void)snprintf(key, sizeof key, "m%u/d/1/fp32", i);
    return (struct hs_tenant){.profile = hs_catalogue_find(catalogue, key), .util_pm = util_pm};
}

static void tables_have_the_error_of_their_own(void **state)
{
    (void)state;
    struct hs_catalogue catalogue;
    struct hs_interference_options options = noise_of(1, 3);
    struct hs_interference *m = load_jobs(&options, false, &catalogue);
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < JOBS; i++)
        for (unsigned j = 0; j < JOBS; j++) {
            uint64_t s = of_pair(m, 0, job(&catalogue, i, 800), job(&catalogue, j, 800));
            double residual = speed_of(s) - 1 / 1.64;
            if (i == 0 && j == 1) {
                assert_int_equal(s, (uint64_t)(1.64 * (double)ONE + 0.5)); /* measured */
                continue;
            }
            assert_true(residual != 0);
            sum += residual;
            squares += residual * residual;
        }
    const double n = JOBS * JOBS - 1;
    assert_true(fabs(sum / n) < SIGMAS * 0.05 / sqrt(n));
    assert_true(fabs(sqrt(squares / n) / 0.05 - 1) < SIGMAS / sqrt(2 * n));
    hs_interference_free(m);
    hs_catalogue_free(&catalogue);
    /* as if the pair had not been measured */
    options.mode = HS_INTERFERENCE_FIT;
    m = load_jobs(&options, false, &catalogue);
    uint64_t fitted = of_pair(m, 0, job(&catalogue, 0, 800), job(&catalogue, 1, 800));
    assert_true(fabs(speed_of(fitted) - 1 / 1.64) > 1e-4);
    hs_interference_free(m);
    hs_catalogue_free(&catalogue);
}

/* The position of other profiles in the catalogue has no effect, nor does a trace's utilization of
 * a job; on a type without a table the form answers, with an error of 0.08. */
static void draws_belong_to_the_names(void **state)
{
    (void)state;
    struct hs_catalogue catalogue, turned_catalogue;
    struct hs_interference_options options = noise_of(1, 3);
    struct hs_interference *m = load_jobs(&options, false, &catalogue);
    struct hs_interference *turned = load_jobs(&options, true, &turned_catalogue);
    double squares = 0;
    for (unsigned i = 0; i < JOBS; i++)
        for (unsigned j = 0; j < JOBS; j++) {
            struct hs_tenant own = job(&catalogue, i, 800), other = job(&catalogue, j, 800);
            for (uint32_t type = 0; type < 2; type++)
                assert_int_equal(of_pair(turned, type, job(&turned_catalogue, i, 800),
                                         job(&turned_catalogue, j, 800)),
                                 of_pair(m, type, own, other));
            double residual = speed_of(of_pair(m, 1, own, other)) - 1 / 1.64;
            own.util_pm = 750;
            double moved = speed_of(of_pair(m, 1, own, other)) - 1 / 1.6;
            assert_true(fabs(moved - residual) < ROUNDING);
            squares += residual * residual;
        }
    assert_true(fabs(sqrt(squares) / JOBS / RMSE - 1) < SIGMAS / sqrt(2.0 * JOBS * JOBS));
    hs_interference_free(m);
    hs_interference_free(turned);
    hs_catalogue_free(&catalogue);
    hs_catalogue_free(&turned_catalogue);
}

/* ---- bounds ---- */

/* Deviations of 0.8 of a speed of 0.61 exceed both bounds: S is 1, or 20. If the form is slower
 * than that, 1 + 30 x 0.9 x 0.9, noise never slows it further. */
static void speeds_stay_in_their_bounds(void **state)
{
    (void)state;
    static const char slow[] = "{\"kind\": \"interference\", \"format\": 2, \"forms\": [{"
                               "\"gpu\": \"x\", \"mode\": \"timeslice\", \"k\": 30, "
                               "\"alpha\": 1, \"beta\": 1, \"holdout\": [{\"rmse\": 0.08}]}]}";
    struct hs_interference_options options = noise_of(10, 1);
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    uint32_t fastest = 0, slowest = 0;
    for (int32_t u = LOW; u < LOW + STEPS; u++) {
        uint64_t s = of_pair(m, INTERFERENCE_P100, of_util(u), of_util(800));
        assert_true(s >= ONE && s <= 20 * ONE);
        fastest += s == ONE;
        slowest += s == 20 * ONE;
    }
    /* 31 and 24 % of 200, by the normal distribution; four standard errors below */
    assert_true(fastest > 35 && slowest > 23);
    hs_interference_free(m);
    m = interference_of_text(slow, &options);
    for (int32_t u = 900; u <= 1000; u++) {
        double form = 1 + 30 * 0.9 * u / 1000;
        assert_true((double)of_pair(m, 0, of_util(u), of_util(900)) / (double)ONE < form + 1e-5);
    }
    hs_interference_free(m);
}

static void some_have_no_residual(void **state)
{
    (void)state;
    static const double untold[] = {1, 1, 1};
    struct hs_interference_options options = noise_of(1, 1);
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    /* idle jobs */
    assert_int_equal(of_pair(m, INTERFERENCE_P100, of_util(0), of_util(900)), ONE);
    assert_int_equal(of_pair(m, INTERFERENCE_P100, of_util(900), of_util(0)), ONE);
    hs_interference_free(m);
    /* a file without an error */
    m = interference_of_form(untold, &options);
    for (int32_t u = 1; u <= 1000; u++)
        assert_int_equal(of_pair(m, 0, of_util(u), of_util(1000)),
                         ONE + (uint64_t)(u * (double)ONE / 1000 + 0.5));
    assert_true(isnan(hs_interference_noise_rmse(m, 0, HS_SLOWDOWN_GENERAL)));
    hs_interference_free(m);
    options.mode = HS_INTERFERENCE_CONST;
    options.excess = 0.25;
    m = interference_of_text(NULL, &options);
    assert_int_equal(of_pair(m, 0, of_util(500), of_util(500)), ONE + ONE / 4);
    hs_interference_free(m);
}

/* Without noise the seed has no effect, and nothing is drawn. */
static void no_noise_is_no_noise(void **state)
{
    (void)state;
    struct hs_interference_options options = noise_of(0, 0), seeded = noise_of(0, 99);
    struct hs_interference *a = interference_of_text(interference_tables, &options);
    struct hs_interference *b = interference_of_text(interference_tables, &seeded);
    for (uint32_t type = 0; type < INTERFERENCE_TYPES; type++)
        for (uint32_t i = 0; i < 25; i++) {
            struct hs_tenant own = {.profile = i % 5, .util_pm = (int32_t)(40 * i)};
            struct hs_tenant other = {.profile = i / 5, .util_pm = (int32_t)(1000 - 40 * i)};
            assert_int_equal(of_pair(a, type, own, other), of_pair(b, type, own, other));
        }
    for (int32_t u = 0; u <= 1000; u++)
        assert_int_equal(of_pair(b, INTERFERENCE_P100, of_util(u), of_util(1000)),
                         ONE + (uint64_t)(u * (double)ONE / 1000 + 0.5));
    hs_interference_free(a);
    hs_interference_free(b);
}

static void errors_that_noise_goes_by(void **state)
{
    (void)state;
    struct hs_interference_options options = noise_of(1, 1);
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    assert_true(hs_interference_noise_rmse(m, INTERFERENCE_V100, HS_SLOWDOWN_FITTED) == 0.058);
    assert_true(hs_interference_noise_rmse(m, INTERFERENCE_V100, HS_SLOWDOWN_GENERAL) == RMSE);
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_V100, HS_SLOWDOWN_GENERAL)));
    assert_true(isnan(hs_interference_noise_rmse(m, INTERFERENCE_P100, HS_SLOWDOWN_FITTED)));
    assert_true(isnan(hs_interference_noise_rmse(m, INTERFERENCE_V100, HS_SLOWDOWN_MEASURED)));
    hs_interference_free(m);
}

/* ---- sets, and gamma ---- */

static double excess(const struct hs_interference *m, const struct hs_tenant *t, int own, int other)
{
    return (double)of_pair(m, INTERFERENCE_P100, t[own], t[other]) / (double)ONE - 1;
}

static void sets_are_made_of_noisy_pairs(void **state)
{
    (void)state;
    struct hs_interference_options options = noise_of(1, 5);
    const struct hs_tenant t[3] = {of_util(600), of_util(700), of_util(800)};
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    double x01 = excess(m, t, 0, 1), x02 = excess(m, t, 0, 2);
    assert_true(x01 != 0.42 && x02 != 0.48);
    double s =
        (double)hs_interference_slowdown_q20(m, INTERFERENCE_P100, t, 3, 0, NULL) / (double)ONE;
    assert_true(fabs(s - (1 + x01 + x02)) < ROUNDING);
    hs_interference_free(m);
}

/* The error is that of measured slowdowns: gamma is applied after the noise. */
static void gamma_raises_noisy_slowdowns(void **state)
{
    (void)state;
    struct hs_interference_options options = noise_of(1, 5);
    struct hs_interference *m = interference_of_text(interference_tables, &options);
    options.gamma = 2;
    struct hs_interference *raised = interference_of_text(interference_tables, &options);
    for (int32_t u = 100; u <= 1000; u += 50) {
        double s = (double)of_pair(m, INTERFERENCE_P100, of_util(u), of_util(500)) / (double)ONE;
        double r =
            (double)of_pair(raised, INTERFERENCE_P100, of_util(u), of_util(500)) / (double)ONE;
        assert_true(fabs(r - s * s) < ROUNDING);
        /* A beside A on the V100, from the table: 1 + 0.5 x 1 */
        struct hs_tenant a = {.profile = INTERFERENCE_A, .util_pm = u};
        s = (double)of_pair(m, INTERFERENCE_V100, a, a) / (double)ONE;
        r = (double)of_pair(raised, INTERFERENCE_V100, a, a) / (double)ONE;
        assert_true(s != 1.5 && fabs(r - s * s) < ROUNDING);
    }
    hs_interference_free(m);
    hs_interference_free(raised);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_quantiles),
        cmocka_unit_test(residuals_are_normal),
        cmocka_unit_test(each_pair_has_its_own),
        cmocka_unit_test(tables_have_the_error_of_their_own),
        cmocka_unit_test(draws_belong_to_the_names),
        cmocka_unit_test(speeds_stay_in_their_bounds),
        cmocka_unit_test(some_have_no_residual),
        cmocka_unit_test(no_noise_is_no_noise),
        cmocka_unit_test(errors_that_noise_goes_by),
        cmocka_unit_test(sets_are_made_of_noisy_pairs),
        cmocka_unit_test(gamma_raises_noisy_slowdowns),
    };
    return cmocka_run_group_tests_name("interference_noise", tests, interference_open,
                                       interference_close);
}
