/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * salus against the reference simulator, on random scenarios: one GPU, every in-lane rule and lane
 * model, admission that skips jobs without room, iterations of all lengths, wrong declarations, too
 * many sessions. See support/trials.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refsalus.h"
#include "support/sink.h"
#include "support/trials.h"

#define HORIZON_US (20000 * HS_TEST_S)
#define MEMORY_MIB 16000
#define JOBS_MAX   12

static struct salus_rules rules;
static bool is_declared;              /* from a file */
static int64_t declared_us[JOBS_MAX]; /* by id */
static char gpu[256], names[JOBS_MAX][8];

static int set_up(void **state)
{
    char text[256];
    (void)scratch_open(state);
    (void)snprintf(text, sizeof text,
                   "{\"gpu_types\": {\"S\": {\"mem_mib\": %d}},"
                   " \"nodes\": [{\"gpus\": 1, \"type\": \"S\"}]}",
                   MEMORY_MIB);
    scratch_keep(gpu, sizeof gpu, "gpu.json", text);
    for (int i = 0; i < JOBS_MAX; i++)
        (void)snprintf(names[i], sizeof names[i], "j%d", i);
    return 0;
}

HS_PRINTF(2, 3)
static void add(struct trial *t, const char *fmt, ...)
{
    size_t len = strlen(t->policy);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(t->policy + len, sizeof t->policy - len, fmt, args);
    va_end(args);
}

/* Draws sizes that are whole after the factors 1.1 and 1.05: 200 x 1.1 = 220, and 20 x 1.05 = 21. A
 * few are unknown, or larger than the GPU. */
static void draw_memory(struct hs_test_job *j, struct dice *d)
{
    int most = dice_roll(d, 0, 30) == 0 ? 90 : 40;
    if (dice_roll(d, 0, 20) == 0)
        return;
    j->gpu_mem_persistent_mib = 200u * (uint32_t)dice_roll(d, 1, most / 3);
    j->gpu_mem_mib = j->gpu_mem_persistent_mib + 20u * (uint32_t)dice_roll(d, 0, 10 * most);
}

static void draw_jobs(struct trial *t, struct dice *d)
{
    static const int64_t taus_us[] = {250000, 500000, 1000000, 1500000};
    bool is_odd = dice_roll(d, 0, 2) == 0;
    int64_t submit_us = 0;
    t->count = dice_roll(d, 2, JOBS_MAX);
    for (int i = 0; i < t->count; i++) {
        submit_us += i > 0 && dice_roll(d, 0, 2) > 0 ? trial_draw_us(d, 0, 4, is_odd) : 0;
        t->jobs[i] = (struct hs_test_job){.gpus = 1, .id = names[i], .submit_us = submit_us};
        t->jobs[i].duration_us = is_odd ? dice_roll(d, 1, 9000000) : 250000 * dice_roll(d, 1, 36);
        t->jobs[i].step_us = is_odd ? dice_roll(d, 100000, 2000000) : taus_us[dice_roll(d, 0, 3)];
        draw_memory(&t->jobs[i], d);
    }
}

static void draw_declarations(struct trial *t, struct dice *d)
{
    char text[512];
    size_t len = (size_t)snprintf(text, sizeof text, "job_id,estimate\n");
    is_declared = rules.rule == SALUS_SRTF && dice_roll(d, 0, 1) == 1;
    for (int i = 0; i < JOBS_MAX; i++) {
        declared_us[i] = 500000 * dice_roll(d, 0, 20);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s,%s\n", names[i],
                                trial_seconds(declared_us[i]));
    }
    if (is_declared)
        add(t, ",pred=file,pred_file=%s", scratch_write("declared.csv", text, len));
}

static void draw_waits(struct trial *t, struct dice *d)
{
    if (dice_roll(d, 0, 2) == 0)
        rules.startup_us = 250000 * dice_roll(d, 1, 8);
    if (rules.rule == SALUS_FIFO && dice_roll(d, 0, 1) == 1)
        rules.poll_us = 100000 * dice_roll(d, 1, 15);
    add(t, ",startup=%s,poll=%s", trial_seconds(rules.startup_us), trial_seconds(rules.poll_us));
}

static void draw(struct trial *t, struct dice *d)
{
    static const char *const rule_names[] = {"fifo", "srtf", "pack", "fair", "rr"};
    static const char *const lane_names[] = {"paper", "code", "one"};
    bool inflates = dice_roll(d, 0, 1) == 1;
    int reserve_mib = dice_roll(d, 0, 1) * 300;
    rules =
        (struct salus_rules){.rule = (enum salus_rule)dice_roll(d, SALUS_FIFO, SALUS_RR),
                             .lanes = (enum salus_lanes)dice_roll(d, SALUS_PAPER, SALUS_ONE),
                             .capacity_mib = MEMORY_MIB - reserve_mib,
                             .inflate_persistent_pm = inflates ? 1100 : 1000,
                             .inflate_total_pm = inflates ? 1050 : 1000,
                             .max_sessions = dice_roll(d, 0, 3) == 0 ? dice_roll(d, 1, 4) : 100};
    t->world.nodes = 1;
    t->world.node_gpus[0] = 1;
    t->options = (struct hs_test_options){.max_tenants = 16};
    (void)snprintf(t->cluster, sizeof t->cluster, "%s", gpu);
    add(t, "salus:mode=exact,rule=%s,max_sessions=%d,reserve=%d,infl_p=%s,infl_total=%s",
        rule_names[rules.rule], rules.max_sessions, reserve_mib, inflates ? "1.1" : "1",
        inflates ? "1.05" : "1");
    if (rules.rule != SALUS_FIFO)
        add(t, ",lanes=%s", lane_names[rules.lanes]);
    draw_waits(t, d);
    draw_declarations(t, d);
    draw_jobs(t, d);
}

/* A job is on the GPU, in one stretch, from its admission on. */
static bool refer(struct trial *t)
{
    struct salus_job jobs[JOBS_MAX];
    for (int i = 0; i < t->count; i++) {
        const struct hs_test_job *j = &t->jobs[i];
        jobs[i] = (struct salus_job){.submit_us = j->submit_us,
                                     .work_us = j->duration_us,
                                     .tau_us = j->step_us,
                                     .declared_us = is_declared ? declared_us[atoi(j->id + 1)]
                                                                : j->duration_us,
                                     .persistent_mib = j->gpu_mem_persistent_mib,
                                     .peak_mib = j->gpu_mem_mib};
    }
    if (!salus_simulate(&rules, jobs, t->count, HORIZON_US))
        return false;
    t->world.segments = malloc(sizeof *t->world.segments * (size_t)(t->count + 1));
    t->world.segment_count = 0;
    for (int i = 0; i < t->count; i++) {
        t->tasks[i].is_rejected = jobs[i].is_rejected;
        t->tasks[i].start_us = jobs[i].start_us;
        t->tasks[i].finish_us = jobs[i].finish_us;
        if (!jobs[i].is_rejected)
            t->world.segments[t->world.segment_count++] = (struct ref_segment){
                .task = i, .gpus = 1, .start_us = jobs[i].start_us, .end_us = jobs[i].finish_us};
    }
    return true;
}

static void random_scenarios(void **state)
{
    (void)state;
    trials_run(&(struct trial_kind){.draw = draw, .refer = refer}, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenarios)};
    return cmocka_run_group_tests_name("salus against its text", tests, set_up, scratch_close);
}
