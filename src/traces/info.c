/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info`: what is in a trace, in one pass over its jobs in order. Memory is that of the
 * names of VCs and users and of two histograms a class of GPU counts.
 */
#include <string.h>

#include "base/fractions.h"
#include "base/intern.h"
#include "traces/doctor.h"
#include "base/loghist.h"
#include "traces/say.h"

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

static enum hs_status add_to_class(struct class *c, const struct hs_trace_job *job)
{
    HS_TRY(hs_loghist_add(&c->durations, (uint64_t)job->duration_us));
    if (c->durations.count > 1)
        HS_TRY(hs_loghist_add(&c->gaps, (uint64_t)(job->submit_us - c->last_us)));
    c->last_us = job->submit_us;
    c->gpu_us += hs_trace_job_gpu_us(job);
    return HS_OK;
}

static enum hs_status add_job(struct info *info, const struct hs_trace_job *job)
{
    uint32_t id;
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
    HS_TRY(hs_intern_get(&info->users, job->user, &id));
    HS_TRY(hs_intern_get(&info->vcs, job->vc, &id));
    HS_TRY(add_to_class(&info->classes[class_of(job->gpus)], job));
    return add_to_class(&info->classes[ALL], job);
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

static void say_outcomes(const struct info *info, struct hs_output *out)
{
    hs_say(out, "\n%-12s %12s %10s %10s\n", "outcome", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        if (info->outcomes[i] > 0)
            hs_say(out, "%-12s %12llu %10s %10s\n", hs_outcome_text((enum hs_outcome)i),
                   (unsigned long long)info->outcomes[i],
                   percent(info->outcomes[i], info->jobs).text,
                   percent(info->outcome_gpu_us[i], info->classes[ALL].gpu_us).text);
}

/* Most traces know no classes: nothing to say then. */
static void say_job_classes(const struct info *info, struct hs_output *out)
{
    if (info->job_classes[HS_JOB_CLASS_AUTO] == info->jobs)
        return;
    hs_say(out, "\n%-13s %11s %10s %10s\n", "class", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
        if (info->job_classes[i] > 0)
            hs_say(out, "%-13s %11llu %10s %10s\n", hs_job_class_text((enum hs_job_class)i),
                   (unsigned long long)info->job_classes[i],
                   percent(info->job_classes[i], info->jobs).text,
                   percent(info->job_class_gpu_us[i], info->classes[ALL].gpu_us).text);
}

static void say_mix(const struct info *info, struct hs_output *out)
{
    hs_say(out, "\n%-12s %12s %10s %10s\n", "GPUs", "jobs", "jobs %", "GPU time %");
    for (int i = 0; i < ALL; i++) {
        const struct class *c = &info->classes[i];
        if (c->durations.count > 0)
            hs_say(out, "%-12s %12llu %10s %10s\n", class_names[i],
                   (unsigned long long)c->durations.count,
                   percent(c->durations.count, info->jobs).text,
                   percent(c->gpu_us, info->classes[ALL].gpu_us).text);
    }
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

static void say_all(const struct info *info, struct hs_output *out)
{
    say_span(info, out);
    say_outcomes(info, out);
    say_job_classes(info, out);
    say_mix(info, out);
    say_quantiles(info, "duration", false, out);
    say_quantiles(info, "time between submissions (within the class)", true, out);
    hs_say(out, "\nQuantiles are values that occurred, at most 0.1 %% above the exact ones "
                "(logarithmic histogram).\n");
}

static enum hs_status read_all(struct info *info, struct hs_trace *trace, struct hs_diag *diag)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        status = add_job(info, job);
        if (status != HS_OK)
            return hs_fail(diag, status, NULL, NULL, "no memory for the statistics of %s",
                           hs_trace_path(trace));
    }
    return status == HS_END ? HS_OK : status;
}

static enum hs_status describe(struct info *info, const struct hs_trace_options *options,
                               struct hs_output *out, struct hs_diag *diag)
{
    struct hs_trace *trace;
    HS_TRY(hs_trace_open(&trace, options, diag));
    enum hs_status status = read_all(info, trace, diag);
    if (status == HS_OK) {
        struct hs_trace_counts counts;
        hs_trace_get_counts(trace, &counts);
        hs_say_intake(out, hs_trace_path(trace), hs_trace_format_name(trace), &counts);
        if (counts.reordered > 0)
            hs_say(out, "put in order %llu\n", (unsigned long long)counts.reordered);
        say_all(info, out);
        hs_fractions_warn(&info->utils, NULL, "gpu_util", "jobs", diag);
    }
    hs_trace_close(trace);
    return status;
}

enum hs_status hs_trace_info(const struct hs_trace_options *options, struct hs_output *out,
                             struct hs_diag *diag)
{
    struct info info = {0};
    enum hs_status status = hs_intern_init(&info.users);
    if (status == HS_OK)
        status = hs_intern_init(&info.vcs);
    if (status == HS_OK)
        status = describe(&info, options, out, diag);
    else
        hs_report(diag, HS_ERROR, NULL, NULL, "no memory for the statistics of a trace");
    for (int i = 0; i < CLASSES; i++) {
        hs_loghist_free(&info.classes[i].durations);
        hs_loghist_free(&info.classes[i].gaps);
    }
    hs_intern_free(&info.users);
    hs_intern_free(&info.vcs);
    return status;
}
