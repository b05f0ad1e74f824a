/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The speeds of jobs beside others on one GPU type of one campaign, as fits want them: only the
 * rows that no cleaning step marked, jobs, models and pairs numbered, and the ways to hold rows
 * out of a fit.
 *
 *     HS_TRY(hs_pairset_collect(&set, &measurements, gpu, diag));      // may have no rows
 *     for (uint32_t f = 0; f < hs_pairset_folds(&set, HS_UNSEEN_OWN_MODEL); f++)
 *         for (uint32_t r = 0; r < set.row_count; r++)
 *             is_held[r] = hs_pairset_is_held(&set, HS_UNSEEN_OWN_MODEL, f, r);
 */
#ifndef HORUS_CALIBRATE_PAIRSET_H
#define HORUS_CALIBRATE_PAIRSET_H

#include <stdbool.h>

#include "calibrate/measure.h"

/* Utilizations are clipped to [this, 1] where a power is taken of them (calibration.md 4). */
#define HS_UTIL_MIN 1e-3

/* No speed is below this: S of 20. The largest of any public table is 11 (Gavel's simulation file,
 * calibration.md 6), and a sum of effects knows no bound. The reader of models clips there too. */
#define HS_SPEED_MIN 0.05

struct hs_pairjob {
    const char *key; /* of the profile */
    uint32_t model;
    double util; /* alone; NaN = not measured */
};

/* Directed: job `own` ran at `speed` (1 = alone) beside `other`. */
struct hs_pairrow {
    uint32_t own, other;
    uint32_t pair;       /* the run: both directions have the same */
    bool is_merged;      /* the mean of both directions */
    uint32_t jobs_rank;  /* of the unordered pair of jobs, in an order without meaning */
    uint32_t models;     /* unordered pair of models */
    uint32_t model_pair; /* directed, into model_pairs */
    double speed;
};

struct hs_model_pair {
    uint32_t own, other;
};

struct hs_pairset {
    struct hs_arena arena;
    const char *gpu, *format; /* of the measurements, which must live as long */
    struct hs_pairjob *jobs;  /* in the order of the data, as are all others */
    const char **models;
    struct hs_model_pair *model_pairs;
    struct hs_pairrow *rows;
    uint32_t job_count, model_count, model_pair_count, row_count;
    uint32_t runs, models_pairs; /* different row.pair, row.models */
    bool has_utils;              /* of every job */
};

HS_MUST_USE enum hs_status hs_pairset_collect(struct hs_pairset *set,
                                              const struct hs_measurements *m, uint32_t gpu,
                                              struct hs_diag *diag);
void hs_pairset_free(struct hs_pairset *set);
/* Makes one row of the two that a job beside itself has, with their mean speed: by name they are
 * the same measurement twice. */
void hs_pairset_merge(struct hs_pairset *set);
/* Utilization of a job as powers want it. */
double hs_pairset_util(const struct hs_pairset *set, uint32_t job);

/* What was never seen when a row is predicted. A job's model is unseen when no row with that model
 * in either role was fitted. Pairs of jobs are dealt to folds by the hash of their two keys: both
 * directions and repeated runs are in one fold, the order of the data does not matter, and folds
 * differ by at most one pair. */
enum hs_unseen {
    HS_UNSEEN_NOTHING, /* every row predicted by a fit to all */
    HS_UNSEEN_OWN_MODEL,
    HS_UNSEEN_OTHER_MODEL,
    HS_UNSEEN_MODEL_PAIR, /* these two models were not fitted beside each other */
    HS_UNSEEN_JOB_PAIR,
};

uint32_t hs_pairset_folds(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds);
/* Out of the fit of that fold? */
bool hs_pairset_is_held(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                        uint32_t fold, uint32_t row);
/* Predicted by the fit of that fold? Each row is, in exactly one. */
bool hs_pairset_is_tested(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                          uint32_t fold, uint32_t row);

#endif
