/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus explain RUN [--job ID]`: why a job waited, or all of them.
 */
#include <stddef.h>

#include "cli/cli.h"
#include "report/explain.h"

struct explain_options {
    const char *job;
    bool json;
};

static enum hs_status tell(struct hs_call *call, struct hs_explain *explain)
{
    const struct explain_options *options = call->options;
    const struct hs_explain_style style = {.columns = call->terminal.columns,
                                           .use_utf8 = call->terminal.use_utf8,
                                           .as_json = options->json};
    uint32_t job = 0;
    if (options->job == NULL)
        return hs_explain_say_run(explain, &style, &call->out);
    HS_TRY(hs_explain_find(explain, options->job, &job, &call->diag));
    return hs_explain_say_job(explain, job, &style, &call->out, &call->diag);
}

static enum hs_status explain(struct hs_call *call)
{
    struct hs_explain *explain;
    enum hs_status status = hs_explain_load(&explain, call->operands[0], &call->diag);
    if (status == HS_OK)
        status = tell(call, explain);
    hs_explain_close(explain);
    return status;
}

#define AT(field) offsetof(struct explain_options, field)
#define ASKED     "Question"

static const struct hs_option options_table[] = {
    {.param = {.key = "job",
               .type = HS_PARAM_TEXT,
               .offset = AT(job),
               .unit = "ID",
               .help = "a job of the run; absent: all of them"},
     .group = ASKED,
     .in_short_help = true},
    {.param = {.key = "json",
               .type = HS_PARAM_FLAG,
               .offset = AT(json),
               .preset = "no",
               .help = "as JSON, in exact seconds and GPU-seconds"},
     .group = ASKED,
     .in_short_help = true},
    {.param = {.key = NULL}},
};

const struct hs_verb hs_verb_explain = {
    .name = "explain",
    .operands = "RUN",
    .summary = "Why a job waited, or where the waiting of a run came from.",
    .details =
        "Rebuilds from the segments of a finished run who held what, and books every moment that a "
        "job waited to its cause: too few GPUs free (capacity), enough but not on one node "
        "(fragmentation) or for a gang that needs several (locality), no quota left (quota), or it "
        "would have fitted and the policy let it wait (order). Of one job: these times, before its "
        "first start and after preemptions, its life stage by stage, who overtook it, whose GPUs "
        "it "
        "got, who ran beside it, and, where the run was made with --decisions, each decision about "
        "it with its reason. Of all: GPU-hours by cause, over time, and who waited longest. RUN is "
        "a "
        "directory of horus run, also one inside a comparison or a sweep; it needs jobs.csv and "
        "segments.csv.",
    .examples = {"explain results/sample-fifo-0123456789ab",
                 "explain results/sample-fifo-0123456789ab --job j0815",
                 "explain results/sample-fifo-0123456789ab --job j0815 --json"},
    .options = options_table,
    .options_size = sizeof(struct explain_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = explain,
};
