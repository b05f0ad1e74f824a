/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the engine in the test's own process. Assertion failures inside are test failures.
 */
#include "support/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "data/param_table.h"
#include "model/cluster.h"
#include "support/share_scan.h"

struct feed {
    const struct hs_test_job *jobs;
    uint32_t count, next;
    char id[32];
    int64_t attempts_us[HS_TEST_ATTEMPTS];
    struct hs_trace_job job;
};

/* All but the last attempt fail; the run time of the job is the sum of all. */
static void feed_attempts(struct feed *feed, const struct hs_test_job *j, struct hs_trace_job *out)
{
    feed->attempts_us[j->failures] = out->duration_us;
    for (uint32_t i = 0; i < j->failures; i++) {
        feed->attempts_us[i] = j->failed_s[i] * HS_TEST_S;
        out->duration_us += feed->attempts_us[i];
    }
    out->attempts_us = feed->attempts_us;
    out->attempts = j->failures + 1;
}

static enum hs_status feed_next(void *ctx, struct hs_trace_job **out)
{
    struct feed *feed = ctx;
    if (feed->next == feed->count)
        return HS_END;
    const struct hs_test_job *j = &feed->jobs[feed->next];
    snprintf(feed->id, sizeof feed->id, "%u", feed->next++);
    feed->job = (struct hs_trace_job){
        .id = j->id != NULL ? j->id : feed->id,
        .user = j->user,
        .vc = j->vc,
        .gpu_type = j->gpu_type,
        .gpu_type_ran = j->gpu_type_ran,
        .model = j->model,
        .submit_us = j->submit_s * HS_TEST_S + j->submit_us,
        .duration_us = j->duration_s * HS_TEST_S + j->duration_us,
        .deadline_us = j->deadline_s > 0 ? j->deadline_s * HS_TEST_S : -1,
        .options = j->options,
        .option_count = j->option_count,
        .preempt_cost_us = j->preempt_cost_s > 0 ? j->preempt_cost_s * HS_TEST_S : -1,
        .gpus = j->gpus,
        .gpus_min = j->gpus_min > 0 ? j->gpus_min : j->gpus,
        .gpus_max = j->gpus_max > 0 ? j->gpus_max : j->gpus,
        .has_range = j->gpus_min > 0 || j->gpus_max > 0,
        .gpu_milli = j->gpu_milli > 0 ? j->gpu_milli : 1000,
        .cpus_milli = j->cpus * 1000 + j->cpus_milli,
        .mem_mib = j->mem_mib,
        .gpu_mem_mib = j->gpu_mem_mib,
        .gpu_mem_persistent_mib = j->gpu_mem_persistent_mib,
        .gpu_mem_later_mib = j->gpu_mem_later_mib,
        .later_us = j->later_us,
        .checkpoint_mib = j->checkpoint_mib,
        .step_us = j->step_us,
        .steps = j->steps,
        .steps_per_s = j->steps_per_s,
        .loss = j->loss,
        .job_class = j->job_class,
        .priority = j->priority,
        .gpu_util_pm = j->gpu_util_pm > 0 ? j->gpu_util_pm : -1,
        .profile = j->profile > 0 ? j->profile - 1 : HS_NO_PROFILE,
        .line = feed->next + 1,
    };
    if (j->failures > 0)
        feed_attempts(feed, j, &feed->job);
    *out = &feed->job;
    return HS_OK;
}

static void *grown(void *items, uint32_t *cap, uint32_t count, size_t size)
{
    if (count < *cap)
        return items;
    *cap = *cap == 0 ? 64 : *cap * 2;
    void *more = realloc(items, *cap * size);
    if (more == NULL)
        abort();
    return more;
}

static enum hs_status keep_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_test_result *r = ctx;
    r->segments = grown(r->segments, &r->segment_cap, r->segment_count, sizeof *r->segments);
    struct hs_test_segment *s = &r->segments[r->segment_count++];
    *s = (struct hs_test_segment){.job = (uint32_t)segment->job->index,
                                  .start_us = segment->start_us,
                                  .end_us = segment->end_us,
                                  .done_ns = segment->done_ns,
                                  .gpu_count = segment->gpu_count,
                                  .max_tenants = segment->max_tenants,
                                  .ended_by = segment->ended_by};
    for (uint32_t i = 0; i < segment->gpu_count && i < 16; i++)
        s->gpus[i] = segment->gpus[i];
    return HS_OK;
}

