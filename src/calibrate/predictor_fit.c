/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three small fits. The load and the GPU time of a step are both
 *     ln value = ln(exp(t0) x0 + exp(t1) x1 + exp(t2) x2) - t3 amp
 * by nonlinear least squares; errors count with Huber's smooth loss, for single models are far off
 * for reasons that no count of the graph knows (a point cloud that the host prepares), and a model
 * counts as the root of its rows. A weak prior holds what the data leaves open: with its strength
 * between 0.1 and 1 and the width of the loss between 0.02 and 0.1 the held-out errors on Lucid's
 * rows change by less than 0.002.
 * What a model adds is a ridge on three effects. Its strength is the one of most evidence under
 * normal effects and errors, over a grid: nothing is chosen on held-out rows.
 */
#include "calibrate/predictor_fit.h"

#include <math.h>

#include "calibrate/solve.h"

#define COEFFICIENTS   4u
#define STEPS_MAX      5000u /* large residuals: the last digits come slowly */
#define UTIL_WIDTH     0.05  /* errors above count as distance, below as squares; of utilization */
#define LN_WIDTH       0.3   /* the same of ln(GPU time) */
#define LN_MARGIN_MAX  5.0   /* a limit 150 times too high limits nothing */
#define PRIOR_STRENGTH 0.3   /* an error of one width counts as 1 / 0.3 = 3.3 units of a t */
#define STARTS         3u
#define START_STEP     3.0
#define EFFECTS        3u

static const double load_prior[COEFFICIENTS] = {-2, -1, 0, 0.5};
static const double busy_prior[COEFFICIENTS] = {-2, -1, -2, 0.3};

/* One nonlinear fit: rows of (x0, x1, x2, amp) and what they should give. */
struct sample {
    double x[3], target, root_weight;
    bool is_amp;
};

struct logsum {
    struct sample *samples;
    uint32_t count;
    const double *prior;
    double width;
    bool is_util; /* the target is 1 - exp(-value), else ln value */
};

/* ln value at theta; its gradient by theta. */
static double value_at(const struct sample *s, const double *theta, double *gradient)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        gradient[i] = exp(theta[i]) * s->x[i];
        sum += gradient[i];
    }
    for (uint32_t i = 0; i < 3; i++)
        gradient[i] /= sum;
    gradient[3] = s->is_amp ? -1 : 0;
    return log(sum) - (s->is_amp ? theta[3] : 0);
}

/* The residual whose square is Huber's smooth loss, and its derivative by the error. */
static double soften(double error, double *derivative)
{
    double root = sqrt(1 + error * error);
    *derivative = sqrt((1 + root) / 2) / root;
    return error * sqrt(2 / (1 + root));
}

static void logsum_both(const struct logsum *problem, const double *theta, double *f, double *j)
{
    uint32_t n = problem->count;
    for (uint32_t r = 0; r < n; r++) {
        const struct sample *s = &problem->samples[r];
        double gradient[COEFFICIENTS], derivative;
        double value = value_at(s, theta, gradient), slope = 1;
        if (problem->is_util) {
            slope = exp(value - exp(value));
            value = hs_util_of_log_load(value);
        }
        double residual = soften((value - s->target) / problem->width, &derivative);
        if (f != NULL)
            f[r] = s->root_weight * residual;
        for (uint32_t i = 0; i < COEFFICIENTS && j != NULL; i++)
            j[r * COEFFICIENTS + i] =
                s->root_weight * derivative * slope * gradient[i] / problem->width;
    }
    for (uint32_t p = 0; p < COEFFICIENTS; p++) {
        if (f != NULL)
            f[n + p] = PRIOR_STRENGTH * (theta[p] - problem->prior[p]);
        for (uint32_t i = 0; i < COEFFICIENTS && j != NULL; i++)
            j[(n + p) * COEFFICIENTS + i] = i == p ? PRIOR_STRENGTH : 0;
    }
}

static void logsum_residual(void *ctx, const double *theta, double *f)
{
    logsum_both(ctx, theta, f, NULL);
}

static void logsum_jacobian(void *ctx, const double *theta, double *j)
{
    logsum_both(ctx, theta, NULL, j);
}

static bool takes_part(const struct logsum *problem, const struct hs_utilrow *row, bool is_used)
{
    return is_used && (problem->is_util || (row->step_ms > 0 && row->util > 0));
}

static void fill_sample(const struct logsum *problem, const struct hs_utilrow *row,
                        struct sample *s)
{
    const struct hs_utilwork *work = &row->work;
    double divisor = problem->is_util ? work->layers : 1;
    s->x[0] = problem->is_util ? 1 : work->layers;
    s->x[1] = work->gmacs * work->batch / divisor;
    s->x[2] = work->moutputs * work->batch / divisor;
    s->target = problem->is_util ? row->util : log(row->util * row->step_ms);
    s->is_amp = work->is_amp;
}

