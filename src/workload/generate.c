/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From plan to record: names, attempts. What is drawn here is keyed by the index of the job.
 */
#include "workload/generate.h"

#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/rng.h"
#include "workload/people.h"

#define S_PER_DAY  86400
#define WHOLE_DAYS 28 /* from here on a span that nobody asked for is of whole days */
#define JOBS_MAX   1e12
#define SPAN_MAX_S 9e9 /* 2^53 microseconds, about: what a trace can tell */

struct hs_generator {
    struct hs_workload workload;
    struct hs_workplan plan;
    struct hs_people people;
    uint64_t jobs, hours, hash, index;
    uint64_t retry_seed;
    double retried_again[HS_WORKLOAD_BUCKETS_MAX]; /* chance of each further retry */
    int64_t attempts_us[HS_WORKLOAD_RETRIES_MAX + 1];
    char id[HS_FMT_MAX + 1];
    struct hs_trace_job job; /* that the source handed out */
};

/* ---- what was asked for ---- */

static enum hs_status check_request(const struct hs_generate_request *q, struct hs_diag *diag)
{
    if (q->load > 0 && q->jobs > 0 && q->days > 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one of the three out",
                       "jobs and days say how many jobs a day there are, load says it too");
    if (q->load > 0 && q->gpus == 0)
        return hs_fail(
            diag, HS_E_USAGE, NULL,
            "-c CLUSTER says how many GPUs there are; gen:NAME,load=X,gpus=N says it itself",
            "an offered load needs a cluster");
    return HS_OK;
}

static enum hs_status settle(struct hs_generator *g, const struct hs_generate_request *q,
                             struct hs_diag *diag)
{
    double per_day = g->workload.arrivals.jobs_per_day, days = q->days, jobs = (double)q->jobs;
    HS_TRY(check_request(q, diag));
    if (q->load > 0)
        per_day = q->load * (double)q->gpus * S_PER_DAY / hs_workload_gpu_seconds(&g->workload);
    if (jobs == 0)
        jobs = days > 0 ? fmax(1, round(days * per_day)) : HS_GENERATE_JOBS;
    if (days == 0)
        days = jobs / per_day;
    if (q->days == 0 && q->load == 0 && days >= WHOLE_DAYS)
        days = round(days);
    double span_s = fmax(1, round(days * HS_WORKLOAD_HOURS)) * (S_PER_DAY / HS_WORKLOAD_HOURS);
    double first_s = (double)(g->workload.arrivals.first_us / HS_US_PER_S);
    if (jobs > JOBS_MAX || first_s + span_s > SPAN_MAX_S)
        return hs_fail(diag, HS_E_USAGE, NULL, "more jobs a day, or fewer jobs",
                       "%.0f jobs in %.0f days are beyond what a trace can tell", jobs, days);
    g->jobs = (uint64_t)jobs;
    g->hours = (uint64_t)(span_s * HS_WORKLOAD_HOURS / S_PER_DAY + 0.5);
    g->hash = hs_mix64(hs_mix64(hs_mix64(g->workload.hash, g->jobs), g->hours), q->seed);
    return HS_OK;
}

/* ---- retries ---- */

/* Retries of a failed job are geometric, cut at max: q + q^2 + ... + q^max is their mean. */
static double solve_again(double mean, uint32_t max)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double q = (low + high) / 2, sum = 0, power = 1;
        for (uint32_t k = 0; k < max; k++)
            sum += power *= q;
        *(sum < mean ? &low : &high) = q;
    }
    return high;
}

static void prepare_retries(struct hs_generator *g)
{
    const struct hs_workload *w = &g->workload;
    for (uint32_t b = 0; b < w->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &w->buckets[b];
        double failed = hs_bucket_state_share(bucket, HS_OUTCOME_FAILED);
        if (bucket->retries > 0)
            g->retried_again[b] = solve_again(bucket->retries / failed, w->retries.max);
    }
}

