/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the files that the options request, provides the observers, closes the files in the same
 * order, and fills the summary. Figures are always computed, files written only to a directory.
 */
#include "report/report.h"

#include <inttypes.h>

#include "base/fixed.h"
#include "report/run/observers.h"
#include "report/stats/exact.h"

/* ---- bounds ----
 *
 * Bounds that hold for all schedulers on this trace and cluster (src/MODEL.md, 10).
 *
 * Capacity counts a GPU of type t as its scalar speed c_t. A job that runs at speed s_t there uses
 * c_t / s_t of it per GPU-second of isolated work, so at least its work x min over t of c_t / s_t,
 * which is the isolated work unless some profile is faster than the scalar.
 *
 * Makespan: all work that arrives from time a on must be done after a, at most `capacity`
 * GPU-seconds per second: makespan >= max over arrivals of a + (work arriving from a on) /
 * capacity; and no job ends before its submission plus its isolated run time on its fastest type.
 * JCT: relax the cluster to one machine that does `capacity` GPU-seconds per second, without gangs
 * and nodes; there SRPT minimises the sum of completion times (Schrage, Operations Research 1968).
 * A second bound is the mean isolated run time; the larger is reported. Wait: without preemption,
 * at isolated speed, wait = JCT - isolated, so the JCT bound gives one.
 *
 * All in integers: time is counted in 1/capacity of a microsecond, in which a GPU-microsecond of
 * work takes exactly one unit. Capacity is rounded up to whole GPUs of the reference speed, which
 * only loosens the bounds. O(log n) per job, memory O(jobs waiting in the relaxed machine).
 *
 * A job is buffered until its instant is over, because a job that can never fit is submitted and
 * rejected in one instant and must not enter the bounds; and until some more have arrived, because
 * repeated code stays in the instruction cache (saves a tenth of the time of sjf). */

#define REJECTED  INT64_C(-1)
#define HELD_BACK 64u

/* A buffered job. Small, because a million may be submitted at once. */
struct bounds_arrival {
    int64_t submit_us;
    int64_t work_us; /* REJECTED: it is not counted */
    uint32_t profile, milli_gpus;
};
_Static_assert(HS_JOB_GPUS_MAX <= UINT32_MAX / HS_GPU_MILLI, "what a trace may say fits");

struct hs_bounds {
    const struct hs_cluster *cluster;
    const struct hs_speed *speed;    /* NULL: the speeds of the cluster */
    uint64_t types;                  /* one bit per GPU type with a node */
    uint64_t capacity;               /* reference GPUs */
    struct bounds_arrival *arrivals; /* buffered */
    uint32_t arrival_count, arrivals_cap;
    uint64_t first_index; /* index in the trace of the first arrival */
    int64_t submit_us;    /* time of the last arrival */
    int64_t first_submit_us;
    /* makespan */
    hs_i128 work_before;   /* units of all arrivals so far */
    hs_i128 makespan_lead; /* max of a x capacity - work before a */
    int64_t longest_end_us;
    /* relaxed machine */
    int64_t *left; /* min-heap: the units left of each job; the first is served */
    uint32_t left_count, left_cap;
    hs_i128 clock;        /* units */
    hs_u128 jct_sum;      /* units, mod 2^128: ends - submissions */
    hs_u128 isolated_sum; /* us on the fastest type */
    uint64_t jobs;
    bool has_late_rejection;
    double makespan_work_s, makespan_longest_s, mean_jct_s; /* results; NaN without jobs */
};

/* A 4-ary heap: half as deep as a binary one, and the children of a job are adjacent. */
#define CHILDREN 4u

/* Removes the minimum. */
static void heap_pop(struct hs_bounds *b)
{
    int64_t *left = b->left, last = left[--b->left_count];
    uint64_t at = 0, child;
    while ((child = CHILDREN * at + 1) < b->left_count) {
        const uint64_t end = child + CHILDREN < b->left_count ? child + CHILDREN : b->left_count;
        int64_t least = left[child];
        for (uint64_t other = child + 1; other < end; other++) {
            child = left[other] < least ? other : child;
            least = left[other] < least ? left[other] : least;
        }
        if (least >= last)
            break;
        left[at] = least;
        at = child;
    }
    left[at] = last;
}

