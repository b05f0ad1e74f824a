/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cleaning rules of calibration.md 2, each optional, each marking rows for its reason. Order is
 * fixed; running them again changes nothing. Rows that cannot be used at all (failed, not measured,
 * no solo, negative) are marked whatever the steps.
 */
#ifndef HORUS_CALIBRATE_CLEAN_H
#define HORUS_CALIBRATE_CLEAN_H

#include "calibrate/measure.h"

/* Bit, name as in hs_clean_parse, what it does. */
#define HS_CLEAN_LIST(X)                                                                           \
    X(WRITTEN_IN, "written-in", "a job whose every own speed is exactly 1 is no target")           \
    X(OVERLAP, "overlap", "keep iff joint util >= max(u, v) - tolerance")                          \
    X(REBASE, "rebase", "divide by the mean speed beside idle co-runners")                         \
    X(CAMPAIGN, "campaign", "pairs whose solos belong to another campaign")                        \
    X(CLIPPED, "clipped", "speeds of exactly 1: the baseline was raised to the best pair")         \
    X(COPIED, "copied", "the same baseline on two GPU types")                                      \
    X(CONTRADICTED, "contradicted", "measured twice with speeds far apart")                        \
    X(LONE, "lone", "models with fewer than 12 rows: Lucid's NeuMF")

enum hs_clean_bit {
#define HS_CLEAN_ENUM(name, word, text) HS_CLEAN_BIT_##name,
    HS_CLEAN_LIST(HS_CLEAN_ENUM)
#undef HS_CLEAN_ENUM
        HS_CLEAN_COUNT
};
enum {
#define HS_CLEAN_ENUM(name, word, text) HS_CLEAN_##name = 1u << HS_CLEAN_BIT_##name,
    HS_CLEAN_LIST(HS_CLEAN_ENUM)
#undef HS_CLEAN_ENUM
        HS_CLEAN_ALL = (1u << HS_CLEAN_COUNT) - 1
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
