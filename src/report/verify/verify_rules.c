/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules on the schedule, from segments.csv only: GPUs exist, gangs are complete, no GPU or host
 * is allocated twice, nothing runs before its submission. The segments are sorted once by time;
 * each rule is one pass over them, or a sweep over their starts and ends. O(segments log segments +
 * GPUs held).
 *
 * The rules on jobs.csv, against the trace and the sums of segments.csv. All are exact comparisons
 * in integer microseconds, with one exception: mean_rate is printed with nine decimals, so the work
 * of a segment is known to half of 1e-9 of its length. A job that ran at full speed throughout,
 * alone on its GPUs and without overhead, is still compared exactly.
 *
 * Attempts: a placement ended by `failure` ends an attempt, whose work is that of all placements
 * since the previous failure; the last attempt of a finished job ends by `finish`. With
 * --retries=attempts each is compared with the trace; with generate, which draws by the seed, only
 * the number of failures and the last attempt, which is the recorded run.
 *
 * Pauses are not visible in segments.csv, nor is memory that a slice group or a memory limit moves
 * to the host: under policies that may slice or throttle those columns are compared with bounds.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/gpu_types.h"
#include "report/stats/exact.h"
#include "report/verify/verify.h"

/* ---- faults ---- */

void verify_fault(struct verify_check *c, const char *file, int64_t line, const char *id,
                  const char *fmt, ...)
{
    va_list args;
    int used = 0;
    if (c->faults++ >= VERIFY_LINES)
        return;
    char *text = c->lines[c->faults - 1];
    if (file != NULL)
        used = snprintf(text, VERIFY_LINE_SIZE, "%s:%" PRId64 "%s%s", file, line,
                        id != NULL ? ": job " : "", id != NULL ? id : "");
    va_start(args, fmt);
    if (used >= 0 && used < VERIFY_LINE_SIZE)
        (void)vsnprintf(text + used, VERIFY_LINE_SIZE - (size_t)used, fmt, args);
    va_end(args);
}

/* Returns the id of a segment's job; "?" if it is not in the trace. */
static const char *id_of(const struct verify_run *run, const struct hs_placed *seg)
{
    return seg->job != VERIFY_NONE ? run->jobs[seg->job].id : "?";
}

