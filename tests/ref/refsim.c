/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refsim.h. Everything is a scan over all jobs or all nodes. O(seconds x jobs + passes x
 * jobs^2).
 */
#include "refsim.h"

#include <stdlib.h>
#include <string.h>

/* ---------------- the cluster: free GPUs of each node, recounted from the jobs ---------------- */

static void count_free(const struct ref_scenario *s, int *free_gpus)
{
    for (int n = 0; n < s->nodes; n++) {
        free_gpus[n] = s->node_gpus[n];
        for (int j = 0; j < s->job_count; j++)
            free_gpus[n] -= s->jobs[j].on_node[n];
    }
}

/* ---------------- jobs ---------------- */

static bool is_waiting(const struct ref_job *j)
{
    return j->is_submitted && !j->is_placed && !j->is_done;
}

static int64_t key_of(const struct ref_scenario *s, const struct ref_job *j)
{
    switch (s->policy) {
    case REF_SJF:
        return j->duration;
    case REF_SRTF:
        return j->left + j->cost_left;
    case REF_SRSF:
        return (j->left + j->cost_left) * j->gpus;
    case REF_FIFO:
        break;
    }
    return j->submit;
}

static bool goes_before(const struct ref_scenario *s, int a, int b)
{
    const struct ref_job *x = &s->jobs[a], *y = &s->jobs[b];
    if (key_of(s, x) != key_of(s, y))
        return key_of(s, x) < key_of(s, y);
    if (s->policy >= REF_SRTF && s->form == REF_REPLACE && x->rank != y->rank)
        return x->rank < y->rank;
    if (s->policy >= REF_SRTF && s->form == REF_EVICT && x->is_placed != y->is_placed)
        return x->is_placed;
    if (x->submit != y->submit)
        return x->submit < y->submit;
    return a < b;
}

