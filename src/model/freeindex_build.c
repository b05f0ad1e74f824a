/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Building the free index and holding it against a recount. Nodes are sorted by kind and id, so
 * that equal neighbours are a pool and pools stand by VC: O(nodes log nodes) once per run.
 */
#include <stdlib.h>

#include "model/freeindex_state.h"

/* "Not given" as an amount that never runs out: half the range leaves room for every take. */
#define UNLIMITED (INT64_MAX / 2)

struct sort_key {
    struct hs_kind kind;
    uint32_t id;
};

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_kinds(const struct hs_kind *a, const struct hs_kind *b)
{
    int order = compare_u32(a->vc, b->vc);
    if (order == 0)
        order = compare_u32(a->type, b->type);
    if (order == 0)
        order = compare_u32(a->size, b->size);
    if (order == 0)
        order = compare_u32(a->cpus, b->cpus);
    return order != 0 ? order : compare_u32(a->mem_mib, b->mem_mib);
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    int order = compare_kinds(&a->kind, &b->kind);
    return order != 0 ? order : compare_u32(a->id, b->id);
}

static void keys_fill(struct sort_key *keys, const struct hs_cluster *cluster, bool by_vc)
{
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const struct hs_node *n = &cluster->nodes[i];
        keys[i].kind = (struct hs_kind){by_vc ? n->vc : 0, n->type, n->gpus, n->cpus, n->mem_mib};
        keys[i].id = i;
    }
    qsort(keys, cluster->node_count, sizeof *keys, compare_keys);
}

static uint32_t keys_count_pools(const struct sort_key *keys, uint32_t count)
{
    uint32_t pools = 0;
    for (uint32_t i = 0; i < count; i++)
        pools += i == 0 || compare_kinds(&keys[i - 1].kind, &keys[i].kind) != 0;
    return pools;
}

static enum hs_status pool_init_parts(struct hs_free *f, struct hs_node_pool *p,
                                      const struct hs_cluster *cluster, struct hs_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        count += i == 0 || cluster->nodes[p->ids[i]].rack != cluster->nodes[p->ids[i - 1]].rack;
    p->parts = hs_arena_alloc(arena, (count + UINT64_C(1)) * sizeof *p->parts);
    if (p->parts == NULL)
        return HS_E_MEMORY;
    struct hs_rack_part *end = p->parts;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t rack = cluster->nodes[p->ids[i]].rack;
        f->rack_free[rack] += p->kind.size;
        if (i == 0 || end[-1].rack != rack)
            *end++ = (struct hs_rack_part){.rack = rack, .first = i};
        end[-1].idle++;
        f->nodes[p->ids[i]].part = end - 1;
    }
    *end = (struct hs_rack_part){.rack = UINT32_MAX, .first = p->count};
    return HS_OK;
}

static enum hs_status pool_init_sets(struct hs_node_pool *p, struct hs_arena *arena)
{
    uint64_t sets = p->kind.size + UINT64_C(1);
    uint32_t words = hs_bitset_words(p->count);
    p->set_words = words;
    p->with_free = hs_arena_alloc(arena, sets * sizeof *p->with_free);
    uint64_t *members = hs_arena_alloc(arena, sets * words * sizeof *members);
    uint64_t *counts = hs_arena_alloc(arena, hs_bitset_words((uint32_t)sets) * sizeof *counts);
    if (p->with_free == NULL || members == NULL || counts == NULL)
        return HS_E_MEMORY;
    hs_bitset_init(&p->counts, (uint32_t)sets, counts);
    hs_bitset_put(&p->counts, p->kind.size, true);
    for (uint32_t k = 0; k < sets; k++)
        hs_bitset_init(&p->with_free[k], p->count, members + (uint64_t)k * words);
    for (uint32_t i = 0; i < p->count; i++)
        hs_bitset_put(&p->with_free[p->kind.size], i, true);
    return HS_OK;
}

static enum hs_status pool_init(struct hs_free *f, uint32_t pool, const struct sort_key *keys,
                                uint32_t count, const struct hs_cluster *cluster,
                                struct hs_arena *arena)
{
    struct hs_node_pool *p = &f->pools[pool];
    p->kind = keys->kind;
    p->count = p->idle = count;
    p->free = (uint64_t)count * p->kind.size;
    p->ids = hs_arena_alloc(arena, count * sizeof *p->ids);
    if (p->ids == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        p->ids[i] = keys[i].id;
        f->nodes[keys[i].id] = (struct hs_node_state){
            .pool = p,
            .local = i,
            .free = (uint16_t)p->kind.size,
            .size = (uint16_t)p->kind.size,
            .cpus_milli = p->kind.cpus == 0 ? UNLIMITED : p->kind.cpus * INT64_C(1000),
            .mem_mib = p->kind.mem_mib == 0 ? UNLIMITED : p->kind.mem_mib,
        };
    }
    f->vc_free[p->kind.vc] += (uint64_t)count * p->kind.size;
    HS_TRY(pool_init_sets(p, arena));
    return pool_init_parts(f, p, cluster, arena);
}

