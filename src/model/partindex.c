/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See partindex.h. Each set is a treap (Seidel & Aragon, Algorithmica 1996) of GPUs in one array;
 * priorities are a mix of the id, so that its shape is the same everywhere.
 */
#include "model/partindex.h"

#include "base/rng.h"

#define NONE UINT32_MAX

struct link {
    uint32_t left, right;
    uint32_t set;        /* VC x types + type of the GPU */
    uint16_t room_milli; /* 0 = not in */
};

struct hs_part {
    struct link *links; /* by GPU */
    const uint32_t *gpu_node;
    uint32_t *roots; /* by set; NONE = empty */
    uint64_t *sums;  /* of the rooms in a set */
    uint32_t gpu_count, type_count, vc_count;
    bool by_vc;
};

static uint64_t key_of(const struct hs_part *p, uint32_t gpu)
{
    return (uint64_t)p->links[gpu].room_milli << 32 | gpu;
}

static uint64_t priority_of(uint32_t gpu)
{
    return hs_mix64(1, gpu);
}

/* What is below `at` goes left and right of the new GPU. */
static void split(struct hs_part *p, uint32_t at, uint32_t gpu)
{
    uint32_t *left = &p->links[gpu].left, *right = &p->links[gpu].right;
    while (at != NONE) {
        if (key_of(p, at) < key_of(p, gpu)) {
            *left = at;
            left = &p->links[at].right;
            at = *left;
        } else {
            *right = at;
            right = &p->links[at].left;
            at = *right;
        }
    }
    *left = *right = NONE;
}

static void insert(struct hs_part *p, uint32_t gpu)
{
    uint32_t *at = &p->roots[p->links[gpu].set];
    while (*at != NONE && priority_of(*at) >= priority_of(gpu))
        at = key_of(p, *at) < key_of(p, gpu) ? &p->links[*at].right : &p->links[*at].left;
    split(p, *at, gpu);
    *at = gpu;
}

static void take_out(struct hs_part *p, uint32_t gpu)
{
    uint32_t *at = &p->roots[p->links[gpu].set];
    while (*at != gpu)
        at = key_of(p, *at) < key_of(p, gpu) ? &p->links[*at].right : &p->links[*at].left;
    uint32_t left = p->links[gpu].left, right = p->links[gpu].right;
    while (left != NONE && right != NONE) {
        if (priority_of(left) > priority_of(right)) {
            *at = left;
            at = &p->links[left].right;
            left = *at;
        } else {
            *at = right;
            at = &p->links[right].left;
            right = *at;
        }
    }
    *at = left != NONE ? left : right;
}

void hs_part_set(struct hs_part *p, uint32_t gpu, uint32_t room_milli)
{
    struct link *link = &p->links[gpu];
    if (link->room_milli == room_milli)
        return;
    if (link->room_milli > 0)
        take_out(p, gpu);
    p->sums[link->set] += (uint64_t)room_milli - link->room_milli;
    link->room_milli = (uint16_t)room_milli;
    if (room_milli > 0)
        insert(p, gpu);
}

uint32_t hs_part_room(const struct hs_part *p, uint32_t gpu)
{
    return p->links[gpu].room_milli;
}

/* Of one set, the GPU of the lowest key >= key. */
static uint32_t set_next(const struct hs_part *p, uint32_t set, uint64_t key)
{
    uint32_t best = NONE, at = p->roots[set];
    while (at != NONE) {
        bool is_enough = key_of(p, at) >= key;
        best = is_enough ? at : best;
        at = is_enough ? p->links[at].left : p->links[at].right;
    }
    return best;
}

static uint32_t first_set(const struct hs_part *p, uint32_t vc)
{
    return p->by_vc ? vc * p->type_count : 0;
}

