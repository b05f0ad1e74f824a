/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares on GSL. Linear problems go through the normal equations, scaled to a unit diagonal,
 * and Cholesky; the design matrices of effects are almost empty, so that only their entries that
 * are not zero are multiplied: O(rows (columns + filled^2) + columns^3). Nonlinear ones through
 * GSL's trust region with Levenberg-Marquardt steps.
 * A problem whose scaled normal equations have a reciprocal condition number below RCOND_MIN leaves
 * its answer undetermined in double precision and is refused.
 */
#include "calibrate/solve.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "base/memory.h"
#include "base/rng.h"

#define RCOND_MIN 1e-13 /* of X'X: three digits above the rounding of its sums */
#define STEP_MIN  1e-10 /* relative; results are told to six digits */

static bool are_finite(const double *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static enum hs_status fail_not_finite(const char *what, struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                   "%s: the equations hold a number that is not finite", what);
}

static enum hs_status fail_singular(const char *what, uint32_t unknowns, struct hs_diag *diag)
{
    return hs_fail(
        diag, HS_E_INPUT, NULL, "more measurements are needed, of jobs that differ from each other",
        "%s: the data does not determine the %" PRIu32 " numbers to be fitted", what, unknowns);
}

static enum hs_status fail_memory(const char *what, struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: out of memory", what);
}

/* Cholesky factor of the scaled matrix in place, L L' = S A S; false if it is (almost) singular.
 * work: 3n. */
static bool factor(gsl_matrix *a, gsl_vector *scale, gsl_vector *work)
{
    double rcond = 0;
    if (gsl_linalg_cholesky_decomp2(a, scale) != GSL_SUCCESS)
        return false;
    return gsl_linalg_cholesky_rcond(a, &rcond, work) == GSL_SUCCESS && rcond >= RCOND_MIN;
}

enum hs_status hs_solve_spd(double *a, const double *b, uint32_t n, double *x, double *log_det,
                            const char *what, struct hs_diag *diag)
{
    assert(n >= 1);
    if (!are_finite(a, (uint64_t)n * n) || !are_finite(b, n))
        return fail_not_finite(what, diag);
    double *memory = hs_alloc_zeroed((uint64_t)n * 4, sizeof *memory);
    if (memory == NULL)
        return fail_memory(what, diag);
    gsl_set_error_handler_off(); /* its default aborts the program */
    gsl_matrix_view matrix = gsl_matrix_view_array(a, n, n);
    gsl_vector_view scale = gsl_vector_view_array(memory, n);
    gsl_vector_view work = gsl_vector_view_array(memory + n, (size_t)n * 3);
    gsl_vector_const_view right = gsl_vector_const_view_array(b, n);
    gsl_vector_view answer = gsl_vector_view_array(x, n);
    bool is_solved = factor(&matrix.matrix, &scale.vector, &work.vector) &&
                     gsl_linalg_cholesky_solve2(&matrix.matrix, &scale.vector, &right.vector,
                                                &answer.vector) == GSL_SUCCESS &&
                     are_finite(x, n);
    if (is_solved && log_det != NULL) {
        *log_det = 0;
        for (uint32_t i = 0; i < n; i++)
            *log_det += 2 * (log(a[(size_t)i * n + i]) - log(memory[i]));
    }
    hs_free(memory);
    return is_solved ? HS_OK : fail_singular(what, n, diag);
}

/* Adds w x x' to the lower triangle of a and w y x to b. filled: room for the columns of a row. */
static void add_row(double *a, double *b, const double *x, double y, double weight,
                    uint32_t columns, uint32_t *filled)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < columns; j++)
        if (x[j] != 0)
            filled[count++] = j;
    for (uint32_t i = 0; i < count; i++) {
        double *row = a + (size_t)filled[i] * columns;
        double scaled = weight * x[filled[i]];
        for (uint32_t j = 0; j <= i; j++)
            row[filled[j]] += scaled * x[filled[j]];
        b[filled[i]] += scaled * y;
    }
}

enum hs_status hs_solve_ridge(const double *x, const double *y, const double *weights,
                              uint32_t rows, uint32_t columns, const double *lambdas, double *beta,
                              const char *what, struct hs_diag *diag)
{
    assert(columns >= 1);
    double *a = hs_alloc_zeroed((uint64_t)columns * columns, sizeof *a);
    double *b = hs_alloc_zeroed(columns, sizeof *b);
    uint32_t *filled = hs_alloc_zeroed(columns, sizeof *filled);
    enum hs_status status;
    if (a == NULL || b == NULL || filled == NULL) {
        status = fail_memory(what, diag);
    } else {
        for (uint32_t r = 0; r < rows; r++)
            add_row(a, b, x + (size_t)r * columns, y[r], weights != NULL ? weights[r] : 1, columns,
                    filled);
        for (uint32_t i = 0; i < columns; i++) {
            a[(size_t)i * columns + i] += lambdas != NULL ? lambdas[i] : 0;
            for (uint32_t j = i + 1; j < columns; j++)
                a[(size_t)i * columns + j] = a[(size_t)j * columns + i];
        }
        status = hs_solve_spd(a, b, columns, beta, NULL, what, diag);
    }
    hs_free(filled);
    hs_free(b);
    hs_free(a);
    return status;
}

