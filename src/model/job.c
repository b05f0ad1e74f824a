/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slots, seats and attempts: three pools with free lists, no allocation once the largest number of
 * live jobs, of held GPUs and of attempts to come has been seen.
 */
#include "model/job.h"

#include <string.h>

#include "base/memory.h"

void hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size)
{
    memset(jobs, 0, sizeof *jobs);
    jobs->scratch_size = scratch_size > 0 ? scratch_size : 1;
    jobs->free_seat = HS_NO_SEAT;
    jobs->free_attempt = HS_NO_ATTEMPT;
}

/* Room for slot `high` in every parallel array, and for its return to the free list. */
static enum hs_status slots_grow(struct hs_jobs *jobs)
{
    uint64_t need = (uint64_t)jobs->high + 1;
    HS_TRY(hs_grow((void **)&jobs->jobs, &jobs->cap, need, sizeof *jobs->jobs, HS_LIVE_JOBS_MAX));
    HS_TRY(hs_grow((void **)&jobs->free_slots, &jobs->free_cap, need, sizeof *jobs->free_slots,
                   HS_LIVE_JOBS_MAX));
    return hs_grow((void **)&jobs->scratch, &jobs->scratch_cap, need, jobs->scratch_size,
                   HS_LIVE_JOBS_MAX);
}

static void clear_scratch(struct hs_jobs *jobs, uint32_t slot)
{
    memset(jobs->scratch + (size_t)slot * jobs->scratch_size, 0, jobs->scratch_size);
}

enum hs_status hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot)
{
    if (jobs->free_count > 0) {
        *slot = jobs->free_slots[--jobs->free_count];
    } else {
        HS_TRY(slots_grow(jobs));
        *slot = jobs->high++;
    }
    struct hs_job *job = &jobs->jobs[*slot];
    char *id = job->id;
    uint32_t id_cap = job->id_cap;
    memset(job, 0, sizeof *job);
    job->id = id;
    job->id_cap = id_cap;
    job->first_seat = HS_NO_SEAT;
    job->next_attempt = HS_NO_ATTEMPT;
    job->is_live = true;
    clear_scratch(jobs, *slot);
    jobs->live++;
    return HS_OK;
}

enum hs_status hs_jobs_set_id(struct hs_job *job, const char *id)
{
    size_t size = strlen(id) + 1;
    HS_TRY(hs_grow((void **)&job->id, &job->id_cap, size, 1, HS_JOB_ID_MAX + 1));
    memcpy(job->id, id, size);
    return HS_OK;
}

static enum hs_status take_attempt(struct hs_jobs *jobs, uint32_t *attempt)
{
    if (jobs->free_attempt != HS_NO_ATTEMPT) {
        *attempt = jobs->free_attempt;
        jobs->free_attempt = jobs->attempts[*attempt].next;
        return HS_OK;
    }
    HS_TRY(hs_grow((void **)&jobs->attempts, &jobs->attempt_cap, (uint64_t)jobs->attempt_high + 1,
                   sizeof *jobs->attempts, HS_LIVE_JOBS_MAX));
    *attempt = jobs->attempt_high++;
    return HS_OK;
}

/* Takes the first off the chain of a job; its run time. */
static int64_t drop_attempt(struct hs_jobs *jobs, struct hs_job *job)
{
    uint32_t attempt = job->next_attempt;
    job->next_attempt = jobs->attempts[attempt].next;
    jobs->attempts[attempt].next = jobs->free_attempt;
    jobs->free_attempt = attempt;
    return jobs->attempts[attempt].work_us;
}

enum hs_status hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot, const int64_t *attempts_us,
                                    uint32_t count)
{
    struct hs_job *job = &jobs->jobs[slot];
    for (uint32_t i = count; i-- > 1;) { /* from the end: the chain begins with what comes next */
        uint32_t attempt;
        HS_TRY(take_attempt(jobs, &attempt));
        jobs->attempts[attempt] =
            (struct hs_attempt){.work_us = attempts_us[i], .next = job->next_attempt};
        job->next_attempt = attempt;
    }
    job->work.total_ns = attempts_us[0] * HS_NS_PER_US;
    return HS_OK;
}

void hs_jobs_retry(struct hs_jobs *jobs, uint32_t slot)
{
    struct hs_job *job = &jobs->jobs[slot];
    job->past_ns += job->work.done_ns;
    job->work = (struct hs_work){.total_ns = drop_attempt(jobs, job) * HS_NS_PER_US};
    job->attempt++;
    clear_scratch(jobs, slot);
}

void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot)
{
    while (jobs->jobs[slot].next_attempt != HS_NO_ATTEMPT)
        (void)drop_attempt(jobs, &jobs->jobs[slot]);
    jobs->jobs[slot].is_live = false;
    jobs->free_slots[jobs->free_count++] = slot;
    jobs->live--;
}

enum hs_status hs_jobs_seat(struct hs_jobs *jobs, uint32_t *seat)
{
    if (jobs->free_seat != HS_NO_SEAT) {
        *seat = jobs->free_seat;
        jobs->free_seat = jobs->seats[*seat].next_of_job;
        return HS_OK;
    }
    HS_TRY(hs_grow((void **)&jobs->seats, &jobs->seat_cap, (uint64_t)jobs->seat_high + 1,
                   sizeof *jobs->seats, HS_LIVE_JOBS_MAX));
    *seat = jobs->seat_high++;
    return HS_OK;
}

void hs_jobs_free_seat(struct hs_jobs *jobs, uint32_t seat)
{
    jobs->seats[seat].next_of_job = jobs->free_seat;
    jobs->free_seat = seat;
}

void hs_jobs_free(struct hs_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->high; i++)
        hs_free(jobs->jobs[i].id);
    hs_free(jobs->jobs);
    hs_free(jobs->free_slots);
    hs_free(jobs->seats);
    hs_free(jobs->attempts);
    hs_free(jobs->scratch);
    memset(jobs, 0, sizeof *jobs);
}
