/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compat=lucid: what the released simulator does and no parameter would say:
 *
 * - Time is whole seconds. At each, a running job whose rest is at most 0 ends, else its speed is
 *   taken from the rest, in double precision: a job alone ends a second late. Profiles do not.
 * - When the first of a pair ends before its guest, the guest keeps its slow speed to its end, and
 *   never is a host.
 * - Speeds of a pair are those measured, above 1 as well.
 * - Profiling is free: a job that does not end in the profiler enters its virtual cluster at its
 *   submission, while it is being profiled, and runs there from the beginning. Which jobs end is
 *   known before. Jobs that ask for GPU types, CPUs or host memory, as none there does, or whose
 *   virtual cluster has not the nodes of the profiler, are not profiled.
 * - sharing=adapt starts without sharing. (So does ours.)
 *
 * Lending of nodes is not imitated. A job may end before its run time is over, so with speeds of
 * pairs all GPUs must have speed 2 (the largest measured speed is 1.498), and jobs must not slow
 * each other: what is to be done is done early, but for a quarter of a second, and the job is
 * paused until that is due.
 */
#include "policies/lucid/lucid.h"

#include <math.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)
#define LAST_US   (SECOND_US / 4) /* in which the last work is done */
#define RUNS_MAX  (1u << 16)      /* of the profiler that wait or go on */

/* A run of the profiler; that of a job that does not end in it goes on without the job. */
struct hs_lucid_run {
    hs_job_id job; /* HS_NO_JOB: it does not end in it */
    uint32_t gpus, node;
    int64_t length_us, end_us;
};

enum hs_status hs_lucid_compat_init(struct hs_lucid *s, const struct hs_view *v)
{
    uint32_t count;
    s->runs = hs_view_alloc(v, RUNS_MAX * sizeof *s->runs);
    s->waiting_runs = RUNS_MAX;
    for (uint32_t i = 0; i < s->aside_count; i++)
        s->aside_free[i] = hs_view_node(v, s->aside[i])->gpus;
    s->gpu_speed = (double)hs_view_gpu_type(v, 0)->speed_q32 / 0x1p32;
    if (s->compat_speeds == NULL)
        return HS_OK;
    if (s->gpu_speed != 2)
        return hs_view_fail(v, HS_E_USAGE, "compat_speeds needs GPUs of speed 2: see its README");
    HS_TRY(hs_view_numbers(v, s->compat_speeds, &s->pair_speeds, &count));
    s->kinds = (uint32_t)sqrt(count / 2);
    if (UINT64_C(2) * s->kinds * s->kinds != count)
        return hs_view_fail(v, HS_E_INPUT, "compat_speeds is no pair of square tables");
    return HS_OK;
}

/* ---- ends ---- */

/* Through the second `to`. */
static void advance(struct hs_lucid_job *j, int64_t to)
{
    for (; j->speed != 1 && j->second < to; j->second++)
        j->rest -= j->rest > 0 ? j->speed : 0;
    j->rest -= (double)(to - j->second); /* exact, and if it is below 0 the job ends now */
    j->second = to;
}

/* When it ends at this speed, and when it is to be paused or resumed for that. */
static void schedule(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    double rest = j->rest;
    int64_t end = j->second + 1;
    if (j->speed == 1 && rest > 0)
        end += (int64_t)ceil(rest);
    for (; j->speed != 1 && rest > 0; end++)
        rest -= j->speed;
    j->end_us = end * SECOND_US;
    if (j->is_paused)
        hs_job_queue_rekey(&s->actions, v, job, j->end_us - LAST_US);
}

static void begin(struct hs_lucid *s, const struct hs_view *v, hs_job_id job, int64_t end_us)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    const int64_t run_us = (int64_t)ceil((double)hs_view_duration_us(v, job) / s->gpu_speed);
    j->is_paused = false;
    j->end_us = end_us;
    hs_job_queue_add(&s->actions, v, job, hs_view_now_us(v) + run_us - LAST_US);
}

static double pair_speed(const struct hs_lucid *s, uint32_t of, uint32_t beside, bool is_host)
{
    if (of >= s->kinds || beside >= s->kinds)
        return 1;
    return (double)s->pair_speeds[(is_host * s->kinds + of) * s->kinds + beside] / 1e6;
}

void hs_lucid_compat_start(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    j->second = hs_view_now_us(v) / SECOND_US;
    j->rest = (double)(hs_view_duration_us(v, job) / SECOND_US);
    j->speed = 1;
    if (j->partner != HS_NO_JOB) {
        struct hs_lucid_job *host = hs_lucid_of(v, j->partner);
        advance(host, j->second);
        host->speed = pair_speed(s, host->kind, j->kind, true);
        j->speed = pair_speed(s, j->kind, host->kind, false);
        schedule(s, v, j->partner);
    }
    begin(s, v, job, 0);
    schedule(s, v, job);
}

