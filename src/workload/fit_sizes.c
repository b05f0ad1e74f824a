/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers of two are classes of their own, for most jobs are of such sizes; what lies between two of
 * them is one class, and so are shares of one GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload/fit_parts.h"

#define MILLI         1000
#define ROUNDED       1e-5
#define STATES_MOST   10  /* stretches of ranks with a mix of their own */
#define STATES_SAMPLE 500 /* jobs that one is worth */

/* Class 1 + 2 k is 2^k GPUs, the one behind it what lies above, up to 2^(k + 1) - 1. */
static uint32_t class_of_gpus(uint32_t gpus)
{
    uint32_t k = 63 - HS_CLZ64(gpus);
    return 1 + 2 * k + (gpus > (UINT32_C(1) << k));
}

uint32_t hs_fit_class_of(const struct hs_trace_job *job)
{
    uint32_t milli = job->gpu_milli > 0 ? job->gpu_milli : MILLI;
    uint64_t demand = (uint64_t)job->gpus * milli;
    if (demand < MILLI)
        return 0;
    uint32_t class = class_of_gpus((uint32_t)((demand + MILLI - 1) / MILLI));
    return class < HS_FIT_CLASSES ? class : HS_FIT_CLASSES - 1;
}

uint64_t hs_fit_seconds(int64_t us)
{
    return (uint64_t)((us + HS_FIT_SECOND - 1) / HS_FIT_SECOND);
}

/* The entry of this size, or, where a class is full, that of the nearest one. */
static enum hs_status count_size(struct hs_fit_class *class, const struct hs_trace_job *job)
{
    uint32_t milli = job->gpu_milli > 0 ? job->gpu_milli : MILLI, nearest = 0;
    int64_t demand = (int64_t)job->gpus * milli, least = INT64_MAX;
    for (uint32_t i = 0; i < class->size_count; i++) {
        struct hs_fit_size *size = &class->sizes[i];
        if (size->gpus == job->gpus && size->gpu_milli == milli) {
            size->jobs++;
            return HS_OK;
        }
        int64_t off = llabs((int64_t)size->gpus * size->gpu_milli - demand);
        if (off < least) {
            least = off;
            nearest = i;
        }
    }
    if (class->size_count == HS_WORKLOAD_SIZES_MAX) {
        class->sizes[nearest].jobs++;
        return HS_OK;
    }
    HS_TRY(hs_grow((void **)&class->sizes, &class->size_cap, (uint64_t) class->size_count + 1,
                   sizeof *class->sizes, HS_WORKLOAD_SIZES_MAX));
    class->sizes[class->size_count++] = (struct hs_fit_size){job->gpus, milli, 1};
    return HS_OK;
}

enum hs_status hs_fit_sizes_add(struct hs_fit_sizes *sizes, const struct hs_trace_job *job)
{
    struct hs_fit_class *class = &sizes->classes[hs_fit_class_of(job)];
    uint32_t retries = job->attempts > 1 ? job->attempts - 1 : 0;
    uint64_t duration = hs_fit_seconds(job->duration_us);
    HS_TRY(count_size(class, job));
    HS_TRY(hs_loghist_add(&class->durations, duration));
    if (job->outcome != HS_OUTCOME_UNKNOWN)
        HS_TRY(hs_loghist_add(&class->of_outcome[job->outcome], duration));
    for (uint32_t i = 0; i < retries; i++)
        HS_TRY(hs_loghist_add(&sizes->failures, hs_fit_seconds(job->attempts_us[i])));
    if (retries > sizes->retries_max)
        sizes->retries_max = retries;
    class->retries += retries;
    class->jobs++;
    sizes->jobs++;
    return HS_OK;
}

/* ---- to the workload ---- */

static const char *class_name(uint32_t class, struct hs_arena *arena)
{
    char text[32];
    uint32_t least = class > 0 ? UINT32_C(1) << (class - 1) / 2 : 0;
    int len = class == 0       ? snprintf(text, sizeof text, "share")
              : class % 2 == 1 ? snprintf(text, sizeof text, "%u", least)
              : least == 2     ? snprintf(text, sizeof text, "3")
                               : snprintf(text, sizeof text, "%u-%u", least + 1, 2 * least - 1);
    return hs_arena_text(arena, text, (size_t)len);
}

