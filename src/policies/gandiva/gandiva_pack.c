/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packing by trial and undo, on over-subscribed servers. Jobs on one GPU that have run alone for a
 * quantum, and for profile_steps mini-batches where these are known, are tried in order of
 * utilization beside the unit of least utilization of the same server that leaves memory for them;
 * each unit takes one job on trial at a time. After the trial the rates of all members, each
 * relative to its own rate alone, are added up: slicing would give 1 in all.
 *
 * A server is looked at when the introspection is due and something has changed there, or a job may
 * have been profiled since; O(ring^2) then. Not tried again are a job that failed with
 * HS_GANDIVA_FAILED others, one whose GPU ran out of memory, and one whose memory is not known.
 */
#include "policies/gandiva/gandiva.h"

#define UNKNOWN_UTIL_PM 1000

bool hs_gandiva_fits_gpu(const struct hs_view *v, uint32_t gpu, uint64_t mem_mib)
{
    uint32_t capacity_mib = hs_view_gpu_capacity_mib(v, gpu);
    return capacity_mib == UINT32_MAX || mem_mib <= capacity_mib;
}

uint64_t hs_gandiva_unit_mib(const struct hs_view *v, hs_job_id leader)
{
    uint64_t mib = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member)
        mib += hs_view_gpu_mem_mib(v, m);
    return mib;
}

bool hs_gandiva_is_overfull(const struct hs_view *v, const struct hs_gandiva_server *s)
{
    bool is = false;
    for (hs_job_id u = s->may_burst ? s->head : HS_NO_JOB; u != HS_NO_JOB && !is;
         u = hs_gandiva_job(v, u)->next)
        is = !hs_gandiva_fits_gpu(v, s->first_gpu, hs_gandiva_unit_mib(v, u));
    return is;
}

int64_t hs_gandiva_next_look_us(const struct hs_gandiva *g, int64_t after_us)
{
    return (after_us / g->introspect_us + 1) * g->introspect_us;
}

/* The rate alone is measured once on each server. */
void hs_gandiva_measure(const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (hs_view_state(v, job) != HS_JOB_RUNNING)
        return;
    uint64_t rate_q32 = (uint64_t)(((hs_u128)hs_view_rate_q32(v, job) << 32) / j->share_q32);
    if (hs_gandiva_job(v, j->leader)->members > 1)
        j->packed_q32 = rate_q32;
    else if (j->alone_q32 == 0)
        j->alone_q32 = rate_q32;
}

/* ---- which jobs may be packed ---- */

/* A unit that may be tried: it has no trial under way, and all of its members may be packed. */
static bool is_packable(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id leader)
{
    const struct hs_gandiva_job *l = hs_gandiva_job(v, leader);
    bool is = l->trial == HS_NO_JOB && l->members < (uint64_t)g->max_pack;
    for (hs_job_id m = leader; m != HS_NO_JOB && is; m = hs_gandiva_job(v, m)->member) {
        const struct hs_gandiva_job *j = hs_gandiva_job(v, m);
        is = hs_view_gpus(v, m) == 1 && j->held <= 1 && hs_view_ooms(v, m) == 0 &&
             hs_view_gpu_mem_mib(v, m) > 0 && j->failed_count < HS_GANDIVA_FAILED;
    }
    return is;
}

static int64_t as_wait_us(hs_u128 us)
{
    return us < INT64_MAX / 2 ? (int64_t)us : INT64_MAX / 2;
}

/* Time until a single job is profiled, at the earliest; 0: it is. It has run alone for a quantum
 * then, where of attained time its share counts, and has done enough mini-batches, on the fastest
 * GPU. */
static int64_t profile_in_us(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    uint64_t share_q32 = hs_gandiva_job(v, job)->share_q32, quantum_us = (uint64_t)g->quantum_us;
    int64_t step_us = hs_view_step_us(v, job), slice_us = 0, steps_us = 0;
    if (share_q32 == 0) /* it never ran */
        return 1;
    hs_u128 run_us = ((hs_u128)(uint64_t)hs_view_attained_us(v, job) * share_q32) >> 32;
    if (run_us < quantum_us)
        slice_us = as_wait_us(((quantum_us - run_us) << 32) / share_q32);
    if (step_us > 0 && hs_view_steps(v, job) < (uint64_t)g->profile_steps) {
        /* besides the present one */
        uint64_t rest = (uint64_t)g->profile_steps - hs_view_steps(v, job) - 1;
        steps_us = as_wait_us(((hs_u128)rest * (uint64_t)step_us << 32) / g->max_speed_q32) + 1;
    }
    int64_t rest_us = slice_us > steps_us ? slice_us : steps_us;
    if (rest_us == 0 && hs_gandiva_job(v, job)->alone_q32 == 0)
        return 1; /* not seen running since it joined its server */
    return rest_us;
}

static int64_t unit_util_pm(const struct hs_view *v, hs_job_id leader)
{
    int64_t sum_pm = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member) {
        int32_t own_pm = hs_view_util_pm(v, m);
        sum_pm += own_pm >= 0 ? own_pm : UNKNOWN_UTIL_PM;
    }
    return sum_pm;
}

/* ---- pairs ---- */

static bool has_failed(const struct hs_view *v, hs_job_id job, hs_job_id other)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    bool has = false;
    for (uint32_t i = 0; i < j->failed_count && !has; i++)
        has = j->failed[i] == hs_view_rank(v, other);
    return has;
}

static void note_failure(const struct hs_view *v, hs_job_id job, hs_job_id other)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (j->failed_count < HS_GANDIVA_FAILED)
        j->failed[j->failed_count++] = hs_view_rank(v, other);
}

