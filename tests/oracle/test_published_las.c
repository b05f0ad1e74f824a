/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tiresias and las in the reference simulator, job by job against published simulators, so that the
 * reference is reliable where there are no files.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/refgittins.h"
#include "ref/reftiresias.h"
#include "support/data.h"
#include "support/published.h"

#define HORIZON_US (INT64_C(1000) * 86400 * HS_TEST_S)
#define SHOWN_MAX  10

static void compare(const struct workload *w, int nodes, int gpus, struct ref_world world,
                    const struct tiresias *rules)
{
    struct ref_task *tasks = calloc(w->count, sizeof *tasks);
    uint32_t differ = 0;
    assert_non_null(tasks);
    world.tasks = tasks;
    world.count = (int)w->count;
    world.nodes = nodes;
    for (int n = 0; n < nodes; n++)
        world.node_gpus[n] = gpus;
    for (uint32_t i = 0; i < w->count; i++)
        tasks[i] = (struct ref_task){.submit_us = w->jobs[i].submit * HS_TEST_S,
                                     .duration_us = w->jobs[i].duration * HS_TEST_S,
                                     .gpus = (int)w->jobs[i].gpus};
    assert_true(tiresias_simulate(rules, &world, HORIZON_US));
    for (uint32_t i = 0; i < w->count; i++) {
        const struct published *p = &w->jobs[i];
        const struct ref_task *t = &tasks[i];
        if (t->start_us == p->start * HS_TEST_S && t->finish_us == p->end * HS_TEST_S &&
            t->preemptions == (int)p->preemptions)
            continue;
        if (differ++ < SHOWN_MAX)
            print_error("job %s is %g-%g s, %d preemptions; published %" PRId64 "-%" PRId64
                        " s, %" PRIu32 "\n",
                        p->id, (double)t->start_us / 1e6, (double)t->finish_us / 1e6,
                        t->preemptions, p->start, p->end, p->preemptions);
    }
    print_message("%" PRIu32 " jobs, %" PRIu32 " differ\n", w->count, differ);
    assert_int_equal(differ, 0);
    free(world.segments);
    free(tasks);
}

/* ---- Tiresias' own simulator (NSDI'19), with fixes ---- */

/* Limits are those of the 60 jobs, in GPU-seconds (dlas: seconds). Of the three in the published
 * file the last is not used: there are three queues. */
static struct tiresias published(bool weighs_gpus, int64_t knob_eighths)
{
    return (struct tiresias){.weighs_gpus = weighs_gpus,
                             .compat = TIRESIAS_PUBLISHED,
                             .limits_us = {3250 * HS_TEST_S, 7200 * HS_TEST_S},
                             .limit_count = 2,
                             .knob_eighths = knob_eighths};
}

static void tiresias(const char *outcomes, struct tiresias s)
{
    struct workload w = {0};
    published_tiresias(&w, outcomes);
    compare(&w, 4, 4, (struct ref_world){.placer = REF_COUNT}, &s);
    free(w.jobs);
}

static void tiresias_dlas(void **state)
{
    (void)state;
    tiresias("count/dlas", published(false, 0));
    tiresias("count/dlas-gpu", published(true, 0));
    tiresias("count/dlas-gpu-1", published(true, 8));
    tiresias("count/dlas-gpu-8", published(true, 64));
}

static int load_samples(double *samples, int most)
{
    char line[64];
    int count = 0;
    FILE *f = fopen(data_need("oracles", "tiresias/traces/yarn-gput1000.csv"), "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the header */
    while (fgets(line, sizeof line, f) != NULL && count < most)
        samples[count++] = strtod(line, NULL);
    (void)fclose(f);
    ref_sample_sort(samples, count);
    return count;
}

static void tiresias_gittins(void **state)
{
    static double samples[2000];
    struct tiresias s = published(true, 0);
    (void)state;
    s.index = TIRESIAS_REPO;
    s.samples = samples;
    s.sample_count = load_samples(samples, 2000);
    assert_int_equal(s.sample_count, 1001); /* as the design text says */
    tiresias("count/dlas-gpu-gittins", s);
}

static void micro(const char *name, int gpus, bool weighs_gpus, int64_t limit_s,
                  int64_t knob_eighths)
{
    struct workload w = {0};
    published_micro(&w, name);
    print_message("%s: ", name);
    compare(&w, 1, gpus, (struct ref_world){.placer = REF_COUNT},
            &(struct tiresias){.weighs_gpus = weighs_gpus,
                               .compat = TIRESIAS_PUBLISHED,
                               .limits_us = {limit_s * HS_TEST_S},
                               .limit_count = 1,
                               .knob_eighths = knob_eighths});
    free(w.jobs);
}

/* Clusters and limits are those of the published cluster_spec.csv and queue_limit.txt. */
static void tiresias_micro(void **state)
{
    (void)state;
    micro("S3.dlas", 1, false, 100, 0);
    micro("S3b.dlas-gpu", 4, true, 100, 0);
    micro("S3c.dlas", 1, false, 100, 0);
    micro("S3c.dlas-gpu-1", 1, true, 100, 8);
    micro("S3c.dlas-gpu-2", 1, true, 100, 16);
    micro("S3d.dlas-gpu", 4, true, 100000, 0);
    micro("stale.dlas", 1, false, 3250, 0); /* no job reaches the second limit, 7,200 s */
}

/* ---- Tiresias in the Helios/Lucid artifact (SC'21, ASPLOS'23) ---- */

/* Rounds count from 2020-09-01 00:00:00; the first submission is at 11:20:22, 22 s into a minute.
 */
static void helios(void **state)
{
    struct workload w = {0};
    (void)state;
    published_helios(&w, "helios-venus/expected_vcvlY_tiresias.csv");
    compare(&w, 2, 8,
            (struct ref_world){.placer = REF_CONSOLIDATE,
                               .cost = REF_TABLE,
                               .cost_table_us = {40 * HS_TEST_S, 40 * HS_TEST_S, 60 * HS_TEST_S}},
            &(struct tiresias){.weighs_gpus = true,
                               .compat = TIRESIAS_HELIOS,
                               .inqueue = TIRESIAS_SUBMIT,
                               .limits_us = {18000 * HS_TEST_S},
                               .limit_count = 1,
                               .round_us = 60 * HS_TEST_S,
                               .phase_us = 38 * HS_TEST_S});
    free(w.jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiresias_micro),
        cmocka_unit_test(tiresias_dlas),
        cmocka_unit_test(tiresias_gittins),
        cmocka_unit_test(helios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
