/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of a profile: by other rows of the catalogue, by the memory formula, by predictor.json.
 * Expected values are calculated by hand beside each test, from the definitions in
 * model/predictor.h; the figures for Lucid's profiles are stated there as well.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/predictor_fixture.h"

/* ---- table ---- */

/* M: utilizations 1 + 100 u = 4, 16, 64 at batch 8, 16, 32: log1p is a straight line in log(batch),
 * so the other two predict each row exactly. */
#define TABLE_ROWS                                                                                 \
    "model,dataset,batch,precision,gpu,util\n"                                                     \
    "M,d,8,fp32,G,3\n"                                                                             \
    "M,d,16,fp32,G,15\n"                                                                           \
    "M,d,32,fp32,G,63\n"                                                                           \
    "M,d,64,fp32,G,\n"                                                                             \
    "M,d,8,amp,G,10\n"                                                                             \
    "M,d,4,fp32,H,1\n"                                                                             \
    "Lone,d,8,fp32,G,98\n"

static void test_table_leaves_the_own_row_out(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, TABLE_ROWS, predictor_plain_model());
    struct hs_predictor *p =
        predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE});
    assert_int_equal(predictor_estimate(&t, p, "M/d/8/fp32").util_pm, 30);
    assert_int_equal(predictor_estimate(&t, p, "M/d/16/fp32").util_pm, 150);
    assert_int_equal(predictor_estimate(&t, p, "M/d/32/fp32").util_pm, 630);
    /* not measured itself: the line is at 255 % there, the estimate is 100 */
    assert_int_equal(predictor_estimate(&t, p, "M/d/64/fp32").util_pm, 1000);
    /* alone on its GPU type: the line of the other type, at 0 % there, the estimate is 1 */
    assert_int_equal(predictor_estimate(&t, p, "M/d/4/fp32").util_pm, 10);
    /* alone of its precision, the mean of its model: (3 + 15 + 63 + 1) / 4 = 20.5 */
    assert_int_equal(predictor_estimate(&t, p, "M/d/8/amp").util_pm, 205);
    /* no other row of the model, the mean of all: (3 + 15 + 63 + 10 + 1) / 5 = 18.4 */
    assert_int_equal(predictor_estimate(&t, p, "Lone/d/8/fp32").util_pm, 184);

    /* Without a profile there is nothing to look up, whatever the trace states. */
    struct hs_estimate e =
        predicted_of(p, (struct hs_job_facts){.profile = HS_NO_PROFILE, .util_pm = 500});
    assert_int_equal(e.util_pm, -1);
    assert_int_equal(e.util_peak_pm, -1);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* The error is that of the method used, over every row where it applies, the own one left out. */
static void test_table_has_the_error_of_its_method(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, TABLE_ROWS, predictor_plain_model());
    struct hs_predictor *p =
        predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE});
    /* The line is exact on all four measured rows of it. */
    assert_int_equal(predictor_estimate(&t, p, "M/d/8/fp32").util_error_pm, 0);
    /* The mean of the model predicts 22.3, 19.3, 7.3, 20.5, 22.8 for 3, 15, 63, 10, 1 %. For amp,
     * without its own: sqrt((19.3^2 + 4.3^2 + 55.7^2 + 21.8^2) / 4) = 31.50 %. */
    assert_int_equal(predictor_estimate(&t, p, "M/d/8/amp").util_error_pm, 315);
    /* The mean of all predicts 37.4, 35, 25.4, 36, 37.8 for them. For Lone: sqrt((34.4^2 + 20^2 +
     * 37.6^2 + 26^2 + 36.8^2) / 5) = 31.71 %. */
    assert_int_equal(predictor_estimate(&t, p, "Lone/d/8/fp32").util_error_pm, 317);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* A row alone in the catalogue has no other to be predicted from; one of two has the other, but no
 * third to test it on: the largest error. */
