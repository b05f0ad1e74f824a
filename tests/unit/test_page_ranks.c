/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranks of the values that a distribution is drawn from, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/html/page_jobs.c"

static void ranks(void **state)
{
    (void)state;
    static const int64_t values[] = {1, 1, 3, 7};
    assert_int_equal(rank_of(values, 4, 0), 0);
    assert_int_equal(rank_of(values, 4, 1), 2);
    assert_int_equal(rank_of(values, 4, 6), 3);
    assert_int_equal(rank_of(values, 4, 7), 4);
    assert_int_equal(rank_of(values, 0, 7), 0);
    assert_int_equal(nearest_rank(values, 4, 10), 1);
    assert_int_equal(nearest_rank(values, 4, 500), 1); /* two of four are at or below 1 */
    assert_int_equal(nearest_rank(values, 4, 501), 3);
    assert_int_equal(nearest_rank(values, 4, 750), 3);
    assert_int_equal(nearest_rank(values, 4, 751), 7);
    assert_int_equal(nearest_rank(values, 4, 1000), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
