/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refbackfill.h. O(jobs^2) and more for a pass.
 */
#include "refbackfill.h"

#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX

/* A time taken by a waiting job. */
struct slot {
    int64_t from_us, to_us;
    int gpus;
};

struct state {
    const struct backfill *s;
    struct ref_world *w;
    int *order;         /* waiting jobs of the virtual cluster */
    struct slot *slots; /* times taken by the jobs before */
    int slot_count;
    int vc;
    bool has_event[BACKFILL_VCS_MAX];
};

static int vc_of(const struct state *st, int job)
{
    return st->s->vcs == BACKFILL_ONE ? 0 : st->w->tasks[job].vc;
}

static bool is_waiting(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    return t->is_live && !t->is_holding && vc_of(st, job) == st->vc;
}

static bool is_running(const struct state *st, int job)
{
    return st->w->tasks[job].is_holding && vc_of(st, job) == st->vc;
}

static int64_t estimated_us(const struct state *st, int job)
{
    return st->w->tasks[job].since_us + st->w->tasks[job].cost_us;
}

static int64_t end_us(const struct state *st, int job)
{
    int64_t end = estimated_us(st, job);
    return end > st->w->now_us ? end : st->w->now_us;
}

static int64_t key_of(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    return st->s->order == BACKFILL_FIFO  ? t->submit_us
           : st->s->order == BACKFILL_SJF ? t->cost_us
                                          : t->cost_us * t->gpus;
}

static bool goes_before(const struct state *st, int a, int b)
{
    const struct ref_task *x = &st->w->tasks[a], *y = &st->w->tasks[b];
    if (key_of(st, a) != key_of(st, b))
        return key_of(st, a) < key_of(st, b);
    return x->submit_us != y->submit_us ? x->submit_us < y->submit_us : a < b;
}

/* Free GPUs within the quota; without a quota those of the nodes. */
static int room(const struct state *st)
{
    int left = st->s->vcs == BACKFILL_QUOTA ? st->s->vc_gpus[st->vc] : ref_gpus(st->w);
    for (int i = 0; st->s->vcs == BACKFILL_QUOTA && i < st->w->count; i++)
        left -= is_running(st, i) ? st->w->tasks[i].gpus : 0;
    return left;
}

static bool is_open(const struct backfill_window *v, int64_t at_us)
{
    return v->start_us <= at_us && at_us < v->end_us;
}

static bool is_planning(const struct state *st)
{
    bool is_left = false;
    for (int i = 0; i < st->s->window_count; i++)
        is_left = is_left || st->s->windows[i].end_us > st->w->now_us;
    return is_left && st->s->scan >= BACKFILL_EASY;
}

/* Whether the node belongs to the virtual cluster and to no window at that time. */
static bool is_ours(const struct state *st, int node, int64_t at_us)
{
    for (int i = 0; i < st->s->window_count; i++)
        if (st->s->windows[i].has_node[node] && is_open(&st->s->windows[i], at_us))
            return false;
    return st->s->vcs != BACKFILL_PARTITION || st->s->node_vc[node] == st->vc;
}

/* Counts the GPUs that are free now and in no window from now until then. */
static void free_until(const struct state *st, int64_t until_us, int *free_gpus)
{
    ref_free_gpus(st->w, free_gpus);
    for (int n = 0; n < st->w->nodes; n++) {
        bool is_left = is_ours(st, n, st->w->now_us);
        for (int i = 0; i < st->s->window_count; i++)
            if (st->s->windows[i].has_node[n] && st->s->windows[i].start_us > st->w->now_us &&
                st->s->windows[i].start_us < until_us)
                is_left = false;
        free_gpus[n] = is_left ? free_gpus[n] : 0;
    }
}

static int free_now(const struct state *st)
{
    int free_gpus[REF_NODES_MAX];
    free_until(st, st->w->now_us, free_gpus);
    int free_count = ref_sum(free_gpus, st->w->nodes), left = room(st);
    return free_count < left ? free_count : left;
}

static bool try_start(struct state *st, int job)
{
    const struct ref_world *w = st->w;
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    free_until(st, is_planning(st) ? w->now_us + w->tasks[job].cost_us : w->now_us, free_gpus);
    if (w->tasks[job].gpus > room(st) ||
        !ref_place(w->placer, w->node_gpus, w->nodes, free_gpus, w->tasks[job].gpus, taken))
        return false;
    ref_hold(st->w, job, taken);
    return true;
}