/* Adds a job. Units are truncated to the 63 bits of a key, which only loosens the bound. */
static void heap_push(struct hs_bounds *b, hs_u128 units)
{
    const int64_t key = units > INT64_MAX ? INT64_MAX : (int64_t)units;
    hs_grow_bare(b->left, b->left_cap, (uint64_t)b->left_count + 1, UINT32_MAX);
    uint32_t at = b->left_count++;
    for (; at > 0 && b->left[(at - 1) / CHILDREN] > key; at = (at - 1) / CHILDREN)
        b->left[at] = b->left[(at - 1) / CHILDREN];
    b->left[at] = key;
}

/* Advances the relaxed machine: shortest remaining work first. */
static void serve(struct hs_bounds *b, hs_i128 until)
{
    hs_i128 units = until - b->clock;
    for (b->clock = until; units > 0 && b->left_count > 0; heap_pop(b)) {
        if (b->left[0] > units) {
            b->left[0] -= (int64_t)units;
            break;
        }
        units -= b->left[0];
        b->jct_sum += (hs_u128)(until - units);
    }
}

/* A job without GPUs waits for none and counts unchanged. Of several arrivals at one instant only
 * the first can raise the lead. */
static void count_arrival(struct hs_bounds *b, const struct bounds_arrival *job)
{
    /* The speed on the fastest type, and the least capacity used per GPU-second of isolated work:
     * at least and at most 1, for a profile slower than the scalar speed everywhere counts with
     * that. */
    uint64_t top_q32 = HS_Q32_ONE, need_q32 = HS_Q32_ONE;
    for (uint32_t t = 0; job->milli_gpus > 0 && t < b->cluster->type_count; t++) {
        const uint64_t scalar_q32 = b->cluster->types[t].speed_q32;
        if (!(b->types >> t & 1))
            continue;
        const uint64_t speed_q32 =
            b->speed != NULL ? hs_speed_q32(b->speed, job->profile, t, NULL) : scalar_q32;
        top_q32 = speed_q32 > top_q32 ? speed_q32 : top_q32;
        if (HS_LIKELY(speed_q32 == scalar_q32)) /* the usual case: no 128-bit division */
            continue;
        const uint64_t here_q32 = (uint64_t)(((hs_u128)scalar_q32 << 32) / speed_q32);
        need_q32 = here_q32 < need_q32 ? here_q32 : need_q32;
    }
    const hs_i128 now = (hs_i128)((hs_u128)(uint64_t)job->submit_us * b->capacity);
    /* the least capacity that it takes */
    const uint64_t work_us = (uint64_t)job->work_us, rest = work_us % HS_GPU_MILLI;
    hs_u128 units =
        (hs_u128)job->milli_gpus * (work_us / HS_GPU_MILLI) + job->milli_gpus * rest / HS_GPU_MILLI;
    int64_t fastest_us = job->work_us;
    if (need_q32 != HS_Q32_ONE)
        units = (units * need_q32) >> 32;
    if (top_q32 != HS_Q32_ONE)
        fastest_us = (int64_t)(((hs_u128)(uint64_t)job->work_us << 32) / top_q32);
    serve(b, now);
    if (b->jobs == 0)
        b->first_submit_us = job->submit_us;
    if (b->jobs == 0 || now - b->work_before > b->makespan_lead)
        b->makespan_lead = now - b->work_before;
    if (job->submit_us + fastest_us > b->longest_end_us)
        b->longest_end_us = job->submit_us + fastest_us;
    b->isolated_sum += (uint64_t)fastest_us;
    b->work_before += (hs_i128)units;
    b->jobs++;
    if (job->milli_gpus > 0) {
        heap_push(b, units);
        b->jct_sum -= (hs_u128)now;
    } else {
        b->jct_sum += (hs_u128)(uint64_t)job->work_us * b->capacity;
    }
}

