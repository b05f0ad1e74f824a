/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the jobs of one format lose in another: members that it does not hold, times and cores that
 * it holds coarser, values that come back as others. By the tables of both; O(columns) a job.
 *
 *     hs_losses_open(&losses, format);
 *     hs_losses_count(&losses, &job);      // each job that is written
 *     hs_losses_warn(&losses, diag);       // at the end, nothing where nothing was lost
 */
#ifndef HORUS_TRACES_LOSSES_H
#define HORUS_TRACES_LOSSES_H

#include "traces/format.h"
#include "traces/layout.h"

struct hs_losses {
    const struct hs_trace_format *to;
    const struct hs_trace_layout *native;               /* whose columns are all members */
    const struct hs_column *held[HS_TABLE_COLUMNS_MAX]; /* of those columns; NULL = lost */
    bool is_alias[HS_TABLE_COLUMNS_MAX];                /* another column is the same member */
    uint64_t lost[HS_TABLE_COLUMNS_MAX];                /* jobs that told it */
    uint64_t rounded[HS_TABLE_COLUMNS_MAX], changed[HS_TABLE_COLUMNS_MAX];
    uint64_t outcomes[HS_OUTCOME_COUNT]; /* jobs of outcomes that the format has no word for */
    uint64_t jobs;
};

/* to has a layout. */
void hs_losses_open(struct hs_losses *losses, const struct hs_trace_format *to);
void hs_losses_count(struct hs_losses *losses, const struct hs_trace_job *job);
bool hs_losses_any(const struct hs_losses *losses);
/* One warning a member, in the order of the native columns. */
void hs_losses_warn(const struct hs_losses *losses, struct hs_diag *diag);

#endif
