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

static inline bool is_before(const struct hs_heap_node *a, const struct hs_heap_node *b)
{
    return a->time_us != b->time_us ? a->time_us < b->time_us : a->tag < b->tag;
}

static inline void entry_put(struct hs_heap *heap, uint32_t at, const struct hs_heap_node *entry)
{
    heap->entries[at] = *entry;
    heap->position[id_of(entry)] = at;
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
    for (;;) {
        uint32_t least = at * ARITY + 1;
        const uint32_t end = least + ARITY < heap->count ? least + ARITY : heap->count;
        if (least >= end)
            return at;
        for (uint32_t child = least + 1; child < end; child++)
            least = is_before(&heap->entries[child], &heap->entries[least]) ? child : least;
        entry_put(heap, at, &heap->entries[least]);
        at = least;
    }
}

void hs_heap_set(struct hs_heap *heap, uint32_t id, int64_t time_us, uint64_t order)
{
    const struct hs_heap_node entry = {.time_us = time_us, .tag = order << HS_HEAP_ID_BITS | id};
    if (HS_UNLIKELY(order > HS_HEAP_ORDER_MAX))
        hs_fatal(HS_E_LIMIT);
    if (HS_UNLIKELY(id >= heap->position_cap)) {
        uint32_t known = heap->position_cap;
        hs_grow(heap->position, heap->position_cap, (uint64_t)id + 1, HEAP_MAX);
        for (uint32_t i = known; i < heap->position_cap; i++)
            heap->position[i] = ABSENT;
    }
    uint32_t at = heap->position[id];
    if (at == ABSENT) {
        hs_grow(heap->entries, heap->entries_cap, (uint64_t)heap->count + 1, HEAP_MAX);
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
