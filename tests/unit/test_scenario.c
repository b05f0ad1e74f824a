/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text notation of the golden tests: each suffix reaches the policy, in any order, and times
 * are exact to the microsecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"

/* The policy's view of a job at its submission. */
struct seen {
    int64_t submit_us, step_us, preempt_cost_us;
    int32_t priority, util_pm;
    uint32_t peak_mib, kept_mib;
    enum hs_job_class job_class;
};

static struct seen seen[8];
static uint32_t seen_count;
static hs_job_id waiting[8];
static uint32_t waiting_count;

static void on_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    if (event->kind != HS_EVENT_SUBMIT)
        return;
    hs_job_id job = event->job;
    waiting[waiting_count++] = job;
    seen[seen_count++] = (struct seen){.submit_us = hs_view_submit_us(v, job),
                                       .step_us = hs_view_step_us(v, job),
                                       .preempt_cost_us = hs_view_preempt_cost_us(v, job),
                                       .priority = hs_view_priority(v, job),
                                       .util_pm = hs_view_util_pm(v, job),
                                       .peak_mib = hs_view_gpu_mem_mib(v, job),
                                       .kept_mib = hs_view_gpu_mem_persistent_mib(v, job),
                                       .job_class = hs_view_class(v, job)};
}

static enum hs_status decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    (void)state;
    (void)v;
    while (waiting_count > 0) {
        hs_plan_start(p, waiting[--waiting_count]);
        hs_plan_on_node(p, 0, 1);
    }
    return HS_OK;
}

static const struct hs_policy_ops watcher = {.name = "watcher",
                                             .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
                                             .state_size = 1,
                                             .on_event = on_event,
                                             .decide = decide};

static void play(const char *jobs, const char *timeline)
{
    const struct hs_test_options options = {.policy = &watcher};
    seen_count = waiting_count = 0;
    scenario_expect_with("1x8", NULL, jobs, &options, timeline);
}

/* The expected figures are those of the text. */
static void test_every_suffix(void **state)
{
    (void)state;
    play("a:1,0,1 b:1,0,1~u@v$7%35&900/300^-2!o*0.25 c:1,0,1!g^3&40*2%100$1@w~u d:1,0,1!a&5/5",
         "a:0-1 b:0-1 c:0-1 d:0-1");
    const struct seen *a = &seen[0], *b = &seen[1], *c = &seen[2], *d = &seen[3];
    assert_int_equal(seen_count, 4);
    assert_int_equal(a->job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(a->step_us, 0);
    assert_int_equal(a->preempt_cost_us, -1);
    assert_int_equal(a->util_pm, -1);
    assert_int_equal(a->priority, 0);
    assert_int_equal(a->peak_mib, 0);
    assert_int_equal(b->preempt_cost_us, 7 * HS_TEST_S);
    assert_int_equal(b->util_pm, 350);
    assert_int_equal(b->peak_mib, 900);
    assert_int_equal(b->kept_mib, 300);
    assert_int_equal(b->priority, -2);
    assert_int_equal(b->job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    assert_int_equal(b->step_us, 250000);
    assert_int_equal(c->preempt_cost_us, HS_TEST_S);
    assert_int_equal(c->util_pm, 1000);
    assert_int_equal(c->peak_mib, 40);
    assert_int_equal(c->kept_mib, 0);
    assert_int_equal(c->priority, 3);
    assert_int_equal(c->job_class, HS_JOB_CLASS_GUARANTEED);
    assert_int_equal(c->step_us, 2 * HS_TEST_S);
    assert_int_equal(d->job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(d->kept_mib, 5);
}

static void test_times(void **state)
{
    (void)state;
    play("a:1,0,1.5 b:1,20.000001,0.5 c:1,20.000001,0.000001 d:1,21,12.345678",
         "a:0-1.500000 b:20.000001-20.500001 c:20.000001-20.000002 d:21-33.345678");
    assert_int_equal(seen[1].submit_us, 20000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_suffix),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests_name("support/scenario", tests, NULL, NULL);
}
