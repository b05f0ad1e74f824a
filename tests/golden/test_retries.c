/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs whose attempts fail, on paper: a duration 10/20 means that the job fails after 10 s, is
 * submitted again at that instant and then runs 20 s. A stretch of the timeline is a placement, so
 * an attempt that starts where the one before it ended has a stretch of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect
#define S      HS_TEST_S

/* M20 of the design, 1x1, 5 s a column: at 10 job 0 is queued behind job 1.
 *   001110000 */
static void m20_at_the_tail(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10/20 1:1,5,15", "0:0-10,25-45 1:10-25");
}

/* 1x1, sjf: at 10 the next attempt (5 s) goes before job 1 (15 s), the one after that (30 s) not.
 * Whole jobs would be 0:0-45 1:45-60. */
static void an_attempt_is_a_job_to_sjf(void **state)
{
    (void)state;
    expect("1x1", "sjf", "0:1,0,10/5/30 1:1,5,15", "0:0-10,10-15,30-60 1:15-30");
}

/* 1x1, srtf, 5 s a column. At 5 job 0 has 5 s of its attempt left: less than 15, it stays. At 10
 * the next one is 40 s: job 1 first. At 30, 35 s are left: job 2 preempts.
 *   001110220000000 */
static void srtf_weighs_what_is_left_of_the_attempt(void **state)
{
    (void)state;
    expect("1x1", "srtf", "0:1,0,10/40 1:1,5,15 2:1,30,10", "0:0-10,25-30,40-75 1:10-25 2:30-40");
}

/* The same with 3 s to pay after a preemption, none after a failure: job 0 resumes at 40, works
 * from 43 and has 35 s to do. */
static void a_failure_costs_nothing(void **state)
{
    (void)state;
    expect("1x1", "srtf:preempt_cost=job", "0:1,0,10/40$3 1:1,5,15 2:1,30,10",
           "0:0-10,25-30,40-78 1:10-25 2:30-40");
}

/* Every attempt starts anew: 2 s each. 0-12, job 1 12-29, then 29-51. */
static void each_attempt_pays_for_its_start(void **state)
{
    (void)state;
    const struct hs_test_options options = {.startup_us = 2 * S};
    scenario_expect_with("1x1", "fifo", "0:1,0,10/20 1:1,5,15", &options, "0:0-12,29-51 1:12-29");
}

/* 1x4: the gang fails at 10 and job 1, which waited, takes two of its GPUs; at 30 all four are free
 * again. */
static void a_gang_loses_its_gpus(void **state)
{
    (void)state;
    expect("1x4", "fifo", "0:4,0,10/20 1:2,5,20", "0:0-10@0+1+2+3,30-50@0+1+2+3 1:10-30@0+1");
}

/* 1x2: both attempts end at 10, and their jobs wait again in the order of the finish events, which
 * is that of the trace: 0 before 1, both behind 2, submitted at 5. */
static void two_failures_at_one_instant(void **state)
{
    (void)state;
    expect("1x2", "fifo", "0:1,0,10/7 1:1,0,10/3 2:2,5,4", "0:0-10,14-21 1:0-10,14-17 2:10-14");
}

/* Job 1 is submitted at the instant at which job 0 fails: the finish is handled first, so job 0
 * precedes it. */
static void a_failure_is_before_a_submission(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10/20 1:1,10,5", "0:0-10,10-30 1:30-35");
}

/* Attempts without length, first, in the middle and last. Of jobs submitted at one instant the row
 * of the trace decides, so job 0 precedes job 1 while it is 0 s; at 4 it does not. */
static void attempts_without_length(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,0/0/5 1:1,0,3", "0:0-0,0-0,0-5 1:5-8");
    expect("1x1", "fifo", "0:1,0,4/0 1:1,1,3", "0:0-4,7-7 1:4-7");
    expect("1x1", "srtf", "0:1,0,4/0/2 1:1,1,3", "0:0-4,4-4,4-6 1:6-9");
}

/* 2x4, node 0 belongs to a, node 1 to b. Job 0 fails at 10 and is queued behind job 2 of its own
 * virtual cluster; b, whose job 3 waits until 60 for job 1, is not affected. */
static void a_partition_keeps_its_retries(void **state)
{
    (void)state;
    static const char vcs[] = "{\"vcs\": {\"a\": 4, \"b\": 4}}\n";
    struct hs_test_options options = {.vc = HS_VC_PARTITION};
    options.vc_file = scratch_write("vcs.json", vcs, sizeof vcs - 1);
    scenario_expect_with("2x4", "fifo", "0:4,0,10/20@a 1:4,0,60@b 2:1,5,30@a 3:1,6,5@b", &options,
                         "0:0-10,40-60 1:0-60 2:10-40 3:60-65");
    options.vc = HS_VC_QUOTA;
    scenario_expect_with("1x8", "fifo", "0:4,0,10/20@a 1:4,0,60@b 2:1,5,30@a 3:1,6,5@b", &options,
                         "0:0-10,40-60 1:0-60 2:10-40 3:60-65");
}