static void count_arrivals(struct hs_bounds *b)
{
    for (uint32_t i = 0; i < b->arrival_count; i++)
        if (b->arrivals[i].work_us != REJECTED)
            count_arrival(b, &b->arrivals[i]);
    b->arrival_count = 0;
}

/* The next job of the trace is submitted. */
static void bounds_submit(struct hs_bounds *b, int64_t now_us, const struct hs_submission *job)
{
    if (HS_UNLIKELY(b->arrival_count >= HELD_BACK) && b->submit_us != now_us)
        count_arrivals(b);
    if (b->arrival_count == 0)
        b->first_index = job->index;
    b->submit_us = now_us;
    hs_grow_bare(b->arrivals, b->arrivals_cap, (uint64_t)b->arrival_count + 1, UINT32_MAX);
    b->arrivals[b->arrival_count++] =
        (struct bounds_arrival){now_us, job->work_us, job->profile, job->gpus * job->gpu_milli};
}

/* A job rejected in the instant of its submission is not counted: arrivals are in trace order, so
 * it is found by its index. */
static void bounds_reject(struct hs_bounds *b, const struct hs_job_record *job)
{
    const uint64_t at = job->index - b->first_index;
    if (job->index >= b->first_index && at < b->arrival_count &&
        b->arrivals[at].submit_us == b->submit_us)
        b->arrivals[at].work_us = REJECTED;
    else
        b->has_late_rejection = true;
}

static void bounds_open(struct hs_bounds *b, const struct hs_cluster *cluster,
                        const struct hs_speed *speed)
{
    *b = (struct hs_bounds){.cluster = cluster, .speed = speed};
    hs_u128 capacity_q32 = 0;
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        uint32_t type = cluster->nodes[i].type;
        capacity_q32 += (hs_u128)cluster->nodes[i].gpus * cluster->types[type].speed_q32;
        b->types |= UINT64_C(1) << type;
    }
    b->capacity = (uint64_t)((capacity_q32 + HS_Q32_ONE - 1) >> 32);
    if (b->capacity == 0)
        b->capacity = 1;
}

/* Converts units since the first submission to seconds. */
static double since_first_s(const struct hs_bounds *b, hs_i128 units)
{
    const hs_i128 from = (hs_i128)b->first_submit_us * b->capacity;
    return hs_exact_double(units > from ? (hs_u128)(units - from) : 0,
                           b->jobs > 0 ? (hs_u128)b->capacity * HS_US_PER_S : 0);
}

/* Returns the sum of JCTs in units: the larger of the two bounds. */
static hs_u128 jct_units(const struct hs_bounds *b)
{
    hs_u128 isolated = b->isolated_sum * b->capacity;
    return b->jct_sum > isolated ? b->jct_sum : isolated;
}

/* Runs the relaxed machine until it is empty, and computes the results. */
static void bounds_finish(struct hs_bounds *b)
{
    count_arrivals(b);
    while (b->left_count > 0) {
        b->clock += b->left[0];
        b->jct_sum += (hs_u128)b->clock;
        heap_pop(b);
    }
    b->makespan_work_s = since_first_s(b, b->makespan_lead + b->work_before);
    b->makespan_longest_s = since_first_s(b, (hs_i128)b->longest_end_us * b->capacity);
    b->mean_jct_s = hs_exact_double(jct_units(b), (hs_u128)b->capacity * HS_US_PER_S * b->jobs);
}

/* Returns the bound of the mean JCT minus the mean isolated run time; at least 0. */
static double bounds_mean_wait_s(const struct hs_bounds *b, hs_u128 isolated_us)
{
    hs_u128 jct = jct_units(b), isolated = isolated_us * b->capacity;
    return hs_exact_double(jct > isolated ? jct - isolated : 0,
                           (hs_u128)b->capacity * HS_US_PER_S * b->jobs);
}

static void bounds_close(struct hs_bounds *b)
{
    hs_free(b->arrivals);
    hs_free(b->left);
    *b = (struct hs_bounds){0};
}

/* ---- the figures ---- */

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_report *r = ctx;
    hs_stats_submit(&r->stats, now_us, job);
    bounds_submit(r->bounds, now_us, job);
    return HS_OK;
}