static bool may_try(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                    hs_job_id leader, uint32_t server)
{
    /* CPUs and host memory for both at the same time: they run now, or one can be added */
    bool has_workers =
        (!hs_view_is_constrained(v, job) && !hs_view_is_constrained(v, leader)) ||
        (hs_gandiva_job(v, leader)->is_running &&
         (hs_gandiva_job(v, job)->is_running || hs_gandiva_has_workers(v, job, server, 1)));
    bool may = has_workers && job != leader && hs_gandiva_job(v, leader)->leader == leader &&
               is_packable(g, v, leader) &&
               hs_view_priority(v, job) == hs_view_priority(v, leader) &&
               hs_gandiva_fits_gpu(v, g->servers[server].first_gpu,
                                   hs_gandiva_unit_mib(v, leader) + hs_view_gpu_mem_mib(v, job));
    for (hs_job_id m = leader; m != HS_NO_JOB && may; m = hs_gandiva_job(v, m)->member)
        may = !has_failed(v, job, m) && !has_failed(v, m, job);
    return may;
}

/* Single jobs in g->movers beside units in g->targets, both in order of utilization. */
static void try_pairs(struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                      uint32_t movers, uint32_t targets)
{
    for (uint32_t i = 0; i < movers && g->servers[server].is_over; i++) {
        hs_job_id job = g->movers[i].job;
        uint32_t k = 0;
        if (hs_gandiva_job(v, job)->members > 1) /* another has just joined it */
            continue;
        while (k < targets && !may_try(g, v, job, g->targets[k].job, server))
            k++;
        if (k == targets)
            continue;
        hs_job_id leader = g->targets[k].job;
        hs_gandiva_merge(g, v, job, leader);
        for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member)
            hs_gandiva_job(v, m)->packed_q32 = 0;
    }
}

void hs_gandiva_look_for_pairs(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t now_us = hs_view_now_us(v), profile_us = INT64_MAX;
    uint32_t movers = 0, targets = 0;
    s->look_us = 0;
    if (!s->is_over)
        return;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        if (!is_packable(g, v, u))
            continue;
        bool is_single = hs_gandiva_job(v, u)->members == 1;
        if (is_single && hs_gandiva_job(v, u)->is_running)
            hs_gandiva_measure(v, u);
        int64_t in_us = is_single ? profile_in_us(g, v, u) : 0;
        if (in_us > 0) {
            profile_us = in_us < profile_us ? in_us : profile_us;
            continue;
        }
        g->targets[targets] = hs_gandiva_entry(v, u, unit_util_pm(v, u));
        if (is_single)
            g->movers[movers++] = g->targets[targets];
        targets++;
    }
    if (profile_us < INT64_MAX / 2)
        s->look_us = hs_gandiva_next_look_us(g, now_us + profile_us - 1);
    hs_sort(g->movers, movers);
    hs_sort(g->targets, targets);
    try_pairs(g, v, server, movers, targets);
}

/* ---- trials ---- */

/* Sum of the rates of all members, each relative to its own alone; 0: one was not seen running. */
static hs_u128 speed_of_group_q32(const struct hs_view *v, hs_job_id leader)
{
    hs_u128 sum_q32 = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member) {
        const struct hs_gandiva_job *j = hs_gandiva_job(v, m);
        if (j->is_running)
            hs_gandiva_measure(v, m);
        if (j->packed_q32 == 0 || j->alone_q32 == 0)
            return 0;
        sum_q32 += ((hs_u128)j->packed_q32 << 32) / j->alone_q32;
    }
    return sum_q32;
}

void hs_gandiva_judge_trials(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                             uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id next;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = next) {
        struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        next = l->next;
        if (l->trial == HS_NO_JOB || l->trial_until_us == 0 ||
            l->trial_until_us > hs_view_now_us(v))
            continue;
        hs_u128 speed_q32 = speed_of_group_q32(v, u);
        hs_job_id job = l->trial;
        if (speed_q32 == 0) {
            l->trial_until_us = hs_view_now_us(v) + g->trial_us;
        } else if (speed_q32 > g->keep_q32) {
            l->trial = HS_NO_JOB;
            s->trials--;
            g->pools[s->pool].has_departure = true; /* the group counts for less than a trial */
            hs_plan_count(p, HS_POLICY_COUNTER_TRIAL_KEPT);
        } else {
            for (hs_job_id m = u; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member)
                if (m != job) {
                    note_failure(v, job, m);
                    note_failure(v, m, job);
                }
            hs_gandiva_split(g, v, job);
            hs_plan_count(p, HS_POLICY_COUNTER_TRIAL_UNDONE);
        }
    }
}

/* A member that does not run with the first one that runs; HS_NO_JOB: none. */
static hs_job_id not_yet_there(const struct hs_gandiva_server *s, const struct hs_view *v,
                               hs_job_id leader)
{
    const struct hs_gandiva_job *first = NULL;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member) {
        const struct hs_gandiva_job *j = hs_gandiva_job(v, m);
        if (!j->is_running || (j->is_regrouped && s->is_processor_sharing) ||
            (first != NULL && j->gpu != first->gpu))
            return m;
        first = first == NULL ? j : first;
    }
    return HS_NO_JOB;
}

void hs_gandiva_break_up(struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id next;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = next) {
        hs_job_id leader = u, job = u;
        next = hs_gandiva_job(v, u)->next;
        while (job != HS_NO_JOB && hs_gandiva_job(v, leader)->members > 1 &&
               !hs_gandiva_fits_gpu(v, s->first_gpu, hs_gandiva_unit_mib(v, leader))) {
            hs_job_id second = hs_gandiva_job(v, leader)->member;
            job = not_yet_there(s, v, leader);
            if (job == leader)
                leader = second;
            if (job != HS_NO_JOB)
                hs_gandiva_split(g, v, job);
        }
    }
}
