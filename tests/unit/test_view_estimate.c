/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates and numbers through the policy's view: what must be declared, when calls are allowed,
 * which files are refused and where. The policy here calls what its test sets, and serves first
 * come, first served.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/run.h"
#include "support/sink.h"

static struct hs_estimator how;  /* requested in init, */
static bool asks_in_init;        /* if this is set */
static const char *numbers_path; /* the file to read; NULL = none */
static const int64_t *numbers;
static uint32_t number_count;
static bool asks_in_decide, asks_estimate;
static hs_job_id submitted;
static int64_t predicted_us; /* for the last submission */

static enum hs_status probe_init(void *state, const struct hs_view *v)
{
    (void)state;
    if (asks_in_init)
        HS_TRY(hs_view_estimate_by(v, &how));
    return numbers_path == NULL ? HS_OK : hs_view_numbers(v, numbers_path, &numbers, &number_count);
}

static void probe_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    if (event->kind != HS_EVENT_SUBMIT)
        return;
    submitted = event->job;
    if (asks_estimate)
        predicted_us = hs_view_estimate_us(v, event->job);
}

static enum hs_status probe_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    if (asks_in_decide && hs_view_estimate_by(v, &how) != HS_E_POLICY)
        fail_msg("it was let");
    if (submitted == HS_NO_JOB || hs_view_free_gpus(v, 0) == 0)
        return HS_OK;
    hs_plan_start(p, submitted);
    hs_plan_on_node(p, 0, 1);
    submitted = HS_NO_JOB;
    return HS_OK;
}

static struct hs_policy_ops probe = {
    .name = "probe", .init = probe_init, .on_event = probe_event, .decide = probe_decide};

static int set_up(void **state)
{
    (void)state;
    how = (struct hs_estimator){.unknown_us = 3600 * HS_TEST_S};
    asks_in_init = asks_in_decide = asks_estimate = false;
    numbers_path = NULL;
    probe.knows = 0;
    submitted = HS_NO_JOB;
    return 0;
}

static enum hs_status play(struct hs_test_result *r)
{
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 7}};
    const struct hs_test_options options = {.policy = &probe};
    return hs_test_run_with(jobs, 1, "1x1", NULL, &options, r);
}

static void expect_failure(enum hs_status status, const char *message)
{
    struct hs_test_result r;
    assert_int_equal(play(&r), status);
    if (strstr(r.message, message) == NULL)
        fail_msg("said '%s', expected '%s'", r.message, message);
    hs_test_free(&r);
}

static void each_source_needs_its_declaration(void **state)
{
    static const struct {
        enum hs_estimate_from from;
        uint32_t knows;
        const char *what;
    } sources[] = {
        {HS_ESTIMATE_ORACLE, HS_KNOWS_DURATION, "asked for the true run times"},
        {HS_ESTIMATE_NOISY, HS_KNOWS_ESTIMATE, "asked for the estimates of run times"},
        {HS_ESTIMATE_FILE, HS_KNOWS_ESTIMATE, "asked for the estimates of run times"},
        {HS_ESTIMATE_ROLLING, HS_KNOWS_HISTORY, "asked for the run times of finished jobs"}};
    (void)state;
    asks_in_init = asks_estimate = true;
    for (int i = 0; i < 4; i++) {
        struct hs_test_result r;
        how.from = sources[i].from;
        how.file = how.from == HS_ESTIMATE_FILE
                       ? scratch_write("e.csv", "job_id,estimate\n0,5\n", 20)
                       : NULL;
        probe.knows = ~sources[i].knows; /* all but that */
        expect_failure(HS_E_POLICY, sources[i].what);
        probe.knows = sources[i].knows;
        assert_int_equal(play(&r), HS_OK);
        hs_test_free(&r);
    }
    assert_int_equal(predicted_us, 3600 * HS_TEST_S); /* rolling: no job has finished */
}

static void known_before_the_submission(void **state)
{
    struct hs_test_result r;
    (void)state;
    asks_in_init = asks_estimate = true;
    how.from = HS_ESTIMATE_ORACLE;
    probe.knows = HS_KNOWS_DURATION;
    assert_int_equal(play(&r), HS_OK);
    assert_int_equal(predicted_us, 7 * HS_TEST_S);
    hs_test_free(&r);
}

static void asked_for_without_a_source(void **state)
{
    (void)state;
    asks_estimate = true;
    probe.knows = UINT32_MAX;
    expect_failure(HS_E_POLICY, "never said where from");
}

