/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets of which the front is looked at against a plain sorted array: random jobs that come and go
 * anywhere, looks of random depth, new keys for all, forwards and backwards; and with so many jobs
 * that most of them lie on piles.
 */
#define JOBS 10000
#include "support/ordered.h"

#include "policies/kit_front.h"

#define FEW 300 /* jobs that chain and heap have room for */

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
    return (int64_t)(((uint64_t)jobs[job].key * 7 + job * (uint64_t)*salt) % 6);
}

static void rekey_everybody(struct hs_front *set, int64_t salt)
{
    hs_front_rekey_all(set, NULL, shuffled_key, &salt);
    for (uint32_t j = 0; j < JOBS; j++)
        jobs[j].key = shuffled_key(NULL, j, &salt);
}

static void put_in(struct hs_front *set, uint32_t j, int64_t key, int64_t submit_us)
{
    jobs[j].is_in = true;
    jobs[j].key = key;
    jobs[j].submit_us = submit_us;
    hs_front_add(set, NULL, j, key);
}

static void take_out(struct hs_front *set, uint32_t j)
{
    jobs[j].is_in = false;
    hs_front_remove(set, NULL, j);
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
        uint32_t j = (uint32_t)hs_rng_below(&rng, FEW);
        uint32_t keys = step % 5000 < 2500 ? 6 : 1000; /* few: ties decide */
        bool is_growing = step % 1000 < 500;
        if (jobs[j].is_in != is_growing || hs_rng_below(&rng, 8) == 0) {
            int64_t submit_us = (int64_t)hs_rng_below(&rng, 4);
            if (jobs[j].is_in)
                take_out(&set, j);
            else
                put_in(&set, j, (int64_t)hs_rng_below(&rng, keys), submit_us);
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

/* Keys of all sizes and of both signs, or few of them. */
static int64_t any_key(struct hs_rng *rng)
{
    int64_t key = (int64_t)(hs_rng_below(rng, UINT64_C(1) << 62) >> hs_rng_below(rng, 62));
    switch (hs_rng_below(rng, 4)) {
    case 0:
        return -key;
    case 1:
        return key % 5;
    case 2:
        return hs_rng_below(rng, 50) > 0 ? 1000000 * (key % 3000) : INT64_MAX;
    default:
        return key;
    }
}

/* Those in front leave, and others anywhere, while some come; then most leave. */
static void serve(struct hs_front *set, struct hs_rng *rng, uint32_t *sorted)
{
    while (set->count > JOBS / 50) {
        uint32_t count = sort_members(set, sorted);
        assert_true(hs_front_is_valid(set, NULL));
        for (uint32_t i = 0; i < count / 8; i++) {
            assert_int_equal(hs_front_first(set, NULL), sorted[i]);
            take_out(set, sorted[i]);
        }
        for (uint32_t i = 0; i < count / 20; i++) {
            uint32_t j = (uint32_t)hs_rng_below(rng, JOBS);
            if (jobs[j].is_in)
                take_out(set, j);
            else if (i % 3 == 0)
                put_in(set, j, any_key(rng), 1);
        }
        check_front(set, 20);
    }
}

static void check_many(bool is_backwards, const char *stream)
{
    static uint32_t sorted[JOBS];
    struct hs_rng rng;
    struct hs_front set = {.link_offset = offsetof(struct scratch, other),
                           .is_backwards = is_backwards};
    uint32_t most_piled = 0;
    ordered_clear();
    assert_int_equal(hs_rng_open(&rng, 13, stream), HS_OK);
    for (int round = 0; round < 5; round++) {
        for (uint32_t j = 0; j < JOBS; j++)
            if (!jobs[j].is_in)
                put_in(&set, j, any_key(&rng), (int64_t)hs_rng_below(&rng, 2));
        most_piled = set.piles.count > most_piled ? set.piles.count : most_piled;
        check_members(&set);
        if (round == 3)
            rekey_everybody(&set, 11);
        serve(&set, &rng, sorted);
    }
    assert_true(most_piled > JOBS / 2);
    hs_rng_close(&rng);
}

static void many_agree_with_a_sorted_array(void **state)
{
    (void)state;
    check_many(false, "many");
}

static void many_agree_with_one_sorted_backwards(void **state)
{
    (void)state;
    check_many(true, "many back");
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
                                       cmocka_unit_test(agrees_with_one_sorted_backwards),
                                       cmocka_unit_test(many_agree_with_a_sorted_array),
                                       cmocka_unit_test(many_agree_with_one_sorted_backwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
