/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets of which the front is looked at against a plain sorted array: random jobs that come and go
 * anywhere, looks of random depth, new keys for all, forwards and backwards.
 */
#include "support/ordered.h"

#include "policies/kit_front.h"

/* All that are in, in the order of the set. */
static uint32_t sort_members(const struct hs_front *set, uint32_t sorted[JOBS])
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (jobs[j].is_in)
            sorted[count++] = j;
    qsort(sorted, count, sizeof sorted[0], by_order);
    for (uint32_t i = 0; set->is_backwards && i < count / 2; i++) {
        uint32_t other = sorted[i];
        sorted[i] = sorted[count - 1 - i];
        sorted[count - 1 - i] = other;
    }
    return count;
}

/* So many steps from the front, and back. */
static void check_front(struct hs_front *set, uint32_t depth)
{
    uint32_t sorted[JOBS], count = sort_members(set, sorted), i = 0;
    hs_job_id at = hs_front_first(set, NULL);
    for (; i < count && i < depth; i++) {
        assert_int_equal(at, sorted[i]);
        assert_int_equal(hs_front_prev(set, NULL, at), i > 0 ? sorted[i - 1] : HS_NO_JOB);
        at = hs_front_next(set, NULL, at);
    }
    assert_int_equal(at, i < count ? sorted[i] : HS_NO_JOB);
    if (at == HS_NO_JOB)
        assert_int_equal(hs_front_reached(set), count > 0 ? sorted[count - 1] : HS_NO_JOB);
}

static void check_members(struct hs_front *set)
{
    uint32_t seen[JOBS] = {0};
    assert_true(hs_front_is_valid(set, NULL));
    for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(set, NULL, j)) != HS_NO_JOB;)
        seen[j]++;
    for (uint32_t j = 0; j < JOBS; j++)
        assert_int_equal(seen[j], jobs[j].is_in);
}

static int64_t shuffled_key(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const int64_t *salt = ctx;
    (void)v;
    return (jobs[job].key * 7 + job * *salt) % 6;
}

static void rekey_everybody(struct hs_front *set, int64_t salt)
{
    hs_front_rekey_all(set, NULL, shuffled_key, &salt);
    for (uint32_t j = 0; j < JOBS; j++)
        jobs[j].key = shuffled_key(NULL, j, &salt);
}

/* In phases that grow and shrink, so that chain and heap get long and empty. */
static void check_set(bool is_backwards, const char *stream)
{
    struct hs_rng rng;
    struct hs_front set = {.link_offset = offsetof(struct scratch, other),
                           .is_backwards = is_backwards};
    ordered_clear();
    assert_int_equal(hs_rng_open(&rng, 12, stream), HS_OK);
    for (int step = 0; step < 30000; step++) {
        uint32_t j = (uint32_t)hs_rng_below(&rng, JOBS);
        uint32_t keys = step % 5000 < 2500 ? 6 : 1000; /* few: ties decide */
        bool is_growing = step % 1000 < 500;
        if (jobs[j].is_in != is_growing || hs_rng_below(&rng, 8) == 0) {
            jobs[j].is_in = !jobs[j].is_in;
            jobs[j].submit_us = jobs[j].is_in ? (int64_t)hs_rng_below(&rng, 4) : jobs[j].submit_us;
            jobs[j].key = jobs[j].is_in ? (int64_t)hs_rng_below(&rng, keys) : jobs[j].key;
            if (jobs[j].is_in)
                hs_front_add(&set, NULL, j, jobs[j].key);
            else
                hs_front_remove(&set, NULL, j);
            assert_int_equal(scratch[j].other.is_linked, jobs[j].is_in);
        }
        if (step % 1013 == 0)
            rekey_everybody(&set, (int64_t)hs_rng_below(&rng, 50));
        if (step % 17 == 0)
            check_front(&set, (uint32_t)hs_rng_below(&rng, 12));
        if (step % 97 == 0)
            check_members(&set);
        if (step % 509 == 0)
            check_front(&set, JOBS);
    }
    hs_rng_close(&rng);
}

static void agrees_with_a_sorted_array(void **state)
{
    (void)state;
    check_set(false, "front");
}

static void agrees_with_one_sorted_backwards(void **state)
{
    (void)state;
    check_set(true, "back");
}

static void an_empty_set_has_no_first(void **state)
{
    (void)state;
    struct hs_front set = {0};
    assert_int_equal(hs_front_first(&set, NULL), HS_NO_JOB);
    assert_int_equal(hs_front_reached(&set), HS_NO_JOB);
    assert_int_equal(hs_front_another(&set, NULL, HS_NO_JOB), HS_NO_JOB);
    assert_true(hs_front_is_valid(&set, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_set_has_no_first),
                                       cmocka_unit_test(agrees_with_a_sorted_array),
                                       cmocka_unit_test(agrees_with_one_sorted_backwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
