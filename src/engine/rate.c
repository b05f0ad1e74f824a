/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See rate.h.
 */
#include "engine/rate.h"

#include "engine/busy.h"

/* Runs at the same time as the job, and slows it? Those of its own lane take turns with it. What is
 * in the background slows others only where it takes more than they leave. */
static bool runs_beside(const struct hs_engine *e, const struct hs_gpu *gpu,
                        const struct hs_job *job, const struct hs_job *other)
{
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const struct hs_job_stay *beside = hs_stay_of(&e->jobs, other);
    if (other == job || !beside->is_active || hs_rate_are_apart(stay, beside))
        return false;
    if (stay->is_background == beside->is_background)
        return true;
    return beside->is_background && !hs_busy_leaves_room(e, gpu);
}

static uint32_t profile_of(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_label_of(&e->jobs, job)->profile;
}

static uint64_t gpu_type_speed(const struct hs_engine *e, uint32_t type, const struct hs_job *job)
{
    return e->config.speed != NULL ? hs_speed_q32(e->config.speed, profile_of(e, job), type, NULL)
                                   : e->cluster->types[type].speed_q32;
}

/* How long it does not run while the job does: of one unit they run together. */
static uint64_t away_q32(const struct hs_job_stay *job, const struct hs_job_stay *other)
{
    if (job->lane != 0 && job->lane == other->lane)
        return 0;
    return HS_Q32_ONE - hs_q32_mul(other->share_q32, other->is_background && !job->is_background
                                                         ? other->cap_q32
                                                         : HS_Q32_ONE);
}

/* More can take turns on a GPU than the model takes at once: then what groups of them add is added
 * up, as the model itself adds it up. */
static uint64_t gpu_slowdown_q20(const struct hs_engine *e, const struct hs_gpu *gpu,
                                 const struct hs_job *job)
{
    const struct hs_interference *model = e->config.interference;
    uint32_t type = e->cluster->nodes[gpu->node].type, count = 1;
    uint32_t most = e->config.max_tenants > 2 ? e->config.max_tenants : 2;
    uint64_t slowdown_q20 = HS_Q20_ONE;
    struct hs_tenant tenants[HS_TENANTS_MAX] = {
        {.profile = profile_of(e, job), .util_pm = job->gpu_util_pm}};
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *other = &e->jobs.jobs[e->jobs.seats[s].job];
        if (!runs_beside(e, gpu, job, other))
            continue;
        tenants[count++] = (struct hs_tenant){
            .profile = profile_of(e, other),
            .util_pm = other->gpu_util_pm,
            .away_q32 = away_q32(hs_stay_of(&e->jobs, job), hs_stay_of(&e->jobs, other))};
        if (count < most)
            continue;
        slowdown_q20 +=
            hs_interference_slowdown_q20(model, type, tenants, count, 0, NULL) - HS_Q20_ONE;
        count = 1;
    }
    if (count > 1)
        slowdown_q20 +=
            hs_interference_slowdown_q20(model, type, tenants, count, 0, NULL) - HS_Q20_ONE;
    return slowdown_q20;
}

static uint64_t gpu_speed(const struct hs_engine *e, const struct hs_gpu *gpu,
                          const struct hs_job *job)
{
    uint64_t speed = gpu_type_speed(e, e->cluster->nodes[gpu->node].type, job);
    if (gpu->active < 2 || e->config.interference == NULL || hs_job_is_part(job))
        return speed;
    return hs_q32_mul(speed, hs_interference_speed_q32(gpu_slowdown_q20(e, gpu, job)));
}

/* Of all its GPUs, sharing considered: a gang waits for its slowest worker. */
static HS_APART uint64_t slowest_seat_q32(const struct hs_engine *e, const struct hs_job *job)
{
    uint64_t slowest = UINT64_MAX;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        uint64_t speed = gpu_speed(e, &e->gpus[e->jobs.seats[s].gpu], job);
        if (speed < slowest)
            slowest = speed;
    }
    return slowest;
}

