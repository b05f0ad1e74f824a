/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info`: what is in a trace, in one pass over its jobs in order, and with --compare
 * how far two traces are apart. Memory of the first: names of VCs and users, two histograms a class
 * of GPU counts. The second reads both whole and keeps sorted numbers (duration, once more in its
 * bucket of GPUs, gap, GPUs: 32 bytes a job, up to twice that while they grow): distances are
 * exact, over every value.
 */
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/sample.h"
#include "traces/trace_report.h"

#define US_PER_DAY  INT64_C(86400000000)
#define US_PER_S    INT64_C(1000000)
#define CALENDAR_US (INT64_C(7305) * US_PER_DAY) /* 1990-01-01 */

struct hs_figure hs_figure_ratio(uint64_t num, uint64_t den, unsigned decimals)
{
    struct hs_figure f = {"-"};
    if (den > 0)
        f.text[hs_fmt_ratio(f.text, num, den, decimals)] = '\0';
    return f;
}

struct hs_figure hs_figure_seconds(uint64_t us)
{
    return hs_figure_ratio(us, (uint64_t)US_PER_S, us < 1000 * (uint64_t)US_PER_S ? 3 : 0);
}

struct hs_figure hs_figure_clock(int64_t us)
{
    struct hs_figure f;
    if (us < CALENDAR_US) {
        f.text[hs_fmt_seconds(f.text, us)] = '\0';
        return f;
    }
    f.text[hs_fmt_datetime(f.text, us)] = '\0';
    return f;
}

void hs_say_intake(struct hs_output *out, const char *path, const char *format,
                   const struct hs_trace_counts *counts)
{
    hs_say(out, "trace        %s (%s)\n", path, format);
    hs_say(out, "rows         %llu\n", (unsigned long long)counts->rows);
    hs_say(out, "jobs         %llu\n", (unsigned long long)counts->accepted);
    if (counts->bad > 0)
        hs_say(out, "bad rows     %llu\n", (unsigned long long)counts->bad);
    for (uint32_t i = 0; i < counts->drop_kinds; i++)
        if (counts->drops[i] > 0)
            hs_say(out, "dropped      %llu %s\n", (unsigned long long)counts->drops[i],
                   counts->drop_texts[i]);
    if (counts->rounded > 0)
        hs_say(out, "rounded up   %llu GPU demands (" HS_ROUNDED_TEXT ")\n",
               (unsigned long long)counts->rounded);
}

/* ---- horus trace info ---- */

#define CLASSES 8 /* the last one holds all jobs */
#define ALL     (CLASSES - 1)

static const char *const class_names[CLASSES] = {"0",   "1",    "2",    "3-4",
                                                 "5-8", "9-16", "> 16", "all"};

struct class
{
    struct hs_loghist durations, gaps; /* microseconds */
    hs_u128 gpu_us;
    int64_t last_us; /* submission of the latest job */
};

struct info {
    struct class classes[CLASSES];
    struct hs_intern users, vcs;
    uint64_t outcomes[HS_OUTCOME_COUNT];
    hs_u128 outcome_gpu_us[HS_OUTCOME_COUNT];
    uint64_t job_classes[HS_JOB_CLASS_COUNT];
    hs_u128 job_class_gpu_us[HS_JOB_CLASS_COUNT];
    uint64_t with_step, elastic; /* jobs */
    int64_t first_us, last_us;
    uint32_t gpus_max;
    uint64_t jobs;
    struct hs_fractions utils;
};

static unsigned class_of(uint32_t gpus)
{
    static const uint32_t limits[ALL] = {0, 1, 2, 4, 8, 16, UINT32_MAX};
    unsigned i = 0;
    while (gpus > limits[i])
        i++;
    return i;
}

static void add_to_class(struct class *c, const struct hs_trace_job *job)
{
    hs_loghist_add(&c->durations, (uint64_t)job->duration_us);
    if (c->durations.count > 1)
        hs_loghist_add(&c->gaps, (uint64_t)(job->submit_us - c->last_us));
    c->last_us = job->submit_us;
    c->gpu_us += hs_trace_job_gpu_us(job);
}

static void info_add(struct info *info, const struct hs_trace_job *job)
{
    if (info->jobs++ == 0)
        info->first_us = job->submit_us;
    info->last_us = job->submit_us;
    if (job->gpus > 0)
        hs_fractions_count(&info->utils, job->gpu_util_pm);
    if (job->gpus > info->gpus_max)
        info->gpus_max = job->gpus;
    hs_u128 gpu_us = hs_trace_job_gpu_us(job);
    info->outcomes[job->outcome]++;
    info->outcome_gpu_us[job->outcome] += gpu_us;
    info->job_classes[job->job_class]++;
    info->job_class_gpu_us[job->job_class] += gpu_us;
    info->with_step += job->step_us > 0;
    info->elastic += job->gpus_min < job->gpus || job->gpus_max > job->gpus;
    (void)hs_intern_get(&info->users, job->user);
    (void)hs_intern_get(&info->vcs, job->vc);
    add_to_class(&info->classes[class_of(job->gpus)], job);
    add_to_class(&info->classes[ALL], job);
}

/* Both sums brought below 2^64: shares are printed to a tenth of a percent. */
static struct hs_figure percent(hs_u128 part, hs_u128 whole)
{
    while (whole >> 56 != 0) {
        part >>= 1;
        whole >>= 1;
    }
    return hs_figure_ratio((uint64_t)part * 100, (uint64_t)whole, 1);
}

static void say_span(const struct info *info, struct hs_output *out)
{
    uint64_t span_us = (uint64_t)(info->last_us - info->first_us);
    const uint64_t day_us = UINT64_C(86400000000);
    hs_say(out, "first        %s\n", hs_figure_clock(info->first_us).text);
    hs_say(out, "last         %s\n", hs_figure_clock(info->last_us).text);
    hs_say(out, "span         %s days\n", hs_figure_ratio(span_us, day_us, 2).text);
    uint64_t gpu_s = (uint64_t)(info->classes[ALL].gpu_us / 1000000);
    hs_say(out, "GPU hours    %s\n", hs_figure_ratio(gpu_s, 3600, 1).text);
    hs_say(out, "mean demand  %s GPUs over the span\n",
           hs_figure_ratio(gpu_s, span_us / 1000000, 1).text);
    hs_say(out, "largest job  %u GPUs\n", info->gpus_max);
    /* id 0 is "no name" */
    hs_say(out, "VCs          %u\n", info->vcs.count - 1);
    hs_say(out, "users        %u\n", info->users.count - 1);
    if (info->with_step > 0)
        hs_say(out, "mini-batch   known of %llu jobs\n", (unsigned long long)info->with_step);
    if (info->elastic > 0)
        hs_say(out, "elastic      %llu jobs\n", (unsigned long long)info->elastic);
}

/* A row of the tables of jobs by outcome, class or GPUs; none where no job has it. */
static void say_part(const struct info *info, const char *name, uint64_t jobs, hs_u128 gpu_us,
                     struct hs_output *out)
{
    if (jobs > 0)
        hs_say(out, "%-13s %11llu %10s %10s\n", name, (unsigned long long)jobs,
               percent(jobs, info->jobs).text, percent(gpu_us, info->classes[ALL].gpu_us).text);
}

static void say_parts(const struct info *info, struct hs_output *out)
{
    static const char head[] = "\n%-13s %11s %10s %10s\n";
    hs_say(out, head, "outcome", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        say_part(info, hs_outcome_text((enum hs_outcome)i), info->outcomes[i],
                 info->outcome_gpu_us[i], out);
    /* Most traces have no classes. */
    if (info->job_classes[HS_JOB_CLASS_AUTO] < info->jobs) {
        hs_say(out, head, "class", "jobs", "jobs %", "GPU time %");
        for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
            say_part(info, hs_job_class_text((enum hs_job_class)i), info->job_classes[i],
                     info->job_class_gpu_us[i], out);
    }
    hs_say(out, head, "GPUs", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < ALL; i++)
        say_part(info, class_names[i], info->classes[i].durations.count, info->classes[i].gpu_us,
                 out);
}

static void say_quantiles(const struct info *info, const char *title, bool is_gap,
                          struct hs_output *out)
{
    static const uint32_t permilles[] = {50, 250, 500, 750, 900, 950, 990};
    hs_say(out, "\n%s, seconds\n%-6s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", title, "GPUs", "mean",
           "p5", "p25", "p50", "p75", "p90", "p95", "p99", "max");
    for (int i = 0; i < CLASSES; i++) {
        const struct class *c = &info->classes[i];
        const struct hs_loghist *h = is_gap ? &c->gaps : &c->durations;
        if (h->count == 0)
            continue;
        hs_say(out, "%-6s %9s", class_names[i], hs_figure_seconds(hs_loghist_mean(h)).text);
        for (size_t q = 0; q < sizeof permilles / sizeof permilles[0]; q++)
            hs_say(out, " %9s", hs_figure_seconds(hs_loghist_quantile(h, permilles[q])).text);
        hs_say(out, " %9s\n", hs_figure_seconds(h->max).text);
    }
}

static enum hs_status describe(struct info *info, const struct hs_trace_options *options,
                               struct hs_output *out, struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_trace_job *job;
    enum hs_status status;
    HS_TRY(hs_trace_open(&trace, options, diag));
    while ((status = hs_trace_next(trace, &job)) == HS_OK)
        info_add(info, job);
    if (status == HS_END) {
        struct hs_trace_counts counts;
        hs_trace_get_counts(trace, &counts);
        hs_say_intake(out, hs_trace_path(trace), hs_trace_format_name(trace), &counts);
        if (counts.reordered > 0)
            hs_say(out, "put in order %llu\n", (unsigned long long)counts.reordered);
        say_span(info, out);
        say_parts(info, out);
        say_quantiles(info, "duration", false, out);
        say_quantiles(info, "time between submissions (within the class)", true, out);
        hs_say(out, "\nQuantiles are values that occurred, at most 0.1 %% above the exact ones "
                    "(logarithmic histogram).\n");
        hs_fractions_warn(&info->utils, NULL, "gpu_util", "jobs", diag);
    }
    hs_trace_close(trace);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_trace_info(const struct hs_trace_options *options, struct hs_output *out,
                             struct hs_diag *diag)
{
    struct info info = {0};
    hs_intern_init(&info.users);
    hs_intern_init(&info.vcs);
    enum hs_status status = describe(&info, options, out, diag);
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

struct trace_sums {
    struct hs_sample durations, buckets[BUCKETS], gaps; /* microseconds */
    struct hs_sample gpus;                              /* thousandths */
    uint64_t outcomes[HS_OUTCOME_COUNT];
    uint64_t jobs;
    int64_t last_us;
};

static unsigned bucket_of(uint64_t gpus_milli)
{
    static const uint64_t limits[BUCKETS - 1] = {0, 999, 1000, 4000, 8000, 16000, 32000};
    unsigned i = 0;
    while (i < BUCKETS - 1 && gpus_milli > limits[i])
        i++;
    return i;
}

static void sums_add(struct trace_sums *sums, const struct hs_trace_job *job)
{
    uint64_t gpus_milli = (uint64_t)job->gpus * job->gpu_milli;
    if (sums->jobs++ > 0)
        hs_sample_add(&sums->gaps, (uint64_t)(job->submit_us - sums->last_us));
    sums->last_us = job->submit_us;
    sums->outcomes[job->outcome]++;
    hs_sample_add(&sums->gpus, gpus_milli);
    hs_sample_add(&sums->durations, (uint64_t)job->duration_us);
    hs_sample_add(&sums->buckets[bucket_of(gpus_milli)], (uint64_t)job->duration_us);
}

static void sums_free(struct trace_sums *sums)
{
    hs_sample_free(&sums->durations);
    hs_sample_free(&sums->gaps);
    hs_sample_free(&sums->gpus);
    for (int i = 0; i < BUCKETS; i++)
        hs_sample_free(&sums->buckets[i]);
}

static enum hs_status sums_read(struct trace_sums *sums, struct hs_trace *trace)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK)
        sums_add(sums, job);
    hs_sample_sort(&sums->durations);
    hs_sample_sort(&sums->gaps);
    hs_sample_sort(&sums->gpus);
    for (int i = 0; i < BUCKETS; i++)
        hs_sample_sort(&sums->buckets[i]);
    return status == HS_END ? HS_OK : status;
}

/* One trace, and the lines about what was read of it. */
static enum hs_status gather(struct trace_sums *sums, const struct hs_trace_options *options,
                             const char *letter, struct hs_output *out, struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_trace_counts counts;
    HS_TRY(hs_trace_open(&trace, options, diag));
    enum hs_status status = sums_read(sums, trace);
    if (status == HS_OK) {
        hs_trace_get_counts(trace, &counts);
        hs_say(out, "%s:\n", letter);
        hs_say_intake(out, hs_trace_path(trace), hs_trace_format_name(trace), &counts);
        hs_say(out, "\n");
    }
    hs_trace_close(trace);
    return status;
}

/* Distances and ratios to four places; "-" where there is nothing to divide by. */
static struct hs_figure figure(double value, bool is_known)
{
    struct hs_figure f = {"-"};
    if (is_known && value < 1e9)
        f.text[hs_fmt_ratio(f.text, (uint64_t)(value * 1e6 + 0.5), 1000000, 4)] = '\0';
    else if (is_known)
        f.text[hs_fmt_double(f.text, value)] = '\0';
    return f;
}

static struct hs_figure ratio(double a, double b)
{
    return figure(a > 0 ? b / a : 0, a > 0);
}

static void say_row(const char *what, const char *bucket, const struct hs_sample *a,
                    const struct hs_sample *b, struct hs_output *out)
{
    bool both = a->count > 0 && b->count > 0;
    if (a->count == 0 && b->count == 0)
        return;
    hs_say(out, "%-9s %-7s %10u %10u %8s %8s", what, bucket, a->count, b->count,
           both ? figure(hs_ks(a, b), true).text : "-",
           both ? figure(hs_ks_noise(a->count, b->count), true).text : "-");
    hs_say(out, " %9s %9s\n", both ? ratio(hs_sample_mean(a), hs_sample_mean(b)).text : "-",
           both ? ratio(hs_sample_median(a), hs_sample_median(b)).text : "-");
}

static void say_distances(const struct trace_sums *a, const struct trace_sums *b,
                          struct hs_output *out)
{
    hs_say(out, "%-9s %-7s %10s %10s %8s %8s %9s %9s\n", "", "GPUs", "values A", "values B", "KS",
           "noise", "mean", "median");
    say_row("duration", "all", &a->durations, &b->durations, out);
    for (int i = 0; i < BUCKETS; i++)
        say_row("", bucket_names[i], &a->buckets[i], &b->buckets[i], out);
    say_row("GPUs", "", &a->gpus, &b->gpus, out);
    say_row("gap", "", &a->gaps, &b->gaps, out);
}

static struct hs_figure share(uint64_t part, uint64_t whole)
{
    return hs_figure_ratio(part, whole, 4);
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
                   share(a->outcomes[i], a->jobs).text, share(b->outcomes[i], b->jobs).text,
                   figure(difference, true).text);
    }
    hs_say(out, "%-12s %10s %10s %10s\n", "largest", "", "", figure(largest, true).text);
}

enum hs_status hs_trace_compare(const struct hs_trace_options *reference,
                                const struct hs_trace_options *options, struct hs_output *out,
                                struct hs_diag *diag)
{
    struct trace_sums a = {0}, b = {0};
    enum hs_status status = gather(&a, reference, "A", out, diag);
    if (status == HS_OK)
        status = gather(&b, options, "B", out, diag);
    if (status == HS_OK) {
        say_distances(&a, &b, out);
        sums_say_outcomes(&a, &b, out);
        hs_say(out,
               "\nKS: largest difference of the two cumulative distributions, over every value. "
               "noise: what two\nsamples of one distribution of these sizes stay below 19 "
               "times out of 20. mean, median: of B over A.\n");
    }
    sums_free(&a);
    sums_free(&b);
    return status;
}
