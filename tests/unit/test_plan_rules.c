/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules of the plan: every illegal action fails the run with a message that names the rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/script.h"
#include "support/sink.h"

#define S HS_TEST_S

static const struct hs_test_job one[] = {{.gpus = 2, .duration_s = 100}};
static void half_gang(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 1);
}

static void too_much(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 5);
}

static void no_such_node(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 7, 2);
}

static void start_on_no_node(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start_on_node(p, script_handle[0], 7);
}

static void started_twice_on_nodes(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start_on_node(p, script_handle[0], 0);
    hs_plan_start_on_node(p, script_handle[0], 0);
}

static void no_such_job(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, 99);
}

static void started_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 2);
    hs_plan_start(p, script_handle[0]);
}

static void gpus_without_start(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_on_node(p, 0, 2);
}

static void undeclared_preempt(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_preempt(p, script_handle[0], 0);
}

static void undeclared_oracle(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    (void)hs_view_duration_us(v, script_handle[0]);
}

static void preempt_pending(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_preempt(p, script_handle[0], 0);
}

static void late_timer(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)call;
    hs_plan_timer(p, hs_view_now_us(v) - 1, 'x');
}

static void never(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)p, (void)call;
}

static void same_gpu_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_gpu(p, 1);
    hs_plan_on_gpu(p, 1);
}

static void pause_pending(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_pause(p, script_handle[0]);
}

static void pause_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else {
        hs_plan_pause(p, script_handle[0]);
        hs_plan_pause(p, script_handle[0]);
    }
}

static void reject_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_reject(p, script_handle[0], "once");
    hs_plan_reject(p, script_handle[0], "twice");
}

static void half_gang_and_rollback(const struct hs_view *v, struct hs_plan *p, int call)
{
    half_gang(v, p, call);
    hs_plan_rollback(p, hs_plan_mark(p)); /* undoes nothing, closes nothing */
}

static void no_such_gpu(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_gpu(p, 4);
}

/* A GPU given by count has no name yet: another job cannot have the last one of the node by
 * name. */
static void last_one_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 2);
    hs_plan_start(p, script_handle[1]);
    hs_plan_on_gpu(p, 0);
}

static void undeclared_migrate(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_migrate(p, script_handle[0], 0);
}

static void undeclared_kill(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_kill(p, script_handle[0]);
}

static void add_negative_overhead(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    (void)call;
    hs_plan_add_overhead(p, script_handle[0], -1);
}

static void undeclared_pause(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_pause(p, script_handle[0]);
    hs_plan_resume(p, script_handle[0]); /* ignored: the first fault counts */
}

static void undeclared_cap(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_cap(p, script_handle[0], 1);
    hs_plan_mem_limit(p, script_handle[0], 1);
    hs_plan_slice(p, script_handle[0], 1, 1);
    hs_plan_rollback(p, 0);
}

/* After a fault every further call is ignored. */
static void on_and_on(const struct hs_view *v, struct hs_plan *p, int call)
{
    no_such_gpu(v, p, call);
    hs_plan_on_node(p, 0, 99);
    hs_plan_start(p, 99);
    hs_plan_reject(p, 99, "");
    hs_plan_migrate(p, 99, 0);
    hs_plan_timer(p, -1, 0);
    hs_plan_kill(p, 99);
}

static struct hs_plan *kept;

static void keep_plan(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    kept = p;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 2);
}

/* The plan of a decision must not be used later. */
static enum hs_status use_kept(void *ctx, int64_t now_us, const struct hs_job_record *job,
                               const uint32_t *gpus, uint32_t gpu_count)
{
    (void)ctx, (void)now_us, (void)job, (void)gpus, (void)gpu_count;
    hs_plan_timer(kept, now_us, 'x');
    return HS_OK;
}

static void a_plan_ends_with_its_decision(void **state)
{
    (void)state;
    static const struct hs_observer late = {.on_start = use_kept};
    struct hs_test_result r;
    script_options.observer = &late;
    enum hs_status status = script_play(one, 1, "1x4", HS_CAN_TIME, keep_plan, &r);
    script_options.observer = NULL;
    assert_script_refused(status, &r, "actions are allowed inside decide() only");
}

/* ---- nodes that not every job may use ---- */

