/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only file that includes GSL's linear fits, by a singular value decomposition.
 */
#include "horus/nnls.h"

#include <assert.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>

#include "base/rng.h"

/* Of the gradient, relative to |column| |b|: rounding of its sums is at most rows 2^-53. */
#define GRADIENT_MIN 1e-13

struct problem {
    const double *a, *b;
    uint32_t rows, columns;
    bool is_passive[HS_NNLS_COLUMNS_MAX]; /* its coefficient may be above 0 */
};

/* Unconstrained coefficients of the passive columns, 0 for the others. False: GSL failed. */
static bool solve(const struct problem *p, double *z)
{
    double part[HS_NNLS_ROWS_MAX * HS_NNLS_COLUMNS_MAX], found[HS_NNLS_COLUMNS_MAX],
        covariance[HS_NNLS_COLUMNS_MAX * HS_NNLS_COLUMNS_MAX], residual = 0;
    uint32_t width = 0, k = 0;
    for (uint32_t j = 0; j < p->columns; j++)
        width += p->is_passive[j];
    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t j = 0; j < p->columns; j++)
            if (p->is_passive[j])
                part[k++] = p->a[r * p->columns + j];
    hs_gsl_begin();
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(p->rows, width);
    gsl_matrix_const_view matrix = gsl_matrix_const_view_array(part, p->rows, width);
    gsl_vector_const_view right = gsl_vector_const_view_array(p->b, p->rows);
    gsl_vector_view answer = gsl_vector_view_array(found, width);
    gsl_matrix_view spread = gsl_matrix_view_array(covariance, width, width);
    const int status = gsl_multifit_linear(&matrix.matrix, &right.vector, &answer.vector,
                                           &spread.matrix, &residual, work);
    gsl_multifit_linear_free(work);
    for (uint32_t j = 0, at = 0; j < p->columns; j++)
        z[j] = p->is_passive[j] ? found[at++] : 0;
    return status == GSL_SUCCESS;
}

/* The column that reduces the residual most if its coefficient grows; UINT32_MAX = none. */
static uint32_t steepest(const struct problem *p, const double *x)
{
    double gradient[HS_NNLS_COLUMNS_MAX] = {0}, square[HS_NNLS_COLUMNS_MAX] = {0}, right = 0;
    uint32_t best = UINT32_MAX, passive = 0;
    for (uint32_t r = 0; r < p->rows; r++) {
        const double *row = p->a + (size_t)r * p->columns;
        double rest = p->b[r];
        for (uint32_t j = 0; j < p->columns; j++)
            rest -= row[j] * x[j];
        for (uint32_t j = 0; j < p->columns; j++) {
            gradient[j] += row[j] * rest;
            square[j] += row[j] * row[j];
        }
        right += p->b[r] * p->b[r];
    }
    for (uint32_t j = 0; j < p->columns; j++) {
        passive += p->is_passive[j];
        if (!p->is_passive[j] && gradient[j] > GRADIENT_MIN * sqrt(square[j] * right) &&
            (best == UINT32_MAX || gradient[j] > gradient[best]))
            best = j;
    }
    return passive < p->rows ? best : UINT32_MAX;
}

/* Moves x towards z as far as no coefficient becomes negative; those that reach 0 leave. False: z
 * has no coefficient that is not above 0, and x is z. */
static bool step_back(struct problem *p, double *x, const double *z)
{
    double part = 1;
    bool is_blocked = false;
    for (uint32_t j = 0; j < p->columns; j++)
        if (p->is_passive[j] && z[j] <= 0) {
            is_blocked = true;
            part = fmin(part, x[j] / (x[j] - z[j]));
        }
    for (uint32_t j = 0; j < p->columns; j++) {
        const bool may_leave = p->is_passive[j] && z[j] <= 0;
        x[j] += part * (z[j] - x[j]);
        if (may_leave && x[j] <= 0x1p-40 * fabs(z[j]))
            p->is_passive[j] = false;
        if (!p->is_passive[j])
            x[j] = 0;
    }
    return is_blocked;
}

double hs_nnls(const double *a, const double *b, uint32_t rows, uint32_t columns, double *x)
{
    struct problem p = {.a = a, .b = b, .rows = rows, .columns = columns};
    double z[HS_NNLS_COLUMNS_MAX], sum = 0;
    assert(rows >= 1 && rows <= HS_NNLS_ROWS_MAX && columns <= HS_NNLS_COLUMNS_MAX);
    for (uint32_t j = 0; j < columns; j++)
        x[j] = 0;
    /* enough, as in the book: each column enters about once */
    for (uint32_t turn = 0, j; turn < 3 * columns && (j = steepest(&p, x)) != UINT32_MAX; turn++) {
        p.is_passive[j] = true;
        do
            if (!solve(&p, z))
                return INFINITY;
        while (step_back(&p, x, z));
    }
    for (uint32_t r = 0; r < rows; r++) {
        double rest = b[r];
        for (uint32_t j = 0; j < columns; j++)
            rest -= a[(size_t)r * columns + j] * x[j];
        sum += rest * rest;
    }
    return sum;
}
