/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on the schedule itself, from segments.csv alone: GPUs exist, gangs are whole, no GPU or
 * host is given out twice, nothing runs before its submission. The segments are sorted once by
 * time; each rule is one walk over them, or a sweep over their begins and ends.
 * O(segments log segments + GPUs held).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/verify/verify_data.h"

/* ---- GPUs and nodes of a segment ---- */

/* A position in the ranges of a segment; begins as {0, VERIFY_NONE}. */
struct place {
    uint32_t range, id; /* id: a GPU or a node */
};
#define FIRST_PLACE ((struct place){0, VERIFY_NONE})

static bool next_gpu(const struct verify_run *run, const struct verify_segment *seg,
                     struct place *p)
{
    for (; p->range < seg->range_count; p->range++, p->id = VERIFY_NONE) {
        const struct verify_range *range = &run->ranges[seg->range_first + p->range];
        p->id = p->id == VERIFY_NONE ? range->first : p->id + 1;
        if (p->id <= range->last && p->id < run->gpu_count)
            return true;
    }
    return false;
}

static uint32_t node_of(const struct verify_run *run, uint32_t gpu)
{
    uint32_t low = 0, high = run->node_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (run->nodes[middle].first_gpu <= gpu)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Range by range: a node that two ranges are in comes twice. */
static bool next_node(const struct verify_run *run, const struct verify_segment *seg,
                      struct place *p)
{
    for (; p->range < seg->range_count; p->range++, p->id = VERIFY_NONE) {
        const struct verify_range *range = &run->ranges[seg->range_first + p->range];
        p->id = p->id == VERIFY_NONE ? node_of(run, range->first) : p->id + 1;
        if (p->id < run->node_count && run->nodes[p->id].first_gpu <= range->last)
            return true;
    }
    return false;
}

/* Thousandths of each of its GPUs that the job of a segment holds. */
static uint32_t milli_of(const struct verify_run *run, const struct verify_segment *seg)
{
    if (seg->job == VERIFY_NONE || run->jobs[seg->job].row.line == 0)
        return VERIFY_GPU_MILLI;
    return run->jobs[seg->job].row.gpu_milli;
}

/* ---- single segments ---- */

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

/* Sorts the segments, for all rules that follow. */
static enum hs_status check_known(struct verify_check *c)
{
    struct verify_run *run = c->run;
    if (run->segment_count > 0)
        qsort(run->segments, run->segment_count, sizeof *run->segments, compare_segments);
    for (uint32_t i = 0; i < run->segment_count; i++) {
        c->looked++;
        if (run->segments[i].job == VERIFY_NONE)
            VERIFY_FAULT_LINE(c, &run->segments[i], ": the trace has no such job");
    }
    return HS_OK;
}

static enum hs_status check_gpus_exist(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        c->looked += seg->gpus;
        if (seg->range_count == 0)
            continue;
        uint32_t last = run->ranges[seg->range_first + seg->range_count - 1].last;
        if (last >= run->gpu_count)
            VERIFY_FAULT_SEGMENT(c, seg, " on GPU %" PRIu32 ", the cluster's last is %" PRIu32,
                                 last, run->gpu_count - 1);
    }
    return HS_OK;
}

/* A policy that may not resize gives each gang what it asks for. */
static void check_gang(struct verify_check *c, const struct verify_segment *seg)
{
    struct verify_run *run = c->run;
    const struct verify_job *j = &run->jobs[seg->job];
    uint32_t least = run->setup.is_resizing ? j->gpus_min : j->gpus;
    uint32_t most = run->setup.is_resizing ? j->gpus_max : j->gpus;
    c->looked++;
    if (seg->gpus >= least && seg->gpus <= most)
        return;
    if (least == most)
        VERIFY_FAULT_SEGMENT(c, seg, " holds %" PRIu32 " GPUs and needs %" PRIu32, seg->gpus,
                             least);
    else
        VERIFY_FAULT_SEGMENT(c, seg, " holds %" PRIu32 " GPUs and needs %" PRIu32 " to %" PRIu32,
                             seg->gpus, least, most);
}

static void check_submission(struct verify_check *c, const struct verify_segment *seg)
{
    const int64_t submit_us = c->run->jobs[seg->job].submit_us;
    c->looked++;
    if (seg->start_us < submit_us)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, submitted at %s",
                             VERIFY_SECONDS(seg->start_us), VERIFY_SECONDS(submit_us));
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

