/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Indexed 4-ary min-heap (D. B. Johnson, Information Processing Letters 4, 1975) of (time, order)
 * keys: ids are small dense integers (job slots, timer slots), so a key can be moved or removed
 * without searching. The order is total if `order` is unique among entries of equal time.
 *
 *     hs_heap_set(&h, slot, finish_us, index);    // inserts, or moves
 *     while (hs_heap_next_us(&h) <= now) { hs_heap_remove(&h, hs_heap_next_id(&h)); ... }
 *
 * All operations are O(log n) or better; no allocation after every id was used once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "horus/status.h"

#define HS_HEAP_ID_BITS   28
#define HS_HEAP_ORDER_MAX (UINT64_MAX >> HS_HEAP_ID_BITS)

/* Order and id in one number, so that four entries fit a cache line. */
struct hs_heap_node {
    int64_t time_us;
    uint64_t tag;
};

struct hs_heap {
    struct hs_heap_node *entries;
    uint32_t *position; /* of each id; UINT32_MAX = not in the heap */
    uint32_t count, entries_cap, position_cap;
};

/* id below 1 << HS_HEAP_ID_BITS, order up to HS_HEAP_ORDER_MAX; HS_E_LIMIT if out of range. */
void hs_heap_set(struct hs_heap *heap, uint32_t id, int64_t time_us, uint64_t order);
void hs_heap_remove(struct hs_heap *heap, uint32_t id); /* no-op if absent */
/* Returns the time of the first entry; INT64_MAX if empty. */
static inline int64_t hs_heap_next_us(const struct hs_heap *heap)
{
    return heap->count > 0 ? heap->entries[0].time_us : INT64_MAX;
}
/* Returns the id of the first entry, which must exist. */
static inline uint32_t hs_heap_next_id(const struct hs_heap *heap)
{
    return heap->entries[0].tag & ((1u << HS_HEAP_ID_BITS) - 1);
}
bool hs_heap_is_valid(const struct hs_heap *heap); /* heap property and positions; O(n) */
void hs_heap_free(struct hs_heap *heap);
