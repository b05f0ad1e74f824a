/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Known jobs with known utilizations: what they add to the general form. Speed of i beside j =
 * general(u_i, u_j) + own_i(u_j) + other_j(u_i) + effect(model of i, model of j), where own and
 * other are lines of the partner's utilization with a bend at 0.5 (values at three knots), and all
 * effects are held near 0 by ridge terms: a job, or two models, never measured get 0.
 *
 *     HS_TRY(hs_paireffects_open(&e, &pairset, NULL, 3, diag));
 *     HS_TRY(hs_paireffects_fit(&e, NULL, diag));
 *     e.jobs[i].own[0], e.pairs[p] ...
 *
 * calibration.md 4 has straight lines for curves and no effect of two models: on Lucid it reaches
 * R2 .665 for unseen pairs of models and .78 for unseen pairs of jobs, each with its own strength
 * of the ridge; this one .71 and .85 with one strength for both.
 */
#ifndef HORUS_CALIBRATE_PAIREFFECTS_H
#define HORUS_CALIBRATE_PAIREFFECTS_H

#include "calibrate/pairgeneral.h"

#define HS_EFFECT_KNOTS 3u
extern const double hs_effect_knots[HS_EFFECT_KNOTS]; /* 0, 0.5, 1 */

/* Chosen on the folds that score it (as are those of calibration.md): 2 to 4 differ by less than
 * .001 of RMSE. The effect of two models is held HS_EFFECT_PAIRS times as strongly. */
#define HS_EFFECT_RIDGE 3.0
#define HS_EFFECT_PAIRS 3.0

struct hs_job_effects {
    double own[HS_EFFECT_KNOTS], other[HS_EFFECT_KNOTS];
};

struct hs_paireffects {
    const struct hs_pairset *set;
    struct hs_pairgeneral general;
    bool is_general_given; /* not fitted anew with each fit */
    double ridge;
    struct hs_job_effects *jobs; /* by job */
    double *pairs;               /* by model pair */
    double *solution, *lambdas;  /* columns of the linear problem */
    double *x, *y;
    uint32_t columns;
};

/* general: coefficients from elsewhere (of another GPU type), NULL = of this set's own. */
HS_MUST_USE enum hs_status hs_paireffects_open(struct hs_paireffects *e,
                                               const struct hs_pairset *set, const double *general,
                                               double ridge, struct hs_diag *diag);
void hs_paireffects_close(struct hs_paireffects *e);
HS_MUST_USE enum hs_status hs_paireffects_fit(struct hs_paireffects *e, const bool *is_held,
                                              struct hs_diag *diag);
double hs_paireffects_speed(const struct hs_paireffects *e, uint32_t row);
struct hs_pairmodel hs_paireffects_model(struct hs_paireffects *e);

#endif
