/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Insufficient GPU memory with several jobs or GPUs involved (MODEL.md 5): which jobs are killed
 * and which are not. As in test_oom.c: V100s of 16 GiB, speed 1/2 beside any job, a kill 30 s after
 * the start that overflowed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "horus/policy.h"
#include "support/script.h"

#define S HS_TEST_S

#define BIG 10240 /* MiB: two exceed a GPU */

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

static void start_gang(struct hs_plan *p, int job, uint32_t gpu, uint32_t other)
{
    start_on(p, job, gpu);
    hs_plan_on_gpu(p, other);
}

static bool was_killed(const struct hs_view *v, int job)
{
    return hs_view_state(v, script_handle[job]) == HS_JOB_SUSPENDED;
}

static void play(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                 script_fn *what, struct hs_test_result *r)
{
    assert_int_equal(script_play(jobs, count, cluster, HS_CAN_COLOCATE | HS_CAN_TIME, what, r),
                     HS_OK);
}

static void expect(const struct hs_test_result *r, uint32_t job, uint32_t ooms, int64_t end_s)
{
    if (r->jobs[job].ooms != ooms || r->jobs[job].end_us != end_s * S)
        fail_msg("job %u: %u kills, end %.6f s", job, r->jobs[job].ooms,
                 (double)r->jobs[job].end_us / S);
}

/* ---- gangs ---- */

static void gang_joins(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 1);
        start_gang(p, 1, 0, 1);
    } else if (was_killed(v, 1)) {
        start_gang(p, 1, 0, 2);
    }
}

/* One of its two GPUs suffices to kill the gang on both, and to run it at 1/2 before: 15 s are
 * lost. On GPUs 0, which is free again, and 2 it needs its 50 s: 80. Job 0 has done 15 by 30:
 * 115. */
static void a_gang_that_overflows_one_gpu_leaves_all(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 2, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 2, "1x4:V100", gang_joins, &r);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_OOM);
    assert_int_equal(r.segments[0].gpu_count, 2);
    assert_int_equal(r.segments[0].end_us, 30 * S);
    assert_int_equal(r.jobs[1].lost_ns, 15 * S * 1000);
    expect(&r, 0, 0, 115);
    expect(&r, 1, 1, 80);
    hs_test_free(&r);
}

static void later_joins(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        start_gang(p, 1, 0, 1);
    } else if (call == 1) {
        start_on(p, 2, 1);
    } else if (was_killed(v, 2)) {
        start_on(p, 2, 2);
    }
}

/* Job 0 runs at 1/2 and ends at 20: the gang, due to be killed at 30, is then the first on its GPU.
 * Job 2 started on its other GPU at 10 and is the last there: killed at 40, alone on GPU 2 until
 * 90. The gang has done 20 by 40 and needs 80 more: 120. */
static void the_last_to_start_is_killed_not_the_first_marked(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 10, .gpu_mem_mib = BIG},
        {.gpus = 2, .duration_s = 100, .gpu_mem_mib = BIG},
        {.gpus = 1, .submit_s = 10, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 3, "1x4:V100", later_joins, &r);
    expect(&r, 0, 0, 20);
    expect(&r, 1, 0, 120);
    expect(&r, 2, 1, 90);
    hs_test_free(&r);
}

static void single_joins(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_gang(p, 0, 0, 1);
        start_on(p, 1, 1);
    } else if (was_killed(v, 1)) {
        start_on(p, 1, 2);
    }
}

/* A gang that started first stays on both of its GPUs. */
static void a_gang_that_was_there_first_stays(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 2, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 2, "1x4:V100", single_joins, &r);
    expect(&r, 0, 0, 115);
    expect(&r, 1, 1, 80);
    hs_test_free(&r);
}

static void gang_on_two_shared(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 1);
        start_gang(p, 2, 0, 1);
    } else if (was_killed(v, 2)) {
        start_gang(p, 2, 2, 3);
    }
}

/* Job 1 leaves GPU 1 at 10, job 0 leaves GPU 0 at 20: room on both before 30. The gang has done 10
 * of its 50 s by then and ends at 60. */
static void a_gang_runs_on_when_all_its_gpus_have_room(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 10, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 5, .gpu_mem_mib = BIG},
                                              {.gpus = 2, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 3, "1x4:V100", gang_on_two_shared, &r);
    expect(&r, 1, 0, 10);
    expect(&r, 0, 0, 20);
    expect(&r, 2, 0, 60);
    hs_test_free(&r);
}

/* Room on GPU 1 alone does not prevent or delay the kill. On GPUs 2 and 3: 30 + 50. */
static void room_on_one_of_its_gpus_is_not_enough(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 5, .gpu_mem_mib = BIG},
                                              {.gpus = 2, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 3, "1x4:V100", gang_on_two_shared, &r);
    expect(&r, 1, 0, 10);
    expect(&r, 2, 1, 80);
    expect(&r, 0, 0, 115);
    hs_test_free(&r);
}

/* ---- started by one plan ---- */

static void backwards(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 1, 0);
        start_on(p, 0, 0);
    } else if (was_killed(v, 0)) {
        start_on(p, 0, 1);
    }
}

/* The job that the plan names last is killed: job 0 loses 15 s and ends at 30 + 50. Job 1 has done
 * 15 of 100 s by 30: 115. */
static void the_last_of_a_plan_is_killed(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 2, "1x2:V100", backwards, &r);
    expect(&r, 0, 1, 80);
    expect(&r, 1, 0, 115);
    hs_test_free(&r);
}