/* Mix of outcomes by stretches of duration ranks, as many as the jobs are worth. */
static enum hs_status fit_states(const struct hs_fit_class *class, struct hs_arena *arena,
                                 struct hs_workload_bucket *bucket)
{
    uint64_t known = 0, done[HS_WORKLOAD_STATES] = {0}, sum = 0, value, count;
    uint32_t at = 0;
    for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++)
        known += class->of_outcome[HS_OUTCOME_COMPLETED + s].count;
    if (known == 0)
        return HS_OK;
    uint64_t stretches = known / STATES_SAMPLE + 1;
    if (stretches > STATES_MOST)
        stretches = STATES_MOST;
    bucket->states = hs_arena_alloc(arena, STATES_MOST * sizeof *bucket->states);
    if (bucket->states == NULL)
        return HS_E_MEMORY;
    while (hs_loghist_next(&class->durations, &at, &value, &count)) {
        struct hs_workload_states *row = &bucket->states[bucket->state_count];
        double all = 0;
        sum += count;
        if (sum * stretches < (bucket->state_count + UINT64_C(1)) * class->jobs)
            continue;
        for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++) {
            uint64_t upto = hs_loghist_below(&class->of_outcome[HS_OUTCOME_COMPLETED + s], value);
            row->share[s] = (double)(upto - done[s]);
            all += row->share[s];
        }
        if (all == 0) /* none known here: they go by the next */
            continue;
        for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++) {
            done[s] += (uint64_t)row->share[s];
            row->share[s] /= all;
        }
        row->rank = (double)sum / (double)class->jobs;
        bucket->state_count++;
    }
    bucket->states[bucket->state_count - 1].rank = 1;
    return HS_OK;
}

static double failed_share(const struct hs_workload_bucket *bucket)
{
    double sum = 0, before = 0;
    for (uint32_t i = 0; i < bucket->state_count; i++) {
        const struct hs_workload_states *row = &bucket->states[i];
        sum += (row->rank - before) * row->share[HS_OUTCOME_FAILED - HS_OUTCOME_COMPLETED];
        before = row->rank;
    }
    return sum;
}

static enum hs_status fit_bucket(const struct hs_fit_sizes *sizes, uint32_t c,
                                 struct hs_workload *workload, struct hs_workload_bucket *bucket)
{
    const struct hs_fit_class *class = &sizes->classes[c];
    bucket->name = class_name(c, &workload->arena);
    bucket->sizes = hs_arena_alloc(&workload->arena, class->size_count * sizeof *bucket->sizes);
    if (bucket->name == NULL || bucket->sizes == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < class->size_count; i++)
        bucket->sizes[i] =
            (struct hs_workload_size){class->sizes[i].gpus, class->sizes[i].gpu_milli,
                                      (double)class->sizes[i].jobs / (double)sizes->jobs};
    bucket->size_count = class->size_count;
    bucket->share = (double)class->jobs / (double)sizes->jobs;
    HS_TRY(hs_fit_curve(&class->durations, true, &workload->arena, &bucket->duration_s));
    HS_TRY(fit_states(class, &workload->arena, bucket));
    double retries = (double)class->retries / (double)class->jobs;
    /* only failed jobs are made again; what is written is rounded */
    bucket->retries = fmin(retries, workload->retries.max * failed_share(bucket) * (1 - ROUNDED));
    return HS_OK;
}

enum hs_status hs_fit_sizes_finish(const struct hs_fit_sizes *sizes, struct hs_workload *workload,
                                   uint32_t *bucket_of)
{
    uint32_t most = sizes->retries_max;
    workload->buckets =
        hs_arena_alloc(&workload->arena, HS_FIT_CLASSES * sizeof *workload->buckets);
    if (workload->buckets == NULL)
        return HS_E_MEMORY;
    if (sizes->failures.count > 0) {
        workload->retries.max = most < HS_WORKLOAD_RETRIES_MAX ? most : HS_WORKLOAD_RETRIES_MAX;
        HS_TRY(hs_fit_curve(&sizes->failures, false, &workload->arena, &workload->retries.time_s));
    }
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++) {
        bucket_of[c] = UINT32_MAX;
        if (sizes->classes[c].jobs == 0)
            continue;
        bucket_of[c] = workload->bucket_count;
        HS_TRY(fit_bucket(sizes, c, workload, &workload->buckets[workload->bucket_count++]));
    }
    return HS_OK;
}

void hs_fit_sizes_free(struct hs_fit_sizes *sizes)
{
    for (uint32_t c = 0; c < HS_FIT_CLASSES; c++) {
        hs_free(sizes->classes[c].sizes);
        hs_loghist_free(&sizes->classes[c].durations);
        for (uint32_t o = 0; o < HS_OUTCOME_COUNT; o++)
            hs_loghist_free(&sizes->classes[c].of_outcome[o]);
    }
    hs_loghist_free(&sizes->failures);
    *sizes = (struct hs_fit_sizes){0};
}
