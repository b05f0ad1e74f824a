/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cleaning rules of calibration.md 2, each optional, each marking rows for its reason. Order is
 * fixed; running them again changes nothing. Rows that cannot be used at all (failed, not measured,
 * no solo, negative) are marked whatever the steps.
 */
#ifndef HORUS_CALIBRATE_CLEAN_H
#define HORUS_CALIBRATE_CLEAN_H

#include "calibrate/measure.h"

enum {
    HS_CLEAN_WRITTEN_IN = 1u << 0, /* a job whose every own speed is exactly 1 is no target */
    HS_CLEAN_OVERLAP = 1u << 1,    /* keep iff joint util >= max(u, v) - tolerance */
    HS_CLEAN_REBASE = 1u << 2,     /* divide by the mean speed beside idle co-runners */
    HS_CLEAN_CAMPAIGN = 1u << 3,   /* pairs whose solos belong to another campaign */
    HS_CLEAN_CLIPPED = 1u << 4,
    HS_CLEAN_COPIED = 1u << 5,
    HS_CLEAN_CONTRADICTED = 1u << 6,
    HS_CLEAN_LONE = 1u << 7, /* models with fewer than 12 rows: Lucid's NeuMF */
    HS_CLEAN_ALL = (1u << 8) - 1,
};
#define HS_OVERLAP_TOLERANCE 0.05 /* calibration.md 2, trap 2 */

/* "overlap,rebase", "all", "none" -> bits. HS_E_USAGE with the nearest name. */
HS_MUST_USE enum hs_status hs_clean_parse(const char *text, uint32_t *steps, struct hs_diag *diag);

struct hs_clean_counts {
    uint32_t read, kept;                /* directed rows */
    uint32_t dropped[HS_DROPPED_COUNT]; /* by first reason */
    uint32_t rebased;                   /* rows whose target was changed */
};

HS_MUST_USE enum hs_status hs_clean(struct hs_measurements *m, uint32_t steps,
                                    struct hs_clean_counts *counts);

#endif
