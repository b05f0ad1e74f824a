/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reorder window. Invariant: the ring is ascending in (submit, row); every other row held is in
 * the heap; the first row is the smaller of the two heads.
 */
#include "traces/reorder.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "horus/compiler.h"

#define ROWS_MAX    (UINT32_C(1) << 31)
#define FETCH_AHEAD 4                   /* rows */
#define TEXT_MAX    (UINT32_C(1) << 24) /* of one row: 8 CSV fields of at most 1 MiB */
#define TEXT_ROOM   56                  /* as most rows need; longer texts have their own memory */

struct hs_reorder_slot {
    struct hs_trace_job job;
    uint64_t row;
    int64_t *attempts_us;
    char *long_text;
    uint32_t attempts_cap, long_cap;
    char text[TEXT_ROOM];
};

void hs_reorder_init(struct hs_reorder *r)
{
    *r = (struct hs_reorder){0};
}

/* Slots never move: their texts are in them. */
static HS_APART void add_slot(struct hs_reorder *r)
{
    uint64_t need = (uint64_t)r->slot_count + 1;
    hs_grow((void **)&r->slots, &r->slots_cap, need, sizeof *r->slots, ROWS_MAX);
    hs_grow((void **)&r->free_slots, &r->free_cap, need, sizeof *r->free_slots, ROWS_MAX);
    r->slots[r->slot_count] = hs_arena_alloc(&r->arena, sizeof **r->slots);
    r->free_slots[r->free_count++] = r->slot_count++;
}

HS_EXPANDED struct hs_trace_job *hs_reorder_room(struct hs_reorder *r)
{
    if (HS_UNLIKELY(r->free_count == 0))
        add_slot(r);
    return &r->slots[r->free_slots[r->free_count - 1]]->job;
}

static HS_APART void keep_attempts(struct hs_reorder_slot *slot)
{
    struct hs_trace_job *job = &slot->job;
    hs_grow((void **)&slot->attempts_us, &slot->attempts_cap, job->attempts,
            sizeof *slot->attempts_us, UINT32_MAX);
    memcpy(slot->attempts_us, job->attempts_us, job->attempts * sizeof *slot->attempts_us);
    job->attempts_us = slot->attempts_us;
}

struct shelf {
    char *at;
    size_t room;
};

/* Copies the text, if there is one, into the room left; false if it does not fit. */
static inline bool keep_text(const char **text, struct shelf *shelf)
{
    if (*text == NULL)
        return true;
    size_t size = strlen(*text) + 1;
    if (HS_UNLIKELY(size > shelf->room))
        return false;
    *text = memcpy(shelf->at, *text, size);
    shelf->at += size;
    shelf->room -= size;
    return true;
}

static bool keep_texts(struct hs_trace_job *job, char *at, size_t room)
{
    struct shelf shelf = {at, room};
    return keep_text(&job->id, &shelf) && keep_text(&job->user, &shelf) &&
           keep_text(&job->vc, &shelf) && keep_text(&job->gpu_type, &shelf) &&
           keep_text(&job->model, &shelf) && keep_text(&job->dataset, &shelf) &&
           keep_text(&job->batch, &shelf) && keep_text(&job->precision, &shelf);
}

