/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CPUs and host memory that a policy allocates: what fits beside them, what a change costs, what is
 * refused. The engine recounts every node at each instant (check=full).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/script.h"
#include "support/sink.h"

#define S   HS_TEST_S
#define CAN (HS_CAN_HOST | HS_CAN_PREEMPT | HS_CAN_TIME)

/* 4 GPUs, 12 CPUs, 1000 MiB. */
static const char host[] =
    "{\"nodes\": [{\"count\": 1, \"gpus\": 4, \"cpus\": 12, \"mem_mib\": 1000}]}";
static const struct hs_test_job jobs[] = {{.gpus = 2, .cpus = 2, .duration_s = 100},
                                          {.gpus = 1, .duration_s = 50}};

static void expect_room(const struct hs_view *v, uint32_t job, bool is_room)
{
    assert_int_equal(hs_view_best_fit(v, script_handle[job], job == 0 ? 2 : 1),
                     is_room ? 0 : HS_NO_NODE);
}

/* A gang of 2 with 5 CPUs and 300 MiB a GPU leaves 2 CPUs and 400 MiB; with 2 CPUs it leaves 8. */
static void allot(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        const uint32_t mark = hs_plan_mark(p);
        hs_plan_host(p, script_handle[0], 7000, 0); /* 14 of 12 */
        expect_room(v, 0, false);
        hs_plan_rollback(p, mark);
        expect_room(v, 0, true);
        hs_plan_host(p, script_handle[0], 5000, 300);
        hs_plan_start_on_node(p, script_handle[0], 0);
        assert_false(hs_view_is_constrained(v, script_handle[1]));
        hs_plan_host(p, script_handle[1], 2001, 0);
        assert_true(hs_view_is_constrained(v, script_handle[1]));
        expect_room(v, 1, false);
        hs_plan_host(p, script_handle[1], 2000, 401);
        expect_room(v, 1, false);
        hs_plan_host(p, script_handle[1], 2000, 400);
        hs_plan_start_on_node(p, script_handle[1], 0);
        hs_plan_timer(p, 10 * S, 0);
    } else if (hs_view_now_us(v) == 10 * S) {
        hs_plan_preempt(p, script_handle[0], 5 * S);
        hs_plan_host(p, script_handle[0], 2000, 0);
        hs_plan_start_on_node(p, script_handle[0], 0);
        const uint32_t mark = hs_plan_mark(p);
        hs_plan_preempt(p, script_handle[1], 5 * S);
        hs_plan_host(p, script_handle[1], 8001, 0);
        expect_room(v, 1, false);
        hs_plan_rollback(p, mark);
        hs_plan_preempt(p, script_handle[1], 5 * S);
        hs_plan_host(p, script_handle[1], 8000, 1000);
        hs_plan_start_on_node(p, script_handle[1], 0);
    }
}

/* Both keep their GPUs, so the change costs nothing. */
static void an_allotment_is_conserved(void **state)
{
    (void)state;
    const char *cluster = scratch_write("host.json", host, strlen(host));
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 2, cluster, CAN, allot, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    assert_int_equal(r.jobs[1].end_us, 50 * S);
    assert_int_equal(r.jobs[0].preemptions + r.jobs[0].migrations + r.jobs[1].migrations, 0);
    hs_test_free(&r);
}

static void start_as_it_is(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0)
        hs_plan_start_on_node(p, script_handle[0], 0);
}

/* 13 CPUs of 12: rejected, unless the policy allocates CPUs. */
static void the_trace_does_not_count(void **state)
{
    (void)state;
    static const struct hs_test_job much = {.gpus = 1, .cpus = 13, .duration_s = 100};
    const char *cluster = scratch_write("host.json", host, strlen(host));
    struct hs_test_result r;
    assert_int_equal(script_play(&much, 1, cluster, CAN, start_as_it_is, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
    assert_int_equal(hs_test_run(&much, 1, cluster, "fifo", &r), HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_REJECTED);
    hs_test_free(&r);
}

static void too_much(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_host(p, script_handle[0], 0, 501);
    hs_plan_start_on_node(p, script_handle[0], 0);
}

static void too_late(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start_on_node(p, script_handle[0], 0);
    hs_plan_host(p, script_handle[0], 1000, 0);
}

static void rules(void **state)
{
    (void)state;
    const char *cluster = scratch_write("host.json", host, strlen(host));
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 1, cluster, CAN, too_much, &r), &r,
                          "has not the CPUs or host memory for 2 GPUs of it");
    assert_script_refused(script_play(jobs, 1, cluster, CAN, too_late, &r), &r,
                          "CPUs and host memory one without GPUs");
    assert_script_refused(script_play(jobs, 1, cluster, HS_CAN_TIME, too_much, &r), &r,
                          "did not declare that it can allot CPUs and host memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allotment_is_conserved),
        cmocka_unit_test(the_trace_does_not_count),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
