/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cleaning steps, each optional, each marking rows for its reason (configs/models/README.md,
 * "Traps in the data"). The order is fixed; marks of an earlier cleaning are taken back first, so
 * that cleaning again changes nothing. Rows without a usable speed (failed, not measured, no solo,
 * negative, implausible, repeated) are marked whatever the steps. A step that finds nothing of its
 * kind in the data does nothing: rebase where no idle job ran, overlap where no utilization was
 * measured.
 *
 *     HS_TRY(hs_clean_parse("default", &steps, diag));
 *     hs_clean(&m, steps, HS_OVERLAP_TOLERANCE, &counts);
 *
 * The default leaves out `clipped`, which drops the rows of speed 1 but not the bias of the others,
 * measured against the same raised baseline. `copied` marks solos, as speeds of a GPU type, and
 * leaves the pairs.
 */
#ifndef HORUS_CALIBRATE_CLEAN_H
#define HORUS_CALIBRATE_CLEAN_H

#include "calibrate/measure.h"

/* Name, word of the option --clean. */
#define HS_CLEAN_LIST(X)                                                                           \
    X(WRITTEN_IN, "written-in")     /* every own speed of a job is exactly 1: no target */         \
    X(OVERLAP, "overlap")           /* keep iff joint util >= max(u, v) - tolerance */             \
    X(REBASE, "rebase")             /* divide by the mean speed beside idle co-runners */          \
    X(CAMPAIGN, "campaign")         /* pairs whose solos belong to another campaign */             \
    X(CLIPPED, "clipped")           /* exactly 1: the baseline was raised to the best pair */      \
    X(COPIED, "copied")             /* the same baseline on two GPU types */                       \
    X(CONTRADICTED, "contradicted") /* measured twice with speeds far apart */                     \
    X(LONE, "lone")                 /* models that ran beside no other model: Lucid's NeuMF */

enum hs_clean_bit {
#define HS_CLEAN_ENUM(name, word) HS_CLEAN_BIT_##name,
    HS_CLEAN_LIST(HS_CLEAN_ENUM)
#undef HS_CLEAN_ENUM
        HS_CLEAN_COUNT
};
enum {
#define HS_CLEAN_ENUM(name, word) HS_CLEAN_##name = 1u << HS_CLEAN_BIT_##name,
    HS_CLEAN_LIST(HS_CLEAN_ENUM)
#undef HS_CLEAN_ENUM
        HS_CLEAN_ALL = (1u << HS_CLEAN_COUNT) - 1,
    HS_CLEAN_DEFAULT = HS_CLEAN_ALL & ~(unsigned)HS_CLEAN_CLIPPED
};
/* A fraction of utilization: 0.02 to 0.20 move the fitted k by 0.07. */
#define HS_OVERLAP_TOLERANCE 0.05

/* The words of a list of steps; NULL past the end. The first HS_CLEAN_COUNT are the steps. */
const char *hs_clean_step_at(size_t index);
/* "overlap,rebase", "all", "default", "none" -> bits. HS_E_USAGE with the nearest name. */
HS_MUST_USE enum hs_status hs_clean_parse(const char *text, uint32_t *steps, struct hs_diag *diag);

struct hs_clean_counts {
    uint32_t read, kept;                /* directed rows */
    uint32_t dropped[HS_DROPPED_COUNT]; /* by first reason */
    uint32_t rebased;                   /* rows kept whose target was changed */
};

/* O(rows log rows + solos^2). */
void hs_clean(struct hs_measurements *m, uint32_t steps, double tolerance,
              struct hs_clean_counts *counts);
/* Counts a row or solo under the first of its marks, if it has any. */
void hs_clean_count(uint32_t marks, uint32_t dropped[HS_DROPPED_COUNT]);

#endif
