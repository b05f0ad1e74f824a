/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus predict --job MODEL:BATCH [--with MODEL:BATCH]... --gpu TYPE`: predictions of the models
 * for jobs alone on a GPU type and for all of them on one GPU, every number with its source and, if
 * known, its error on held-out rows, as text or JSON. The jobs become rows of the catalogue,
 * unmeasured ones are added; the GPU types are the requested one, those with speeds and those of
 * the jobs' measurements. The truth is what a run applies for its row of the catalogue; in addition
 * there are the best estimate of unmeasured values, and what a policy gets from a predictor opened
 * as in a run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "calibrate/calibration.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"

#define NAME_WIDTH   20
#define FIGURE_WIDTH 10
#define LABEL_SIZE   160
#define JOB_FORM     "MODEL[:BATCH[:PRECISION[:DATASET]]]"
#define NAME_MAX_LEN 64
#define TYPES_MAX    256u
#define Q32          4294967296.0

struct predict_options {
    const char *job, *with, *gpu; /* with: one per line; NULL = alone */
    const char *models, *profiles, *interference;
    struct hs_interference_options how; /* mode and excess from --interference */
    struct hs_predictor_options prediction;
    const char *sharing_capacity;
    int32_t sharing_mode;
    bool json, list;
};

struct predicted_figure {
    double value;         /* NaN = unknown */
    double error;         /* in the unit of the value unless stated otherwise; NaN = unknown */
    const char *source;   /* its origin, or why it is unknown */
    bool is_extrapolated; /* to a GPU type where it was neither measured nor fitted */
    bool is_raised;       /* a slowdown raised to --gamma */
};

struct predicted_job {
    const char *asked;    /* as given */
    const char *parts[4]; /* its model, batch, precision, dataset */
    enum hs_match match;
    const char *key;
    const char *taken;     /* if unmeasured: the row that a run uses; else NULL */
    uint32_t profile, row; /* in the catalogue: its own, and the one used */
    /* The figures that a run applies, from the row used. */
    struct predicted_figure util, memory_mib, step_ms; /* alone; utilizations are fractions */
    struct predicted_figure *speeds;                   /* by GPU type, the requested one first */
    struct predicted_figure slowdown;                  /* error: of the speed */
    struct predicted_figure predicted_util, predicted_memory_mib, predicted_slowdown;
    /* The best estimate for the requested configuration if its utilization was not measured. */
    bool has_estimate;
    struct predicted_figure util_estimated;
    struct predicted_figure slowdown_estimated; /* beside the other requested ones */
};

struct prediction {
    const struct predict_options *options;
    struct hs_catalogue catalogue;
    struct predicted_job *jobs;
    const char **types;
    const char **measured; /* GPU types in the catalogue or a loaded model file */
    uint32_t count, type_count, measured_count;
    const char *predictor, *run_predictor;    /* of the predictions shown; the default of a run */
    struct predicted_figure util, memory_mib; /* of all jobs together */
    uint32_t reserve_mib;                     /* cost of sharing beyond their sum */
    uint32_t capacity_mib;                    /* of the GPU; 0 = unknown */
    bool has_estimate;                        /* of any job: then all slowdowns have one, too */
    bool knows_fit, fits;                     /* whether sum and reserve fit the capacity */
    struct hs_arena arena;
    /* The models queried. */
    struct hs_modelset files;
    struct hs_interference *truth;
    struct hs_speed *speed;
    struct hs_predictor *regress, *shown;
    struct hs_cluster cluster; /* one node of each GPU type */
    double memory_error_mib;   /* for pairs; NaN = unknown */
    /* GPU types on which the true and the policies' general form and the regression were fitted;
     * NULL = not in the file. */
    const char *predicted_gpu, *regress_gpu;
};

static const char *keep_text(struct prediction *p, const char *before, const char *name)
{
    const char *text = HS_TEXT("%s%s", before, name);
    return hs_arena_text(&p->arena, text, strlen(text));
}

/* ---- the jobs ---- */

enum { MODEL, BATCH, PRECISION, DATASET, PARTS };

static enum hs_status unknown_model(struct prediction *p, const char *model, struct hs_diag *diag)
{
    const struct hs_catalogue *catalogue = &p->catalogue;
    char wanted[NAME_MAX_LEN] = "", *plain;
    uint32_t at = 0;
    const char **names = hs_arena_alloc(&p->arena, catalogue->count * sizeof *names + 1);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        names[i] = plain = hs_arena_alloc(&p->arena, NAME_MAX_LEN);
        (void)hs_profile_fold(catalogue->profiles[i].model, plain, NAME_MAX_LEN);
    }
    (void)hs_profile_fold(model, wanted, sizeof wanted);
    const char *nearest = hs_nearest(wanted, names, catalogue->count);
    while (nearest != NULL && names[at] != nearest)
        at++;
    return hs_fail(
        diag, HS_E_USAGE, NULL,
        nearest == NULL
            ? "'horus predict --list' lists its models; --profiles reads another catalogue"
            : HS_TEXT("did you mean '%.64s'? 'horus predict --list' lists all",
                      catalogue->profiles[at].model),
        "predict: the catalogue has no model '%s'", model);
}

/* No name of the catalogue contains '/', so the separator identifies the form. */
static enum hs_status split(struct prediction *p, const char *asked, const char **parts,
                            struct hs_diag *diag)
{
    static const int by_colon[PARTS] = {MODEL, BATCH, PRECISION, DATASET};
    static const int by_slash[PARTS] = {MODEL, DATASET, BATCH, PRECISION};
    bool is_key = strchr(asked, '/') != NULL;
    const char *rest = asked, *ends = is_key ? "/" : ":";
    bool is_whole = false;
    for (uint32_t i = 0; i < PARTS; i++) {
        size_t len = strcspn(rest, ends);
        const char *part = hs_arena_text(&p->arena, rest, len);
        parts[is_key ? by_slash[i] : by_colon[i]] = part;
        is_whole = rest[len] == '\0';
        rest += len + !is_whole;
    }
    if (!is_whole || parts[MODEL][0] == '\0')
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "for example ResNet18:64:amp or ResNet18/CIFAR-10/64/amp",
                       "predict: a job is MODEL[:BATCH[:PRECISION[:DATASET]]] or "
                       "MODEL/DATASET/BATCH/PRECISION, not '%s'",
                       asked);
    int64_t batch;
    const char *text = parts[BATCH];
    if (*text != '\0' &&
        (!hs_parse_int64(text, strlen(text), &batch) || batch < 1 || batch > INT32_MAX))
        return hs_fail(diag, HS_E_USAGE, NULL, "samples per step, for example ResNet18:64",
                       "predict: the batch of '%s' is not a positive number", asked);
    return HS_OK;
}

/* Adds the requested configuration, based on a row with another batch or precision. */
static enum hs_status add_unmeasured(struct hs_catalogue *catalogue, struct predicted_job *job,
                                     struct hs_diag *diag)
{
    const char *const *parts = job->parts;
    const struct hs_profile *row = &catalogue->profiles[job->row];
    const char *precision = parts[PRECISION];
    if (*parts[DATASET] != '\0' && !hs_model_same_name(parts[DATASET], row->dataset))
        return hs_fail(diag, HS_E_USAGE, NULL,
                       HS_TEXT("it has the model with '%.64s'", row->dataset),
                       "predict: the catalogue has no model '%s' with the dataset '%s'", row->model,
                       parts[DATASET]);
    if (*precision == '\0' || hs_model_same_name(precision, row->precision))
        precision = row->precision;
    else if (hs_model_same_name(precision, "amp"))
        precision = "amp";
    else if (hs_model_same_name(precision, "fp32"))
        precision = "fp32";
    else
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "unmeasured configurations are predicted for fp32 and amp",
                       "predict: the catalogue has no model '%s' with the precision '%s'",
                       row->model, precision);
    return hs_catalogue_add(catalogue, job->row, *parts[BATCH] != '\0' ? parts[BATCH] : row->batch,
                            precision, &job->profile, diag);
}

/* All are matched before one is added, so that no job matches an added row. */
static enum hs_status find_jobs(struct prediction *p, struct hs_diag *diag)
{
    const char *rest = p->options->with, *asked = p->options->job;
    p->jobs = hs_arena_alloc(&p->arena, HS_TENANTS_MAX * sizeof *p->jobs);
    for (; asked != NULL; asked = hs_option_next(&rest, &p->arena)) {
        if (p->count == HS_TENANTS_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, NULL, "predict: more than %u jobs on one GPU",
                           HS_TENANTS_MAX);
        struct predicted_job *job = &p->jobs[p->count++];
        const char **parts = job->parts;
        HS_TRY(split(p, asked, parts, diag));
        job->asked = asked;
        job->row = hs_catalogue_match(&p->catalogue, parts[MODEL], parts[DATASET], parts[BATCH],
                                      parts[PRECISION], &job->match);
        job->profile = job->row;
        if (job->match == HS_MATCH_NONE)
            return unknown_model(p, parts[MODEL], diag);
    }
    for (uint32_t i = 0; i < p->count; i++)
        if (p->jobs[i].match == HS_MATCH_BATCH)
            HS_TRY(add_unmeasured(&p->catalogue, &p->jobs[i], diag));
    for (uint32_t i = 0; i < p->count; i++) {
        struct predicted_job *job = &p->jobs[i];
        job->key = p->catalogue.profiles[job->profile].key;
        job->taken = job->profile != job->row ? p->catalogue.profiles[job->row].key : NULL;
    }
    return HS_OK;
}

/* ---- GPU types ---- */

/* A type in the list gets the spelling of the file: names of memory sizes are exact. */
static void add_type(struct prediction *p, const char *name)
{
    if (name[0] == '\0' || strpbrk(name, ",:") != NULL)
        return;
    uint32_t t = 0;
    while (t < p->type_count && !hs_model_same_name(p->types[t], name))
        t++;
    if (t == HS_GPU_TYPES_MAX)
        return;
    p->types[t] = keep_text(p, "", name);
    if (t == p->type_count)
        p->type_count++;
}

static void add_measured(struct prediction *p, const char *name)
{
    if (name == NULL || name[0] == '\0' || p->measured_count == TYPES_MAX)
        return;
    for (uint32_t i = 0; i < p->measured_count; i++)
        if (hs_model_same_name(p->measured[i], name))
            return;
    p->measured[p->measured_count++] = keep_text(p, "", name);
}

/* Returns "gpu" of a part of a model file; NULL = none. */
static const char *gpu_of(struct prediction *p, const struct hs_json *part)
{
    const char *gpu = hs_json_text(hs_json_get(part, "gpu"));
    add_measured(p, gpu);
    return gpu != NULL ? keep_text(p, "", gpu) : NULL;
}

/* Collects the GPU types with measurements in a model file, and those of the fits of the general
 * forms and the regression. Malformed members are ignored here: loading the file reports them. */
static enum hs_status survey_file(struct prediction *p, enum hs_model_kind kind,
                                  struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_status status = hs_modelfile_open(&check, p->files.path[kind], kind, diag);
    const struct hs_json *root = status == HS_OK ? hs_json_root(check.doc) : NULL;
    const struct hs_json *general = hs_json_get(root, "general");
    if (kind == HS_MODEL_PREDICTOR) {
        p->predicted_gpu = gpu_of(p, general);
        p->regress_gpu = gpu_of(p, hs_json_get(root, "fit"));
    }
    static const char *const lists[] = {"forms", "tables"};
    for (uint32_t i = 0; kind == HS_MODEL_INTERFERENCE && i < HS_COUNT_OF(lists); i++)
        for (const struct hs_json *part = hs_json_first(hs_json_get(root, lists[i])); part != NULL;
             part = hs_json_next(part))
            (void)gpu_of(p, part);
    const struct hs_json *type = hs_json_first(hs_json_get(root, "types"));
    for (; kind == HS_MODEL_SPEED && type != NULL; type = hs_json_next(type)) {
        add_measured(p, hs_json_text(type));
        if (hs_json_text(type) != NULL)
            add_type(p, hs_json_text(type));
    }
    return hs_jsoncheck_close(&check);
}

/* The requested type is first: times and speeds are relative to it. */
static enum hs_status collect_types(struct prediction *p, enum hs_interference_mode mode,
                                    struct hs_diag *diag)
{
    const char *gpu = p->options->gpu;
    char spec[HS_GPU_TYPES_MAX * 64] = "";
    p->measured = hs_arena_alloc(&p->arena, TYPES_MAX * sizeof *p->measured);
    p->types = hs_arena_alloc(&p->arena, HS_GPU_TYPES_MAX * sizeof *p->types);
    add_type(p, gpu);
    if (p->type_count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example V100",
                       "predict: '%s' is not the name of a GPU type", gpu);
    for (uint32_t i = 0; i < p->catalogue.count; i++)
        add_measured(p, p->catalogue.profiles[i].gpu);
    if (mode == HS_INTERFERENCE_MEASURED || mode == HS_INTERFERENCE_FIT)
        HS_TRY(survey_file(p, HS_MODEL_INTERFERENCE, diag));
    HS_TRY(survey_file(p, HS_MODEL_SPEED, diag));
    HS_TRY(survey_file(p, HS_MODEL_PREDICTOR, diag));
    for (uint32_t i = 0; i < p->count; i++)
        add_type(p, p->catalogue.profiles[p->jobs[i].row].gpu);
    for (uint32_t i = 0; i < p->measured_count; i++)
        if (hs_model_same_name(p->measured[i], gpu))
            add_type(p, p->measured[i]);
    for (uint32_t t = 0; t < p->type_count; t++)
        hs_append(spec, sizeof spec, "%s1x1:%s", t > 0 ? "," : "", p->types[t]);
    if (strlen(spec) + 1 == sizeof spec)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "predict: the names of GPU types are too long");
    return hs_cluster_load_shape(&p->cluster, spec, diag);
}

/* An unknown type is no error, but may be a misspelling. */
static void note_unknown_type(const struct prediction *p, struct hs_diag *diag)
{
    char list[512] = "";
    for (uint32_t i = 0; i < p->measured_count; i++) {
        if (hs_model_same_name(p->measured[i], p->types[0]))
            return;
        hs_append(list, sizeof list, "%s%.64s", i > 0 ? ", " : "", p->measured[i]);
    }
    hs_report(diag, HS_WARNING, NULL, NULL,
              "there are no measurements on %s: all values are extrapolated; measured: %s",
              p->types[0], list[0] != '\0' ? list : "nothing");
}

/* ---- models ---- */

static enum hs_status open_models(struct prediction *p, struct hs_diag *diag)
{
    const struct predict_options *options = p->options;
    const struct hs_predictor_options best = {.kind = HS_PREDICT_REGRESS};
    struct hs_interference_options how = options->how;
    HS_TRY(hs_modelset_init(&p->files, options->models, diag));
    HS_TRY(hs_interference_parse(options->interference, &how, diag));
    HS_TRY(collect_types(p, how.mode, diag));
    HS_TRY(hs_capacity_parse(options->sharing_capacity, &how.capacity, diag));
    struct hs_interference_type types[HS_GPU_TYPES_MAX];
    for (uint32_t t = 0; t < p->type_count; t++)
        types[t] = (struct hs_interference_type){
            .gpu = p->types[t], .mode = (enum hs_sharing_mode)options->sharing_mode};
    HS_TRY(hs_interference_load(&p->truth, p->files.path[HS_MODEL_INTERFERENCE], &p->catalogue,
                                &how, types, p->type_count, diag));
    HS_TRY(hs_speed_load(&p->speed, p->files.path[HS_MODEL_SPEED], &p->catalogue, &p->cluster,
                         p->types[0], diag));
    HS_TRY(hs_predictor_open(&p->regress, &p->files, &p->catalogue, &best, diag));
    HS_TRY(hs_predictor_open(&p->shown, &p->files, &p->catalogue, &options->prediction, diag));
    p->capacity_mib = p->cluster.types[0].mem_mib;
    struct hs_jsoncheck check;
    const char *path = p->files.path[HS_MODEL_UTILIZATION];
    p->memory_error_mib = NAN;
    if (hs_modelfile_open(&check, path, HS_MODEL_UTILIZATION, diag) == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc), *memory = hs_json_get(root, "memory");
        double reserve = 0;
        if (hs_json_kind(hs_json_get(memory, "mae_mib")) == HS_JSON_NUMBER)
            (void)hs_jsoncheck_number(&check, memory, "mae_mib", 0, UINT32_MAX,
                                      &p->memory_error_mib);
        if (memory != NULL)
            (void)hs_jsoncheck_number(&check, memory, "reserve_p95_mib", 0, UINT32_MAX, &reserve);
        p->reserve_mib = p->count > 1 ? (uint32_t)reserve : 0;
    }
    return hs_jsoncheck_close(&check);
}

/* ---- figures ---- */

static const struct predicted_figure not_known = {
    .value = NAN, .error = NAN, .source = "not known"};

/* is_here: found on the requested GPU type; else the error is unknown. */
static struct predicted_figure figure(double value, double error, const char *source, bool is_here)
{
    if (isnan(value))
        return not_known;
    return (struct predicted_figure){.value = value,
                                     .error = is_here ? error : (double)NAN,
                                     .source = source,
                                     .is_extrapolated = !is_here};
}

/* Tells whether `gpu` (NULL = unknown) is the requested type. */
static bool is_here(const struct prediction *p, const char *gpu)
{
    return gpu != NULL && hs_model_same_name(gpu, p->types[0]);
}

static int32_t util_pm(const struct predicted_figure *util)
{
    return isnan(util->value) ? -1 : (int32_t)lround(1000 * util->value);
}

/* ---- jobs alone ---- */

/* Tells whether an estimate of a row's utilization is for the requested type: that of the
 * measurement it is based on, else that of the regression. */
static bool is_estimate_here(const struct prediction *p, const struct hs_profile *row)
{
    return is_here(p, row->util_pm >= 0 ? row->gpu : p->regress_gpu);
}

/* A run uses a value measured on one type for every type. */
static void ask_alone_of(struct prediction *p, struct predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    const char *measured = keep_text(p, "measured on ", row->gpu);
    struct hs_estimate best;
    job->util = job->memory_mib = job->util_estimated = job->slowdown_estimated = not_known;
    if (row->util_pm >= 0)
        job->util = figure(row->util_pm / 1000.0, NAN, measured, is_here(p, row->gpu));
    if (row->mem_mib > 0)
        job->memory_mib = figure(row->mem_mib, NAN, measured, is_here(p, row->gpu));
    if (job->profile == job->row && row->util_pm >= 0)
        return;
    hs_predictor_estimate(p->regress, &(struct hs_job_facts){.profile = job->profile}, &best);
    if (best.util_pm < 0)
        return;
    p->has_estimate = job->has_estimate = true;
    job->util_estimated = figure(best.util_pm / 1000.0, best.util_error_pm / 1000.0, "regress",
                                 is_estimate_here(p, row));
}

/* Relative to the requested type. */
static struct predicted_figure speed_on(const struct prediction *p, const struct predicted_job *job,
                                        uint32_t type)
{
    enum hs_speed_source source;
    double speed = (double)hs_speed_q32(p->speed, job->row, type, &source) / Q32;
    if (type == 0)
        return figure(1, NAN, "reference", true);
    if (source == HS_SPEED_SCALAR)
        return not_known;
    return figure(speed, speed * hs_speed_error(p->speed, type, source), hs_speed_sources[source],
                  true);
}

static struct predicted_figure step_time(struct prediction *p, const struct predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    uint32_t type = 0;
    while (type < p->type_count && !hs_model_same_name(p->types[type], row->gpu))
        type++;
    if (isnan(row->step_ms) || type == p->type_count || isnan(job->speeds[type].value))
        return not_known;
    if (type == 0)
        return figure(row->step_ms, NAN, keep_text(p, "measured on ", row->gpu), true);
    const struct predicted_figure *speed = &job->speeds[type];
    const char *source = HS_TEXT("measured on %.32s, speed: %.64s", row->gpu, speed->source);
    return figure(row->step_ms * speed->value, row->step_ms * speed->error,
                  keep_text(p, "", source), true);
}

static void ask_predictor(const struct prediction *p, uint32_t index)
{
    struct predicted_job *job = &p->jobs[index];
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    const enum hs_predictor_kind kind = p->options->prediction.kind;
    struct hs_job_facts facts = {
        .index = index,
        .profile = job->row,
        .util_pm = util_pm(&job->util),
        .util_peak_pm = row->util_peak_pm,
        .mem_mib = isnan(job->memory_mib.value) ? 0 : (uint32_t)job->memory_mib.value};
    struct hs_estimate estimate;
    hs_predictor_estimate(p->shown, &facts, &estimate);
    job->predicted_util = job->predicted_memory_mib = not_known;
    bool is_guess = kind == HS_PREDICT_TABLE || kind == HS_PREDICT_REGRESS;
    if (estimate.util_pm >= 0)
        job->predicted_util = figure(estimate.util_pm / 1000.0, estimate.util_error_pm / 1000.0,
                                     p->predictor, !is_guess || is_estimate_here(p, row));
    if (estimate.mem_mib > 0)
        job->predicted_memory_mib =
            figure(estimate.mem_mib, estimate.mem_error_mib,
                   hs_memory_predictors[p->options->prediction.memory], true);
}

/* ---- jobs together ---- */

/* As computed by a policy: the sum of the excesses beside each other job. */
static struct predicted_figure predicted_slowdown(const struct prediction *p, uint32_t self)
{
    double slowdown = 1;
    bool is_all_here = is_here(p, p->predicted_gpu);
    for (uint32_t j = 0; j < p->count; j++) {
        const struct predicted_figure *own = &p->jobs[self].predicted_util,
                                      *other = &p->jobs[j].predicted_util;
        is_all_here &= !other->is_extrapolated;
        if (j == self)
            continue;
        if (isnan(own->value) || isnan(other->value))
            return not_known;
        uint64_t pair_q20 = hs_predictor_slowdown_q20(p->shown, util_pm(own), util_pm(other));
        slowdown += (double)(pair_q20 - HS_Q20_ONE) / (double)HS_Q20_ONE;
    }
    return figure(slowdown, p->count == 2 ? hs_predictor_slowdown_error(p->shown) : (double)NAN,
                  p->count == 2 ? "general" : "modelled", is_all_here);
}

/* As in the engine: by the form, unless the GPU has less time than they need together. */
static struct predicted_figure slowdown_among(const struct prediction *p,
                                              const struct hs_tenant *tenants, uint32_t self)
{
    enum hs_slowdown_source source;
    struct hs_fair_share shares[HS_TENANTS_MAX];
    uint64_t q20 = hs_interference_slowdown_q20(p->truth, 0, tenants, p->count, self, &source);
    hs_interference_speeds(p->truth, 0, tenants, p->count, shares);
    if (shares[self].speed_q32 < (UINT64_C(1) << 52) / q20)
        return figure((double)HS_Q32_ONE / (double)shares[self].speed_q32, NAN, "GPU time", true);
    bool is_all_here = is_here(p, hs_interference_form_gpu(p->truth, 0)), has_general = false;
    for (uint32_t j = 0; j < p->count; j++) {
        enum hs_slowdown_source of_pair = HS_SLOWDOWN_ALONE;
        const struct hs_tenant pair[] = {tenants[self], tenants[j]};
        if (j != self)
            (void)hs_interference_slowdown_q20(p->truth, 0, pair, 2, 0, &of_pair);
        has_general |= of_pair == HS_SLOWDOWN_GENERAL;
        is_all_here &= !p->jobs[j].util.is_extrapolated;
    }
    struct predicted_figure f =
        figure((double)q20 / (double)HS_Q20_ONE, hs_interference_error(p->truth, 0, source),
               hs_slowdown_sources[source], is_all_here || !has_general);
    /* Errors are known for slowdowns without the power. A slowdown of 1 remains 1. */
    f.is_raised = p->options->how.gamma != 1 && source != HS_SLOWDOWN_ALONE &&
                  (source != HS_SLOWDOWN_ASSUMED || q20 != HS_Q20_ONE);
    if (f.is_raised)
        f.error = NAN;
    return f;
}

/* Fills a zeroed p; must be freed even after a failure. */
static enum hs_status ask(struct prediction *p, const struct predict_options *options,
                          struct hs_diag *diag)
{
    /* the defaults of a run are in its table of options */
    const char *kind = hs_option_find(hs_run_option_table, "predictor")->param.preset;
    const char *noise = hs_option_find(hs_run_option_table, "util_noise")->param.preset;
    p->options = options;
    p->predictor = hs_predictors[options->prediction.kind];
    p->run_predictor = strcmp(kind, "noisy") == 0 ? keep_text(p, "noisy, RMSLE ", noise) : kind;
    HS_TRY(hs_catalogue_load(&p->catalogue, options->profiles, diag));
    HS_TRY(find_jobs(p, diag));
    HS_TRY(open_models(p, diag));
    note_unknown_type(p, diag);
    for (uint32_t i = 0; i < p->count; i++) {
        struct predicted_job *job = &p->jobs[i];
        job->speeds = hs_arena_alloc(&p->arena, p->type_count * sizeof *job->speeds);
        ask_alone_of(p, job);
        for (uint32_t t = 0; t < p->type_count; t++)
            job->speeds[t] = speed_on(p, job, t);
        job->step_ms = step_time(p, job);
        ask_predictor(p, i);
    }
    struct hs_tenant run[HS_TENANTS_MAX], asked[HS_TENANTS_MAX];
    for (uint32_t i = 0; i < p->count; i++) {
        const struct predicted_job *job = &p->jobs[i];
        run[i] = (struct hs_tenant){.profile = job->row, .util_pm = util_pm(&job->util)};
        asked[i] = run[i];
        if (job->has_estimate)
            asked[i] = (struct hs_tenant){.profile = job->profile,
                                          .util_pm = util_pm(&job->util_estimated)};
    }
    for (uint32_t i = 0; i < p->count; i++) {
        struct predicted_job *job = &p->jobs[i];
        job->slowdown = slowdown_among(p, run, i);
        job->predicted_slowdown = predicted_slowdown(p, i);
        if (p->has_estimate)
            job->slowdown_estimated = slowdown_among(p, asked, i);
    }
    /* all together; unmeasured utilizations are estimated */
    double busy = 0, memory = 0;
    bool is_all_here = is_here(p, p->predicted_gpu);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct predicted_job *job = &p->jobs[i];
        const struct predicted_figure *util =
            isnan(job->util.value) ? &job->util_estimated : &job->util;
        const struct predicted_figure *slowdown =
            isnan(job->util.value) ? &job->slowdown_estimated : &job->slowdown;
        busy += util->value / slowdown->value;
        memory += job->memory_mib.value;
        is_all_here &= !util->is_extrapolated && !job->memory_mib.is_extrapolated;
    }
    p->util = figure(busy, NAN, "sum of u x speed", is_all_here);
    p->memory_mib =
        figure(memory, p->count == 2 ? p->memory_error_mib : (double)NAN, "sum", is_all_here);
    p->knows_fit = p->capacity_mib > 0 && !isnan(memory);
    p->fits = p->knows_fit && memory + p->reserve_mib <= p->capacity_mib;
    return HS_OK;
}

/* A measured value is used unchanged on another GPU type; a fitted one is extrapolated. */
static void figure_label(const struct prediction *p, const struct predicted_figure *f,
                         char text[LABEL_SIZE])
{
    (void)snprintf(text, LABEL_SIZE, "%.96s", f->source);
    if (f->is_raised)
        hs_append(text, LABEL_SIZE, "^%g", p->options->how.gamma);
    if (f->is_extrapolated)
        hs_append(text, LABEL_SIZE, "%s",
                  strncmp(f->source, "measured", 8) == 0 ? ", taken as such" : ", extrapolated");
}

/* ---- as text ---- */

/* Prints "      58.7 %", or "         -" and as many blanks. */
static void say_value(struct hs_output *out, double value, unsigned decimals, const char *unit)
{
    hs_say_number(out, value, decimals, FIGURE_WIDTH);
    hs_say(out, " %-3s", isnan(value) ? "" : unit);
}

static void say_line(struct hs_output *out, const struct prediction *p, const char *name,
                     const struct predicted_figure *f, double scale, unsigned decimals,
                     const char *unit)
{
    char label[LABEL_SIZE];
    figure_label(p, f, label);
    hs_say(out, "  %-*s", NAME_WIDTH, name);
    say_value(out, scale * f->value, decimals, unit);
    say_value(out, scale * f->error, decimals, unit);
    hs_say(out, "  %s\n", label);
}

/* Returns the catalogue row to which the figures belong. */
static const char *run_key(const struct predicted_job *job)
{
    return job->taken != NULL ? job->taken : job->key;
}

static void say_alone(struct hs_output *out, const struct prediction *p,
                      const struct predicted_job *job)
{
    hs_say(out, "%s alone on %s\n", job->key, p->types[0]);
    if (job->taken != NULL)
        hs_say(out, "  not in the catalogue; a run uses %s, whose values these are\n", job->taken);
    hs_say(out, "  %-*s%*s    %*s      source\n", NAME_WIDTH, "", FIGURE_WIDTH, "value",
           FIGURE_WIDTH, "error");
    say_line(out, p, "utilization", &job->util, 100, 1, "%");
    say_line(out, p, "  a policy sees", &job->predicted_util, 100, 1, "%");
    if (job->has_estimate)
        say_line(out, p, job->taken != NULL ? "  estimated as asked" : "  estimated",
                 &job->util_estimated, 100, 1, "%");
    say_line(out, p, "GPU memory", &job->memory_mib, 1, 0, "MiB");
    say_line(out, p, "  a policy sees", &job->predicted_memory_mib, 1, 0, "MiB");
    say_line(out, p, "time of a step", &job->step_ms, 1, 2, "ms");
    for (uint32_t t = 1; t < p->type_count; t++)
        say_line(out, p, HS_TEXT("speed on %.40s", p->types[t]), &job->speeds[t], 1, 3, "x");
}

/* Prints slowdown, speed, error and source of the speed. */
static void say_slowdown(struct hs_output *out, const struct prediction *p,
                         const struct predicted_figure *f, int width)
{
    char label[LABEL_SIZE];
    figure_label(p, f, label);
    hs_say_number(out, f->value, 3, 10);
    hs_say_number(out, 1 / f->value, 3, 8);
    hs_say_number(out, f->error, 3, 8);
    hs_say(out, "  %-*s", width, label);
}

static void widen(int *width, const char *text)
{
    *width = (int)strlen(text) > *width ? (int)strlen(text) : *width;
}

static void say_slowdowns(struct hs_output *out, const struct prediction *p)
{
    char label[LABEL_SIZE];
    int width = NAME_WIDTH, label_width = 10;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct predicted_job *job = &p->jobs[i];
        widen(&width, run_key(job));
        figure_label(p, &job->slowdown, label);
        widen(&label_width, label);
        figure_label(p, p->has_estimate ? &job->slowdown_estimated : &job->slowdown, label);
        widen(&label_width, label);
    }
    hs_say(out, "  %-*s%10s%8s%8s  %-*s%10s%8s  %s\n", width, "", "slowdown", "speed", "error",
           label_width, "source", "predicted", "error", "source");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct predicted_job *job = &p->jobs[i];
        hs_say(out, "  %-*s", width, run_key(job));
        say_slowdown(out, p, &job->slowdown, label_width);
        figure_label(p, &job->predicted_slowdown, label);
        hs_say_number(out, job->predicted_slowdown.value, 3, 10);
        hs_say_number(out, job->predicted_slowdown.error, 3, 8);
        hs_say(out, "  %s\n", label);
        if (!p->has_estimate)
            continue;
        hs_say(out, "  %-*s", width, "  estimated as asked");
        say_slowdown(out, p, &job->slowdown_estimated, 0);
        hs_say(out, "\n");
    }
}

static void say_prediction(struct hs_output *out, const struct prediction *p)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        if (i > 0)
            hs_say(out, "\n");
        say_alone(out, p, &p->jobs[i]);
    }
    if (p->count > 1) {
        hs_say(out, "\n%" PRIu32 " jobs on one %s\n", p->count, p->types[0]);
        say_slowdowns(out, p);
        say_line(out, p, "utilization", &p->util, 100, 1, "%");
        say_line(out, p, "GPU memory", &p->memory_mib, 1, 0, "MiB");
        hs_say(out, "  %-*s", NAME_WIDTH, "with the reserve");
        hs_say_number(out, p->memory_mib.value + p->reserve_mib, 0, FIGURE_WIDTH);
        hs_say(out, "%s\n", isnan(p->memory_mib.value) ? "" : " MiB");
    }
    for (uint32_t i = 0; i < p->count && unknown == NULL; i++)
        if (isnan(p->jobs[i].memory_mib.value))
            unknown = run_key(&p->jobs[i]);
    hs_say(out, "  fits one %s", p->types[0]);
    if (p->capacity_mib > 0)
        hs_say(out, " of %" PRIu32 " MiB", p->capacity_mib);
    if (p->knows_fit)
        hs_say(out, ": %s\n", p->fits ? "yes" : "no");
    else if (p->capacity_mib == 0)
        hs_say(out, ": the memory of this GPU type is not known\n");
    else
        hs_say(out, ": the memory that %s needs is not known\n", unknown);
    hs_say(out, "\npredicted: by %s; a run's default: %s.\n", p->predictor, p->run_predictor);
    hs_say(out,
           "error: root mean square on held-out rows (of the speed, beside a slowdown); mean "
           "absolute for\nspeeds, times and sums of memory. '-': measured, exact, extrapolated or "
           "not known.\n");
    if (p->options->how.gamma != 1)
        hs_say(
            out,
            "^%g: slowdowns of pairs to this power (--gamma), which were not measured: no error.\n",
            p->options->how.gamma);
}

/* ---- JSON ---- */

static void figure_json(struct hs_jsonw *w, const struct prediction *p, const char *key,
                        const char *error_key, const struct predicted_figure *f)
{
    hs_jsonw_put(w, "%s={ value=%.6g %s=%.6g source=%s", key, f->value, error_key, f->error,
                 f->source);
    if (f->is_raised)
        hs_jsonw_put(w, "gamma=%.6g", p->options->how.gamma);
    if (f->is_extrapolated)
        hs_jsonw_put(w, "extrapolated=%d", true);
    hs_jsonw_put(w, "}");
}

static void prediction_json(struct hs_output *out, const struct prediction *p)
{
    struct hs_jsonw w;
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w, "={ gpu=%s predictor=%s run_predictor=%s jobs=[", p->types[0], p->predictor,
                 p->run_predictor);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct predicted_job *job = &p->jobs[i];
        hs_jsonw_put(&w, "={ asked=%s profile=%s run_profile=%s", job->asked, job->key,
                     run_key(job));
        figure_json(&w, p, "util", "rmse", &job->util);
        if (job->has_estimate)
            figure_json(&w, p, "util_estimated", "rmse", &job->util_estimated);
        figure_json(&w, p, "util_told", "rmse", &job->predicted_util);
        figure_json(&w, p, "memory_mib", "rmse", &job->memory_mib);
        figure_json(&w, p, "memory_told_mib", "rmse", &job->predicted_memory_mib);
        figure_json(&w, p, "step_ms", "mean_absolute_error", &job->step_ms);
        hs_jsonw_put(&w, "speed={");
        for (uint32_t t = 0; t < p->type_count; t++)
            figure_json(&w, p, p->types[t], "mean_absolute_error", &job->speeds[t]);
        hs_jsonw_put(&w, "}");
        if (p->count > 1) {
            figure_json(&w, p, "slowdown", "speed_rmse", &job->slowdown);
            if (p->has_estimate)
                figure_json(&w, p, "slowdown_estimated", "speed_rmse", &job->slowdown_estimated);
            figure_json(&w, p, "slowdown_told", "speed_rmse", &job->predicted_slowdown);
        }
        hs_jsonw_put(&w, "}");
    }
    hs_jsonw_put(&w, "] together={");
    figure_json(&w, p, "util", "rmse", &p->util);
    figure_json(&w, p, "memory_mib", "mean_absolute_error", &p->memory_mib);
    hs_jsonw_put(&w, "reserve_mib=%u capacity_mib=%.6g", p->reserve_mib,
                 p->capacity_mib > 0 ? (double)p->capacity_mib : (double)NAN);
    hs_jsonw_key(&w, "fits");
    if (p->knows_fit)
        hs_jsonw_put(&w, "=%d", p->fits);
    else
        hs_jsonw_text(&w, NULL);
    hs_jsonw_put(&w, "} }");
    hs_jsonw_finish(&w);
}

/* ---- the verb ---- */

static enum hs_status predict(struct hs_call *call)
{
    const struct predict_options *options = call->options;
    struct prediction *p = hs_arena_alloc(&call->arena, sizeof *p);
    if (options->list)
        return hs_predict_list(&call->out, options->profiles, options->json, &call->diag);
    if (options->job == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "for example --job ResNet18:64:amp; --list lists the catalogue",
                       "predict: --job is missing: " JOB_FORM);
    if (options->gpu == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "for example --gpu V100",
                       "predict: --gpu is missing: the GPU type");
    enum hs_status status = ask(p, options, &call->diag);
    if (status == HS_OK)
        (options->json ? prediction_json : say_prediction)(&call->out, p);
    hs_predictor_close(p->shown);
    hs_predictor_close(p->regress);
    hs_speed_free(p->speed);
    hs_interference_free(p->truth);
    hs_cluster_free(&p->cluster);
    hs_modelset_free(&p->files);
    hs_catalogue_free(&p->catalogue);
    hs_arena_free(&p->arena);
    return status;
}

#define ASKED      "Question"
#define TRUTH      "Truth: what a run applies"
#define PREDICTION "Prediction: what a policy sees"
#define OWNER      struct predict_options

static const struct hs_option predict_table[] = {
    TEXT("job", job, ASKED, NULL, JOB_FORM,
         "a configuration, or its key as printed: ResNet18/CIFAR-10/64/fp32; a part left out is "
         "the first in the catalogue",
         SHORT),
    TEXT("with", with, ASKED, NULL, JOB_FORM, "another job on the same GPU; may be repeated", SHORT,
         REPEATED),
    TEXT("gpu", gpu, ASKED, NULL, "TYPE", "GPU type, such as V100", SHORT),
    FLAG("list", list, ASKED,
         "list the models, datasets, precisions and batch sizes of the catalogue", SHORT),
    FLAG("json", json, ASKED, "print everything as JSON, with utilizations from 0 to 1", SHORT),
    TEXT("profiles", profiles, TRUTH, HS_BUILTIN "profiles.csv", "FILE",
         "catalogue of configurations"),
    TEXT("models", models, TRUTH, NULL, "FILES",
         "model files of 'horus calibrate', comma-separated; each replaces the built-in model of "
         "its kind"),
    TEXT("interference", interference, TRUTH, "measured+fit", "MODEL",
         "measured+fit, fit, const:X or none"),
    REAL("gamma", how.gamma, TRUTH, "1", 0, 10, "exponent on slowdowns: 1 as measured"),
    CHOICE("sharing_mode", sharing_mode, TRUTH, "timeslice", hs_sharing_modes,
           "how jobs share the GPU. timeslice: kernels of one job at a time; mps: of several at a "
           "time; mig: fixed parts"),
    TEXT("sharing_capacity", sharing_capacity, TRUTH, "auto", "CAPACITY",
         "limit on the GPU time that they use together, 1: that of one job; auto, a number, or "
         "none"),
    CHOICE(
        "predictor", prediction.kind, PREDICTION, "regress", hs_predictors,
        "predicted utilization: the true one, the true one with the noise of one draw (the default "
        "of a run), that of other batch sizes of the model, or by regression on its graph"),
    CHOICE("predictor_holdout", prediction.holdout, PREDICTION, "config", hs_holdouts,
           "regress: fitted without this configuration, or without its model"),
    REAL("util_noise", prediction.util_rmsle, PREDICTION, "0.154", 0, 5,
         "noisy: RMSLE of the utilization", SOURCE("Yeung et al. HotCloud'20")),
    REAL("util_bias", prediction.util_bias, PREDICTION, "0", -5, 5, "noisy: mean of the log error"),
    CHOICE("memory_predictor", prediction.memory, PREDICTION, "oracle", hs_memory_predictors,
           "predicted GPU memory: the true one, by the formula of Horus, or the true one with "
           "log-normal noise"),
    REAL("memory_noise", prediction.mem_ln_sd, PREDICTION, "0.665", 0, 5,
         "noisy: standard deviation of ln(estimate / truth)",
         SOURCE("the formula against 18 measurements of GPUMemNet")),
    INT("seed", prediction.seed, PREDICTION, "1", 0, 9e15, "seed of the noise"),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_predict = {
    .name = "predict",
    .operands = "--job JOB --gpu TYPE",
    .summary = "Print what the models predict for jobs on one GPU.",
    .details =
        "Prints utilization, memory, step time and speed of each job alone, and the slowdowns, "
        "utilization and memory of all jobs together on one GPU. Each number has its source "
        "(measured, fitted to both jobs, general form of two utilizations, modelled for more than "
        "two jobs, extrapolated to a GPU type on which it was not measured) and the error on "
        "held-out rows. The value that a policy sees is printed beside the value that a run "
        "applies. For a batch size that is not in the catalogue, both are printed: the row that a "
        "run uses in its place, and the estimate.",
    .examples = {"predict --list", "predict --job ResNet18:64:amp --with LSTM:128 --gpu RTX3090",
                 "predict --job ResNet50:32 --with Transformer:64 --gpu V100 --json"},
    .options = predict_table,
    .options_size = sizeof(struct predict_options),
    .run = predict,
};
