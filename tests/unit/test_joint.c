/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forms of joint utilization: values by hand, laws over a grid; the subject on made-up and on poor
 * data.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/utilization.c"
#include "support/subject.h"

static double value(enum joint_form form, const double *theta, double u, double v, double m,
                    double n)
{
    const struct joint_row row = {.alone = {{u, v}, {m, n}}};
    const struct joint_model model = {.form = form};
    return value_of(&model, theta, &row);
}

static void expect(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-12))
        fail_msg("%.15g, expected %.15g", found, expected);
}

/* u = .5, v = .25 and memory traffic .5 and 0 unless stated otherwise. */
static void test_values(void **state)
{
    (void)state;
    expect(value(JOINT_INDEPENDENT, NULL, 0.5, 0.25, 0, 0), 1 - 0.5 * 0.75);
    expect(value(JOINT_SUM, NULL, 0.5, 0.25, 0, 0), 0.75);
    expect(value(JOINT_SUM, NULL, 0.75, 0.75, 0, 0), 1);
    expect(value(JOINT_MAX, NULL, 0.5, 0.25, 0, 0), 0.5);
    expect(value(JOINT_SCALED, (double[]){0.5}, 0.5, 0.25, 0, 0), 1 - 0.75 * 0.875);
    expect(value(JOINT_NORM, (double[]){2}, 0.3, 0.4, 0, 0), 0.5);
    /* S of u: 1 + 2 x 1/2 x 1/16 = 17/16; of v: 1 + 2 x 1/4 x 1/4 = 9/8. */
    expect(value(JOINT_SLOWED, (double[]){2, 2}, 0.5, 0.25, 0, 0), 8.0 / 17 + 2.0 / 9);
    /* e of u: exp(0 - 1/4 ln 16) = 1/2, busy 1/4 of 3/4; of v: exp(1/2 ln 16 - 1/2 ln 16) = 1. */
    double ln16 = log(16);
    expect(value(JOINT_STRETCHED, (double[]){ln16, ln16}, 0.5, 0.25, 0.5, 0), 1 - (2.0 / 3) * 0.75);
    assert_true(isnan(value(JOINT_STRETCHED, (double[]){1, 1}, 0.5, 0.25, NAN, 0)));
}

/* Every form with plausible parameters: within [0, 1], the same for both orders of the jobs, not
 * below 0 for two idle jobs, and beside an idle job a job's utilization alone. */
static void test_laws(void **state)
{
    (void)state;
    static const double theta[JOINT_FORMS][PARAMETERS_MAX] = {
        [JOINT_SLOWED] = {0.86, 1.6},
        [JOINT_STRETCHED] = {2.2, 0.9},
        [JOINT_SCALED] = {1},
        [JOINT_NORM] = {2.4},
    };
    for (enum joint_form f = 0; f < JOINT_FORMS; f++) {
        for (int i = 0; i <= 20; i++) {
            double u = i / 20.0;
            expect(value(f, theta[f], u, 0, 0.5, 0), u);
            for (int j = 0; j <= 20; j++) {
                double v = j / 20.0, joint = value(f, theta[f], u, v, 0.25, 0.5);
                assert_true(joint >= 0 && joint <= 1);
                expect(value(f, theta[f], v, u, 0.5, 0.25), joint);
            }
        }
    }
}

/* ---- the subject ---- */

#define HEADER                                                                                     \
    "job_a,job_b,gpu,speed_a,speed_b,util_a,util_b,util_joint,bandwidth_a,bandwidth_b,"            \
    "bandwidth_joint,memory_a,memory_b,memory_joint\n"

static struct hs_calibrate_options options_of(const char *text)
{
    return (struct hs_calibrate_options){.data = {scratch_write("own.csv", text, strlen(text))},
                                         .data_count = 1,
                                         .clean = HS_CLEAN_DEFAULT,
                                         .overlap = HS_OVERLAP_TOLERANCE};
}

/* Pairs made with 1 - (1 - u)(1 - v), and with bandwidth (m + n) / (1 + u v): each form is
 * recovered. Memory: the sum plus 100 MiB, once plus 300. */