static enum hs_status keep_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_test_result *r = ctx;
    (void)now_us;
    r->jobs[job->index] = (struct hs_test_outcome){.state = job->state,
                                                   .start_us = job->first_start_us,
                                                   .end_us = job->finish_us,
                                                   .run_us = job->run_us,
                                                   .overhead_us = job->overhead_us,
                                                   .lost_ns = job->lost_ns,
                                                   .done_ns = job->done_ns,
                                                   .preemptions = job->preemptions,
                                                   .migrations = job->migrations,
                                                   .ooms = job->ooms,
                                                   .attempts = job->retries + 1,
                                                   .switches = job->switches,
                                                   .first_progress_us = job->first_progress_us,
                                                   .host_mib_us = job->host_mib_us};
    (void)snprintf(r->jobs[job->index].reason, sizeof r->jobs[job->index].reason, "%s",
                   job->reason);
    return HS_OK;
}

static enum hs_status keep_instant(void *ctx, const struct hs_instant *instant)
{
    struct hs_test_result *r = ctx;
    r->instants = grown(r->instants, &r->instant_cap, r->instant_count, sizeof *r->instants);
    r->instants[r->instant_count++] = *instant;
    return HS_OK;
}

static void keep_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_test_result *r = ctx;
    if (severity == HS_ERROR && r->message[0] == '\0')
        snprintf(r->message, sizeof r->message, "%.*s", (int)len, text);
}

/* Parses "name:key=value,..." into the policy and its state. */
static enum hs_status policy_from(const char *spec, const struct hs_policy_ops **policy,
                                  void **state, struct hs_arena *arena, struct hs_diag *diag)
{
    const char *list = spec != NULL ? strchr(spec, ':') : NULL;
    if (*policy == NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(list ? list - spec : (ptrdiff_t)strlen(spec)),
                 spec);
        *policy = hs_policy_find(name);
    }
    if (*policy == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "no policy '%s'", spec);
    *state = calloc(1, (*policy)->state_size + 1);
    if ((*policy)->params == NULL)
        return HS_OK;
    HS_TRY(hs_param_defaults((*policy)->params, *state, arena));
    if (list == NULL)
        return HS_OK;
    return hs_param_set_list((*policy)->params, *state, arena, (*policy)->name, list + 1, diag);
}

static enum hs_status stop_there(void *ctx)
{
    (void)ctx;
    return HS_END;
}

/* Continues the same jobs under another policy. */
static enum hs_status fork_engine(struct hs_engine **engine, const struct hs_engine_config *config,
                                  const struct hs_test_options *options, struct feed *feed,
                                  struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    struct hs_engine_config other = *config;
    void *state = NULL;
    other.policy = NULL;
    other.begin_us = options->fork_us;
    other.at_until = NULL;
    feed->next = 0;
    enum hs_status status = policy_from(options->fork_to, &other.policy, &state, &arena, diag);
    other.policy_state = state;
    if (status == HS_OK)
        status =
            hs_engine_fork(engine, &other, (struct hs_job_source){.next = feed_next, .ctx = feed});
    if (status == HS_OK)
        status = hs_engine_continue(*engine, HS_TIME_MAX);
    free(state);
    hs_arena_free(&arena);
    return status;
}

static enum hs_status run_engine(const struct hs_engine_config *config,
                                 const struct hs_test_options *options, struct feed *feed,
                                 struct hs_test_result *result, struct hs_diag *diag)
{
    struct hs_engine *engine;
    struct hs_observer keep = {.ctx = result,
                               .on_segment = keep_segment,
                               .on_finish = keep_finish,
                               .on_instant = keep_instant,
                               .is_counts_only = true};
    if (options->keeps_ends_only) {
        keep.on_segment = NULL;
        keep.on_instant = NULL;
    }
    HS_TRY(hs_engine_open(&engine, config, diag));
    enum hs_status status = hs_engine_observe(engine, &keep);
    if (status == HS_OK && options->observer != NULL)
        status = hs_engine_observe(engine, options->observer);
    if (status == HS_OK)
        status = hs_engine_run(engine, (struct hs_job_source){.next = feed_next, .ctx = feed});
    if (status == HS_END)
        status = fork_engine(&engine, config, options, feed, diag);
    hs_engine_get_figures(engine, &result->figures);
    hs_engine_close(engine);
    return status;
}

static enum hs_status constant_interference(double excess, const struct hs_cluster *cluster,
                                            struct hs_interference **m, struct hs_diag *diag)
{
    struct hs_interference_type types[HS_GPU_TYPES_MAX] = {{0}};
    const struct hs_interference_options options = {
        .mode = HS_INTERFERENCE_CONST, .excess = excess, .gamma = 1, .capacity = INFINITY};
    for (uint32_t t = 0; t < cluster->type_count; t++)
        types[t].gpu = cluster->types[t].name;
    return hs_interference_load(m, NULL, NULL, &options, types, cluster->type_count, diag);
}