static void gang_last(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 1, 1);
        start_gang(p, 0, 0, 1);
    } else if (was_killed(v, 0)) {
        start_gang(p, 0, 2, 3);
    }
}

static void also_if_it_is_a_gang(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 2, .duration_s = 50, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    play(jobs, 2, "1x4:V100", gang_last, &r);
    expect(&r, 0, 1, 80);
    expect(&r, 1, 0, 115);
    hs_test_free(&r);
}

/* Killed jobs restart on the GPU of their number. */
static void three_at_once(const struct hs_view *v, struct hs_plan *p, int call)
{
    for (int job = 0; job < 3; job++) {
        if (call == 0)
            start_on(p, job, 0);
        else if (job > 0 && call == 1 && was_killed(v, job))
            start_on(p, job, (uint32_t)job);
    }
}

/* 10 + 10 + 5 GiB: two overflow. Kills of one instant go by row: with job 1 gone, 15 GiB fit and
 * job 2 is not killed. It has 35 of 50 s to do at 30 and ends at 100; job 0 has done 50 of 100
 * then. */
static void one_kill_may_spare_another(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = 5120}};
    struct hs_test_result r;
    script_options.max_tenants = 3;
    play(jobs, 3, "1x3:V100", three_at_once, &r);
    expect(&r, 1, 1, 80);
    expect(&r, 2, 0, 100);
    expect(&r, 0, 0, 150);
    hs_test_free(&r);
}

/* 10 + 5 + 10 GiB, in this order: the first two fit, so only the third overflows. */
static void a_job_that_fitted_at_its_start_runs_on(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = 5120},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    script_options.max_tenants = 3;
    play(jobs, 3, "1x3:V100", three_at_once, &r);
    expect(&r, 1, 0, 100);
    expect(&r, 2, 1, 80);
    expect(&r, 0, 0, 150);
    hs_test_free(&r);
}

/* Three of 10 GiB: with job 1 gone, 20 GiB are still too much, and job 2 is killed as well. */
static void one_kill_may_not_be_enough(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG},
                                              {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG}};
    struct hs_test_result r;
    script_options.max_tenants = 3;
    play(jobs, 3, "1x3:V100", three_at_once, &r);
    expect(&r, 1, 1, 80);
    expect(&r, 2, 1, 80);
    expect(&r, 0, 0, 115);
    hs_test_free(&r);
}

/* ---- starts and ends within the delay ---- */

static const struct hs_test_job in_turn[] = {{.gpus = 1, .duration_s = 10, .gpu_mem_mib = BIG},
                                             {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG},
                                             {.gpus = 1, .duration_s = 20, .gpu_mem_mib = 4096},
                                             {.gpus = 1, .duration_s = 50, .gpu_mem_mib = BIG}};

static void third_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 0);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        start_on(p, 2, 0);
    }
}

/* Job 1 overflows from 0 on, job 2 starts at 10 and overflows too; job 0 ends at 20 and the others,
 * 10 + 4 GiB, fit: neither is killed. Job 2 has done 5 of 20 s then and ends at 50; job 1 has done
 * 25 of 50 s then and ends at 75. */
static void an_end_in_time_prevents_all_kills(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_options.max_tenants = 3;
    play(in_turn, 3, "1x1:V100", third_at_10, &r);
    expect(&r, 0, 0, 20);
    expect(&r, 2, 0, 50);
    expect(&r, 1, 0, 75);
    hs_test_free(&r);
}

static void next_at_20(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start_on(p, 0, 0);
        start_on(p, 1, 0);
        start_on(p, 2, 1);
    } else if (call == 1) {
        start_on(p, 3, 0);
    } else if (was_killed(v, 3)) {
        start_on(p, 3, 1);
    }
}

/* Job 0 ends at 20 (so does job 2, elsewhere), so job 1 now fits and is the first on the GPU when
 * job 3 starts there at once: job 3 is killed at 50 and ends on GPU 1 at 100. Job 1 has done 25 of
 * 50 s by 50: 75. */
static void a_job_that_fits_again_is_first_on_its_gpu(void **state)
{
    (void)state;
    struct hs_test_result r;
    play(in_turn, 4, "1x2:V100", next_at_20, &r);
    expect(&r, 1, 0, 75);
    expect(&r, 3, 1, 100);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_gang_that_overflows_one_gpu_leaves_all, reset),
        cmocka_unit_test_setup(the_last_to_start_is_killed_not_the_first_marked, reset),
        cmocka_unit_test_setup(a_gang_that_was_there_first_stays, reset),
        cmocka_unit_test_setup(a_gang_runs_on_when_all_its_gpus_have_room, reset),
        cmocka_unit_test_setup(room_on_one_of_its_gpus_is_not_enough, reset),
        cmocka_unit_test_setup(the_last_of_a_plan_is_killed, reset),
        cmocka_unit_test_setup(also_if_it_is_a_gang, reset),
        cmocka_unit_test_setup(one_kill_may_spare_another, reset),
        cmocka_unit_test_setup(a_job_that_fitted_at_its_start_runs_on, reset),
        cmocka_unit_test_setup(one_kill_may_not_be_enough, reset),
        cmocka_unit_test_setup(an_end_in_time_prevents_all_kills, reset),
        cmocka_unit_test_setup(a_job_that_fits_again_is_first_on_its_gpu, reset),
    };
    return cmocka_run_group_tests_name("overflow_gangs", tests, NULL, NULL);
}
