/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus calibrate interference` works out before it tells it: the general form, a table for
 * each GPU type, and how each does on rows that it has not seen.
 *
 *     HS_TRY(hs_interference_study(&study, &options, set, diag));
 *     hs_interference_say(&study, out);
 *     hs_interference_write(&study, w);
 *     hs_interference_study_free(&study);
 */
#ifndef HORUS_CALIBRATE_INTERFERENCE_STUDY_H
#define HORUS_CALIBRATE_INTERFERENCE_STUDY_H

#include "base/io.h"
#include "calibrate/calibration.h"
#include "calibrate/paircold.h"
#include "calibrate/paireffects.h"

#define HS_TABLES_MAX 64u

/* Folds of pairs of jobs: calibration.md 4 has 20 on Lucid, 10 on Gavel. */
#define HS_TWO_WAY_FOLDS 20u
#define HS_RANK1_FOLDS   10u

/* In the order of the file, which begins with what a form is used for. */
enum hs_general_line {
    HS_GENERAL_OWN,   /* unseen model, own */
    HS_GENERAL_OTHER, /* ... of the co-runner */
    HS_GENERAL_MODELS,
    HS_GENERAL_JOBS,
    HS_GENERAL_ALL, /* in sample */
    HS_GENERAL_LINES
};
enum hs_table_line {
    HS_TABLE_JOBS,
    HS_TABLE_MODELS,
    HS_TABLE_JOBS_APPLIED, /* speeds cut to 1, as the engine does */
    HS_TABLE_MODELS_APPLIED,
    HS_TABLE_ALL, /* in sample */
    HS_TABLE_LINES
};
extern const char *const hs_general_lines[HS_GENERAL_LINES];
extern const char *const hs_table_lines[HS_TABLE_LINES];
extern const char *const hs_cold_lines[HS_COLD_STEPS];

/* A table is two-way, with effects on the general form, where utilizations were measured. */
struct hs_table_study {
    struct hs_pairset set;
    bool is_two_way;
    double ridge;
    struct hs_paireffects effects;
    struct hs_pairrank1 rank1;
    struct hs_pairscore scores[HS_TABLE_LINES];
    struct hs_score cold[HS_COLD_STEPS]; /* rank-1 */
    double *held, *fitted;               /* a row: predicted by the fold that holds it, by all */
};

struct hs_interference_study {
    const struct hs_calibrate_options *options;
    struct hs_table_study tables[HS_TABLES_MAX];
    uint32_t count;
    uint32_t chosen; /* the table whose rows the general form is fitted to; UINT32_MAX = none */
    struct hs_pairgeneral general;
    struct hs_pairscore scores[HS_GENERAL_LINES], fixed[HS_GENERAL_LINES], tuned[HS_GENERAL_LINES];
    double tuned_cut;
    double *held, *fitted; /* by the general form; held: own model unseen */
};

/* The sets, cleaned, must live as long. */
HS_MUST_USE enum hs_status hs_interference_study(struct hs_interference_study *study,
                                                 const struct hs_calibrate_options *options,
                                                 const struct hs_measurements *set,
                                                 struct hs_diag *diag);
void hs_interference_study_free(struct hs_interference_study *study);

/* "two-way" or "rank-1". */
const char *hs_interference_form(const struct hs_table_study *table);
/* May the measured pairs of this table be written, and are they asked for? */
bool hs_interference_keeps_pairs(const struct hs_interference_study *study,
                                 const struct hs_table_study *table);

/* The tables for people. */
void hs_interference_say(const struct hs_interference_study *study, struct hs_output *out);
/* "general" and "tables" of the model file. */
void hs_interference_write(const struct hs_interference_study *study, struct hs_jsonw *w);
/* A CSV of all rows, once for each form that was fitted to them. */
HS_MUST_USE enum hs_status hs_interference_write_rows(const struct hs_interference_study *study,
                                                      const char *path, struct hs_diag *diag);

#endif
