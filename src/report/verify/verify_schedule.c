/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on the schedule, from segments.csv only: GPUs exist, gangs are complete, no GPU or host
 * is allocated twice, nothing runs before its submission. The segments are sorted once by time;
 * each rule is one pass over them, or a sweep over their starts and ends. O(segments log segments +
 * GPUs held).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/names.h"
#include "report/stats/exact.h"
#include "report/verify/verify.h"

/* ---- GPUs and nodes of a segment ---- */

uint32_t verify_node_of(const struct verify_run *run, uint32_t gpu)
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

bool verify_next_place(const struct verify_run *run, const struct hs_placed *seg, bool is_node,
                       struct verify_place *p)
{
    const uint32_t count = is_node ? run->node_count : run->gpu_count;
    for (; p->range < seg->range_count; p->range++, p->id = VERIFY_NONE) {
        const struct hs_gpu_range *range = &run->schedule.ranges[seg->range_first + p->range];
        if (p->id != VERIFY_NONE)
            p->id++;
        else
            p->id = is_node ? verify_node_of(run, range->first) : range->first;
        if (p->id < count && (is_node ? run->nodes[p->id].first_gpu : p->id) <= range->last)
            return true;
    }
    return false;
}

/* Thousandths that the segment's job holds of each of its GPUs. */
static uint32_t milli_of(const struct verify_run *run, const struct hs_placed *seg)
{
    if (seg->job == VERIFY_NONE || run->jobs[seg->job].row.line == 0)
        return VERIFY_GPU_MILLI;
    return run->jobs[seg->job].row.gpu_milli;
}

/* ---- single segments ---- */

/* A total order: line numbers are unique. */
static int compare_segments(const void *a, const void *b)
{
    const struct hs_placed *x = a, *y = b;
    return 4 * HS_ORDER(x->start_us, y->start_us) + 2 * HS_ORDER(x->end_us, y->end_us) +
           HS_ORDER(x->line, y->line);
}

/* Sorts the segments for all later rules. */
static enum hs_status check_known(struct verify_check *c)
{
    struct verify_run *run = c->run;
    run->schedule.segments =
        hs_spill_sort(&run->spill, run->schedule.segments, run->schedule.segment_count,
                      sizeof *run->schedule.segments, compare_segments);
    for (uint32_t i = 0; i < run->schedule.segment_count; i++, hs_spill_step(&run->spill)) {
        c->looked++;
        if (run->schedule.segments[i].job == VERIFY_NONE)
            VERIFY_FAULT_LINE(c, &run->schedule.segments[i], ": the trace has no such job");
    }
    return HS_OK;
}

static enum hs_status check_gpus_exist(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->schedule.segment_count; i++, hs_spill_step(&run->spill)) {
        const struct hs_placed *seg = &run->schedule.segments[i];
        c->looked += seg->gpus;
        if (seg->range_count == 0)
            continue;
        uint32_t last = run->schedule.ranges[seg->range_first + seg->range_count - 1].last;
        if (last >= run->gpu_count)
            VERIFY_FAULT_SEGMENT(c, seg, " on GPU %" PRIu32 ", the cluster's last is %" PRIu32,
                                 last, run->gpu_count - 1);
    }
    return HS_OK;
}

/* A policy without resizing allocates what a gang requests; one that resizes any job allocates 1 to
 * HS_ELASTIC_GPUS_MAX to those without an elastic range. */
static void check_gang(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_run *run = c->run;
    const struct verify_job *j = &run->jobs[seg->job];
    uint32_t least = run->setup.is_resizing ? j->gpus_min : j->gpus;
    uint32_t most = run->setup.is_resizing ? j->gpus_max : j->gpus;
    if (run->setup.is_resizing_any && !j->has_range && j->gpus > 0) {
        least = 1;
        most = most > HS_ELASTIC_GPUS_MAX ? most : HS_ELASTIC_GPUS_MAX;
    }
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

static void check_submission(struct verify_check *c, const struct hs_placed *seg)
{
    const int64_t submit_us = c->run->jobs[seg->job].submit_us;
    c->looked++;
    if (seg->start_us < submit_us)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, submitted at %s", HS_SECONDS(seg->start_us),
                             HS_SECONDS(submit_us));
}

