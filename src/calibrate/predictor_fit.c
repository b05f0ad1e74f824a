/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the catalogue that the utilization predictor can be fitted to, and three small fits. The
 * load and the GPU time of a step are both
 *     ln value = ln(exp(t0) x0 + exp(t1) x1 + exp(t2) x2) - t3 amp
 * by nonlinear least squares; errors count with Huber's smooth loss, for single models are far off
 * for reasons that no count of the graph shows (a point cloud that the host prepares), and a model
 * counts as the root of its rows. A weak prior holds what the data leaves open: with its strength
 * between 0.1 and 1 and the width of the loss between 0.02 and 0.1 the held-out errors on Lucid's
 * rows change by less than 0.002.
 * What a model adds is a ridge on three effects. Its strength is the one of most evidence under
 * normal effects and errors, over a grid: nothing is chosen on held-out rows.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/timeparse.h"
#include "calibrate/predictor_fit.h"
#include "calibrate/solve.h"
#include "model/modelfile.h"

/* A larger batch cannot take so many times less: Lucid's PPO and TD3 report a rate of something
 * else than samples (their "step" of batch 128 is 2.3 times shorter than that of 32). Its other
 * models stay below 1.25 either way. */
#define STEP_SHRINKS_MAX 1.5

#define COEFFICIENTS   4u
#define STEPS_MAX      5000u /* large residuals: the last digits come slowly */
#define UTIL_WIDTH     0.05  /* errors above count as distance, below as squares; of utilization */
#define LN_WIDTH       0.3   /* the same of ln(GPU time) */
#define LN_MARGIN_MAX  5.0   /* a limit 150 times too high limits nothing */
#define PRIOR_STRENGTH 0.3   /* an error of one width counts as 1 / 0.3 = 3.3 units of a t */
#define STARTS         3u
#define START_STEP     3.0
#define EFFECTS        3u
/* Of (error / effect)^2: effects from 7 times the error down to a quarter of it. */
#define RIDGE_MIN   0.02
#define RIDGE_RATIO 1.3
#define RIDGE_STEPS 27u
#define LOGIT_MIN   0.02 /* logit(1) is infinite */
#define SHIFT_RIDGE 1e-3 /* holds an effect of which there are no rows, moves no other */

/* ---- rows ---- */

const char *const hs_utilrow_texts[HS_UTILROW_REASONS] = {
#define REASON_TEXT(name, text) [HS_UTILROW_##name] = text,
    HS_UTILROW_LIST(REASON_TEXT)
#undef REASON_TEXT
};

/* HS_UTILROW_REASONS = usable on its GPU type. */
static enum hs_utilrow_reason reason_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    double batch;
    if (profile->util_pm < 0)
        return HS_UTILROW_NOT_MEASURED;
    if (!hs_parse_double(profile->batch, strlen(profile->batch), &batch) || batch <= 0)
        return HS_UTILROW_NO_BATCH;
    return hs_utilwork_of(profile, work) ? HS_UTILROW_REASONS : HS_UTILROW_NO_FEATURES;
}

bool hs_utilrows_is_first_of_gpu(const struct hs_catalogue *catalogue, uint32_t profile)
{
    for (uint32_t j = 0; j < profile; j++)
        if (hs_model_same_name(catalogue->profiles[j].gpu, catalogue->profiles[profile].gpu))
            return false;
    return true;
}

static const char *most_measured(const struct hs_catalogue *catalogue)
{
    const char *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const char *gpu = catalogue->profiles[i].gpu;
        uint32_t usable = 0;
        struct hs_utilwork work;
        if (!hs_utilrows_is_first_of_gpu(catalogue, i))
            continue;
        for (uint32_t j = i; j < catalogue->count; j++)
            usable += hs_model_same_name(catalogue->profiles[j].gpu, gpu) &&
                      reason_of(&catalogue->profiles[j], &work) == HS_UTILROW_REASONS;
        if (usable > most) {
            most = usable;
            best = gpu;
        }
    }
    return best;
}

static void add_row(struct hs_utilrows *data, const struct hs_profile *profile,
                    const struct hs_utilwork *work)
{
    uint32_t model = data->models;
    for (uint32_t i = 0; i < data->count; i++)
        if (hs_model_same_name(data->rows[i].profile->model, profile->model) &&
            hs_model_same_name(data->rows[i].profile->dataset, profile->dataset)) {
            model = data->rows[i].model;
            break;
        }
    data->models += model == data->models;
    data->rows[data->count++] = (struct hs_utilrow){.profile = profile,
                                                    .model = model,
                                                    .util = profile->util_pm / 1000.0,
                                                    .step_ms = profile->step_ms,
                                                    .work = *work};
}

