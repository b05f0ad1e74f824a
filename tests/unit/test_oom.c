/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Insufficient GPU memory (MODEL.md 5), through a scripted policy. V100s of 16 GiB; a job runs at
 * speed 1/2 beside another; the kill comes 30 s after the start that overflowed. Each schedule is
 * calculated beside its test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "horus/policy.h"
#include "support/script.h"

#define S HS_TEST_S

static const struct hs_test_job big[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = 10240},
                                         {.gpus = 1, .duration_s = 50, .gpu_mem_mib = 10240}};

static int reset(void **state)
{
    (void)state;
    script_knows = 0;
    script_options = (struct hs_test_options){0};
    return 0;
}

static void start_on(struct hs_plan *p, int job, uint32_t gpu)
{
    hs_plan_start(p, script_handle[job]);
    hs_plan_on_gpu(p, gpu);
}

/* Both on GPU 0; each later start of job 1 is on GPU 1. */
static void then_apart(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 0);
    } else if (call == 1) {
        assert_int_equal(hs_view_state(v, script_handle[1]), HS_JOB_SUSPENDED);
        assert_int_equal(hs_view_ooms(v, script_handle[1]), 1);
        start_on(p, 1, 1);
    }
}

/* 10 + 10 GiB on 16: job 1 came second and is killed at 30; its 15 s of work are lost. Alone on GPU
 * 1 it needs its 50 s: 80. Job 0 has done 15 by 30 and ends at 30 + 85 = 115. */
static void the_last_to_start_is_killed(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(big, 2, "1x2:V100", HS_CAN_COLOCATE, then_apart, &r), HS_OK);
    assert_string_equal(script_told, "UUSSOSFF");
    assert_int_equal(r.jobs[1].ooms, 1);
    assert_int_equal(r.jobs[1].lost_ns, 15 * S * 1000);
    assert_int_equal(r.jobs[1].end_us, 80 * S);
    assert_int_equal(r.jobs[0].ooms, 0);
    assert_int_equal(r.jobs[0].end_us, 115 * S);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_OOM);
    assert_int_equal(r.segments[0].end_us, 30 * S);
    hs_test_free(&r);
}

/* Every start is on GPU 0. */
static void stubborn(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0)
        start_on(p, 0, 0);
    if (hs_view_state(v, script_handle[1]) == HS_JOB_PENDING ||
        hs_view_state(v, script_handle[1]) == HS_JOB_SUSPENDED) {
        assert_int_equal(hs_view_may_join(v, 0, script_handle[1]), call < 2);
        start_on(p, 1, 0);
    }
}

/* Killed at 30 and at 60; a third start beside job 0 is refused. */
static void two_kills_are_enough(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(script_play(big, 2, "1x2:V100", HS_CAN_COLOCATE, stubborn, &r), &r,
                          "t = 60.000000 s: GPU 0 is shared with a job that has to run alone");
}

/* Job 1 waits for an idle GPU after two kills; job 2 may not join it there. */
static void alone_then_joined(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call < 2)
        stubborn(v, p, call);
    else if (call == 2)
        start_on(p, 1, 1);
    else if (call == 3) {
        assert_false(hs_view_may_join(v, 1, script_handle[2]));
        start_on(p, 2, 1);
    }
}

static void no_job_joins_one_that_must_run_alone(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {
        big[0], {.gpus = 1, .duration_s = 50, .gpu_mem_mib = 10240}, {.gpus = 1, .submit_s = 70}};
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 3, "1x2:V100", HS_CAN_COLOCATE, alone_then_joined, &r),
                          &r, "t = 70.000000 s: GPU 1 is shared with a job that has to run alone");
}

static void together(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 2; i++)
        start_on(p, i, 0);
}

