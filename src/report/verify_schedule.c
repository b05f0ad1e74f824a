/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schedule itself, from segments.csv alone: places exist, gangs are whole, nobody holds what
 * another holds, nothing runs before its submission. Sorts the segments once by time, then each
 * rule is one walk; O(segments log segments + GPUs held).
 */
#include "report/verify_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Total: no two segments have one line. */
static int compare_segments(const void *a, const void *b)
{
    const struct verify_segment *x = a, *y = b;
    if (x->start_us != y->start_us)
        return x->start_us < y->start_us ? -1 : 1;
    if (x->end_us != y->end_us)
        return x->end_us < y->end_us ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static const char *id_of(const struct verify_run *run, const struct verify_segment *seg)
{
    return seg->job == VERIFY_NO_JOB ? "?" : run->jobs[seg->job].id;
}

static enum hs_status check_known(struct verify_run *run, struct verify_check *c)
{
    if (run->segment_count > 0)
        qsort(run->segments, run->segment_count, sizeof *run->segments, compare_segments);
    for (uint32_t i = 0; i < run->segment_count; i++) {
        c->looked++;
        if (run->segments[i].job == VERIFY_NO_JOB)
            verify_fault(c, "segments.csv:%" PRId64 ": the trace has no such job",
                         run->segments[i].line);
    }
    return HS_OK;
}

static enum hs_status check_gpus_exist(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        c->looked += seg->gpus;
        if (seg->range_count == 0)
            continue;
        uint32_t last = run->ranges[seg->range_first + seg->range_count - 1].last;
        if (last >= run->cluster.gpu_count)
            verify_fault(c,
                         "segments.csv:%" PRId64 ": job %s on GPU %" PRIu32
                         ", the cluster's last is %" PRIu32,
                         seg->line, id_of(run, seg), last, run->cluster.gpu_count - 1);
    }
    return HS_OK;
}

/* A policy that may not resize gives each gang what it asks for. */
static enum hs_status check_gangs(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->job == VERIFY_NO_JOB)
            continue;
        const struct verify_job *j = &run->jobs[seg->job];
        uint32_t least = run->made_of.is_resizing ? j->gpus_min : j->gpus;
        uint32_t most = run->made_of.is_resizing ? j->gpus_max : j->gpus;
        c->looked++;
        if (seg->gpus >= least && seg->gpus <= most)
            continue;
        if (least == most)
            verify_fault(c,
                         "segments.csv:%" PRId64 ": job %s holds %" PRIu32 " GPUs and needs "
                         "%" PRIu32,
                         seg->line, j->id, seg->gpus, least);
        else
            verify_fault(c,
                         "segments.csv:%" PRId64 ": job %s holds %" PRIu32 " GPUs and needs "
                         "%" PRIu32 " to %" PRIu32,
                         seg->line, j->id, seg->gpus, least, most);
    }
    return HS_OK;
}

static enum hs_status check_submission(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        struct verify_text start, submit;
        if (seg->job == VERIFY_NO_JOB)
            continue;
        c->looked++;
        if (seg->start_us < run->jobs[seg->job].submit_us)
            verify_fault(c, "segments.csv:%" PRId64 ": job %s starts at %s, submitted at %s",
                         seg->line, id_of(run, seg), verify_seconds(&start, seg->start_us),
                         verify_seconds(&submit, run->jobs[seg->job].submit_us));
    }
    return HS_OK;
}

/* Of two that hold one GPU at a time, both must have been told as sharing it, or have shares. */
static bool may_share(const struct verify_run *run, const struct verify_segment *a,
                      const struct verify_segment *b)
{
    if (verify_milli(run, a) < VERIFY_GPU_MILLI && verify_milli(run, b) < VERIFY_GPU_MILLI)
        return true; /* whether the shares are too many is found where they are added up */
    return run->made_of.is_sharing && a->tenants >= 2 && b->tenants >= 2;
}