static void check_type(struct verify_check *c, const struct verify_segment *seg)
{
    struct verify_run *run = c->run;
    const uint32_t wanted = run->jobs[seg->job].types;
    if (wanted == 0)
        return;
    const char *types = hs_intern_text(&run->types, wanted);
    c->looked++;
    for (struct place p = FIRST_PLACE; next_node(run, seg, &p);) {
        const char *type = hs_intern_text(&run->types, run->nodes[p.id].type);
        if (is_one_of(types, type))
            continue;
        VERIFY_FAULT_SEGMENT(c, seg, " wants GPUs of type %s, node %" PRIu32 " has %s", types, p.id,
                             type);
        return;
    }
}

static enum hs_status is_partitioned(struct verify_check *c)
{
    if (!c->run->setup.is_partitioned)
        c->skipped = "the run has no partition into virtual clusters";
    return HS_OK;
}

/* Which nodes a VC has is not looked up: only that no node serves two. */
static void check_owner(struct verify_check *c, const struct verify_segment *seg)
{
    struct verify_run *run = c->run;
    const uint32_t vc = run->jobs[seg->job].vc;
    c->looked++;
    for (struct place p = FIRST_PLACE; next_node(run, seg, &p);) {
        struct verify_node *node = &run->nodes[p.id];
        if (node->owner == 0)
            node->owner = vc + 1;
        if (node->owner != vc + 1)
            VERIFY_FAULT_SEGMENT(c, seg, " of VC '%s' on node %" PRIu32 ", which VC '%s' used",
                                 hs_intern_text(&run->vcs, vc), p.id,
                                 hs_intern_text(&run->vcs, node->owner - 1));
    }
}

/* ---- the sweep ---- */

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

/* One walk over the begins and ends of all segments of some length, by time, where `apply` is
 * called with sign 1 and -1; what ends makes room before anything begins. */
typedef void change(struct verify_check *c, struct verify_segment *seg, int sign, int64_t now_us);
static void sweep(struct verify_check *c, change *apply)
{
    struct verify_segment *segments = c->run->segments;
    const uint32_t segment_count = c->run->segment_count;
    struct end *list = hs_alloc_zeroed(segment_count + UINT64_C(1), sizeof *list);
    uint32_t count = 0, ended = 0;
    for (uint32_t i = 0; i < segment_count; i++)
        if (segments[i].start_us < segments[i].end_us)
            list[count++] = (struct end){segments[i].end_us, i};
    qsort(list, count, sizeof *list, compare_ends);
    for (uint32_t i = 0; i <= segment_count; i++) {
        const int64_t now_us = i < segment_count ? segments[i].start_us : INT64_MAX;
        if (i < segment_count && now_us == segments[i].end_us)
            continue;
        for (; ended < count && list[ended].at_us <= now_us; ended++)
            apply(c, &segments[list[ended].segment], -1, list[ended].at_us);
        if (i < segment_count)
            apply(c, &segments[i], 1, now_us);
    }
    hs_free(list);
}

/* ---- GPUs: which segments hold one at the same time ---- */

/* The segment shares one GPU more, or (sign -1) one less. */
static void change_sharing(struct verify_run *run, struct verify_segment *seg, int sign,
                           int64_t now_us)
{
    if (sign > 0 && seg->shared_gpus++ == 0)
        seg->shared_from_us = now_us;
    if (sign < 0 && --seg->shared_gpus == 0 && seg->job != VERIFY_NONE)
        run->jobs[seg->job].sum.colocated_us += now_us - seg->shared_from_us;
}

/* The segment takes the GPU whole, or (sign -1) gives it up. */
static void change_holders(struct verify_run *run, struct verify_gpu *g, struct verify_segment *seg,
                           int sign, int64_t now_us)
{
    const uint64_t index = (uint64_t)(seg - run->segments);
    g->holders -= sign < 0;
    g->sum -= sign < 0 ? index : 0;
    if (g->holders == 1) { /* beside it */
        run->shared_us += sign < 0 ? now_us - g->shared_from_us : 0;
        g->shared_from_us = now_us;
        change_sharing(run, &run->segments[g->sum], sign, now_us);
    }
    if (g->holders > 0)
        change_sharing(run, seg, sign, now_us);
    g->holders += sign > 0;
    g->sum += sign > 0 ? index : 0;
}

