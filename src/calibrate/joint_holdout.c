/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cross-validation of joint utilization: for each fold a fit on the pairs that are not held out,
 * and predictions of those that are. All folds are scored together.
 */
#include <math.h>

#include "calibrate/joint.h"
#include "calibrate/solve.h"

#define DIRECTIONS 2u /* folds that hold one row out, at most */

struct tested {
    double *observed, *predicted;
    uint32_t count;
};

static enum hs_status tested_open(struct tested *t, uint32_t rows)
{
    uint64_t most = (uint64_t)rows * DIRECTIONS + 1;
    *t = (struct tested){hs_alloc_zeroed(most, sizeof *t->observed),
                         hs_alloc_zeroed(most, sizeof *t->predicted), 0};
    return t->observed != NULL && t->predicted != NULL ? HS_OK : HS_E_MEMORY;
}

static void tested_add(struct tested *t, double observed, double predicted)
{
    t->observed[t->count] = observed;
    t->predicted[t->count++] = fmin(1, fmax(0, predicted));
}

static void tested_close(struct tested *t)
{
    hs_free(t->observed);
    hs_free(t->predicted);
}

/* Marks the rows to fit on; returns how many are held out. */
static uint32_t split(const struct hs_joint_data *data, enum hs_joint_protocol protocol,
                      uint32_t fold, const bool *is_usable, bool *is_used)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        bool is_held = hs_joint_is_held(data, protocol, fold, i);
        held += is_held && is_usable[i];
        is_used[i] = is_usable[i] && !is_held;
    }
    return held;
}

struct validation {
    const struct hs_joint_data *data;
    enum hs_joint_protocol protocol;
    bool *is_usable, *is_used;
    struct tested tested;
};

static enum hs_status validation_open(struct validation *v, const struct hs_joint_data *data,
                                      enum hs_joint_protocol protocol)
{
    *v = (struct validation){.data = data, .protocol = protocol};
    v->is_usable = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *v->is_usable);
    v->is_used = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *v->is_used);
    enum hs_status status = tested_open(&v->tested, data->count);
    return v->is_usable != NULL && v->is_used != NULL ? status : HS_E_MEMORY;
}

static void validation_close(struct validation *v)
{
    hs_free(v->is_usable);
    hs_free(v->is_used);
    tested_close(&v->tested);
}

/* ---- forms ---- */

static enum hs_status test_fold(struct validation *v, uint32_t fold,
                                const struct hs_joint_form *form, enum hs_joint_target target,
                                double *predicted)
{
    const struct hs_joint_data *data = v->data;
    double theta[HS_JOINT_PARAMETERS_MAX] = {0};
    if (split(data, v->protocol, fold, v->is_usable, v->is_used) == 0)
        return HS_OK;
    HS_TRY(hs_joint_fit(data, v->is_used, form, target, theta));
    for (uint32_t i = 0; i < data->count; i++) {
        if (!v->is_usable[i] || !hs_joint_is_held(data, v->protocol, fold, i))
            continue;
        double value = form->value(theta, &data->rows[i], target);
        tested_add(&v->tested, data->rows[i].joint[target], value);
        if (predicted != NULL)
            predicted[i] = fmin(1, fmax(0, value));
    }
    return HS_OK;
}

static enum hs_status test_form(struct validation *v, const struct hs_joint_form *form,
                                enum hs_joint_target target, double *predicted,
                                struct hs_score *score)
{
    const struct hs_joint_data *data = v->data;
    for (uint32_t i = 0; i < data->count; i++) {
        const struct hs_joint_row *row = &data->rows[i];
        v->is_usable[i] =
            isfinite(row->joint[target]) && isfinite(form->value(form->start, row, target));
        if (predicted != NULL)
            predicted[i] = NAN;
    }
    for (uint32_t f = 0; f < hs_joint_folds(data, v->protocol); f++) {
        enum hs_status status = test_fold(v, f, form, target, predicted);
        if (status == HS_E_INPUT) { /* too few other rows, or too much alike */
            v->tested.count = 0;
            break;
        }
        HS_TRY(status);
    }
    return hs_score(v->tested.observed, v->tested.predicted, v->tested.count, score);
}

