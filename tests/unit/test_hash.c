/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XXH3-64: a published value, and streaming compared with hashing in one piece.
 */
#include "base/io.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* Empty input: 0x2d06800538d394c2, the test vector of the XXH3 specification (xxHash project). */
static void test_empty_input(void **state)
{
    (void)state;
    assert_true(hs_hash_of("", 0) == UINT64_C(0x2d06800538d394c2));
}

static void test_pieces_hash_as_the_whole(void **state)
{
    static unsigned char data[5000];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i >> 3);
    for (size_t piece = 1; piece < 600; piece += 37) {
        struct hs_output out;
        assert_int_equal(hs_output_open(&out, "/dev/null", NULL), HS_OK);
        for (size_t at = 0; at < sizeof data; at += piece) {
            size_t len = sizeof data - at < piece ? sizeof data - at : piece;
            hs_output_put(&out, data + at, len);
            if (at + len == 4096) /* an intermediate digest changes nothing */
                assert_true(hs_output_hash(&out) == hs_hash_of(data, 4096));
        }
        assert_true(hs_output_hash(&out) == hs_hash_of(data, sizeof data));
        assert_int_equal(hs_output_close(&out, NULL), HS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_input),
        cmocka_unit_test(test_pieces_hash_as_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
