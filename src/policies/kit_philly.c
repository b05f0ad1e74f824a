/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who is tried when, by what right, and at whose cost.
 */
#include "policies/kit_philly.h"

#include "policies/kit_queue.h"

/* One decision. */
struct pass {
    struct hs_philly *s;
    const struct hs_view *v;
    struct hs_plan *p;
    int64_t phase; /* of now */
    bool has_started, has_held_back, has_preempted;
};

/* One VC in one walk. */
struct walk {
    struct pass *x;
    uint32_t vc;
    bool has_sleepers;        /* those that wake now are due, too */
    bool has_rivals;          /* somebody else may have a better right to the GPUs that are idle */
    struct hs_bounds bounds;  /* a try of who is beyond them fails */
    struct hs_order_place at; /* in the queue */
};

enum outcome { STARTED, TURNED_AWAY, HELD_BACK, FAILED };

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
    struct hs_philly_vc *vc = &s->vcs[hs_view_vc(v, job)];
    if (j->set != HS_PHILLY_NONE)
        hs_order_remove(set_of(s, v, job, j->set), v, job);
    j->set = HS_PHILLY_NONE;
    vc->waker = vc->waker == job + 1 ? 0 : vc->waker;
}

static void enter(struct hs_philly *s, const struct hs_view *v, hs_job_id job,
                  enum hs_philly_set set, int64_t key)
{
    leave(s, v, job);
    scratch_of(v, job)->set = set;
    hs_order_add(set_of(s, v, job, set), v, job, key);
}

/* The key of a waiting job: the phase of its tries, then those that go before all others of it. */
static int64_t waiting_key(const struct hs_philly *s, const struct hs_view *v, hs_job_id job,
                           int64_t phase)
{
    bool is_first = s->requeue == HS_REQUEUE_HEAD && hs_view_attempt(v, job) > 0;
    return 2 * phase + !is_first;
}

/* As a new request. */
static void become_due(struct hs_philly *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_philly_scratch *j = scratch_of(v, job);
    j->is_new = true;
    j->is_relaxed = false;
    j->victim_of = 0;
    enter(s, v, job, HS_PHILLY_DUE, waiting_key(s, v, job, 0));
}

void hs_philly_event(struct hs_philly *s, const struct hs_view *v, const struct hs_event *event)
{
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        *scratch_of(v, job) = (struct hs_philly_scratch){0};
        become_due(s, v, job);
        hs_wake(s->is_awake, s->vc_count, v, job);
        break;
    case HS_EVENT_STARTED:
        enter(s, v, job, HS_PHILLY_RUNNING, hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        become_due(s, v, job);
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

/* Counts the tries of whoever was asleep all the time. */
static int64_t round_now(const struct pass *x, uint32_t vc)
{
    return x->s->retry_us > 0 ? hs_view_now_us(x->v) / x->s->retry_us : x->s->vcs[vc].passes;
}

static int64_t tries_of(const struct pass *x, hs_job_id job)
{
    const struct hs_philly_scratch *j = scratch_of(x->v, job);
    return j->is_new ? 0 : round_now(x, hs_view_vc(x->v, job)) - j->first_round;
}

static int64_t level_after(const struct hs_philly *s, int64_t tries)
{
    int64_t level = s->relax_after > 0 ? tries / s->relax_after : s->max_level;
    return level < s->max_level ? level : s->max_level;
}

static bool is_within_quota(const struct pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job);
    return hs_view_vc_held(x->v, vc) + hs_view_gpus(x->v, job) <= x->s->vcs[vc].quota;
}

static bool place(const struct pass *x, hs_job_id job, int64_t level)
{
    static const char *const texts[] = {[HS_LOCALITY_SERVERS] = NULL,
                                        [HS_LOCALITY_RACK] = "locality relaxed: within one rack",
                                        [HS_LOCALITY_ANYWHERE] = "locality relaxed: anywhere"};
    hs_plan_because(x->p, texts[level]);
    return hs_locality_place(&x->s->locality, x->v, x->p, job, (enum hs_locality_level)level);
}

static bool could_place(const struct pass *x, hs_job_id job)
{
    uint32_t mark = hs_plan_mark(x->p);
    bool could = place(x, job, level_after(x->s, tries_of(x, job)));
    hs_plan_rollback(x->p, mark);
    return could;
}

static bool may_be_taken(const struct pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job), gpus = hs_view_gpus_held(x->v, job);
    return gpus > 0 && scratch_of(x->v, job)->victim_of == 0 &&
           hs_view_vc_held(x->v, vc) >= x->s->vcs[vc].quota + gpus;
}

