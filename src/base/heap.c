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
#define EMPTY    ((struct hs_heap_node){INT64_MAX, UINT64_MAX}) /* after all others */

static inline uint32_t id_of(const struct hs_heap_node *e)
{
    return e->tag & (HEAP_MAX - 1);
}

/* (time, order) as one number: on the way down the result is random, and is not to be a branch. */
static inline hs_i128 key_of(const struct hs_heap_node *e)
{
    return (hs_i128)((hs_u128)(uint64_t)e->time_us << 64 | e->tag);
}

static inline size_t is_before(const struct hs_heap_node *a, const struct hs_heap_node *b)
{
    return key_of(a) < key_of(b);
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

/* Moves the hole at `at` to a leaf; returns its position. Behind the last entry are empty ones, so
 * that four are compared always. */
static inline uint32_t sink(struct hs_heap *heap, size_t at)
{
    for (size_t first; (first = at * ARITY + 1) < heap->count;) {
        const struct hs_heap_node *const child = &heap->entries[first];
        const size_t left = is_before(&child[1], &child[0]);
        const size_t right = 2 + is_before(&child[3], &child[2]);
        const size_t least = left ^ ((left ^ right) & (0 - is_before(&child[right], &child[left])));
        entry_put(heap, (uint32_t)at, &child[least]);
        at = first + least;
    }
    return (uint32_t)at;
}

static HS_COLD void make_room(struct hs_heap *heap, uint32_t id)
{
    uint32_t known = heap->position_cap;
    hs_grow(heap->position, heap->position_cap, (uint64_t)id + 1, HEAP_MAX);
    for (; known < heap->position_cap; known++)
        heap->position[known] = ABSENT;
    uint32_t filled = heap->entries_cap;
    hs_grow(heap->entries, heap->entries_cap, (uint64_t)known + ARITY, HEAP_MAX + ARITY);
    for (; filled < heap->entries_cap; filled++)
        heap->entries[filled] = EMPTY;
}

void hs_heap_set(struct hs_heap *heap, uint32_t id, int64_t time_us, uint64_t order)
{
    const struct hs_heap_node entry = {.time_us = time_us, .tag = order << HS_HEAP_ID_BITS | id};
    if (HS_UNLIKELY(order > HS_HEAP_ORDER_MAX))
        hs_fatal(HS_E_LIMIT);
    if (HS_UNLIKELY(id >= heap->position_cap))
        make_room(heap, id);
    uint32_t at = heap->position[id];
    if (at == ABSENT)
        at = heap->count++;
    else if (at == 0 || !is_before(&entry, &heap->entries[(at - 1) / ARITY]))
        at = sink(heap, at);
    sift_up(heap, at, &entry);
}

void hs_heap_remove(struct hs_heap *heap, uint32_t id)
{
    if (id >= heap->position_cap || heap->position[id] == ABSENT)
        return;
    uint32_t at = heap->position[id];
    heap->position[id] = ABSENT;
    const struct hs_heap_node last = heap->entries[--heap->count];
    heap->entries[heap->count] = EMPTY;
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
