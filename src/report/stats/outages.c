/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What machines did to jobs (--events): stops by failures and drains, lost work, and the part of
 * the time on GPUs that was productive (ETTR), of the run and by size of the gang. In integers;
 * O(1) per placement and job.
 */
#include "report/run/observers.h"

#include <inttypes.h>

#include "base/fixed.h"
#include "report/stats/exact.h"

#define CLASSES 17 /* of gangs: up to 1, 2, 4, ... GPUs, as HS_JOB_GPUS_MAX is below 2^16 */
#define FULL_NS ((hs_u128)1000000000 * HS_GPU_MILLI) /* a second, in ns x thousandths */

struct gang_class {
    uint64_t jobs, hit, faults, drains;
    hs_u128 run_us, run_milli_us, done_milli_ns, lost_milli_ns; /* x thousandths of GPUs */
};

struct hs_outages {
    const struct hs_report_options *options;
    struct gang_class of[CLASSES];
    bool *is_hit; /* by slot, of jobs in the system */
    uint32_t is_hit_cap;
};

static struct gang_class *class_of(struct hs_outages *o, const struct hs_job_record *job)
{
    uint32_t c = 0;
    while (c + 1 < CLASSES && (1u << c) < job->gpus)
        c++;
    return &o->of[c];
}

static enum hs_status on_outage_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_outages *o = ctx;
    const struct hs_job_record *job = segment->job;
    struct gang_class *c = class_of(o, job);
    if (segment->ended_by != HS_SEGMENT_FAULT && segment->ended_by != HS_SEGMENT_DRAIN)
        return HS_OK;
    hs_grow(o->is_hit, o->is_hit_cap, (uint64_t)job->slot + 1, UINT32_MAX);
    o->is_hit[job->slot] = true;
    c->drains += segment->ended_by == HS_SEGMENT_DRAIN;
    if (segment->ended_by != HS_SEGMENT_FAULT)
        return HS_OK;
    c->faults++;
    c->lost_milli_ns += (hs_u128)(uint64_t)segment->lost_ns * hs_record_milli(job);
    return HS_OK;
}

static enum hs_status on_outage_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_outages *o = ctx;
    struct gang_class *c = class_of(o, job);
    (void)now_us;
    if (job->gpus == 0)
        return HS_OK;
    c->jobs++;
    c->run_us += (uint64_t)job->run_us;
    c->run_milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
    c->done_milli_ns += (hs_u128)(uint64_t)job->done_ns * hs_record_milli(job);
    if (job->slot < o->is_hit_cap && o->is_hit[job->slot]) {
        c->hit++;
        o->is_hit[job->slot] = false;
    }
    return HS_OK;
}

struct hs_outages *hs_outages_open(const struct hs_report_options *options,
                                   struct hs_observer *observer)
{
    if (!options->has_events)
        return NULL;
    struct hs_outages *o = hs_alloc_zeroed(1, sizeof *o);
    o->options = options;
    *observer = (struct hs_observer){.ctx = o,
                                     .on_segment = on_outage_segment,
                                     .on_finish = on_outage_finish,
                                     .is_counts_only = true};
    return o;
}

static double ettr_of(const struct gang_class *c)
{
    return hs_exact_double(c->done_milli_ns, c->run_milli_us * HS_NS_PER_US);
}

enum hs_status hs_outages_write(const struct hs_outages *o, const struct hs_rundir *dir,
                                struct hs_output_file *file, struct hs_diag *diag)
{
    struct hs_csvw csv;
    HS_TRY(hs_open_listed(&csv, dir, "outages.csv",
                          "gpus,jobs,jobs_hit,faults,drains,run_time,mean_time_to_fault,"
                          "lost_gpu_seconds,ettr",
                          diag));
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct gang_class *c = &o->of[i];
        if (c->jobs == 0)
            continue;
        hs_csvw_row(&csv, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %g %g %g %g", 1u << i,
                    c->jobs, c->hit, c->faults, c->drains, hs_exact_double(c->run_us, HS_US_PER_S),
                    hs_exact_double(c->run_us, (hs_u128)c->faults * HS_US_PER_S),
                    hs_exact_double(c->lost_milli_ns, FULL_NS), ettr_of(c));
    }
    return hs_close_listed(&csv, "outages.csv", file, diag);
}

void hs_outages_fill(const struct hs_outages *o, struct hs_summary *summary, hs_u128 out_us,
                     int64_t span_us)
{
    struct gang_class all = {0};
    if (o == NULL)
        return;
    for (uint32_t i = 0; i < CLASSES; i++) {
        all.hit += o->of[i].hit;
        all.faults += o->of[i].faults;
        all.drains += o->of[i].drains;
        all.run_milli_us += o->of[i].run_milli_us;
        all.done_milli_ns += o->of[i].done_milli_ns;
        all.lost_milli_ns += o->of[i].lost_milli_ns;
    }
    const hs_u128 there = (hs_u128)(uint64_t)span_us * o->options->cluster->gpu_count;
    hs_summary_add(summary, "jobs_hit", "1", (double)all.hit, NULL);
    hs_summary_add(summary, "faults", "1", (double)all.faults, NULL);
    hs_summary_add(summary, "drains", "1", (double)all.drains, NULL);
    hs_summary_add(summary, "fault_lost_gpu_seconds", "GPU s",
                   hs_exact_double(all.lost_milli_ns, FULL_NS), NULL);
    hs_summary_add(summary, "ettr", "1", ettr_of(&all), "no job held a GPU");
    hs_summary_add(summary, "availability", "1", hs_exact_double(there - out_us, there),
                   "the run has no length");
}

void hs_outages_close(struct hs_outages *o)
{
    if (o != NULL)
        hs_free(o->is_hit);
    hs_free(o);
}
