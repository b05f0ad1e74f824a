/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the models. The truth is what a run would apply, of the row of the catalogue that it would
 * take; beside it stands the best estimate of what was not measured; what a policy is told comes
 * from a predictor of its own, opened like that of a run.
 */
#include "cli/predict.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/predict_private.h"
#include "cli/run_options.h"

#define Q32 4294967296.0

static const struct hs_figure not_known = {.value = NAN, .error = NAN, .source = "not known"};

static struct hs_figure figure(double value, double error, const char *source)
{
    if (isnan(value))
        return not_known;
    return (struct hs_figure){.value = value, .error = error, .source = source};
}

/* On another GPU type than it was found on: nobody knows how far it is off. */
static void extrapolate(struct hs_figure *f)
{
    if (isnan(f->value))
        return;
    f->error = NAN;
    f->is_extrapolated = true;
}

/* Was something of the type `gpu` (NULL = nobody knows) found on the type asked about? */
static bool is_here(const struct hs_prediction *p, const char *gpu)
{
    return gpu != NULL && hs_model_same_name(gpu, p->types[0]);
}

/* ---- alone ---- */

static int32_t util_pm(const struct hs_figure *util)
{
    return isnan(util->value) ? -1 : (int32_t)lround(1000 * util->value);
}

static uint32_t whole_mib(const struct hs_figure *memory)
{
    return isnan(memory->value) ? 0 : (uint32_t)memory->value;
}

/* A run takes what was measured on one type for every type. */
static struct hs_figure taken_as_such(struct hs_prediction *p, double value, const char *gpu)
{
    struct hs_figure f = figure(value, NAN, hs_predict_text(p, "measured on ", gpu));
    if (!is_here(p, gpu))
        extrapolate(&f);
    return f;
}

/* The type that an estimate of a row's utilization is for: that of the measurement it starts from,
 * else that of the regression. */
static bool is_estimate_here(const struct hs_prediction *p, const struct hs_predict_models *m,
                             const struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    return is_here(p, row->util_pm >= 0 ? row->gpu : m->regress_gpu);
}

static void ask_alone_of(struct hs_prediction *p, const struct hs_predict_models *m,
                         struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    struct hs_estimate best;
    job->util = job->memory_mib = job->util_estimated = job->slowdown_estimated = not_known;
    if (row->util_pm >= 0)
        job->util = taken_as_such(p, row->util_pm / 1000.0, row->gpu);
    if (row->mem_mib > 0)
        job->memory_mib = taken_as_such(p, row->mem_mib, row->gpu);
    if (job->profile == job->row && row->util_pm >= 0)
        return;
    hs_predictor_estimate(m->regress, &(struct hs_job_facts){.profile = job->profile}, &best);
    job->has_estimate = best.util_pm >= 0;
    if (!job->has_estimate)
        return;
    job->util_estimated = figure(best.util_pm / 1000.0, best.util_error_pm / 1000.0, "regress");
    if (!is_estimate_here(p, m, job))
        extrapolate(&job->util_estimated);
}

/* Relative to the type asked about. */
static struct hs_figure speed_on(const struct hs_predict_models *m,
                                 const struct hs_predicted_job *job, uint32_t type)
{
    enum hs_speed_source source;
    double speed = (double)hs_speed_q32(m->speed, job->row, type, &source) / Q32;
    if (type == 0)
        return figure(1, NAN, "reference");
    if (source == HS_SPEED_SCALAR)
        return not_known;
    return figure(speed, speed * hs_speed_error(m->speed, type, source),
                  hs_speed_source_text(source));
}

static struct hs_figure step_time(struct hs_prediction *p, const struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    uint32_t type = 0;
    while (type < p->type_count && !hs_model_same_name(p->types[type], row->gpu))
        type++;
    if (isnan(row->step_ms) || type == p->type_count || isnan(job->speeds[type].value))
        return not_known;
    if (type == 0)
        return figure(row->step_ms, NAN, hs_predict_text(p, "measured on ", row->gpu));
    const struct hs_figure *speed = &job->speeds[type];
    char source[128];
    (void)snprintf(source, sizeof source, "measured on %.32s, speed: %.64s", row->gpu,
                   speed->source);
    return figure(row->step_ms * speed->value, row->step_ms * speed->error,
                  hs_predict_text(p, "", source));
}

static void ask_told(const struct hs_prediction *p, const struct hs_predict_models *m,
                     const struct hs_predict_options *options, uint32_t index)
{
    static const char *const memories[] = {"oracle", "formula", "noisy"};
    struct hs_predicted_job *job = &p->jobs[index];
    const struct hs_profile *row = &p->catalogue.profiles[job->row];
    struct hs_job_facts facts = {.index = index,
                                 .profile = job->row,
                                 .util_pm = util_pm(&job->util),
                                 .util_peak_pm = row->util_peak_pm,
                                 .mem_mib = whole_mib(&job->memory_mib)};
    struct hs_estimate told;
    hs_predictor_estimate(m->told, &facts, &told);
    job->util_told = job->memory_told_mib = not_known;
    if (told.util_pm >= 0) {
        bool is_guess =
            options->predictor == HS_PREDICT_TABLE || options->predictor == HS_PREDICT_REGRESS;
        job->util_told = figure(told.util_pm / 1000.0, told.util_error_pm / 1000.0, p->predictor);
        if (is_guess && !is_estimate_here(p, m, job))
            extrapolate(&job->util_told);
    }
    if (told.mem_mib > 0)
        job->memory_told_mib =
            figure(told.mem_mib, told.mem_error_mib, memories[options->memory_predictor]);
}

