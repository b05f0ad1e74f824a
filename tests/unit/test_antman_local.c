/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arithmetic of antman's local coordinators: caps in steps, and the split of a GPU's memory
 * compared with an exhaustive search.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "horus/view.h"

/* The policy gets its speed predictions from this test. */
static uint64_t predicted_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib);
#define hs_view_limited_q32 predicted_q32
#include "policies/antman/antman.c"

/* ---- caps ---- */

/* k / 10 in Q32, rounded down: 2^32 / 10 is 429496729.6. */
static void caps_are_fractions_rounded_down(void **state)
{
    (void)state;
    static const uint64_t tenths[] = {0, 429496729, 858993459, 1288490188, 1717986918};
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(cap_q32(100, k), tenths[k]);
    assert_int_equal(cap_q32(100, 10), HS_Q32_ONE);
    assert_int_equal(cap_q32(300, 4), HS_Q32_ONE); /* the last step is shorter */
    assert_int_equal(full_steps(100), 10);
    assert_int_equal(full_steps(300), 4);
    assert_int_equal(full_steps(1000), 1);
}

/* By definition: one more step as long as cap x sum <= what the owner leaves. */
static void most_steps_are_the_last_that_fit(void **state)
{
    (void)state;
    static const uint32_t steps_pm[] = {1, 30, 100, 300, 400, 1000};
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t owner_pm = 0; owner_pm <= 1000; owner_pm += 50)
            for (uint32_t sum_pm = 0; sum_pm <= 3000; sum_pm += 125) {
                uint32_t full = full_steps(steps_pm[i]), most = 0;
                for (uint32_t k = 1; k <= full; k++) {
                    uint32_t cap_pm = k * steps_pm[i] < 1000 ? k * steps_pm[i] : 1000;
                    if ((uint64_t)cap_pm * sum_pm <= (1000 - owner_pm) * 1000)
                        most = k;
                }
                assert_int_equal(most_steps(steps_pm[i], owner_pm, sum_pm), most);
            }
}

/* ---- memory ---- */

#define TENTHS 10
#define MOST   3

/* Speed in thousandths at k tenths of the peak; [0] is the speed below one tenth. */
struct curves {
    uint32_t speed[MOST][TENTHS + 1];
    struct guest shares[MOST];
    uint32_t count;
};

static uint32_t speed_at(const struct curves *c, uint32_t i, uint32_t limit_mib)
{
    return c->speed[i][(uint64_t)limit_mib * TENTHS / c->shares[i].peak_mib];
}

static uint64_t predicted_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib)
{
    return (uint64_t)speed_at((const void *)v, job, limit_mib) << 22;
}

static void split(struct curves *c, uint32_t room_mib)
{
    const struct hs_antman s = {.v = (const void *)c, .chunks = TENTHS};
    for (uint32_t i = 0; i < c->count; i++)
        c->shares[i].job = i;
    split_memory(&s, c->shares, c->count, room_mib);
}

static uint32_t sum_of(const struct curves *c)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += speed_at(c, i, c->shares[i].given_mib);
    return sum;
}

/* Exhaustive search: the best sum of speeds when each job gets what it has, its least or k tenths
 * of its peak, within the room. */
static uint32_t best_sum(const struct curves *c, uint32_t i, int64_t room_mib, bool *can_be)
{
    uint32_t best = 0;
    *can_be = false;
    if (i == c->count) {
        *can_be = room_mib >= 0;
        return 0;
    }
    for (uint32_t k = 0; k <= TENTHS; k++) {
        uint32_t least_mib = c->shares[i].least_mib, mib = c->shares[i].peak_mib / TENTHS * k;
        bool is_possible;
        mib = mib > least_mib ? mib : least_mib;
        uint32_t sum = speed_at(c, i, mib) + best_sum(c, i + 1, room_mib - mib, &is_possible);
        *can_be = *can_be || is_possible;
        best = is_possible && sum > best ? sum : best;
    }
    return best;
}

/* A6 of the policy text: Figure 10 of the paper, 32 GB. */
static void figure_10_is_split_as_on_paper(void **state)
{
    (void)state;
    struct curves c = {.speed = {{770, 770, 780, 810, 830, 880, 890, 890, 940, 940, 1000},
                                 {30, 30, 40, 50, 70, 980, 980, 980, 990, 990, 1000},
                                 {10, 10, 10, 10, 20, 20, 20, 30, 130, 340, 1000}},
                       .shares = {{.least_mib = 1, .peak_mib = 10000},
                                  {.least_mib = 1, .peak_mib = 16000},
                                  {.least_mib = 1, .peak_mib = 20000}},
                       .count = 3};
    bool can_be;
    split(&c, 32000);
    assert_int_equal(c.shares[0].given_mib, 4000);
    assert_int_equal(c.shares[1].given_mib, 8000);
    assert_int_equal(c.shares[2].given_mib, 20000);
    assert_int_equal(sum_of(&c), 2810);
    assert_int_equal(best_sum(&c, 0, 32000, &can_be), 2810);
}

static void draw_curves(struct curves *c, struct hs_rng *rng)
{
    c->count = 1 + (uint32_t)hs_rng_below(rng, MOST);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t peak_mib = TENTHS * (1 + (uint32_t)hs_rng_below(rng, 400)), speed = 1;
        c->shares[i] = (struct guest){.least_mib = 1 + (uint32_t)hs_rng_below(rng, peak_mib),
                                      .peak_mib = peak_mib};
        for (uint32_t k = 0; k <= TENTHS; k++) { /* some curves have a cliff */
            speed += (uint32_t)hs_rng_below(rng, hs_rng_below(rng, 4) == 0 ? 400 : 20);
            c->speed[i][k] = speed < 1000 ? speed : 1000;
        }
        c->speed[i][TENTHS] = 1000;
    }
}

/* Guarantees: the split stays within the room, no job gets less than its least or more than its
 * peak, no memory is left that a job lacks, and the sum falls short of the best by at most the
 * largest gain of one move. */
static void splits_are_nearly_the_best(void **state)
{
    (void)state;
    struct hs_rng rng;
    uint32_t rounds = 0;
    hs_rng_open(&rng, 6, "split");
    while (rounds < 3000) {
        struct curves c = {.count = 0};
        uint32_t least_mib = 0, given_mib = 0, lack_mib = 0, gain = 0;
        bool can_be;
        draw_curves(&c, &rng);
        uint32_t room_mib = (uint32_t)hs_rng_below(&rng, 10000);
        for (uint32_t i = 0; i < c.count; i++)
            least_mib += c.shares[i].least_mib;
        if (least_mib > room_mib)
            continue;
        rounds++;
        split(&c, room_mib);
        for (uint32_t i = 0; i < c.count; i++) {
            const struct guest *s = &c.shares[i];
            uint32_t own_gain = 1000u - speed_at(&c, i, s->least_mib);
            assert_in_range(s->given_mib, s->least_mib, s->peak_mib);
            given_mib += s->given_mib;
            lack_mib += s->peak_mib - s->given_mib;
            gain = own_gain > gain ? own_gain : gain;
        }
        assert_true(given_mib <= room_mib);
        assert_true(lack_mib == 0 || given_mib == room_mib);
        uint32_t best = best_sum(&c, 0, room_mib, &can_be);
        assert_true(can_be);
        assert_true(sum_of(&c) + gain >= best);
    }
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_are_fractions_rounded_down),
        cmocka_unit_test(most_steps_are_the_last_that_fit),
        cmocka_unit_test(figure_10_is_split_as_on_paper),
        cmocka_unit_test(splits_are_nearly_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
