/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Status texts and exit codes (cli.md: 0 ok, 1 differs, 2 usage, 3 bad input, 4 I/O, 5 memory or
 * limit, 6 internal, 130 after a signal).
 */
#include "horus/status.h"

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

/* A value that is not in the list can only be a bug. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_codes_are_those_of_the_manual),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_unknown_status_is_an_invariant_violation),
        cmocka_unit_test(test_try_forwards_failures_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
