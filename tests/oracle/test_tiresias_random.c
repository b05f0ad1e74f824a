/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tiresias and las against the reference simulator, on random scenarios: small clusters, bursts of
 * jobs, queues so short that jobs are demoted and promoted many times, both forms of Gittins
 * indices from a file or learnt, events or rounds, costs. See support/trials.h.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refgittins.h"
#include "ref/reftiresias.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US  (20000 * HS_TEST_S)
#define SAMPLES_MAX 24
#define MANY_JOBS   48 /* enough to learn a sample twice */

static struct tiresias rules;
static double samples[SAMPLES_MAX];

HS_PRINTF(2, 3)
static void add(struct trial *t, const char *fmt, ...)
{
    size_t len = strlen(t->policy);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(t->policy + len, sizeof t->policy - len, fmt, args);
    va_end(args);
}

/* Limits of 1 GPU-second and more: some jobs cross two of them within one round. */
static void draw_limits(struct trial *t, struct dice *d, bool is_odd)
{
    int64_t limit_us = 0;
    rules.limit_count = dice_roll(d, 1, 3);
    for (int i = 0; i < rules.limit_count; i++) {
        limit_us += trial_draw_us(d, 1, i == 0 ? 8 : 12, is_odd);
        rules.limits_us[i] = limit_us;
        add(t, "%s%s", i == 0 ? "queue_limits=" : "/", trial_seconds(limit_us));
    }
}

static void draw_samples(struct trial *t, struct dice *d, bool is_odd)
{
    char text[512] = "service\n";
    int count = dice_roll(d, 1, SAMPLES_MAX);
    for (int i = 0; i < count; i++) {
        int64_t us = trial_draw_us(d, 0, 25, is_odd);
        size_t len = strlen(text);
        samples[i] = (double)us / 1e6;
        (void)snprintf(text + len, sizeof text - len, "%s\n", trial_seconds(us));
    }
    ref_sample_sort(samples, count);
    rules.samples = samples;
    rules.sample_count = count;
    add(t, ",samples=%s", scratch_write("samples.csv", text, strlen(text)));
    for (char *c = text; (c = strchr(c, '\n')) != NULL;)
        *c = ' ';
    (void)snprintf(t->note, sizeof t->note, "samples %s", text);
}

/* Returns true if a sample is learnt, which needs many jobs. */
static bool draw_index(struct trial *t, struct dice *d, bool is_odd)
{
    rules.index = (enum tiresias_index)dice_roll(d, TIRESIAS_LAS, TIRESIAS_REPO);
    if (rules.index == TIRESIAS_LAS)
        return false;
    add(t, ",index=gittins,gittins=%s", rules.index == TIRESIAS_REPO ? "repo" : "exact");
    if (dice_roll(d, 0, 1) == 1)
        return true;
    draw_samples(t, d, is_odd);
    return false;
}

/* promote_knob is a number of eighths, exact in any arithmetic. Where paying counts as service no
 * job is promoted. */
static void draw_promotion(struct trial *t, struct dice *d)
{
    static const int knobs[] = {0, 0, 1, 4, 8, 16, 64};
    if (rules.compat == TIRESIAS_HELIOS)
        return;
    rules.knob_eighths = knobs[dice_roll(d, 0, 6)];
    add(t, ",promote_knob=%g", (double)rules.knob_eighths / 8);
}

static void draw_rounds(struct trial *t, struct dice *d, bool is_odd)
{
    if (dice_roll(d, 0, 2) > 0)
        return;
    rules.round_us = trial_draw_us(d, 1, 6, is_odd);
    rules.phase_us = trial_draw_us(d, 0, 7, is_odd);
    add(t, ",round_s=%s,round_phase=%s", trial_seconds(rules.round_us),
        trial_seconds(rules.phase_us));
}

static void draw(struct trial *t, struct dice *d)
{
    static const char *const placers[] = {"count", "yarn", "consolidate"};
    static const char *const compats[] = {"off", "tiresias", "helios"};
    memset(&rules, 0, sizeof rules);
    rules.compat = (enum tiresias_compat)dice_roll(d, TIRESIAS_OFF, TIRESIAS_HELIOS);
    rules.weighs_gpus = dice_roll(d, 0, 2) > 0;
    rules.inqueue = (enum tiresias_inqueue)dice_roll(d, TIRESIAS_RUNNING_FIRST, TIRESIAS_SUBMIT);
    bool is_odd = rules.compat != TIRESIAS_PUBLISHED && dice_roll(d, 0, 2) == 0;
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_CONSOLIDATE);
    add(t, "%s:", rules.weighs_gpus ? "tiresias" : "las");
    draw_limits(t, d, is_odd);
    add(t, ",compat=%s,inqueue=%s,placement=%s", compats[rules.compat],
        rules.inqueue == TIRESIAS_SUBMIT ? "submit" : "running_first", placers[t->world.placer]);
    bool wants_many = draw_index(t, d, is_odd);
    add(t, ",%s", trial_draw_cost(t, d, is_odd));
    draw_promotion(t, d);
    draw_rounds(t, d, is_odd);
    trial_draw_cluster(t, d, 4, 4, t->world.placer == REF_COUNT);
    trial_draw_jobs(t, d, wants_many ? MANY_JOBS : dice_roll(d, 2, 25), is_odd);
}

