/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forms of joint utilization (calibration.md 5.1) and their fit. Nonlinear least squares with
 * derivatives by central differences: they are exact to nine digits, six are written.
 */
#include <math.h>

#include "calibrate/joint.h"
#include "calibrate/solve.h"

#define STEPS_MAX  200u
#define DIFFERENCE 1e-5

/* Jobs that know nothing of each other: idle together only when both are. */
static double independent(const double *theta, const struct hs_joint_row *row,
                          enum hs_joint_target target)
{
    (void)theta;
    return 1 - (1 - row->alone[target][0]) * (1 - row->alone[target][1]);
}

/* The work of both, each stretched in time by its slowdown S = 1 + c u v^b. */
static double slowed(const double *theta, const struct hs_joint_row *row,
                     enum hs_joint_target target)
{
    double u = row->alone[HS_JOINT_GPU][0], v = row->alone[HS_JOINT_GPU][1];
    double sum = row->alone[target][0] / (1 + theta[0] * u * pow(v, theta[1])) +
                 row->alone[target][1] / (1 + theta[0] * v * pow(u, theta[1]));
    return fmin(1, sum);
}

/* Kernels take e times as long beside the other's memory traffic m and utilization v, e =
 * exp(a m - b v), the host as long as ever: busy for u e of u e + (1 - u). */
static double stretched_one(const double *theta, const struct hs_joint_row *row,
                            enum hs_joint_target target, int own)
{
    double e = exp(theta[0] * row->alone[HS_JOINT_BANDWIDTH][1 - own] -
                   theta[1] * row->alone[HS_JOINT_GPU][1 - own]);
    double busy = row->alone[target][own] * e;
    return busy / (busy + (1 - row->alone[target][own]));
}

static double stretched(const double *theta, const struct hs_joint_row *row,
                        enum hs_joint_target target)
{
    return 1 -
           (1 - stretched_one(theta, row, target, 0)) * (1 - stretched_one(theta, row, target, 1));
}

static double scaled(const double *theta, const struct hs_joint_row *row,
                     enum hs_joint_target target)
{
    return fmin(1, 1 - (1 - theta[0] * row->alone[target][0]) *
                           (1 - theta[0] * row->alone[target][1]));
}

static double norm(const double *theta, const struct hs_joint_row *row, enum hs_joint_target target)
{
    return fmin(1, pow(pow(row->alone[target][0], theta[0]) + pow(row->alone[target][1], theta[0]),
                       1 / theta[0]));
}

static double sum(const double *theta, const struct hs_joint_row *row, enum hs_joint_target target)
{
    (void)theta;
    return fmin(1, row->alone[target][0] + row->alone[target][1]);
}

static double larger(const double *theta, const struct hs_joint_row *row,
                     enum hs_joint_target target)
{
    (void)theta;
    return fmax(row->alone[target][0], row->alone[target][1]);
}

const struct hs_joint_form hs_joint_forms[HS_JOINT_FORMS] = {
    [HS_JOINT_INDEPENDENT] = {"1 - prod(1 - u)", 0, {0}, independent},
    [HS_JOINT_SLOWED] = {"min(1, sum u_i / (1 + c U_i V_i^b))", 2, {0.5, 1}, slowed},
    [HS_JOINT_STRETCHED] = {"1 - prod(1 - stretch(u))", 2, {0.1, 0}, stretched},
    [HS_JOINT_SCALED] = {"1 - prod(1 - a u)", 1, {1}, scaled},
    [HS_JOINT_NORM] = {"min(1, (sum u^p)^(1/p))", 1, {2}, norm},
    [HS_JOINT_SUM] = {"min(1, sum u)", 0, {0}, sum},
    [HS_JOINT_MAX] = {"max u", 0, {0}, larger},
};

/* ---- fit ---- */

struct problem {
    const struct hs_joint_form *form;
    enum hs_joint_target target;
    const struct hs_joint_row **rows;
    uint32_t count;
};

static void residual(void *ctx, const double *theta, double *f)
{
    const struct problem *p = ctx;
    for (uint32_t i = 0; i < p->count; i++)
        f[i] = p->form->value(theta, p->rows[i], p->target) - p->rows[i]->joint[p->target];
}

static void jacobian(void *ctx, const double *theta, double *j)
{
    const struct problem *p = ctx;
    double moved[HS_JOINT_PARAMETERS_MAX];
    for (uint32_t k = 0; k < p->form->parameters; k++)
        moved[k] = theta[k];
    for (uint32_t k = 0; k < p->form->parameters; k++) {
        for (uint32_t i = 0; i < p->count; i++) {
            moved[k] = theta[k] + DIFFERENCE;
            double above = p->form->value(moved, p->rows[i], p->target);
            moved[k] = theta[k] - DIFFERENCE;
            double below = p->form->value(moved, p->rows[i], p->target);
            j[(size_t)i * p->form->parameters + k] = (above - below) / (2 * DIFFERENCE);
        }
        moved[k] = theta[k];
    }
}

enum hs_status hs_joint_fit(const struct hs_joint_data *data, const bool *is_used,
                            const struct hs_joint_form *form, enum hs_joint_target target,
                            double *theta)
{
    struct hs_diag quiet;
    struct problem p = {.form = form, .target = target};
    struct hs_nls nls = {
        .parameters = form->parameters, .residual = residual, .jacobian = jacobian, .ctx = &p};
    for (uint32_t k = 0; k < form->parameters; k++)
        theta[k] = form->start[k];
    if (form->parameters == 0)
        return HS_OK;
    p.rows = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *p.rows);
    if (p.rows == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < data->count; i++)
        if (is_used[i])
            p.rows[p.count++] = &data->rows[i];
    nls.residuals = p.count;
    hs_diag_init(&quiet, NULL, NULL);
    quiet.least = HS_ERROR + 1;
    enum hs_status status = hs_solve_nls(&nls, theta, STEPS_MAX, form->text, &quiet);
    hs_free(p.rows);
    return status;
}
