/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exclusive jobs hold their GPUs of a node by one allocation, until a policy queries a single GPU:
 * then allocations are kept for each GPU, and the run continues as if it had always been so. Every
 * run here uses --check=full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "support/script.h"

#define S HS_TEST_S

/* Two nodes of 70: the GPUs of the second are in three words of 64. */
static const struct hs_test_job wide[] = {{.gpus = 60, .duration_s = 10, .gpu_util_pm = 500},
                                          {.gpus = 78, .duration_s = 20, .gpu_util_pm = 100}};

static void start_both(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 1, 60);
    hs_plan_start(p, script_handle[1]);
    hs_plan_on_node(p, 1, 10); /* not in the order of the GPUs */
    hs_plan_on_node(p, 0, 68);
    assert_int_equal(hs_view_node_free(v, 0), 2);
}

/* Node 1 has GPUs 70 to 139: 70 to 129 are for the first job, 130 to 139 for the second. */
static void a_node_of_several_words_is_held(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(wide, 2, "2x70", 0, start_both, &r), HS_OK);
    assert_int_equal(r.segments[0].gpu_count, 60);
    assert_int_equal(r.segments[0].gpus[0], 70);
    assert_int_equal(r.segments[0].gpus[15], 85);
    assert_int_equal(r.segments[1].gpu_count, 78);
    assert_int_equal(r.segments[1].gpus[0], 0);
    assert_int_equal(r.instants[0].gpus_held, 138);
    assert_int_equal(r.instants[0].milli_held, 138000);
    assert_int_equal(r.instants[0].load_pm_q32, (60 * 500 + 78 * 100) * HS_Q32_ONE);
    /* At 10 s the first job has finished. */
    assert_int_equal(r.instants[1].solo_pm_q32, (78 * 100) * HS_Q32_ONE);
    hs_test_free(&r);
}

/* On 1x6: four jobs of one GPU; those on 1 and 3 finish, and then the lowest three free GPUs are 1,
 * 3 and 4. */
static const struct hs_test_job holes[] = {{.gpus = 1, .duration_s = 90},
                                           {.gpus = 1, .duration_s = 10},
                                           {.gpus = 1, .duration_s = 90},
                                           {.gpus = 1, .duration_s = 10},
                                           {.gpus = 3, .submit_s = 20, .duration_s = 10}};

static void start_as_they_come(const struct hs_view *v, struct hs_plan *p, int call)
{
    const int64_t now_us = hs_view_now_us(v);
    (void)call;
    for (int i = 0; i < 5; i++)
        if (holes[i].submit_s * S == now_us) {
            hs_plan_start(p, script_handle[i]);
            hs_plan_on_node(p, 0, holes[i].gpus);
        }
}

static void the_lowest_free_gpus_are_taken(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(holes, 5, "1x6", 0, start_as_they_come, &r), HS_OK);
    assert_int_equal(r.segments[2].job, 4);
    assert_int_equal(r.segments[2].gpu_count, 3);
    assert_int_equal(r.segments[2].gpus[0], 1);
    assert_int_equal(r.segments[2].gpus[1], 3);
    assert_int_equal(r.segments[2].gpus[2], 4);
    hs_test_free(&r);
}

static const struct hs_test_job three[] = {{.gpus = 2, .duration_s = 100, .gpu_util_pm = 300},
                                           {.gpus = 1, .duration_s = 100},
                                           {.gpus = 1, .submit_s = 10, .duration_s = 10}};

/* At 10 s the policy queries single GPUs: the numbers of tenants are those under the plan, which
 * has just preempted the second job, but that job is still named as a tenant. */
static void ask_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_node(p, 0, 1);
    } else if (call == 1) {
        hs_plan_preempt(p, script_handle[1], 0);
        assert_int_equal(hs_view_gpu_tenants(v, 0), 1);
        assert_int_equal(hs_view_gpu_tenants(v, 1), 1);
        assert_int_equal(hs_view_gpu_tenants(v, 2), 0);
        assert_int_equal(hs_view_gpu_tenants(v, 3), 0);
        assert_int_equal(hs_view_gpu_tenant(v, 1, 0), script_handle[0]);
        assert_int_equal(hs_view_gpu_tenant(v, 2, 0), script_handle[1]); /* before this plan */
        assert_int_equal(hs_view_idle_gpu(v, 0, 0), 2);
        hs_plan_start(p, script_handle[2]);
        hs_plan_on_gpu(p, 2);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_node(p, 0, 1);
    }
}

static void a_query_of_a_gpu_is_answered(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(three, 3, "1x4", HS_CAN_PREEMPT, ask_at_10, &r), HS_OK);
    assert_int_equal(r.segment_count, 4); /* one of job 1's was closed and it has another */
    assert_int_equal(r.segments[0].job, 1);
    assert_int_equal(r.segments[0].gpus[0], 2);
    assert_int_equal(r.segments[1].job, 2);
    assert_int_equal(r.segments[1].gpus[0], 2);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[2].end_us, 20 * S);
    assert_int_equal(r.jobs[1].preemptions, 0); /* placed again at once: a migration */
    assert_int_equal(r.jobs[1].migrations, 1);
    assert_int_equal(r.instants[1].load_pm_q32, 600 * HS_Q32_ONE);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_of_several_words_is_held),
        cmocka_unit_test(the_lowest_free_gpus_are_taken),
        cmocka_unit_test(a_query_of_a_gpu_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
