/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A policy's view, through a scripted policy: the data of jobs and cluster as the trace and the
 * shape state them, progress as measured, and nothing undeclared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "support/script.h"

#define S HS_TEST_S

static const struct hs_test_job job[] = {{.gpus = 2,
                                          .gpus_min = 1,
                                          .gpus_max = 4,
                                          .duration_s = 100,
                                          .preempt_cost_s = 7,
                                          .gpu_mem_mib = 4096,
                                          .gpu_util_pm = 600,
                                          .submit_s = 50}};

/* 0: waiting. 1, at 10 s: running at speed 1/2. */
static void read_facts(const struct hs_view *v, struct hs_plan *p, int call)
{
    hs_job_id j = script_handle[0];
    if (call > 1)
        return;
    assert_int_equal(hs_view_now_us(v), call * 10 * S); /* the first submission is time 0 */
    assert_int_equal(hs_view_submit_us(v, j), 0);
    assert_int_equal(hs_view_gpus(v, j), 2);
    assert_int_equal(hs_view_gpus_max(v, j), 4);
    assert_int_equal(hs_view_priority(v, j), 0);
    assert_int_equal(hs_view_preempt_cost_us(v, j), 7 * S);
    assert_int_equal(hs_view_duration_us(v, j), 100 * S);
    assert_int_equal(hs_view_util_pm(v, j), 600);
    assert_int_equal(hs_view_gpu_mem_mib(v, j), 4096);
    assert_null(hs_view_alloc(v, 8)); /* allowed in init only */
    if (call == 0) {
        assert_int_equal(hs_view_state(v, j), HS_JOB_PENDING);
        assert_int_equal(hs_view_gpus_held(v, j), 0);
        assert_int_equal(hs_view_first_start_us(v, j), -1);
        assert_int_equal(hs_view_finish_us(v, j), INT64_MAX);
        hs_plan_start(p, j);
        hs_plan_on_node(p, 1, 2);
        hs_plan_cap(p, j, HS_Q32_ONE / 2);
        hs_plan_timer(p, 10 * S, 't');
        assert_int_equal(hs_view_node_free(v, 1), 2);
        return;
    }
    assert_int_equal(hs_view_state(v, j), HS_JOB_RUNNING);
    assert_int_equal(hs_view_gpus_held(v, j), 2);
    assert_int_equal(hs_view_first_start_us(v, j), 0);
    assert_int_equal(hs_view_attained_us(v, j), 10 * S);
    assert_int_equal(hs_view_remaining_us(v, j), 95 * S); /* 10 s at 1/2 did 5 */
    assert_int_equal(hs_view_finish_us(v, j), 200 * S);   /* 100 s of work at 1/2 */
    assert_int_equal(hs_view_cost_left_us(v, j), 0);
    assert_int_equal(hs_view_rate_q32(v, j), HS_Q32_ONE / 2);
    assert_int_equal(hs_view_gpu_tenants(v, 4), 1);
    assert_int_equal(hs_view_gpu_tenants(v, 6), 0);
    assert_int_equal(v->nodes, 2);
    assert_int_equal(v->racks, 1);
    assert_int_equal(hs_view_node(v, 1)->gpus, 4);
    assert_int_equal(hs_view_node(v, 1)->first_gpu, 4);
    assert_int_equal(v->max_node_gpus, 4);
    assert_int_equal(hs_view_total_gpus(v, 0), 8);
    assert_int_equal(hs_view_free_gpus(v, 0), 6);
    assert_int_equal(hs_view_quota_room(v, 0), UINT64_MAX);
    assert_false(v->vcs_are_apart);
    assert_false(hs_view_is_constrained(v, j));
}

static void facts_are_as_stated(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_DURATION | HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE;
    uint32_t can = HS_CAN_THROTTLE | HS_CAN_TIME;
    assert_int_equal(script_play(job, 1, "2x4", can, read_facts, &r), HS_OK);
    /* 60 % on two GPUs, half of it by its cap, in the instant after the start */
    assert_int_equal(r.instants[0].load_pm_q32, 600 * HS_Q32_ONE);
    assert_int_equal(r.instants[0].solo_pm_q32, 600 * HS_Q32_ONE);
    assert_int_equal(r.jobs[0].end_us, 200 * S);
    script_knows = 0;
    hs_test_free(&r);
}

