/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "horus/lp.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Of the gradient, relative to |column| |b|: rounding of its sums is at most rows 2^-53. */
#define GRADIENT_MIN 1e-13

struct problem {
    const double *a, *b;
    uint32_t rows, columns;
    bool is_passive[HS_NNLS_COLUMNS_MAX]; /* its coefficient may be above 0 */
};

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes the part along a unit vector out of another; returns it. */
static double take_out(const double *unit, double *from, uint32_t count)
{
    const double along = dot(unit, from, count);
    for (uint32_t i = 0; i < count; i++)
        from[i] -= along * unit[i];
    return along;
}

/* Unconstrained coefficients of the passive columns, 0 for the others, by modified Gram-Schmidt
 * (Bjorck, BIT 7, 1967). False: a column depends on those before it. */
static bool solve(const struct problem *p, double *z)
{
    double q[HS_NNLS_COLUMNS_MAX][HS_NNLS_ROWS_MAX], part[HS_NNLS_COLUMNS_MAX][HS_NNLS_COLUMNS_MAX],
        b[HS_NNLS_ROWS_MAX];
    memcpy(b, p->b, p->rows * sizeof *b);
    for (uint32_t j = 0; j < p->columns; j++) {
        z[j] = 0;
        if (!p->is_passive[j])
            continue;
        for (uint32_t r = 0; r < p->rows; r++)
            q[j][r] = p->a[r * p->columns + j];
        for (uint32_t i = 0; i < j; i++)
            if (p->is_passive[i])
                part[i][j] = take_out(q[i], q[j], p->rows);
        const double length = sqrt(dot(q[j], q[j], p->rows));
        if (!(length > 0))
            return false;
        part[j][j] = length;
        for (uint32_t r = 0; r < p->rows; r++)
            q[j][r] /= length;
        z[j] = take_out(q[j], b, p->rows);
    }
    for (uint32_t j = p->columns; j-- > 0;) {
        if (!p->is_passive[j])
            continue;
        for (uint32_t k = j + 1; k < p->columns; k++)
            z[j] -= p->is_passive[k] ? part[j][k] * z[k] : 0;
        z[j] /= part[j][j];
        if (!isfinite(z[j]))
            return false;
    }
    return true;
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
