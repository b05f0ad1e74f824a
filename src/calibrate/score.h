/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How good predictions are, on held-out rows, and how figures are printed and written. Values must
 * be finite; of no rows every figure is NaN, which is null in a file and "-" in a table.
 *
 *     hs_predictions_add(&list, observed, predicted); ...
 *     hs_predictions_score(&list, &s);
 *     hs_say_score_head(out, "joint GPU utilization");
 *     hs_say_score(out, "1 - prod(1 - u), unseen model", &s);
 *     hs_say_number(out, share * 100, 1, 8);                   // "    80.5", "       -" for NaN
 */
#ifndef HORUS_CALIBRATE_SCORE_H
#define HORUS_CALIBRATE_SCORE_H

#include <stdint.h>

#include "base/io.h"
#include "data/json.h"

struct hs_score {
    uint32_t n;
    double mae, rmse, r2; /* r2 against the mean of the observed; NaN when they are all equal */
    double bias;          /* mean of predicted - observed */
    double p95;           /* 95th percentile of |error|: smallest value with 95 % at or below */
    double rho;           /* Spearman, ties by mean rank; NaN when one side is constant */
};

/* O(n log n). */
void hs_score(const double *observed, const double *predicted, uint32_t n, struct hs_score *score);
/* Root mean squared error of log1p(scale x value). */
double hs_score_rmsle(const double *observed, const double *predicted, uint32_t n, double scale);

/* A growing list of predictions. Zeroed at first; freed with hs_predictions_free. */
struct hs_predictions {
    double *observed, *predicted;
    uint32_t count, observed_cap, predicted_cap;
};
void hs_predictions_add(struct hs_predictions *list, double observed, double predicted);
void hs_predictions_score(const struct hs_predictions *list, struct hs_score *score);
void hs_predictions_free(struct hs_predictions *list);

/* Ascending. */
void hs_sort_numbers(double *values, uint32_t n);
/* The smallest of sorted values with that share of all at or below it; NaN of none. */
double hs_percentile(const double *sorted, uint32_t n, uint32_t percent);

/* ---- in a model file ---- */

void hs_score_write_number(struct hs_jsonw *w, const char *key, double value);
/* HS_WRITE_NUMBERS(w, {"k", k}, {"alpha", alpha}): members in that order. */
struct hs_named_number {
    const char *key;
    double value;
};
void hs_score_write_numbers(struct hs_jsonw *w, const struct hs_named_number *numbers, size_t n);
#define HS_WRITE_NUMBERS(w, ...)                                                                   \
    hs_score_write_numbers(w, (const struct hs_named_number[]){__VA_ARGS__},                       \
                           sizeof((const struct hs_named_number[]){__VA_ARGS__}) /                 \
                               sizeof(struct hs_named_number))
/* A line of a "holdout" list: {"protocol": ..., "n": ..., "mae": ...}, and its members alone. */
void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);
void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);

/* An object as the next element, on one line. */
static inline void hs_write_line(struct hs_jsonw *w)
{
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
}

/* ---- in a table ---- */

/* With exactly so many decimals (at most 9), right-aligned in at least so many bytes. */
void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width);
/* Columns n, MAE, RMSE, R2, bias, p95, rho behind a name. */
void hs_say_score_head(struct hs_output *out, const char *title);
void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score);

#endif
