/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's view of speeds: by GPU type, number of GPUs and spread, predicted; by trial; by CPUs
 * and host memory. And of the training of a job.
 */
#include "engine/state.h"

/* What was asked about. */
struct asked {
    const struct hs_speed *speed; /* NULL = by the cluster alone */
    const struct hs_job *job;
    uint32_t profile;
};

static bool may_ask(const struct hs_view *v, hs_job_id job, uint32_t knows, const char *what,
                    uint32_t type, struct asked *out)
{
    struct hs_engine *e = v->engine;
    if (!hs_lookup_may_know(v, job, knows, what))
        return false;
    const bool is_live = job < e->jobs.slots.high;
    *out = (struct asked){.speed = e->config.speed, .job = hs_lookup_job(v, job)};
    out->profile = is_live ? hs_identity_of(&e->jobs, out->job)->profile : HS_NO_PROFILE;
    (void)hs_view_gpu_type(v, type); /* refuses one that is not there */
    return type < v->gpu_types;
}

uint64_t hs_view_speed_q32(const struct hs_view *v, hs_job_id job, uint32_t type)
{
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_SPEED, "speed on a GPU type", type, &a))
        return HS_Q32_ONE;
    if (a.speed == NULL)
        return v->engine->cluster->types[type].speed_q32;
    return hs_speed_predicted_q32(a.speed, a.profile, type, a.job->index);
}

double hs_view_speed(const struct hs_view *v, hs_job_id job, uint32_t type)
{
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_SPEED, "speed on a GPU type", type, &a) || a.speed == NULL)
        return (double)hs_view_speed_q32(v, job, type) / (double)HS_Q32_ONE;
    return hs_speed_predicted(a.speed, a.profile, type, a.job->index);
}

uint64_t hs_view_gain_q32(const struct hs_view *v, hs_job_id job, uint32_t type)
{
    const struct hs_speed *speed = v->engine->config.speed;
    const hs_u128 own_q32 = hs_view_speed_q32(v, job, type);
    const uint64_t gain_q32 =
        speed != NULL
            ? (uint64_t)((own_q32 << 32) / hs_speed_predicted_q32(speed, HS_MEAN_PROFILE, type, 0))
            : HS_Q32_ONE;
    return gain_q32 > 0 ? gain_q32 : 1;
}

uint64_t hs_view_scaling_q32(const struct hs_view *v, hs_job_id job, uint32_t type, uint32_t gpus)
{
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_SCALING, "speed on other numbers of GPUs", type, &a) ||
        a.job->gpus == 0 || gpus == 0)
        return HS_Q32_ONE;
    if (a.speed == NULL)
        return ((uint64_t)gpus << 32) / a.job->gpus;
    return hs_speed_predicted_resize_q32(a.speed, a.profile, type, gpus, a.job->gpus, a.job->index);
}

uint64_t hs_view_spread_q32(const struct hs_view *v, hs_job_id job, uint32_t type)
{
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_SCALING, "speed on several nodes", type, &a) ||
        !v->engine->config.has_locality || a.speed == NULL)
        return HS_Q32_ONE;
    return hs_speed_predicted_spread_q32(a.speed, a.profile, type, hs_view_gpus(v, job),
                                         a.job->index);
}

/* The measurements of hosts; NULL without, or if the policy may not know them. */
static const struct hs_host *host_of(const struct hs_view *v, hs_job_id job, uint32_t *profile)
{
    const struct hs_jobs *jobs = &v->engine->jobs;
    const bool is_live = hs_engine_has_job(v->engine, job);
    *profile = is_live ? jobs->identities[job].profile : HS_NO_PROFILE;
    return hs_lookup_may_know(v, job, HS_KNOWS_HOST, "speed by CPUs and host memory")
               ? v->engine->config.host
               : NULL;
}

uint64_t hs_view_host_q32(const struct hs_view *v, hs_job_id job, uint32_t cpus_milli,
                          uint32_t mem_mib)
{
    uint32_t profile;
    const struct hs_host *host = host_of(v, job, &profile);
    return host != NULL ? hs_host_speed_q32(host, profile, cpus_milli, mem_mib) : HS_Q32_ONE;
}

bool hs_view_host_axes(const struct hs_view *v, hs_job_id job, struct hs_host_axes *axes)
{
    uint32_t profile;
    const struct hs_host *host = host_of(v, job, &profile);
    return host != NULL && hs_host_axes_of(host, profile, axes);
}

static struct hs_tenant tenant_of(const struct hs_engine *e, const struct hs_job *job)
{
    return (struct hs_tenant){.profile = hs_identity_of(&e->jobs, job)->profile,
                              .util_pm = job->gpu_util_pm};
}

static bool is_pair_by_truth(const struct hs_engine *e)
{
    return e->config.speed == NULL ||
           hs_speed_predicted_by(e->config.speed) != HS_SPEED_PREDICTOR_TABLE;
}

/* With noise, in (0, 1]. */
static uint64_t predicted_q32(const struct hs_engine *e, uint32_t type, uint64_t q32,
                              const struct hs_job *own, const struct hs_job *beside)
{
    if (e->config.speed != NULL)
        q32 = hs_q32_mul(q32,
                         hs_speed_pair_noise_q32(e->config.speed, type, own->index, beside->index));
    return q32 == 0 ? 1 : q32 < HS_Q32_ONE ? q32 : HS_Q32_ONE;
}

