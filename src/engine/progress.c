/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who sits where, and the progress that comes of it. Cost of a start or an end: O(GPUs of the job +
 * tenants beside it), or O(nodes of the job) where jobs have their GPUs to themselves.
 */
#include "engine/progress.h"

#include "engine/busy.h"
#include "engine/rate.h"
#include "engine/residency.h"
#include "engine/shadow.h"
#include "engine/whole.h"

/* Marks of struct hs_job.plan live in the low bits; this one says "in the touched list". */
enum { JOB_TOUCHED = 1u << 7 };

/* Work done in dt at its rate. */
static void advance(struct hs_engine *e, const struct hs_job *job, struct hs_job_run *run,
                    uint64_t rate_q32, int64_t dt)
{
    struct hs_work work = hs_work_of(&e->jobs, job);
    hs_work_advance(&work, rate_q32, dt);
    e->work_done_ns += (uint64_t)(work.done_ns - run->done_ns);
    run->done_ns = work.done_ns;
    run->carry = (uint32_t)work.carry;
}

void hs_progress_account(struct hs_engine *e, struct hs_job *job, int64_t dt)
{
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    if (stay->host_mib != 0)
        hs_toll_of(&e->jobs, job)->host_mib_us += dt * stay->host_mib;
    if (!hs_job_is_placed(job))
        return;
    run->run_us += dt;
    run->gpu_us += dt * stay->gpus_held;
    if (stay->shared_gpus > 0)
        hs_toll_of(&e->jobs, job)->colocated_us += dt;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING) {
        run->cost_left_us -= dt;
        run->overhead_us += dt;
    } else if (job->state == HS_JOB_RUNNING) {
        advance(e, job, run, stay->rate_q32, dt);
        run->attained_us += dt;
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

/* The other tenants of a GPU are to be rated anew; whether they share it changed by `delta`. */
static enum hs_status gpu_touch_others(struct hs_engine *e, const struct hs_gpu *gpu, uint32_t slot,
                                       int delta)
{
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = e->jobs.seats[s].next_on_gpu) {
        uint32_t other = e->jobs.seats[s].job;
        struct hs_job *job = hs_engine_job(e, other);
        struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
        if (gpu->tenants > stay->segment_max_tenants)
            stay->segment_max_tenants = gpu->tenants;
        bool is_concerned = delta != 0 || stay->oom_us != HS_TIME_MAX; /* there may be room now */
        if (other == slot ||
            (!is_concerned &&
             hs_rate_are_apart(stay, hs_stay_of(&e->jobs, hs_engine_job(e, slot)))))
            continue;
        hs_progress_sync(e, job);
        stay->shared_gpus = (uint32_t)((int64_t)stay->shared_gpus + delta);
        HS_TRY(hs_progress_touch(e, other));
    }
    return HS_OK;
}

/* The job has come onto a GPU that others hold: unless all have shares, they slow each other. */
static enum hs_status gpu_join(struct hs_engine *e, uint32_t slot, const struct hs_gpu *gpu)
{
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, hs_engine_job(e, slot));
    if (gpu->tenants == 2)
        e->instant.gpus_shared++;
    stay->shared_gpus++;
    if (gpu->tenants > stay->segment_max_tenants)
        stay->segment_max_tenants = gpu->tenants;
    return gpu_touch_others(e, gpu, slot, gpu->tenants == 2 ? 1 : 0);
}

/* With those that were on the GPU before it: newcomers are in front in the list of a GPU. */
static bool seat_overflows(const struct hs_engine *e, uint32_t seat)
{
    const struct hs_gpu *gpu = &e->gpus[e->jobs.seats[seat].gpu];
    if (gpu->mem_used_mib <= hs_gpu_capacity_mib(e, gpu, gpu->tenants)) /* the usual case */
        return false;
    return e->jobs.seats[seat].next_on_gpu != HS_NO_SEAT &&
           hs_residency_used_mib(e, seat) > hs_residency_capacity_mib(e, gpu, seat);
}

bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job)
{
    if (hs_stay_of(&e->jobs, job)->shared_gpus == 0)
        return false;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
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
    if (e->is_whole) /* there is nobody beside it */
        return;
    for (uint32_t s = hs_first_seat(&e->jobs, hs_engine_job(e, slot)); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        seat_unlink(e, gpu, s);
        e->jobs.seats[s].next_on_gpu = gpu->first_seat;
        gpu->first_seat = s;
    }
}

/* Sits down on every GPU, none of which is free any more since it was picked; of how many it is the
 * first tenant, and of how many nodes they are. */
