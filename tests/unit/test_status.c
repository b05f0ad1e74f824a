/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts and exit codes of the status list, and the status names in result files.
 */
#include "horus/status.h"
#include "horus/observe.h"
#include "horus/trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void test_exit_codes_are_those_of_the_manual(void **state)
{
    (void)state;
    assert_int_equal(hs_status_exit_code(HS_OK), 0);
    assert_int_equal(hs_status_exit_code(HS_END), 0);
    assert_int_equal(hs_status_exit_code(HS_E_DIFFERS), 1);
    assert_int_equal(hs_status_exit_code(HS_E_USAGE), 2);
    assert_int_equal(hs_status_exit_code(HS_E_INPUT), 3);
    assert_int_equal(hs_status_exit_code(HS_E_IO), 4);
    assert_int_equal(hs_status_exit_code(HS_E_MEMORY), 5);
    assert_int_equal(hs_status_exit_code(HS_E_LIMIT), 5);
    assert_int_equal(hs_status_exit_code(HS_E_POLICY), 6);
    assert_int_equal(hs_status_exit_code(HS_E_INVARIANT), 6);
    assert_int_equal(hs_status_exit_code(HS_E_INTERRUPTED), 130);
}

static void test_texts(void **state)
{
    (void)state;
    assert_string_equal(hs_status_text(HS_OK), "ok");
    assert_string_equal(hs_status_text(HS_E_MEMORY), "out of memory");
}

/* A value outside the list can only be an internal error. */
static void test_unknown_status_is_an_invariant_violation(void **state)
{
    (void)state;
    assert_int_equal(hs_status_exit_code((enum hs_status)1000), 6);
    assert_string_equal(hs_status_text((enum hs_status)1000), hs_status_text(HS_E_INVARIANT));
}

static enum hs_status forward(enum hs_status status, int *reached)
{
    HS_TRY(status);
    *reached = 1;
    return HS_OK;
}

static void test_try_forwards_failures_only(void **state)
{
    int reached = 0;
    (void)state;
    assert_int_equal(forward(HS_E_IO, &reached), HS_E_IO);
    assert_int_equal(reached, 0);
    assert_int_equal(forward(HS_OK, &reached), HS_OK);
    assert_int_equal(reached, 1);
}

static void test_outcomes(void **state)
{
    (void)state;
    assert_string_equal(hs_outcome_text(HS_OUTCOME_UNKNOWN), "unknown");
    assert_string_equal(hs_outcome_text(HS_OUTCOME_COMPLETED), "completed");
    assert_string_equal(hs_outcome_text(HS_OUTCOME_CANCELLED), "cancelled");
    assert_string_equal(hs_outcome_text(HS_OUTCOME_FAILED), "failed");
    assert_string_equal(hs_outcome_text(HS_OUTCOME_COUNT), "invalid");
}

static void test_job_classes(void **state)
{
    (void)state;
    assert_string_equal(hs_job_class_text(HS_JOB_CLASS_AUTO), "auto");
    assert_string_equal(hs_job_class_text(HS_JOB_CLASS_GUARANTEED), "guaranteed");
    assert_string_equal(hs_job_class_text(HS_JOB_CLASS_OPPORTUNISTIC), "opportunistic");
    assert_string_equal(hs_job_class_text(HS_JOB_CLASS_COUNT), "invalid");
}

static void test_segment_ends(void **state)
{
    (void)state;
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_FINISH), "finish");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_PREEMPT), "preempt");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_SUSPEND), "suspend");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_MIGRATE), "migrate");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_KILL), "kill");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_HORIZON), "horizon");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_OOM), "oom");
    assert_string_equal(hs_segment_end_text(HS_SEGMENT_FAILURE), "failure");
    assert_string_equal(hs_segment_end_text((enum hs_segment_end)99), "invalid");
}

static void test_decisions(void **state)
{
    (void)state;
    static const char *const words[] = {
        "start",   "resume", "migrate",  "preempt",    "suspend",    "kill",  "reject", "pause",
        "unpause", "share",  "throttle", "background", "foreground", "limit", "owe"};
    for (int i = HS_DECISION_START; i <= HS_DECISION_ADD_OVERHEAD; i++)
        assert_string_equal(hs_decision_text((enum hs_decision_kind)i), words[i]);
    assert_string_equal(hs_decision_text((enum hs_decision_kind)99), "invalid");
}

static void test_profile_origins(void **state)
{
    (void)state;
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_NOWHERE), "");
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_TRACE), "trace");
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_TRACE_NEAREST), "trace-nearest");
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_UTILIZATION), "utilization");
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_DRAW), "drawn");
    assert_string_equal(hs_profile_from_text(HS_PROFILE_FROM_COUNT), "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_codes_are_those_of_the_manual),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_unknown_status_is_an_invariant_violation),
        cmocka_unit_test(test_try_forwards_failures_only),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_job_classes),
        cmocka_unit_test(test_segment_ends),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_profile_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
