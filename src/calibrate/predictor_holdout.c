/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The predictor on rows that it has not seen: one configuration left out, a model left out, a model
 * left out but for one configuration, another GPU type. On the same rows: the mean of the other
 * models, the measured value itself, shifts of it that are the same for all models, a line in log
 * batch, and the predictor with the divisor that is best without the held-out model.
 */
#include <math.h>
#include <string.h>

#include "calibrate/predictor_fit.h"
#include "model/modelfile.h"

/* Leave-one-out up to here; then every so-manieth row together, to stay within seconds. */
#define FOLDS_MAX 200u

struct util_holdout {
    struct hs_utilholdout *out;
    const struct hs_utilrows *data;
    double ridge;
    bool *is_used, *inner; /* rows of the fit of the fold; of a fit inside it */
    struct hs_predictions lists[HS_UTILRULE_COUNT];
    struct hs_diag *diag;
};

static void add(struct util_holdout *h, enum hs_utilrule rule, const struct hs_utilrow *row,
                double util)
{
    hs_predictions_add(&h->lists[rule], row->util, util);
}

static void score_lists(struct hs_predictions *lists, struct hs_utilscore *scores)
{
    for (uint32_t rule = 0; rule < HS_UTILRULE_COUNT; rule++) {
        struct hs_predictions *l = &lists[rule];
        hs_predictions_score(l, &scores[rule].score);
        scores[rule].rmsle = hs_score_rmsle(l->observed, l->predicted, l->count, 1);
        scores[rule].rmsle_percent = hs_score_rmsle(l->observed, l->predicted, l->count, 100);
        hs_predictions_free(l);
    }
}

/* ---- configurations ---- */

static enum hs_status leave_configs_out(struct util_holdout *h)
{
    const struct hs_utilrows *data = h->data;
    uint32_t folds = data->count < FOLDS_MAX ? data->count : FOLDS_MAX;
    for (uint32_t fold = 0; fold < folds; fold++) {
        struct hs_utilfit fit;
        for (uint32_t i = 0; i < data->count; i++)
            h->is_used[i] = i % folds != fold;
        HS_TRY(hs_utilfit(data, h->is_used, h->ridge, &fit, h->diag));
        for (uint32_t i = fold; i < data->count; i += folds) {
            const struct hs_utilrow *row = &data->rows[i];
            struct hs_utilmate mate;
            uint32_t configs;
            HS_TRY(hs_utilfit_mate(data, h->is_used, row->model, &fit, &mate, &configs, h->diag));
            if (configs == 0)
                continue;
            h->out->config[i] = hs_utilfit_predict(&fit, &mate, &row->work);
            add(h, HS_UTILRULE_CONFIG, row, h->out->config[i]);
        }
    }
    return HS_OK;
}

/* ---- from one measured configuration ---- */

/* A row of middle batch and precision of a model, as a place in data->members. */
static uint32_t middle_of(const struct hs_utilrows *data, uint32_t model)
{
    return data->start[model] + (data->start[model + 1] - data->start[model]) / 2;
}

/* From each row of a model to its others, by the measured value and by both shifts of it. lists: by
 * rule; those from the middle follow. */
static void predict_by_shifts(const struct hs_utilrows *data, uint32_t model,
                              const struct hs_utilshift *shifts, struct hs_predictions *lists)
{
    static const enum hs_utilrule rules[HS_UTILLINKS] = {HS_UTILRULE_SHIFT, HS_UTILRULE_LOGIT};
    uint32_t begin = data->start[model], end = data->start[model + 1];
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t j = begin; j < end; j++) {
            const struct hs_utilrow *from = &data->rows[data->members[i]];
            const struct hs_utilrow *to = &data->rows[data->members[j]];
            bool is_middle = i == middle_of(data, model);
            if (i == j)
                continue;
            for (int l = 0; l < HS_UTILLINKS; l++) {
                double util = hs_utilshift_apply(&shifts[l], (enum hs_utillink)l, from, to);
                hs_predictions_add(&lists[rules[l]], to->util, util);
                if (is_middle)
                    hs_predictions_add(&lists[rules[l] + 1], to->util, util);
            }
            hs_predictions_add(&lists[HS_UTILRULE_COPY], to->util, from->util);
            if (is_middle)
                hs_predictions_add(&lists[HS_UTILRULE_COPY_MIDDLE], to->util, from->util);
        }
}

