/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine and its policies against the reference simulator that steps through whole seconds, on
 * scenarios so small that nearly everything ties: up to 8 jobs of 0 to 6 s submitted within 7 s, up
 * to 12 GPUs. See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refsim.h"
#include "support/trials.h"

#define JOBS_MAX  8
#define SIZES     1400 /* of gangs: more than the size classes of fifo */
#define HORIZON_S 100000

static const char *const policies[] = {"fifo", "sjf", "srtf", "srsf"};
static const char *const scans[] = {"strict", "fit", "easy"};
static const char *const forms[] = {"evict", "replace"};
static const char *const costs[] = {"free", "table", "job"};
static const char *const placers[] = {"count",    "yarn",      "consolidate",
                                      "best_fit", "first_fit", "spread"};

static struct ref_scenario rules;

static void draw_policy(struct trial *t, struct dice *d)
{
    struct ref_scenario *s = &rules;
    s->policy = (enum ref_policy)dice_roll(d, REF_FIFO, REF_SRSF);
    s->placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_SPREAD);
    if (s->policy <= REF_SJF) {
        s->scan =
            (enum ref_scan)dice_roll(d, REF_STRICT, s->policy == REF_FIFO ? REF_EASY : REF_FIT);
        (void)snprintf(t->policy, sizeof t->policy, "%s:scan=%s,placement=%s", policies[s->policy],
                       scans[s->scan], placers[s->placer]);
        return;
    }
    s->form = (enum ref_form)dice_roll(d, REF_EVICT, REF_REPLACE);
    s->cost = (enum ref_cost)dice_roll(d, REF_FREE, REF_PER_JOB);
    for (int i = 0; i < 3; i++)
        s->cost_table[i] = i + 1;
    (void)snprintf(t->policy, sizeof t->policy,
                   "%s:form=%s,preempt_cost=%s,cost_table=1/2/3,placement=%s", policies[s->policy],
                   forms[s->form], costs[s->cost], placers[s->placer]);
}

/* Nodes are of one size, or perhaps of any where the placer does not use a node's size. Where a
 * move has a cost the two sides count nodes for it, and the choice of a placer among equal GPUs is
 * not specified: only a cluster of one node has no moves. */
static void draw_cluster(struct trial *t, struct dice *d)
{
    bool has_sizes = rules.placer == REF_YARN || rules.placer == REF_CONSOLIDATE;
    bool has_moves = rules.form == REF_REPLACE && rules.cost != REF_FREE;
    trial_draw_cluster(t, d, has_moves ? 1 : 3, 4, !has_sizes);
    rules.nodes = t->world.nodes;
    memcpy(rules.node_gpus, t->world.node_gpus, sizeof rules.node_gpus);
}

static void draw_jobs(struct trial *t, struct dice *d)
{
    int gpus = ref_gpus(&t->world);
    int64_t submit_s = 0;
    t->count = dice_roll(d, 1, JOBS_MAX);
    for (int i = 0; i < t->count; i++) {
        /* one job in twelve or so may be larger than the cluster */
        int most = dice_roll(d, 0, 11) == 0 ? gpus + 1 : gpus;
        submit_s += i > 0 && dice_roll(d, 0, 1) == 1 ? dice_roll(d, 0, 2) : 0;
        t->jobs[i] = (struct hs_test_job){.submit_us = submit_s * HS_TEST_S,
                                          .duration_us = dice_roll(d, 0, 6) * HS_TEST_S,
                                          .preempt_cost_s = dice_roll(d, 1, 4),
                                          .gpus = (uint32_t)dice_roll(d, 1, most)};
    }
}

static void draw(struct trial *t, struct dice *d)
{
    memset(&rules, 0, sizeof rules);
    draw_policy(t, d);
    draw_cluster(t, d);
    draw_jobs(t, d);
}

static bool refer(struct trial *t)
{
    static struct ref_job jobs[SIZES];
    rules.jobs = jobs;
    rules.job_count = t->count;
    for (int i = 0; i < t->count; i++)
        jobs[i] = (struct ref_job){.submit = t->tasks[i].submit_us / HS_TEST_S,
                                   .duration = t->tasks[i].duration_us / HS_TEST_S,
                                   .preempt_cost = t->tasks[i].cost_us / HS_TEST_S,
                                   .gpus = t->tasks[i].gpus};
    bool is_over = ref_simulate(&rules, HORIZON_S);
    for (int i = 0; i < t->count; i++) {
        t->tasks[i].start_us = jobs[i].first_start * HS_TEST_S;
        t->tasks[i].finish_us = jobs[i].finish * HS_TEST_S;
        t->tasks[i].preemptions = jobs[i].preemptions;
        t->tasks[i].is_rejected = jobs[i].is_rejected;
    }
    return is_over;
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer, .has_no_segments = true}, 20000);
}

/* A backlog of gangs, no two of one size, in any order. */
static void draw_sizes(struct trial *t, struct dice *d)
{
    memset(&rules, 0, sizeof rules);
    rules.scan = REF_EASY;
    (void)snprintf(t->policy, sizeof t->policy, "fifo:scan=easy,placement=count");
    (void)snprintf(t->cluster, sizeof t->cluster, "2x700");
    t->world.nodes = rules.nodes = 2;
    for (int n = 0; n < 2; n++)
        t->world.node_gpus[n] = rules.node_gpus[n] = SIZES / 2;
    t->count = SIZES;
    for (int i = 0; i < SIZES; i++) {
        t->jobs[i] = (struct hs_test_job){.submit_us = i / 100 * HS_TEST_S,
                                          .duration_us = dice_roll(d, 0, 9) * HS_TEST_S,
                                          .gpus = (uint32_t)i + 1};
        struct hs_test_job *other = &t->jobs[dice_roll(d, 0, i)];
        uint32_t gpus = other->gpus;
        other->gpus = t->jobs[i].gpus;
        t->jobs[i].gpus = gpus;
    }
}

static void backlogs_of_many_sizes(void **state)
{
    (void)state;
    trials_run(
        &(struct trial_kind){
            .draw = draw_sizes, .refer = refer, .is_large = true, .has_no_segments = true},
        2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios),
                                       cmocka_unit_test(backlogs_of_many_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