static inline uint64_t job_slowest_q32(const struct hs_engine *e, const struct hs_job *job,
                                       const struct hs_job_stay *stay)
{
    if (stay->gpus_held == 0) /* a CPU job */
        return HS_Q32_ONE;
    if (e->uniform_speed_q32 != 0 && stay->shared_gpus == 0) /* no need to look at each GPU */
        return e->uniform_speed_q32;
    return slowest_seat_q32(e, job);
}

/* Spread over more nodes than it would need on the largest that it may use, were they idle? */
static bool job_is_spread(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t spanned = hs_run_of(&e->jobs, job)->nodes_spanned;
    uint32_t size = e->cluster->max_node_gpus + 1, left = hs_stay_of(&e->jobs, job)->gpus_held,
             nodes = 0;
    while ((size = hs_free_node_size(e->free_index, &job->ask, size - 1)) > 0) {
        uint32_t need = (left + size - 1) / size;
        uint32_t count = hs_free_node_count(e->free_index, &job->ask, size);
        if (need <= count)
            return spanned > nodes + need;
        nodes += count;
        left -= count * size;
    }
    return spanned > nodes;
}

/* What being spread, and holding more or fewer GPUs than asked for, makes of the job on one type.
 */
static uint64_t type_factor_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type,
                                bool is_spread)
{
    const struct hs_speed *speed = e->config.speed;
    const uint32_t held = hs_stay_of(&e->jobs, job)->gpus_held;
    uint64_t factor =
        is_spread ? hs_speed_spread_q32(speed, profile_of(e, job), type, held) : HS_Q32_ONE;
    if (held == job->gpus || job->gpus == 0)
        return factor;
    return hs_q32_mul(factor,
                      hs_speed_resize_q32(speed, profile_of(e, job), type, held, job->gpus));
}

/* The same for a gang of several types: that of the worst, because all wait for it. */
static uint64_t gang_factor_q32(const struct hs_engine *e, const struct hs_job *job, bool is_spread)
{
    uint64_t least = UINT64_MAX;
    uint32_t last = UINT32_MAX;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        uint32_t type = e->cluster->nodes[e->gpus[e->jobs.seats[s].gpu].node].type;
        uint64_t factor = type != last ? type_factor_q32(e, job, type, is_spread) : least;
        least = factor < least ? factor : least;
        last = type;
    }
    return least;
}

/* Of a gang on several nodes, or that holds more or fewer GPUs than it asked for. */
static HS_APART uint64_t changed_q32(const struct hs_engine *e, const struct hs_job *job,
                                     bool may_be_spread, bool is_resized, uint64_t rate)
{
    bool is_spread = may_be_spread && job_is_spread(e, job);
    if (is_resized && e->config.speed == NULL) /* linear where nothing is known */
        return (uint64_t)((hs_u128)rate * hs_stay_of(&e->jobs, job)->gpus_held / job->gpus);
    return is_spread || is_resized ? hs_q32_mul(rate, gang_factor_q32(e, job, is_spread)) : rate;
}

HS_EXPANDED uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    uint64_t rate = job_slowest_q32(e, job, stay);
    bool may_be_spread = e->config.has_locality && !hs_job_is_part(job) &&
                         hs_run_of(&e->jobs, job)->nodes_spanned > 1;
    bool is_resized = stay->gpus_held != job->gpus && job->gpus > 0;
    if (may_be_spread || is_resized)
        rate = changed_q32(e, job, may_be_spread, is_resized, rate);
    rate = hs_q32_mul(hs_q32_mul(rate, stay->share_q32), stay->cap_q32);
    return hs_q32_mul(rate, stay->mem_factor_q32);
}

HS_EXPANDED uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job)
{
    return job->state == HS_JOB_RUNNING ? hs_rate_placed(e, job) : 0;
}
