/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the catalogue that the utilization predictor can be fitted to, three small fits, and
 * predictions of rows that these have not seen: one configuration left out, a model left out, a
 * model left out but for one configuration, another GPU type. The load and the GPU time of a step
 * are both ln value = ln(exp(t0) x0 + exp(t1) x1 + exp(t2) x2) - t3 amp by nonlinear least squares;
 * errors count with Huber's smooth loss, for single models are far off for reasons that no count of
 * the graph shows (a point cloud that the host prepares), and a model counts as the root of its
 * rows. A weak prior holds what the data leaves open: with its strength between 0.1 and 1 and the
 * width of the loss between 0.02 and 0.1 the held-out errors on Lucid's rows change by less than
 * 0.002. What a model adds is a ridge on three effects. Its strength is the one of most evidence
 * under normal effects and errors, over a grid: nothing is chosen on held-out rows.
 */
#include "calibrate/predictor_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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
/* Leave-one-out up to here; then every so-manieth row together, to stay within seconds. */
#define FOLDS_MAX 200u

/* ---- rows ---- */

const char *const hs_utilrow_texts[HS_UTILROW_REASONS] = {
#define REASON_TEXT(name, text) [HS_UTILROW_##name] = text,
    HS_UTILROW_LIST(REASON_TEXT)
#undef REASON_TEXT
};

/* Returns why the fit cannot use a profile; HS_UTILROW_REASONS: it can. */
static enum hs_utilrow_reason reason_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    double batch;
    if (profile->util_pm < 0)
        return HS_UTILROW_NOT_MEASURED;
    if (!hs_parse_double(profile->batch, strlen(profile->batch), &batch) || batch <= 0)
        return HS_UTILROW_NO_BATCH;
    return hs_utilwork_of(profile, work) ? HS_UTILROW_REASONS : HS_UTILROW_NO_FEATURES;
}

/* Tells whether no earlier profile has the same GPU type. */
static bool is_first_of_gpu(const struct hs_catalogue *catalogue, uint32_t profile)
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
        if (!is_first_of_gpu(catalogue, i))
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

static int by_model(const void *a, const void *b)
{
    const struct hs_utilrow *x = a, *y = b;
    return 8 * HS_ORDER(x->model, y->model) + 4 * HS_ORDER(x->work.batch, y->work.batch) +
           2 * HS_ORDER(x->work.is_amp, y->work.is_amp) + HS_ORDER(x->place, y->place);
}

/* Step times of one model: none where a larger batch takes so much less that it cannot be the time
 * of a step. Host times: where the catalogue has none, of the other rows. */
