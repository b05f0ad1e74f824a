/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole runs, by the index of shared GPUs and by a scan of all of them: each policy of the table
 * that shares GPUs, with its defaults and other settings, on random workloads of hundreds of jobs,
 * with gangs, short memory, wrong predictions, several GPU types and virtual clusters. Every
 * segment and every outcome must be the same. Runs are under --check=full, so each state of the
 * index is also compared with a recount.
 *
 * HORUS_LONG=1    five times as many workloads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "horus/policy.h"
#include "support/rated.h"
#include "support/run.h"
#include "support/predictor_fixture.h"

#define JOBS 160

/* ---- worlds ---- */

static const char mixed[] =
    "{\"gpu_types\": {\"A\": {\"mem_mib\": 8192, \"speed\": 1}, \"B\": {\"speed\": 0.5},"
    "                 \"C\": {\"mem_mib\": 16384, \"speed\": 1}},"
    " \"racks\": ["
    "{\"nodes\": [{\"count\": 2, \"gpus\": 4, \"type\": \"A\", \"cpus\": 16, \"vc\": \"a\"},"
    "             {\"count\": 1, \"gpus\": 8, \"type\": \"B\", \"vc\": \"b\"}]},"
    "{\"nodes\": [{\"count\": 2, \"gpus\": 4, \"type\": \"C\", \"mem_mib\": 20000, \"vc\": \"a\"},"
    "             {\"count\": 3, \"gpus\": 2, \"type\": \"A\", \"vc\": \"b\"}]}],"
    " \"vcs\": {\"a\": 16, \"b\": 14}}";

struct world {
    const char *name, *cluster; /* NULL: `mixed` */
    struct hs_test_options options;
    bool is_told_wrong;
};

static struct world worlds[] = {
    {.name = "one type", .cluster = "4x8:V100", .options = {.excess = 0.5, .max_tenants = 4}},
    {.name = "one type, noise",
     .cluster = "8x4:V100",
     .options = {.excess = 0.25, .max_tenants = 3, .memory_reserve_mib = 1024},
     .is_told_wrong = true},
    {.name = "types", .options = {.excess = 1, .max_tenants = 16, .startup_us = 3 * HS_TEST_S}},
    {.name = "types, noise", /* no random ties: the index makes fewer draws */
     .options = {.excess = 0.1, .max_tenants = 4, .oom_retries = 1},
     .is_told_wrong = true},
    {.name = "partition",
     .options = {.excess = 0.5, .max_tenants = 4, .vc = HS_VC_PARTITION},
     .is_told_wrong = true},
    {.name = "quota", .options = {.excess = 0.5, .max_tenants = 4, .vc = HS_VC_QUOTA}},
};
#define WORLDS (sizeof worlds / sizeof worlds[0])

static uint32_t one_of(struct dice *d, int count, const uint32_t *of)
{
    return of[roll(d, 0, count - 1)];
}

/* Draws several times more work than the GPUs can do one job at a time. */
static void draw_jobs(struct hs_test_job *jobs, const struct world *w, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 12, 0};
    static const uint32_t memories[] = {0, 1000, 2000, 2000, 4000, 6000, 7900, 12000};
    static const char *const types[] = {"A", "B", "C"};
    struct dice d = {.seed = hs_mix64(seed, 20201120)};
    int64_t submit_s = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        submit_s += roll(&d, 0, 3);
        jobs[i] = (struct hs_test_job){.submit_s = submit_s,
                                       .duration_s = roll(&d, 1, 60),
                                       .gpus = one_of(&d, 14, sizes),
                                       .gpu_util_pm = 100 * roll(&d, 0, 10),
                                       .gpu_mem_mib = one_of(&d, 8, memories)};
        if (w->cluster != NULL)
            continue;
        if (roll(&d, 0, 5) == 0)
            jobs[i].gpu_type = types[roll(&d, 0, 2)];
        if (roll(&d, 0, 2) == 0)
            jobs[i].cpus = jobs[i].gpus * (uint32_t)roll(&d, 1, 4);
        if (roll(&d, 0, 5) == 0)
            jobs[i].mem_mib = jobs[i].gpus * 3000;
        if (w->options.vc != HS_VC_IGNORE)
            jobs[i].vc = roll(&d, 0, 1) == 0 ? "a" : "b";
    }
}

/* ---- running both ---- */

static struct {
    uint64_t workloads, settings, decisions, ooms, shared, crowds, gangs, others;
} seen;

