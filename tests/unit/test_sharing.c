/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sharing, slicing, throttling and resizing through a scripted policy, with the physics of MODEL.md
 * 4 to 6 calculated by hand beside each test.
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

static int reset(void **state)
{
    (void)state;
    script_knows = 0;
    return 0;
}

static const struct hs_test_job one[] = {{.gpus = 2, .duration_s = 100}};
static const struct hs_test_job two[] = {{.gpus = 1, .duration_s = 100},
                                         {.gpus = 1, .duration_s = 50}};

/* ---- sharing one GPU ---- */

static void both_on_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 2; i++) {
        hs_plan_start(p, script_handle[i]);
        hs_plan_on_gpu(p, 0);
    }
}

static void sharing_needs_a_declaration(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(script_play(two, 2, "1x1", 0, both_on_gpu_0, &r), &r,
                          "the policy did not declare that it can co-locate");
}

/* Speed 1/2 beside each other: job 1 (50 s) ends at 100; job 0 has then done 50 and ends at 150. */
static void tenants_slow_each_other(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(two, 2, "1x1", HS_CAN_COLOCATE, both_on_gpu_0, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    assert_int_equal(r.segments[0].max_tenants, 2);
    assert_int_equal(r.instants[0].gpus_shared, 1);
    assert_int_equal(r.instants[1].gpus_shared, 0);
    hs_test_free(&r);
}

/* 10 + 10 GiB do not fit the 16 GiB of a V100. */
static void memory_is_a_limit(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 9, .gpu_mem_mib = 10240},
                                 {.gpus = 1, .duration_s = 9, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    script_knows = HS_KNOWS_MEMORY;
    assert_script_refused(script_play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, both_on_gpu_0, &r), &r,
                          "GPU 0 has 10240 of 16384 MiB in use, the job needs 10240");
}

static void halves_of_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    for (int i = 0; call == 0 && i < 2; i++)
        hs_plan_slice(p, script_handle[i], 1, HS_Q32_ONE / 2);
    if (call == 1) /* job 1 has finished: job 0 gets all of the GPU */
        hs_plan_slice(p, script_handle[0], 1, HS_Q32_ONE);
}

/* Time slices of 1/2 each do not interfere: 1 ends at 100, 0 has 50 left and ends at 150. */
static void slices_share_time(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(
        script_play(two, 2, "1x1", HS_CAN_COLOCATE | HS_CAN_SLICE, halves_of_gpu_0, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    hs_test_free(&r);
}

static void too_large_shares(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    if (call == 0)
        for (int i = 0; i < 2; i++)
            hs_plan_slice(p, script_handle[i], 1, HS_Q32_ONE / (uint64_t)(i + 1));
}

static void shares_fit_into_one(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(
        script_play(two, 2, "1x1", HS_CAN_COLOCATE | HS_CAN_SLICE, too_large_shares, &r), &r,
        "shares of lane 1 on node 'n0' add up to more than its 1 GPUs");
}

static void two_slice_groups(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 3; i++) {
        hs_plan_start(p, script_handle[i]);
        hs_plan_on_gpu(p, 0);
        hs_plan_slice(p, script_handle[i], i == 2 ? 2 : 1, i == 2 ? HS_Q32_ONE : HS_Q32_ONE / 2);
    }
}

/* Slice group 1: two jobs in turns; group 2: one job; the groups slow each other to 1/2. The job of
 * group 2 (100 s at 1/2) ends at 200; those of group 1 (at 1/4) have done 50 each by then, which
 * ends job 1; job 0 continues at its share of 1/2, alone: 50 more take 100 s. */
static void groups_interfere_and_jobs_of_a_group_do_not(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 100},
                                 {.gpus = 1, .duration_s = 50},
                                 {.gpus = 1, .duration_s = 100}};
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_SLICE;
    script_options.max_tenants = 3;
    assert_int_equal(script_play(jobs, 3, "1x1", can, two_slice_groups, &r), HS_OK);
    script_options.max_tenants = 0;
    assert_int_equal(r.jobs[2].end_us, 200 * S);
    assert_int_equal(r.jobs[1].end_us, 200 * S);
    assert_int_equal(r.jobs[0].end_us, 300 * S);
    hs_test_free(&r);
}

static void limit_then_share(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_gpu(p, 0);
        hs_plan_mem_limit(p, script_handle[0], 4096);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_gpu(p, 0);
    }
}

static void limit_to_1_mib(const struct hs_view *v, struct hs_plan *p, int call)
{
    limit_then_share(v, p, call);
    if (call == 0)
        hs_plan_mem_limit(p, script_handle[0], 1);
}

static void lift_the_limit(const struct hs_view *v, struct hs_plan *p, int call)
{
    limit_then_share(v, p, call);
    if (call == 1)
        hs_plan_timer(p, 12 * S, 'l');
    if (call == 2)
        hs_plan_mem_limit(p, script_handle[0], 0);
}

/* 10 + 10 GiB on 16 without the limit. */
static void a_limit_that_others_rely_on_stays(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 40, .gpu_mem_mib = 10240},
                                 {.gpus = 1, .duration_s = 20, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE | HS_CAN_TIME;
    script_knows = HS_KNOWS_MEMORY;
    assert_script_refused(script_play(jobs, 2, "1x1:V100", can, lift_the_limit, &r), &r,
                          "without its memory limit GPU 0 overflows");
}

/* 1 + 16,383 MiB on 16,384. */
static void a_limit_may_be_1_mib(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 40, .gpu_mem_mib = 10240},
                                 {.gpus = 1, .duration_s = 20, .gpu_mem_mib = 16383}};
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE | HS_CAN_TIME;
    script_knows = HS_KNOWS_MEMORY;
    assert_int_equal(script_play(jobs, 2, "1x1:V100", can, limit_to_1_mib, &r), HS_OK);
    assert_int_equal(r.jobs[0].ooms + r.jobs[1].ooms, 0);
    hs_test_free(&r);
}

