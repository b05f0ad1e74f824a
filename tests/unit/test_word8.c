/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eight bytes of text at once, against a look at each.
 */
#include "base/word8.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* Every number of few digits, with zeros in front too; what stands behind them counts for nothing.
 */
static void numbers_of_up_to_eight_digits(void **state)
{
    (void)state;
    char text[24];
    uint32_t got;
    for (uint32_t i = 0; i < 300000; i++) {
        const uint32_t number = i < 100000 ? i : (uint32_t)((uint64_t)i * 2654435761u % 100000000);
        const int least = (int)(i % 8) + 1;
        const int len = snprintf(text, sizeof text, "%0*" PRIu32, least, number);
        memcpy(text + len, "9:/x9999", 8);
        assert_true(hs_word8_number(hs_word8_at(text), (size_t)len, &got));
        assert_int_equal(got, number);
    }
}

/* Each byte that is no digit, in each place; none and more than eight digits. */
static void what_is_no_number_writes_nothing(void **state)
{
    (void)state;
    char text[16] = "123456789";
    uint32_t got = 7;
    assert_false(hs_word8_number(hs_word8_at(text), 0, &got));
    assert_false(hs_word8_number(hs_word8_at(text), 9, &got));
    for (unsigned at = 0; at < 8; at++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, "12345678", 8);
            if (byte >= '0' && byte <= '9')
                continue;
            text[at] = (char)byte;
            for (size_t len = at + 1; len <= 8; len++)
                assert_false(hs_word8_number(hs_word8_at(text), len, &got));
        }
    }
    assert_int_equal(got, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_its_bytes),
        cmocka_unit_test(numbers_of_up_to_eight_digits),
        cmocka_unit_test(what_is_no_number_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