/* 15 s of work at 1/2 end at 30, when the kill was due. */
static void work_done_in_time_is_not_lost(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {big[0], {.gpus = 1, .duration_s = 15, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, together, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 30 * S);
    assert_int_equal(r.jobs[1].ooms, 0);
    hs_test_free(&r);
}

/* 8 + 8 GiB fill 16 exactly; with a reserve of 1 GiB they do not fit, whether the policy declares
 * memory (the plan is refused) or not (job 1 is killed at 30 and never starts again). */
static void the_reserve_is_for_no_job(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 20, .gpu_mem_mib = 8192},
                                       {.gpus = 1, .duration_s = 20, .gpu_mem_mib = 8192}};
    struct hs_test_result r;
    script_knows = HS_KNOWS_MEMORY;
    assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, together, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 40 * S);
    hs_test_free(&r);
    script_options.memory_reserve_mib = 1024;
    assert_script_refused(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, together, &r), &r,
                          "GPU 0 has 8192 of 15360 MiB in use, the job needs 8192");
}

static void asks_for_room(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    assert_int_equal(hs_view_gpu_mem_mib(v, script_handle[0]), 10240);
    start_on(p, 0, 0);
    start_on(p, 1, 1);
}

/* The whole GPU for one job; for a second what the first and the reserve of 1 GiB leave, the plan
 * included. */
static void room_is_what_claims_and_reserve_leave(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_MEMORY;
    script_options.memory_reserve_mib = 1024;
    assert_int_equal(script_play(big, 2, "1x2:V100", HS_CAN_COLOCATE, asks_for_room, &r), HS_OK);
    hs_test_free(&r);
}

static void limited_then_not(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        hs_plan_mem_limit(p, script_handle[0], 4096);
        hs_plan_timer(p, 10 * S, 'a');
    } else if (call == 1) {
        start_on(p, 1, 0);
        hs_plan_timer(p, 20 * S, 'b');
    } else if (call == 2) {
        hs_plan_mem_limit(p, script_handle[0], 0);
    } else if (hs_view_state(v, script_handle[0]) == HS_JOB_SUSPENDED) {
        start_on(p, 0, 1);
    }
}

/* A limit keeps job 0 at 4 of its 10 GiB; lifted at 20 by a policy that does not know memory, job 0
 * overflows and is killed at 50: it loses 10 + 40/2 = 30 s of work, needs 100 more on GPU 1 and
 * ends at 150. */
static void the_one_that_grows_is_killed(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE | HS_CAN_TIME;
    assert_int_equal(script_play(big, 2, "1x2:V100", can, limited_then_not, &r), HS_OK);
    assert_int_equal(r.jobs[0].ooms, 1);
    assert_int_equal(r.jobs[0].lost_ns, 30 * S * 1000);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    hs_test_free(&r);
}

/* Job 0 has 10 s to do, 20 at 1/2. */
static const struct hs_test_job brief[] = {{.gpus = 1, .duration_s = 10, .gpu_mem_mib = 10240},
                                           {.gpus = 1, .duration_s = 50, .gpu_mem_mib = 10240}};

/* Job 0 ends at 20: at 30 job 1 is alone and has all the memory it needs. It has done 10 of its 50
 * s by 20 and ends at 60. */
static void room_made_in_time_prevents_the_kill(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(brief, 2, "1x1:V100", HS_CAN_COLOCATE, together, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 0);
    assert_int_equal(r.jobs[1].end_us, 60 * S);
    hs_test_free(&r);
}

/* The same when job 0 ends at 30, when the kill is due: its end comes first by its row. Job 1 has
 * done 15 of 50 s by then: 65. */
static void room_made_just_in_time_is_enough(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 15, .gpu_mem_mib = 10240},
                                       brief[1]};
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, together, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 0);
    assert_int_equal(r.jobs[1].end_us, 65 * S);
    hs_test_free(&r);
}

static void together_with_a_limit(const struct hs_view *v, struct hs_plan *p, int call)
{
    then_apart(v, p, call);
    if (call == 0)
        hs_plan_mem_limit(p, script_handle[0], 8192);
}

/* 8 + 10 GiB are still too much. Job 1, the last to start, is killed at 30 as without the limit;
 * job 0, which uses less than before, is not: it ends at 115 (see the_last_to_start_is_killed). */
