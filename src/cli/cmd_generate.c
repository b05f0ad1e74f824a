/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus generate --like NAME`: writes a synthetic trace whose jobs are like those of a workload.
 * `horus generate --fit TRACE`: writes the workload that such a trace would be made of.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wholefile.h"
#include "cli/cli.h"
#include "cli/generate_fit.h"
#include "cli/textform.h"
#include "model/cluster.h"
#include "traces/write.h"
#include "workload/generate.h"

struct generate_options {
    const char *like, *workload, *fit, *map, *sort, *cluster, *format, *output;
    int64_t jobs, seed;
    double days, load;
    bool attempts, quiet;
};

static enum hs_status choose_workload(const struct generate_options *given, const char **name,
                                      struct hs_diag *diag)
{
    char list[512] = "such as --like venus";
    size_t used = 0;
    *name = given->like != NULL ? given->like : given->workload;
    if (given->like != NULL && given->workload != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                       "generate: --like and --workload both say what the jobs are like");
    if (*name != NULL)
        return HS_OK;
    char shipped[HS_WORKLOAD_NAME_MAX];
    for (size_t i = 0; hs_workload_shipped(i, shipped, sizeof shipped); i++) {
        int n = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "--like takes ",
                         shipped);
        used += (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    return hs_fail(diag, HS_E_USAGE, NULL, list, "generate: what the jobs are like is missing");
}

static enum hs_status make_request(const struct generate_options *given,
                                   struct hs_generate_request *request, struct hs_diag *diag)
{
    struct hs_cluster cluster = {0};
    *request = (struct hs_generate_request){.jobs = (uint64_t)given->jobs,
                                            .days = given->days,
                                            .load = given->load,
                                            .seed = (uint64_t)given->seed};
    HS_TRY(choose_workload(given, &request->name, diag));
    if (given->cluster == NULL)
        return HS_OK;
    if (given->load == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--load=0.8 -c 16x8:V100",
                       "generate: -c has a meaning only with --load");
    enum hs_status status = hs_cluster_load(&cluster, given->cluster, diag);
    request->gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    return status;
}

static enum hs_status write_jobs(struct hs_generator *generator,
                                 const struct generate_options *given, struct hs_diag *diag)
{
    const struct hs_trace_format *format;
    struct hs_trace_writer writer;
    struct hs_trace_job job;
    bool is_piped = strcmp(given->output, "-") == 0 && given->format == NULL;
    HS_TRY(hs_trace_writer_choose(is_piped ? "csv" : given->format, given->output, &format, diag));
    HS_TRY(hs_trace_writer_open(&writer, format, NULL, given->output, diag));
    while (hs_generator_next(generator, &job) == HS_OK && !hs_output_failed(&writer.csv.out))
        hs_trace_writer_put(&writer, &job);
    return hs_trace_writer_close(&writer, HS_OK, diag);
}

/* What the trace is on the average; a heavy tail makes single draws differ. */
static void tell(const struct hs_generator *generator, struct hs_diag *diag)
{
    const struct hs_workload *workload = hs_generator_workload(generator);
    double jobs = (double)hs_generator_jobs(generator);
    double hours = (double)hs_generator_hours(generator), per_day = HS_WORKLOAD_HOURS / hours;
    double gpus = jobs * hs_workload_gpu_seconds(workload) / (hours * 3600);
    hs_report(diag, HS_NOTE, NULL, NULL,
              "%s: %" PRIu64 " jobs in %.1f days, %.4g a day; expected GPU time: %.4g GPUs busy",
              workload->name, hs_generator_jobs(generator), hours / HS_WORKLOAD_HOURS,
              jobs * per_day, gpus);
}

/* What would be passed over in silence. */
static enum hs_status check_meaning(const struct generate_options *given, struct hs_diag *diag)
{
    bool makes_jobs = given->like != NULL || given->workload != NULL || given->cluster != NULL ||
                      given->format != NULL || given->jobs != 0 || given->days != 0 ||
                      given->load != 0;
    if (given->fit != NULL && makes_jobs)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "first --fit TRACE -o w.json, then --workload w.json",
                       "generate: --fit writes a workload; options of the jobs have no meaning");
    if (given->fit == NULL && (given->map != NULL || given->attempts))
        return hs_fail(diag, HS_E_USAGE, NULL, "--fit TRACE",
                       "generate: --%s has a meaning only with --fit",
                       given->map != NULL ? "map" : "attempts");
    return HS_OK;
}

static enum hs_status generate(struct hs_call *call)
{
    const struct generate_options *given = call->options;
    struct hs_generate_request request;
    struct hs_generator *generator;
    if (given->quiet)
        call->diag.least = HS_WARNING;
    const char *const inputs[] = {given->workload, given->cluster, given->fit};
    HS_TRY(check_meaning(given, &call->diag));
    HS_TRY(hs_wholefile_check(given->output, "-o", inputs, 3, &call->diag));
    if (given->fit != NULL)
        return hs_generate_fit(&(struct hs_generate_fit){.trace = given->fit,
                                                         .map = given->map,
                                                         .sort = given->sort,
                                                         .output = given->output,
                                                         .attempts = given->attempts},
                               &call->diag);
    HS_TRY(make_request(given, &request, &call->diag));
    HS_TRY(hs_generator_open(&generator, &request, &call->diag));
    enum hs_status status = write_jobs(generator, given, &call->diag);
    if (status == HS_OK)
        tell(generator, &call->diag);
    hs_generator_close(generator);
    return status;
}

static const char *workload_at(size_t index)
{
    static char name[HS_WORKLOAD_NAME_MAX];
    return hs_workload_shipped(index, name, sizeof name) ? name : NULL;
}

#define JOBS      "Jobs"
#define FILE_ROWS "File"
#define FIT_ROWS  "Workload"
#define ROW(name, kind, heading, ...)                                                              \
    .param = {.key = #name,                                                                        \
              .type = HS_PARAM_##kind,                                                             \
              .offset = offsetof(struct generate_options, name),                                   \
              __VA_ARGS__},                                                                        \
    .group = heading

static const struct hs_option options_table[] = {
    {ROW(like, TEXT, JOBS, .unit = "NAME",
         .help = "the workload: philly, venus, earth, saturn, uranus or pai"),
     .in_short_help = true, .word_at = workload_at},
    {ROW(workload, TEXT, JOBS, .unit = "FILE",
         .help = "a workload of your own, configs/README.md tells the form"),
     .in_short_help = true},
    {ROW(jobs, INT, JOBS, .preset = "0", .max = 1e12,
         .help = "how many jobs; 0: as many as --days take, 10,000 without"),
     .letter = 'n', .in_short_help = true},
    {ROW(days, REAL, JOBS, .preset = "0", .max = 1e5, .unit = "DAYS",
         .help = "span, to the hour; 0: as many days as the jobs take at the rate of the workload"),
     .in_short_help = true},
    {ROW(load, REAL, JOBS, .preset = "0", .max = 1000,
         .help = "as many jobs a day that expected GPU time is this share of the GPUs of -c x "
                 "time; 0: the rate of the workload, or --jobs / --days"),
     .in_short_help = true},
    {ROW(cluster, TEXT, JOBS, .unit = "SPEC",
         .help = "of --load: JSON file or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100"),
     .letter = 'c', .in_short_help = true},
    {ROW(seed, INT, JOBS, .preset = "1", .max = 9e15, .help = "same seed, same bytes"),
     .in_short_help = true},
    {ROW(fit, TEXT, FIT_ROWS, .unit = "TRACE",
         .help =
             "write the workload of this trace to -o, for --workload; any format, - is standard "
             "input"),
     .in_short_help = true},
    {ROW(map, TEXT, FIT_ROWS, .unit = "MAP",
         .help = "of --fit: column names of a CSV trace, OURS=THEIRS,... or a JSON file")},
    {ROW(sort, TEXT, FIT_ROWS, .preset = "8192", .unit = "N|all",
         .help =
             "of --fit: rows held back to put late ones in order; all: the whole trace in memory"),
     .check = hs_check_sort},
    {ROW(attempts, FLAG, FIT_ROWS, .preset = "no",
         .help = "of --fit: several runs of a job are a failed job's retries")},
    {ROW(format, TEXT, FILE_ROWS, .unit = "NAME",
         .help = "csv, philly, helios, ...: 'horus help formats'; absent: by the name of the file"),
     .in_short_help = true},
    {ROW(output, TEXT, FILE_ROWS, .preset = "-", .unit = "FILE",
         .help = "where to write, .gz or .zst compressed; - is standard output"),
     .letter = 'o', .in_short_help = true, .is_local = true},
    {ROW(quiet, FLAG, FILE_ROWS, .preset = "no", .help = "warnings and errors only"), .letter = 'q',
     .is_local = true},
    {.param = {.key = NULL}},
};

const struct hs_verb hs_verb_generate = {
    .name = "generate",
    .operands = "--like NAME|--fit TRACE",
    .summary = "Synthetic traces with the published statistics of real ones.",
    .details =
        "Writes jobs whose sizes, durations, fates, users and times of submission follow what was "
        "published of Philly, the four Helios clusters and PAI, or a workload file of yours. Same "
        "workload, number of jobs, span and seed: same bytes. Memory does not grow with the "
        "number of jobs. With gen:NAME,n=10000,seed=1 as TRACE other commands make the same jobs "
        "without a file. --fit reads a trace once and writes what its jobs are like: a workload "
        "file, for you to look at, to change, and to make traces of.",
    .examples = {"generate --like venus -n 100000 -o venus.csv.zst",
                 "generate --like philly -n 20000 --load 0.8 -c 16x8:V100 --format philly -o "
                 "cluster_job_log",
                 "generate --fit cluster_log.csv -o mine.json"},
    .options = options_table,
    .options_size = sizeof(struct generate_options),
    .run = generate,
};
