/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion times, waits and slowdowns of the jobs of finished runs, sorted: what distributions
 * are drawn from. Counted are the jobs of the statistics in summary.json: done, and submitted
 * inside the window of --warmup and --cooldown.
 */
#ifndef HORUS_REPORT_JOBVALUES_H
#define HORUS_REPORT_JOBVALUES_H

#include <stdint.h>

#include "report/page.h"

enum hs_jobvalue { HS_JOBVALUE_JCT, HS_JOBVALUE_WAIT, HS_JOBVALUE_SLOWDOWN, HS_JOBVALUES };

/* Microseconds, or millionths of the slowdown; ascending. */
struct hs_jobvalues {
    int64_t *of[HS_JOBVALUES];
    uint32_t count[HS_JOBVALUES], cap[HS_JOBVALUES];
};

/* Of all runs of the group together. */
HS_MUST_USE enum hs_status hs_jobvalues_read(struct hs_jobvalues *values, struct hs_page *page,
                                             const struct hs_page_group *group);
void hs_jobvalues_free(struct hs_jobvalues *values);

/* How many of count ascending values are at or below limit. O(log count). */
uint32_t hs_rank(const int64_t *values, uint32_t count, int64_t limit);
/* The smallest value with at least permille/1000 of all values at or below it; count > 0. */
int64_t hs_nearest_rank(const int64_t *values, uint32_t count, uint32_t permille);

#endif
