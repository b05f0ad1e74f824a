/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters added to policies given as text.
 */
#include "data/config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static struct hs_arena arena;

static int tear_down(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    return 0;
}

static void expect_set(const char *specs, bool is_weak, const char *want)
{
    assert_string_equal(hs_policyspec_set(&arena, specs, "b_c", "9", is_weak), want);
}

static void test_set(void **state)
{
    (void)state;
    expect_set("fifo", false, "fifo:b_c=9");
    expect_set("fifo:", false, "fifo:b_c=9");
    expect_set("", false, ":b_c=9");
    expect_set("fifo:a=1", false, "fifo:a=1,b_c=9");
    expect_set("fifo:b_c=1,a=1,b-c=2", false, "fifo:a=1,b_c=9");
    expect_set("fifo:b_c=1,a=1", true, "fifo:b_c=1,a=1");
    expect_set("fifo:b_cd=1,b=2,b_c", false, "fifo:b_cd=1,b=2,b_c,b_c=9"); /* other keys */
    expect_set("fifo:a=1\nsjf:b_c=2\nsrtf", true, "fifo:a=1,b_c=9\nsjf:b_c=2\nsrtf:b_c=9");
    expect_set("fifo:a=1,,b=2", false, "fifo:a=1,b=2,b_c=9");
}

static void test_merge(void **state)
{
    (void)state;
    assert_string_equal(hs_policyspec_merge(&arena, "fifo:a=1,b=2", ":b=3,c=4", false),
                        "fifo:a=1,b=3,c=4");
    assert_string_equal(hs_policyspec_merge(&arena, "fifo:a=1,b=2", ":b=3,c=4", true),
                        "fifo:a=1,b=2,c=4");
    assert_string_equal(hs_policyspec_merge(&arena, "fifo:a=1", "sjf", false), "fifo:a=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_set, tear_down),
        cmocka_unit_test_teardown(test_merge, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
