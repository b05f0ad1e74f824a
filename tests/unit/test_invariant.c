/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every invariant can fail: one run of two jobs on 1x4 is stopped half-way, one value is changed at
 * a time, and the check must name the rule; with the value restored, it must pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/state.h"
#include "support/sink.h"

static struct hs_engine *e; /* the engine that the tests change */
static struct sink sink;
static struct hs_cluster cluster;

static hs_job_id first;
static uint32_t wanted_milli; /* requested share of each GPU, by both jobs; 0 = whole GPUs */

static void on_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state, (void)v;
    if (event->kind == HS_EVENT_SUBMIT && first == HS_NO_JOB)
        first = event->job;
}

static enum hs_status decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    if (hs_view_state(v, first) == HS_JOB_PENDING) {
        hs_plan_start(p, first);
        hs_plan_on_node(p, 0, 2);
        hs_plan_timer(p, 1000, 0);
    }
    return HS_OK;
}

static const char *policy_rule;

static const char *policy_check(const void *state, const struct hs_view *v)
{
    (void)state, (void)v;
    return policy_rule;
}

static const struct hs_policy_ops policy = {.name = "first only",
                                            .can = HS_CAN_TIME | HS_CAN_DIVIDE,
                                            .state_size = 1,
                                            .on_event = on_event,
                                            .decide = decide,
                                            .check = policy_check};

/* Two jobs of two GPUs at time 0, then the trace fails: the engine keeps its state. */
static enum hs_status next_job(void *ctx, struct hs_trace_job **out)
{
    static struct hs_trace_job job;
    int *row = ctx;
    if (*row == 2)
        return HS_E_IO;
    job = (struct hs_trace_job){.id = *row == 0 ? "a" : "b",
                                .duration_us = 100,
                                .deadline_us = -1,
                                .preempt_cost_us = -1,
                                .gpus = 2,
                                .gpu_milli = wanted_milli,
                                .gpu_mem_mib = 100,
                                .submit_us = *row * 10,
                                .gpu_util_pm = -1,
                                .profile = HS_NO_PROFILE};
    (*row)++;
    *out = &job;
    return HS_OK;
}

static int open_engine(void **state)
{
    (void)state;
    static const char plain = 0;
    int row = 0;
    sink_init(&sink);
    first = HS_NO_JOB;
    assert_int_equal(hs_cluster_load(&cluster, "1x4:V100", &sink.diag), HS_OK);
    struct hs_engine_config config = {.cluster = &cluster,
                                      .policy = &policy,
                                      .policy_state = &plain,
                                      .check = HS_CHECK_FULL,
                                      .until_us = HS_TIME_MAX,
                                      .max_tenants = 2};
    assert_int_equal(hs_engine_open(&e, &config, &sink.diag), HS_OK);
    assert_int_equal(hs_engine_run(e, (struct hs_job_source){.next = next_job, .ctx = &row}),
                     HS_E_IO);
    assert_int_equal(hs_invariants_check(e), HS_OK);
    return 0;
}

static int open_divided(void **state)
{
    wanted_milli = 400;
    int status = open_engine(state);
    wanted_milli = 0;
    return status;
}

static int close_engine(void **state)
{
    (void)state;
    hs_engine_close(e);
    hs_cluster_free(&cluster);
    return 0;
}

/* The check must fail for `rule` while *field has the wrong value. */
#define BREAKS(field, wrong, rule)                                                                 \
    do {                                                                                           \
        unsigned char kept[sizeof(field)];                                                         \
        memcpy(kept, &(field), sizeof(field));                                                     \
        (field) = (wrong);                                                                         \
        sink_clear(&sink);                                                                         \
        assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT);                                  \
        if (strstr(sink.text, rule) == NULL)                                                       \
            fail_msg("expected '%s' in: %s", rule, sink.text);                                     \
        memcpy(&(field), kept, sizeof(field));                                                     \
        assert_int_equal(hs_invariants_check(e), HS_OK);                                           \
    } while (0)

static void every_sum_is_checked(void **state)
{
    (void)state;
    BREAKS(e->instant.running, 7, "running + pending + suspended");
    BREAKS(e->figures.finished, 7, "ended and live jobs");
    BREAKS(e->instant.gpus_held, 99, "more GPUs are held than there are");
    BREAKS(e->instant.gpus_held, 3, "held or shared GPUs are miscounted");
    BREAKS(e->instant.gpus_shared, 3, "more GPUs are shared than held");
    BREAKS(e->job_events.entries[0].time_us, -5, "a job's event lies in the past");
    BREAKS(e->timer_events.entries[0].time_us, -5, "a timer lies in the past");
    BREAKS(e->wait_account.gpus_wanted, 99, "GPUs that wait are miscounted");
    BREAKS(e->work_done_ns, 1, "work done + remaining + lost");
}

