/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate utilization`: what two jobs use together of one GPU, from what each uses alone.
 * GPU utilization has a form without parameters that no fitted one beats on unseen models,
 * 1 - prod(1 - u); bandwidth is the work of all, each slowed by the others; memory is the sum plus
 * a reserve for what sums fall short of. All alternatives are scored beside them.
 */
#include <math.h>
#include <stdio.h>

#include "calibrate/calibration.h"

#define PAIR_FOLDS 20u
#define STEPS_MAX  200u
#define DIFFERENCE 1e-5  /* of a derivative: exact to nine digits, and six are written */
#define RIDGE      10.0  /* strength of the effects of jobs; 1 to 10 differ by .001 of R2 */
#define NEAR_MIB   256.0 /* bands of memory errors */
#define FAR_MIB    1024.0

enum joint_target { JOINT_GPU, JOINT_BANDWIDTH, JOINT_TARGETS };

/* One pair; fractions. Utilizations of the GPU are always there, the others may be NaN. */
struct joint_row {
    double alone[JOINT_TARGETS][2], joint[JOINT_TARGETS];
    double mem_mib[2], joint_mem_mib;
    const char *gpu, *key[2];
    uint32_t model[2], job[2]; /* ids, from 1 */
    uint32_t models;           /* id of the unordered pair of models */
};

struct joint_data {
    struct joint_row *rows; /* in the order of the data */
    uint32_t count;
    uint32_t models, model_pairs, jobs; /* one more than the largest id */
};

#define PARAMETERS_MAX 2u

enum joint_form {
    JOINT_INDEPENDENT, /* idle together only when both are */
    JOINT_SLOWED,    /* the work of both, each stretched in time by its slowdown S = 1 + c u v^b */
    JOINT_STRETCHED, /* kernels take e times as long beside the other's memory traffic m and
                        utilization v, e = exp(a m - b v), the host as long as ever: busy for u e
                        of u e + (1 - u) */
    JOINT_SCALED,
    JOINT_NORM,
    JOINT_SUM,
    JOINT_MAX,
    JOINT_FORMS,
    /* GPU utilization of known jobs: J + 4 J (1 - J) (e_i + e_j) with J of the independent form and
     * an effect e of each job, held near 0 by ridge, and 0 for jobs never seen. An effect can move
     * nothing where both jobs are idle or one is always busy. */
    JOINT_KNOWN = JOINT_FORMS
};

static const struct {
    const char *text;
    const char *parameters[PARAMETERS_MAX]; /* names, as many as it has */
    double start[PARAMETERS_MAX];
} forms[JOINT_FORMS] = {
    [JOINT_INDEPENDENT] = {"1 - prod(1 - u)", {NULL}, {0}},
    [JOINT_SLOWED] = {"min(1, sum u_i / (1 + c U_i V_i^b))", {"c", "b"}, {0.5, 1}},
    [JOINT_STRETCHED] = {"1 - prod(1 - stretch(u))", {"a", "b"}, {0.1, 0}},
    [JOINT_SCALED] = {"1 - prod(1 - a u)", {"a"}, {1}},
    [JOINT_NORM] = {"min(1, (sum u^p)^(1/p))", {"p"}, {2}},
    [JOINT_SUM] = {"min(1, sum u)", {NULL}, {0}},
    [JOINT_MAX] = {"max u", {NULL}, {0}},
};

enum joint_protocol {
    JOINT_UNSEEN_MODEL,  /* each pair once for each of its two models */
    JOINT_UNSEEN_MODELS, /* all pairs of the same two models */
    JOINT_UNSEEN_PAIR,   /* every 20th pair */
    JOINT_PROTOCOLS,
    JOINT_NOTHING_HELD = JOINT_PROTOCOLS
};

static const char *const protocols[JOINT_PROTOCOLS] = {
    [JOINT_UNSEEN_MODEL] = "unseen model",
    [JOINT_UNSEEN_MODELS] = "unseen pair of models",
    [JOINT_UNSEEN_PAIR] = "unseen pair",
};

struct joint_model {
    enum joint_form form;
    enum joint_target target;
    double theta[PARAMETERS_MAX];
    double ridge, *effects; /* by job id: of JOINT_KNOWN */
    bool is_fitted;         /* to all rows */
    struct hs_score scores[JOINT_PROTOCOLS];
};

/* ---- rows ---- */

/* Pairs that no cleaning step marked and whose GPU utilizations are all there. */
static void joint_collect(struct joint_data *data, const struct hs_measurements *set, uint32_t sets,
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
    *data = (struct joint_data){.rows = hs_arena_alloc(arena, most * sizeof *data->rows)};
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
            struct joint_row *row = &data->rows[data->count++];
            *row = (struct joint_row){
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

static double stretched(double u, const double *theta, double traffic, double other)
{
    double busy = u * exp(theta[0] * traffic - theta[1] * other);
    return busy / (busy + (1 - u));
}

/* Returns NaN if the row lacks what the form needs: then it is not used. */
static double value_of(const struct joint_model *model, const double *theta,
                       const struct joint_row *row)
{
    const double u = row->alone[model->target][0], v = row->alone[model->target][1];
    const double *gpu = row->alone[JOINT_GPU], *traffic = row->alone[JOINT_BANDWIDTH];
    const double independent = 1 - (1 - u) * (1 - v);
    switch (model->form) {
    case JOINT_INDEPENDENT:
        return independent;
    case JOINT_SLOWED:
        return fmin(1, u / (1 + theta[0] * gpu[0] * pow(gpu[1], theta[1])) +
                           v / (1 + theta[0] * gpu[1] * pow(gpu[0], theta[1])));
    case JOINT_STRETCHED:
        return 1 - (1 - stretched(u, theta, traffic[1], gpu[1])) *
                       (1 - stretched(v, theta, traffic[0], gpu[0]));
    case JOINT_SCALED:
        return fmin(1, 1 - (1 - theta[0] * u) * (1 - theta[0] * v));
    case JOINT_NORM:
        return fmin(1, pow(pow(u, theta[0]) + pow(v, theta[0]), 1 / theta[0]));
    case JOINT_SUM:
        return fmin(1, u + v);
    case JOINT_MAX:
        return fmax(u, v);
    case JOINT_KNOWN:
        break;
    }
    double weight = 4 * independent * (1 - independent);
    return independent + weight * (model->effects[row->job[0]] + model->effects[row->job[1]]);
}

/* ---- fits ---- */

static bool is_held(const struct joint_data *data, enum joint_protocol protocol, uint32_t fold,
                    uint32_t row)
{
    const struct joint_row *r = &data->rows[row];
    if (protocol == JOINT_UNSEEN_MODEL)
        return r->model[0] == fold || r->model[1] == fold;
    if (protocol == JOINT_UNSEEN_MODELS)
        return r->models == fold;
    return protocol == JOINT_UNSEEN_PAIR && row % PAIR_FOLDS == fold;
}

static bool is_usable(const struct joint_model *model, const struct joint_row *row)
{
    return isfinite(row->joint[model->target]) &&
           (model->form == JOINT_KNOWN || isfinite(value_of(model, forms[model->form].start, row)));
}

/* The rows that the fold leaves to a fit. */
struct joint_problem {
    const struct joint_model *model;
    const struct joint_row **rows;
    uint32_t count, parameters;
};

static void joint_at(void *ctx, const double *theta, double *f, double *j)
{
    const struct joint_problem *p = ctx;
    double moved[PARAMETERS_MAX];
    for (uint32_t i = 0; f != NULL && i < p->count; i++)
        f[i] = value_of(p->model, theta, p->rows[i]) - p->rows[i]->joint[p->model->target];
    for (uint32_t i = 0; j != NULL && i < p->count; i++)
        for (uint32_t k = 0; k < p->parameters; k++) {
            memcpy(moved, theta, p->parameters * sizeof *moved);
            moved[k] = theta[k] + DIFFERENCE;
            double above = value_of(p->model, moved, p->rows[i]);
            moved[k] = theta[k] - DIFFERENCE;
            double below = value_of(p->model, moved, p->rows[i]);
            *j++ = (above - below) / (2 * DIFFERENCE);
        }
}

static enum hs_status fit_effects(const struct joint_problem *p, uint32_t columns,
                                  struct joint_model *model, struct hs_diag *diag)
{
    const struct joint_model independent = {.target = model->target};
    double *x = hs_alloc_zeroed((uint64_t)(p->count + 1) * columns, sizeof *x);
    double *y = hs_alloc_zeroed((uint64_t)p->count + 1, sizeof *y);
    double *lambdas = x + (size_t)p->count * columns;
    for (uint32_t c = 0; c < columns; c++)
        lambdas[c] = model->ridge;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct joint_row *row = p->rows[i];
        double joint = value_of(&independent, NULL, row);
        x[(size_t)i * columns + row->job[0]] += 4 * joint * (1 - joint);
        x[(size_t)i * columns + row->job[1]] += 4 * joint * (1 - joint);
        y[i] = row->joint[model->target] - joint;
    }
    enum hs_status status = hs_solve_ridge(x, y, p->count, columns, lambdas, model->effects,
                                           "effects of jobs on joint utilization", diag);
    hs_free(x);
    hs_free(y);
    return status;
}

/* To all rows that the fold of the protocol does not hold out; HS_E_INPUT, without a message for a
 * form, if they do not determine the parameters. */
static enum hs_status joint_fit(const struct joint_data *data, struct joint_model *model,
                                enum joint_protocol protocol, uint32_t fold, struct hs_diag *diag)
{
    struct joint_problem p = {.model = model};
    enum hs_status status = HS_OK;
    struct hs_diag quiet = {0};
    p.rows = hs_alloc_zeroed((uint64_t)data->count + 1, sizeof *p.rows);
    for (uint32_t i = 0; i < data->count; i++)
        if (is_usable(model, &data->rows[i]) && !is_held(data, protocol, fold, i))
            p.rows[p.count++] = &data->rows[i];
    if (model->form == JOINT_KNOWN) {
        status = fit_effects(&p, data->jobs, model, diag);
    } else {
        memcpy(model->theta, forms[model->form].start, sizeof model->theta);
        while (p.parameters < PARAMETERS_MAX && forms[model->form].parameters[p.parameters] != NULL)
            p.parameters++;
        struct hs_nls nls = {p.count, p.parameters, joint_at, &p};
        if (p.parameters > 0)
            status = hs_solve_nls(&nls, model->theta, STEPS_MAX, forms[model->form].text, &quiet);
    }
    hs_free(p.rows);
    return status;
}

/* predicted: of each row, from the last fold in which it was held out; NaN where the model has no
 * value; may be NULL. Where a fold cannot be fitted the score has 0 rows. */
static enum hs_status hold_out(const struct joint_data *data, struct joint_model *scored,
                               enum joint_protocol protocol, double *predicted,
                               struct hs_diag *diag)
{
    /* Ids begin at 1: the fold of id 0 holds nothing out. */
    const uint32_t folds[JOINT_PROTOCOLS] = {data->models, data->model_pairs, PAIR_FOLDS};
    struct joint_model model = *scored;
    struct hs_predictions list = {0};
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; predicted != NULL && i < data->count; i++)
        predicted[i] = NAN;
    for (uint32_t fold = 0; fold < folds[protocol] && status == HS_OK; fold++) {
        bool is_fitted = false;
        for (uint32_t i = 0; i < data->count && status == HS_OK; i++) {
            const struct joint_row *row = &data->rows[i];
            if (!is_usable(&model, row) || !is_held(data, protocol, fold, i))
                continue;
            if (!is_fitted)
                status = joint_fit(data, &model, protocol, fold, diag);
            is_fitted = true;
            if (status != HS_OK)
                break;
            double value = fmin(1, fmax(0, value_of(&model, model.theta, row)));
            hs_predictions_add(&list, row->joint[model.target], value);
            if (predicted != NULL)
                predicted[i] = value;
        }
    }
    if (status == HS_E_INPUT &&
        model.form != JOINT_KNOWN) { /* too few other rows, or too much alike */
        list.count = 0;
        status = HS_OK;
    }
    hs_predictions_score(&list, &scored->scores[protocol]);
    return status;
}

/* ---- the subject ---- */

static const struct {
    const char *name, *key, *alternatives;
} targets[JOINT_TARGETS] = {
    [JOINT_GPU] = {"joint GPU utilization", "joint", "joint_alternatives"},
    [JOINT_BANDWIDTH] = {"joint memory-bandwidth utilization", "joint_bandwidth",
                         "joint_bandwidth_alternatives"},
};

/* Joint memory against the sum of what the jobs take alone; positive = the sum falls short. */
struct memory_errors {
    double *mib; /* ascending */
    uint32_t count;
    double mae, near_share, far_share, short_share;
};

struct utilization_study {
    struct joint_data data;
    struct joint_model forms[JOINT_TARGETS][JOINT_FORMS];
    struct joint_model known; /* what could be gained where both jobs are known: for study, a run
                                 has the form without parameters */
    struct memory_errors memory;
    double *predicted[JOINT_TARGETS]; /* by the chosen form, model unseen */
};

/* Bandwidth without enough pairs to fit the slowdown to has the form without parameters. */
static uint32_t chosen(const struct utilization_study *s, int target)
{
    return target == JOINT_BANDWIDTH && s->forms[target][JOINT_SLOWED].is_fitted
               ? JOINT_SLOWED
               : JOINT_INDEPENDENT;
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct utilization_study *s = study;
    struct joint_data *data = &s->data;
    struct memory_errors *e = &s->memory;
    joint_collect(data, run->set, run->sets, &run->arena);
    if (data->count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL,
                       "pairs need util_joint, and util of both jobs alone",
                       "no pair with measured utilizations is left to fit on");
    for (int t = 0; t < JOINT_TARGETS; t++) {
        s->predicted[t] = hs_arena_alloc(&run->arena, data->count * sizeof(double));
        for (uint32_t i = 0; i < JOINT_FORMS; i++) {
            struct joint_model *model = &s->forms[t][i];
            *model = (struct joint_model){.form = i, .target = (enum joint_target)t};
            enum hs_status status = joint_fit(data, model, JOINT_NOTHING_HELD, 0, run->diag);
            model->is_fitted = status == HS_OK;
            if (status != HS_OK && status != HS_E_INPUT)
                return status;
            for (int p = 0; p < JOINT_PROTOCOLS; p++) {
                bool is_shown = p == JOINT_UNSEEN_MODEL && i == chosen(s, t); /* so far */
                HS_TRY(hold_out(data, model, (enum joint_protocol)p,
                                is_shown ? s->predicted[t] : NULL, run->diag));
            }
        }
    }
    s->known.form = JOINT_KNOWN;
    s->known.ridge = run->options.ridge > 0 ? run->options.ridge : RIDGE;
    s->known.effects = hs_arena_alloc(&run->arena, data->jobs * sizeof(double));
    for (int p = JOINT_UNSEEN_MODELS; p < JOINT_PROTOCOLS; p++)
        HS_TRY(hold_out(data, &s->known, (enum joint_protocol)p, NULL, run->diag));
    e->mib = hs_arena_alloc(&run->arena, data->count * sizeof *e->mib);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct joint_row *row = &data->rows[i];
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
    return HS_OK;
}

static double reserve(const struct memory_errors *e, uint32_t percent)
{
    return ceil(fmax(0, hs_percentile(e->mib, e->count, percent)));
}

/* ---- the table ---- */

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct utilization_study *s = study;
    const struct memory_errors *e = &s->memory;
    struct hs_output *out = run->out;
    hs_calibrate_say_counts(run, run->sets);
    for (int t = 0; t < JOINT_TARGETS; t++) {
        uint32_t measured = 0;
        for (uint32_t i = 0; i < s->data.count; i++)
            measured += isfinite(s->data.rows[i].joint[t]) ? 1 : 0;
        if (measured == 0) {
            hs_say(out, "\n%s: not in the data\n", targets[t].name);
            continue;
        }
        for (int p = 0; p < JOINT_PROTOCOLS; p++) {
            hs_say(out, "\n%s, %s", targets[t].name, protocols[p]);
            hs_say_score_head(out, "form");
            for (uint32_t f = 0; f < JOINT_FORMS; f++)
                hs_say_score(out, forms[f].text, &s->forms[t][f].scores[p]);
            if (t == JOINT_GPU && p != JOINT_UNSEEN_MODEL)
                hs_say_score(out, "1 - prod(1 - u) + effects of both jobs", &s->known.scores[p]);
        }
    }
    if (e->count == 0) {
        hs_say(out, "\nmemory: not in the data\n");
        return;
    }
    hs_say(out, "\njoint memory less the sum of what the jobs take alone, %u pairs\n", e->count);
    hs_say_row(out,
               "  median, MiB                               %7.0f\n"
               "  mean absolute error, MiB                  %7.0f\n"
               "  within 256 MiB, %%                         %7.1f\n"
               "  within 1024 MiB, %%                        %7.1f\n"
               "  more than 1024 MiB above the sum, %%       %7.1f\n"
               "  largest above the sum, MiB                %7.0f\n"
               "  reserve for 95 %% of the pairs, MiB        %7.0f\n"
               "  reserve for 99 %% of the pairs, MiB        %7.0f\n",
               hs_percentile(e->mib, e->count, 50), e->mae, 100 * e->near_share, 100 * e->far_share,
               100 * e->short_share, hs_percentile(e->mib, e->count, 100), reserve(e, 95),
               reserve(e, 99));
}

/* ---- the model file ---- */

static void write_form(struct hs_jsonw *w, const struct joint_model *model)
{
    hs_jsonw_put(w, "form=%s", forms[model->form].text);
    for (uint32_t k = 0; k < PARAMETERS_MAX && forms[model->form].parameters[k] != NULL; k++)
        hs_jsonw_put(w, "%s=%.6g", forms[model->form].parameters[k], model->theta[k]);
    hs_jsonw_put(w, "holdout=[");
    for (int p = 0; p < JOINT_PROTOCOLS; p++)
        hs_score_write(w, protocols[p], &model->scores[p]);
    hs_jsonw_put(w, "] }");
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct utilization_study *s = study;
    const struct memory_errors *e = &s->memory;
    (void)run;
    for (int t = 0; t < JOINT_TARGETS; t++) {
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
    for (int p = JOINT_UNSEEN_MODELS; p < JOINT_PROTOCOLS; p++)
        hs_score_write(w, protocols[p], &s->known.scores[p]);
    hs_jsonw_put(w, "] }");
    for (int t = 0; t < JOINT_TARGETS; t++) {
        hs_jsonw_put(w, "%s=[", targets[t].alternatives);
        for (uint32_t f = 0; f < JOINT_FORMS; f++)
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
    for (int t = 0; t < JOINT_TARGETS; t++)
        for (uint32_t i = 0; i < s->data.count; i++) {
            const struct joint_row *row = &s->data.rows[i];
            if (isfinite(s->predicted[t][i]))
                hs_csvw_row(w, "%s %s %s %s %.6g %.6g %.6g %.6g", targets[t].key, row->gpu,
                            row->key[0], row->key[1], row->alone[t][0], row->alone[t][1],
                            row->joint[t], s->predicted[t][i]);
        }
}

const struct hs_calibration hs_calibration_utilization = {
    .name = "utilization",
    .summary = "what jobs use together of a GPU, and of its memory",
    .data = "pairs with joint utilization, and both jobs alone: a folder of Lucid's, or your CSV",
    .steps = HS_CLEAN(OVERLAP), /* the others are about speeds */
    .rows = "target,gpu,job_a,job_b,alone_a,alone_b,observed,predicted",
    .study_size = sizeof(struct utilization_study),
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