/* Every model counts as the root of its rows, the mean weight is 1. */
static void fill_samples(struct logsum *problem, const struct hs_utilrows *data,
                         const bool *is_used)
{
    double total = 0;
    for (uint32_t m = 0; m < data->models; m++) {
        uint32_t first = problem->count;
        for (uint32_t at = data->start[m]; at < data->start[m + 1]; at++) {
            uint32_t i = data->members[at];
            if (takes_part(problem, &data->rows[i], is_used[i]))
                fill_sample(problem, &data->rows[i], &problem->samples[problem->count++]);
        }
        double rows = problem->count - first;
        for (uint32_t r = first; r < problem->count; r++)
            problem->samples[r].root_weight = 1 / sqrt(rows);
        total += sqrt(rows);
    }
    for (uint32_t r = 0; r < problem->count; r++)
        problem->samples[r].root_weight =
            sqrt(problem->samples[r].root_weight * problem->count / total);
}

/* From the prior; where that ends nowhere (utilizations that no count explains), from one with the
 * counts mattering less and less. */
static enum hs_status descend(struct logsum *problem, double *theta, const char *what,
                              struct hs_diag *diag)
{
    enum hs_status status = HS_E_INPUT;
    struct hs_nls nls = {.residuals = problem->count + COEFFICIENTS,
                         .parameters = COEFFICIENTS,
                         .residual = logsum_residual,
                         .jacobian = logsum_jacobian,
                         .ctx = problem};
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    for (uint32_t start = 0; start < STARTS && status == HS_E_INPUT; start++) {
        for (uint32_t p = 0; p < COEFFICIENTS; p++)
            theta[p] = problem->prior[p] - (p == 1 || p == 2 ? START_STEP * start : 0);
        status = hs_solve_nls(&nls, theta, STEPS_MAX, what, start + 1 < STARTS ? &quiet : diag);
    }
    return status;
}

/* spread: root mean square of the errors that are left. */
static enum hs_status logsum_fit(struct logsum *problem, const struct hs_utilrows *data,
                                 const bool *is_used, double *theta, double *spread,
                                 const char *what, struct hs_diag *diag)
{
    double squares = 0, gradient[COEFFICIENTS];
    problem->samples = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *problem->samples);
    if (problem->samples == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: out of memory", what);
    fill_samples(problem, data, is_used);
    enum hs_status status = descend(problem, theta, what, diag);
    for (uint32_t r = 0; r < problem->count; r++) {
        double error = value_at(&problem->samples[r], theta, gradient) - problem->samples[r].target;
        squares += error * error;
    }
    *spread = problem->count > 0 ? sqrt(squares / problem->count) : 0;
    hs_free(problem->samples);
    return status;
}

enum hs_status hs_utilfit_load(const struct hs_utilrows *data, const bool *is_used,
                               struct hs_utilform *form, struct hs_diag *diag)
{
    struct logsum problem = {.prior = load_prior, .width = UTIL_WIDTH, .is_util = true};
    double theta[COEFFICIENTS], spread;
    HS_TRY(logsum_fit(&problem, data, is_used, theta, &spread, "load of a step", diag));
    form->launch = exp(theta[0]);
    form->per_gmac = exp(theta[1]);
    form->per_moutput = exp(theta[2]);
    form->amp = theta[3];
    return HS_OK;
}

/* Where no row tells its step time the prior is all there is, with a margin of one width. */
static enum hs_status fit_busy(const struct hs_utilrows *data, const bool *is_used,
                               struct hs_utilform *form, struct hs_diag *diag)
{
    struct logsum problem = {.prior = busy_prior, .width = LN_WIDTH};
    double theta[COEFFICIENTS], spread;
    HS_TRY(logsum_fit(&problem, data, is_used, theta, &spread, "GPU time of a step", diag));
    form->busy_layer_ms = exp(theta[0]);
    form->busy_gmac_ms = exp(theta[1]);
    form->busy_moutput_ms = exp(theta[2]);
    form->busy_amp = theta[3];
    form->busy_margin = exp(fmin(fmax(spread, LN_WIDTH), LN_MARGIN_MAX));
    return HS_OK;
}

/* ---- what models add ---- */

/* Normal equations of the effects of one model: left behind the centre. */
struct effects {
    double xx[EFFECTS * EFFECTS], xy[EFFECTS], yy;
    struct hs_utilmate mate; /* the centre */
    uint32_t configs;
};

static void effects_of(const struct hs_utilwork *work, double *x)
{
    double ln_batch = log(work->batch / HS_UTIL_BATCH), precision = work->is_amp ? 0.5 : -0.5;
    x[0] = ln_batch;
    x[1] = precision;
    x[2] = ln_batch * precision;
}

static double residual_of(const struct hs_utilform *form, const struct hs_utilrow *row)
{
    return hs_util_residual(row->util, hs_utilform_log_load(form, &row->work));
}