static void settle_times(struct hs_utilrows *data, uint32_t first, uint32_t end)
{
    struct hs_utilrow *rows = data->rows;
    bool is_wrong = false;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++)
            is_wrong = is_wrong || (rows[i].work.is_amp == rows[j].work.is_amp &&
                                    rows[i].work.batch < rows[j].work.batch &&
                                    rows[i].step_ms > STEP_SHRINKS_MAX * rows[j].step_ms);
    for (uint32_t i = first; i < end; i++) {
        data->no_time += is_wrong && rows[i].step_ms > 0;
        if (is_wrong || !(rows[i].step_ms > 0))
            rows[i].step_ms = NAN;
    }
    for (uint32_t i = first; i < end; i++) {
        double sample_ms = INFINITY;
        for (uint32_t j = first; j < end; j++)
            if (j != i) /* fmin passes over NaN */
                sample_ms = fmin(sample_ms, rows[j].step_ms / rows[j].work.batch);
        rows[i].host_ms = rows[i].profile->host_ms > 0 ? rows[i].profile->host_ms
                          : isfinite(sample_ms)        ? sample_ms * rows[i].work.batch
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
                                   const char *gpu, struct hs_arena *arena, struct hs_diag *diag)
{
    *data =
        (struct hs_utilrows){.arena = arena, .gpu = gpu != NULL ? gpu : most_measured(catalogue)};
    data->rows = hs_arena_alloc(arena, catalogue->count * sizeof *data->rows);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *profile = &catalogue->profiles[i];
        struct hs_utilrow row = {.profile = profile,
                                 .place = data->count,
                                 .util = profile->util_pm / 1000.0,
                                 .step_ms = profile->step_ms};
        enum hs_utilrow_reason reason = reason_of(profile, &row.work);
        if (reason != HS_UTILROW_NOT_MEASURED && data->gpu != NULL &&
            !hs_model_same_name(profile->gpu, data->gpu))
            reason = HS_UTILROW_OTHER_GPU;
        if (reason != HS_UTILROW_REASONS)
            data->dropped[reason]++;
        else
            data->rows[data->count++] = row;
    }
    struct hs_utilrow *rows = data->rows;
    for (uint32_t i = 0; i < data->count; i++) { /* numbers the models, groups the rows by them */
        uint32_t j = 0;
        while (j < i && !(hs_model_same_name(rows[j].profile->model, rows[i].profile->model) &&
                          hs_model_same_name(rows[j].profile->dataset, rows[i].profile->dataset)))
            j++;
        rows[i].model = j < i ? rows[j].model : data->models++;
    }
    qsort(rows, data->count, sizeof *rows, by_model);
    data->start = hs_arena_alloc(arena, (data->models + 1) * sizeof *data->start);
    data->by_place = hs_arena_alloc(arena, data->count * sizeof *data->by_place);
    for (uint32_t i = 0; i < data->count; i++) {
        data->start[rows[i].model + 1] = i + 1;
        data->by_place[rows[i].place] = i;
    }
    HS_TRY(check_rows(data, diag));
    for (uint32_t m = 0; m < data->models; m++)
        settle_times(data, data->start[m], data->start[m + 1]);
    return HS_OK;
}

static bool is_out(const bool *is_held, uint32_t row)
{
    return is_held != NULL && is_held[row];
}

/* ---- load and GPU time ---- */

/* A nonlinear fit, of rows of (x0, x1, x2, amp) to what they should give. */
struct load_kind {
    const char *what;
    double prior[COEFFICIENTS], width;
    bool is_util; /* the target is 1 - exp(-value), else ln value */
};

static const struct load_kind load_kind = {"load of a step", {-2, -1, 0, 0.5}, UTIL_WIDTH, true};
static const struct load_kind busy_kind = {
    "GPU time of a step", {-2, -1, -2, 0.3}, LN_WIDTH, false};

struct load_sample {
    double x[3], target, root_weight;
    bool is_amp;
};

