/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GPUs of opportunistic jobs: candidates by the mean of their utilization. A GPU that changed
 * within the window is unsettled and looked at in each pass; of the others the mean is what it is,
 * and the tournament remembers it.
 */
#include "policies/kit_antman.h"
#include "policies/kit_queue.h"

#define FULL_PM 1000u

/* ---- who changed lately ---- */

static void unlink_gpu(struct hs_antman *s, uint32_t gpu)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    if (g->newer != 0)
        s->gpus[g->newer - 1].older = g->older;
    else
        s->newest = g->older;
    if (g->older != 0)
        s->gpus[g->older - 1].newer = g->newer;
    else
        s->oldest = g->newer;
    g->is_unsettled = false;
}

void hs_antman_unsettle(struct hs_antman *s, const struct hs_view *v, uint32_t gpu)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    if (g->is_unsettled)
        unlink_gpu(s, gpu);
    g->is_unsettled = true;
    g->changed_us = hs_view_now_us(v);
    g->newer = 0;
    g->older = s->newest;
    if (s->newest != 0)
        s->gpus[s->newest - 1].newer = gpu + 1;
    else
        s->oldest = gpu + 1;
    s->newest = gpu + 1;
}

/* ---- candidates ---- */

static const struct hs_antman_job *owner_of(const struct hs_antman_pass *x,
                                            const struct hs_antman_gpu *g)
{
    return hs_antman_job(x->v, (g->owner != 0 ? g->owner : g->reserved) - 1);
}

/* Somebody is held back, here or on another GPU of its gang, and would use more than it does. */
static bool holds_somebody_back(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_antman *s = x->s;
    for (uint32_t h = s->holds.on_gpu[gpu]; h != 0; h = s->holds.holds[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, s->holds.holds[h].job);
        if (j->role == HS_ANTMAN_SPARE && j->steps < s->full_steps)
            return true;
    }
    return false;
}

/* What they all would use is charged where the window cannot know it: not yet, as somebody has just
 * come, or not at all. Without that, GPUs whose jobs stand still look idle and take ever more. */
static uint32_t load_pm(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    uint32_t mean_pm = hs_view_gpu_mean_util_pm(x->v, gpu, x->s->window_us);
    if (x->now_us >= g->known_us && !holds_somebody_back(x, gpu))
        return mean_pm;
    uint32_t sum_pm = g->spare_pm + (g->owner != 0 ? owner_of(x, g)->util_pm : 0);
    sum_pm = sum_pm < FULL_PM ? sum_pm : FULL_PM;
    return sum_pm > mean_pm ? sum_pm : mean_pm;
}

/* For one opportunistic job more, beside the owner or him for whom it is reserved; -1: for none,
 * whatever it needs. */
static int64_t room_mib(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    uint64_t capacity_mib = hs_view_gpu_capacity_mib(x->v, gpu), taken_mib = g->least_mib;
    bool is_owned = g->owner != 0 || g->reserved != 0;
    if (capacity_mib == UINT32_MAX || (!is_owned && g->spares == 0))
        return UINT32_MAX;
    if (is_owned)
        taken_mib += owner_of(x, g)->peak_mib;
    return taken_mib <= capacity_mib ? (int64_t)(capacity_mib - taken_mib) : -1;
}

/* One seat is left for an owner. Who has run out of memory gets the GPUs that it reserves alone. */
static bool is_open(const struct hs_antman_pass *x, const struct hs_antman_gpu *g)
{
    uint32_t most = hs_view_max_tenants(x->v);
    if (g->spares >= (most > 1 ? most - 1 : 1) || hs_antman_is_settling(x->s, g, x->now_us))
        return false;
    return g->reserved == 0 || hs_view_ooms(x->v, g->reserved - 1) == 0;
}

/* Utilizations that may still come beside the owner, so that one step of the cap is left to all. */
static uint32_t room_pm(const struct hs_antman_pass *x, const struct hs_antman_gpu *g)
{
    if (g->owner == 0)
        return UINT32_MAX;
    uint32_t owner_pm = owner_of(x, g)->util_pm, step_pm = x->s->step_pm;
    uint32_t most_pm = owner_pm < FULL_PM ? (FULL_PM - owner_pm) * FULL_PM / step_pm : 0;
    return most_pm > g->spare_pm ? most_pm - g->spare_pm : 0;
}

