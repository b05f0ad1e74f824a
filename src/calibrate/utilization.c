/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate utilization`: what two jobs use together of one GPU, from what each uses alone.
 * GPU utilization has a form without parameters that no fitted one beats on unseen models,
 * 1 - prod(1 - u); bandwidth is the work of all, each slowed by the others; memory is the sum plus
 * a reserve for what sums fall short of. All alternatives are scored beside them.
 */
#include "calibrate/utilization.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "calibrate/calibration.h"
#include "calibrate/score.h"
#include "calibrate/solve.h"

#define PAIR_FOLDS 20u
#define STEPS_MAX  200u
#define DIFFERENCE 1e-5  /* of a derivative: exact to nine digits, and six are written */
#define RIDGE      10.0  /* strength of the effects of jobs; 1 to 10 differ by .001 of R2 */
#define NEAR_MIB   256.0 /* bands of memory errors */
#define FAR_MIB    1024.0

static const char *const protocols[HS_JOINT_PROTOCOLS] = {
    [HS_JOINT_UNSEEN_MODEL] = "unseen model",
    [HS_JOINT_UNSEEN_MODELS] = "unseen pair of models",
    [HS_JOINT_UNSEEN_PAIR] = "unseen pair",
};

/* ---- rows ---- */

void hs_joint_collect(struct hs_joint_data *data, const struct hs_measurements *set, uint32_t sets,
                      struct hs_arena *arena)
{
    char text[2 * HS_MEASURE_NAME_MAX + 2];
    struct hs_intern models, model_pairs, jobs;
    uint64_t most = 0;
    hs_intern_init(&models);
    hs_intern_init(&model_pairs);
    hs_intern_init(&jobs);
    for (uint32_t s = 0; s < sets; s++)
        most += set[s].pair_count;
    *data = (struct hs_joint_data){.rows = hs_arena_alloc(arena, most * sizeof *data->rows)};
    for (uint32_t s = 0; s < sets; s++) {
        const struct hs_measurements *m = &set[s];
        uint32_t last = UINT32_MAX; /* the directions of a pair follow each other: one row */
        for (uint32_t i = 0; i < m->pair_count; i++) {
            const struct hs_pair *pair = &m->pairs[i];
            const struct hs_solo *a = &m->solos[pair->own], *b = &m->solos[pair->other];
            if (pair->dropped != 0 || pair->pair == last)
                continue;
            last = pair->pair;
            if (!isfinite(a->util) || !isfinite(b->util) || !isfinite(pair->joint_util))
                continue;
            bool is_ordered = strcmp(a->model, b->model) <= 0; /* both orders are one pair */
            (void)snprintf(text, sizeof text, "%s/%s", is_ordered ? a->model : b->model,
                           is_ordered ? b->model : a->model);
            struct hs_joint_row *row = &data->rows[data->count++];
            *row = (struct hs_joint_row){
                .alone = {{a->util, b->util}, {a->bw_util, b->bw_util}},
                .joint = {pair->joint_util, pair->joint_bw_util},
                .mem_mib = {a->mem_mib, b->mem_mib},
                .joint_mem_mib = pair->joint_mem_mib,
                .gpu = m->gpus[pair->gpu],
                .key = {a->key, b->key},
                .models = hs_intern_get(&model_pairs, text),
            };
            row->model[0] = hs_intern_get(&models, a->model);
            row->model[1] = hs_intern_get(&models, b->model);
            row->job[0] = hs_intern_get(&jobs, a->key);
            row->job[1] = hs_intern_get(&jobs, b->key);
        }
    }
    data->models = models.count;
    data->model_pairs = model_pairs.count;
    data->jobs = jobs.count;
    hs_intern_free(&models);
    hs_intern_free(&model_pairs);
    hs_intern_free(&jobs);
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
    const struct hs_joint_form *form = model->form;
    struct joint_problem p = {.model = model};
    enum hs_status status = HS_OK;
    struct hs_diag quiet;
    p.rows = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *p.rows);
    for (uint32_t i = 0; i < data->count; i++)
        if (is_usable(model, &data->rows[i]) && !is_held(data, protocol, fold, i))
            p.rows[p.count++] = &data->rows[i];
    if (form == NULL) {
        status = fit_effects(&p, data->jobs, model, diag);
    } else {
        memcpy(model->theta, form->start, sizeof form->start);
        while (p.parameters < HS_JOINT_PARAMETERS_MAX && form->parameters[p.parameters] != NULL)
            p.parameters++;
        struct hs_nls nls = {p.count, p.parameters, residual, jacobian, &p};
        hs_diag_init(&quiet, NULL, NULL);
        if (p.parameters > 0)
            status = hs_solve_nls(&nls, model->theta, STEPS_MAX, form->text, &quiet);
    }
    hs_free(p.rows);
    return status;
}

/* predicted: of each row, from the last fold in which it was held out; NaN where the model has no
 * value; may be NULL. Where a fold cannot be fitted the score has 0 rows. */
static enum hs_status hold_out(const struct hs_joint_data *data, struct hs_joint_model *model,
                               enum hs_joint_protocol protocol, double *predicted,
                               struct hs_score *score, struct hs_diag *diag)
{
    /* Ids begin at 1: the fold of id 0 holds nothing out. */
    const uint32_t folds[HS_JOINT_PROTOCOLS] = {data->models, data->model_pairs, PAIR_FOLDS};
    struct hs_predictions list = {0};
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; predicted != NULL && i < data->count; i++)
        predicted[i] = NAN;
    for (uint32_t fold = 0; fold < folds[protocol] && status == HS_OK; fold++) {
        bool is_fitted = false;
        for (uint32_t i = 0; i < data->count && status == HS_OK; i++) {
            const struct hs_joint_row *row = &data->rows[i];
            if (!is_usable(model, row) || !is_held(data, protocol, fold, i))
                continue;
            if (!is_fitted)
                status = hs_joint_fit(data, model, protocol, fold, diag);
            is_fitted = true;
            if (status != HS_OK)
                break;
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
    return status;
}

/* ---- the subject ---- */

static const struct {
    const char *name, *key, *alternatives;
} targets[HS_JOINT_TARGETS] = {
    [HS_JOINT_GPU] = {"joint GPU utilization", "joint", "joint_alternatives"},
    [HS_JOINT_BANDWIDTH] = {"joint memory-bandwidth utilization", "joint_bandwidth",
                            "joint_bandwidth_alternatives"},
};

/* Joint memory against the sum of what the jobs take alone; positive = the sum falls short. */
struct memory_errors {
    double *mib; /* ascending */
    uint32_t count;
    double mae, near_share, far_share, short_share;
};

struct fitted_form {
    struct hs_joint_model model;
    bool is_fitted;
    struct hs_score scores[HS_JOINT_PROTOCOLS];
};

struct utilization_study {
    struct hs_joint_data data;
    struct fitted_form forms[HS_JOINT_TARGETS][HS_JOINT_FORMS];
    struct hs_joint_model known; /* what could be gained where both jobs are known: for study, a
                                    run has the form without parameters */
    struct hs_score known_scores[HS_JOINT_PROTOCOLS];
    struct memory_errors memory;
    double *predicted[HS_JOINT_TARGETS]; /* by the chosen form, model unseen; if rows are wanted */
};

/* Bandwidth without enough pairs to fit the slowdown on falls back to the form without
 * parameters. */
static uint32_t chosen(const struct utilization_study *s, int target)
{
    return target == HS_JOINT_BANDWIDTH && s->forms[target][HS_JOINT_SLOWED].is_fitted
               ? HS_JOINT_SLOWED
               : HS_JOINT_INDEPENDENT;
}

static void study_memory(const struct hs_joint_data *data, struct hs_arena *arena,
                         struct memory_errors *e)
{
    e->mib = hs_arena_alloc(arena, data->count * sizeof *e->mib);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct hs_joint_row *row = &data->rows[i];
        double error = row->joint_mem_mib - row->mem_mib[0] - row->mem_mib[1];
        if (!isfinite(error))
            continue;
        e->mib[e->count++] = error;
        e->mae += fabs(error);
        e->near_share += fabs(error) < NEAR_MIB;
        e->far_share += fabs(error) < FAR_MIB;
        e->short_share += error > FAR_MIB;
    }
    hs_sort_numbers(e->mib, e->count);
    e->mae /= e->count;
    e->near_share /= e->count;
    e->far_share /= e->count;
    e->short_share /= e->count;
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct utilization_study *s = study;
    struct hs_joint_data *data = &s->data;
    hs_joint_collect(data, run->set, run->sets, &run->arena);
    if (data->count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL,
                       "pairs need util_joint, and util of both jobs alone",
                       "no pair with measured utilizations is left to fit on");
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        for (uint32_t i = 0; i < HS_JOINT_FORMS; i++) {
            struct fitted_form *f = &s->forms[t][i];
            f->model = (struct hs_joint_model){.form = &hs_joint_forms[i],
                                               .target = (enum hs_joint_target)t};
            enum hs_status status =
                hs_joint_fit(data, &f->model, HS_JOINT_NOTHING_HELD, 0, run->diag);
            f->is_fitted = status == HS_OK;
            if (status != HS_OK && status != HS_E_INPUT)
                return status;
            struct hs_joint_model model = f->model;
            for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
                HS_TRY(hold_out(data, &model, (enum hs_joint_protocol)p, NULL, &f->scores[p],
                                run->diag));
        }
        if (run->options.rows == NULL)
            continue;
        struct hs_joint_model model = s->forms[t][chosen(s, t)].model;
        struct hs_score unused;
        s->predicted[t] = hs_arena_alloc(&run->arena, data->count * sizeof(double));
        HS_TRY(hold_out(data, &model, HS_JOINT_UNSEEN_MODEL, s->predicted[t], &unused, run->diag));
    }
    s->known.ridge = run->options.ridge > 0 ? run->options.ridge : RIDGE;
    s->known.effects = hs_arena_alloc(&run->arena, data->jobs * sizeof(double));
    for (int p = HS_JOINT_UNSEEN_MODELS; p < HS_JOINT_PROTOCOLS; p++)
        HS_TRY(hold_out(data, &s->known, (enum hs_joint_protocol)p, NULL, &s->known_scores[p],
                        run->diag));
    study_memory(data, &run->arena, &s->memory);
    return HS_OK;
}

static double reserve(const struct memory_errors *e, uint32_t percent)
{
    return ceil(fmax(0, hs_percentile(e->mib, e->count, percent)));
}

/* ---- the table ---- */

static void say_target(const struct utilization_study *s, struct hs_output *out, int target)
{
    uint32_t measured = 0;
    for (uint32_t i = 0; i < s->data.count; i++)
        measured += isfinite(s->data.rows[i].joint[target]) ? 1 : 0;
    if (measured == 0) {
        hs_say(out, "\n%s: not in the data\n", targets[target].name);
        return;
    }
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++) {
        hs_say(out, "\n%s, %s", targets[target].name, protocols[p]);
        hs_say_score_head(out, "form");
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            hs_say_score(out, hs_joint_forms[f].text, &s->forms[target][f].scores[p]);
        if (target == HS_JOINT_GPU && p != HS_JOINT_UNSEEN_MODEL)
            hs_say_score(out, "1 - prod(1 - u) + effects of both jobs", &s->known_scores[p]);
    }
}

static void say_memory(const struct memory_errors *e, struct hs_output *out)
{
    if (e->count == 0) {
        hs_say(out, "\nmemory: not in the data\n");
        return;
    }
    hs_say(out, "\njoint memory less the sum of what the jobs take alone, %u pairs\n", e->count);
    const struct {
        const char *text;
        double value;
        unsigned decimals;
    } lines[] = {
        {"median, MiB", hs_percentile(e->mib, e->count, 50), 0},
        {"mean absolute error, MiB", e->mae, 0},
        {"within 256 MiB, %", 100 * e->near_share, 1},
        {"within 1024 MiB, %", 100 * e->far_share, 1},
        {"more than 1024 MiB above the sum, %", 100 * e->short_share, 1},
        {"largest above the sum, MiB", hs_percentile(e->mib, e->count, 100), 0},
        {"reserve for 95 % of the pairs, MiB", reserve(e, 95), 0},
        {"reserve for 99 % of the pairs, MiB", reserve(e, 99), 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        hs_say_row(out, lines[i].decimals > 0 ? "  %-42s%7.1f\n" : "  %-42s%7.0f\n", lines[i].text,
                   lines[i].value);
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct utilization_study *s = study;
    hs_calibrate_say_counts(run, run->sets);
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        say_target(s, run->out, t);
    say_memory(&s->memory, run->out);
}

/* ---- the model file ---- */

static void write_form(struct hs_jsonw *w, const struct fitted_form *f)
{
    const struct hs_joint_form *form = f->model.form;
    hs_jsonw_put(w, "form=%s", form->text);
    for (uint32_t k = 0; k < HS_JOINT_PARAMETERS_MAX && form->parameters[k] != NULL; k++)
        hs_jsonw_put(w, "%s=%.6g", form->parameters[k], f->model.theta[k]);
    hs_jsonw_put(w, "holdout=[");
    for (int p = 0; p < HS_JOINT_PROTOCOLS; p++)
        hs_score_write(w, protocols[p], &f->scores[p]);
    hs_jsonw_put(w, "] }");
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct utilization_study *s = study;
    const struct memory_errors *e = &s->memory;
    (void)run;
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_put(w, "%s={", targets[t].key);
        write_form(w, &s->forms[t][chosen(s, t)]);
    }
    if (e->count > 0)
        hs_jsonw_put(w,
                     "memory={ form=sum n=%u reserve_p95_mib=%.6g reserve_p99_mib=%.6g "
                     "mae_mib=%.6g median_mib=%.6g max_mib=%.6g within_256_mib=%.6g "
                     "within_1024_mib=%.6g short_by_1024_mib=%.6g }",
                     e->count, reserve(e, 95), reserve(e, 99), e->mae,
                     hs_percentile(e->mib, e->count, 50), hs_percentile(e->mib, e->count, 100),
                     e->near_share, e->far_share, e->short_share);
    hs_jsonw_put(w, "known_jobs={ form=%s lambda=%.6g holdout=[",
                 "J + 4 J (1 - J) sum(effect), J = 1 - prod(1 - u)", s->known.ridge);
    for (int p = HS_JOINT_UNSEEN_MODELS; p < HS_JOINT_PROTOCOLS; p++)
        hs_score_write(w, protocols[p], &s->known_scores[p]);
    hs_jsonw_put(w, "] }");
    for (int t = 0; t < HS_JOINT_TARGETS; t++) {
        hs_jsonw_put(w, "%s=[", targets[t].alternatives);
        for (uint32_t f = 0; f < HS_JOINT_FORMS; f++)
            if (f != chosen(s, t) && s->forms[t][f].is_fitted) {
                hs_jsonw_put(w, "={");
                write_form(w, &s->forms[t][f]);
            }
        hs_jsonw_put(w, "]");
    }
}

/* ---- rows for plots ---- */

static void write_rows(const void *study, struct hs_csvw *w)
{
    const struct utilization_study *s = study;
    for (int t = 0; t < HS_JOINT_TARGETS; t++)
        for (uint32_t i = 0; i < s->data.count; i++) {
            const struct hs_joint_row *row = &s->data.rows[i];
            const double numbers[] = {row->alone[t][0], row->alone[t][1], row->joint[t],
                                      s->predicted[t][i]};
            if (!isfinite(s->predicted[t][i]))
                continue;
            hs_csvw_text(w, targets[t].key);
            hs_csvw_text(w, row->gpu);
            hs_csvw_text(w, row->key[0]);
            hs_csvw_text(w, row->key[1]);
            hs_score_write_fields(w, numbers, sizeof numbers / sizeof numbers[0]);
            hs_csvw_end(w);
        }
}

const struct hs_calibration hs_calibration_utilization = {
    .name = "utilization",
    .summary = "what jobs use together of a GPU, and of its memory",
    .data = "pairs with joint utilization, and both jobs alone: a folder of Lucid's, or your CSV",
    .steps = HS_CLEAN_OVERLAP, /* the others are about speeds */
    .rows = "target,gpu,job_a,job_b,alone_a,alone_b,observed,predicted",
    .study_size = sizeof(struct utilization_study),
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