uint32_t hs_part_tightest(const struct hs_part *p, const struct hs_free *f,
                          const struct hs_ask *ask, uint32_t milli)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t type = 0; type < p->type_count; type++) {
        if (!(ask->type_mask >> type & 1))
            continue;
        uint64_t key = (uint64_t)milli << 32;
        uint32_t gpu = set_next(p, first_set(p, ask->vc) + type, key);
        for (; gpu != NONE && key_of(p, gpu) < best;
             gpu = set_next(p, first_set(p, ask->vc) + type, key + 1)) {
            key = key_of(p, gpu);
            if (hs_free_can_book(f, p->gpu_node[gpu], 1, ask))
                best = key;
        }
    }
    return (uint32_t)best; /* all ones of none are NONE */
}

uint32_t hs_part_most(const struct hs_part *p, uint32_t vc)
{
    uint32_t most = 0;
    for (uint32_t type = 0; type < p->type_count; type++) {
        uint32_t at = p->roots[first_set(p, vc) + type];
        while (at != NONE && p->links[at].right != NONE)
            at = p->links[at].right;
        if (at != NONE && p->links[at].room_milli > most)
            most = p->links[at].room_milli;
    }
    return most;
}

uint64_t hs_part_all(const struct hs_part *p, uint32_t vc)
{
    uint64_t sum = 0;
    for (uint32_t type = 0; type < p->type_count; type++)
        sum += p->sums[first_set(p, vc) + type];
    return sum;
}

void hs_part_init(struct hs_part **parts, const struct hs_cluster *cluster, bool by_vc,
                  struct hs_arena *arena)
{
    const uint32_t vcs = by_vc ? cluster->vc_count : 1;
    const uint64_t sets = (uint64_t)vcs * cluster->type_count;
    struct hs_part *p = hs_arena_alloc(arena, sizeof *p);
    struct link *links = hs_arena_alloc(arena, cluster->gpu_count * sizeof *links);
    uint32_t *gpu_node = hs_arena_alloc(arena, cluster->gpu_count * sizeof *gpu_node);
    uint32_t *roots = hs_arena_alloc(arena, sets * sizeof *roots);
    uint64_t *sums = hs_arena_alloc(arena, sets * sizeof *sums);
    *p = (struct hs_part){.links = links,
                          .gpu_node = gpu_node,
                          .roots = roots,
                          .sums = sums,
                          .gpu_count = cluster->gpu_count,
                          .type_count = cluster->type_count,
                          .vc_count = vcs,
                          .by_vc = by_vc};
    for (uint64_t set = 0; set < sets; set++)
        roots[set] = NONE;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct hs_node *node = &cluster->nodes[n];
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
            gpu_node[id] = n;
            links[id].set = first_set(p, node->vc) + node->type;
        }
    }
    *parts = p;
}

/* Members of one set in order: each below its parent by priority, each of the set. */
static bool set_is_valid(const struct hs_part *p, uint32_t set, uint32_t *members)
{
    uint64_t last = 0, sum = 0;
    for (uint32_t gpu = set_next(p, set, 0); gpu != NONE; gpu = set_next(p, set, last + 1)) {
        const struct link *link = &p->links[gpu];
        const uint32_t below[] = {link->left, link->right};
        last = key_of(p, gpu);
        if (link->set != set || link->room_milli == 0)
            return false;
        for (int i = 0; i < 2; i++)
            if (below[i] != NONE && (priority_of(below[i]) > priority_of(gpu) ||
                                     (key_of(p, below[i]) < last) != (i == 0)))
                return false;
        sum += link->room_milli;
        ++*members;
    }
    return sum == p->sums[set];
}

bool hs_part_is_valid(const struct hs_part *p)
{
    uint32_t members = 0, with_room = 0;
    for (uint32_t set = 0; set < p->vc_count * p->type_count; set++)
        if (!set_is_valid(p, set, &members))
            return false;
    for (uint32_t gpu = 0; gpu < p->gpu_count; gpu++)
        with_room += p->links[gpu].room_milli > 0;
    return members == with_room;
}
