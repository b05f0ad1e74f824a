/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What observers are told of a plan: in order of application, with the event before it, the amounts
 * and the reason; actions that were rolled back or changed nothing are absent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "horus/policy.h"
#include "support/script.h"

#define S HS_TEST_S

static char told[4096];

/* Writes "10 b preempt 2+3 5000000 t:why" as a line: second, job, action, GPUs, value, event,
 * reason. */
static enum hs_status tell(void *ctx, int64_t now_us, const struct hs_decision *d)
{
    (void)ctx;
    static const char letters[] = "UFSOPBMt";
    char gpus[64] = "", triggers[16] = "";
    for (uint32_t i = 0; i < d->gpu_count; i++)
        (void)snprintf(gpus + strlen(gpus), sizeof gpus - strlen(gpus), i > 0 ? "+%u" : "%u",
                       d->gpus[i]);
    for (size_t i = 0, n = 0; letters[i] != '\0'; i++)
        if (d->triggers >> i & 1)
            triggers[n++] = letters[i];
    size_t used = strlen(told);
    (void)snprintf(told + used, sizeof told - used, "%lld %s %s %s %llu %s:%s\n",
                   (long long)(now_us / S), d->job->id, hs_decision_text(d->kind), gpus,
                   (unsigned long long)d->value, triggers,
                   d->plan_reason != NULL ? d->plan_reason : "");
    return HS_OK;
}

static const struct hs_observer listener = {.on_decision = tell};

static void play(const struct hs_test_job *jobs, uint32_t count, const char *cluster, uint32_t can,
                 script_fn *what)
{
    struct hs_test_result r;
    told[0] = '\0';
    script_options = (struct hs_test_options){.observer = &listener};
    enum hs_status status = script_play(jobs, count, cluster, can, what, &r);
    if (status != HS_OK)
        fail_msg("%s", r.message);
    hs_test_free(&r);
    script_options = (struct hs_test_options){0};
}

static const struct hs_test_job three[] = {{.gpus = 1, .duration_s = 100, .id = "a"},
                                           {.gpus = 1, .duration_s = 50, .id = "b"},
                                           {.gpus = 1, .duration_s = 50, .id = "c"}};

static void release_before_take(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_reason(p, "first");
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_start(p, script_handle[1]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_reason(p, "tried");
        uint32_t mark = hs_plan_mark(p);
        hs_plan_reject(p, script_handle[2], "taken back");
        hs_plan_rollback(p, mark);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else if (call == 1) {
        hs_plan_add_overhead(p, script_handle[1], 4 * S);
        hs_plan_reason(p, "late");
        hs_plan_preempt(p, script_handle[0], 3 * S);
        hs_plan_reason(p, NULL);
        hs_plan_start(p, script_handle[2]);
        hs_plan_on_node(p, 0, 1);
    } else if (call == 3) { /* 2: the overhead of b ends at 14; 3: b finishes at 54 */
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
    }
}

/* At 10 the plan adds an overhead, preempts and starts; the order of application is the preemption,
 * the start, the overhead. */
static void reported_in_order_of_application(void **state)
{
    (void)state;
    play(three, 3, "1x2", HS_CAN_PREEMPT | HS_CAN_TIME, release_before_take);
    assert_string_equal(told, "0 a start 0 0 U:first\n"
                              "0 b start 1 0 U:first\n"
                              "10 a preempt 0 3000000 t:late\n"
                              "10 c start 0 0 t:\n"
                              "10 b owe 1 4000000 t:\n"
                              "54 a resume 1 3000000 F:\n");
}

static void move_here_and_there(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
        hs_plan_timer(p, hs_view_now_us(v) + 20 * S, 't');
    } else if (call <= 2) { /* at 10 on its node, at 20 on the other node */
        hs_plan_reason(p, "off");
        hs_plan_preempt(p, script_handle[0], 2 * S);
        hs_plan_reason(p, "on");
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, call == 1 ? 0 : 1, 1);
    } else if (call == 3) { /* its overhead ends at 22 */
        hs_plan_reason(p, "moved");
        hs_plan_migrate(p, script_handle[0], 1 * S);
        hs_plan_on_node(p, 0, 1);
    }
}

static void a_move_is_one_action(void **state)
{
    (void)state;
    play(three, 1, "2x1", HS_CAN_PREEMPT | HS_CAN_MIGRATE | HS_CAN_TIME, move_here_and_there);
    assert_string_equal(told, "0 a start 0 0 U:\n"
                              "20 a migrate 1 2000000 t:on\n"
                              "22 a migrate 0 1000000 P:moved\n");
}

static void turn_away_and_kill(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_reason(p, "some ground");
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_reject(p, script_handle[1], "not wanted");
    } else if (call == 1) { /* a further pass, since a job has ended */
        hs_plan_start(p, script_handle[2]);
        hs_plan_on_node(p, 0, 1);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else if (call == 2) {
        hs_plan_kill(p, script_handle[2]);
    }
}

/* A rejection has a reason of its own; the pass that follows it is due to the rejected job's
 * end. */
static void ends_by_the_policy(void **state)
{
    (void)state;
    play(three, 3, "1x2", HS_CAN_PREEMPT | HS_CAN_TIME, turn_away_and_kill);
    assert_string_equal(told, "0 a start 0 0 U:some ground\n"
                              "0 b reject  0 U:not wanted\n"
                              "0 c start 1 0 F:\n"
                              "10 c kill 1 0 t:\n");
}

static void throttle_and_limit(const struct hs_view *v, struct hs_plan *p, int call)
{
    if (call == 0) {
        hs_plan_start(p, script_handle[0]);
        hs_plan_on_gpu(p, 0);
        hs_plan_background(p, script_handle[0], true);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else if (call == 1) {
        hs_plan_cap(p, script_handle[0], UINT64_C(1) << 30);
        hs_plan_mem_limit(p, script_handle[0], 512);
        hs_plan_background(p, script_handle[0], false);
        hs_plan_pause(p, script_handle[0]);
        hs_plan_timer(p, hs_view_now_us(v) + 10 * S, 't');
    } else if (call == 2) {
        hs_plan_resume(p, script_handle[0]);
        hs_plan_cap(p, script_handle[0], UINT64_C(1) << 32);
    }
}

/* 2^30 is a quarter. */
static void settings_have_their_amounts(void **state)
{
    (void)state;
    play(three, 1, "1x1", HS_CAN_THROTTLE | HS_CAN_SLICE | HS_CAN_COLOCATE | HS_CAN_TIME,
         throttle_and_limit);
    assert_string_equal(told, "0 a start 0 0 U:\n"
                              "0 a background 0 0 U:\n"
                              "10 a throttle 0 1073741824 t:\n"
                              "10 a limit 0 512 t:\n"
                              "10 a foreground 0 0 t:\n"
                              "10 a pause 0 0 t:\n"
                              "20 a unpause 0 0 t:\n"
                              "20 a throttle 0 4294967296 t:\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reported_in_order_of_application),
        cmocka_unit_test(a_move_is_one_action),
        cmocka_unit_test(ends_by_the_policy),
        cmocka_unit_test(settings_have_their_amounts),
    };
    return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
