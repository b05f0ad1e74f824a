/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference simulator of the policies that share GPUs (horus, pack, gandiva-like,
 * colocate-fifo): slow and plain, written from MODEL.md 1, 4, 5 and 8, the policy texts 2.3, 3 and
 * 4 and the public headers alone. It keeps nothing that it can compute: at every instant it
 * computes every rate, every sum over a GPU and every order of the queue anew.
 *
 *     struct share_scenario s = {.job_count = 2, .jobs = {...}, .node_count = 1, ...};
 *     share_play(&s);            // fills the outcome of each job, and segments
 *
 * Physics: beside co-runners, however many, a job runs 1 / slowdown as fast; a gang at its slowest
 * GPU. A start on a GPU whose true memory is exceeded is killed after oom_delay unless there is
 * room before; the attempt is lost, the job waits again with an estimate of at least 5/4 of the
 * truth, and shares no more after oom_retries.
 * Readings of the text where it leaves room:
 *   - An instant is: what ends (finish or out of memory, by trace index), submissions, one pass; it
 *     is repeated while the pass lets a job end at the same time.
 *   - A job that did not fit is safe once there is room on all its GPUs, at the end of an instant
 *     or at the moment of the kill.
 *   - A job that was killed waits at the place of its submission.
 *   - Jobs may use the GPUs of their type, if they name one, that have the memory they need in
 *     truth (view.h, hs_view_is_constrained); if those are too few they are rejected.
 */
#ifndef HORUS_TESTS_REFSHARE_H
#define HORUS_TESTS_REFSHARE_H

#include "refplace.h"
#include "refwork.h"

#define SHARE_JOBS_MAX     16
#define SHARE_TYPES_MAX    4
#define SHARE_SEGMENTS_MAX 256

enum share_order {
    SHARE_WINDOW_UTIL,   /* horus: the first look_ahead by u; the first of them that fits */
    SHARE_WINDOW_SUBMIT, /* horus, order=fifo: by submission */
    SHARE_STRICT,        /* by submission, stop at the first that does not fit */
    SHARE_FIT,           /* by submission, skip it */
};

struct share_job {
    /* in */
    int64_t submit_us, duration_us; /* in order of submission, the first at 0 */
    int gpus;
    int type;              /* the only one it may use; -1 = any */
    int util_pm, peak_pm;  /* predicted; -1 = unknown */
    int64_t predicted_mib; /* predicted memory; 0 = unknown */
    int64_t mem_mib;       /* true memory */
    /* out; times -1 = never */
    int64_t start_us, end_us, lost_ns;
    int ooms;
    bool is_rejected;
    /* state */
    bool is_submitted, is_placed, is_over;
    hs_u128 done;
    int64_t since_us, oom_us; /* of the placement */
    int64_t placing;          /* number of the placement, in order of time */
    int held[PLACE_GPUS_MAX]; /* ascending */
    int most_tenants;
};

struct share_segment {
    int job;
    int64_t start_us, end_us, done_ns;
    int gpus[PLACE_GPUS_MAX], gpu_count;
    int most_tenants; /* on one of its GPUs, itself included */
    bool is_oom;      /* ended by it, not by the end of the job */
};

struct share_scenario {
    int node_count, node_gpus[PLACE_NODES_MAX], node_type[PLACE_NODES_MAX],
        node_rack[PLACE_NODES_MAX];
    int64_t type_mem_mib[SHARE_TYPES_MAX]; /* of a GPU; 0 = not stated */
    uint64_t type_speed_q32[SHARE_TYPES_MAX];
    uint64_t slowdown_q20;
    int64_t oom_delay_us;
    int oom_retries;
    struct place_rules rules;
    enum share_order order;
    int look_ahead;
    int job_count;
    struct share_job jobs[SHARE_JOBS_MAX];
    int64_t placings; /* so far */
    /* out, in order of their end */
    int segment_count;
    struct share_segment segments[SHARE_SEGMENTS_MAX];
};

void share_play(struct share_scenario *s);

#endif
