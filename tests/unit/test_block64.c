/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sixty-four bytes of text at once, by vectors and by words, against a look at each.
 */
#include "base/word8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t find_one_by_one(const char *text, char byte)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < HS_BLOCK64; i++)
        found |= (uint64_t)(text[i] == byte) << i;
    return found;
}

/* Bytes of few values, next to each other in each bit, at every alignment. */
static void every_way_finds_the_same(void **state)
{
    static const char bytes[] = {',', '-', '+', '\0', '\x80', '\xac', ' ', ','};
    char text[HS_BLOCK64 + 16];
    uint64_t random = 1, all = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        const char *block = text + round % 16;
        for (size_t i = 0; i < sizeof text; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
            text[i] = bytes[random >> 61];
        }
        for (size_t i = 0; i < sizeof bytes; i++) {
            const uint64_t want = find_one_by_one(block, bytes[i]);
            assert_true(hs_block64_find(block, bytes[i]) == want);
            assert_true(hs_block64_find_by_words(block, bytes[i]) == want);
            all |= want;
        }
    }
    assert_true(all == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_finds_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
