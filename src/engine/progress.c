/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rates and progress. A gang runs at its slowest worker; a GPU with several active tenants slows
 * each of them by the interference model, unless they take turns in one lane.
 * Cost of a start or an end: O(GPUs of the job + tenants beside it).
 */
#include "engine/progress.h"

#include "engine/shadow.h"

/* Marks of struct hs_job.plan live in the low bits; this one says "in the touched list". */
enum { JOB_TOUCHED = 1u << 7 };

void hs_progress_sync(struct hs_engine *e, struct hs_job *job)
{
    int64_t dt = e->now_us - job->synced_us;
    job->synced_us = e->now_us;
    if (dt == 0 || !hs_job_is_placed(job))
        return;
    job->run_us += dt;
    job->gpu_us += dt * job->gpus_held;
    if (job->shared_gpus > 0)
        job->colocated_us += dt;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING) {
        job->cost_left_us -= dt;
        job->overhead_us += dt;
    } else if (job->state == HS_JOB_RUNNING) {
        int64_t before_ns = job->work.done_ns;
        hs_work_advance(&job->work, job->rate_q32, dt);
        e->work_done_ns += (uint64_t)(job->work.done_ns - before_ns);
        job->attained_us += dt;
    }
}

enum hs_status hs_progress_touch(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    if (job->plan & JOB_TOUCHED)
        return HS_OK;
    HS_TRY(hs_grow((void **)&e->touched, &e->touched_cap, (uint64_t)e->touched_count + 1,
                   sizeof *e->touched, HS_LIVE_JOBS_MAX));
    job->plan |= JOB_TOUCHED;
    e->touched[e->touched_count++] = slot;
    return HS_OK;
}

/* What a job and those behind it in its lane make of the GPU, Q32: they take turns. 0 for a job
 * that an earlier one of its lane stood for. */
static uint64_t lane_busy_q32(const struct hs_engine *e, const struct hs_gpu *gpu, uint32_t seat)
{
    const struct hs_job *job = &e->jobs.jobs[e->jobs.seats[seat].job];
    uint64_t busy_q32 = 0;
    bool is_first = true;
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *other = &e->jobs.jobs[e->jobs.seats[s].job];
        if (other->state == HS_JOB_PAUSED || other->gpu_util_pm <= 0 || other->lane != job->lane ||
            (job->lane == 0 && other != job))
            continue;
        if (is_first && other != job)
            return 0;
        is_first = false;
        busy_q32 += other->share_q32 * (uint32_t)other->gpu_util_pm / 1000;
    }
    return busy_q32;
}

/* Joint utilization, 1 - prod(1 - u_i) over what runs independently of each other: jobs, and lanes
 * of jobs that take turns (model.md 5, 6). In integers, to 2^-32. */
void hs_progress_gpu_util(const struct hs_engine *e, const struct hs_gpu *gpu, uint32_t *model_pm,
                          uint32_t *sum_pm)
{
    uint64_t idle_q32 = HS_Q32_ONE, sum_q32 = 0;
    if (gpu->first_seat == HS_NO_SEAT) { /* the usual two cases need no arithmetic */
        *model_pm = *sum_pm = 0;
        return;
    }
    const struct hs_job *only = &e->jobs.jobs[e->jobs.seats[gpu->first_seat].job];
    if (gpu->tenants == 1 && only->state != HS_JOB_PAUSED && only->share_q32 == HS_Q32_ONE) {
        *model_pm = *sum_pm = only->gpu_util_pm > 0 ? (uint32_t)only->gpu_util_pm : 0;
        return;
    }
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *job = &e->jobs.jobs[e->jobs.seats[s].job];
        if (job->state == HS_JOB_PAUSED || job->gpu_util_pm <= 0)
            continue;
        uint64_t busy_q32 = lane_busy_q32(e, gpu, s);
        sum_q32 += busy_q32;
        idle_q32 = hs_q32_mul(idle_q32, HS_Q32_ONE - busy_q32);
    }
    uint64_t sum = (sum_q32 * 1000 + HS_Q32_ONE / 2) >> 32;
    *sum_pm = sum < 1000 ? (uint32_t)sum : 1000;
    *model_pm = (uint32_t)(((HS_Q32_ONE - idle_q32) * 1000 + HS_Q32_ONE / 2) >> 32);
}

