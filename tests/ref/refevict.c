/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refevict.h. O(jobs^2) and more for a decision.
 */
#include "refevict.h"

#include <stdlib.h>
#include <string.h>

/* The notice of a job, and the outcome of a decision for it. */
struct notice {
    int64_t due_us;    /* end of its notice; -1 = none */
    bool by_reclaim;   /* since the decision before */
    bool is_chosen;    /* to be stopped, in this decision */
    bool is_reclaimed; /* by a claim, in this decision */
    bool is_stopped;   /* in this decision */
    bool claims;       /* in this decision */
};

/* The end of a notice. */
struct end {
    int64_t at_us;
    int vc;
};

struct state {
    const struct evict *s;
    struct ref_world *w;
    struct notice *notices;
    int *order;
    int extra[EVICT_VCS_MAX]; /* GPUs that count as held besides, or, negative, as gone */
    int claimed[EVICT_VCS_MAX], coming[EVICT_VCS_MAX];
    bool is_awake[EVICT_VCS_MAX];
    struct end *ends;
    int end_count;
};

/* ---------------- quotas ---------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int positive(int a)
{
    return a > 0 ? a : 0;
}

static int subtree_of(const struct evict *s, int quota);

static int kept_by(const struct evict *s, int quota)
{
    const struct evict_quota *q = &s->quotas[quota];
    return q->lend >= 0 ? positive(subtree_of(s, quota) - q->lend) : 0;
}

static int subtree_of(const struct evict *s, int quota)
{
    int gpus = s->quotas[quota].gpus;
    for (int i = 0; i < s->quota_count; i++)
        if (s->quotas[i].parent == quota)
            gpus += subtree_of(s, i) - kept_by(s, i);
    return gpus;
}

static int vc_held(const struct state *st, int vc)
{
    int held = 0;
    for (int i = 0; i < st->w->count; i++)
        if (st->w->tasks[i].is_holding && st->w->tasks[i].vc == vc)
            held += st->w->tasks[i].gpus;
    return held;
}

static int held_of(const struct state *st, int quota)
{
    int held = 0;
    if (quota < st->s->vc_count)
        return vc_held(st, quota) + st->extra[quota];
    for (int i = 0; i < st->s->quota_count; i++)
        if (st->s->quotas[i].parent == quota)
            held += positive(held_of(st, i) - kept_by(st->s, i));
    return held;
}

/* Room of the virtual cluster, if `top` were in no cohort. */
static int room_of(const struct state *st, int quota, int top)
{
    const struct evict_quota *q = &st->s->quotas[quota];
    const int subtree = subtree_of(st->s, quota), kept = kept_by(st->s, quota);
    const int held = held_of(st, quota);
    if (quota == top || q->parent < 0)
        return subtree - held;
    int around = room_of(st, q->parent, top);
    if (q->borrow >= 0) /* the first part of the room around it is what it lends */
        around = least(around, subtree - kept + q->borrow - positive(held - kept));
    return positive(kept - held) + around;
}

static bool is_around(const struct evict *s, int quota, int vc)
{
    for (int at = vc; at >= 0; at = s->quotas[at].parent)
        if (at == quota)
            return true;
    return false;
}

static bool is_borrowing(const struct state *st, int vc, int quota)
{
    if (is_around(st->s, quota, vc))
        return false;
    for (int at = vc; at >= 0; at = st->s->quotas[at].parent) {
        if (is_around(st->s, at, quota))
            return true;
        if (held_of(st, at) <= subtree_of(st->s, at))
            return false;
    }
    return false;
}

static int depth_of(const struct evict *s, int quota)
{
    int depth = 0;
    while ((quota = s->quotas[quota].parent) >= 0)
        depth++;
    return depth;
}

/* The quota of the virtual cluster, or of a cohort around it, that is inside `depth` cohorts; -1:
 * none. */
static int quota_at(const struct evict *s, int vc, int depth)
{
    int at = vc;
    while (at >= 0 && depth_of(s, at) != depth)
        at = s->quotas[at].parent;
    return at;
}

/* ---------------- orders ---------------- */

/* The smaller goes first. */
static int class_of(const struct state *st, int job)
{
    return st->s->has_classes && st->w->tasks[job].is_last;
}

