/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which queue a job joins, and when queues are clustered again. The three kinds of jobs here
 * request more of everything than the kind before, by more than the noise, so that queue i of 3
 * contains kind i.
 */
#include "support/waiting.h"

#include "base/rng.h"

static struct hs_hplus_queues hqueues;

/* Kind = job % 3, noise by its number. */
static void describe(hs_job_id job)
{
    uint32_t kind = job % 3, noise = (uint32_t)hs_mix64(job, 9) % 20;
    waiting[job].gpus = 1 + kind * 7;
    waiting[job].util_pm = (int32_t)(200 + 300 * kind + noise);
    waiting[job].peak_pm = (int32_t)(300 + 300 * kind + noise);
    waiting[job].mem_mib = 4000 + 8000 * kind + noise;
    waiting[job].submit_us = waiting_now_us;
}

static void add(hs_job_id job)
{
    describe(job);
    waiting_add(&hqueues, job);
}

static uint32_t queue_of(hs_job_id job)
{
    return waiting_scratch[job].hqueue;
}

static void expect_kinds_apart(uint32_t count)
{
    for (hs_job_id j = 0; j < count; j++)
        assert_int_equal(queue_of(j), j % 3);
    assert_null(hs_hplus_queues_check(&hqueues, NULL));
}

/* 30 jobs wait and are clustered; later jobs join the queue of their kind. */
static void similar_jobs_wait_in_one_queue(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (hs_job_id j = 0; j < 30; j++) {
        add(j);
        assert_int_equal(queue_of(j), 0); /* not clustered yet */
    }
    refresh(&hqueues, NULL, 0);
    expect_kinds_apart(30);
    for (hs_job_id j = 30; j < 33; j++)
        add(j);
    expect_kinds_apart(33);
    assert_int_equal(hqueues.by_vc[0].count, 33);
    hs_hplus_queues_remove(&hqueues, NULL, 31);
    hs_hplus_queues_remove(&hqueues, NULL, 31); /* is absent: nothing happens */
    assert_int_equal(hqueues.by_vc[0].count, 32);
    assert_null(hs_hplus_queues_check(&hqueues, NULL));
    waiting_close();
}

/* A queue longer than the sample of a clustering, clustered once. */
static void a_queue_longer_than_the_sample_is_drawn_whole(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (hs_job_id j = 0; j < HS_CLUSTER_SAMPLE + 1000; j++)
        add(j);
    refresh(&hqueues, NULL, 0);
    expect_kinds_apart(HS_CLUSTER_SAMPLE + 1000);
    waiting_close();
}

/* Without a prediction a job counts as one that fills its GPU: it joins the queue of the
 * greatest. */
static void an_unknown_job_counts_as_a_full_one(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (hs_job_id j = 0; j < 30; j++)
        add(j);
    refresh(&hqueues, NULL, 0);
    waiting[50] = (struct waiting_job){.gpus = 15, .util_pm = -1, .peak_pm = -1, .mem_mib = 20000};
    hs_hplus_queues_add(&hqueues, NULL, 50, 0);
    assert_int_equal(queue_of(50), 2);
    assert_int_equal(waiting_scratch[50].features.x[1], 1000);
    assert_int_equal(waiting_scratch[50].features.x[2], 1000);
    waiting_close();
}

static void expect_clustered_at(int64_t at_us, uint32_t count)
{
    refresh(&hqueues, NULL, 0);
    assert_int_equal(hqueues.by_vc[0].clustered_us, at_us);
    assert_int_equal(hqueues.by_vc[0].clustered_count, count);
}

/* 20 %: after clustering 10 jobs the next time is at 12, after 12 at 14.4, that is 15. Jobs that
 * left in between do not count as growth. */
static void growth_draws_the_lines_anew(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    waiting_now_us = 1;
    expect_clustered_at(0, 0); /* no job waits */
    for (hs_job_id j = 0; j < 10; j++)
        add(j);
    expect_clustered_at(1, 10);
    waiting_now_us = 2;
    add(10);
    expect_clustered_at(1, 10);
    add(11);
    expect_clustered_at(2, 12);
    waiting_now_us = 3;
    for (hs_job_id j = 12; j < 14; j++)
        add(j);
    hs_hplus_queues_remove(&hqueues, NULL, 3);
    add(14);
    expect_clustered_at(2, 12); /* 14 */
    add(15);
    expect_clustered_at(3, 15);
    waiting_close();
}

