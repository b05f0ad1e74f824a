/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The free index: bit sets of nodes by pool and by number of free GPUs. Nodes are sorted by kind
 * and id, so that equal neighbours form a pool and pools are ordered by VC: O(nodes log nodes) once
 * per run. A change moves one bit, O(1); a search examines words of bits, O(pools x log nodes).
 * hs_free_is_valid recounts everything. The index of parts has, for the same pools, bit sets of
 * GPUs that hold shares, by their room.
 */
#include "model/freeindex.h"

#include <stdlib.h>

#include "base/rng.h"
#include "model/bitset.h"

#define NONE UINT32_MAX

/* What all nodes of a pool have in common. vc is 0 unless VCs own nodes. */
struct hs_kind {
    uint32_t vc, type, size, cpus, mem_mib;
};

struct hs_node_state {
    struct hs_node_pool *pool;
    uint32_t local; /* number within the pool */
    uint32_t part;  /* of its rack */
    uint16_t free, size;
    bool is_aside, is_out;       /* by the policy; by a fault, a drain or its absence */
    int64_t cpus_milli, mem_mib; /* remaining; negative if overcommitted */
};

struct hs_node_pool {
    struct hs_kind kind;
    uint32_t count;   /* all nodes */
    uint32_t members; /* nodes not set aside */
    uint32_t out;     /* of these, nodes out of service; the following are for the rest */
    uint32_t idle;    /* nodes with all GPUs free */
    uint64_t free;    /* free GPUs */
    uint32_t *ids;    /* id of each local number, ascending */
    struct hs_bitset *with_free; /* [0 .. size]: local numbers */
    uint32_t set_words;          /* distance of these sets in words */
    struct hs_bitset counts;     /* free counts that occur */
};

/* The nodes of a pool in a rack. */
struct hs_rack_part {
    const struct hs_node_pool *pool;
    uint32_t rack, count, free; /* all nodes; free GPUs of those listed */
};

struct hs_free {
    struct hs_node_state *nodes;
    struct hs_node_pool *pools;     /* by VC */
    struct hs_node_pool **vc_pools; /* pools of VC v: [vc_pools[v], vc_pools[v + 1]) */
    uint64_t *vc_free;              /* free GPUs */
    uint64_t *vc_aside;             /* GPUs of nodes set aside */
    uint64_t out;                   /* free GPUs of nodes out of service */
    struct hs_rack_part *parts;     /* by rack; at most one a node */
    uint32_t *rack_parts;           /* first of each rack, and the number of all */
    const uint32_t *rack_first;     /* first node of each */
    uint64_t seed, counter;         /* of draws among equally good nodes */
    uint32_t node_count, pool_count, vc_count, rack_count;
    bool by_vc;
};

static inline bool is_listed(const struct hs_node_state *n)
{
    return !n->is_aside && !n->is_out;
}

/* An amount not stated is unlimited: half the range leaves space for all demands. */
#define UNLIMITED (INT64_MAX / 2)

struct sort_key {
    struct hs_kind kind;
    uint32_t id;
};