/* Groups the rows by model, each group by batch, precision and place in the catalogue. */
static void group(struct hs_utilrows *data)
{
    data->members = hs_arena_alloc(&data->arena, data->count * sizeof *data->members);
    data->start = hs_arena_alloc(&data->arena, (data->models + 2) * sizeof *data->start);
    for (uint32_t i = 0; i < data->count; i++)
        data->start[data->rows[i].model + 2]++;
    for (uint32_t m = 0; m < data->models; m++)
        data->start[m + 2] += data->start[m + 1];
    for (uint32_t i = 0; i < data->count; i++) {
        uint32_t first = data->start[data->rows[i].model],
                 at = data->start[data->rows[i].model + 1]++;
        const struct hs_utilwork *own = &data->rows[i].work;
        for (; at > first; at--) { /* rows come in order of place: equals stay behind each other */
            const struct hs_utilwork *before = &data->rows[data->members[at - 1]].work;
            if (before->batch < own->batch ||
                (before->batch == own->batch && (own->is_amp || !before->is_amp)))
                break;
            data->members[at] = data->members[at - 1];
        }
        data->members[at] = i;
    }
}

/* Step times of one model: none where a larger batch takes so much less that it cannot be the time
 * of a step. Host times: where the catalogue has none, of the other rows. */
static void settle_times(struct hs_utilrows *data, const uint32_t *members, uint32_t count)
{
    struct hs_utilrow *rows = data->rows;
    bool is_wrong = false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const struct hs_utilrow *small = &rows[members[i]], *large = &rows[members[j]];
            is_wrong = is_wrong || (small->work.is_amp == large->work.is_amp &&
                                    small->work.batch < large->work.batch &&
                                    small->step_ms > STEP_SHRINKS_MAX * large->step_ms);
        }
    for (uint32_t i = 0; i < count; i++) {
        struct hs_utilrow *row = &rows[members[i]];
        data->no_time += is_wrong && row->step_ms > 0;
        if (is_wrong || !(row->step_ms > 0))
            row->step_ms = NAN;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct hs_utilrow *row = &rows[members[i]];
        double sample_ms = INFINITY;
        for (uint32_t j = 0; j < count; j++)
            if (j != i) /* fmin passes over NaN */
                sample_ms = fmin(sample_ms, rows[members[j]].step_ms / rows[members[j]].work.batch);
        row->host_ms = row->profile->host_ms > 0 ? row->profile->host_ms
                       : isfinite(sample_ms)     ? sample_ms * row->work.batch
                                                 : NAN;
    }
}

static enum hs_status check_rows(const struct hs_utilrows *data, struct hs_diag *diag)
{
    bool differs = false;
    if (data->count < HS_UTILROWS_MIN || data->models < HS_UTILMODELS_MIN)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "rows need util, batch, macs, outputs and layers, all on one GPU type",
                       "%" PRIu32 " usable rows of %" PRIu32 " models (%s): a fit needs at least "
                       "%u rows of %u models",
                       data->count, data->models, data->gpu != NULL ? data->gpu : "no GPU type",
                       HS_UTILROWS_MIN, HS_UTILMODELS_MIN);
    for (uint32_t i = 1; i < data->count; i++) {
        const struct hs_utilwork *a = &data->rows[0].work, *b = &data->rows[i].work;
        differs |= a->gmacs * b->layers != b->gmacs * a->layers ||
                   a->moutputs * b->layers != b->moutputs * a->layers;
    }
    if (!differs)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                       "macs and outputs a layer are the same in all %" PRIu32
                       " rows: nothing tells the models apart",
                       data->count);
    return HS_OK;
}

