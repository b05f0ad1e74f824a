/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forks: a run goes on under another policy, with the same past (MODEL.md 15). The jobs leave their
 * GPUs, an engine is opened for the new policy at that time, and takes the jobs, the accounts and
 * the observers of the old one; it describes the jobs anew from their records, as what it must know
 * of them depends on the policy. Costs the records read so far, and O(live jobs + cluster).
 */
#include "engine/state.h"

/* ---- the old engine ---- */

enum hs_status hs_fork_leave(struct hs_engine *e, int64_t at_us)
{
    struct hs_live_job *live = hs_lifecycle_live(e);
    struct hs_homes *homes = hs_alloc_zeroed(1, sizeof *homes);
    enum hs_status status = HS_OK;
    uint64_t held = 0;
    for (uint64_t i = 0; i < e->jobs.live; i++)
        held += hs_placement_of(&e->jobs, hs_engine_job(e, live[i].slot))->gpus_held;
    homes->slots = e->jobs.slots.high;
    homes->of = hs_alloc_zeroed((uint64_t)homes->slots + 1, sizeof *homes->of);
    homes->gpus = hs_alloc_zeroed(held + 1, sizeof *homes->gpus);
    e->homes = homes;
    e->now_us = at_us;
    held = 0;
    for (uint64_t i = 0; i < e->jobs.live && status == HS_OK; i++) {
        struct hs_job *job = hs_engine_job(e, live[i].slot);
        struct hs_home *home = &homes->of[live[i].slot];
        home->was_placed = hs_job_is_placed(job) && job->gpus > 0;
        e->figures.fork_running += home->was_placed;
        home->first = (uint32_t)held;
        home->count = hs_progress_gpu_ids(e, job);
        memcpy(homes->gpus + held, e->gpu_ids, home->count * sizeof *e->gpu_ids);
        held += home->count;
        if (home->was_placed) /* if the new policy does not leave it there */
            hs_run_of(&e->jobs, job)->cost_left_us += hs_fork_cost_us(e);
        status = hs_lifecycle_leave(e, job);
    }
    hs_free(live);
    return status;
}

/* ---- the new engine ---- */

enum hs_status hs_fork_move(struct hs_engine *e, struct hs_engine *from)
{
    hs_jobs_take_over(&e->jobs, &from->jobs);
    hs_intern_free(&e->names);
    e->names = from->names;
    hs_intern_init(&from->names);
    e->usual_training = from->usual_training;
    e->usual_training_cap = from->usual_training_cap;
    from->usual_training = NULL;
    e->homes = from->homes;
    from->homes = NULL;
    e->figures = from->figures;
    memcpy(e->instant.policy_counter, from->instant.policy_counter,
           sizeof e->instant.policy_counter);
    e->work_submitted_ns = from->work_submitted_ns;
    e->work_done_ns = from->work_done_ns;
    e->work_lost_ns = from->work_lost_ns;
    for (uint32_t i = 0; i < from->windows.user_count; i++)
        e->windows.has_job[i] = from->windows.has_job[i];
    for (uint32_t i = 0; i < from->observer_count; i++)
        HS_TRY(hs_engine_observe(e, &from->observers[i]));
    return HS_OK;
}

enum hs_status hs_fork_submit(struct hs_engine *e, struct hs_job_source source)
{
    const struct hs_engine_figures figures = e->figures;
    const uint64_t count = e->jobs.live;
    struct hs_live_job *live = hs_lifecycle_live(e);
    struct hs_trace_job *record;
    enum hs_status status = HS_OK;
    for (uint64_t i = 0, next = 0; i < figures.jobs && status == HS_OK; i++) {
        status = source.next(source.ctx, &record);
        if (status != HS_OK || next == count || live[next].index != i)
            continue;
        struct hs_job *job = hs_engine_job(e, live[next++].slot);
        const bool is_same = strcmp(record->id, hs_id_of(hs_identity_of(&e->jobs, job))) == 0;
        status = is_same ? hs_lifecycle_take(e, job, record) : HS_END;
    }
    if (status == HS_END)
        status = hs_fail(e->diag, HS_E_INPUT, NULL, "the trace must be as it was",
                         "the jobs of the trace are not those of the run");
    for (uint64_t i = 0; i < count && status == HS_OK; i++)
        if (hs_engine_has_job(e, live[i].slot)) /* not rejected */
            hs_lifecycle_enter(e, hs_engine_job(e, live[i].slot));
    hs_free(live);
    HS_TRY(status);
    hs_lifecycle_notify_policy(e, HS_EVENT_NODE, NULL, 0); /* room for jobs submitted long ago */
    e->figures.shares_divided = figures.shares_divided;    /* they are counted once */
    e->figures.shares_rounded = figures.shares_rounded;
    e->figures.mem_capped = figures.mem_capped;
    return HS_OK;
}

