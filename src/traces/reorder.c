/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reorder window. Invariant: the ring is ascending in (submit, row); every other row held is in
 * the heap; the first row is the smaller of the two heads.
 */
#include "traces/reorder.h"

#include <string.h>

#include "base/memory.h"

#define ROWS_MAX   (UINT32_C(1) << 31)
#define TEXT_MAX   (UINT32_C(1) << 24) /* of one row: 8 CSV fields of at most 1 MiB */
#define TEXT_ROOM  24                  /* a short id; grows once for longer texts */
#define TEXT_COUNT 8
#define NO_SLOT    UINT32_MAX

struct hs_reorder_slot {
    struct hs_trace_job job;
    uint64_t row;
    char *text; /* storage of the strings of job */
    int64_t *attempts_us;
    uint32_t text_cap, attempts_cap;
};

void hs_reorder_init(struct hs_reorder *r)
{
    *r = (struct hs_reorder){.handed_out = NO_SLOT};
}

static enum hs_status take_slot(struct hs_reorder *r, uint32_t *slot)
{
    if (r->free_count > 0) {
        *slot = r->free_slots[--r->free_count];
        return HS_OK;
    }
    uint64_t need = (uint64_t)r->slot_count + 1;
    HS_TRY(hs_grow((void **)&r->slots, &r->slots_cap, need, sizeof *r->slots, ROWS_MAX));
    HS_TRY(hs_grow((void **)&r->free_slots, &r->free_cap, need, sizeof *r->free_slots, ROWS_MAX));
    *slot = r->slot_count++;
    return HS_OK;
}

static void give_back(struct hs_reorder *r, uint32_t slot)
{
    r->free_slots[r->free_count++] = slot;
}

static enum hs_status copy_attempts(struct hs_reorder_slot *slot, const struct hs_trace_job *job)
{
    if (job->attempts == 0)
        return HS_OK;
    HS_TRY(hs_grow((void **)&slot->attempts_us, &slot->attempts_cap, job->attempts,
                   sizeof *slot->attempts_us, UINT32_MAX));
    memcpy(slot->attempts_us, job->attempts_us, job->attempts * sizeof *slot->attempts_us);
    slot->job.attempts_us = slot->attempts_us;
    return HS_OK;
}

/* Those of the eight texts that a row has are copied one behind the other. */
static enum hs_status copy_row(struct hs_reorder_slot *slot, const struct hs_trace_job *job)
{
    slot->job = *job;
    const char **const texts[TEXT_COUNT] = {
        &slot->job.id,    &slot->job.user,    &slot->job.vc,    &slot->job.gpu_type,
        &slot->job.model, &slot->job.dataset, &slot->job.batch, &slot->job.precision};
    const char **there[TEXT_COUNT];
    size_t sizes[TEXT_COUNT], need = 0;
    uint32_t count = 0;
    for (int i = 0; i < TEXT_COUNT; i++) {
        if (*texts[i] == NULL)
            continue;
        there[count] = texts[i];
        sizes[count] = strlen(*texts[i]) + 1;
        need += sizes[count++];
    }
    if (HS_UNLIKELY(need > slot->text_cap))
        HS_TRY(hs_grow_to((void **)&slot->text, &slot->text_cap,
                          need < TEXT_ROOM ? TEXT_ROOM : need, 1, TEXT_MAX));
    char *at = slot->text;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(at, *there[i], sizes[i]);
        *there[i] = at;
        at += sizes[i];
    }
    return copy_attempts(slot, job);
}

static enum hs_status grow_ring(struct hs_reorder *r)
{
    uint32_t old = r->ring_cap, cap = old ? old * 2 : 64, grown_cap = old;
    HS_TRY(hs_grow((void **)&r->ring, &grown_cap, cap, sizeof *r->ring, ROWS_MAX));
    /* What had wrapped to the front goes on behind the old end. */
    uint32_t wrapped = r->ring_head + r->ring_count > old ? r->ring_head + r->ring_count - old : 0;
    if (wrapped > 0)
        memcpy(r->ring + old, r->ring, wrapped * sizeof *r->ring);
    r->ring_cap = cap;
    return HS_OK;
}

static uint32_t ring_at(const struct hs_reorder *r, uint32_t index)
{
    return r->ring[(r->ring_head + index) & (r->ring_cap - 1)];
}

enum hs_status hs_reorder_push(struct hs_reorder *r, const struct hs_trace_job *job)
{
    if (r->ring_count == r->ring_cap)
        HS_TRY(grow_ring(r));
    uint32_t slot;
    HS_TRY(take_slot(r, &slot));
    r->slots[slot].row = r->pushed;
    enum hs_status status = copy_row(&r->slots[slot], job);
    bool is_late =
        r->ring_count > 0 && job->submit_us < r->slots[ring_at(r, r->ring_count - 1)].job.submit_us;
    if (status == HS_OK && is_late)
        status = hs_heap_set(&r->late, slot, job->submit_us, r->pushed);
    if (status != HS_OK) {
        give_back(r, slot);
        return status;
    }
    if (is_late)
        r->late_count++;
    else
        r->ring[(r->ring_head + r->ring_count++) & (r->ring_cap - 1)] = slot;
    r->pushed++;
    r->count++;
    return HS_OK;
}

bool hs_reorder_pop(struct hs_reorder *r, struct hs_trace_job *job)
{
    if (r->handed_out != NO_SLOT)
        give_back(r, r->handed_out);
    r->handed_out = NO_SLOT;
    if (r->count == 0)
        return false;
    struct hs_heap_entry late;
    bool is_late = r->late_count > 0 && hs_heap_top(&r->late, &late);
    if (is_late && r->ring_count > 0) {
        const struct hs_reorder_slot *head = &r->slots[ring_at(r, 0)];
        is_late = late.time_us < head->job.submit_us ||
                  (late.time_us == head->job.submit_us && late.order < head->row);
    }
    uint32_t slot;
    if (is_late) {
        slot = late.id;
        hs_heap_remove(&r->late, slot);
        r->late_count--;
    } else {
        slot = ring_at(r, 0);
        r->ring_head = (r->ring_head + 1) & (r->ring_cap - 1);
        r->ring_count--;
    }
    r->count--;
    r->handed_out = slot;
    if (r->slots[slot].row < r->next_row)
        r->reordered++;
    else
        r->next_row = r->slots[slot].row + 1;
    *job = r->slots[slot].job;
    return true;
}

void hs_reorder_free(struct hs_reorder *r)
{
    for (uint32_t i = 0; i < r->slot_count; i++) {
        hs_free(r->slots[i].text);
        hs_free(r->slots[i].attempts_us);
    }
    hs_free(r->slots);
    hs_free(r->free_slots);
    hs_free(r->ring);
    hs_heap_free(&r->late);
    hs_reorder_init(r);
}
