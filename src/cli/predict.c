/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the models. The truth is what a run would apply; what was not measured of a job alone comes
 * from the regression, as the best there is; what a policy is told comes from a predictor of its
 * own, opened like that of a run.
 */
#include "cli/predict.h"

#include <math.h>
#include <stdio.h>

#include "cli/predict_private.h"

#define Q32 4294967296.0

static const struct hs_figure not_known = {NAN, NAN, "not known"};

static struct hs_figure figure(double value, double error, const char *source)
{
    return isnan(value) ? not_known : (struct hs_figure){value, error, source};
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

static struct hs_figure solo_util(struct hs_prediction *p, const struct hs_predict_models *m,
                                  const struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->profile];
    struct hs_estimate best;
    if (row->util_pm >= 0)
        return figure(row->util_pm / 1000.0, NAN, hs_predict_text(p, "measured on ", row->gpu));
    hs_predictor_estimate(m->regress, &(struct hs_job_facts){.profile = job->profile}, &best);
    return best.util_pm < 0
               ? not_known
               : figure(best.util_pm / 1000.0, best.util_error_pm / 1000.0, "extrapolated");
}

static struct hs_figure solo_memory(struct hs_prediction *p, const struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->profile];
    const struct hs_profile *taken = &p->catalogue.profiles[job->row];
    if (row->mem_mib > 0)
        return figure(row->mem_mib, NAN, hs_predict_text(p, "measured on ", row->gpu));
    return taken->mem_mib > 0
               ? figure(taken->mem_mib, NAN, hs_predict_text(p, "that of ", taken->key))
               : not_known;
}

/* Relative to the type asked about. */
static struct hs_figure speed_on(const struct hs_predict_models *m,
                                 const struct hs_predicted_job *job, uint32_t type)
{
    enum hs_speed_source source;
    double speed = (double)hs_speed_q32(m->speed, job->profile, type, &source) / Q32;
    if (type == 0)
        return figure(1, NAN, "reference");
    if (source == HS_SPEED_SCALAR)
        return not_known;
    return figure(speed, speed * hs_speed_error(m->speed, type, source),
                  hs_speed_source_text(source));
}

static struct hs_figure step_time(struct hs_prediction *p, const struct hs_predicted_job *job)
{
    const struct hs_profile *row = &p->catalogue.profiles[job->profile];
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
    static const char *const kinds[] = {"oracle", "noisy", "table", "regress"};
    static const char *const memories[] = {"oracle", "formula", "noisy"};
    struct hs_predicted_job *job = &p->jobs[index];
    const struct hs_profile *row = &p->catalogue.profiles[job->profile];
    struct hs_job_facts facts = {.index = index,
                                 .profile = job->profile,
                                 .util_pm = util_pm(&job->util),
                                 .util_peak_pm = row->util_peak_pm,
                                 .mem_mib = whole_mib(&job->memory_mib)};
    struct hs_estimate told;
    hs_predictor_estimate(m->told, &facts, &told);
    job->util_told = job->memory_told_mib = not_known;
    if (told.util_pm >= 0)
        job->util_told =
            figure(told.util_pm / 1000.0, told.util_error_pm / 1000.0, kinds[options->predictor]);
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
        job->util = solo_util(p, m, job);
        job->memory_mib = solo_memory(p, job);
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
    for (uint32_t j = 0; j < p->count; j++) {
        const struct hs_figure *own = &p->jobs[self].util_told, *other = &p->jobs[j].util_told;
        if (j == self)
            continue;
        if (isnan(own->value) || isnan(other->value))
            return not_known;
        uint64_t pair_q20 = hs_predictor_slowdown_q20(m->told, util_pm(own), util_pm(other));
        slowdown += (double)(pair_q20 - HS_Q20_ONE) / (double)HS_Q20_ONE;
    }
    return figure(slowdown, p->count == 2 ? hs_predictor_slowdown_error(m->told) : NAN,
                  p->count == 2 ? "general" : "modelled");
}

