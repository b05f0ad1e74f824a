/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fit of the utilization predictor (model/utilmodel.h): measured rows of one GPU type, and the
 * steps that the hold-outs repeat with rows left out.
 *
 *     HS_TRY(hs_utilrows_collect(&data, &catalogue, NULL, diag));
 *     HS_TRY(hs_utilfit(&data, is_used, 0, &fit, diag));
 *     HS_TRY(hs_utilfit_mate(&data, is_used, model, &fit, &mate, diag));
 *     u = hs_utilfit_predict(&fit, &mate, &row->work);
 */
#ifndef HORUS_CALIBRATE_PREDICTOR_FIT_H
#define HORUS_CALIBRATE_PREDICTOR_FIT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/memory.h"
#include "model/utilmodel.h"

struct hs_utilrow {
    const struct hs_profile *profile;
    uint32_t model; /* of model and dataset, by first appearance */
    double util;    /* 0..1 */
    double step_ms; /* NaN: unknown or implausible */
    double
        host_ms; /* the catalogue's, else a batch at the highest rate of other rows of the model */
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
    const char *gpu;
    struct hs_utilrow *rows; /* in the order of the catalogue */
    uint32_t count, cap, models;
    uint32_t *members; /* of model m: members[start[m]] up to members[start[m + 1]], by batch and
                          precision */
    uint32_t *start;
    uint32_t dropped[HS_UTILROW_REASONS];
    uint32_t no_time; /* rows whose step time is implausible: set to NaN */
};

/* gpu NULL: the type with the most usable rows, ties to the first in the catalogue. An error below
 * HS_UTILROWS_MIN rows of HS_UTILMODELS_MIN models, and where no feature differs. */
#define HS_UTILROWS_MIN   8u
#define HS_UTILMODELS_MIN 3u
HS_MUST_USE enum hs_status hs_utilrows_collect(struct hs_utilrows *data,
                                               const struct hs_catalogue *catalogue,
                                               const char *gpu, struct hs_diag *diag);
void hs_utilrows_free(struct hs_utilrows *data);

struct hs_utilfit {
    struct hs_utilform form;
    double ridge;
};

/* Fitted to the rows with is_used. ridge 0: of most evidence. */
HS_MUST_USE enum hs_status hs_utilfit(const struct hs_utilrows *data, const bool *is_used,
                                      double ridge, struct hs_utilfit *fit, struct hs_diag *diag);
/* The load alone: launch, per_gmac, per_moutput, amp. */
HS_MUST_USE enum hs_status hs_utilfit_load(const struct hs_utilrows *data, const bool *is_used,
                                           struct hs_utilform *form, struct hs_diag *diag);
/* What the used rows of a model add; configs tells how many they are (0: nothing is added). */
HS_MUST_USE enum hs_status hs_utilfit_mate(const struct hs_utilrows *data, const bool *is_used,
                                           uint32_t model, const struct hs_utilfit *fit,
                                           struct hs_utilmate *mate, uint32_t *configs,
                                           struct hs_diag *diag);
double hs_utilfit_predict(const struct hs_utilfit *fit, const struct hs_utilmate *mate,
                          const struct hs_utilwork *work);

#endif
