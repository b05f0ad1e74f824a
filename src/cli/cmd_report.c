/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus report RUN...`: finished runs, a comparison or a sweep as one HTML page.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/wholefile.h"
#include "cli/cli.h"
#include "report/page.h"

struct report_options {
    const char *output;
    bool force;
};

static enum hs_status check_output(const struct report_options *options, struct hs_diag *diag)
{
    const struct hs_place place = {.file = options->output};
    if (options->force || strcmp(options->output, "-") == 0 || access(options->output, F_OK) != 0)
        return HS_OK;
    return hs_fail(diag, HS_E_IO, &place, "give --force to replace it, or another name with -o",
                   "this file exists");
}

static enum hs_status write_page(struct hs_call *call, struct hs_page *page)
{
    const struct report_options *options = call->options;
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_open(&file, options->output, &call->diag));
    const enum hs_status status = hs_page_write(page, &file.out);
    const uint64_t bytes = hs_output_bytes(&file.out);
    HS_TRY(hs_wholefile_close(&file, status, &call->diag));
    if (strcmp(options->output, "-") != 0)
        hs_say(&call->out, "%s (%" PRIu64 " bytes)\n", options->output, bytes);
    return HS_OK;
}

static enum hs_status report(struct hs_call *call)
{
    struct hs_page page;
    HS_TRY(check_output(call->options, &call->diag));
    enum hs_status status =
        hs_page_open(&page, (const char *const *)call->operands, call->operand_count, &call->diag);
    if (status == HS_OK)
        status = write_page(call, &page);
    hs_page_close(&page);
    return status;
}

static const struct hs_option options_table[] = {
    {.param = {.key = "output",
               .type = HS_PARAM_TEXT,
               .offset = offsetof(struct report_options, output),
               .preset = "report.html",
               .unit = "FILE",
               .help = "where the page goes; - is standard output"},
     .letter = 'o',
     .in_short_help = true},
    {.param = {.key = "force",
               .type = HS_PARAM_FLAG,
               .offset = offsetof(struct report_options, force),
               .preset = "no",
               .help = "replace FILE"},
     .in_short_help = true},
    {.param = {.key = NULL}},
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
    .options = options_table,
    .options_size = sizeof(struct report_options),
    .operands_min = 1,
    .operands_max = HS_PAGE_GROUPS_MAX,
    .run = report,
};