/* A job of which nothing is known counts as idle among more than two, too. */
static bool is_assumed(const struct hs_prediction *p, const struct hs_predict_models *m,
                       const struct hs_tenant *tenants, uint32_t self)
{
    bool is_any = false;
    for (uint32_t j = 0; j < p->count; j++) {
        enum hs_slowdown_source source = HS_SLOWDOWN_ALONE;
        const struct hs_tenant pair[] = {tenants[self], tenants[j]};
        if (j != self)
            (void)hs_interference_slowdown_q20(m->truth, 0, pair, 2, 0, &source);
        is_any |= source == HS_SLOWDOWN_ASSUMED;
    }
    return is_any;
}

static void ask_together(struct hs_prediction *p, const struct hs_predict_models *m)
{
    struct hs_tenant tenants[HS_TENANTS_MAX];
    double idle = 1, memory = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_predicted_job *job = &p->jobs[i];
        tenants[i] = (struct hs_tenant){.profile = job->profile, .util_pm = util_pm(&job->util)};
        idle *= 1 - job->util.value;
        memory += job->memory_mib.value;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        enum hs_slowdown_source source;
        uint64_t q20 = hs_interference_slowdown_q20(m->truth, 0, tenants, p->count, i, &source);
        if (is_assumed(p, m, tenants, i))
            source = HS_SLOWDOWN_ASSUMED;
        p->jobs[i].slowdown =
            figure((double)q20 / (double)HS_Q20_ONE, hs_interference_error(m->truth, 0, source),
                   hs_slowdown_source_text(source));
        p->jobs[i].slowdown_told = slowdown_told(p, m, i);
    }
    bool is_pair = p->count == 2; /* what the errors were taken on */
    p->util = figure(1 - idle, is_pair ? m->joint_error : NAN, "1 - prod(1 - u)");
    p->memory_mib = figure(memory, is_pair ? m->memory_error_mib : NAN, "sum");
    if (p->count == 1)
        p->reserve_mib = 0;
}

/* A type about which nothing is known is no error, but may be a slip of the pen. */
static void note_unknown_type(const struct hs_prediction *p, struct hs_diag *diag)
{
    const struct hs_catalogue *catalogue = &p->catalogue;
    const char *gpu = p->types[0];
    bool is_known = p->capacity_mib > 0;
    for (uint32_t i = 0; i < catalogue->count && !is_known; i++)
        is_known = hs_model_same_name(catalogue->profiles[i].gpu, gpu);
    if (is_known)
        return;
    char hint[128];
    const char *nearest = hs_nearest(gpu, p->types + 1, p->type_count - 1);
    (void)snprintf(hint, sizeof hint, "did you mean '%.64s'?", nearest != NULL ? nearest : "");
    hs_report(diag, HS_WARNING, NULL, nearest != NULL ? hint : NULL,
              "nothing was measured on a GPU type '%s'", gpu);
}

static enum hs_status ask(struct hs_prediction *p, struct hs_predict_models *m,
                          const struct hs_predict_options *options, struct hs_diag *diag)
{
    HS_TRY(hs_catalogue_load(&p->catalogue, options->profiles, diag));
    HS_TRY(hs_predict_find(p, options, diag));
    HS_TRY(hs_predict_open(m, p, options, diag));
    note_unknown_type(p, diag);
    HS_TRY(ask_alone(p, m, options, diag));
    ask_together(p, m);
    return HS_OK;
}

enum hs_status hs_predict(struct hs_prediction *p, const struct hs_predict_options *options,
                          struct hs_diag *diag)
{
    struct hs_predict_models m = {0};
    *p = (struct hs_prediction){0};
    enum hs_status status = ask(p, &m, options, diag);
    hs_predict_close(&m);
    if (status != HS_OK)
        hs_prediction_free(p);
    return status;
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