static void test_made_up(void **state)
{
    (void)state;
    static char text[65536];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", HEADER);
    for (int i = 0; i < 8; i++)
        for (int j = i + 1; j < 8; j++) {
            double u = 0.1 + 0.1 * i, v = 0.1 + 0.1 * j;
            len += (size_t)snprintf(
                text + len, sizeof text - len,
                "M%d/D/1/fp32,M%d/D/1/"
                "fp32,A100,0.9,0.9,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,1000,1000,%d\n",
                i, j, 100 * u, 100 * v, 100 * (1 - (1 - u) * (1 - v)), 40 * u, 40 * v,
                40 * (u + v) / (1 + u * v), i == 0 && j == 1 ? 2300 : 2100);
        }
    struct hs_calibrate_options options = options_of(text);
    struct hs_json_doc *doc = subject_run("utilization", &options);
    const struct hs_json *root = hs_json_root(doc);
    assert_true(subject_score(hs_json_get(root, "joint"), "unseen model", "n") == 2 * 28);
    assert_true(subject_score(hs_json_get(root, "joint"), "unseen model", "mae") < 1e-6);
    const struct hs_json *bandwidth = hs_json_get(root, "joint_bandwidth");
    assert_true(fabs(hs_json_number(hs_json_get(bandwidth, "c")) - 1) < 1e-4);
    assert_true(fabs(hs_json_number(hs_json_get(bandwidth, "b")) - 1) < 1e-4);
    assert_true(subject_score(bandwidth, "unseen model", "mae") < 1e-5);
    const struct hs_json *memory = hs_json_get(root, "memory");
    assert_true(hs_json_number(hs_json_get(memory, "median_mib")) == 100);
    /* 27 of 28 pairs are 96.4 %. */
    assert_true(hs_json_number(hs_json_get(memory, "reserve_p95_mib")) == 100);
    assert_true(hs_json_number(hs_json_get(memory, "reserve_p99_mib")) == 300);
    hs_json_close(doc);
}

/* Two pairs cannot determine held-out predictions, and one of them did not overlap. */
static void test_poor(void **state)
{
    (void)state;
    struct hs_calibrate_options options =
        options_of(HEADER "A/D/1/fp32,B/D/1/fp32,T4,1,1,50,50,70,,,,,,\n"
                          "A/D/1/fp32,C/D/1/fp32,T4,1,1,50,90,60,,,,,,\n");
    struct hs_json_doc *doc = subject_run("utilization", &options);
    const struct hs_json *root = hs_json_root(doc);
    assert_true(subject_score(hs_json_get(root, "joint"), "unseen model", "n") == 2);
    /* Without bandwidths the form is that without parameters, of no rows: only null. */
    const struct hs_json *bandwidth = hs_json_get(root, "joint_bandwidth");
    assert_string_equal(hs_json_text(hs_json_get(bandwidth, "form")), "1 - prod(1 - u)");
    assert_true(subject_score(bandwidth, "unseen model", "n") == 0);
    const struct hs_json *score = hs_json_first(hs_json_get(bandwidth, "holdout"));
    assert_int_equal(hs_json_kind(hs_json_get(score, "mae")), HS_JSON_NULL);
    assert_null(hs_json_get(root, "memory")); /* absent from the data */
    const struct hs_json *dropped = hs_json_get(hs_json_get(root, "rows"), "dropped");
    assert_int_equal(hs_json_count(dropped), 1);
    assert_true(hs_json_number(hs_json_get(hs_json_first(dropped), "rows")) == 2);
    hs_json_close(doc);

    options = options_of("job_a,job_b,gpu,speed_a\nA/D/1/fp32,B/D/1/fp32,T4,1\n");
    assert_int_equal(subject_try("utilization", &options), HS_E_INPUT);
    assert_non_null(strstr(subject_sink.text, "no pair with measured utilizations"));
}

/* Rows of every pair, with each form's prediction without the pair's models. */
static void test_rows(void **state)
{
    (void)state;
    char line[256];
    struct hs_calibrate_options options =
        options_of(HEADER "A/D/1/fp32,B/D/1/amp,T4,1,1,50,50,70,,,,,,\n");
    options.rows = scratch_path("rows.csv");
    hs_json_close(subject_run("utilization", &options));
    FILE *file = fopen(scratch_path("rows.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "target,gpu,job_a,job_b,alone_a,alone_b,observed,predicted\n");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "joint,T4,A/D/1/fp32,B/D/1/amp,0.5,0.5,0.7,0.75\n");
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_laws), cmocka_unit_test(test_made_up),
        cmocka_unit_test(test_poor),   cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests_name("joint", tests, scratch_open, scratch_close);
}