/* ---- undeclared knowledge ---- */

static void ask_duration(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_duration_us(v, script_handle[0]), 0);
}

static void ask_remaining(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_remaining_us(v, script_handle[0]), 0);
}

static void ask_finish(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_finish_us(v, script_handle[0]), INT64_MAX);
}

static void ask_util(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_util_pm(v, script_handle[0]), -1);
}

static void ask_memory(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_gpu_mem_mib(v, script_handle[0]), 0);
}

static void ask_rate(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_rate_q32(v, script_handle[0]), 0);
}

static void undeclared_knowledge_is_refused(void **state)
{
    (void)state;
    static const struct {
        script_fn *ask;
        const char *what;
    } cases[] = {{ask_duration, "run time"},  {ask_remaining, "remaining run time"},
                 {ask_finish, "finish time"}, {ask_util, "utilization"},
                 {ask_memory, "GPU memory"},  {ask_rate, "measured rate"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_test_result r;
        enum hs_status status = script_play(job, 1, "2x4", 0, cases[i].ask, &r);
        assert_script_refused(status, &r, cases[i].what);
    }
}

/* ---- what is not there ---- */

static void ask_no_job(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_gpus(v, HS_NO_JOB), 0);
    assert_non_null(hs_view_scratch(v, HS_NO_JOB));
}

static void ask_no_node(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_node_free(v, 2), 0);
    assert_int_equal(hs_view_node(v, 2)->gpus, 0);
}

static void ask_no_gpu(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_gpu_tenants(v, 8), 0);
}

static void ask_no_vc(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    assert_int_equal(hs_view_free_gpus(v, 1), 8);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    static const struct {
        script_fn *ask;
        const char *what;
    } cases[] = {{ask_no_job, "a job that is not there"},
                 {ask_no_node, "node 2, which is not there"},
                 {ask_no_gpu, "GPU 8, which is not there"},
                 {ask_no_vc, "virtual cluster 1, which is not there"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_test_result r;
        enum hs_status status = script_play(job, 1, "2x4", 0, cases[i].ask, &r);
        assert_script_refused(status, &r, cases[i].what);
    }
}

/* Also outside decide(): the fault of an on_event call ends the run. */
static void curious_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    if (event->kind == HS_EVENT_SUBMIT)
        (void)hs_view_duration_us(v, event->job);
}

static enum hs_status idle_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state, (void)v, (void)p;
    return HS_OK;
}

static void events_are_watched_too(void **state)
{
    (void)state;
    static const struct hs_policy_ops curious = {
        .name = "curious", .state_size = 1, .on_event = curious_event, .decide = idle_decide};
    struct hs_test_options options = {.policy = &curious};
    struct hs_test_result r;
    enum hs_status status = hs_test_run_with(job, 1, "2x4", NULL, &options, &r);
    assert_script_refused(status, &r, "it asked for the run time");
}

/* ---- costs ---- */

static void start_with_cost(const struct hs_view *v, struct hs_plan *p, int call)
{
    hs_job_id j = script_handle[0];
    if (call == 0) {
        hs_plan_start(p, j);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 3 * S, 't');
    } else if (call == 1) {
        assert_int_equal(hs_view_state(v, j), HS_JOB_STARTING);
        assert_int_equal(hs_view_cost_left_us(v, j), 2 * S);
        assert_int_equal(hs_view_finish_us(v, j), 105 * S);
        assert_int_equal(hs_view_attained_us(v, j), 0);
    }
}

/* A start-up of 5 s: visible half-way, paid once, recorded as overhead. */
static void a_start_up_cost_is_paid(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_DURATION;
    script_options.startup_us = 5 * S;
    assert_int_equal(script_play(job, 1, "1x4", HS_CAN_TIME, start_with_cost, &r), HS_OK);
    script_options.startup_us = 0;
    script_knows = 0;
    assert_int_equal(r.jobs[0].end_us, 105 * S);
    assert_int_equal(r.jobs[0].overhead_us, 5 * S);
    assert_string_equal(script_told, "UStPF");
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_as_stated), cmocka_unit_test(undeclared_knowledge_is_refused),
        cmocka_unit_test(what_is_not_there_is_refused), cmocka_unit_test(events_are_watched_too),
        cmocka_unit_test(a_start_up_cost_is_paid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
