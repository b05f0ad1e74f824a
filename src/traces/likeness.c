/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info --compare`: how far two traces are apart. Both are read whole and kept as
 * sorted numbers (duration, once more in its bucket of GPUs, gap, GPUs: 32 bytes a job, up to twice
 * that while they grow): distances are exact, over every value that occurs.
 */
#include <string.h>

#include "base/ks.h"
#include "traces/doctor.h"
#include "traces/say.h"

#define BUCKETS 8

static const char *const bucket_names[BUCKETS] = {"0",   "< 1",  "1",     "2-4",
                                                  "5-8", "9-16", "17-32", "> 32"};

struct sums {
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

static enum hs_status add_job(struct sums *sums, const struct hs_trace_job *job)
{
    uint64_t gpus_milli = (uint64_t)job->gpus * job->gpu_milli;
    if (sums->jobs++ > 0)
        HS_TRY(hs_sample_add(&sums->gaps, (uint64_t)(job->submit_us - sums->last_us)));
    sums->last_us = job->submit_us;
    sums->outcomes[job->outcome]++;
    HS_TRY(hs_sample_add(&sums->gpus, gpus_milli));
    HS_TRY(hs_sample_add(&sums->durations, (uint64_t)job->duration_us));
    return hs_sample_add(&sums->buckets[bucket_of(gpus_milli)], (uint64_t)job->duration_us);
}

static void sort_all(struct sums *sums)
{
    hs_sample_sort(&sums->durations);
    hs_sample_sort(&sums->gaps);
    hs_sample_sort(&sums->gpus);
    for (int i = 0; i < BUCKETS; i++)
        hs_sample_sort(&sums->buckets[i]);
}

static void free_all(struct sums *sums)
{
    hs_sample_free(&sums->durations);
    hs_sample_free(&sums->gaps);
    hs_sample_free(&sums->gpus);
    for (int i = 0; i < BUCKETS; i++)
        hs_sample_free(&sums->buckets[i]);
}

static enum hs_status read_all(struct sums *sums, struct hs_trace *trace, struct hs_diag *diag)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        status = add_job(sums, job);
        if (status != HS_OK)
            return hs_fail(diag, status, NULL, "--max-jobs compares the first jobs of both",
                           "no memory for the jobs of %s", hs_trace_path(trace));
    }
    sort_all(sums);
    return status == HS_END ? HS_OK : status;
}

/* One trace, and the lines about what was read of it. */
static enum hs_status gather(struct sums *sums, const struct hs_trace_options *options,
                             const char *letter, struct hs_output *out, struct hs_diag *diag)
{
    struct hs_trace *trace;
    struct hs_trace_counts counts;
    HS_TRY(hs_trace_open(&trace, options, diag));
    enum hs_status status = read_all(sums, trace, diag);
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

static void say_distances(const struct sums *a, const struct sums *b, struct hs_output *out)
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

static void say_outcomes(const struct sums *a, const struct sums *b, struct hs_output *out)
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
    struct sums a = {0}, b = {0};
    enum hs_status status = gather(&a, reference, "A", out, diag);
    if (status == HS_OK)
        status = gather(&b, options, "B", out, diag);
    if (status == HS_OK) {
        say_distances(&a, &b, out);
        say_outcomes(&a, &b, out);
        hs_say(out,
               "\nKS: largest difference of the two cumulative distributions, over every value. "
               "noise: what two\nsamples of one distribution of these sizes stay below 19 "
               "times out of 20. mean, median: of B over A.\n");
    }
    free_all(&a);
    free_all(&b);
    return status;
}
