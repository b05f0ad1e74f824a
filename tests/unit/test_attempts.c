/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attempts inside the engine: what a policy is notified of when a job fails, what ends with an
 * attempt and what persists, and the pool of later attempts. Times are calculated beside each test;
 * a job runs at speed 1/2 beside another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "horus/policy.h"
#include "model/job.h"
#include "support/script.h"

#define S HS_TEST_S

static int reset(void **state)
{
    (void)state;
    script_knows = 0;
    script_options = (struct hs_test_options){0};
    return 0;
}

/* ---- what a policy sees ---- */

static const struct hs_test_job fails_once[] = {
    {.gpus = 1, .duration_s = 20, .failed_s = {10}, .failures = 1, .submit_s = 50}};

/* The newest handle: every attempt is reported as a submission. */
static void look(const struct hs_view *v, struct hs_plan *p, int call)
{
    hs_job_id j = script_handle[call];
    if (call > 1)
        return;
    assert_int_equal(hs_view_attempt(v, j), call);
    assert_int_equal(hs_view_now_us(v), call * 10 * S);
    assert_int_equal(hs_view_submit_us(v, j), call * 10 * S);
    assert_int_equal(hs_view_state(v, j), HS_JOB_PENDING);
    assert_int_equal(hs_view_first_start_us(v, j), -1);
    assert_int_equal(hs_view_attained_us(v, j), 0);
    assert_int_equal(hs_view_gpus_held(v, j), 0);
    assert_int_equal(hs_view_cost_left_us(v, j), 0);
    assert_int_equal(hs_view_duration_us(v, j), (call == 0 ? 10 : 20) * S);
    assert_int_equal(hs_view_remaining_us(v, j), (call == 0 ? 10 : 20) * S);
    assert_int_equal(hs_view_finish_us(v, j), INT64_MAX);
    assert_int_equal(hs_view_rank(v, j), 0);
    hs_plan_start(p, j);
    hs_plan_on_node(p, 0, 1);
}

static void an_attempt_is_a_job_of_its_own(void **state)
{
    (void)state;
    struct hs_test_result r;
    script_knows = HS_KNOWS_DURATION;
    assert_int_equal(script_play(fails_once, 1, "1x1", 0, look, &r), HS_OK);
    assert_string_equal(script_told, "USFUSF"); /* submitted, started, finished, twice */
    assert_int_equal(r.jobs[0].state, HS_JOB_DONE);
    assert_int_equal(r.jobs[0].end_us, 30 * S);
    hs_test_free(&r);
}

/* The policy's bytes of a job: set in the first attempt, zero in the second. */
struct mark {
    uint32_t starts;
};
static uint32_t finishes, failures, others;

static void mark_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    struct mark *mark = hs_view_scratch(v, event->job);
    if (event->kind == HS_EVENT_SUBMIT)
        assert_int_equal(mark->starts, 0);
    if (event->kind == HS_EVENT_STARTED)
        mark->starts++;
    if (event->kind != HS_EVENT_FINISH)
        return;
    assert_int_equal(mark->starts, 1); /* still set in the notification of the end */
    assert_int_equal(hs_view_gpus_held(v, event->job), 0);
    assert_true(hs_view_first_start_us(v, event->job) >= 0);
    finishes += hs_view_state(v, event->job) == HS_JOB_DONE;
    failures += hs_view_state(v, event->job) == HS_JOB_FAILED;
    others += hs_view_state(v, event->job) != HS_JOB_DONE &&
              hs_view_state(v, event->job) != HS_JOB_FAILED;
}

static enum hs_status mark_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    if (hs_view_free_gpus(v, 0) == 1 && hs_view_state(v, 0) == HS_JOB_PENDING) {
        hs_plan_start(p, 0);
        hs_plan_on_node(p, 0, 1);
    }
    return HS_OK;
}

static void scratch_is_cleared(void **state)
{
    (void)state;
    static const struct hs_policy_ops policy = {.name = "marks",
                                                .state_size = 1,
                                                .job_state_size = sizeof(struct mark),
                                                .on_event = mark_event,
                                                .decide = mark_decide};
    static const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 1, .failed_s = {3, 0, 2}, .failures = 3}};
    const struct hs_test_options options = {.policy = &policy};
    struct hs_test_result r;
    finishes = failures = others = 0;
    assert_int_equal(hs_test_run_with(jobs, 1, "1x1", NULL, &options, &r), HS_OK);
    assert_int_equal(failures, 3);
    assert_int_equal(finishes, 1);
    assert_int_equal(others, 0);
    assert_int_equal(r.jobs[0].end_us, 6 * S);
    assert_int_equal(r.jobs[0].attempts, 4);
    hs_test_free(&r);
}

