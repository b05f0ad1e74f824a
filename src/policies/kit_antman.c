/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What happened, and one decision.
 */
#include "policies/kit_antman.h"

#define FULL_PM       1000
#define BYTES_PER_GB  1000000000
#define BYTES_PER_MIB 1048576

static uint32_t per_mille(double part)
{
    return (uint32_t)(part * FULL_PM + 0.5);
}

struct hs_antman_job *hs_antman_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* ---- before the run ---- */

static enum hs_status init_gpus(struct hs_antman *s, const struct hs_view *v)
{
    uint32_t nodes = hs_view_nodes(v);
    HS_TRY(hs_holds_init(&s->holds, v));
    s->gpu_count = s->holds.gpus;
    HS_TRY(hs_least_init(&s->candidates, v, s->gpu_count, s->thr_pm));
    s->gpus = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->gpus);
    s->open = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->open);
    s->reserved = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->reserved);
    s->node_taken = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->node_taken);
    s->is_chosen = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->is_chosen);
    s->is_freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->is_freed);
    s->freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->freed);
    s->looked = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->looked);
    s->chosen = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->chosen);
    s->hidden = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->hidden);
    s->due = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->due);
    s->node_gpus = hs_view_alloc(v, (uint64_t)hs_view_max_node_gpus(v) * sizeof *s->node_gpus);
    if (s->gpus == NULL || s->open == NULL || s->reserved == NULL || s->node_taken == NULL ||
        s->is_chosen == NULL || s->is_freed == NULL || s->freed == NULL || s->looked == NULL ||
        s->chosen == NULL || s->hidden == NULL || s->due == NULL || s->node_gpus == NULL)
        return HS_E_MEMORY;
    for (uint32_t node = 0; node < nodes; node++) {
        s->open[node] = hs_view_node_gpus(v, node);
        s->open_gpus += s->open[node];
    }
    return HS_OK;
}

enum hs_status hs_antman_init(struct hs_antman *s, const struct hs_view *v)
{
    s->host_mib = s->host_gb * BYTES_PER_GB / BYTES_PER_MIB;
    s->thr_pm = per_mille(s->util_thr);
    s->step_pm = per_mille(s->step);
    s->full_steps = hs_antman_full_steps(s->step_pm);
    s->chunks = (uint32_t)(1 / s->mem_chunk + 0.5);
    s->sample_at_us = s->conversion_at_us = -1;
    s->hoping.size_of = hs_antman_need_pm;
    s->autos.link_offset = offsetof(struct hs_antman_job, other);
    s->tenant_count = hs_view_vcs(v);
    s->tenants = hs_view_alloc(v, (uint64_t)s->tenant_count * sizeof *s->tenants);
    if (s->tenants == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc] = (struct hs_antman_tenant){.quota = hs_view_quota(v, vc),
                                                   .upgradable.link_offset =
                                                       offsetof(struct hs_antman_job, other)};
    HS_TRY(init_gpus(s, v));
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++)
        hs_least_set(&s->candidates, gpu, 0, &(struct hs_room){UINT32_MAX, UINT32_MAX});
    return HS_OK;
}

/* ---- what happened ---- */

static void learn(const struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    int32_t util_pm = hs_view_util_pm(v, job);
    uint32_t least_mib = hs_view_gpu_mem_persistent_mib(v, job);
    j->util_pm = util_pm > 0 ? (uint32_t)util_pm : 0;
    j->peak_mib = hs_view_gpu_mem_mib(v, job);
    if ((int64_t)j->peak_mib - least_mib > s->host_mib)
        least_mib = j->peak_mib - (uint32_t)s->host_mib;
    least_mib = least_mib > 0 ? least_mib : 1;
    j->least_mib = least_mib < j->peak_mib ? least_mib : j->peak_mib;
}

static void submitted(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    learn(s, v, job);
    hs_antman_job(v, job)->steps = s->full_steps;
    hs_antman_enqueue(s, v, job);
    s->is_woken = true;
}

/* It left its GPUs: what it had is free, and others there may have more. */
static void left(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    bool is_spare = j->role == HS_ANTMAN_SPARE;
    for (uint32_t h = j->first_hold; h != 0; h = s->holds.holds[h].next_of_job) {
        uint32_t gpu = s->holds.holds[h].gpu;
        struct hs_antman_gpu *g = &s->gpus[gpu];
        if (is_spare) {
            g->spares--;
            g->spare_pm -= j->util_pm;
            g->least_mib -= j->least_mib;
            hs_antman_note_freed(s, hs_view_gpu_node(v, gpu));
        } else {
            hs_antman_set_owner(s, v, gpu, 0);
        }
        hs_antman_unsettle(s, v, gpu);
        hs_antman_touch(s, gpu);
    }
    hs_holds_drop(&s->holds, &j->first_hold);
    hs_antman_forget(s, v, job);
    j->has_surged = j->is_step_awaited = false;
    hs_antman_dequeue(s, v, job);
    s->is_woken = true;
}

/* Nobody could know: it ran out of memory. */
static void stopped(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    left(s, v, job);
    learn(s, v, job);
    hs_antman_job(v, job)->steps = s->full_steps;
    hs_antman_job(v, job)->limit_mib = UINT32_MAX; /* to be told anew */
    hs_antman_enqueue(s, v, job);
}