static void three_on_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    for (int i = 0; i < 3; i++) {
        hs_plan_start(p, script_handle[i]);
        hs_plan_on_gpu(p, 0);
    }
}

static void tenants_are_limited(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 1}, {.gpus = 1, .duration_s = 1}, {.gpus = 1, .duration_s = 1}};
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 3, "1x1", HS_CAN_COLOCATE, three_on_gpu_0, &r), &r,
                          "GPU 0 has 2 tenants already");
}

static void a_part_share_without_a_slice_group(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    hs_plan_slice(p, script_handle[0], 0, HS_Q32_ONE / 2);
}

static void slices_need_a_slice_group(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(script_play(two, 2, "1x1", HS_CAN_COLOCATE | HS_CAN_SLICE,
                                      a_part_share_without_a_slice_group, &r),
                          &r, "lane 0 a share of 1");
}

/* ---- throttle, pause, resize ---- */

static void quarter_speed(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call != 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 2);
    hs_plan_cap(p, script_handle[0], HS_Q32_ONE / 4);
}

static void a_cap_throttles(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_THROTTLE, quarter_speed, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 400 * S); /* 100 s of work at 1/4 */
    hs_test_free(&r);
}

static void pause_10_to_30(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 30 * S, 'b');
        hs_plan_timer(p, 10 * S, 'a');
    } else if (call == 1) {
        hs_plan_pause(p, script_handle[0]);
    } else if (call == 2) {
        hs_plan_resume(p, script_handle[0]);
    }
}

/* Timers fire in order of time, not of setting; 20 s of pause are added to 100 s of work. */
static void a_pause_stops_progress(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(one, 1, "1x4", HS_CAN_SLICE | HS_CAN_TIME, pause_10_to_30, &r),
                     HS_OK);
    assert_int_equal(r.jobs[0].end_us, 120 * S);
    assert_int_equal(r.jobs[0].run_us, 120 * S);
    assert_string_equal(script_told, "USabF"); /* submit, started, a, b, finish */
    hs_test_free(&r);
}

static void wide(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call != 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 4);
}

static void an_elastic_job_may_grow(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 2, .gpus_min = 1, .gpus_max = 4, .duration_s = 100}};
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 1, "1x4", HS_CAN_RESIZE, wide, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 50 * S); /* twice the GPUs, linear */
    hs_test_free(&r);
    assert_script_refused(script_play(jobs, 1, "1x4", 0, wide, &r), &r, "4 of 2 GPUs given");
}

/* 10 GiB limited to 4 leave room for 10 more on 16: job 1 shares from 10 s on. Both at 1/2: job 1
 * (20 s of work) ends at 50; job 0 has done 10 + 20 = 30 of 40 by then and ends at 60. */
static void a_memory_limit_makes_room(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 40, .gpu_mem_mib = 10240},
                                 {.gpus = 1, .duration_s = 20, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    uint32_t can = HS_CAN_COLOCATE | HS_CAN_THROTTLE | HS_CAN_TIME;
    assert_int_equal(script_play(jobs, 2, "1x1:V100", can, limit_then_share, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 50 * S);
    assert_int_equal(r.jobs[0].end_us, 60 * S);
    hs_test_free(&r);
}

static uint64_t releases_before;

static void limit_and_look(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_gpu(p, 1);
    }
    if (call == 1) {
        releases_before = hs_view_releases(v);
        hs_plan_mem_limit(p, script_handle[0], 4096);
        hs_plan_reject(p, script_handle[1], "only to wake the policy");
    }
    if (call == 2) {
        assert_int_equal(hs_view_releases(v), releases_before + 1);
    }
}

/* A job that was refused looks for a place again only where a job left or claims less: from 10 to 4
 * GiB. */
static void a_smaller_claim_is_news(void **state)
{
    (void)state;
    struct hs_test_result r;
    const struct hs_test_job jobs[] = {{.gpus = 1, .duration_s = 9, .gpu_mem_mib = 10240},
                                       {.gpus = 1, .submit_s = 1, .duration_s = 9}};
    script_knows = HS_KNOWS_MEMORY;
    assert_int_equal(
        script_play(jobs, 2, "1x2:V100", HS_CAN_COLOCATE | HS_CAN_THROTTLE, limit_and_look, &r),
        HS_OK);
    assert_int_equal(r.jobs[0].end_us, 9 * S);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sharing_needs_a_declaration, reset),
        cmocka_unit_test_setup(tenants_slow_each_other, reset),
        cmocka_unit_test_setup(memory_is_a_limit, reset),
        cmocka_unit_test_setup(slices_share_time, reset),
        cmocka_unit_test_setup(shares_fit_into_one, reset),
        cmocka_unit_test_setup(groups_interfere_and_jobs_of_a_group_do_not, reset),
        cmocka_unit_test_setup(slices_need_a_slice_group, reset),
        cmocka_unit_test_setup(tenants_are_limited, reset),
        cmocka_unit_test_setup(a_limit_may_be_1_mib, reset),
        cmocka_unit_test_setup(a_limit_that_others_rely_on_stays, reset),
        cmocka_unit_test_setup(a_cap_throttles, reset),
        cmocka_unit_test_setup(a_pause_stops_progress, reset),
        cmocka_unit_test_setup(an_elastic_job_may_grow, reset),
        cmocka_unit_test_setup(a_memory_limit_makes_room, reset),
        cmocka_unit_test_setup(a_smaller_claim_is_news, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
