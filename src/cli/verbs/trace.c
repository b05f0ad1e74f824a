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

/* The capacities are GPUs per type and per VC. */
static enum hs_status validate(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options asked = *trace;
    struct hs_cluster cluster = {0};
    enum hs_status status = HS_OK;
    if (options->cluster != NULL)
        status = hs_setup_cluster(&cluster, options, &call->diag);
    const bool has_vcs = cluster.vc_mode != HS_VC_IGNORE;
    struct hs_trace_pool *types =
        hs_arena_alloc(&call->arena, cluster.type_count * sizeof *types + 1);
    struct hs_trace_pool *vcs = hs_arena_alloc(&call->arena, cluster.vc_count * sizeof *vcs + 1);
    for (uint32_t i = 0; i < cluster.type_count; i++)
        types[i].name = cluster.types[i].name;
    for (uint32_t i = 0; i < cluster.node_count; i++)
        types[cluster.nodes[i].type].gpus += cluster.nodes[i].gpus;
    for (uint32_t i = 0; i < cluster.vc_count; i++) {
        const struct hs_vc *vc = &cluster.vcs[i];
        bool is_quota = cluster.vc_mode == HS_VC_QUOTA && vc->quota_gpus < vc->gpus;
        vcs[i] = (struct hs_trace_pool){vc->name, is_quota ? vc->quota_gpus : vc->gpus};
    }
    const struct hs_trace_capacity pools = {.types = types,
                                            .vcs = vcs,
                                            .type_count = cluster.type_count,
                                            .vc_count = has_vcs ? cluster.vc_count : 0,
                                            .gpus = cluster.gpu_count};
    asked.gpus = cluster.gpu_count;
    if (status == HS_OK)
        status = hs_trace_validate(&asked, options->cluster != NULL ? &pools : NULL, &call->out,
                                   &call->diag);
    hs_cluster_free(&cluster);
    if (status == HS_E_INPUT && call->diag.errors == 0)
        hs_report(&call->diag, HS_ERROR, &(struct hs_place){.file = trace->path}, NULL,
                  "the trace has faults, listed above");
    return status;
}

/* ---- convert ---- */

static enum hs_status check_output(struct hs_call *call, const char *const *inputs, uint32_t count,
                                   const char *action)
{
    const char *output = ((const struct hs_run_options *)call->options)->output;
    if (output == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o FILE, or -o - for standard output",
                       "trace %s: where to write is missing", action);
    return hs_wholefile_check(output, "-o", inputs, count, &call->diag);
}

static enum hs_status convert(struct hs_call *call, const struct hs_trace_options *options)
{
    const struct hs_run_options *given = call->options;
    const struct hs_trace_format *to = NULL;
    struct hs_lossy_fields lossy;
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    struct hs_trace *trace;
    struct hs_trace_options reading = *options;
    const char *const inputs[] = {given->trace, given->read.map, given->config_file,
                                  given->read.gavel_throughputs};
    HS_TRY(check_output(call, inputs, sizeof inputs / sizeof *inputs, "convert"));
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
    if (status == HS_OK) {
        struct hs_trace_counts counts;
        hs_trace_get_counts(trace, &counts);
        hs_warn_of_rows(&counts, false, &call->diag);
        if (counts.folded > 0)
            hs_report(&call->diag, HS_WARNING, NULL, "--retries=attempts keeps them",
                      "%" PRIu64 " of %" PRIu64
                      " jobs have several attempts: each is folded into one",
                      counts.folded, counts.accepted);
        hs_lossy_fields_warn(&lossy, &call->diag);
        bool is_whole = counts.folded + counts.rounded == 0 && !hs_lossy_fields_any(&lossy);
        hs_report(&call->diag, HS_NOTE, NULL, NULL, "%" PRIu64 " jobs from %s to %s%s", lossy.jobs,
                  hs_trace_format_name(trace), to->name, is_whole ? ", nothing lost" : "");
        if (to->layout->made_up != NULL)
            hs_report(&call->diag, HS_NOTE, NULL, NULL, "made up: %s", to->layout->made_up);
    }
    hs_trace_close(trace);
    return status;
}

/* ---- assign ---- */

/* Utilization of the jobs on one GPU and of gangs, where it is known. */
struct means {
    uint64_t jobs[2], util_pm[2];
};

