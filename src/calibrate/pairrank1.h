/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Known jobs without utilizations: two numbers each, how much it suffers (a) and how much it
 * presses (b), S = 1 + a_i b_j (calibration.md 4 and 6), and an effect on the speed that each two
 * models have beyond that. On Gavel's oracle file the effect lifts R2 on unseen pairs of jobs from
 * .90/.865/.952 to .95/.90/.98 (V100/P100/K80).
 *
 *     HS_TRY(hs_pairrank1_open(&f, &pairset, 1, diag));
 *     HS_TRY(hs_pairrank1_fit(&f, NULL, diag));
 *     exp(f.ln_a[i]), exp(f.ln_b[j]), f.pairs[p] ...
 */
#ifndef HORUS_CALIBRATE_PAIRRANK1_H
#define HORUS_CALIBRATE_PAIRRANK1_H

#include "calibrate/pairholdout.h"

/* In rows: an effect of two models is the mean of their residuals as if one more were 0. */
#define HS_RANK1_RIDGE 1.0
/* Of ln a and ln b about their common mean, in the same rows: sets the common factor of a and b,
 * and keeps what pairs near idle leave open finite. */
#define HS_RANK1_PRIOR 1e-3

struct hs_pairrank1 {
    const struct hs_pairset *set;
    double ridge;
    double *theta, *start; /* ln a, ln b, then their mean */
    double *ln_a, *ln_b;   /* in theta, by job */
    double *pairs;         /* effect on the speed, by model pair */
    double *weights;       /* of them, work */
    uint32_t *used;        /* rows of the fit under way */
    uint32_t used_count;
};

HS_MUST_USE enum hs_status hs_pairrank1_open(struct hs_pairrank1 *f, const struct hs_pairset *set,
                                             double ridge, struct hs_diag *diag);
void hs_pairrank1_close(struct hs_pairrank1 *f);
/* A fit to part of the rows (is_held not NULL) starts from the last one to all of them. */
HS_MUST_USE enum hs_status hs_pairrank1_fit(struct hs_pairrank1 *f, const bool *is_held,
                                            struct hs_diag *diag);
double hs_pairrank1_speed(const struct hs_pairrank1 *f, uint32_t row);
struct hs_pairmodel hs_pairrank1_model(struct hs_pairrank1 *f);

#endif
