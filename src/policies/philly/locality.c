/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Racks are sorted by free GPUs only when a gang looks for several nodes; whether a rack is worth
 * it is read from its sum first. Its nodes with GPUs for the job are collected and sorted.
 */
#include "policies/philly/locality.h"

/* A gang being placed. */
struct level_gang {
    struct hs_locality *l;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id job;
    uint32_t gpus;
    uint32_t size;  /* g */
    uint32_t nodes; /* collected in l->nodes, */
    uint64_t room;  /* and the GPUs that they have for it */
};

void hs_locality_init(struct hs_locality *l, const struct hs_view *v)
{
    l->racks = hs_view_alloc(v, (uint64_t)hs_view_racks(v) * sizeof *l->racks);
    l->nodes = hs_view_alloc(v, (uint64_t)hs_view_nodes(v) * sizeof *l->nodes);
}

/* Most free first, then lowest id. */
static struct hs_sort_entry entry_of(uint32_t id, uint32_t free_gpus)
{
    return (struct hs_sort_entry){.key = -(int64_t)free_gpus, .rank = id, .job = id};
}

static uint32_t room_of(const struct hs_sort_entry *e)
{
    return (uint32_t)-e->key;
}

/* GPUs of a node that the job could take now. */
static uint32_t usable(const struct level_gang *g, uint32_t node)
{
    uint32_t gpus = hs_view_node_free(g->v, node);
    if (gpus == 0)
        return 0;
    if (hs_view_first_fit(g->v, g->job, 1, node) != node) /* not its pool, or no CPU for one */
        return 0;
    uint32_t workers = hs_view_node_workers(g->v, g->job, node);
    return workers < gpus ? workers : gpus;
}

/* Nodes of a rack in the order in which they give their GPUs. */
static void collect_nodes(struct level_gang *g, uint32_t rack)
{
    g->nodes = 0;
    g->room = 0;
    for (uint32_t node = hs_view_rack_first(g->v, rack); node < hs_view_rack_first(g->v, rack + 1);
         node++) {
        uint32_t gpus = usable(g, node);
        if (gpus == 0)
            continue;
        g->l->nodes[g->nodes++] = entry_of(node, gpus);
        g->room += gpus;
    }
    hs_sort(g->l->nodes, g->nodes);
}

/* Racks with so many free GPUs at least, in the order in which they are tried. */
static uint32_t collect_racks(const struct level_gang *g, uint32_t least)
{
    uint32_t count = 0;
    for (uint32_t rack = 0; rack < hs_view_racks(g->v); rack++) {
        uint32_t free_gpus = hs_view_rack_free(g->v, rack);
        if (free_gpus >= least)
            g->l->racks[count++] = entry_of(rack, free_gpus);
    }
    hs_sort(g->l->racks, count);
    return count;
}

/* What the collected nodes have, in order, at most `rest`; returns what is still missing. */
static uint32_t take(const struct level_gang *g, uint32_t rest)
{
    for (uint32_t i = 0; i < g->nodes && rest > 0; i++) {
        uint32_t room = room_of(&g->l->nodes[i]);
        uint32_t gpus = room < rest ? room : rest;
        hs_plan_on_node(g->p, g->l->nodes[i].job, gpus);
        rest -= gpus;
    }
    return rest;
}

static bool place_in_rack(struct level_gang *g, uint32_t rack, uint32_t most_servers)
{
    collect_nodes(g, rack);
    if (g->room < g->gpus)
        return false;
    uint64_t room = 0;
    for (uint32_t i = 0; i < g->nodes && i < most_servers; i++)
        room += room_of(&g->l->nodes[i]);
    if (room < g->gpus)
        return false;
    hs_plan_start(g->p, g->job);
    (void)take(g, g->gpus);
    return true;
}

static bool place_in_one_rack(struct level_gang *g, uint32_t most_servers)
{
    uint32_t count = collect_racks(g, g->gpus);
    for (uint32_t i = 0; i < count; i++)
        if (place_in_rack(g, g->l->racks[i].job, most_servers))
            return true;
    return false;
}

static bool place_on_fewest(struct level_gang *g)
{
    if (g->gpus > g->size)
        return place_in_one_rack(g, (g->gpus - 1) / g->size + 1);
    uint32_t node = hs_view_best_fit(g->v, g->job, g->gpus);
    if (node == HS_NO_NODE)
        return false;
    hs_plan_start_on_node(g->p, g->job, node);
    return true;
}

static bool place_anywhere(struct level_gang *g)
{
    uint32_t mark = hs_plan_mark(g->p), rest = g->gpus, count = collect_racks(g, 1);
    hs_plan_start(g->p, g->job);
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        collect_nodes(g, g->l->racks[i].job);
        rest = take(g, rest);
    }
    if (rest > 0)
        hs_plan_rollback(g->p, mark);
    return rest == 0;
}

bool hs_locality_place(struct hs_locality *l, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, enum hs_locality_level level)
{
    struct level_gang g = {.l = l, .v = v, .p = p, .job = job, .gpus = hs_view_gpus(v, job)};
    if (g.gpus == 0) {
        hs_plan_start(p, job);
        return true;
    }
    g.size = hs_view_node_size(v, job, UINT32_MAX);
    if (hs_view_free_gpus(v, hs_view_vc(v, job)) < g.gpus || g.size == 0)
        return false;
    return place_on_fewest(&g) ||
           (level >= HS_LOCALITY_RACK && place_in_one_rack(&g, UINT32_MAX)) ||
           (level >= HS_LOCALITY_ANYWHERE && place_anywhere(&g));
}