static const char *percent_text(const struct means *means, bool of_gangs, char text[HS_FMT_MAX + 4])
{
    if (means->jobs[of_gangs] == 0)
        return "unknown";
    size_t len = hs_fmt_ratio(text, means->util_pm[of_gangs], means->jobs[of_gangs] * 10, 1);
    (void)snprintf(text + len, 4, " %%");
    return text;
}

static enum hs_status write_assigned(struct hs_job_source source, const char *path,
                                     struct means *means, struct hs_diag *diag)
{
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    HS_TRY(hs_trace_writer_open(&writer, hs_trace_format_find("csv"), NULL, path, diag));
    enum hs_status status;
    while ((status = source.next(source.ctx, &job)) == HS_OK) {
        hs_trace_writer_put(&writer, job);
        if (job->gpus == 0 || job->gpu_util_pm < 0)
            continue;
        means->jobs[job->gpus > 1]++;
        means->util_pm[job->gpus > 1] += (uint64_t)job->gpu_util_pm;
    }
    return hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, diag);
}

static enum hs_status assign_jobs(const struct hs_run_options *options,
                                  const struct hs_trace_options *trace_options,
                                  const struct hs_catalogue *catalogue,
                                  const struct hs_assign_options *assign_options,
                                  struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_assign *assign = NULL;
    struct hs_retry retry = {0};
    struct means means = {0};
    HS_TRY(hs_trace_open(&trace, trace_options, diag));
    enum hs_status status =
        hs_assign_open(&assign, hs_trace_source(trace), catalogue, assign_options, diag);
    if (status == HS_OK) {
        struct hs_job_source jobs = hs_assign_source(assign);
        hs_retry_open(&retry, jobs, (uint64_t)options->seed);
        if (options->retries == HS_RETRIES_GENERATE)
            jobs = hs_retry_source(&retry);
        status = write_assigned(jobs, options->output, &means, diag);
    }
    if (status == HS_OK) {
        struct hs_assign_counts assigned;
        struct hs_trace_counts counts;
        char single[HS_FMT_MAX + 4], gangs[HS_FMT_MAX + 4];
        hs_assign_get_counts(assign, &assigned);
        hs_trace_get_counts(trace, &counts);
        hs_warn_of_rows(&counts, false, diag);
        hs_warn_of_profiles(&assigned, &retry.counts, counts.accepted, diag);
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%" PRIu64 " jobs written; profiles: %" PRIu64 " by columns, %" PRIu64
                  " by telemetry, %" PRIu64 " drawn, %" PRIu64 " without",
                  counts.accepted, assigned.by_columns, assigned.by_telemetry, assigned.by_mix,
                  assigned.none);
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "mean GPU utilization: %s of jobs on one GPU, %s of gangs",
                  percent_text(&means, false, single), percent_text(&means, true, gangs));
    }
    hs_assign_close(assign);
    hs_trace_close(trace);
    return status;
}

static enum hs_status assign(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *o = call->options;
    struct hs_cluster cluster = {0};
    struct hs_catalogue catalogue = {0};
    struct hs_assign_options assign;
    struct hs_trace_options asked = *trace;
    const char *const inputs[] = {o->trace,
                                  o->profiles,
                                  o->read.map,
                                  o->cluster,
                                  o->config_file,
                                  o->vc_file,
                                  o->read.gavel_throughputs};
    HS_TRY(check_output(call, inputs, sizeof inputs / sizeof *inputs, "assign"));
    enum hs_status status = HS_OK;
    if (o->cluster != NULL)
        status = hs_setup_cluster(&cluster, o, &call->diag);
    else
        hs_report(&call->diag, HS_NOTE, NULL, "-c SPEC",
                  "no cluster given: what is drawn may need more GPU memory than yours has");
    hs_models_assign_options(&assign, o, o->cluster != NULL ? &cluster : NULL);
    asked.gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    if (status == HS_OK)
        status = hs_catalogue_load(&catalogue, o->profiles, &call->diag);
    if (status == HS_OK)
        status = assign_jobs(o, &asked, &catalogue, &assign, &call->diag);
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
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        if (rules[r].is_given && (actions[i].takes & rules[r].taken) == 0)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, rules[r].hint,
                           "trace %s: %s has no meaning", actions[i].name, rules[r].option);
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
