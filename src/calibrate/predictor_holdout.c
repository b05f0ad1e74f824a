/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The predictor on rows that it has not seen: one configuration left out, a model left out, a model
 * left out but for one configuration. A fit a fold: O(folds x rows).
 */
#include "calibrate/predictor_holdout.h"

#include <math.h>

/* Leave-one-out up to here; then every so-manieth row together, to stay within seconds. */
#define FOLDS_MAX 200u

const char *const hs_utilrule_protocols[HS_UTILRULE_COUNT] = {
#define PROTOCOL(name, protocol, knows) [HS_UTILRULE_##name] = protocol,
    HS_UTILRULE_LIST(PROTOCOL)
#undef PROTOCOL
};
const char *const hs_utilrule_knows[HS_UTILRULE_COUNT] = {
#define KNOWS(name, protocol, knows) [HS_UTILRULE_##name] = knows,
    HS_UTILRULE_LIST(KNOWS)
#undef KNOWS
};

/* ---- lists ---- */

enum hs_status hs_utillist_add(struct hs_utillist *list, double observed, double predicted)
{
    uint64_t need = (uint64_t)list->count + 1;
    HS_TRY(
        hs_grow((void **)&list->observed, &list->observed_cap, need, sizeof(double), UINT32_MAX));
    HS_TRY(
        hs_grow((void **)&list->predicted, &list->predicted_cap, need, sizeof(double), UINT32_MAX));
    list->observed[list->count] = observed;
    list->predicted[list->count++] = predicted;
    return HS_OK;
}

enum hs_status hs_utillist_score(const struct hs_utillist *list, struct hs_utilscore *score)
{
    HS_TRY(hs_score(list->observed, list->predicted, list->count, &score->score));
    score->rmsle = hs_score_rmsle(list->observed, list->predicted, list->count, 1);
    score->rmsle_percent = hs_score_rmsle(list->observed, list->predicted, list->count, 100);
    return HS_OK;
}

void hs_utillist_free(struct hs_utillist *list)
{
    hs_free(list->observed);
    hs_free(list->predicted);
    *list = (struct hs_utillist){0};
}

/* ---- folds ---- */

static enum hs_status predict_fold(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                   const bool *is_used, double ridge, struct hs_diag *diag)
{
    struct hs_utilfit fit;
    HS_TRY(hs_utilfit(data, is_used, ridge, &fit, diag));
    for (uint32_t i = 0; i < data->count; i++) {
        const struct hs_utilrow *row = &data->rows[i];
        struct hs_utilmate mate;
        uint32_t configs;
        if (is_used[i])
            continue;
        HS_TRY(hs_utilfit_mate(data, is_used, row->model, &fit, &mate, &configs, diag));
        if (configs == 0)
            continue;
        h->config[i] = hs_utilfit_predict(&fit, &mate, &row->work);
        HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_CONFIG], row->util, h->config[i]));
    }
    return HS_OK;
}

static enum hs_status leave_configs_out(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                        bool *is_used, double ridge, struct hs_diag *diag)
{
    uint32_t folds = data->count < FOLDS_MAX ? data->count : FOLDS_MAX;
    for (uint32_t fold = 0; fold < folds; fold++) {
        for (uint32_t i = 0; i < data->count; i++)
            is_used[i] = i % folds != fold;
        HS_TRY(predict_fold(h, data, is_used, ridge, diag));
    }
    return HS_OK;
}

static enum hs_status predict_row(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                  uint32_t i, const struct hs_utilfit *fit)
{
    const struct hs_utilrow *row = &data->rows[i];
    h->model[i] = hs_util_of_log_load(hs_utilform_log_load(&fit->form, &row->work));
    h->host[i] = hs_utilform_host_limit(&fit->form, &row->work, h->model[i], row->host_ms);
    double step = hs_utilform_host_limit(&fit->form, &row->work, h->model[i], row->step_ms);
    HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_UNSEEN], row->util, h->model[i]));
    HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_UNSEEN_HOST], row->util, h->host[i]));
    return hs_utillist_add(&h->lists[HS_UTILRULE_UNSEEN_STEP], row->util, step);
}

/* From one row of a model that the fit has not seen to its others. */
static enum hs_status predict_from(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                   uint32_t from, const struct hs_utilfit *fit)
{
    const struct hs_utilrow *known = &data->rows[data->members[from]];
    bool is_middle = from == hs_utilrows_middle(data, known->model);
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
        HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_ONE], row->util, util));
        if (is_middle)
            HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_ONE_MIDDLE], row->util, util));
    }
    return HS_OK;
}

static enum hs_status leave_models_out(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                       bool *is_used, double ridge, struct hs_diag *diag)
{
    for (uint32_t m = 0; m < data->models; m++) {
        struct hs_utilfit fit;
        for (uint32_t i = 0; i < data->count; i++)
            is_used[i] = data->rows[i].model != m;
        HS_TRY(hs_utilfit(data, is_used, ridge, &fit, diag));
        for (uint32_t at = data->start[m]; at < data->start[m + 1]; at++) {
            HS_TRY(predict_row(h, data, data->members[at], &fit));
            HS_TRY(predict_from(h, data, at, &fit));
        }
        HS_TRY(hs_utilholdout_baselines(h, data, m, is_used, diag));
    }
    return HS_OK;
}

enum hs_status hs_utilholdout_run(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                  double ridge, struct hs_diag *diag)
{
    *h = (struct hs_utilholdout){.config = hs_alloc_zeroed(data->count, sizeof(double)),
                                 .model = hs_alloc_zeroed(data->count, sizeof(double)),
                                 .host = hs_alloc_zeroed(data->count, sizeof(double))};
    bool *is_used = hs_alloc_zeroed(data->count, sizeof *is_used);
    enum hs_status status = HS_E_MEMORY;
    if (h->config != NULL && h->model != NULL && h->host != NULL && is_used != NULL) {
        for (uint32_t i = 0; i < data->count; i++)
            h->config[i] = h->model[i] = h->host[i] = NAN;
        status = leave_configs_out(h, data, is_used, ridge, diag);
    }
    if (status == HS_OK)
        status = leave_models_out(h, data, is_used, ridge, diag);
    for (uint32_t rule = 0; status == HS_OK && rule < HS_UTILRULE_COUNT; rule++)
        status = hs_utillist_score(&h->lists[rule], &h->rules[rule]);
    hs_free(is_used);
    return status;
}

void hs_utilholdout_free(struct hs_utilholdout *h)
{
    for (uint32_t rule = 0; rule < HS_UTILRULE_COUNT; rule++)
        hs_utillist_free(&h->lists[rule]);
    hs_free(h->config);
    hs_free(h->model);
    hs_free(h->host);
    *h = (struct hs_utilholdout){0};
}
