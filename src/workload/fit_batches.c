/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who submits runs: jobs of one user close behind each other. Of neighbours in a run that are of
 * one class of sizes a sample of fixed size is kept (Vitter's reservoir), whose durations become
 * normal scores once the distribution of the class is known.
 */
#include <math.h>

#include "base/rng.h"
#include "base/tquantile.h"
#include "workload/fit_parts.h"

#define GAP_MOST_S  60 /* within a run of one user */
#define GAP_OF_MEAN .1 /* the same where users are unknown */
#define GAP_LEAST_S 1
#define PAIRS       4096
#define PAIRS_LEAST 100 /* below it a correlation is not told from chance */
#define RUN_MOST    1000000
#define MOST_IN     .97
#define LEAST_OFF   1e-6
#define EXACT       1024 /* of a loghist: beyond it a bucket has 2^k / 1,024 values */

struct hs_fit_run {
    int64_t last_us;
    uint64_t jobs; /* 0: none yet */
    uint64_t batches;
    uint64_t duration_s;      /* of the last one */
    uint32_t gpus, gpu_milli; /* of the first one */
    uint32_t class;           /* of the last one */
    uint32_t first_class;
};

struct hs_fit_pair {
    uint64_t first_s, second_s;
    uint32_t class;
};

static int64_t gap_most_us(const struct hs_fit_batches *b, int64_t now_us, uint32_t user)
{
    if (user > 0)
        return GAP_MOST_S * HS_FIT_SECOND;
    double mean_us = (double)(now_us - b->first_us) / (double)b->seen;
    double most_us = fmax(GAP_OF_MEAN * mean_us, GAP_LEAST_S * (double)HS_FIT_SECOND);
    return (int64_t)fmin(most_us, GAP_MOST_S * (double)HS_FIT_SECOND);
}

static bool goes_on(const struct hs_fit_batches *b, const struct hs_fit_run *run,
                    const struct hs_trace_job *job, uint32_t user)
{
    return run->jobs > 0 && run->jobs < RUN_MOST &&
           job->submit_us - run->last_us <= gap_most_us(b, job->submit_us, user) &&
           (user > 0 || (run->gpus == job->gpus && run->gpu_milli == job->gpu_milli));
}

static void keep_pair(struct hs_fit_batches *b, const struct hs_fit_run *run, uint64_t duration_s)
{
    uint64_t at = b->pairs_seen++;
    if (at >= PAIRS)
        at = hs_mix64(PAIRS, at) % (at + 1);
    if (at < PAIRS)
        b->pairs[at] = (struct hs_fit_pair){run->duration_s, duration_s, run->class};
}

static enum hs_status close_run(struct hs_fit_batches *b, struct hs_fit_run *run)
{
    if (run->jobs == 0)
        return HS_OK;
    run->batches++;
    HS_TRY(hs_loghist_add(&b->of_class[run->first_class], run->jobs));
    return hs_loghist_add(&b->jobs, run->jobs);
}

enum hs_status hs_fit_batches_add(struct hs_fit_batches *batches, const struct hs_trace_job *job,
                                  uint32_t user)
{
    struct hs_fit_batches *b = batches;
    uint32_t class = hs_fit_class_of(job);
    uint64_t duration_s = hs_fit_seconds(job->duration_us);
    HS_TRY(hs_grow((void **)&b->runs, &b->runs_cap, (uint64_t)user + 1, sizeof *b->runs,
                   HS_INTERN_MAX));
    if (b->pairs == NULL && (b->pairs = hs_alloc_zeroed(PAIRS, sizeof *b->pairs)) == NULL)
        return HS_E_MEMORY;
    if (user >= b->run_count)
        b->run_count = user + 1;
    if (b->seen++ == 0)
        b->first_us = job->submit_us;
    struct hs_fit_run *run = &b->runs[user];
    if (goes_on(b, run, job, user)) {
        HS_TRY(hs_loghist_add(&b->gaps, (uint64_t)(job->submit_us - run->last_us) / HS_FIT_SECOND));
        b->members++;
        b->members_alike += run->gpus == job->gpus && run->gpu_milli == job->gpu_milli;
        if (run->class == class)
            keep_pair(b, run, duration_s);
        run->jobs++;
    } else {
        HS_TRY(close_run(b, run));
        run->jobs = 1;
        run->gpus = job->gpus;
        run->gpu_milli = job->gpu_milli;
        run->first_class = class;
    }
    run->last_us = job->submit_us;
    run->duration_s = duration_s;
    run->class = class;
    return HS_OK;
}

/* ---- to the workload ---- */

/* Normal score of a duration, in the middle of those just as long. */
static double score(const struct hs_loghist *durations, uint64_t value)
{
    uint64_t width = value < EXACT ? 1 : (UINT64_C(1) << (63 - HS_CLZ64(value))) / EXACT;
    uint64_t below = value > 0 ? hs_loghist_below(durations, value - width) : 0;
    uint64_t upto = hs_loghist_below(durations, value);
    return hs_normal_quantile(((double)below + (double)upto) / 2 / (double)durations->count);
}

static double correlation(const struct hs_fit_batches *b, const struct hs_fit_sizes *sizes)
{
    uint64_t count = b->pairs_seen < PAIRS ? b->pairs_seen : PAIRS;
    double products = 0, squares = 0;
    if (count < PAIRS_LEAST)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct hs_loghist *durations = &sizes->classes[b->pairs[i].class].durations;
        double x = score(durations, b->pairs[i].first_s);
        double y = score(durations, b->pairs[i].second_s);
        products += x * y;
        squares += (x * x + y * y) / 2;
    }
    return squares > 0 ? fmin(fmax(products / squares, 0), 1) : 0;
}