static int compare_kinds(const struct hs_kind *a, const struct hs_kind *b)
{
    const uint32_t left[] = {a->vc, a->type, a->size, a->cpus, a->mem_mib};
    const uint32_t right[] = {b->vc, b->type, b->size, b->cpus, b->mem_mib};
    for (size_t i = 0; i < HS_COUNT_OF(left); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    int order = compare_kinds(&a->kind, &b->kind);
    return order != 0 ? order : HS_ORDER(a->id, b->id);
}

static void set_make(struct hs_bitset *set, uint32_t size, struct hs_arena *arena)
{
    hs_bitset_init(set, size, hs_arena_alloc(arena, hs_bitset_words(size) * sizeof(uint64_t)));
}

/* Initializes a pool with all nodes idle. */
static void pool_init(struct hs_free *f, struct hs_node_pool *p, const struct sort_key *keys,
                      uint32_t count, struct hs_arena *arena)
{
    const struct hs_kind *kind = &keys->kind;
    const uint32_t sets = kind->size + 1, words = hs_bitset_words(count);
    uint64_t *members = hs_arena_alloc(arena, (uint64_t)sets * words * sizeof *members);
    *p = (struct hs_node_pool){.kind = *kind,
                               .count = count,
                               .members = count,
                               .idle = count,
                               .free = (uint64_t)count * kind->size,
                               .set_words = words};
    p->ids = hs_arena_alloc(arena, count * sizeof *p->ids);
    p->with_free = hs_arena_alloc(arena, sets * sizeof *p->with_free);
    for (uint32_t k = 0; k < sets; k++)
        hs_bitset_init(&p->with_free[k], count, members + (uint64_t)k * words);
    set_make(&p->counts, sets, arena);
    hs_bitset_put(&p->counts, kind->size, true);
    for (uint32_t i = 0; i < count; i++) {
        p->ids[i] = keys[i].id;
        hs_bitset_put(&p->with_free[kind->size], i, true);
        f->nodes[keys[i].id] = (struct hs_node_state){
            .pool = p,
            .local = i,
            .free = (uint16_t)kind->size,
            .size = (uint16_t)kind->size,
            .cpus_milli = kind->cpus == 0 ? UNLIMITED : kind->cpus * INT64_C(1000),
            .mem_mib = kind->mem_mib == 0 ? UNLIMITED : kind->mem_mib,
        };
    }
    f->vc_free[kind->vc] += p->free;
}

static void racks_init(struct hs_free *f, struct hs_arena *arena)
{
    uint32_t *last = hs_alloc_zeroed(f->pool_count, sizeof *last); /* part of each pool, + 1 */
    uint32_t count = 0;
    f->parts = hs_arena_alloc(arena, f->node_count * sizeof *f->parts);
    f->rack_parts = hs_arena_alloc(arena, (f->rack_count + UINT64_C(1)) * sizeof *f->rack_parts);
    for (uint32_t rack = 0; rack < f->rack_count; rack++) {
        f->rack_parts[rack] = count;
        for (uint32_t id = f->rack_first[rack]; id < f->rack_first[rack + 1]; id++) {
            struct hs_node_state *n = &f->nodes[id];
            uint32_t *part = &last[n->pool - f->pools];
            if (*part <= f->rack_parts[rack]) {
                f->parts[count] = (struct hs_rack_part){.pool = n->pool, .rack = rack};
                *part = ++count;
            }
            n->part = *part - 1;
            f->parts[n->part].count++;
            f->parts[n->part].free += n->size;
        }
    }
    f->rack_parts[f->rack_count] = count;
    hs_free(last);
}

void hs_free_init(struct hs_free **free_index, const struct hs_cluster *cluster, bool by_vc,
                  uint64_t jitter_seed, struct hs_arena *arena)
{
    const uint32_t count = cluster->node_count;
    struct hs_free *f = hs_arena_alloc(arena, sizeof *f);
    struct sort_key *keys = hs_alloc_zeroed(count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_node *n = &cluster->nodes[i];
        keys[i].kind = (struct hs_kind){by_vc ? n->vc : 0, n->type, n->gpus, n->cpus, n->mem_mib};
        keys[i].id = i;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    *f = (struct hs_free){
        .seed = jitter_seed,
        .node_count = count,
        .vc_count = by_vc ? cluster->vc_count : 1,
        .rack_count = cluster->rack_count,
        .rack_first = cluster->rack_first,
        .by_vc = by_vc,
    };
    for (uint32_t i = 0; i < count; i++)
        f->pool_count += i == 0 || compare_kinds(&keys[i - 1].kind, &keys[i].kind) != 0;
    f->nodes = hs_arena_alloc(arena, count * sizeof *f->nodes);
    f->pools = hs_arena_alloc(arena, f->pool_count * sizeof *f->pools);
    f->vc_pools = hs_arena_alloc(arena, (f->vc_count + UINT64_C(1)) * sizeof *f->vc_pools);
    f->vc_free = hs_arena_alloc(arena, f->vc_count * sizeof *f->vc_free);
    f->vc_aside = hs_arena_alloc(arena, f->vc_count * sizeof *f->vc_aside);
    for (uint32_t pool = 0, first = 0, next; first < count; first = next, pool++) {
        for (next = first + 1; next < count; next++)
            if (compare_kinds(&keys[first].kind, &keys[next].kind) != 0)
                break;
        pool_init(f, &f->pools[pool], keys + first, next - first, arena);
    }
    for (uint32_t v = 0, p = 0; v <= f->vc_count; v++) {
        while (p < f->pool_count && f->pools[p].kind.vc < v)
            p++;
        f->vc_pools[v] = f->pools + p;
    }
    hs_free(keys);
    racks_init(f, arena);
    *free_index = f;
}

/* ---- recount ---- */

static bool pool_is_valid(const struct hs_free *f, const struct hs_node_pool *p)
{
    uint32_t members = 0, idle = 0;
    uint64_t free_gpus = 0;
    for (uint32_t k = 0; k <= p->kind.size; k++) {
        const struct hs_bitset *set = &p->with_free[k];
        uint32_t local = hs_bitset_next(set, 0);
        if (hs_bitset_has(&p->counts, k) != (local != NONE))
            return false;
        for (; local != NONE; local = hs_bitset_next(set, local + 1), members++)
            if (f->nodes[p->ids[local]].free != k)
                return false;
    }
    uint32_t aside = 0, out = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hs_node_state *n = &f->nodes[p->ids[i]];
        aside += n->is_aside;
        out += !n->is_aside && n->is_out;
        free_gpus += is_listed(n) ? n->free : 0;
        idle += is_listed(n) && n->free == p->kind.size;
        if (!is_listed(n) && hs_bitset_has(&p->with_free[n->free], i))
            return false;
    }
    /* The node of every listed one has that count, so none is in two sets; each is in one. */
    return members + out == p->members && out == p->out && p->members + aside == p->count &&
           free_gpus == p->free && idle == p->idle;
}

bool hs_free_is_valid(const struct hs_free *f)
{
    for (uint32_t v = 0; v < f->vc_count; v++) {
        uint64_t total = 0;
        for (const struct hs_node_pool *p = f->vc_pools[v]; p < f->vc_pools[v + 1]; p++) {
            if (!pool_is_valid(f, p))
                return false;
            total += p->free;
        }
        if (total != f->vc_free[v])
            return false;
    }
    const uint32_t parts = f->rack_parts[f->rack_count];
    uint32_t *counted = hs_alloc_zeroed(parts, sizeof *counted), wrong = 0;
    for (uint32_t i = 0; i < f->node_count; i++)
        counted[f->nodes[i].part] += is_listed(&f->nodes[i]) ? f->nodes[i].free : 0;
    for (uint32_t i = 0; i < parts; i++)
        wrong += counted[i] != f->parts[i].free;
    hs_free(counted);
    return wrong == 0;
}

/* The pools that may serve a request. */
struct range {
    struct hs_node_pool *at, *end;
    uint32_t busy;        /* GPUs of a node that must be in use: 0 or 1 */
    uint32_t first, past; /* ids: of all nodes, or those of a rack */
};

static inline struct range pools_of(const struct hs_free *f, uint32_t vc)
{
    uint32_t v = f->by_vc ? vc : 0;
    assert(v < f->vc_count);
    return (struct range){f->vc_pools[v], f->vc_pools[v + 1], 0, 0, NONE};
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline bool ask_is_plain(const struct hs_ask *ask)
{
    return (ask->cpus_milli_per_gpu | ask->mem_mib_per_gpu) == 0;
}

/* How many of `gpus` GPUs have CPUs and memory on an idle node. Rare, so not inlined. */
static HS_APART uint32_t gpus_with_rest(const struct hs_kind *kind, const struct hs_ask *ask,
                                        uint64_t gpus)
{
    if (kind->cpus > 0 && gpus * ask->cpus_milli_per_gpu > kind->cpus * UINT64_C(1000))
        gpus = kind->cpus * UINT64_C(1000) / ask->cpus_milli_per_gpu;
    if (kind->mem_mib > 0 && gpus * ask->mem_mib_per_gpu > kind->mem_mib)
        gpus = kind->mem_mib / ask->mem_mib_per_gpu;
    return (uint32_t)gpus;
}

static inline bool pool_serves(const struct hs_node_pool *p, const struct hs_ask *ask,
                               uint32_t gpus)
{
    return (ask->type_mask >> p->kind.type & 1) != 0 &&
           (ask_is_plain(ask) || gpus_with_rest(&p->kind, ask, gpus) == gpus);
}

/* Number of GPUs usable on an idle node of the pool: limited by type, CPUs and memory. */
static inline uint32_t pool_usable(const struct hs_node_pool *p, const struct hs_ask *ask)
{
    const uint32_t gpus = ask->type_mask >> p->kind.type & 1 ? p->kind.size : 0;
    return ask_is_plain(ask) ? gpus : gpus_with_rest(&p->kind, ask, gpus);
}

static inline bool node_has_rest(const struct hs_node_state *n, const struct hs_ask *ask,
                                 uint32_t gpus)
{
    return ask_is_plain(ask) || (n->cpus_milli >= (int64_t)gpus * ask->cpus_milli_per_gpu &&
                                 n->mem_mib >= (int64_t)gpus * ask->mem_mib_per_gpu);
}

/* Lowest member >= `local` whose node has CPUs and memory for `gpus`. */
static HS_APART uint32_t next_with_rest(const struct hs_free *f, const struct hs_node_pool *p,
                                        const struct hs_bitset *set, const struct hs_ask *ask,
                                        uint32_t gpus, uint32_t local)
{
    while (local != NONE && !node_has_rest(&f->nodes[p->ids[local]], ask, gpus))
        local = hs_bitset_next(set, local + 1);
    return local;
}

/* Lowest local number >= from with exactly `free` free GPUs and with CPUs and memory for `gpus`. */
static inline uint32_t pool_next(const struct hs_free *f, const struct hs_node_pool *p,
                                 const struct hs_ask *ask, uint32_t gpus, uint32_t free,
                                 uint32_t from)
{
    const struct hs_bitset *set = &p->with_free[free];
    uint32_t local = from == 0 ? hs_bitset_first(set) : hs_bitset_next(set, from);
    return ask_is_plain(ask) ? local : next_with_rest(f, p, set, ask, gpus, local);
}

/* First local number with an id >= from. */
static uint32_t pool_lower_bound(const struct hs_node_pool *p, uint32_t from)
{
    if (from <= p->ids[0])
        return 0;
    if (p->ids[p->count - 1] - p->ids[0] == p->count - 1) /* no gaps: the usual case */
        return from - p->ids[0];
    return hs_ids_lower_bound(p->ids, p->count, from);
}

/* Number of the first node of a pool at or behind an id, or that of all. */
static uint32_t pool_from(const struct hs_node_pool *p, uint32_t id)
{
    const uint32_t local = id != NONE ? pool_lower_bound(p, id) : p->count;
    return local < p->count ? local : p->count;
}

/* Draws a node with exactly `free` free GPUs: the next suitable one, cyclically, from a random
 * position among the nodes of the range. (The bias of the remainder is below 2^-40.) */
static HS_APART uint32_t draw_with_free(struct hs_free *f, struct range pools,
                                        const struct hs_ask *ask, uint32_t gpus, uint32_t free)
{
    uint64_t row = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++)
        row += pool_from(p, pools.past) - pool_from(p, pools.first);
    uint64_t start = row > 0 ? hs_mix64(f->seed, f->counter++) % row : 0;
    for (int lap = 0; lap < 2; lap++, start = 0) {
        uint64_t skip = start;
        for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
            const uint32_t first = pool_from(p, pools.first), past = pool_from(p, pools.past);
            uint32_t from = first + (skip < past - first ? (uint32_t)skip : past - first);
            skip -= from - first;
            if (free + pools.busy > p->kind.size || !pool_serves(p, ask, gpus))
                continue;
            uint32_t local = pool_next(f, p, ask, gpus, free, from);
            if (local != NONE && local < past)
                return p->ids[local];
        }
    }
    return NONE;
}