/* After ten minutes: not before, and only if a fifth of the waiting jobs were added or removed. */
static void time_draws_the_lines_anew_if_the_queue_changed(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (hs_job_id j = 0; j < 20; j++)
        add(j);
    expect_clustered_at(0, 20);
    waiting_now_us = 10 * MINUTE_US;
    expect_clustered_at(0, 20); /* the same jobs: the same centroids */
    for (hs_job_id j = 0; j < 3; j++)
        hs_hplus_queues_remove(&hqueues, NULL, j);
    expect_clustered_at(0, 20); /* 3 of 17 */
    add(0);
    expect_clustered_at(10 * MINUTE_US, 18); /* 4 of 18 */
    waiting_now_us = 20 * MINUTE_US - 1;
    for (hs_job_id j = 3; j < 7; j++)
        hs_hplus_queues_remove(&hqueues, NULL, j);
    expect_clustered_at(10 * MINUTE_US, 18);
    waiting_now_us++;
    expect_clustered_at(20 * MINUTE_US, 14);
    waiting_close();
}

/* 4,000 wait, and one is added or removed every 10 minutes: 799 changes of 3,999 are less than a
 * fifth, 800 of 4,000 are not, so 3,200 changes cause 4 clusterings. */
static void a_long_queue_is_not_drawn_anew_for_few(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEAN);
    for (hs_job_id j = 0; j < 4000; j++)
        add(j);
    refresh(&hqueues, NULL, 0);
    int drawn = 0;
    for (int change = 0; change < 3200; change++) {
        waiting_now_us += 10 * MINUTE_US;
        if (change % 2 == 0)
            hs_hplus_queues_remove(&hqueues, NULL, 77);
        else
            add(77);
        refresh(&hqueues, NULL, 0);
        drawn += hqueues.by_vc[0].clustered_us == waiting_now_us;
    }
    assert_int_equal(drawn, 4);
    waiting_close();
}

/* Growth by a fifth: n + n / 1.2 + n / 1.44 ... = 6 n visits by walks, two walks each. A step of a
 * walk reads about four links (the job, its neighbours, up or down the tree), a visit one more;
 * adding a job to two orders of 2^13 takes some 2 x 25. 6 x 2 x 5 + 50 = 110 reads a job, with a
 * margin of 2; a clustering for each of them would read 10^8 times. */
static void growth_costs_little_a_job(void **state)
{
    (void)state;
    const uint32_t n = 16384;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    waiting_looks = 0;
    for (hs_job_id j = 0; j < n; j++) {
        add(j);
        refresh(&hqueues, NULL, 0);
    }
    assert_true(waiting_looks < (uint64_t)n * 220);
    expect_kinds_apart(n);
    waiting_close();
}

/* The same jobs in another order, clustered at every arrival that makes it due or not before the
 * end: after a clustering of the same set, queues and windows are the same. */
static void queues_depend_on_the_set_and_not_on_the_order(void **state)
{
    (void)state;
    enum { JOBS = 600 };
    static uint32_t hqueue[JOBS];
    static hs_job_id windows[2][JOBS];
    for (int pass = 0; pass < 2; pass++) {
        waiting_open(&hqueues, 4, HS_HPLUS_CREDIT_MEDIAN);
        for (uint32_t i = 0; i < JOBS; i++) {
            hs_job_id j = pass == 0 ? i : (i * 257 + 100) % JOBS; /* 257 and 600 are coprime */
            uint64_t draw = hs_mix64(j, 2);
            waiting[j].gpus = 1 + (uint32_t)draw % 8;
            waiting[j].util_pm = (int32_t)((draw >> 8) % 900);
            waiting[j].peak_pm = waiting[j].util_pm + (int32_t)((draw >> 40) % 100);
            waiting[j].mem_mib = (uint32_t)(draw >> 20) % 32768;
            waiting[j].submit_us = (int64_t)(draw >> 50);
            waiting_add(&hqueues, j);
            if (pass == 0)
                refresh(&hqueues, NULL, 0);
        }
        hqueues.by_vc[0].clustered_count = 0;
        waiting_now_us = MINUTE_US;
        expect_clustered_at(MINUTE_US, JOBS);
        assert_null(hs_hplus_queues_check(&hqueues, NULL));
        struct hs_hplus_queues_window w;
        window_open(&w, &hqueues, NULL, 0, JOBS);
        for (uint32_t i = 0; i < JOBS; i++)
            windows[pass][i] = window_next(&w);
        for (hs_job_id j = 0; j < JOBS; j++) {
            if (pass == 1)
                assert_int_equal(queue_of(j), hqueue[j]);
            hqueue[j] = queue_of(j);
        }
        waiting_close();
    }
    assert_memory_equal(windows[0], windows[1], sizeof windows[0]);
}