static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_report *r = ctx;
    return hs_stats_end(&r->stats, now_us, job);
}

static enum hs_status on_reject(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_report *r = ctx;
    (void)now_us;
    bounds_reject(r->bounds, job);
    return HS_OK;
}

/* Ends the run at once if the disk is full: closing a failed writer reports the cause. */
static enum hs_status on_instant(void *ctx, const struct hs_instant *instant)
{
    struct hs_report *r = ctx;
    memcpy(r->stats.policy_counter, instant->policy_counter, sizeof r->stats.policy_counter);
    hs_timeline_step(&r->timeline, instant);
    for (uint32_t i = 0; i < r->open_count; i++)
        if (r->open[i]->csv.out.error != 0)
            return hs_csvw_close(&r->open[i]->csv, r->diag);
    return HS_OK;
}

/* ---- the metrics ----
 * Names and units are those of results/README.md; a test compares the two. Unit "1" is a plain
 * ratio; shares are between 0 and 1. */

#define FULL_PM    1000u /* utilization is summed in per mille of a GPU */
#define FULL_MILLI 1000u /* thousandths of a whole GPU */
#define NS_PER_S   UINT64_C(1000000000)

static const char no_span[] = "the run has no length";
static const char no_job[] = "no job was completed inside the window";
static const char no_util[] = "the trace gives no GPU utilization";

void hs_summary_add(struct hs_summary *s, const char *name, const char *unit, double value,
                    const char *absent_because)
{
    assert(s->count < HS_METRICS_MAX);
    s->metrics[s->count++] =
        (struct hs_metric){name, unit, value, isnan(value) ? absent_because : NULL};
}

static void add_count(struct hs_summary *s, const char *name, uint64_t value)
{
    hs_summary_add(s, name, "1", (double)value, NULL);
}

static void add_share(struct hs_summary *s, const char *name, double value, const char *absent)
{
    hs_summary_add(s, name, "1", value, absent);
}

static double makespan(const struct hs_stats *stats)
{
    return hs_exact_double((uint64_t)(stats->last_finish_us - stats->first_submit_us),
                           stats->last_finish_us >= 0 ? HS_US_PER_S : 0);
}

/* The names are constants, because a summary outlives its report. */
static const struct {
    const char *names[HS_FIGURES], *unit;
} measures[HS_MEASURES] = {
    [HS_M_WAIT] = {{HS_FIGURE_NAMES("wait")}, "s"},
    [HS_M_JCT] = {{HS_FIGURE_NAMES("jct")}, "s"},
    [HS_M_SLOWDOWN] = {{HS_FIGURE_NAMES("slowdown")}, "1"},
    [HS_M_RUN_SLOWDOWN] = {{HS_FIGURE_NAMES("run_slowdown")}, "1"},
    [HS_M_BOUNDED] = {{HS_FIGURE_NAMES("bounded_slowdown")}, "1"},
    [HS_M_PROGRESS] = {{HS_FIGURE_NAMES("time_to_progress")}, "s"},
};

static void add_measure(struct hs_summary *s, const struct hs_stats *stats, enum hs_measure measure)
{
    for (int f = 0; f < HS_FIGURES; f++)
        hs_summary_add(s, measures[measure].names[f], measures[measure].unit,
                       stats->figure[measure][f], no_job);
}

/* Mean of an integral over `us` of time, relative to `full` x GPUs. */
static double share(const struct hs_report *r, enum hs_channel channel, uint64_t full, hs_u128 us)
{
    return hs_exact_double(r->timeline.sum[channel], us * r->options.cluster->gpu_count * full);
}

static double util(const struct hs_report *r, enum hs_channel channel, hs_u128 us)
{
    /* from Q32; error of the integral below 1 per mille x us */
    return r->stats.has_util ? hs_exact_double(r->timeline.sum[channel] >> 32,
                                               us * r->options.cluster->gpu_count * FULL_PM)
                             : (double)NAN;
}

