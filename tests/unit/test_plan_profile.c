/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes set aside for profiling: what the view shows, what a profile reveals and when, which work
 * of the profiling run is lost, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/script.h"
#include "support/sink.h"

#define S   HS_TEST_S
#define CAN (HS_CAN_PROFILE | HS_CAN_PREEMPT | HS_CAN_TIME)

static const struct hs_test_job jobs[] = {{.gpus = 2, .duration_s = 100, .gpu_util_pm = 700},
                                          {.gpus = 1, .duration_s = 5}};

static void expect_sums(const struct hs_view *v, uint32_t total, uint32_t free_gpus, uint32_t node)
{
    assert_int_equal(hs_view_total_gpus(v, 0), total);
    assert_int_equal(hs_view_free_gpus(v, 0), free_gpus);
    assert_int_equal(hs_view_free_for(v, script_handle[0]), free_gpus);
    assert_int_equal(hs_view_best_fit(v, script_handle[0], 2), node);
    assert_int_equal(hs_view_node_count(v, script_handle[0], 4, false), total / 4);
}

static bool is_visible(const struct hs_view *v, uint32_t job)
{
    struct hs_job_profile profile;
    const bool is_known = hs_view_profile(v, script_handle[job], &profile);
    assert_int_equal(profile.util_pm, is_known && job == 0 ? 700 : -1);
    return is_known;
}

/* Both jobs run on node 1, which no search finds; at 10 s the profile of the first is taken, and at
 * 20 s it starts on node 0. Before its end the view has no data of it, whatever the policy
 * declares. */
static void profiled(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        expect_sums(v, 8, 8, 0);
        const uint32_t mark = hs_plan_mark(p);
        hs_plan_set_aside(p, 0, true);
        expect_sums(v, 4, 4, 1);
        hs_plan_rollback(p, mark);
        expect_sums(v, 8, 8, 0);
        hs_plan_set_aside(p, 1, true);
        hs_plan_start_on_node(p, script_handle[0], 1);
        hs_plan_start_on_node(p, script_handle[1], 1);
        expect_sums(v, 4, 4, 0);
        assert_int_equal(hs_view_node_free(v, 1), 1);
        hs_plan_timer(p, 10 * S, 'a');
    } else if (hs_view_now_us(v) < 10 * S) {
        assert_false(is_visible(v, 0));
    } else if (hs_view_now_us(v) == 10 * S) {
        assert_false(is_visible(v, 0));
        hs_plan_end_profile(p, script_handle[0], false, 0);
        hs_plan_timer(p, 20 * S, 'b');
    } else if (hs_view_now_us(v) == 20 * S) {
        assert_true(is_visible(v, 0));
        assert_int_equal(hs_view_attained_us(v, script_handle[0]), 0);
        hs_plan_set_aside(p, 1, false); /* idle again */
        expect_sums(v, 8, 8, 0);
        hs_plan_start_on_node(p, script_handle[0], 0);
    }
}

/* 20 + 100 s; 10 s on 2 GPUs are lost; 5 s on 1 GPU were not. */
static void a_profile_is_booked(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_PROFILE;
    assert_int_equal(script_play(jobs, 2, "2x4", CAN, profiled, &r), HS_OK);
    script_knows = 0;
    assert_int_equal(r.jobs[0].end_us, 120 * S);
    assert_int_equal(r.jobs[0].lost_ns, 10 * S * 1000);
    assert_int_equal(r.jobs[0].preemptions, 0);
    assert_int_equal(r.segments[1].ended_by, HS_SEGMENT_PROFILE);
    const uint64_t *count = r.instants[r.instant_count - 1].policy_counter;
    assert_int_equal(count[HS_POLICY_COUNTER_PROFILED], 1);
    assert_int_equal(count[HS_POLICY_COUNTER_PROFILE_ENDED], 1);
    assert_int_equal(count[HS_POLICY_COUNTER_PROFILE_GPU_US], 25 * S);
    hs_test_free(&r);
}

static void kept(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_set_aside(p, 1, true);
        hs_plan_start_on_node(p, script_handle[0], 1);
        hs_plan_timer(p, 10 * S, 'a');
    } else if (hs_view_now_us(v) == 10 * S) {
        hs_plan_end_profile(p, script_handle[0], true, 3 * S);
        hs_plan_timer(p, 20 * S, 'b');
    } else if (hs_view_now_us(v) == 20 * S) {
        hs_plan_start_on_node(p, script_handle[0], 0);
    }
}

/* 20 + 3 + 90 s. */
static void a_profile_is_kept(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 1, "2x4", CAN, kept, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 113 * S);
    assert_int_equal(r.jobs[0].lost_ns, 0);
    assert_int_equal(r.jobs[0].preemptions, 1);
    hs_test_free(&r);
}

static void ask(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_false(is_visible(v, 1));
}

static void take_elsewhere(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0)
        hs_plan_start_on_node(p, script_handle[0], 0);
    else
        hs_plan_end_profile(p, script_handle[0], false, 0);
}

static void set_aside_held(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start_on_node(p, script_handle[0], 0);
    hs_plan_set_aside(p, 0, true);
}

static void set_aside(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_set_aside(p, 0, true);
}

static void rules(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 2, "1x4", CAN, ask, &r), &r,
                          "asked for the profile of a job, which it did not declare to know");
    assert_script_refused(script_play(jobs, 2, "1x4", CAN, take_elsewhere, &r), &r,
                          "of a job alone on nodes set aside");
    assert_script_refused(script_play(jobs, 2, "1x4", CAN, set_aside_held, &r), &r,
                          "only a node without jobs is set aside");
    assert_script_refused(script_play(jobs, 2, "1x4", HS_CAN_PREEMPT, set_aside, &r), &r,
                          "did not declare that it can profile");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_booked),
        cmocka_unit_test(a_profile_is_kept),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests_name("engine/plan, profiles", tests, scratch_open, scratch_close);
}
