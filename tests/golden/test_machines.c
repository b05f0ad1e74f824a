/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that fail, are drained, join, leave and are slow (MODEL.md 13): schedules that can be
 * verified on paper. Node n0 has the lowest GPUs. A row of a drawing is a GPU, a column a second,
 * 'x' a GPU out of service, '*' a cost being paid.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"

#define MACHINES(...) (&(struct hs_test_options){.machines = __VA_ARGS__})

static void expect(const char *cluster, const char *policy, const char *jobs,
                   const struct hs_test_options *options, const char *timeline)
{
    scenario_expect_with(cluster, policy, jobs, options, timeline);
}

/* A node is down when a job is submitted: xxxxx0000000000 */
static void down_at_first(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10", MACHINES("0 n0 down, 5 n0 up"), "0:5-15");
}

/* The work of the first four seconds is lost; the job starts on the other node at once.
 *   n0 0000xxxxxxxxxx
 *   n1 ....0000000000 */
static void down_loses_work(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10", MACHINES("4 n0 down"), "0:0-4@0,4-14@1");
}

/* A checkpoint after 3 s of work: of 4 s one is lost, and 7 remain. */
static void down_after_checkpoint(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10", MACHINES("4 n0 down", .checkpoint_s = 3), "0:0-4,4-11");
}

/* After 7 s the last of the checkpoints at 3 and 6 counts: 4 remain. */
static void down_after_two_checkpoints(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10", MACHINES("7 n0 down", .checkpoint_s = 3), "0:0-7,7-11");
}

/* A failure at the instant of a checkpoint loses nothing. */
static void down_at_checkpoint(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10", MACHINES("4 n0 down", .checkpoint_s = 4), "0:0-4,4-10");
}

/* The interval begins anew with each placement: 2 s of work, then 4 of which 3 are saved; of 10
 * then 7 are left. */
static void interval_of_a_placement(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10",
           MACHINES("2 n0 down, 3 n0 up, 7 n0 down, 8 n0 up", .checkpoint_s = 3), "0:0-2,3-7,8-15");
}

/* Young and Daly, C = 2 s, M = 9 s: sqrt(2 C M) = 6 s on one node, where a job has 6 / (6 + 2) of
 * its speed. After 20 s 15 are done, 12 saved; the other 12 take 16 s. On nine nodes the interval
 * is sqrt(2 C M / 9) = 2 s, the speed 2 / 4: after 23 s 11.5 are done, 10 saved; 14 take 28 s. */
static void young_and_daly(void **state)
{
    static const struct hs_fault_law law = {.mtbf_us = 9000000, .repair_us = 1, .shape = 1};
    (void)state;
    expect("1x1", "fifo", "0:1,0,24",
           MACHINES("20 n0 down, 21 n0 up", .checkpoint_s = -1, .checkpoint_cost_s = 2,
                    .faults = &law),
           "0:0-20,21-37");
    expect("9x1", "fifo", "0:9,0,24",
           MACHINES("23 n4 down, 24 n4 up", .checkpoint_s = -1, .checkpoint_cost_s = 2,
                    .faults = &law),
           "0:0-23,24-52");
}

/* A restart on the other node: n0 0000xx  n1 ....**0000000000 */
static void restart_costs(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10", MACHINES("4 n0 down", .restart_s = 2), "0:0-4,4-16");
}

/* The start-up of 3 s was not over at the failure: it is paid again, 3 + 10. */
static void down_in_startup(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10", MACHINES("2 n0 down, 5 n0 up", .startup_us = 3000000),
           "0:0-2,5-18");
}

/* A gang stops with any of its nodes.
 *   n0 00000...0000000000
 *   n1 00000xxx0000000000 */
static void gang_stops_whole(void **state)
{
    (void)state;
    expect("2x2", "fifo", "0:4,0,10", MACHINES("5 n1 down, 8 n1 up"), "0:0-5,8-18");
}

/* Two failures of one gang at one instant stop it once. */
static void rack_stops_once(void **state)
{
    (void)state;
    expect("4x1", "fifo", "0:2,0,10", MACHINES("5 n0 down, 5 n1 down"), "0:0-5@0+1,5-15@2+3");
}

/* A job that ends at the instant of the failure is done. Job 1 waits for the repair. */
static void finish_before_fault(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,5 1:1,1,3", MACHINES("5 n0 down, 9 n0 up"), "0:0-5 1:9-12");
}