static void add_cluster(struct hs_summary *s, const struct hs_report *r)
{
    static const char no_wait[] = "no job ever waited";
    hs_u128 span = (hs_u128)r->span_us, loaded = r->timeline.sum[HS_CH_LOADED];
    const char *no_use = r->stats.has_util ? no_span : no_util;
    const char *no_load = r->stats.has_util ? no_wait : no_util;
    add_share(s, "gpu_allocation", share(r, HS_CH_GPUS_HELD, 1, span), no_span);
    add_share(s, "gpu_utilization", util(r, HS_CH_UTIL_MODEL, span), no_use);
    add_share(s, "gpu_utilization_sum", util(r, HS_CH_UTIL_SUM, span), no_use);
    add_share(s, "loaded_share", hs_exact_double(loaded, span), no_span);
    add_share(s, "gpu_allocation_loaded", share(r, HS_CH_HELD_LOADED, 1, loaded), no_wait);
    add_share(s, "gpu_utilization_loaded", util(r, HS_CH_UTIL_MODEL_LOADED, loaded), no_load);
    add_share(s, "gpu_utilization_sum_loaded", util(r, HS_CH_UTIL_SUM_LOADED, loaded), no_load);
    add_share(s, "assumed_utilization_share",
              r->stats.has_util ? (double)r->stats.assumed_util / (double)r->stats.submitted
                                : (double)NAN,
              no_util);
    add_share(s, "gpu_sharing", share(r, HS_CH_GPUS_SHARED, 1, span), no_span);
    add_share(s, "useful_gpu_share",
              hs_exact_double(r->stats.done_milli_ns,
                              span * r->options.cluster->gpu_count * HS_NS_PER_US * FULL_MILLI),
              no_span);
    add_share(s, "fragmentation", share(r, HS_CH_FRAGMENTED, 1, span), no_span);
}

static void add_gpu_seconds(struct hs_summary *s, const char *name, hs_u128 num, hs_u128 den)
{
    hs_summary_add(s, name, "GPU s", hs_exact_double(num, den), NULL);
}

static void add_costs(struct hs_summary *s, const struct hs_report *r)
{
    const struct hs_stats *stats = &r->stats;
    const hs_u128 *sum = r->timeline.sum;
    const hs_u128 us = HS_US_PER_S;
    uint64_t misses;
    add_count(s, "preemptions", stats->preemptions);
    add_count(s, "migrations", stats->migrations);
    add_count(s, "ooms", stats->ooms);
    add_count(s, "deadlines", hs_deadlines_count(stats->deadlines, &misses));
    add_count(s, "deadline_misses", misses);
    add_gpu_seconds(s, "held_gpu_seconds", sum[HS_CH_GPUS_HELD], us);
    add_gpu_seconds(s, "done_gpu_seconds", stats->done_milli_ns, NS_PER_S * FULL_MILLI);
    add_gpu_seconds(s, "overhead_gpu_seconds", stats->overhead_milli_us, us * FULL_MILLI);
    add_gpu_seconds(s, "lost_gpu_seconds", stats->lost_milli_ns, NS_PER_S * FULL_MILLI);
    add_gpu_seconds(s, "wait_resources_gpu_seconds", sum[HS_CH_WAIT_RESOURCES], us);
    add_gpu_seconds(s, "wait_placement_gpu_seconds", sum[HS_CH_WAIT_PLACEMENT], us);
    add_gpu_seconds(s, "wait_quota_gpu_seconds", sum[HS_CH_WAIT_QUOTA], us);
    add_gpu_seconds(s, "wait_priority_gpu_seconds", sum[HS_CH_WAIT_PRIORITY], us);
}