static void count_seen(const struct hs_test_result *r)
{
    seen.workloads++;
    seen.decisions += r->figures.decisions;
    for (uint32_t i = 0; i < r->segment_count; i++) {
        const struct hs_test_segment *s = &r->segments[i];
        seen.ooms += s->ended_by == HS_SEGMENT_OOM;
        seen.others += s->ended_by != HS_SEGMENT_OOM && s->ended_by != HS_SEGMENT_FINISH;
        seen.shared += s->max_tenants > 1;
        seen.crowds += s->max_tenants > 2;
        seen.gangs += s->max_tenants > 1 && s->gpu_count > 1;
    }
}

static bool is_same_segment(const struct hs_test_segment *a, const struct hs_test_segment *b)
{
    return a->job == b->job && a->start_us == b->start_us && a->end_us == b->end_us &&
           a->done_ns == b->done_ns && a->gpu_count == b->gpu_count &&
           a->max_tenants == b->max_tenants && a->ended_by == b->ended_by &&
           memcmp(a->gpus, b->gpus, sizeof a->gpus) == 0;
}

static bool is_same_outcome(const struct hs_test_outcome *a, const struct hs_test_outcome *b)
{
    return a->state == b->state && a->start_us == b->start_us && a->end_us == b->end_us &&
           a->run_us == b->run_us && a->overhead_us == b->overhead_us && a->lost_ns == b->lost_ns &&
           a->done_ns == b->done_ns && a->preemptions == b->preemptions &&
           a->migrations == b->migrations && a->ooms == b->ooms &&
           strcmp(a->reason, b->reason) == 0;
}

static void expect_same(const struct hs_test_result *a, const struct hs_test_result *b,
                        const char *what)
{
    uint32_t fewer = a->segment_count < b->segment_count ? a->segment_count : b->segment_count;
    for (uint32_t i = 0; i < fewer; i++)
        if (!is_same_segment(&a->segments[i], &b->segments[i]))
            fail_msg("%s: segment %u is of job %u from %lld us by the index, of job %u from %lld "
                     "us by the scan, or differs otherwise",
                     what, i, a->segments[i].job, (long long)a->segments[i].start_us,
                     b->segments[i].job, (long long)b->segments[i].start_us);
    assert_int_equal(a->segment_count, b->segment_count);
    for (uint32_t i = 0; i < JOBS; i++)
        if (!is_same_outcome(&a->jobs[i], &b->jobs[i]))
            fail_msg("%s: job %u ends otherwise", what, i);
    assert_int_equal(a->figures.events, b->figures.events);
    assert_int_equal(a->figures.decisions, b->figures.decisions);
    assert_int_equal(a->figures.end_us, b->figures.end_us);
}

static void compare(const struct world *w, const char *spec, uint64_t seed)
{
    static struct hs_test_job jobs[JOBS];
    struct hs_test_result by_index, by_scan;
    struct hs_test_options options = w->options;
    char what[256];
    const char *cluster = w->cluster;
    if (cluster == NULL)
        cluster = scratch_write("mixed.json", mixed, strlen(mixed));
    (void)snprintf(what, sizeof what, "%s on %s, workload %llu", spec, w->name,
                   (unsigned long long)seed);
    draw_jobs(jobs, w, seed);
    if (hs_test_run_with(jobs, JOBS, cluster, spec, &options, &by_index) != HS_OK)
        fail_msg("%s: %s", what, by_index.message);
    options.scans_shared = true;
    if (hs_test_run_with(jobs, JOBS, cluster, spec, &options, &by_scan) != HS_OK)
        fail_msg("%s by scan: %s", what, by_scan.message);
    expect_same(&by_index, &by_scan, what);
    count_seen(&by_index);
    hs_test_free(&by_index);
    hs_test_free(&by_scan);
}

/* ---- settings ---- */

static uint32_t rounds; /* workloads a setting */

static void compare_setting(const struct hs_policy_ops *policy, const char *key, const char *value)
{
    char spec[128];
    (void)snprintf(spec, sizeof spec, "%s:%s=%s", policy->name, key, value);
    for (uint32_t i = 0; i < rounds; i++, seen.settings++)
        compare(&worlds[seen.settings % WORLDS], spec, seen.settings);
}

/* Every choice of a CHOICE but the default, every FLAG switched, and other values of the numbers
 * below. */
