/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares on the speed with theta = (ln a, ln b, m): a and b are positive by construction,
 * and weak ridge terms towards one mean m of all ln a and ln b settle what only a b determines.
 * Then the effects of two models, each a shrunken mean of residuals: rows of different models
 * share no effect, so that this is the ridge solution.
 */
#include "calibrate/pairrank1.h"

#include <math.h>
#include <string.h>

#include "calibrate/solve.h"

#define STEPS_MAX  200u
#define FACTOR_MAX 1000.0  /* what interference.json may hold */
#define LN_START   (-0.35) /* a = b = 0.7, about the mean of Gavel's: calibration.md 6 */

static uint32_t parameters(const struct hs_pairrank1 *f)
{
    return 2 * f->set->job_count + 1;
}

enum hs_status hs_pairrank1_open(struct hs_pairrank1 *f, const struct hs_pairset *set, double ridge,
                                 struct hs_diag *diag)
{
    *f = (struct hs_pairrank1){.set = set, .ridge = ridge};
    f->theta = hs_alloc_zeroed((uint64_t)parameters(f) * 2, sizeof *f->theta);
    f->pairs = hs_alloc_zeroed((uint64_t)set->model_pair_count * 2, sizeof *f->pairs);
    f->used = hs_alloc_zeroed(set->row_count, sizeof *f->used);
    if (f->theta == NULL || f->pairs == NULL || f->used == NULL) {
        hs_pairrank1_close(f);
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory to fit", set->gpu);
    }
    f->ln_a = f->theta;
    f->ln_b = f->theta + set->job_count;
    f->start = f->theta + parameters(f);
    f->weights = f->pairs + set->model_pair_count;
    for (uint32_t i = 0; i < parameters(f); i++)
        f->start[i] = LN_START;
    return HS_OK;
}

void hs_pairrank1_close(struct hs_pairrank1 *f)
{
    hs_free(f->theta);
    hs_free(f->pairs);
    hs_free(f->used);
    *f = (struct hs_pairrank1){0};
}

static double speed_of(const struct hs_pairrank1 *f, const double *theta, uint32_t row)
{
    const struct hs_pairrow *r = &f->set->rows[row];
    return 1 / (1 + exp(theta[r->own] + theta[f->set->job_count + r->other]));
}

static void residual(void *ctx, const double *theta, double *out)
{
    const struct hs_pairrank1 *f = ctx;
    uint32_t last = parameters(f) - 1;
    double pull = sqrt(HS_RANK1_PRIOR);
    for (uint32_t i = 0; i < f->used_count; i++)
        *out++ = speed_of(f, theta, f->used[i]) - f->set->rows[f->used[i]].speed;
    for (uint32_t p = 0; p < last; p++)
        *out++ = pull * (theta[p] - theta[last]);
}

static void jacobian(void *ctx, const double *theta, double *j)
{
    const struct hs_pairrank1 *f = ctx;
    uint32_t width = parameters(f), last = width - 1;
    double pull = sqrt(HS_RANK1_PRIOR);
    memset(j, 0, ((size_t)f->used_count + last) * width * sizeof *j);
    for (uint32_t i = 0; i < f->used_count; i++, j += width) {
        const struct hs_pairrow *r = &f->set->rows[f->used[i]];
        double speed = speed_of(f, theta, f->used[i]);
        j[r->own] = j[f->set->job_count + r->other] = -speed * (1 - speed);
    }
    for (uint32_t p = 0; p < last; p++, j += width) {
        j[p] = pull;
        j[last] = -pull;
    }
}

static void fit_pairs(struct hs_pairrank1 *f)
{
    for (uint32_t p = 0; p < f->set->model_pair_count; p++) {
        f->pairs[p] = 0;
        f->weights[p] = f->ridge;
    }
    for (uint32_t i = 0; i < f->used_count; i++) {
        const struct hs_pairrow *r = &f->set->rows[f->used[i]];
        f->pairs[r->model_pair] += r->speed - speed_of(f, f->theta, f->used[i]);
        f->weights[r->model_pair] += 1;
    }
    for (uint32_t p = 0; p < f->set->model_pair_count; p++)
        f->pairs[p] /= f->weights[p];
}

/* Of the fit that is written. */
static enum hs_status check(const struct hs_pairrank1 *f, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < f->set->job_count; i++) {
        double a = exp(f->ln_a[i]), b = exp(f->ln_b[i]);
        if (a > FACTOR_MAX || b > FACTOR_MAX)
            return hs_fail(diag, HS_E_INPUT, NULL,
                           "its runs contradict each other, or stood still; see --clean",
                           "%s: 1 + a b does not fit: %s has a = %.3g, b = %.3g", f->set->gpu,
                           f->set->jobs[i].key, a, b);
    }
    return HS_OK;
}

enum hs_status hs_pairrank1_fit(struct hs_pairrank1 *f, const bool *is_held, struct hs_diag *diag)
{
    f->used_count = 0;
    for (uint32_t r = 0; r < f->set->row_count; r++)
        if (is_held == NULL || !is_held[r])
            f->used[f->used_count++] = r;
    if (f->used_count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL, "%s: no row to fit to", f->set->gpu);
    memcpy(f->theta, f->start, parameters(f) * sizeof *f->theta);
    struct hs_nls nls = {f->used_count + parameters(f) - 1, parameters(f), residual, jacobian, f};
    HS_TRY(hs_solve_nls(&nls, f->theta, STEPS_MAX, "the form 1 + a b", diag));
    if (is_held == NULL)
        memcpy(f->start, f->theta, parameters(f) * sizeof *f->theta);
    fit_pairs(f);
    return is_held == NULL ? check(f, diag) : HS_OK;
}

double hs_pairrank1_speed(const struct hs_pairrank1 *f, uint32_t row)
{
    return fmax(HS_SPEED_MIN, speed_of(f, f->theta, row) + f->pairs[f->set->rows[row].model_pair]);
}

static enum hs_status model_fit(void *ctx, const struct hs_pairset *set, const bool *is_held,
                                struct hs_diag *diag)
{
    (void)set;
    return hs_pairrank1_fit(ctx, is_held, diag);
}

static double model_speed(const void *ctx, const struct hs_pairset *set, uint32_t row)
{
    (void)set;
    return hs_pairrank1_speed(ctx, row);
}

struct hs_pairmodel hs_pairrank1_model(struct hs_pairrank1 *f)
{
    return (struct hs_pairmodel){model_fit, model_speed, f};
}
