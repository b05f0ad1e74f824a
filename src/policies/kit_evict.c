/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queues of kit_choose.h for orders by the time left. The key of a holder is when it will be
 * done, which does not change while it holds its GPUs; weighed by GPUs, jobs of one size keep their
 * order, so each size has a class. Sizes that differ add up to the GPUs held, so there are few.
 */
#include "policies/kit_evict.h"

#include "policies/kit_queue.h"

/* Gangs of 1, 2, ..., count GPUs at once need this many: more sizes than that cannot hold GPUs
 * together. */
static uint32_t sizes_at_most(uint64_t gpus)
{
    uint32_t count = 0;
    for (uint64_t needed = 0; needed <= gpus; needed += count)
        count++;
    return count;
}

enum hs_status hs_evict_init(struct hs_evict *e, const struct hs_view *v, bool weighs_gpus)
{
    uint32_t vcs = hs_view_vcs(v);
    e->weighs_gpus = weighs_gpus;
    e->vcs = vcs;
    e->waiting = hs_view_alloc(v, vcs * sizeof *e->waiting);
    e->running = hs_view_alloc(v, vcs * sizeof *e->running);
    e->is_awake = hs_view_alloc(v, vcs * sizeof *e->is_awake);
    if (e->waiting == NULL || e->running == NULL || e->is_awake == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < vcs; vc++) {
        uint32_t classes = weighs_gpus ? sizes_at_most(hs_view_total_gpus(v, vc)) : 1;
        e->running[vc].classes = hs_view_alloc(v, classes * sizeof *e->running[vc].classes);
        if (e->running[vc].classes == NULL)
            return HS_E_MEMORY;
    }
    return HS_OK;
}

/* What is kept of a job's VC, and where it stands there. */
struct place {
    struct hs_evict_running *running;
    struct hs_gangs *waiting;
    uint32_t gpus;
    int64_t weight;
};

static inline struct place place_of(const struct hs_evict *e, const struct hs_view *v,
                                    hs_job_id job)
{
    const uint32_t vc = hs_view_vc(v, job), gpus = hs_view_gpus(v, job);
    return (struct place){.running = &e->running[vc],
                          .waiting = &e->waiting[vc],
                          .gpus = gpus,
                          .weight = e->weighs_gpus ? (int64_t)gpus : 1};
}

/* The class of a weight; past the last one if there is none yet. */
static inline uint32_t class_of(const struct hs_evict_running *running, int64_t weight)
{
    uint32_t i = 0;
    while (i < running->count && running->classes[i].slope != weight)
        i++;
    return i;
}

static inline void running_add(const struct place *at, const struct hs_view *v, hs_job_id job,
                               int64_t end_us)
{
    struct hs_evict_running *running = at->running;
    if (at->gpus == 0) /* a CPU job is never in anyone's way */
        return;
    uint32_t i = class_of(running, at->weight);
    if (i == running->count)
        running->classes[running->count++] =
            (struct hs_class){.set.is_backwards = true, .slope = at->weight};
    running->held += at->gpus;
    hs_front_add(&running->classes[i].set, v, job, end_us);
}

/* The only job of a class, and the class with it. */
static HS_COLD void running_remove_last(struct hs_evict_running *running, const struct hs_view *v,
                                        hs_job_id job, uint32_t class)
{
    hs_front_remove(&running->classes[class].set, v, job);
    running->classes[class] = running->classes[--running->count];
}

static inline void running_remove(const struct place *at, const struct hs_view *v, hs_job_id job)
{
    struct hs_evict_running *running = at->running;
    uint32_t i = class_of(running, at->weight);
    running->held -= at->gpus;
    if (running->classes[i].set.count > 1)
        hs_front_remove(&running->classes[i].set, v, job);
    else
        running_remove_last(running, v, job, i);
}

static inline void waiting_add(const struct place *at, const struct hs_view *v, hs_job_id job,
                               int64_t left_us)
{
    hs_gangs_add(at->waiting, v, job, hs_choice_weigh(left_us, at->weight));
}

