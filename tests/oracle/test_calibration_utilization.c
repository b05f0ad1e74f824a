/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Joint utilization and memory on Lucid's pairs: requirement A8 of tests/report/calibrate-report.sh
 * and the figures of its section 5.1, which another program computed. The pairs may not be
 * redistributed: they are read from $HORUS_DATA/calibration, or ../shared/data/calibration; where
 * there are none the tests are skipped with a message.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/data.h"
#include "support/subject.h"

#define MODEL  "unseen model"
#define MODELS "unseen pair of models"
#define PAIR   "unseen pair"

static struct hs_json_doc *doc;

static void fit(uint32_t clean)
{
    (void)data_need("calibration", "lucid/colocate_info.csv");
    const struct hs_calibrate_options options = {.data = {data_path("calibration", "lucid")},
                                                 .data_count = 1,
                                                 .clean = clean,
                                                 .overlap = HS_OVERLAP_TOLERANCE};
    doc = subject_run("utilization", &options);
}

static const struct hs_json *part(const char *key)
{
    const struct hs_json *value = hs_json_get(hs_json_root(doc), key);
    assert_int_equal(hs_json_kind(value), HS_JSON_OBJECT);
    return value;
}

static const struct hs_json *alternative(const char *list, const char *form)
{
    const struct hs_json *at = hs_json_first(hs_json_get(hs_json_root(doc), list));
    while (at != NULL && strcmp(hs_json_text(hs_json_get(at, "form")), form) != 0)
        at = hs_json_next(at);
    if (at == NULL)
        fail_msg("no form '%s' in %s", form, list);
    return at;
}

/* Checks a figure against the one that the calibration study prints, to that many decimals. */
static void expect(const struct hs_json *form, const char *protocol, const char *key,
                   double published, double half_a_digit)
{
    double found = subject_score(form, protocol, key);
    if (!(fabs(found - published) <= half_a_digit))
        fail_msg("%s, %s: %g, published %g", protocol, key, found, published);
}

static void expect_line(const struct hs_json *form, double mae, double rmse, double r2)
{
    expect(form, MODEL, "mae", mae, 0.0006);
    expect(form, MODEL, "rmse", rmse, 0.0006);
    expect(form, MODEL, "r2", r2, 0.0006);
}

static int tear_down(void **state)
{
    (void)state;
    hs_json_close(doc);
    doc = NULL;
    return 0;
}

/* A8: MAE <= .048, RMSE <= .069, R2 >= .92 on the 1109 valid pairs. Where each pair counts once it
 * holds to the last digit; where each counts once for each model left out, as in section 5.1, to
 * the digits given there (.0483 and .9197). */
static void test_must(void **state)
{
    (void)state;
    fit(HS_CLEAN_DEFAULT);
    assert_true(subject_score(part("joint"), PAIR, "n") == 1109);
    assert_true(subject_score(part("joint"), PAIR, "mae") <= 0.048);
    assert_true(subject_score(part("joint"), PAIR, "rmse") <= 0.069);
    assert_true(subject_score(part("joint"), PAIR, "r2") >= 0.92);
    expect(part("joint"), MODEL, "mae", 0.048, 0.0005);
    expect(part("joint"), MODEL, "rmse", 0.068, 0.0005);
    expect(part("joint"), MODEL, "r2", 0.920, 0.0005);
    expect(part("joint"), MODEL, "p95", 0.14, 0.005);
    assert_true(fabs(subject_score(part("joint"), MODEL, "bias")) < 0.005); /* "bias 0" */
}

/* Stretch of A8: .044 / .933, the extra trees of section 5.1 on unseen pairs of models. Effects of
 * the known jobs are better; a form with two parameters is better than that without on unseen
 * models, unlike all references of section 5.1. */
static void test_stretch(void **state)
{
    (void)state;
    fit(HS_CLEAN_DEFAULT);
    assert_true(subject_score(part("known_jobs"), MODELS, "mae") <= 0.044);
    assert_true(subject_score(part("known_jobs"), MODELS, "r2") >= 0.933);
    const struct hs_json *form = alternative("joint_alternatives", "1 - prod(1 - stretch(u))");
    assert_true(subject_score(form, MODEL, "mae") <= 0.048);
    assert_true(subject_score(form, MODEL, "rmse") <= 0.069);
    assert_true(subject_score(form, MODEL, "r2") >= 0.92);
}