static void renew(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    int64_t mib = room_mib(x, gpu);
    const struct hs_room room = {.memory = mib > 0 ? (uint32_t)mib : 0, .time = room_pm(x, g)};
    bool may_come = mib >= 0 && is_open(x, g) && (g->spares == 0 || room.time > 0);
    hs_least_set(&x->s->candidates, gpu, may_come ? load_pm(x, gpu) : HS_LEAST_CLOSED, &room);
}

uint32_t hs_antman_need_pm(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    *is_constrained = false;
    return hs_view_gpus(v, job) > 0 ? hs_antman_job(v, job)->util_pm : 0;
}

static void renew_unsettled(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    for (uint32_t at = s->oldest, newer; at != 0; at = newer) {
        const struct hs_antman_gpu *g = &s->gpus[at - 1];
        newer = g->newer;
        renew(x, at - 1);
        if (x->now_us - g->changed_us >= s->window_us && !hs_antman_is_settling(s, g, x->now_us))
            unlink_gpu(s, at - 1);
    }
}

/* ---- placement ---- */

static bool fits(const struct hs_antman_pass *x, hs_job_id job, uint32_t gpu)
{
    const struct hs_antman *s = x->s;
    uint32_t node = hs_view_gpu_node(x->v, gpu);
    return hs_view_may_use(x->v, job, node) && hs_view_may_join(x->v, gpu, job) &&
           hs_view_node_workers(x->v, job, node) > s->node_taken[node];
}

/* The candidates of least load; those that are looked at are closed meanwhile. */
static bool choose(const struct hs_antman_pass *x, hs_job_id job, uint32_t gpus)
{
    struct hs_antman *s = x->s;
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    const struct hs_room need = {.memory = j->least_mib, .time = j->util_pm};
    uint32_t hidden = 0, gpu;
    s->chosen_count = 0;
    while (s->chosen_count < gpus && (gpu = hs_least_first(&s->candidates, &need)) != HS_NO_GPU) {
        s->hidden[hidden++] = gpu;
        hs_least_set(&s->candidates, gpu, HS_LEAST_CLOSED, &need);
        if (fits(x, job, gpu)) {
            s->chosen[s->chosen_count++] = gpu;
            s->node_taken[hs_view_gpu_node(x->v, gpu)]++;
        }
    }
    for (uint32_t i = 0; i < s->chosen_count; i++)
        s->node_taken[hs_view_gpu_node(x->v, s->chosen[i])] = 0;
    for (uint32_t i = 0; i < hidden; i++)
        renew(x, s->hidden[i]);
    return s->chosen_count == gpus;
}

static bool try_to_start(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman *s = x->s;
    uint32_t gpus = hs_view_gpus(x->v, job);
    if (!choose(x, job, gpus))
        return false;
    uint32_t count = s->chosen_count;
    hs_antman_served(x, job);
    hs_antman_start(x, job, HS_ANTMAN_SPARE);
    for (uint32_t i = 0; i < count; i++)
        renew(x, s->chosen[i]);
    return true;
}

void hs_antman_watch(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    int64_t at_us = (x->now_us / s->tick_us + 1) * s->tick_us;
    if (s->hoping.count == 0 || s->oldest == 0 || at_us == s->sample_at_us)
        return;
    hs_plan_timer(x->p, at_us, s->gpu_count);
    s->sample_at_us = at_us;
}

static uint32_t most_pm(const struct hs_antman_pass *x)
{
    return hs_least_most(&x->s->candidates).time;
}

static bool might_start(const struct hs_antman_pass *x, hs_job_id job)
{
    bool is_constrained;
    return hs_antman_need_pm(x->v, job, &is_constrained) <= most_pm(x);
}

static hs_job_id next_hoping(const struct hs_antman_pass *x, hs_job_id after)
{
    return hs_order_next_fitting(&x->s->hoping, x->v, after, most_pm(x));
}

void hs_antman_fill(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    if (s->hoping.count == 0)
        return;
    renew_unsettled(x);
    hs_job_id job = next_hoping(x, HS_NO_JOB), next;
    for (; job != HS_NO_JOB; job = next) {
        next = hs_order_next(&s->hoping, x->v, job);
        bool is_started = hs_view_gpus(x->v, job) <= s->candidates.count && try_to_start(x, job);
        if (!is_started && s->oldest == 0)
            (void)hs_reject_hopeless(x->v, x->p, job);
        if (next != HS_NO_JOB && !might_start(x, next))
            next = next_hoping(x, next);
    }
}