static enum hs_status job_sit_down(struct hs_engine *e, uint32_t slot, const uint32_t *ids,
                                   uint32_t count, uint32_t *first_of)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const uint32_t mem_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    const bool is_active = stay->is_active, is_laned = stay->lane > 0,
               is_part = hs_job_is_part(job);
    const bool is_plain = hs_busy_is_plain(stay);
    const uint32_t alone_pm = hs_busy_alone_pm(job);
    uint32_t last = HS_NO_SEAT, last_node = HS_NO_NODE, seat;
    for (uint32_t i = 0; i < count; i++, last = seat) {
        struct hs_gpu *gpu = &e->gpus[ids[i]];
        HS_TRY(hs_jobs_seat(&e->jobs, &seat));
        e->jobs.seats[seat] = (struct hs_seat){.gpus = UINT64_C(1) << (ids[i] % 64),
                                               .gpu = ids[i],
                                               .count = 1,
                                               .node = gpu->node,
                                               .job = slot,
                                               .next_of_job = HS_NO_SEAT,
                                               .next_on_gpu = gpu->first_seat};
        *(last == HS_NO_SEAT ? &stay->first_seat : &e->jobs.seats[last].next_of_job) = seat;
        gpu->first_seat = seat;
        gpu->tenants++;
        gpu->active = (uint16_t)(gpu->active + is_active);
        gpu->laned = (uint16_t)(gpu->laned + is_laned);
        hs_residency_recount(e, gpu, mem_mib);
        if (gpu->tenants == 1) {
            ++*first_of;
        } else if (!is_part) {
            HS_TRY(gpu_join(e, slot, gpu));
        }
        if (gpu->tenants == 1 && is_plain)
            hs_busy_set(e, ids[i], alone_pm, alone_pm);
        else
            hs_busy_refresh(e, ids[i]);
        run->nodes_spanned = (uint16_t)(run->nodes_spanned + (gpu->node != last_node));
        last_node = gpu->node;
    }
    return HS_OK;
}

enum hs_status hs_progress_seat(struct hs_engine *e, uint32_t slot, const uint32_t *ids,
                                uint32_t count)
{
    struct hs_job *job = hs_engine_job(e, slot);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    uint32_t first_of = 0;
    stay->gpus_held = count;
    stay->shared_gpus = 0;
    run->nodes_spanned = 0;
    stay->segment_max_tenants = 1;
    HS_TRY(job_sit_down(e, slot, ids, count, &first_of));
    e->instant.gpus_held += first_of;
    e->instant.milli_held +=
        (uint64_t)(hs_job_is_part(job) ? count : first_of) * job->ask.gpu_milli;
    if (count > 0)
        run->gpu_type = (uint8_t)e->cluster->nodes[e->gpus[ids[0]].node].type;
    stay->oom_us = hs_progress_overflows(e, job) ? e->now_us + e->config.oom_delay_us : HS_TIME_MAX;
    return HS_OK;
}

/* Its last tenant of a lane may be gone: then all others are outside. */
static void gpu_leave_lane(struct hs_engine *e, struct hs_gpu *gpu, const struct hs_job_stay *stay)
{
    if (stay->lane > 0) {
        gpu->laned--;
        hs_busy_mark(e, gpu->node);
    }
    gpu->mem_used_mib =
        gpu->first_seat != HS_NO_SEAT ? hs_residency_used_mib(e, gpu->first_seat) : 0;
}

/* The job has left a GPU that others hold. */
static enum hs_status gpu_leave(struct hs_engine *e, uint32_t slot, const struct hs_gpu *gpu)
{
    if (gpu->tenants == 1)
        e->instant.gpus_shared--;
    return gpu_touch_others(e, gpu, slot, gpu->tenants == 1 ? -1 : 0);
}

/* Gets up from every GPU; of how many it was the last tenant. */
static enum hs_status job_stand_up(struct hs_engine *e, uint32_t slot, uint32_t *last_of)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    const struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    const uint32_t mem_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    const bool is_active = stay->is_active, is_laned = stay->lane > 0,
               is_part = hs_job_is_part(job);
    for (uint32_t seat = stay->first_seat, next; seat != HS_NO_SEAT; seat = next) {
        const uint32_t id = e->jobs.seats[seat].gpu;
        struct hs_gpu *gpu = &e->gpus[id];
        next = e->jobs.seats[seat].next_of_job;
        seat_unlink(e, gpu, seat);
        hs_jobs_free_seat(&e->jobs, seat);
        gpu->tenants--;
        gpu->active = (uint16_t)(gpu->active - is_active);
        if (gpu->laned > 0)
            gpu_leave_lane(e, gpu, stay);
        else
            gpu->mem_used_mib -= mem_mib;
        if (gpu->tenants == 0) {
            e->gpu_free[id / 64] |= UINT64_C(1) << (id % 64);
            ++*last_of;
        } else if (!is_part) {
            HS_TRY(gpu_leave(e, slot, gpu));
        }
        if (gpu->tenants == 0 && !is_laned)
            hs_busy_set(e, id, 0, 0);
        else
            hs_busy_refresh(e, id);
    }
    return HS_OK;
}

