/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model of sharing: which source answers, and values by hand. Its laws over the whole domain
 * are in test_interference_laws.c, messages about bad files in test_interference_load.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/interference_fixture.h"

#define ONE HS_Q20_ONE

static const struct hs_interference_options plain = {.gamma = 1};

static uint64_t of_pair(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                        struct hs_tenant other, enum hs_slowdown_source expected)
{
    enum hs_slowdown_source source;
    struct hs_tenant tenants[2] = {other, own};
    uint64_t slowdown_q20 = hs_interference_slowdown_q20(m, type, tenants, 2, 1, &source);
    assert_string_equal(hs_slowdown_sources[source], hs_slowdown_sources[expected]);
    return slowdown_q20;
}

static struct hs_tenant tenant(uint32_t profile, int32_t util_pm)
{
    return (struct hs_tenant){.profile = profile, .util_pm = util_pm};
}

static struct hs_tenant of_util(int32_t util_pm)
{
    return tenant(HS_NO_PROFILE, util_pm);
}

static uint64_t q20(double value)
{
    return (uint64_t)(value * (double)ONE + 0.5);
}

/* ---- which source answers ---- */

static void test_alone(void **state)
{
    (void)state;
    enum hs_slowdown_source source;
    struct hs_tenant tenants[HS_TENANTS_MAX] = {
        {.profile = INTERFERENCE_A, .util_pm = 1000}}; /* the other tenants are A at 0 */
    struct hs_interference *m = interference_of_text(interference_tables, &plain);
    for (uint32_t count = 1; count <= HS_TENANTS_MAX; count++) {
        source = HS_SLOWDOWN_MEASURED;
        assert_int_equal(
            hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, count, 0, &source), ONE);
        assert_int_equal(source, HS_SLOWDOWN_ALONE);
    }
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 1, 0, NULL), ONE);
    /* A pair among idle jobs is a pair. */
    tenants[3] = tenant(INTERFERENCE_B, 1000);
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 5, 0, &source),
                     q20(2.5));
    assert_int_equal(source, HS_SLOWDOWN_MEASURED);
    hs_interference_free(m);
}

static void test_sources(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(interference_tables, &plain);
    struct hs_tenant a = tenant(INTERFERENCE_A, 500), b = tenant(INTERFERENCE_B, 1000),
                     c = tenant(INTERFERENCE_C, 900);
    for (uint32_t type = INTERFERENCE_V100; type < INTERFERENCE_TYPES;
         type += INTERFERENCE_V100_AGAIN - INTERFERENCE_V100) {
        assert_int_equal(of_pair(m, type, a, b, HS_SLOWDOWN_MEASURED), q20(2.5));
        /* 0.875 means faster than alone: clipped. */
        assert_int_equal(of_pair(m, type, b, a, HS_SLOWDOWN_MEASURED), ONE);
        assert_int_equal(of_pair(m, type, a, a, HS_SLOWDOWN_FITTED), q20(1 + 0.5 * 1));
        assert_int_equal(of_pair(m, type, a, c, HS_SLOWDOWN_FITTED), ONE); /* b of C is 0 */
        /* 1 + 100 x 1 exceeds the limit: a fitted speed is at least 0.05. */
        assert_int_equal(of_pair(m, type, c, a, HS_SLOWDOWN_FITTED), q20(20));
        assert_int_equal(of_pair(m, type, a, tenant(INTERFERENCE_D, 700), HS_SLOWDOWN_GENERAL),
                         q20(1.35));
        assert_int_equal(of_pair(m, type, tenant(INTERFERENCE_D, 700), a, HS_SLOWDOWN_GENERAL),
                         q20(1.35));
        /* Utilization does not affect a table, unless it marks a job as idle. */
        assert_int_equal(of_pair(m, type, a, tenant(INTERFERENCE_B, -1), HS_SLOWDOWN_MEASURED),
                         q20(2.5));
        assert_int_equal(of_pair(m, type, a, tenant(INTERFERENCE_B, 0), HS_SLOWDOWN_ALONE), ONE);
    }
    assert_int_equal(of_pair(m, INTERFERENCE_P100, a, b, HS_SLOWDOWN_GENERAL), q20(1.5));
    assert_int_equal(of_pair(m, INTERFERENCE_P100, of_util(250), of_util(500), HS_SLOWDOWN_GENERAL),
                     q20(1.125));
    /* an unknown utilization counts as 100 % */
    assert_int_equal(of_pair(m, INTERFERENCE_P100, of_util(-1), of_util(500), HS_SLOWDOWN_GENERAL),
                     q20(1.5));
    assert_int_equal(of_pair(m, INTERFERENCE_P100, of_util(500), of_util(-1), HS_SLOWDOWN_GENERAL),
                     q20(1.5));
    assert_int_equal(of_pair(m, INTERFERENCE_P100, tenant(77, 500), b, HS_SLOWDOWN_GENERAL),
                     q20(1.5));
    hs_interference_free(m);
}