HS_INLINE uint32_t lowest_with_free(const struct hs_free *f, struct range pools,
                                    const struct hs_ask *ask, uint32_t gpus, uint32_t free)
{
    uint32_t best = pools.past;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
        if (free + pools.busy > p->kind.size || !pool_serves(p, ask, gpus))
            continue;
        const uint32_t from = pools.first > 0 ? pool_lower_bound(p, pools.first) : 0;
        uint32_t local = pool_next(f, p, ask, gpus, free, from);
        if (local != NONE && p->ids[local] < best)
            best = p->ids[local];
        if (ask->is_by_kind && best != pools.past)
            break;
    }
    return best != pools.past ? best : NONE;
}

/* The best number of free GPUs, at or beyond the bound, that some pool has; NONE. */
HS_INLINE uint32_t next_count(struct range pools, const struct hs_ask *ask, uint32_t gpus,
                              uint32_t bound, bool is_worst)
{
    uint32_t free = NONE;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
        uint32_t count =
            is_worst ? hs_bitset_prev(&p->counts, bound) : hs_bitset_next(&p->counts, bound);
        bool is_better = free == NONE || (is_worst ? count > free : count < free);
        if (count != NONE && count >= gpus && is_better && count + pools.busy <= p->kind.size &&
            pool_serves(p, ask, gpus))
            free = count;
    }
    return free;
}

