/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The version and build strings: never empty, whatever the build passed.
 */
#include "horus/version.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void test_all_parts_are_there(void **state)
{
    (void)state;
    assert_true(strlen(hs_version_commit()) > 0);
    assert_true(strlen(hs_version_flags()) > 0);
}

static void test_compiler_is_this_one(void **state)
{
    (void)state;
#if defined(__clang__)
    assert_memory_equal(hs_version_compiler(), "clang ", 6);
#else
    assert_string_equal(hs_version_compiler(), "gcc " __VERSION__);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts_are_there),
        cmocka_unit_test(test_compiler_is_this_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
