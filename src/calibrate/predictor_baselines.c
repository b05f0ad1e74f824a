/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the predictor is compared with, on the same rows: the mean of the other models, the measured
 * value itself, shifts of it that are the same for all models, a line in log batch, and the
 * predictor with the divisor that is best without the held-out model.
 */
#include <math.h>

#include "calibrate/predictor_holdout.h"
#include "calibrate/solve.h"

#define LOGIT_MIN   0.02 /* logit(1) is infinite */
#define SHIFT_RIDGE 1e-3 /* holds an effect of which there are no rows, moves no other */

/* ---- shifts ---- */

static double link_of(enum hs_utillink link, double util)
{
    double clipped = fmin(fmax(util, LOGIT_MIN), 1 - LOGIT_MIN);
    return link == HS_UTILLINK_LOAD ? hs_util_to_log_load(util) : log(clipped / (1 - clipped));
}

double hs_utilshift_apply(const struct hs_utilshift *shift, enum hs_utillink link,
                          const struct hs_utilrow *from, const struct hs_utilrow *to)
{
    double value = link_of(link, from->util) +
                   shift->per_ln_batch * log(to->work.batch / from->work.batch) +
                   shift->amp * ((int)to->work.is_amp - (int)from->work.is_amp);
    return link == HS_UTILLINK_LOAD ? hs_util_of_log_load(value) : 1 / (1 + exp(-value));
}

/* Rows of (ln batch, amp) and of the link, less the mean of their model. */
static uint32_t fill_shift(const struct hs_utilrows *data, const bool *is_used, uint32_t model,
                           enum hs_utillink link, double *x, double *y)
{
    double mean[3] = {0};
    uint32_t n = 0;
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        if (!is_used[data->members[at]])
            continue;
        x[(size_t)n * 2] = log(row->work.batch);
        x[(size_t)n * 2 + 1] = row->work.is_amp;
        y[n] = link_of(link, row->util);
        mean[0] += x[(size_t)n * 2];
        mean[1] += x[(size_t)n * 2 + 1];
        mean[2] += y[n++];
    }
    for (uint32_t i = 0; i < n; i++) {
        x[(size_t)i * 2] -= mean[0] / n;
        x[(size_t)i * 2 + 1] -= mean[1] / n;
        y[i] -= mean[2] / n;
    }
    return n;
}

enum hs_status hs_utilshift_fit(const struct hs_utilrows *data, const bool *is_used,
                                enum hs_utillink link, struct hs_utilshift *shift,
                                struct hs_diag *diag)
{
    static const double lambdas[2] = {SHIFT_RIDGE, SHIFT_RIDGE};
    double *x = hs_alloc_zeroed((uint64_t)data->count * 2, sizeof *x);
    double *y = hs_alloc_zeroed(data->count, sizeof *y);
    double beta[2] = {0};
    enum hs_status status = HS_E_MEMORY;
    if (x != NULL && y != NULL) {
        uint32_t n = 0;
        for (uint32_t m = 0; m < data->models; m++)
            n += fill_shift(data, is_used, m, link, x + (size_t)n * 2, y + n);
        status = hs_solve_ridge(x, y, NULL, n, 2, lambdas, beta, "shift of a measurement", diag);
    }
    *shift = (struct hs_utilshift){beta[0], beta[1]};
    hs_free(y);
    hs_free(x);
    return status;
}

uint32_t hs_utilrows_middle(const struct hs_utilrows *data, uint32_t model)
{
    return data->start[model] + (data->start[model + 1] - data->start[model]) / 2;
}

enum hs_status hs_utilshift_pairs(const struct hs_utilrows *data, uint32_t model,
                                  const struct hs_utilshift *shift, enum hs_utillink link,
                                  struct hs_utillist *lists)
{
    uint32_t middle = hs_utilrows_middle(data, model);
    for (uint32_t i = data->start[model]; i < data->start[model + 1]; i++)
        for (uint32_t j = data->start[model]; j < data->start[model + 1]; j++) {
            const struct hs_utilrow *from = &data->rows[data->members[i]];
            const struct hs_utilrow *to = &data->rows[data->members[j]];
            if (i == j)
                continue;
            double util = shift != NULL ? hs_utilshift_apply(shift, link, from, to) : from->util;
            HS_TRY(hs_utillist_add(&lists[0], to->util, util));
            if (i == middle)
                HS_TRY(hs_utillist_add(&lists[1], to->util, util));
        }
    return HS_OK;
}

/* ---- the line ---- */

/* In log1p(per cent) over ln batch, through the other batches of the same precision: what the
 * policies' "table" predictor does (model/predictor_table.c). NaN below two other batches. */