/* holder[gpu]: 1 + the segment seen so far that keeps it longest; segments come by start. */
static void hold(const struct verify_run *run, uint32_t index, uint32_t *holder,
                 struct verify_check *c)
{
    const struct verify_segment *seg = &run->segments[index];
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &run->ranges[seg->range_first + r];
        for (uint32_t g = range->first; g <= range->last && g < run->cluster.gpu_count; g++) {
            const struct verify_segment *other =
                holder[g] > 0 ? &run->segments[holder[g] - 1] : NULL;
            if (other != NULL && other->end_us > seg->start_us && !may_share(run, other, seg)) {
                struct verify_text start;
                verify_fault(c,
                             "GPU %" PRIu32 " at %s: job %s (segments.csv:%" PRId64 ") and job %s "
                             "(segments.csv:%" PRId64 ")",
                             g, verify_seconds(&start, seg->start_us), id_of(run, other),
                             other->line, id_of(run, seg), seg->line);
            }
            if (other == NULL || seg->end_us >= other->end_us)
                holder[g] = index + 1;
        }
    }
}

static enum hs_status check_overlap(struct verify_run *run, struct verify_check *c)
{
    uint32_t *holder = hs_alloc_zeroed(run->cluster.gpu_count, sizeof *holder);
    if (holder == NULL && run->cluster.gpu_count > 0)
        return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < run->segment_count; i++) {
        c->looked++;
        hold(run, i, holder, c);
    }
    hs_free(holder);
    return verify_add_up_shared(run, c);
}

uint32_t verify_node_of(const struct verify_cluster *cluster, uint32_t gpu)
{
    uint32_t low = 0, high = cluster->node_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cluster->node_first[middle] <= gpu)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t nodes_of(const struct verify_run *run, const struct verify_segment *seg)
{
    const struct verify_cluster *cluster = &run->cluster;
    uint32_t count = 0, above = 0; /* nodes below `above` are counted */
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &run->ranges[seg->range_first + r];
        uint32_t node = verify_node_of(cluster, range->first);
        for (; node < cluster->node_count && cluster->node_first[node] <= range->last; node++) {
            count += node >= above;
            above = node >= above ? node + 1 : above;
        }
    }
    return count;
}

/* Is `type` one of "A|B|C"? */
static bool is_one_of(const char *types, const char *type)
{
    size_t length = strlen(type);
    for (const char *at = types; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, type, length) == 0 && (at[length] == '\0' || at[length] == '|'))
            return true;
    }
    return false;
}

/* The first node of the segment whose GPUs are of none of the types; VERIFY_NO_NODE: none. */
static uint32_t strange_node(const struct verify_run *run, const struct verify_segment *seg)
{
    const struct verify_cluster *cluster = &run->cluster;
    const char *types = hs_intern_text(&run->types, run->jobs[seg->job].types);
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &run->ranges[seg->range_first + r];
        uint32_t node = verify_node_of(cluster, range->first);
        for (; node < cluster->node_count && cluster->node_first[node] <= range->last; node++)
            if (!is_one_of(types, hs_intern_text(&run->types, cluster->nodes[node].type)))
                return node;
    }
    return VERIFY_NO_NODE;
}

static enum hs_status check_types(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->job == VERIFY_NO_JOB || run->jobs[seg->job].types == 0)
            continue;
        uint32_t node = strange_node(run, seg);
        c->looked++;
        if (node != VERIFY_NO_NODE)
            verify_fault(
                c,
                "segments.csv:%" PRId64 ": job %s wants GPUs of type %s, node %" PRIu32 " has %s",
                seg->line, id_of(run, seg), hs_intern_text(&run->types, run->jobs[seg->job].types),
                node, hs_intern_text(&run->types, run->cluster.nodes[node].type));
    }
    if (c->looked == 0)
        c->skipped = "no job that ran wants GPUs of a certain type";
    return HS_OK;
}

/* owner[node]: 1 + the VC of the job seen there first. */
static void own(const struct verify_run *run, const struct verify_segment *seg, uint32_t *owner,
                struct verify_check *c)
{
    const struct verify_cluster *cluster = &run->cluster;
    uint32_t vc = run->jobs[seg->job].vc;
    for (uint32_t r = 0; r < seg->range_count; r++) {
        const struct verify_range *range = &run->ranges[seg->range_first + r];
        uint32_t node = verify_node_of(cluster, range->first);
        for (; node < cluster->node_count && cluster->node_first[node] <= range->last; node++) {
            if (owner[node] == 0)
                owner[node] = vc + 1;
            if (owner[node] != vc + 1)
                verify_fault(c,
                             "segments.csv:%" PRId64 ": job %s of VC '%s' on node %" PRIu32
                             ", which VC '%s' used",
                             seg->line, id_of(run, seg), hs_intern_text(&run->vcs, vc), node,
                             hs_intern_text(&run->vcs, owner[node] - 1));
        }
    }
}

