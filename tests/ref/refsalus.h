/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of salus on one GPU: admission by memory into lanes, iterations that are never
 * interrupted, and the order of turns within a lane. Written from the policy text alone (3.1 to
 * 3.3). Lanes do not slow each other.
 *
 *     struct salus_job jobs[] = {{.work_us = 100, .tau_us = 10, .declared_us = 100, ...}};
 *     struct salus_rules rules = {.rule = SALUS_RR, .lanes = SALUS_ONE, .capacity_mib = 16000};
 *     bool all_done = salus_simulate(&rules, jobs, 1, horizon_us);
 *
 * Readings of the text where it leaves room:
 *   - At one instant, first the iterations that end are counted and jobs that are done leave, then
 *     the waiting jobs are considered, once, in order of submission; a job that is admitted, or has
 *     started up, enters the queue of its lane before those whose iteration has just ended do (3.7:
 *     at equal time an arrival enters the queue before the finishing job's next iteration).
 *   - Equal GPU time (fair) and equal counts (rr): by place in the queue; S5 requires this. Equal
 *     remaining times (srtf): by submission, then row.
 *   - srtf and fair do not conserve work: while the next session starts up, the lane is idle.
 *   - The counts of rr are set back when a job has started up: from then on the shares are equal.
 *   - The paper's lanes: of equal lanes that of the lower number, where a new lane has the lowest
 *     that is free; only lanes smaller than asked for grow; a lane keeps its size until it is
 *     empty.
 *   - One lane: all persistent memory and the largest of the rests are at most the GPU.
 *   - A last iteration that is shorter ends when the job is done.
 */
#ifndef HORUS_TESTS_REFSALUS_H
#define HORUS_TESTS_REFSALUS_H

#include <stdbool.h>
#include <stdint.h>

enum salus_rule { SALUS_FIFO, SALUS_SRTF, SALUS_PACK, SALUS_FAIR, SALUS_RR };
enum salus_lanes { SALUS_PAPER, SALUS_CODE, SALUS_ONE };

#define SALUS_JOBS_MAX 32

struct salus_rules {
    enum salus_rule rule;
    enum salus_lanes lanes; /* unused under SALUS_FIFO */
    int64_t capacity_mib;   /* of the GPU, less what is reserved */
    /* persistent memory times the one, all of it times the other, per mille; at most the GPU */
    int64_t inflate_persistent_pm, inflate_total_pm;
    int64_t startup_us;
    int64_t poll_us; /* SALUS_FIFO: a job starts at a multiple of it; 0 = at once */
    int max_sessions;
};

struct salus_job {
    /* in; in order of submission */
    int64_t submit_us, work_us, tau_us, declared_us;
    int64_t persistent_mib, peak_mib; /* 0, 0: unknown */
    /* out */
    int64_t start_us, finish_us; /* of its admission; -1 = never */
    bool is_rejected;            /* larger than the GPU */
};

/* False if the jobs are not all done by the horizon. */
bool salus_simulate(const struct salus_rules *rules, struct salus_job *jobs, int count,
                    int64_t horizon_us);

#endif
