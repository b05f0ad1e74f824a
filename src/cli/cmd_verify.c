/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify RUN`: the independent check of an emitted schedule.
 */
#include "cli/cli.h"
#include "report/verify.h"

static enum hs_status verify(struct hs_call *call)
{
    return hs_verify_run(call->operands[0], &call->out, &call->diag);
}

static const struct hs_option options_table[] = {{.param = {.key = NULL}}};

const struct hs_verb hs_verb_verify = {
    .name = "verify",
    .operands = "RUN",
    .summary = "Check a finished run independently of the engine.",
    .details = "Rebuilds the schedule from segments.csv alone and holds it against the trace, the "
               "cluster and summary.json: no GPU held twice nor divided beyond its whole, gangs "
               "whole, GPU types, cores and host memory as wanted, nothing before its submission, "
               "all work done, sums equal. Exit code 1 when a check fails.",
    .examples = {"verify results/sample-fifo-0123456789ab"},
    .options = options_table,
    .operands_min = 1,
    .operands_max = 1,
    .run = verify,
};