static int64_t level_of(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    if (!st->s->has_levels)
        return 0;
    return (st->s->ageing_us > 0 ? t->submit_us / st->s->ageing_us : 0) - t->priority;
}

static int64_t key_of(const struct state *st, int job)
{
    const struct ref_task *t = &st->w->tasks[job];
    switch (st->s->order) {
    case EVICT_FIFO:
        return t->submit_us;
    case EVICT_SJF:
        return t->duration_us;
    case EVICT_QSSF:
        return t->duration_us * t->gpus;
    case EVICT_SRTF:
        break;
    }
    return t->left_us + t->owed_us;
}

static int sign(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_submission(const struct state *st, int a, int b)
{
    const int order = sign(st->w->tasks[a].submit_us, st->w->tasks[b].submit_us);
    return order != 0 ? order : sign(a, b);
}

/* Orders waiting jobs: the queue. */
static int by_queue(const struct state *st, int a, int b)
{
    int order = sign(class_of(st, a), class_of(st, b));
    order = order != 0 ? order : sign(level_of(st, a), level_of(st, b));
    order = order != 0 ? order : sign(key_of(st, a), key_of(st, b));
    return order != 0 ? order : by_submission(st, a, b);
}

/* Orders by what lets a job take GPUs from running jobs. */
static int by_eviction_level(const struct state *st, int a, int b)
{
    int order = st->s->class_evicts ? sign(class_of(st, a), class_of(st, b)) : 0;
    if (order == 0 && st->s->level_preempts)
        order = sign(level_of(st, a), level_of(st, b));
    return order;
}

static int by_start(const struct state *st, int a, int b)
{
    int order = by_eviction_level(st, a, b);
    order = order != 0 ? order : sign(st->w->tasks[a].since_us, st->w->tasks[b].since_us);
    return order != 0 ? order : by_submission(st, a, b);
}

/* Orders all jobs of a virtual cluster. */
static int by_choice(const struct state *st, int a, int b)
{
    const bool a_holds = st->w->tasks[a].is_holding, b_holds = st->w->tasks[b].is_holding;
    int order = by_eviction_level(st, a, b);
    if (order == 0 && st->s->order == EVICT_SRTF) {
        order = sign(key_of(st, a), key_of(st, b));
        order = order != 0 ? order : sign(b_holds, a_holds);
        return order != 0 ? order : by_submission(st, a, b);
    }
    order = order != 0 ? order : sign(b_holds, a_holds);
    if (order != 0)
        return order;
    return a_holds ? by_start(st, a, b) : by_queue(st, a, b);
}

static bool waits(const struct state *st, int job, int vc)
{
    const struct ref_task *t = &st->w->tasks[job];
    return t->is_live && !t->is_holding && t->vc == vc && !st->notices[job].is_stopped;
}

static int list(struct state *st, int vc, bool with_holders,
                int (*compare)(const struct state *, int, int))
{
    int count = 0;
    for (int i = 0; i < st->w->count; i++) {
        const struct ref_task *t = &st->w->tasks[i];
        const bool holds =
            with_holders && t->is_holding && t->vc == vc && !st->notices[i].by_reclaim;
        if (!waits(st, i, vc) && !holds)
            continue;
        int at = count++;
        for (; at > 0 && compare(st, i, st->order[at - 1]) < 0; at--)
            st->order[at] = st->order[at - 1];
        st->order[at] = i;
    }
    return count;
}

/* ---------------- notices ---------------- */

static bool is_over(struct state *st, int job)
{
    struct notice *notice = &st->notices[job];
    if (st->s->grace_us == 0)
        return true;
    if (notice->due_us < 0) {
        notice->due_us = st->w->now_us + st->s->grace_us;
        if (st->end_count < EVICT_TIMES_MAX) {
            st->ends[st->end_count].at_us = notice->due_us;
            st->ends[st->end_count++].vc = st->w->tasks[job].vc;
        }
    }
    notice->is_chosen = true;
    return notice->due_us <= st->w->now_us;
}

static void stop(struct state *st, int job)
{
    ref_preempt(st->w, job);
    st->notices[job] = (struct notice){.due_us = -1, .is_stopped = true};
}

/* ---------------- reclaim ---------------- */

static int find_borrower(const struct state *st, int quota)
{
    int best = -1;
    for (int i = 0; i < st->w->count; i++) {
        if (!st->w->tasks[i].is_holding || st->notices[i].is_reclaimed ||
            st->w->tasks[i].gpus == 0 || !is_borrowing(st, st->w->tasks[i].vc, quota))
            continue;
        if (best >= 0 && st->notices[best].by_reclaim != st->notices[i].by_reclaim)
            best = st->notices[i].by_reclaim ? i : best;
        else if (best < 0 || by_start(st, i, best) > 0)
            best = i;
    }
    return best;
}

static bool take_back(struct state *st, int vc, int quota)
{
    const int job = find_borrower(st, quota);
    if (job < 0)
        return false;
    st->notices[job].is_reclaimed = true;
    if (is_over(st, job)) {
        stop(st, job);
        return true;
    }
    st->extra[st->w->tasks[job].vc] -= st->w->tasks[job].gpus;
    st->coming[vc] += st->w->tasks[job].gpus;
    return true;
}

static void claim(struct state *st, int vc, int quota)
{
    const int count = list(st, vc, false, by_queue);
    for (int i = 0; i < count; i++) {
        const int job = st->order[i], gpus = st->w->tasks[job].gpus;
        if (st->notices[job].claims)
            continue;
        if (gpus > room_of(st, vc, quota)) {
            if (!st->s->skips)
                return;
            continue;
        }
        while (gpus > room_of(st, vc, -1) && take_back(st, vc, quota))
            ;
        st->notices[job].claims = true;
        st->extra[vc] += gpus;
        st->claimed[vc] += gpus;
    }
}

static void claim_all(struct state *st)
{
    for (int depth = st->s->quota_count; depth > 0; depth--)
        for (int vc = 0; vc < st->s->vc_count; vc++)
            if (quota_at(st->s, vc, depth) >= 0)
                claim(st, vc, quota_at(st->s, vc, depth));
    for (int i = 0; i < st->w->count; i++)
        st->notices[i].by_reclaim = st->notices[i].is_reclaimed;
}

/* ---------------- a decision ---------------- */

static void count_claims(struct state *st, int except)
{
    for (int vc = 0; vc < st->s->vc_count; vc++)
        st->extra[vc] = vc == except ? 0 : positive(st->claimed[vc] - st->coming[vc]);
}

static bool try_start(struct state *st, int job)
{
    const int vc = st->w->tasks[job].vc;
    if (st->w->tasks[job].gpus > room_of(st, vc, -1) || !ref_try_start(st->w, job))
        return false;
    if (st->notices[job].claims)
        st->claimed[vc] -= st->w->tasks[job].gpus;
    return true;
}

static void choose(struct state *st, int vc)
{
    int free_gpus[REF_NODES_MAX], chosen_count = 0, left;
    int *chosen = calloc((size_t)st->w->count + 1, sizeof *chosen);
    bool is_blocked = false;
    ref_free_gpus(st->w, free_gpus);
    left = least(ref_sum(free_gpus, st->w->nodes), positive(room_of(st, vc, -1))) + st->coming[vc];
    const int count = list(st, vc, true, by_choice);
    for (int i = 0; i < count; i++)
        if (st->w->tasks[st->order[i]].is_holding)
            left += st->w->tasks[st->order[i]].gpus;
    for (int i = 0; i < count; i++) {
        const int job = st->order[i];
        const struct ref_task *t = &st->w->tasks[job];
        if (t->gpus > left) {
            is_blocked = is_blocked || !st->s->skips;
            const bool has_notice = st->s->class_evicts && t->is_last;
            if (t->is_holding && (!has_notice || is_over(st, job)))
                stop(st, job);
        } else if (t->is_holding || !is_blocked) {
            left -= t->gpus;
            if (!t->is_holding)
                chosen[chosen_count++] = job;
        }
    }
    for (int i = 0; i < chosen_count; i++)
        if (!try_start(st, chosen[i]) && !st->s->skips)
            break;
    free(chosen);
}

static void scan(struct state *st, int vc)
{
    const int count = list(st, vc, false, by_queue);
    int *queue = calloc((size_t)count + 1, sizeof *queue);
    memcpy(queue, st->order, (size_t)count * sizeof *queue);
    for (int i = 0; i < count; i++)
        if (!try_start(st, queue[i]) && !st->s->skips)
            break;
    free(queue);
}

static void decide(struct state *st)
{
    const struct evict *s = st->s;
    const bool evicts =
        s->order == EVICT_SRTF || s->class_evicts || s->level_preempts || s->reclaims;
    bool is_any = false;
    for (int vc = 0; vc < s->vc_count; vc++)
        is_any = is_any || st->is_awake[vc];
    for (int vc = 0; vc < s->vc_count; vc++)
        st->is_awake[vc] = st->is_awake[vc] || (is_any && s->reclaims);
    memset(st->extra, 0, sizeof st->extra);
    memset(st->claimed, 0, sizeof st->claimed);
    memset(st->coming, 0, sizeof st->coming);
    if (is_any && s->reclaims)
        claim_all(st);
    for (int vc = 0; vc < s->vc_count; vc++) {
        count_claims(st, vc);
        if (st->is_awake[vc] && evicts)
            choose(st, vc);
        else if (st->is_awake[vc])
            scan(st, vc);
    }
    for (int i = 0; i < st->w->count; i++) {
        struct notice *notice = &st->notices[i];
        if (st->is_awake[st->w->tasks[i].vc] && !notice->is_chosen)
            notice->due_us = -1;
        notice->is_chosen = notice->is_reclaimed = notice->is_stopped = notice->claims = false;
    }
    memset(st->is_awake, 0, sizeof st->is_awake);
}

/* ---------------- time ---------------- */

static void wake_all(struct state *st)
{
    for (int vc = 0; vc < st->s->vc_count; vc++)
        st->is_awake[vc] = true;
}

static void handle_finishes(struct state *st)
{
    for (int job; (job = ref_finish_one(st->w)) >= 0;) {
        st->notices[job].by_reclaim = false;
        wake_all(st);
    }
}

static void handle_others(struct state *st)
{
    for (int job = -1; (job = ref_submit_one(st->w, job)) >= 0;) {
        struct ref_task *t = &st->w->tasks[job];
        const struct state idle = {.s = st->s, .w = &(struct ref_world){.count = 0}};
        if (t->gpus > room_of(&idle, t->vc, -1)) {
            t->is_rejected = true;
            t->is_live = false;
        }
        if (t->is_live)
            wake_all(st);
    }
    for (int i = 0; i < st->end_count; i++)
        if (st->ends[i].at_us == st->w->now_us)
            st->is_awake[st->ends[i].vc] = true;
}

static int64_t next_us(const struct state *st)
{
    int64_t at_us = ref_next_us(st->w);
    for (int i = 0; i < st->end_count; i++)
        if (st->ends[i].at_us > st->w->now_us && st->ends[i].at_us < at_us)
            at_us = st->ends[i].at_us;
    return at_us;
}

bool evict_simulate(const struct evict *s, struct ref_world *w, int64_t horizon_us)
{
    struct state *st = calloc(1, sizeof *st);
    bool is_done = true;
    st->s = s;
    st->w = w;
    st->ends = calloc(EVICT_TIMES_MAX, sizeof *st->ends);
    st->notices = calloc((size_t)w->count + 1, sizeof *st->notices);
    st->order = calloc((size_t)w->count + 1, sizeof *st->order);
    ref_begin(w);
    for (int i = 0; i < w->count; i++)
        st->notices[i].due_us = -1;
    for (int64_t at_us; (at_us = next_us(st)) <= horizon_us;) {
        ref_advance(w, at_us);
        handle_finishes(st);
        handle_others(st);
        decide(st);
        while (ref_has_finish(w)) {
            handle_finishes(st);
            decide(st);
        }
    }
    for (int i = 0; i < w->count; i++)
        is_done = is_done && !w->tasks[i].is_live;
    free(st->ends);
    free(st->notices);
    free(st->order);
    free(st);
    return is_done;
}