struct hs_pair_speeds hs_view_pair_speeds(const struct hs_view *v, hs_job_id a, hs_job_id b,
                                          uint32_t type)
{
    const struct hs_engine *e = v->engine;
    struct hs_pair_speeds speeds = {HS_Q32_ONE, HS_Q32_ONE};
    struct asked one, other;
    if (!may_ask(v, a, HS_KNOWS_PAIRS, "speeds of two jobs together", type, &one) ||
        !may_ask(v, b, HS_KNOWS_PAIRS, "speeds of two jobs together", type, &other))
        return speeds;
    if (is_pair_by_truth(e)) {
        const struct hs_tenant tenants[] = {tenant_of(e, one.job), tenant_of(e, other.job)};
        struct hs_fair_share shares[2];
        if (e->config.interference == NULL)
            return speeds;
        hs_interference_speeds(e->config.interference, type, tenants, 2, shares);
        speeds.a_q32 = predicted_q32(e, type, shares[0].speed_q32, one.job, other.job);
        speeds.b_q32 = predicted_q32(e, type, shares[1].speed_q32, other.job, one.job);
    } else if (e->config.predictor != NULL) {
        const int32_t pm[] = {hs_needs_of(&e->jobs, one.job)->estimate.util_pm,
                              hs_needs_of(&e->jobs, other.job)->estimate.util_pm};
        const struct hs_predictor *p = e->config.predictor;
        speeds.a_q32 = (HS_Q20_ONE << 32) / hs_predictor_slowdown_q20(p, pm[0], pm[1]);
        speeds.b_q32 = (HS_Q20_ONE << 32) / hs_predictor_slowdown_q20(p, pm[1], pm[0]);
    }
    return speeds;
}

uint64_t hs_view_pair_kind(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_PAIRS, "speeds of two jobs together", 0, &a))
        return 0;
    if (!is_pair_by_truth(e))
        return (uint64_t)(uint32_t)hs_needs_of(&e->jobs, a.job)->estimate.util_pm;
    if (e->config.speed != NULL &&
        hs_speed_predicted_by(e->config.speed) == HS_SPEED_PREDICTOR_NOISY)
        return a.job->index;
    return ((uint64_t)a.profile << 32) + (uint64_t)(uint32_t)a.job->gpu_util_pm;
}

uint64_t hs_view_trial_q32(const struct hs_view *v, hs_job_id job, uint32_t type, uint32_t gpus)
{
    struct asked a;
    if (!may_ask(v, job, HS_KNOWS_RATE, "rate on other numbers of GPUs", type, &a) ||
        a.job->gpus == 0 || gpus == 0)
        return HS_Q32_ONE;
    uint64_t alone_q32 = v->engine->cluster->types[type].speed_q32,
             size_q32 = ((uint64_t)gpus << 32) / a.job->gpus;
    if (a.speed != NULL) {
        alone_q32 = hs_speed_q32(a.speed, a.profile, type, NULL);
        size_q32 = hs_speed_resize_q32(a.speed, a.profile, type, gpus, a.job->gpus);
    }
    return hs_q32_mul(alone_q32, size_q32);
}

/* The loss curve of a live job; NULL, and refused, unless it may be asked about. */
static const struct hs_loss_curve *loss_of(const struct hs_view *v, hs_job_id job)
{
    struct asked a;
    v->engine->figures.reads_loss = true;
    if (!may_ask(v, job, HS_KNOWS_LOSS, "training", 0, &a) || job >= v->engine->jobs.slots.high)
        return NULL;
    return &hs_request_of(&v->engine->jobs, a.job)->loss;
}

/* Epochs of equal length are its whole work. */
struct hs_training hs_view_training(const struct hs_view *v, hs_job_id job)
{
    struct hs_training of = {.epoch_us = 1};
    const struct hs_loss_curve *loss = loss_of(v, job);
    if (loss == NULL)
        return of;
    const struct hs_work work = hs_lookup_work(v, job);
    const int64_t epoch_ns = work.total_ns / hs_loss_epochs(loss);
    of.epoch_us = epoch_ns >= HS_NS_PER_US ? epoch_ns / HS_NS_PER_US : 1;
    of.done = (double)work.done_ns / (double)(epoch_ns > 0 ? epoch_ns : 1);
    of.threshold = loss->threshold;
    return of;
}

double hs_view_loss(const struct hs_view *v, hs_job_id job, uint32_t epochs)
{
    const struct hs_loss_curve *loss = loss_of(v, job);
    if (loss == NULL)
        return 0;
    if (epochs > hs_view_training(v, job).done) {
        hs_plan_refuse(&v->engine->plan, job, "it asked for the loss of an epoch to come");
        return 0;
    }
    return hs_loss_at(loss, epochs);
}

int64_t hs_view_period_ns(const struct hs_view *v, const uint32_t *kinds, uint32_t count,
                          bool is_worst)
{
    const struct hs_stages *stages = v->engine->config.stages;
    if (stages == NULL || count == 0 || count > HS_INTERLEAVED_MOST)
        return INT64_MAX / 4;
    return hs_stages_period_ns(stages, kinds, count, HS_STAGES_PREDICTED, is_worst);
}

void hs_view_worst_order(const struct hs_view *v)
{
    v->engine->is_worst_order = true;
}
