/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs that a run with the same options would replay, each with the profile that the run would
 * give it: the same reader, the same filter. Read back, the file yields the same records, and the
 * same profiles by their columns.
 */
#include "cli/trace_assign.h"

#include <inttypes.h>

#include "base/fmt.h"
#include "base/wholefile.h"
#include "cli/assigned.h"
#include "cli/models.h"
#include "cli/setup.h"
#include "cli/trace_convert.h"
#include "traces/write.h"

/* Of the jobs whose utilization is known. */
struct mean {
    uint64_t jobs, util_pm;
};

struct written {
    struct mean single, gangs;
    struct hs_assign_counts assigned;
    struct hs_retry_counts retries;
};

static void count_job(struct written *done, const struct hs_trace_job *job)
{
    struct mean *mean = job->gpus > 1 ? &done->gangs : &done->single;
    if (job->gpus == 0 || job->gpu_util_pm < 0)
        return;
    mean->jobs++;
    mean->util_pm += (uint64_t)job->gpu_util_pm;
}

static enum hs_status write_jobs(struct hs_job_source source, const char *path,
                                 struct written *done, struct hs_diag *diag)
{
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    HS_TRY(hs_trace_writer_open(&writer, hs_trace_format_find("csv"), NULL, path, diag));
    enum hs_status status;
    while ((status = source.next(source.ctx, &job)) == HS_OK) {
        hs_trace_writer_put(&writer, job);
        count_job(done, job);
    }
    return hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, diag);
}

static const char *percent_text(const struct mean *mean, char text[HS_FMT_MAX + 4])
{
    if (mean->jobs == 0)
        return "unknown";
    size_t len = hs_fmt_ratio(text, mean->util_pm, mean->jobs * 10, 1);
    text[len++] = ' ';
    text[len++] = '%';
    text[len] = '\0';
    return text;
}

static void tell(const struct written *done, const struct hs_trace *trace, struct hs_diag *diag)
{
    const struct hs_assign_counts *assigned = &done->assigned;
    struct hs_trace_counts counts;
    char single[HS_FMT_MAX + 4], gangs[HS_FMT_MAX + 4];
    hs_trace_get_counts(trace, &counts);
    hs_trace_tell_drops(trace, diag);
    hs_assigned_warn(assigned, counts.accepted, diag);
    hs_retries_warn(&done->retries, counts.accepted, diag);
    hs_report(diag, HS_NOTE, NULL, NULL,
              "%" PRIu64 " jobs written; profiles: %" PRIu64 " by columns, %" PRIu64
              " by telemetry, %" PRIu64 " drawn, %" PRIu64 " without",
              counts.accepted, assigned->by_columns, assigned->by_telemetry, assigned->by_mix,
              assigned->none);
    hs_report(diag, HS_NOTE, NULL, NULL, "mean GPU utilization: %s of jobs on one GPU, %s of gangs",
              percent_text(&done->single, single), percent_text(&done->gangs, gangs));
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
    struct written done = {0};
    HS_TRY(hs_trace_open(&trace, trace_options, diag));
    enum hs_status status =
        hs_assign_open(&assign, hs_trace_source(trace), catalogue, assign_options, diag);
    if (status == HS_OK) {
        struct hs_job_source jobs = hs_assign_source(assign);
        hs_retry_open(&retry, jobs, (uint64_t)options->seed);
        if (options->retries == HS_RETRIES_GENERATE)
            jobs = hs_retry_source(&retry);
        status = write_jobs(jobs, options->output, &done, diag);
    }
    if (status == HS_OK) {
        hs_assign_get_counts(assign, &done.assigned);
        done.retries = retry.counts;
        tell(&done, trace, diag);
    }
    hs_assign_close(assign);
    hs_trace_close(trace);
    return status;
}

static enum hs_status prepare(struct hs_assign_options *assign, struct hs_trace_options *trace,
                              const struct hs_run_options *options, struct hs_diag *diag)
{
    struct hs_cluster cluster = {0};
    enum hs_status status = HS_OK;
    if (options->cluster != NULL)
        status = hs_setup_cluster(&cluster, options, diag);
    else
        hs_report(diag, HS_NOTE, NULL, "-c SPEC",
                  "no cluster given: what is drawn may need more GPU memory than yours has");
    hs_models_assign_options(assign, options, options->cluster != NULL ? &cluster : NULL);
    trace->gpus = cluster.gpu_count;
    hs_cluster_free(&cluster);
    return status;
}

enum hs_status hs_trace_assign(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
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
    HS_TRY(prepare(&assign, &asked, options, &call->diag));
    enum hs_status status = hs_catalogue_load(&catalogue, options->profiles, &call->diag);
    if (status == HS_OK)
        status = assign_jobs(options, &asked, &catalogue, &assign, &call->diag);
    hs_catalogue_free(&catalogue);
    return status;
}
