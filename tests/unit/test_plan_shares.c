/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of GPUs in a plan: what the view shows while it is written, what a rollback undoes, and
 * what is refused. Jobs 0 to 2 request 400 thousandths of a GPU, 300 of each of two, and a whole
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/script.h"

#define S HS_TEST_S

static const struct hs_test_job jobs[] = {{.gpus = 1, .gpu_milli = 400, .duration_s = 10},
                                          {.gpus = 2, .gpu_milli = 300, .duration_s = 10},
                                          {.gpus = 1, .duration_s = 10}};

static void start(struct hs_plan *p, uint32_t job, uint32_t gpu)
{
    hs_plan_start(p, script_handle[job]);
    hs_plan_on_gpu(p, gpu);
}

static void expect_rooms(const struct hs_view *v, uint32_t most, uint64_t all, uint32_t free_gpus)
{
    assert_int_equal(hs_view_share_room(v, 0), most);
    assert_int_equal(hs_view_share_rooms(v, 0), all);
    assert_int_equal(hs_view_free_gpus(v, 0), free_gpus);
}

/* GPU 1 gets 400 and one worker of the gang; it is not offered to the gang a second time in the
 * same placement. A rollback restores the state. */
static void written_and_taken_back(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    const hs_job_id single = script_handle[0], gang = script_handle[1], whole = script_handle[2];
    assert_int_equal(hs_view_gpu_milli(v, single), 400);
    assert_int_equal(hs_view_gpu_milli(v, whole), 1000);
    assert_int_equal(hs_view_tightest_share(v, single), HS_NO_GPU);
    expect_rooms(v, 0, 0, 3);
    start(p, 0, 1);
    assert_int_equal(hs_view_tightest_share(v, gang), 1);
    assert_int_equal(hs_view_tightest_share(v, whole), HS_NO_GPU);
    expect_rooms(v, 600, 600, 2);
    for (int round = 0; round < 2; round++) {
        uint32_t mark = hs_plan_mark(p);
        start(p, 1, 1);
        assert_int_equal(hs_view_tightest_share(v, gang), HS_NO_GPU);
        hs_plan_on_node(p, 0, 1); /* the lowest idle GPU */
        assert_int_equal(hs_view_gpu_tenants(v, 0), 1);
        expect_rooms(v, 700, 1000, 1);
        start(p, 2, 2);
        expect_rooms(v, 700, 1000, 0);
        if (round > 0)
            return;
        hs_plan_rollback(p, mark);
        expect_rooms(v, 600, 600, 2);
    }
}

static void the_view_follows_the_plan(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 3, "1x3", HS_CAN_DIVIDE, written_and_taken_back, &r), HS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(r.jobs[i].end_us, 10 * S);
    assert_int_equal(r.instants[0].gpus_held, 3);
    assert_int_equal(r.instants[0].gpus_shared, 0);
    assert_int_equal(r.instants[0].milli_held, 400 + 2 * 300 + 1000);
    assert_int_equal(r.figures.shares_divided, 2);
    hs_test_free(&r);
}

/* At 0 the single share is on GPU 0; when the whole job on GPU 1 ends at 10, it is moved there. */
static void moved(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        start(p, 0, 0);
        start(p, 1, 1);
    } else if (hs_view_now_us(v) == 10 * S) {
        hs_plan_preempt(p, script_handle[0], 0);
        expect_rooms(v, 0, 0, 2);
        start(p, 0, 1);
    }
}

static void a_share_moves(void **state)
{
    (void)state;
    static const struct hs_test_job two[] = {{.gpus = 1, .gpu_milli = 400, .duration_s = 15},
                                             {.gpus = 1, .duration_s = 10}};
    struct hs_test_result r;
    assert_int_equal(script_play(two, 2, "1x2", HS_CAN_DIVIDE | HS_CAN_PREEMPT, moved, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 15 * S);
    assert_int_equal(r.jobs[0].migrations, 1);
    hs_test_free(&r);
}

static void beside_a_share(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    start(p, 0, 0);
    start(p, 2, 0);
}

static void beside_a_whole_job(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    start(p, 2, 0);
    start(p, 0, 0);
}

static void twice_on_one_gpu(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    start(p, 1, 0);
    hs_plan_on_gpu(p, 0);
}

static void too_much(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    start(p, 0, 0);
    start(p, 1, 0);
}

static void expect_refused(const struct hs_test_job *some, uint32_t count, uint32_t can,
                           script_fn *what, const char *rule)
{
    struct hs_test_result r;
    enum hs_status status = script_play(some, count, "1x3", can, what, &r);
    assert_script_refused(status, &r, rule);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct hs_test_job large[] = {{.gpus = 1, .gpu_milli = 400, .duration_s = 10},
                                               {.gpus = 1, .gpu_milli = 601, .duration_s = 10}};
    const uint32_t can = HS_CAN_DIVIDE | HS_CAN_COLOCATE;
    expect_refused(jobs, 3, can, beside_a_share, "GPU 0 holds a whole job or shares, never both");
    expect_refused(jobs, 3, can, beside_a_whole_job,
                   "GPU 0 holds a whole job or shares, never both");
    expect_refused(jobs, 3, can, twice_on_one_gpu, "GPU 0 was given to the job twice");
    expect_refused(large, 2, can, too_much, "GPU 0 has 600 thousandths left, the job needs 601");
}

/* Without the declaration every job requests whole GPUs. */
static void whole(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    assert_int_equal(hs_view_gpu_milli(v, script_handle[0]), 1000);
    assert_int_equal(hs_view_tightest_share(v, script_handle[0]), HS_NO_GPU);
    start(p, 0, 0);
    expect_rooms(v, 0, 0, 2);
}

static void an_undeclared_share_is_a_gpu(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 1, "1x3", 0, whole, &r), HS_OK);
    assert_int_equal(r.instants[0].milli_held, 1000);
    assert_int_equal(r.figures.shares_rounded, 1);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_follows_the_plan),
        cmocka_unit_test(a_share_moves),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(an_undeclared_share_is_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
