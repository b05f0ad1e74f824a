/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All memory of the program. No call here fails: if memory is exhausted, or an array would exceed
 * its documented limit, hs_fatal ends the program. Growing arrays are an items pointer, a count and
 * a capacity in their owner; hs_grow makes room. An arena lives as long as a run.
 *
 *     *hs_push(q->items, q->n, q->cap, MAX_ITEMS) = x;   // x must not use q->n
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "horus/status.h"

/* Ends the program with the exit code of the status, HS_E_MEMORY or HS_E_LIMIT: calls the function
 * set by hs_on_fatal, which reports, removes unfinished output and exits; without one, aborts. */
_Noreturn void hs_fatal(enum hs_status status);
/* Sets the function that ends the program, and reserves memory for it. */
void hs_on_fatal(void (*end)(enum hs_status status));
/* Checks memory allocated by a library; NULL is fatal. */
void *hs_must(void *memory);

/* Makes room for `need` items (doubling; new bytes are zeroed). Amortised O(1) per item. */
HS_COLD void hs_grow_to(void **items, uint32_t *cap, uint64_t need, size_t item_size,
                        uint64_t max_items);

/* The same, but new items are not initialized: untouched pages are not resident, so that peak
 * memory is that used, not the capacity. */
HS_COLD void hs_grow_bare_to(void **items, uint32_t *cap, uint64_t need, size_t item_size,
                             uint64_t max_items);

/* Inline: the event loop calls them at every step, and nearly always there is room. */
static inline void hs_make_room(void **items, uint32_t *cap, uint64_t need, size_t item_size,
                                uint64_t max_items)
{
    if (HS_UNLIKELY(need > *cap))
        hs_grow_to(items, cap, need, item_size, max_items);
}
static inline void hs_make_bare_room(void **items, uint32_t *cap, uint64_t need, size_t item_size,
                                     uint64_t max_items)
{
    if (HS_UNLIKELY(need > *cap))
        hs_grow_bare_to(items, cap, need, item_size, max_items);
}

/* Make room in the array `items`, a pointer that is changed, as is its capacity. */
#define hs_grow(items, cap, need, max_items)                                                       \
    hs_make_room((void **)&(items), &(cap), need, sizeof *(items), max_items)
#define hs_grow_bare(items, cap, need, max_items)                                                  \
    hs_make_bare_room((void **)&(items), &(cap), need, sizeof *(items), max_items)
/* Returns the place of one more item, counted. */
#define hs_push(items, count, cap, max_items)                                                      \
    (hs_grow(items, cap, (uint64_t)(count) + 1, max_items), &(items)[(count)++])

/* Prefetches bytes that will be needed soon and are not in the cache. */
HS_INLINE void hs_prefetch(const void *memory, size_t bytes)
{
    const char *first = memory;
    HS_UNROLL
    for (size_t at = 0; at < bytes; at += HS_CACHE_LINE)
        HS_PREFETCH(first + at);
    if (bytes % HS_CACHE_LINE != 0) /* else they begin with a line, as large blocks do */
        HS_PREFETCH(first + bytes - 1);
}

/* The project's calloc, free, and for a library realloc, which may return NULL. */
void *hs_alloc_zeroed(uint64_t count, size_t item_size);
void hs_free(void *memory);
void *hs_resize(void *memory, size_t bytes);

/* A chunked bump allocator; zeroed, 16-byte aligned. */
struct hs_arena {
    struct hs_arena_chunk *chunk;
    size_t used;
};
void *hs_arena_alloc(struct hs_arena *arena, uint64_t bytes);
char *hs_arena_text(struct hs_arena *arena, const char *text, size_t len); /* NUL-terminated copy */
void hs_arena_reset(struct hs_arena *arena); /* keeps the newest chunk */
void hs_arena_free(struct hs_arena *arena);

/* The places of an array in use: the last one freed is reused first, so memory follows the maximum
 * number in use at once. The array itself is typed and belongs to its owner; free places are linked
 * through the first four bytes of their items.
 *
 *     struct hs_allocation *seats;   struct hs_pool allocation_pool;
 *     uint32_t at = hs_pool_take(&jobs->allocation_pool, jobs->seats);
 *     hs_pool_give(&jobs->allocation_pool, &jobs->seats[at], at);
 *
 * A place is not cleared. Places never used cost no memory (see hs_grow_bare). All O(1). */
#define HS_POOL_MAX (1u << 28)

struct hs_pool {
    uint32_t cap, high; /* total places; places ever used */
    uint32_t first;     /* free place + 1; 0 = none */
};

/* For an array with room for another place: it is not grown. */
static inline uint32_t hs_pool_take_there(struct hs_pool *pool, const void *items, size_t item_size)
{
    if (HS_UNLIKELY(pool->first == 0))
        return pool->high++;
    const uint32_t at = pool->first - 1;
    memcpy(&pool->first, (const unsigned char *)items + at * item_size, sizeof pool->first);
    return at;
}

static inline uint32_t hs_pool_take_item(struct hs_pool *pool, void **items, size_t item_size)
{
    const unsigned char *memory;
    if (HS_UNLIKELY(pool->first == 0))
        hs_make_bare_room(items, &pool->cap, (uint64_t)pool->high + 1, item_size, HS_POOL_MAX);
    memcpy(&memory, items, sizeof memory); /* as in hs_grow_to: the pointer is a T * */
    return hs_pool_take_there(pool, memory, item_size);
}

#define hs_pool_take(pool, items) hs_pool_take_item(pool, (void **)&(items), sizeof *(items))

static inline void hs_pool_give(struct hs_pool *pool, void *item, uint32_t at)
{
    memcpy(item, &pool->first, sizeof pool->first);
    pool->first = at + 1;
}
