/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cross-validation of a model of slowdown: fits it to what a fold leaves, predicts what the fold
 * holds out, scores all folds together. A model is two functions and their state.
 *
 *     struct hs_pairmodel model = {fit_it, speed_of, &state};
 *     HS_TRY(hs_pairholdout(&set, &model, HS_UNSEEN_MODEL_PAIR, 0, predicted, diag));
 *     HS_TRY(hs_pairscore(&set, predicted, &score));
 */
#ifndef HORUS_CALIBRATE_PAIRHOLDOUT_H
#define HORUS_CALIBRATE_PAIRHOLDOUT_H

#include "calibrate/pairset.h"
#include "calibrate/score.h"

struct hs_pairmodel {
    /* To the rows that are not held; HS_E_INPUT when they are too few or too much alike. */
    enum hs_status (*fit)(void *ctx, const struct hs_pairset *set, const bool *is_held,
                          struct hs_diag *diag);
    double (*speed)(const void *ctx, const struct hs_pairset *set, uint32_t row);
    void *ctx;
};

/* A fit that may fail without a word: a fold that leaves too little is no news to anybody. */
HS_MUST_USE enum hs_status hs_pairmodel_try(const struct hs_pairmodel *model,
                                            const struct hs_pairset *set, const bool *is_held);

/* predicted: one a row, NaN where the fold leaves too little to fit to. Afterwards the model is
 * that of the last fold. */
HS_MUST_USE enum hs_status hs_pairholdout(const struct hs_pairset *set,
                                          const struct hs_pairmodel *model, enum hs_unseen what,
                                          uint32_t job_folds, double *predicted,
                                          struct hs_diag *diag);

/* "May these two share a GPU?": a pair is good when max(S of both) <= threshold. */
#define HS_PAIR_THRESHOLDS 3u
extern const double hs_pair_thresholds[HS_PAIR_THRESHOLDS]; /* 1.1, 1.2, 1.5: calibration.md 3 */

struct hs_pairscore {
    struct hs_score speed;
    uint32_t pairs;                      /* decided: those with both directions */
    double accuracy[HS_PAIR_THRESHOLDS]; /* share of right decisions; NaN without any pair */
    double balanced[HS_PAIR_THRESHOLDS]; /* mean of the shares among good and among bad pairs */
};

/* Of the rows whose prediction is a number. */
HS_MUST_USE enum hs_status hs_pairscore(const struct hs_pairset *set, const double *predicted,
                                        struct hs_pairscore *score, struct hs_diag *diag);

/* The worst S of each run, by row.pair, from the speeds of its rows (NULL = those measured); 0 for
 * runs of which a direction is missing, held or has no number. is_held may be NULL. */
void hs_pairset_worst(const struct hs_pairset *set, const double *speeds, const bool *is_held,
                      double *worst);

/* A line of a "holdout" list, with n, errors and decisions. */
void hs_pairscore_write_members(struct hs_jsonw *w, const char *protocol,
                                const struct hs_pairscore *score); /* without the braces */
void hs_pairscore_write(struct hs_jsonw *w, const char *protocol, const struct hs_pairscore *score);

#endif