/* ---- what ends with an attempt, and what persists ---- */

static void kill_in_the_second(const struct hs_view *v, struct hs_plan *p, int call)
{
    (void)v;
    if (call == 0)
        hs_plan_timer(p, 15 * S, 'k');
    if (call < 2) {
        hs_plan_start(p, script_handle[call]);
        hs_plan_on_node(p, 0, 1);
    } else if (call == 2) {
        hs_plan_kill(p, script_handle[1]);
    }
}

/* Killed at 15: the 10 s of the failed attempt and 5 s of this one are lost, no work is done. */
static void a_killed_job_loses_all_attempts(void **state)
{
    (void)state;
    struct hs_test_result r;
    assert_int_equal(
        script_play(fails_once, 1, "1x1", HS_CAN_PREEMPT | HS_CAN_TIME, kill_in_the_second, &r),
        HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_FAILED);
    assert_int_equal(r.jobs[0].lost_ns, 15 * S * 1000);
    assert_int_equal(r.jobs[0].done_ns, 0);
    assert_int_equal(r.jobs[0].run_us, 15 * S);
    assert_int_equal(r.jobs[0].attempts, 2);
    assert_int_equal(r.segments[0].ended_by, HS_SEGMENT_FAILURE);
    assert_int_equal(r.segments[1].ended_by, HS_SEGMENT_KILL);
    hs_test_free(&r);
}

static void throttle_the_first(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_gpu(p, 0);
        hs_plan_cap(p, script_handle[0], HS_Q32_ONE / 2);
        hs_plan_mem_limit(p, script_handle[0], 1024);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_gpu(p, 1);
    } else if (hs_view_now_us(v) <= 50 * S) {
        hs_plan_start(p, script_handle[2]);
        hs_plan_on_gpu(p, hs_view_now_us(v) < 50 * S);
    }
}

/* At half speed the first 10 s of work take 20 s. Cap and limit do not apply to the second attempt:
 * beside 10 of 16 GiB it is killed for memory 30 s later, and alone it takes 20 s, 50 to 70. */
static void throttles_end(void **state)
{
    (void)state;
    struct hs_test_result r;
    struct hs_test_job jobs[] = {fails_once[0], {.gpus = 1, .duration_s = 100, .submit_s = 50}};
    jobs[0].gpu_mem_mib = jobs[1].gpu_mem_mib = 10240;
    assert_int_equal(
        script_play(jobs, 2, "1x2:V100", HS_CAN_THROTTLE | HS_CAN_COLOCATE, throttle_the_first, &r),
        HS_OK);
    assert_int_equal(r.segments[0].end_us, 20 * S);
    assert_int_equal(r.segments[0].done_ns, 10 * S * 1000);
    assert_int_equal(r.jobs[0].ooms, 1);
    assert_int_equal(r.jobs[0].end_us, 70 * S);
    hs_test_free(&r);
}

/* Job 1 (10 GiB) beside job 0 (10 GiB) on a GPU of 16 is killed for memory at 30; its 15 s of work
 * are lost. Then it runs alone on GPU 1: attempt 1 of 40 s from 30 to 70. */
static void oom_then_failure(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_gpu(p, 0);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_gpu(p, 0);
    } else if (hs_view_state(v, script_handle[1]) == HS_JOB_SUSPENDED ||
               hs_view_state(v, script_handle[1]) == HS_JOB_PENDING) {
        assert_int_equal(hs_view_ooms(v, script_handle[1]), 1); /* the program is the same */
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_gpu(p, 1);
    }
}

static void memory_that_was_seen_stays(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {
        {.gpus = 1, .duration_s = 100, .gpu_mem_mib = 10240},
        {.gpus = 1, .duration_s = 5, .failed_s = {40}, .failures = 1, .gpu_mem_mib = 10240}};
    struct hs_test_result r;
    assert_int_equal(script_play(jobs, 2, "1x2:V100", HS_CAN_COLOCATE, oom_then_failure, &r),
                     HS_OK);
    assert_int_equal(r.jobs[1].ooms, 1);
    assert_int_equal(r.jobs[1].lost_ns, 15 * S * 1000);
    assert_int_equal(r.jobs[1].done_ns, 45 * S * 1000);
    assert_int_equal(r.jobs[1].end_us, 75 * S);  /* 30 + 40, then 5 */
    assert_int_equal(r.jobs[0].end_us, 115 * S); /* 15 s done by 30, 85 to go */
    hs_test_free(&r);
}