/* Starts the job on the nodes of an open window. */
static void start_reserved(struct state *st, int job)
{
    struct ref_world *w = st->w;
    const struct ref_task *t = &w->tasks[job];
    for (int i = 0; i < st->s->window_count; i++) {
        const struct backfill_window *v = &st->s->windows[i];
        int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX] = {0}, best = -1, all = 0;
        if (!is_open(v, w->now_us) || (v->user >= 0 && v->user != t->user) ||
            (v->vc >= 0 && v->vc != t->vc) || t->gpus > room(st))
            continue;
        ref_free_gpus(w, free_gpus);
        for (int n = 0; n < w->nodes; n++) {
            free_gpus[n] = v->has_node[n] ? free_gpus[n] : 0;
            all += free_gpus[n];
            if (free_gpus[n] >= t->gpus && (best < 0 || free_gpus[n] < free_gpus[best]))
                best = n;
        }
        if (all < t->gpus)
            continue;
        if (best >= 0)
            taken[best] = t->gpus;
        for (int left = best >= 0 ? 0 : t->gpus; left > 0;) {
            int most = 0;
            for (int n = 0; n < w->nodes; n++)
                most = free_gpus[n] > free_gpus[most] ? n : most;
            taken[most] = free_gpus[most] < left ? free_gpus[most] : left;
            left -= taken[most];
            free_gpus[most] = 0;
        }
        ref_hold(w, job, taken);
        return;
    }
}

static int list_waiting(struct state *st)
{
    int count = 0;
    for (int i = 0; i < st->w->count; i++) {
        if (!is_waiting(st, i))
            continue;
        int at = count++;
        for (; at > 0 && goes_before(st, i, st->order[at - 1]); at--)
            st->order[at] = st->order[at - 1];
        st->order[at] = i;
    }
    return count;
}

/* ---------------- easy ---------------- */

static void pass_easy(struct state *st, int count)
{
    struct ref_world *w = st->w;
    int at = 0, enough = 0, extra = 0;
    while (at < count && try_start(st, st->order[at]))
        at++;
    if (at == count)
        return;
    int64_t shadow_us = w->now_us;
    bool *seen = calloc((size_t)w->count, sizeof *seen);
    for (enough = free_now(st);;) {
        int next = -1;
        for (int i = 0; i < w->count; i++)
            if (is_running(st, i) && !seen[i] &&
                (next < 0 || estimated_us(st, i) < estimated_us(st, next)))
                next = i;
        if (next < 0)
            break;
        seen[next] = true;
        enough += w->tasks[next].gpus;
        if (enough >= w->tasks[st->order[at]].gpus) {
            shadow_us = end_us(st, next);
            extra = enough - w->tasks[st->order[at]].gpus;
            break;
        }
    }
    free(seen);
    for (at++; at < count; at++) {
        const struct ref_task *t = &w->tasks[st->order[at]];
        bool ends_before = w->now_us + t->cost_us <= shadow_us;
        if ((ends_before || t->gpus <= extra) && try_start(st, st->order[at]) && !ends_before)
            extra -= t->gpus;
    }
}

/* ---------------- conservative ---------------- */

/* GPUs of each node that no running job is estimated to hold then. */
static int free_of_nodes_at(const struct state *st, int64_t at_us)
{
    int count = 0;
    for (int n = 0; n < st->w->nodes; n++) {
        int held = 0;
        for (int i = 0; i < st->w->count; i++) /* ends in other VCs are not expected */
            if (!is_running(st, i) || end_us(st, i) > at_us)
                held += st->w->tasks[i].on_node[n];
        count += is_ours(st, n, at_us) ? st->w->node_gpus[n] - held : 0;
    }
    return count;
}

static int free_at(const struct state *st, int64_t at_us)
{
    int count = is_planning(st) ? free_of_nodes_at(st, at_us) : free_now(st);
    for (int i = 0; i < st->w->count; i++)
        if (!is_planning(st) && is_running(st, i) && end_us(st, i) <= at_us)
            count += st->w->tasks[i].gpus;
    for (int i = 0; i < st->slot_count; i++)
        if (st->slots[i].from_us <= at_us && at_us < st->slots[i].to_us)
            count -= st->slots[i].gpus;
    return count;
}

/* Checks where a slot or a window begins: only there the number of free GPUs falls. */
static bool is_free(const struct state *st, int64_t from_us, const struct ref_task *t)
{
    if (t->cost_us == 0)
        return true;
    bool all = free_at(st, from_us) >= t->gpus;
    for (int i = 0; all && i < st->slot_count; i++)
        if (st->slots[i].from_us > from_us && st->slots[i].from_us < from_us + t->cost_us)
            all = free_at(st, st->slots[i].from_us) >= t->gpus;
    for (int i = 0; all && i < st->s->window_count; i++)
        if (st->s->windows[i].start_us > from_us &&
            st->s->windows[i].start_us < from_us + t->cost_us)
            all = free_at(st, st->s->windows[i].start_us) >= t->gpus;
    return all;
}

/* Tries where a job, a slot or a window ends: only there the number of free GPUs rises. */
static int64_t first_us(const struct state *st, int64_t from_us, const struct ref_task *t)
{
    int64_t best_us = is_free(st, from_us, t) ? from_us : NEVER;
    for (int i = 0; best_us > from_us && i < st->w->count; i++)
        if (is_running(st, i) && end_us(st, i) > from_us && end_us(st, i) < best_us &&
            is_free(st, end_us(st, i), t))
            best_us = end_us(st, i);
    for (int i = 0; best_us > from_us && i < st->slot_count; i++)
        if (st->slots[i].to_us > from_us && st->slots[i].to_us < best_us &&
            is_free(st, st->slots[i].to_us, t))
            best_us = st->slots[i].to_us;
    for (int i = 0; best_us > from_us && i < st->s->window_count; i++)
        if (st->s->windows[i].end_us > from_us && st->s->windows[i].end_us < best_us &&
            is_free(st, st->s->windows[i].end_us, t))
            best_us = st->s->windows[i].end_us;
    return best_us;
}

