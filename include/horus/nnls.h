/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares without negative coefficients, for policies that fit what they observe.
 */
#ifndef HORUS_NNLS_H
#define HORUS_NNLS_H

#include <stdint.h>

#define HS_NNLS_ROWS_MAX    128u
#define HS_NNLS_COLUMNS_MAX 8u

/* min |A x - b|, x >= 0 (Lawson and Hanson, Solving Least Squares Problems, 1974, ch. 23). a: rows
 * of `columns` finite numbers. Returns the sum of squared residuals. Of columns that would reduce
 * it alike the first enters, so that the same rows give the same x also where others are as good.
 * O(columns) solutions of O(rows columns^2). */
double hs_nnls(const double *a, const double *b, uint32_t rows, uint32_t columns, double *x);

#endif