/* Section 5.1, GPU column. The p-norm is not there: its search was coarser (.065 there). */
static void test_alternatives(void **state)
{
    (void)state;
    fit(HS_CLEAN_DEFAULT);
    expect_line(alternative("joint_alternatives", "min(1, sum u)"), 0.098, 0.135, 0.68);
    expect_line(alternative("joint_alternatives", "max u"), 0.105, 0.136, 0.679);
    const struct hs_json *scaled = alternative("joint_alternatives", "1 - prod(1 - a u)");
    expect_line(scaled, 0.049, 0.069, 0.9167);
    assert_true(fabs(hs_json_number(hs_json_get(scaled, "a")) - 1.007) < 0.0005);
}

/* Section 5.1, memory column: best there u/S1 + v/S2, .035 / .050 / .949. */
static void test_bandwidth(void **state)
{
    (void)state;
    fit(HS_CLEAN_DEFAULT);
    const char *list = "joint_bandwidth_alternatives";
    expect_line(alternative(list, "1 - prod(1 - u)"), 0.038, 0.057, 0.933);
    expect_line(alternative(list, "min(1, sum u)"), 0.075, 0.114, 0.732);
    expect_line(alternative(list, "max u"), 0.066, 0.089, 0.835);
    const struct hs_json *scaled = alternative(list, "1 - prod(1 - a u)");
    expect_line(scaled, 0.038, 0.054, 0.940);
    assert_true(fabs(hs_json_number(hs_json_get(scaled, "a")) - 0.944) < 0.0005);
    assert_true(subject_score(part("joint_bandwidth"), MODEL, "mae") <= 0.035);
    assert_true(subject_score(part("joint_bandwidth"), MODEL, "rmse") <= 0.050);
    assert_true(subject_score(part("joint_bandwidth"), MODEL, "r2") >= 0.949);
}

/* Section 5.1: median +.02 GB, 79 % within .25 GB, 91 % within 1 GB, 5.8 % short by more, at most
 * 2.3 GB; reserves 1.1 and 1.6 GB. It does not state of which pairs: two percentage points of
 * difference are accepted, and GB of 1000 as of 1024. */
static void test_memory(void **state)
{
    (void)state;
    fit(HS_CLEAN_DEFAULT);
    static const struct {
        const char *key;
        double published, tolerance;
    } figures[] = {
        {"median_mib", 20, 5},
        {"within_256_mib", 0.79, 0.02},
        {"within_1024_mib", 0.91, 0.01},
        {"short_by_1024_mib", 0.058, 0.01},
        {"max_mib", 2330, 40},
        {"reserve_p95_mib", 1.05 * 1024, 0.07 * 1024},
        {"reserve_p99_mib", 1.6 * 1000, 50},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double found = hs_json_number(hs_json_get(part("memory"), figures[i].key));
        if (!(fabs(found - figures[i].published) <= figures[i].tolerance))
            fail_msg("%s is %g, published %g", figures[i].key, found, figures[i].published);
    }
}

/* "On all 1388 pairs nothing exceeds R2 0.53": without the overlap step the data is the limit. */
static void test_uncleaned(void **state)
{
    (void)state;
    fit(0);
    assert_true(subject_score(part("joint"), PAIR, "n") == 1388);
    assert_true(subject_score(part("joint"), MODEL, "r2") < 0.53);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_must, tear_down),
        cmocka_unit_test_teardown(test_stretch, tear_down),
        cmocka_unit_test_teardown(test_alternatives, tear_down),
        cmocka_unit_test_teardown(test_bandwidth, tear_down),
        cmocka_unit_test_teardown(test_memory, tear_down),
        cmocka_unit_test_teardown(test_uncleaned, tear_down),
    };
    return cmocka_run_group_tests_name("calibration_utilization", tests, scratch_open,
                                       scratch_close);
}