static size_t size_of(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

/* Some of them may be in slot->text by now. */
static HS_COLD void keep_long_texts(struct hs_reorder_slot *slot)
{
    struct hs_trace_job *job = &slot->job;
    size_t need = size_of(job->id) + size_of(job->user) + size_of(job->vc) +
                  size_of(job->gpu_type) + size_of(job->model) + size_of(job->dataset) +
                  size_of(job->batch) + size_of(job->precision);
    hs_grow((void **)&slot->long_text, &slot->long_cap, need, 1, TEXT_MAX);
    (void)keep_texts(job, slot->long_text, need);
}

static HS_COLD void grow_ring(struct hs_reorder *r)
{
    uint32_t old = r->ring_cap, cap = old ? old * 2 : 64, grown_cap = old;
    hs_grow((void **)&r->ring, &grown_cap, cap, sizeof *r->ring, ROWS_MAX);
    /* Entries that had wrapped to the front move behind the old end. */
    uint32_t wrapped = r->ring_head + r->ring_count > old ? r->ring_head + r->ring_count - old : 0;
    if (wrapped > 0)
        memcpy(r->ring + old, r->ring, wrapped * sizeof *r->ring);
    r->ring_cap = cap;
}

HS_EXPANDED void hs_reorder_push(struct hs_reorder *r)
{
    uint32_t id = r->free_slots[r->free_count - 1];
    struct hs_reorder_slot *slot = r->slots[id];
    int64_t submit_us = slot->job.submit_us;
    if (r->ring_count == r->ring_cap)
        grow_ring(r);
    if (HS_UNLIKELY(!keep_texts(&slot->job, slot->text, sizeof slot->text)))
        keep_long_texts(slot);
    if (HS_UNLIKELY(slot->job.attempts > 0))
        keep_attempts(slot);
    if (HS_UNLIKELY(r->ring_count > 0 && submit_us < r->newest_us)) {
        hs_heap_set(&r->late, id, submit_us, r->pushed);
        r->late_count++;
    } else {
        r->ring[(r->ring_head + r->ring_count++) & (r->ring_cap - 1)] = id;
        r->newest_us = submit_us;
    }
    slot->row = r->pushed++;
    r->free_count--;
    r->count++;
}

/* Takes the first row off the heap if it is before the first row of the ring. */
static HS_APART bool pop_late(struct hs_reorder *r, uint32_t *slot)
{
    struct hs_heap_entry late;
    if (!hs_heap_top(&r->late, &late))
        return false;
    if (r->ring_count > 0) {
        const struct hs_reorder_slot *head = r->slots[r->ring[r->ring_head]];
        if (late.time_us > head->job.submit_us ||
            (late.time_us == head->job.submit_us && late.order >= head->row))
            return false;
    }
    *slot = late.id;
    hs_heap_remove(&r->late, late.id);
    r->late_count--;
    return true;
}

HS_EXPANDED struct hs_trace_job *hs_reorder_pop(struct hs_reorder *r)
{
    uint32_t slot;
    if (r->count == 0)
        return NULL;
    if (HS_LIKELY(r->late_count == 0) || !pop_late(r, &slot)) {
        slot = r->ring[r->ring_head];
        r->ring_head = (r->ring_head + 1) & (r->ring_cap - 1);
        r->ring_count--;
    }
    r->count--;
    if (r->has_out)
        r->free_slots[r->free_count++] = r->out;
    r->out = slot;
    r->has_out = true;
    /* A window of rows is larger than a cache, and a row was last read a window ago. */
    if (r->ring_count > FETCH_AHEAD) {
        const char *row =
            (const char *)r->slots[r->ring[(r->ring_head + FETCH_AHEAD) & (r->ring_cap - 1)]];
        HS_UNROLL
        for (size_t at = 0; at < sizeof(struct hs_reorder_slot); at += HS_CACHE_LINE)
            HS_PREFETCH(row + at);
    }
    struct hs_reorder_slot *first = r->slots[slot];
    if (first->row < r->next_row)
        r->reordered++;
    else
        r->next_row = first->row + 1;
    return &first->job;
}

void hs_reorder_free(struct hs_reorder *r)
{
    for (uint32_t i = 0; i < r->slot_count; i++) {
        hs_free(r->slots[i]->long_text);
        hs_free(r->slots[i]->attempts_us);
    }
    hs_arena_free(&r->arena);
    hs_free(r->slots);
    hs_free(r->free_slots);
    hs_free(r->ring);
    hs_heap_free(&r->late);
    hs_reorder_init(r);
}
