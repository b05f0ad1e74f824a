/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Joint utilization of pairs: the rows, the forms, their fits and their cross-validation.
 */
#include "calibrate/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/solve.h"

#define PAIR_FOLDS 20u
#define STEPS_MAX  200u
#define DIFFERENCE 1e-5 /* of a derivative: exact to nine digits, and six are written */

const char *const hs_joint_protocol_texts[HS_JOINT_PROTOCOLS] = {
    [HS_JOINT_UNSEEN_MODEL] = "unseen model",
    [HS_JOINT_UNSEEN_MODELS] = "unseen pair of models",
    [HS_JOINT_UNSEEN_PAIR] = "unseen pair",
};

/* ---- rows ---- */

static void add_row(struct hs_joint_data *data, const struct hs_measurements *m,
                    const struct hs_pair *pair)
{
    const struct hs_solo *a = &m->solos[pair->own], *b = &m->solos[pair->other];
    struct hs_joint_row row = {
        .alone = {{a->util, b->util}, {a->bw_util, b->bw_util}},
        .joint = {pair->joint_util, pair->joint_bw_util},
        .mem_mib = {a->mem_mib, b->mem_mib},
        .joint_mem_mib = pair->joint_mem_mib,
        .gpu = m->gpus[pair->gpu],
    };
    char models[2 * HS_MEASURE_NAME_MAX + 2];
    if (!isfinite(a->util) || !isfinite(b->util) || !isfinite(pair->joint_util))
        return;
    bool is_ordered = strcmp(a->model, b->model) <= 0; /* both orders are one pair of models */
    (void)snprintf(models, sizeof models, "%s/%s", is_ordered ? a->model : b->model,
                   is_ordered ? b->model : a->model);
    row.model[0] = hs_intern_get(&data->models, a->model);
    row.model[1] = hs_intern_get(&data->models, b->model);
    row.job[0] = hs_intern_get(&data->jobs, a->key);
    row.job[1] = hs_intern_get(&data->jobs, b->key);
    row.models = hs_intern_get(&data->model_pairs, models);
    hs_grow((void **)&data->rows, &data->cap, (uint64_t)data->count + 1, sizeof *data->rows,
            HS_MEASURE_MAX);
    data->rows[data->count++] = row;
}

void hs_joint_collect(struct hs_joint_data *data, const struct hs_measurements *set, uint32_t sets)
{
    *data = (struct hs_joint_data){0};
    hs_intern_init(&data->models);
    hs_intern_init(&data->model_pairs);
    hs_intern_init(&data->jobs);
    for (uint32_t s = 0; s < sets; s++) {
        uint32_t last = UINT32_MAX; /* the directions of a pair follow each other: one row */
        for (uint32_t i = 0; i < set[s].pair_count; i++) {
            const struct hs_pair *pair = &set[s].pairs[i];
            if (pair->dropped != 0 || pair->pair == last)
                continue;
            last = pair->pair;
            add_row(data, &set[s], pair);
        }
    }
}

void hs_joint_free(struct hs_joint_data *data)
{
    hs_intern_free(&data->models);
    hs_intern_free(&data->model_pairs);
    hs_intern_free(&data->jobs);
    hs_free(data->rows);
    *data = (struct hs_joint_data){0};
}

/* ---- forms ---- */

/* Independent jobs: idle together only when both are. */
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
    [HS_JOINT_INDEPENDENT] = {"1 - prod(1 - u)", {NULL}, {0}, independent},
    [HS_JOINT_SLOWED] = {"min(1, sum u_i / (1 + c U_i V_i^b))", {"c", "b"}, {0.5, 1}, slowed},
    [HS_JOINT_STRETCHED] = {"1 - prod(1 - stretch(u))", {"a", "b"}, {0.1, 0}, stretched},
    [HS_JOINT_SCALED] = {"1 - prod(1 - a u)", {"a"}, {1}, scaled},
    [HS_JOINT_NORM] = {"min(1, (sum u^p)^(1/p))", {"p"}, {2}, norm},
    [HS_JOINT_SUM] = {"min(1, sum u)", {NULL}, {0}, sum},
    [HS_JOINT_MAX] = {"max u", {NULL}, {0}, larger},
};

static double value_of(const struct hs_joint_model *model, const double *theta,
                       const struct hs_joint_row *row)
{
    if (model->form != NULL)
        return model->form->value(theta, row, model->target);
    /* An effect can move nothing where both jobs are idle or one is always busy. */
    double joint = independent(NULL, row, HS_JOINT_GPU);
    double weight = 4 * joint * (1 - joint);
    return joint + weight * (model->effects[row->job[0]] + model->effects[row->job[1]]);
}

/* ---- fits ---- */

static bool is_held(const struct hs_joint_data *data, enum hs_joint_protocol protocol,
                    uint32_t fold, uint32_t row)
{
    const struct hs_joint_row *r = &data->rows[row];
    if (protocol == HS_JOINT_UNSEEN_MODEL)
        return r->model[0] == fold || r->model[1] == fold;
    if (protocol == HS_JOINT_UNSEEN_MODELS)
        return r->models == fold;
    return protocol == HS_JOINT_UNSEEN_PAIR && row % PAIR_FOLDS == fold;
}

static bool is_usable(const struct hs_joint_model *model, const struct hs_joint_row *row)
{
    return isfinite(row->joint[model->target]) &&
           (model->form == NULL ||
            isfinite(model->form->value(model->form->start, row, model->target)));
}

