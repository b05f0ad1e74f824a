/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cores and memory of the nodes, by what the trace says that jobs want of them: each worker takes
 * its part of what the job wants in all, rounded down. One sweep; O(segments log segments + GPUs
 * held).
 */
#include <inttypes.h>

#include "report/verify_check.h"

struct host {
    int64_t cpus_milli, mem_mib; /* in use */
};

struct hosts {
    const struct verify_run *run;
    struct verify_check *check;
    struct host *used; /* by node */
};

static bool has_host_needs(const struct verify_run *run, const struct verify_segment *seg)
{
    return seg->job != VERIFY_NO_JOB &&
           (run->jobs[seg->job].worker_cpus_milli > 0 || run->jobs[seg->job].worker_mem_mib > 0);
}

static void check_node(struct hosts *h, uint32_t segment, uint32_t node, int64_t now_us)
{
    const struct verify_node *n = &h->run->cluster.nodes[node];
    const struct verify_segment *seg = &h->run->segments[segment];
    const struct host *used = &h->used[node];
    struct verify_text at;
    if (n->cpus_milli > 0 && used->cpus_milli > n->cpus_milli)
        verify_fault(h->check,
                     "segments.csv:%" PRId64 ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                     " thousandths of cores and has %" PRId64,
                     seg->line, h->run->jobs[seg->job].id, verify_seconds(&at, now_us), node,
                     used->cpus_milli, n->cpus_milli);
    else if (n->mem_mib > 0 && used->mem_mib > n->mem_mib)
        verify_fault(h->check,
                     "segments.csv:%" PRId64 ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                     " MiB and has %" PRId64,
                     seg->line, h->run->jobs[seg->job].id, verify_seconds(&at, now_us), node,
                     used->mem_mib, n->mem_mib);
}

/* sign 1: its workers come; -1: they leave. */
static void book(struct hosts *h, uint32_t segment, int sign, int64_t now_us)
{
    const struct verify_segment *seg = &h->run->segments[segment];
    const struct verify_cluster *c = &h->run->cluster;
    if (!has_host_needs(h->run, seg))
        return;
    const struct verify_job *j = &h->run->jobs[seg->job];
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &h->run->ranges[seg->range_first + r];
        for (uint32_t g = range->first; g <= range->last && g < c->gpu_count; g++) {
            uint32_t node = verify_node_of(c, g);
            h->used[node].cpus_milli += sign * (int64_t)j->worker_cpus_milli;
            h->used[node].mem_mib += sign * (int64_t)j->worker_mem_mib;
            if (sign > 0 && (g == range->last || c->node_first[node + 1] == g + 1))
                check_node(h, segment, node, now_us);
        }
    }
}

static void begin(void *ctx, uint32_t segment, int64_t now_us)
{
    struct hosts *h = ctx;
    h->check->looked += has_host_needs(h->run, &h->run->segments[segment]);
    book(h, segment, 1, now_us);
}

static void end(void *ctx, uint32_t segment, int64_t now_us)
{
    book(ctx, segment, -1, now_us);
}

enum hs_status verify_check_hosts(struct verify_run *run, struct verify_check *c)
{
    struct hosts h = {.run = run,
                      .check = c,
                      .used =
                          hs_alloc_zeroed(run->cluster.node_count + UINT64_C(1), sizeof *h.used)};
    if (h.used == NULL)
        return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    enum hs_status status = verify_sweep(run, &h, begin, end);
    hs_free(h.used);
    if (c->looked == 0)
        c->skipped = "no job that ran wants cores or memory of a node";
    return status;
}