static enum hs_status ask_alone(struct hs_prediction *p, const struct hs_predict_models *m,
                                const struct hs_predict_options *options, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct hs_predicted_job *job = &p->jobs[i];
        job->speeds = hs_arena_alloc(&p->arena, p->type_count * sizeof *job->speeds);
        if (job->speeds == NULL)
            return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
        ask_alone_of(p, m, job);
        for (uint32_t t = 0; t < p->type_count; t++)
            job->speeds[t] = speed_on(m, job, t);
        job->step_ms = step_time(p, job);
        ask_told(p, m, options, i);
    }
    return HS_OK;
}

/* ---- together ---- */

/* What a policy can add up: the excesses beside each other job. */
static struct hs_figure slowdown_told(const struct hs_prediction *p,
                                      const struct hs_predict_models *m, uint32_t self)
{
    double slowdown = 1;
    bool is_all_here = is_here(p, m->told_gpu);
    for (uint32_t j = 0; j < p->count; j++) {
        const struct hs_figure *own = &p->jobs[self].util_told, *other = &p->jobs[j].util_told;
        is_all_here &= !other->is_extrapolated;
        if (j == self)
            continue;
        if (isnan(own->value) || isnan(other->value))
            return not_known;
        uint64_t pair_q20 = hs_predictor_slowdown_q20(m->told, util_pm(own), util_pm(other));
        slowdown += (double)(pair_q20 - HS_Q20_ONE) / (double)HS_Q20_ONE;
    }
    struct hs_figure told =
        figure(slowdown, p->count == 2 ? hs_predictor_slowdown_error(m->told) : NAN,
               p->count == 2 ? "general" : "modelled");
    if (!is_all_here)
        extrapolate(&told);
    return told;
}

/* A slowdown among more than two has the sources of its pairs. */
static bool has_pair_of(const struct hs_prediction *p, const struct hs_predict_models *m,
                        const struct hs_tenant *tenants, uint32_t self,
                        enum hs_slowdown_source wanted)
{
    bool is_any = false;
    for (uint32_t j = 0; j < p->count; j++) {
        enum hs_slowdown_source source = HS_SLOWDOWN_ALONE;
        const struct hs_tenant pair[] = {tenants[self], tenants[j]};
        if (j != self)
            (void)hs_interference_slowdown_q20(m->truth, 0, pair, 2, 0, &source);
        is_any |= source == wanted;
    }
    return is_any;
}

static struct hs_figure slowdown_among(const struct hs_prediction *p,
                                       const struct hs_predict_models *m,
                                       const struct hs_tenant *tenants, uint32_t self)
{
    enum hs_slowdown_source source;
    uint64_t q20 = hs_interference_slowdown_q20(m->truth, 0, tenants, p->count, self, &source);
    /* A job of which nothing is known counts as idle among more than two, too. */
    if (has_pair_of(p, m, tenants, self, HS_SLOWDOWN_ASSUMED))
        source = HS_SLOWDOWN_ASSUMED;
    struct hs_figure f =
        figure((double)q20 / (double)HS_Q20_ONE, hs_interference_error(m->truth, 0, source),
               hs_slowdown_source_text(source));
    bool is_input_here = true;
    for (uint32_t j = 0; j < p->count; j++)
        is_input_here &= !p->jobs[j].util.is_extrapolated;
    if (has_pair_of(p, m, tenants, self, HS_SLOWDOWN_GENERAL) &&
        !(is_input_here && is_here(p, m->general_gpu)))
        extrapolate(&f);
    /* Errors were taken on slowdowns as they are. Nothing to the power of anything is nothing. */
    f.is_raised = p->gamma != 1 && source != HS_SLOWDOWN_ALONE &&
                  (source != HS_SLOWDOWN_ASSUMED || q20 != HS_Q20_ONE);
    if (f.is_raised)
        f.error = NAN;
    return f;
}

/* Of all together; utilizations that were not measured are estimated. */
static void ask_sums(struct hs_prediction *p, const struct hs_predict_models *m)
{
    double idle = 1, memory = 0;
    bool is_all_here = is_here(p, m->told_gpu); /* sums and slowdowns are found in the same pairs */
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        const struct hs_figure *util = isnan(job->util.value) ? &job->util_estimated : &job->util;
        idle *= 1 - util->value;
        memory += job->memory_mib.value;
        is_all_here &= !util->is_extrapolated && !job->memory_mib.is_extrapolated;
    }
    bool is_pair = p->count == 2; /* what the errors were taken on */
    p->util = figure(1 - idle, is_pair ? m->joint_error : NAN, "1 - prod(1 - u)");
    p->memory_mib = figure(memory, is_pair ? m->memory_error_mib : NAN, "sum");
    if (!is_all_here) {
        extrapolate(&p->util);
        extrapolate(&p->memory_mib);
    }
    if (p->count == 1)
        p->reserve_mib = 0;
}