/* Returns why a bound does not hold, or NULL; the later bounds then do not hold, either. */
enum bound { BOUND_ANY, BOUND_MEAN, BOUND_WAIT };
static const char *no_bound(const struct hs_report *r, enum bound bound)
{
    const struct hs_stats *s = &r->stats;
    const struct {
        bool is_so;
        enum bound first;
        const char *reason;
    } reasons[] = {
        {r->options.is_sharing, BOUND_ANY,
         "jobs may share a GPU, so a GPU may do more than one GPU-second of work a second"},
        {r->options.is_resizing, BOUND_ANY,
         "a gang may run on more or fewer GPUs than it asked for"},
        {r->options.is_allotting, BOUND_ANY,
         "CPUs and host memory by the policy may make a job faster than the trace"},
        {s->unfinished > 0, BOUND_ANY, "the run was cut before every job ended"},
        {s->failed > 0, BOUND_ANY, "a job was ended before its work was done"},
        {r->bounds->has_late_rejection, BOUND_ANY, "a job was rejected after it had been accepted"},
        {r->bounds->jobs == 0, BOUND_ANY, "no job was completed"},
        {s->counted != s->done, BOUND_MEAN,
         "the bound is for all jobs, the mean for those inside the window"},
        {r->options.is_preemptive, BOUND_WAIT,
         "with preemption a job may start early and wait later"},
        {s->retries > 0, BOUND_WAIT, "a job that fails waits again before its next attempt"},
        {s->done_run_us != s->work_us, BOUND_WAIT,
         "some jobs did not run at isolated speed (costs, GPU types or spread gangs)"},
    };
    for (size_t i = 0; i < HS_COUNT_OF(reasons); i++)
        if (reasons[i].is_so && reasons[i].first <= bound)
            return reasons[i].reason;
    return NULL;
}

static void add_bound(struct hs_summary *s, const char *name, const char *share_name, double value,
                      double bound, const char *absent)
{
    if (absent != NULL)
        bound = (double)NAN;
    hs_summary_add(s, name, "s", bound, absent);
    add_share(s, share_name, value == 0 && bound == 0 ? 1 : bound / value,
              absent != NULL ? absent : "the figure it bounds is 0");
}

static void add_bounds(struct hs_summary *s, const struct hs_report *r)
{
    const struct hs_bounds *b = r->bounds;
    const struct hs_stats *stats = &r->stats;
    const char *absent = no_bound(r, BOUND_ANY);
    const double work = absent == NULL ? b->makespan_work_s : (double)NAN;
    const double longest = absent == NULL ? b->makespan_longest_s : (double)NAN;
    hs_summary_add(s, "makespan_bound_work", "s", work, absent);
    hs_summary_add(s, "makespan_bound_longest", "s", longest, absent);
    add_bound(s, "makespan_bound", "makespan_bound_share", makespan(stats), fmax(work, longest),
              absent);
    hs_summary_add(s, "mean_isolated", "s",
                   hs_exact_double(stats->work_us, (hs_u128)stats->done * HS_US_PER_S),
                   "no job was completed");
    add_bound(s, "mean_jct_bound", "mean_jct_bound_share", stats->figure[HS_M_JCT][HS_F_MEAN],
              b->mean_jct_s, no_bound(r, BOUND_MEAN));
    add_bound(s, "mean_wait_bound", "mean_wait_bound_share", stats->figure[HS_M_WAIT][HS_F_MEAN],
              bounds_mean_wait_s(b, stats->work_us), no_bound(r, BOUND_WAIT));
}

