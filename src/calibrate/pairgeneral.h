/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The general form of slowdown, for jobs of which only the utilization is known:
 * S = 1 + k u^alpha v^beta, u of the job, v of the one beside it (calibration.md 4).
 *
 *     struct hs_general_fit fit;
 *     HS_TRY(hs_general_study(set, sets, &fit, diag));      // fit and hold-out errors in one call
 *
 *     struct hs_pairgeneral g;                              // or step by step
 *     HS_TRY(hs_pairgeneral_open(&g, &pairset, diag));
 *     struct hs_pairmodel model = hs_pairgeneral_model(&g);
 */
#ifndef HORUS_CALIBRATE_PAIRGENERAL_H
#define HORUS_CALIBRATE_PAIRGENERAL_H

#include "calibrate/pairholdout.h"

enum { HS_GENERAL_LN_K, HS_GENERAL_ALPHA, HS_GENERAL_BETA, HS_GENERAL_PARAMETERS };

struct hs_pairgeneral {
    const struct hs_pairset *set;
    double theta[HS_GENERAL_PARAMETERS];
    /* With exponents held at these, as a check of the fitted ones; 0 = fit them. */
    double fixed_alpha, fixed_beta;
    double cut; /* see hs_pairgeneral_tune */
    bool is_tuned;
    double *ln_own, *ln_other; /* a row */
    double *work;              /* for the rows of a fit */
    uint32_t used;             /* rows of it */
};

/* The set must have utilizations and live as long. */
HS_MUST_USE enum hs_status hs_pairgeneral_open(struct hs_pairgeneral *g,
                                               const struct hs_pairset *set, struct hs_diag *diag);
void hs_pairgeneral_close(struct hs_pairgeneral *g);
/* To the rows that are not held (NULL = none is). Coefficients that no reader of models would take
 * (an exponent <= 0: more use, less slowdown) are HS_E_INPUT. */
HS_MUST_USE enum hs_status hs_pairgeneral_fit(struct hs_pairgeneral *g, const bool *is_held,
                                              struct hs_diag *diag);
double hs_pairgeneral_speed(const struct hs_pairgeneral *g, uint32_t row);
struct hs_pairmodel hs_pairgeneral_model(struct hs_pairgeneral *g);

/* Fitted to a mean, the form seldom reaches the worst slowdowns. The cut on the predicted S that
 * decides best, among the rows that are not held, whether a pair is above HS_TUNED_THRESHOLD; with
 * is_tuned every fit finds it, and speeds are scaled so that it lies at the threshold. */
#define HS_TUNED_THRESHOLD 1.5

struct hs_general_fit {
    const char *gpu; /* of the measurements */
    double k, alpha, beta;
    uint32_t rows, runs, models;
    struct hs_pairscore in_sample, own_unseen, other_unseen;
};

/* Fitted to the GPU type of all the sets that has most rows with utilizations, see
 * hs_general_choose; rows that cleaning marked are not used. */
HS_MUST_USE enum hs_status hs_general_study(const struct hs_measurements *set, uint32_t sets,
                                            struct hs_general_fit *fit, struct hs_diag *diag);
/* Of the pairsets with utilizations the one with most rows, the first of equals; UINT32_MAX if
 * there is none. */
uint32_t hs_general_choose(const struct hs_pairset *pairsets, uint32_t count);

#endif
