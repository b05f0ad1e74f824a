/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who holds a GPU beside whom, from segments.csv alone: one sweep over their begins and ends. Of
 * the holders of a GPU it keeps their number and the sum of their indices, which is the index of
 * the last one left. O(segments log segments + GPUs held).
 */
#include <stdlib.h>

#include "report/verify_check.h"

struct gpu {
    uint32_t holders;
    uint64_t sum; /* of the indices of their segments */
    int64_t held_from_us, shared_from_us;
};

/* A segment that has begun. */
struct holder {
    uint32_t shared_gpus;
    int64_t from_us; /* of sharing one of them */
};

struct end {
    int64_t at_us;
    uint32_t segment;
};

struct sweep {
    struct verify_run *run;
    struct gpu *gpus;
    struct holder *holders; /* by segment */
    struct end *ends;       /* of segments of some length, ascending */
    uint32_t end_count;
};

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return x->segment < y->segment ? -1 : x->segment > y->segment;
}

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

static void take(struct sweep *s, struct gpu *g, uint32_t segment, int64_t now_us)
{
    if (g->holders == 0)
        g->held_from_us = now_us;
    if (g->holders == 1) {
        g->shared_from_us = now_us;
        begin_sharing(s, g->sum, now_us);
    }
    if (g->holders > 0)
        begin_sharing(s, segment, now_us);
    g->holders++;
    g->sum += segment;
}

static void give(struct sweep *s, struct gpu *g, uint32_t segment, int64_t now_us)
{
    g->holders--;
    g->sum -= segment;
    if (g->holders > 0)
        end_sharing(s, segment, now_us);
    if (g->holders == 1) {
        s->run->shared_us += now_us - g->shared_from_us;
        end_sharing(s, g->sum, now_us);
    }
    if (g->holders == 0)
        s->run->held_us += now_us - g->held_from_us;
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

/* What ends makes room before anything begins. */
static void walk(struct sweep *s)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < s->run->segment_count; i++) {
        const struct verify_segment *seg = &s->run->segments[i];
        if (seg->start_us == seg->end_us)
            continue;
        for (; ended < s->end_count && s->ends[ended].at_us <= seg->start_us; ended++)
            change(s, s->ends[ended].segment, s->ends[ended].at_us, give);
        change(s, i, seg->start_us, take);
    }
    for (; ended < s->end_count; ended++)
        change(s, s->ends[ended].segment, s->ends[ended].at_us, give);
}

static void list_ends(struct sweep *s)
{
    for (uint32_t i = 0; i < s->run->segment_count; i++) {
        const struct verify_segment *seg = &s->run->segments[i];
        if (seg->start_us < seg->end_us)
            s->ends[s->end_count++] = (struct end){seg->end_us, i};
    }
    qsort(s->ends, s->end_count, sizeof *s->ends, compare_ends);
}

enum hs_status verify_add_up_shared(struct verify_run *run)
{
    uint64_t segments = run->segment_count + UINT64_C(1);
    struct sweep s = {.run = run,
                      .gpus = hs_alloc_zeroed(run->cluster.gpu_count + UINT64_C(1), sizeof *s.gpus),
                      .holders = hs_alloc_zeroed(segments, sizeof *s.holders),
                      .ends = hs_alloc_zeroed(segments, sizeof *s.ends)};
    enum hs_status status = HS_OK;
    if (s.gpus == NULL || s.holders == NULL || s.ends == NULL) {
        status = hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    } else {
        list_ends(&s);
        walk(&s);
    }
    hs_free(s.gpus);
    hs_free(s.holders);
    hs_free(s.ends);
    return status;
}