/* From one row of a model that the fit has not seen to its others. */
static void predict_from(struct util_holdout *h, uint32_t from, const struct hs_utilfit *fit)
{
    const struct hs_utilrows *data = h->data;
    const struct hs_utilrow *known = &data->rows[data->members[from]];
    struct hs_utilmate mate;
    double batch = known->work.batch / HS_UTIL_BATCH;
    hs_utilmate_centre(
        &mate, hs_util_residual(known->util, hs_utilform_log_load(&fit->form, &known->work)),
        &batch, 1);
    for (uint32_t to = data->start[known->model]; to < data->start[known->model + 1]; to++) {
        const struct hs_utilrow *row = &data->rows[data->members[to]];
        double util = hs_utilfit_predict(fit, &mate, &row->work);
        if (to == from)
            continue;
        add(h, HS_UTILRULE_ONE, row, util);
        if (from == middle_of(data, known->model))
            add(h, HS_UTILRULE_ONE_MIDDLE, row, util);
    }
}

/* In log1p(per cent) over ln batch, through the other batches of the same precision: what the
 * policies' "table" predictor does (model/predictor.c). NaN below two other batches. */
static double line_through_others(const struct hs_utilrows *data, const struct hs_utilrow *to)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t at = data->start[to->model]; at < data->start[to->model + 1]; at++) {
        const struct hs_utilrow *from = &data->rows[data->members[at]];
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

/* ---- divisors ---- */

/* Counts that a step's launches could go by. */
static double divisor_of(const struct hs_utilrow *row, uint32_t choice)
{
    const double *f = row->profile->features;
    double dense = f[HS_FEATURE_CONVS] + f[HS_FEATURE_LINEARS];
    double all = dense + f[HS_FEATURE_ACTIVATIONS] + f[HS_FEATURE_OTHERS];
    const double divisors[] = {row->work.layers, dense, all, 30};
    return divisors[choice] >= 1 ? divisors[choice] : row->work.layers;
}
#define DIVISORS 4u

static enum hs_status predict_model(const struct hs_utilrows *data, const bool *is_used,
                                    uint32_t model, struct hs_predictions *list,
                                    struct hs_diag *diag)
{
    struct hs_utilform form;
    HS_TRY(hs_utilfit_load(data, is_used, &form, diag));
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        hs_predictions_add(list, row->util,
                           hs_util_of_log_load(hs_utilform_log_load(&form, &row->work)));
    }
    return HS_OK;
}

/* MAE of leave-one-model-out within the used rows. */
static enum hs_status inner_error(struct util_holdout *h, const struct hs_utilrows *data,
                                  double *mae)
{
    struct hs_predictions list = {0};
    enum hs_status status = HS_OK;
    for (uint32_t m = 0; m < data->models && status == HS_OK; m++) {
        if (!h->is_used[data->members[data->start[m]]])
            continue;
        for (uint32_t i = 0; i < data->count; i++)
            h->inner[i] = h->is_used[i] && data->rows[i].model != m;
        status = predict_model(data, h->inner, m, &list, h->diag);
    }
    *mae = 0;
    for (uint32_t i = 0; i < list.count; i++)
        *mae += fabs(list.predicted[i] - list.observed[i]) / list.count;
    hs_predictions_free(&list);
    return status;
}

/* The held-out model with the divisor that is best without it. */
static enum hs_status predict_by_best_divisor(struct util_holdout *h, uint32_t model)
{
    struct hs_utilrows copy = *h->data; /* with other divisors in its rows */
    double best_mae = INFINITY, mae;
    uint32_t best = 0;
    enum hs_status status = HS_OK;
    copy.rows = hs_alloc_zeroed(copy.count, sizeof *copy.rows);
    memcpy(copy.rows, h->data->rows, copy.count * sizeof *copy.rows);
    for (uint32_t choice = 0; choice < DIVISORS && status == HS_OK; choice++) {
        for (uint32_t i = 0; i < copy.count; i++)
            copy.rows[i].work.layers = divisor_of(&h->data->rows[i], choice);
        status = inner_error(h, &copy, &mae);
        if (status == HS_OK && mae < best_mae) {
            best_mae = mae;
            best = choice;
        }
    }
    h->out->divisors_kept += best == 0;
    for (uint32_t i = 0; i < copy.count; i++)
        copy.rows[i].work.layers = divisor_of(&h->data->rows[i], best);
    if (status == HS_OK)
        status =
            predict_model(&copy, h->is_used, model, &h->lists[HS_UTILRULE_UNSEEN_DIVISOR], h->diag);
    hs_free(copy.rows);
    return status;
}