/* batches: room for the rows of the model. */
static void centre(const struct hs_utilrows *data, const bool *is_used, uint32_t model,
                   const struct hs_utilform *form, double *batches, struct effects *e)
{
    double sum = 0;
    *e = (struct effects){.configs = 0};
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        if (!is_used[data->members[at]])
            continue;
        batches[e->configs++] = row->work.batch / HS_UTIL_BATCH;
        sum += residual_of(form, row);
    }
    if (e->configs > 0)
        hs_utilmate_centre(&e->mate, sum / e->configs, batches, e->configs);
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        double x[EFFECTS];
        if (!is_used[data->members[at]])
            continue;
        double y = residual_of(form, row) - hs_utilmate_effect(&e->mate, &row->work);
        effects_of(&row->work, x);
        for (uint32_t i = 0; i < EFFECTS; i++) {
            for (uint32_t j = 0; j < EFFECTS; j++)
                e->xx[i * EFFECTS + j] += x[i] * x[j];
            e->xy[i] += x[i] * y;
        }
        e->yy += y * y;
    }
}

static enum hs_status solve(const struct effects *e, double ridge, double *beta, double *log_det,
                            struct hs_diag *diag)
{
    double a[EFFECTS * EFFECTS];
    for (uint32_t i = 0; i < EFFECTS * EFFECTS; i++)
        a[i] = e->xx[i] + (i % (EFFECTS + 1) == 0 ? ridge : 0);
    return hs_solve_spd(a, e->xy, EFFECTS, beta, log_det, "effects of a model", diag);
}

/* -2 ln p(data), up to a constant, with effects N(0, s^2 / ridge), errors N(0, s^2) and the best s:
 * N ln(y' (I + X X' / ridge)^-1 y / N) + ln det(I + X X' / ridge), in the space of the effects. */
static enum hs_status deviance(const struct effects *all, uint32_t models, double ridge,
                               double *value, struct hs_diag *diag)
{
    double squares = 0, log_dets = 0, beta[EFFECTS], log_det;
    uint32_t rows = 0;
    for (uint32_t m = 0; m < models; m++) {
        if (all[m].configs == 0)
            continue;
        HS_TRY(solve(&all[m], ridge, beta, &log_det, diag));
        squares += all[m].yy;
        for (uint32_t i = 0; i < EFFECTS; i++)
            squares -= beta[i] * all[m].xy[i];
        log_dets += log_det - EFFECTS * log(ridge);
        rows += all[m].configs;
    }
    *value = rows > 0 ? rows * log(fmax(squares / rows, 1e-12)) + log_dets : 0;
    return HS_OK;
}

/* Of (error / effect)^2: effects from 7 times the error down to a quarter of it. */
#define RIDGE_MIN   0.02
#define RIDGE_RATIO 1.3
#define RIDGE_STEPS 27u

static enum hs_status pick_ridge(const struct effects *all, uint32_t models, double *ridge,
                                 struct hs_diag *diag)
{
    double best = INFINITY, at = RIDGE_MIN;
    for (uint32_t step = 0; step < RIDGE_STEPS; step++, at *= RIDGE_RATIO) {
        double value;
        HS_TRY(deviance(all, models, at, &value, diag));
        if (value < best) {
            best = value;
            *ridge = at;
        }
    }
    return HS_OK;
}

static enum hs_status fit_ridge(const struct hs_utilrows *data, const bool *is_used,
                                struct hs_utilfit *fit, struct hs_diag *diag)
{
    struct effects *all = hs_alloc_zeroed((uint64_t)data->models + 1, sizeof *all);
    double *batches = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *batches);
    enum hs_status status = HS_E_MEMORY;
    if (all != NULL && batches != NULL) {
        for (uint32_t m = 0; m < data->models; m++)
            centre(data, is_used, m, &fit->form, batches, &all[m]);
        status = pick_ridge(all, data->models, &fit->ridge, diag);
    }
    hs_free(batches);
    hs_free(all);
    return status;
}

enum hs_status hs_utilfit(const struct hs_utilrows *data, const bool *is_used, double ridge,
                          struct hs_utilfit *fit, struct hs_diag *diag)
{
    HS_TRY(hs_utilfit_load(data, is_used, &fit->form, diag));
    HS_TRY(fit_busy(data, is_used, &fit->form, diag));
    fit->ridge = ridge;
    return ridge > 0 ? HS_OK : fit_ridge(data, is_used, fit, diag);
}

enum hs_status hs_utilfit_mate(const struct hs_utilrows *data, const bool *is_used, uint32_t model,
                               const struct hs_utilfit *fit, struct hs_utilmate *mate,
                               uint32_t *configs, struct hs_diag *diag)
{
    struct effects e;
    double beta[EFFECTS];
    double *batches = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *batches);
    if (batches == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "effects of a model: out of memory");
    centre(data, is_used, model, &fit->form, batches, &e);
    hs_free(batches);
    HS_TRY(solve(&e, fit->ridge, beta, NULL, diag));
    *mate = e.mate;
    mate->slope = beta[0];
    mate->amp = beta[1];
    mate->slope_amp = beta[2];
    *configs = e.configs;
    return HS_OK;
}

double hs_utilfit_predict(const struct hs_utilfit *fit, const struct hs_utilmate *mate,
                          const struct hs_utilwork *work)
{
    return hs_util_of_log_load(hs_utilform_log_load(&fit->form, work) +
                               hs_utilmate_effect(mate, work));
}
