/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Legal plans through a scripted policy: starts, moves, kills and rejections have the effects in
 * policy.h. Times are calculated by hand beside each test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "support/script.h"

#define S HS_TEST_S

static const struct hs_test_job one[] = {{.gpus = 2, .duration_s = 100}};
static const struct hs_test_job two[] = {{.gpus = 1, .duration_s = 100},
                                         {.gpus = 1, .duration_s = 50}};

static void kill_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 'k');
    } else if (call == 1) {
        hs_plan_kill(p, script_handle[0]);
    }
}

static void a_killed_job_loses_its_work(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_PREEMPT | HS_CAN_TIME, kill_at_10, &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_FAILED);
    assert_int_equal(r.jobs[0].end_us, 10 * S);
    assert_int_equal(r.jobs[0].lost_ns, 10 * S * 1000);
    assert_int_equal(r.jobs[0].done_ns, 0);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_KILL);
    hs_test_free(&r);
}

static void start_on_16_and_17(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 17, 2);
        hs_plan_on_node(p, 16, 1);
    }
}

/* On the lowest free GPUs of its nodes, 64 to 67 and 68 to 71: beyond the first 64. */
static void gpus_are_those_of_the_node(void **state)
{
    (void)state;
    static const struct hs_test_job gang[] = {{.gpus = 3, .duration_s = 100}};
    for (uint32_t shares = 0; shares < 2; shares++) {
        struct hs_test_result r;
        assert_int_equal(
            script_play(gang, 1, "20x4", shares ? HS_CAN_COLOCATE : 0, start_on_16_and_17, &r),
            HS_OK);
        assert_memory_equal(r.segments[0].gpus, ((uint32_t[]){64, 68, 69}), 3 * sizeof(uint32_t));
        hs_test_free(&r);
    }
}

/* ---- moves ---- */

static void preempt_and_back(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[0], 5 * S);
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
    }
}

/* Preempted and started again on the same node in one plan: no effect. */
static void a_move_to_the_same_node_is_nothing(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "2x2", HS_CAN_PREEMPT | HS_CAN_TIME, preempt_and_back, &r),
                     HS_OK);
    assert_int_equal(r.segment_count, 1);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    assert_int_equal(r.jobs[0].preemptions, 0);
    assert_string_equal(script_told, "UStF");
    hs_test_free(&r);
}

static void preempt_and_elsewhere(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[0], 5 * S);
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 1, 2);
    }
}

/* On another node it is a migration: 10 s done, 5 s of overhead, 90 s to do: ends at 105. */
static void a_move_elsewhere_is_a_migration(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(
        script_play(one, 1, "2x2", HS_CAN_PREEMPT | HS_CAN_TIME, preempt_and_elsewhere, &r), HS_OK);
    assert_int_equal(r.segment_count, 2);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_MIGRATE);
    assert_int_equal(r.segments[1].gpus[0], 2);
    assert_int_equal(r.jobs[0].end_us, 105 * S);
    assert_int_equal(r.jobs[0].overhead_us, 5 * S);
    assert_int_equal(r.jobs[0].migrations, 1);
    assert_int_equal(r.jobs[0].preemptions, 0);
    hs_test_free(&r);
}

static void add_overhead_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_add_overhead(p, script_handle[0], 3 * S);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 2) { /* after the end of the overhead at 3 */
        hs_plan_add_overhead(p, script_handle[0], 5 * S);
        hs_plan_add_overhead(p, script_handle[0], 0);
    }
}

/* 3 s of overhead at the start, 5 more at 10: runs from 3 to 10 and from 15 to 108. */
static void overhead_comes_before_work(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_TIME, add_overhead_at_10, &r), HS_OK);
    assert_int_equal(r.segment_count, 1);
    assert_int_equal(r.jobs[0].start_us, 0);
    assert_int_equal(r.jobs[0].end_us, 108 * S);
    assert_int_equal(r.jobs[0].overhead_us, 8 * S);
    assert_string_equal(script_told, "USPtPF");
    hs_test_free(&r);
}

static void add_overhead_while_waiting(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_add_overhead(p, script_handle[0], 4 * S);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
    }
}

static const struct hs_test_job nothing[] = {{.gpus = 2},
                                             {.gpus = 2, .submit_s = 3, .duration_s = 4}};

static void start_when_free(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_add_overhead(p, script_handle[0], 3 * S);
    } else if (call == 1) {
        assert_int_equal(hs_view_node_free(v, 0), 2);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_node(p, 0, 2);
    }
}

/* It has 3 s of overhead and no work: at 3 it ends before anything is decided. */
static void a_job_without_work_ends_with_its_cost(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(nothing, 2, "1x2", 0, start_when_free, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 3 * S);
    assert_int_equal(r.jobs[1].start_us, 3 * S);
    assert_string_equal(script_told, "USFUSF");
    hs_test_free(&r);
}

/* The overhead of a waiting job begins when it holds GPUs: from 10 to 14. */
static void a_waiting_job_may_have_overhead(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_TIME, add_overhead_while_waiting, &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].start_us, 10 * S);
    assert_int_equal(r.jobs[0].end_us, 114 * S);
    hs_test_free(&r);
}

