/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The few places where memory is asked for. Growing arrays are an items pointer, a count and a
 * capacity in their owner; hs_grow makes room. An arena lives as long as a run and is freed whole.
 *
 *     HS_TRY(hs_grow((void **)&q->items, &q->cap, q->n + 1, sizeof *q->items, MAX_ITEMS));
 *     q->items[q->n++] = x;
 */
#ifndef HORUS_BASE_MEMORY_H
#define HORUS_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "horus/status.h"

/* Makes room for `need` items (doubling; new bytes are zeroed). HS_E_LIMIT past max_items,
 * HS_E_MEMORY when refused; the array is unchanged then. Amortised O(1) per item. */
HS_COLD HS_MUST_USE enum hs_status hs_grow_to(void **items, uint32_t *cap, uint64_t need,
                                              size_t item_size, uint64_t max_items);

/* The same, but new items are not set to anything: memory that was never used is not resident, so
 * the peak is what was used and not what there is room for. */
HS_COLD HS_MUST_USE enum hs_status hs_grow_bare_to(void **items, uint32_t *cap, uint64_t need,
                                                   size_t item_size, uint64_t max_items);

/* The usual case, that there is room, without a call: the event loop asks at every step. */
HS_MUST_USE static inline enum hs_status hs_grow(void **items, uint32_t *cap, uint64_t need,
                                                 size_t item_size, uint64_t max_items)
{
    return HS_LIKELY(need <= *cap) ? HS_OK : hs_grow_to(items, cap, need, item_size, max_items);
}
HS_MUST_USE static inline enum hs_status hs_grow_bare(void **items, uint32_t *cap, uint64_t need,
                                                      size_t item_size, uint64_t max_items)
{
    return HS_LIKELY(need <= *cap) ? HS_OK
                                   : hs_grow_bare_to(items, cap, need, item_size, max_items);
}

/* These bytes will be looked at soon, and have not been for long: they are sent for. */
static inline void hs_prefetch(const void *memory, size_t bytes)
{
    const char *first = memory;
    for (size_t at = 0; at < bytes; at += HS_CACHE_LINE)
        HS_PREFETCH(first + at);
    if (bytes % HS_CACHE_LINE != 0) /* else they begin with a line, as large blocks do */
        HS_PREFETCH(first + bytes - 1);
}

/* malloc, calloc and free of the project: NULL when out of memory or on overflow. */
void *hs_alloc_zeroed(uint64_t count, size_t item_size);
void hs_free(void *memory);

/* Chunked bump allocator; zeroed, 16-byte aligned. */
struct hs_arena {
    struct hs_arena_chunk *chunk;
    size_t used;
    uint64_t total_bytes;
};
void *hs_arena_alloc(struct hs_arena *arena, uint64_t bytes); /* NULL when out of memory */
char *hs_arena_text(struct hs_arena *arena, const char *text, size_t len); /* NUL-terminated copy */
void hs_arena_reset(struct hs_arena *arena); /* keeps the newest chunk for reuse */
void hs_arena_free(struct hs_arena *arena);

#endif
