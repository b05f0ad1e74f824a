/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace assign`: the jobs of a trace with their profiles, as a native CSV.
 */
#ifndef HORUS_CLI_TRACE_ASSIGN_H
#define HORUS_CLI_TRACE_ASSIGN_H

#include "cli/cli.h"
#include "traces/trace.h"

/* To the file that --output names. What was done is told in notes. */
HS_MUST_USE enum hs_status hs_trace_assign(struct hs_call *call,
                                           const struct hs_trace_options *trace);

#endif
