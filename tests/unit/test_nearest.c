/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Did you mean": at most 1 + len / 3 edits away, first among equals.
 */
#include "base/diag.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const char *nearest(const char *word)
{
    static const char *const words[] = {"fifo", "sjf", "srtf", "srsf", "tiresias", "gandiva"};
    return hs_nearest(word, words, sizeof words / sizeof words[0]);
}

static void test_typing_errors(void **state)
{
    (void)state;
    assert_string_equal(nearest("tiresas"), "tiresias");   /* one omitted */
    assert_string_equal(nearest("tiressias"), "tiresias"); /* one too many */
    assert_string_equal(nearest("gandiwa"), "gandiva");    /* one replaced */
    assert_string_equal(nearest("iffo"), "fifo");          /* two exchanged */
    assert_string_equal(nearest("FIFO"), "fifo");          /* case is no error */
    assert_string_equal(nearest("sjf"), "sjf");
}

/* 'sr': srtf and srsf are 2 away, 1 + 2 / 3 = 1 is allowed. 'srf': both are 1 away. */
static void test_distance_and_ties(void **state)
{
    (void)state;
    assert_null(nearest("sr"));
    assert_string_equal(nearest("srf"), "sjf"); /* j for r: also 1 away, and the first */
    assert_string_equal(nearest("srxf"), "srtf");
    assert_null(nearest("quincy"));
    assert_null(nearest(""));
}

static void test_no_words_and_long_words(void **state)
{
    char word[200];
    const char *const words[] = {word};
    (void)state;
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(hs_nearest("a", words, 0));
    assert_null(hs_nearest(word, words, 1));
    assert_null(hs_nearest("aaa", words, 1));
    word[64] = '\0'; /* the longest word that is compared */
    assert_ptr_equal(hs_nearest(word, words, 1), word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typing_errors),
        cmocka_unit_test(test_distance_and_ties),
        cmocka_unit_test(test_no_words_and_long_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