/* GPUs held beyond quotas, which preemption could take; 0: so few GPUs are held that fair shares do
 * not matter. */
static uint64_t gpus_beyond_quotas(const struct pass *x, uint32_t own)
{
    uint64_t all = hs_view_total_gpus(x->v, own), beyond = 0;
    if (x->s->fair_ppm == 0 ||
        (all - hs_view_free_gpus(x->v, own)) * HS_PHILLY_PPM < x->s->fair_ppm * all)
        return 0;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        uint64_t held = hs_view_vc_held(x->v, vc), quota = x->s->vcs[vc].quota;
        beyond += held > quota ? held - quota : 0;
    }
    return beyond;
}

static bool is_worth_preempting(const struct pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job);
    if (!is_within_quota(x, job))
        return false;
    uint64_t beyond = gpus_beyond_quotas(x, vc);
    return beyond > 0 && hs_view_free_gpus(x->v, vc) + beyond >= hs_view_gpus(x->v, job);
}

static bool place_by_preemption(const struct pass *x, hs_job_id job, int64_t level)
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
        if (place(x, job, level))
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
    int64_t level = level_after(x->s, tries_of(x, job));
    bool is_placed = place(x, job, level);
    while (!is_placed && hs_pool_is_idle(x->v, job) && level < x->s->max_level)
        is_placed = place(x, job, ++level);
    if (!is_placed && is_worth_preempting(x, job) && place_by_preemption(x, job, level))
        is_placed = x->has_preempted = true;
    return is_placed;
}

/* On a pool that does not tell its nodes apart for the job, a gang whose like failed fails, too,
 * if it is larger: unless it wants the fewest servers, which 17 GPUs may find where 16 do not. */
static bool is_monotone(const struct pass *x, hs_job_id job)
{
    return !hs_view_is_constrained(x->v, job) &&
           (x->s->max_level > HS_LOCALITY_SERVERS ||
            hs_view_gpus(x->v, job) <= hs_view_node_size(x->v, job, UINT32_MAX));
}