/* Which nodes a VC has is not looked up: only that no node serves two. */
static enum hs_status check_partition(struct verify_run *run, struct verify_check *c)
{
    if (!run->made_of.is_partitioned) {
        c->skipped = "the run has no partition into virtual clusters";
        return HS_OK;
    }
    uint32_t *owner = hs_alloc_zeroed(run->cluster.node_count + UINT64_C(1), sizeof *owner);
    if (owner == NULL)
        return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < run->segment_count; i++) {
        if (run->segments[i].job == VERIFY_NO_JOB)
            continue;
        c->looked++;
        own(run, &run->segments[i], owner, c);
    }
    hs_free(owner);
    return HS_OK;
}

/* A process on the host that goes on on another node has moved; of a gang, its first node counts.
 */
static void follow(const struct verify_run *run, const struct verify_segment *seg,
                   struct verify_sum *sum)
{
    uint32_t node = seg->range_count > 0 && run->cluster.node_count > 0
                        ? verify_node_of(&run->cluster, run->ranges[seg->range_first].first)
                        : VERIFY_NO_NODE;
    sum->migrations += sum->suspended_node != VERIFY_NO_NODE && sum->suspended_node != node;
    sum->suspended_node = seg->ended_by == VERIFY_SUSPEND ? node : VERIFY_NO_NODE;
}

static void add_up(const struct verify_run *run, const struct verify_segment *seg,
                   struct verify_sum *sum)
{
    int64_t length_us = seg->end_us - seg->start_us;
    follow(run, seg, sum);
    if (sum->segments++ == 0)
        sum->first_start_us = seg->start_us;
    sum->last_end_us = seg->end_us;
    sum->run_us += length_us;
    sum->milli_us += (hs_i128)length_us * seg->gpus * verify_milli(run, seg);
    hs_i128 done = (hs_i128)(seg->rate_nano >= 0 ? seg->rate_nano : 0) * length_us;
    sum->done += done;
    sum->is_full_speed &= seg->rate_nano < 0 || seg->rate_nano == VERIFY_NANO;
    sum->preemptions += seg->ended_by == VERIFY_PREEMPT;
    sum->migrations += seg->ended_by == VERIFY_MIGRATE;
    sum->suspensions += seg->ended_by == VERIFY_SUSPEND;
    if (seg->ended_by == VERIFY_OOM) {
        sum->ooms++;
        sum->oom_done += done;
        sum->oom_us += length_us;
    }
    if (seg->ended_by == VERIFY_FINISH)
        sum->finish_us = seg->end_us;
    sum->last_nodes = nodes_of(run, seg);
}

/* Also adds the segments up per job, for the rules on jobs. */
static enum hs_status check_one_place(struct verify_run *run, struct verify_check *c)
{
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        if (seg->job == VERIFY_NO_JOB)
            continue;
        struct verify_sum *sum = &run->jobs[seg->job].sum;
        struct verify_text start;
        c->looked++;
        if (sum->finish_us >= 0)
            verify_fault(c, "segments.csv:%" PRId64 ": job %s starts at %s, after its finish",
                         seg->line, id_of(run, seg), verify_seconds(&start, seg->start_us));
        else if (sum->segments > 0 && seg->start_us < sum->last_end_us)
            verify_fault(c, "segments.csv:%" PRId64 ": job %s starts at %s, while it still runs",
                         seg->line, id_of(run, seg), verify_seconds(&start, seg->start_us));
        add_up(run, seg, sum);
    }
    return HS_OK;
}

const struct verify_rule verify_schedule_rules[] = {
    {"every segment is of a job of the trace", "segments", "strangers", check_known},
    {"every GPU exists in the cluster", "GPU holdings", "beyond it", check_gpus_exist},
    {"every gang is whole", "segments", "of another size", check_gangs},
    {"nothing starts before its submission", "segments", "too early", check_submission},
    {"no GPU is held twice", "segments", "overlaps", check_overlap},
    {"every GPU is of a type that its job wants", "segments", "of another type", check_types},
    {"no node gives more cores or memory than it has", "segments", "too many", verify_check_hosts},
    {"no node serves two virtual clusters", "segments", "strangers", check_partition},
    {"a job is in one place at a time and ends once", "segments", "overlaps", check_one_place},
    {NULL, NULL, NULL, NULL},
};