static void gpu_refresh_util(struct hs_engine *e, struct hs_gpu *gpu)
{
    if (!e->has_utilization)
        return;
    uint32_t model_pm, sum_pm;
    hs_progress_gpu_util(e, gpu, &model_pm, &sum_pm);
    e->instant.util_model_pm += model_pm;
    e->instant.util_model_pm -= gpu->util_model_pm;
    e->instant.util_sum_pm += sum_pm;
    e->instant.util_sum_pm -= gpu->util_sum_pm;
    gpu->util_model_pm = (uint16_t)model_pm;
    gpu->util_sum_pm = sum_pm;
    hs_shadow_measure(e, (uint32_t)(gpu - e->gpus));
}

/* The other tenants of a GPU are to be rated anew; whether they share it changed by `delta`. */
static enum hs_status gpu_touch_others(struct hs_engine *e, const struct hs_gpu *gpu, uint32_t slot,
                                       int delta)
{
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        uint32_t other = e->jobs.seats[s].job;
        if (other == slot)
            continue;
        struct hs_job *job = hs_engine_job(e, other);
        hs_progress_sync(e, job);
        job->shared_gpus = (uint32_t)((int64_t)job->shared_gpus + delta);
        if (gpu->tenants > job->segment_max_tenants)
            job->segment_max_tenants = gpu->tenants;
        HS_TRY(hs_progress_touch(e, other));
    }
    return HS_OK;
}

static enum hs_status gpu_add_tenant(struct hs_engine *e, uint32_t slot, uint32_t id, uint32_t seat)
{
    struct hs_gpu *gpu = &e->gpus[id];
    struct hs_job *job = hs_engine_job(e, slot);
    e->jobs.seats[seat] = (struct hs_seat){
        .gpu = id, .job = slot, .next_of_job = HS_NO_SEAT, .next_on_gpu = gpu->first_seat};
    gpu->first_seat = seat;
    gpu->tenants++;
    gpu->active++;
    gpu->mem_used_mib += job->gpu_mem_mib;
    if (gpu->tenants == 1) {
        e->gpu_free[id / 64] &= ~(UINT64_C(1) << (id % 64));
        e->instant.gpus_held++;
    } else {
        if (gpu->tenants == 2)
            e->instant.gpus_shared++;
        job->shared_gpus++;
        if (gpu->tenants > job->segment_max_tenants)
            job->segment_max_tenants = gpu->tenants;
        HS_TRY(gpu_touch_others(e, gpu, slot, gpu->tenants == 2 ? 1 : 0));
    }
    gpu_refresh_util(e, gpu);
    return HS_OK;
}

/* With those that were on the GPU before it: newcomers are in front in the list of a GPU. */
static bool seat_overflows(const struct hs_engine *e, uint32_t seat)
{
    const struct hs_gpu *gpu = &e->gpus[e->jobs.seats[seat].gpu];
    uint64_t used_mib = 0;
    uint32_t tenants = 0;
    if (gpu->mem_used_mib <= hs_gpu_capacity_mib(e, gpu, gpu->tenants)) /* the usual case */
        return false;
    for (uint32_t s = seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        used_mib += e->jobs.jobs[e->jobs.seats[s].job].gpu_mem_mib;
        tenants++;
    }
    return tenants > 1 && used_mib > hs_gpu_capacity_mib(e, gpu, tenants);
}

bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job)
{
    for (uint32_t s = job->shared_gpus > 0 ? job->first_seat : HS_NO_SEAT; s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job)
        if (seat_overflows(e, s))
            return true;
    return false;
}

static void seat_unlink(struct hs_engine *e, struct hs_gpu *gpu, uint32_t seat)
{
    uint32_t *link = &gpu->first_seat;
    while (*link != seat)
        link = &e->jobs.seats[*link].next_on_gpu;
    *link = e->jobs.seats[seat].next_on_gpu;
}

void hs_progress_renew(struct hs_engine *e, uint32_t slot)
{
    for (uint32_t s = hs_engine_job(e, slot)->first_seat; s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        seat_unlink(e, gpu, s);
        e->jobs.seats[s].next_on_gpu = gpu->first_seat;
        gpu->first_seat = s;
    }
}

enum hs_status hs_progress_seat(struct hs_engine *e, uint32_t slot, const uint32_t *ids,
                                uint32_t count)
{
    uint32_t last = HS_NO_SEAT, last_node = HS_NO_NODE;
    struct hs_job *job = hs_engine_job(e, slot);
    job->gpus_held = count;
    job->shared_gpus = 0;
    job->nodes_spanned = 0;
    job->segment_max_tenants = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seat;
        HS_TRY(hs_jobs_seat(&e->jobs, &seat));
        HS_TRY(gpu_add_tenant(e, slot, ids[i], seat));
        if (last == HS_NO_SEAT)
            job->first_seat = seat;
        else
            e->jobs.seats[last].next_of_job = seat;
        last = seat;
        if (e->gpus[ids[i]].node != last_node) {
            last_node = e->gpus[ids[i]].node;
            job->nodes_spanned++;
        }
    }
    if (count > 0)
        job->gpu_type = e->cluster->nodes[e->gpus[ids[0]].node].type;
    job->oom_us = hs_progress_overflows(e, job) ? e->now_us + e->config.oom_delay_us : HS_TIME_MAX;
    return hs_progress_touch(e, slot);
}