static void one_each(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    for (int i = 0; i < 2; i++) {
        hs_plan_start(p, script_handle[i]);
        hs_plan_on_node(p, 1, 1);
    }
}

static void on_node_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, 2);
}

static void on_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_gpu(p, 0);
}

static void a_gpu_type_is_a_demand(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 2, .duration_s = 1, .gpu_type = "P100"}};
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 1, "1x4:V100,1x4:P100", 0, on_node_0, &r), &r,
                          "node 'n0' has not the GPU type that the job asks for");
    assert_script_refused(script_play(jobs, 1, "1x4:V100,1x4:P100", 0, on_gpu_0, &r), &r,
                          "node 'n0' has not the GPU type");
}

static const char owned[] = "{\"nodes\": [{\"count\": 1, \"gpus\": 4, \"vc\": \"a\", \"cpus\": 3},"
                            "            {\"count\": 1, \"gpus\": 4, \"vc\": \"b\"}]}";
static const char quotas[] = "{\"nodes\": [{\"count\": 2, \"gpus\": 4}], \"vcs\": {\"a\": 1}}";

static void vcs_and_cpus_are_limits(void **state)
{
    (void)state;
    static const struct hs_test_job in_b[] = {{.gpus = 2, .duration_s = 1, .vc = "b"}};
    static const struct hs_test_job in_a[] = {{.gpus = 1, .duration_s = 1, .vc = "a"},
                                              {.gpus = 1, .duration_s = 1, .vc = "a"}};
    static const struct hs_test_job hungry[] = {{.gpus = 2, .cpus = 4, .duration_s = 1}};
    const char *cluster = scratch_write("owned.json", owned, strlen(owned));
    struct hs_test_result r;
    assert_script_refused(script_play(hungry, 1, cluster, 0, on_node_0, &r), &r,
                          "node 'n0' has not the CPUs or host memory for 2 GPUs of it");
    script_options.vc = HS_VC_PARTITION;
    assert_script_refused(script_play(in_b, 1, cluster, 0, on_node_0, &r), &r,
                          "node 'n0' belongs to another virtual cluster");
    script_options.vc = HS_VC_QUOTA;
    cluster = scratch_write("quotas.json", quotas, strlen(quotas));
    assert_script_refused(script_play(in_a, 2, cluster, 0, one_each, &r), &r,
                          "virtual cluster 'a' is over its quota");
    script_options.vc = HS_VC_IGNORE;
}