static double line_through_others(const struct hs_utilrows *data, uint32_t row)
{
    const struct hs_utilrow *to = &data->rows[row];
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
                                    uint32_t model, struct hs_utillist *list, struct hs_diag *diag)
{
    struct hs_utilform form;
    HS_TRY(hs_utilfit_load(data, is_used, &form, diag));
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        HS_TRY(hs_utillist_add(list, row->util,
                               hs_util_of_log_load(hs_utilform_log_load(&form, &row->work))));
    }
    return HS_OK;
}

/* MAE of leave-one-model-out within the used rows. */
static enum hs_status inner_error(const struct hs_utilrows *data, const bool *is_used, bool *inner,
                                  double *mae, struct hs_diag *diag)
{
    struct hs_utillist list = {0};
    enum hs_status status = HS_OK;
    for (uint32_t m = 0; m < data->models && status == HS_OK; m++) {
        if (!is_used[data->members[data->start[m]]])
            continue;
        for (uint32_t i = 0; i < data->count; i++)
            inner[i] = is_used[i] && data->rows[i].model != m;
        status = predict_model(data, inner, m, &list, diag);
    }
    *mae = 0;
    for (uint32_t i = 0; i < list.count; i++)
        *mae += fabs(list.predicted[i] - list.observed[i]) / list.count;
    hs_utillist_free(&list);
    return status;
}

/* The model with the divisor that is best without it. copy: rows to set divisors in. */
static enum hs_status predict_by_best_divisor(struct hs_utilholdout *h,
                                              const struct hs_utilrows *data,
                                              struct hs_utilrows *copy, uint32_t model,
                                              const bool *is_used, bool *inner,
                                              struct hs_diag *diag)
{
    double best_mae = INFINITY, mae;
    uint32_t best = 0;
    for (uint32_t choice = 0; choice < DIVISORS; choice++) {
        for (uint32_t i = 0; i < data->count; i++)
            copy->rows[i].work.layers = divisor_of(&data->rows[i], choice);
        HS_TRY(inner_error(copy, is_used, inner, &mae, diag));
        if (mae < best_mae) {
            best_mae = mae;
            best = choice;
        }
    }
    h->divisors_kept += best == 0;
    for (uint32_t i = 0; i < data->count; i++)
        copy->rows[i].work.layers = divisor_of(&data->rows[i], best);
    return predict_model(copy, is_used, model, &h->lists[HS_UTILRULE_UNSEEN_DIVISOR], diag);
}

static enum hs_status choose_divisor(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                     uint32_t model, const bool *is_used, struct hs_diag *diag)
{
    struct hs_utilrows copy = *data;
    bool *inner = hs_alloc_zeroed(data->count, sizeof *inner);
    copy.rows = hs_alloc_zeroed(data->count, sizeof *copy.rows);
    enum hs_status status = HS_E_MEMORY;
    if (inner != NULL && copy.rows != NULL) {
        for (uint32_t i = 0; i < data->count; i++)
            copy.rows[i] = data->rows[i];
        status = predict_by_best_divisor(h, data, &copy, model, is_used, inner, diag);
    }
    hs_free(copy.rows);
    hs_free(inner);
    return status;
}

/* ---- all of them ---- */

static double mean_of_used(const struct hs_utilrows *data, const bool *is_used)
{
    double sum = 0, n = 0;
    for (uint32_t i = 0; i < data->count; i++)
        if (is_used[i]) {
            sum += data->rows[i].util;
            n += 1;
        }
    return sum / n;
}

enum hs_status hs_utilholdout_baselines(struct hs_utilholdout *h, const struct hs_utilrows *data,
                                        uint32_t model, const bool *is_used, struct hs_diag *diag)
{
    struct hs_utilshift load, logit;
    HS_TRY(hs_utilshift_fit(data, is_used, HS_UTILLINK_LOAD, &load, diag));
    HS_TRY(hs_utilshift_fit(data, is_used, HS_UTILLINK_LOGIT, &logit, diag));
    HS_TRY(hs_utilshift_pairs(data, model, &load, HS_UTILLINK_LOAD, &h->lists[HS_UTILRULE_SHIFT]));
    HS_TRY(
        hs_utilshift_pairs(data, model, &logit, HS_UTILLINK_LOGIT, &h->lists[HS_UTILRULE_LOGIT]));
    HS_TRY(hs_utilshift_pairs(data, model, NULL, HS_UTILLINK_LOAD, &h->lists[HS_UTILRULE_COPY]));
    double mean = mean_of_used(data, is_used);
    for (uint32_t at = data->start[model]; at < data->start[model + 1]; at++) {
        const struct hs_utilrow *row = &data->rows[data->members[at]];
        double line = line_through_others(data, data->members[at]);
        HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_CONSTANT], row->util, mean));
        if (!isnan(line))
            HS_TRY(hs_utillist_add(&h->lists[HS_UTILRULE_CONFIG_TABLE], row->util, line));
    }
    return choose_divisor(h, data, model, is_used, diag);
}
