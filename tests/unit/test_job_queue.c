/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ordered sets of jobs compared with a plain sorted array, over random additions and removals.
 */
#include "support/ordered.h"

/* Walks the set with two bounds and compares it with the sorted array. */
static void check_bounds(struct hs_job_queue *set, uint32_t plain, uint32_t constrained)
{
    uint32_t sorted[JOBS], count = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (jobs[j].is_in && jobs[j].gpus <= (j % 3 == 0 ? constrained : plain))
            sorted[count++] = j;
    qsort(sorted, count, sizeof sorted[0], by_order);
    struct hs_gang_limits bounds = {plain, constrained};
    hs_job_id at = hs_job_queue_next_within(set, NULL, HS_NO_JOB, bounds);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at, sorted[i]);
        at = hs_job_queue_next_within(set, NULL, at, bounds);
    }
    assert_int_equal(at, HS_NO_JOB);
}

/* From a position with or without a job, with two bounds. */
static void check_search(struct hs_job_queue *set, struct hs_job_place from,
                         struct hs_gang_limits bounds)
{
    hs_job_id first = HS_NO_JOB;
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct hs_job_place place = {jobs[j].key, jobs[j].submit_us, j, j};
        bool is_within = jobs[j].gpus <= (j % 3 == 0 ? bounds.constrained : bounds.plain);
        if (jobs[j].is_in && is_within && !hs_job_place_is_before(&place, &from) &&
            (first == HS_NO_JOB || by_order(&j, &first) < 0))
            first = j;
    }
    assert_int_equal(hs_job_queue_next_from(set, NULL, from, bounds), first);
}

/* Walks the set with a bound on the gang and compares it with the sorted array. */
static void check_walk(struct hs_job_queue *set, uint32_t bound)
{
    uint32_t sorted[JOBS], count = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (jobs[j].is_in && jobs[j].gpus <= bound)
            sorted[count++] = j;
    qsort(sorted, count, sizeof sorted[0], by_order);
    hs_job_id at = hs_job_queue_next_fitting(set, NULL, HS_NO_JOB, bound);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at, sorted[i]);
        assert_int_equal(hs_job_queue_key(NULL, at), jobs[at].key);
        at = hs_job_queue_next_fitting(set, NULL, at, bound);
    }
    assert_int_equal(at, HS_NO_JOB);
    if (bound != UINT32_MAX)
        return;
    at = hs_job_queue_first(set);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at, sorted[i]);
        assert_int_equal(hs_job_queue_prev(set, NULL, at), i == 0 ? HS_NO_JOB : sorted[i - 1]);
        assert_true(i == 0 || (hs_job_queue_is_before(set, NULL, sorted[i - 1], at) &&
                               !hs_job_queue_is_before(set, NULL, at, sorted[i - 1])));
        at = hs_job_queue_next(set, NULL, at);
    }
    assert_int_equal(at, HS_NO_JOB);
    assert_int_equal(hs_job_queue_last(set), count > 0 ? sorted[count - 1] : HS_NO_JOB);
}

static int64_t shuffled_key(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const int64_t *salt = ctx;
    (void)v;
    return (jobs[job].key * 7 + job * *salt) % 6;
}

static void rekey_all(struct hs_job_queue *set, int64_t salt)
{
    hs_job_queue_rekey_all(set, NULL, shuffled_key, &salt);
    for (uint32_t j = 0; j < JOBS; j++)
        jobs[j].key = shuffled_key(NULL, j, &salt);
}

static void compare_with_array(const struct hs_priority *levels)
{
    struct hs_rng rng;
    struct hs_job_queue set = {.levels = levels};
    ordered_clear();
    ordered_window_us = levels != NULL ? levels->ageing_us : 0;
    hs_rng_open(&rng, 7, "order");
    for (int step = 0; step < 20000; step++) {
        uint32_t j = (uint32_t)hs_rng_below(&rng, JOBS);
        if (jobs[j].is_in && step % 3 == 0) {
            jobs[j].key = (int64_t)hs_rng_below(&rng, 6);
            hs_job_queue_rekey(&set, NULL, j, jobs[j].key);
            continue;
        }
        if (jobs[j].is_in) {
            hs_job_queue_remove(&set, NULL, j);
        } else {
            jobs[j].key = (int64_t)hs_rng_below(&rng, 6); /* few keys: ties decide */
            jobs[j].submit_us = (int64_t)hs_rng_below(&rng, 4);
            jobs[j].gpus = (uint32_t)hs_rng_below(&rng, 17);
            jobs[j].priority = (int32_t)hs_rng_below(&rng, 3) - 1;
            hs_job_queue_add(&set, NULL, j, jobs[j].key);
        }
        jobs[j].is_in = !jobs[j].is_in;
        assert_int_equal(hs_job_queue_has(NULL, j), jobs[j].is_in);
        if (step % 1009 == 0)
            rekey_all(&set, (int64_t)hs_rng_below(&rng, 50));
        if (step % 97 == 0) {
            assert_true(hs_job_queue_is_valid(&set, NULL));
            check_walk(&set, UINT32_MAX);
            check_walk(&set, (uint32_t)hs_rng_below(&rng, 17));
            check_bounds(&set, (uint32_t)hs_rng_below(&rng, 17), (uint32_t)hs_rng_below(&rng, 17));
            if (levels != NULL)
                continue;
            check_search(&set,
                         (struct hs_job_place){(int64_t)hs_rng_below(&rng, 7),
                                               (int64_t)hs_rng_below(&rng, 4),
                                               hs_rng_below(&rng, JOBS), 0},
                         (struct hs_gang_limits){hs_rng_below(&rng, 17), hs_rng_below(&rng, 17)});
        }
    }
    hs_rng_close(&rng);
    ordered_window_us = 0;
}

