/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solvers for policies: of linear programs (the view has that of the run), and of least squares.
 *
 *     hs_lp_begin(lp, true);                              // maximise
 *     uint32_t x = hs_lp_column(lp, 3), y = hs_lp_column(lp, 2);       // 3 x + 2 y; x, y >= 0
 *     uint32_t row = hs_lp_row(lp, -INFINITY, 4);         // x + y <= 4
 *     hs_lp_set(lp, row, x, 1);
 *     hs_lp_set(lp, row, y, 1);
 *     if (hs_lp_solve(lp, HS_LP_ITERATIONS) == HS_LP_OPTIMAL)
 *         ... hs_lp_value(lp, x)
 *
 * Solved by the primal simplex of GLPK: without presolver, scaling or time limit, so that the same
 * program in the same order of columns and rows always ends in the same vertex. There may be others
 * as good. Columns may be added to a solved program: the next solution starts from the last one.
 * The solver asks for memory at each solution. With hs_lp_binary it is an integer program,
 * by branch and bound from that vertex: deterministic as well, its time without any useful bound.
 */
#ifndef HORUS_LP_H
#define HORUS_LP_H

#include <stdbool.h>
#include <stdint.h>

#define HS_LP_ITERATIONS 100000 /* enough: 2,048 jobs on three types take 3,000 */

enum hs_lp_status {
    HS_LP_OPTIMAL,
    HS_LP_INFEASIBLE,
    HS_LP_UNBOUNDED,
    HS_LP_LIMIT,  /* of iterations or subproblems */
    HS_LP_FAILED, /* of the solver: a singular basis, no memory */
};

struct hs_lp;

struct hs_lp *hs_lp_open(void);
void hs_lp_close(struct hs_lp *lp); /* NULL is fine */
/* An empty program. */
void hs_lp_begin(struct hs_lp *lp, bool is_maximum);
/* A variable >= 0 and its factor in what is optimised; columns and rows are numbered from 0. */
uint32_t hs_lp_column(struct hs_lp *lp, double cost);
/* The variable is 0 or 1. */
void hs_lp_binary(struct hs_lp *lp, uint32_t column);
/* An integer program counts as solved within this part of the optimum; 0 unless set. */
void hs_lp_gap(struct hs_lp *lp, double gap);
/* A constraint between these; -INFINITY, INFINITY: none. */
uint32_t hs_lp_row(struct hs_lp *lp, double lower, double upper);
/* A factor, once for each row and column; 0 unless set. */
void hs_lp_set(struct hs_lp *lp, uint32_t row, uint32_t column, double factor);
enum hs_lp_status hs_lp_solve(struct hs_lp *lp, int iterations); /* of these at most, and
                                                   as many subproblems of an integer program */
/* Of the last solution, if it was optimal. */
double hs_lp_value(const struct hs_lp *lp, uint32_t column);
/* What one more unit of the row's limit would add to the optimum; not of an integer program. */
double hs_lp_price(const struct hs_lp *lp, uint32_t row);
const char *hs_lp_library_version(void);

/* ---- least squares without negative coefficients ---- */

#define HS_NNLS_ROWS_MAX    128u
#define HS_NNLS_COLUMNS_MAX 8u

/* min |A x - b|, x >= 0 (Lawson and Hanson, Solving Least Squares Problems, 1974, ch. 23). a: rows
 * of `columns` finite numbers. Returns the sum of squared residuals. Of columns that would reduce
 * it alike the first enters, so that the same rows give the same x also where others are as good.
 * O(columns) solutions of O(rows columns^2). */
double hs_nnls(const double *a, const double *b, uint32_t rows, uint32_t columns, double *x);

#endif
