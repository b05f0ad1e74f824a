/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refplace.h.
 */
#include "refplace.h"

#include <stdlib.h>
#include <string.h>

#define ONE_Q20 (INT64_C(1) << 20)

struct question {
    const struct place_rules *rules;
    const struct place_gpu *gpus;
    int gpu_count;
    const struct place_request *job;
};

static bool is_idle(const struct question *q, int gpu)
{
    return q->gpus[gpu].tenants == 0 && !q->gpus[gpu].is_barred;
}

static bool is_large(const struct question *q)
{
    return q->job->gpus > q->rules->share_up_to;
}

static bool is_feasible(const struct question *q, int gpu)
{
    const struct place_rules *r = q->rules;
    const struct place_gpu *g = &q->gpus[gpu];
    if (g->is_barred || g->tenants == 0)
        return !g->is_barred;
    if (q->job->is_loner || is_large(q) || g->has_loner || g->tenants >= r->max_tenants)
        return false;
    if (r->util_cap_pm > 0 && g->util_pm + q->job->util_pm > r->util_cap_pm)
        return false;
    int64_t memory = g->used_mib + q->job->mem_mib;
    return g->mem_mib == 0 ||
           (memory + r->mem_margin_mib < g->mem_mib && memory <= g->mem_mib - r->reserve_mib);
}

/* ---- cost ---- */

static int64_t memory_cost(const struct question *q, const struct place_gpu *g)
{
    int64_t weight = q->rules->w_mem_q20;
    if (g->mem_mib == 0)
        return 0;
    if (q->rules->cost == PLACE_AS_CODED)
        return weight * g->used_mib + weight * q->job->mem_mib / g->mem_mib;
    return weight * (g->used_mib + q->job->mem_mib) / g->mem_mib;
}

static int64_t utilization_cost(const struct question *q, const struct place_gpu *g)
{
    if (q->rules->cost == PLACE_GANDIVA)
        return (g->util_pm < 1000 ? g->util_pm : 1000) * ONE_Q20 / 1000;
    int64_t excess_pm = g->util_pm + q->job->peak_pm - 1000;
    return excess_pm > 0 ? q->rules->w_u_over_q20 * excess_pm / 1000
                         : q->rules->w_u_under_q20 * -excess_pm / 1000;
}

static int64_t cost_of(const struct question *q, int gpu)
{
    const struct place_gpu *g = &q->gpus[gpu];
    if (q->rules->cost == PLACE_PACK)
        return g->mem_mib == 0 ? -g->used_mib : -(g->used_mib * ONE_Q20 / g->mem_mib);
    return memory_cost(q, g) + utilization_cost(q, g) + q->rules->w_n_q20 * g->tenants +
           q->rules->w_type_q20 * g->lag_q20 / ONE_Q20;
}

/* ---- nodes ---- */

static int node_count(const struct question *q)
{
    return q->gpus[q->gpu_count - 1].node + 1;
}

static int idle_on(const struct question *q, int node)
{
    int count = 0;
    for (int g = 0; g < q->gpu_count; g++)
        count += q->gpus[g].node == node && is_idle(q, g);
    return count;
}

/* A node's feasible GPUs, cheapest first. */
struct offer {
    int node, rack, idle;
    int count, gpus[PLACE_GPUS_MAX];
    int64_t cost; /* of the first `most` */
};

static struct offer offer_of(const struct question *q, int node, int most)
{
    struct offer o = {.node = node, .idle = idle_on(q, node)};
    for (int g = 0; g < q->gpu_count; g++) {
        if (q->gpus[g].node != node)
            continue;
        o.rack = q->gpus[g].rack;
        if (!is_feasible(q, g))
            continue;
        int at = o.count++;
        for (; at > 0 && cost_of(q, g) < cost_of(q, o.gpus[at - 1]); at--)
            o.gpus[at] = o.gpus[at - 1];
        o.gpus[at] = g;
    }
    if (o.count > most)
        o.count = most;
    for (int i = 0; i < o.count; i++)
        o.cost += cost_of(q, o.gpus[i]);
    return o;
}

/* ---- one GPU ---- */

static bool is_better_idle(const struct question *q, int a, int b)
{
    int idle_a = idle_on(q, q->gpus[a].node), idle_b = idle_on(q, q->gpus[b].node);
    if (cost_of(q, a) != cost_of(q, b))
        return cost_of(q, a) < cost_of(q, b);
    return idle_a != idle_b ? idle_a < idle_b : a < b;
}

