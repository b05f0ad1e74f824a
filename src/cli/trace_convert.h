/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace convert`: the jobs of a trace in another format.
 */
#ifndef HORUS_CLI_TRACE_CONVERT_H
#define HORUS_CLI_TRACE_CONVERT_H

#include "cli/cli.h"
#include "traces/trace.h"

/* To the file that --output names, in the format of --to. What is lost is told in warnings. */
HS_MUST_USE enum hs_status hs_trace_convert(struct hs_call *call,
                                            const struct hs_trace_options *trace);
/* Rows that the reader passed over, one warning a kind, and what it rounded. */
void hs_trace_tell_drops(const struct hs_trace *trace, struct hs_diag *diag);

#endif