/* Of members drawn afresh some have the size of the first by chance. */
static double same_size(const struct hs_fit_batches *b, const struct hs_workload *workload)
{
    double chance = 0, alike = (double)b->members_alike / (double)b->members;
    for (uint32_t i = 0; i < workload->bucket_count; i++)
        for (uint32_t s = 0; s < workload->buckets[i].size_count; s++)
            chance += workload->buckets[i].sizes[s].share * workload->buckets[i].sizes[s].share;
    return chance < 1 - LEAST_OFF ? fmin(fmax((alike - chance) / (1 - chance), 0), 1) : 1;
}

/* So long that MOST_IN of the jobs of these runs are in runs that are not longer. */
static uint32_t batch_max(const struct hs_loghist *runs, uint64_t longest)
{
    uint32_t at = 0;
    uint64_t jobs, count;
    double sum = 0;
    while (hs_loghist_next(runs, &at, &jobs, &count)) {
        sum += (double)jobs * (double)count;
        if (sum >= MOST_IN * (double)runs->sum)
            return jobs < longest && jobs < HS_WORKLOAD_BATCH_MAX ? (uint32_t)jobs : UINT32_MAX;
    }
    return UINT32_MAX;
}

enum hs_status hs_fit_batches_finish(struct hs_fit_batches *batches,
                                     const struct hs_fit_sizes *sizes, const uint32_t *bucket_of,
                                     struct hs_workload *workload)
{
    struct hs_fit_batches *b = batches;
    struct hs_workload_batches *out = &workload->arrivals.batches;
    for (uint32_t u = 0; u < b->run_count; u++)
        HS_TRY(close_run(b, &b->runs[u]));
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++)
        if (bucket_of[c] != UINT32_MAX)
            workload->buckets[bucket_of[c]].batch_max = batch_max(&b->of_class[c], b->jobs.max);
    if (b->members == 0)
        return HS_OK;
    HS_TRY(hs_fit_curve(&b->jobs, true, &workload->arena, &out->jobs));
    HS_TRY(hs_fit_curve(&b->gaps, false, &workload->arena, &out->gap_s));
    out->same_size = same_size(b, workload);
    out->duration_correlation = correlation(b, sizes);
    return HS_OK;
}

uint64_t hs_fit_batches_of(const struct hs_fit_batches *batches, uint32_t user)
{
    return user < batches->run_count ? batches->runs[user].batches : 0;
}

void hs_fit_batches_free(struct hs_fit_batches *batches)
{
    hs_free(batches->runs);
    hs_free(batches->pairs);
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++)
        hs_loghist_free(&batches->of_class[c]);
    hs_loghist_free(&batches->jobs);
    hs_loghist_free(&batches->gaps);
    *batches = (struct hs_fit_batches){0};
}