enum hs_status hs_utilrows_collect(struct hs_utilrows *data, const struct hs_catalogue *catalogue,
                                   const char *gpu, struct hs_diag *diag)
{
    *data = (struct hs_utilrows){.gpu = gpu != NULL ? gpu : most_measured(catalogue)};
    data->rows = hs_arena_alloc(&data->arena, catalogue->count * sizeof *data->rows);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *profile = &catalogue->profiles[i];
        struct hs_utilwork work;
        enum hs_utilrow_reason reason = reason_of(profile, &work);
        if (reason != HS_UTILROW_NOT_MEASURED && data->gpu != NULL &&
            !hs_model_same_name(profile->gpu, data->gpu))
            reason = HS_UTILROW_OTHER_GPU;
        if (reason != HS_UTILROW_REASONS)
            data->dropped[reason]++;
        else
            add_row(data, profile, &work);
    }
    HS_TRY(check_rows(data, diag));
    group(data);
    for (uint32_t m = 0; m < data->models; m++)
        settle_times(data, data->members + data->start[m], data->start[m + 1] - data->start[m]);
    return HS_OK;
}

void hs_utilrows_free(struct hs_utilrows *data)
{
    hs_arena_free(&data->arena);
    *data = (struct hs_utilrows){0};
}

/* ---- load and GPU time ---- */

/* One nonlinear fit: rows of (x0, x1, x2, amp) and what they should give. */
struct load_sample {
    double x[3], target, root_weight;
    bool is_amp;
};

struct load_problem {
    struct load_sample *samples;
    uint32_t count;
    double prior[COEFFICIENTS];
    double width;
    bool is_util; /* the target is 1 - exp(-value), else ln value */
    const char *what;
};

/* ln value at theta; its gradient by theta. */
static double value_at(const struct load_sample *s, const double *theta, double *gradient)
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

/* Residuals f, or the Jacobian j; the other is NULL. The square of a residual is Huber's smooth
 * loss of the error. */
