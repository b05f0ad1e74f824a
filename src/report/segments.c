/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of segments.csv. mean_rate is the work done over the time held, from integers: work
 * rebuilt from it is off by at most half a nanosecond per second held.
 */
#include "report/segments.h"

#include "base/fixed.h"

#define RATE_DECIMALS 9

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_csvw *w = ctx;
    uint64_t held_ns = (uint64_t)((segment->end_us - segment->start_us) * HS_NS_PER_US);
    hs_csvw_text(w, segment->job->id);
    hs_csvw_seconds(w, segment->start_us);
    hs_csvw_seconds(w, segment->end_us);
    hs_csvw_ids(w, segment->gpus, segment->gpu_count);
    hs_csvw_ratio(w, (uint64_t)segment->done_ns, held_ns, RATE_DECIMALS);
    hs_csvw_u64(w, segment->max_tenants);
    hs_csvw_text(w, hs_segment_end_text(segment->ended_by));
    hs_csvw_end(w);
    return HS_OK;
}

enum hs_status hs_segments_open(struct hs_csvw *csv, const char *path, struct hs_diag *diag)
{
    return hs_csvw_open(csv, path,
                        "job_id,start,end,allocated_resources,mean_rate,tenants,ended_by", diag);
}

struct hs_observer hs_segments_observer(struct hs_csvw *csv)
{
    return (struct hs_observer){.ctx = csv, .on_segment = on_segment};
}