static enum hs_status index_init_pools(struct hs_free *f, const struct sort_key *keys,
                                       const struct hs_cluster *cluster, struct hs_arena *arena)
{
    uint32_t pool = 0;
    for (uint32_t first = 0, next; first < f->node_count; first = next, pool++) {
        for (next = first + 1; next < f->node_count; next++)
            if (compare_kinds(&keys[first].kind, &keys[next].kind) != 0)
                break;
        HS_TRY(pool_init(f, pool, keys + first, next - first, cluster, arena));
    }
    for (uint32_t v = 0, p = 0; v <= f->vc_count; v++) {
        while (p < f->pool_count && f->pools[p].kind.vc < v)
            p++;
        f->vc_pools[v] = f->pools + p;
    }
    return HS_OK;
}

enum hs_status hs_free_init(struct hs_free **free_index, const struct hs_cluster *cluster,
                            bool by_vc, uint64_t jitter_seed, struct hs_arena *arena)
{
    struct hs_free *f = hs_arena_alloc(arena, sizeof *f);
    struct sort_key *keys = hs_alloc_zeroed(cluster->node_count, sizeof *keys);
    if (f == NULL || keys == NULL) {
        hs_free(keys);
        return HS_E_MEMORY;
    }
    keys_fill(keys, cluster, by_vc);
    *f = (struct hs_free){
        .seed = jitter_seed,
        .node_count = cluster->node_count,
        .pool_count = keys_count_pools(keys, cluster->node_count),
        .vc_count = by_vc ? cluster->vc_count : 1,
        .rack_count = cluster->rack_count,
        .by_vc = by_vc,
    };
    f->nodes = hs_arena_alloc(arena, f->node_count * sizeof *f->nodes);
    f->pools = hs_arena_alloc(arena, f->pool_count * sizeof *f->pools);
    f->vc_pools = hs_arena_alloc(arena, (f->vc_count + UINT64_C(1)) * sizeof *f->vc_pools);
    f->vc_free = hs_arena_alloc(arena, f->vc_count * sizeof *f->vc_free);
    f->rack_free = hs_arena_alloc(arena, f->rack_count * sizeof *f->rack_free);
    enum hs_status status = HS_E_MEMORY;
    if (f->nodes != NULL && f->pools != NULL && f->vc_pools != NULL && f->vc_free != NULL &&
        f->rack_free != NULL)
        status = index_init_pools(f, keys, cluster, arena);
    hs_free(keys);
    *free_index = f;
    return status;
}

/* ---- recount ---- */

static bool pool_sets_are_valid(const struct hs_free *f, const struct hs_node_pool *p)
{
    uint32_t members = 0, idle = 0;
    uint64_t free_gpus = 0;
    for (uint32_t k = 0; k <= p->kind.size; k++) {
        const struct hs_bitset *set = &p->with_free[k];
        uint32_t local = hs_bitset_next(set, 0);
        if (hs_bitset_has(&p->counts, k) != (local != HS_BITSET_NONE))
            return false;
        for (; local != HS_BITSET_NONE; local = hs_bitset_next(set, local + 1), members++)
            if (f->nodes[p->ids[local]].free != k)
                return false;
    }
    for (uint32_t local = 0; local < p->count; local++) {
        free_gpus += f->nodes[p->ids[local]].free;
        idle += f->nodes[p->ids[local]].free == p->kind.size;
    }
    /* Every member's node has that count, so no node is in two sets; all are members of one. */
    return members == p->count && free_gpus == p->free && idle == p->idle;
}

static bool pool_parts_are_valid(const struct hs_free *f, const struct hs_node_pool *p)
{
    for (const struct hs_rack_part *part = p->parts; part->rack != UINT32_MAX; part++) {
        uint32_t idle = 0;
        for (uint32_t i = part->first; i < part[1].first; i++)
            idle += f->nodes[p->ids[i]].free == p->kind.size;
        if (idle != part->idle)
            return false;
    }
    return true;
}

/* Racks are ranges of nodes, so one walk over the nodes meets them in order. */
static bool racks_are_valid(const struct hs_free *f)
{
    uint32_t rack = 0, free_gpus = 0;
    for (uint32_t i = 0; i < f->node_count; i++) {
        const struct hs_node_state *n = &f->nodes[i];
        uint32_t of_node = n->part->rack;
        if (of_node != rack && free_gpus != f->rack_free[rack])
            return false;
        free_gpus = of_node != rack ? n->free : free_gpus + n->free;
        rack = of_node;
    }
    return free_gpus == f->rack_free[rack];
}

bool hs_free_is_valid(const struct hs_free *f)
{
    for (uint32_t v = 0; v < f->vc_count; v++) {
        uint64_t total = 0;
        for (const struct hs_node_pool *p = f->vc_pools[v]; p < f->vc_pools[v + 1]; p++) {
            if (!pool_sets_are_valid(f, p) || !pool_parts_are_valid(f, p))
                return false;
            total += p->free;
        }
        if (total != f->vc_free[v])
            return false;
    }
    return racks_are_valid(f);
}