/* A failure and a repair come before the submissions of their instant. */
static void fault_before_submission(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:2,0,1 1:1,4,10 2:1,8,2", MACHINES("4 n0 down, 8 n0 up"),
           "0:0-1@0+1 1:4-14@1 2:8-10@0");
}

/* To the policy the job is submitted at 4: job 1 precedes it.
 *   0000xx111110000000000 */
static void queue_after_fault(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10 1:1,1,5", MACHINES("4 n0 down, 6 n0 up"), "0:0-4,11-21 1:6-11");
}

/* sjf orders by the whole run time: job 0 is longer than job 1 although less was left of it. */
static void order_after_fault(void **state)
{
    (void)state;
    expect("1x1", "sjf", "0:1,0,10 1:1,1,9", MACHINES("8 n0 down, 9 n0 up", .checkpoint_s = 1),
           "0:0-8,18-20 1:9-18");
    expect("1x1", "srtf", "0:1,0,10 1:1,1,9", MACHINES("8 n0 down, 9 n0 up", .checkpoint_s = 1),
           "0:0-8,9-11 1:11-20");
}

/* Of its attempts, 3 s that fail and 10 that do not, the second begins anew. */
static void attempt_begins_anew(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,3/10", MACHINES("5 n0 down, 6 n0 up"), "0:0-3,3-5,6-16");
}

/* Jobs on the node go on, new ones wait:
 *   0000000000..........
 *   ...xxxxxxxxxxxxxxxxx11111 */
static void cordon(void **state)
{
    (void)state;
    expect("1x2", "fifo", "0:1,0,10 1:1,3,5", MACHINES("2 n0 cordon, 20 n0 up"), "0:0-10 1:20-25");
}

/* fifo cannot preempt: a drain is a cordon. srtf can: job 0 stops without loss.
 *   n0 0000xxxxxx
 *   n1 ....000000 */
static void drain(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10 1:1,5,3", MACHINES("4 n0 drain"), "0:0-10@0 1:5-8@1");
    expect("2x1", "srtf", "0:1,0,10", MACHINES("4 n0 drain"), "0:0-4@0,4-10@1");
    expect("2x1", "srtf", "0:1,0,10", MACHINES("4 n0 drain", .restart_s = 3), "0:0-4@0,4-13@1");
}

/* A cordoned node that fails stops its jobs as well. */
static void down_after_cordon(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10", MACHINES("2 n0 cordon, 5 n0 down, 8 n0 up"), "0:0-5,8-18");
}

/* n1 joins at 5: xxxxx111 */
static void add(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10 1:1,0,3", MACHINES("5 n1 add"), "0:0-10@0 1:5-8@1");
}

/* The GPUs of a node that is not added yet are in no index of a policy that shares GPUs: job 1 may
 * not join job 0 (their utilization is 120 %) and waits for n1. */
static void gang_of_sharing_policy_waits_for_add(void **state)
{
    (void)state;
    expect("2x2", "horus:util_cap=100", "0:2,0,10%60 1:2,0,3%60", MACHINES("5 n1 add"),
           "0:0-10@0+1 1:5-8@2+3");
}

/* A gang that shares no GPU is tried again when a node comes back, by itself or as a job ends. */
static void gang_alone_waits_for_repair(void **state)
{
    (void)state;
    expect("2x1", "horus:share_up_to=1", "0:2,0,5", MACHINES("0 n1 down, 20 n1 up"), "0:20-25");
    expect("2x1", "horus:share_up_to=1", "0:1,0,20 1:2,10,5", MACHINES("5 n1 down, 20 n1 up"),
           "0:0-20 1:20-25");
}

/* A gang that the whole cluster can hold waits for the node that is added. */
static void gang_waits_for_add(void **state)
{
    (void)state;
    expect("2x4", "fifo", "0:8,0,3", MACHINES("5 n1 add"), "0:5-8");
}

/* n1 is removed at 2, with what job 1 has done, and added again at 6. */
static void remove_and_add(void **state)
{
    (void)state;
    expect("2x1", "fifo", "0:1,0,10 1:1,0,3", MACHINES("2 n1 remove, 6 n1 add"),
           "0:0-10@0 1:0-2@1,6-9@1");
}

/* 4 s of work at full speed, then half: 6 more in 12 s. Up again at 8: 2 done in 4 s, 4 remain. */
static void slow(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10", MACHINES("4 n0 slow 0.5"), "0:0-16");
    expect("1x1", "fifo", "0:1,0,10", MACHINES("4 n0 slow 0.5, 8 n0 up"), "0:0-12");
}

