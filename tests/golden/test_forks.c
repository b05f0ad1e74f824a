/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forks: another policy goes on with the jobs (MODEL.md 15). Schedules that can be verified on
 * paper; every job leaves its GPUs at the fork, so its segment ends there. A restart costs 3 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"

#define FORK(at_s, ...)                                                                            \
    (&(struct hs_test_options){.fork_us = (at_s)*HS_TEST_S, .restart_s = 3, .fork_to = __VA_ARGS__})

/* A job that is placed where it was pays nothing: 000|0000000 */
static void stays(void **state)
{
    (void)state;
    scenario_expect_with("1x1", "fifo", "0:1,0,10", FORK(3, "srtf"), "0:0-3,3-10");
}

/* GPU 0 is free again, and lower: the job stays on GPU 1. */
static void keeps_its_gpu(void **state)
{
    (void)state;
    scenario_expect_with("1x2", "fifo", "0:1,0,2 1:1,0,10", FORK(4, "fifo"),
                         "0:0-2@0 1:0-4@1,4-10@1");
}

/* Both nodes are empty for the new policy, which takes the first; 3 s of cost, 6 of work:
 *   n0 00..***111111
 *   n1 1111......... */
static void moves(void **state)
{
    (void)state;
    scenario_expect_with("2x1", "fifo", "0:1,0,2 1:1,0,10", FORK(4, "fifo"),
                         "0:0-2@0 1:0-4@1,4-13@0");
}

/* Job 1 has less left than job 0, which resumes after it: 0000|111***000000 */
static void is_stopped(void **state)
{
    (void)state;
    scenario_expect_with("1x1", "fifo", "0:1,0,10 1:1,2,3", FORK(4, "srtf"), "0:0-4,7-16 1:4-7");
}

/* By submission job 1 precedes the shorter job that had overtaken it, which has 3 s left. */
static void order_is_by_submission(void **state)
{
    (void)state;
    scenario_expect_with("1x1", "sjf", "0:1,0,2 1:1,1,5 2:1,1,4", FORK(3, "fifo"),
                         "0:0-2 1:3-8 2:2-3,8-14");
}

/* Of a start-up of 5 s two are left; they are paid. */
static void rest_of_a_cost(void **state)
{
    (void)state;
    scenario_expect_with("1x1", "fifo", "0:1,0,10", FORK(3, "fifo", .startup_us = 5 * HS_TEST_S),
                         "0:0-3,3-15");
}

/* Job 1 takes 5 + 1 s. Then job 0 owes those two, a start-up and a restart: 2 + 5 + 3. */
static void rest_of_a_cost_elsewhere(void **state)
{
    (void)state;
    scenario_expect_with("1x1", "fifo", "0:1,0,10 1:1,1,1",
                         FORK(3, "srtf", .startup_us = 5 * HS_TEST_S), "0:0-3,9-29 1:3-9");
}

/* Node n1 is down from 1 to 9, for the new policy too. */
static void node_stays_down(void **state)
{
    (void)state;
    scenario_expect_with("2x1", "fifo", "0:1,0,6 1:1,3,2",
                         FORK(4, "fifo", .machines = "1 n1 down, 9 n1 up"),
                         "0:0-4@0,4-6@0 1:6-8@0");
}

/* At the fork the second attempt has run for 1 of its 6 s: 0000|0|00000 */
static void attempt_goes_on(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 6, .failed_s = {4}, .failures = 1}};
    struct hs_test_result r;
    assert_int_equal(hs_test_run_with(jobs, 1, "1x1", "fifo", FORK(5, "srtf"), &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 10 * HS_TEST_S);
    assert_int_equal(r.jobs[0].attempts, 2);
    assert_int_equal(r.jobs[0].done_ns, INT64_C(10000000000));
    assert_int_equal(r.segment_count, 3);
    assert_int_equal(r.segments[1].ended_by, HS_SEGMENT_FORK);
    assert_int_equal(r.figures.fork_kept, 1);
    hs_test_free(&r);
}

/* Both share a GPU, each as fast as alone. Under fifo one of them waits, with 2 s of work left. */
static void leaves_a_shared_gpu(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 10, .gpu_mem_mib = 1000, .gpu_util_pm = 100},
        {.gpus = 1, .duration_s = 10, .gpu_mem_mib = 1000, .gpu_util_pm = 100}};
    struct hs_test_result r;
    assert_int_equal(hs_test_run_with(jobs, 2, "1x1:V100", "pack", FORK(8, "fifo"), &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 10 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 15 * HS_TEST_S);
    assert_int_equal(r.jobs[1].overhead_us, 3 * HS_TEST_S);
    assert_int_equal(r.jobs[0].preemptions + r.jobs[1].preemptions, 0);
    assert_int_equal(r.figures.fork_running, 2);
    assert_int_equal(r.figures.fork_kept, 1);
    hs_test_free(&r);
}

/* A job that has two GPUs by its elastic range gets the one that it asks for. */
static void resized_job_is_moved(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 10}};
    assert_int_equal(hs_test_run_with(jobs, 1, "1x2", "optimus", FORK(4, "fifo"), &r), HS_OK);
    assert_int_equal(r.segments[0].gpu_count, 2);
    assert_int_equal(r.segments[1].gpu_count, 1);
    assert_int_equal(r.jobs[0].done_ns, INT64_C(10000000000));
    assert_int_equal(r.figures.fork_kept, 0);
    hs_test_free(&r);
}

/* V100: 16,384 MiB. By the fork job 0 needs 12,000 MiB, which the new policy knows: there is no
 * room for the 8,000 of job 1. */
static void later_memory_is_known(void **state)
{
    const struct hs_test_job jobs[] = {
        {.gpus = 1,
         .duration_s = 100,
         .gpu_util_pm = 100,
         .gpu_mem_mib = 4000,
         .gpu_mem_later_mib = 12000,
         .later_us = 10 * HS_TEST_S},
        {.gpus = 1, .submit_s = 30, .duration_s = 10, .gpu_util_pm = 100, .gpu_mem_mib = 8000}};
    struct hs_test_result r;
    (void)state;
    assert_int_equal(hs_test_run_with(jobs, 2, "1x1:V100", "fifo", FORK(20, "horus"), &r), HS_OK);
    assert_int_equal(r.jobs[0].ooms + r.jobs[1].ooms, 0);
    assert_int_equal(r.jobs[1].start_us, 100 * HS_TEST_S);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays),
        cmocka_unit_test(keeps_its_gpu),
        cmocka_unit_test(moves),
        cmocka_unit_test(is_stopped),
        cmocka_unit_test(order_is_by_submission),
        cmocka_unit_test(rest_of_a_cost),
        cmocka_unit_test(rest_of_a_cost_elsewhere),
        cmocka_unit_test(node_stays_down),
        cmocka_unit_test(attempt_goes_on),
        cmocka_unit_test(leaves_a_shared_gpu),
        cmocka_unit_test(resized_job_is_moved),
        cmocka_unit_test(later_memory_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