/* While GPUs are exclusive, the first job holds GPUs 0 and 1 by one allocation. */
static void every_whole_allocation_is_checked(void **state)
{
    (void)state;
    assert_true(e->is_exclusive);
    struct hs_job *job = &e->jobs.jobs[first], *waits = &e->jobs.jobs[first == 0 ? 1 : 0];
    struct hs_allocation *allocation =
        &e->jobs.allocations[hs_placement_of(&e->jobs, job)->first_allocation];
    assert_int_equal(allocation->count, 2);
    BREAKS(e->gpu_free[0], UINT64_C(0xf), "free and held at once");
    BREAKS(e->gpu_free[0], UINT64_C(0x8), "free and held at once");
    BREAKS(allocation->gpus, 1, "free and held at once");
    BREAKS(allocation->gpus, UINT64_C(0x13), "an allocation is not on its node");
    BREAKS(allocation->gpus, 0, "or one of no GPU");
    BREAKS(allocation->job, 9, "a job has the allocation of another");
    BREAKS(allocation->node, 1, "an allocation is not on its node");
    BREAKS(waits->placement, job->placement, "a job has the allocation of another");
    BREAKS(allocation->count, 1, "its GPUs are miscounted");
    struct hs_allocation twice = *allocation;
    uint32_t second = HS_NO_ALLOCATION;
    second = hs_jobs_allocate(&e->jobs);
    allocation = &e->jobs.allocations[hs_placement_of(&e->jobs, job)->first_allocation];
    e->jobs.allocations[second] = twice;
    BREAKS(allocation->next_of_job, second, "a GPU is held twice");
    hs_jobs_free_allocation(&e->jobs, second);
}

static void every_gpu_is_checked(void **state)
{
    (void)state;
    struct hs_gpu *gpu = &e->gpus[0];
    hs_exclusive_end(e);
    assert_int_equal(hs_invariants_check(e), HS_OK);
    BREAKS(gpu->tenants, 2, "tenants of a GPU are miscounted");
    BREAKS(gpu->tentative_tenants, 0, "tenants of a GPU are miscounted");
    BREAKS(gpu->mem_used_mib, 1, "memory of a GPU is miscounted");
    BREAKS(gpu->mem_claimed_mib, 1, "memory of a GPU is miscounted");
    BREAKS(e->gpu_free[0], UINT64_C(0xf), "free and held at once");
    BREAKS(gpu->first_allocation, e->gpus[1].first_allocation,
           "a GPU lists a tenant that does not hold it");
    BREAKS(e->gpus[3].first_allocation, e->gpus[1].first_allocation, "a GPU lists a tenant");
}

/* The first job has 400 thousandths of GPUs 0 and 1. */
static void every_share_is_checked(void **state)
{
    (void)state;
    struct hs_gpu *gpu = &e->gpus[0];
    struct hs_job *job = &e->jobs.jobs[first];
    BREAKS(gpu->part_milli, 500, "shares of a GPU are miscounted");
    BREAKS(gpu->is_given, true, "shares of a GPU are miscounted");
    BREAKS(job->ask.gpu_milli, 300, "shares of a GPU are miscounted");
    BREAKS(job->ask.gpu_milli, 1000, "shares of a GPU are miscounted");
    BREAKS(e->gpus[2].part_milli, 400, "shares of a GPU are miscounted");
    BREAKS(e->instant.milli_held, 2000, "held or shared GPUs are miscounted");
    sink_clear(&sink);
    hs_part_set(e->parts, 1, 500);
    assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT);
    assert_non_null(strstr(sink.text, "the index of shares disagrees with a GPU"));
    hs_part_set(e->parts, 1, 600);
    assert_int_equal(hs_invariants_check(e), HS_OK);
}

