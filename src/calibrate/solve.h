/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares on GSL. Matrices are row-major arrays of the caller. All answers are finite: a
 * singular or divergent problem is HS_E_INPUT with a message that names `what`, never NaN
 * coefficients.
 *
 *     HS_TRY(hs_solve_ridge(x, y, rows, 4, lambdas, beta, "two-way effects", diag));
 */
#ifndef HORUS_CALIBRATE_SOLVE_H
#define HORUS_CALIBRATE_SOLVE_H

#include <stdint.h>

#include "base/diag.h"

/* min sum (y - X b)^2 + sum lambda_j b_j^2 by Cholesky of the normal equations. lambdas NULL = all
 * 0, else one a column. O(rows (columns + filled^2) + columns^3), filled entries of a row that are
 * not 0. */
HS_MUST_USE enum hs_status hs_solve_ridge(const double *x, const double *y, uint32_t rows,
                                          uint32_t columns, const double *lambdas, double *beta,
                                          const char *what, struct hs_diag *diag);

/* Solves A x = b for symmetric positive definite A (n x n, overwritten); log_det may be NULL. */
HS_MUST_USE enum hs_status hs_solve_spd(double *a, const double *b, uint32_t n, double *x,
                                        double *log_det, const char *what, struct hs_diag *diag);

/* A nonlinear problem: residuals f (n) and Jacobian J (n x p, row-major) at theta. */
struct hs_nls {
    uint32_t residuals, parameters;
    void (*residual)(void *ctx, const double *theta, double *f);
    void (*jacobian)(void *ctx, const double *theta, double *j);
    void *ctx;
};

/* Levenberg-Marquardt (trust region) from theta, improved in place; at most max_steps of
 * O(rows (parameters + filled^2) + parameters^3). */
HS_MUST_USE enum hs_status hs_solve_nls(const struct hs_nls *problem, double *theta,
                                        uint32_t max_steps, const char *what, struct hs_diag *diag);

#endif
