/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays that grow with a trace, in bounded memory. A small array is plain memory; a large one is
 * an unlinked temporary file that is mapped, so that it is used like any other array. A reader that
 * walks them calls hs_spill_step for each item: it removes the mapped pages from memory, though not
 * from the file, where more than HS_SPILL_MOST bytes of them are resident. Where /tmp has no room,
 * an array stays in memory.
 *
 *     hs_spill_grow(&spill, (void **)&x->items, &x->cap, x->count + 1, sizeof *x->items);
 *     for (uint32_t i = 0; i < x->count; i++, hs_spill_step(&spill)) ... x->items[i] ...
 *     hs_spill_free(&spill);                      // all arrays
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"

#define HS_SPILL_FROM   (UINT64_C(4) << 20)  /* bytes from which an array is a file */
#define HS_SPILL_MOST   (UINT64_C(24) << 20) /* resident bytes of files, without the last steps' */
#define HS_SPILL_ARRAYS 16

struct hs_spill {
    struct hs_spill_array {
        void *items; /* NULL: not in use */
        uint64_t bytes;
        int file; /* -1: plain memory */
    } of[HS_SPILL_ARRAYS];
    uint32_t steps;
    int statm; /* 1 + the file that tells what is resident; 0: not open */
};

/* Makes room for `need` items, as hs_grow: new ones are zero. A NULL array becomes one of the set,
 * which has at most HS_SPILL_ARRAYS; any other must be one. */
HS_COLD void hs_spill_grow_to(struct hs_spill *spill, void **items, uint32_t *cap, uint64_t need,
                              size_t item_size);
static inline void hs_spill_grow(struct hs_spill *spill, void **items, uint32_t *cap, uint64_t need,
                                 size_t item_size)
{
    if (HS_UNLIKELY(need > *cap))
        hs_spill_grow_to(spill, items, cap, need, item_size);
}
/* An array of zeroed items. */
void *hs_spill_alloc(struct hs_spill *spill, uint64_t count, size_t item_size);
/* Sorts an array of the set by a total order: returns it, or the one that takes its place. compare
 * as of qsort. O(count log count). */
void *hs_spill_sort(struct hs_spill *spill, void *items, uint64_t count, size_t item_size,
                    int (*compare)(const void *a, const void *b));
/* Frees one array; NULL: no-op. */
void hs_spill_release(struct hs_spill *spill, void *items);
void hs_spill_free(struct hs_spill *spill);

#define HS_SPILL_STEPS 256u
HS_COLD void hs_spill_bound(struct hs_spill *spill);
static inline void hs_spill_step(struct hs_spill *spill)
{
    if (HS_UNLIKELY(++spill->steps % HS_SPILL_STEPS == 0))
        hs_spill_bound(spill);
}
