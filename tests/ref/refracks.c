/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refracks.h.
 */
#include "refracks.h"

#include <string.h>

/* GPUs that the gang could get on a node now. */
static int usable(const struct ref_racks *c, const int *free_gpus, int node)
{
    return c->may_use[node] ? free_gpus[node] : 0;
}

static int largest_node(const struct ref_racks *c)
{
    int g = 0;
    for (int n = 0; n < c->nodes; n++)
        if (c->may_use[n] && c->node_gpus[n] > g)
            g = c->node_gpus[n];
    return g;
}

static bool place_on_one_node(const struct ref_racks *c, const int *free_gpus, int gpus, int *taken)
{
    int best = -1;
    for (int n = 0; n < c->nodes; n++)
        if (usable(c, free_gpus, n) >= gpus && (best < 0 || free_gpus[n] < free_gpus[best]))
            best = n;
    if (best >= 0)
        taken[best] = gpus;
    return best >= 0;
}

/* Takes up to `gpus` of at most `nodes` nodes of the rack, those with most first; returns how many.
 */
static int take_of_rack(const struct ref_racks *c, const int *free_gpus, int rack, int nodes,
                        int gpus, int *taken)
{
    int got = 0;
    for (; nodes > 0 && got < gpus; nodes--) {
        int best = -1;
        for (int n = 0; n < c->nodes; n++)
            if (c->rack_of[n] == rack && taken[n] == 0 && usable(c, free_gpus, n) > 0 &&
                (best < 0 || free_gpus[n] > free_gpus[best]))
                best = n;
        if (best < 0)
            break;
        taken[best] = free_gpus[best] < gpus - got ? free_gpus[best] : gpus - got;
        got += taken[best];
    }
    return got;
}

/* The rack not seen yet with most free GPUs, whatever VC they belong to; -1: all are seen. */
static int next_rack(const struct ref_racks *c, const int *free_gpus, bool *is_seen)
{
    int best = -1, best_free = -1;
    for (int rack = 0; rack <= c->rack_of[c->nodes - 1]; rack++) {
        int sum = 0;
        for (int n = 0; n < c->nodes; n++)
            sum += c->rack_of[n] == rack ? free_gpus[n] : 0;
        if (!is_seen[rack] && sum > best_free) {
            best = rack;
            best_free = sum;
        }
    }
    if (best >= 0)
        is_seen[best] = true;
    return best;
}

static bool place_at(const struct ref_racks *c, const int *free_gpus, int gpus, int level,
                     int *taken)
{
    int g = largest_node(c), got = 0, rack;
    bool is_seen[REF_NODES_MAX] = {false};
    memset(taken, 0, sizeof(int) * REF_NODES_MAX);
    if (level == 0 && gpus <= g)
        return place_on_one_node(c, free_gpus, gpus, taken);
    int nodes = level == 0 ? (gpus + g - 1) / g : c->nodes;
    while (got < gpus && (rack = next_rack(c, free_gpus, is_seen)) >= 0) {
        if (level < 2) {
            memset(taken, 0, sizeof(int) * REF_NODES_MAX);
            got = 0;
        }
        got += take_of_rack(c, free_gpus, rack, nodes, gpus - got, taken);
    }
    return got == gpus;
}

bool ref_place_racks(const struct ref_racks *c, const int *free_gpus, int gpus, int level,
                     int *taken)
{
    for (int l = 0; l <= level; l++)
        if (place_at(c, free_gpus, gpus, l, taken))
            return true;
    return false;
}
