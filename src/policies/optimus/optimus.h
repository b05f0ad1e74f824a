/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of optimus share.
 */
#pragma once

#include "policies/lib/vc_queues.h"

/* Sizes at which the speed of a job was observed: those of its trials, and then the last ones that
 * it had. */
#define HS_OPTIMUS_SAMPLES 8u
#define HS_OPTIMUS_TERMS   3u

struct hs_optimus_fit {
    double term[HS_OPTIMUS_TERMS];     /* of 1 / speed(n): 1 / n, 1, n */
    double speed[HS_OPTIMUS_SAMPLES];  /* relative to that in isolation */
    uint16_t gpus[HS_OPTIMUS_SAMPLES]; /* of each */
    uint16_t trials, count;
    bool is_stale; /* a sample is newer than the fit */
};

enum hs_optimus_placement { HS_OPTIMUS_FILL, HS_OPTIMUS_EVEN };
enum hs_optimus_oracle { HS_OPTIMUS_KNOWS_ALL, HS_OPTIMUS_KNOWS_WORK, HS_OPTIMUS_KNOWS_NOTHING };
enum hs_optimus_compat { HS_OPTIMUS_OFF, HS_OPTIMUS_ADAPTDL };

struct hs_optimus {
    int32_t placement, compat, oracle;
    bool is_sticky;
    int64_t slot_us, restart_us, max_gpus, phase_us, trial_us;
    double young, error;           /* parameters up to here */
    struct hs_optimus_pool *pools; /* by VC */
    uint32_t pool_count;
    struct hs_job_place *heap;    /* of jobs that may get one GPU more, the largest gain first */
    struct hs_job_place *started; /* of jobs to place, fewest GPUs first */
    struct hs_optimus_room *rooms;
    struct hs_vc_queues cpu_jobs;
};

/* Nodes of most free GPUs first. */
struct hs_optimus_room {
    uint32_t node, gpus;
};

struct hs_optimus_pool {
    struct hs_job_chain jobs; /* by arrival */
    uint64_t count, holding;  /* jobs: all, and with GPUs */
    hs_job_id reached;        /* the last job that this slot looked at */
    int64_t boundary_us;      /* the next; -1: none, the pool is idle */
};

struct hs_optimus_scratch {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    struct hs_optimus_fit fit;
    double epochs; /* that it trains in all, fitted to the losses of those seen */
    uint32_t seen;
    int64_t since_us;     /* when it got the GPUs that it holds */
    double left_us;       /* predicted at this slot: work left, as run time on what it asks for */
    double time_us;       /* of that with the GPUs granted so far, */
    double next_us;       /* and with one more */
    uint32_t held;        /* GPUs */
    uint32_t granted;     /* of this slot */
    uint32_t least, most; /* that it can use */
    uint32_t type;        /* GPU type of most GPUs that it may use: its speeds count */
};

/* optimus_fit.c: what a job was seen to do. Replaces the sample of the same size, else, once there
 * is no room, the oldest that is no trial. */
void hs_optimus_observe(struct hs_optimus_fit *f, uint32_t gpus, double speed);
/* With n GPUs, fitted; > 0. */
double hs_optimus_speed(struct hs_optimus_fit *f, uint32_t gpus);
/* The curve, but its threshold, by 3 to HS_NNLS_ROWS_MAX losses > 0 and when they were seen. */
void hs_optimus_fit_loss(const double *at, const double *loss, uint32_t count,
                         struct hs_loss_curve *curve);
/* Predicted run time left on the requested GPUs, > 0: from the predicted work, or, under oracle=no,
 * from the epochs left that the losses of the finished ones suggest. */
double hs_optimus_left_us(const struct hs_optimus *o, const struct hs_view *v, hs_job_id job);

static inline struct hs_optimus_scratch *hs_optimus_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}
