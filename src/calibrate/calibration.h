/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus calibrate SUBJECT` can fit. A subject reads measurements, cleans, fits,
 * cross-validates, prints a table and writes the model file. Same data, same bytes.
 */
#pragma once

#include "calibrate/measure.h"
#include "data/csv.h"
#include "data/json.h"
#include "model/profile.h"

#define HS_CALIBRATE_DATA_MAX 16

struct hs_calibrate_options {
    const char *data[HS_CALIBRATE_DATA_MAX]; /* --data, in order; at least one */
    uint32_t data_count;
    uint32_t clean;        /* HS_CLEAN_x */
    double overlap;        /* tolerance of the overlap rule */
    double ridge;          /* strength of the ridge terms, 0 = the subject's own default */
    bool is_keeping_pairs; /* also write the measured pairs themselves (mind their licence) */
    const char *profiles;  /* catalogue: families, features */
    const char *reference; /* GPU type that speeds are relative to; NULL: the fastest */
    const char *rows;      /* CSV of every row with observation and held-out prediction, for
                              plots; NULL = none */
};

/* One calibration under way. */
struct hs_calibrate_run {
    struct hs_calibrate_options options;
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX + 1]; /* one for each --data */
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX + 1];
    uint32_t sets;
    struct hs_catalogue catalogue; /* for subjects that load it */
    struct hs_arena arena;         /* what the fit keeps */
    bool has_model;                /* a model file will be written */
    struct hs_output *out;
    struct hs_diag *diag;
};

/* A subject. */
struct hs_calibration {
    const char *name, *summary;
    const char *data;  /* what --data may be, one line for help */
    uint32_t steps;    /* the cleaning steps that concern it */
    uint32_t always;   /* those that it takes whatever is asked for, without a word in the file */
    const char *rows;  /* header of the CSV for plots */
    size_t study_size; /* of what it finds out: zeroed at first, its parts in run->arena */
    bool needs_catalogue; /* run->catalogue is options.profiles, unless that is NULL */
    /* Reads run->options.data into run->set; NULL: each path is a set of its own. */
    enum hs_status (*read)(struct hs_calibrate_run *run);
    enum hs_status (*fit)(struct hs_calibrate_run *run, void *study);
    void (*say)(const struct hs_calibrate_run *run, const void *study); /* the table */
    /* Writes the members of the model file that follow its head. */
    void (*write)(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w);
    void (*write_rows)(const void *study, struct hs_csvw *w);
};

const struct hs_calibration *hs_calibration_at(size_t index); /* NULL past the end */

/* out: the table. model: the JSON, NULL = table only. */
HS_MUST_USE enum hs_status hs_calibrate(const struct hs_calibration *subject,
                                        const struct hs_calibrate_options *options,
                                        struct hs_output *out, struct hs_jsonw *model,
                                        struct hs_diag *diag);

/* ---- for subjects ---- */

/* Prints the counts of the first `sets`. */
void hs_calibrate_say_counts(const struct hs_calibrate_run *run, uint32_t sets);
/* A list "dropped" of {why, rows}. */
void hs_calibrate_write_dropped(struct hs_jsonw *w, const char *const *texts,
                                const uint32_t *counts, uint32_t n);

/* ---- scores ----
 *
 * How good predictions are, on held-out rows, and how figures are printed and written. Values must
 * be finite; of no rows every figure is NaN, which is null in a file and "-" in a table. */

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

/* A growing list of predictions, zeroed at first; its score frees it. */
struct hs_predictions {
    double *observed, *predicted;
    uint32_t count, observed_cap, predicted_cap;
};
void hs_predictions_add(struct hs_predictions *list, double observed, double predicted);
void hs_predictions_score(struct hs_predictions *list, struct hs_score *score);

/* Ascending. */
void hs_sort_numbers(double *values, uint32_t n);
/* The smallest of sorted values with that share of all at or below it; NaN of none. */
double hs_percentile(const double *sorted, uint32_t n, uint32_t percent);

/* ---- in a model file ---- */

/* A line of a "holdout" list: {"protocol": ..., "n": ..., "mae": ...}, and its members alone. */
void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);
void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score);

/* ---- in a table ---- */

/* With exactly so many decimals (at most 9), right-aligned in at least so many bytes; "-" for NaN.
 * Columns do not run together: decimals give way, then the column. */
void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width);
/* printf of %s, %u and %f, each with a width, where %8.3f is hs_say_number(out, value, 3, 8). */
HS_PRINTF(2, 3)
void hs_say_row(struct hs_output *out, const char *fmt, ...);
/* Columns n, MAE, RMSE, R2, bias, p95, rho behind a name. */
void hs_say_score_head(struct hs_output *out, const char *title);
void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score);

/* ---- least squares ----
 * Matrices are row-major arrays of the caller. All answers are finite: a singular or divergent
 * problem is HS_E_INPUT with a message that names `what`, never NaN coefficients. */

/* min sum (y - X b)^2 + sum lambda_j b_j^2 by Cholesky of the normal equations. lambdas: a column,
 * NULL = all 0. O(rows (columns + filled^2) + columns^3), filled entries of a row that are not 0.
 */
HS_MUST_USE enum hs_status hs_solve_ridge(const double *x, const double *y, uint32_t rows,
                                          uint32_t columns, const double *lambdas, double *beta,
                                          const char *what, struct hs_diag *diag);

/* Solves A x = b for symmetric positive definite A (n x n, overwritten); log_det may be NULL. */
HS_MUST_USE enum hs_status hs_solve_spd(double *a, const double *b, uint32_t n, double *x,
                                        double *log_det, const char *what, struct hs_diag *diag);

/* A nonlinear problem: residuals f (n) or Jacobian J (n x p, row-major) at theta; the other is
 * NULL.
 */
struct hs_nls {
    uint32_t residuals, parameters;
    void (*at)(void *ctx, const double *theta, double *f, double *j);
    void *ctx;
};

/* Levenberg-Marquardt (trust region) from theta, improved in place; at most max_steps of
 * O(rows (parameters + filled^2) + parameters^3). */
HS_MUST_USE enum hs_status hs_solve_nls(const struct hs_nls *problem, double *theta,
                                        uint32_t max_steps, const char *what, struct hs_diag *diag);