static void load_at(const struct load_problem *problem, const double *theta, double *f, double *j)
{
    uint32_t n = problem->count;
    for (uint32_t r = 0; r < n; r++) {
        const struct load_sample *s = &problem->samples[r];
        double gradient[COEFFICIENTS], value = value_at(s, theta, gradient), slope = 1;
        if (problem->is_util) {
            slope = exp(value - exp(value));
            value = hs_util_of_log_load(value);
        }
        double error = (value - s->target) / problem->width, root = sqrt(1 + error * error);
        if (f != NULL)
            f[r] = s->root_weight * (error * sqrt(2 / (1 + root)));
        double derivative = sqrt((1 + root) / 2) / root;
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

static void load_residual(void *ctx, const double *theta, double *f)
{
    load_at(ctx, theta, f, NULL);
}

static void load_jacobian(void *ctx, const double *theta, double *j)
{
    load_at(ctx, theta, NULL, j);
}

/* Every model counts as the root of its rows, the mean weight is 1. */
static void fill_samples(struct load_problem *problem, const struct hs_utilrows *data,
                         const bool *is_used)
{
    double total = 0;
    for (uint32_t m = 0; m < data->models; m++) {
        uint32_t first = problem->count;
        for (uint32_t at = data->start[m]; at < data->start[m + 1]; at++) {
            const struct hs_utilrow *row = &data->rows[data->members[at]];
            const struct hs_utilwork *work = &row->work;
            double divisor = problem->is_util ? work->layers : 1;
            if (!is_used[data->members[at]] ||
                !(problem->is_util || (row->step_ms > 0 && row->util > 0)))
                continue;
            problem->samples[problem->count++] = (struct load_sample){
                .x = {problem->is_util ? 1 : work->layers, work->gmacs * work->batch / divisor,
                      work->moutputs * work->batch / divisor},
                .target = problem->is_util ? row->util : log(row->util * row->step_ms),
                .is_amp = work->is_amp,
            };
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
 * counts mattering less and less. spread: root mean square of the errors that are left. */
static enum hs_status load_fit(struct load_problem *problem, const struct hs_utilrows *data,
                               const bool *is_used, double *theta, double *spread,
                               struct hs_diag *diag)
{
    double squares = 0, gradient[COEFFICIENTS];
    enum hs_status status = HS_E_INPUT;
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    problem->samples = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *problem->samples);
    fill_samples(problem, data, is_used);
    struct hs_nls nls = {problem->count + COEFFICIENTS, COEFFICIENTS, load_residual, load_jacobian,
                         problem};
    for (uint32_t start = 0; start < STARTS && status == HS_E_INPUT; start++) {
        for (uint32_t p = 0; p < COEFFICIENTS; p++)
            theta[p] = problem->prior[p] - (p == 1 || p == 2 ? START_STEP * start : 0);
        status =
            hs_solve_nls(&nls, theta, STEPS_MAX, problem->what, start + 1 < STARTS ? &quiet : diag);
    }
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
    struct load_problem problem = {
        .prior = {-2, -1, 0, 0.5}, .width = UTIL_WIDTH, .is_util = true, .what = "load of a step"};
    double theta[COEFFICIENTS], spread;
    HS_TRY(load_fit(&problem, data, is_used, theta, &spread, diag));
    form->launch = exp(theta[0]);
    form->per_gmac = exp(theta[1]);
    form->per_moutput = exp(theta[2]);
    form->amp = theta[3];
    return HS_OK;
}

/* Where no row has a step time the prior is all there is, with a margin of one width. */
static enum hs_status fit_busy(const struct hs_utilrows *data, const bool *is_used,
                               struct hs_utilform *form, struct hs_diag *diag)
{
    struct load_problem problem = {
        .prior = {-2, -1, -2, 0.3}, .width = LN_WIDTH, .what = "GPU time of a step"};
    double theta[COEFFICIENTS], spread;
    HS_TRY(load_fit(&problem, data, is_used, theta, &spread, diag));
    form->busy_layer_ms = exp(theta[0]);
    form->busy_gmac_ms = exp(theta[1]);
    form->busy_moutput_ms = exp(theta[2]);
    form->busy_amp = theta[3];
    form->busy_margin = exp(fmin(fmax(spread, LN_WIDTH), LN_MARGIN_MAX));
    return HS_OK;
}

/* ---- what models add ---- */

/* Normal equations of the effects of one model: left behind the centre. */
struct model_effects {
    double xx[EFFECTS * EFFECTS], xy[EFFECTS], yy;
    struct hs_utilmate mate; /* the centre */
    uint32_t configs;
};

static double residual_of(const struct hs_utilform *form, const struct hs_utilrow *row)
{
    return hs_util_residual(row->util, hs_utilform_log_load(form, &row->work));
}

static void centre(const struct hs_utilrows *data, const bool *is_used, uint32_t model,
                   const struct hs_utilform *form, struct model_effects *e)
{
    double *batches = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *batches), sum = 0;
    *e = (struct model_effects){.configs = 0};
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        if (!is_used[data->members[at]])
            continue;
        batches[e->configs++] = row->work.batch / HS_UTIL_BATCH;
        sum += residual_of(form, row);
    }
    if (e->configs > 0)
        hs_utilmate_centre(&e->mate, sum / e->configs, batches, e->configs);
    hs_free(batches);
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        if (!is_used[data->members[at]])
            continue;
        double y = residual_of(form, row) - hs_utilmate_effect(&e->mate, &row->work);
        double ln_batch = log(row->work.batch / HS_UTIL_BATCH);
        double precision = row->work.is_amp ? 0.5 : -0.5;
        const double x[EFFECTS] = {ln_batch, precision, ln_batch * precision};
        for (uint32_t i = 0; i < EFFECTS; i++) {
            for (uint32_t j = 0; j < EFFECTS; j++)
                e->xx[i * EFFECTS + j] += x[i] * x[j];
            e->xy[i] += x[i] * y;
        }
        e->yy += y * y;
    }
}

static enum hs_status solve_effects(const struct model_effects *e, double ridge, double *beta,
                                    double *log_det, struct hs_diag *diag)
{
    double a[EFFECTS * EFFECTS];
    for (uint32_t i = 0; i < EFFECTS * EFFECTS; i++)
        a[i] = e->xx[i] + (i % (EFFECTS + 1) == 0 ? ridge : 0);
    return hs_solve_spd(a, e->xy, EFFECTS, beta, log_det, "effects of a model", diag);
}

/* -2 ln p(data), up to a constant, with effects N(0, s^2 / ridge), errors N(0, s^2) and the best s:
 * N ln(y' (I + X X' / ridge)^-1 y / N) + ln det(I + X X' / ridge), in the space of the effects. */
static enum hs_status deviance(const struct model_effects *all, uint32_t models, double ridge,
                               double *value, struct hs_diag *diag)
{
    double squares = 0, log_dets = 0, beta[EFFECTS], log_det;
    uint32_t rows = 0;
    for (uint32_t m = 0; m < models; m++) {
        if (all[m].configs == 0)
            continue;
        HS_TRY(solve_effects(&all[m], ridge, beta, &log_det, diag));
        squares += all[m].yy;
        for (uint32_t i = 0; i < EFFECTS; i++)
            squares -= beta[i] * all[m].xy[i];
        log_dets += log_det - EFFECTS * log(ridge);
        rows += all[m].configs;
    }
    *value = rows > 0 ? rows * log(fmax(squares / rows, 1e-12)) + log_dets : 0;
    return HS_OK;
}

static enum hs_status pick_ridge(const struct hs_utilrows *data, const bool *is_used,
                                 struct hs_utilfit *fit, struct hs_diag *diag)
{
    struct model_effects *all = hs_alloc_zeroed((uint64_t)data->models + 1, sizeof *all);
    enum hs_status status = HS_OK;
    double best = INFINITY, ridge = RIDGE_MIN, value;
    for (uint32_t m = 0; m < data->models; m++)
        centre(data, is_used, m, &fit->form, &all[m]);
    for (uint32_t step = 0; step < RIDGE_STEPS && status == HS_OK; step++, ridge *= RIDGE_RATIO) {
        status = deviance(all, data->models, ridge, &value, diag);
        if (status == HS_OK && value < best) {
            best = value;
            fit->ridge = ridge;
        }
    }
    hs_free(all);
    return status;
}

enum hs_status hs_utilfit(const struct hs_utilrows *data, const bool *is_used, double ridge,
                          struct hs_utilfit *fit, struct hs_diag *diag)
{
    HS_TRY(hs_utilfit_load(data, is_used, &fit->form, diag));
    HS_TRY(fit_busy(data, is_used, &fit->form, diag));
    fit->ridge = ridge;
    return ridge > 0 ? HS_OK : pick_ridge(data, is_used, fit, diag);
}

enum hs_status hs_utilfit_mate(const struct hs_utilrows *data, const bool *is_used, uint32_t model,
                               const struct hs_utilfit *fit, struct hs_utilmate *mate,
                               uint32_t *configs, struct hs_diag *diag)
{
    struct model_effects e;
    double beta[EFFECTS];
    centre(data, is_used, model, &fit->form, &e);
    HS_TRY(solve_effects(&e, fit->ridge, beta, NULL, diag));
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

/* ---- shifts ---- */

static double link_of(enum hs_utillink link, double util)
{
    double clipped = fmin(fmax(util, LOGIT_MIN), 1 - LOGIT_MIN);
    return link == HS_UTILLINK_LOAD ? hs_util_to_log_load(util) : log(clipped / (1 - clipped));
}

/* One regression on (ln batch, amp), of all less the mean of their model. */
enum hs_status hs_utilshift_fit(const struct hs_utilrows *data, const bool *is_used,
                                enum hs_utillink link, struct hs_utilshift *shift,
                                struct hs_diag *diag)
{
    static const double lambdas[2] = {SHIFT_RIDGE, SHIFT_RIDGE};
    double *x = hs_alloc_zeroed((uint64_t)data->count * 3, sizeof *x), beta[2] = {0};
    double *y = x + (size_t)data->count * 2;
    uint32_t n = 0;
    for (uint32_t m = 0; m < data->models; m++) {
        double mean[3] = {0};
        uint32_t first = n;
        for (uint32_t at = data->start[m]; at < data->start[m + 1]; at++) {
            const struct hs_utilrow *row = &data->rows[data->members[at]];
            if (!is_used[data->members[at]])
                continue;
            mean[0] += x[(size_t)n * 2] = log(row->work.batch);
            mean[1] += x[(size_t)n * 2 + 1] = row->work.is_amp;
            mean[2] += y[n++] = link_of(link, row->util);
        }
        for (uint32_t i = first; i < n; i++) {
            x[(size_t)i * 2] -= mean[0] / (n - first);
            x[(size_t)i * 2 + 1] -= mean[1] / (n - first);
            y[i] -= mean[2] / (n - first);
        }
    }
    enum hs_status status =
        hs_solve_ridge(x, y, n, 2, lambdas, beta, "shift of a measurement", diag);
    *shift = (struct hs_utilshift){beta[0], beta[1]};
    hs_free(x);
    return status;
}

double hs_utilshift_apply(const struct hs_utilshift *shift, enum hs_utillink link,
                          const struct hs_utilrow *from, const struct hs_utilrow *to)
{
    double value = link_of(link, from->util) +
                   shift->per_ln_batch * log(to->work.batch / from->work.batch) +
                   shift->amp * ((int)to->work.is_amp - (int)from->work.is_amp);
    return link == HS_UTILLINK_LOAD ? hs_util_of_log_load(value) : 1 / (1 + exp(-value));
}