enum hs_status hs_joint_holdout(const struct hs_joint_data *data, const struct hs_joint_form *form,
                                enum hs_joint_target target, enum hs_joint_protocol protocol,
                                double *predicted, struct hs_score *score)
{
    struct validation v;
    enum hs_status status = validation_open(&v, data, protocol);
    if (status == HS_OK)
        status = test_form(&v, form, target, predicted, score);
    validation_close(&v);
    return status;
}

/* ---- effects of jobs ---- */

static double independent(const struct hs_joint_row *row)
{
    return hs_joint_forms[HS_JOINT_INDEPENDENT].value(NULL, row, HS_JOINT_GPU);
}

/* An effect can move nothing where both jobs are idle or one is always busy. */
static double weight(const struct hs_joint_row *row)
{
    double joint = independent(row);
    return 4 * joint * (1 - joint);
}

static enum hs_status solve_effects(const struct hs_joint_data *data, const bool *is_used,
                                    double ridge, double *x, double *y, double *effects,
                                    struct hs_diag *diag)
{
    uint32_t rows = 0, columns = data->jobs.count;
    double *lambdas = hs_alloc_zeroed(columns, sizeof *lambdas);
    if (lambdas == NULL)
        return HS_E_MEMORY;
    for (uint32_t c = 0; c < columns; c++)
        lambdas[c] = ridge;
    for (uint32_t i = 0; i < data->count; i++) {
        const struct hs_joint_row *row = &data->rows[i];
        if (!is_used[i])
            continue;
        x[(size_t)rows * columns + row->job[0]] += weight(row);
        x[(size_t)rows * columns + row->job[1]] += weight(row);
        y[rows++] = row->joint[HS_JOINT_GPU] - independent(row);
    }
    enum hs_status status = hs_solve_ridge(x, y, NULL, rows, columns, lambdas, effects,
                                           "effects of jobs on joint utilization", diag);
    hs_free(lambdas);
    return status;
}

enum hs_status hs_joint_fit_effects(const struct hs_joint_data *data, const bool *is_used,
                                    double ridge, double *effects, struct hs_diag *diag)
{
    double *x = hs_alloc_zeroed((uint64_t)data->count * data->jobs.count + 1, sizeof *x);
    double *y = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *y);
    enum hs_status status = HS_E_MEMORY;
    if (x != NULL && y != NULL)
        status = solve_effects(data, is_used, ridge, x, y, effects, diag);
    hs_free(x);
    hs_free(y);
    return status;
}

static enum hs_status test_effects(struct validation *v, double ridge, double *effects,
                                   struct hs_score *score, struct hs_diag *diag)
{
    const struct hs_joint_data *data = v->data;
    for (uint32_t i = 0; i < data->count; i++)
        v->is_usable[i] = true;
    for (uint32_t f = 0; f < hs_joint_folds(data, v->protocol); f++) {
        if (split(data, v->protocol, f, v->is_usable, v->is_used) == 0)
            continue;
        HS_TRY(hs_joint_fit_effects(data, v->is_used, ridge, effects, diag));
        for (uint32_t i = 0; i < data->count; i++) {
            const struct hs_joint_row *row = &data->rows[i];
            if (hs_joint_is_held(data, v->protocol, f, i))
                tested_add(&v->tested, row->joint[HS_JOINT_GPU],
                           independent(row) +
                               weight(row) * (effects[row->job[0]] + effects[row->job[1]]));
        }
    }
    return hs_score(v->tested.observed, v->tested.predicted, v->tested.count, score);
}

enum hs_status hs_joint_holdout_effects(const struct hs_joint_data *data, double ridge,
                                        enum hs_joint_protocol protocol, struct hs_score *score,
                                        struct hs_diag *diag)
{
    struct validation v;
    double *effects = hs_alloc_zeroed(data->jobs.count, sizeof *effects);
    enum hs_status status = validation_open(&v, data, protocol);
    if (effects == NULL)
        status = HS_E_MEMORY;
    if (status == HS_OK)
        status = test_effects(&v, ridge, effects, score, diag);
    validation_close(&v);
    hs_free(effects);
    return status;
}
