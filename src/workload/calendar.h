/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many jobs are submitted in each hour of a span: the profile of hours and weekdays, modulated,
 * with exactly the wanted number of jobs in all.
 *
 * Hours are planned in blocks of four to eight weeks, in which every hour of the day and every
 * weekday gets its share of the rate exactly, however much the rate moves: with a modulation as
 * strong as the traces have, plain draws would miss the profile of a trace of 100,000 jobs by
 * several times the difference between neighbouring hours. For the same reason the rates of a block
 * are the quantiles of their distribution, each once; which hour gets which is random. A span
 * of less than two weeks is the begin of a block of two weeks.
 */
#ifndef HORUS_WORKLOAD_CALENDAR_H
#define HORUS_WORKLOAD_CALENDAR_H

#include "workload/keysort.h"
#include "workload/workload.h"

struct hs_calendar {
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
    double *rates;        /* of the block's hours */
    struct hs_keyed *ranks, *spare;
    uint32_t *counts;
};

/* jobs and hours >= 1. Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_calendar_open(struct hs_calendar *calendar,
                                            const struct hs_workload_arrivals *arrivals,
                                            uint64_t jobs, uint64_t hours, uint64_t seed);
/* The next hour with jobs, from 0; false past the last. */
bool hs_calendar_next(struct hs_calendar *calendar, uint64_t *hour, uint32_t *count);
void hs_calendar_close(struct hs_calendar *calendar);

#endif