void hs_evict_event(struct hs_evict *e, const struct hs_view *v, const struct hs_event *event,
                    hs_left_us *left_us, const void *ctx)
{
    const hs_job_id job = event->job;
    if (job == HS_NO_JOB) /* a timer */
        return;
    const struct place at = place_of(e, v, job);
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        hs_wake(e->is_awake, e->vcs, v, job);
        waiting_add(&at, v, job, left_us(v, job, ctx));
        break;
    case HS_EVENT_STARTED:
        hs_gangs_remove(at.waiting, v, job);
        running_add(&at, v, job, hs_view_now_us(v) + left_us(v, job, ctx));
        break;
    case HS_EVENT_STOPPED:
        if (hs_order_has(v, job))
            running_remove(&at, v, job);
        waiting_add(&at, v, job, left_us(v, job, ctx));
        break;
    case HS_EVENT_FINISH:
        hs_wake(e->is_awake, e->vcs, v, job);
        if (hs_view_first_start_us(v, job) < 0) /* turned away */
            hs_gangs_remove(at.waiting, v, job);
        else if (hs_order_has(v, job))
            running_remove(&at, v, job);
        break;
    case HS_EVENT_PROGRESS:
    case HS_EVENT_STEP:
    case HS_EVENT_MEMORY:
    case HS_EVENT_TIMER:
        break;
    }
}

static const char *because(const struct hs_view *v, hs_job_id job, bool is_evicted)
{
    (void)v;
    (void)job;
    return is_evicted ? "has more left than jobs that get its GPUs" : NULL;
}

static void decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                   enum hs_placer placer, const struct hs_preempt_cost *cost, enum hs_compat compat)
{
    struct hs_evict_running *running = &e->running[vc];
    struct hs_choice choice;
    choice.classes = running->classes;
    choice.class_count = running->count;
    choice.waiting = &e->waiting[vc];
    choice.levels = 1;
    choice.is_apart = running->count <= 1;
    choice.by_submit = false;
    choice.room = hs_queue_room(v, vc);
    choice.held = running->held;
    choice.because = because;
    hs_choose(&choice, v);
    hs_choice_apply(&choice, v, p, placer, cost, compat);
}

void hs_evict_decide(struct hs_evict *e, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost,
                     enum hs_compat compat)
{
    for (uint32_t vc = 0; vc < e->vcs; vc++) {
        bool is_awake = e->is_awake[vc];
        e->is_awake[vc] = false;
        if (is_awake && e->waiting[vc].count > 0)
            decide(e, v, p, vc, placer, cost, compat);
    }
}

static const char *class_check(const struct hs_class *class, const struct hs_view *v,
                               uint64_t *held)
{
    if (!hs_front_is_valid(&class->set, v) || class->set.count == 0)
        return "a class of running jobs is out of order";
    for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(&class->set, v, j)) != HS_NO_JOB;) {
        if (hs_view_gpus_held(v, j) == 0)
            return "a class of running jobs holds one that has no GPUs";
        *held += hs_view_gpus(v, j);
    }
    return NULL;
}

const char *hs_evict_check(const struct hs_evict *e, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < e->vcs; vc++) {
        const struct hs_evict_running *running = &e->running[vc];
        uint64_t held = 0;
        for (uint32_t i = 0; i < running->count; i++) {
            const char *fault = class_check(&running->classes[i], v, &held);
            if (fault != NULL)
                return fault;
        }
        if (held != running->held)
            return "the GPUs that the running jobs of a virtual cluster hold are miscounted";
        if (!hs_gangs_is_valid(&e->waiting[vc], v))
            return "the waiting jobs of a virtual cluster are out of order";
        for (hs_job_id j = HS_NO_JOB; (j = hs_gangs_another(&e->waiting[vc], v, j)) != HS_NO_JOB;)
            if (!hs_job_waits(v, j))
                return "a job counts as waiting that does not";
    }
    return NULL;
}
