/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which places of an array are in use: the last one given back is taken first, so memory follows
 * the largest number that was in use at once. The array itself is its owner's, and typed; free
 * places are chained by the first four bytes of their items.
 *
 *     struct hs_seat *seats;   struct hs_pool seat_pool;
 *     HS_TRY(hs_pool_take(&jobs->seat_pool, (void **)&jobs->seats, sizeof *jobs->seats, &at));
 *     hs_pool_give(&jobs->seat_pool, &jobs->seats[at], at);
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

HS_MUST_USE static inline enum hs_status hs_pool_take(struct hs_pool *pool, void **items,
                                                      size_t item_size, uint32_t *at)
{
    if (HS_LIKELY(pool->first != 0)) {
        unsigned char *memory;
        memcpy(&memory, items, sizeof memory); /* as hs_grow_to: the pointer is a T * */
        *at = pool->first - 1;
        memcpy(&pool->first, memory + (size_t)*at * item_size, sizeof pool->first);
        return HS_OK;
    }
    HS_TRY(hs_grow_bare(items, &pool->cap, (uint64_t)pool->high + 1, item_size, HS_POOL_MAX));
    *at = pool->high++;
    return HS_OK;
}

static inline void hs_pool_give(struct hs_pool *pool, void *item, uint32_t at)
{
    memcpy(item, &pool->first, sizeof pool->first);
    pool->first = at + 1;
}

#endif
