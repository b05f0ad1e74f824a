/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names to ids: the first appearance decides, regardless of the hashes.
 */
#include "base/intern.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void test_ids_follow_first_appearance(void **state)
{
    struct hs_intern names;
    uint32_t id;
    (void)state;
    hs_intern_init(&names);
    id = hs_intern_get(&names, "u7");
    assert_int_equal(id, 1);
    id = hs_intern_get(&names, "u3");
    assert_int_equal(id, 2);
    id = hs_intern_get(&names, "u7");
    assert_int_equal(id, 1);
    assert_int_equal(names.count, 3);
    assert_string_equal(hs_intern_text(&names, 1), "u7");
    assert_string_equal(hs_intern_text(&names, 2), "u3");
    hs_intern_free(&names);
}

static void test_null_and_empty_are_id_0(void **state)
{
    struct hs_intern names;
    uint32_t id = 9;
    (void)state;
    hs_intern_init(&names);
    id = hs_intern_get(&names, NULL);
    assert_int_equal(id, 0);
    id = 9;
    id = hs_intern_get(&names, "");
    assert_int_equal(id, 0);
    assert_int_equal(hs_intern_find(&names, NULL), 0);
    assert_string_equal(hs_intern_text(&names, 0), "");
    hs_intern_free(&names);
}

static void test_find_does_not_add(void **state)
{
    struct hs_intern names;
    (void)state;
    hs_intern_init(&names);
    assert_int_equal(hs_intern_find(&names, "nobody"), UINT32_MAX);
    assert_int_equal(names.count, 1);
    hs_intern_free(&names);
}

/* Through many doublings of the table; texts keep their addresses. */
static void test_many_names(void **state)
{
    struct hs_intern names;
    char text[32];
    uint32_t id;
    (void)state;
    hs_intern_init(&names);
    id = hs_intern_get(&names, "name 0");
    const char *first = hs_intern_text(&names, id);
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %u", (unsigned)i);
        id = hs_intern_get(&names, text);
        assert_int_equal(id, i + 1);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %u", (unsigned)i);
        assert_int_equal(hs_intern_find(&names, text), i + 1);
        assert_string_equal(hs_intern_text(&names, i + 1), text);
    }
    assert_ptr_equal(hs_intern_text(&names, 1), first);
    hs_intern_free(&names);
}

/* Names of 1 to 40 bytes x, and for each length those with one y, at each place: every byte counts.
 */
static void test_names_that_differ_in_one_byte(void **state)
{
    struct hs_intern names;
    char text[41];
    (void)state;
    hs_intern_init(&names);
    for (int pass = 0; pass < 2; pass++) {
        uint32_t next = 1;
        for (uint32_t len = 1; len <= 40; len++) {
            memset(text, 'x', len);
            text[len] = '\0';
            assert_int_equal(hs_intern_get(&names, text), next++);
            for (uint32_t at = 0; at < len; at++) {
                text[at] = 'y';
                const uint32_t id = hs_intern_get(&names, text);
                assert_int_equal(id, next++);
                assert_string_equal(hs_intern_text(&names, id), text);
                text[at] = 'x';
            }
        }
    }
    assert_int_equal(names.count, 1 + 40 + 40 * 41 / 2);
    hs_intern_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_follow_first_appearance),
        cmocka_unit_test(test_null_and_empty_are_id_0),
        cmocka_unit_test(test_find_does_not_add),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_names_that_differ_in_one_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