static bool find_one(const struct question *q, int *chosen)
{
    int idle = -1, shared = -1;
    for (int g = 0; g < q->gpu_count; g++) {
        if (is_idle(q, g)) {
            if (idle < 0 || is_better_idle(q, g, idle))
                idle = g;
        } else if (is_feasible(q, g)) {
            if (shared < 0 || cost_of(q, g) < cost_of(q, shared))
                shared = g;
        }
    }
    if (idle < 0 && shared < 0)
        return false;
    bool is_shared = idle < 0 || (shared >= 0 && cost_of(q, shared) < cost_of(q, idle));
    chosen[0] = is_shared ? shared : idle;
    return true;
}

/* ---- gangs ---- */

static bool find_on_one_node(const struct question *q, int *chosen)
{
    struct offer best = {.count = 0};
    for (int n = 0; n < node_count(q); n++) {
        struct offer o = offer_of(q, n, q->job->gpus);
        if (o.count < q->job->gpus)
            continue;
        if (best.count == 0 || o.cost < best.cost ||
            (o.cost == best.cost && o.idle < best.idle)) /* then the lower id, tried before */
            best = o;
    }
    memcpy(chosen, best.gpus, sizeof *chosen * (size_t)best.count);
    return best.count > 0;
}

/* distance: of the racks from the anchor's. */
static bool goes_before(const struct offer *a, int distance_a, const struct offer *b,
                        int distance_b)
{
    if (distance_a != distance_b)
        return distance_a < distance_b;
    if (a->count != b->count)
        return a->count > b->count;
    return a->cost != b->cost ? a->cost < b->cost : a->node < b->node;
}

static bool find_spread(const struct question *q, int *chosen)
{
    bool is_used[PLACE_NODES_MAX] = {false};
    int found = 0, anchor = -1;
    while (found < q->job->gpus) {
        struct offer best = {.count = 0};
        for (int n = 0; n < node_count(q); n++) {
            struct offer o = offer_of(q, n, q->job->gpus);
            int far = anchor < 0 ? 0 : abs(o.rack - anchor);
            int best_far = anchor < 0 ? 0 : abs(best.rack - anchor);
            if (!is_used[n] && o.count > 0 &&
                (best.count == 0 || goes_before(&o, far, &best, best_far)))
                best = o;
        }
        if (best.count == 0)
            return false;
        anchor = anchor < 0 ? best.rack : anchor;
        is_used[best.node] = true;
        for (int i = 0; i < best.count && found < q->job->gpus; i++)
            chosen[found++] = best.gpus[i];
    }
    return true;
}

/* ---- gangs that are too large to share: consolidate, for nodes of one size ---- */

static void take_idle(const struct question *q, int node, int count, int *chosen, int *found)
{
    for (int g = 0; g < q->gpu_count && count > 0; g++)
        if (q->gpus[g].node == node && is_idle(q, g)) {
            chosen[(*found)++] = g;
            count--;
        }
}

/* A node not used yet with at least `needed` idle GPUs, the fullest or the emptiest. */
static int pick_node(const struct question *q, const bool *is_used, int needed, bool is_fullest)
{
    int best = -1;
    for (int n = 0; n < node_count(q); n++) {
        int idle = idle_on(q, n);
        if (is_used[n] || idle < needed)
            continue;
        if (best < 0 || (is_fullest ? idle < idle_on(q, best) : idle > idle_on(q, best)))
            best = n;
    }
    return best;
}

static bool find_whole(const struct question *q, int *chosen)
{
    bool is_used[PLACE_NODES_MAX] = {false};
    int size = 0, found = 0;
    for (int g = 0; g < q->gpu_count; g++)
        size += q->gpus[g].node == 0;
    for (int left = q->job->gpus; left > 0;) {
        int part = left < size ? left : size;
        bool is_fullest = part == q->job->gpus || part == size;
        int node = pick_node(q, is_used, part, is_fullest);
        if (node < 0)
            return false;
        is_used[node] = true;
        take_idle(q, node, part, chosen, &found);
        left -= part;
    }
    return true;
}

bool place_find(const struct place_rules *rules, const struct place_gpu *gpus, int gpu_count,
                const struct place_request *request, int *chosen)
{
    const struct question q = {rules, gpus, gpu_count, request};
    if (is_large(&q))
        return find_whole(&q, chosen);
    if (request->gpus == 1)
        return find_one(&q, chosen);
    return find_on_one_node(&q, chosen) || find_spread(&q, chosen);
}