static void migrate_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 1) {
        hs_plan_migrate(p, script_handle[0], 5 * S);
        hs_plan_on_gpu(p, 3);
        hs_plan_on_gpu(p, 1);
    } else {
        preempt_and_elsewhere(v, p, call);
    }
}

/* One GPU on each node, one of them its own before: named GPUs, in ascending order in the
 * record. */
static void a_migration_takes_named_gpus(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "2x2", HS_CAN_MIGRATE | HS_CAN_TIME, migrate_at_10, &r),
                     HS_OK);
    assert_int_equal(r.segments[1].gpus[0], 1);
    assert_int_equal(r.segments[1].gpus[1], 3);
    assert_int_equal(r.jobs[0].end_us, 105 * S);
    hs_test_free(&r);
}

static void named_away(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[0], 0);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_gpu(p, 0);
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
    }
}

/* Job 0 returns to its node, but its GPU was given to job 1 by name: it moves to the other one. */
static void a_named_gpu_is_not_kept(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_PREEMPT | HS_CAN_TIME;
    assert_int_equal(script_play(two, 2, "1x2", can, named_away, &r), HS_OK);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_MIGRATE);
    assert_int_equal(r.segments[1].job, 1); /* 10-60 on GPU 0 */
    assert_int_equal(r.segments[1].gpus[0], 0);
    assert_int_equal(r.segments[2].gpus[0], 1); /* job 0, 10-100 */
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
}

static void cap_and_preempt(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0 || call == 2) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else if (call == 1) {
        hs_plan_cap(p, script_handle[0], HS_Q32_ONE / 4);
        hs_plan_preempt(p, script_handle[0], 0);
        hs_plan_timer(p, 20 * S, 't');
    }
}

/* A throttle ends with the placement: 0-10 and 20-110 at full speed. The timer at 30 changes
 * nothing, and one after the last job does not keep the run alive. */
static void a_cap_does_not_outlive_its_placement(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_THROTTLE;
    assert_int_equal(script_play(one, 1, "1x4", can, cap_and_preempt, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 110 * S);
    hs_test_free(&r);
}

static void a_timer_for_ever(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
    }
    hs_plan_timer(p, hs_view_now_us(v) + 30 * S, 't');
}

static void timers_keep_no_run_alive(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_TIME, a_timer_for_ever, &r), HS_OK);
    assert_int_equal(r.figures.end_us, 100 * S);
    hs_test_free(&r);
}

static void swap_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[0], 0);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_node(p, 0, 1);
    } else if (call == 2) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
    }
}

/* The same plan may use what a preemption frees: 0 runs 0-10, 1 runs 10-60, 0 runs 60-150. */
static void releases_count_before_takes(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(two, 2, "1x1", HS_CAN_PREEMPT | HS_CAN_TIME, swap_at_10, &r),
                     HS_OK);
    assert_int_equal(r.jobs[1].start_us, 10 * S);
    assert_int_equal(r.jobs[1].end_us, 60 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    assert_int_equal(r.jobs[0].preemptions, 1);
    assert_string_equal(script_told, "UUStOSFSF");
    hs_test_free(&r);
}

static void try_and_undo(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        uint32_t mark = hs_plan_mark(p);
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        assert_int_equal(hs_view_free_gpus(v, 0), 3);
        hs_plan_rollback(p, mark); /* an unfinished gang may be rolled back */
        assert_int_equal(hs_view_free_gpus(v, 0), 4);
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        uint32_t mark = hs_plan_mark(p);
        hs_plan_preempt(p, script_handle[0], 0);
        assert_int_equal(hs_view_free_gpus(v, 0), 4);
        hs_plan_rollback(p, mark);
        assert_int_equal(hs_view_free_gpus(v, 0), 2);
    }
}

static void rollback_leaves_no_trace(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_PREEMPT | HS_CAN_TIME, try_and_undo, &r),
                     HS_OK);
    assert_int_equal(r.segment_count, 1);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
}

static void reject(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) /* a further decision follows the end of a job */
        hs_plan_reject(p, script_handle[0], "no thanks");
}

static void a_rejection_has_a_reason(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", 0, reject, &r), HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_REJECTED);
    assert_int_equal(r.jobs[0].end_us, -1);
    assert_int_equal(r.figures.rejected, 1);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_job_loses_its_work),
        cmocka_unit_test(gpus_are_those_of_the_node),
        cmocka_unit_test(a_move_to_the_same_node_is_nothing),
        cmocka_unit_test(a_move_elsewhere_is_a_migration),
        cmocka_unit_test(a_migration_takes_named_gpus),
        cmocka_unit_test(releases_count_before_takes),
        cmocka_unit_test(rollback_leaves_no_trace),
        cmocka_unit_test(a_rejection_has_a_reason),
        cmocka_unit_test(a_named_gpu_is_not_kept),
        cmocka_unit_test(overhead_comes_before_work),
        cmocka_unit_test(a_waiting_job_may_have_overhead),
        cmocka_unit_test(a_job_without_work_ends_with_its_cost),
        cmocka_unit_test(a_cap_does_not_outlive_its_placement),
        cmocka_unit_test(timers_keep_no_run_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