/* Goes to sleep, or sleeps on: then nothing changes but its bounds, once. */
static void sleep_on(const struct pass *x, hs_job_id job)
{
    struct hs_philly_scratch *j = scratch_of(x->v, job);
    if (j->is_new)
        j->first_round = round_now(x, hs_view_vc(x->v, job));
    j->is_new = false;
    bool is_relaxed = level_after(x->s, tries_of(x, job) + 1) == x->s->max_level;
    is_relaxed = is_relaxed && is_monotone(x, job);
    if (j->set == HS_PHILLY_ASLEEP && j->is_relaxed == is_relaxed)
        return;
    j->is_relaxed = is_relaxed;
    enter(x->s, x->v, job, HS_PHILLY_ASLEEP, waiting_key(x->s, x->v, job, x->phase));
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

/* Insertion: from walk to walk little changes. */
static void sort_by_use(const struct pass *x)
{
    uint32_t *order = x->s->by_use;
    for (uint32_t i = 1; i < x->s->due_count; i++) {
        uint32_t vc = order[i], at = i;
        for (; at > 0 && is_used_less(x, vc, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = vc;
    }
}

/* The first at or behind a place among those who wake now. */
static hs_job_id sleeper_from(const struct pass *x, uint32_t vc, struct hs_order_place at,
                              struct hs_bounds bounds)
{
    hs_job_id job = hs_order_next_from(&x->s->vcs[vc].asleep, x->v, at, bounds);
    return job != HS_NO_JOB && hs_order_key(x->v, job) / 2 == x->phase ? job : HS_NO_JOB;
}

static struct hs_order_place place_of(const struct pass *x, hs_job_id job)
{
    return (struct hs_order_place){.key = 2 * x->phase + (hs_order_key(x->v, job) & 1),
                                   .submit_us = hs_view_submit_us(x->v, job),
                                   .rank = hs_view_rank(x->v, job)};
}

static const struct hs_bounds everybody = {UINT64_MAX, UINT64_MAX};

static struct hs_order_place begin_of_phase(int64_t phase)
{
    return (struct hs_order_place){.key = 2 * phase, .submit_us = INT64_MIN};
}

/* The earlier of two; HS_NO_JOB is the last. */
static hs_job_id earlier(const struct pass *x, hs_job_id a, hs_job_id b)
{
    if (a == HS_NO_JOB || b == HS_NO_JOB)
        return a == HS_NO_JOB ? b : a;
    struct hs_order_place at = place_of(x, a), bt = place_of(x, b);
    return hs_order_place_is_before(&at, &bt) ? a : b;
}

static hs_job_id first_due(const struct pass *x, uint32_t vc)
{
    const struct hs_philly_vc *q = &x->s->vcs[vc];
    hs_job_id sleeper = HS_NO_JOB;
    if (q->has_sleepers)
        sleeper = sleeper_from(x, vc, begin_of_phase(x->phase), everybody);
    return earlier(x, hs_order_first(&q->due, x->v), sleeper);
}

/* The first due job of another VC, if that is within its quota. */
static hs_job_id rival_of(const struct pass *x, uint32_t own, uint32_t vc)
{
    hs_job_id head = vc != own ? first_due(x, vc) : HS_NO_JOB;
    return head != HS_NO_JOB && is_within_quota(x, head) ? head : HS_NO_JOB;
}

/* Could there be a rival who can be placed? */
static bool has_rivals(const struct pass *x, uint32_t own)
{
    for (uint32_t i = 0; i < x->s->due_count; i++) {
        uint32_t vc = x->s->by_use[i];
        hs_job_id rival = rival_of(x, own, vc);
        if (rival != HS_NO_JOB && hs_view_gpus(x->v, rival) <= hs_view_free_gpus(x->v, vc))
            return true;
    }
    return false;
}

static bool is_held_back(const struct walk *w, hs_job_id job)
{
    const struct pass *x = w->x;
    if (!w->has_rivals || is_within_quota(x, job))
        return false;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        hs_job_id rival = rival_of(x, w->vc, vc);
        if (rival != HS_NO_JOB && could_place(x, rival))
            return true;
    }
    return false;
}

static enum outcome consider(const struct walk *w, hs_job_id job)
{
    if (is_held_back(w, job))
        return HELD_BACK;
    if (try_to_start(w->x, job))
        return STARTED;
    return hs_reject_hopeless(w->x->v, w->x->p, job) ? TURNED_AWAY : FAILED;
}

/* After the state of the cluster changed. */
static void look_around(struct walk *w)
{
    const struct pass *x = w->x;
    uint64_t all = hs_view_total_gpus(x->v, w->vc), room = hs_view_free_gpus(x->v, w->vc);
    uint64_t held = hs_view_vc_held(x->v, w->vc), quota = x->s->vcs[w->vc].quota;
    w->has_rivals = has_rivals(x, w->vc);
    w->bounds = everybody;
    if (w->has_rivals || room == all) /* who is to be held back, or turned away? */
        return;
    uint64_t beyond = held < quota ? gpus_beyond_quotas(x, w->vc) : 0;
    uint64_t most = beyond == 0 ? 0 : beyond + room < quota - held ? beyond + room : quota - held;
    w->bounds.plain = w->bounds.constrained = most > room ? most : room;
}

static void settle(struct walk *w, hs_job_id job, enum outcome outcome)
{
    struct pass *x = w->x;
    switch (outcome) {
    case STARTED:
        x->has_started = true;
        leave(x->s, x->v, job);
        look_around(w);
        break;
    case TURNED_AWAY:
        leave(x->s, x->v, job);
        break;
    case HELD_BACK:
        x->has_held_back = true;
        if (scratch_of(x->v, job)->set == HS_PHILLY_ASLEEP)
            enter(x->s, x->v, job, HS_PHILLY_DUE, waiting_key(x->s, x->v, job, 0));
        break;
    case FAILED:
        if (!w->has_rivals && is_monotone(x, job) &&
            level_after(x->s, tries_of(x, job)) == x->s->max_level &&
            hs_view_gpus(x->v, job) <= w->bounds.plain)
            w->bounds.plain = hs_view_gpus(x->v, job) - 1;
        sleep_on(x, job);
        break;
    }
}

/* Two queues in one order: those who are due by name, and those who wake now. The former may be
 * put behind the place where the walk is by what it does itself, never before it. */
static void walk_vc(struct pass *x, uint32_t vc)
{
    struct hs_philly_vc *q = &x->s->vcs[vc];
    struct walk w = {
        .x = x, .vc = vc, .has_sleepers = q->has_sleepers, .at = begin_of_phase(x->phase)};
    q->has_sleepers = false;
    look_around(&w);
    hs_job_id due = hs_order_first(&q->due, x->v);
    for (;;) {
        hs_job_id sleeper = w.has_sleepers ? sleeper_from(x, vc, w.at, w.bounds) : HS_NO_JOB;
        hs_job_id job = earlier(x, due, sleeper);
        if (job == HS_NO_JOB)
            return;
        if (job == due)
            due = hs_order_next(&q->due, x->v, job);
        w.at = place_of(x, job);
        w.at.rank++;
        settle(&w, job, consider(&w, job));
    }
}

static void walk(struct pass *x)
{
    x->has_started = x->has_held_back = false;
    sort_by_use(x);
    for (uint32_t i = 0; i < x->s->due_count; i++)
        walk_vc(x, x->s->by_use[i]);
}

/* Is there to be a pass? Who shares nodes shares passes; otherwise who sleeps on does not wake. */
static bool begin_pass(struct hs_philly *s, const struct hs_view *v)
{
    bool is_pass = s->is_time, are_apart = hs_view_vcs_are_apart(v);
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        is_pass = is_pass || s->is_awake[vc];
    s->due_count = 0;
    for (uint32_t vc = 0; is_pass && vc < s->vc_count; vc++) {
        struct hs_philly_vc *q = &s->vcs[vc];
        bool takes_part = !are_apart || s->is_awake[vc] || s->is_time;
        s->is_awake[vc] = false;
        q->passes += takes_part;
        q->has_sleepers = takes_part && q->asleep.count > 0 && q->wake_us <= hs_view_now_us(v);
        if (q->has_sleepers || (takes_part && q->due.count > 0))
            s->by_use[s->due_count++] = vc;
    }
    s->is_time = false;
    return is_pass;
}

/* The first who wakes at a later phase. Mostly it was one of this phase who woke the pass. */
static hs_job_id next_waker(const struct pass *x, struct hs_philly_vc *q)
{
    const struct hs_order_place from = begin_of_phase(x->phase + 1);
    if (q->waker != 0 && hs_order_key(x->v, q->waker - 1) / 2 == x->phase)
        return hs_order_seek(&q->asleep, x->v, q->waker - 1, from.key);
    return hs_order_next_from(&q->asleep, x->v, from, everybody);
}

/* When the first sleeper is tried again, after a pass. */
static int64_t next_wake_us(const struct pass *x, struct hs_philly_vc *q)
{
    hs_job_id job = next_waker(x, q);
    if (job == HS_NO_JOB)
        job = hs_order_first(&q->asleep, x->v);
    q->waker = job + 1;
    if (job == HS_NO_JOB)
        return INT64_MAX;
    int64_t wait_us = hs_order_key(x->v, job) / 2 - x->phase;
    return hs_view_now_us(x->v) + wait_us + (wait_us > 0 ? 0 : x->s->retry_us);
}

/* For the next try. That never comes before one that was told in an earlier pass; who was preempted
 * may have been tried since, and its timer then tells nothing. */
static void set_timer(const struct pass *x)
{
    struct hs_philly *s = x->s;
    int64_t at_us = x->has_preempted ? hs_view_now_us(x->v) + s->retry_us : INT64_MAX;
    for (uint32_t i = 0; i < s->due_count; i++)
        s->vcs[s->by_use[i]].wake_us = next_wake_us(x, &s->vcs[s->by_use[i]]);
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        if (s->vcs[vc].wake_us < at_us)
            at_us = s->vcs[vc].wake_us;
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
    if (s->retry_us > 0)
        x.phase = hs_view_now_us(v) % s->retry_us;
    do
        walk(&x);
    while (x.has_held_back && x.has_started);
    if (s->retry_us > 0)
        set_timer(&x);
}