static void run_m20(int64_t until_s, struct hs_test_result *r)
{
    static const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 20, .failed_s = {10}, .failures = 1},
        {.gpus = 1, .submit_s = 5, .duration_s = 15}};
    const struct hs_test_options options = {.until_us = until_s * S};
    assert_int_equal(hs_test_run_with(jobs, 2, "1x1", "fifo", &options, r), HS_OK);
}

/* M20 again: observers see one row for the job, from its first submission to its last end, all work
 * summed. */
static void a_job_is_one_to_observers(void **state)
{
    (void)state;
    struct hs_test_result r;
    run_m20(0, &r);
    assert_int_equal(r.jobs[0].state, HS_JOB_DONE);
    assert_int_equal(r.jobs[0].start_us, 0);
    assert_int_equal(r.jobs[0].end_us, 45 * S);
    assert_int_equal(r.jobs[0].run_us, 30 * S);
    assert_int_equal(r.jobs[0].done_ns, 30 * S * 1000);
    assert_int_equal(r.jobs[0].lost_ns, 0);
    assert_int_equal(r.jobs[0].attempts, 2);
    assert_int_equal(r.jobs[1].attempts, 1);
    assert_int_equal(r.segment_count, 3);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_FAILURE);
    assert_int_equal(r.segments[0].done_ns, 10 * S * 1000);
    assert_int_equal(r.segments[2].ended_by, HS_SEGMENT_FINISH);
    assert_int_equal(r.segments[2].done_ns, 20 * S * 1000);
    assert_int_equal(r.figures.jobs, 2);
    assert_int_equal(r.figures.finished, 2);
    /* from 10 to 25 job 0 waits as if it had never started, with the cause insufficient resources
     */
    for (uint32_t i = 0; i < r.instant_count; i++) {
        bool waits = r.instants[i].time_us >= 10 * S && r.instants[i].time_us < 25 * S;
        if (r.instants[i].time_us < 10 * S)
            continue;
        assert_int_equal(r.instants[i].pending, waits);
        assert_int_equal(r.instants[i].wait_resources, waits);
        assert_int_equal(r.instants[i].suspended, 0);
    }
    hs_test_free(&r);
    /* three attempts, from 0, 10 and 15: the first start is that of the first, which is at 0 */
    static const struct hs_test_job thrice = {
        .gpus = 1, .duration_s = 10, .failed_s = {10, 5}, .failures = 2};
    assert_int_equal(hs_test_run(&thrice, 1, "1x1", "fifo", &r), HS_OK);
    assert_int_equal(r.jobs[0].start_us, 0);
    assert_int_equal(r.jobs[0].end_us, 25 * S);
    hs_test_free(&r);
}

/* Stopped at 15 the job waits for its second attempt, at 30 it has done 5 s of it. */
static void the_horizon_cuts(void **state)
{
    (void)state;
    struct hs_test_result r;
    run_m20(15, &r);
    assert_int_equal(r.figures.unfinished, 2);
    assert_int_equal(r.jobs[0].state, HS_JOB_PENDING);
    assert_int_equal(r.jobs[0].start_us, 0);
    assert_int_equal(r.jobs[0].end_us, -1);
    assert_int_equal(r.jobs[0].done_ns, 10 * S * 1000);
    assert_int_equal(r.jobs[0].attempts, 2);
    assert_int_equal(r.segment_count, 2);
    assert_int_equal(r.segments[1].job, 1);
    assert_int_equal(r.segments[1].ended_by, HS_SEGMENT_HORIZON);
    hs_test_free(&r);
    run_m20(30, &r);
    assert_int_equal(r.jobs[0].state, HS_JOB_RUNNING);
    assert_int_equal(r.jobs[0].done_ns, 15 * S * 1000);
    assert_int_equal(r.jobs[0].run_us, 15 * S);
    assert_int_equal(r.segments[2].ended_by, HS_SEGMENT_HORIZON);
    assert_int_equal(r.segments[2].done_ns, 5 * S * 1000);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m20_at_the_tail),
        cmocka_unit_test(an_attempt_is_a_job_to_sjf),
        cmocka_unit_test(srtf_weighs_what_is_left_of_the_attempt),
        cmocka_unit_test(a_failure_costs_nothing),
        cmocka_unit_test(each_attempt_pays_for_its_start),
        cmocka_unit_test(a_gang_loses_its_gpus),
        cmocka_unit_test(two_failures_at_one_instant),
        cmocka_unit_test(a_failure_is_before_a_submission),
        cmocka_unit_test(attempts_without_length),
        cmocka_unit_test(a_partition_keeps_its_retries),
        cmocka_unit_test(a_job_is_one_to_observers),
        cmocka_unit_test(the_horizon_cuts),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
