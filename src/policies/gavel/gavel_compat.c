/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compat=gavel: what the simulator of the paper (stanford-futuredata/gavel, scheduler.py) does and
 * no parameter would say:
 *
 * - Steps are whole. In a round a job does as many as fit into it, and no more; the next round
 *   begins at the end of the job that takes longest, so rounds are shorter than `round` and drift.
 *   A job without a count of steps makes one a second.
 * - With no job running the time jumps to the next arrival, and the gap counts as time received.
 * - A job that came after the last solution is chosen, and takes up GPUs, but does not run.
 * - Solutions are `reset` apart (the simulator: 1,920 s), but one at time 0 counts as none.
 * - A gang with fewer steps to do in a round than GPUs does nothing, and is dropped after five such
 *   rounds in a row: its workers get the quotient, rounded down.
 * - fifo, not aware, on one type: at a solution the ended jobs and those with a share are walked in
 *   order of arrival, and at each ended one the head of the queue gets a share if it fits into the
 *   cluster less the jobs walked so far: more than fit may then have one, and take turns. On
 *   several types it draws a type and uses another, which is not imitated.
 *
 * A job that the engine runs continuously does as much in a round if it rests at its beginning: the
 * rest is an overhead, and what a microsecond rounds off is made up for in the next round.
 * Times are in seconds and computed in its order: among jobs that have got as much, the last bits
 * decide which is next. With jobs waiting and none running the simulator solves at once
 * if no arrival is left, else it waits for one; which a policy cannot know: this one solves.
 */
#include "policies/gavel/gavel.h"

#include <math.h>

#define NO_TYPE      HS_GAVEL_TYPES
#define FAILURES_MAX 5

void hs_gavel_compat_come(const struct hs_view *v, hs_job_id job)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    j->steps = (double)hs_view_steps_in_all(v, job, &j->steps_per_s);
    if (j->steps <= 0 || j->steps_per_s <= 0) {
        j->steps = (double)hs_view_duration_us(v, job) / 1e6;
        j->steps_per_s = 1;
    }
    j->is_unsolved = true;
}

void hs_gavel_compat_go(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, hs_job_id job)
{
    const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    pool->ending -= j->is_ending;
    if (g->objective != HS_GAVEL_FIFO || j->share[0] <= 0)
        return;
    /* the next with a share takes over those that ended before it */
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    hs_job_id next = hs_gavel_next(v, job);
    while (next != HS_NO_JOB && hs_gavel_of(v, next)->share[0] <= 0)
        next = hs_gavel_next(v, next);
    *(next != HS_NO_JOB ? &hs_gavel_of(v, next)->ended : &pool->last_ended) += j->ended + 1;
}

/* The first job from this one on that has no share. */
static hs_job_id head_from(const struct hs_view *v, hs_job_id job)
{
    while (job != HS_NO_JOB && hs_gavel_of(v, job)->share[0] > 0)
        job = hs_gavel_next(v, job);
    return job;
}

/* The head gets a share if it fits. */
static void share_head(const struct hs_view *v, hs_job_id *head, double *room)
{
    if (*head == HS_NO_JOB || hs_view_gpus(v, *head) > *room)
        return;
    hs_gavel_of(v, *head)->share[0] = 2; /* not to be walked */
    *room -= hs_view_gpus(v, *head);
    *head = head_from(v, *head);
}

void hs_gavel_compat_fifo(struct hs_gavel_pool *pool, const struct hs_view *v)
{
    double room = pool->gpus[0];
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    hs_job_id head = head_from(v, pool->jobs.first);
    HS_GAVEL_EACH(job, pool, v)
    {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        for (; j->ended > 0; j->ended--)
            share_head(v, &head, &room);
        room -= j->share[0] == 1 ? hs_view_gpus(v, job) : 0;
    }
    for (; pool->last_ended > 0; pool->last_ended--)
        share_head(v, &head, &room);
    while (head != HS_NO_JOB && hs_view_gpus(v, head) <= room)
        share_head(v, &head, &room);
    HS_GAVEL_EACH(job, pool, v)
    {
        hs_gavel_of(v, job)->share[0] = fmin(hs_gavel_of(v, job)->share[0], 1);
    }
}

