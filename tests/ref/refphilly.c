/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refphilly.h. O(VCs x jobs^2) for a pass.
 */
#include "refphilly.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
    int64_t since_us; /* submission of this attempt */
    int64_t wake_us;  /* next try of one that is not due */
    int attempt, level, tries;
    bool is_due;
    bool is_due_later; /* in the next pass */
    bool is_held_back; /* in this walk */
};

struct state {
    const struct philly *s;
    struct ref_world *w;
    struct waiting *jobs;
    bool wants_pass[PHILLY_VCS_MAX];
    int64_t pass;        /* number of the pass that is under way */
    int64_t *started_by; /* the pass that started each job */
};

/* ---------------- virtual clusters ---------------- */

static int vc_of(const struct state *st, int job)
{
    return st->s->vcs == PHILLY_ONE ? 0 : st->w->tasks[job].vc;
}

static bool shares_nodes(const struct state *st, int vc, int other)
{
    return st->s->vcs != PHILLY_PARTITION || vc == other;
}

static int gpus_of(const struct state *st, int vc)
{
    int gpus = 0;
    for (int n = 0; n < st->w->nodes; n++)
        if (st->s->vcs != PHILLY_PARTITION || st->s->node_vc[n] == vc)
            gpus += st->w->node_gpus[n];
    return gpus;
}

static int quota_of(const struct state *st, int vc)
{
    int gpus = gpus_of(st, vc);
    return st->s->vcs == PHILLY_QUOTA && st->s->quota[vc] < gpus ? st->s->quota[vc] : gpus;
}

static int used_by(const struct state *st, int vc)
{
    int used = 0;
    for (int i = 0; i < st->w->count; i++)
        if (st->w->tasks[i].is_holding && vc_of(st, i) == vc)
            used += st->w->tasks[i].gpus;
    return used;
}

/* GPUs held by all virtual clusters that share its nodes. */
static int held_beside(const struct state *st, int vc)
{
    int held = 0;
    for (int other = 0; other < st->s->vc_count; other++)
        held += shares_nodes(st, vc, other) ? used_by(st, other) : 0;
    return held;
}

static bool is_less_used(const struct state *st, int a, int b)
{
    int64_t used_a = used_by(st, a), quota_a = quota_of(st, a);
    int64_t used_b = used_by(st, b), quota_b = quota_of(st, b);
    if (quota_a == 0 || quota_b == 0)
        return quota_a != quota_b ? quota_b == 0 : a < b;
    if (used_a * quota_b != used_b * quota_a)
        return used_a * quota_b < used_b * quota_a;
    return a < b;
}

/* ---------------- jobs ---------------- */

static bool is_due(const struct state *st, int job)
{
    return st->w->tasks[job].is_live && !st->w->tasks[job].is_holding && st->jobs[job].is_due;
}

static bool goes_before(const struct state *st, int a, int b)
{
    const struct waiting *x = &st->jobs[a], *y = &st->jobs[b];
    bool leads_a = st->s->requeues_at_head && x->attempt > 0;
    bool leads_b = st->s->requeues_at_head && y->attempt > 0;
    if (leads_a != leads_b)
        return leads_a;
    return x->since_us != y->since_us ? x->since_us < y->since_us : a < b;
}

/* The first due job of the VC that this walk has not held back; -1: none. */
static int first_due(const struct state *st, int vc)
{
    int first = -1;
    for (int i = 0; i < st->w->count; i++)
        if (is_due(st, i) && vc_of(st, i) == vc && !st->jobs[i].is_held_back &&
            (first < 0 || goes_before(st, i, first)))
            first = i;
    return first;
}

static void reset_tries(const struct state *st, int job)
{
    st->jobs[job].tries = 0;
    st->jobs[job].level = st->s->relax_after == 0 ? st->s->max_level : 0;
}

static bool find_place(const struct state *st, int job, int level, const int *free_gpus, int *taken)
{
    struct ref_racks c = {.nodes = st->w->nodes};
    for (int n = 0; n < c.nodes; n++) {
        c.node_gpus[n] = st->w->node_gpus[n];
        c.rack_of[n] = st->s->rack_of[n];
        c.may_use[n] = st->s->vcs != PHILLY_PARTITION || st->s->node_vc[n] == vc_of(st, job);
    }
    return ref_place_racks(&c, free_gpus, st->w->tasks[job].gpus, level, taken);
}

static bool can_place_now(const struct state *st, int job)
{
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    ref_free_gpus(st->w, free_gpus);
    return find_place(st, job, st->jobs[job].level, free_gpus, taken);
}