/* Tells whether `type` is one of "A|B|C". */
static bool is_one_of(const char *types, const char *type)
{
    for (const char *at = types; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (hs_gpu_type_is(type, at, strcspn(at, "|")))
            return true;
    }
    return false;
}

static void check_type(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_run *run = c->run;
    const uint32_t wanted = run->jobs[seg->job].types;
    if (wanted == 0)
        return;
    const char *types = hs_intern_text(&run->types, wanted);
    c->looked++;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, true, &p);) {
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
    if (c->run->setup.vc != VERIFY_PARTITION)
        c->skipped = "the run has no partition into virtual clusters";
    else if (c->run->setup.is_profiling)
        c->skipped = "nodes set aside for profiles serve all virtual clusters";
    return HS_OK;
}

/* Does not look up which nodes a VC has; only checks that no node serves two. */
static void check_owner(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_run *run = c->run;
    const uint32_t vc = run->jobs[seg->job].vc;
    c->looked++;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, true, &p);) {
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
    return 2 * HS_ORDER(x->at_us, y->at_us) + HS_ORDER(x->segment, y->segment);
}

/* Calls `apply` with sign 1 and -1 at the start and end of all segments of positive length, in
 * order of time; at equal times ends come first. */
typedef void change(struct verify_check *c, struct hs_placed *seg, int sign, int64_t now_us);
static void sweep(struct verify_check *c, change *apply)
{
    struct hs_placed *segments = c->run->schedule.segments;
    const uint32_t segment_count = c->run->schedule.segment_count;
    struct hs_spill *spill = &c->run->spill;
    struct end *list = hs_spill_alloc(spill, segment_count, sizeof *list);
    uint32_t count = 0, ended = 0;
    for (uint32_t i = 0; i < segment_count; i++, hs_spill_step(spill))
        if (segments[i].start_us < segments[i].end_us)
            list[count++] = (struct end){segments[i].end_us, i};
    list = hs_spill_sort(spill, list, count, sizeof *list, compare_ends);
    for (uint32_t i = 0; i <= segment_count; i++) {
        const int64_t now_us = i < segment_count ? segments[i].start_us : INT64_MAX;
        if (i < segment_count && now_us == segments[i].end_us)
            continue;
        for (; ended < count && list[ended].at_us <= now_us; ended++, hs_spill_step(spill))
            apply(c, &segments[list[ended].segment], -1, list[ended].at_us);
        if (i < segment_count)
            apply(c, &segments[i], 1, now_us);
    }
    hs_spill_release(spill, list);
}

/* ---- GPUs: which segments hold one at the same time ---- */

/* The segment shares one GPU more, or (sign -1) one less. */
static void change_sharing(struct verify_run *run, uint64_t index, int sign, int64_t now_us)
{
    struct verify_company *of = &run->company[index];
    const uint32_t job = run->schedule.segments[index].job;
    if (sign > 0 && of->gpus++ == 0)
        of->from_us = now_us;
    if (sign < 0 && --of->gpus == 0 && job != VERIFY_NONE)
        run->jobs[job].sum.colocated_us += now_us - of->from_us;
}

/* The segment takes the whole GPU, or (sign -1) releases it. */
static void change_holders(struct verify_run *run, struct verify_gpu *g, uint64_t index, int sign,
                           int64_t now_us)
{
    g->holders -= sign < 0;
    g->sum -= sign < 0 ? index : 0;
    if (g->holders == 1) { /* the other holder */
        run->shared_us += sign < 0 ? now_us - g->shared_from_us : 0;
        g->shared_from_us = now_us;
        change_sharing(run, g->sum, sign, now_us);
    }
    if (g->holders > 0)
        change_sharing(run, index, sign, now_us);
    g->holders += sign > 0;
    g->sum += sign > 0 ? index : 0;
}

