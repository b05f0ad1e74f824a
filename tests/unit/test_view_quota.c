/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quotas of virtual clusters and free GPUs of racks, as a policy sees them while it writes a plan,
 * and the differences for a policy that may borrow. Two racks, n0 n1 | n2, of 4 GPUs a node;
 * quotas: a 8, b 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/script.h"
#include "support/sink.h"

static const char cluster_json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                                   "             {\"nodes\": [{\"gpus\": 4}]}],"
                                   " \"vcs\": {\"a\": 8, \"b\": 3}}";

/* b requests 3 at once, then 2 more, then 4 at a time: more than its whole quota. */
static const struct hs_test_job jobs[] = {{.gpus = 3, .duration_s = 10, .vc = "b"},
                                          {.gpus = 2, .duration_s = 10, .vc = "b"},
                                          {.gpus = 4, .duration_s = 10, .vc = "b"}};

static enum hs_status play(uint32_t can, enum hs_vc_mode mode, uint32_t count, script_fn *what,
                           struct hs_test_result *r)
{
    const char *path = scratch_write("racks.json", cluster_json, strlen(cluster_json));
    script_options.vc = mode;
    enum hs_status status = script_play(jobs, count, path, can, what, r);
    script_options.vc = HS_VC_IGNORE;
    return status;
}

static void expect_held(const struct hs_view *v, uint64_t a, uint64_t b)
{
    assert_int_equal(hs_view_vc_held(v, 0), a);
    assert_int_equal(hs_view_vc_held(v, 1), b);
}

static void expect_racks(const struct hs_view *v, uint32_t first, uint32_t second)
{
    assert_int_equal(hs_view_rack_free(v, 0), first);
    assert_int_equal(hs_view_rack_free(v, 1), second);
}

static void start_across_racks(const struct hs_view *v, struct hs_plan *p)
{
    hs_plan_start(p, script_handle[1]);
    hs_plan_on_node(p, 1, 1);
    hs_plan_on_node(p, 2, 1);
    expect_held(v, 0, 5);
    expect_racks(v, 4, 3);
}

/* All at once: 3 on n0, then one of n1 and of n2, beyond the quota; rolled back, and done again.
 * The job of 4 was not rejected at submission and gets 4 of the 7 that are left. */
static void borrow(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    assert_int_equal(hs_view_quota(v, 0), 8);
    assert_int_equal(hs_view_quota(v, 1), 3);
    assert_int_equal(hs_view_quota_room(v, 1), UINT64_MAX);
    expect_held(v, 0, 0);
    expect_racks(v, 8, 4);
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 3);
    expect_held(v, 0, 3);
    expect_racks(v, 5, 4);
    uint32_t mark = hs_plan_mark(p);
    start_across_racks(v, p);
    hs_plan_rollback(p, mark);
    expect_held(v, 0, 3);
    expect_racks(v, 5, 4);
    start_across_racks(v, p);
    assert_int_equal(hs_view_quota_room(v, 1), UINT64_MAX);
    hs_plan_start(p, script_handle[2]);
    hs_plan_on_node(p, 1, 3);
    hs_plan_on_node(p, 2, 1);
    expect_held(v, 0, 9);
    expect_racks(v, 1, 2);
}

static void a_quota_can_be_exceeded(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(HS_CAN_BORROW, HS_VC_QUOTA, 3, borrow, &r), HS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(r.jobs[i].end_us, 10 * HS_TEST_S);
    hs_test_free(&r);
}

/* Without borrowing: the room shrinks, and the plan stops at it. */
static void stay_within(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 0)
        return;
    assert_int_equal(hs_view_quota(v, 1), 3);
    assert_int_equal(hs_view_quota_room(v, 1), 3);
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 3);
    expect_held(v, 0, 3);
    assert_int_equal(hs_view_quota_room(v, 1), 0);
    hs_plan_start(p, script_handle[1]);
    hs_plan_on_node(p, 1, 2);
}

static void a_quota_bars_others(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(play(0, HS_VC_QUOTA, 3, stay_within, &r), &r,
                          "virtual cluster 'b' is over its quota");
}

/* Job 0 at once, job 1 at its end, job 2 at job 1's end. */
static void one_by_one(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call > 2)
        return;
    hs_plan_start(p, script_handle[call]);
    hs_plan_on_node(p, 0, hs_view_gpus(v, script_handle[call]));
}

static void two_of_them(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call < 2)
        one_by_one(v, p, call);
}

/* From 0 to 10 s b holds 3 GPUs and its job of 2 waits: for the quota; the job of 4 was rejected.
 * If borrowing is allowed both wait for their turn, because n1 and n2 have 4 free. */
static void no_job_waits_for_a_quota_that_bars_none(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(0, HS_VC_QUOTA, 3, two_of_them, &r), HS_OK);
    assert_int_equal(r.jobs[2].state, HS_JOB_REJECTED);
    assert_string_equal(r.jobs[2].reason,
                        "it needs more GPUs than the quota of its virtual cluster");
    assert_int_equal(r.instants[0].wait_quota, 2);
    assert_int_equal(r.instants[0].wait_priority, 0);
    hs_test_free(&r);
    assert_int_equal(play(HS_CAN_BORROW, HS_VC_QUOTA, 3, one_by_one, &r), HS_OK);
    assert_int_equal(r.jobs[2].end_us, 30 * HS_TEST_S);
    assert_int_equal(r.instants[0].wait_quota, 0);
    assert_int_equal(r.instants[0].wait_priority, 6);
    hs_test_free(&r);
}

/* Without --vc there is one virtual cluster and no quota; held GPUs are still counted. */
static void count_without_quota(const struct hs_view *v, struct hs_plan *p, int call)
{
    assert_int_equal(hs_view_quota(v, 0), UINT64_MAX);
    assert_int_equal(hs_view_vc_held(v, 0), call == 1 ? 3 : 0);
    if (call > 0)
        return;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 3);
    hs_plan_timer(p, 5 * HS_TEST_S, 't');
}

static void no_quota_without_virtual_clusters(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(HS_CAN_TIME, HS_VC_IGNORE, 1, count_without_quota, &r), HS_OK);
    hs_test_free(&r);
}

static void ask_no_rack(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_rack_free(v, 2), 0);
}

static void ask_no_vc(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_vc_held(v, 2), 0);
}

static void ask_no_quota(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_quota(v, 2), 8); /* of the first one */
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_script_refused(play(0, HS_VC_QUOTA, 1, ask_no_rack, &r), &r,
                          "rack 2, which is not there");
    assert_script_refused(play(0, HS_VC_QUOTA, 1, ask_no_vc, &r), &r,
                          "virtual cluster 2, which is not there");
    assert_script_refused(play(0, HS_VC_QUOTA, 1, ask_no_quota, &r), &r,
                          "virtual cluster 2, which is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quota_can_be_exceeded),
        cmocka_unit_test(a_quota_bars_others),
        cmocka_unit_test(no_job_waits_for_a_quota_that_bars_none),
        cmocka_unit_test(no_quota_without_virtual_clusters),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests_name("engine/view quotas", tests, scratch_open, scratch_close);
}
