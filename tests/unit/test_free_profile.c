/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile of future free amounts, of many parts, compared with an array of one number a
 * microsecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/lib/backfill.c"

enum { END = 3000, MOST_PARTS = 200, ADDITIONS = 1500 };

/* The last number holds for ever. */
static int64_t plain_first(const int64_t *free, int64_t from, int64_t length, int64_t wanted)
{
    for (int64_t at = from, t = from; length > 0; t++) {
        if (free[t < END ? t : END] < wanted)
            at = t + 1;
        if (t - at + 1 >= length)
            return at;
        if (t >= END)
            return free[END] >= wanted ? at : INT64_MAX;
    }
    return from;
}

static int64_t plain_below(const int64_t *free, int64_t wanted)
{
    for (int64_t t = 0; t <= END; t++)
        if (free[t] < wanted)
            return t;
    return INT64_MAX;
}

static void test_as_an_array(void **state)
{
    static struct profile_part parts[MOST_PARTS];
    static struct profile_step steps[MOST_PARTS * PART_STEPS];
    static int64_t free[END + 1];
    struct profile f = {.parts = parts, .steps = steps, .most = MOST_PARTS};
    struct hs_rng rng;
    (void)state;
    hs_rng_open(&rng, 20201128, "profile");
    profile_reset(&f, 0, 100);
    for (int64_t t = 0; t <= END; t++)
        free[t] = 100;
    for (int i = 0; i < ADDITIONS; i++) {
        const int64_t from = (int64_t)hs_rng_below(&rng, END),
                      to = from + (int64_t)hs_rng_below(&rng, i % 2 == 0 ? 20 : END),
                      more = (int64_t)hs_rng_below(&rng, 21) - 10,
                      end = to > END || i % 50 == 0 ? INT64_MAX : to;
        assert_true(profile_add(&f, from, end, more));
        for (int64_t t = from; t <= END && t < end; t++)
            free[t] += more;
        const int64_t at = (int64_t)hs_rng_below(&rng, END),
                      length = (int64_t)hs_rng_below(&rng, 200),
                      wanted = (int64_t)hs_rng_below(&rng, 200);
        assert_int_equal(profile_first(&f, at, length, wanted),
                         plain_first(free, at, length, wanted));
        assert_int_equal(profile_below(&f, wanted), plain_below(free, wanted));
        assert_int_equal(last_free(&f), free[END]);
    }
    assert_in_range(f.count, 20, MOST_PARTS);
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
