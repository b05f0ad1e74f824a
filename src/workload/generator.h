/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs of a workload, as a stream: same workload, request and seed, same jobs. How many there are
 * and over what span is exact; a request of other jobs or another span makes other jobs.
 *
 *     struct hs_generate_request q = {.name = "venus", .jobs = 100000, .seed = 1};
 *     HS_TRY(hs_generator_open(&g, &q, diag));
 *     while (hs_generator_next(g, &job) == HS_OK) ...
 */
#pragma once

#include "workload/workload.h"

#define HS_GENERATE_PREFIX   "gen:"
#define HS_GENERATE_TEXT_MAX 4096
#define HS_GENERATE_JOBS     10000 /* where neither jobs nor days are given */

struct hs_generate_request {
    const char *name; /* of hs_workload_load */
    uint64_t jobs;    /* 0: as days and rate make them */
    double days;      /* 0: as jobs and rate make them, from four weeks on to whole days if load is
                         0. Rounded to hours */
    double load;      /* 0: the rate of the workload, or jobs / days. Else the rate at which
                         expected GPU time / (gpus x span) is this */
    uint64_t gpus;    /* of the cluster; only load asks for it, 0 = unknown */
    uint64_t seed;
};

/* "gen:philly,n=10000,days=7,load=0.8,gpus=64,seed=1", each after the name may be absent: fills the
 * request, and of it only what the text has, but for a seed of 1. Writes into text. */
HS_MUST_USE enum hs_status hs_generate_parse(struct hs_generate_request *request, char *text,
                                             struct hs_diag *diag);

struct hs_generator;

HS_MUST_USE enum hs_status hs_generator_open(struct hs_generator **generator,
                                             const struct hs_generate_request *request,
                                             struct hs_diag *diag);
/* HS_END past the last. Ids are 1, 2, ...; failed jobs of a workload with retries have attempts. */
enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job);
struct hs_generator_about {
    uint64_t jobs, hours; /* in all; span */
    uint64_t hash;        /* jobs, times and everything else follow from it */
    const struct hs_workload *workload;
};
const struct hs_generator_about *hs_generator_about(const struct hs_generator *generator);
void hs_generator_close(struct hs_generator *generator); /* NULL is fine */

/* ---- jobs an hour ----
 * The rate is the profile of hours and weekdays, modulated, with exactly the wanted number of jobs
 * in all. Hours are planned in blocks of four to eight weeks, in which every hour of the day and
 * every weekday gets its share of the rate exactly, however much the rate moves: with a modulation
 * as strong as the traces have, plain draws would miss the profile of a trace of 100,000 jobs by
 * several times the difference between neighbouring hours. For the same reason the rates of a block
 * are the quantiles of their distribution, each once; which hour gets which is random. A span of
 * less than two weeks is the begin of a block of two weeks. */

#define HS_ARRIVAL_BLOCK_DAYS  28
#define HS_ARRIVAL_BLOCK_HOURS (2 * HS_ARRIVAL_BLOCK_DAYS * HS_WORKLOAD_HOURS) /* at most */

struct hs_arrival_rate {
    const struct hs_workload_arrivals *arrivals;
    uint64_t seed, jobs, hours; /* of the whole span */
    double weight;              /* of the profile, over the span */
    double weight_done;
    uint64_t jobs_done; /* in the blocks so far */
    uint32_t blocks, next_block;
    uint64_t first_hour;  /* of the block */
    uint32_t block_hours; /* that lie in the span */
    uint32_t next;        /* of the block */
    double quick, slow;   /* state of the modulation */
    double rates[HS_ARRIVAL_BLOCK_HOURS];
    uint32_t counts[HS_ARRIVAL_BLOCK_HOURS];
};

/* jobs and hours >= 1. */
void hs_arrival_rate_open(struct hs_arrival_rate *rate, const struct hs_workload_arrivals *arrivals,
                          uint64_t jobs, uint64_t hours, uint64_t seed);
/* The next hour with jobs, from 0; false past the last. */
bool hs_arrival_rate_next(struct hs_arrival_rate *rate, uint64_t *hour, uint32_t *count);