static bool start(struct state *st, int job)
{
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    ref_free_gpus(st->w, free_gpus);
    if (!find_place(st, job, st->jobs[job].level, free_gpus, taken))
        return false;
    ref_hold(st->w, job, taken);
    st->jobs[job].is_due = false;
    st->started_by[job] = st->pass;
    return true;
}

/* ---------------- fair shares ---------------- */

/* By later start, then later submission, then higher row. */
static bool is_younger(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (x->since_us != y->since_us)
        return x->since_us > y->since_us;
    if (st->jobs[a].since_us != st->jobs[b].since_us)
        return st->jobs[a].since_us > st->jobs[b].since_us;
    return a > b;
}

/* The youngest job that is no victim yet and whose VC keeps its quota without it; -1: none. */
static int next_victim(const struct state *st, const bool *is_victim, const int *used)
{
    int victim = -1;
    for (int i = 0; i < st->w->count; i++) {
        const struct ref_task *t = &st->w->tasks[i];
        int vc = vc_of(st, i);
        if (!t->is_holding || is_victim[i] || st->started_by[i] == st->pass ||
            used[vc] - t->gpus < quota_of(st, vc))
            continue;
        if (victim < 0 || is_younger(st, i, victim))
            victim = i;
    }
    return victim;
}

static void evict(struct state *st, int job)
{
    ref_preempt(st->w, job);
    reset_tries(st, job);
    st->jobs[job].is_due = false;
    st->jobs[job].is_due_later = true;
    st->jobs[job].wake_us = st->s->retry_us > 0 ? st->w->now_us + st->s->retry_us : INT64_MAX;
}

static bool may_preempt(const struct state *st, int job)
{
    const struct ref_world *w = st->w;
    int vc = vc_of(st, job);
    return st->s->fair_permille > 0 && used_by(st, vc) + w->tasks[job].gpus <= quota_of(st, vc) &&
           held_beside(st, vc) * 1000 >= gpus_of(st, vc) * st->s->fair_permille;
}

static bool start_by_preemption(struct state *st, int job)
{
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX], used[PHILLY_VCS_MAX];
    bool *is_victim = calloc((size_t)st->w->count + 1, sizeof *is_victim), fits = false;
    ref_free_gpus(st->w, free_gpus);
    for (int vc = 0; vc < st->s->vc_count; vc++)
        used[vc] = used_by(st, vc);
    while (!fits) {
        int victim = next_victim(st, is_victim, used);
        if (victim < 0)
            break;
        is_victim[victim] = true;
        used[vc_of(st, victim)] -= st->w->tasks[victim].gpus;
        for (int n = 0; n < st->w->nodes; n++)
            free_gpus[n] += st->w->tasks[victim].on_node[n];
        fits = find_place(st, job, st->jobs[job].level, free_gpus, taken);
    }
    for (int i = 0; fits && i < st->w->count; i++)
        if (is_victim[i])
            evict(st, i);
    free(is_victim);
    return fits && start(st, job);
}

/* ---------------- the pass ---------------- */

/* Whether another VC is under its quota and its first job could start without a preemption. */
static bool must_yield(const struct state *st, int job)
{
    int vc = vc_of(st, job);
    if (used_by(st, vc) + st->w->tasks[job].gpus <= quota_of(st, vc))
        return false;
    for (int other = 0; other < st->s->vc_count; other++) {
        int first = other == vc || !shares_nodes(st, vc, other) ? -1 : first_due(st, other);
        int used = used_by(st, other), quota = quota_of(st, other);
        if (first >= 0 && used < quota && used + st->w->tasks[first].gpus <= quota &&
            can_place_now(st, first))
            return true;
    }
    return false;
}

static void reject(struct state *st, int job)
{
    st->w->tasks[job].is_live = false;
    st->w->tasks[job].is_rejected = true;
}

static bool try_job(struct state *st, int job)
{
    struct waiting *j = &st->jobs[job];
    if (start(st, job))
        return true;
    if (held_beside(st, vc_of(st, job)) == 0) {
        while (j->level < st->s->max_level) {
            j->level++;
            if (start(st, job))
                return true;
        }
        reject(st, job);
        return false;
    }
    if (may_preempt(st, job) && start_by_preemption(st, job))
        return true;
    j->tries++;
    if (st->s->relax_after > 0 && j->tries % st->s->relax_after == 0 && j->level < st->s->max_level)
        j->level++;
    j->is_due = false;
    j->is_due_later = st->s->retry_us == 0;
    j->wake_us = st->s->retry_us > 0 ? st->w->now_us + st->s->retry_us : INT64_MAX;
    return false;
}

