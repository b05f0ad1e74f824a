/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contradictions are refused: which of the two was meant is not ours to guess.
 */
#include "cli/run_begin.h"

#include "cli/run_options.h"

enum hs_status hs_run_refuse_both(struct hs_call *call, bool are_both, const char *first,
                                  const char *second)
{
    if (!are_both)
        return HS_OK;
    return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out", "%s: both %s and %s",
                   call->verb->name, first, second);
}

enum hs_status hs_run_check_looks(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    HS_TRY(hs_run_refuse_both(call, options->quiet && options->verbose, "--quiet", "--verbose"));
    HS_TRY(hs_run_refuse_both(call, options->progress && options->no_progress, "--progress",
                              "--no-progress"));
    if (options->quiet)
        call->diag.least = HS_WARNING;
    return HS_OK;
}

enum hs_status hs_run_begin(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    if (call->operand_count == 1 && hs_config_origin(&call->config, "trace") == HS_FROM_FLAG)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out",
                       "%s: two traces, '%s' and --trace=%s", call->verb->name, call->operands[0],
                       options->trace);
    HS_TRY(hs_run_check_looks(call));
    if (call->operand_count == 1)
        HS_TRY(hs_config_set(&call->config, "trace", call->operands[0], HS_FROM_FLAG, &call->diag));
    return HS_OK;
}

void hs_run_note_cluster(struct hs_call *call)
{
    if (hs_config_origin(&call->config, "cluster") == HS_FROM_DEFAULT)
        hs_report(&call->diag, HS_NOTE, NULL, "-c SPEC names another",
                  "no cluster given: " HS_DEFAULT_CLUSTER " is taken");
}

bool hs_run_shows_progress(const struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    bool wants = options->progress || (call->terminal.err_is_tty && !options->quiet);
    return wants && !options->no_progress;
}
