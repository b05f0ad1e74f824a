/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate speed` on made-up and on poor measurements of a user's own: quotients, families,
 * gangs and errors by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/subject.h"

static struct hs_calibrate_options options;

static const char *write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static struct hs_json_doc *fit(const char *text)
{
    options = (struct hs_calibrate_options){
        .data = {write_text("own.csv", text)}, .data_count = 1, .clean = HS_CLEAN_DEFAULT};
    return subject_run("speed", &options);
}

static void expect_refused(const char *text, const char *message)
{
    options = (struct hs_calibrate_options){
        .data = {write_text("own.csv", text)}, .data_count = 1, .clean = HS_CLEAN_DEFAULT};
    assert_int_equal(subject_try("speed", &options), HS_E_INPUT);
    if (strstr(subject_sink.text, message) == NULL)
        fail_msg("'%s' is not in: %s", message, subject_sink.text);
}

static const struct hs_json *item(const struct hs_json_doc *doc, const char *list, uint32_t at)
{
    const struct hs_json *value = hs_json_first(hs_json_get(hs_json_root(doc), list));
    while (at-- > 0)
        value = hs_json_next(value);
    assert_non_null(value);
    return value;
}

static double speed_of(const struct hs_json *item_, const char *gpu)
{
    return hs_json_number(hs_json_get(hs_json_get(item_, "speed"), gpu));
}

static double nth(const struct hs_json *object, const char *key, uint32_t at)
{
    const struct hs_json *value = hs_json_first(hs_json_get(object, key));
    while (at-- > 0)
        value = hs_json_next(value);
    return hs_json_number(value);
}

static double error_of(const struct hs_json_doc *doc, const char *protocol, const char *fallback,
                       const char *gpu, const char *reference, const char *key)
{
    const struct hs_json *e = hs_json_first(hs_json_get(hs_json_root(doc), "holdout"));
    for (; e != NULL; e = hs_json_next(e))
        if (strcmp(hs_json_text(hs_json_get(e, "protocol")), protocol) == 0 &&
            strcmp(hs_json_text(hs_json_get(e, "fallback")), fallback) == 0 &&
            strcmp(hs_json_text(hs_json_get(e, "gpu")), gpu) == 0 &&
            strcmp(hs_json_text(hs_json_get(e, "reference")), reference) == 0)
            return hs_json_number(hs_json_get(e, key));
    return NAN;
}

/* On T4 half and an eighth as fast as on A100, mean a quarter; another family at 1/4. A job that
 * ran on the T4 alone cannot be compared. */
static const char made_up[] = "job_a,job_b,gpu,rate_a,gpus,spread\n"
                              "M/D/8/fp32,,T4,10,1,\n"
                              "M/D/8/fp32,,A100,20,1,\n"
                              "M/D/32/fp32,,T4,1,1,\n"
                              "M/D/32/fp32,,A100,8,1,\n"
                              "N/E//fp32,,A100,400,1,\n"
                              "N/E//fp32,,T4,100,1,\n"
                              "O/E//fp32,,T4,100,1,\n"
                              "M/D/8/fp32,,A100,30,2,\n"
                              "M/D/32/fp32,,A100,16,2,\n"
                              "M/D/8/fp32,,A100,40,8,\n"
                              "M/D/8/fp32,,A100,15,2,yes\n"
                              "M/D/8/fp32,,A100,44,8,yes\n";

static void test_made_up(void **state)
{
    (void)state;
    struct hs_json_doc *doc = fit(made_up);
    const struct hs_json *root = hs_json_root(doc);
    assert_string_equal(hs_json_text(hs_json_get(root, "reference")), "A100"); /* the faster */
    assert_int_equal(hs_json_count(hs_json_get(root, "jobs")), 3);
    assert_true(speed_of(item(doc, "jobs", 0), "T4") == 0.5);
    assert_true(speed_of(item(doc, "jobs", 1), "T4") == 0.125);
    assert_true(speed_of(item(doc, "jobs", 1), "A100") == 1);
    assert_true(speed_of(item(doc, "families", 0), "T4") == 0.25); /* root of 1/16 */
    assert_true(hs_json_number(hs_json_get(item(doc, "families", 0), "jobs")) == 2);
    assert_non_null(strstr(hs_json_text(item(doc, "notes", 0)), "not measured on A100: 1"));
    hs_json_close(doc);
}

/* Efficiencies at 2 GPUs: 30/40 and 16/16, mean 0.875; at 8: 40/160. Spread: 15/30, and 44/40 is
 * taken as 1. */
static void test_gangs(void **state)
{
    (void)state;
    struct hs_json_doc *doc = fit(made_up);
    const struct hs_json *scaling = item(doc, "scaling", 0), *spread = item(doc, "spread", 0);
    assert_string_equal(hs_json_text(hs_json_get(scaling, "family")), "M");
    assert_string_equal(hs_json_text(hs_json_get(scaling, "gpu")), "A100");
    assert_int_equal(hs_json_count(hs_json_get(scaling, "gpus")), 2);
    assert_true(nth(scaling, "gpus", 0) == 2 && nth(scaling, "efficiency", 0) == 0.875);
    assert_true(nth(scaling, "gpus", 1) == 8 && nth(scaling, "efficiency", 1) == 0.25);
    assert_true(hs_json_number(hs_json_get(scaling, "jobs")) == 2);
    assert_true(nth(spread, "factor", 0) == 0.5 && nth(spread, "factor", 1) == 1);
    assert_non_null(strstr(hs_json_text(item(doc, "notes", 1)), "throughput when spread above 1"));
    hs_json_close(doc);
}

/* Time on the T4 from that on the A100, speeds 1/2, 1/8, 1/4: by the family's 1/4 it is 2, 1/2, 1
 * times the correct one: errors 1, 1/2, 0. One job of two: by the other, 4 and 1/4: 3 and 3/4.
 * Without the family: N by 1/4, and M by N's 1/4. */
static void test_errors(void **state)
{
    (void)state;
    struct hs_json_doc *doc = fit(made_up);
    const struct {
        const char *protocol, *fallback;
        double n, mape, p95;
    } cases[] = {
        {"in the table", "family", 3, 0.5, 1},  {"in the table", "scalar", 3, 0.5, 1},
        {"unseen job", "family", 2, 1.875, 3},  {"unseen job", "batch", 2, 1.875, 3},
        {"unseen family", "scalar", 3, 0.5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *protocol = cases[i].protocol, *fallback = cases[i].fallback;
        assert_true(error_of(doc, protocol, fallback, "T4", "A100", "n") == cases[i].n);
        assert_true(error_of(doc, protocol, fallback, "T4", "A100", "mape") == cases[i].mape);
        assert_true(error_of(doc, protocol, fallback, "T4", "A100", "p95") == cases[i].p95);
    }
    /* In reverse 1/2, 2, 1: errors 1/2, 1, 0. */
    assert_true(error_of(doc, "in the table", "family", "A100", "T4", "mape") == 0.5);
    hs_json_close(doc);
}

/* Families are those of the catalogue if it has the model. */
static void test_families_of_catalogue(void **state)
{
    (void)state;
    const char *profiles = write_text("profiles.csv", "model,dataset,batch,precision,family\n"
                                                      "m,d,8,fp32,first\n"
                                                      "n,e,,fp32,first\n");
    options = (struct hs_calibrate_options){
        .data = {write_text("own.csv", made_up)}, .data_count = 1, .profiles = profiles};
    struct hs_json_doc *doc = subject_run("speed", &options);
    assert_int_equal(hs_json_count(hs_json_get(hs_json_root(doc), "families")), 1);
    assert_true(hs_json_number(hs_json_get(item(doc, "families", 0), "jobs")) == 3);
    hs_json_close(doc);
}

/* Two GPUs of other hosts: three times as fast as one. No gang on that type is used. */
static void test_superlinear(void **state)
{
    (void)state;
    struct hs_json_doc *doc = fit("job_a,job_b,gpu,rate_a,gpus,spread\n"
                                  "M/D/8/fp32,,T4,10,1,\n"
                                  "M/D/8/fp32,,T4,30,2,\n"
                                  "M/D/8/fp32,,T4,25,2,yes\n"
                                  "M/D/8/fp32,,A100,40,1,\n"
                                  "M/D/8/fp32,,A100,80,2,\n");
    assert_int_equal(hs_json_count(hs_json_get(hs_json_root(doc), "scaling")), 1);
    assert_string_equal(hs_json_text(hs_json_get(item(doc, "scaling", 0), "gpu")), "A100");
    assert_int_equal(hs_json_count(hs_json_get(hs_json_root(doc), "spread")), 0);
    assert_true(hs_json_number(hs_json_get(hs_json_get(hs_json_root(doc), "rows"), "kept")) == 3);
    hs_json_close(doc);
}

/* One job on one type: a table of 1 only, and no errors. */
static void test_poor(void **state)
{
    (void)state;
    struct hs_json_doc *doc = fit("job_a,job_b,gpu,rate_a\nM/D/8/fp32,,T4,10\n");
    assert_true(speed_of(item(doc, "jobs", 0), "T4") == 1);
    assert_int_equal(hs_json_count(hs_json_get(hs_json_root(doc), "holdout")), 0);
    hs_json_close(doc);
    expect_refused("job_a,job_b,gpu,rate_a\n", "no measurements in it");
    expect_refused("job_a,job_b,gpu,rate_a,gpus\nM/D/8/fp32,,T4,10,4\n",
                   "no speed of a single-GPU job");
    expect_refused("{\"v100\": {\"A3C\": {\"null\": 0}, \"LM (batch size 5)\": {\"null\": 0}}}",
                   "no speed of a single-GPU job");
    expect_refused("job_a,job_b,gpu,rate_a\nM/D/8/fp32,,T4,-10\n", "rate_a");
}

/* Samples a second on one GPU type, an hour on the other. 1000 is allowed in a model file. */
static void test_factors(void **state)
{
    (void)state;
    struct hs_json_doc *doc =
        fit("job_a,job_b,gpu,rate_a\nM/D/8/fp32,,T4,10\nM/D/8/fp32,,P4,10000\n");
    assert_true(speed_of(item(doc, "jobs", 0), "T4") == 0.001);
    hs_json_close(doc);
    expect_refused("job_a,job_b,gpu,rate_a\nM/D/8/fp32,,T4,10\nM/D/8/fp32,,P4,36000\n",
                   "M/D/8/fp32: its rate on T4 is 0.000278 times that on P4");
}

/* Quotients across campaigns are meaningless. */
static void test_two_sets(void **state)
{
    (void)state;
    const char *single = "job_a,job_b,gpu,rate_a\nM/D/8/fp32,,T4,10\n";
    options = (struct hs_calibrate_options){
        .data = {write_text("a.csv", single), write_text("b.csv", single)}, .data_count = 2};
    assert_int_equal(subject_try("speed", &options), HS_E_USAGE);
    assert_non_null(strstr(subject_sink.text, "two sets of single-GPU speeds: a.csv and b.csv"));
    options.data[0] = write_text("a.csv", single); /* scratch paths are valid for four calls */
    options.data[1] = write_text("b.csv", "job_a,job_b,gpu,rate_a,gpus\n"
                                          "M/D/8/fp32,,T4,99,1\nM/D/8/fp32,,T4,99,2\n");
    struct hs_json_doc *doc = subject_run("speed", &options);
    assert_true(nth(item(doc, "scaling", 0), "efficiency", 0) == 0.5); /* relative to its own 99 */
    hs_json_close(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_up),     cmocka_unit_test(test_gangs),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_families_of_catalogue),
        cmocka_unit_test(test_superlinear), cmocka_unit_test(test_poor),
        cmocka_unit_test(test_two_sets),    cmocka_unit_test(test_factors),
    };
    return cmocka_run_group_tests_name("speed_table", tests, scratch_open, scratch_close);
}
