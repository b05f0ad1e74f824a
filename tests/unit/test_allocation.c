/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * No allocation in the event loop once the largest number of live jobs has been reached: every
 * policy replays a periodic workload, and the second half of the run must not call the allocator
 * once. The test counts calls by its own malloc, calloc, realloc and free before glibc's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/param_table.h"
#include "engine/engine.h"
#include "support/sink.h"
#include "support/predictor_fixture.h"

#define JOBS 8000u

static uint64_t allocations;

#if defined(__SANITIZE_ADDRESS__)
static const char *const cannot = "the address sanitizer owns the allocator";
#else
static const char *const cannot = NULL;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}
#endif

struct feed {
    uint32_t next;
    char id[16];
    uint64_t at_half;
    struct hs_trace_job job;
};

/* The same burst comes again every 100 jobs, long after the last one has finished, so the second
 * half of the run contains nothing new. Half of the jobs have a predicted memory of 1000 MiB and
 * use up to 7000 MiB, so that shared GPUs of 16 GiB run out of memory. */
static enum hs_status next_job(void *ctx, struct hs_trace_job **out)
{
    struct feed *feed = ctx;
    if (feed->next == JOBS)
        return HS_END;
    if (feed->next == JOBS / 2)
        feed->at_half = allocations;
    uint32_t i = feed->next++, in_burst = i % 100;
    snprintf(feed->id, sizeof feed->id, "%07u", i);
    feed->job = (struct hs_trace_job){.id = feed->id,
                                      .user = in_burst % 3 ? "ann" : "bob",
                                      .submit_us = (i / 100) * 10000 * HS_US_PER_S + in_burst,
                                      .duration_us = (1 + in_burst % 17) * HS_US_PER_S,
                                      .gpus = 1 + in_burst % 5,
                                      .deadline_us = -1,
                                      .preempt_cost_us = -1,
                                      .gpu_util_pm = (int32_t)(in_burst % 11) * 100,
                                      .gpu_mem_mib = 1000 * (in_burst % 8),
                                      .profile = in_burst % 2 ? 0 : HS_NO_PROFILE};
    *out = &feed->job;
    return HS_OK;
}

/* By the formula, 4 bytes x 2 x params, a job of this model needs 1000 MiB. */
static const char rows[] = "model,dataset,batch,precision,util,params,outputs\n"
                           "A,d,1,fp32,50,131072000,0\n";
static struct predictor_fixture predictor;
static struct hs_predictor *wrong; /* predicts memory wrongly, so that GPUs run out of it */

static void run_policy(const struct hs_policy_ops *policy, const char *settings,
                       const struct hs_cluster *cluster, struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    struct feed feed = {0};
    struct hs_engine_figures figures;
    struct hs_engine *engine;
    void *state = calloc(1, policy->state_size + 1);
    assert_int_equal(hs_param_defaults(policy->params, state, &arena), HS_OK);
    assert_int_equal(hs_param_set_list(policy->params, state, &arena, policy->name, settings, diag),
                     HS_OK);
    struct hs_engine_config config = {.cluster = cluster,
                                      .policy = policy,
                                      .policy_state = state,
                                      .predictor = wrong,
                                      .oom_delay_us = HS_US_PER_S,
                                      .oom_retries = 2,
                                      .check = HS_CHECK_FAST,
                                      .until_us = HS_TIME_MAX,
                                      .max_tenants = 4};
    assert_int_equal(hs_engine_open(&engine, &config, diag), HS_OK);
    assert_int_equal(hs_engine_run(engine, (struct hs_job_source){.next = next_job, .ctx = &feed}),
                     HS_OK);
    if (allocations != feed.at_half)
        fail_msg("%s: %u allocations in the second half", policy->name,
                 (unsigned)(allocations - feed.at_half));
    assert_true(feed.at_half > 0);
    hs_engine_get_figures(engine, &figures);
    assert_int_equal(figures.finished, JOBS);
    hs_engine_close(engine);
    free(state);
    hs_arena_free(&arena);
}

/* Options that add preemption, migration, timers and lanes to the defaults. */
static const char *const settings[][2] = {
    {"gandiva-like", "quantum=2s,scan=fit,max_tenants=4"},
    {"horus", "migrate=yes,migrate_every=1s,max_tenants=4"},
    {"horus", "max_starts=1,tick=1s"},
    {"horus+", "recluster_period=0s,recluster_growth=1,wake_period=1s"},
    {"horus+", "credit=mean,queues=8,signal=measured"},
    {"horus-s", "slowdown_cap=3,patience=1e9"},
};

static void the_event_loop_allocates_nothing(void **state)
{
    (void)state;
    if (cannot != NULL) {
        printf("skip: %s\n", cannot);
        skip();
    }
    static struct sink sink;
    struct hs_cluster cluster = {0};
    const struct hs_policy_ops *policy;
    sink_init(&sink);
    predictor_open(&predictor, rows, predictor_plain_model());
    wrong = predictor_make(&predictor, (struct hs_predictor_options){.kind = HS_PREDICT_ORACLE,
                                                                     .memory = HS_MEMORY_FORMULA});
    assert_int_equal(hs_cluster_load(&cluster, "4x4:V100", &sink.diag), HS_OK);
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        if (strcmp(policy->name, "gavel") ==
            0) /* the solver of linear programs allocates at each call */
            run_policy(policy, "objective=isolated", &cluster, &sink.diag);
        else if (strcmp(policy->name, "ftf") != 0)
            run_policy(policy, "", &cluster, &sink.diag);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        run_policy(hs_policy_find(settings[i][0]), settings[i][1], &cluster, &sink.diag);
    hs_cluster_free(&cluster);
    hs_predictor_close(wrong);
    predictor_close(&predictor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_event_loop_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
