/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refsim.h. Nothing here is clever: every question is answered by a scan over all jobs or all
 * nodes. O(seconds x jobs + passes x jobs^2).
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

static int sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

static int largest_node(const struct ref_scenario *s)
{
    int g = 0;
    for (int n = 0; n < s->nodes; n++)
        g = s->node_gpus[n] > g ? s->node_gpus[n] : g;
    return g;
}

/* Nodes with at least `need` free GPUs and nothing taken yet: the first, the fullest, the emptiest;
 * the lowest id wins a tie. -1 if there is none. */
enum pick { FIRST, FULLEST, EMPTIEST };
static int pick_node(const struct ref_scenario *s, const int *free_gpus, const int *taken, int need,
                     enum pick pick)
{
    int best = -1;
    for (int n = 0; n < s->nodes; n++) {
        if (free_gpus[n] < need || free_gpus[n] == 0 || taken[n] > 0)
            continue;
        if (best < 0 || (pick == FULLEST && free_gpus[n] < free_gpus[best]) ||
            (pick == EMPTIEST && free_gpus[n] > free_gpus[best]))
            best = n;
    }
    return best;
}

/* A gang of one node if it can, else whole idle nodes and the rest on one other node. */
static bool place_whole(const struct ref_scenario *s, const int *free_gpus, int gpus,
                        enum pick one_node, enum pick rest_node, int *taken)
{
    int g = largest_node(s);
    if (gpus <= g) {
        int n = pick_node(s, free_gpus, taken, gpus, one_node);
        if (n < 0)
            return false;
        taken[n] = gpus;
        return true;
    }
    int whole = gpus / g, rest = gpus % g;
    for (int n = 0; n < s->nodes && whole > 0; n++) {
        if (s->node_gpus[n] == g && free_gpus[n] == g) {
            taken[n] = g;
            whole--;
        }
    }
    if (whole > 0)
        return false;
    if (rest == 0)
        return true;
    int n = pick_node(s, free_gpus, taken, rest, rest_node);
    if (n < 0)
        return false;
    taken[n] = rest;
    return true;
}

static void place_greedily(const struct ref_scenario *s, const int *free_gpus, int gpus, int *taken)
{
    for (int n = 0; n < s->nodes && gpus > 0; n++) {
        int take = free_gpus[n] < gpus ? free_gpus[n] : gpus;
        taken[n] = take;
        gpus -= take;
    }
}

static void place_best_fit(const struct ref_scenario *s, const int *free_gpus, int gpus, int *taken)
{
    while (gpus > 0) {
        int n = pick_node(s, free_gpus, taken, gpus, FULLEST);
        if (n < 0)
            n = pick_node(s, free_gpus, taken, 1, EMPTIEST);
        taken[n] = free_gpus[n] < gpus ? free_gpus[n] : gpus;
        gpus -= taken[n];
    }
}

static void place_spread(const struct ref_scenario *s, const int *free_gpus, int gpus, int *taken)
{
    while (gpus-- > 0) {
        int best = 0;
        for (int n = 1; n < s->nodes; n++)
            if (free_gpus[n] - taken[n] > free_gpus[best] - taken[best])
                best = n;
        taken[best]++;
    }
}

/* Fills taken[] (GPUs on each node) and answers true, or answers false. */
static bool try_place(const struct ref_scenario *s, const int *free_gpus, int gpus, int *taken)
{
    memset(taken, 0, sizeof(int) * REF_NODES_MAX);
    if (sum(free_gpus, s->nodes) < gpus)
        return false;
    int one = -1;
    switch (s->placer) {
    case REF_YARN:
        return place_whole(s, free_gpus, gpus, FIRST, FIRST, taken);
    case REF_CONSOLIDATE:
        return place_whole(s, free_gpus, gpus, FULLEST, EMPTIEST, taken);
    case REF_BEST_FIT:
        place_best_fit(s, free_gpus, gpus, taken);
        return true;
    case REF_FIRST_FIT:
        one = pick_node(s, free_gpus, taken, gpus, FIRST);
        if (one >= 0)
            taken[one] = gpus;
        else
            place_greedily(s, free_gpus, gpus, taken);
        return true;
    case REF_SPREAD:
        place_spread(s, free_gpus, gpus, taken);
        return true;
    case REF_COUNT:
        break;
    }
    place_greedily(s, free_gpus, gpus, taken);
    return true;
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
    if (s->cost == REF_TABLE)
        j->cost_left += s->cost_table[j->gpus == 1 ? 0 : j->gpus <= 8 ? 1 : 2];
    if (s->cost == REF_PER_JOB)
        j->cost_left += j->preempt_cost;
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
    if (!try_place(s, free_gpus, s->jobs[job].gpus, taken))
        return false;
    start(&s->jobs[job], taken, now);
    return true;
}

/* ---------------- the passes ---------------- */

static int64_t end_of(const struct ref_job *j, int64_t now)
{
    return now + j->cost_left + j->left;
}

/* When the head would have enough GPUs in number, and how many would be left over then. */
static void find_shadow(const struct ref_scenario *s, int head, int64_t now, int64_t *shadow,
                        int *extra)
{
    int free_gpus[REF_NODES_MAX];
    count_free(s, free_gpus);
    int would_be_free = sum(free_gpus, s->nodes);
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
    int count = sorted_jobs(s, true, order), room = sum(s->node_gpus, s->nodes);
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
        if (try_place(s, free_gpus, j->gpus, taken)) {
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
        j->is_rejected = j->gpus > sum(s->node_gpus, s->nodes);
        j->is_done = j->is_rejected;
        any = true;
    }
    return any;
}

/* One second of progress; true if a cost was paid up in it. */
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
