/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Credits of queues by hand, and cases where median and mean must agree. The queue of a job is its
 * number of GPUs (support/waiting.h).
 */
#include "support/waiting.h"

#include "base/rng.h"

#define QUEUES 4
#define JOBS   120

static struct hs_hplus_queues hqueues;

/* A job of this queue, submitted so many minutes ago; key = number of the job. */
static void add(hs_job_id job, uint32_t hqueue, int64_t waited_min)
{
    waiting[job].gpus = hqueue;
    waiting[job].util_pm = (int32_t)job;
    waiting[job].submit_us = waiting_now_us - waited_min * MINUTE_US;
    waiting_add(&hqueues, job);
}

static void expect_window(uint32_t vc, uint32_t look_ahead, const hs_job_id *jobs, uint32_t count)
{
    struct hs_hplus_queues_window w;
    window_open(&w, &hqueues, NULL, vc, look_ahead);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(window_next(&w), jobs[i]);
    assert_int_equal(window_next(&w), HS_NO_JOB);
    assert_int_equal(window_next(&w), HS_NO_JOB);
    assert_null(hs_hplus_queues_check(&hqueues, NULL));
}
#define EXPECT_WINDOW(vc, look_ahead, ...)                                                         \
    expect_window(vc, look_ahead, (hs_job_id[]){__VA_ARGS__},                                      \
                  sizeof(hs_job_id[]){__VA_ARGS__} / sizeof(hs_job_id))

/* Queue 0: jobs 1 2 3, waits 10 20 90 min; queue 1: jobs 4 5, waits 40 5 min.
 *   queue 0                   queue 1                             next
 *   3 x median 20  = 60       2 x 40 (of two the longer)  = 80    4
 *   60                        5 left: 1 x 5 = 5                   1
 *   2 3 left: 2 x 90 = 180    5                                   2
 *   3 left: 1 x 90            5                                   3, then 5 */
static void the_queue_of_most_credit_is_served(void **state)
{
    (void)state;
    waiting_open_by_gpus(&hqueues, QUEUES, HS_HPLUS_CREDIT_MEDIAN);
    waiting_now_us = 200 * MINUTE_US;
    add(1, 0, 10);
    add(2, 0, 20);
    add(3, 0, 90);
    add(4, 1, 40);
    add(5, 1, 5);
    EXPECT_WINDOW(0, 5, 4, 1, 2, 3, 5);
    EXPECT_WINDOW(0, 9, 4, 1, 2, 3, 5); /* no other job waits */
    EXPECT_WINDOW(0, 2, 4, 1);
    hs_hplus_queues_remove(&hqueues, NULL, 4); /* started */
    EXPECT_WINDOW(0, 2, 1, 2);
    waiting_close();
}

/* The same with means: queue 0 120, queue 1 45 (1); 110, 45 (2); 90, 45 (3); then 4 and 5. */
static void the_mean_counts_the_long_wait(void **state)
{
    (void)state;
    waiting_open_by_gpus(&hqueues, QUEUES, HS_HPLUS_CREDIT_MEAN);
    waiting_now_us = 200 * MINUTE_US;
    add(1, 0, 10);
    add(2, 0, 20);
    add(3, 0, 90);
    add(4, 1, 40);
    add(5, 1, 5);
    EXPECT_WINDOW(0, 5, 1, 2, 3, 4, 5);
    waiting_close();
}

/* With one queue only the key decides. */
static void a_single_queue_is_in_key_order(void **state)
{
    (void)state;
    waiting_open_by_gpus(&hqueues, 1, HS_HPLUS_CREDIT_MEDIAN);
    waiting_now_us = 50 * MINUTE_US;
    add(3, 2, 1);
    add(1, 1, 2);
    add(2, 3, 40);
    EXPECT_WINDOW(0, 5, 1, 2, 3);
    EXPECT_WINDOW(0, 2, 1, 2);
    waiting_close();
}

/* No job has waited a minute: the number of jobs decides, 2 against 1 and 1; at equal credit the
 * lower queue. Within a queue the key decides, at equal keys the submission. */
static void a_wait_counts_as_a_minute_at_least(void **state)
{
    (void)state;
    for (int credit = 0; credit < 2; credit++) {
        waiting_open_by_gpus(&hqueues, QUEUES, (enum hs_hplus_credit)credit);
        waiting_now_us = MINUTE_US;
        add(7, 3, 0);
        add(2, 2, 0);
        add(6, 3, 0);
        waiting[1] = (struct waiting_job){.gpus = 1, .util_pm = 1, .submit_us = 40000000};
        waiting_add(&hqueues, 1); /* 20 s */
        EXPECT_WINDOW(0, 5, 6, 1, 2, 7);
        waiting[8] = (struct waiting_job){.gpus = 1, .util_pm = 1, .submit_us = 39999999};
        waiting_add(&hqueues, 8);
        EXPECT_WINDOW(0, 5, 8, 6, 1, 2, 7); /* queues 1 and 3 have two jobs each */
        waiting_close();
    }
}