/* Adds the metrics of src/MODEL.md in a fixed order; those that do not apply have a reason. */
static void fill_metrics(struct hs_summary *s, const struct hs_report *r)
{
    const struct hs_stats *stats = &r->stats;
    const hs_u128 *sum = r->timeline.sum, span = (hs_u128)r->span_us;
    s->count = 0;
    add_count(s, "n_jobs", stats->submitted);
    add_count(s, "n_done", stats->done);
    add_count(s, "n_failed", stats->failed);
    add_count(s, "n_rejected", stats->rejected);
    add_count(s, "n_unfinished", stats->unfinished);
    add_count(s, "n_counted", stats->counted);
    hs_summary_add(s, "makespan", "s", makespan(stats), "no job ended");
    add_measure(s, stats, HS_M_WAIT);
    add_measure(s, stats, HS_M_JCT);
    add_measure(s, stats, HS_M_SLOWDOWN);
    add_measure(s, stats, HS_M_BOUNDED);
    add_share(s, "fairness_jain", stats->jain, "fewer than two users completed jobs that use GPUs");
    add_cluster(s, r);
    add_costs(s, r);
    /* Little's law without limits: over a whole run the integral of the number of jobs in the
     * system equals the sum of their times in it. */
    hs_u128 waiting = sum[HS_CH_PENDING] + sum[HS_CH_SUSPENDED];
    hs_u128 in_system = waiting + sum[HS_CH_RUNNING], summed = r->stats.in_system_us;
    double gap = hs_exact_signed((hs_i128)(in_system - summed), HS_US_PER_S);
    hs_summary_add(s, "mean_running", "jobs", hs_exact_double(sum[HS_CH_RUNNING], span), no_span);
    hs_summary_add(s, "mean_queue_length", "jobs", hs_exact_double(waiting, span), no_span);
    hs_summary_add(s, "mean_in_system", "jobs", hs_exact_double(in_system, span), no_span);
    hs_summary_add(s, "little_gap", "job s", gap, NULL);
    add_bounds(s, r);
    s->before_classes = s->count;
    add_measure(s, stats, HS_M_RUN_SLOWDOWN);
    add_share(s, "colocated_share", hs_exact_double(stats->colocated_us, stats->run_us),
              "no job ran for any time");
    add_count(s, "retries", stats->retries);
    hs_summary_add(s, "mean_queueing_delay", "s", stats->mean_queueing_delay, no_job);
    s->before_job_classes = s->count;
    add_measure(s, stats, HS_M_PROGRESS);
    add_count(s, "switches", stats->switches);
    add_count(s, "trials_kept", stats->policy_counter[HS_POLICY_COUNTER_TRIAL_KEPT]);
    add_count(s, "trials_undone", stats->policy_counter[HS_POLICY_COUNTER_TRIAL_UNDONE]);
    hs_summary_add(s, "host_mib_seconds", "MiB s", hs_exact_double(stats->host_mib_us, HS_US_PER_S),
                   NULL);
    add_gpu_seconds(s, "wait_constraint_gpu_seconds", sum[HS_CH_WAIT_CONSTRAINT], HS_US_PER_S);
    add_share(s, "gpu_allocated_share", share(r, HS_CH_GPUS_ALLOCATED, FULL_MILLI, span), no_span);
    add_count(s, "profiled", stats->policy_counter[HS_POLICY_COUNTER_PROFILED]);
    add_count(s, "ended_in_profile", stats->policy_counter[HS_POLICY_COUNTER_PROFILE_ENDED]);
    add_gpu_seconds(s, "profile_gpu_seconds",
                    stats->policy_counter[HS_POLICY_COUNTER_PROFILE_GPU_US], HS_US_PER_S);
    s->overhead_share = hs_exact_double(stats->overhead_milli_us, stats->run_milli_us);
    hs_timeline_draw(&r->timeline, r->options.cluster->gpu_count, s->sparkline);
}

/* ---- opening and closing ---- */

enum hs_status hs_report_open(struct hs_report **report, const struct hs_report_options *options,
                              struct hs_diag *diag)
{
    struct hs_report *r = hs_alloc_zeroed(1, sizeof *r);
    enum hs_status status = HS_OK;
    r->options = *options;
    r->diag = diag;
    hs_stats_open(&r->stats, options->dir != NULL ? options->dir->beside.tmp : NULL,
                  options->warmup_us, options->cooldown_us, diag);
    r->timeline.width_us = HS_TIMELINE_WIDTH_US;
    r->timeline.marked = HS_CH_GPUS_HELD + 1;
    r->bounds = hs_alloc_zeroed(1, sizeof *r->bounds);
    bounds_open(r->bounds, options->cluster, options->speed);
    r->extras = hs_extras_open(&r->options, &r->stats, &r->extras_observer);
    r->outages = hs_outages_open(&r->options, &r->outages_observer);
    for (uint32_t i = 0; i < HS_ROW_FILES && options->dir != NULL && status == HS_OK; i++) {
        const struct hs_row_format *format = hs_row_formats[i];
        if ((options->outputs & format->output) == 0)
            continue;
        struct hs_row_file *file = hs_alloc_zeroed(1, format->state_size);
        r->open[r->open_count++] = file;
        *file = (struct hs_row_file){.format = format, .observer = format->observer, .report = r};
        file->observer.ctx = file;
        if (format->open != NULL)
            format->open(file);
        const char *more = format->output == HS_OUT_JOBS ? hs_extras_columns(options) : "";
        status = hs_open_listed(&file->csv, options->dir, format->name,
                                HS_TEXT("%s%s", format->header, more), diag);
    }
    r->observer = (struct hs_observer){.ctx = r,
                                       .on_submit = on_submit,
                                       .on_finish = on_finish,
                                       .on_reject = on_reject,
                                       .on_instant = on_instant,
                                       .is_counts_only = true};
    *report = status == HS_OK ? r : NULL;
    if (status != HS_OK)
        hs_report_close(r);
    return status;
}

