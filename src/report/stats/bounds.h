/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds that no scheduler can beat on this trace and cluster (src/MODEL.md, 10), computed while
 * jobs arrive.
 *
 * Capacity counts a GPU of type t as its scalar speed c_t. A job that runs at speed s_t there takes
 * c_t / s_t of it for each GPU-second of isolated work, so at least its work x min over t of c_t /
 * s_t: that is the work that counts here, the isolated one wherever no profile is faster than the
 * scalar.
 *
 * Makespan: whatever arrives from time a on must still be done after a, at most `capacity`
 * GPU-seconds a second: makespan >= max over arrivals of a + (work arriving from a on) / capacity;
 * and no job ends before its submission plus its isolated run time on the type that is fastest for
 * it. JCT: relax the cluster to one machine that does `capacity` GPU-seconds a second, ignoring
 * gangs and nodes; there SRPT minimises the sum of completion times (Schrage, Operations Research
 * 1968). A second bound is the mean isolated run time; the larger is reported. Wait: a schedule
 * without preemption whose jobs run exactly their isolated time has wait = JCT - isolated, so the
 * JCT bound gives one.
 *
 * All in integers: time is counted in 1/capacity of a microsecond, in which a GPU-microsecond of
 * work takes exactly one unit. Capacity is rounded up to whole GPUs of the reference speed, which
 * only loosens the bounds. O(log n) per job, memory O(jobs waiting in the relaxed machine).
 */
#ifndef HORUS_REPORT_STATS_BOUNDS_H
#define HORUS_REPORT_STATS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/observe.h"
#include "horus/trace.h"
#include "model/cluster.h"
#include "model/speed.h"

/* How fast a job runs on the GPU types of the cluster. */
struct hs_bounds_speed {
    uint64_t top_q32;  /* on the type that is fastest for it, at least 1 */
    uint64_t need_q32; /* least capacity taken per GPU-second of isolated work, at most 1 */
};

#define HS_BOUNDS_REJECTED   INT64_C(-1)
#define HS_BOUNDS_GPUS_BITS  22
#define HS_BOUNDS_MILLI_BITS 10

/* A job of the last instant: counted when time has moved on, unless it is rejected before. Small,
 * since a million may be submitted at once. */
struct hs_bounds_arrival {
    int64_t work_us; /* HS_BOUNDS_REJECTED: it does not count */
    uint32_t profile;
    uint32_t gpus : HS_BOUNDS_GPUS_BITS;
    uint32_t gpu_milli : HS_BOUNDS_MILLI_BITS;
};
_Static_assert(HS_JOB_GPUS_MAX >> HS_BOUNDS_GPUS_BITS == 0 &&
                   HS_GPU_MILLI >> HS_BOUNDS_MILLI_BITS == 0,
               "what a trace may say fits");

struct hs_bounds {
    const struct hs_cluster *cluster;
    const struct hs_speed *speed; /* NULL: the speeds of the cluster */
    uint64_t types;               /* bit per GPU type that some node has */
    uint64_t capacity;            /* reference GPUs */
    bool has_one_speed;           /* it is the same for all jobs */
    struct hs_bounds_speed one_speed;
    struct hs_bounds_arrival *arrivals; /* of the last instant */
    uint32_t arrival_count, arrivals_cap;
    uint64_t first_index; /* of the arrivals: their first, in the trace */
    int64_t submit_us;    /* their instant */
    int64_t first_submit_us;
    /* makespan */
    hs_i128 work_before;   /* units of all arrivals so far */
    hs_i128 makespan_lead; /* max of a x capacity - work before a */
    int64_t longest_end_us;
    /* relaxed machine */
    int64_t *left; /* min-heap: the units left of each job; the first is served */
    uint32_t left_count, left_cap;
    hs_i128 clock;        /* units */
    hs_u128 jct_sum;      /* units, mod 2^128: ends less submissions */
    hs_u128 isolated_sum; /* us on the fastest type */
    uint64_t jobs;
    bool has_late_rejection;
    double makespan_work_s, makespan_longest_s, mean_jct_s; /* results; NaN without jobs */
};

/* Both must outlive the bounds. */
void hs_bounds_open(struct hs_bounds *b, const struct hs_cluster *cluster,
                    const struct hs_speed *speed);
/* The next job of the trace is submitted; a job is rejected, which does not count at all if it was
 * submitted in the last instant. */
void hs_bounds_submit(struct hs_bounds *b, int64_t now_us, const struct hs_submission *job);
void hs_bounds_reject(struct hs_bounds *b, const struct hs_job_record *job);
/* Lets the relaxed machine run dry, and fills the results. */
void hs_bounds_finish(struct hs_bounds *b);
/* Mean JCT bound less `isolated`, the sum of the isolated run times in us; at least 0. */
double hs_bounds_mean_wait_s(const struct hs_bounds *b, hs_u128 isolated_us);
void hs_bounds_close(struct hs_bounds *b);

#endif