static void test_table_of_next_to_nothing(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, "model,batch,util\nA,8,40\n", predictor_plain_model());
    const struct hs_predictor_options options = {.kind = HS_PREDICT_TABLE};
    struct hs_predictor *p = predictor_make(&t, options);
    assert_int_equal(predictor_estimate(&t, p, "A//8/").util_pm, -1);
    hs_predictor_close(p);
    predictor_close(&t);

    predictor_open(&t, "model,batch,util\nA,8,40\nA,16,\n", predictor_plain_model());
    p = predictor_make(&t, options);
    assert_int_equal(predictor_estimate(&t, p, "A//16/").util_pm, 400);
    assert_int_equal(predictor_estimate(&t, p, "A//16/").util_error_pm, 1000);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* On Lucid's 66 profiles (RTX 3090), the 54 with two other batches of the same model, dataset and
 * precision: a line of log1p over log(batch) has an RMSLE of 0.193, and 0.185 with predictions
 * clipped to 1..100 % (calculated separately with numpy's polyfit). */
static void test_table_reaches_the_yardstick_on_lucid(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t, NULL, predictor_plain_model());
    struct hs_predictor *p =
        predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE});
    double square = 0;
    uint32_t cases = 0;
    for (uint32_t i = 0; i < t.catalogue.count; i++) {
        const struct hs_profile *row = &t.catalogue.profiles[i];
        uint32_t batches = 0;
        for (uint32_t j = 0; j < t.catalogue.count; j++) {
            const struct hs_profile *other = &t.catalogue.profiles[j];
            batches += other->util_pm >= 0 && strcmp(row->model, other->model) == 0 &&
                       strcmp(row->dataset, other->dataset) == 0 &&
                       strcmp(row->precision, other->precision) == 0 &&
                       strcmp(row->gpu, other->gpu) == 0;
        }
        if (strcmp(row->gpu, "RTX3090") != 0 || row->util_pm < 0 || batches < 3)
            continue;
        double error =
            log1p(predictor_estimate(&t, p, row->key).util_pm / 10.0) - log1p(row->util_pm / 10.0);
        square += error * error;
        cases++;
    }
    assert_int_equal(cases, 54);
    assert_true(fabs(sqrt(square / cases) - 0.185) < 0.001);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* ---- memory formula ---- */

/* VGG16 (A = 13,556,712 outputs a sample, P = 138,357,544) at batch 16: 4 x (16 A + P + 16 P) =
 * 10,275,942,560 bytes = 9799.9 MiB; most of it is P times B. */
