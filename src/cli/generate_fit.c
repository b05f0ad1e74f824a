/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace read once, whatever its format, and what its jobs are like written as a workload file.
 */
#include "cli/generate_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wholefile.h"
#include "cli/textform.h"
#include "cli/trace_convert.h"
#include "traces/trace.h"
#include "workload/fit.h"

#define NAME_MAX_BYTES 64

/* The file's name without folder and suffixes. */
static void name_of(char *name, const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash != NULL ? slash + 1 : path;
    size_t len = strcspn(begin, ".");
    bool is_named = len > 0 && strcmp(path, "-") != 0;
    (void)snprintf(name, NAME_MAX_BYTES, "%.*s", is_named ? (int)len : 6,
                   is_named ? begin : "fitted");
}

/* What a reader of the file should know about it. */
static void tell(const struct hs_workload *workload, uint64_t jobs, struct hs_diag *diag)
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

static enum hs_status read_all(struct hs_trace *trace, struct hs_fit *fit, struct hs_diag *diag)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK)
        HS_TRY(hs_fit_add(fit, job, diag));
    return status == HS_END ? HS_OK : status;
}

static enum hs_status write_file(const struct hs_workload *workload, uint64_t jobs,
                                 const char *path, struct hs_diag *diag)
{
    struct hs_wholefile file;
    char about[NAME_MAX_BYTES + 64];
    HS_TRY(hs_wholefile_open(&file, path, diag));
    (void)snprintf(about, sizeof about, "Fitted to %" PRIu64 " jobs of %s by horus generate --fit.",
                   jobs, workload->name);
    hs_workload_write(workload, about, &file.out);
    return hs_wholefile_close(&file, HS_OK, diag);
}

enum hs_status hs_generate_fit(const struct hs_generate_fit *given, struct hs_diag *diag)
{
    struct hs_trace_options options;
    struct hs_workload workload = {0};
    struct hs_trace *trace;
    struct hs_fit *fit = NULL;
    char name[NAME_MAX_BYTES];
    hs_trace_options_default(&options);
    options.path = given->trace;
    options.map = given->map;
    options.keeps_attempts = given->attempts;
    name_of(name, given->trace);
    HS_TRY(hs_sort_parse(given->sort, &options.sort_window, diag));
    HS_TRY(hs_trace_open(&trace, &options, diag));
    enum hs_status status = hs_fit_open(&fit);
    if (status == HS_OK)
        status = read_all(trace, fit, diag);
    if (status == HS_OK)
        status = hs_fit_finish(fit, name, &workload, diag);
    if (status == HS_OK)
        status = write_file(&workload, hs_fit_jobs(fit), given->output, diag);
    if (status == HS_OK) {
        hs_trace_tell_drops(trace, diag);
        tell(&workload, hs_fit_jobs(fit), diag);
    }
    if (status == HS_E_MEMORY)
        hs_report(diag, HS_ERROR, NULL, NULL, "out of memory");
    hs_workload_free(&workload);
    hs_fit_close(fit);
    hs_trace_close(trace);
    return status;
}
