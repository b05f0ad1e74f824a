/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Indexed 4-ary min-heap. Four children occupy one or two cache lines of 16-byte entries, which
 * makes the path down faster than in a binary heap. Invariants: entries[(i - 1) / 4] <= entries[i],
 * and position[id of entries[i]] == i for every i < count.
 */
#include "base/heap.h"

#include "base/memory.h"

#define ARITY    4u
#define ABSENT   UINT32_MAX
#define HEAP_MAX (1u << HS_HEAP_ID_BITS)

static inline uint32_t id_of(const struct hs_heap_node *e)
{
    return e->tag & (HEAP_MAX - 1);
}

/* (time, order) as one 128-bit number: comparisons on the way down are unpredictable, so they must
 * compile to arithmetic, not branches. */
static inline hs_i128 key_of(const struct hs_heap_node *e)
{
    return (hs_i128)((hs_u128)(uint64_t)e->time_us << 64 | e->tag);
}

static inline size_t is_before(const struct hs_heap_node *a, const struct hs_heap_node *b)
{
    return key_of(a) < key_of(b);
}

/* Field by field: copying an entry as a whole just after it was written would stall the load. */
static inline void entry_put(struct hs_heap *heap, uint32_t at, const struct hs_heap_node *entry)
{
    struct hs_heap_node *to = &heap->entries[at];
    const int64_t time_us = entry->time_us;
    const uint64_t tag = entry->tag;
    to->time_us = time_us;
    to->tag = tag;
    heap->position[tag & (HEAP_MAX - 1)] = at;
}

/* Moves the hole at `at` towards the root until entry fits, and puts it there. */
static inline void sift_up(struct hs_heap *heap, uint32_t at, const struct hs_heap_node *entry)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / ARITY;
        if (!is_before(entry, &heap->entries[parent]))
            break;
        entry_put(heap, at, &heap->entries[parent]);
        at = parent;
    }
    entry_put(heap, at, entry);
}

/* Moves the hole at `at` to a leaf; returns its position. */
static inline uint32_t sink(struct hs_heap *heap, uint32_t at)
{
    struct hs_heap_node *const entries = heap->entries;
    const size_t full = (heap->count - 1) / ARITY; /* entries before it have four children */
    size_t hole = at;
    while (hole < full) {
        const struct hs_heap_node *four = &entries[hole * ARITY + 1]; /* least by pairs */
        const size_t left = is_before(&four[1], &four[0]);
        const size_t right = 2 + is_before(&four[3], &four[2]);
        const size_t won = left ^ ((left ^ right) & (0 - is_before(&four[right], &four[left])));
        const size_t least = hole * ARITY + 1 + won;
        entry_put(heap, (uint32_t)hole, &entries[least]);
        hole = least;
    }
    size_t least = hole * ARITY + 1;
    if (least >= heap->count)
        return (uint32_t)hole;
    for (size_t child = least + 1; child < heap->count; child++)
        least = is_before(&entries[child], &entries[least]) ? child : least;
    entry_put(heap, (uint32_t)hole, &entries[least]);
    return (uint32_t)least;
}

void hs_heap_set(struct hs_heap *heap, uint32_t id, int64_t time_us, uint64_t order)
{
    const struct hs_heap_node entry = {.time_us = time_us, .tag = order << HS_HEAP_ID_BITS | id};
    if (HS_UNLIKELY(order > HS_HEAP_ORDER_MAX))
        hs_fatal(HS_E_LIMIT);
    if (HS_UNLIKELY(id >= heap->position_cap)) {
        uint32_t known = heap->position_cap;
        hs_grow((void **)&heap->position, &heap->position_cap, (uint64_t)id + 1,
                sizeof *heap->position, HEAP_MAX);
        for (uint32_t i = known; i < heap->position_cap; i++)
            heap->position[i] = ABSENT;
    }
    uint32_t at = heap->position[id];
    if (at == ABSENT) {
        hs_grow((void **)&heap->entries, &heap->entries_cap, (uint64_t)heap->count + 1,
                sizeof *heap->entries, HEAP_MAX);
        at = heap->count++;
    } else if (at == 0 || !is_before(&entry, &heap->entries[(at - 1) / ARITY])) {
        at = sink(heap, at);
    }
    sift_up(heap, at, &entry);
}

void hs_heap_remove(struct hs_heap *heap, uint32_t id)
{
    if (id >= heap->position_cap || heap->position[id] == ABSENT)
        return;
    uint32_t at = heap->position[id];
    heap->position[id] = ABSENT;
    const struct hs_heap_node last = heap->entries[--heap->count];
    if (at < heap->count) /* the last entry was a leaf, and usually stays near one */
        sift_up(heap, sink(heap, at), &last);
}

bool hs_heap_is_valid(const struct hs_heap *heap)
{
    uint32_t placed = 0;
    for (uint32_t id = 0; id < heap->position_cap; id++)
        placed += heap->position[id] != ABSENT;
    if (placed != heap->count)
        return false;
    for (uint32_t i = 0; i < heap->count; i++) {
        const struct hs_heap_node *entry = &heap->entries[i];
        if (id_of(entry) >= heap->position_cap || heap->position[id_of(entry)] != i)
            return false;
        if (i > 0 && is_before(entry, &heap->entries[(i - 1) / ARITY]))
            return false;
    }
    return true;
}

void hs_heap_free(struct hs_heap *heap)
{
    hs_free(heap->entries);
    hs_free(heap->position);
    *heap = (struct hs_heap){0};
}
