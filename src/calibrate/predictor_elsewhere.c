/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The predictor on rows of GPU types that it was not fitted on: what carries over without being
 * fitted again, from which one can tell what to expect of a type that nobody measured.
 */
#include "calibrate/predictor_holdout.h"
#include "model/modelfile.h"

struct carried {
    const struct hs_utilfit *fit;
    struct hs_utilshift load, logit;
};

static enum hs_status predict_there(const struct hs_utilrows *there, const struct carried *carried,
                                    struct hs_utillist *lists)
{
    for (uint32_t m = 0; m < there->models; m++) {
        HS_TRY(hs_utilshift_pairs(there, m, &carried->load, HS_UTILLINK_LOAD,
                                  &lists[HS_UTILRULE_SHIFT]));
        HS_TRY(hs_utilshift_pairs(there, m, &carried->logit, HS_UTILLINK_LOGIT,
                                  &lists[HS_UTILRULE_LOGIT]));
        HS_TRY(hs_utilshift_pairs(there, m, NULL, HS_UTILLINK_LOAD, &lists[HS_UTILRULE_COPY]));
    }
    for (uint32_t i = 0; i < there->count; i++) {
        const struct hs_utilrow *row = &there->rows[i];
        double log_load = hs_utilform_log_load(&carried->fit->form, &row->work);
        HS_TRY(
            hs_utillist_add(&lists[HS_UTILRULE_UNSEEN], row->util, hs_util_of_log_load(log_load)));
    }
    return HS_OK;
}

static enum hs_status score_there(const struct hs_utilrows *there, const struct carried *carried,
                                  struct hs_utilelsewhere *result)
{
    struct hs_utillist lists[HS_UTILRULE_COUNT] = {{0}};
    enum hs_status status = predict_there(there, carried, lists);
    for (uint32_t rule = 0; rule < HS_UTILRULE_COUNT; rule++) {
        if (status == HS_OK)
            status = hs_utillist_score(&lists[rule], &result->rules[rule]);
        hs_utillist_free(&lists[rule]);
    }
    return status;
}

/* Types with too few rows are passed over. */
static enum hs_status try_gpu(struct hs_utilholdout *h, const struct hs_catalogue *catalogue,
                              const char *gpu, const struct carried *carried)
{
    struct hs_utilrows there;
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    enum hs_status status = hs_utilrows_collect(&there, catalogue, gpu, &quiet);
    if (status == HS_OK) {
        struct hs_utilelsewhere *result = &h->elsewhere[h->elsewhere_count];
        *result =
            (struct hs_utilelsewhere){.gpu = gpu, .rows = there.count, .models = there.models};
        status = score_there(&there, carried, result);
        h->elsewhere_count += status == HS_OK;
    } else if (status == HS_E_INPUT) {
        status = HS_OK;
    }
    hs_utilrows_free(&there);
    return status;
}

static bool is_first_of_gpu(const struct hs_catalogue *catalogue, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (hs_model_same_name(catalogue->profiles[j].gpu, catalogue->profiles[i].gpu))
            return false;
    return true;
}

enum hs_status hs_utilholdout_elsewhere(struct hs_utilholdout *h,
                                        const struct hs_catalogue *catalogue,
                                        const struct hs_utilrows *data,
                                        const struct hs_utilfit *fit, struct hs_diag *diag)
{
    struct carried carried = {.fit = fit};
    bool *is_used = hs_alloc_zeroed(data->count, sizeof *is_used);
    if (is_used == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < data->count; i++)
        is_used[i] = true;
    enum hs_status status = hs_utilshift_fit(data, is_used, HS_UTILLINK_LOAD, &carried.load, diag);
    if (status == HS_OK)
        status = hs_utilshift_fit(data, is_used, HS_UTILLINK_LOGIT, &carried.logit, diag);
    hs_free(is_used);
    for (uint32_t i = 0; i < catalogue->count && status == HS_OK; i++) {
        const char *gpu = catalogue->profiles[i].gpu;
        if (!hs_model_same_name(gpu, data->gpu) && is_first_of_gpu(catalogue, i) &&
            h->elsewhere_count < HS_UTILELSEWHERE_MAX)
            status = try_gpu(h, catalogue, gpu, &carried);
    }
    return status;
}
