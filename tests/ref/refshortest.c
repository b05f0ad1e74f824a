/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refshortest.h. O(jobs^2) for a pass.
 */
#include "refshortest.h"

#include <stdlib.h>
#include <string.h>

#include "refestimate.h"

/* The artifact's clock looks for finished jobs before it counts a tick. */
#define HELIOS_US 1000000

struct state {
    const struct shortest *s;
    struct ref_world *w;
    struct ref_history history;
    int64_t *estimate_us;            /* of each job */
    int *order;                      /* jobs by row */
    struct ref_list queue, running;  /* srtf, srsf */
    int submitted[SHORTEST_VCS_MAX]; /* jobs submitted at this instant */
};

static bool is_waiting(const struct ref_task *t)
{
    return t->is_live && !t->is_holding;
}

static int64_t key_of(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    int64_t attained_us = t->duration_us - t->left_us;
    switch (st->s->policy) {
    case SHORTEST_FIFO:
        return t->submit_us;
    case SHORTEST_SJF:
        return st->estimate_us[job];
    case SHORTEST_QSSF:
        return st->estimate_us[job] * t->gpus;
    case SHORTEST_SRTF:
        return st->estimate_us[job] - attained_us + t->owed_us;
    case SHORTEST_SRSF:
        break;
    }
    return (st->estimate_us[job] - attained_us + t->owed_us) * t->gpus;
}

/* The larger goes first. */
static int64_t level_of(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    if (!st->s->has_levels)
        return 0;
    return t->priority - (st->s->ageing_us > 0 ? t->submit_us / st->s->ageing_us : 0);
}

static bool goes_before(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (level_of(st, a) != level_of(st, b))
        return level_of(st, a) > level_of(st, b);
    if (key_of(st, a) != key_of(st, b))
        return key_of(st, a) < key_of(st, b);
    if (st->s->policy == SHORTEST_QSSF && st->s->is_helios && x->gpus != y->gpus)
        return x->gpus < y->gpus;
    if (x->is_holding != y->is_holding)
        return x->is_holding;
    return x->submit_us != y->submit_us ? x->submit_us < y->submit_us : a < b;
}

static bool is_shorter(const struct state *st, int a, int b)
{
    if (level_of(st, a) != level_of(st, b))
        return level_of(st, a) > level_of(st, b);
    return key_of(st, a) < key_of(st, b);
}

static bool is_smaller(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (level_of(st, a) != level_of(st, b))
        return level_of(st, a) > level_of(st, b);
    return x->gpus != y->gpus ? x->gpus < y->gpus : a < b;
}

/* The order of the jobs that keep their GPUs, where jobs are preempted by priority alone. */
static bool keeps_before(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (level_of(st, a) != level_of(st, b))
        return level_of(st, a) > level_of(st, b);
    if (x->is_holding != y->is_holding)
        return x->is_holding;
    if (!x->is_holding)
        return goes_before(st, a, b);
    if (x->since_us != y->since_us)
        return x->since_us < y->since_us;
    return x->submit_us != y->submit_us ? x->submit_us < y->submit_us : a < b;
}

static void insert(struct state *st, int count, int job,
                   bool (*before)(const struct state *, int, int))
{
    int at = count;
    for (; at > 0 && before(st, job, st->order[at - 1]); at--)
        st->order[at] = st->order[at - 1];
    st->order[at] = job;
}

/* ---------------- sjf, qssf ---------------- */

static int vc_of(const struct state *st, int job)
{
    return st->s->vcs == SHORTEST_ONE ? 0 : st->w->tasks[job].vc;
}

static bool try_start(struct state *st, int job)
{
    const struct ref_world *w = st->w;
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX], vc = vc_of(st, job);
    int room = st->s->vc_gpus[vc];
    ref_free_gpus(w, free_gpus);
    for (int n = 0; n < w->nodes; n++)
        if (st->s->vcs == SHORTEST_PARTITION && st->s->node_vc[n] != vc)
            free_gpus[n] = 0;
    for (int i = 0; i < w->count; i++)
        if (w->tasks[i].is_holding && vc_of(st, i) == vc)
            room -= w->tasks[i].gpus;
    if ((st->s->vcs == SHORTEST_QUOTA && w->tasks[job].gpus > room) ||
        !ref_place(w->placer, w->node_gpus, w->nodes, free_gpus, w->tasks[job].gpus, taken))
        return false;
    ref_hold(st->w, job, taken);
    return true;
}

static void pass_queue(struct state *st, int vc)
{
    int count = 0, waiting = 0;
    for (int i = 0; i < st->w->count; i++)
        waiting += is_waiting(&st->w->tasks[i]) && vc_of(st, i) == vc;
    /* The artifact orders jobs submitted together by GPUs, unless a job waits already. */
    bool is_batch =
        st->s->policy == SHORTEST_QSSF && st->s->is_helios && st->submitted[vc] == waiting;
    for (int i = 0; i < st->w->count; i++)
        if (is_waiting(&st->w->tasks[i]) && vc_of(st, i) == vc)
            insert(st, count++, i, is_batch ? is_smaller : goes_before);
    for (int i = 0; i < count; i++)
        if (!try_start(st, st->order[i]) && !st->s->skips)
            return;
}