/* Tries the counts that occur, from the least or from the most. */
HS_INLINE uint32_t fit(struct hs_free *f, struct range pools, const struct hs_ask *ask,
                       uint32_t gpus, bool is_worst)
{
    for (uint32_t bound = is_worst ? HS_NODE_GPUS_MAX : gpus;;) {
        uint32_t free = next_count(pools, ask, gpus, bound, is_worst);
        if (free == NONE)
            return NONE;
        uint32_t node = f->seed == 0 ? lowest_with_free(f, pools, ask, gpus, free)
                                     : draw_with_free(f, pools, ask, gpus, free);
        if (node != NONE || (is_worst && free == 0))
            return node;
        bound = is_worst ? free - 1 : free + 1;
    }
}

static HS_APART uint32_t fit_in(struct hs_free *f, struct range pools, const struct hs_ask *ask,
                                uint32_t gpus, bool is_worst)
{
    return fit(f, pools, ask, gpus, is_worst);
}

uint32_t hs_free_fit(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, enum hs_fit how)
{
    struct range pools = pools_of(f, ask->vc);
    if (HS_LIKELY(how == HS_FIT_BEST))
        return fit(f, pools, ask, gpus, false);
    pools.busy = how == HS_FIT_BEST_BUSY;
    return fit_in(f, pools, ask, gpus, how == HS_FIT_WORST);
}