static void change_gpus(struct verify_check *c, struct verify_segment *seg, int sign,
                        int64_t now_us)
{
    struct verify_run *run = c->run;
    const uint32_t milli = milli_of(run, seg);
    for (struct place p = FIRST_PLACE; next_gpu(run, seg, &p);) {
        struct verify_gpu *g = &run->gpus[p.id];
        const int64_t length_us = g->holders > 0 || g->milli > 0 ? now_us - g->since_us : 0;
        g->since_us = now_us;
        run->held_us += length_us;
        run->allocated_us +=
            (hs_i128)length_us * (g->milli + (g->holders > 0 ? VERIFY_GPU_MILLI : 0));
        if (milli < VERIFY_GPU_MILLI)
            g->milli += (uint32_t)sign * milli;
        else
            change_holders(run, g, seg, sign, now_us);
        if (sign < 0)
            continue;
        if (g->holders > 0 && g->milli > 0)
            VERIFY_FAULT_LINE(c, seg, ": GPU %" PRIu32 " at %s is held whole, and shares of it too",
                              p.id, VERIFY_SECONDS(now_us));
        else if (g->milli > VERIFY_GPU_MILLI)
            VERIFY_FAULT_LINE(
                c, seg, ": the shares of GPU %" PRIu32 " at %s are %" PRIu32 " thousandths of it",
                p.id, VERIFY_SECONDS(now_us), g->milli);
    }
}

/* Of two that hold one GPU at a time, both must be stated as sharing it, or have shares. */
static bool may_share(const struct verify_run *run, const struct verify_segment *a,
                      const struct verify_segment *b)
{
    if (milli_of(run, a) < VERIFY_GPU_MILLI && milli_of(run, b) < VERIFY_GPU_MILLI)
        return true; /* whether the shares are too many is found where they are added up */
    return run->setup.is_sharing && a->tenants >= 2 && b->tenants >= 2;
}

/* Each segment against the one, of those that began before, that keeps the GPU longest; then adds
 * up the time that GPUs are held and shared, and that jobs are beside others. */
static enum hs_status check_overlap(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->segment_count; i++) {
        const struct verify_segment *seg = &run->segments[i];
        c->looked++;
        for (struct place p = FIRST_PLACE; next_gpu(run, seg, &p);) {
            uint32_t *longest = &run->gpus[p.id].longest;
            const struct verify_segment *other = *longest > 0 ? &run->segments[*longest - 1] : NULL;
            if (other != NULL && other->end_us > seg->start_us && !may_share(run, other, seg))
                VERIFY_FAULT(c,
                             "GPU %" PRIu32 " at %s: job %s (segments.csv:%" PRId64 ") and job %s "
                             "(segments.csv:%" PRId64 ")",
                             p.id, VERIFY_SECONDS(seg->start_us), verify_id(run, other),
                             other->line, verify_id(run, seg), seg->line);
            if (other == NULL || seg->end_us >= other->end_us)
                *longest = i + 1;
        }
    }
    sweep(c, change_gpus);
    return HS_OK;
}

/* ---- hosts: cores and memory ---- */

/* By what the trace says that the job wants: each worker takes its part, rounded down. */
static void change_hosts(struct verify_check *c, struct verify_segment *seg, int sign,
                         int64_t now_us)
{
    const struct verify_run *run = c->run;
    const struct verify_job *j = seg->job != VERIFY_NONE ? &run->jobs[seg->job] : NULL;
    if (j == NULL || (j->worker_cpus_milli == 0 && j->worker_mem_mib == 0))
        return;
    c->looked += sign > 0;
    for (struct place p = FIRST_PLACE; next_gpu(run, seg, &p);) {
        const uint32_t index = node_of(run, p.id);
        struct verify_node *node = &run->nodes[index];
        const uint32_t last = run->ranges[seg->range_first + p.range].last;
        node->cpus_milli_used += sign * (int64_t)j->worker_cpus_milli;
        node->mem_mib_used += sign * (int64_t)j->worker_mem_mib;
        if (sign < 0 || (p.id != last && node[1].first_gpu != p.id + 1))
            continue; /* checked once, at the last of its GPUs there */
        if (node->cpus_milli > 0 && node->cpus_milli_used > node->cpus_milli)
            VERIFY_FAULT_LINE(c, seg,
                              ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                              " thousandths of cores and has %" PRId64,
                              j->id, VERIFY_SECONDS(now_us), index, node->cpus_milli_used,
                              node->cpus_milli);
        else if (node->mem_mib > 0 && node->mem_mib_used > node->mem_mib)
            VERIFY_FAULT_LINE(
                c, seg,
                ": with job %s at %s, node %" PRIu32 " gives %" PRId64 " MiB and has %" PRId64,
                j->id, VERIFY_SECONDS(now_us), index, node->mem_mib_used, node->mem_mib);
    }
}

