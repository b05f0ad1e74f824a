/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who is tried when, by what right, and at whose cost.
 */
#include "policies/kit_philly.h"

#include "policies/kit_queue.h"

#define PPM 1000000u

const char *const hs_requeue_names[] = {"tail", "head", NULL};

/* One decision. */
struct pass {
    struct hs_philly *s;
    const struct hs_view *v;
    struct hs_plan *p;
    bool has_started, has_held_back, has_preempted;
};

static struct hs_philly_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static struct hs_order *set_of(struct hs_philly *s, const struct hs_view *v, hs_job_id job,
                               enum hs_philly_set set)
{
    struct hs_philly_vc *vc = &s->vcs[hs_view_vc(v, job)];
    return set == HS_PHILLY_RUNNING ? &s->running : set == HS_PHILLY_DUE ? &vc->due : &vc->asleep;
}

static void leave(struct hs_philly *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_philly_scratch *j = scratch_of(v, job);
    if (j->set != HS_PHILLY_NONE)
        hs_order_remove(set_of(s, v, job, j->set), v, job);
    j->set = HS_PHILLY_NONE;
}

static void enter(struct hs_philly *s, const struct hs_view *v, hs_job_id job,
                  enum hs_philly_set set, int64_t key)
{
    leave(s, v, job);
    scratch_of(v, job)->set = set;
    hs_order_add(set_of(s, v, job, set), v, job, key);
}

static void become_due(struct hs_philly *s, const struct hs_view *v, hs_job_id job)
{
    bool is_first = s->requeue == HS_REQUEUE_HEAD && hs_view_attempt(v, job) > 0;
    enter(s, v, job, HS_PHILLY_DUE, is_first ? -1 : 0);
}

/* As a new request. */
static void begin_anew(const struct hs_philly *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_philly_scratch *j = scratch_of(v, job);
    j->tries = 0;
    j->victim_of = 0;
    j->level = s->relax_after == 0 ? (enum hs_locality_level)s->max_level : HS_LOCALITY_SERVERS;
}

enum hs_status hs_philly_init(struct hs_philly *s, const struct hs_view *v)
{
    s->fair_ppm = (uint64_t)(s->fair_preempt * PPM + 0.5);
    s->vc_count = hs_view_vcs(v);
    s->vcs = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->vcs);
    s->by_use = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->by_use);
    s->is_awake = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->is_awake);
    if (s->vcs == NULL || s->by_use == NULL || s->is_awake == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        uint64_t quota = hs_view_quota(v, vc), gpus = hs_view_total_gpus(v, vc);
        s->vcs[vc].quota = quota < gpus ? quota : gpus;
        s->by_use[vc] = vc;
    }
    return hs_locality_init(&s->locality, v);
}

void hs_philly_event(struct hs_philly *s, const struct hs_view *v, const struct hs_event *event)
{
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        *scratch_of(v, job) = (struct hs_philly_scratch){0};
        begin_anew(s, v, job);
        become_due(s, v, job);
        hs_wake(s->is_awake, s->vc_count, v, job);
        break;
    case HS_EVENT_STARTED:
        enter(s, v, job, HS_PHILLY_RUNNING, hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        begin_anew(s, v, job);
        enter(s, v, job, HS_PHILLY_ASLEEP, hs_view_now_us(v));
        break;
    case HS_EVENT_FINISH:
        if (scratch_of(v, job)->set == HS_PHILLY_RUNNING) /* not one that was turned away */
            hs_wake(s->is_awake, s->vc_count, v, job);
        leave(s, v, job);
        break;
    case HS_EVENT_TIMER:
        s->is_time = s->is_time || s->timer_us == hs_view_now_us(v);
        break;
    case HS_EVENT_PROGRESS:
    case HS_EVENT_STEP:
    case HS_EVENT_MEMORY:
        break;
    }
}

/* ---- a try ---- */

static bool is_within_quota(const struct pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job);
    return hs_view_vc_held(x->v, vc) + hs_view_gpus(x->v, job) <= x->s->vcs[vc].quota;
}

static bool place(const struct pass *x, hs_job_id job)
{
    static const char *const texts[] = {[HS_LOCALITY_SERVERS] = NULL,
                                        [HS_LOCALITY_RACK] = "locality relaxed: within one rack",
                                        [HS_LOCALITY_ANYWHERE] = "locality relaxed: anywhere"};
    hs_plan_because(x->p, texts[scratch_of(x->v, job)->level]);
    return hs_locality_place(&x->s->locality, x->v, x->p, job, scratch_of(x->v, job)->level);
}