/* One job that has waited for 60 min against five that were submitted together 10 min ago: 60 and
 * 50. Twelve minutes later 72 and 110, without any submission or start. */
static void credits_change_with_time_alone(void **state)
{
    (void)state;
    waiting_open_by_gpus(&hqueues, QUEUES, HS_HPLUS_CREDIT_MEDIAN);
    waiting_now_us = 60 * MINUTE_US;
    add(9, 2, 60);
    for (hs_job_id j = 1; j <= 5; j++)
        add(j, 0, 10);
    EXPECT_WINDOW(0, 1, 9);
    waiting_now_us += 12 * MINUTE_US;
    EXPECT_WINDOW(0, 1, 1);
    waiting_close();
}

static void virtual_clusters_do_not_see_each_other(void **state)
{
    (void)state;
    waiting_open_by_gpus(&hqueues, QUEUES, HS_HPLUS_CREDIT_MEDIAN);
    waiting[4].vc = 1;
    add(3, 1, 0);
    add(4, 0, 0);
    EXPECT_WINDOW(0, 5, 3);
    EXPECT_WINDOW(1, 5, 4);
    assert_int_equal(hqueues.by_vc[0].count, 1);
    waiting_close();
}

/* Queue 0: waits 40 40, queue 1: 20 30 40, queue 2: 90, in minutes, and the credits of the rest:
 *   80  90  90    3 (the 30)
 *   80  60  90    6           the median of 20 and 40 is 40: 80 by the median, at most the 80 of
 *   80  60  0     1           the lower queue 0
 *   40  60  0     4 (the 20)
 *   40  40  0     2, then 5 */
static void median_and_mean_agree_on_a_symmetric_queue(void **state)
{
    (void)state;
    for (int credit = 0; credit < 2; credit++) {
        waiting_open_by_gpus(&hqueues, QUEUES, (enum hs_hplus_credit)credit);
        waiting_now_us = 100 * MINUTE_US;
        add(1, 0, 40);
        add(2, 0, 40);
        add(3, 1, 30);
        add(4, 1, 20);
        add(5, 1, 40);
        add(6, 2, 90);
        EXPECT_WINDOW(0, 6, 3, 6, 1, 4, 2, 5);
        waiting_close();
    }
}

/* The queues in order of credit, most first: the first of a window each time, then without its
 * queue. */
static void queue_order(uint32_t order[QUEUES])
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        struct hs_hplus_queues_window w;
        window_open(&w, &hqueues, NULL, 0, 1);
        hs_job_id job = window_next(&w);
        assert_int_not_equal(job, HS_NO_JOB);
        order[i] = waiting[job].gpus;
        for (hs_job_id j = 0; j < JOBS; j++)
            if (waiting[j].gpus == order[i])
                hs_hplus_queues_remove(&hqueues, NULL, j);
    }
}

/* Small random queues, each with a middle job and up to three pairs at the same distance before and
 * after it: median and mean are the wait of the middle job. */
static void median_and_mean_order_symmetric_queues_alike(void **state)
{
    (void)state;
    struct hs_rng rng;
    hs_rng_open(&rng, 11, "symmetric");
    for (int round = 0; round < 300; round++) {
        struct {
            int64_t middle, distance[3];
            uint32_t pairs;
        } draw[QUEUES];
        uint32_t order[2][QUEUES];
        for (uint32_t hqueue = 0; hqueue < QUEUES; hqueue++) {
            draw[hqueue].middle = 10 + (int64_t)hs_rng_below(&rng, 30);
            draw[hqueue].pairs = (uint32_t)hs_rng_below(&rng, 4);
            for (uint32_t i = 0; i < 3; i++)
                draw[hqueue].distance[i] = (int64_t)hs_rng_below(&rng, 10);
        }
        for (int credit = 0; credit < 2; credit++) {
            hs_job_id job = 0;
            waiting_open_by_gpus(&hqueues, QUEUES, (enum hs_hplus_credit)credit);
            waiting_now_us = 60 * MINUTE_US;
            for (uint32_t hqueue = 0; hqueue < QUEUES; hqueue++) {
                add(job++, hqueue, draw[hqueue].middle);
                for (uint32_t i = 0; i < draw[hqueue].pairs; i++) {
                    add(job++, hqueue, draw[hqueue].middle - draw[hqueue].distance[i]);
                    add(job++, hqueue, draw[hqueue].middle + draw[hqueue].distance[i]);
                }
            }
            queue_order(order[credit]);
            waiting_close();
        }
        assert_memory_equal(order[0], order[1], sizeof order[0]);
    }
    hs_rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_of_most_credit_is_served),
        cmocka_unit_test(the_mean_counts_the_long_wait),
        cmocka_unit_test(a_single_queue_is_in_key_order),
        cmocka_unit_test(a_wait_counts_as_a_minute_at_least),
        cmocka_unit_test(credits_change_with_time_alone),
        cmocka_unit_test(virtual_clusters_do_not_see_each_other),
        cmocka_unit_test(median_and_mean_agree_on_a_symmetric_queue),
        cmocka_unit_test(median_and_mean_order_symmetric_queues_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
