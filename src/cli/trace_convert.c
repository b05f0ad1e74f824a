/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs that a run with the same options would replay, in another format. Each job is read,
 * counted against what the format holds and written before the next one is read: memory is that of
 * the reader's window.
 */
#include "cli/trace_convert.h"

#include <inttypes.h>
#include <string.h>

#include "cli/run_options.h"
#include "traces/losses.h"
#include "traces/write.h"

void hs_trace_tell_drops(const struct hs_trace *trace, struct hs_diag *diag)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    for (uint32_t i = 0; i < counts.drop_kinds; i++)
        if (counts.drops[i] > 0)
            hs_report(diag, HS_WARNING, NULL, NULL, "%" PRIu64 " of %" PRIu64 " rows left out: %s",
                      counts.drops[i], counts.rows, counts.drop_texts[i]);
    if (counts.rounded > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs had their GPUs rounded up: " HS_ROUNDED_TEXT,
                  counts.rounded, counts.accepted);
}

static enum hs_status write_jobs(struct hs_trace *trace, struct hs_losses *losses,
                                 const struct hs_trace_options *options, const char *path,
                                 struct hs_diag *diag)
{
    struct hs_trace_writer writer;
    struct hs_trace_job *job;
    enum hs_status status;
    HS_TRY(hs_trace_writer_open(&writer, losses->to, options, path, diag));
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        hs_trace_writer_put(&writer, job);
        hs_losses_count(losses, job);
    }
    return hs_trace_writer_close(&writer, status == HS_END ? HS_OK : status, diag);
}

static void tell(const struct hs_trace *trace, const struct hs_losses *losses, struct hs_diag *diag)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    hs_trace_tell_drops(trace, diag);
    if (counts.folded > 0)
        hs_report(diag, HS_WARNING, NULL, "--retries=attempts keeps them",
                  "%" PRIu64 " of %" PRIu64 " jobs have several attempts: each is folded into one",
                  counts.folded, counts.accepted);
    hs_losses_warn(losses, diag);
    bool is_whole = counts.folded + counts.rounded == 0 && !hs_losses_any(losses);
    hs_report(diag, HS_NOTE, NULL, NULL, "%" PRIu64 " jobs from %s to %s%s", losses->jobs,
              hs_trace_format_name(trace), losses->to->name, is_whole ? ", nothing lost" : "");
    if (losses->to->layout->made_up != NULL)
        hs_report(diag, HS_NOTE, NULL, NULL, "made up: %s", losses->to->layout->made_up);
}

enum hs_status hs_trace_convert(struct hs_call *call, const struct hs_trace_options *options)
{
    const struct hs_run_options *given = call->options;
    const struct hs_trace_format *to = NULL;
    struct hs_losses losses;
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
    hs_losses_open(&losses, to);
    reading.writes_gavel = strcmp(to->name, "gavel") == 0;
    HS_TRY(hs_trace_open(&trace, &reading, &call->diag));
    enum hs_status status = write_jobs(trace, &losses, options, given->output, &call->diag);
    if (status == HS_OK)
        tell(trace, &losses, &call->diag);
    hs_trace_close(trace);
    return status;
}