int64_t verify_ppm(int64_t num, int64_t den)
{
    if (num < 0 || den <= 0)
        return -1;
    hs_i128 ppm = (2 * (hs_i128)num * 1000000 + den) / (2 * (hs_i128)den);
    return ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

#define FAULT_JOB(c, j, ...) verify_fault(c, "jobs.csv", (j)->row.line, (j)->id, __VA_ARGS__)
#define FAULT_SEGMENT(c, seg, ...)                                                                 \
    verify_fault(c, "segments.csv", (seg)->line, id_of((c)->run, seg), __VA_ARGS__)
#define FAULT_LINE(c, seg, ...) verify_fault(c, "segments.csv", (seg)->line, NULL, __VA_ARGS__)

/* ---- GPUs and nodes of a segment ---- */

/* A position in the ranges of a segment; initially {0, VERIFY_NONE}. */
struct place {
    uint32_t range, id; /* id: a GPU or a node */
};
#define FIRST_PLACE ((struct place){0, VERIFY_NONE})

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

/* Advances range by range: a node in two ranges is visited twice. */
static bool next_place(const struct verify_run *run, const struct hs_placed *seg, bool is_node,
                       struct place *p)
{
    const uint32_t count = is_node ? run->node_count : run->gpu_count;
    for (; p->range < seg->range_count; p->range++, p->id = VERIFY_NONE) {
        const struct hs_gpu_range *range = &run->schedule.ranges[seg->range_first + p->range];
        if (p->id != VERIFY_NONE)
            p->id++;
        else
            p->id = is_node ? node_of(run, range->first) : range->first;
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
    const int starts = hs_order(x->start_us, y->start_us), ends = hs_order(x->end_us, y->end_us);
    return starts != 0 ? starts : ends != 0 ? ends : hs_order(x->line, y->line);
}

/* Sorts the segments for all later rules. */
static enum hs_status check_known(struct verify_check *c)
{
    struct verify_run *run = c->run;
    if (run->schedule.segment_count > 0)
        qsort(run->schedule.segments, run->schedule.segment_count, sizeof *run->schedule.segments,
              compare_segments);
    for (uint32_t i = 0; i < run->schedule.segment_count; i++) {
        c->looked++;
        if (run->schedule.segments[i].job == VERIFY_NONE)
            FAULT_LINE(c, &run->schedule.segments[i], ": the trace has no such job");
    }
    return HS_OK;
}

static enum hs_status check_gpus_exist(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->schedule.segment_count; i++) {
        const struct hs_placed *seg = &run->schedule.segments[i];
        c->looked += seg->gpus;
        if (seg->range_count == 0)
            continue;
        uint32_t last = run->schedule.ranges[seg->range_first + seg->range_count - 1].last;
        if (last >= run->gpu_count)
            FAULT_SEGMENT(c, seg, " on GPU %" PRIu32 ", the cluster's last is %" PRIu32, last,
                          run->gpu_count - 1);
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
        FAULT_SEGMENT(c, seg, " holds %" PRIu32 " GPUs and needs %" PRIu32, seg->gpus, least);
    else
        FAULT_SEGMENT(c, seg, " holds %" PRIu32 " GPUs and needs %" PRIu32 " to %" PRIu32,
                      seg->gpus, least, most);
}

static void check_submission(struct verify_check *c, const struct hs_placed *seg)
{
    const int64_t submit_us = c->run->jobs[seg->job].submit_us;
    c->looked++;
    if (seg->start_us < submit_us)
        FAULT_SEGMENT(c, seg, " starts at %s, submitted at %s", HS_SECONDS(seg->start_us),
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
    for (struct place p = FIRST_PLACE; next_place(run, seg, true, &p);) {
        const char *type = hs_intern_text(&run->types, run->nodes[p.id].type);
        if (is_one_of(types, type))
            continue;
        FAULT_SEGMENT(c, seg, " wants GPUs of type %s, node %" PRIu32 " has %s", types, p.id, type);
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
    for (struct place p = FIRST_PLACE; next_place(run, seg, true, &p);) {
        struct verify_node *node = &run->nodes[p.id];
        if (node->owner == 0)
            node->owner = vc + 1;
        if (node->owner != vc + 1)
            FAULT_SEGMENT(c, seg, " of VC '%s' on node %" PRIu32 ", which VC '%s' used",
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
    const int times = hs_order(x->at_us, y->at_us);
    return times != 0 ? times : hs_order(x->segment, y->segment);
}

/* Calls `apply` with sign 1 and -1 at the start and end of all segments of positive length, in
 * order of time; at equal times ends come first. */
typedef void change(struct verify_check *c, struct hs_placed *seg, int sign, int64_t now_us);
static void sweep(struct verify_check *c, change *apply)
{
    struct hs_placed *segments = c->run->schedule.segments;
    const uint32_t segment_count = c->run->schedule.segment_count;
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
    for (struct place p = FIRST_PLACE; next_place(run, seg, false, &p);) {
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
            FAULT_LINE(c, seg, ": GPU %" PRIu32 " at %s is held whole, and shares of it too", p.id,
                       HS_SECONDS(now_us));
        else if (g->milli > VERIFY_GPU_MILLI)
            FAULT_LINE(c, seg,
                       ": the shares of GPU %" PRIu32 " at %s are %" PRIu32 " thousandths of it",
                       p.id, HS_SECONDS(now_us), g->milli);
    }
}

/* Compares each segment with the earlier one that holds the GPU longest; then sums the time that
 * GPUs are held and shared, and that jobs are co-located. */
static enum hs_status check_overlap(struct verify_check *c)
{
    struct verify_run *run = c->run;
    for (uint32_t i = 0; i < run->schedule.segment_count; i++) {
        const struct hs_placed *seg = &run->schedule.segments[i];
        c->looked++;
        for (struct place p = FIRST_PLACE; next_place(run, seg, false, &p);) {
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
                             p.id, HS_SECONDS(seg->start_us), id_of(run, other), other->line,
                             id_of(run, seg), seg->line);
            if (other == NULL || seg->end_us >= other->end_us)
                *longest = i + 1;
        }
    }
    run->company = hs_alloc_zeroed(run->schedule.segment_count + UINT64_C(1), sizeof *run->company);
    sweep(c, change_gpus);
    hs_free(run->company);
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
    for (struct place p = FIRST_PLACE; next_place(run, seg, false, &p);) {
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
    for (struct place p = FIRST_PLACE; next_place(run, seg, false, &p);) {
        const uint32_t index = node_of(run, p.id);
        struct verify_node *node = &run->nodes[index];
        const uint32_t last = run->schedule.ranges[seg->range_first + p.range].last;
        node->cpus_milli_used += sign * (int64_t)j->worker_cpus_milli;
        node->mem_mib_used += sign * (int64_t)j->worker_mem_mib;
        if (sign < 0 || (p.id != last && node[1].first_gpu != p.id + 1))
            continue; /* checked once, at the last of its GPUs there */
        if (node->cpus_milli > 0 && node->cpus_milli_used > node->cpus_milli)
            FAULT_LINE(c, seg,
                       ": with job %s at %s, node %" PRIu32 " gives %" PRId64
                       " thousandths of cores and has %" PRId64,
                       j->id, HS_SECONDS(now_us), index, node->cpus_milli_used, node->cpus_milli);
        else if (node->mem_mib > 0 && node->mem_mib_used > node->mem_mib)
            FAULT_LINE(c, seg,
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

/* ---- the segments of each job ---- */

static void add_up(const struct verify_run *run, const struct hs_placed *seg,
                   struct verify_sum *sum)
{
    const int64_t length_us = seg->end_us - seg->start_us;
    const hs_i128 done = (hs_i128)(seg->rate_nano >= 0 ? seg->rate_nano : 0) * length_us;
    uint32_t first_node = VERIFY_NONE, above = 0; /* nodes below `above` are counted */
    sum->last_nodes = 0;
    for (struct place p = FIRST_PLACE; next_place(run, seg, true, &p);) {
        first_node = first_node == VERIFY_NONE ? p.id : first_node;
        sum->last_nodes += p.id >= above;
        above = p.id >= above ? p.id + 1 : above;
    }
    /* a suspended process that continues on another node has migrated; for a gang its first node
     * counts */
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
    if (verify_is_lost(run, seg)) {
        sum->lost_done += done;
        sum->lost_us += length_us;
    } else if (seg->ended_by == HS_SEGMENT_FAULT) {
        const hs_i128 interval = (hs_i128)run->setup.checkpoint_us * VERIFY_NANO;
        sum->fault_most += done < interval ? done : interval;
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
        FAULT_SEGMENT(c, seg, " starts at %s, after its finish", HS_SECONDS(seg->start_us));
    else if (sum->segments > 0 && seg->start_us < sum->last_end_us)
        FAULT_SEGMENT(c, seg, " starts at %s, while it still runs", HS_SECONDS(seg->start_us));
    add_up(c->run, seg, sum);
}

#define NANO_OF_NS  (VERIFY_NANO / 1000) /* 1e-9 us in a nanosecond */
#define RETRIES_MAX 3                    /* of jobs with generated attempts */

static const char by_trace[] = "the trace", by_segments[] = "segments.csv",
                  by_times[] = "its own times";

/* Seconds or ratios, both in millionths; -1 = missing. */
static void compare(struct verify_check *c, const struct verify_job *j, const char *what,
                    int64_t stated_us, int64_t rebuilt_us, const char *source)
{
    if (stated_us != rebuilt_us)
        FAULT_JOB(c, j, ": %s %s, by %s %s", what,
                  stated_us < 0 ? "missing" : HS_SECONDS(stated_us), source,
                  rebuilt_us < 0 ? "missing" : HS_SECONDS(rebuilt_us));
}

static void compare_count(struct verify_check *c, const struct verify_job *j, const char *what,
                          uint64_t stated, uint64_t rebuilt, const char *source)
{
    if (stated != rebuilt)
        FAULT_JOB(c, j, ": %s %" PRIu64 ", by %s %" PRIu64, what, stated, source, rebuilt);
}

/* Seconds with nine decimals. */
#define NANOSECONDS(ns) nanoseconds((char[HS_FMT_MAX + 1]){0}, (uint64_t)(ns))
static const char *nanoseconds(char text[HS_FMT_MAX + 1], uint64_t ns)
{
    text[hs_fmt_ratio(text, ns, VERIFY_NANO, 9)] = '\0';
    return text;
}

/* Work rebuilt from mean_rate, in 1e-9 us, has an error of at most half of the length. */
static bool is_within(hs_i128 rebuilt, hs_i128 stated, int64_t length_us)
{
    hs_i128 off = rebuilt > stated ? rebuilt - stated : stated - rebuilt;
    return 2 * off <= length_us;
}

/* Tells whether the job's rate changed only with its placement; then it ran at full speed if
 * mean_rate is printed as 1. */
static bool is_steady(const struct verify_run *run, const struct verify_job *j)
{
    return !run->setup.is_slicing && !run->setup.is_throttling && j->sum.colocated_us == 0;
}

/* ---- rows ---- */

static enum hs_status check_rows(struct verify_check *c)
{
    struct verify_run *run = c->run;
    if (run->strange_rows > 0)
        verify_fault(c, "jobs.csv", run->strange_line, NULL,
                     ": not a job of the trace, or a second row of one");
    c->faults += run->strange_rows > 0 ? run->strange_rows - 1 : 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const bool is_due = j->submit_us <= run->setup.until_us;
        c->looked++;
        if (j->row.line == 0 && is_due)
            VERIFY_FAULT(c, "job %s of the trace has no row in jobs.csv", j->id);
        else if (j->row.line != 0 && !is_due)
            FAULT_JOB(c, j, " is submitted after the horizon");
    }
    return HS_OK;
}

static void check_against_trace(struct verify_check *c, const struct verify_job *j)
{
    compare(c, j, "submission_time", j->row.submit_us, j->submit_us, by_trace);
    compare(c, j, "isolated", j->row.work_us, j->work_us, by_trace);
    compare_count(c, j, "requested_number_of_resources", j->row.gpus, j->gpus, by_trace);
    /* a policy that divides no GPU allocates whole ones */
    compare_count(c, j, "thousandths of gpu_share", j->row.gpu_milli,
                  c->run->is_divided ? j->gpu_milli : VERIFY_GPU_MILLI, by_trace);
    if (j->row.job_class != j->job_class)
        FAULT_JOB(c, j, ": class %s, by the trace %s", hs_job_class_text(j->row.job_class),
                  hs_job_class_text(j->job_class));
}

static void check_against_segments(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    compare(c, j, "starting_time", row->start_us, j->sum.first_start_us, by_segments);
    if (row->is_done)
        compare(c, j, "finish_time", row->finish_us, j->sum.finish_us, by_segments);
    else if (j->sum.finish_us >= 0)
        FAULT_JOB(c, j, " is not done, by %s it finished", by_segments);
    compare(c, j, "run", row->run_us, j->sum.run_us, by_segments);
    compare(c, j, "colocated", row->colocated_us, j->sum.colocated_us, by_segments);
    if (row->milli_us != j->sum.milli_us)
        FAULT_JOB(c, j, ": gpu_seconds %s, by segments.csv %s", NANOSECONDS(row->milli_us),
                  NANOSECONDS(j->sum.milli_us));
    compare_count(c, j, "preemptions", row->preemptions, j->sum.preemptions, by_segments);
    compare_count(c, j, "migrations", row->migrations, j->sum.migrations, by_segments);
    compare_count(c, j, "ooms", row->ooms, j->sum.ooms, by_segments);
    compare_count(c, j, "nodes", row->nodes, j->sum.last_nodes, by_segments);
}

static void check_derived(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    compare(c, j, "waiting_time", row->wait_us,
            row->start_us < 0 ? -1 : row->start_us - row->submit_us, by_times);
    compare(c, j, "turnaround_time", row->turnaround_us,
            row->finish_us < 0 ? -1 : row->finish_us - row->submit_us, by_times);
    if (row->finish_us >= 0)
        compare(c, j, "queueing_delay", row->pending_us,
                row->finish_us - row->submit_us - row->run_us, by_times);
}

static void check_slowdowns(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool has_ended = row->finish_us >= 0;
    compare(c, j, "slowdown", row->slowdown_ppm,
            verify_ppm(has_ended ? row->finish_us - row->submit_us : -1, row->work_us), by_times);
    compare(c, j, "run_slowdown", row->run_slowdown_ppm,
            verify_ppm(has_ended ? row->run_us : -1, row->work_us), by_times);
}

/* Without a horizon every job must end. */
static void check_end(struct verify_check *c, const struct verify_job *j)
{
    if (j->row.is_rejected && j->sum.segments > 0)
        FAULT_JOB(c, j, " is rejected and yet ran");
    else if (!j->row.is_rejected && j->row.finish_us < 0 && c->run->setup.until_us == HS_TIME_MAX)
        FAULT_JOB(c, j, " never ends, though the run has no horizon");
}

/* A placement ended by oom or profile loses its work; a job that was given up loses all. */
static void check_loss(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool is_given_up = !row->is_done && !row->is_rejected && row->finish_us >= 0;
    const hs_i128 lost = (hs_i128)row->lost_ns * NANO_OF_NS;
    hs_i128 due = is_given_up ? j->sum.done : j->sum.lost_done;
    if (!is_given_up && lost > due) /* of a fault at most the work since a checkpoint */
        due = lost - due < j->sum.fault_most ? lost : due + j->sum.fault_most;
    if (!is_within(due, lost, is_given_up ? j->sum.run_us : j->sum.lost_us))
        FAULT_JOB(c, j, ": lost %s, by segments.csv %s", NANOSECONDS(row->lost_ns),
                  NANOSECONDS(due / NANO_OF_NS));
}

/* Lost work is part of the work done. */
static enum hs_status check_work(struct verify_check *c)
{
    struct verify_run *run = c->run;
    uint64_t exact = 0, within = 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const struct verify_job *j = &run->jobs[i];
        const struct verify_row *row = &j->row;
        if (!row->is_done)
            continue;
        hs_i128 due = (hs_i128)j->work_us * VERIFY_NANO + (hs_i128)row->lost_ns * NANO_OF_NS;
        if (j->has_ran && j->sum.done < due) /* its work is this, rounded up to a microsecond */
            due = due - j->sum.done > VERIFY_NANO ? due - VERIFY_NANO : j->sum.done;
        const bool is_exact = j->sum.run_us - row->overhead_us == j->work_us && row->lost_ns == 0;
        const bool is_due_exact =
            row->overhead_us == 0 && row->lost_ns == 0 && j->sum.is_full_speed && is_steady(run, j);
        c->looked++;
        if (is_within(j->sum.done, due, j->sum.run_us) && (is_exact || !is_due_exact)) {
            exact += is_exact;
            within += !is_exact;
        } else {
            VERIFY_FAULT(c, "job %s ran %s, %s of it overhead, for %s of work", j->id,
                         HS_SECONDS(j->sum.run_us), HS_SECONDS(row->overhead_us),
                         HS_SECONDS(j->work_us));
        }
    }
    (void)snprintf(c->note, sizeof c->note,
                   " (%" PRIu64 " exactly, %" PRIu64 " within the printed digits of mean_rate)",
                   exact, within);
    return HS_OK;
}

/* ---- attempts ---- */

/* Most attempts of a job, and the number when it is done. */
static uint64_t attempts_of(const struct verify_run *run, const struct verify_job *j)
{
    if (run->setup.retries == VERIFY_GENERATE)
        return 1 + RETRIES_MAX;
    return j->attempts > 0 ? j->attempts : 1;
}

/* Checks the attempt that ends now. Its run time is exact at full speed without overhead. */
static void check_attempt(const struct verify_run *run, const struct verify_job *j, bool is_last,
                          struct verify_check *c)
{
    const struct verify_sum *sum = &j->sum;
    const uint64_t n = sum->failures; /* starts at 0 */
    const bool is_exact =
        sum->is_full_speed && is_steady(run, j) && j->row.overhead_us == 0 && j->row.lost_ns == 0;
    int64_t due_us = j->recorded_us; /* -1: not in the trace */
    if (run->setup.retries == VERIFY_GENERATE && !j->has_ran)
        due_us = is_last ? due_us : -1;
    else if (j->has_ran || n >= attempts_of(run, j))
        due_us = -1;
    else if (j->attempts > 0)
        due_us = run->attempts_us[j->first_attempt + n];
    c->looked++;
    if (due_us < 0 ||
        (is_exact ? sum->attempt_us == due_us
                  : is_within(sum->attempt_done, (hs_i128)due_us * VERIFY_NANO, sum->attempt_us)))
        return;
    VERIFY_FAULT(c, "attempt %" PRIu64 " of job %s ran %s for %s of work", n + 1, j->id,
                 HS_SECONDS(sum->attempt_us), HS_SECONDS(due_us));
}

static void add_attempt(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_run *run = c->run;
    const struct verify_job *j = &run->jobs[seg->job];
    struct verify_sum *sum = &run->jobs[seg->job].sum;
    sum->attempt_us += seg->end_us - seg->start_us;
    if (!verify_is_lost(run, seg) && seg->rate_nano > 0)
        sum->attempt_done += (hs_i128)seg->rate_nano * (seg->end_us - seg->start_us);
    if (seg->ended_by != HS_SEGMENT_FAILURE)
        return;
    check_attempt(run, j, false, c);
    if (++sum->failures >= attempts_of(run, j))
        FAULT_SEGMENT(c, seg, " fails once too often");
    sum->attempt_done = 0;
    sum->attempt_us = 0;
}

static void check_attempts(struct verify_check *c, const struct verify_job *j)
{
    struct verify_run *run = c->run;
    const uint64_t attempts = j->sum.failures + 1;
    const bool is_generated = run->setup.retries == VERIFY_GENERATE;
    compare_count(c, j, "attempts", j->row.attempts, attempts, by_segments);
    if (!j->row.is_done)
        return;
    if (attempts > 1 || is_generated) /* else the job's whole work is checked */
        check_attempt(run, j, true, c);
    if (!is_generated && attempts < attempts_of(run, j))
        FAULT_JOB(c, j, " is done after %" PRIu64 " attempts, by the trace it takes %" PRIu64,
                  attempts, attempts_of(run, j));
}

/* ---- switches, progress, memory on the host ---- */

static const char no_pauses[] = " (pauses leave no segment)";
static const char at_least[] =
    " (at least what suspended jobs keep: lanes and limits are not in the files)";

static void check_switches(struct verify_check *c, const struct verify_job *j)
{
    const bool may_pause = c->run->setup.is_slicing;
    if (j->row.switches < j->sum.suspensions ||
        (j->row.switches > j->sum.suspensions && !may_pause))
        FAULT_JOB(c, j, ": switches %" PRIu64 ", by segments.csv %s%" PRIu64, j->row.switches,
                  may_pause ? "at least " : "", j->sum.suspensions);
}

/* No work is done before the first progress. */
static void check_before(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_job *j = &c->run->jobs[seg->job];
    const int64_t progress_us = j->row.progress_us;
    if (seg->start_us <= progress_us && progress_us <= seg->end_us)
        j->sum.is_progress_placed = true;
    if (j->sum.first_long_us < 0 && seg->start_us < seg->end_us)
        j->sum.first_long_us = seg->start_us;
    if (seg->rate_nano > 0 && (progress_us < 0 || seg->end_us <= progress_us))
        FAULT_SEGMENT(c, seg, " has done work by %s, before its first progress",
                      HS_SECONDS(seg->end_us));
}

/* Without overhead and slicing it begins by the first placement of positive length. */
static void check_progress(struct verify_check *c, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    const bool is_prompt = !c->run->setup.is_slicing && row->overhead_us == 0 && j->work_us > 0;
    if (row->progress_us < 0) {
        if (row->is_done && j->work_us > 0)
            FAULT_JOB(c, j, " is done without any progress");
    } else if (!j->sum.is_progress_placed) {
        FAULT_JOB(c, j, ": first_progress %s, without a GPU", HS_SECONDS(row->progress_us));
    } else if (is_prompt && j->sum.first_long_us >= 0 && row->progress_us > j->sum.first_long_us) {
        FAULT_JOB(c, j, ": first_progress %s, by segments.csv %s", HS_SECONDS(row->progress_us),
                  HS_SECONDS(j->sum.first_long_us));
    }
}

/* Time suspended with the process on the host x GPUs it had. Segments of a job do not overlap, or
 * another check reports it. */
static int64_t on_host_us(const struct verify_sum *sum, int64_t until_us)
{
    return sum->suspended_from_us >= 0 ? (until_us - sum->suspended_from_us) * sum->suspended_gpus
                                       : 0;
}

static void add_host(struct verify_check *c, const struct hs_placed *seg)
{
    struct verify_sum *sum = &c->run->jobs[seg->job].sum;
    sum->on_host_us += on_host_us(sum, seg->start_us);
    sum->suspended_from_us = seg->ended_by == HS_SEGMENT_SUSPEND ? seg->end_us : -1;
    sum->suspended_gpus = seg->gpus;
}

/* A suspended job always keeps the same memory: its persistent GPU memory on all its GPUs, from the
 * trace or, if that has none (0), known only to the run. */
static void check_host(struct verify_check *c, const struct verify_job *j)
{
    const bool may_be_more = c->run->setup.is_slicing || c->run->setup.is_throttling;
    const int64_t until_us = c->run->setup.until_us;
    const int64_t host_us =
        j->sum.on_host_us + (until_us != HS_TIME_MAX ? on_host_us(&j->sum, until_us) : 0);
    const hs_i128 stated = j->row.host_mib_us, kept = (hs_i128)host_us * j->persistent_mib;
    bool is_right;
    if (j->persistent_mib > 0)
        is_right = may_be_more ? stated >= kept : stated == kept;
    else
        is_right = may_be_more || (host_us == 0 ? stated == 0 : stated % host_us == 0);
    if (!is_right)
        FAULT_JOB(c, j, ": host_mib_seconds %s, suspended for %s GPU s",
                  HS_SECONDS(j->row.host_mib_us), HS_SECONDS(host_us));
}

const struct verify_rule verify_rules[] = {
    {"every segment is of a job of the trace", "segments", "strangers", .run = check_known},
    {"every GPU exists in the cluster", "GPU holdings", "beyond it", .run = check_gpus_exist},
    {"every gang is whole", "segments", "of another size", .segment = check_gang},
    {"nothing starts before its submission", "segments", "too early", .segment = check_submission},
    {"no GPU is held twice", "segments", "overlaps", .run = check_overlap},
    {"no GPU gives more time than it has", "busy periods", "too much", .run = check_gpu_time},
    {"every GPU is of a type that its job wants", "segments", "of another type",
     .segment = check_type, .skipped = "no job that ran wants GPUs of a certain type"},
    {"no node gives more cores or memory than it has", "segments", "too many", .run = check_hosts,
     .skipped = "no job that ran wants cores or memory of a node"},
    {"no node serves two virtual clusters", "segments", "strangers", .run = is_partitioned,
     .segment = check_owner},
    {"a job is in one place at a time and ends once", "segments", "overlaps",
     .segment = check_one_place},
    {"jobs.csv has one row a job of the trace", "jobs", "missing or too many", .run = check_rows},
    {"jobs.csv says what the trace says", "jobs", "differences", .job = check_against_trace},
    {"jobs.csv says what segments.csv says", "jobs", "differences", .job = check_against_segments},
    {"waits and turnarounds follow from the times", "jobs", "differences", .job = check_derived},
    {"slowdowns follow from the times", "jobs", "differences", .job = check_slowdowns},
    {"every job comes to its end", "jobs", "do not", .job = check_end},
    {"work is lost where a GPU ran out of memory or a node failed", "jobs", "differences",
     .job = check_loss},
    {"every finished job has done its work", "jobs", "differences", .run = check_work},
    {"jobs fail and are tried again as they should", "attempts", "differences",
     .segment = add_attempt, .job = check_attempts},
    {"every suspension is a switch", "jobs", "differences", .job = check_switches,
     .slicing_note = no_pauses},
    {"jobs make progress from where they say", "jobs", "differences", .segment = check_before,
     .job = check_progress},
    {"memory lies on the host while jobs are suspended", "jobs", "differences", .segment = add_host,
     .job = check_host, .slicing_note = at_least, .throttling_note = at_least},
    {.title = NULL},
};

enum hs_status verify_apply(struct verify_run *run, const struct verify_rule *rule,
                            struct verify_check *c)
{
    const bool is_of_jobs = strcmp(rule->things, "jobs") == 0;
    const char *note = run->setup.is_slicing ? rule->slicing_note : NULL;
    if (run->setup.is_throttling && rule->throttling_note != NULL)
        note = rule->throttling_note;
    (void)snprintf(c->note, sizeof c->note, "%s", note != NULL ? note : "");
    c->run = run;
    if (rule->run != NULL)
        HS_TRY(rule->run(c));
    if (c->skipped != NULL)
        return HS_OK;
    for (uint32_t i = 0; rule->segment != NULL && i < run->schedule.segment_count; i++)
        if (run->schedule.segments[i].job != VERIFY_NONE)
            rule->segment(c, &run->schedule.segments[i]);
    for (uint32_t i = 0; rule->job != NULL && i < run->job_count; i++)
        if (run->jobs[i].row.line != 0) {
            c->looked += is_of_jobs;
            rule->job(c, &run->jobs[i]);
        }
    if (c->looked == 0)
        c->skipped = rule->skipped;
    return HS_OK;
}