static void change_gpus(struct verify_check *c, struct hs_placed *seg, int sign, int64_t now_us)
{
    struct verify_run *run = c->run;
    const uint32_t milli = milli_of(run, seg);
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, false, &p);) {
        struct verify_gpu *g = &run->gpus[p.id];
        const int64_t length_us = g->holders > 0 || g->milli > 0 ? now_us - g->since_us : 0;
        g->since_us = now_us;
        run->held_us += length_us;
        run->allocated_us +=
            (hs_i128)length_us * (g->milli + (g->holders > 0 ? VERIFY_GPU_MILLI : 0));
        if (milli < VERIFY_GPU_MILLI)
            g->milli += (uint32_t)sign * milli;
        else
            change_holders(run, g, (uint64_t)(seg - run->schedule.segments), sign, now_us);
        if (sign < 0)
            continue;
        if (g->holders > 0 && g->milli > 0)
            VERIFY_FAULT_LINE(c, seg, ": GPU %" PRIu32 " at %s is held whole, and shares of it too",
                              p.id, HS_SECONDS(now_us));
        else if (g->milli > VERIFY_GPU_MILLI)
            VERIFY_FAULT_LINE(
                c, seg, ": the shares of GPU %" PRIu32 " at %s are %" PRIu32 " thousandths of it",
                p.id, HS_SECONDS(now_us), g->milli);
    }
}

/* Compares each segment with the earlier one that holds the GPU longest; then sums the time that
 * GPUs are held and shared, and that jobs are co-located. */
static enum hs_status check_overlap(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->schedule.segment_count; i++, hs_spill_step(&run->spill)) {
        const struct hs_placed *seg = &run->schedule.segments[i];
        c->looked++;
        for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, false, &p);) {
            uint32_t *longest = &run->gpus[p.id].longest;
            const struct hs_placed *other =
                *longest > 0 ? &run->schedule.segments[*longest - 1] : NULL;
            /* both must be marked as sharing it, or hold shares of it, which are added up
             * elsewhere */
            const bool may_share =
                other != NULL &&
                ((milli_of(run, other) < VERIFY_GPU_MILLI &&
                  milli_of(run, seg) < VERIFY_GPU_MILLI) ||
                 (run->setup.is_sharing && other->tenants >= 2 && seg->tenants >= 2));
            if (other != NULL && other->end_us > seg->start_us && !may_share)
                VERIFY_FAULT(c,
                             "GPU %" PRIu32 " at %s: job %s (segments.csv:%" PRId64 ") and job %s "
                             "(segments.csv:%" PRId64 ")",
                             p.id, HS_SECONDS(seg->start_us), verify_id_of(run, other), other->line,
                             verify_id_of(run, seg), seg->line);
            if (other == NULL || seg->end_us >= other->end_us)
                *longest = i + 1;
        }
    }
    run->company = hs_spill_alloc(&run->spill, run->schedule.segment_count, sizeof *run->company);
    sweep(c, change_gpus);
    hs_spill_release(&run->spill, run->company);
    return HS_OK;
}

/* ---- GPU time: what jobs use of it together ---- */

/* Part of its GPUs that the job uses when alone, at most its share, in ppm; 0 if unknown. */
static int64_t own_util_ppm(const struct verify_job *j)
{
    const int64_t most_ppm = (int64_t)j->gpu_milli * 1000;
    return j->row.util_ppm < 0 ? 0 : j->row.util_ppm < most_ppm ? j->row.util_ppm : most_ppm;
}

static void change_use(struct verify_check *c, struct hs_placed *seg, int sign, int64_t now_us)
{
    struct verify_run *run = c->run;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, false, &p);) {
        struct verify_gpu *g = &run->gpus[p.id];
        if (sign > 0 && g->tenants++ == 0) {
            g->busy_from_us = now_us;
            g->used = 0;
        }
        if (sign > 0)
            continue;
        const int64_t util_ppm = seg->job != VERIFY_NONE ? own_util_ppm(&run->jobs[seg->job]) : 0;
        const int64_t length_us = seg->end_us - seg->start_us,
                      rate_nano = seg->rate_nano > 0 ? seg->rate_nano : 0;
        g->used += (hs_i128)util_ppm * rate_nano * length_us; /* utilization x work done */
        run->used += (hs_i128)util_ppm * rate_nano * length_us;
        run->used_error += (hs_i128)util_ppm * (length_us + VERIFY_NANO);
        if (--g->tenants > 0)
            continue;
        c->looked++;
        const double used_us = (double)g->used / 1e15, held_us = (double)(now_us - g->busy_from_us);
        if (used_us > held_us * run->setup.gpu_time * (1 + 1e-6))
            VERIFY_FAULT(c, "GPU %" PRIu32 " from %s to %s: its jobs used %.9g of its time", p.id,
                         HS_SECONDS(g->busy_from_us), HS_SECONDS(now_us), used_us / held_us);
    }
}