/* True if a job was held back and a job was started. */
static bool walk(struct state *st, const bool *in_pass)
{
    int order[PHILLY_VCS_MAX], count = 0;
    bool any_held = false, any_started = false;
    for (int i = 0; i < st->w->count; i++)
        st->jobs[i].is_held_back = false;
    for (int vc = 0; vc < st->s->vc_count; vc++) {
        if (!in_pass[vc])
            continue;
        int at = count++;
        for (; at > 0 && is_less_used(st, vc, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = vc;
    }
    for (int i = 0; i < count; i++) {
        for (int job; (job = first_due(st, order[i])) >= 0;) {
            st->jobs[job].is_held_back = must_yield(st, job);
            if (st->jobs[job].is_held_back)
                any_held = true;
            else
                any_started |= try_job(st, job);
        }
    }
    return any_held && any_started;
}

static void pass(struct state *st)
{
    bool in_pass[PHILLY_VCS_MAX] = {false};
    for (int vc = 0; vc < st->s->vc_count; vc++)
        for (int other = 0; other < st->s->vc_count; other++)
            in_pass[vc] |= st->wants_pass[other] && shares_nodes(st, vc, other);
    memset(st->wants_pass, 0, sizeof st->wants_pass);
    st->pass++;
    for (int i = 0; i < st->w->count; i++) {
        struct waiting *j = &st->jobs[i];
        if (!in_pass[vc_of(st, i)])
            continue;
        if (j->is_due_later || j->wake_us <= st->w->now_us) {
            j->is_due = true;
            j->is_due_later = false;
            j->wake_us = INT64_MAX;
        }
    }
    while (walk(st, in_pass))
        continue;
}

/* ---------------- time ---------------- */

static void handle_finishes(struct state *st)
{
    for (int i; (i = ref_finish_one(st->w)) >= 0;) {
        struct ref_task *t = &st->w->tasks[i];
        struct waiting *j = &st->jobs[i];
        st->wants_pass[vc_of(st, i)] = true;
        if (j->attempt == t->failures)
            continue;
        j->attempt++;
        j->since_us = st->w->now_us;
        j->is_due = true;
        reset_tries(st, i);
        t->is_live = true;
        t->finish_us = -1;
        t->left_us = j->attempt < t->failures ? t->failed_us[j->attempt] : t->duration_us;
    }
}

static void handle_submissions(struct state *st)
{
    for (int i = -1; (i = ref_submit_one(st->w, i)) >= 0;) {
        struct ref_task *t = &st->w->tasks[i];
        if (t->is_live && t->gpus > gpus_of(st, vc_of(st, i)))
            reject(st, i);
        if (!t->is_live)
            continue;
        st->jobs[i].since_us = st->w->now_us;
        st->jobs[i].is_due = true;
        reset_tries(st, i);
        st->wants_pass[vc_of(st, i)] = true;
    }
}

static void handle_wakes(struct state *st)
{
    for (int i = 0; i < st->w->count; i++)
        if (st->jobs[i].wake_us <= st->w->now_us)
            st->wants_pass[vc_of(st, i)] = true;
}

static int64_t next_us(const struct state *st)
{
    int64_t next = ref_next_us(st->w);
    for (int i = 0; i < st->w->count; i++)
        next = st->jobs[i].wake_us < next ? st->jobs[i].wake_us : next;
    return next;
}

static bool wants_any(const struct state *st)
{
    for (int vc = 0; vc < st->s->vc_count; vc++)
        if (st->wants_pass[vc])
            return true;
    return false;
}

bool philly_simulate(const struct philly *s, struct ref_world *w, int64_t horizon_us)
{
    struct state st = {.s = s, .w = w};
    int64_t at_us;
    st.jobs = calloc((size_t)w->count + 1, sizeof *st.jobs);
    st.started_by = calloc((size_t)w->count + 1, sizeof *st.started_by);
    ref_begin(w);
    for (int i = 0; i < w->count; i++) {
        st.jobs[i].wake_us = INT64_MAX;
        if (w->tasks[i].failures > 0)
            w->tasks[i].left_us = w->tasks[i].failed_us[0];
    }
    while ((at_us = next_us(&st)) <= horizon_us) {
        ref_advance(w, at_us);
        handle_finishes(&st);
        handle_submissions(&st);
        handle_wakes(&st);
        while (wants_any(&st)) {
            pass(&st);
            handle_finishes(&st);
        }
    }
    free(st.jobs);
    free(st.started_by);
    return at_us == INT64_MAX;
}