static enum hs_status check_hosts(struct verify_check *c)
{
    sweep(c, change_hosts);
    return HS_OK;
}

/* ---- the segments of each job ---- */

static void add_up(const struct verify_run *run, const struct verify_segment *seg,
                   struct verify_sum *sum)
{
    const int64_t length_us = seg->end_us - seg->start_us;
    const hs_i128 done = (hs_i128)(seg->rate_nano >= 0 ? seg->rate_nano : 0) * length_us;
    uint32_t first_node = VERIFY_NONE, above = 0; /* nodes below `above` are counted */
    sum->last_nodes = 0;
    for (struct place p = FIRST_PLACE; next_node(run, seg, &p);) {
        first_node = first_node == VERIFY_NONE ? p.id : first_node;
        sum->last_nodes += p.id >= above;
        above = p.id >= above ? p.id + 1 : above;
    }
    /* a process on the host that goes on on another node has moved; of a gang its first node counts
     */
    sum->migrations += sum->suspended_node != VERIFY_NONE && sum->suspended_node != first_node;
    sum->suspended_node = seg->ended_by == HS_SEGMENT_SUSPEND ? first_node : VERIFY_NONE;
    if (sum->segments++ == 0)
        sum->first_start_us = seg->start_us;
    sum->last_end_us = seg->end_us;
    sum->run_us += length_us;
    sum->milli_us += (hs_i128)length_us * seg->gpus * milli_of(run, seg);
    sum->done += done;
    sum->is_full_speed &= seg->rate_nano < 0 || seg->rate_nano == VERIFY_NANO;
    sum->preemptions += seg->ended_by == HS_SEGMENT_PREEMPT;
    sum->migrations += seg->ended_by == HS_SEGMENT_MIGRATE;
    sum->suspensions += seg->ended_by == HS_SEGMENT_SUSPEND;
    if (seg->ended_by == HS_SEGMENT_OOM) {
        sum->ooms++;
        sum->oom_done += done;
        sum->oom_us += length_us;
    }
    if (seg->ended_by == HS_SEGMENT_FINISH)
        sum->finish_us = seg->end_us;
}

/* Also adds the segments up for each job, for the rules on jobs. */
static void check_one_place(struct verify_check *c, const struct verify_segment *seg)
{
    struct verify_sum *sum = &c->run->jobs[seg->job].sum;
    c->looked++;
    if (sum->finish_us >= 0)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, after its finish",
                             VERIFY_SECONDS(seg->start_us));
    else if (sum->segments > 0 && seg->start_us < sum->last_end_us)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, while it still runs",
                             VERIFY_SECONDS(seg->start_us));
    add_up(c->run, seg, sum);
}

const struct verify_rule verify_schedule_rules[] = {
    {"every segment is of a job of the trace", "segments", "strangers", .run = check_known},
    {"every GPU exists in the cluster", "GPU holdings", "beyond it", .run = check_gpus_exist},
    {"every gang is whole", "segments", "of another size", .segment = check_gang},
    {"nothing starts before its submission", "segments", "too early", .segment = check_submission},
    {"no GPU is held twice", "segments", "overlaps", .run = check_overlap},
    {"every GPU is of a type that its job wants", "segments", "of another type",
     .segment = check_type, .skipped = "no job that ran wants GPUs of a certain type"},
    {"no node gives more cores or memory than it has", "segments", "too many", .run = check_hosts,
     .skipped = "no job that ran wants cores or memory of a node"},
    {"no node serves two virtual clusters", "segments", "strangers", .run = is_partitioned,
     .segment = check_owner},
    {"a job is in one place at a time and ends once", "segments", "overlaps",
     .segment = check_one_place},
    {.title = NULL},
};