struct load_problem {
    const struct load_kind *kind;
    struct load_sample *samples;
    uint32_t count;
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
static void load_at(void *ctx, const double *theta, double *f, double *j)
{
    const struct load_problem *problem = ctx;
    uint32_t n = problem->count;
    for (uint32_t r = 0; r < n; r++) {
        const struct load_sample *s = &problem->samples[r];
        double gradient[COEFFICIENTS], value = value_at(s, theta, gradient), slope = 1;
        if (problem->kind->is_util) {
            slope = exp(value - exp(value));
            value = hs_util_of_log_load(value);
        }
        double error = (value - s->target) / problem->kind->width, root = sqrt(1 + error * error);
        if (f != NULL)
            f[r] = s->root_weight * (error * sqrt(2 / (1 + root)));
        double derivative = sqrt((1 + root) / 2) / root;
        for (uint32_t i = 0; i < COEFFICIENTS && j != NULL; i++)
            j[r * COEFFICIENTS + i] =
                s->root_weight * derivative * slope * gradient[i] / problem->kind->width;
    }
    for (uint32_t p = 0; p < COEFFICIENTS; p++) {
        if (f != NULL)
            f[n + p] = PRIOR_STRENGTH * (theta[p] - problem->kind->prior[p]);
        for (uint32_t i = 0; i < COEFFICIENTS && j != NULL; i++)
            j[(n + p) * COEFFICIENTS + i] = i == p ? PRIOR_STRENGTH : 0;
    }
}

/* Every model counts as the root of its rows, the mean weight is 1. */
static void fill_samples(struct load_problem *problem, const struct hs_utilrows *data,
                         const bool *is_held)
{
    bool is_util = problem->kind->is_util;
    double total = 0;
    for (uint32_t m = 0; m < data->models; m++) {
        uint32_t first = problem->count;
        for (uint32_t i = data->start[m]; i < data->start[m + 1]; i++) {
            const struct hs_utilrow *row = &data->rows[i];
            const struct hs_utilwork *work = &row->work;
            double divisor = is_util ? work->layers : 1;
            if (is_out(is_held, i) || !(is_util || (row->step_ms > 0 && row->util > 0)))
                continue;
            problem->samples[problem->count++] = (struct load_sample){
                .x = {is_util ? 1 : work->layers, work->gmacs * work->batch / divisor,
                      work->moutputs * work->batch / divisor},
                .target = is_util ? row->util : log(row->util * row->step_ms),
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
static enum hs_status load_fit(const struct load_kind *kind, const struct hs_utilrows *data,
                               const bool *is_held, double *theta, double *spread,
                               struct hs_diag *diag)
{
    struct load_problem problem = {
        .kind = kind,
        .samples = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *problem.samples)};
    double squares = 0, gradient[COEFFICIENTS];
    enum hs_status status = HS_E_INPUT;
    struct hs_diag quiet = {0};
    fill_samples(&problem, data, is_held);
    struct hs_nls nls = {problem.count + COEFFICIENTS, COEFFICIENTS, load_at, &problem};
    for (uint32_t start = 0; start < STARTS && status == HS_E_INPUT; start++) {
        for (uint32_t p = 0; p < COEFFICIENTS; p++)
            theta[p] = kind->prior[p] - (p == 1 || p == 2 ? START_STEP * start : 0);
        status =
            hs_solve_nls(&nls, theta, STEPS_MAX, kind->what, start + 1 < STARTS ? &quiet : diag);
    }
    for (uint32_t r = 0; r < problem.count; r++) {
        double error = value_at(&problem.samples[r], theta, gradient) - problem.samples[r].target;
        squares += error * error;
    }
    *spread = problem.count > 0 ? sqrt(squares / problem.count) : 0;
    hs_free(problem.samples);
    return status;
}

static enum hs_status fit_load(const struct hs_utilrows *data, const bool *is_held,
                               struct hs_utilform *form, struct hs_diag *diag)
{
    double theta[COEFFICIENTS], spread;
    HS_TRY(load_fit(&load_kind, data, is_held, theta, &spread, diag));
    form->launch = exp(theta[0]);
    form->per_gmac = exp(theta[1]);
    form->per_moutput = exp(theta[2]);
    form->amp = theta[3];
    return HS_OK;
}

/* ---- what models add ---- */

/* Normal equations of the effects that the centre of one model leaves. */
struct model_effects {
    double xx[EFFECTS * EFFECTS], xy[EFFECTS], yy;
    struct hs_utilmate mate; /* the centre */
    uint32_t configs;
};

static double residual_of(const struct hs_utilform *form, const struct hs_utilrow *row)
{
    return hs_util_residual(row->util, hs_utilform_log_load(form, &row->work));
}

static void centre(const struct hs_utilrows *data, const bool *is_held, uint32_t model,
                   const struct hs_utilform *form, struct model_effects *e)
{
    double *batches = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *batches), sum = 0;
    *e = (struct model_effects){.configs = 0};
    for (uint32_t i = data->start[model]; i < data->start[model + 1]; i++)
        if (!is_out(is_held, i)) {
            batches[e->configs++] = data->rows[i].work.batch / HS_UTIL_BATCH;
            sum += residual_of(form, &data->rows[i]);
        }
    if (e->configs > 0)
        hs_utilmate_centre(&e->mate, sum / e->configs, batches, e->configs);
    hs_free(batches);
    for (uint32_t row = data->start[model]; row < data->start[model + 1]; row++) {
        const struct hs_utilwork *work = &data->rows[row].work;
        if (is_out(is_held, row))
            continue;
        double y = residual_of(form, &data->rows[row]) - hs_utilmate_effect(&e->mate, work);
        double ln_batch = log(work->batch / HS_UTIL_BATCH), precision = work->is_amp ? 0.5 : -0.5;
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

enum hs_status hs_utilfit(const struct hs_utilrows *data, const bool *is_held, double ridge,
                          struct hs_utilfit *fit, struct hs_diag *diag)
{
    struct hs_utilform *form = &fit->form;
    double theta[COEFFICIENTS], spread;
    HS_TRY(fit_load(data, is_held, form, diag));
    /* Where no row has a step time the prior is all there is, with a margin of one width. */
    HS_TRY(load_fit(&busy_kind, data, is_held, theta, &spread, diag));
    form->busy_layer_ms = exp(theta[0]);
    form->busy_gmac_ms = exp(theta[1]);
    form->busy_moutput_ms = exp(theta[2]);
    form->busy_amp = theta[3];
    form->busy_margin = exp(fmin(fmax(spread, LN_WIDTH), LN_MARGIN_MAX));
    fit->ridge = ridge;
    if (ridge > 0)
        return HS_OK;
    /* The ridge of least -2 ln p(data), with effects N(0, s^2 / ridge), errors N(0, s^2) and the
     * best s: N ln(y' (I + X X' / ridge)^-1 y / N) + ln det(I + X X' / ridge), in the effects'
     * space. */
    struct model_effects *all = hs_arena_alloc(data->arena, data->models * sizeof *all);
    double best = INFINITY;
    ridge = RIDGE_MIN;
    for (uint32_t m = 0; m < data->models; m++)
        centre(data, is_held, m, form, &all[m]);
    for (uint32_t step = 0; step < RIDGE_STEPS; step++, ridge *= RIDGE_RATIO) {
        double squares = 0, log_dets = 0, beta[EFFECTS], log_det;
        uint32_t rows = 0;
        for (uint32_t m = 0; m < data->models; m++) {
            if (all[m].configs == 0)
                continue;
            HS_TRY(solve_effects(&all[m], ridge, beta, &log_det, diag));
            squares += all[m].yy;
            for (uint32_t i = 0; i < EFFECTS; i++)
                squares -= beta[i] * all[m].xy[i];
            log_dets += log_det - EFFECTS * log(ridge);
            rows += all[m].configs;
        }
        double deviance = rows > 0 ? rows * log(fmax(squares / rows, 1e-12)) + log_dets : 0;
        if (deviance < best) {
            best = deviance;
            fit->ridge = ridge;
        }
    }
    return HS_OK;
}

enum hs_status hs_utilfit_mate(const struct hs_utilrows *data, const bool *is_held, uint32_t model,
                               const struct hs_utilfit *fit, struct hs_utilmate *mate,
                               uint32_t *configs, struct hs_diag *diag)
{
    struct model_effects e;
    double beta[EFFECTS];
    centre(data, is_held, model, &fit->form, &e);
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

static double link_of(int link, double util)
{
    double clipped = fmin(fmax(util, LOGIT_MIN), 1 - LOGIT_MIN);
    return link == HS_UTILLINK_LOAD ? hs_util_to_log_load(util) : log(clipped / (1 - clipped));
}

/* One regression on (ln batch, amp), of all less the mean of their model. */
enum hs_status hs_utilshifts_fit(const struct hs_utilrows *data, const bool *is_held,
                                 struct hs_utilshift *shifts, struct hs_diag *diag)
{
    static const double lambdas[2] = {SHIFT_RIDGE, SHIFT_RIDGE};
    double *x = hs_alloc_zeroed((uint64_t)data->count * 3, sizeof *x), beta[2] = {0};
    double *y = x + (size_t)data->count * 2;
    enum hs_status status = HS_OK;
    for (int link = 0; link < HS_UTILLINKS && status == HS_OK; link++) {
        uint32_t n = 0;
        for (uint32_t m = 0; m < data->models; m++) {
            double mean[3] = {0};
            uint32_t first = n;
            for (uint32_t i = data->start[m]; i < data->start[m + 1]; i++) {
                const struct hs_utilrow *row = &data->rows[i];
                if (is_out(is_held, i))
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
        status = hs_solve_ridge(x, y, n, 2, lambdas, beta, "shift of a measurement", diag);
        shifts[link] = (struct hs_utilshift){beta[0], beta[1]};
    }
    hs_free(x);
    return status;
}

/* ---- predictions of held-out rows ---- */

struct util_holdout {
    struct hs_utilholdout *out;
    const struct hs_utilrows *data;
    double ridge;
    bool *is_held, *inner; /* rows out of the fit of the fold; of a fit inside it */
    struct hs_predictions lists[HS_UTILRULE_COUNT];
    struct hs_diag *diag;
};

static void add(struct hs_predictions *lists, int rule, const struct hs_utilrow *row, double util)
{
    hs_predictions_add(&lists[rule], row->util, util);
}

static void score_lists(struct hs_predictions *lists, struct hs_utilscore *scores)
{
    for (uint32_t rule = 0; rule < HS_UTILRULE_COUNT; rule++) {
        struct hs_predictions *l = &lists[rule];
        scores[rule].rmsle = hs_score_rmsle(l->observed, l->predicted, l->count, 1);
        scores[rule].rmsle_percent = hs_score_rmsle(l->observed, l->predicted, l->count, 100);
        hs_predictions_score(l, &scores[rule].score);
    }
}

static enum hs_status leave_configs_out(struct util_holdout *h)
{
    const struct hs_utilrows *data = h->data;
    uint32_t folds = data->count < FOLDS_MAX ? data->count : FOLDS_MAX;
    for (uint32_t fold = 0; fold < folds; fold++) {
        struct hs_utilfit fit;
        for (uint32_t i = 0; i < data->count; i++)
            h->is_held[i] = data->rows[i].place % folds == fold;
        HS_TRY(hs_utilfit(data, h->is_held, h->ridge, &fit, h->diag));
        for (uint32_t place = fold; place < data->count; place += folds) {
            uint32_t i = data->by_place[place], configs;
            const struct hs_utilrow *row = &data->rows[i];
            struct hs_utilmate mate;
            HS_TRY(hs_utilfit_mate(data, h->is_held, row->model, &fit, &mate, &configs, h->diag));
            if (configs == 0)
                continue;
            h->out->config[i] = hs_utilfit_predict(&fit, &mate, &row->work);
            add(h->lists, HS_UTILRULE_CONFIG, row, h->out->config[i]);
        }
    }
    return HS_OK;
}

/* By a rule that knows one row of the model; the next knows that of middle batch and precision. */
static void add_from(struct hs_predictions *lists, int rule, const struct hs_utilrows *data,
                     uint32_t from, const struct hs_utilrow *row, double util)
{
    const uint32_t *start = &data->start[row->model];
    add(lists, rule, row, util);
    if (from == start[0] + (start[1] - start[0]) / 2)
        add(lists, rule + 1, row, util);
}

/* From each row of a model to its others, by the measured value and by both shifts of it. */
static void predict_by_shifts(const struct hs_utilrows *data, uint32_t model,
                              const struct hs_utilshift *shifts, struct hs_predictions *lists)
{
    static const int rules[HS_UTILLINKS] = {HS_UTILRULE_SHIFT, HS_UTILRULE_LOGIT};
    uint32_t begin = data->start[model], end = data->start[model + 1];
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t j = begin; j < end; j++) {
            const struct hs_utilrow *from = &data->rows[i], *to = &data->rows[j];
            if (i == j)
                continue;
            for (int link = 0; link < HS_UTILLINKS; link++) {
                double value = link_of(link, from->util) +
                               shifts[link].per_ln_batch * log(to->work.batch / from->work.batch) +
                               shifts[link].amp * ((int)to->work.is_amp - (int)from->work.is_amp);
                bool is_load = link == HS_UTILLINK_LOAD;
                add_from(lists, rules[link], data, i, to,
                         is_load ? hs_util_of_log_load(value) : 1 / (1 + exp(-value)));
            }
            add_from(lists, HS_UTILRULE_COPY, data, i, to, from->util);
        }
}

/* In log1p(per cent) over ln batch, through the other batches of the same precision: what the
 * policies' "table" predictor does (model/predictor.c). NaN below two other batches. */
static double line_through_others(const struct hs_utilrows *data, const struct hs_utilrow *to)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = data->start[to->model]; i < data->start[to->model + 1]; i++) {
        const struct hs_utilrow *from = &data->rows[i];
        if (from == to || from->work.is_amp != to->work.is_amp)
            continue;
        double ln_batch = log(from->work.batch), value = log1p(100 * from->util);
        n += 1;
        x += ln_batch;
        y += value;
        xx += ln_batch * ln_batch;
        xy += ln_batch * value;
    }
    double spread = n > 0 ? xx - x * x / n : 0;
    if (spread < 1e-6)
        return NAN;
    double slope = (xy - x * y / n) / spread;
    double value = y / n + slope * (log(to->work.batch) - x / n);
    return fmin(fmax(expm1(value) / 100, 0.01), 1);
}

/* Returns one of the counts to which the launches of a step may be proportional. */
static double divisor_of(const struct hs_utilrow *row, uint32_t choice)
{
    const double *f = row->profile->features;
    double dense = f[HS_FEATURE_CONVS] + f[HS_FEATURE_LINEARS];
    double all = dense + f[HS_FEATURE_ACTIVATIONS] + f[HS_FEATURE_OTHERS];
    const double divisors[] = {row->work.layers, dense, all, 30};
    return divisors[choice] >= 1 ? divisors[choice] : row->work.layers;
}
#define DIVISORS 4u

static enum hs_status predict_model(const struct hs_utilrows *data, const bool *is_held,
                                    uint32_t model, struct hs_predictions *list,
                                    struct hs_diag *diag)
{
    struct hs_utilform form;
    HS_TRY(fit_load(data, is_held, &form, diag));
    for (uint32_t i = data->start[model]; i < data->start[model + 1]; i++)
        add(list, 0, &data->rows[i],
            hs_util_of_log_load(hs_utilform_log_load(&form, &data->rows[i].work)));
    return HS_OK;
}

/* The held-out model with the divisor that is best in leave-one-model-out of the others. */
static enum hs_status predict_by_best_divisor(struct util_holdout *h, uint32_t model)
{
    struct hs_utilrows copy = *h->data; /* with other divisors in its rows */
    double best_mae = INFINITY;
    uint32_t best = 0;
    copy.rows = hs_arena_alloc(copy.arena, copy.count * sizeof *copy.rows);
    memcpy(copy.rows, h->data->rows, copy.count * sizeof *copy.rows);
    for (uint32_t choice = 0; choice < DIVISORS; choice++) {
        struct hs_predictions list = {0};
        struct hs_score score;
        enum hs_status status = HS_OK;
        for (uint32_t i = 0; i < copy.count; i++)
            copy.rows[i].work.layers = divisor_of(&h->data->rows[i], choice);
        for (uint32_t m = 0; m < copy.models && status == HS_OK; m++) {
            if (m == model)
                continue;
            for (uint32_t i = 0; i < copy.count; i++)
                h->inner[i] = h->is_held[i] || copy.rows[i].model == m;
            status = predict_model(&copy, h->inner, m, &list, h->diag);
        }
        hs_predictions_score(&list, &score);
        HS_TRY(status);
        if (score.mae < best_mae) {
            best_mae = score.mae;
            best = choice;
        }
    }
    h->out->divisors_kept += best == 0;
    for (uint32_t i = 0; i < copy.count; i++)
        copy.rows[i].work.layers = divisor_of(&h->data->rows[i], best);
    return predict_model(&copy, h->is_held, model, &h->lists[HS_UTILRULE_UNSEEN_DIVISOR], h->diag);
}

static enum hs_status leave_model_out(struct util_holdout *h, uint32_t model)
{
    const struct hs_utilrows *data = h->data;
    struct hs_utilfit fit;
    struct hs_utilshift shifts[HS_UTILLINKS];
    double sum = 0, used = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        h->is_held[i] = data->rows[i].model == model;
        sum += h->is_held[i] ? 0 : data->rows[i].util;
        used += !h->is_held[i];
    }
    HS_TRY(hs_utilfit(data, h->is_held, h->ridge, &fit, h->diag));
    HS_TRY(hs_utilshifts_fit(data, h->is_held, shifts, h->diag));
    predict_by_shifts(data, model, shifts, h->lists);
    for (uint32_t i = data->start[model]; i < data->start[model + 1]; i++) {
        const struct hs_utilrow *row = &data->rows[i];
        double util = hs_util_of_log_load(hs_utilform_log_load(&fit.form, &row->work));
        double line = line_through_others(data, row);
        h->out->model[i] = util;
        h->out->host[i] = hs_utilform_host_limit(&fit.form, &row->work, util, row->host_ms);
        add(h->lists, HS_UTILRULE_UNSEEN, row, util);
        add(h->lists, HS_UTILRULE_UNSEEN_HOST, row, h->out->host[i]);
        add(h->lists, HS_UTILRULE_UNSEEN_STEP, row,
            hs_utilform_host_limit(&fit.form, &row->work, util, row->step_ms));
        add(h->lists, HS_UTILRULE_CONSTANT, row, sum / used);
        if (!isnan(line))
            add(h->lists, HS_UTILRULE_CONFIG_TABLE, row, line);
        /* Predicts the other rows of the model from this row alone. */
        struct hs_utilmate mate;
        double batch = row->work.batch / HS_UTIL_BATCH;
        hs_utilmate_centre(&mate, residual_of(&fit.form, row), &batch, 1);
        for (uint32_t to = data->start[model]; to < data->start[model + 1]; to++)
            if (to != i)
                add_from(h->lists, HS_UTILRULE_ONE, data, i, &data->rows[to],
                         hs_utilfit_predict(&fit, &mate, &data->rows[to].work));
    }
    return predict_by_best_divisor(h, model);
}

enum hs_status hs_utilholdout_run(struct hs_utilholdout *out, struct hs_utilrows *data,
                                  double ridge, struct hs_diag *diag)
{
    uint64_t n = data->count;
    double *predicted = hs_arena_alloc(data->arena, 3 * n * sizeof *predicted);
    bool *held = hs_arena_alloc(data->arena, 2 * n * sizeof *held);
    struct util_holdout h = {out, data, ridge, .is_held = held, .inner = held + n, .diag = diag};
    *out = (struct hs_utilholdout){
        .config = predicted, .model = predicted + n, .host = predicted + 2 * n};
    for (uint64_t i = 0; i < 3 * n; i++)
        predicted[i] = NAN;
    enum hs_status status = leave_configs_out(&h);
    for (uint32_t m = 0; m < data->models && status == HS_OK; m++)
        status = leave_model_out(&h, m);
    score_lists(h.lists, out->rules);
    return status;
}

void hs_utilholdout_elsewhere(struct hs_utilholdout *h, const struct hs_utilrows *data,
                              const struct hs_catalogue *catalogue, const struct hs_utilfit *fit,
                              const struct hs_utilshift *shifts)
{
    for (uint32_t i = 0; i < catalogue->count && h->elsewhere_count < HS_UTILELSEWHERE_MAX; i++) {
        struct hs_predictions lists[HS_UTILRULE_COUNT] = {{0}};
        struct hs_utilrows there;
        struct hs_diag quiet = {0};
        const char *gpu = catalogue->profiles[i].gpu;
        if (hs_model_same_name(gpu, data->gpu) || !is_first_of_gpu(catalogue, i) ||
            hs_utilrows_collect(&there, catalogue, gpu, data->arena, &quiet) != HS_OK)
            continue; /* too few rows */
        for (uint32_t m = 0; m < there.models; m++)
            predict_by_shifts(&there, m, shifts, lists);
        for (uint32_t r = 0; r < there.count; r++)
            add(lists, HS_UTILRULE_UNSEEN, &there.rows[r],
                hs_util_of_log_load(hs_utilform_log_load(&fit->form, &there.rows[r].work)));
        struct hs_utilelsewhere *result = &h->elsewhere[h->elsewhere_count++];
        *result =
            (struct hs_utilelsewhere){.gpu = gpu, .rows = there.count, .models = there.models};
        score_lists(lists, result->rules);
    }
}
