/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate interference` on made-up data: which form each GPU type gets, what the model
 * file contains, and which data is refused with which message.
 */
#include "calibrate/pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/interference.h"
#include "support/paired.h"
#include "support/subject.h"

static const struct paired_job busy[] = {
    {"A/d/1/fp32", 0.2}, {"A/d/2/fp32", 0.4}, {"B/d/1/fp32", 0.6}, {"C/d/1/fp32", 0.9}};
static const struct paired_job unknown[] = {
    {"A/d/1/fp32", NAN}, {"B/d/1/fp32", NAN}, {"C/d/1/fp32", NAN}};
#define BUSY    4
#define UNKNOWN 3

static const double a[] = {0.5, 1, 1.5}, b[] = {1.2, 0.8, 1};

static double product(const struct paired_job *all, uint32_t own, uint32_t other)
{
    (void)all;
    return 1 / (1 + a[own] * b[other]);
}

/* Not exactly the queue: two digits of other numbers, so that no error is 0 by construction. */
static double nearly_queue(const struct paired_job *all, uint32_t own, uint32_t other)
{
    return paired_queue(all, own, other) - 0.01 * (double)((own * 7 + other * 3) % 5);
}

/* Paths that remain valid: those of scratch_path are valid for four calls only. */
static struct hs_calibrate_options options_of(const char *one, const char *two)
{
    static char paths[2][1024];
    const char *const names[] = {one, two};
    struct hs_calibrate_options options = {.clean = HS_CLEAN_DEFAULT,
                                           .overlap = HS_OVERLAP_TOLERANCE};
    for (uint32_t i = 0; i < 2 && names[i] != NULL; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s", scratch_path(names[i]));
        options.data[options.data_count++] = paths[i];
    }
    return options;
}

static void expect_refusal(const char *one, const char *two, const char *message)
{
    struct hs_calibrate_options options = options_of(one, two);
    assert_int_equal(subject_try("interference", &options), HS_E_INPUT);
    if (strstr(subject_sink.text, message) == NULL)
        fail_msg("%s", subject_sink.text);
}

static const struct hs_json *item(const struct hs_json *list, uint32_t index)
{
    const struct hs_json *at = hs_json_first(list);
    while (index-- > 0)
        at = hs_json_next(at);
    return at;
}

static double number(const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    if (hs_json_kind(value) != HS_JSON_NUMBER)
        fail_msg("%s is no number", key);
    return hs_json_number(value);
}

static void write_both(void)
{
    paired_write("busy.csv", "A100", busy, BUSY, nearly_queue);
    paired_write("unknown.csv", "H100", unknown, UNKNOWN, product);
}

static void test_each_gpu_type_has_its_table(void **state)
{
    static const char *const two_way[] = {"util",  "own",         "own_slope", "own_bend",
                                          "other", "other_slope", "other_bend"};
    (void)state;
    write_both();
    struct hs_calibrate_options options = options_of("busy.csv", "unknown.csv");
    struct hs_json_doc *doc = subject_run("interference", &options);
    const struct hs_json *root = hs_json_root(doc);
    assert_string_equal(hs_json_text(hs_json_get(root, "kind")), "interference");
    const struct hs_json *general = hs_json_first(hs_json_get(root, "forms"));
    assert_string_equal(hs_json_text(hs_json_get(general, "gpu")), "A100");
    assert_true(number(general, "k") > 0.8 && number(general, "k") < 1.3); /* the queue has k = 1 */
    const struct hs_json *tables = hs_json_get(root, "tables");
    assert_int_equal(hs_json_count(tables), 2);
    const struct hs_json *table = item(tables, 0);
    assert_string_equal(hs_json_text(hs_json_get(table, "gpu")), "A100");
    assert_string_equal(hs_json_text(hs_json_get(table, "form")), "two-way");
    assert_int_equal(hs_json_count(hs_json_get(table, "jobs")), BUSY);
    for (uint32_t i = 0; i < BUSY; i++)
        for (size_t k = 0; k < sizeof two_way / sizeof two_way[0]; k++)
            assert_true(isfinite(number(item(hs_json_get(table, "jobs"), i), two_way[k])));
    assert_int_equal(hs_json_count(hs_json_get(table, "model_pairs")), 9);
    assert_int_equal(hs_json_kind(hs_json_get(table, "pairs")), HS_JSON_ABSENT);
    table = item(tables, 1);
    assert_string_equal(hs_json_text(hs_json_get(table, "form")), "rank-1");
    double sum_a = 0, sum_b = 0;
    for (uint32_t i = 0; i < UNKNOWN; i++) {
        const struct hs_json *job = item(hs_json_get(table, "jobs"), i);
        assert_string_equal(hs_json_text(hs_json_get(job, "profile")), unknown[i].key);
        sum_a += number(job, "a");
        sum_b += number(job, "b");
    }
    assert_true(fabs(sum_a - sum_b) < 1e-4); /* scaled to equal means */
    double rmse = subject_score(table, "unseen pair of jobs", "rmse");
    assert_true(rmse >= 0 && rmse < 0.1);
    hs_json_close(doc);
}

/* A curve written as value, slope and bend equals the curve at all three knots; the effects of the
 * file give the speeds of the fit. */
static void test_the_file_has_the_fitted_values(void **state)
{
    static struct paired t;
    struct hs_paireffects e;
    (void)state;
    write_both();
    struct hs_calibrate_options options = options_of("busy.csv", NULL);
    struct hs_json_doc *doc = subject_run("interference", &options);
    const struct hs_json *table = item(hs_json_get(hs_json_root(doc), "tables"), 0);
    paired_read(&t, busy, BUSY, nearly_queue);
    assert_int_equal(hs_paireffects_open(&e, &t.set, NULL, HS_EFFECT_RIDGE, &t.measured.sink.diag),
                     HS_OK);
    assert_int_equal(e.fit.fit(&e.fit, NULL, &t.measured.sink.diag), HS_OK);
    for (uint32_t i = 0; i < BUSY; i++) {
        const struct hs_json *job = item(hs_json_get(table, "jobs"), i);
        for (uint32_t k = 0; k < HS_EFFECT_KNOTS; k++) {
            double util = hs_effect_knots[k];
            double own = number(job, "own") + number(job, "own_slope") * util +
                         number(job, "own_bend") * fmax(0, util - 0.5);
            assert_true(fabs(own - e.jobs[i].own[k]) < 1e-6);
        }
    }
    paired_free(&t);
    hs_json_close(doc);
}

static void test_measured_pairs_on_demand(void **state)
{
    (void)state;
    write_both();
    struct hs_calibrate_options options = options_of("unknown.csv", NULL);
    options.is_keeping_pairs = true;
    struct hs_json_doc *doc = subject_run("interference", &options);
    const struct hs_json *root = hs_json_root(doc);
    assert_int_equal(hs_json_count(hs_json_get(root, "forms")), 0);
    const struct hs_json *pairs = hs_json_get(item(hs_json_get(root, "tables"), 0), "pairs");
    assert_int_equal(hs_json_count(pairs), UNKNOWN * UNKNOWN);
    for (uint32_t p = 0; p < UNKNOWN * UNKNOWN; p++) {
        const struct hs_json *pair = item(pairs, p);
        int own = (int)hs_json_number(item(pair, 0)), other = (int)hs_json_number(item(pair, 1));
        assert_true(fabs(hs_json_number(item(pair, 2)) - (1 + a[own] * b[other])) < 1e-5);
    }
    hs_json_close(doc);
}

/* Lucid's licence permits coefficients but no rows, even on request. */
static void test_lucids_pairs_are_never_kept(void **state)
{
    static const char solos[] =
        "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem\n"
        "A,D,32,0,84.5,nan,nan,2000\nB,D,32,0,84.5,nan,nan,2000\nC,D,32,0,84.5,nan,nan,2000\n";
    static char pairs[4096] = "model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,"
                              "amp2,speed2,gpu_util,gmem_util,gmem\n";
    struct hs_json_doc *doc;
    (void)state;
    for (uint32_t i = 0; i < UNKNOWN; i++)
        for (uint32_t j = i; j < UNKNOWN; j++)
            (void)snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs),
                           "%c,D,32,0,%.9g,%c,D,32,0,%.9g,,,\n", (char)('A' + i),
                           product(unknown, i, j), (char)('A' + j), product(unknown, j, i));
    (void)scratch_write("single_data.csv", solos, strlen(solos));
    (void)scratch_write("colocate_info.csv", pairs, strlen(pairs));
    struct hs_calibrate_options options = options_of(".", NULL);
    options.is_keeping_pairs = true;
    assert_int_equal(subject_try("interference", &options), HS_OK);
    assert_int_equal(hs_json_load(&doc, scratch_path("model.json"), &subject_sink.diag), HS_OK);
    const struct hs_json *table = item(hs_json_get(hs_json_root(doc), "tables"), 0);
    assert_int_equal(hs_json_count(hs_json_get(table, "jobs")), UNKNOWN);
    assert_int_equal(hs_json_kind(hs_json_get(table, "pairs")), HS_JSON_ABSENT);
    hs_json_close(doc);
}

static void test_a_given_ridge_is_written(void **state)
{
    (void)state;
    write_both();
    struct hs_calibrate_options options = options_of("busy.csv", "unknown.csv");
    options.ridge = 0.25;
    struct hs_json_doc *doc = subject_run("interference", &options);
    const struct hs_json *tables = hs_json_get(hs_json_root(doc), "tables");
    assert_true(number(item(tables, 0), "lambda") == 0.25);
    assert_true(number(item(tables, 1), "lambda") == 0.25);
    hs_json_close(doc);
}

static uint32_t lines_of(const char *name, const char *with)
{
    char *text;
    size_t len;
    uint32_t lines = 0;
    struct sink sink;
    sink_init(&sink);
    assert_int_equal(hs_read_file(scratch_path(name), 1 << 20, &text, &len, &sink.diag), HS_OK);
    for (char *at = text; (at = strstr(at, with)) != NULL; at++)
        lines++;
    hs_free(text);
    return lines;
}

/* 4 jobs: 20 speeds, listed for the general form and for the table; 3 jobs: 9 once merged. */
static void test_rows_for_plots(void **state)
{
    (void)state;
    write_both();
    struct hs_calibrate_options options = options_of("busy.csv", "unknown.csv");
    char rows[1024];
    (void)snprintf(rows, sizeof rows, "%s", scratch_path("rows.csv"));
    options.rows = rows;
    hs_json_close(subject_run("interference", &options));
    assert_int_equal(lines_of("rows.csv", "A100,general,"), 20);
    assert_int_equal(lines_of("rows.csv", "A100,two-way,"), 20);
    assert_int_equal(lines_of("rows.csv", "H100,rank-1,"), 9);
    assert_int_equal(lines_of("rows.csv", "\n"), 50);
    assert_int_equal(lines_of("rows.csv", "gpu,form,own,other,own_util,other_util,observed,"
                                          "held_out,in_sample,fold\n"),
                     1);
}

static void test_same_data_same_bytes(void **state)
{
    char *first, *second;
    size_t first_len, second_len;
    struct sink sink;
    (void)state;
    sink_init(&sink);
    write_both();
    struct hs_calibrate_options options = options_of("busy.csv", "unknown.csv");
    hs_json_close(subject_run("interference", &options));
    assert_int_equal(
        hs_read_file(scratch_path("model.json"), 1 << 20, &first, &first_len, &sink.diag), HS_OK);
    hs_json_close(subject_run("interference", &options));
    assert_int_equal(
        hs_read_file(scratch_path("model.json"), 1 << 20, &second, &second_len, &sink.diag), HS_OK);
    assert_int_equal(first_len, second_len);
    assert_memory_equal(first, second, first_len);
    hs_free(first);
    hs_free(second);
}

static void test_two_sets_of_one_gpu_type_are_refused(void **state)
{
    (void)state;
    paired_write("one.csv", "H100", unknown, UNKNOWN, product);
    paired_write("two.csv", "h-100", unknown, UNKNOWN, product);
    expect_refusal("one.csv", "two.csv", "two sets of data have pairs on H100");
}

static void test_too_little_data_is_refused(void **state)
{
    static const struct paired_job alike[] = {
        {"A/d/1/fp32", 0.5}, {"B/d/1/fp32", 0.5}, {"C/d/1/fp32", 0.5}};
    static const char one_pair[] = "job_a,job_b,gpu,speed_a,speed_b\n"
                                   "A/d/1/fp32,B/d/1/fp32,H100,0.5,0.75\n";
    static const char none[] = "job_a,job_b,gpu,speed_a,speed_b\n"
                               "A/d/1/fp32,B/d/1/fp32,H100,0,0\n";
    (void)state;
    paired_write("alike.csv", "A100", alike, 3, paired_queue);
    expect_refusal("alike.csv", NULL, "the data does not determine the 3 numbers");
    measured_put("pair.csv", one_pair);
    struct hs_calibrate_options options = options_of("pair.csv", NULL);
    options.clean = 0;
    assert_int_equal(subject_try("interference", &options), HS_E_INPUT);
    assert_non_null(strstr(subject_sink.text, "H100: 2 speeds of 2 jobs are too few"));
    measured_put("none.csv", none);
    expect_refusal("none.csv", NULL, "no pair of jobs is left to fit to");
}

/* Speeds drawn from 0.001 to 5: no a and b fit, and the best exceed the limits of a model file (a,
 * b at most 1000: configs/models/README.md). */
static void test_a_table_beyond_all_bounds_is_refused(void **state)
{
    (void)state;
    measured_put("wild.csv", "job_a,job_b,gpu,speed_a,speed_b\n"
                             "A/d/1/fp32,A/d/1/fp32,A100,5,0.002\n"
                             "A/d/1/fp32,B/d/1/fp32,A100,0.002,0.002\n"
                             "A/d/1/fp32,C/d/1/fp32,A100,0.001,0.5\n"
                             "A/d/1/fp32,D/d/1/fp32,A100,0.5,1\n"
                             "B/d/1/fp32,B/d/1/fp32,A100,0.5,0.002\n"
                             "B/d/1/fp32,D/d/1/fp32,A100,0.001,5\n"
                             "C/d/1/fp32,C/d/1/fp32,A100,0.5,5\n"
                             "C/d/1/fp32,D/d/1/fp32,A100,0.002,1\n"
                             "D/d/1/fp32,D/d/1/fp32,A100,0.002,0.5\n");
    struct hs_calibrate_options options = options_of("wild.csv", NULL);
    options.clean = 0;
    assert_int_equal(subject_try("interference", &options), HS_E_INPUT);
    assert_non_null(strstr(subject_sink.text, "A100: 1 + a b does not fit: "));
}

/* Three jobs, each beside the two others: enough to fit, but not to hold a model out. The file
 * states no error of the general form, and is still read. */
static void test_a_file_of_little_data_is_read(void **state)
{
    static const struct hs_interference_type gpus[] = {{.gpu = "A100"}};
    static const struct hs_interference_options plain = {.gamma = 1};
    struct hs_catalogue catalogue = {0};
    struct hs_interference *m;
    (void)state;
    measured_put("three.csv", "job_a,job_b,gpu,speed_a,speed_b,util_a,util_b\n"
                              "A/d/1/fp32,B/d/1/fp32,A100,0.9,0.85,30,60\n"
                              "B/d/1/fp32,C/d/1/fp32,A100,0.65,0.7,60,90\n"
                              "A/d/1/fp32,C/d/1/fp32,A100,0.8,0.88,30,90\n");
    struct hs_calibrate_options options = options_of("three.csv", NULL);
    assert_int_equal(subject_try("interference", &options), HS_OK);
    assert_non_null(strstr(subject_sink.text, "unseen model, own: 3 of 3 folds leave too little"));
    sink_init(&subject_sink);
    assert_int_equal(hs_interference_load(&m, scratch_path("model.json"), &catalogue, &plain, gpus,
                                          1, &subject_sink.diag),
                     HS_OK);
    assert_true(isnan(hs_interference_error(m, 0, HS_SLOWDOWN_GENERAL)));
    hs_interference_free(m);
}

/* Each GPU type with utilizations has a form of its own, in the order of the data. */
static void test_each_gpu_type_has_its_form(void **state)
{
    (void)state;
    paired_write("small.csv", "H100", busy, BUSY, paired_queue);
    paired_write("large.csv", "A100", busy, BUSY, nearly_queue);
    struct hs_calibrate_options options = options_of("small.csv", "large.csv");
    struct hs_json_doc *doc = subject_run("interference", &options);
    const struct hs_json *root = hs_json_root(doc);
    const struct hs_json *forms = hs_json_get(root, "forms");
    assert_int_equal(hs_json_count(forms), 2);
    assert_string_equal(hs_json_text(hs_json_get(item(forms, 0), "gpu")), "H100");
    assert_string_equal(hs_json_text(hs_json_get(item(forms, 1), "gpu")), "A100");
    const struct hs_json *tables = hs_json_get(root, "tables");
    assert_int_equal(hs_json_count(tables), 2);
    assert_string_equal(hs_json_text(hs_json_get(item(tables, 0), "gpu")), "H100");
    assert_string_equal(hs_json_text(hs_json_get(item(tables, 0), "form")), "two-way");
    hs_json_close(doc);
}

static void test_some_utilizations_are_said_to_be_none(void **state)
{
    static const struct paired_job some[] = {
        {"A/d/1/fp32", 0.5}, {"B/d/1/fp32", NAN}, {"C/d/1/fp32", 0.75}};
    (void)state;
    paired_write("some.csv", "A100", some, 3, product);
    struct hs_calibrate_options options = options_of("some.csv", NULL);
    assert_int_equal(subject_try("interference", &options), HS_OK);
    assert_non_null(strstr(subject_sink.text, "note: A100: 1 of 3 jobs have no utilization"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_gpu_type_has_its_table),
        cmocka_unit_test(test_the_file_has_the_fitted_values),
        cmocka_unit_test(test_measured_pairs_on_demand),
        cmocka_unit_test(test_lucids_pairs_are_never_kept),
        cmocka_unit_test(test_a_given_ridge_is_written),
        cmocka_unit_test(test_rows_for_plots),
        cmocka_unit_test(test_same_data_same_bytes),
        cmocka_unit_test(test_two_sets_of_one_gpu_type_are_refused),
        cmocka_unit_test(test_too_little_data_is_refused),
        cmocka_unit_test(test_a_table_beyond_all_bounds_is_refused),
        cmocka_unit_test(test_a_file_of_little_data_is_read),
        cmocka_unit_test(test_each_gpu_type_has_its_form),
        cmocka_unit_test(test_some_utilizations_are_said_to_be_none),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