static void ask_together(struct hs_prediction *p, const struct hs_predict_models *m)
{
    struct hs_tenant run[HS_TENANTS_MAX], asked[HS_TENANTS_MAX];
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        run[i] = (struct hs_tenant){.profile = job->row, .util_pm = util_pm(&job->util)};
        asked[i] = run[i];
        if (job->has_estimate)
            asked[i] = (struct hs_tenant){.profile = job->profile,
                                          .util_pm = util_pm(&job->util_estimated)};
    }
    for (uint32_t i = 0; i < p->count; i++) {
        struct hs_predicted_job *job = &p->jobs[i];
        job->slowdown = slowdown_among(p, m, run, i);
        job->slowdown_told = slowdown_told(p, m, i);
        if (!hs_prediction_has_estimate(p))
            continue;
        job->slowdown_estimated = slowdown_among(p, m, asked, i);
        /* Beside a job of unknown utilization there is no estimate. */
        if (job->slowdown_estimated.value == 1 && has_pair_of(p, m, asked, i, HS_SLOWDOWN_ASSUMED))
            job->slowdown_estimated = not_known;
    }
    ask_sums(p, m);
}

/* A type about which nothing is known is no error, but may be a slip of the pen. */
static void note_unknown_type(const struct hs_prediction *p, struct hs_diag *diag)
{
    char list[512] = "";
    size_t len = 0;
    for (uint32_t i = 0; i < p->measured_count; i++) {
        if (hs_model_same_name(p->measured[i], p->types[0]))
            return;
        if (len < sizeof list)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%.64s", i > 0 ? ", " : "",
                                    p->measured[i]);
    }
    hs_report(diag, HS_WARNING, NULL, NULL,
              "nothing was measured on %s: what follows is extrapolated; measured: %s", p->types[0],
              len > 0 ? list : "nothing");
}

/* The presets of a run are where they are documented: in its table of options. */
static enum hs_status name_predictors(struct hs_prediction *p,
                                      const struct hs_predict_options *options,
                                      struct hs_diag *diag)
{
    static const char *const kinds[] = {"oracle", "noisy", "table", "regress"};
    const char *kind = NULL, *noise = NULL;
    char text[64];
    for (const struct hs_option *o = hs_run_option_table; o->param.key != NULL; o++) {
        if (strcmp(o->param.key, "predictor") == 0)
            kind = o->param.preset;
        else if (strcmp(o->param.key, "util_noise") == 0)
            noise = o->param.preset;
    }
    assert(kind != NULL && noise != NULL);
    bool is_noisy = strcmp(kind, "noisy") == 0;
    (void)snprintf(text, sizeof text, "%s%s%s", kind, is_noisy ? ", RMSLE " : "",
                   is_noisy ? noise : "");
    p->predictor = kinds[options->predictor];
    p->run_predictor = hs_arena_text(&p->arena, text, strlen(text));
    if (p->run_predictor == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    return HS_OK;
}

static enum hs_status ask(struct hs_prediction *p, struct hs_predict_models *m,
                          const struct hs_predict_options *options, struct hs_diag *diag)
{
    HS_TRY(hs_catalogue_load(&p->catalogue, options->profiles, diag));
    HS_TRY(hs_predict_find(p, options, diag));
    HS_TRY(hs_predict_open(m, p, options, diag));
    HS_TRY(name_predictors(p, options, diag));
    note_unknown_type(p, diag);
    HS_TRY(ask_alone(p, m, options, diag));
    ask_together(p, m);
    return HS_OK;
}

enum hs_status hs_predict(struct hs_prediction *p, const struct hs_predict_options *options,
                          struct hs_diag *diag)
{
    struct hs_predict_models m = {0};
    *p = (struct hs_prediction){.gamma = options->gamma};
    enum hs_status status = ask(p, &m, options, diag);
    hs_predict_close(&m);
    if (status != HS_OK)
        hs_prediction_free(p);
    return status;
}

bool hs_prediction_has_estimate(const struct hs_prediction *p)
{
    bool is_any = false;
    for (uint32_t i = 0; i < p->count; i++)
        is_any |= p->jobs[i].has_estimate;
    return is_any;
}

bool hs_prediction_knows_fit(const struct hs_prediction *p)
{
    return p->capacity_mib > 0 && !isnan(p->memory_mib.value);
}

bool hs_prediction_fits(const struct hs_prediction *p)
{
    return hs_prediction_knows_fit(p) && p->memory_mib.value + p->reserve_mib <= p->capacity_mib;
}

void hs_prediction_free(struct hs_prediction *p)
{
    hs_catalogue_free(&p->catalogue);
    hs_arena_free(&p->arena);
    *p = (struct hs_prediction){0};
}
