/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What three jobs lose in a made-up format, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/sink.h"
#include "traces/format.h"

#define SECOND INT64_C(1000000)

static const struct hs_column columns[] = {
    {"job_id", "id", HS_CELL_ID, true, offsetof(struct hs_trace_job, id)},
    {"submit_time", "at", HS_CELL_TIME, true, offsetof(struct hs_trace_job, submit_us)},
    {"gpus", "n", HS_CELL_COUNT, true, offsetof(struct hs_trace_job, gpus)},
    {"duration", "ran", HS_CELL_SPAN, true, offsetof(struct hs_trace_job, duration_us)},
    {"cpus", "cores", HS_CELL_MILLI, false, offsetof(struct hs_trace_job, cpus_milli)},
    {"attempts", "tries", HS_CELL_ATTEMPTS, false, offsetof(struct hs_trace_job, attempts_us)},
    {"status", "fate", HS_CELL_FATE, false, offsetof(struct hs_trace_job, outcome)},
    {"user", "user", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, user)},
};

/* The format has no outcome for a cancelled job except that of a failed one, and none for a failed
 * job. */
static const char *const outcomes[HS_OUTCOME_COUNT] = {
    [HS_OUTCOME_COMPLETED] = "completed", [HS_OUTCOME_CANCELLED] = "FAILED"};

static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    return column->kind != HS_CELL_TEXT || strcmp(job->user, "nobody") != 0;
}

static const struct hs_trace_layout layout = {.columns = columns,
                                              .column_count = sizeof columns / sizeof *columns,
                                              .grain_us = SECOND,
                                              .cpu_grain = 1000,
                                              .outcomes = outcomes,
                                              .keeps = keeps};
static const struct hs_trace_format format = {.name = "mine", .layout = &layout};

static const int64_t whole_us[] = {4 * SECOND, SECOND}, broken_us[] = {1500000, 500000};

static const struct hs_trace_job jobs[] = {
    /* only what the format can express */
    {.id = "a",
     .user = "u",
     .submit_us = SECOND,
     .duration_us = 5 * SECOND,
     .deadline_us = -1,
     .preempt_cost_us = -1,
     .attempts_us = whole_us,
     .attempts = 2,
     .gpus = 2,
     .gpu_milli = 1000,
     .gpus_min = 2,
     .gpus_max = 2,
     .cpus_milli = 2000,
     .gpu_util_pm = -1,
     .start_us = -1,
     .end_us = -1,
     .outcome = HS_OUTCOME_COMPLETED},
    /* attempts that are not whole seconds although their sum is; a range of GPUs, half a core
     * more */
    {.id = "b",
     .user = "nobody",
     .submit_us = SECOND,
     .duration_us = 2 * SECOND,
     .deadline_us = 0,
     .preempt_cost_us = 0,
     .attempts_us = broken_us,
     .attempts = 2,
     .gpus = 2,
     .gpu_milli = 1000,
     .gpus_min = 1,
     .gpus_max = 2,
     .has_range = true,
     .cpus_milli = 2500,
     .gpu_util_pm = 0,
     .start_us = -1,
     .end_us = -1,
     .outcome = HS_OUTCOME_CANCELLED},
    /* a share of a GPU, a time between seconds, a recorded start and end */
    {.id = "c",
     .submit_us = SECOND + 1,
     .duration_us = 1,
     .deadline_us = -1,
     .preempt_cost_us = -1,
     .gpus = 1,
     .gpu_milli = 500,
     .gpus_min = 1,
     .gpus_max = 1,
     .gpu_util_pm = -1,
     .start_us = 2 * SECOND,
     .end_us = 2 * SECOND + 1,
     .outcome = HS_OUTCOME_FAILED},
};

static void test_counts(void **state)
{
    static const char expected[] =
        "warning: 1 of 3 jobs lose their gpu_milli: the mine format has none, a share becomes a "
        "whole GPU\n"
        "warning: 1 of 3 jobs: submit_time rounded to steps of 1 s\n"
        "warning: 1 of 3 jobs: duration rounded to steps of 1 s\n"
        "warning: 1 of 3 jobs: user is not what the mine format can hold, and reads back as "
        "something else\n"
        "warning: 1 of 3 jobs: cpus rounded up to steps of 1 core\n"
        "warning: 1 of 3 jobs lose their gpu_util: the mine format has none\n"
        "warning: 1 of 3 jobs lose their deadline: the mine format has none\n"
        "warning: 1 of 3 jobs lose their preempt_cost: the mine format has none\n"
        "warning: 1 of 3 jobs lose their gpus_min: the mine format has none\n"
        "warning: 1 of 3 jobs lose their gpus_max: the mine format has none\n"
        "warning: 1 of 3 jobs: attempts rounded to steps of 1 s\n"
        "warning: 1 of 3 jobs lose their start_time: the mine format has none\n"
        "warning: 1 of 3 jobs lose their end_time: the mine format has none\n"
        "warning: 1 of 3 jobs: outcome 'cancelled' becomes FAILED, the mine format has no word of "
        "its own for it\n"
        "warning: 1 of 3 jobs: outcome 'failed' becomes unknown, the mine format has no word of "
        "its own for it\n";
    struct hs_lossy_fields lossy;
    struct sink sink;
    (void)state;
    sink_init(&sink);
    hs_lossy_fields_open(&lossy, &format);
    hs_lossy_fields_count(&lossy, &jobs[0]);
    assert_false(hs_lossy_fields_warn(&lossy, &sink.diag));
    assert_string_equal(sink.text, "");
    hs_lossy_fields_count(&lossy, &jobs[1]);
    hs_lossy_fields_count(&lossy, &jobs[2]);
    assert_true(hs_lossy_fields_warn(&lossy, &sink.diag));
    assert_string_equal(sink.text, expected);
}

/* The native format loses nothing. */
static void test_native(void **state)
{
    struct hs_lossy_fields lossy;
    struct sink sink;
    (void)state;
    sink_init(&sink);
    hs_lossy_fields_open(&lossy, hs_trace_format_find("csv"));
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        hs_lossy_fields_count(&lossy, &jobs[i]);
    assert_false(hs_lossy_fields_warn(&lossy, &sink.diag));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_native)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
