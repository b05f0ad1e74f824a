/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The set of job ids, over several growths.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "traces/idset.h"

static void test_each_id_is_new_once(void **state)
{
    struct hs_idset set = {0};
    char id[48];
    bool was_there;
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            snprintf(id, sizeof id, "application_1506638472019_%d", i);
            assert_int_equal(hs_idset_add(&set, id, &was_there), HS_OK);
            assert_int_equal(was_there, round);
        }
    assert_int_equal(set.count, 5000);
    assert_true(set.count * 2 <= set.size);
    hs_idset_free(&set);
    assert_int_equal(set.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_id_is_new_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
