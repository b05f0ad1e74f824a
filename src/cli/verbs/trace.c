/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace ACTION FILE`: info and validate examine a trace; convert writes its jobs in another
 * format; assign writes them with the profiles that a run with the same options would use. Each job
 * is read, counted and written before the next: memory is that of the reader's window.
 *
 * `horus generate --like NAME`: writes a synthetic trace with jobs like those of a workload. `horus
 * generate --fit TRACE`: reads a trace of any format once, and writes its workload.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "data/param_table.h"
#include "traces/format.h"
#include "workload/workload.h"

/* ---- info and validate ---- */

static enum hs_status inform(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options reference = *trace;
    if (options->reference != NULL && options->json)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out",
                       "trace info: distances are not printed as JSON");
    if (options->reference == NULL)
        return hs_trace_info(trace, options->json, &call->out, &call->diag);
    reference.path = options->reference; /* these options describe the operand */
    reference.format = reference.map = NULL;
    reference.time_unit_us = HS_TRACE_TIME_UNIT_US;
    if (strcmp(reference.path, "-") == 0 && strcmp(trace->path, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put one of them into a file",
                       "trace info: both traces are standard input");
    return hs_trace_compare(&reference, trace, &call->out, &call->diag);
}

/* The capacities are GPUs per type and per VC. */
#define GIVEN_SIZE 4096

/* Appends a text as a word of a shell. */
static void append_word(char *words, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_-./:=,+@%";
    const bool is_plain = text[0] != '\0' && text[strspn(text, plain)] == '\0';
    /* No quote in what is read here. */
    hs_append(words, GIVEN_SIZE, is_plain ? "%s" : "'%s'", text);
}

/* The file and the options of this call, as a command of `horus run` takes them, but for
 * --map-value; returns given. */
static const char *as_given(const struct hs_call *call, char given[GIVEN_SIZE])
{
    const struct hs_config *config = &call->config;
    char value[1024];
    given[0] = '\0';
    append_word(given, call->operands[1]);
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_option *o = &config->options[i];
        if (config->origin[i] != HS_FROM_FLAG || o->is_local ||
            strcmp(o->param.key, "map_value") == 0)
            continue;
        hs_append(given, GIVEN_SIZE, " --");
        for (const char *c = o->param.key; *c != '\0'; c++)
            hs_append(given, GIVEN_SIZE, "%c", *c == '_' ? '-' : *c);
        hs_append(given, GIVEN_SIZE, "=");
        (void)hs_param_print(&o->param, call->options, value, sizeof value);
        append_word(given, value);
    }
    return given;
}

static enum hs_status validate(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options asked = *trace;
    char given[GIVEN_SIZE];
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
        bool is_quota = cluster.vc_mode == HS_VC_QUOTA && vc->most_gpus < vc->gpus;
        vcs[i] = (struct hs_trace_pool){vc->name, is_quota ? vc->most_gpus : vc->gpus};
    }
    const struct hs_trace_capacity pools = {
        .pools = {types, vcs},
        .counts = {cluster.type_count, has_vcs ? cluster.vc_count : 0},
        .gpus = cluster.gpu_count};
    asked.gpus = cluster.gpu_count;
    if (status == HS_OK)
        status = hs_trace_validate(&asked, options->cluster != NULL ? &pools : NULL,
                                   as_given(call, given), &call->out, &call->diag);
    hs_cluster_free(&cluster);
    if (status == HS_E_INPUT && call->diag.errors == 0)
        hs_report(&call->diag, HS_ERROR, HS_AT({.file = trace->path}), NULL,
                  "the trace has faults, listed above");
    return status;
}

/* ---- convert ---- */

/* Keeps what the log records of starts and ends, unless the jobs are moved in time. */
static void keep_recorded(struct hs_trace_options *reading, struct hs_diag *diag)
{
    reading->keeps_recorded = reading->load == 1 && reading->scale_time == 1;
    if (!reading->keeps_recorded)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "submissions are shifted: recorded starts and ends, if any, are left out");
}

static enum hs_status check_output(struct hs_call *call, const char *const *inputs, uint32_t count,
                                   const char *action)
{
    const struct hs_run_options *given = call->options;
    if (given->output == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o FILE, or -o - for standard output",
                       "trace %s: where to write is missing", action);
    return hs_wholefile_check(given->output, "-o", given->force, inputs, count, &call->diag);
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
    HS_TRY(check_output(call, inputs, HS_COUNT_OF(inputs), "convert"));
    HS_TRY(hs_trace_writer_choose(given->to, given->output, &to, &call->diag));
    hs_lossy_fields_open(&lossy, to);
    reading.writes_gavel = strcmp(to->name, "gavel") == 0;
    keep_recorded(&reading, &call->diag);
    HS_TRY(hs_trace_open(&trace, &reading, &call->diag));
    enum hs_status status = hs_trace_writer_open(&writer, to, options, given->output, &call->diag);
    if (status == HS_OK) {
        while (writer.csv.out.error == 0 && (status = hs_trace_next(trace, &job)) == HS_OK) {
            hs_trace_writer_put(&writer, job);
            hs_lossy_fields_count(&lossy, job);
        }
        status = hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, &call->diag);
    }
    if (status == HS_OK) {
        struct hs_trace_counts counts;
        hs_trace_get_counts(trace, &counts);
        hs_warn_of_rows(&counts, false, &call->diag);
        hs_warn_some(&call->diag, "--retries=attempts keeps them", counts.folded, counts.accepted,
                     "jobs have several attempts: each is folded into one");
        bool is_whole = !hs_lossy_fields_warn(&lossy, &call->diag) && counts.folded == 0 &&
                        counts.rounded == 0 && reading.keeps_recorded;
        hs_report(&call->diag, HS_NOTE, NULL, NULL, "%" PRIu64 " jobs from %s to %s%s", lossy.jobs,
                  hs_trace_format_name(trace), to->name, is_whole ? ", nothing lost" : "");
        if (to->layout->made_up != NULL)
            hs_report(&call->diag, HS_NOTE, NULL, NULL, "assumed: %s", to->layout->made_up);
    }
    hs_trace_close(trace);
    return status;
}

/* ---- assign ---- */

/* Utilization of jobs with one GPU and of gangs, if known. */
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
    enum hs_status status = HS_OK;
    while (writer.csv.out.error == 0 && (status = source.next(source.ctx, &job)) == HS_OK) {
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
    struct hs_trace_options asked = *trace;
    const char *const inputs[] = {o->trace,
                                  o->profiles,
                                  o->read.map,
                                  o->cluster,
                                  o->config_file,
                                  o->vc_file,
                                  o->read.gavel_throughputs};
    HS_TRY(check_output(call, inputs, HS_COUNT_OF(inputs), "assign"));
    enum hs_status status = HS_OK;
    if (o->cluster != NULL)
        status = hs_setup_cluster(&cluster, o, &call->diag);
    else
        hs_report(&call->diag, HS_NOTE, NULL, "-c SPEC",
                  "no cluster given: drawn profiles may need more GPU memory than your GPUs have");
    const struct hs_assign_options assign = hs_setup_assign(o, &cluster);
    asked.gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    keep_recorded(&asked, &call->diag);
    if (status == HS_OK)
        status = hs_catalogue_load(&catalogue, o->profiles, &call->diag);
    if (status == HS_OK)
        status = assign_jobs(o, &asked, &catalogue, &assign, &call->diag);
    hs_catalogue_free(&catalogue);
    return status;
}

/* ---- the verb ---- */

/* Options that apply to an action. */
enum {
    TAKES_CLUSTER = 1,
    TAKES_OUTPUT = 2,
    TAKES_FORMAT = 4,
    TAKES_GENERATED = 8,
    TAKES_REFERENCE = 16,
    TAKES_JSON = 32
};

struct action {
    const char *name;
    unsigned takes;
    enum hs_status (*run)(struct hs_call *call, const struct hs_trace_options *trace);
};

static const struct action actions[] = {
    {"info", TAKES_REFERENCE | TAKES_JSON, inform},
    {"validate", TAKES_CLUSTER, validate},
    {"convert", TAKES_OUTPUT | TAKES_FORMAT, convert},
    {"assign", TAKES_CLUSTER | TAKES_OUTPUT | TAKES_GENERATED, assign}};
#define ACTION_COUNT HS_COUNT_OF(actions)

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
        {options->force, TAKES_OUTPUT, "--force", "trace convert and trace assign write a file"},
        {strcmp(options->to, "auto") != 0, TAKES_FORMAT, "--to", "trace convert writes formats"},
        {options->retries == HS_RETRIES_GENERATE, TAKES_GENERATED, "--retries=generate",
         "trace assign writes jobs with generated attempts"},
        {options->reference != NULL, TAKES_REFERENCE, "--compare",
         "trace info compares two traces"},
        {options->json, TAKES_JSON, "--json", "trace info prints its figures as JSON"}};
    for (size_t r = 0; r < HS_COUNT_OF(rules); r++)
        if (rules[r].is_given && (actions[i].takes & rules[r].taken) == 0)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, rules[r].hint,
                           "trace %s: %s has no meaning", actions[i].name, rules[r].option);
    return actions[i].run(call, &trace_options);
}

const struct hs_verb hs_verb_trace = {
    .name = "trace",
    .operands = "ACTION FILE",
    .summary = "Describe, check or convert a trace, or assign profiles.",
    .details = "ACTION is one of: info: counts, span, GPU mix, quantiles of duration and "
               "inter-arrival time; with --compare the distance from another trace. validate: "
               "reads the whole file, lists the faults by kind with their first lines and the "
               "option that handles them, the offered load per GPU type and VC, and the jobs that "
               "can never fit the cluster. convert: writes the jobs in another format, and lists "
               "what that format cannot hold. assign: gives each job a profile, as a run does, and "
               "writes a CSV that every run reads back with the same profiles.",
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

/* ---- generate ---- */

#define NAME_MAX_BYTES 64

struct generate_options {
    const char *like, *workload, *fit, *map, *sort, *cluster, *format, *output;
    int64_t jobs, seed;
    double days, load;
    bool attempts, force, quiet;
};

static enum hs_status make_request(const struct generate_options *given,
                                   struct hs_generate_request *request, struct hs_diag *diag)
{
    struct hs_cluster cluster = {0};
    char list[512] = "--like takes", shipped[HS_SHIPPED_NAME_MAX];
    *request =
        (struct hs_generate_request){.name = given->like != NULL ? given->like : given->workload,
                                     .jobs = (uint64_t)given->jobs,
                                     .days = given->days,
                                     .load = given->load,
                                     .seed = (uint64_t)given->seed};
    if (given->like != NULL && given->workload != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                       "generate: --like and --workload exclude each other");
    for (size_t i = 0; hs_builtin_shipped(HS_WORKLOADS, i, shipped); i++)
        hs_append(list, sizeof list, "%s %s", i > 0 ? "," : "", shipped);
    if (request->name == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, list,
                       "generate: neither --like nor --workload is given");
    if (given->cluster == NULL)
        return HS_OK;
    if (given->load == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--load=0.8 -c 16x8:V100",
                       "generate: -c needs --load");
    enum hs_status status = hs_cluster_load(&cluster, given->cluster, diag);
    request->gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    return status;
}

/* The name of the workload is that of the file without folder and suffixes. */
static enum hs_status fit_trace(const struct generate_options *given, struct hs_diag *diag)
{
    struct hs_trace_options options;
    struct hs_trace_counts counts;
    struct hs_workload workload = {0};
    struct hs_trace *trace;
    struct hs_trace_job *job;
    struct hs_fit *fit = NULL;
    struct hs_wholefile file;
    const char *slash = strrchr(given->fit, '/'), *begin = slash != NULL ? slash + 1 : given->fit;
    const size_t len = strcspn(begin, ".");
    const char *name =
        len == 0 || strcmp(given->fit, "-") == 0
            ? "fitted"
            : HS_TEXT("%.*s", (int)(len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES - 1), begin);
    hs_trace_options_default(&options);
    options.path = given->fit;
    options.map = given->map;
    options.keeps_attempts = given->attempts;
    HS_TRY(hs_sort_parse(given->sort, &options.sort_window, diag));
    HS_TRY(hs_trace_open(&trace, &options, diag));
    hs_fit_open(&fit);
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK)
        if ((status = hs_fit_add(fit, job, diag)) != HS_OK)
            break;
    if (status == HS_END)
        status = hs_fit_finish(fit, name, &workload, diag);
    if (status == HS_OK)
        status = hs_wholefile_open(&file, given->output, diag);
    if (status == HS_OK) {
        hs_workload_write(&workload,
                          HS_TEXT("Fitted to %" PRIu64 " jobs of %s by horus generate --fit.",
                                  hs_fit_jobs(fit), workload.name),
                          &file.out);
        status = hs_wholefile_close(&file, HS_OK, diag);
    }
    if (status == HS_OK) {
        hs_trace_get_counts(trace, &counts);
        hs_warn_of_rows(&counts, false, diag);
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "fitted to %" PRIu64 " jobs: %.4g a day, %u classes of sizes, %u users, %u VCs",
                  hs_fit_jobs(fit), workload.arrivals.jobs_per_day, workload.bucket_count,
                  workload.users, workload.vc_count);
        if (workload.users == 0)
            hs_report(
                diag, HS_NOTE, NULL, NULL,
                "the trace names no users: batches of one user are inferred from gaps and sizes");
    }
    hs_workload_free(&workload);
    hs_fit_close(fit);
    hs_trace_close(trace);
    return status;
}

/* Refuses options that have no effect. */
static enum hs_status check_meaning(const struct generate_options *given, struct hs_diag *diag)
{
    bool makes_jobs = given->like != NULL || given->workload != NULL || given->cluster != NULL ||
                      given->format != NULL || given->jobs != 0 || given->days != 0 ||
                      given->load != 0;
    if (given->fit != NULL && makes_jobs)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "first --fit TRACE -o w.json, then --workload w.json",
                       "generate: --fit writes a workload and takes no options of jobs");
    if (given->fit == NULL && (given->map != NULL || given->attempts))
        return hs_fail(diag, HS_E_USAGE, NULL, "--fit TRACE", "generate: --%s needs --fit",
                       given->map != NULL ? "map" : "attempts");
    return HS_OK;
}

static enum hs_status generate(struct hs_call *call)
{
    const struct generate_options *given = call->options;
    struct hs_generate_request request;
    struct hs_generator *generator;
    const struct hs_trace_format *format;
    struct hs_trace_writer writer;
    struct hs_trace_job job;
    uint64_t wide = 0, count = 0;
    double drawn = 0;
    bool is_piped = strcmp(given->output, "-") == 0 && given->format == NULL;
    if (given->quiet)
        call->diag.least = HS_WARNING;
    const char *const inputs[] = {given->workload, given->cluster, given->fit};
    if (given->jobs == 0 && hs_config_origin(&call->config, "jobs") == HS_FROM_FLAG)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "leave it out for as many as --days need, else 10,000",
                       "'--jobs' must be 1 or more, not 0");
    HS_TRY(check_meaning(given, &call->diag));
    HS_TRY(hs_wholefile_check(given->output, "-o", given->force, inputs, 3, &call->diag));
    if (given->fit != NULL)
        return fit_trace(given, &call->diag);
    HS_TRY(make_request(given, &request, &call->diag));
    HS_TRY(hs_generator_open(&generator, &request, &call->diag));
    enum hs_status status = hs_trace_writer_choose(is_piped ? "csv" : given->format, given->output,
                                                   &format, &call->diag);
    if (status == HS_OK)
        status = hs_trace_writer_open(&writer, format, NULL, given->output, &call->diag);
    if (status == HS_OK) {
        for (; hs_generator_next(generator, &job) == HS_OK && writer.csv.out.error == 0; count++) {
            wide += request.gpus > 0 && job.gpus > request.gpus;
            drawn += (double)job.gpus * (job.gpu_milli > 0 ? job.gpu_milli / 1000.0 : 1) *
                     ((double)job.duration_us / 1e6);
            hs_trace_writer_put(&writer, &job);
        }
        status = hs_trace_writer_close(&writer, HS_OK, &call->diag);
    }
    if (status == HS_OK) { /* with a heavy tail, single draws differ from the expected GPU time */
        const struct hs_workload *workload = hs_generator_about(generator)->workload;
        double jobs = (double)hs_generator_about(generator)->jobs;
        double hours = (double)hs_generator_about(generator)->hours;
        hs_report(&call->diag, HS_NOTE, NULL, NULL,
                  "%s: %" PRIu64
                  " jobs in %.1f days, %.4g a day; GPUs busy: %.4g expected, %.4g with these jobs",
                  workload->name, hs_generator_about(generator)->jobs, hours / HS_WORKLOAD_HOURS,
                  jobs * (HS_WORKLOAD_HOURS / hours),
                  jobs * hs_workload_gpu_seconds(workload) / (hours * 3600),
                  drawn / (hours * 3600));
        hs_warn_some(&call->diag, "sizes are those of the workload's own cluster", wide, count,
                     "jobs request more GPUs than -c has: a run will reject them");
    }
    hs_generator_close(generator);
    return status;
}

static const char *workload_at(size_t index)
{
    static char name[HS_SHIPPED_NAME_MAX];
    return hs_builtin_shipped(HS_WORKLOADS, index, name) ? name : NULL;
}

#define JOBS    "Jobs"
#define FITTED  "Workload"
#define IN_FILE "File"
#define OWNER   struct generate_options

static const struct hs_option options_table[] = {
    TEXT("like", like, JOBS, NULL, "NAME",
         "published workload: philly, venus, earth, saturn, uranus, pai, itp01, itp03, itp05, "
         "itp07 or itp09",
         SHORT, .word_at = workload_at),
    TEXT("workload", workload, JOBS, NULL, "FILE",
         "your own workload file (configs/README.md has its form)", SHORT),
    INT("jobs", jobs, JOBS, "0", 0, 1e12,
        "number of jobs, at least 1; absent: as many as --days need, else 10,000", LETTER('n'),
        SHORT),
    REAL("days", days, JOBS, "0", 0, 1e5,
         "span, to the hour; 0: as many days as the jobs need at the rate of the workload",
         UNIT("DAYS"), SHORT),
    REAL("load", load, JOBS, "0", 0, 1000,
         "offered load: set the arrival rate so that the expected GPU time is this share of the "
         "GPU time of -c; 0: the rate of the workload, or --jobs / --days",
         SHORT),
    TEXT("cluster", cluster, JOBS, NULL, "SPEC",
         "cluster of --load: JSON file or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100",
         LETTER('c'), SHORT),
    INT("seed", seed, JOBS, "1", 0, 9e15, "seed of all random draws", SHORT),
    TEXT("fit", fit, FITTED, NULL, "TRACE",
         "fit a workload to this trace, of any format, and write it to -o, for --workload; - is "
         "standard input",
         SHORT),
    TEXT("map", map, FITTED, NULL, "MAP",
         "with --fit: column names of a CSV trace, OURS=THEIRS,... or a JSON file"),
    TEXT("sort", sort, FITTED, "8192", "N|all",
         "with --fit: rows buffered to sort late ones; all: the whole trace in memory",
         .check = hs_check_sort),
    FLAG("attempts", attempts, FITTED,
         "with --fit: count several runs of a job as retries of a failed job"),
    TEXT("format", format, IN_FILE, NULL, "NAME",
         "format: csv, philly, helios, ... ('horus help formats'); absent: by the name of the file",
         SHORT),
    TEXT("output", output, IN_FILE, "-", "FILE",
         "file to write, compressed if it ends in .gz or .zst; - is standard output", LETTER('o'),
         SHORT, LOCAL),
    REPLACE(IN_FILE),
    FLAG("quiet", quiet, IN_FILE, "print only warnings and errors", LETTER('q'), LOCAL),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_generate = {
    .name = "generate",
    .operands = "--like NAME|--fit TRACE",
    .summary = "Write synthetic traces like published ones, or like yours.",
    .details =
        "Writes jobs whose sizes, durations, outcomes, users and submission times follow the "
        "published statistics of Philly, the four Helios clusters and PAI, the traces of five "
        "clusters of Microsoft (itp01 to itp09), or your own workload file. The same workload, "
        "number of jobs, span and seed give the same bytes. Memory does not grow with the number "
        "of jobs. Other commands make the same jobs without a file if TRACE is "
        "gen:NAME,n=10000,seed=1; without seed it is that of --seed, so that 'compare "
        "--seeds=1..5' compares over five traces. --fit reads a trace once and writes its "
        "statistics as a workload file, which you can edit and give to --workload.",
    .examples = {"generate --like venus -n 100000 -o venus.csv.zst",
                 "generate --like philly -n 20000 --load 0.8 -c 16x8:V100 --format philly -o "
                 "cluster_job_log",
                 "generate --fit cluster_log.csv -o mine.json"},
    .options = options_table,
    .options_size = sizeof(struct generate_options),
    .run = generate,
};