uint32_t hs_free_fit_in_rack(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus,
                             uint32_t rack, bool is_worst)
{
    struct range pools = pools_of(f, ask->vc);
    pools.first = f->rack_first[rack];
    pools.past = f->rack_first[rack + 1];
    return fit_in(f, pools, ask, gpus, is_worst);
}

/* Racks are ranges of ids, in which nodes are searched by id. */
static inline bool first_is_by_kind(const struct hs_free *f, const struct hs_ask *ask)
{
    return ask->is_by_kind && f->rack_count == 1;
}

uint32_t hs_free_first(struct hs_free *f, const struct hs_ask *ask, uint32_t gpus, uint32_t from)
{
    struct range pools = pools_of(f, ask->vc);
    uint32_t best = NONE;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
        uint32_t free = hs_bitset_next(&p->counts, gpus);
        if (free == NONE || !pool_serves(p, ask, gpus))
            continue;
        uint32_t start = pool_lower_bound(p, from);
        for (; free != NONE; free = hs_bitset_next(&p->counts, free + 1)) {
            uint32_t local = pool_next(f, p, ask, gpus, free, start);
            if (local != NONE && p->ids[local] < best)
                best = p->ids[local];
        }
        if (first_is_by_kind(f, ask) && best != NONE)
            break;
    }
    return best;
}

uint32_t hs_free_idle(struct hs_free *f, const struct hs_ask *ask, uint32_t size, uint32_t from)
{
    struct range pools = pools_of(f, ask->vc);
    uint32_t best = NONE;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
        if (pool_usable(p, ask) != size)
            continue;
        uint32_t local = pool_next(f, p, ask, size, p->kind.size, pool_lower_bound(p, from));
        if (local != NONE && p->ids[local] < best)
            best = p->ids[local];
        if (first_is_by_kind(f, ask) && best != NONE)
            break;
    }
    return best;
}

uint32_t hs_free_idle_rack(struct hs_free *f, const struct hs_ask *ask, uint32_t size,
                           uint32_t count, uint32_t from_rack)
{
    uint32_t rack = NONE, idle = 0,
             node = from_rack < f->rack_count ? f->rack_first[from_rack] : NONE;
    while (node != NONE && (node = hs_free_idle(f, ask, size, node)) != NONE) {
        const uint32_t of = f->parts[f->nodes[node++].part].rack;
        idle = of == rack ? idle + 1 : 1;
        rack = of;
        if (idle >= count)
            return rack;
    }
    return NONE;
}

uint32_t hs_free_of_node(const struct hs_free *f, uint32_t node)
{
    return f->nodes[node].free;
}

uint32_t hs_free_kind(const struct hs_free *f, uint32_t node)
{
    return (uint32_t)(f->nodes[node].pool - f->pools);
}

HS_EXPANDED bool hs_free_fits(const struct hs_free *f, uint32_t node, const struct hs_ask *ask,
                              uint32_t gpus)
{
    const struct hs_node_state *n = &f->nodes[node];
    const struct hs_kind *kind = &n->pool->kind;
    return (!f->by_vc || kind->vc == ask->vc || n->is_aside) &&
           (ask->type_mask >> kind->type & 1) && n->free >= gpus && !n->is_out &&
           node_has_rest(n, ask, gpus);
}

uint64_t hs_free_total(const struct hs_free *f, uint32_t vc)
{
    return f->vc_free[f->by_vc ? vc : 0];
}

uint64_t hs_free_for(const struct hs_free *f, const struct hs_ask *ask)
{
    struct range pools = pools_of(f, ask->vc);
    uint64_t free = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++)
        if (pool_serves(p, ask, 1))
            free += p->free;
    return free;
}

uint32_t hs_free_of_rack(const struct hs_free *f, uint32_t rack)
{
    uint32_t free_gpus = 0;
    for (uint32_t i = f->rack_parts[rack]; i < f->rack_parts[rack + 1]; i++)
        free_gpus += f->parts[i].free;
    return free_gpus;
}