/* Jobs are added, wait and leave at random, in two virtual clusters; all invariants hold after each
 * step. */
static void everything_holds_at_random(void **state)
{
    (void)state;
    static bool is_in[300];
    struct hs_rng rng;
    hs_rng_open(&rng, 13, "lanes");
    for (int queues = 1; queues <= HS_HPLUS_MAX; queues++) {
        uint32_t count[2] = {0, 0};
        memset(is_in, 0, sizeof is_in);
        waiting_open(&hqueues, queues,
                     queues % 2 == 0 ? HS_HPLUS_CREDIT_MEAN : HS_HPLUS_CREDIT_MEDIAN);
        for (int step = 0; step < 2000; step++) {
            hs_job_id j = (hs_job_id)hs_rng_below(&rng, 300);
            waiting_now_us += (int64_t)hs_rng_below(&rng, (uint64_t)MINUTE_US);
            waiting[j].vc = j % 7 == 0;
            if (is_in[j])
                hs_hplus_queues_remove(&hqueues, NULL, j);
            else
                add(j);
            is_in[j] = !is_in[j];
            count[waiting[j].vc] += is_in[j] ? 1 : UINT32_MAX;
            refresh(&hqueues, NULL, waiting[j].vc);
            assert_null(hs_hplus_queues_check(&hqueues, NULL));
            for (uint32_t vc = 0; vc < 2; vc++)
                assert_int_equal(hqueues.by_vc[vc].count, count[vc]);
        }
        waiting_close();
    }
    hs_rng_close(&rng);
}

static void a_check_names_what_is_broken(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (hs_job_id j = 0; j < 30; j++)
        add(j);
    refresh(&hqueues, NULL, 0);
    assert_null(hs_hplus_queues_check(&hqueues, NULL));
    waiting[4].is_placed = true;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL),
                        "a queue holds a job that does not wait");
    waiting[4].is_placed = false;
    waiting_scratch[4].hqueue = 2;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL),
                        "a job is in another queue than its scratch says");
    waiting_scratch[4].hqueue = 1;
    hqueues.by_vc[0].hqueues[1].submit_sum_us++;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL),
                        "the sum of submissions of a queue is wrong");
    hqueues.by_vc[0].hqueues[1].submit_sum_us--;
    hqueues.by_vc[0].count++;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL),
                        "the queues hold more or fewer jobs than wait");
    hqueues.by_vc[0].count--;
    hs_job_id median = hqueues.by_vc[0].hqueues[1].median;
    hqueues.by_vc[0].hqueues[1].median = 4;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL), "the median of a queue is wrong");
    hqueues.by_vc[0].hqueues[1].median = median;
    hs_job_queue_remove(&hqueues.by_vc[0].hqueues[1].by_submit, NULL, 4);
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL),
                        "the two orders of a queue differ in length");
    waiting_scratch[hs_job_queue_first(&hqueues.by_vc[0].hqueues[1].by_key)].by_key.key = INT64_MAX;
    assert_string_equal(hs_hplus_queues_check(&hqueues, NULL), "a queue is out of order");
    waiting_close();
}

/* Requested at 0, 30 and 60 s with a period of 60 s: timers for 60 and 120 s. */
static void one_timer_is_on_its_way_at_a_time(void **state)
{
    (void)state;
    waiting_open(&hqueues, 3, HS_HPLUS_CREDIT_MEDIAN);
    for (waiting_now_us = 0; waiting_now_us <= MINUTE_US; waiting_now_us += MINUTE_US / 2)
        wake(&hqueues, NULL, NULL);
    assert_int_equal(waiting_timer_count, 2);
    assert_int_equal(waiting_timers[0], MINUTE_US);
    assert_int_equal(waiting_timers[1], 2 * MINUTE_US);
    waiting_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similar_jobs_wait_in_one_queue),
        cmocka_unit_test(a_queue_longer_than_the_sample_is_drawn_whole),
        cmocka_unit_test(an_unknown_job_counts_as_a_full_one),
        cmocka_unit_test(growth_draws_the_lines_anew),
        cmocka_unit_test(time_draws_the_lines_anew_if_the_queue_changed),
        cmocka_unit_test(a_long_queue_is_not_drawn_anew_for_few),
        cmocka_unit_test(growth_costs_little_a_job),
        cmocka_unit_test(queues_depend_on_the_set_and_not_on_the_order),
        cmocka_unit_test(everything_holds_at_random),
        cmocka_unit_test(a_check_names_what_is_broken),
        cmocka_unit_test(one_timer_is_on_its_way_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