static void the_one_that_shrinks_is_not_killed(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE;
    assert_int_equal(script_play(big, 2, "1x2:V100", can, together_with_a_limit, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 1);
    assert_int_equal(r.jobs[0].ooms, 0);
    assert_int_equal(r.jobs[0].end_us, 115 * S);
    hs_test_free(&r);
}

static void together_with_a_low_limit(const struct hs_view *v, struct hs_plan *p, int call)
{
    together(v, p, call);
    if (call == 0)
        hs_plan_mem_limit(p, script_handle[0], 4096);
}

/* 4 + 10 GiB fit: only the state after the plan counts. Both at 1/2: job 1 ends at 100, job 0 has
 * done 50 by then and ends at 150. */
static void a_limit_of_the_same_plan_counts(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE;
    assert_int_equal(script_play(big, 2, "1x1:V100", can, together_with_a_low_limit, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 0);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    hs_test_free(&r);
}

static void restored_beside_another(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 1);
        hs_plan_timer(p, 10 * S, 'p');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[1], 40 * S);
        start_on(p, 1, 0);
    } else if (call == 2) {
        start_on(p, 1, 1);
    }
}

/* Job 1 has done 10 s when it is moved to GPU 0, where it has 40 s of restore overhead and is
 * killed at 40, 30 s into them. On GPU 1 the 40 s come again: it runs from 80 on and ends at
 * 120. */
static void a_killed_attempt_repeats_its_overhead(void **state)
{
    (void)state;
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_TIME;
    assert_int_equal(script_play(big, 2, "1x2:V100", can, restored_beside_another, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 1);
    assert_int_equal(r.jobs[1].lost_ns, 0);
    assert_int_equal(r.jobs[1].overhead_us, 70 * S);
    assert_int_equal(r.jobs[1].end_us, 120 * S);
    hs_test_free(&r);
}

static void slowly_then_beside_another(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 1);
        hs_plan_cap(p, script_handle[1], HS_Q32_ONE / 1024);
        hs_plan_timer(p, 1, 'm');
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[1], 40 * S);
        start_on(p, 1, 0);
    } else if (call == 2) {
        start_on(p, 1, 1);
        hs_plan_cap(p, script_handle[1], HS_Q32_ONE / 1024);
    }
}

/* 1 us of work at 1/1024 takes 1024 us. One of them is done, 1000/1024 of a nanosecond, when job 1
 * is moved to GPU 0, where it is in overhead until it is killed. That fraction is not lost: on GPU
 * 1 it has 40 s of overhead and needs 1023 us. */
static void a_kill_takes_no_fraction_earned_before(void **state)
{
    (void)state;
    const struct hs_test_job jobs[] = {big[0], {.gpus = 1, .duration_us = 1, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_THROTTLE | HS_CAN_TIME;
    assert_int_equal(script_play(jobs, 2, "1x2:V100", can, slowly_then_beside_another, &r), HS_OK);
    assert_int_equal(r.jobs[1].ooms, 1);
    assert_int_equal(r.jobs[1].end_us, 1 + 30 * S + 40 * S + 1023);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_last_to_start_is_killed, reset),
        cmocka_unit_test_setup(two_kills_are_enough, reset),
        cmocka_unit_test_setup(no_job_joins_one_that_must_run_alone, reset),
        cmocka_unit_test_setup(work_done_in_time_is_not_lost, reset),
        cmocka_unit_test_setup(the_reserve_is_for_no_job, reset),
        cmocka_unit_test_setup(room_is_what_claims_and_reserve_leave, reset),
        cmocka_unit_test_setup(the_one_that_grows_is_killed, reset),
        cmocka_unit_test_setup(room_made_in_time_prevents_the_kill, reset),
        cmocka_unit_test_setup(room_made_just_in_time_is_enough, reset),
        cmocka_unit_test_setup(the_one_that_shrinks_is_not_killed, reset),
        cmocka_unit_test_setup(a_limit_of_the_same_plan_counts, reset),
        cmocka_unit_test_setup(a_killed_attempt_repeats_its_overhead, reset),
        cmocka_unit_test_setup(a_kill_takes_no_fraction_earned_before, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
