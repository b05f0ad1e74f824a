/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on a trace, without a simulation. hs_trace_info: counts, span, GPU mix, quantiles of
 * duration and inter-arrival time. hs_trace_validate: reads the whole file whatever is wrong with
 * it, lists every fault by kind with its first lines and the option that would repair it, offered
 * load by GPU type and VC, and the jobs that can never fit.
 */
#ifndef HORUS_TRACES_TRACE_REPORT_H
#define HORUS_TRACES_TRACE_REPORT_H

#include "base/diag.h"
#include "base/io.h"
#include "traces/trace_stream.h"

/* What validation needs to know of a cluster; src/cli fills it from model/cluster. */
struct hs_trace_pool {
    const char *name; /* GPU type or VC */
    uint64_t gpus;
};
struct hs_trace_capacity {
    const struct hs_trace_pool *types, *vcs;
    uint32_t type_count, vc_count; /* vc_count 0 = VCs ignored */
    uint64_t gpus;
};

/* Human-readable text to out. */
HS_MUST_USE enum hs_status hs_trace_info(const struct hs_trace_options *options,
                                         struct hs_output *out, struct hs_diag *diag);
/* How far the trace of options is from the reference: distances of duration, GPUs, gaps and
 * outcomes, ratios. Both in memory, 32 to 64 bytes a job. */
HS_MUST_USE enum hs_status hs_trace_compare(const struct hs_trace_options *reference,
                                            const struct hs_trace_options *options,
                                            struct hs_output *out, struct hs_diag *diag);
/* cluster may be NULL. HS_E_INPUT when there is at least one fault. Faults are listed on out. */
HS_MUST_USE enum hs_status hs_trace_validate(const struct hs_trace_options *options,
                                             const struct hs_trace_capacity *cluster,
                                             struct hs_output *out, struct hs_diag *diag);

#endif
