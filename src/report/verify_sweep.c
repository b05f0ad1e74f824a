/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The begins and ends of segments in order of time, for rules on what is held at one time.
 */
#include <stdlib.h>

#include "report/verify_check.h"

struct end {
    int64_t at_us;
    uint32_t segment;
};

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return x->segment < y->segment ? -1 : x->segment > y->segment;
}

static uint32_t list_ends(const struct verify_run *run, struct end *ends)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->start_us < seg->end_us)
            ends[count++] = (struct end){seg->end_us, i};
    }
    qsort(ends, count, sizeof *ends, compare_ends);
    return count;
}

enum hs_status verify_sweep(const struct verify_run *run, void *ctx, verify_change *begins,
                            verify_change *ends)
{
    struct end *list = hs_alloc_zeroed(run->segment_count + UINT64_C(1), sizeof *list);
    if (list == NULL)
        return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    uint32_t count = list_ends(run, list), ended = 0;
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->start_us == seg->end_us)
            continue;
        for (; ended < count && list[ended].at_us <= seg->start_us; ended++)
            ends(ctx, list[ended].segment, list[ended].at_us);
        begins(ctx, i, seg->start_us);
    }
    for (; ended < count; ended++)
        ends(ctx, list[ended].segment, list[ended].at_us);
    hs_free(list);
    return HS_OK;
}