/* Books a round of a job in advance. */
static void book_round(struct hs_gavel_pool *pool, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, double length_us)
{
    struct hs_gavel_scratch *j = hs_gavel_of(v, job);
    const uint32_t gang = hs_view_gpus(v, job);
    const bool has_failed =
        j->steps > 0 && (gang > 1 ? j->round_steps < gang : j->round_steps <= 0);
    double rest_us = length_us;
    if (has_failed) {
        j->failures++;
        pool->is_dirty = true;
    } else {
        const double got = pool->now + j->round_s - pool->end;
        j->failures = 0;
        j->done += j->round_steps;
        j->is_ending = j->done >= j->steps;
        pool->ending += j->is_ending;
        j->got[j->held] += got;
        pool->got[j->held] += got;
        const double work_us =
            (double)hs_view_remaining_us(v, job) - (j->steps - j->done) / j->steps_per_s * 1e6;
        rest_us = j->is_ending ? 0 : length_us - work_us / j->speed[j->held];
    }
    if (rest_us >= 1)
        hs_plan_add_overhead(p, job, (int64_t)rest_us);
}

static void begin_round(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    pool->now = pool->is_running ? pool->end : (double)hs_view_now_us(v) / 1e6;
    if (pool->is_dirty &&
        (pool->solved <= 0 || pool->now - pool->solved >= (double)g->reset_us / 1e6)) {
        hs_gavel_close_accounts(g, pool, v);
        hs_gavel_solve(g, pool, v);
        HS_GAVEL_EACH(job, pool, v)
        {
            hs_gavel_of(v, job)->is_unsolved = false;
        }
    }
    hs_gavel_choose(g, pool, v, false);
    HS_GAVEL_EACH(job, pool, v)
    {
        if (hs_gavel_of(v, job)->is_unsolved)
            hs_gavel_of(v, job)->chosen = NO_TYPE;
    }
    (void)hs_gavel_place(g, pool, v, p);
    double end = pool->now;
    HS_GAVEL_EACH(job, pool, v)
    {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        if (j->held == NO_TYPE)
            continue;
        const double per_s = j->steps_per_s * j->speed[j->held];
        j->round_steps = fmin(floor(per_s * (double)g->round_us / 1e6), j->steps - j->done);
        j->round_s = j->round_steps / per_s;
        end = fmax(end, pool->now + j->round_s);
    }
    const double end_us = rint(end * 1e6);
    pool->is_running = false;
    HS_GAVEL_EACH(job, pool, v)
    {
        if (hs_gavel_of(v, job)->held == NO_TYPE)
            continue;
        book_round(pool, v, p, job, end_us - (double)hs_view_now_us(v));
        pool->is_running = true;
    }
    pool->end = pool->is_running ? end : pool->end;
    pool->next_us = pool->is_running ? (int64_t)end_us : INT64_MAX;
}

void hs_gavel_compat_decide(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                            const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = pool->next_us;
    if (pool->count == 0) {
        pool->is_running = false;
        pool->next_us = INT64_MAX;
    } else if (pool->ending == 0 &&
               (now_us >= pool->next_us || (!pool->is_running && pool->is_woken))) {
        bool drops = false;
        hs_plan_reason(p, "its rounds end before its gang does a step");
        HS_GAVEL_EACH(job, pool, v)
        {
            if (hs_gavel_of(v, job)->failures < FAILURES_MAX)
                continue;
            hs_plan_kill(p, job);
            drops = true;
        }
        hs_plan_reason(p, NULL);
        if (drops) {
            hs_plan_timer(p, now_us, 0); /* to go on when they have gone */
            return;
        }
        begin_round(g, pool, v, p);
        if (!pool->is_running && pool->is_dirty) {
            pool->solved = 0;
            begin_round(g, pool, v, p);
        }
    }
    pool->is_woken = false;
    if (pool->next_us != INT64_MAX && pool->next_us != next_us) /* a round of no steps is over */
        hs_plan_timer(p, pool->next_us > now_us ? pool->next_us : now_us, 0);
}
