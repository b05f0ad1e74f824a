/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which places of an array are in use: the last one given back is taken first, so memory follows
 * the largest number that was in use at once. The array itself is its owner's, and typed; free
 * places are chained by the first four bytes of their items.
 *
 *     struct hs_allocation *seats;   struct hs_pool allocation_pool;
 *     uint32_t at = hs_pool_take(&jobs->allocation_pool, (void **)&jobs->seats, size);
 *     hs_pool_give(&jobs->allocation_pool, &jobs->seats[at], at);
 *
 * A place is not cleared. What was never in use costs no memory (see hs_grow_bare). All O(1).
 */
#ifndef HORUS_BASE_POOL_H
#define HORUS_BASE_POOL_H

#include <string.h>

#include "base/memory.h"

#define HS_POOL_MAX (1u << 28)

struct hs_pool {
    uint32_t cap, high; /* places there are; ever used */
    uint32_t first;     /* free place + 1; 0 = none */
};

/* For an array with room for one more place: it is not grown. */
static inline uint32_t hs_pool_take_there(struct hs_pool *pool, const void *items, size_t item_size)
{
    if (HS_UNLIKELY(pool->first == 0))
        return pool->high++;
    const uint32_t at = pool->first - 1;
    memcpy(&pool->first, (const unsigned char *)items + at * item_size, sizeof pool->first);
    return at;
}

static inline uint32_t hs_pool_take(struct hs_pool *pool, void **items, size_t item_size)
{
    const unsigned char *memory;
    if (HS_UNLIKELY(pool->first == 0))
        hs_grow_bare(items, &pool->cap, (uint64_t)pool->high + 1, item_size, HS_POOL_MAX);
    memcpy(&memory, items, sizeof memory); /* as hs_grow_to: the pointer is a T * */
    return hs_pool_take_there(pool, memory, item_size);
}

static inline void hs_pool_give(struct hs_pool *pool, void *item, uint32_t at)
{
    memcpy(item, &pool->first, sizeof pool->first);
    pool->first = at + 1;
}

#endif