static void chosen_in_init_only(void **state)
{
    (void)state;
    asks_in_decide = true;
    probe.knows = UINT32_MAX;
    expect_failure(HS_E_POLICY, "to say where estimates come from is for its init only");
}

static void file_and_source_go_together(void **state)
{
    (void)state;
    asks_in_init = true;
    probe.knows = UINT32_MAX;
    how.from = HS_ESTIMATE_FILE;
    expect_failure(HS_E_USAGE, "policy 'probe': the file of run times is missing");
    how.from = HS_ESTIMATE_ROLLING;
    how.file = "e.csv";
    expect_failure(HS_E_USAGE,
                   "policy 'probe': a file of run times is given, but pred is not file");
}

/* Jobs a and b are named, c is not; it is counted once, although it is submitted twice. */
static void unnamed_jobs_are_counted_once(void **state)
{
    static const struct hs_test_job jobs[] = {
        {.id = "a", .gpus = 1, .duration_s = 1},
        {.id = "b", .gpus = 1, .duration_s = 1},
        {.id = "c", .gpus = 1, .duration_s = 1, .failed_s = {1}, .failures = 1}};
    struct hs_test_result r;
    char path[256], spec[512];
    (void)state;
    scratch_keep(path, sizeof path, "e.csv", "job_id,estimate\nb,1\na,2\nz,1\n");
    snprintf(spec, sizeof spec, "sjf:pred=file,pred_file=%s", path);
    assert_int_equal(hs_test_run(jobs, 3, "1x1", spec, &r), HS_OK);
    assert_int_equal(r.figures.unnamed, 1);
    hs_test_free(&r);
}

/* ---- numbers ---- */

static int64_t copied[4];

static enum hs_status copy_init(void *state, const struct hs_view *v)
{
    HS_TRY(probe_init(state, v));
    for (uint32_t i = 0; i < number_count && i < 4; i++)
        copied[i] = numbers[i];
    return HS_OK;
}

static void numbers_in_their_order(void **state)
{
    static const char *const texts[] = {"gpu_time\n121\n0.5\n1e3\n0.0000014\n",
                                        "121\n0.5\n1e3\n0.0000014"};
    static const int64_t want[] = {121000000, 500000, 1000000000, 1};
    struct hs_test_result r;
    (void)state;
    probe.init = copy_init;
    for (int i = 0; i < 2; i++) {
        memset(copied, 0, sizeof copied);
        numbers_path = scratch_write("n.csv", texts[i], strlen(texts[i]));
        if (play(&r) != HS_OK)
            fail_msg("%s", r.message);
        hs_test_free(&r);
        assert_int_equal(number_count, 4);
        assert_memory_equal(copied, want, sizeof want);
    }
    probe.init = probe_init;
}

static void numbers_that_are_none(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "n.csv: error: there is no number in it"},
                 {"size\n", "n.csv: error: there is no number in it"},
                 {"1\n2 s\n", "n.csv:2:1: error: not a number, or too large a one: '2 s'"},
                 {"size\nx\n", "n.csv:2:1: error: not a number: 'x'"},
                 {"size,n\n1,2\n", "n.csv:1:6: error: expected one number a line"},
                 {"1\n-2\n", "n.csv:2:1: error: negative: '-2'"},
                 {"1\n2,3\n", "n.csv:2:3: error: expected one number a line"},
                 {"9e30\n1\n", "n.csv:1:1: error: not a number, or too large a one: '9e30'"},
                 {"1\n\"\"\n", "n.csv:2:1: error: not a number, or too large a one: ''"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        numbers_path = scratch_write("n.csv", cases[i].text, strlen(cases[i].text));
        expect_failure(HS_E_INPUT, cases[i].message);
    }
    numbers_path = "/nowhere/n.csv";
    expect_failure(HS_E_IO, "/nowhere/n.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_source_needs_its_declaration, set_up),
        cmocka_unit_test_setup(known_before_the_submission, set_up),
        cmocka_unit_test_setup(asked_for_without_a_source, set_up),
        cmocka_unit_test_setup(chosen_in_init_only, set_up),
        cmocka_unit_test_setup(file_and_source_go_together, set_up),
        cmocka_unit_test_setup(unnamed_jobs_are_counted_once, set_up),
        cmocka_unit_test_setup(numbers_in_their_order, set_up),
        cmocka_unit_test_setup(numbers_that_are_none, set_up),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