static void every_job_is_checked(void **state)
{
    (void)state;
    struct hs_job *job = &e->jobs.jobs[first], *waits = &e->jobs.jobs[first == 0 ? 1 : 0];
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    assert_int_equal(waits->run, 0);
    BREAKS(placement->gpus_held, 1, "its GPUs are miscounted");
    BREAKS(placement->slot, 9, "a job lacks the record of its placement");
    BREAKS(e->jobs.placements[0].gpus_held, 1, "a job that is not placed holds GPUs");
    BREAKS(e->jobs.placements[0].synced_us, 1, "the default record of a job was changed");
    BREAKS(e->jobs.runs[0].run_us, 1, "the default record of a job was changed");
    BREAKS(e->jobs.runs[0].overhead.ooms, 1, "the default record of a job was changed");
    BREAKS(e->jobs.request[0].gpus_min, 3, "a gang is placed in part");
    BREAKS(run->done_ns, -1, "work done lies outside");
    BREAKS(placement->rate_q32, 5, "a rate is out of date");
    BREAKS(job->state, HS_JOB_STARTING, "makes progress");
    BREAKS(e->jobs.runs[0].cost_left_us, -1, "more cost was paid than owed");
    BREAKS(waits->plan, HS_PLAN_PLACED, "a mark of the plan was left");
    BREAKS(e->job_events.position[job->placement], 9, "event heap is out of order");
    BREAKS(policy_rule, "a rule of the policy", "a rule of the policy");
}

/* Even with consistent links and counts a GPU held twice is found. */
static void a_gpu_held_twice_is_found(void **state)
{
    (void)state;
    struct hs_gpu *gpu = &e->gpus[0];
    struct hs_allocation *allocation = &e->jobs.allocations[gpu->first_allocation];
    struct hs_gpu whole = *gpu;
    struct hs_allocation linked = *allocation;
    uint32_t second = e->gpus[1].first_allocation;
    struct hs_allocation moved = e->jobs.allocations[second];
    e->jobs.allocations[second].gpu = 0;
    e->jobs.allocations[second].next_on_gpu = HS_NO_ALLOCATION;
    allocation->next_on_gpu = second;
    gpu->tenants = gpu->tentative_tenants = 2;
    gpu->mem_used_mib = 200;
    sink_clear(&sink);
    assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT);
    assert_non_null(
        strstr(sink.text, "a GPU is held twice under a policy that does not co-locate"));
    *gpu = whole;
    *allocation = linked;
    e->jobs.allocations[second] = moved;
    assert_int_equal(hs_invariants_check(e), HS_OK);
}

/* Between two recounts only the jobs of the plan and their nodes are checked. */
static void recounts_are_rare(void **state)
{
    (void)state;
    hs_exclusive_end(e);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, &e->jobs.jobs[first]);
    const uint16_t tenants = e->gpus[0].tenants;
    const uint32_t held = placement->gpus_held, count = e->plan.count;
    e->recount_after = 3;
    e->gpus[0].tenants = 9;
    e->plan.count = 0;
    assert_int_equal(hs_invariants_check(e), HS_OK);
    e->plan.actions[0].job = first;
    e->plan.count = 1;
    assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT);
    e->gpus[0].tenants = tenants;
    assert_int_equal(hs_invariants_check(e), HS_OK);
    placement->gpus_held = 1;
    e->recount_after = 3;
    assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT);
    e->plan.count = 0;
    assert_int_equal(hs_invariants_check(e), HS_OK);
    assert_int_equal(hs_invariants_check(e), HS_OK);
    assert_int_equal(hs_invariants_check(e), HS_E_INVARIANT); /* the recount */
    placement->gpus_held = held;
    e->plan.count = count;
    assert_int_equal(hs_invariants_check(e), HS_OK);
}

/* fast checks sums only, off nothing. */
static void levels_differ(void **state)
{
    (void)state;
    uint16_t kept = e->gpus[0].tenants;
    e->gpus[0].tenants = 9;
    e->config.check = HS_CHECK_FAST;
    assert_int_equal(hs_invariants_check(e), HS_OK);
    e->config.check = HS_CHECK_OFF;
    uint64_t running = e->instant.running;
    e->instant.running = 9;
    assert_int_equal(hs_invariants_check(e), HS_OK);
    e->instant.running = running;
    e->gpus[0].tenants = kept;
    e->config.check = HS_CHECK_FULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sum_is_checked),
        cmocka_unit_test(every_whole_allocation_is_checked),
        cmocka_unit_test(every_job_is_checked),
        cmocka_unit_test(every_gpu_is_checked),
        cmocka_unit_test(a_gpu_held_twice_is_found),
        cmocka_unit_test(recounts_are_rare),
        cmocka_unit_test(levels_differ),
    };
    const struct CMUnitTest divided[] = {cmocka_unit_test(every_share_is_checked)};
    int failed = cmocka_run_group_tests(tests, open_engine, close_engine);
    return failed + cmocka_run_group_tests(divided, open_divided, close_engine);
}