static enum hs_status gpu_remove_tenant(struct hs_engine *e, uint32_t slot, uint32_t seat)
{
    uint32_t id = e->jobs.seats[seat].gpu;
    struct hs_gpu *gpu = &e->gpus[id];
    struct hs_job *job = hs_engine_job(e, slot);
    seat_unlink(e, gpu, seat);
    gpu->tenants--;
    gpu->mem_used_mib -= job->gpu_mem_mib;
    if (job->state != HS_JOB_PAUSED)
        gpu->active--;
    if (gpu->tenants == 0) {
        e->gpu_free[id / 64] |= UINT64_C(1) << (id % 64);
        e->instant.gpus_held--;
    } else {
        if (gpu->tenants == 1)
            e->instant.gpus_shared--;
        HS_TRY(gpu_touch_others(e, gpu, slot, gpu->tenants == 1 ? -1 : 0));
    }
    gpu_refresh_util(e, gpu);
    return HS_OK;
}

enum hs_status hs_progress_unseat(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    uint32_t seat = job->first_seat;
    while (seat != HS_NO_SEAT) {
        uint32_t next = e->jobs.seats[seat].next_of_job;
        HS_TRY(gpu_remove_tenant(e, slot, seat));
        hs_jobs_free_seat(&e->jobs, seat);
        seat = next;
    }
    job->first_seat = HS_NO_SEAT;
    job->gpus_held = 0;
    job->shared_gpus = 0;
    job->rate_q32 = 0;
    return HS_OK;
}

uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job, uint32_t *ids)
{
    uint32_t count = 0;
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job)
        ids[count++] = e->jobs.seats[s].gpu;
    return count;
}

enum hs_status hs_progress_touch_beside(struct hs_engine *e, uint32_t slot)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu_refresh_util(e, gpu);
        HS_TRY(gpu_touch_others(e, gpu, slot, 0));
    }
    return hs_progress_touch(e, slot);
}

enum hs_status hs_progress_set_active(struct hs_engine *e, uint32_t slot, bool is_active)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu->active = (uint16_t)(is_active ? gpu->active + 1 : gpu->active - 1);
    }
    return hs_progress_touch_beside(e, slot);
}

/* The active tenants that run at the same time as the job, itself first: those of its own lane take
 * turns with it, all others run beside it. */
static uint32_t gpu_tenants_beside(const struct hs_engine *e, const struct hs_gpu *gpu,
                                   const struct hs_job *job, struct hs_tenant *out)
{
    uint32_t count = 1;
    out[0] = (struct hs_tenant){.profile = job->profile, .util_pm = job->gpu_util_pm};
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        const struct hs_job *other = &e->jobs.jobs[e->jobs.seats[s].job];
        if (other == job || other->state == HS_JOB_PAUSED ||
            (job->lane != 0 && other->lane == job->lane))
            continue;
        out[count++] = (struct hs_tenant){.profile = other->profile,
                                          .util_pm = other->gpu_util_pm,
                                          .away_q32 = HS_Q32_ONE - other->share_q32};
    }
    return count;
}

static uint64_t gpu_speed(const struct hs_engine *e, const struct hs_gpu *gpu,
                          const struct hs_job *job)
{
    uint32_t type = e->cluster->nodes[gpu->node].type;
    uint64_t speed = e->config.speed != NULL
                         ? hs_speed_q32(e->config.speed, job->profile, type, NULL)
                         : e->cluster->types[type].speed_q32;
    if (gpu->active < 2 || e->config.interference == NULL)
        return speed;
    struct hs_tenant tenants[HS_TENANTS_MAX];
    uint32_t count = gpu_tenants_beside(e, gpu, job, tenants);
    uint64_t slowdown_q20 =
        hs_interference_slowdown_q20(e->config.interference, type, tenants, count, 0, NULL);
    return hs_q32_mul(speed, hs_interference_speed_q32(slowdown_q20));
}