/* One virtual cluster. */
static void pass_preempting(struct state *st)
{
    struct ref_world *w = st->w;
    int count = 0, chosen_count = 0, left = ref_gpus(w);
    bool is_blocked = false;
    int *chosen = calloc((size_t)w->count + 1, sizeof *chosen);
    for (int i = 0; i < w->count; i++)
        if (w->tasks[i].is_live)
            insert(st, count++, i, keeps_before);
    for (int i = 0; i < count; i++) {
        const struct ref_task *t = &w->tasks[st->order[i]];
        if (t->gpus > left) {
            is_blocked = is_blocked || !st->s->skips;
            if (t->is_holding)
                ref_preempt(w, st->order[i]);
        } else if (t->is_holding || !is_blocked) {
            left -= t->gpus;
            if (!t->is_holding)
                chosen[chosen_count++] = st->order[i];
        }
    }
    for (int i = 0; i < chosen_count; i++)
        if (!ref_try_start(w, chosen[i]) && !st->s->skips)
            break;
    free(chosen);
}

/* ---------------- srtf, srsf ---------------- */

static void pass_evict(struct state *st)
{
    struct ref_world *w = st->w;
    int count = 0, chosen_count = 0, left = ref_gpus(w);
    int *chosen = calloc((size_t)w->count + 1, sizeof *chosen);
    if (st->s->is_helios) {
        for (int i = 0; i < st->queue.count; i++)
            insert(st, count++, st->queue.jobs[i], is_shorter);
        for (int i = 0; i < st->running.count; i++)
            insert(st, count++, st->running.jobs[i], is_shorter);
    }
    for (int i = 0; !st->s->is_helios && i < w->count; i++)
        if (w->tasks[i].is_live)
            insert(st, count++, i, goes_before);
    for (int i = 0; i < count; i++) {
        int job = st->order[i];
        if (w->tasks[job].gpus <= left) {
            left -= w->tasks[job].gpus;
            chosen[chosen_count++] = job;
        } else if (w->tasks[job].is_holding) {
            ref_preempt(w, job);
            ref_list_remove(&st->running, job);
            ref_list_add(&st->queue, job);
        }
    }
    for (int i = 0; i < chosen_count; i++) {
        if (w->tasks[chosen[i]].is_holding || !ref_try_start(w, chosen[i]))
            continue;
        ref_list_remove(&st->queue, chosen[i]);
        ref_list_add(&st->running, chosen[i]);
    }
    free(chosen);
}

static void pass(struct state *st)
{
    if (st->s->policy >= SHORTEST_SRTF)
        pass_evict(st);
    else if (st->s->preempts)
        pass_preempting(st);
    else
        for (int vc = 0; vc < st->s->vc_count; vc++)
            pass_queue(st, vc);
}

/* ---------------- time ---------------- */

static void handle_finishes(struct state *st)
{
    for (int job; (job = ref_finish_one(st->w)) >= 0;) {
        const struct ref_task *t = &st->w->tasks[job];
        ref_list_remove(&st->running, job);
        ref_learn(&st->history, t->user, t->gpus, t->duration_us);
    }
}

static void handle_submissions(struct state *st)
{
    for (int job = -1; (job = ref_submit_one(st->w, job)) >= 0;) {
        struct ref_task *t = &st->w->tasks[job];
        if (st->s->vcs != SHORTEST_ONE && t->gpus > st->s->vc_gpus[t->vc]) {
            t->is_rejected = true;
            t->is_live = false;
        }
        st->estimate_us[job] =
            st->s->is_rolling ? ref_estimate_us(&st->history, t->user, t->gpus) : t->duration_us;
        st->submitted[vc_of(st, job)] += t->is_live;
        if (t->is_live)
            ref_list_add(&st->queue, job);
        if (st->s->is_helios && st->s->policy >= SHORTEST_SRTF)
            t->owed_us = HELIOS_US;
    }
}

bool shortest_simulate(const struct shortest *s, struct ref_world *w, int64_t horizon_us)
{
    struct state st = {.s = s, .w = w, .history = {.unknown_us = s->unknown_us}};
    st.estimate_us = calloc((size_t)w->count + 1, sizeof *st.estimate_us);
    st.order = calloc((size_t)w->count + 1, sizeof *st.order);
    st.queue.jobs = calloc((size_t)w->count + 1, sizeof *st.queue.jobs);
    st.running.jobs = calloc((size_t)w->count + 1, sizeof *st.running.jobs);
    ref_begin(w);
    int64_t next_us;
    while ((next_us = ref_next_us(w)) <= horizon_us) {
        ref_advance(w, next_us);
        memset(st.submitted, 0, sizeof st.submitted);
        handle_finishes(&st);
        handle_submissions(&st);
        pass(&st);
        while (ref_has_finish(w)) {
            memset(st.submitted, 0, sizeof st.submitted);
            handle_finishes(&st);
            pass(&st);
        }
    }
    free(st.history.jobs);
    free(st.estimate_us);
    free(st.order);
    free(st.queue.jobs);
    free(st.running.jobs);
    return next_us == INT64_MAX;
}
