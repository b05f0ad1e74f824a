/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The metrics of model.md 10 from the integrals, statistics and bounds of a run, in a fixed order;
 * a metric that does not apply is listed with the reason.
 */
#ifndef HORUS_REPORT_METRICS_H
#define HORUS_REPORT_METRICS_H

#include "report/bounds.h"
#include "report/report.h"
#include "report/stats.h"
#include "report/timeline.h"

struct hs_metrics_source {
    const struct hs_report_options *options;
    const struct hs_stats *stats;       /* finished */
    const struct hs_timeline *timeline; /* closed */
    const struct hs_bounds *bounds;     /* finished */
    uint64_t gpus;                      /* of the cluster */
    int64_t span_us;                    /* first submission to the last instant */
};

void hs_metrics_fill(struct hs_summary *summary, const struct hs_metrics_source *source);
/* Mean GPUs held over time as levels '0'..'9','a'..'f'. */
void hs_metrics_sparkline(struct hs_summary *summary, const struct hs_metrics_source *source);

#endif
