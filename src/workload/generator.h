/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stream of jobs of a workload: the same workload, request and seed give the same jobs. Number of
 * jobs and span are exact; with another number or span all jobs differ.
 *
 *     struct hs_generate_request q = {.name = "venus", .jobs = 100000, .seed = 1};
 *     HS_TRY(hs_generator_open(&g, &q, diag));
 *     while (hs_generator_next(g, &job) == HS_OK) ...
 */
#pragma once

#include "workload/workload.h"

#define HS_GENERATE_PREFIX   "gen:"
#define HS_GENERATE_TEXT_MAX 4096
#define HS_GENERATE_JOBS     10000 /* default without jobs and days */
#define HS_GENERATE_JOBS_MAX 1e12

struct hs_generate_request {
    const char *name; /* for hs_workload_load */
    uint64_t jobs;    /* 0: from days and rate */
    double days;   /* 0: from jobs and rate, whole days from four weeks on if load is 0. Rounded to
                      hours */
    double load;   /* 0: the rate of the workload, or jobs / days. Otherwise sets the rate so that
                      expected GPU time / (gpus x span) is this */
    uint64_t gpus; /* of the cluster; needed only for load, 0 = unknown */
    uint64_t seed;
};

struct hs_generator;

HS_MUST_USE enum hs_status hs_generator_open(struct hs_generator **generator,
                                             const struct hs_generate_request *request,
                                             struct hs_diag *diag);
/* HS_END after the last. Ids are 1, 2, ...; with retries in the workload failed jobs have
 * attempts. */
enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job);
struct hs_generator_about {
    uint64_t jobs, hours; /* total; span */
    uint64_t hash;        /* determines jobs, times and everything else */
    const struct hs_workload *workload;
};
const struct hs_generator_about *hs_generator_about(const struct hs_generator *generator);
void hs_generator_close(struct hs_generator *generator); /* NULL is allowed */

/* ---- jobs per hour ----
 * The rate is the profile of hours and weekdays, modulated, with exactly the requested number of
 * jobs. Hours are planned in blocks of four to eight weeks, in which every hour of the day and
 * every weekday has exactly its share of the rate, however much the rate varies: with modulations
 * as strong as in the traces, independent draws would miss the profile of a trace of 100,000 jobs
 * by several times the difference between neighbouring hours. For the same reason the rates of a
 * block are the quantiles of their distribution, each once, in random order. A span of less than
 * two weeks is the start of a block of two weeks. */

#define HS_ARRIVAL_BLOCK_DAYS  28
#define HS_ARRIVAL_BLOCK_HOURS (2 * HS_ARRIVAL_BLOCK_DAYS * HS_WORKLOAD_HOURS) /* at most */

struct hs_arrival_rate {
    const struct hs_workload_arrivals *arrivals;
    uint64_t seed, jobs, hours; /* of the whole span */
    double weight;              /* of the profile over the span */
    double weight_done;
    uint64_t jobs_done; /* in previous blocks */
    uint32_t blocks, next_block;
    uint64_t first_hour;  /* of the block */
    uint32_t block_hours; /* those inside the span */
    uint32_t next;        /* next hour of the block */
    double quick, slow;   /* state of the modulation */
    double rates[HS_ARRIVAL_BLOCK_HOURS];
    uint32_t counts[HS_ARRIVAL_BLOCK_HOURS];
};

/* jobs and hours >= 1. */
void hs_arrival_rate_open(struct hs_arrival_rate *rate, const struct hs_workload_arrivals *arrivals,
                          uint64_t jobs, uint64_t hours, uint64_t seed);
/* Returns the next hour with jobs, from 0; false after the last. */
bool hs_arrival_rate_next(struct hs_arrival_rate *rate, uint64_t *hour, uint32_t *count);