static void touch_all(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    for (uint32_t h = hs_antman_job(v, job)->first_hold; h != 0; h = s->holds.holds[h].next_of_job)
        hs_antman_touch(s, s->holds.holds[h].gpu);
}

/* A limit counts from the end of a mini-batch on: an owner that needs more than its limit is slow
 * for one. */
static void needs_other_memory(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    uint32_t least_mib = j->least_mib, peak_mib = j->peak_mib;
    learn(s, v, job);
    j->has_grown = j->has_grown || j->peak_mib > peak_mib;
    for (uint32_t h = j->first_hold; h != 0; h = s->holds.holds[h].next_of_job) {
        if (j->role == HS_ANTMAN_SPARE)
            s->gpus[s->holds.holds[h].gpu].least_mib += (uint64_t)j->least_mib - least_mib;
        hs_antman_unsettle(s, v, s->holds.holds[h].gpu);
    }
    j->has_surged = j->role == HS_ANTMAN_GUARANTEED && j->limit_mib > 0 &&
                    j->limit_mib < j->peak_mib && hs_view_step_us(v, job) > 0;
    j->needs_more = true;
    touch_all(s, v, job);
    hs_antman_move(s, v, job);
}

static void ended_step(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    hs_antman_job(v, job)->has_surged = hs_antman_job(v, job)->is_step_awaited = false;
    touch_all(s, v, job);
}

static void timer(struct hs_antman *s, const struct hs_view *v, uint64_t tag)
{
    if (tag < s->gpu_count && s->gpus[tag].tick_us == hs_view_now_us(v)) {
        s->gpus[tag].tick_us = 0;
        s->due[s->due_count++] = (uint32_t)tag;
    }
    s->is_sampled = s->is_sampled || tag == s->gpu_count;
    s->is_woken = s->is_woken || tag > s->gpu_count;
}

void hs_antman_event(struct hs_antman *s, const struct hs_view *v, const struct hs_event *event)
{
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(s, v, event->job);
        break;
    case HS_EVENT_FINISH:
        left(s, v, event->job);
        break;
    case HS_EVENT_STOPPED:
        stopped(s, v, event->job);
        break;
    case HS_EVENT_PROGRESS: /* now it can be paused */
        hs_antman_move(s, v, event->job);
        break;
    case HS_EVENT_MEMORY:
        needs_other_memory(s, v, event->job);
        break;
    case HS_EVENT_TIMER:
        timer(s, v, event->tag);
        break;
    case HS_EVENT_STEP:
        ended_step(s, v, event->job);
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- a decision ---- */

/* In the books. */
static void come(struct hs_antman *s, const struct hs_antman_pass *x, uint32_t gpu, hs_job_id job)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    struct hs_antman_gpu *g = &s->gpus[gpu];
    if (j->role == HS_ANTMAN_SPARE) {
        g->spares++;
        g->spare_pm += j->util_pm;
        g->least_mib += j->least_mib;
    } else {
        hs_antman_set_owner(s, x->v, gpu, job + 1);
        g->since_us = x->now_us;
    }
    g->known_us = x->now_us + s->window_us;
    hs_antman_begin_ramp(x, gpu);
    hs_antman_unsettle(s, x->v, gpu);
}

void hs_antman_start(const struct hs_antman_pass *x, hs_job_id job, enum hs_antman_role role)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    bool is_spare = role == HS_ANTMAN_SPARE;
    hs_plan_because(x->p, "memory for a job that starts beside it");
    for (uint32_t i = 0; i < s->chosen_count; i++)
        hs_antman_make_room(x, s->chosen[i], is_spare ? j->least_mib : j->peak_mib);
    hs_plan_because(x->p, is_spare ? "opportunistic: fills the GPUs of least load"
                                   : "guaranteed: within the quota of its virtual cluster");
    hs_antman_limit(x, job, is_spare && j->peak_mib > 0 ? j->least_mib : 0);
    j->role = role;
    j->is_new = true;
    hs_plan_start(x->p, job);
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        hs_plan_on_gpu(x->p, s->chosen[i]);
        hs_holds_add(&s->holds, job, &j->first_hold, s->chosen[i]);
        s->holds.holds[j->first_hold].limit_mib = is_spare ? j->least_mib : UINT32_MAX;
    }
    if (is_spare)
        hs_plan_background(x->p, job, true);
    for (uint32_t i = 0; i < s->chosen_count; i++)
        come(s, x, s->chosen[i], job);
    s->chosen_count = 0;
}

void hs_antman_decide(struct hs_antman *s, const struct hs_view *v, struct hs_plan *p)
{
    const struct hs_antman_pass x = {.s = s, .v = v, .p = p, .now_us = hs_view_now_us(v)};
    if (hs_antman_kill(&x)) /* which is followed by another decision */
        return;
    for (uint32_t i = 0; i < s->due_count; i++)
        hs_antman_tick(&x, s->due[i]);
    s->due_count = 0;
    if (s->is_woken)
        hs_antman_serve(&x);
    if (s->is_woken || s->is_sampled)
        hs_antman_fill(&x);
    s->is_woken = s->is_sampled = false;
    hs_antman_coordinate(&x);
    hs_antman_watch(&x);
}
