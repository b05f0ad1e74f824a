/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/sink.h"

static void expect_name(const char *path, const char *expected)
{
    char name[HS_WORKLOAD_MAX + 1];
    hs_workload_name(path, name, sizeof name);
    assert_string_equal(name, expected);
}

/* The name is that of the workload, without compression suffixes. */
static void test_workload_name(void **state)
{
    (void)state;
    expect_name("traces/sample.csv", "sample");
    expect_name("sample.csv.gz", "sample");
    expect_name("/a/b.c/sample.csv.zst", "sample");
    expect_name("cluster_job_log", "cluster_job_log");
    expect_name("-", "stdin");
    expect_name(".csv", ".csv"); /* otherwise empty */
    expect_name("v1.2.json", "v1.2");
}

/* 5 s of CPU time for a hundredth are 495 s for the rest: a note, and its hint names the value
 * `fluid` of the parameter if the policy has it and does not use it. */
static void test_length(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_arena arena = {0};
    static const struct {
        const char *policy, *hint;
    } of[] = {{"gandiva:slicing=exact", "slicing=fluid makes it cheaper"},
              {"salus-rr", "mode=fluid makes it cheaper"},
              {"gandiva:slicing=fluid", "hint: --max-wall"},
              {"fifo", "hint: --max-wall"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct hs_setup setup = {0};
        sink_init(&sink);
        assert_int_equal(
            hs_setup_policy(of[i].policy, &setup.policy, &setup.policy_state, &arena, &sink.diag),
            HS_OK);
        assert_false(hs_run_note_length(&setup, 5, -1, 1000000, &sink.diag));
        assert_false(hs_run_note_length(&setup, 5, 0.75, 1000000, &sink.diag)); /* 1.7 s are left */
        assert_string_equal(sink.text, "");
        assert_true(hs_run_note_length(&setup, 5, 0.01, 1000000, &sink.diag));
        assert_non_null(strstr(sink.text, "1.0 % is done after 5 s, so it"));
        assert_non_null(strstr(sink.text, "needs about 495.0 s more"));
        assert_non_null(strstr(sink.text, "takes 5.0 us per event"));
        assert_non_null(strstr(sink.text, of[i].hint));
    }
    hs_arena_free(&arena);
}

static void test_bits_in_words(void **state)
{
    (void)state;
    char text[128];
    hs_bits_text(0, hs_knows_words, text, sizeof text);
    assert_string_equal(text, "nothing");
    hs_bits_text(HS_KNOWS_DURATION | HS_KNOWS_RATE, hs_knows_words, text, sizeof text);
    assert_string_equal(text, "duration, rate");
    hs_bits_text(HS_CAN_PREEMPT | HS_CAN_TIME, hs_can_words, text, sizeof text);
    assert_string_equal(text, "preempt, set timers");
    hs_bits_text(UINT32_MAX, hs_can_words, text, 12); /* truncated, never past the end */
    assert_int_equal(strlen(text), 11);
}

static void test_policy(void **state)
{
    (void)state;
    static struct sink sink;
    struct hs_arena arena = {0};
    const struct hs_policy_ops *policy;
    void *policy_state;
    struct hs_semantics semantics = {0};
    sink_init(&sink);

    assert_int_equal(hs_setup_policy("fifo:scan=fit,placement=count", &policy, &policy_state,
                                     &arena, &sink.diag),
                     HS_OK);
    assert_string_equal(policy->name, "fifo");
    policy->semantics(policy_state, &semantics);
    assert_string_equal(semantics.scan, "fit");
    assert_string_equal(semantics.placement, "count");

    assert_int_equal(hs_setup_policy("fif", &policy, &policy_state, &arena, &sink.diag),
                     HS_E_USAGE);
    assert_non_null(strstr(sink.text, "did you mean 'fifo'?"));
    hs_arena_free(&arena);
}

/* Every policy starts with its presets and has a description for each. */
static void test_presets(void **state)
{
    (void)state;
    static struct sink sink;
    const struct hs_policy_ops *policy, *found;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        struct hs_arena arena = {0};
        void *policy_state;
        sink_init(&sink);
        assert_int_equal(hs_setup_policy(policy->name, &found, &policy_state, &arena, &sink.diag),
                         HS_OK);
        assert_ptr_equal(found, policy);
        assert_int_equal(sink.len, 0);
        hs_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workload_name), cmocka_unit_test(test_bits_in_words),
        cmocka_unit_test(test_length),        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_presets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