enum hs_status hs_progress_unseat(struct hs_engine *e, uint32_t slot)
{
    struct hs_job *job = hs_engine_job(e, slot);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    uint32_t last_of = 0;
    if (e->is_whole) {
        hs_whole_unseat(e, job);
        return HS_OK;
    }
    HS_TRY(job_stand_up(e, slot, &last_of));
    e->instant.gpus_held -= last_of;
    e->instant.milli_held -=
        (uint64_t)(hs_job_is_part(job) ? stay->gpus_held : last_of) * job->ask.gpu_milli;
    stay->first_seat = HS_NO_SEAT;
    stay->gpus_held = 0;
    stay->shared_gpus = 0;
    stay->rate_q32 = 0;
    stay->is_active = false;
    return HS_OK;
}

uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job, uint32_t *ids)
{
    uint32_t count = 0;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job)
        for (uint64_t bits = e->jobs.seats[s].gpus; bits != 0; bits &= bits - 1)
            ids[count++] = e->jobs.seats[s].gpu / 64 * 64 + HS_CTZ64(bits);
    return count;
}

enum hs_status hs_progress_touch_beside(struct hs_engine *e, uint32_t slot)
{
    const struct hs_job *job = hs_engine_job(e, slot);
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        hs_busy_refresh(e, e->jobs.seats[s].gpu);
        HS_TRY(gpu_touch_others(e, &e->gpus[e->jobs.seats[s].gpu], slot, 0));
    }
    return hs_progress_touch(e, slot);
}

enum hs_status hs_progress_set_active(struct hs_engine *e, uint32_t slot, bool is_active)
{
    struct hs_job *job = hs_engine_job(e, slot);
    hs_stay_of(&e->jobs, job)->is_active = is_active;
    for (uint32_t s = hs_first_seat(&e->jobs, job); s != HS_NO_SEAT;
         s = e->jobs.seats[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.seats[s].gpu];
        gpu->active = (uint16_t)(is_active ? gpu->active + 1 : gpu->active - 1);
    }
    return hs_progress_touch_beside(e, slot);
}

/* When a mini-batch ends that somebody waits for, or its memory changes. */
static int64_t milestone_us(const struct hs_engine *e, const struct hs_job *job,
                            const struct hs_job_stay *stay)
{
    struct hs_work work = hs_work_of(&e->jobs, job);
    int64_t at_ns = stay->alarm_ns;
    int64_t later_ns = hs_needs_of(&e->jobs, job)->later_ns;
    if (later_ns > work.done_ns && later_ns < at_ns)
        at_ns = later_ns;
    if (at_ns >= job->work_ns)
        return HS_TIME_MAX;
    work.total_ns = at_ns;
    int64_t wait_us = hs_work_eta_us(&work, stay->rate_q32);
    return wait_us < HS_TIME_MAX - e->now_us ? e->now_us + wait_us : HS_TIME_MAX;
}

/* The one event a job has ahead of it: its cost is paid, its work is done, or part of it that
 * somebody waits for. */
static enum hs_status job_schedule(struct hs_engine *e, const struct hs_job *job,
                                   const struct hs_job_run *run, struct hs_job_stay *stay)
{
    const struct hs_work work = hs_work_of(&e->jobs, job);
    int64_t wait_us = HS_TIME_MAX;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING)
        wait_us = run->cost_left_us;
    else if (job->state == HS_JOB_RUNNING)
        wait_us = hs_work_eta_us(&work, stay->rate_q32);
    stay->finish_us = wait_us < HS_TIME_MAX - e->now_us ? e->now_us + wait_us : HS_TIME_MAX;
    int64_t next_us = stay->oom_us < stay->finish_us ? stay->oom_us : stay->finish_us;
    int64_t told_us = job->state == HS_JOB_RUNNING ? milestone_us(e, job, stay) : HS_TIME_MAX;
    next_us = told_us < next_us ? told_us : next_us;
    if (next_us == HS_TIME_MAX) {
        hs_heap_remove(&e->job_events, job->stay);
        return HS_OK;
    }
    return hs_heap_set(&e->job_events, job->stay, next_us, job->index);
}

enum hs_status hs_progress_rate(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_stay *stay = hs_stay_of(&e->jobs, job);
    hs_progress_sync(e, job);
    if (stay->oom_us != HS_TIME_MAX && !hs_progress_overflows(e, job))
        stay->oom_us = HS_TIME_MAX; /* others made room in time */
    hs_residency_settle(e, job);
    stay->rate_q32 = hs_rate_now(e, job);
    if (run->first_progress_us < 0 && stay->rate_q32 > 0)
        run->first_progress_us = e->now_us;
    return job_schedule(e, job, run, stay);
}

enum hs_status hs_progress_rerate_touched(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->touched_count; i++) {
        struct hs_job *job = hs_engine_job(e, e->touched[i]);
        job->plan &= (uint8_t)~JOB_TOUCHED;
        if (job->is_live && job->stay != 0)
            HS_TRY(hs_progress_rate(e, job));
    }
    e->touched_count = 0;
    return e->marked_count > 0 ? hs_busy_settle(e) : e->plan.refused;
}
