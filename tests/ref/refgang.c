/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refgang.h.
 */
#include "refgang.h"

#include <string.h>

struct nodes {
    const int *gpus;
    int nodes;
};

int ref_sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

static int largest_node(const struct nodes *c)
{
    int g = 0;
    for (int n = 0; n < c->nodes; n++)
        g = c->gpus[n] > g ? c->gpus[n] : g;
    return g;
}

/* Nodes with at least `need` free GPUs and nothing taken yet: the first, the fullest, the emptiest;
 * the lowest id wins a tie. -1 if there is none. */
enum pick { FIRST, FULLEST, EMPTIEST };
static int pick_node(const struct nodes *c, const int *free_gpus, const int *taken, int need,
                     enum pick pick)
{
    int best = -1;
    for (int n = 0; n < c->nodes; n++) {
        if (free_gpus[n] < need || free_gpus[n] == 0 || taken[n] > 0)
            continue;
        if (best < 0 || (pick == FULLEST && free_gpus[n] < free_gpus[best]) ||
            (pick == EMPTIEST && free_gpus[n] > free_gpus[best]))
            best = n;
    }
    return best;
}

/* Places a gang on one node if it can, else on whole idle nodes and the rest on one other node. */
static bool place_whole(const struct nodes *c, const int *free_gpus, int gpus, enum pick one_node,
                        enum pick rest_node, int *taken)
{
    int g = largest_node(c);
    if (gpus <= g) {
        int n = pick_node(c, free_gpus, taken, gpus, one_node);
        if (n < 0)
            return false;
        taken[n] = gpus;
        return true;
    }
    int whole = gpus / g, rest = gpus % g;
    for (int n = 0; n < c->nodes && whole > 0; n++) {
        if (c->gpus[n] == g && free_gpus[n] == g) {
            taken[n] = g;
            whole--;
        }
    }
    if (whole > 0)
        return false;
    if (rest == 0)
        return true;
    int n = pick_node(c, free_gpus, taken, rest, rest_node);
    if (n < 0)
        return false;
    taken[n] = rest;
    return true;
}

static void place_greedily(const struct nodes *c, const int *free_gpus, int gpus, int *taken)
{
    for (int n = 0; n < c->nodes && gpus > 0; n++) {
        int take = free_gpus[n] < gpus ? free_gpus[n] : gpus;
        taken[n] = take;
        gpus -= take;
    }
}

static void place_best_fit(const struct nodes *c, const int *free_gpus, int gpus, int *taken)
{
    while (gpus > 0) {
        int n = pick_node(c, free_gpus, taken, gpus, FULLEST);
        if (n < 0)
            n = pick_node(c, free_gpus, taken, 1, EMPTIEST);
        taken[n] = free_gpus[n] < gpus ? free_gpus[n] : gpus;
        gpus -= taken[n];
    }
}

static void place_spread(const struct nodes *c, const int *free_gpus, int gpus, int *taken)
{
    while (gpus-- > 0) {
        int best = 0;
        for (int n = 1; n < c->nodes; n++)
            if (free_gpus[n] - taken[n] > free_gpus[best] - taken[best])
                best = n;
        taken[best]++;
    }
}

bool ref_place(enum ref_placer placer, const int *node_gpus, int nodes, const int *free_gpus,
               int gpus, int *taken)
{
    const struct nodes cluster = {node_gpus, nodes}, *c = &cluster;
    memset(taken, 0, sizeof(int) * REF_NODES_MAX);
    if (ref_sum(free_gpus, c->nodes) < gpus)
        return false;
    int one = -1;
    switch (placer) {
    case REF_YARN:
        return place_whole(c, free_gpus, gpus, FIRST, FIRST, taken);
    case REF_CONSOLIDATE:
        return place_whole(c, free_gpus, gpus, FULLEST, EMPTIEST, taken);
    case REF_BEST_FIT:
        place_best_fit(c, free_gpus, gpus, taken);
        return true;
    case REF_FIRST_FIT:
        one = pick_node(c, free_gpus, taken, gpus, FIRST);
        if (one >= 0)
            taken[one] = gpus;
        else
            place_greedily(c, free_gpus, gpus, taken);
        return true;
    case REF_SPREAD:
        place_spread(c, free_gpus, gpus, taken);
        return true;
    case REF_COUNT:
        break;
    }
    place_greedily(c, free_gpus, gpus, taken);
    return true;
}

int64_t ref_cost_of(enum ref_cost cost, const int64_t table[3], int gpus, int64_t own)
{
    if (cost == REF_TABLE)
        return table[gpus == 1 ? 0 : gpus <= 8 ? 1 : 2];
    return cost == REF_PER_JOB ? own : 0;
}
