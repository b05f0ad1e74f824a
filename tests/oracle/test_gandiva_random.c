/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gandiva's exact time slices against the reference simulator, on random scenarios of one server:
 * gangs, quanta, submissions and ends at any time, priorities, costs of a resume. Mini-batches,
 * where known, end with every quantum, or each job fills the server. See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refgandiva.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)
#define JOBS_MAX   12

static struct gandiva_rules rules;

/* Submissions are at any microsecond, or at whole seconds with mini-batches of 1 s; gangs are of
 * one size, or of any that is a power of two. */
static void draw_jobs(struct trial *t, struct dice *d, bool is_odd)
{
    int node = t->world.node_gpus[0], most = 0;
    int same = dice_roll(d, 0, 2) > 0 ? dice_roll(d, 1, node) : 0;
    bool has_classes = dice_roll(d, 0, 2) == 0, is_told = !is_odd && dice_roll(d, 0, 1) == 1;
    while (2 << most <= node)
        most++;
    int64_t submit_us = 0;
    t->count = dice_roll(d, 2, JOBS_MAX);
    for (int i = 0; i < t->count; i++) {
        submit_us += i > 0 && dice_roll(d, 0, 3) > 0 ? trial_draw_us(d, 0, 8, is_odd) : 0;
        t->jobs[i] =
            (struct hs_test_job){.submit_us = submit_us,
                                 .duration_us = trial_draw_us(d, 1, 30, is_odd),
                                 .gpus = same > 0 ? (uint32_t)same : 1u << dice_roll(d, 0, most),
                                 .priority = has_classes ? dice_roll(d, 0, 2) : 0,
                                 .step_us = is_told ? HS_TEST_S : 0};
    }
}

static void draw_rules(struct trial *t, struct dice *d, int most, bool is_odd)
{
    rules.quantum_us = trial_draw_us(d, 1, most, is_odd);
    rules.switch_us = is_odd && dice_roll(d, 0, 1) == 1 ? dice_roll(d, 1, 500000) : 0;
    t->world.nodes = 1;
    t->world.node_gpus[0] = dice_roll(d, 1, 8);
    (void)snprintf(t->cluster, sizeof t->cluster, "1x%d", t->world.node_gpus[0]);
    (void)snprintf(t->policy, sizeof t->policy,
                   "gandiva:slicing=exact,max_height=16,pack=no,migrate=no,defrag=no,grow=no,"
                   "quantum=%s,switch=%s",
                   trial_seconds(rules.quantum_us), trial_seconds(rules.switch_us));
}

static void draw(struct trial *t, struct dice *d)
{
    bool is_odd = dice_roll(d, 0, 1) == 1;
    draw_rules(t, d, 6, is_odd);
    draw_jobs(t, d, is_odd);
}

/* Mini-batches have any length up to a quantum: a job that has to stop makes the next one wait.
 * Each job fills the server, all are submitted at the start. */
static void draw_steps(struct trial *t, struct dice *d)
{
    draw_rules(t, d, 20, true);
    t->count = dice_roll(d, 2, JOBS_MAX);
    for (int i = 0; i < t->count; i++)
        t->jobs[i] = (struct hs_test_job){
            .duration_us = trial_draw_us(d, 1, 80, true),
            .gpus = (uint32_t)t->world.node_gpus[0],
            .step_us = dice_roll(d, 0, 5) > 0 ? dice_roll(d, 1, (int)rules.quantum_us) : 0};
}

static bool refer(struct trial *t)
{
    for (int i = 0; i < t->count; i++)
        rules.priority[i] = t->jobs[i].priority;
    for (int i = 0; i < t->count; i++)
        rules.step_us[i] = t->jobs[i].step_us;
    return gandiva_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
}

static void mini_batches(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_steps, .refer = refer}, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios),
                                       cmocka_unit_test(mini_batches)};
    return cmocka_run_group_tests_name("gandiva's turns against their text", tests, NULL, NULL);
}