static void illegal_actions_are_refused(void **state)
{
    (void)state;
    static const struct {
        script_fn *what;
        uint32_t can;
        const char *rule;
    } cases[] = {
        {half_gang, 0, "a gang is placed whole or not at all: 1 of 2 GPUs given"},
        {too_much, 0, "node 'n0' has 4 free GPUs, not 5"},
        {no_such_node, 0, "there is no node 7"},
        {start_on_no_node, 0, "there is no node 7"},
        {no_such_job, 0, "there is no such live job"},
        {started_twice, 0, "only a waiting job can be started"},
        {started_twice_on_nodes, 0, "only a waiting job can be started"},
        {gpus_without_start, 0, "GPUs are given only right after start or migrate"},
        {undeclared_preempt, 0, "did not declare that it can preempt"},
        {undeclared_oracle, 0, "it asked for the run time, which it did not declare to know"},
        {preempt_pending, HS_CAN_PREEMPT, "only a job that holds GPUs can be taken from them"},
        {late_timer, HS_CAN_TIME, "a timer lies in the past"},
        {late_timer, 0, "did not declare that it can set timers"},
        {never, 0, "leaves 1 jobs waiting although nothing is left to wait for"},
        {same_gpu_twice, HS_CAN_COLOCATE, "GPU 1 was given to the job twice"},
        {pause_pending, HS_CAN_SLICE, "pause needs a running job"},
        {pause_twice, HS_CAN_SLICE | HS_CAN_TIME, "pause needs a running job"},
        {add_negative_overhead, 0, "a cost of at least 0"},
        {reject_twice, 0, "only a job that never started can be rejected"},
        {half_gang_and_rollback, 0, "a gang is placed whole or not at all: 1 of 2 GPUs given"},
        {no_such_gpu, 0, "there is no GPU 4"},
        {on_and_on, HS_CAN_PREEMPT | HS_CAN_MIGRATE | HS_CAN_TIME, "there is no GPU 4"},
        {undeclared_migrate, 0, "did not declare that it can migrate"},
        {undeclared_kill, 0, "did not declare that it can preempt"},
        {undeclared_pause, 0, "did not declare that it can slice"},
        {undeclared_cap, 0, "did not declare that it can throttle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_test_result r;
        enum hs_status status = script_play(one, 1, "1x4", cases[i].can, cases[i].what, &r);
        assert_script_refused(status, &r, cases[i].rule);
    }
}

static void the_last_gpu_goes_once(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {{.gpus = 2, .duration_s = 1},
                                              {.gpus = 1, .duration_s = 1}};
    struct hs_test_result r;
    assert_script_refused(script_play(jobs, 2, "1x2", 0, last_one_twice, &r), &r,
                          "all GPUs of node 'n0' are spoken for in this plan");
}

/* ---- other numbers of GPUs ---- */

#define ANY (HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_RESIZE | HS_CAN_RESIZE_ANY)

static void resize(const struct hs_view *v, struct hs_plan *p, int call)
{
    const hs_job_id job = script_handle[0];
    if (call == 0) {
        assert_int_equal(hs_view_gpus_min(v, job), 1);
        assert_int_equal(hs_view_gpus_max(v, job), HS_ELASTIC_GPUS_MAX);
        hs_plan_start(p, job);
        hs_plan_on_node(p, 0, 3);
        hs_plan_timer(p, 10 * S, 0);
        hs_plan_timer(p, 20 * S, 0);
    } else if (hs_view_now_us(v) == 10 * S || hs_view_now_us(v) == 20 * S) {
        hs_plan_preempt(p, job, 5 * S);
        hs_plan_start(p, job);
        hs_plan_on_node(p, 0, 1); /* the second time the same: no move, no cost */
    }
}

static void start_on(const struct hs_view *v, struct hs_plan *p, uint32_t gpus)
{
    (void)v;
    hs_plan_start(p, script_handle[0]);
    hs_plan_on_node(p, 0, gpus);
}

static void start_3(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)call;
    start_on(v, p, 3);
}

static void start_65(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)call;
    start_on(v, p, 65);
}

/* 3 GPUs for 10 s do 30 s of 100, a pause of 5 s, the other 70 s on 1: it ends at 85 s. */
static void any_job_is_resized(void **state)
{
    (void)state;
    static const struct hs_test_job rigid = {.gpus = 1, .duration_s = 100};
    static const struct hs_test_job elastic = {
        .gpus = 1, .gpus_min = 1, .gpus_max = 2, .duration_s = 100};
    struct hs_test_result r;
    assert_int_equal(script_play(&rigid, 1, "1x4", ANY, resize, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 85 * S);
    assert_int_equal(r.jobs[0].done_ns, 100 * S * 1000);
    assert_int_equal(r.jobs[0].overhead_us, 5 * S);
    assert_int_equal(r.jobs[0].migrations, 1);
    assert_int_equal(r.segment_count, 2);
    assert_int_equal(r.segments[0].gpu_count, 3);
    assert_int_equal(r.segments[0].done_ns, 30 * S * 1000);
    assert_int_equal(r.segments[1].gpu_count, 1);
    hs_test_free(&r);
    assert_script_refused(script_play(&rigid, 1, "1x4", HS_CAN_RESIZE, start_3, &r), &r,
                          "a gang is placed whole or not at all: 3 of 1 GPUs given");
    assert_script_refused(script_play(&elastic, 1, "1x4", ANY, start_3, &r), &r,
                          "a gang is placed whole or not at all: 3 of 1 GPUs given");
    assert_script_refused(script_play(&rigid, 1, "1x70", ANY, start_65, &r), &r,
                          "a gang is placed whole or not at all: 65 of 1 GPUs given");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(illegal_actions_are_refused),   cmocka_unit_test(the_last_gpu_goes_once),
        cmocka_unit_test(a_plan_ends_with_its_decision), cmocka_unit_test(a_gpu_type_is_a_demand),
        cmocka_unit_test(vcs_and_cpus_are_limits),       cmocka_unit_test(any_job_is_resized),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