bool hs_lucid_compat_end(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_lucid_job *j = hs_lucid_of(v, job);
    hs_job_queue_remove(&s->actions, v, job);
    if (j->partner == HS_NO_JOB || hs_lucid_of(v, j->partner)->started > j->started)
        return false;
    struct hs_lucid_job *host = hs_lucid_of(v, j->partner);
    advance(host, hs_view_now_us(v) / SECOND_US);
    host->speed = 1;
    schedule(s, v, j->partner);
    return true;
}

static void act(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    hs_job_id job;
    while ((job = hs_job_queue_first(&s->actions)) != HS_NO_JOB &&
           hs_job_queue_key(v, job) <= hs_view_now_us(v)) {
        struct hs_lucid_job *j = hs_lucid_of(v, job);
        const bool pauses = !j->is_paused && hs_view_state(v, job) == HS_JOB_RUNNING &&
                            j->end_us - LAST_US > hs_view_now_us(v);
        if (pauses)
            hs_plan_pause(p, job);
        else if (j->is_paused)
            hs_plan_resume(p, job);
        hs_job_queue_rekey(&s->actions, v, job, pauses ? j->end_us - LAST_US : INT64_MAX);
        j->is_paused = pauses;
    }
}

/* ---- the profiler: what waits at the end of the array, by GPUs; what goes on at its beginning
 * ---- */

enum hs_status hs_lucid_compat_come(struct hs_lucid *s, const struct hs_view *v, hs_job_id job)
{
    const uint32_t gpus = hs_view_gpus(v, job);
    const int64_t run_us = hs_view_duration_us(v, job);
    const bool is_profiled = s->aside_count > 0 && gpus > 0 && gpus <= s->limit &&
                             gpus <= hs_view_node(v, s->aside[0])->gpus &&
                             !hs_view_is_constrained(v, job) &&
                             hs_view_may_use(v, job, s->aside[0]);
    const bool ends = is_profiled && run_us <= s->profile_us;
    if (!ends)
        hs_lucid_wait(s, v, job);
    if (!is_profiled)
        return HS_OK;
    if (s->waiting_runs == s->going_runs)
        return hs_view_fail(v, HS_E_LIMIT, "more than 65536 jobs wait for the profiler");
    uint32_t at = --s->waiting_runs;
    for (; at + 1 < RUNS_MAX && s->runs[at + 1].gpus <= gpus; at++)
        s->runs[at] = s->runs[at + 1];
    s->runs[at] = (struct hs_lucid_run){
        .job = ends ? job : HS_NO_JOB, .gpus = gpus, .length_us = ends ? run_us : s->profile_us};
    hs_lucid_of(v, job)->where = ends ? HS_LUCID_PROFILING : HS_LUCID_WAITING;
    return HS_OK;
}

static void start_runs(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    while (s->waiting_runs < RUNS_MAX) {
        struct hs_lucid_run r = s->runs[s->waiting_runs];
        uint32_t best = HS_LUCID_NODES;
        for (uint32_t i = 0; i < s->aside_count; i++)
            if (s->aside_free[i] >= r.gpus && hs_view_in_service(v, s->aside[i]) &&
                (best == HS_LUCID_NODES || s->aside_free[i] < s->aside_free[best]))
                best = i;
        if (best == HS_LUCID_NODES ||
            (r.job != HS_NO_JOB && (hs_view_node_free(v, s->aside[best]) < r.gpus ||
                                    hs_view_quota_room(v, hs_view_vc(v, r.job)) < r.gpus)))
            return;
        s->waiting_runs++;
        s->aside_free[best] -= r.gpus;
        r.node = best;
        r.end_us = hs_view_now_us(v) + r.length_us;
        s->runs[s->going_runs++] = r;
        hs_plan_timer(p, r.end_us, 0);
        if (r.job == HS_NO_JOB)
            continue;
        hs_plan_start_on_node(p, r.job, s->aside[best]);
        begin(s, v, r.job, r.end_us);
    }
}

void hs_lucid_compat_decide(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t i = 0; i < s->going_runs;) {
        const struct hs_lucid_run *r = &s->runs[i];
        if (r->end_us > hs_view_now_us(v)) {
            i++;
            continue;
        }
        s->aside_free[r->node] += r->gpus;
        s->runs[i] = s->runs[--s->going_runs];
    }
    start_runs(s, v, p);
    act(s, v, p);
}

/* When the next job is to be paused or resumed. */
void hs_lucid_compat_wake(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p)
{
    const hs_job_id first = hs_job_queue_first(&s->actions);
    const int64_t due_us = first != HS_NO_JOB ? hs_job_queue_key(v, first) : INT64_MAX;
    if (due_us == INT64_MAX || (due_us == s->act_us && due_us > hs_view_now_us(v)))
        return;
    s->act_us = due_us;
    hs_plan_timer(p, hs_later(due_us, hs_view_now_us(v)), 0);
}
