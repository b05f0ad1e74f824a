/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan through a scripted policy: every legal action does what plan.h says, every illegal one
 * fails the run and names the rule. Times are worked out by hand beside each test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/fixed.h"
#include "support/run.h"

#define S HS_TEST_S

/* What the scripted policy does at its n-th decision, and what it was told. */
static void (*script)(const struct hs_view *v, struct hs_plan *p, int call);
static hs_job_id handle[16];
static int submitted, calls;
static char told[256];

static void note(char c)
{
    size_t len = strlen(told);
    if (len + 1 < sizeof told)
        told[len] = c;
}

static void on_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    (void)v;
    if (event->kind == HS_EVENT_SUBMIT)
        handle[submitted++] = event->job;
    if (event->kind == HS_EVENT_TIMER)
        note((char)event->tag);
    else
        note("UFSOP"[event->kind]);
}

static enum hs_status decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    script(v, p, calls++);
    return HS_OK;
}

static struct hs_policy_ops scripted = {
    .name = "scripted", .state_size = 1, .on_event = on_event, .decide = decide};

static enum hs_status play(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                           uint32_t can,
                           void (*what)(const struct hs_view *, struct hs_plan *, int),
                           struct hs_test_result *r)
{
    struct hs_test_options options = {.policy = &scripted, .interference_q32 = HS_Q32_ONE / 2};
    scripted.can = can;
    script = what;
    submitted = calls = 0;
    memset(told, 0, sizeof told);
    return hs_test_run_with(jobs, count, cluster, NULL, &options, r);
}

static void assert_refused(enum hs_status status, struct hs_test_result *r, const char *rule)
{
    assert_int_equal(status, HS_E_POLICY);
    if (strstr(r->message, rule) == NULL)
        fail_msg("expected '%s' in: %s", rule, r->message);
    hs_test_free(r);
}

static const struct hs_test_job one[] = {{.gpus = 2, .duration_s = 100}};
static const struct hs_test_job two[] = {{.gpus = 1, .duration_s = 100},
                                         {.gpus = 1, .duration_s = 50}};

/* ---- illegal actions ---- */

static void half_gang(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 0, 1);
}

static void too_much(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 0, 5);
}

static void no_such_node(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 7, 2);
}

static void no_such_job(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, 99);
}

static void started_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 0, 2);
    hs_plan_start(p, handle[0]);
}

static void gpus_without_start(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_on_node(p, 0, 2);
}

static void undeclared_preempt(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_preempt(p, handle[0], 0);
}

static void undeclared_oracle(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)p, (void)call;
    (void)hs_view_duration_us(v, handle[0]);
}

static void preempt_pending(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_preempt(p, handle[0], 0);
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
    hs_plan_start(p, handle[0]);
    hs_plan_on_gpu(p, 1);
    hs_plan_on_gpu(p, 1);
}

static void pause_pending(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_pause(p, handle[0]);
}

static void reject_twice(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_reject(p, handle[0], "once");
    hs_plan_reject(p, handle[0], "twice");
}

static void illegal_actions_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*what)(const struct hs_view *, struct hs_plan *, int);
        uint32_t can;
        const char *rule;
    } cases[] = {
        {half_gang, 0, "a gang is placed whole or not at all: 1 of 2 GPUs given"},
        {too_much, 0, "node 'n0' has 4 free GPUs, not 5"},
        {no_such_node, 0, "there is no node 7"},
        {no_such_job, 0, "there is no such live job"},
        {started_twice, 0, "only a waiting job can be started"},
        {gpus_without_start, 0, "GPUs are given only right after start or migrate"},
        {undeclared_preempt, 0, "did not declare that it can preempt"},
        {undeclared_oracle, 0, "it asked for the run time, which it did not declare to know"},
        {preempt_pending, HS_CAN_PREEMPT, "only a job that holds GPUs can be taken from them"},
        {late_timer, HS_CAN_TIME, "a timer lies in the past"},
        {late_timer, 0, "did not declare that it can set timers"},
        {never, 0, "leaves 1 jobs waiting although nothing is left to wait for"},
        {same_gpu_twice, HS_CAN_COLOCATE, "GPU 1 was given to the job twice"},
        {pause_pending, HS_CAN_SLICE, "pause needs a running job"},
        {reject_twice, 0, "only a job that never started can be rejected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_test_result r;
        enum hs_status status = play(one, 1, "1x4", cases[i].can, cases[i].what, &r);
        assert_refused(status, &r, cases[i].rule);
    }
}

/* ---- sharing one GPU ---- */

static void both_on_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    for (int i = 0; call == 0 && i < 2; i++) {
        hs_plan_start(p, handle[i]);
        hs_plan_on_gpu(p, 0);
    }
}

static void sharing_needs_a_declaration(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_refused(play(two, 2, "1x1", 0, both_on_gpu_0, &r), &r,
                   "the policy did not declare that it can co-locate");
}

