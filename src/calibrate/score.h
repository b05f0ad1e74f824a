/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How good predictions are, on held-out rows (calibration.md, symbols). Values must be finite; of
 * no rows every figure is NaN, which is null in a file.
 *
 *     struct hs_score s;
 *     HS_TRY(hs_score(observed, predicted, n, &s));
 */
#ifndef HORUS_CALIBRATE_SCORE_H
#define HORUS_CALIBRATE_SCORE_H

#include <stdint.h>

#include "data/json.h"
#include "horus/status.h"

struct hs_score {
    uint32_t n;
    double mae, rmse, r2; /* r2 against the mean of the observed; NaN when they are all equal */
    double bias;          /* mean of predicted - observed */
    double p95;           /* 95th percentile of |error|: smallest value with 95 % at or below */
    double rho;           /* Spearman, ties by mean rank */
};

HS_MUST_USE enum hs_status hs_score(const double *observed, const double *predicted, uint32_t n,
                                    struct hs_score *score);
/* Root mean squared error of log1p(scale x value). */
double hs_score_rmsle(const double *observed, const double *predicted, uint32_t n, double scale);

/* One line of the hold-out section of a model file: {"protocol": ..., "n": ..., "mae": ...}. */
void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);
/* The same without the braces, for an object with more members than these. */
void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);
/* The number rounded to six significant digits, as every fitted figure is written: beyond them a
 * last bit of libm would show. */
double hs_score_round(double value);
/* A key and the number so rounded. */
void hs_score_write_number(struct hs_jsonw *w, const char *key, double value);

#endif