/* ---- its first decision ---- */

/* Tells whether picks by name are of GPUs of the home. */
static bool is_named_home(const struct hs_pick *picks, uint32_t count, const uint32_t *gpus,
                          uint32_t gpu_count)
{
    bool is_same = true;
    for (uint32_t i = 0; i < count && is_same; i++) {
        const uint32_t at = hs_ids_lower_bound(gpus, gpu_count, picks[i].gpu);
        is_same = at < gpu_count && gpus[at] == picks[i].gpu;
    }
    return is_same;
}

/* Tells whether the nodes picked by number are those of the home, and its GPUs are free. */
static bool is_counted_home(struct hs_engine *e, const struct hs_pick *picks, uint32_t count,
                            const uint32_t *gpus, uint32_t gpu_count)
{
    bool is_same = true;
    for (uint32_t i = 0; i < count; i++) {
        is_same = is_same && picks[i].gpu == UINT32_MAX;
        e->node_balance[picks[i].node] += picks[i].count;
    }
    for (uint32_t i = 0; i < gpu_count; i++) {
        is_same = is_same && e->gpus[gpus[i]].tentative_tenants == 0;
        e->node_balance[e->gpus[gpus[i]].node]--;
    }
    for (uint32_t i = 0; i < gpu_count; i++) { /* equal sums: no node is left over elsewhere */
        is_same = is_same && e->node_balance[e->gpus[gpus[i]].node] == 0;
        e->node_balance[e->gpus[gpus[i]].node] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        e->node_balance[picks[i].node] = 0;
    return is_same;
}

/* Names the GPUs of its home in a placement by number. */
static void name_home(struct hs_engine *e, struct hs_action *a, const struct hs_home *home)
{
    struct hs_plan *p = &e->plan;
    hs_grow(p->picks, p->pick_cap, (uint64_t)p->pick_count + home->count, HS_POOL_MAX);
    a->first_pick = p->pick_count;
    a->pick_count = home->count;
    for (uint32_t i = 0; i < home->count; i++) {
        const uint32_t gpu = e->homes->gpus[home->first + i];
        p->picks[p->pick_count++] =
            (struct hs_pick){.node = e->gpus[gpu].node, .gpu = gpu, .count = 1};
        hs_tentative_book(e, gpu, hs_engine_job(e, a->job), 1);
    }
    p->has_named = true;
}

void hs_fork_settle(struct hs_engine *e)
{
    for (uint32_t i = 0; e->homes != NULL && i < e->plan.count; i++) {
        struct hs_action *a = &e->plan.actions[i];
        if (a->kind != HS_ACT_START || a->job >= e->homes->slots)
            continue;
        struct hs_home *home = &e->homes->of[a->job];
        if (!home->was_placed || home->is_settled)
            continue;
        home->is_settled = true;
        const struct hs_pick *picks = &e->plan.picks[a->first_pick];
        const uint32_t *gpus = &e->homes->gpus[home->first];
        const bool is_named = picks[0].gpu != UINT32_MAX;
        if (a->gpus != home->count ||
            !(is_named ? is_named_home(picks, a->pick_count, gpus, home->count)
                       : is_counted_home(e, picks, a->pick_count, gpus, home->count)))
            continue;
        if (!is_named)
            name_home(e, a, home);
        home->is_kept = true;
        hs_run_of(&e->jobs, hs_engine_job(e, a->job))->cost_left_us -= hs_fork_cost_us(e);
        e->figures.fork_kept++;
    }
}

void hs_fork_end(struct hs_engine *e)
{
    if (e->homes == NULL)
        return;
    hs_free(e->homes->of);
    hs_free(e->homes->gpus);
    hs_free(e->homes);
    e->homes = NULL;
}
