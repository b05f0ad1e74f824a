/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who holds a GPU beside whom, from segments.csv alone, in one sweep over their begins and ends. Of
 * the holders of a GPU it keeps their number and the sum of their indices, which is the index of
 * the last one left; of those with shares of it the sum of the shares. O(segments log segments +
 * GPUs held).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report/verify_check.h"

struct gpu {
    uint32_t holders; /* that have it whole */
    uint32_t milli;   /* shares of the others */
    uint64_t sum;     /* of the indices of the segments of the holders */
    int64_t since_us, shared_from_us;
};

/* A segment that has begun. */
struct holder {
    uint32_t shared_gpus;
    int64_t from_us; /* of sharing one of them */
};

struct sweep {
    struct verify_run *run;
    struct verify_check *check;
    struct gpu *gpus;
    struct holder *holders; /* by segment */
};

static void begin_sharing(struct sweep *s, uint64_t segment, int64_t now_us)
{
    if (s->holders[segment].shared_gpus++ == 0)
        s->holders[segment].from_us = now_us;
}

static void end_sharing(struct sweep *s, uint64_t segment, int64_t now_us)
{
    uint32_t job = s->run->segments[segment].job;
    if (--s->holders[segment].shared_gpus == 0 && job != VERIFY_NO_JOB)
        s->run->jobs[job].sum.colocated_us += now_us - s->holders[segment].from_us;
}

uint32_t verify_milli(const struct verify_run *run, const struct verify_segment *seg)
{
    if (seg->job == VERIFY_NO_JOB || run->jobs[seg->job].row.line == 0)
        return VERIFY_GPU_MILLI;
    return run->jobs[seg->job].row.gpu_milli;
}

/* How it was held up to now. */
static void account(struct sweep *s, struct gpu *g, int64_t now_us)
{
    int64_t length_us = now_us - g->since_us;
    g->since_us = now_us;
    if (g->holders == 0 && g->milli == 0)
        return;
    s->run->held_us += length_us;
    s->run->allocated_us +=
        (hs_i128)length_us * (g->milli + (g->holders > 0 ? VERIFY_GPU_MILLI : 0));
}

static void check_room(struct sweep *s, const struct gpu *g, uint32_t segment, int64_t now_us)
{
    struct verify_text at;
    const int64_t line = s->run->segments[segment].line;
    if (g->holders > 0 && g->milli > 0)
        verify_fault(s->check,
                     "segments.csv:%" PRId64 ": GPU %td at %s is held whole, and shares of it too",
                     line, g - s->gpus, verify_seconds(&at, now_us));
    else if (g->milli > VERIFY_GPU_MILLI)
        verify_fault(s->check,
                     "segments.csv:%" PRId64 ": the shares of GPU %td at %s are %" PRIu32
                     " thousandths of it",
                     line, g - s->gpus, verify_seconds(&at, now_us), g->milli);
}

static void take(struct sweep *s, struct gpu *g, uint32_t segment, int64_t now_us)
{
    uint32_t milli = verify_milli(s->run, &s->run->segments[segment]);
    account(s, g, now_us);
    if (milli < VERIFY_GPU_MILLI) {
        g->milli += milli;
        check_room(s, g, segment, now_us);
        return;
    }
    if (g->holders == 1) {
        g->shared_from_us = now_us;
        begin_sharing(s, g->sum, now_us);
    }
    if (g->holders > 0)
        begin_sharing(s, segment, now_us);
    g->holders++;
    g->sum += segment;
    check_room(s, g, segment, now_us);
}

static void give(struct sweep *s, struct gpu *g, uint32_t segment, int64_t now_us)
{
    uint32_t milli = verify_milli(s->run, &s->run->segments[segment]);
    account(s, g, now_us);
    if (milli < VERIFY_GPU_MILLI) {
        g->milli -= milli;
        return;
    }
    g->holders--;
    g->sum -= segment;
    if (g->holders > 0)
        end_sharing(s, segment, now_us);
    if (g->holders == 1) {
        s->run->shared_us += now_us - g->shared_from_us;
        end_sharing(s, g->sum, now_us);
    }
}

static void change(struct sweep *s, uint32_t segment, int64_t now_us,
                   void (*how)(struct sweep *, struct gpu *, uint32_t, int64_t))
{
    const struct verify_segment *seg = &s->run->segments[segment];
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &s->run->ranges[seg->range_first + r];
        for (uint32_t g = range->first; g <= range->last && g < s->run->cluster.gpu_count; g++)
            how(s, &s->gpus[g], segment, now_us);
    }
}

static void begin(void *ctx, uint32_t segment, int64_t now_us)
{
    change(ctx, segment, now_us, take);
}

static void end(void *ctx, uint32_t segment, int64_t now_us)
{
    change(ctx, segment, now_us, give);
}

enum hs_status verify_add_up_shared(struct verify_run *run, struct verify_check *c)
{
    uint64_t segments = run->segment_count + UINT64_C(1);
    struct sweep s = {.run = run,
                      .check = c,
                      .gpus = hs_alloc_zeroed(run->cluster.gpu_count + UINT64_C(1), sizeof *s.gpus),
                      .holders = hs_alloc_zeroed(segments, sizeof *s.holders)};
    enum hs_status status = s.gpus == NULL || s.holders == NULL
                                ? hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory")
                                : verify_sweep(run, &s, begin, end);
    hs_free(s.gpus);
    hs_free(s.holders);
    return status;
}
