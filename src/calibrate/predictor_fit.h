/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fit of the utilization predictor (model/predictor.h) to measured rows of one GPU type, and
 * its errors on rows that were held out, beside those of simpler rules.
 */
#pragma once

#include "calibrate/calibration.h"
#include "model/predictor.h"

/* ---- rows ---- */

struct hs_utilrow {
    const struct hs_profile *profile;
    uint32_t model; /* of model and dataset, by first appearance */
    uint32_t place; /* in the order of the catalogue */
    double util;    /* 0..1 */
    double step_ms; /* NaN: unknown or implausible */
    double host_ms; /* the catalogue's, else a batch at the highest rate of other rows of the
                       model; NaN: unknown */
    struct hs_utilwork work;
};

/* Rows that the fit cannot use, by reason. */
#define HS_UTILROW_LIST(X)                                                                         \
    X(NOT_MEASURED, "utilization not measured")                                                    \
    X(OTHER_GPU, "measured on another GPU type")                                                   \
    X(NO_BATCH, "no batch size")                                                                   \
    X(NO_FEATURES, "MACs, outputs or layers unknown")

enum hs_utilrow_reason {
#define HS_UTILROW_ENUM(name, text) HS_UTILROW_##name,
    HS_UTILROW_LIST(HS_UTILROW_ENUM)
#undef HS_UTILROW_ENUM
        HS_UTILROW_REASONS
};
extern const char *const hs_utilrow_texts[HS_UTILROW_REASONS];

struct hs_utilrows {
    struct hs_arena *arena;
    const char *gpu;
    struct hs_utilrow *rows; /* by model, batch, precision and place */
    uint32_t count, models;
    uint32_t *start;    /* rows of model m: start[m] up to start[m + 1] */
    uint32_t *by_place; /* rows in the order of the catalogue */
    uint32_t dropped[HS_UTILROW_REASONS];
    uint32_t no_time; /* rows whose step time is implausible: set to NaN */
};

/* gpu NULL: the type with the most usable rows, ties to the first in the catalogue. An error below
 * HS_UTILROWS_MIN rows of HS_UTILMODELS_MIN models, and where no feature differs.
 * O(rows of the catalogue x models). */
#define HS_UTILROWS_MIN   8u
#define HS_UTILMODELS_MIN 3u
HS_MUST_USE enum hs_status hs_utilrows_collect(struct hs_utilrows *data,
                                               const struct hs_catalogue *catalogue,
                                               const char *gpu, struct hs_arena *arena,
                                               struct hs_diag *diag);

/* ---- fits, to the rows that are not held out (is_held NULL: to all) ---- */

struct hs_utilfit {
    struct hs_utilform form;
    double ridge;
};

/* ridge 0: the one with the highest evidence. */
HS_MUST_USE enum hs_status hs_utilfit(const struct hs_utilrows *data, const bool *is_held,
                                      double ridge, struct hs_utilfit *fit, struct hs_diag *diag);
/* What the rows of a model add; configs: how many they are (0: nothing is added). */
HS_MUST_USE enum hs_status hs_utilfit_mate(const struct hs_utilrows *data, const bool *is_held,
                                           uint32_t model, const struct hs_utilfit *fit,
                                           struct hs_utilmate *mate, uint32_t *configs,
                                           struct hs_diag *diag);
double hs_utilfit_predict(const struct hs_utilfit *fit, const struct hs_utilmate *mate,
                          const struct hs_utilwork *work);

/* A change per ln(batch) and for amp of a link of utilization, the same for every model. */
struct hs_utilshift {
    double per_ln_batch, amp;
};
enum hs_utillink { HS_UTILLINK_LOAD, HS_UTILLINK_LOGIT, HS_UTILLINKS };

/* Fits the shifts of each link. */
HS_MUST_USE enum hs_status hs_utilshifts_fit(const struct hs_utilrows *data, const bool *is_held,
                                             struct hs_utilshift *shifts, struct hs_diag *diag);

/* ---- errors on held-out rows ---- */

/* X(name, protocol, what it knows). "middle": from the row of middle batch and precision alone,
 * else from every measured row to every other of its model. Names of the predictor's own are those
 * of hs_utilbasis_text, by which errors are found at run time. */
#define HS_UTILRULE_LIST(X)                                                                        \
    X(CONFIG, "known model, unseen configuration", "other batches and precisions of the model")    \
    X(CONFIG_TABLE, "line in log batch", "two other batches of the same precision")                \
    X(ONE, "one measured configuration", "features, one measurement")                              \
    X(ONE_MIDDLE, "one measured configuration, middle", "features, one measurement")               \
    X(SHIFT, "one measured configuration, no features", "one measurement")                         \
    X(SHIFT_MIDDLE, "one measured configuration, no features, middle", "one measurement")          \
    X(LOGIT, "logit shift", "one measurement")                                                     \
    X(LOGIT_MIDDLE, "logit shift, middle", "one measurement")                                      \
    X(COPY, "copy of the measured value", "one measurement")                                       \
    X(COPY_MIDDLE, "copy of the measured value, middle", "one measurement")                        \
    X(UNSEEN, "unseen model", "features")                                                          \
    X(UNSEEN_DIVISOR, "unseen model, divisor chosen inside", "features")                           \
    X(UNSEEN_HOST, "unseen model, host time known", "features, time of the loader for a batch")    \
    X(UNSEEN_STEP, "unseen model, step time known", "features, one run without telemetry")         \
    X(CONSTANT, "mean of the other models", "nothing")

enum hs_utilrule {
#define HS_UTILRULE_ENUM(name, protocol, knows) HS_UTILRULE_##name,
    HS_UTILRULE_LIST(HS_UTILRULE_ENUM)
#undef HS_UTILRULE_ENUM
        HS_UTILRULE_COUNT
};

struct hs_utilscore {
    struct hs_score score;
    double rmsle, rmsle_percent; /* of log1p(fraction), log1p(per cent) */
};

/* Errors on the rows of one GPU type of the fit to another. */
struct hs_utilelsewhere {
    const char *gpu;
    uint32_t rows, models;
    struct hs_utilscore rules[HS_UTILRULE_COUNT]; /* n = 0: not tried there */
};
#define HS_UTILELSEWHERE_MAX 8u

struct hs_utilholdout {
    struct hs_utilscore rules[HS_UTILRULE_COUNT];
    double *config, *model, *host; /* predictions of each row; NaN = none */
    uint32_t divisors_kept;        /* held-out models for which layers were chosen inside */
    struct hs_utilelsewhere elsewhere[HS_UTILELSEWHERE_MAX];
    uint32_t elsewhere_count;
};

/* In every protocol all that is fitted or chosen, the ridge included, sees only the rows that are
 * not held out. A fit a fold: O(folds x rows). */
HS_MUST_USE enum hs_status hs_utilholdout_run(struct hs_utilholdout *holdout,
                                              struct hs_utilrows *data, double ridge,
                                              struct hs_diag *diag);
/* The fit and the shifts on rows of the other GPU types of the catalogue, nothing fitted again:
 * what to expect of a type that was never measured. */
void hs_utilholdout_elsewhere(struct hs_utilholdout *holdout, const struct hs_utilrows *data,
                              const struct hs_catalogue *catalogue, const struct hs_utilfit *fit,
                              const struct hs_utilshift *shifts);