static bool could_place(const struct pass *x, hs_job_id job)
{
    uint32_t mark = hs_plan_mark(x->p);
    bool could = place(x, job);
    hs_plan_rollback(x->p, mark);
    return could;
}

/* Somebody else has a better right to the GPUs that are idle. */
static bool is_held_back(const struct pass *x, hs_job_id job)
{
    if (is_within_quota(x, job))
        return false;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        hs_job_id head = hs_order_first(&x->s->vcs[vc].due, x->v);
        if (vc != hs_view_vc(x->v, job) && head != HS_NO_JOB && is_within_quota(x, head) &&
            could_place(x, head))
            return true;
    }
    return false;
}

static bool may_be_taken(const struct pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job), gpus = hs_view_gpus_held(x->v, job);
    return gpus > 0 && scratch_of(x->v, job)->victim_of == 0 &&
           hs_view_vc_held(x->v, vc) >= x->s->vcs[vc].quota + gpus;
}

/* Enough GPUs are held for fair shares to matter, and what is beyond quotas could do. */
static bool is_worth_preempting(const struct pass *x, hs_job_id job)
{
    uint32_t own = hs_view_vc(x->v, job);
    uint64_t all = hs_view_total_gpus(x->v, own), room = hs_view_free_gpus(x->v, own);
    if (x->s->fair_ppm == 0 || !is_within_quota(x, job) ||
        (all - room) * PPM < x->s->fair_ppm * all)
        return false;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        uint64_t held = hs_view_vc_held(x->v, vc), quota = x->s->vcs[vc].quota;
        room += held > quota ? held - quota : 0;
    }
    return room >= hs_view_gpus(x->v, job);
}

static bool place_by_preemption(const struct pass *x, hs_job_id job)
{
    struct hs_order *running = &x->s->running;
    uint32_t mark = hs_plan_mark(x->p);
    hs_job_id victim = hs_order_last(running, x->v);
    x->s->preemptors++;
    for (; victim != HS_NO_JOB; victim = hs_order_prev(running, x->v, victim)) {
        if (!may_be_taken(x, victim))
            continue;
        hs_plan_because(x->p, "its virtual cluster is over its quota: the GPUs go to one below");
        hs_plan_preempt(x->p, victim, hs_cost_us(&x->s->cost, x->v, victim));
        scratch_of(x->v, victim)->victim_of = x->s->preemptors;
        if (place(x, job))
            return true;
    }
    hs_plan_rollback(x->p, mark);
    victim = hs_order_last(running, x->v);
    for (; victim != HS_NO_JOB; victim = hs_order_prev(running, x->v, victim))
        if (scratch_of(x->v, victim)->victim_of == x->s->preemptors)
            scratch_of(x->v, victim)->victim_of = 0;
    return false;
}

static bool try_to_start(struct pass *x, hs_job_id job)
{
    struct hs_philly_scratch *j = scratch_of(x->v, job);
    bool is_placed = place(x, job);
    while (!is_placed && hs_pool_is_idle(x->v, job) && j->level < x->s->max_level) {
        j->level++;
        is_placed = place(x, job);
    }
    if (!is_placed && is_worth_preempting(x, job) && place_by_preemption(x, job))
        is_placed = x->has_preempted = true;
    return is_placed;
}

static void fail(struct pass *x, hs_job_id job)
{
    const struct hs_philly *s = x->s;
    struct hs_philly_scratch *j = scratch_of(x->v, job);
    j->tries++;
    if (s->relax_after > 0 && j->tries % s->relax_after == 0 && j->level < s->max_level)
        j->level++;
    enter(x->s, x->v, job, HS_PHILLY_ASLEEP, hs_view_now_us(x->v) + s->retry_us);
}

static void consider(struct pass *x, hs_job_id job)
{
    if (is_held_back(x, job)) {
        x->has_held_back = true;
    } else if (try_to_start(x, job)) {
        x->has_started = true;
        leave(x->s, x->v, job);
    } else if (hs_reject_hopeless(x->v, x->p, job)) {
        leave(x->s, x->v, job);
    } else {
        fail(x, job);
    }
}

/* ---- a pass ---- */

