/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus generate --like NAME`: writes a synthetic trace whose jobs are like those of a workload.
 * `horus generate --fit TRACE`: reads a trace once, whatever its format, and writes the workload
 * that describes its jobs.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/io.h"
#include "cli/option_rows.h"
#include "cli/run_options.h"
#include "cli/simulate.h"
#include "traces/trace_stream.h"
#include "traces/write.h"
#include "workload/fit.h"
#include "workload/generator.h"

#define NAME_MAX_BYTES 64

struct generate_options {
    const char *like, *workload, *fit, *map, *sort, *cluster, *format, *output;
    int64_t jobs, seed;
    double days, load;
    bool attempts, quiet;
};

static enum hs_status make_request(const struct generate_options *given,
                                   struct hs_generate_request *request, struct hs_diag *diag)
{
    struct hs_cluster cluster = {0};
    char list[512] = "--like takes", shipped[HS_WORKLOAD_NAME_MAX];
    *request =
        (struct hs_generate_request){.name = given->like != NULL ? given->like : given->workload,
                                     .jobs = (uint64_t)given->jobs,
                                     .days = given->days,
                                     .load = given->load,
                                     .seed = (uint64_t)given->seed};
    if (given->like != NULL && given->workload != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one out",
                       "generate: --like and --workload both say what the jobs are like");
    for (size_t i = 0; hs_workload_shipped(i, shipped, sizeof shipped); i++)
        hs_append(list, sizeof list, "%s %s", i > 0 ? "," : "", shipped);
    if (request->name == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, list, "generate: what the jobs are like is missing");
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

static void tell_fit(const struct hs_workload *workload, uint64_t jobs, struct hs_diag *diag)
{
    hs_report(diag, HS_NOTE, NULL, NULL,
              "fitted to %" PRIu64 " jobs: %.4g a day, %u classes of sizes, %u users, %u VCs", jobs,
              workload->arrivals.jobs_per_day, workload->bucket_count, workload->users,
              workload->vc_count);
    if (workload->users == 0)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "the trace names no users: runs of one user's jobs are guessed from gaps and "
                  "sizes");
}

/* The workload has the name of the file without folder and suffixes. */
static enum hs_status fit_trace(const struct generate_options *given, struct hs_diag *diag)
{
    struct hs_trace_options options;
    struct hs_trace_counts counts;
    struct hs_workload workload = {0};
    struct hs_trace *trace;
    struct hs_trace_job *job;
    struct hs_fit *fit = NULL;
    struct hs_wholefile file;
    char name[NAME_MAX_BYTES] = "fitted", about[NAME_MAX_BYTES + 64];
    const char *slash = strrchr(given->fit, '/'), *begin = slash != NULL ? slash + 1 : given->fit;
    size_t len = strcspn(begin, ".");
    if (len > 0 && strcmp(given->fit, "-") != 0)
        (void)snprintf(name, sizeof name, "%.*s", (int)len, begin);
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
        (void)snprintf(about, sizeof about,
                       "Fitted to %" PRIu64 " jobs of %s by horus generate --fit.",
                       hs_fit_jobs(fit), workload.name);
        hs_workload_write(&workload, about, &file.out);
        status = hs_wholefile_close(&file, HS_OK, diag);
    }
    if (status == HS_OK) {
        hs_trace_get_counts(trace, &counts);
        hs_warn_of_rows(&counts, false, diag);
        tell_fit(&workload, hs_fit_jobs(fit), diag);
    }
    hs_workload_free(&workload);
    hs_fit_close(fit);
    hs_trace_close(trace);
    return status;
}

/* ---- the verb ---- */

/* Refuses options that have no effect. */
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
    const struct hs_trace_format *format;
    struct hs_trace_writer writer;
    struct hs_trace_job job;
    bool is_piped = strcmp(given->output, "-") == 0 && given->format == NULL;
    if (given->quiet)
        call->diag.least = HS_WARNING;
    const char *const inputs[] = {given->workload, given->cluster, given->fit};
    HS_TRY(check_meaning(given, &call->diag));
    HS_TRY(hs_wholefile_check(given->output, "-o", inputs, 3, &call->diag));
    if (given->fit != NULL)
        return fit_trace(given, &call->diag);
    HS_TRY(make_request(given, &request, &call->diag));
    HS_TRY(hs_generator_open(&generator, &request, &call->diag));
    enum hs_status status = hs_trace_writer_choose(is_piped ? "csv" : given->format, given->output,
                                                   &format, &call->diag);
    if (status == HS_OK)
        status = hs_trace_writer_open(&writer, format, NULL, given->output, &call->diag);
    if (status == HS_OK) {
        while (hs_generator_next(generator, &job) == HS_OK && !hs_output_failed(&writer.csv.out))
            hs_trace_writer_put(&writer, &job);
        status = hs_trace_writer_close(&writer, HS_OK, &call->diag);
    }
    if (status == HS_OK) { /* with a heavy tail single draws differ from the expected GPU time */
        const struct hs_workload *workload = hs_generator_about(generator)->workload;
        double jobs = (double)hs_generator_about(generator)->jobs;
        double hours = (double)hs_generator_about(generator)->hours;
        hs_report(&call->diag, HS_NOTE, NULL, NULL,
                  "%s: %" PRIu64
                  " jobs in %.1f days, %.4g a day; expected GPU time: %.4g GPUs busy",
                  workload->name, hs_generator_about(generator)->jobs, hours / HS_WORKLOAD_HOURS,
                  jobs * (HS_WORKLOAD_HOURS / hours),
                  jobs * hs_workload_gpu_seconds(workload) / (hours * 3600));
    }
    hs_generator_close(generator);
    return status;
}

static const char *workload_at(size_t index)
{
    static char name[HS_WORKLOAD_NAME_MAX];
    return hs_workload_shipped(index, name, sizeof name) ? name : NULL;
}

#define JOBS    "Jobs"
#define FITTED  "Workload"
#define IN_FILE "File"
#define OWNER   struct generate_options

static const struct hs_option options_table[] = {
    ROW(like, TEXT, JOBS, NULL, "the workload: philly, venus, earth, saturn, uranus or pai",
        UNIT("NAME"), SHORT, .word_at = workload_at),
    ROW(workload, TEXT, JOBS, NULL, "a workload of your own, configs/README.md tells the form",
        UNIT("FILE"), SHORT),
    ROW(jobs, INT, JOBS, "0", "how many jobs; 0: as many as --days take, 10,000 without",
        HS_RANGE(0, 1e12), LETTER('n'), SHORT),
    ROW(days, REAL, JOBS, "0",
        "span, to the hour; 0: as many days as the jobs take at the rate of the workload",
        HS_RANGE(0, 1e5), UNIT("DAYS"), SHORT),
    ROW(load, REAL, JOBS, "0",
        "as many jobs a day that expected GPU time is this share of the GPUs of -c x time; 0: the "
        "rate of the workload, or --jobs / --days",
        HS_RANGE(0, 1000), SHORT),
    ROW(cluster, TEXT, JOBS, NULL,
        "of --load: JSON file or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100", UNIT("SPEC"),
        LETTER('c'), SHORT),
    ROW(seed, INT, JOBS, "1", "same seed, same bytes", HS_RANGE(0, 9e15), SHORT),
    ROW(fit, TEXT, FITTED, NULL,
        "write the workload of this trace to -o, for --workload; any format, - is standard input",
        UNIT("TRACE"), SHORT),
    ROW(map, TEXT, FITTED, NULL,
        "of --fit: column names of a CSV trace, OURS=THEIRS,... or a JSON file", UNIT("MAP")),
    ROW(sort, TEXT, FITTED, "8192",
        "of --fit: rows held back to put late ones in order; all: the whole trace in memory",
        UNIT("N|all"), .check = hs_check_sort),
    ROW(attempts, FLAG, FITTED, "no", "of --fit: several runs of a job are a failed job's retries"),
    ROW(format, TEXT, IN_FILE, NULL,
        "csv, philly, helios, ...: 'horus help formats'; absent: by the name of the file",
        UNIT("NAME"), SHORT),
    ROW(output, TEXT, IN_FILE, "-", "where to write, .gz or .zst compressed; - is standard output",
        UNIT("FILE"), LETTER('o'), SHORT, LOCAL),
    ROW(quiet, FLAG, IN_FILE, "no", "warnings and errors only", LETTER('q'), LOCAL),
    HS_OPTIONS_END,
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
