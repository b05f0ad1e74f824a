/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hold-out errors of the utilization predictor beside those of simpler rules. In every protocol all
 * that is fitted or chosen, the ridge included, sees only the rows that are not held out.
 *
 *     HS_TRY(hs_utilholdout_run(&holdout, &data, 0, diag));
 *     HS_TRY(hs_utilholdout_elsewhere(&holdout, &catalogue, &data, &fit, diag));
 *     holdout.protocols[HS_UTILRULE_UNSEEN].score.mae
 */
#ifndef HORUS_CALIBRATE_PREDICTOR_HOLDOUT_H
#define HORUS_CALIBRATE_PREDICTOR_HOLDOUT_H

#include "calibrate/predictor_fit.h"
#include "calibrate/score.h"

/* X(name, protocol, what it knows). "all": from every measured row to every other of its model;
 * "middle": from the row of middle batch and precision alone. Names of the predictor's own are
 * those of hs_utilbasis_text, by which errors are found at run time. */
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
extern const char *const hs_utilrule_protocols[HS_UTILRULE_COUNT];
extern const char *const hs_utilrule_knows[HS_UTILRULE_COUNT];

struct hs_utilscore {
    struct hs_score score;
    double rmsle, rmsle_percent; /* of log1p(fraction), log1p(per cent) */
};

/* Observed beside predicted, growing. */
struct hs_utillist {
    double *observed, *predicted;
    uint32_t count, observed_cap, predicted_cap;
};

/* Rows of one GPU type, by what was fitted on another. */
struct hs_utilelsewhere {
    const char *gpu;
    uint32_t rows, models;
    struct hs_utilscore rules[HS_UTILRULE_COUNT]; /* n = 0: not tried there */
};
#define HS_UTILELSEWHERE_MAX 8u

struct hs_utilholdout {
    struct hs_utilscore rules[HS_UTILRULE_COUNT];
    struct hs_utillist lists[HS_UTILRULE_COUNT];
    double *config, *model, *host; /* predictions of each row; NaN = none */
    uint32_t divisors_kept;        /* held-out models for which layers were chosen inside */
    struct hs_utilelsewhere elsewhere[HS_UTILELSEWHERE_MAX];
    uint32_t elsewhere_count;
};

/* d ln(batch), d amp on a link of utilization: the same for every model. */
struct hs_utilshift {
    double per_ln_batch, amp;
};
enum hs_utillink { HS_UTILLINK_LOAD, HS_UTILLINK_LOGIT };

HS_MUST_USE enum hs_status hs_utilshift_fit(const struct hs_utilrows *data, const bool *is_used,
                                            enum hs_utillink link, struct hs_utilshift *shift,
                                            struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_utilholdout_run(struct hs_utilholdout *holdout,
                                              const struct hs_utilrows *data, double ridge,
                                              struct hs_diag *diag);
/* The fit and the shift on rows of the other GPU types of the catalogue, nothing fitted again. */
HS_MUST_USE enum hs_status hs_utilholdout_elsewhere(struct hs_utilholdout *holdout,
                                                    const struct hs_catalogue *catalogue,
                                                    const struct hs_utilrows *data,
                                                    const struct hs_utilfit *fit,
                                                    struct hs_diag *diag);
void hs_utilholdout_free(struct hs_utilholdout *holdout);

/* For the files predictor_holdout*.c. */
HS_MUST_USE enum hs_status hs_utillist_add(struct hs_utillist *list, double observed,
                                           double predicted);
HS_MUST_USE enum hs_status hs_utillist_score(const struct hs_utillist *list,
                                             struct hs_utilscore *score);
void hs_utillist_free(struct hs_utillist *list);
double hs_utilshift_apply(const struct hs_utilshift *shift, enum hs_utillink link,
                          const struct hs_utilrow *from, const struct hs_utilrow *to);
/* Predictions of the pairs of rows of one model by shifts: lists[0] all, lists[1] from the middle.
 * shift NULL: the measured value. */
HS_MUST_USE enum hs_status hs_utilshift_pairs(const struct hs_utilrows *data, uint32_t model,
                                              const struct hs_utilshift *shift,
                                              enum hs_utillink link, struct hs_utillist *lists);
/* The row of middle batch and precision of a model, as a place in data->members. */
uint32_t hs_utilrows_middle(const struct hs_utilrows *data, uint32_t model);
HS_MUST_USE enum hs_status hs_utilholdout_baselines(struct hs_utilholdout *holdout,
                                                    const struct hs_utilrows *data, uint32_t model,
                                                    const bool *is_used, struct hs_diag *diag);

#endif