uint64_t hs_free_rack_room(const struct hs_free *f, const struct hs_ask *ask, uint32_t rack,
                           bool is_idle)
{
    const struct range pools = pools_of(f, ask->vc);
    uint64_t room = 0;
    if (is_idle || ask_is_plain(ask)) {
        for (const struct hs_rack_part *p = f->parts + f->rack_parts[rack];
             p < f->parts + f->rack_parts[rack + 1]; p++)
            if (p->pool >= pools.at && p->pool < pools.end && pool_serves(p->pool, ask, 1))
                room += is_idle ? (uint64_t)p->count * pool_usable(p->pool, ask) : p->free;
        return room;
    }
    for (uint32_t id = f->rack_first[rack]; id < f->rack_first[rack + 1]; id++) {
        const struct hs_node_state *n = &f->nodes[id];
        uint32_t gpus = is_listed(n) && hs_free_fits(f, id, ask, 1) ? n->free : 0;
        while (!node_has_rest(n, ask, gpus) && gpus > 0)
            gpus--;
        room += gpus;
    }
    return room;
}

HS_EXPANDED uint32_t hs_free_max(const struct hs_free *f, uint32_t vc)
{
    struct range pools = pools_of(f, vc);
    uint32_t most = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++)
        most = larger(most, hs_bitset_prev(&p->counts, p->kind.size));
    return most;
}

uint64_t hs_free_capacity(const struct hs_free *f, const struct hs_ask *ask, bool is_all)
{
    struct range pools = pools_of(f, ask->vc);
    uint64_t total = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++)
        total += (uint64_t)pool_usable(p, ask) * (is_all ? p->count : p->members);
    return total;
}

static uint32_t pool_nodes(const struct hs_node_pool *p, enum hs_nodes of)
{
    return of == HS_NODES_IDLE ? p->idle : of == HS_NODES_ALL ? p->count : p->members;
}

HS_EXPANDED uint32_t hs_free_node_size(const struct hs_free *f, const struct hs_ask *ask,
                                       uint32_t most, enum hs_nodes of)
{
    struct range pools = pools_of(f, ask->vc);
    uint32_t largest = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++) {
        uint32_t size = pool_usable(p, ask);
        if (pool_nodes(p, of) > 0 && size <= most && size > largest)
            largest = size;
    }
    return largest;
}

HS_EXPANDED uint32_t hs_free_node_count(const struct hs_free *f, const struct hs_ask *ask,
                                        uint32_t size, enum hs_nodes of)
{
    struct range pools = pools_of(f, ask->vc);
    uint32_t count = 0;
    for (const struct hs_node_pool *p = pools.at; p < pools.end; p++)
        if (pool_usable(p, ask) == size)
            count += pool_nodes(p, of);
    return count;
}

/* Moves a node to the set of its new free count, and updates the sums (unsigned: a negative
 * difference wraps round and back). */
static void node_set_free(struct hs_free *f, struct hs_node_state *n, uint32_t free)
{
    struct hs_node_pool *p = n->pool;
    const uint32_t before = n->free;
    if (HS_UNLIKELY(!is_listed(n))) {
        f->out += n->is_out ? (uint64_t)free - before : 0;
        n->free = (uint16_t)free;
        return;
    }
    const uint32_t idle = (uint32_t)(free == n->size) - (uint32_t)(before == n->size);
    const uint64_t more = (uint64_t)free - before;
    n->free = (uint16_t)free;
    p->idle += idle;
    p->free += more;
    f->vc_free[p->kind.vc] += more;
    f->parts[n->part].free += (uint32_t)more;
    const size_t words = p->set_words;
    const bool others = hs_bitset_move(p->with_free, before * words, free * words, n->local);
    hs_bitset_put(&p->counts, before, others);
    hs_bitset_put(&p->counts, free, true);
}

/* Adds the node to the sets and sums of its pool, or removes it. */
static void node_list(struct hs_free *f, struct hs_node_state *n, bool is_listed)
{
    struct hs_node_pool *p = n->pool;
    const uint64_t one = is_listed ? 1 : UINT64_MAX; /* added: wraps to one less */
    p->idle += n->free == n->size ? (uint32_t)one : 0;
    p->free += one * n->free;
    f->vc_free[p->kind.vc] += one * n->free;
    f->parts[n->part].free += (uint32_t)one * n->free;
    hs_bitset_put(&p->with_free[n->free], n->local, is_listed);
    hs_bitset_put(&p->counts, n->free, !hs_bitset_is_empty(&p->with_free[n->free]));
}

void hs_free_set_aside(struct hs_free *f, uint32_t node, bool is_aside)
{
    struct hs_node_state *n = &f->nodes[node];
    if (n->is_aside == is_aside)
        return;
    const uint64_t one = is_aside ? UINT64_MAX : 1;
    n->is_aside = is_aside;
    n->pool->members += (uint32_t)one;
    n->pool->out += n->is_out ? (uint32_t)one : 0;
    f->vc_aside[n->pool->kind.vc] -= one * n->size;
    if (!n->is_out)
        node_list(f, n, !is_aside);
}

