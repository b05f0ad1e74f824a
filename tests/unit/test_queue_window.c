/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Windows over queues compared with a plain reimplementation on random queues, and their cost. The
 * queue of a job is its number of GPUs (support/waiting.h).
 */
#include "support/waiting.h"

#include "base/rng.h"

#define LANES 4
#define JOBS  120

static struct hs_hplus_queues lanes;
static bool is_in[JOBS], is_taken[JOBS];

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static hs_job_id plain_next(enum hs_hplus_credit credit)
{
    int64_t most = 0;
    uint32_t best = LANES;
    for (uint32_t slice_group = 0; slice_group < LANES; slice_group++) {
        int64_t waits[JOBS], sum = 0, n = 0;
        for (uint32_t j = 0; j < JOBS; j++)
            if (is_in[j] && !is_taken[j] && waiting[j].gpus == slice_group)
                sum += waits[n++] = waiting_now_us - waiting[j].submit_us;
        if (n == 0)
            continue;
        qsort(waits, (size_t)n, sizeof waits[0], by_number);
        int64_t total = credit == HS_HPLUS_CREDIT_MEAN ? sum : n * waits[n / 2];
        total = total > n * MINUTE_US ? total : n * MINUTE_US;
        if (total > most) {
            most = total;
            best = slice_group;
        }
    }
    uint32_t first = JOBS;
    for (uint32_t j = 0; j < JOBS; j++)
        if (is_in[j] && !is_taken[j] && waiting[j].gpus == best &&
            (first == JOBS || waiting[j].util_pm < waiting[first].util_pm ||
             (waiting[j].util_pm == waiting[first].util_pm &&
              waiting[j].submit_us < waiting[first].submit_us)))
            first = j;
    return first == JOBS ? HS_NO_JOB : first;
}

static void compare_windows(enum hs_hplus_credit credit, uint32_t look_ahead)
{
    struct hs_hplus_queues_window w;
    memset(is_taken, 0, sizeof is_taken);
    window_open(&w, &lanes, NULL, 0, look_ahead);
    for (uint32_t i = 0; i < look_ahead; i++) {
        hs_job_id job = plain_next(credit);
        assert_int_equal(window_next(&w), job);
        if (job == HS_NO_JOB)
            return;
        is_taken[job] = true;
    }
    assert_int_equal(window_next(&w), HS_NO_JOB);
}

/* Few keys, submissions and lengths of wait, so that ties and the minimum of a minute decide
 * often. */
static void windows_agree_with_the_plain_way(void **state)
{
    (void)state;
    struct hs_rng rng;
    hs_rng_open(&rng, 12, "windows");
    for (int credit = 0; credit < 2; credit++) {
        waiting_open_by_gpus(&lanes, LANES, (enum hs_hplus_credit)credit);
        memset(is_in, 0, sizeof is_in);
        for (int step = 0; step < 4000; step++) {
            uint32_t j = (uint32_t)hs_rng_below(&rng, JOBS);
            waiting_now_us += (int64_t)hs_rng_below(&rng, 2) * (MINUTE_US / 8);
            if (is_in[j]) {
                hs_hplus_queues_remove(&lanes, NULL, j);
            } else {
                uint64_t ago = hs_rng_below(&rng, 40) * (uint64_t)(MINUTE_US / 4);
                waiting[j].gpus = (uint32_t)hs_rng_below(&rng, LANES);
                waiting[j].util_pm = (int32_t)hs_rng_below(&rng, 6);
                waiting[j].submit_us = waiting_now_us - (int64_t)ago;
                waiting_add(&lanes, j);
            }
            is_in[j] = !is_in[j];
            if (step % 7 == 0)
                compare_windows((enum hs_hplus_credit)credit,
                                1 + (uint32_t)hs_rng_below(&rng, JOBS + 8));
        }
        assert_null(hs_hplus_queues_check(&lanes, NULL));
        waiting_close();
    }
    hs_rng_close(&rng);
}

/* Steps through the sets for a window of 16 jobs of a queue of n. */
static uint64_t steps_of_a_window(uint32_t n)
{
    waiting_open_by_gpus(&lanes, LANES, HS_HPLUS_CREDIT_MEDIAN);
    for (uint32_t j = 0; j < n; j++) {
        uint64_t draw = hs_mix64(j, 1);
        waiting[j].submit_us = (int64_t)j * 1000;
        waiting[j].gpus = (uint32_t)draw % LANES;
        waiting[j].util_pm = (int32_t)(draw >> 32) % 1000;
        waiting_add(&lanes, j);
    }
    waiting_now_us = (int64_t)n * 1000;
    struct hs_hplus_queues_window w;
    waiting_looks = 0;
    window_open(&w, &lanes, NULL, 0, 16);
    while (window_next(&w) != HS_NO_JOB) {
    }
    uint64_t looks = waiting_looks;
    waiting_close();
    return looks;
}

/* Queues of 256 and of 4096 jobs, 8 and 12 levels deep: 1.5 times the steps are expected, and 2
 * allowed, for a queue that is 16 times as long. */
static void a_window_costs_the_logarithm_of_the_queue(void **state)
{
    (void)state;
    uint64_t brief = steps_of_a_window(1024), lengthy = steps_of_a_window(16384);
    assert_true(lengthy < 2 * brief);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_agree_with_the_plain_way),
                                       cmocka_unit_test(a_window_costs_the_logarithm_of_the_queue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
