/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When jobs are submitted: how many in each hour of a span, and the second of each.
 *
 * The rate is the profile of hours and weekdays, modulated, with exactly the wanted number of jobs
 * in all. Hours are planned in blocks of four to eight weeks, in which every hour of the day and
 * every weekday gets its share of the rate exactly, however much the rate moves: with a modulation
 * as strong as the traces have, plain draws would miss the profile of a trace of 100,000 jobs by
 * several times the difference between neighbouring hours. For the same reason the rates of a block
 * are the quantiles of their distribution, each once; which hour gets which is random. A span of
 * less than two weeks is the begin of a block of two weeks.
 *
 * The jobs of an hour come in batches, in whole seconds.
 */
#ifndef HORUS_WORKLOAD_ARRIVAL_H
#define HORUS_WORKLOAD_ARRIVAL_H

#include "workload/workload.h"

/* ---- sorting and drawing ---- */

struct hs_keyed {
    uint64_t key, value;
};

/* Ascending by key; equal keys stay in order. spare has room for as many: the generator sorts every
 * few thousand jobs, and the library's qsort would ask for memory each time. O(count). */
void hs_keysort(struct hs_keyed *items, struct hs_keyed *spare, uint32_t count);
/* A key whose order is that of the numbers, none of them NaN. */
uint64_t hs_key_of(double number);
/* The first of the running sums that is above draw x their last; 0 <= draw < 1. O(log count). */
uint32_t hs_pick(const double *sums, uint32_t count, double draw);

/* ---- jobs an hour ---- */

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
    struct hs_keyed ranks[HS_ARRIVAL_BLOCK_HOURS], spare[HS_ARRIVAL_BLOCK_HOURS];
    uint32_t counts[HS_ARRIVAL_BLOCK_HOURS];
};

/* jobs and hours >= 1. */
void hs_arrival_rate_open(struct hs_arrival_rate *rate, const struct hs_workload_arrivals *arrivals,
                          uint64_t jobs, uint64_t hours, uint64_t seed);
/* The next hour with jobs, from 0; false past the last. */
bool hs_arrival_rate_next(struct hs_arrival_rate *rate, uint64_t *hour, uint32_t *count);

/* ---- submissions ---- */

struct hs_arrival {
    const struct hs_workload_batches *batches;
    struct hs_arrival_rate rate;
    uint64_t seed;
    uint64_t key, hour;            /* of the hour */
    uint32_t left;                 /* jobs of the hour that are still to come */
    uint32_t batches_left;         /* of the hour */
    uint32_t batch;                /* number in the hour */
    uint32_t members_left, member; /* of the batch; number of the last one */
    double gap_scale;              /* gaps shrink where the hour is too short for them */
    double free_s;                 /* of the hour, between batches */
    double free_part;              /* of that, before the batch */
    double gaps_s;                 /* within batches so far */
};

void hs_arrival_open(struct hs_arrival *arrival, const struct hs_workload_arrivals *arrivals,
                     uint64_t jobs, uint64_t hours, uint64_t seed);
/* Seconds from the first midnight, not falling; batch: random bits of its own. False past the last
 * job. O(1). */
bool hs_arrival_next(struct hs_arrival *arrival, int64_t *submit_s, uint64_t *batch);

#endif