/* Times of the attempts that are followed by another; they leave the last one its part. */
static void give_attempts(struct hs_generator *g, struct hs_trace_job *job, uint32_t bucket)
{
    uint64_t key = hs_mix64(g->retry_seed, g->index);
    int64_t left_s = job->duration_us / HS_US_PER_S;
    uint32_t retries = 0, draws = 0;
    double times_s[HS_WORKLOAD_RETRIES_MAX], sum_s = 0;
    while (retries < g->workload.retries.max && retries + 1 < left_s &&
           hs_uniform_of(hs_mix64(key, draws++)) < g->retried_again[bucket]) {
        double rank = hs_uniform_of(hs_mix64(key, draws++));
        times_s[retries] = fmax(0, hs_curve_at(&g->workload.retries.time_s, rank) - 1);
        sum_s += times_s[retries++];
    }
    if (retries == 0)
        return;
    /* each takes a second, of the rest they leave the last one its part */
    double most_s = (double)(left_s - retries - 1) * retries / (retries + 1);
    double scale = sum_s > most_s ? most_s / sum_s : 1;
    for (uint32_t i = 0; i < retries; i++) {
        int64_t time_s = 1 + (int64_t)floor(times_s[i] * scale);
        g->attempts_us[i] = time_s * HS_US_PER_S;
        left_s -= time_s;
    }
    g->attempts_us[retries] = left_s * HS_US_PER_S;
    job->attempts_us = g->attempts_us;
    job->attempts = retries + 1;
}

/* ---- the stream ---- */

static enum hs_status prepare(struct hs_generator *g, const struct hs_generate_request *q,
                              struct hs_diag *diag)
{
    HS_TRY(hs_workload_load(&g->workload, q->name, diag));
    HS_TRY(settle(g, q, diag));
    g->retry_seed = hs_seed_of(q->seed, "workload-retries");
    prepare_retries(g);
    enum hs_status status = hs_workplan_open(&g->plan, &g->workload, g->jobs, g->hours, q->seed);
    if (status == HS_OK)
        status = hs_people_open(&g->people, &g->plan);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no memory for a generator of jobs");
    return HS_OK;
}

enum hs_status hs_generator_open(struct hs_generator **generator,
                                 const struct hs_generate_request *request, struct hs_diag *diag)
{
    struct hs_generator *g = hs_alloc_zeroed(1, sizeof *g);
    *generator = NULL;
    if (g == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for a generator of jobs");
    enum hs_status status = prepare(g, request, diag);
    if (status != HS_OK)
        hs_generator_close(g);
    else
        *generator = g;
    return status;
}

enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job)
{
    struct hs_generator *g = generator;
    const struct hs_workplan_job *planned = hs_workplan_next(&g->plan);
    if (planned == NULL)
        return HS_END;
    const struct hs_workplan_size *size = &g->plan.sizes[planned->size];
    g->index++;
    g->id[hs_fmt_u64(g->id, g->index)] = '\0';
    *job = (struct hs_trace_job){.id = g->id,
                                 .submit_us = g->workload.arrivals.first_us +
                                              planned->submit_s * HS_US_PER_S,
                                 .duration_us = planned->duration_s * HS_US_PER_S,
                                 .deadline_us = -1,
                                 .preempt_cost_us = -1,
                                 .gpus = size->size.gpus,
                                 .gpus_min = size->size.gpus,
                                 .gpus_max = size->size.gpus,
                                 .gpu_milli = size->size.gpu_milli,
                                 .gpu_util_pm = -1,
                                 .profile = HS_NO_PROFILE,
                                 .outcome = planned->outcome,
                                 .line = (int64_t)g->index};
    hs_people_of(&g->people, planned, &job->vc, &job->user);
    if (planned->outcome == HS_OUTCOME_FAILED && g->retried_again[size->bucket] > 0)
        give_attempts(g, job, size->bucket);
    return HS_OK;
}

static enum hs_status source_next(void *ctx, struct hs_trace_job **job)
{
    struct hs_generator *g = ctx;
    *job = &g->job;
    return hs_generator_next(g, *job);
}

struct hs_job_source hs_generator_source(struct hs_generator *generator)
{
    return (struct hs_job_source){.next = source_next, .ctx = generator};
}

uint64_t hs_generator_jobs(const struct hs_generator *generator)
{
    return generator->jobs;
}

uint64_t hs_generator_hours(const struct hs_generator *generator)
{
    return generator->hours;
}

uint64_t hs_generator_hash(const struct hs_generator *generator)
{
    return generator->hash;
}

const struct hs_workload *hs_generator_workload(const struct hs_generator *generator)
{
    return &generator->workload;
}

void hs_generator_close(struct hs_generator *generator)
{
    if (generator == NULL)
        return;
    hs_workplan_close(&generator->plan);
    hs_people_close(&generator->people);
    hs_workload_free(&generator->workload);
    hs_free(generator);
}
