/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace ACTION FILE`: info and validate examine a trace; convert writes its jobs in another
 * format; assign writes them with the profiles that a run with the same options would give them.
 * Each job is read, counted and written before the next: memory is that of the reader's window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/io.h"
#include "cli/cli.h"
#include "cli/simulate.h"
#include "traces/trace_report.h"
#include "traces/write.h"

/* ---- info and validate ---- */

static enum hs_status inform(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options reference = *trace;
    if (options->reference == NULL)
        return hs_trace_info(trace, &call->out, &call->diag);
    reference.path = options->reference; /* these options describe the operand */
    reference.format = reference.map = NULL;
    reference.time_unit_us = HS_TRACE_TIME_UNIT_US;
    if (strcmp(reference.path, "-") == 0 && strcmp(trace->path, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put one of them into a file",
                       "trace info: both traces are standard input");
    return hs_trace_compare(&reference, trace, &call->out, &call->diag);
}

/* GPUs per type and per VC. The arrays are in the arena. */
static struct hs_trace_capacity pools_of(const struct hs_cluster *cluster, struct hs_arena *arena)
{
    struct hs_trace_pool *types = hs_arena_alloc(arena, cluster->type_count * sizeof *types + 1);
    struct hs_trace_pool *vcs = hs_arena_alloc(arena, cluster->vc_count * sizeof *vcs + 1);
    for (uint32_t i = 0; i < cluster->type_count; i++)
        types[i].name = cluster->types[i].name;
    for (uint32_t i = 0; i < cluster->node_count; i++)
        types[cluster->nodes[i].type].gpus += cluster->nodes[i].gpus;
    for (uint32_t i = 0; i < cluster->vc_count; i++) {
        const struct hs_vc *vc = &cluster->vcs[i];
        bool is_quota = cluster->vc_mode == HS_VC_QUOTA && vc->quota_gpus < vc->gpus;
        vcs[i] = (struct hs_trace_pool){vc->name, is_quota ? vc->quota_gpus : vc->gpus};
    }
    return (struct hs_trace_capacity){.types = types,
                                      .vcs = vcs,
                                      .type_count = cluster->type_count,
                                      .vc_count =
                                          cluster->vc_mode == HS_VC_IGNORE ? 0 : cluster->vc_count,
                                      .gpus = cluster->gpu_count};
}

static enum hs_status validate(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options asked = *trace;
    struct hs_cluster cluster = {0};
    struct hs_trace_capacity pools;
    enum hs_status status = HS_OK;
    if (options->cluster != NULL)
        status = hs_setup_cluster(&cluster, options, &call->diag);
    if (status == HS_OK) {
        pools = pools_of(&cluster, &call->arena);
        asked.gpus = cluster.gpu_count;
        status = hs_trace_validate(&asked, options->cluster != NULL ? &pools : NULL, &call->out,
                                   &call->diag);
    }
    hs_cluster_free(&cluster);
    if (status == HS_E_INPUT && call->diag.errors == 0)
        hs_report(&call->diag, HS_ERROR, &(struct hs_place){.file = trace->path}, NULL,
                  "the trace has faults, listed above");
    return status;
}

/* ---- convert ---- */

static void tell_converted(const struct hs_trace *trace, const struct hs_lossy_fields *lossy,
                           struct hs_diag *diag)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    hs_warn_of_rows(&counts, false, diag);
    if (counts.folded > 0)
        hs_report(diag, HS_WARNING, NULL, "--retries=attempts keeps them",
                  "%" PRIu64 " of %" PRIu64 " jobs have several attempts: each is folded into one",
                  counts.folded, counts.accepted);
    hs_lossy_fields_warn(lossy, diag);
    bool is_whole = counts.folded + counts.rounded == 0 && !hs_lossy_fields_any(lossy);
    hs_report(diag, HS_NOTE, NULL, NULL, "%" PRIu64 " jobs from %s to %s%s", lossy->jobs,
              hs_trace_format_name(trace), lossy->to->name, is_whole ? ", nothing lost" : "");
    if (lossy->to->layout->made_up != NULL)
        hs_report(diag, HS_NOTE, NULL, NULL, "made up: %s", lossy->to->layout->made_up);
}

static enum hs_status convert(struct hs_call *call, const struct hs_trace_options *options)
{
    const struct hs_run_options *given = call->options;
    const struct hs_trace_format *to = NULL;
    struct hs_lossy_fields lossy;
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    struct hs_trace *trace;
    if (given->output == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o FILE, or -o - for standard output",
                       "trace convert: where to write is missing");
    struct hs_trace_options reading = *options;
    const char *const inputs[] = {given->trace, given->map, given->config_file,
                                  given->gavel_throughputs};
    HS_TRY(hs_wholefile_check(given->output, "-o", inputs, sizeof inputs / sizeof *inputs,
                              &call->diag));
    HS_TRY(hs_trace_writer_choose(given->to, given->output, &to, &call->diag));
    hs_lossy_fields_open(&lossy, to);
    reading.writes_gavel = strcmp(to->name, "gavel") == 0;
    HS_TRY(hs_trace_open(&trace, &reading, &call->diag));
    enum hs_status status = hs_trace_writer_open(&writer, to, options, given->output, &call->diag);
    if (status == HS_OK) {
        while ((status = hs_trace_next(trace, &job)) == HS_OK) {
            hs_trace_writer_put(&writer, job);
            hs_lossy_fields_count(&lossy, job);
        }
        status = hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, &call->diag);
    }
    if (status == HS_OK)
        tell_converted(trace, &lossy, &call->diag);
    hs_trace_close(trace);
    return status;
}

/* ---- assign ---- */

/* Of the jobs whose utilization is known. */
struct mean {
    uint64_t jobs, util_pm;
};

/* The two means are of jobs on one GPU and of gangs. */
static enum hs_status write_assigned(struct hs_job_source source, const char *path,
                                     struct mean means[2], struct hs_diag *diag)
{
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    HS_TRY(hs_trace_writer_open(&writer, hs_trace_format_find("csv"), NULL, path, diag));
    enum hs_status status;
    while ((status = source.next(source.ctx, &job)) == HS_OK) {
        hs_trace_writer_put(&writer, job);
        if (job->gpus == 0 || job->gpu_util_pm < 0)
            continue;
        means[job->gpus > 1].jobs++;
        means[job->gpus > 1].util_pm += (uint64_t)job->gpu_util_pm;
    }
    return hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, diag);
}

static const char *percent_text(const struct mean *mean, char text[HS_FMT_MAX + 4])
{
    if (mean->jobs == 0)
        return "unknown";
    size_t len = hs_fmt_ratio(text, mean->util_pm, mean->jobs * 10, 1);
    (void)snprintf(text + len, 4, " %%");
    return text;
}

static void tell_assigned(const struct hs_trace *trace, const struct hs_assign_counts *assigned,
                          const struct hs_retry_counts *retries, const struct mean means[2],
                          struct hs_diag *diag)
{
    struct hs_trace_counts counts;
    char single[HS_FMT_MAX + 4], gangs[HS_FMT_MAX + 4];
    hs_trace_get_counts(trace, &counts);
    hs_warn_of_rows(&counts, false, diag);
    hs_warn_of_profiles(assigned, retries, counts.accepted, diag);
    hs_report(diag, HS_NOTE, NULL, NULL,
              "%" PRIu64 " jobs written; profiles: %" PRIu64 " by columns, %" PRIu64
              " by telemetry, %" PRIu64 " drawn, %" PRIu64 " without",
              counts.accepted, assigned->by_columns, assigned->by_telemetry, assigned->by_mix,
              assigned->none);
    hs_report(diag, HS_NOTE, NULL, NULL, "mean GPU utilization: %s of jobs on one GPU, %s of gangs",
              percent_text(&means[0], single), percent_text(&means[1], gangs));
}

static enum hs_status assign_jobs(const struct hs_run_options *options,
                                  const struct hs_trace_options *trace_options,
                                  const struct hs_catalogue *catalogue,
                                  const struct hs_assign_options *assign_options,
                                  struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_assign *assign = NULL;
    struct hs_assign_counts counts;
    struct hs_retry retry = {0};
    struct mean means[2] = {{0}};
    HS_TRY(hs_trace_open(&trace, trace_options, diag));
    enum hs_status status =
        hs_assign_open(&assign, hs_trace_source(trace), catalogue, assign_options, diag);
    if (status == HS_OK) {
        struct hs_job_source jobs = hs_assign_source(assign);
        hs_retry_open(&retry, jobs, (uint64_t)options->seed);
        if (options->retries == HS_RETRIES_GENERATE)
            jobs = hs_retry_source(&retry);
        status = write_assigned(jobs, options->output, means, diag);
    }
    if (status == HS_OK) {
        hs_assign_get_counts(assign, &counts);
        tell_assigned(trace, &counts, &retry.counts, means, diag);
    }
    hs_assign_close(assign);
    hs_trace_close(trace);
    return status;
}

static enum hs_status assign(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_cluster cluster = {0};
    struct hs_catalogue catalogue = {0};
    struct hs_assign_options assign;
    struct hs_trace_options asked = *trace;
    if (options->output == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o FILE, or -o - for standard output",
                       "trace assign: where to write is missing");
    const char *const inputs[] = {options->trace,
                                  options->profiles,
                                  options->map,
                                  options->cluster,
                                  options->config_file,
                                  options->vc_file,
                                  options->gavel_throughputs};
    HS_TRY(hs_wholefile_check(options->output, "-o", inputs, sizeof inputs / sizeof *inputs,
                              &call->diag));
    enum hs_status status = HS_OK;
    if (options->cluster != NULL)
        status = hs_setup_cluster(&cluster, options, &call->diag);
    else
        hs_report(&call->diag, HS_NOTE, NULL, "-c SPEC",
                  "no cluster given: what is drawn may need more GPU memory than yours has");
    hs_models_assign_options(&assign, options, options->cluster != NULL ? &cluster : NULL);
    asked.gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    if (status == HS_OK)
        status = hs_catalogue_load(&catalogue, options->profiles, &call->diag);
    if (status == HS_OK)
        status = assign_jobs(options, &asked, &catalogue, &assign, &call->diag);
    hs_catalogue_free(&catalogue);
    return status;
}

/* ---- the verb ---- */

/* The options that mean something to an action. */
enum {
    TAKES_CLUSTER = 1,
    TAKES_OUTPUT = 2,
    TAKES_FORMAT = 4,
    TAKES_GENERATED = 8,
    TAKES_REFERENCE = 16
};

struct action {
    const char *name;
    unsigned takes;
    enum hs_status (*run)(struct hs_call *call, const struct hs_trace_options *trace);
};

static const struct action actions[] = {
    {"info", TAKES_REFERENCE, inform},
    {"validate", TAKES_CLUSTER, validate},
    {"convert", TAKES_OUTPUT | TAKES_FORMAT, convert},
    {"assign", TAKES_CLUSTER | TAKES_OUTPUT | TAKES_GENERATED, assign}};
#define ACTION_COUNT (sizeof actions / sizeof *actions)

static const char *action_at(size_t index)
{
    return index < ACTION_COUNT ? actions[index].name : NULL;
}

/* Refuses options that have no effect on the action. */
static enum hs_status check_meaning(const struct action *action,
                                    const struct hs_run_options *options, struct hs_diag *diag)
{
    const struct {
        bool is_given;
        unsigned taken;
        const char *option, *hint;
    } rules[] = {
        {options->cluster != NULL, TAKES_CLUSTER, "-c", "trace validate takes a cluster"},
        {options->output != NULL, TAKES_OUTPUT, "-o",
         "trace convert and trace assign write a file"},
        {strcmp(options->to, "auto") != 0, TAKES_FORMAT, "--to", "trace convert writes formats"},
        {options->retries == HS_RETRIES_GENERATE, TAKES_GENERATED, "--retries=generate",
         "trace assign writes jobs with made-up attempts"},
        {options->reference != NULL, TAKES_REFERENCE, "--compare",
         "trace info compares two traces"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_given && (action->takes & rules[i].taken) == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, rules[i].hint, "trace %s: %s has no meaning",
                           action->name, rules[i].option);
    return HS_OK;
}

static enum hs_status trace(struct hs_call *call)
{
    struct hs_run_options *options = call->options;
    struct hs_trace_options trace_options;
    uint32_t i;
    HS_TRY(hs_word_find_at(action_at, call->operands[0], "trace: unknown action",
                           "info, validate, convert or assign", &i, &call->diag));
    if (options->quiet)
        call->diag.least = HS_WARNING;
    options->trace = call->operands[1];
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    HS_TRY(hs_setup_trace(&trace_options, options, &call->diag));
    HS_TRY(check_meaning(&actions[i], options, &call->diag));
    return actions[i].run(call, &trace_options);
}

const struct hs_verb hs_verb_trace = {
    .name = "trace",
    .operands = "ACTION FILE",
    .summary = "A trace: statistics, faults, another format, profiles.",
    .details = "ACTION is one of: "
               "info: counts, span, GPU mix, quantiles of duration and inter-arrival time; with "
               "--compare how far the trace is from another one. "
               "validate: reads the whole file whatever is wrong with it, lists every fault by "
               "kind with its first lines and the option that would repair it, the offered load "
               "per GPU type and VC, and the jobs that can never fit the cluster. convert: writes "
               "the jobs in another format, and tells what that cannot hold. assign: gives each "
               "job a profile, as a run does, and writes the jobs as a CSV that every run reads "
               "back with the same profiles.",
    .examples = {"trace info jobs.csv.zst --map submit_time=timestamp,gpus=num_gpus",
                 "trace convert cluster_job_log --retries=attempts -o philly.csv.zst",
                 "trace assign traces/sample.csv -o profiled.csv --seed 7"},
    .word_at = action_at,
    .options = hs_trace_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_min = 2,
    .operands_max = 2,
    .run = trace,
};
