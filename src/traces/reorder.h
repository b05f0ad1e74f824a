/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows held back until they can be handed out in order of (submit, row): a ring for rows that come
 * in order, a heap for those that come late. Sorted input costs O(1) a row, a late row O(log n);
 * no allocation once the window and its texts have their size.
 *
 *     job = hs_reorder_room(&r);                // a record to be filled
 *     hs_reorder_push(&r);                      // copies the texts of the record
 *     if (r.count == window)
 *         job = hs_reorder_pop(&r);             // the caller's until the next pop
 */
#ifndef HORUS_TRACES_REORDER_H
#define HORUS_TRACES_REORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/memory.h"
#include "horus/trace.h"
#include "traces/format.h"

struct hs_reorder_slot;

struct hs_reorder {
    struct hs_arena arena; /* of the slots */
    struct hs_reorder_slot **slots;
    uint32_t *free_slots;
    uint32_t *ring; /* slots in order of (submit, row); a power of two long */
    uint32_t slots_cap, free_cap, ring_cap;
    uint32_t slot_count, free_count;
    uint32_t ring_head, ring_count;
    int64_t newest_us; /* submission of the last row of the ring */
    struct hs_heap late;
    uint32_t late_count;
    bool has_out; /* the caller has a row, of the slot */
    uint32_t out;
    uint64_t count; /* rows held */
    uint64_t pushed;
    uint64_t next_row;  /* row after the latest one popped */
    uint64_t reordered; /* rows popped after a row that came later */
};

void hs_reorder_init(struct hs_reorder *r);
/* The record that the next push takes. */
struct hs_trace_job *hs_reorder_room(struct hs_reorder *r);
/* Takes the record in the room last asked for, and copies what it borrows. */
void hs_reorder_push(struct hs_reorder *r);
/* The first of the rows held; NULL if there is none. It is the caller's until the next pop. */
struct hs_trace_job *hs_reorder_pop(struct hs_reorder *r);
void hs_reorder_free(struct hs_reorder *r);

#endif