/* Of all its GPUs, sharing considered: a gang waits for its slowest worker. */
static uint64_t job_slowest_q32(const struct hs_engine *e, const struct hs_job *job)
{
    uint64_t slowest = UINT64_MAX;
    if (job->gpus_held == 0) /* a CPU job */
        return HS_Q32_ONE;
    if (e->uniform_speed_q32 != 0 && job->shared_gpus == 0) /* no need to look at each GPU */
        return e->uniform_speed_q32;
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        uint64_t speed = gpu_speed(e, &e->gpus[e->jobs.seats[s].gpu], job);
        if (speed < slowest)
            slowest = speed;
    }
    return slowest;
}

/* Spread over more nodes than it would need on the largest that it may use, were they idle? */
static bool job_is_spread(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t size = e->cluster->max_node_gpus + 1, left = job->gpus_held, nodes = 0;
    while ((size = hs_free_node_size(e->free_index, &job->ask, size - 1)) > 0) {
        uint32_t need = (left + size - 1) / size;
        uint32_t count = hs_free_node_count(e->free_index, &job->ask, size);
        if (need <= count)
            return job->nodes_spanned > nodes + need;
        nodes += count;
        left -= count * size;
    }
    return job->nodes_spanned > nodes;
}

/* What being spread, and holding more or fewer GPUs than asked for, makes of the job on one type.
 */
static uint64_t type_factor_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type,
                                bool is_spread)
{
    const struct hs_speed *speed = e->config.speed;
    uint64_t factor =
        is_spread ? hs_speed_spread_q32(speed, job->profile, type, job->gpus_held) : HS_Q32_ONE;
    if (job->gpus_held == job->gpus || job->gpus == 0)
        return factor;
    return hs_q32_mul(factor,
                      hs_speed_resize_q32(speed, job->profile, type, job->gpus_held, job->gpus));
}

/* The same for a gang of several types: that of the worst, because all wait for it. */
static uint64_t gang_factor_q32(const struct hs_engine *e, const struct hs_job *job, bool is_spread)
{
    uint64_t least = UINT64_MAX;
    uint32_t last = UINT32_MAX;
    for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_of_job) {
        uint32_t type = e->cluster->nodes[e->gpus[e->jobs.seats[s].gpu].node].type;
        uint64_t factor = type != last ? type_factor_q32(e, job, type, is_spread) : least;
        least = factor < least ? factor : least;
        last = type;
    }
    return least;
}

uint64_t hs_progress_rate(const struct hs_engine *e, const struct hs_job *job)
{
    return job->state == HS_JOB_RUNNING ? hs_progress_placed_rate(e, job) : 0;
}

uint64_t hs_progress_placed_rate(const struct hs_engine *e, const struct hs_job *job)
{
    uint64_t rate = job_slowest_q32(e, job);
    bool is_spread = e->config.has_locality && job->nodes_spanned > 1 && job_is_spread(e, job);
    bool is_resized = job->gpus_held != job->gpus && job->gpus > 0;
    if (is_resized && e->config.speed == NULL) /* linear where nothing is known */
        rate = (uint64_t)((hs_u128)rate * job->gpus_held / job->gpus);
    else if (is_spread || is_resized)
        rate = hs_q32_mul(rate, gang_factor_q32(e, job, is_spread));
    return hs_q32_mul(hs_q32_mul(rate, job->share_q32), job->cap_q32);
}

/* The one event a job has ahead of it: its cost is paid, or its work is done. */
static enum hs_status job_schedule(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    int64_t wait_us = HS_TIME_MAX;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING)
        wait_us = job->cost_left_us;
    else if (job->state == HS_JOB_RUNNING)
        wait_us = hs_work_eta_us(&job->work, job->rate_q32);
    job->finish_us = wait_us < HS_TIME_MAX - e->now_us ? e->now_us + wait_us : HS_TIME_MAX;
    int64_t next_us = job->oom_us < job->finish_us ? job->oom_us : job->finish_us;
    if (next_us == HS_TIME_MAX) {
        hs_heap_remove(&e->job_events, slot);
        return HS_OK;
    }
    return hs_heap_set(&e->job_events, slot, next_us, job->index);
}

enum hs_status hs_progress_rerate(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->touched_count; i++) {
        uint32_t slot = e->touched[i];
        struct hs_job *job = hs_engine_job(e, slot);
        job->plan &= (uint8_t)~JOB_TOUCHED;
        if (!job->is_live)
            continue;
        hs_progress_sync(e, job);
        if (job->oom_us != HS_TIME_MAX && !hs_progress_overflows(e, job))
            job->oom_us = HS_TIME_MAX; /* others made room in time */
        job->rate_q32 = hs_progress_rate(e, job);
        HS_TRY(job_schedule(e, slot));
    }
    e->touched_count = 0;
    return HS_OK;
}