static void test_fit_mode(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(
        interference_tables,
        &(struct hs_interference_options){.mode = HS_INTERFERENCE_FIT, .gamma = 1});
    struct hs_tenant a = tenant(INTERFERENCE_A, 500), b = tenant(INTERFERENCE_B, 1000);
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_FITTED), q20(1 + 0.5 * 0.25));
    assert_int_equal(of_pair(m, INTERFERENCE_V100, b, a, HS_SLOWDOWN_FITTED), q20(1 + 2 * 1.0));
    hs_interference_free(m);
}

/* Speeds: general(u, v) + own_i + other_j + own_slope_i v + other_slope_j u. */
static void test_two_way(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(interference_tables, &plain);
    /* The utilizations of the file count: 50 %, 100 %, 25 %. */
    struct hs_tenant a = tenant(INTERFERENCE_A, 10), b = tenant(INTERFERENCE_B, 10),
                     c = tenant(INTERFERENCE_C, 10);
    /* A beside A: 1 / 1.25 + 0.0625 - 0.125 + 0.25 x 0.5 - 0.5 x 0.5 = 0.6125 */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, a, a, HS_SLOWDOWN_FITTED), q20(1 / 0.6125));
    /* A beside C: 1 / 1.125 + 0.0625 - 0.25 + 0.25 x 0.25 + 0.125 x 0.5 */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, a, c, HS_SLOWDOWN_FITTED),
                     q20(1 / (1 / 1.125 - 0.0625)));
    /* C beside A: 1 / 1.125 + 0.03125 - 0.125 - 0.25 x 0.5 - 0.5 x 0.25 */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, c, a, HS_SLOWDOWN_FITTED),
                     q20(1 / (1 / 1.125 - 0.34375)));
    /* A beside B: 1 / 1.5 + 0.0625 - 1.5 + 0.25 x 1 < 0.05: the floor. */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, a, b, HS_SLOWDOWN_FITTED), q20(20));
    /* B beside A: 1 / 1.5 + 1.5 - 0.125 - 0.5 x 1 > 1: no slowdown. */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, b, a, HS_SLOWDOWN_FITTED), ONE);
    /* B beside B: 1 / 2 + 1.5 - 1.5 = 0.5 */
    assert_int_equal(of_pair(m, INTERFERENCE_RTX3090, b, b, HS_SLOWDOWN_FITTED), 2 * ONE);
    hs_interference_free(m);
}

/* Without effects a two-way table is the general form: 1 + 0.5 x 0.5^2 x 0.25 and 1 + 0.5 x 0.25^2
 * x 0.5. */
static void test_two_way_exponents(void **state)
{
    (void)state;
    static const char text[] =
        "{\"kind\": \"interference\", \"format\": 2,\n"
        " \"forms\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"k\": 0.5, \"alpha\": 2, "
        "\"beta\": 1}], \"tables\": [\n"
        "   {\"gpu\": \"V100\", \"mode\": \"timeslice\", \"form\": \"two-way\", \"jobs\": [\n"
        "     {\"profile\": \"A/d/1/fp32\", \"util\": 0.5, \"own\": 0, \"other\": 0,\n"
        "      \"own_slope\": 0, \"other_slope\": 0},\n"
        "     {\"profile\": \"B/d/1/fp32\", \"util\": 0.25, \"own\": 0, \"other\": 0,\n"
        "      \"own_slope\": 0, \"other_slope\": 0}]}]}";
    struct hs_interference *m = interference_of_text(text, &plain);
    struct hs_tenant a = tenant(INTERFERENCE_A, 500), b = tenant(INTERFERENCE_B, 250);
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_FITTED), q20(1.03125));
    assert_int_equal(of_pair(m, INTERFERENCE_V100, b, a, HS_SLOWDOWN_FITTED), q20(1.015625));
    hs_interference_free(m);
}

/* Curves bend at 0.5 of the co-runner's utilization, and two models have an effect of their own. A
 * beside B: 1 / 1.5 + 0.25 (1 - 0.5) - 0.0625; B beside A, whose own utilization is 1: 1 / 1.5 +
 * 0.5 (1 - 0.5), and A's 0.5 is where B's own curve bends. */