const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index)
{
    /* the figures come last: series.csv reads the timeline before it advances */
    if (report->extras != NULL && index-- == 0)
        return &report->extras_observer;
    if (report->outages != NULL && index-- == 0)
        return &report->outages_observer;
    if (index < report->open_count)
        return &report->open[index]->observer;
    return index == report->open_count ? &report->observer : NULL;
}

void hs_report_fork(struct hs_report *r, const struct hs_report_options *policy)
{
    r->options.semantics = policy->semantics;
    r->options.is_preemptive |= policy->is_preemptive;
    r->options.is_sharing |= policy->is_sharing;
    r->options.is_resizing |= policy->is_resizing;
    r->options.is_allotting |= policy->is_allotting;
}

enum hs_status hs_report_finish(struct hs_report *r, int64_t end_us, struct hs_summary *summary,
                                struct hs_diag *diag)
{
    const int64_t first_us = r->stats.first_submit_us;
    r->span_us = first_us >= 0 && end_us > first_us ? end_us - first_us : 0;
    *summary = (struct hs_summary){0};
    enum hs_status status = HS_OK; /* the first failure */
    for (uint32_t i = 0; i < r->open_count; i++) {
        struct hs_row_file *file = r->open[i];
        if (file->format->finish != NULL && status == HS_OK)
            status = file->format->finish(file, end_us);
        enum hs_status closed =
            hs_close_listed(&file->csv, file->format->name, &r->files[r->file_count++], diag);
        status = status == HS_OK ? closed : status;
    }
    HS_TRY(status);
    if (r->stats.deadlines != NULL && r->options.dir != NULL)
        HS_TRY(hs_deadlines_write(r->stats.deadlines, r->options.dir, &r->files[r->file_count++],
                                  diag));
    if (r->outages != NULL && r->options.dir != NULL)
        HS_TRY(hs_outages_write(r->outages, r->options.dir, &r->files[r->file_count++], diag));
    hs_timeline_advance(&r->timeline, end_us);
    bounds_finish(r->bounds);
    HS_TRY(hs_stats_finish(&r->stats, summary));
    fill_metrics(summary, r);
    HS_TRY(hs_extras_fill(r->extras, summary, r->span_us));
    hs_outages_fill(r->outages, summary, r->timeline.sum[HS_CH_GPUS_OUT], r->span_us);
    return hs_deadlines_fill(&r->stats, summary);
}

const struct hs_output_file *hs_report_files(const struct hs_report *report, uint32_t *count)
{
    *count = report->file_count;
    return report->files;
}

void hs_report_close(struct hs_report *r)
{
    if (r == NULL)
        return;
    /* still open after a failed run, which was reported; the directory is discarded */
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    for (uint32_t i = 0; i < r->open_count; i++) {
        enum hs_status known = hs_csvw_close(&r->open[i]->csv, &quiet);
        (void)known;
        if (r->open[i]->format->free != NULL)
            r->open[i]->format->free(r->open[i]);
        hs_free(r->open[i]);
    }
    hs_extras_close(r->extras);
    hs_outages_close(r->outages);
    hs_stats_close(&r->stats);
    bounds_close(r->bounds);
    hs_free(r->bounds);
    hs_free(r);
}