void hs_free_set_out(struct hs_free *f, uint32_t node, bool is_out)
{
    struct hs_node_state *n = &f->nodes[node];
    if (n->is_out == is_out)
        return;
    n->is_out = is_out;
    f->out += is_out ? n->free : 0 - (uint64_t)n->free;
    if (n->is_aside)
        return;
    n->pool->out += is_out ? 1 : UINT32_MAX;
    node_list(f, n, !is_out);
}

bool hs_free_is_out(const struct hs_free *f, uint32_t node)
{
    return f->nodes[node].is_out;
}

uint64_t hs_free_out(const struct hs_free *f)
{
    return f->out;
}

bool hs_free_is_aside(const struct hs_free *f, uint32_t node)
{
    return f->nodes[node].is_aside;
}

uint64_t hs_free_aside(const struct hs_free *f, uint32_t vc)
{
    return f->vc_aside[f->by_vc ? vc : 0];
}

void hs_free_book(struct hs_free *f, uint32_t node, int64_t workers, const struct hs_ask *ask)
{
    assert(node < f->node_count);
    struct hs_node_state *n = &f->nodes[node];
    n->cpus_milli -= workers * ask->cpus_milli_per_gpu;
    n->mem_mib -= workers * ask->mem_mib_per_gpu;
}

bool hs_free_can_book(const struct hs_free *f, uint32_t node, uint32_t workers,
                      const struct hs_ask *ask)
{
    return node_has_rest(&f->nodes[node], ask, workers);
}

void hs_free_rest(const struct hs_free *f, uint32_t node, int64_t *cpus_milli, int64_t *mem_mib)
{
    *cpus_milli = f->nodes[node].cpus_milli;
    *mem_mib = f->nodes[node].mem_mib;
}

HS_EXPANDED void hs_free_take(struct hs_free *f, uint32_t node, uint32_t gpus,
                              const struct hs_ask *ask)
{
    assert(node < f->node_count);
    struct hs_node_state *n = &f->nodes[node];
    assert(gpus <= n->free);
    if (!ask_is_plain(ask))
        hs_free_book(f, node, gpus, ask);
    node_set_free(f, n, n->free - gpus);
}

HS_EXPANDED void hs_free_give(struct hs_free *f, uint32_t node, uint32_t gpus,
                              const struct hs_ask *ask)
{
    assert(node < f->node_count);
    struct hs_node_state *n = &f->nodes[node];
    if (!ask_is_plain(ask))
        hs_free_book(f, node, -(int64_t)gpus, ask);
    assert(gpus <= (uint32_t)(n->size - n->free));
    node_set_free(f, n, n->free + gpus);
}

/* ---- parts ---- */

/* The part of a pool's GPUs that hold shares. The number of a GPU in the pool is its node's number,
 * times the size of nodes, plus its index in the node. */
struct part_pool {
    struct hs_bitset rooms;      /* rooms that occur */
    struct hs_bitset *with_room; /* [0 .. HS_GPU_MILLI]: GPU numbers; NULL = none yet */
    uint64_t sum;                /* of all rooms */
};

struct hs_part {
    const struct hs_free *f;
    const struct hs_cluster *cluster;
    struct hs_arena *arena;
    struct part_pool *pools; /* parallel to those of the free index */
    uint32_t *gpu_node;
    uint16_t *room_milli; /* of each GPU; 0 = not contained */
};

void hs_part_init(struct hs_part **parts, const struct hs_free *f, const struct hs_cluster *cluster,
                  struct hs_arena *arena)
{
    struct hs_part *p = hs_arena_alloc(arena, sizeof *p);
    *p = (struct hs_part){.f = f, .cluster = cluster, .arena = arena};
    p->pools = hs_arena_alloc(arena, f->pool_count * sizeof *p->pools);
    p->gpu_node = hs_arena_alloc(arena, cluster->gpu_count * sizeof *p->gpu_node);
    p->room_milli = hs_arena_alloc(arena, cluster->gpu_count * sizeof *p->room_milli);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        for (uint32_t i = 0; i < cluster->nodes[n].gpus; i++)
            p->gpu_node[cluster->nodes[n].first_gpu + i] = n;
    *parts = p;
}

