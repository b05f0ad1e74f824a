/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verbs that read finished runs. `horus report RUN...`: runs, a comparison or a sweep as one HTML
 * page. `horus explain RUN [--job ID]`: why a job waited, or all of them. `horus verify RUN`: the
 * independent check of a schedule.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/wholefile.h"
#include "cli/cli.h"
#include "report/explain/explain.h"
#include "report/html/page.h"
#include "report/verify/verify.h"

struct report_options {
    const char *output;
    bool force;
};

static enum hs_status write_page(struct hs_page *page, const char *path, struct hs_call *call)
{
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_open(&file, path, &call->diag));
    const enum hs_status status = hs_page_write(page, &file.out);
    const uint64_t bytes = hs_output_bytes(&file.out);
    HS_TRY(hs_wholefile_close(&file, status, &call->diag));
    if (strcmp(path, "-") != 0)
        hs_say(&call->out, "%s (%" PRIu64 " bytes)\n", path, bytes);
    return HS_OK;
}

static enum hs_status report(struct hs_call *call)
{
    const struct report_options *options = call->options;
    const struct hs_place place = {.file = options->output};
    struct hs_page page;
    if (!options->force && strcmp(options->output, "-") != 0 && access(options->output, F_OK) == 0)
        return hs_fail(&call->diag, HS_E_IO, &place,
                       "give --force to replace it, or another name with -o", "this file exists");
    enum hs_status status =
        hs_page_open(&page, (const char *const *)call->operands, call->operand_count, &call->diag);
    if (status == HS_OK)
        status = write_page(&page, options->output, call);
    hs_page_close(&page);
    return status;
}

static const struct hs_option report_table[] = {
    HS_OPTION(TEXT, "output", offsetof(struct report_options, output), "report.html",
              "where the page goes; - is standard output", .param.unit = "FILE", .letter = 'o',
              .in_short_help = true),
    HS_OPTION(FLAG, "force", offsetof(struct report_options, force), "no", "replace FILE",
              .in_short_help = true),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_report = {
    .name = "report",
    .operands = "RUN...",
    .summary = "Finished runs, a comparison or a sweep as one HTML page.",
    .details =
        "Writes a page that needs nothing else: no network, no script, no other file. RUN is "
        "a directory of 'horus run', several of them are held against the first; or one "
        "directory of 'horus compare' (with --outputs=all the page has its distributions "
        "and series, too) or of 'horus sweep'. What a run was made without is left out, "
        "and the page says so. Every figure stands with all digits in an attribute "
        "data-value. The same directories give the same bytes.",
    .examples = {"report results/sample-fifo-0123456789ab", "report results/a results/b -o ab.html",
                 "report results/load-sweep --force"},
    .options = report_table,
    .options_size = sizeof(struct report_options),
    .operands_min = 1,
    .operands_max = HS_PAGE_GROUPS_MAX,
    .run = report,
};

/* ---- explain ---- */

struct explain_options {
    const char *job;
    bool json;
};

static enum hs_status explain(struct hs_call *call)
{
    const struct explain_options *options = call->options;
    const struct hs_explain_style style = {.use_utf8 = call->terminal.use_utf8,
                                           .as_json = options->json};
    struct hs_explain *explain;
    uint32_t job = 0;
    enum hs_status status = hs_explain_load(&explain, call->operands[0], &call->diag);
    if (status == HS_OK && options->job == NULL) {
        status = hs_explain_say_run(explain, &style, &call->out);
    } else if (status == HS_OK) {
        status = hs_explain_find(explain, options->job, &job, &call->diag);
        if (status == HS_OK)
            status = hs_explain_say_job(explain, job, &style, &call->out);
    }
    hs_explain_close(explain);
    return status;
}

static const struct hs_option explain_table[] = {
    HS_OPTION(TEXT, "job", offsetof(struct explain_options, job), NULL,
              "a job of the run; absent: all of them", .param.unit = "ID", .group = "Question",
              .in_short_help = true),
    HS_OPTION(FLAG, "json", offsetof(struct explain_options, json), "no",
              "as JSON, in exact seconds and GPU-seconds", .group = "Question",
              .in_short_help = true),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_explain = {
    .name = "explain",
    .operands = "RUN",
    .summary = "Why a job waited, or where the waiting of a run came from.",
    .details = "Rebuilds from the segments of a finished run who held what, and books every moment "
               "that a job waited to its cause: resources (too few GPUs), fragmentation (enough, "
               "not on one node), constraint (a gang wants several nodes), quota (none left), or "
               "priority (head-of-line blocking or lower priority: it would have fitted). Of one "
               "job: these times, before its first start and after preemptions, its life stage by "
               "stage, who overtook it, whose GPUs it got, who ran beside it, and, where the run "
               "was made with --decisions, each decision about it with its reason. Of all: "
               "GPU-hours by cause, over time, and who waited longest. RUN is a directory of horus "
               "run, also one inside a comparison or a sweep; it needs jobs.csv and segments.csv.",
    .examples = {"explain results/sample-fifo-0123456789ab",
                 "explain results/sample-fifo-0123456789ab --job j0815",
                 "explain results/sample-fifo-0123456789ab --job j0815 --json"},
    .options = explain_table,
    .options_size = sizeof(struct explain_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = explain,
};

/* ---- verify ---- */

static enum hs_status verify(struct hs_call *call)
{
    return hs_verify_run(call->operands[0], &call->out, &call->diag);
}

static const struct hs_option verify_table[] = {HS_OPTIONS_END};

const struct hs_verb hs_verb_verify = {
    .name = "verify",
    .operands = "RUN",
    .summary = "Check a finished run independently of the engine.",
    .details = "Rebuilds the schedule from segments.csv alone and holds it against the trace, the "
               "cluster and summary.json: no GPU held twice nor divided beyond its whole, gangs "
               "whole, GPU types, cores and host memory as wanted, nothing before its submission, "
               "all work done, sums equal. Exit code 1 when a check fails.",
    .examples = {"verify results/sample-fifo-0123456789ab"},
    .options = verify_table,
    .operands_min = 1,
    .operands_max = 1,
    .run = verify,
};