/* Speed 1/2 beside each other: job 1 (50 s) ends at 100; job 0 has then done 50 and ends at 150. */
static void tenants_slow_each_other(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(two, 2, "1x1", HS_CAN_COLOCATE, both_on_gpu_0, &r), HS_OK);
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
    assert_refused(play(jobs, 2, "1x1:V100", HS_CAN_COLOCATE, both_on_gpu_0, &r), &r,
                   "GPU 0 has 10240 of 16384 MiB in use, the job needs 10240");
}

static void halves_of_gpu_0(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    for (int i = 0; call == 0 && i < 2; i++)
        hs_plan_share(p, handle[i], HS_Q32_ONE / 2);
    if (call == 1) /* job 1 is done: all of the GPU to job 0 */
        hs_plan_share(p, handle[0], HS_Q32_ONE);
}

/* Time slices of 1/2 each do not interfere: 1 ends at 100, 0 has 50 left and ends at 150. */
static void slices_share_time(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(two, 2, "1x1", HS_CAN_COLOCATE | HS_CAN_SLICE, halves_of_gpu_0, &r),
                     HS_OK);
    assert_int_equal(r.jobs[1].end_us, 100 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    hs_test_free(&r);
}

static void too_large_shares(const struct hs_view *v, struct hs_plan *p, int call)
{
    both_on_gpu_0(v, p, call);
    if (call == 0)
        hs_plan_share(p, handle[0], HS_Q32_ONE / 2);
}

static void shares_fit_into_one(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_refused(play(two, 2, "1x1", HS_CAN_COLOCATE | HS_CAN_SLICE, too_large_shares, &r), &r,
                   "shares on GPU 0 add up to more than 1");
}

/* ---- throttle, pause, resize, kill ---- */

static void quarter_speed(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call != 0)
        return;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 0, 2);
    hs_plan_cap(p, handle[0], HS_Q32_ONE / 4);
}

static void a_cap_throttles(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "1x4", HS_CAN_THROTTLE, quarter_speed, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 400 * S); /* 100 s of work at 1/4 */
    hs_test_free(&r);
}

static void pause_10_to_30(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 30 * S, 'b');
        hs_plan_timer(p, 10 * S, 'a');
    } else if (call == 1) {
        hs_plan_pause(p, handle[0]);
    } else if (call == 2) {
        hs_plan_resume(p, handle[0]);
    }
}

/* Timers come in order of time, not of setting; 20 s of pause are added to 100 s of work. */
static void a_pause_stops_progress(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "1x4", HS_CAN_SLICE | HS_CAN_TIME, pause_10_to_30, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 120 * S);
    assert_int_equal(r.jobs[0].run_us, 120 * S);
    assert_string_equal(told, "USabF"); /* submit, started, a, b, finish */
    hs_test_free(&r);
}

static void wide(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call != 0)
        return;
    hs_plan_start(p, handle[0]);
    hs_plan_on_node(p, 0, 4);
}

static void an_elastic_job_may_grow(void **state)
{
    (void)state;
    struct hs_test_job jobs[] = {{.gpus = 2, .gpus_min = 1, .gpus_max = 4, .duration_s = 100}};
    struct hs_test_result r;
    assert_int_equal(play(jobs, 1, "1x4", HS_CAN_RESIZE, wide, &r), HS_OK);
    assert_int_equal(r.jobs[0].end_us, 50 * S); /* twice the GPUs, linear */
    hs_test_free(&r);
    assert_refused(play(jobs, 1, "1x4", 0, wide, &r), &r, "4 of 2 GPUs given");
}

static void kill_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 'k');
    } else if (call == 1) {
        hs_plan_kill(p, handle[0]);
    }
}

static void a_killed_job_loses_its_work(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "1x4", HS_CAN_PREEMPT | HS_CAN_TIME, kill_at_10, &r), HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_FAILED);
    assert_int_equal(r.jobs[0].end_us, 10 * S);
    assert_int_equal(r.jobs[0].lost_ns, 10 * S * 1000);
    assert_int_equal(r.jobs[0].done_ns, 0);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_KILL);
    hs_test_free(&r);
}

/* ---- moves ---- */

static void preempt_and_back(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, handle[0], 5 * S);
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
    }
}

/* Off and on again on the same node in one plan: nothing happened. */
static void a_move_to_the_same_node_is_nothing(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "2x2", HS_CAN_PREEMPT | HS_CAN_TIME, preempt_and_back, &r),
                     HS_OK);
    assert_int_equal(r.segment_count, 1);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    assert_int_equal(r.jobs[0].preemptions, 0);
    assert_string_equal(told, "UStF");
    hs_test_free(&r);
}

static void preempt_and_elsewhere(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, handle[0], 5 * S);
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 1, 2);
    }
}

/* Elsewhere it is a migration: 10 s done, 5 s paid, 90 s to do: ends at 105. */
static void a_move_elsewhere_is_a_migration(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "2x2", HS_CAN_PREEMPT | HS_CAN_TIME, preempt_and_elsewhere, &r),
                     HS_OK);
    assert_int_equal(r.segment_count, 2);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_MIGRATE);
    assert_int_equal(r.segments[1].gpus[0], 2);
    assert_int_equal(r.jobs[0].end_us, 105 * S);
    assert_int_equal(r.jobs[0].overhead_us, 5 * S);
    assert_int_equal(r.jobs[0].migrations, 1);
    assert_int_equal(r.jobs[0].preemptions, 0);
    hs_test_free(&r);
}

