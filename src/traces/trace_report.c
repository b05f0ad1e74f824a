/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info`: describes a trace in one pass over its jobs in order; with --compare also the
 * distances between two traces. Memory of the first: names of VCs and users, two histograms per
 * class of GPU counts. The second reads both traces and keeps sorted numbers (duration, again in
 * its bucket of GPUs, gap, GPUs: 32 bytes per job, up to twice that while they grow): distances are
 * exact, over every value.
 *
 * `horus trace validate`: one pass over the rows in file order, despite faults. Messages of readers
 * and parsers are caught, the first of each kind kept, and listed at the end, with the load that
 * the trace offers a cluster and the jobs that can never fit it. Memory: the times of the sort
 * window, the job ids, the names of GPU types and VCs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/heap.h"
#include "base/intern.h"
#include "base/sample.h"
#include "data/names.h"
#include "data/json.h"
#include "traces/format.h"

#define US_PER_S UINT64_C(1000000)

/* Numbers as text, valid until the end of the block; "-" if den is 0. */
#define RATIO(num, den, decimals) ((den) > 0 ? HS_RATIO(num, den, decimals) : "-")
/* Seconds, rounded to milliseconds below 1,000 s and to seconds otherwise. */
#define ROUNDED_SECONDS(us) HS_RATIO(us, US_PER_S, (us) < 1000 * US_PER_S ? 3 : 0)

/* Prints input, format, and rows dropped by each rule: the head of all reports. */
static void say_intake(struct hs_output *out, const char *path, const char *format,
                       const struct hs_trace_counts *counts)
{
    hs_say(out, "trace        %s (%s)\n", path, format);
    hs_say(out, "rows         %" PRIu64 "\n", counts->rows);
    hs_say(out, "jobs         %" PRIu64 "\n", counts->accepted);
    if (counts->bad > 0)
        hs_say(out, "bad rows     %" PRIu64 "\n", counts->bad);
    for (int i = 0; i < HS_DROP_COUNT; i++)
        if (counts->drops[i] > 0)
            hs_say(out, "dropped      %" PRIu64 " %s\n", counts->drops[i], hs_drop_texts[i]);
    if (counts->rounded > 0)
        hs_say(out, "rounded up   %" PRIu64 " GPU demands (" HS_ROUNDED_TEXT ")\n",
               counts->rounded);
}

static void put_intake(struct hs_jsonw *w, const char *path, const char *format,
                       const struct hs_trace_counts *counts)
{
    hs_jsonw_put(w, "={ trace=%s format=%s rows=%" PRIu64 " jobs=%" PRIu64 " bad_rows=%" PRIu64,
                 path, format, counts->rows, counts->accepted, counts->bad);
    hs_jsonw_put(w, "dropped=[");
    for (int i = 0; i < HS_DROP_COUNT; i++)
        if (counts->drops[i] > 0)
            hs_jsonw_put(w, "=!{ reason=%s rows=%" PRIu64 " }", hs_drop_texts[i], counts->drops[i]);
    hs_jsonw_put(w, "] rounded_up=%" PRIu64 " reordered=%" PRIu64, counts->rounded,
                 counts->reordered);
}

/* Passes each job of a trace to `add`, and prints what was read, as JSON if w is not NULL; letter:
 * of one of two traces, or NULL. */
static enum hs_status gather(const struct hs_trace_options *options, const char *letter,
                             struct hs_jsonw *w,
                             void (*add)(void *sums, const struct hs_trace_job *job), void *sums,
                             struct hs_output *out, struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_trace_counts counts;
    struct hs_trace_job *job;
    enum hs_status status;
    HS_TRY(hs_trace_open(&trace, options, diag));
    while ((status = hs_trace_next(trace, &job)) == HS_OK)
        add(sums, job);
    if (status == HS_END) {
        hs_trace_get_counts(trace, &counts);
        if (letter != NULL)
            hs_say(out, "%s:\n", letter);
        if (w != NULL)
            put_intake(w, hs_trace_path(trace), hs_trace_format_name(trace), &counts);
        else
            say_intake(out, hs_trace_path(trace), hs_trace_format_name(trace), &counts);
        if (letter != NULL)
            hs_say(out, "\n");
        else if (counts.reordered > 0 && w == NULL)
            hs_say(out, "sorted       %" PRIu64 "\n", counts.reordered);
    }
    hs_trace_close(trace);
    return status == HS_END ? HS_OK : status;
}

/* Returns the index of the first limit (ascending) that is at least value. */
static unsigned class_of(const uint64_t *limits, uint64_t value)
{
    unsigned i = 0;
    while (value > limits[i])
        i++;
    return i;
}

struct load_sum {
    hs_u128 gpu_us;
    uint64_t jobs;
    uint32_t largest; /* GPUs of a job */
};

static void load_sum_add(struct load_sum *sum, const struct hs_trace_job *job)
{
    /* requested: a share counts as a fraction of a GPU */
    sum->gpu_us += (hs_u128)(uint64_t)job->duration_us * job->gpus * job->gpu_milli / 1000;
    sum->jobs++;
    sum->largest = job->gpus > sum->largest ? job->gpus : sum->largest;
}

/* ---- horus trace info ---- */

#define CLASSES 8 /* the last one contains all jobs */
#define ALL     (CLASSES - 1)

static const char *const class_names[CLASSES] = {"0",   "1",    "2",    "3-4",
                                                 "5-8", "9-16", "> 16", "all"};

struct class
{
    struct hs_loghist durations, gaps; /* microseconds */
    struct load_sum sum;
    int64_t last_us; /* submission of the last job */
};

struct info {
    struct class classes[CLASSES];
    struct hs_intern users, vcs;
    struct load_sum outcomes[HS_OUTCOME_COUNT], job_classes[HS_JOB_CLASS_COUNT];
    uint64_t with_step, elastic; /* jobs */
    int64_t first_us;
    uint32_t gpus_max;
    struct hs_fractions utils;
};

static void info_add(void *sums, const struct hs_trace_job *job)
{
    static const uint64_t limits[ALL] = {0, 1, 2, 4, 8, 16, UINT32_MAX};
    struct info *info = sums;
    if (info->classes[ALL].sum.jobs == 0)
        info->first_us = job->submit_us;
    if (job->gpus > 0)
        hs_fractions_count(&info->utils, job->gpu_util_pm);
    if (job->gpus > info->gpus_max)
        info->gpus_max = job->gpus;
    load_sum_add(&info->outcomes[job->outcome], job);
    load_sum_add(&info->job_classes[job->job_class], job);
    info->with_step += job->step_us > 0;
    info->elastic += job->gpus_min < job->gpus || job->gpus_max > job->gpus;
    (void)hs_intern_get(&info->users, job->user);
    (void)hs_intern_get(&info->vcs, job->vc);
    const unsigned classes[] = {class_of(limits, job->gpus), ALL};
    for (int i = 0; i < 2; i++) {
        struct class *c = &info->classes[classes[i]];
        hs_loghist_add(&c->durations, (uint64_t)job->duration_us);
        if (c->sum.jobs > 0)
            hs_loghist_add(&c->gaps, (uint64_t)(job->submit_us - c->last_us));
        c->last_us = job->submit_us;
        load_sum_add(&c->sum, job);
    }
}

/* Shifts both sums below 2^64: shares are printed to a tenth of a percent. */
static const char *percent(char text[HS_FMT_MAX + 1], hs_u128 part, hs_u128 whole)
{
    while (whole >> 56 != 0) {
        part >>= 1;
        whole >>= 1;
    }
    return whole > 0 ? hs_ratio_text(text, (uint64_t)part * 100, (uint64_t)whole, 1) : "-";
}

#define PERCENT(part, whole) percent((char[HS_FMT_MAX + 1]){0}, part, whole)

static void say_span(const struct info *info, struct hs_output *out)
{
    char clock[HS_CLOCK_TEXT];
    const struct class *all = &info->classes[ALL];
    uint64_t span_us = (uint64_t)(all->last_us - info->first_us);
    uint64_t gpu_s = (uint64_t)(all->sum.gpu_us / US_PER_S);
    hs_say(out, "first        %s\n", hs_trace_clock_text(clock, info->first_us));
    hs_say(out, "last         %s\n", hs_trace_clock_text(clock, all->last_us));
    hs_say(out, "span         %s days\n", RATIO(span_us, 86400 * US_PER_S, 2));
    hs_say(out, "GPU hours    %s\n", RATIO(gpu_s, 3600, 1));
    hs_say(out, "mean demand  %s GPUs over the span\n", RATIO(gpu_s, span_us / US_PER_S, 1));
    hs_say(out, "largest job  %u GPUs\n", info->gpus_max);
    /* id 0 is "no name" */
    hs_say(out, "VCs          %u\n", info->vcs.count - 1);
    hs_say(out, "users        %u\n", info->users.count - 1);
    if (info->with_step > 0)
        hs_say(out, "mini-batch   known of %" PRIu64 " jobs\n", info->with_step);
    if (info->elastic > 0)
        hs_say(out, "elastic      %" PRIu64 " jobs\n", info->elastic);
}

/* Prints a row of jobs by outcome, class or GPUs; nothing if no job has it. */
static void say_part(const struct load_sum *all, const char *name, const struct load_sum *part,
                     struct hs_output *out)
{
    if (part->jobs > 0)
        hs_say(out, "%-13s %11" PRIu64 " %10s %10s\n", name, part->jobs,
               PERCENT(part->jobs, all->jobs), PERCENT(part->gpu_us, all->gpu_us));
}

static void say_parts(const struct info *info, struct hs_output *out)
{
    static const char head[] = "\n%-13s %11s %10s %10s\n";
    const struct load_sum *all = &info->classes[ALL].sum;
    hs_say(out, head, "outcome", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        say_part(all, hs_outcome_text((enum hs_outcome)i), &info->outcomes[i], out);
    /* Most traces have no classes. */
    if (info->job_classes[HS_JOB_CLASS_AUTO].jobs < all->jobs) {
        hs_say(out, head, "class", "jobs", "jobs %", "GPU time %");
        for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
            say_part(all, hs_job_class_text((enum hs_job_class)i), &info->job_classes[i], out);
    }
    hs_say(out, head, "GPUs", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < ALL; i++)
        say_part(all, class_names[i], &info->classes[i].sum, out);
}

static const uint32_t permilles[] = {50, 250, 500, 750, 900, 950, 990};

static void say_quantiles(const struct info *info, const char *title, bool is_gap,
                          struct hs_output *out)
{
    hs_say(out, "\n%s, seconds\n%-6s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", title, "GPUs", "mean",
           "p5", "p25", "p50", "p75", "p90", "p95", "p99", "max");
    for (int i = 0; i < CLASSES; i++) {
        const struct class *c = &info->classes[i];
        const struct hs_loghist *h = is_gap ? &c->gaps : &c->durations;
        if (h->count == 0)
            continue;
        hs_say(out, "%-6s %9s", class_names[i], ROUNDED_SECONDS((uint64_t)(h->sum / h->count)));
        for (size_t q = 0; q < HS_COUNT_OF(permilles); q++)
            hs_say(out, " %9s", ROUNDED_SECONDS(hs_loghist_quantile(h, permilles[q])));
        hs_say(out, " %9s\n", ROUNDED_SECONDS(h->max));
    }
}

/* A list of the parts that some job is in. */
static void put_parts(struct hs_jsonw *w, const char *name, const struct load_sum *parts, int count,
                      const char *(*text)(int index))
{
    hs_jsonw_put(w, "%s=[", name);
    for (int i = 0; i < count; i++)
        if (parts[i].jobs > 0)
            hs_jsonw_put(w, "=!{ name=%s jobs=%" PRIu64 " gpu_seconds=%g }", text(i), parts[i].jobs,
                         (double)parts[i].gpu_us / (double)US_PER_S);
    hs_jsonw_put(w, "]");
}

static const char *outcome_text(int index)
{
    return hs_outcome_text((enum hs_outcome)index);
}

static const char *job_class_text(int index)
{
    return hs_job_class_text((enum hs_job_class)index);
}

/* Quantiles in seconds; null without values. */
static void put_quantiles(struct hs_jsonw *w, const char *name, const struct hs_loghist *h)
{
    hs_jsonw_put(w, "%s=!{ mean=%g", name,
                 h->count > 0 ? (double)h->sum / (double)h->count / (double)US_PER_S : NAN);
    for (size_t q = 0; q < HS_COUNT_OF(permilles); q++) {
        char key[16];
        (void)snprintf(key, sizeof key, "p%u", permilles[q] / 10);
        hs_jsonw_put(w, "%s=%g", key,
                     h->count > 0 ? (double)hs_loghist_quantile(h, permilles[q]) / (double)US_PER_S
                                  : NAN);
    }
    hs_jsonw_put(w, "max=%g }", h->count > 0 ? (double)h->max / (double)US_PER_S : NAN);
}

static void put_info(struct hs_jsonw *w, const struct info *info)
{
    const struct class *all = &info->classes[ALL];
    const double gpu_s = (double)all->sum.gpu_us / (double)US_PER_S;
    hs_jsonw_key(w, "first");
    hs_jsonw_seconds(w, info->first_us);
    hs_jsonw_key(w, "last");
    hs_jsonw_seconds(w, all->last_us);
    hs_jsonw_put(w, "gpu_seconds=%g mean_gpus=%g largest_job=%u vcs=%u users=%u", gpu_s,
                 gpu_s * (double)US_PER_S / (double)(all->last_us - info->first_us), info->gpus_max,
                 info->vcs.count - 1, info->users.count - 1);
    hs_jsonw_put(w, "with_step=%" PRIu64 " elastic=%" PRIu64, info->with_step, info->elastic);
    put_parts(w, "outcomes", info->outcomes, HS_OUTCOME_COUNT, outcome_text);
    put_parts(w, "classes", info->job_classes, HS_JOB_CLASS_COUNT, job_class_text);
    hs_jsonw_put(w, "gpus=[");
    for (int i = 0; i < CLASSES; i++) {
        const struct class *c = &info->classes[i];
        if (c->sum.jobs == 0)
            continue;
        hs_jsonw_put(w, "={ name=%s jobs=%" PRIu64 " gpu_seconds=%g", class_names[i], c->sum.jobs,
                     (double)c->sum.gpu_us / (double)US_PER_S);
        put_quantiles(w, "duration", &c->durations);
        put_quantiles(w, "gap", &c->gaps);
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "]");
}

enum hs_status hs_trace_info(const struct hs_trace_options *options, bool as_json,
                             struct hs_output *out, struct hs_diag *diag)
{
    struct info info = {0};
    struct hs_jsonw w;
    hs_intern_init(&info.users);
    hs_intern_init(&info.vcs);
    hs_jsonw_begin(&w, out);
    enum hs_status status = gather(options, NULL, as_json ? &w : NULL, info_add, &info, out, diag);
    if (status == HS_OK && as_json) {
        put_info(&w, &info);
        hs_jsonw_put(&w, "}");
        hs_jsonw_finish(&w);
    } else if (status == HS_OK) {
        say_span(&info, out);
        say_parts(&info, out);
        say_quantiles(&info, "duration", false, out);
        say_quantiles(&info, "time between submissions (within the class)", true, out);
        hs_say(out, "\nQuantiles are observed values, at most 0.1 %% above the exact ones "
                    "(logarithmic histogram).\n");
    }
    if (status == HS_OK)
        hs_fractions_warn(&info.utils, NULL, "gpu_util", "jobs", diag);
    for (int i = 0; i < CLASSES; i++) {
        hs_loghist_free(&info.classes[i].durations);
        hs_loghist_free(&info.classes[i].gaps);
    }
    hs_intern_free(&info.users);
    hs_intern_free(&info.vcs);
    return status;
}

/* ---- horus trace info --compare ---- */

#define BUCKETS 8

static const char *const bucket_names[BUCKETS] = {"0",   "< 1",  "1",     "2-4",
                                                  "5-8", "9-16", "17-32", "> 32"};

/* Durations, of all jobs and per bucket, and gaps in microseconds; GPUs in thousandths. */
enum { DURATIONS, OF_BUCKET, GPUS = OF_BUCKET + BUCKETS, GAPS, SAMPLES };

struct trace_sums {
    struct hs_sample of[SAMPLES];
    uint64_t outcomes[HS_OUTCOME_COUNT];
    uint64_t jobs;
    int64_t last_us;
};

static void sums_add(void *to, const struct hs_trace_job *job)
{
    static const uint64_t limits[BUCKETS] = {0, 999, 1000, 4000, 8000, 16000, 32000, UINT64_MAX};
    struct trace_sums *sums = to;
    uint64_t gpus_milli = (uint64_t)job->gpus * job->gpu_milli, us = (uint64_t)job->duration_us;
    if (sums->jobs++ > 0)
        hs_sample_add(&sums->of[GAPS], (uint64_t)(job->submit_us - sums->last_us));
    sums->last_us = job->submit_us;
    sums->outcomes[job->outcome]++;
    hs_sample_add(&sums->of[GPUS], gpus_milli);
    hs_sample_add(&sums->of[DURATIONS], us);
    hs_sample_add(&sums->of[OF_BUCKET + class_of(limits, gpus_milli)], us);
}

/* Distances and ratios to four decimals; "-" for NaN. */
static const char *figure(char text[HS_FMT_MAX + 1], double value)
{
    if (isnan(value))
        return "-";
    return value < 1e9 ? hs_ratio_text(text, (uint64_t)(value * 1e6 + 0.5), 1000000, 4)
                       : hs_double_text(text, value);
}
#define FIGURE(value) figure((char[HS_FMT_MAX + 1]){0}, value)
#define OVER(a, b)    FIGURE((a) > 0 ? (b) / (a) : (double)NAN)

static void say_distances(const struct trace_sums *x, const struct trace_sums *y,
                          struct hs_output *out)
{
    hs_say(out, "%-9s %-7s %10s %10s %8s %8s %9s %9s\n", "", "GPUs", "values A", "values B", "KS",
           "noise", "mean", "median");
    for (int i = 0; i < SAMPLES; i++) {
        const struct hs_sample *a = &x->of[i], *b = &y->of[i];
        const char *what = i == DURATIONS ? "duration" : i == GPUS ? "GPUs" : "gap";
        const char *bucket = i == DURATIONS ? "all" : i < GPUS ? bucket_names[i - OF_BUCKET] : "";
        bool both = a->count > 0 && b->count > 0;
        if (a->count == 0 && b->count == 0)
            continue;
        hs_say(out, "%-9s %-7s %10u %10u %8s %8s", i > DURATIONS && i < GPUS ? "" : what, bucket,
               a->count, b->count, both ? FIGURE(hs_ks(a, b)) : "-",
               both ? FIGURE(hs_ks_noise(a->count, b->count)) : "-");
        hs_say(out, " %9s %9s\n", both ? OVER(hs_sample_mean(a), hs_sample_mean(b)) : "-",
               both ? OVER(hs_sample_median(a), hs_sample_median(b)) : "-");
    }
}

static void sums_say_outcomes(const struct trace_sums *a, const struct trace_sums *b,
                              struct hs_output *out)
{
    double largest = 0;
    hs_say(out, "\n%-12s %10s %10s %10s\n", "outcome", "share A", "share B", "difference");
    for (int i = 0; i < HS_OUTCOME_COUNT; i++) {
        double of_a = (double)a->outcomes[i] / (double)a->jobs;
        double of_b = (double)b->outcomes[i] / (double)b->jobs;
        double difference = of_a > of_b ? of_a - of_b : of_b - of_a;
        largest = difference > largest ? difference : largest;
        if (a->outcomes[i] > 0 || b->outcomes[i] > 0)
            hs_say(out, "%-12s %10s %10s %10s\n", hs_outcome_text((enum hs_outcome)i),
                   RATIO(a->outcomes[i], a->jobs, 4), RATIO(b->outcomes[i], b->jobs, 4),
                   FIGURE(difference));
    }
    hs_say(out, "%-12s %10s %10s %10s\n", "largest", "", "", FIGURE(largest));
}

enum hs_status hs_trace_compare(const struct hs_trace_options *reference,
                                const struct hs_trace_options *options, struct hs_output *out,
                                struct hs_diag *diag)
{
    struct trace_sums a = {0}, b = {0};
    enum hs_status status = gather(reference, "A", NULL, sums_add, &a, out, diag);
    if (status == HS_OK)
        status = gather(options, "B", NULL, sums_add, &b, out, diag);
    for (int i = 0; i < SAMPLES; i++) {
        hs_sample_sort(&a.of[i]);
        hs_sample_sort(&b.of[i]);
    }
    if (status == HS_OK) {
        say_distances(&a, &b, out);
        sums_say_outcomes(&a, &b, out);
        hs_say(out, "\nKS: largest difference of the two cumulative distributions, over all "
                    "values. noise: 95 %% quantile of\nKS for two samples of these sizes from one "
                    "distribution. mean, median: B divided by A.\n");
    }
    for (int i = 0; i < SAMPLES; i++) {
        hs_sample_free(&a.of[i]);
        hs_sample_free(&b.of[i]);
    }
    return status;
}

/* ---- offered load ---- */

#define UNFIT_SHOWN 3

static const char *const pool_kinds[HS_POOL_KINDS] = {"GPU type", "VC"};

struct offered_load {
    const struct hs_trace_capacity *cluster; /* NULL: only the demand */
    struct named_loads {
        struct hs_intern names; /* id 0: no name */
        struct load_sum *sums;
        uint32_t cap;
    } by[HS_POOL_KINDS];
    struct load_sum all;
    int64_t first_us, last_us;
    uint64_t unfit;
    char unfit_texts[UNFIT_SHOWN][512];
};

/* Whether the pool is named by `names`, one name or several joined by '|'. */
static bool is_named(const char *pool, int kind, const char *names)
{
    bool is_it = false;
    while (!is_it && *names != '\0') {
        const size_t len = strcspn(names, "|");
        is_it = kind == HS_POOL_GPU_TYPE ? hs_gpu_type_is(pool, names, len)
                                         : strlen(pool) == len && memcmp(pool, names, len) == 0;
        names += len + (names[len] == '|');
    }
    return is_it;
}

/* Sums the GPUs of the pools with these names; false if there is none. */
static bool find_pools(const struct hs_trace_capacity *c, int kind, const char *names,
                       uint64_t *gpus)
{
    bool is_known = false;
    *gpus = 0;
    for (uint32_t i = 0; c != NULL && i < c->counts[kind]; i++) {
        const struct hs_trace_pool *pool = &c->pools[kind][i];
        if (!is_named(pool->name, kind, names))
            continue;
        *gpus += pool->gpus;
        is_known = true;
    }
    return is_known;
}

/* Notes a job that its smallest pool can never hold, or that names an unknown pool. */
static void note_unfit(struct offered_load *load, const struct hs_trace_job *job)
{
    const struct hs_trace_capacity *c = load->cluster;
    const char *vc = job->vc ? job->vc : ""; /* not a name of a VC */
    const char *names[HS_POOL_KINDS] = {job->gpu_type, c->counts[HS_POOL_VC] > 0 ? vc : NULL};
    const char *kind = "the cluster", *name = "";
    uint64_t gpus = c->gpus, bound;
    bool is_known = true;
    for (int i = 0; i < HS_POOL_KINDS && is_known; i++) {
        if (!names[i])
            continue;
        is_known = find_pools(c, i, names[i], &bound);
        if (is_known && bound >= gpus)
            continue;
        gpus = bound;
        kind = pool_kinds[i];
        name = names[i];
    }
    if ((is_known && job->gpus_min <= gpus) || load->unfit++ >= UNFIT_SHOWN)
        return;
    char *text = load->unfit_texts[load->unfit - 1];
    size_t size = sizeof load->unfit_texts[0];
    if (is_known)
        snprintf(text, size, "line %lld: job '%s' requests %u GPUs, %s%s%s has %" PRIu64,
                 (long long)job->line, job->id, job->gpus_min, kind, name[0] ? " " : "", name,
                 gpus);
    else if (name[0] == '\0')
        snprintf(text, size, "line %lld: job '%s' names no %s", (long long)job->line, job->id,
                 kind);
    else
        snprintf(text, size, "line %lld: job '%s' requests %s '%.100s', which the cluster lacks",
                 (long long)job->line, job->id, kind, name);
}

static void load_add(struct offered_load *load, const struct hs_trace_job *job)
{
    const char *names[HS_POOL_KINDS] = {job->gpu_type, job->vc};
    if (job->submit_us < load->first_us)
        load->first_us = job->submit_us;
    if (job->submit_us > load->last_us)
        load->last_us = job->submit_us;
    load_sum_add(&load->all, job);
    if (load->cluster)
        note_unfit(load, job);
    for (int i = 0; i < HS_POOL_KINDS; i++) {
        struct named_loads *by = &load->by[i];
        uint32_t id = hs_intern_get(&by->names, names[i]);
        hs_grow(by->sums, by->cap, (uint64_t)id + 1, HS_INTERN_MAX);
        load_sum_add(&by->sums[id], job);
    }
}

/* gpus 0: unknown, only the demand is printed. */
static void say_load(const struct offered_load *load, const char *kind, const char *name,
                     const struct load_sum *sum, uint64_t gpus, struct hs_output *out)
{
    uint64_t span_s = (uint64_t)(load->last_us - load->first_us) / US_PER_S;
    uint64_t gpu_s = (uint64_t)(sum->gpu_us / US_PER_S);
    char have[24] = "-";
    if (gpus > 0)
        snprintf(have, sizeof have, "%" PRIu64, gpus);
    /* 100 gpu_s fits as long as a trace requests less than 5e9 GPU-years. */
    hs_say(out, "%-9s %-16s %9s %12" PRIu64 " %16s %8s\n", kind, name, have, sum->jobs,
           RATIO(gpu_s, span_s, 1), gpus > 0 ? RATIO(gpu_s * 100, span_s * gpus, 1) : "-");
}

static void say_loads(const struct offered_load *load, struct hs_output *out)
{
    const struct hs_trace_capacity *c = load->cluster;
    if (load->all.jobs == 0 || load->last_us <= load->first_us)
        return;
    hs_say(out, "\noffered load over the span of the submissions\n");
    hs_say(out, "%-9s %-16s %9s %12s %16s %8s\n", "", "", "GPUs", "jobs", "mean GPU demand",
           "load %");
    say_load(load, "all", "", &load->all, c ? c->gpus : 0, out);
    for (int i = 0; i < HS_POOL_KINDS; i++) {
        const struct named_loads *by = &load->by[i];
        for (uint32_t id = 1; id < by->names.count; id++) {
            uint64_t gpus;
            (void)find_pools(c, i, hs_intern_text(&by->names, id), &gpus);
            say_load(load, pool_kinds[i], hs_intern_text(&by->names, id), &by->sums[id], gpus, out);
        }
        if (by->names.count > 1 && by->sums[0].jobs > 0)
            say_load(load, pool_kinds[i], "(none)", &by->sums[0], 0, out);
    }
    if (!c)
        return;
    hs_say(out, "\n%" PRIu64 " jobs can never fit the cluster%s\n", load->unfit,
           load->unfit > 0 ? ": a run rejects them" : "");
    for (uint64_t i = 0; i < load->unfit && i < UNFIT_SHOWN; i++)
        hs_say(out, "    %s\n", load->unfit_texts[i]);
}

/* ---- the pass over the rows ---- */

struct trace_validation {
    const struct hs_trace_options *options;
    struct hs_diag *diag;   /* the caller's */
    struct hs_diag catcher; /* installed in the reader */
    struct hs_reader reader;
    struct hs_heap held; /* submissions of the rows that a run would buffer */
    uint32_t spare;      /* next id for `held` */
    struct offered_load load;
    struct hs_fractions utils;
    struct hs_intern states; /* words that are no outcomes; id 0: none */
    struct hs_arena texts;
    const char *shown[HS_FAULT_COUNT][HS_FAULTS_SHOWN]; /* first line of each message */
    const char *hints[HS_FAULT_COUNT];                  /* of the first of them, if it has one */
    uint64_t jobs, late;
    int64_t newest_us;     /* latest submission so far */
    int64_t handed_out_us; /* submission that a run would have returned last */
    int64_t latest_us;     /* largest delay of a row */
    uint64_t bad_permille; /* most that a run meets while reading */
    bool is_open;          /* the header was parsed: faults concern rows */
    bool is_cut_short;     /* the file could not be read to the end */
};

/* Warnings, notes and messages that do not concern a row are passed to the caller. */
static void catch_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct trace_validation *d = ctx;
    const struct hs_faults *faults = &d->reader.faults;
    if (severity != HS_ERROR || !faults->is_row_bad || !d->is_open) {
        *(severity == HS_ERROR ? &d->diag->errors : &d->diag->warnings) += severity != HS_NOTE;
        if (severity >= d->diag->least)
            d->diag->emit(d->diag->ctx, severity, text, len);
        return;
    }
    const char *end = memchr(text, '\n', len);
    uint64_t nth = faults->counts[faults->kind] - 1;
    if (nth < HS_FAULTS_SHOWN)
        d->shown[faults->kind][nth] =
            hs_arena_text(&d->texts, text, end ? (size_t)(end - text) : len);
    const char *hint = nth == 0 ? strstr(hs_arena_text(&d->texts, text, len), "= hint: ") : NULL;
    if (hint != NULL)
        d->hints[faults->kind] = hs_arena_text(&d->texts, hint + 2, strcspn(hint, "\n") - 2);
}

/* Pushes the job's time through the window of a run. */
static void check_order(struct trace_validation *d, const struct hs_trace_job *job)
{
    if (d->jobs > 0 && job->submit_us < d->newest_us) {
        d->late++;
        if (d->newest_us - job->submit_us > d->latest_us)
            d->latest_us = d->newest_us - job->submit_us;
    }
    if (d->jobs == 0 || job->submit_us > d->newest_us)
        d->newest_us = job->submit_us;
    if (d->options->sort_window == HS_SORT_ALL)
        return;
    if (job->submit_us < d->handed_out_us) {
        (void)hs_trace_bad_row(&d->reader.faults, HS_FAULT_ORDER,
                               hs_reader_place(&d->reader, "submit_time"), NULL,
                               "job '%s' comes %s s late, beyond the %llu buffered rows", job->id,
                               ROUNDED_SECONDS((uint64_t)(d->handed_out_us - job->submit_us)),
                               (unsigned long long)d->options->sort_window);
        return;
    }
    hs_heap_set(&d->held, d->spare, job->submit_us, 0);
    d->spare = d->held.count;
    if (d->held.count < d->options->sort_window)
        return;
    d->handed_out_us = hs_heap_next_us(&d->held);
    d->spare = hs_heap_next_id(&d->held);
    hs_heap_remove(&d->held, d->spare);
}

/* Counts bad rows as a run does that passes over them: those of order are none with --sort=all. */
static void count_share(struct trace_validation *d, uint64_t least)
{
    const struct hs_faults *faults = &d->reader.faults;
    const uint64_t bad = faults->total - faults->counts[HS_FAULT_ORDER],
                   rows = d->reader.counts.rows > least ? d->reader.counts.rows : least,
                   permille = (bad * 1000 + rows - 1) / rows;
    if (permille > d->bad_permille)
        d->bad_permille = permille;
}

/* Reads all rows, including bad ones. A file that cannot be read to its end is one more fault. */
static enum hs_status examine_all(struct trace_validation *d)
{
    struct hs_faults *faults = &d->reader.faults;
    struct hs_trace_job job;
    enum hs_status status;
    while ((status = hs_reader_next(&d->reader, &job)) == HS_OK ||
           (status == HS_E_INPUT && faults->is_row_bad)) {
        if (status != HS_OK) {
            count_share(d, HS_BAD_MEASURE);
            continue;
        }
        check_order(d, &job);
        d->jobs++;
        if (job.gpus > 0)
            hs_fractions_count(&d->utils, job.gpu_util_pm);
        load_add(&d->load, &job);
    }
    if (d->reader.counts.rows > 0)
        count_share(d, 1);
    d->is_cut_short = status == HS_E_INPUT;
    if (d->is_cut_short)
        faults->total += faults->counts[HS_FAULT_STRUCTURE] == 0;
    return status == HS_END || d->is_cut_short ? HS_OK : status;
}

/* Prints --map-value with what was given, and a guess of each unknown state; returns whether all
 * states could be written so. */
static bool say_values(const struct trace_validation *d, struct hs_output *out)
{
    static const char *const starts[][8] = {
        {"completed", "ok", "succ", "done", "fin", "compl"},
        {"cancelled", "canc", "kill", "abort", "stop", "revok"}};
    const char *comma = d->options->map_values != NULL ? "," : "";
    uint32_t said = 1;
    hs_say(out, "--map-value='%s", comma[0] != '\0' ? d->options->map_values : "");
    for (uint32_t id = 1; id < d->states.count; id++) {
        const char *state = hs_intern_text(&d->states, id), *word = "failed";
        if (strpbrk(state, ",='") != NULL || hs_control_find(state, strlen(state)) < strlen(state))
            continue;
        for (size_t i = 0; i < HS_COUNT_OF(starts); i++)
            for (const char *const *start = starts[i] + 1; *start != NULL; start++)
                if (strncasecmp(state, *start, strlen(*start)) == 0)
                    word = starts[i][0];
        hs_say(out, "%sstate:%s=%s", comma, state, word);
        comma = ",";
        said++;
    }
    hs_say(out, "'");
    return said >= d->states.count;
}

/* Returns the number of faults. */
static uint64_t say_report(struct trace_validation *d, struct hs_output *out)
{
    const struct hs_reader *r = &d->reader;
    const struct hs_faults *faults = &r->faults;
    struct hs_trace_counts counts = r->counts;
    counts.accepted = d->jobs;
    say_intake(out, hs_input_path(r->input), r->format->name, &counts);
    if (d->late > 0)
        hs_say(out, "out of order %" PRIu64 " rows, at most %s s late\n", d->late,
               ROUNDED_SECONDS((uint64_t)d->latest_us));
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++) {
        if (faults->counts[kind] == 0)
            continue;
        hs_say(out, "\n%" PRIu64 " %s\n", faults->counts[kind], hs_fault_texts[kind].what);
        for (int i = 0; i < HS_FAULTS_SHOWN && d->shown[kind][i]; i++)
            hs_say(out, "    %s\n", d->shown[kind][i]);
        if (d->hints[kind] != NULL && kind != HS_FAULT_STATE && kind != HS_FAULT_DUPLICATE)
            hs_say(out, "    %s\n", d->hints[kind]);
        hs_say(out, "    repair: ");
        if (kind == HS_FAULT_STATE && d->states.count > 1 && say_values(d, out))
            hs_say(out, ", if that is what they mean; else ");
        hs_say(out, "%s\n", hs_fault_texts[kind].repair);
    }
    if (d->is_cut_short)
        hs_say(out, "\nthe file cannot be read to its end: rows and jobs are those before it\n");
    say_loads(&d->load, out);
    hs_say(out, "\n%" PRIu64 " fault%s\n", faults->total, faults->total == 1 ? "" : "s");
    return faults->total;
}

/* Prints a cluster with the GPU types of the jobs, if none is given: the default one may lack them.
 * Nodes of 8 GPUs: those of the largest job, and of a load of 80 %. */
static bool say_cluster(const struct offered_load *load, struct hs_output *out)
{
    const struct named_loads *types = &load->by[HS_POOL_GPU_TYPE];
    const uint64_t span_us = (uint64_t)load->last_us - (uint64_t)load->first_us; /* none: 1 */
    char shape[512] = "";
    for (uint32_t id = 1; id < types->names.count; id++) {
        const char *text = hs_intern_text(&types->names, id);
        const char *name = hs_gpu_type_name(text, strlen(text));
        const struct load_sum *sum = &types->sums[id];
        const uint64_t busy = span_us > 0 ? (uint64_t)(sum->gpu_us / span_us) * 5 / 4 : 0;
        const uint64_t gpus = busy > sum->largest ? busy : sum->largest;
        if (name == NULL)
            return false; /* of several types, or unknown: in a file only */
        hs_append(shape, sizeof shape, "%s%" PRIu64 "x8:%s", id > 1 ? "," : "", (gpus + 7) / 8,
                  name);
    }
    if (load->cluster != NULL || shape[0] == '\0' || strlen(shape) + 1 == sizeof shape)
        return false;
    hs_say(out, " -c %s", shape);
    return true;
}

/* Prints the command that runs the file as it is: what was given, and what passes over its faults.
 * Behind a fault that ends the file there is none. */
static void say_command(const struct trace_validation *d, const char *given, struct hs_output *out)
{
    const struct hs_faults *faults = &d->reader.faults;
    uint64_t bad = faults->total - faults->counts[HS_FAULT_ORDER];
    bool is_cluster_guessed;
    if (d->is_cut_short || (d->jobs == 0 && d->states.count < 2))
        return;
    hs_say(out, "run it with: horus run %s", given);
    is_cluster_guessed = say_cluster(&d->load, out);
    if (d->states.count > 1 || d->options->map_values != NULL) {
        hs_say(out, " ");
        /* of a row the first fault is counted: others may be behind a state */
        if (say_values(d, out) && d->states.count > 1 && bad == faults->counts[HS_FAULT_STATE])
            bad = 0;
    }
    if (faults->counts[HS_FAULT_ORDER] > 0)
        hs_say(out, " --sort=all");
    if (bad > 0) /* per cent, rounded up to tenths, which are what is counted */
        hs_say(out, " --skip-bad-rows=%g", (double)d->bad_permille / 10);
    hs_say(out, "\n%s",
           is_cluster_guessed ? "-c is an assumption, nodes of 8 GPUs for a load of 80 %: the "
                                "trace names only types\n"
                              : "");
}

enum hs_status hs_trace_validate(const struct hs_trace_options *options,
                                 const struct hs_trace_capacity *cluster, const char *given,
                                 struct hs_output *out, struct hs_diag *diag)
{
    struct trace_validation *d = hs_alloc_zeroed(1, sizeof *d);
    d->options = options;
    d->diag = diag;
    d->handed_out_us = INT64_MIN;
    hs_diag_init(&d->catcher, catch_message, d);
    d->load =
        (struct offered_load){.cluster = cluster, .first_us = INT64_MAX, .last_us = INT64_MIN};
    for (int i = 0; i < HS_POOL_KINDS; i++)
        hs_intern_init(&d->load.by[i].names);
    hs_intern_init(&d->states);
    enum hs_status status = hs_reader_open(&d->reader, options, HS_ERROR, &d->catcher);
    d->reader.faults.states = &d->states;
    d->is_open = status == HS_OK;
    if (status == HS_OK)
        status = examine_all(d);
    if (status == HS_OK) {
        hs_fractions_warn(&d->utils, NULL, "gpu_util", "jobs", diag);
        status = say_report(d, out) > 0 ? HS_E_INPUT : HS_OK;
        say_command(d, given, out);
    }
    hs_reader_close(&d->reader);
    hs_intern_free(&d->states);
    hs_heap_free(&d->held);
    for (int i = 0; i < HS_POOL_KINDS; i++) {
        hs_intern_free(&d->load.by[i].names);
        hs_free(d->load.by[i].sums);
    }
    hs_arena_free(&d->texts);
    hs_free(d);
    return status;
}