static void test_memory_by_the_formula(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(&t,
                   "model,batch,mem_mib,outputs,params\n"
                   "VGG16,16,,13556712,138357544\n"
                   "Half,1,2,262144,0\n"  /* 1 MiB predicted, 2 measured */
                   "Four,1,1,1048576,0\n" /* 4 predicted, 1 measured */
                   "NoBatch,,5,10,10\n"
                   "NoGraph,8,5,,\n",
                   predictor_plain_model());
    struct hs_predictor *p = predictor_make(
        &t, (struct hs_predictor_options){.kind = HS_PREDICT_ORACLE, .memory = HS_MEMORY_FORMULA});
    struct hs_estimate e = predictor_estimate(&t, p, "VGG16//16/");
    assert_int_equal(e.mem_mib, 9800);
    assert_int_equal(e.util_pm, 123); /* the formula gives memory only */
    /* ln(1/2) and ln(4/1): root mean square sqrt((0.693^2 + 1.386^2) / 2) = 1.09596, of 9800 */
    assert_int_equal(e.mem_error_mib, 10740);
    e = predictor_estimate(&t, p, "Half//1/");
    assert_int_equal(e.mem_mib, 1);
    assert_int_equal(e.mem_error_mib, 1); /* without its own: 1.386 of 1 */
    e = predictor_estimate(&t, p, "Four//1/");
    assert_int_equal(e.mem_mib, 4);
    assert_int_equal(e.mem_error_mib, 3); /* 0.693 of 4 */
    assert_int_equal(predictor_estimate(&t, p, "NoBatch///").mem_mib, 0);
    assert_int_equal(predictor_estimate(&t, p, "NoGraph//8/").mem_mib, 0);
    e = predicted_of(p, (struct hs_job_facts){.profile = HS_NO_PROFILE, .mem_mib = 9});
    assert_int_equal(e.mem_mib, 0);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* ---- predictor.json ---- */

#define FITTED_ROWS "model,batch,util\nA,8,40\nA,16,50\nB,8,90\nC,8,20\n"
#define FITTED                                                                                     \
    PREDICTOR_MODEL(PREDICTOR_GENERAL,                                                             \
                    "{\"profile\": \"A//8/\", \"config\": 0.5, \"model\": 0.7},\n"                 \
                    "{\"profile\": \"a//16/\", \"config\": 0.45, \"model\": 0.2},\n"               \
                    "{\"profile\": \"B//8/\", \"config\": null, \"model\": 0.6},\n"                \
                    "{\"profile\": \"Elsewhere//8/\", \"config\": 0.1, \"model\": 0.1}")

static struct hs_predictor *fitted(struct predictor_fixture *t, const char *text,
                                   enum hs_holdout holdout)
{
    predictor_open(t, FITTED_ROWS, predictor_model(text));
    return predictor_make(
        t, (struct hs_predictor_options){.kind = HS_PREDICT_REGRESS, .holdout = holdout});
}

static void test_regress_predicts_what_was_held_out(void **state)
{
    (void)state;
    struct predictor_fixture t;
    struct hs_predictor *p = fitted(&t, FITTED, HS_HOLDOUT_CONFIG);
    struct hs_estimate e = predictor_estimate(&t, p, "A//8/");
    assert_int_equal(e.util_pm, 500);
    assert_int_equal(e.util_peak_pm, 500);
    /* the others are 5 % and 30 % off: sqrt((50^2 + 300^2) / 2) = 215.06 per mille */
    assert_int_equal(e.util_error_pm, 215);
    assert_int_equal(predictor_estimate(&t, p, "A//16/").util_pm, 450);
    /* a model of one configuration: from the other models */
    assert_int_equal(predictor_estimate(&t, p, "B//8/").util_pm, 600);
    hs_predictor_close(p);
    predictor_close(&t);

    p = fitted(&t, FITTED, HS_HOLDOUT_MODEL);
    e = predictor_estimate(&t, p, "A//8/");
    assert_int_equal(e.util_pm, 700);
    /* the others are 30 % off, both */
    assert_int_equal(e.util_error_pm, 300);
    assert_int_equal(predictor_estimate(&t, p, "A//16/").util_pm, 200);
    e = predicted_of(p, (struct hs_job_facts){.profile = HS_NO_PROFILE, .util_pm = 500});
    assert_int_equal(e.util_pm, -1);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* Rows without a prediction in the file. Loads: u = 1 - exp(-load), so 30 % is a load of -ln 0.7 =
 * 0.3567; the shift is 1 / ln 2 per ln(batch), so a double batch adds 1 to ln load, and amp
 * subtracts 1. */
static void test_regress_of_rows_that_were_not_fitted(void **state)
{
    (void)state;
    static const char rows[] = "model,dataset,batch,precision,gpu,util,macs,outputs,layers\n"
                               "F,d,8,fp32,G,90,1,1,1\n"  /* a model of the fit: load 2 ln 2 */
                               "New,d,8,fp32,G,,1,1,1\n"  /* features alone: load ln 2 */
                               "Bare,d,64,fp32,H,10,,,\n" /* the row of batch 8 is nearer to 16 */
                               "Bare,d,8,fp32,H,30,,,\n"
                               "Bare,d,16,fp32,H,,,,\n"
                               "Bare,d,8,amp,H,,,,\n"
                               "Bare,d,32,fp32,K,,,,\n"; /* no row on K to carry over */
    struct predictor_fixture t;
    predictor_open(&t, rows, predictor_plain_model());
    struct hs_predictor_options options = {.kind = HS_PREDICT_REGRESS};
    struct hs_predictor *p = predictor_make(&t, options);
    struct hs_estimate e = predictor_estimate(&t, p, "F/d/8/fp32");
    assert_int_equal(e.util_pm, 750);
    assert_int_equal(e.util_peak_pm, 750);
    assert_int_equal(e.util_error_pm, 60);
    e = predictor_estimate(&t, p, "New/d/8/fp32");
    assert_int_equal(e.util_pm, 500);
    assert_int_equal(e.util_error_pm, 250);
    e = predictor_estimate(&t, p, "Bare/d/16/fp32");
    assert_int_equal(e.util_pm, 621); /* 1 - exp(-0.3567 e) = 0.6208 */
    assert_int_equal(e.util_error_pm, 120);
    /* 1 - exp(-0.3567 / e). */
    assert_int_equal(predictor_estimate(&t, p, "Bare/d/8/amp").util_pm, 123);
    assert_int_equal(predictor_estimate(&t, p, "Bare/d/32/fp32").util_pm, -1);
    hs_predictor_close(p);

    /* Without its own model F is like any graph, and nothing is carried over. */
    options.holdout = HS_HOLDOUT_MODEL;
    p = predictor_make(&t, options);
    e = predictor_estimate(&t, p, "F/d/8/fp32");
    assert_int_equal(e.util_pm, 500);
    assert_int_equal(e.util_error_pm, 250);
    assert_int_equal(predictor_estimate(&t, p, "Bare/d/16/fp32").util_pm, -1);
    hs_predictor_close(p);
    predictor_close(&t);
}

/* A measured 0 % is a value: from it alone the prediction of Z, and so the stated error of A, is 10
 * % off. */
static void test_regress_of_an_idle_row(void **state)
{
    (void)state;
    struct predictor_fixture t;
    predictor_open(
        &t, "model,batch,util\nA,8,40\nZ,8,0\n",
        predictor_model(PREDICTOR_MODEL(
            PREDICTOR_GENERAL, "{\"profile\": \"A//8/\", \"config\": 0.5, \"model\": null},"
                               "{\"profile\": \"Z//8/\", \"config\": 0.1, \"model\": null}")));
    struct hs_predictor *p =
        predictor_make(&t, (struct hs_predictor_options){.kind = HS_PREDICT_REGRESS});
    assert_int_equal(predictor_estimate(&t, p, "A//8/").util_error_pm, 100);
    hs_predictor_close(p);
    predictor_close(&t);
}

#define KINDS   4u
#define QUERIES 4u

struct swapped {
    struct hs_estimate estimates[KINDS][QUERIES];
    uint64_t slowdowns_q20[KINDS];
};

/* Every kind of predictor on every row, with that text for an interference.json; NULL = the shipped
 * one. */
static void ask_all(const char *truth, struct swapped *answers)
{
    char files[1024];
    int len = snprintf(files, sizeof files, "%s", predictor_model(FITTED));
    if (truth != NULL)
        (void)snprintf(files + len, sizeof files - (size_t)len, ",%s",
                       scratch_write("model.json", truth, strlen(truth)));
    struct predictor_fixture t;
    predictor_open(&t, FITTED_ROWS, files);
    memset(answers, 0, sizeof *answers);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        struct hs_predictor *p = predictor_make(
            &t, (struct hs_predictor_options){.kind = (enum hs_predictor_kind)kind, .seed = 5});
        for (uint32_t i = 0; i < QUERIES; i++)
            answers->estimates[kind][i] =
                predicted_of(p, (struct hs_job_facts){.profile = i, .util_pm = 300});
        answers->slowdowns_q20[kind] = hs_predictor_slowdown_q20(p, 600, 800);
        hs_predictor_close(p);
    }
    predictor_close(&t);
}

/* The sharing model may be any file: no estimate and no slowdown changes. */
static void test_swapping_the_sharing_model_changes_nothing(void **state)
{
    (void)state;
    static const char *const truths[] = {
        NULL, "{\"kind\": \"interference\", \"format\": 2, \"tables\": []}",
        "{\"kind\": \"interference\", \"format\": 2, \"general\": {\"gpu\": \"G\", \"k\": 9,"
        " \"alpha\": 1, \"beta\": 1, \"holdout\": []}, \"tables\": []}",
        "{\"kind\": \"interference\", \"format\": 2, \"general\": 7}", /* not even valid */
    };
    struct swapped first, other;
    ask_all(truths[0], &first);
    for (uint32_t i = 1; i < sizeof truths / sizeof truths[0]; i++) {
        ask_all(truths[i], &other);
        assert_memory_equal(&other, &first, sizeof first);
    }
}

static void expect_refused(const char *text, const char *message)
{
    struct predictor_fixture t;
    struct hs_predictor *p;
    const struct hs_predictor_options options = {.kind = HS_PREDICT_REGRESS};
    predictor_open(&t, FITTED_ROWS, predictor_model(text));
    assert_int_equal(hs_predictor_open(&p, &t.set, &t.catalogue, &options, &t.sink.diag),
                     HS_E_INPUT);
    assert_null(p);
    if (strstr(t.sink.text, message) == NULL)
        fail_msg("no '%s' in:\n%s", message, t.sink.text);
    predictor_close(&t);
}

static void test_bad_files_are_refused(void **state)
{
    (void)state;
    expect_refused("{\"kind\": \"predictor\", \"format\": 2, \"predictions\": []}",
                   "predictor.json:1:1: error: \"general\" is missing");
    expect_refused("{\"kind\": \"predictor\", \"format\": 2, \"general\": " PREDICTOR_GENERAL "}",
                   "\"predictions\" is missing");
    expect_refused(PREDICTOR_MODEL("{\"k\": -1, \"alpha\": 1, \"beta\": 2, \"error\": 0.1}", ""),
                   "k must be a number 0..");
    expect_refused(PREDICTOR_MODEL("{\"k\": 1, \"alpha\": 0, \"error\": 0.1}", ""),
                   "\"beta\" is missing");
    expect_refused(PREDICTOR_MODEL(PREDICTOR_GENERAL, "{\"config\": 0.5}"),
                   "names its \"profile\"");
    expect_refused(PREDICTOR_MODEL(PREDICTOR_GENERAL, "{\"profile\": \"A//8/\", \"config\": 50}"),
                   "config must be a number 0..1");
    expect_refused(PREDICTOR_MODEL(PREDICTOR_GENERAL, "7"), "a prediction must be an object");
    expect_refused("{\"kind\": \"predictor\", \"format\": 2, \"predictions\": [],"
                   " \"general\": " PREDICTOR_GENERAL "}",
                   "\"fit\" is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_leaves_the_own_row_out),
        cmocka_unit_test(test_table_has_the_error_of_its_method),
        cmocka_unit_test(test_table_of_next_to_nothing),
        cmocka_unit_test(test_table_reaches_the_yardstick_on_lucid),
        cmocka_unit_test(test_memory_by_the_formula),
        cmocka_unit_test(test_regress_predicts_what_was_held_out),
        cmocka_unit_test(test_regress_of_rows_that_were_not_fitted),
        cmocka_unit_test(test_regress_of_an_idle_row),
        cmocka_unit_test(test_swapping_the_sharing_model_changes_nothing),
        cmocka_unit_test(test_bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