/* Checks that, in each interval in which a GPU is held, its jobs use at most its capacity. */
static enum hs_status check_gpu_time(struct verify_check *c)
{
    const struct verify_run *run = c->run;
    if (run->setup.gpu_time == 0)
        c->skipped =
            "the time of a GPU is not limited, GPUs differ in speed, or the manifest does not tell";
    if (run->setup.is_resizing || run->setup.is_slicing)
        c->skipped = "the policy resizes jobs, or its jobs take turns on the GPUs of a node";
    if (run->setup.is_allotting)
        c->skipped = "a job may be faster by CPUs of the policy than where its use was measured";
    if (c->skipped == NULL)
        sweep(c, change_use);
    return HS_OK;
}

/* ---- hosts: cores and memory ---- */

/* By the request in the trace: each worker takes its part, rounded down. */
static void change_hosts(struct verify_check *c, struct hs_placed *seg, int sign, int64_t now_us)
{
    const struct verify_run *run = c->run;
    const struct verify_job *j = seg->job != VERIFY_NONE ? &run->jobs[seg->job] : NULL;
    if (j == NULL || (j->worker_cpus_milli == 0 && j->worker_mem_mib == 0))
        return;
    c->looked += sign > 0;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, false, &p);) {
        const uint32_t index = verify_node_of(run, p.id);
        struct verify_node *node = &run->nodes[index];
        const uint32_t last = run->schedule.ranges[seg->range_first + p.range].last;
        node->cpus_milli_used += sign * (int64_t)j->worker_cpus_milli;
        node->mem_mib_used += sign * (int64_t)j->worker_mem_mib;
        if (sign < 0 || (p.id != last && node[1].first_gpu != p.id + 1))
            continue; /* checked once, at the last of its GPUs there */
        if (node->cpus_milli > 0 && node->cpus_milli_used > node->cpus_milli)
            VERIFY_FAULT_LINE(c, seg,
                              ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                              " thousandths of cores and has %" PRId64,
                              j->id, HS_SECONDS(now_us), index, node->cpus_milli_used,
                              node->cpus_milli);
        else if (node->mem_mib > 0 && node->mem_mib_used > node->mem_mib)
            VERIFY_FAULT_LINE(c, seg,
                              ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                              " MiB and has %" PRId64,
                              j->id, HS_SECONDS(now_us), index, node->mem_mib_used, node->mem_mib);
    }
}

static enum hs_status check_hosts(struct verify_check *c)
{
    if (c->run->setup.is_allotting)
        c->skipped = "the policy allots cores and memory, which no file of the run states";
    else
        sweep(c, change_hosts);
    return HS_OK;
}

/* Returns the work between two checkpoints of a job on so many nodes and racks. By Young and Daly:
 * the largest x with x^2 <= 2 C M, where M is the mean time to a failure of one of the nodes or
 * racks, in whole microseconds. */
static int64_t interval_us(const struct verify_run *run, uint32_t nodes, uint32_t racks)
{
    const struct verify_setup *m = &run->setup;
    if (m->checkpoint_us != VERIFY_YOUNG_DALY)
        return m->checkpoint_us;
    const hs_i128 node_us = m->law.mtbf_us, rack_us = m->law.rack_mtbf_us;
    hs_i128 mean_us = node_us > 0 ? node_us / nodes : rack_us / racks;
    if (node_us > 0 && rack_us > 0)
        mean_us = node_us * rack_us / (nodes * rack_us + racks * node_us);
    int64_t x = 0;
    for (int64_t bit = INT64_C(1) << 48; bit > 0; bit /= 2)
        if ((hs_i128)(x + bit) * (x + bit) <= 2 * m->checkpoint_cost_us * mean_us)
            x += bit;
    return x > 0 ? x : 1;
}