static void note_room(struct hs_part *p, uint32_t gpu, uint32_t room_milli, bool has_room)
{
    const struct hs_node_state *n = &p->f->nodes[p->gpu_node[gpu]];
    struct part_pool *pool = &p->pools[n->pool - p->f->pools];
    if (pool->with_room == NULL) {
        pool->with_room =
            hs_arena_alloc(p->arena, (HS_GPU_MILLI + UINT64_C(1)) * sizeof *pool->with_room);
        set_make(&pool->rooms, HS_GPU_MILLI + 1, p->arena);
    }
    struct hs_bitset *set = &pool->with_room[room_milli];
    if (set->levels == 0)
        set_make(set, n->pool->count * n->size, p->arena);
    hs_bitset_put(set, n->local * n->size + gpu - p->cluster->nodes[p->gpu_node[gpu]].first_gpu,
                  has_room);
    hs_bitset_put(&pool->rooms, room_milli, !hs_bitset_is_empty(set));
}

void hs_part_set(struct hs_part *p, uint32_t gpu, uint32_t room_milli)
{
    const uint32_t node = p->gpu_node[gpu], before = p->room_milli[gpu];
    if (before == room_milli)
        return;
    p->pools[p->f->nodes[node].pool - p->f->pools].sum += (uint64_t)room_milli - before;
    p->room_milli[gpu] = (uint16_t)room_milli;
    if (before > 0)
        note_room(p, gpu, before, false);
    if (room_milli > 0)
        note_room(p, gpu, room_milli, true);
}

uint32_t hs_part_room(const struct hs_part *p, uint32_t gpu)
{
    return p->room_milli[gpu];
}

static uint32_t gpu_at(const struct hs_part *p, const struct hs_node_pool *n, uint32_t number)
{
    return p->cluster->nodes[n->ids[number / n->kind.size]].first_gpu + number % n->kind.size;
}

uint32_t hs_part_tightest(const struct hs_part *p, const struct hs_ask *ask, uint32_t milli)
{
    const struct hs_free *f = p->f;
    struct range pools = pools_of(f, ask->vc);
    uint32_t best = NONE, least = NONE;
    for (const struct hs_node_pool *n = pools.at; n < pools.end; n++) {
        const struct part_pool *pool = &p->pools[n - f->pools];
        if (!(ask->type_mask >> n->kind.type & 1))
            continue;
        for (uint32_t room = hs_bitset_next(&pool->rooms, milli); room != NONE && room <= least;
             room = hs_bitset_next(&pool->rooms, room + 1)) {
            const struct hs_bitset *set = &pool->with_room[room];
            uint32_t at = hs_bitset_first(set);
            while (at != NONE && !node_has_rest(&f->nodes[n->ids[at / n->kind.size]], ask, 1))
                at = hs_bitset_next(set, at + 1);
            if (at == NONE)
                continue;
            if (room < least || (!ask->is_by_kind && gpu_at(p, n, at) < best))
                best = gpu_at(p, n, at);
            least = room;
            break;
        }
    }
    return best;
}

uint32_t hs_part_most(const struct hs_part *p, uint32_t vc)
{
    struct range pools = pools_of(p->f, vc);
    uint32_t most = 0;
    for (const struct hs_node_pool *n = pools.at; n < pools.end; n++) {
        const uint32_t room = hs_bitset_prev(&p->pools[n - p->f->pools].rooms, HS_GPU_MILLI);
        most = room != NONE ? larger(most, room) : most;
    }
    return most;
}

uint64_t hs_part_all(const struct hs_part *p, uint32_t vc)
{
    struct range pools = pools_of(p->f, vc);
    uint64_t sum = 0;
    for (const struct hs_node_pool *n = pools.at; n < pools.end; n++)
        sum += p->pools[n - p->f->pools].sum;
    return sum;
}

/* Checks that the sum of the rooms is right and exactly the GPUs with room have a bit. */
static bool part_pool_is_valid(const struct hs_part *p, const struct hs_node_pool *n)
{
    const struct part_pool *pool = &p->pools[n - p->f->pools];
    uint64_t sum = 0, rooms = 0, bits = 0;
    for (uint32_t i = 0; i < n->count * n->kind.size; i++) {
        const uint32_t room = p->room_milli[gpu_at(p, n, i)];
        sum += room;
        rooms += room > 0;
        if (room > 0 && !hs_bitset_has(&pool->with_room[room], i))
            return false;
    }
    for (uint32_t room = hs_bitset_next(&pool->rooms, 0); room != NONE;
         room = hs_bitset_next(&pool->rooms, room + 1)) {
        const struct hs_bitset *set = &pool->with_room[room];
        for (uint32_t i = hs_bitset_next(set, 0); i != NONE; i = hs_bitset_next(set, i + 1))
            bits++;
    }
    return sum == pool->sum && rooms == bits;
}

bool hs_part_is_valid(const struct hs_part *p)
{
    for (uint32_t i = 0; i < p->f->pool_count; i++)
        if (!part_pool_is_valid(p, &p->f->pools[i]))
            return false;
    return true;
}