/* ---- models ---- */

static enum hs_status leave_model_out(struct util_holdout *h, uint32_t model)
{
    const struct hs_utilrows *data = h->data;
    struct hs_utilfit fit;
    struct hs_utilshift shifts[HS_UTILLINKS];
    double sum = 0, used = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        h->is_used[i] = data->rows[i].model != model;
        sum += h->is_used[i] ? data->rows[i].util : 0;
        used += h->is_used[i];
    }
    HS_TRY(hs_utilfit(data, h->is_used, h->ridge, &fit, h->diag));
    for (int l = 0; l < HS_UTILLINKS; l++)
        HS_TRY(hs_utilshift_fit(data, h->is_used, (enum hs_utillink)l, &shifts[l], h->diag));
    predict_by_shifts(data, model, shifts, h->lists);
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        uint32_t i = data->members[at];
        const struct hs_utilrow *row = &data->rows[i];
        double util = hs_util_of_log_load(hs_utilform_log_load(&fit.form, &row->work));
        double line = line_through_others(data, row);
        h->out->model[i] = util;
        h->out->host[i] = hs_utilform_host_limit(&fit.form, &row->work, util, row->host_ms);
        add(h, HS_UTILRULE_UNSEEN, row, util);
        add(h, HS_UTILRULE_UNSEEN_HOST, row, h->out->host[i]);
        add(h, HS_UTILRULE_UNSEEN_STEP, row,
            hs_utilform_host_limit(&fit.form, &row->work, util, row->step_ms));
        add(h, HS_UTILRULE_CONSTANT, row, sum / used);
        if (!isnan(line))
            add(h, HS_UTILRULE_CONFIG_TABLE, row, line);
        predict_from(h, at, &fit);
    }
    return predict_by_best_divisor(h, model);
}

enum hs_status hs_utilholdout_run(struct hs_utilholdout *out, struct hs_utilrows *data,
                                  double ridge, struct hs_diag *diag)
{
    struct hs_arena *arena = &data->arena;
    struct util_holdout h = {.out = out, .data = data, .ridge = ridge, .diag = diag};
    *out = (struct hs_utilholdout){.config = hs_arena_alloc(arena, data->count * sizeof(double)),
                                   .model = hs_arena_alloc(arena, data->count * sizeof(double)),
                                   .host = hs_arena_alloc(arena, data->count * sizeof(double))};
    h.is_used = hs_arena_alloc(arena, data->count * sizeof(bool));
    h.inner = hs_arena_alloc(arena, data->count * sizeof(bool));
    for (uint32_t i = 0; i < data->count; i++)
        out->config[i] = out->model[i] = out->host[i] = NAN;
    enum hs_status status = leave_configs_out(&h);
    for (uint32_t m = 0; m < data->models && status == HS_OK; m++)
        status = leave_model_out(&h, m);
    score_lists(h.lists, out->rules);
    return status;
}

/* ---- other GPU types ---- */

void hs_utilholdout_elsewhere(struct hs_utilholdout *h, const struct hs_catalogue *catalogue,
                              const char *gpu, const struct hs_utilfit *fit,
                              const struct hs_utilshift *shifts)
{
    for (uint32_t i = 0; i < catalogue->count && h->elsewhere_count < HS_UTILELSEWHERE_MAX; i++) {
        struct hs_predictions lists[HS_UTILRULE_COUNT] = {{0}};
        struct hs_utilrows there;
        struct hs_diag quiet;
        const char *other = catalogue->profiles[i].gpu;
        if (hs_model_same_name(other, gpu) || !hs_utilrows_is_first_of_gpu(catalogue, i))
            continue;
        hs_diag_init(&quiet, NULL, NULL);
        if (hs_utilrows_collect(&there, catalogue, other, &quiet) == HS_OK) { /* enough rows */
            for (uint32_t m = 0; m < there.models; m++)
                predict_by_shifts(&there, m, shifts, lists);
            for (uint32_t r = 0; r < there.count; r++)
                hs_predictions_add(
                    &lists[HS_UTILRULE_UNSEEN], there.rows[r].util,
                    hs_util_of_log_load(hs_utilform_log_load(&fit->form, &there.rows[r].work)));
            struct hs_utilelsewhere *result = &h->elsewhere[h->elsewhere_count++];
            *result = (struct hs_utilelsewhere){
                .gpu = other, .rows = there.count, .models = there.models};
            score_lists(lists, result->rules);
        }
        hs_utilrows_free(&there);
    }
}