/* A job that fits nowhere is rejected with all its attempts. */
static void a_rejected_job_is_tried_once(void **state)
{
    (void)state;
    static const struct hs_test_job jobs[] = {
        {.gpus = 2, .duration_s = 5, .failed_s = {40, 1}, .failures = 2},
        {.gpus = 1, .duration_s = 5, .failed_s = {2}, .failures = 1}};
    struct hs_test_result r;
    assert_int_equal(hs_test_run(jobs, 2, "1x1", "fifo", &r), HS_OK);
    assert_int_equal(r.jobs[0].state, HS_JOB_REJECTED);
    assert_int_equal(r.jobs[0].attempts, 1);
    assert_int_equal(r.jobs[1].end_us, 7 * S);
    hs_test_free(&r);
}

static enum hs_status wrong_sum(void *ctx, struct hs_trace_job **out)
{
    static struct hs_trace_job job;
    static const int64_t attempts_us[] = {1, 2};
    int *row = ctx;
    job = (struct hs_trace_job){.id = "j",
                                .gpus = 1,
                                .duration_us = 4,
                                .attempts_us = attempts_us,
                                .attempts = 2,
                                .deadline_us = -1,
                                .profile = HS_NO_PROFILE};
    *out = &job;
    return (*row)++ == 0 ? HS_OK : HS_END;
}

static void a_reader_must_add_up(void **state)
{
    (void)state;
    struct hs_diag diag;
    struct hs_engine *engine;
    struct hs_cluster cluster;
    int row = 0;
    hs_diag_init(&diag, NULL, NULL);
    assert_int_equal(hs_cluster_load(&cluster, "1x1", &diag), HS_OK);
    static const struct hs_policy_ops policy = {.name = "none",
                                                .state_size = 1,
                                                .job_state_size = sizeof(struct mark),
                                                .decide = mark_decide};
    const char zero = 0;
    const struct hs_engine_config config = {.cluster = &cluster,
                                            .policy = &policy,
                                            .policy_state = &zero,
                                            .until_us = HS_TIME_MAX,
                                            .max_tenants = 1};
    assert_int_equal(hs_engine_open(&engine, &config, &diag), HS_OK);
    assert_int_equal(hs_engine_run(engine, (struct hs_job_source){.next = wrong_sum, .ctx = &row}),
                     HS_E_INVARIANT);
    hs_engine_close(engine);
    hs_cluster_free(&cluster);
}

/* ---- the pool ---- */

/* 5 jobs of 4 attempts need 15 entries for later attempts; when these are used up or released, the
 * next 5 jobs use the same entries. */
static void places_are_used_again(void **state)
{
    (void)state;
    static const int64_t attempts_us[] = {3, 5, 7, 11};
    struct hs_jobs jobs;
    uint32_t slots[5];
    hs_jobs_init(&jobs, 4);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++) {
            hs_jobs_add(&jobs, &slots[i]);
            jobs.jobs[slots[i]] = (struct hs_job){.submit_us = round, .is_live = true};
            hs_jobs_set_attempts(&jobs, slots[i], attempts_us, 4);
            assert_int_equal(jobs.jobs[slots[i]].work_ns, 3000);
        }
        assert_int_equal(jobs.attempt_pool.high, 15);
        struct hs_job *job = &jobs.jobs[slots[0]];
        for (int k = 1; k < 4; k++) {
            hs_jobs_begin_run(&jobs, job);
            hs_run_of(&jobs, job)->done_ns = job->work_ns;
            hs_jobs_retry(&jobs, slots[0]);
            assert_int_equal(job->work_ns, attempts_us[k] * 1000);
            assert_int_equal(hs_run_of(&jobs, job)->done_ns, 0);
            assert_int_equal(hs_history_of(&jobs, job)->attempt, k);
        }
        assert_int_equal(hs_history_of(&jobs, job)->next_attempt, HS_NO_ATTEMPT);
        assert_int_equal(hs_job_done_ns(&jobs, job), (3 + 5 + 7) * 1000);
        assert_int_equal(hs_job_all_ns(&jobs, job), (3 + 5 + 7 + 11) * 1000);
        for (int i = 0; i < 5; i++) /* four of them with three later attempts */
            hs_jobs_remove(&jobs, slots[i]);
    }
    hs_jobs_free(&jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_attempt_is_a_job_of_its_own, reset),
        cmocka_unit_test_setup(scratch_is_cleared, reset),
        cmocka_unit_test_setup(a_killed_job_loses_all_attempts, reset),
        cmocka_unit_test_setup(throttles_end, reset),
        cmocka_unit_test_setup(memory_that_was_seen_stays, reset),
        cmocka_unit_test_setup(a_rejected_job_is_tried_once, reset),
        cmocka_unit_test_setup(a_reader_must_add_up, reset),
        cmocka_unit_test(places_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