static void agrees_with_a_sorted_array(void **state)
{
    (void)state;
    compare_with_array(NULL);
    compare_with_array(&(struct hs_priority){.use = HS_PRIORITY_ORDER, .ageing_us = 2});
}

/* A set by key and one by the key backwards, over links of their own: changes of one do not affect
 * the other, and the next job in one is the previous one in the other (keys are unique here). */
static void a_job_is_in_two_sets_at_once(void **state)
{
    (void)state;
    struct hs_rng rng;
    struct hs_job_queue set = {0}, other = {.link_offset = offsetof(struct scratch, other)};
    ordered_clear();
    hs_rng_open(&rng, 8, "two orders");
    for (int step = 0; step < 5000; step++) {
        uint32_t j = (uint32_t)hs_rng_below(&rng, JOBS);
        if (jobs[j].is_in) {
            hs_job_queue_remove(&other, NULL, j);
            hs_job_queue_remove(&set, NULL, j);
        } else {
            jobs[j].key = (int64_t)hs_rng_below(&rng, 1000) * JOBS + j;
            jobs[j].submit_us = (int64_t)hs_rng_below(&rng, 4);
            hs_job_queue_add(&set, NULL, j, jobs[j].key);
            hs_job_queue_add(&other, NULL, j, -jobs[j].key);
        }
        jobs[j].is_in = !jobs[j].is_in;
        if (step % 97 != 0)
            continue;
        assert_true(hs_job_queue_is_valid(&set, NULL) && hs_job_queue_is_valid(&other, NULL));
        check_walk(&set, UINT32_MAX);
        for (hs_job_id i = hs_job_queue_first(&set); i != HS_NO_JOB;
             i = hs_job_queue_next(&set, NULL, i))
            assert_int_equal(hs_job_queue_prev(&other, NULL, i), hs_job_queue_next(&set, NULL, i));
    }
    hs_rng_close(&rng);
}

/* A queue served from the front, from which some jobs leave in the middle and where few come out of
 * order or are searched by size, compared with an array: forwards, backwards, both ends. */
static void a_queue_is_served_from_the_front(void **state)
{
    (void)state;
    struct hs_rng rng;
    struct hs_job_queue set = {0};
    uint32_t queue[JOBS], count = 0;
    ordered_clear();
    hs_rng_open(&rng, 9, "queue");
    for (int step = 0; step < 20000; step++) {
        uint32_t j = (uint32_t)hs_rng_below(&rng, JOBS), what = (uint32_t)hs_rng_below(&rng, 40);
        if (!jobs[j].is_in) {
            bool is_late = what == 0; /* after all others in time, before them by its key */
            jobs[j].key = is_late ? -step : step;
            jobs[j].gpus = what;
            uint32_t at = is_late ? 0 : count;
            if (what >= 20 &&
                count > 0) { /* at the time of the last one, before jobs of higher rank */
                jobs[j].key = jobs[queue[count - 1]].key;
                while (at > 0 && jobs[queue[at - 1]].key == jobs[j].key && queue[at - 1] > j)
                    at--;
            }
            hs_job_queue_add(&set, NULL, j, jobs[j].key);
            memmove(queue + at + 1, queue + at, (count - at) * sizeof *queue);
            queue[at] = j;
            count++;
        } else {
            uint32_t at = what < 30 ? 0 : (uint32_t)hs_rng_below(&rng, count);
            j = queue[at];
            hs_job_queue_remove(&set, NULL, j);
            memmove(queue + at, queue + at + 1, (--count - at) * sizeof *queue);
        }
        jobs[j].is_in = !jobs[j].is_in;
        assert_int_equal(hs_job_queue_first(&set), count > 0 ? queue[0] : HS_NO_JOB);
        assert_int_equal(hs_job_queue_last(&set), count > 0 ? queue[count - 1] : HS_NO_JOB);
        if (step % 61 != 0)
            continue;
        assert_true(hs_job_queue_is_valid(&set, NULL));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(hs_job_queue_next(&set, NULL, queue[i]),
                             i + 1 < count ? queue[i + 1] : HS_NO_JOB);
            assert_int_equal(hs_job_queue_prev(&set, NULL, queue[i]),
                             i > 0 ? queue[i - 1] : HS_NO_JOB);
        }
        if (what == 1)
            check_walk(&set, 12);
    }
    hs_rng_close(&rng);
}

static void an_empty_set_has_no_first(void **state)
{
    (void)state;
    struct hs_job_queue set = {0};
    assert_int_equal(hs_job_queue_first(&set), HS_NO_JOB);
    assert_true(hs_job_queue_is_valid(&set, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_set_has_no_first),
                                       cmocka_unit_test(agrees_with_a_sorted_array),
                                       cmocka_unit_test(a_queue_is_served_from_the_front),
                                       cmocka_unit_test(a_job_is_in_two_sets_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