/* A gang has the speed of its slowest worker; a job on the other node alone is not slowed. */
static void slow_gang(void **state)
{
    (void)state;
    expect("2x2", "fifo", "0:3,0,10 1:1,0,10", MACHINES("0 n0 slow 0.5"), "0:0-20@0+1+2 1:0-10@3");
}

/* A slow node that fails is repaired with its full speed. */
static void slow_then_down(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,10", MACHINES("0 n0 slow 0.25, 4 n0 down, 5 n0 up"), "0:0-4,5-15");
}

/* Both tenants of a GPU, and both shares of one, stop with their node. */
static void tenants_stop_together(void **state)
{
    (void)state;
    expect("1x1", "colocate-fifo", "0:1,0,10%40 1:1,0,10%40", MACHINES("4 n0 down, 6 n0 up"),
           "0:0-4,6-16 1:0-4,6-16");
    expect("1x1", "fifo", "0:1x500,0,10 1:1x500,0,10", MACHINES("4 n0 down, 6 n0 up"),
           "0:0-4,6-16 1:0-4,6-16");
}

/* On a cordoned GPU there is no room beside a tenant or a share. */
static void cordon_closes_shared(void **state)
{
    (void)state;
    expect("1x1", "colocate-fifo", "0:1,0,10%40 1:1,3,10%40", MACHINES("2 n0 cordon, 12 n0 up"),
           "0:0-10 1:12-22");
    expect("1x1", "fifo", "0:1x500,0,10 1:1x500,3,10", MACHINES("2 n0 cordon, 12 n0 up"),
           "0:0-10 1:12-22");
}

/* A node that never comes back: its job is unfinished at the end, which is not an error of the
 * policy. */
static void never_repaired(void **state)
{
    const struct hs_test_job job = {.gpus = 1, .duration_s = 10};
    struct hs_test_result r;
    (void)state;
    assert_int_equal(hs_test_run_with(&job, 1, "1x1", "fifo", MACHINES("4 n0 down"), &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, -1);
    assert_int_equal(r.figures.unfinished, 1);
    hs_test_free(&r);
}

/* What a failure lost is counted: 4 s of job 0 in two failures, 3 s of job 1. */
static void losses(void **state)
{
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 10}, {.gpus = 1, .duration_s = 6}};
    struct hs_test_result r;
    (void)state;
    assert_int_equal(hs_test_run_with(jobs, 2, "2x1", "fifo",
                                      MACHINES("3 n0 down, 3 n1 down, 4 n0 up, 4 n1 up, "
                                               "5 n0 down, 6 n0 up"),
                                      &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].lost_ns, INT64_C(4000000000));
    assert_int_equal(r.jobs[1].lost_ns, INT64_C(3000000000));
    assert_int_equal(r.jobs[0].end_us, 16 * HS_TEST_S);
    assert_int_equal(r.jobs[1].end_us, 10 * HS_TEST_S);
    assert_int_equal(r.figures.interrupts, 3);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(down_at_first),
        cmocka_unit_test(down_loses_work),
        cmocka_unit_test(down_after_checkpoint),
        cmocka_unit_test(down_after_two_checkpoints),
        cmocka_unit_test(down_at_checkpoint),
        cmocka_unit_test(interval_of_a_placement),
        cmocka_unit_test(young_and_daly),
        cmocka_unit_test(restart_costs),
        cmocka_unit_test(down_in_startup),
        cmocka_unit_test(gang_stops_whole),
        cmocka_unit_test(rack_stops_once),
        cmocka_unit_test(finish_before_fault),
        cmocka_unit_test(fault_before_submission),
        cmocka_unit_test(queue_after_fault),
        cmocka_unit_test(order_after_fault),
        cmocka_unit_test(attempt_begins_anew),
        cmocka_unit_test(cordon),
        cmocka_unit_test(drain),
        cmocka_unit_test(down_after_cordon),
        cmocka_unit_test(add),
        cmocka_unit_test(gang_of_sharing_policy_waits_for_add),
        cmocka_unit_test(gang_alone_waits_for_repair),
        cmocka_unit_test(gang_waits_for_add),
        cmocka_unit_test(remove_and_add),
        cmocka_unit_test(slow),
        cmocka_unit_test(slow_gang),
        cmocka_unit_test(slow_then_down),
        cmocka_unit_test(tenants_stop_together),
        cmocka_unit_test(cordon_closes_shared),
        cmocka_unit_test(never_repaired),
        cmocka_unit_test(losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
