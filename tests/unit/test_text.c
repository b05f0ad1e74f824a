/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of result files; they are part of the formats.
 */
#include "horus/observe.h"
#include "horus/trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

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
    for (int i = HS_DECISION_START; i <= HS_DECISION_OWE; i++)
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
        cmocka_unit_test(test_outcomes),        cmocka_unit_test(test_job_classes),
        cmocka_unit_test(test_segment_ends),    cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_profile_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