/* ---- the segments of each job ---- */

static void add_up(const struct verify_run *run, const struct hs_placed *seg,
                   struct verify_sum *sum)
{
    const int64_t length_us = seg->end_us - seg->start_us;
    const hs_i128 done = (hs_i128)(seg->rate_nano >= 0 ? seg->rate_nano : 0) * length_us;
    uint32_t first_node = VERIFY_NONE, above = 0; /* nodes below `above` are counted */
    uint32_t racks = 0, last_rack = VERIFY_NONE;
    sum->last_nodes = 0;
    for (struct verify_place p = VERIFY_FIRST_PLACE; verify_next_place(run, seg, true, &p);) {
        first_node = first_node == VERIFY_NONE ? p.id : first_node;
        sum->last_nodes += p.id >= above;
        above = p.id >= above ? p.id + 1 : above;
        racks += run->nodes[p.id].rack != last_rack;
        last_rack = run->nodes[p.id].rack;
    }
    /* a suspended process that continues on another node has migrated; for a gang its first node
     * counts */
    sum->last_node = first_node;
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
    sum->ooms += seg->ended_by == HS_SEGMENT_OOM;
    sum->faults += seg->ended_by == HS_SEGMENT_FAULT;
    sum->drains += seg->ended_by == HS_SEGMENT_DRAIN;
    sum->other_losses += seg->ended_by == HS_SEGMENT_OOM || seg->ended_by == HS_SEGMENT_PROFILE;
    if (verify_is_lost(run, seg)) {
        sum->lost_done += done;
        sum->lost_us += length_us;
    } else if (seg->ended_by == HS_SEGMENT_FAULT) {
        sum->interval_us = interval_us(run, sum->last_nodes, racks);
        const hs_i128 interval = (hs_i128)sum->interval_us * VERIFY_NANO;
        sum->fault_lost += done % interval;
        sum->full += 2 * (done % interval) <= length_us; /* mean_rate is rounded */
        sum->empty += 2 * (interval - done % interval) <= length_us;
        sum->lost_us += length_us;
    }
    if (seg->ended_by == HS_SEGMENT_FINISH)
        sum->finish_us = seg->end_us;
}

/* Also sums the segments of each job, for the rules on jobs. */
static void check_one_place(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_sum *sum = &c->run->jobs[seg->job].sum;
    c->looked++;
    if (sum->finish_us >= 0)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, after its finish", HS_SECONDS(seg->start_us));
    else if (sum->segments > 0 && seg->start_us < sum->last_end_us)
        VERIFY_FAULT_SEGMENT(c, seg, " starts at %s, while it still runs",
                             HS_SECONDS(seg->start_us));
    add_up(c->run, seg, sum);
}

const struct verify_rule verify_schedule_rules[] = {
    {"every segment is of a job of the trace", "segments", "of unknown jobs", .run = check_known},
    {"every GPU exists in the cluster", "GPU holdings", "beyond it", .run = check_gpus_exist},
    {"every gang is whole", "segments", "of another size", .segment = check_gang},
    {"nothing starts before its submission", "segments", "too early", .segment = check_submission},
    {"no GPU is held twice", "segments", "overlaps", .run = check_overlap},
    {"no GPU gives more time than it has", "busy periods", "overused", .run = check_gpu_time},
    {"every GPU is of a type that its job wants", "segments", "of another type",
     .segment = check_type, .skipped = "no job that ran wants GPUs of a certain type"},
    {"no node gives more cores or memory than it has", "segments", "too many", .run = check_hosts,
     .skipped = "no job that ran wants cores or memory of a node"},
    {"no node serves two virtual clusters", "segments", "of a second one", .run = is_partitioned,
     .segment = check_owner},
    {"a job is in one place at a time and ends once", "segments", "overlaps",
     .segment = check_one_place},
    {.title = NULL},
};