static int call_residual(const gsl_vector *theta, void *problem, gsl_vector *f)
{
    const struct hs_nls *nls = problem;
    assert(theta->stride == 1 && f->stride == 1);
    nls->residual(nls->ctx, theta->data, f->data);
    return are_finite(f->data, nls->residuals) ? GSL_SUCCESS : GSL_EBADFUNC;
}

static int call_jacobian(const gsl_vector *theta, void *problem, gsl_matrix *j)
{
    const struct hs_nls *nls = problem;
    assert(theta->stride == 1 && j->tda == nls->parameters);
    nls->jacobian(nls->ctx, theta->data, j->data);
    return are_finite(j->data, (uint64_t)nls->residuals * nls->parameters) ? GSL_SUCCESS
                                                                           : GSL_EBADFUNC;
}

/* Do the residuals near the answer move with every parameter, and with each in its own way? */
static enum hs_status check_determined(const struct hs_nls *problem, const gsl_matrix *jacobian,
                                       const char *what, struct hs_diag *diag)
{
    double *zeros = hs_alloc_zeroed(problem->residuals, sizeof *zeros);
    double *step = hs_alloc_zeroed(problem->parameters, sizeof *step);
    enum hs_status status = zeros == NULL || step == NULL
                                ? fail_memory(what, diag)
                                : hs_solve_ridge(jacobian->data, zeros, NULL, problem->residuals,
                                                 problem->parameters, NULL, step, what, diag);
    hs_free(step);
    hs_free(zeros);
    return status;
}

static enum hs_status run_trust_region(gsl_multifit_nlinear_workspace *work,
                                       const struct hs_nls *problem, double *theta,
                                       uint32_t max_steps, const char *what, struct hs_diag *diag)
{
    gsl_multifit_nlinear_fdf fdf = {
        .f = call_residual,
        .df = call_jacobian,
        .n = problem->residuals,
        .p = problem->parameters,
    };
    struct hs_nls own = *problem; /* GSL wants it writable */
    fdf.params = &own;
    gsl_vector_const_view start = gsl_vector_const_view_array(theta, problem->parameters);
    if (gsl_multifit_nlinear_init(&start.vector, &fdf, work) != GSL_SUCCESS)
        return fail_not_finite(what, diag);
    int info = 0;
    int done =
        gsl_multifit_nlinear_driver(max_steps, STEP_MIN, STEP_MIN, 0, NULL, NULL, &info, work);
    /* No step that is better: at the bottom, as near as rounding lets it come. GSL tells it apart
     * from too many steps by info alone when it is so from the start. */
    if (done != GSL_SUCCESS && done != GSL_ENOPROG && info != GSL_ENOPROG)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "the form does not fit these measurements, or there are too few of them",
                       "%s: no best fit found in %" PRIu32 " steps", what, max_steps);
    HS_TRY(check_determined(problem, gsl_multifit_nlinear_jac(work), what, diag));
    const gsl_vector *found = gsl_multifit_nlinear_position(work);
    if (!are_finite(found->data, problem->parameters))
        return fail_singular(what, problem->parameters, diag);
    memcpy(theta, found->data, problem->parameters * sizeof *theta);
    return HS_OK;
}

enum hs_status hs_solve_nls(const struct hs_nls *problem, double *theta, uint32_t max_steps,
                            const char *what, struct hs_diag *diag)
{
    if (problem->residuals < problem->parameters)
        return fail_singular(what, problem->parameters, diag);
    gsl_set_error_handler_off();
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    parameters.solver = gsl_multifit_nlinear_solver_cholesky; /* QR costs ten times as much */
    gsl_multifit_nlinear_workspace *work = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &parameters, problem->residuals, problem->parameters);
    if (work == NULL)
        return fail_memory(what, diag);
    enum hs_status status = run_trust_region(work, problem, theta, max_steps, what, diag);
    gsl_multifit_nlinear_free(work);
    return status;
}

const char *hs_solve_library_version(void)
{
    return hs_rng_library_version(); /* the same library */
}
