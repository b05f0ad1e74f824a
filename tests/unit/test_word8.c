/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eight bytes of text at once, against a look at each.
 */
#include "base/word8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_word_is_its_bytes(void **state)
{
    (void)state;
    char text[] = "abcdefgh", copy[8];
    const uint64_t word = hs_word8_at(text);
    assert_int_equal(word & 0xff, 'a');
    assert_int_equal(word >> 56, 'h');
    hs_word8_put(copy, word);
    assert_memory_equal(copy, text, 8);
    assert_int_equal(hs_word8_first(hs_word8_zeros(word ^ HS_WORD8_OF('e'))), 4);
    assert_int_equal(hs_word8_zeros(word ^ HS_WORD8_OF('x')), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
