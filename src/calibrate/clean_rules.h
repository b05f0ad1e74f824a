/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What clean.c applies, and what the rules share: one function a cleaning step, that looks at all
 * rows and adds its mark; sums by job; rows in an order.
 */
#ifndef HORUS_CALIBRATE_CLEAN_RULES_H
#define HORUS_CALIBRATE_CLEAN_RULES_H

#include "calibrate/clean.h"

typedef enum hs_status hs_clean_rule(struct hs_measurements *m, double tolerance);

hs_clean_rule hs_clean_written_in, hs_clean_overlap, hs_clean_rebase, hs_clean_campaign,
    hs_clean_clipped, hs_clean_copied, hs_clean_contradicted, hs_clean_lone;

/* Reasons that no step can take back: there is no speed in such a row. */
#define HS_CLEAN_UNUSABLE                                                                          \
    (HS_DROPPED(FAILED) | HS_DROPPED(NOT_MEASURED) | HS_DROPPED(NO_SOLO) | HS_DROPPED(NEGATIVE) |  \
     HS_DROPPED(IMPLAUSIBLE) | HS_DROPPED(REPEATED))
static inline bool hs_clean_is_measured(const struct hs_pair *row)
{
    return (row->dropped & HS_CLEAN_UNUSABLE) == 0;
}

/* A job of which fewer runs are there is not judged by its speeds. */
#define HS_CLEAN_JUDGED_ROWS 3u

struct hs_clean_tally { /* of the measured rows of one job */
    uint32_t rows, ones;
    double highest;
    double idle_sum; /* beside idle jobs */
    uint32_t idle_rows;
};
/* By solo, to be freed; NULL when out of memory. */
struct hs_clean_tally *hs_clean_tally(const struct hs_measurements *m);
bool hs_clean_is_idle(const struct hs_solo *solo);

struct hs_clean_ranked {
    uint32_t own, other, row;
    double speed;
};
/* The measured rows in order, *count of them, to be freed; NULL when out of memory. */
struct hs_clean_ranked *hs_clean_rank(const struct hs_measurements *m, uint32_t *count,
                                      int (*order)(const void *, const void *));

#endif