static void compare_param(const struct hs_policy_ops *policy, const struct hs_param *param)
{
    static const char *const values[][2] = {
        {"max_tenants", "2"}, {"max_tenants", "8"}, {"share_up_to", "2"}, {"util_cap", "120"},
        {"mem_margin", "0"},  {"w_type", "0.5"},    {"w_n", "0"},         {"look_ahead", "40"},
        {"max_starts", "1"},  {"quantum", "20s"},   {"queues", "2"}};
    for (int i = 0; param->type == HS_PARAM_CHOICE && param->choices[i] != NULL; i++)
        if (strcmp(param->choices[i], param->preset) != 0)
            compare_setting(policy, param->key, param->choices[i]);
    if (param->type == HS_PARAM_FLAG)
        compare_setting(policy, param->key, strcmp(param->preset, "yes") == 0 ? "no" : "yes");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(param->key, values[i][0]) == 0)
            compare_setting(policy, param->key, values[i][1]);
}

/* Settings that interact: measurements from before a preemption, room that a move or a preemption
 * frees, windows that end early. */
static const char *const together[] = {
    "gandiva-like:signal=measured,quantum=5s,w_mem=0,max_tenants=4",
    "gandiva-like:scan=fit,quantum=3s,suspend=5s",
    "horus:migrate=yes,migrate_every=1s,max_tenants=4,order=fifo",
    "horus:migrate=yes,migrate_every=1s,signal=measured,w_n=0,util_cap=180",
    "horus:max_starts=2,tick=1s,cost=ascoded,look_ahead=2",
    "horus+:wake_period=1s,queues=3,look_ahead=2,recluster_period=0s,mem_margin=0",
    "horus-s:slowdown_cap=1.05,patience=0.3,max_tenants=6",
};

static void test_all_policies(void **state)
{
    (void)state;
    const struct hs_policy_ops *policy;
    for (size_t p = 0; (policy = hs_policy_at(p)) != NULL; p++) {
        if ((policy->can & HS_CAN_COLOCATE) == 0 || policy->load == NULL) /* it has no index */
            continue;
        for (size_t i = 0; i < WORLDS; i++)
            for (uint32_t k = 0; k < 2 * rounds; k++)
                compare(&worlds[i], policy->name, 1000 + k);
        for (const struct hs_param *param = policy->params; param->key != NULL; param++)
            compare_param(policy, param);
    }
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++)
        for (size_t k = 0; k < rounds * WORLDS; k++)
            compare(&worlds[k % WORLDS], together[i], 2000 + k);
    print_message("%llu workloads of %u jobs, %llu states of the index (decisions)\n",
                  (unsigned long long)seen.workloads, JOBS, (unsigned long long)seen.decisions);
    print_message("  %llu placements beside one job, of which %llu beside more and %llu of gangs; "
                  "%llu out of memory, %llu moved or preempted\n",
                  (unsigned long long)seen.shared, (unsigned long long)seen.crowds,
                  (unsigned long long)seen.gangs, (unsigned long long)seen.ooms,
                  (unsigned long long)seen.others);
    assert_true(seen.decisions >= 100000 && seen.crowds > 0 && seen.gangs > 0 && seen.ooms > 0 &&
                seen.others > 0);
}

static struct predictor_fixture predictor;
static struct hs_predictor *wrong[WORLDS];

static int open_worlds(void **state)
{
    const char *text = getenv("HORUS_LONG");
    rounds = text != NULL && text[0] != '\0' && text[0] != '0' ? 20 : 4;
    (void)scratch_open(state);
    predictor_open(&predictor, PREDICTOR_NO_ROWS, predictor_plain_model());
    for (size_t i = 0; i < WORLDS; i++) {
        const struct hs_predictor_options noise = {.kind = HS_PREDICT_NOISY,
                                                   .memory = HS_MEMORY_NOISY,
                                                   .util_rmsle = 0.4,
                                                   .mem_ln_sd = 0.665,
                                                   .seed = i};
        wrong[i] = predictor_make(&predictor, noise);
        worlds[i].options.predictor = worlds[i].is_told_wrong ? wrong[i] : NULL;
    }
    return 0;
}

static int close_worlds(void **state)
{
    for (size_t i = 0; i < WORLDS; i++)
        hs_predictor_close(wrong[i]);
    predictor_close(&predictor);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_policies)};
    return cmocka_run_group_tests_name("index of shared GPUs against a scan", tests, open_worlds,
                                       close_worlds);
}