static void migrate_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 1) {
        hs_plan_migrate(p, handle[0], 5 * S);
        hs_plan_on_gpu(p, 3);
        hs_plan_on_gpu(p, 1);
    } else {
        preempt_and_elsewhere(v, p, call);
    }
}

/* One GPU on each node, one of them its own before: named GPUs, in ascending order in the record.
 */
static void a_migration_takes_named_gpus(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "2x2", HS_CAN_MIGRATE | HS_CAN_TIME, migrate_at_10, &r), HS_OK);
    assert_int_equal(r.segments[1].gpus[0], 1);
    assert_int_equal(r.segments[1].gpus[1], 3);
    assert_int_equal(r.jobs[0].end_us, 105 * S);
    hs_test_free(&r);
}

static void swap_at_10(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_preempt(p, handle[0], 0);
        hs_plan_start(p, handle[1]);
        hs_plan_on_node(p, 0, 1);
    } else if (call == 2) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 1);
    }
}

/* What a preemption frees, the same plan may use: 0 runs 0-10, 1 runs 10-60, 0 runs 60-150. */
static void releases_count_before_takes(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(two, 2, "1x1", HS_CAN_PREEMPT | HS_CAN_TIME, swap_at_10, &r), HS_OK);
    assert_int_equal(r.jobs[1].start_us, 10 * S);
    assert_int_equal(r.jobs[1].end_us, 60 * S);
    assert_int_equal(r.jobs[0].end_us, 150 * S);
    assert_int_equal(r.jobs[0].preemptions, 1);
    assert_string_equal(told, "UUStOSFSF");
    hs_test_free(&r);
}

static void try_and_undo(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        uint32_t mark = hs_plan_mark(p);
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 1);
        assert_int_equal(hs_view_free_gpus(v, 0), 3);
        hs_plan_rollback(p, mark); /* an unfinished gang may be taken back */
        assert_int_equal(hs_view_free_gpus(v, 0), 4);
        hs_plan_start(p, handle[0]);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        uint32_t mark = hs_plan_mark(p);
        hs_plan_preempt(p, handle[0], 0);
        assert_int_equal(hs_view_free_gpus(v, 0), 4);
        hs_plan_rollback(p, mark);
        assert_int_equal(hs_view_free_gpus(v, 0), 2);
    }
}

static void rollback_leaves_no_trace(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "1x4", HS_CAN_PREEMPT | HS_CAN_TIME, try_and_undo, &r), HS_OK);
    assert_int_equal(r.segment_count, 1);
    assert_int_equal(r.jobs[0].end_us, 100 * S);
    hs_test_free(&r);
}

static void turn_away(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v, (void)call;
    hs_plan_reject(p, handle[0], "no thanks");
}

static void a_rejected_job_says_why(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(play(one, 1, "1x4", 0, turn_away, &r), HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_REJECTED);
    assert_int_equal(r.jobs[0].end_us, -1);
    assert_int_equal(r.figures.rejected, 1);
    hs_test_free(&r);
}

static void limit_then_share(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0) {
        hs_plan_start(p, handle[0]);
        hs_plan_on_gpu(p, 0);
        hs_plan_mem_limit(p, handle[0], 4096);
        hs_plan_timer(p, 10 * S, 't');
    } else if (call == 1) {
        hs_plan_start(p, handle[1]);
        hs_plan_on_gpu(p, 0);
    }
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
    assert_int_equal(play(jobs, 2, "1x1:V100", can, limit_then_share, &r), HS_OK);
    assert_int_equal(r.jobs[1].end_us, 50 * S);
    assert_int_equal(r.jobs[0].end_us, 60 * S);
    hs_test_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(illegal_actions_are_refused),
        cmocka_unit_test(sharing_needs_a_declaration),
        cmocka_unit_test(tenants_slow_each_other),
        cmocka_unit_test(memory_is_a_limit),
        cmocka_unit_test(slices_share_time),
        cmocka_unit_test(shares_fit_into_one),
        cmocka_unit_test(a_cap_throttles),
        cmocka_unit_test(a_pause_stops_progress),
        cmocka_unit_test(an_elastic_job_may_grow),
        cmocka_unit_test(a_killed_job_loses_its_work),
        cmocka_unit_test(a_move_to_the_same_node_is_nothing),
        cmocka_unit_test(a_move_elsewhere_is_a_migration),
        cmocka_unit_test(a_migration_takes_named_gpus),
        cmocka_unit_test(releases_count_before_takes),
        cmocka_unit_test(rollback_leaves_no_trace),
        cmocka_unit_test(a_rejected_job_says_why),
        cmocka_unit_test(a_memory_limit_makes_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