/* The rows that the fold leaves to a fit. */
struct joint_problem {
    const struct hs_joint_model *model;
    const struct hs_joint_row **rows;
    uint32_t count, parameters;
};

static void residual(void *ctx, const double *theta, double *f)
{
    const struct joint_problem *p = ctx;
    for (uint32_t i = 0; i < p->count; i++)
        f[i] = value_of(p->model, theta, p->rows[i]) - p->rows[i]->joint[p->model->target];
}

static void jacobian(void *ctx, const double *theta, double *j)
{
    const struct joint_problem *p = ctx;
    double moved[HS_JOINT_PARAMETERS_MAX];
    memcpy(moved, theta, p->parameters * sizeof *moved);
    for (uint32_t k = 0; k < p->parameters; k++) {
        for (uint32_t i = 0; i < p->count; i++) {
            moved[k] = theta[k] + DIFFERENCE;
            double above = value_of(p->model, moved, p->rows[i]);
            moved[k] = theta[k] - DIFFERENCE;
            double below = value_of(p->model, moved, p->rows[i]);
            j[(size_t)i * p->parameters + k] = (above - below) / (2 * DIFFERENCE);
        }
        moved[k] = theta[k];
    }
}

static enum hs_status fit_form(struct joint_problem *p, double *theta)
{
    const struct hs_joint_form *form = p->model->form;
    struct hs_diag quiet;
    memcpy(theta, form->start, sizeof form->start);
    while (p->parameters < HS_JOINT_PARAMETERS_MAX && form->parameters[p->parameters] != NULL)
        p->parameters++;
    if (p->parameters == 0)
        return HS_OK;
    hs_diag_init(&quiet, NULL, NULL);
    struct hs_nls nls = {p->count, p->parameters, residual, jacobian, p};
    return hs_solve_nls(&nls, theta, STEPS_MAX, form->text, &quiet);
}

static enum hs_status fit_effects(const struct joint_problem *p, uint32_t columns,
                                  struct hs_joint_model *model, struct hs_diag *diag)
{
    double *x = hs_alloc_zeroed((uint64_t)(p->count + 1) * columns, sizeof *x);
    double *y = hs_alloc_zeroed((uint64_t)p->count + 1, sizeof *y);
    double *lambdas = x + (size_t)p->count * columns;
    for (uint32_t c = 0; c < columns; c++)
        lambdas[c] = model->ridge;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_joint_row *row = p->rows[i];
        double joint = independent(NULL, row, HS_JOINT_GPU);
        x[(size_t)i * columns + row->job[0]] += 4 * joint * (1 - joint);
        x[(size_t)i * columns + row->job[1]] += 4 * joint * (1 - joint);
        y[i] = row->joint[HS_JOINT_GPU] - joint;
    }
    enum hs_status status = hs_solve_ridge(x, y, p->count, columns, lambdas, model->effects,
                                           "effects of jobs on joint utilization", diag);
    hs_free(x);
    hs_free(y);
    return status;
}

enum hs_status hs_joint_fit(const struct hs_joint_data *data, struct hs_joint_model *model,
                            enum hs_joint_protocol protocol, uint32_t fold, struct hs_diag *diag)
{
    struct joint_problem p = {.model = model};
    p.rows = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *p.rows);
    for (uint32_t i = 0; i < data->count; i++)
        if (is_usable(model, &data->rows[i]) && !is_held(data, protocol, fold, i))
            p.rows[p.count++] = &data->rows[i];
    enum hs_status status = model->form != NULL ? fit_form(&p, model->theta)
                                                : fit_effects(&p, data->jobs.count, model, diag);
    hs_free(p.rows);
    return status;
}

enum hs_status hs_joint_holdout(const struct hs_joint_data *data, struct hs_joint_model *model,
                                enum hs_joint_protocol protocol, double *predicted,
                                struct hs_score *score, struct hs_diag *diag)
{
    /* Ids of names begin at 1: the fold of id 0 holds nothing out. */
    const uint32_t folds[HS_JOINT_PROTOCOLS] = {data->models.count, data->model_pairs.count,
                                                PAIR_FOLDS};
    struct hs_predictions list = {0};
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; predicted != NULL && i < data->count; i++)
        predicted[i] = NAN;
    for (uint32_t fold = 0; fold < folds[protocol] && status == HS_OK; fold++) {
        uint32_t held = 0;
        for (uint32_t i = 0; i < data->count; i++)
            held += is_usable(model, &data->rows[i]) && is_held(data, protocol, fold, i);
        if (held == 0)
            continue;
        status = hs_joint_fit(data, model, protocol, fold, diag);
        for (uint32_t i = 0; i < data->count && status == HS_OK; i++) {
            const struct hs_joint_row *row = &data->rows[i];
            if (!is_usable(model, row) || !is_held(data, protocol, fold, i))
                continue;
            double value = fmin(1, fmax(0, value_of(model, model->theta, row)));
            hs_predictions_add(&list, row->joint[model->target], value);
            if (predicted != NULL)
                predicted[i] = value;
        }
    }
    if (status == HS_E_INPUT && model->form != NULL) { /* too few other rows, or too much alike */
        list.count = 0;
        status = HS_OK;
    }
    hs_predictions_score(&list, score);
    hs_predictions_free(&list);
    return status;
}