static struct hs_machines parse_machines(const char *text, struct hs_arena *arena)
{
    static const char *const words[] = {"down", "up", "cordon", "drain", "add", "remove", "slow"};
    struct hs_machines machines = {0};
    const char *end = text;
    if (text == NULL)
        return machines;
    machines.events = hs_arena_alloc(arena, (strlen(text) / 4 + 1) * sizeof *machines.events);
    for (; end != NULL; end = strchr(end, ','), end = end != NULL ? end + 1 : NULL) {
        struct hs_machine_event *event = &machines.events[machines.count++];
        char word[16];
        double at_s, speed = 1;
        if (sscanf(end, " %lf n%u %15[a-z] %lf", &at_s, &event->node, word, &speed) < 3)
            abort(); /* an error in the test */
        event->at_us = llrint(at_s * 1e6);
        event->speed_q32 = (uint64_t)(speed * (double)HS_Q32_ONE);
        while (strcmp(words[event->change], word) != 0)
            event->change++;
    }
    return machines;
}

enum hs_status hs_test_run_with(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                                const char *policy, const struct hs_test_options *options,
                                struct hs_test_result *result)
{
    struct hs_diag diag;
    struct hs_cluster hardware = {0};
    struct hs_reservations reservations = {0};
    struct hs_arena arena = {0};
    struct feed feed = {.jobs = jobs, .count = count};
    void *state = NULL;
    struct hs_interference *constant = NULL;
    memset(result, 0, sizeof *result);
    result->job_count = count;
    result->jobs = calloc(count + 1, sizeof *result->jobs);
    hs_diag_init(&diag, keep_message, result);
    hs_test_scans_shared = options->scans_shared;
    struct hs_engine_config config = {
        .cluster = &hardware,
        .policy = options->policy,
        .check = options->checks_fast ? HS_CHECK_FAST : HS_CHECK_FULL,
        .seed = options->seed,
        .jitter_seed = options->jitter_seed,
        .until_us = options->until_us > 0 ? options->until_us : HS_TIME_MAX,
        .interference = options->interference,
        .speed = options->speed,
        .host = options->host,
        .stages = options->stages,
        .has_locality = options->speed != NULL,
        .rack_q32 = options->rack_q32,
        .predictor = options->predictor,
        .catalogue = options->catalogue,
        .restart = options->restart,
        .memcurve = options->memcurve,
        .storage_mib_per_s = options->storage_mib_per_s,
        .memory_reserve_mib = options->memory_reserve_mib,
        .oom_delay_us = (options->oom_delay_s > 0 ? options->oom_delay_s : 30) * HS_TEST_S,
        .oom_retries = options->oom_retries > 0 ? options->oom_retries : 2,
        .max_tenants = options->max_tenants > 0 ? options->max_tenants : 2,
        .startup_us = options->startup_us,
        .checkpoint_us =
            options->checkpoint_s < 0 ? HS_YOUNG_DALY : options->checkpoint_s * HS_TEST_S,
        .checkpoint_cost_us = options->checkpoint_cost_s * HS_TEST_S,
        .restart_us = options->restart_s * HS_TEST_S};
    if (options->fork_us > 0) {
        config.until_us = options->fork_us;
        config.at_until = stop_there;
    }
    enum hs_status status = hs_cluster_load(&hardware, cluster, &diag);
    if (status == HS_OK && options->vc != HS_VC_IGNORE)
        status = hs_cluster_set_vcs(&hardware, options->vc, options->vc_file, "", &diag);
    if (status == HS_OK && options->reservations != NULL)
        status = hs_reservations_load(&reservations, options->reservations, &hardware, &diag);
    config.reservations = &reservations;
    if (status == HS_OK)
        status = policy_from(policy, &config.policy, &state, &arena, &diag);
    config.policy_state = state;
    struct hs_machines machines = parse_machines(options->machines, &arena);
    if (options->faults != NULL)
        machines.law = *options->faults;
    config.machines = &machines;
    if (status == HS_OK && options->excess > 0)
        status = constant_interference(options->excess, &hardware, &constant, &diag);
    if (constant != NULL)
        config.interference = constant;
    if (status == HS_OK)
        status = run_engine(&config, options, &feed, result, &diag);
    free(state);
    hs_interference_free(constant);
    hs_reservations_free(&reservations);
    hs_cluster_free(&hardware);
    hs_arena_free(&arena);
    return status;
}

enum hs_status hs_test_run(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                           const char *policy, struct hs_test_result *result)
{
    struct hs_test_options options = {0};
    return hs_test_run_with(jobs, count, cluster, policy, &options, result);
}

void hs_test_free(struct hs_test_result *result)
{
    free(result->jobs);
    free(result->segments);
    free(result->instants);
    memset(result, 0, sizeof *result);
}