static void test_two_way_bends_and_models(void **state)
{
    (void)state;
    static const char text[] =
        "{\"kind\": \"interference\", \"format\": 2,\n"
        " \"forms\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"k\": 1, \"alpha\": 1, "
        "\"beta\": 1}], \"tables\": [\n"
        "   {\"gpu\": \"V100\", \"mode\": \"timeslice\", \"form\": \"two-way\", \"jobs\": [\n"
        "     {\"profile\": \"A/d/1/fp32\", \"util\": 0.5, \"own\": 0, \"own_slope\": 0,\n"
        "      \"own_bend\": 0.25, \"other\": 0, \"other_slope\": 0, \"other_bend\": 0.5},\n"
        "     {\"profile\": \"B/d/1/fp32\", \"util\": 1, \"own\": 0, \"own_slope\": 0,\n"
        "      \"own_bend\": 8, \"other\": 0, \"other_slope\": 0, \"other_bend\": 8}],\n"
        "    \"model_pairs\": [[\"A\", \"B\", -0.0625]]}]}";
    struct hs_interference *m = interference_of_text(text, &plain);
    struct hs_tenant a = tenant(INTERFERENCE_A, 500), b = tenant(INTERFERENCE_B, 1000);
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_FITTED),
                     q20(1 / (1 / 1.5 + 0.0625)));
    assert_int_equal(of_pair(m, INTERFERENCE_V100, b, a, HS_SLOWDOWN_FITTED),
                     q20(1 / (1 / 1.5 + 0.25)));
    hs_interference_free(m);
}

static void test_errors_reported(void **state)
{
    (void)state;
    struct hs_interference *m = interference_of_text(interference_tables, &plain);
    assert_true(hs_interference_error(m, INTERFERENCE_V100, HS_SLOWDOWN_FITTED) == 0.058);
    assert_true(hs_interference_error(m, INTERFERENCE_V100_AGAIN, HS_SLOWDOWN_FITTED) == 0.058);
    assert_true(hs_interference_error(m, INTERFERENCE_RTX3090, HS_SLOWDOWN_GENERAL) == 0.08);
    /* No score; fitted elsewhere; no table; no model. */
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_RTX3090, HS_SLOWDOWN_FITTED)));
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_V100, HS_SLOWDOWN_GENERAL)));
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_P100, HS_SLOWDOWN_FITTED)));
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_V100, HS_SLOWDOWN_MEASURED)));
    assert_true(isnan(hs_interference_error(m, INTERFERENCE_RTX3090, HS_SLOWDOWN_MODELLED)));
    hs_interference_free(m);
}

/* ---- const, none, gamma ---- */

static void test_flat(void **state)
{
    (void)state;
    struct hs_tenant tenants[3] = {{.profile = INTERFERENCE_A, .util_pm = 500},
                                   {.profile = INTERFERENCE_B, .util_pm = 0},
                                   {.profile = INTERFERENCE_C, .util_pm = -1}};
    enum hs_slowdown_source source;
    struct hs_interference *m =
        interference_of_text(NULL, &(struct hs_interference_options){
                                       .mode = HS_INTERFERENCE_CONST, .excess = 0.25, .gamma = 1});
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 2, 0, &source),
                     ONE);
    assert_int_equal(source, HS_SLOWDOWN_ALONE);
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 3, 0, &source),
                     q20(1.25));
    assert_int_equal(source, HS_SLOWDOWN_ASSUMED);
    tenants[1].util_pm = 1000; /* one more has no further effect */
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, tenants, 3, 0, &source),
                     q20(1.25));
    hs_interference_free(m);
    m = interference_of_text(NULL, &(struct hs_interference_options){
                                       .mode = HS_INTERFERENCE_CONST, .excess = 0.25, .gamma = 2});
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_P100, tenants, 3, 0, NULL),
                     q20(1.5625));
    hs_interference_free(m);
    m = interference_of_text(NULL, &(struct hs_interference_options){
                                       .mode = HS_INTERFERENCE_NONE, .excess = 9, .gamma = 2});
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_P100, tenants, 3, 0, &source),
                     ONE);
    assert_int_equal(source, HS_SLOWDOWN_ASSUMED);
    hs_interference_free(m);
}

/* Pairs are raised to gamma, then combined into sets: 1 + 2 (1.5^2 - 1) = 3.5, not (1 + 2 x 0.5)^2
 * = 4. */