/* Is the VC using less of its quota? */
static bool is_used_less(const struct pass *x, uint32_t a, uint32_t b)
{
    uint64_t quota_a = x->s->vcs[a].quota, quota_b = x->s->vcs[b].quota;
    if (quota_a == 0 || quota_b == 0)
        return quota_a == quota_b ? a < b : quota_b == 0;
    uint64_t used_a = hs_view_vc_held(x->v, a) * quota_b;
    uint64_t used_b = hs_view_vc_held(x->v, b) * quota_a;
    return used_a == used_b ? a < b : used_a < used_b;
}

/* Insertion: from pass to pass little changes. */
static void sort_by_use(const struct pass *x)
{
    uint32_t *order = x->s->by_use;
    for (uint32_t i = 1; i < x->s->vc_count; i++) {
        uint32_t vc = order[i], at = i;
        for (; at > 0 && is_used_less(x, vc, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = vc;
    }
}

static void walk(struct pass *x)
{
    x->has_started = x->has_held_back = false;
    sort_by_use(x);
    for (uint32_t i = 0; i < x->s->vc_count; i++) {
        const struct hs_order *due = &x->s->vcs[x->s->by_use[i]].due;
        hs_job_id job = hs_order_first(due, x->v), next;
        for (; job != HS_NO_JOB; job = next) {
            next = hs_order_next(due, x->v, job);
            consider(x, job);
        }
    }
}

static void wake_sleepers(struct hs_philly *s, const struct hs_view *v, uint32_t vc)
{
    const struct hs_order *asleep = &s->vcs[vc].asleep;
    hs_job_id job;
    while ((job = hs_order_first(asleep, v)) != HS_NO_JOB &&
           hs_order_key(v, job) <= hs_view_now_us(v))
        become_due(s, v, job);
}

/* Is there to be a pass? Who shares nodes shares passes; otherwise who sleeps on does not wake. */
static bool begin_pass(struct hs_philly *s, const struct hs_view *v)
{
    bool is_pass = s->is_time, are_apart = hs_view_vcs_are_apart(v);
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        is_pass = is_pass || s->is_awake[vc];
    for (uint32_t vc = 0; is_pass && vc < s->vc_count; vc++) {
        if (!are_apart || s->is_awake[vc] || s->is_time)
            wake_sleepers(s, v, vc);
        s->is_awake[vc] = false;
    }
    s->is_time = false;
    return is_pass;
}

/* For the next try. That never comes before one that was told in an earlier pass; who was preempted
 * may have been tried since, and its timer then tells nothing. */
static void set_timer(const struct pass *x)
{
    struct hs_philly *s = x->s;
    int64_t at_us = x->has_preempted ? hs_view_now_us(x->v) + s->retry_us : INT64_MAX;
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        hs_job_id job = hs_order_first(&s->vcs[vc].asleep, x->v);
        if (job != HS_NO_JOB && hs_order_key(x->v, job) < at_us)
            at_us = hs_order_key(x->v, job);
    }
    if (at_us == INT64_MAX || at_us == s->timer_us)
        return;
    hs_plan_timer(x->p, at_us, 0);
    s->timer_us = at_us;
}

void hs_philly_decide(struct hs_philly *s, const struct hs_view *v, struct hs_plan *p)
{
    struct pass x = {.s = s, .v = v, .p = p};
    if (!begin_pass(s, v))
        return;
    do
        walk(&x);
    while (x.has_held_back && x.has_started);
    if (s->retry_us > 0)
        set_timer(&x);
}

const char *hs_philly_check(const struct hs_philly *s, const struct hs_view *v)
{
    if (!hs_order_is_valid(&s->running, v))
        return "the list of running jobs is out of order";
    for (hs_job_id j = hs_order_first(&s->running, v); j != HS_NO_JOB;
         j = hs_order_next(&s->running, v, j))
        if (hs_job_waits(v, j))
            return "the list of running jobs holds one that waits";
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        const struct hs_order *asleep = &s->vcs[vc].asleep;
        if (s->vcs[vc].due.count > 0)
            return "a job was due and was not tried";
        if (!hs_order_is_valid(asleep, v))
            return "a waiting queue is out of order";
        for (hs_job_id j = hs_order_first(asleep, v); j != HS_NO_JOB;
             j = hs_order_next(asleep, v, j))
            if (!hs_job_waits(v, j))
                return "a waiting queue holds a job that does not wait";
    }
    return NULL;
}
