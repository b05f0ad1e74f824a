/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/sink.h"

static struct sink sink;
static struct hs_arena arena;
static const int64_t *seeds;
static uint32_t count;

static enum hs_status parse(const char *text, int64_t least)
{
    sink_init(&sink);
    return hs_seeds_parse(text, "--seeds", least, &arena, &seeds, &count, &sink.diag);
}

static void lists_and_ranges(void **state)
{
    (void)state;
    static const int64_t mixed[] = {10, 1, 2, 3, 9000000000000000};
    assert_int_equal(parse("4", 0), HS_OK);
    assert_true(count == 1 && seeds[0] == 4);
    assert_int_equal(parse("1..5", 0), HS_OK);
    assert_true(count == 5 && seeds[0] == 1 && seeds[4] == 5);
    assert_int_equal(parse("7..7", 0), HS_OK);
    assert_true(count == 1 && seeds[0] == 7);
    assert_int_equal(parse("10,1..3,9000000000000000", 0), HS_OK);
    assert_int_equal(count, 5);
    assert_memory_equal(seeds, mixed, sizeof mixed);
    assert_int_equal(parse("0,1", 0), HS_OK);
    assert_int_equal(count, 2);
}

static void what_is_no_list(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    ",",    "1,",  "a",       "1..",
                                      "..3", "3..1", "1.5", "1...3",   "-1",
                                      "1 2", "1,,2", " 1",  "1..2..3", "9000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i], 0) != HS_E_USAGE)
            fail_msg("'%s' was taken for a list", bad[i]);
    assert_int_equal(parse("0", 1), HS_E_USAGE);
    assert_string_equal(sink.text,
                        "error: --seeds: '0' is neither a number from 1 to 9000000000000000 nor a "
                        "range of them\n      = hint: for example 1..5 or 1,3,7\n");
}

static void no_seed_twice_and_not_too_many(void **state)
{
    (void)state;
    assert_int_equal(parse("1..3,2", 0), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "--seeds: 2 is given twice"));
    assert_int_equal(parse("1..1000", 0), HS_OK);
    assert_int_equal(count, HS_SEEDS_MAX);
    assert_int_equal(parse("0..9000000000000000", 0), HS_E_USAGE);
    assert_non_null(strstr(sink.text, "--seeds: more than 1000 seeds"));
}

static int teardown(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_ranges),
        cmocka_unit_test(what_is_no_list),
        cmocka_unit_test(no_seed_twice_and_not_too_many),
    };
    return cmocka_run_group_tests_name("run_options", tests, NULL, teardown);
}