static void test_gamma(void **state)
{
    (void)state;
    struct hs_interference *m =
        interference_of_text(interference_tables, &(struct hs_interference_options){.gamma = 2});
    struct hs_tenant a = tenant(INTERFERENCE_A, 500), b = tenant(INTERFERENCE_B, 1000);
    const struct hs_tenant three[] = {{.profile = INTERFERENCE_A, .util_pm = 500},
                                      {.profile = INTERFERENCE_A, .util_pm = 500},
                                      {.profile = INTERFERENCE_A, .util_pm = 500}};
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_MEASURED), q20(6.25));
    assert_int_equal(of_pair(m, INTERFERENCE_V100, b, a, HS_SLOWDOWN_MEASURED), ONE);
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, a, HS_SLOWDOWN_FITTED), q20(2.25));
    assert_int_equal(of_pair(m, INTERFERENCE_P100, a, b, HS_SLOWDOWN_GENERAL), q20(2.25));
    assert_int_equal(hs_interference_slowdown_q20(m, INTERFERENCE_V100, three, 3, 0, NULL),
                     q20(3.5));
    hs_interference_free(m);
    m = interference_of_text(interference_tables, &(struct hs_interference_options){.gamma = 0});
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_MEASURED), ONE);
    assert_int_equal(of_pair(m, INTERFERENCE_P100, a, b, HS_SLOWDOWN_GENERAL), ONE);
    hs_interference_free(m);
    /* 2.5^10 is 9537: capped. */
    m = interference_of_text(interference_tables, &(struct hs_interference_options){.gamma = 10});
    assert_int_equal(of_pair(m, INTERFERENCE_V100, a, b, HS_SLOWDOWN_MEASURED), q20(1000));
    assert_int_equal(of_pair(m, INTERFERENCE_P100, b, b, HS_SLOWDOWN_GENERAL),
                     q20(1000)); /* 2^10 */
    hs_interference_free(m);
    /* 1.43 makes the paper's 3.2 of the worst pair of Lucid, 2.25. */
    static const double worst[] = {1.25, 1, 1};
    m = interference_of_form(worst, &(struct hs_interference_options){.gamma = 1.43});
    double raised = (double)of_pair(m, 0, of_util(1000), of_util(1000), HS_SLOWDOWN_GENERAL);
    assert_true(fabs(raised / (double)ONE - 3.2) < 0.02);
    hs_interference_free(m);
}

/* ---- sets ---- */

/* k = 1: additive pressure of jobs of equal utilization, printed with two
 * decimals. */
static void test_published_sets(void **state)
{
    (void)state;
    static const struct {
        uint32_t jobs;
        int32_t util_pm;
        double additive;
    } cases[] = {{3, 500, 1.50}, {3, 900, 2.62}, {3, 1000, 3.00}, {4, 1000, 4.00}, {6, 300, 1.45}};
    static const double closed_queue[] = {1, 1, 1};
    struct hs_interference *m = interference_of_form(closed_queue, &plain);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_tenant tenants[6];
        enum hs_slowdown_source source;
        for (uint32_t j = 0; j < 6; j++)
            tenants[j] = of_util(cases[i].util_pm);
        uint64_t added = hs_interference_slowdown_q20(m, 0, tenants, cases[i].jobs, 1, &source);
        assert_int_equal(source, HS_SLOWDOWN_MODELLED);
        assert_true(fabs((double)added / (double)ONE - cases[i].additive) <= 0.005);
    }
    hs_interference_free(m);
}

/* Additive sets may have the maximal number of tenants: 16 saturated jobs at k = 1 share fairly. */
static void test_most_tenants(void **state)
{
    (void)state;
    static const double closed_queue[] = {1, 1, 1};
    struct hs_tenant tenants[HS_TENANTS_MAX];
    struct hs_interference *m = interference_of_form(closed_queue, &plain);
    for (uint32_t i = 0; i < HS_TENANTS_MAX; i++)
        tenants[i] = of_util(1000);
    assert_int_equal(hs_interference_slowdown_q20(m, 0, tenants, HS_TENANTS_MAX, 7, NULL),
                     HS_TENANTS_MAX * ONE);
    hs_interference_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_fit_mode),
        cmocka_unit_test(test_two_way),
        cmocka_unit_test(test_two_way_exponents),
        cmocka_unit_test(test_two_way_bends_and_models),
        cmocka_unit_test(test_errors_reported),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_published_sets),
        cmocka_unit_test(test_most_tenants),
    };
    return cmocka_run_group_tests(tests, interference_open, interference_close);
}