static bool refer(struct trial *t)
{
    return tiresias_simulate(&rules, &t->world, HORIZON_US);
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
}

/* compat=helios where nearly all is a tie: see trial_draw_ties. */
static void draw_ties(struct trial *t, struct dice *d)
{
    static const char *const placers[] = {"count", "yarn", "consolidate"};
    memset(&rules, 0, sizeof rules);
    rules.compat = TIRESIAS_HELIOS;
    rules.inqueue = TIRESIAS_SUBMIT;
    rules.weighs_gpus = dice_roll(d, 0, 2) > 0;
    t->world.placer = (enum ref_placer)dice_roll(d, REF_COUNT, REF_CONSOLIDATE);
    add(t, "%s:", rules.weighs_gpus ? "tiresias" : "las");
    draw_limits(t, d, false);
    add(t, ",compat=helios,inqueue=submit,placement=%s", placers[t->world.placer]);
    add(t, ",%s", trial_draw_cost(t, d, false));
    draw_rounds(t, d, false);
    trial_draw_cluster(t, d, 4, 4, t->world.placer == REF_COUNT);
    trial_draw_ties(t, d, 30);
}

static void helios_ties(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_ties, .refer = refer}, 10000);
}

/* gittins=repo with ties, of a sample of few values that is given, or learnt. */
static void draw_gittins_ties(struct trial *t, struct dice *d)
{
    memset(&rules, 0, sizeof rules);
    rules.compat = (enum tiresias_compat)dice_roll(d, TIRESIAS_OFF, TIRESIAS_PUBLISHED);
    rules.index = TIRESIAS_REPO;
    rules.weighs_gpus = dice_roll(d, 0, 2) > 0;
    t->world.placer = REF_COUNT;
    add(t, "%s:", rules.weighs_gpus ? "tiresias" : "las");
    draw_limits(t, d, false);
    add(t, ",compat=%s,placement=count,index=gittins,gittins=repo",
        rules.compat == TIRESIAS_OFF ? "off" : "tiresias");
    if (dice_roll(d, 0, 1) == 1)
        draw_samples(t, d, false);
    add(t, ",%s", trial_draw_cost(t, d, false));
    draw_promotion(t, d);
    draw_rounds(t, d, false);
    trial_draw_cluster(t, d, 4, 4, true);
    trial_draw_ties(t, d, MANY_JOBS);
}

static void gittins_ties(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_gittins_ties, .refer = refer}, 10000);
}

/* Draws so many jobs that the sample is learnt 8 times, the last time from the second 1,024. */
static void draw_large(struct trial *t, struct dice *d)
{
    memset(&rules, 0, sizeof rules);
    rules.weighs_gpus = true;
    rules.index = (enum tiresias_index)dice_roll(d, TIRESIAS_EXACT, TIRESIAS_REPO);
    rules.limits_us[0] = 10 * HS_TEST_S;
    rules.limit_count = 1;
    t->world.placer = REF_COUNT;
    add(t, "tiresias:queue_limits=10,placement=count,index=gittins,gittins=%s",
        rules.index == TIRESIAS_REPO ? "repo" : "exact");
    t->world.nodes = 2;
    t->world.node_gpus[0] = t->world.node_gpus[1] = 4;
    (void)snprintf(t->cluster, sizeof t->cluster, "2x4");
    int64_t submit_us = 0;
    for (t->count = 0; t->count < 2100; t->count++) {
        submit_us += trial_draw_us(d, 0, 2, true);
        t->jobs[t->count] = (struct hs_test_job){.submit_us = t->count == 0 ? 0 : submit_us,
                                                 .duration_us = trial_draw_us(d, 0, 6, true),
                                                 .gpus = (uint32_t)dice_roll(d, 1, 4)};
    }
}

static void learnt_of_many(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw_large, .refer = refer, .is_large = true}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenarios), cmocka_unit_test(helios_ties),
        cmocka_unit_test(gittins_ties), cmocka_unit_test(learnt_of_many)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