/* Live jobs that match, in order; insertion sort. */
static int sorted_jobs(const struct ref_scenario *s, bool with_placed, int *order)
{
    int count = 0;
    for (int j = 0; j < s->job_count; j++) {
        if (!is_waiting(&s->jobs[j]) && !(with_placed && s->jobs[j].is_placed))
            continue;
        int at = count++;
        for (; at > 0 && goes_before(s, j, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
    return count;
}

static void start(struct ref_job *j, const int *taken, int64_t now)
{
    memcpy(j->on_node, taken, sizeof j->on_node);
    j->is_placed = true;
    if (j->first_start < 0)
        j->first_start = now;
}

static void charge(const struct ref_scenario *s, struct ref_job *j)
{
    j->cost_left += ref_cost_of(s->cost, s->cost_table, j->gpus, j->preempt_cost);
}

static void preempt(const struct ref_scenario *s, struct ref_job *j)
{
    memset(j->on_node, 0, sizeof j->on_node);
    j->is_placed = false;
    j->preemptions++;
    charge(s, j);
}

static bool try_start(struct ref_scenario *s, int job, int64_t now)
{
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    count_free(s, free_gpus);
    if (!ref_place(s->placer, s->node_gpus, s->nodes, free_gpus, s->jobs[job].gpus, taken))
        return false;
    start(&s->jobs[job], taken, now);
    return true;
}

/* ---------------- the passes ---------------- */

static int64_t end_of(const struct ref_job *j, int64_t now)
{
    return now + j->cost_left + j->left;
}

/* The time at which the head would have enough GPUs in number, and how many would be left over
 * then. */
static void find_shadow(const struct ref_scenario *s, int head, int64_t now, int64_t *shadow,
                        int *extra)
{
    int free_gpus[REF_NODES_MAX];
    count_free(s, free_gpus);
    int would_be_free = ref_sum(free_gpus, s->nodes);
    bool *seen = calloc((size_t)s->job_count, sizeof *seen);
    *shadow = INT64_MAX;
    *extra = 0;
    for (;;) {
        int next = -1;
        for (int j = 0; j < s->job_count; j++)
            if (s->jobs[j].is_placed && !seen[j] &&
                (next < 0 || end_of(&s->jobs[j], now) < end_of(&s->jobs[next], now)))
                next = j;
        if (next < 0)
            break;
        seen[next] = true;
        would_be_free += s->jobs[next].gpus;
        if (would_be_free >= s->jobs[head].gpus) {
            *shadow = end_of(&s->jobs[next], now);
            *extra = would_be_free - s->jobs[head].gpus;
            break;
        }
    }
    free(seen);
}

static void pass_queue(struct ref_scenario *s, int64_t now, int *order)
{
    int count = sorted_jobs(s, false, order), at = 0;
    if (s->scan == REF_FIT) {
        for (; at < count; at++)
            try_start(s, order[at], now);
        return;
    }
    while (at < count && try_start(s, order[at], now))
        at++;
    if (at == count || s->scan == REF_STRICT)
        return;
    int64_t shadow;
    int extra;
    find_shadow(s, order[at], now, &shadow, &extra);
    for (at++; at < count; at++) {
        const struct ref_job *j = &s->jobs[order[at]];
        bool is_short = now + j->duration <= shadow;
        if ((is_short || j->gpus <= extra) && try_start(s, order[at], now) && !is_short)
            extra -= j->gpus;
    }
}

static void pass_evict(struct ref_scenario *s, int64_t now, int *order)
{
    int count = sorted_jobs(s, true, order), room = ref_sum(s->node_gpus, s->nodes);
    bool *chosen = calloc((size_t)s->job_count, sizeof *chosen);
    for (int i = 0; i < count; i++) {
        if (s->jobs[order[i]].gpus <= room) {
            chosen[order[i]] = true;
            room -= s->jobs[order[i]].gpus;
        }
    }
    for (int i = 0; i < count; i++)
        if (s->jobs[order[i]].is_placed && !chosen[order[i]])
            preempt(s, &s->jobs[order[i]]);
    for (int i = 0; i < count; i++)
        if (chosen[order[i]] && !s->jobs[order[i]].is_placed)
            try_start(s, order[i], now);
    free(chosen);
}

static void pass_replace(struct ref_scenario *s, int64_t now, int *order)
{
    int count = sorted_jobs(s, true, order);
    int free_gpus[REF_NODES_MAX], taken[REF_NODES_MAX];
    memcpy(free_gpus, s->node_gpus, sizeof free_gpus);
    for (int i = 0; i < count; i++) {
        struct ref_job *j = &s->jobs[order[i]];
        j->rank = i;
        if (ref_place(s->placer, s->node_gpus, s->nodes, free_gpus, j->gpus, taken)) {
            for (int n = 0; n < s->nodes; n++)
                free_gpus[n] -= taken[n];
            if (j->is_placed && memcmp(j->on_node, taken, sizeof taken) != 0)
                charge(s, j);
            start(j, taken, now);
        } else if (j->is_placed) {
            preempt(s, j);
        }
    }
}

static void pass(struct ref_scenario *s, int64_t now, int *order)
{
    if (s->policy <= REF_SJF)
        pass_queue(s, now, order);
    else if (s->form == REF_EVICT)
        pass_evict(s, now, order);
    else
        pass_replace(s, now, order);
}

/* ---------------- time ---------------- */

static bool handle_finishes(struct ref_scenario *s, int64_t now)
{
    bool any = false;
    for (int i = 0; i < s->job_count; i++) {
        struct ref_job *j = &s->jobs[i];
        if (!j->is_placed || j->left > 0 || j->cost_left > 0)
            continue;
        memset(j->on_node, 0, sizeof j->on_node);
        j->is_placed = false;
        j->is_done = true;
        j->finish = now;
        any = true;
    }
    return any;
}

static bool handle_submissions(struct ref_scenario *s, int64_t now)
{
    bool any = false;
    for (int i = 0; i < s->job_count; i++) {
        struct ref_job *j = &s->jobs[i];
        if (j->submit != now)
            continue;
        j->is_submitted = true;
        j->is_rejected = j->gpus > ref_sum(s->node_gpus, s->nodes);
        j->is_done = j->is_rejected;
        any = true;
    }
    return any;
}

/* Advances by one second; true if a cost was paid up in it. */
static bool advance(struct ref_scenario *s)
{
    bool any = false;
    for (int i = 0; i < s->job_count; i++) {
        struct ref_job *j = &s->jobs[i];
        if (!j->is_placed)
            continue;
        if (j->cost_left > 0)
            any |= --j->cost_left == 0;
        else
            j->left--;
    }
    return any;
}

bool ref_simulate(struct ref_scenario *s, int64_t horizon)
{
    int *order = calloc((size_t)s->job_count + 1, sizeof *order);
    for (int i = 0; i < s->job_count; i++) {
        struct ref_job *j = &s->jobs[i];
        j->first_start = j->finish = -1;
        j->preemptions = 0;
        j->rank = s->job_count; /* behind all that have been through a pass */
        j->left = j->duration;
        j->cost_left = 0;
        j->is_rejected = j->is_submitted = j->is_placed = j->is_done = false;
        memset(j->on_node, 0, sizeof j->on_node);
    }
    bool is_over = false, cost_ended = false;
    for (int64_t now = 0; now <= horizon && !is_over; now++) {
        bool finished = handle_finishes(s, now);
        bool has_event = handle_submissions(s, now) || finished || cost_ended;
        while (has_event) {
            pass(s, now, order);
            has_event = handle_finishes(s, now);
        }
        cost_ended = advance(s);
        is_over = true;
        for (int i = 0; i < s->job_count; i++)
            is_over = is_over && s->jobs[i].is_done;
    }
    free(order);
    return is_over;
}