/* Under easy with windows only the first job in order that has to wait holds a time. */
static void pass_profile(struct state *st, int count)
{
    struct ref_world *w = st->w;
    bool has_head = false;
    st->slot_count = 0;
    for (int at = 0; at < count; at++) {
        const struct ref_task *t = &w->tasks[st->order[at]];
        int64_t begin_us = first_us(st, w->now_us, t);
        if (begin_us == w->now_us) {
            if (try_start(st, st->order[at]))
                continue;
            int64_t end = NEVER;
            for (int i = 0; i < w->count; i++)
                if (is_running(st, i) && end_us(st, i) < end)
                    end = end_us(st, i);
            begin_us = first_us(st, end == NEVER ? w->now_us : end, t);
        }
        if (has_head && st->s->scan == BACKFILL_EASY)
            continue;
        has_head = true;
        if (begin_us == NEVER)
            return;
        st->slots[st->slot_count++] = (struct slot){begin_us, begin_us + t->cost_us, t->gpus};
    }
}

static void pass_greedy(struct state *st, int count)
{
    for (int at = 0; at < count; at++)
        if (!try_start(st, st->order[at]) && st->s->scan == BACKFILL_STRICT)
            return;
}

/* ---------------- time ---------------- */

static void pass(struct state *st)
{
    bool is_any = false;
    for (int vc = 0; vc < st->s->vc_count; vc++)
        is_any = is_any || st->has_event[vc];
    for (st->vc = 0; st->vc < st->s->vc_count; st->vc++) {
        if (st->s->vcs == BACKFILL_PARTITION ? !st->has_event[st->vc] : !is_any)
            continue;
        for (int i = 0, count = list_waiting(st); i < count; i++)
            start_reserved(st, st->order[i]);
        int count = list_waiting(st);
        if (st->s->scan < BACKFILL_EASY)
            pass_greedy(st, count);
        else if (st->s->scan == BACKFILL_EASY && !is_planning(st))
            pass_easy(st, count);
        else
            pass_profile(st, count);
    }
    memset(st->has_event, 0, sizeof st->has_event);
}

static void handle_finishes(struct state *st)
{
    for (int job; (job = ref_finish_one(st->w)) >= 0;)
        st->has_event[vc_of(st, job)] = true;
}

static void handle_submissions(struct state *st)
{
    for (int job = -1; (job = ref_submit_one(st->w, job)) >= 0;) {
        struct ref_task *t = &st->w->tasks[job];
        if (st->s->vcs != BACKFILL_ONE && t->gpus > st->s->vc_gpus[t->vc]) {
            t->is_rejected = true;
            t->is_live = false;
        }
        st->has_event[vc_of(st, job)] |= t->is_live;
    }
}

/* The next beginning or end of a window; for one that began before the run, the start of the run.
 */
static int64_t next_change_us(const struct state *st)
{
    int64_t next_us = NEVER;
    for (int i = 0; i < st->s->window_count; i++) {
        const int64_t times[] = {st->s->windows[i].start_us, st->s->windows[i].end_us};
        for (int k = 0; k < 2; k++)
            if (times[k] > st->w->now_us && times[k] < next_us)
                next_us = times[k];
    }
    return next_us;
}

static int64_t next_event_us(const struct state *st)
{
    const int64_t job_us = ref_next_us(st->w), change_us = next_change_us(st);
    bool is_any_left = false;
    for (int i = 0; i < st->w->count; i++)
        is_any_left =
            is_any_left || st->w->tasks[i].is_live || st->w->tasks[i].submit_us > st->w->now_us;
    return is_any_left && change_us < job_us ? change_us : job_us;
}

bool backfill_simulate(const struct backfill *s, struct ref_world *w, int64_t horizon_us)
{
    struct state st = {.s = s, .w = w};
    st.order = calloc((size_t)w->count + 1, sizeof *st.order);
    st.slots = calloc((size_t)w->count + 1, sizeof *st.slots);
    ref_begin(w);
    int64_t next_us;
    while ((next_us = next_event_us(&st)) <= horizon_us) {
        const bool is_change = next_change_us(&st) == next_us;
        ref_advance(w, next_us);
        for (int vc = 0; is_change && vc < s->vc_count; vc++)
            st.has_event[vc] = true;
        handle_finishes(&st);
        handle_submissions(&st);
        pass(&st);
        while (ref_has_finish(w)) {
            handle_finishes(&st);
            pass(&st);
        }
    }
    free(st.order);
    free(st.slots);
    return next_us == INT64_MAX;
}
