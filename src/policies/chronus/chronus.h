/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of chronus share. Numbers of leases count from the epoch of the trace: lease i is
 * the time from i to i + 1 times the length of a lease.
 */
#pragma once

#include "policies/lib/preempt_select.h"
#include "policies/lib/vc_queues.h"

#define HS_CHRONUS_LEASES 2048 /* how far plans reach: 28 days in leases of 20 minutes */
#define HS_CHRONUS_WORDS  (HS_CHRONUS_LEASES / 64)

enum hs_chronus_objective { HS_CHRONUS_ADAPTIVE, HS_CHRONUS_MAXIMISE, HS_CHRONUS_MINIMISE };
enum hs_chronus_solver { HS_CHRONUS_GREEDY, HS_CHRONUS_MILP };
enum hs_chronus_spot { HS_CHRONUS_AT_TICKS, HS_CHRONUS_AT_EVENTS };

/* Levels of waiting jobs, in the order in which they get GPUs, and classes of those that have some
 * without a lease. At the boundary of a lease the two are one order. At ticks forced jobs keep
 * their GPUs, and only these evict others, whose levels begin at HELD. */
enum hs_chronus_level {
    HS_CHRONUS_LEASED,
    HS_CHRONUS_FORCED, /* not accepted, but done before the boundary if it starts now */
    HS_CHRONUS_HELD,
    HS_CHRONUS_OPEN = HS_CHRONUS_HELD + 3, /* of the best effort, or not accepted */
    HS_CHRONUS_ACCEPTED,
    HS_CHRONUS_HOPELESS, /* its deadline cannot be met any more */
    HS_CHRONUS_LEVELS,
    HS_CHRONUS_PARKED = HS_CHRONUS_LEVELS, /* not looked at: waits for its admission or a lease */
};
#define HS_CHRONUS_CLASSES 4 /* forced jobs, and those from OPEN on */

enum hs_chronus_state {
    HS_CHRONUS_IS_FREE,    /* without a deadline */
    HS_CHRONUS_IS_FRESH,   /* waits for its admission */
    HS_CHRONUS_IS_RECENT,  /* accepted since the last boundary */
    HS_CHRONUS_IS_PLANNED, /* accepted before */
    HS_CHRONUS_IS_UNACCEPTED,
    HS_CHRONUS_IS_HOPELESS,
    HS_CHRONUS_STATES,
};

struct hs_chronus {
    int32_t objective, solver, spot, compat;
    int64_t lease_us, tick_us, checkpoint_us, resume_us, iterations;
    double margin, tolerance;
    struct hs_estimate_choice estimate; /* parameters up to here */
    struct hs_chronus_pool *pools;      /* by VC */
    uint32_t pool_count;
    struct hs_job_place *batch; /* of jobs to place */
    struct hs_vc_queues cpu_jobs;
};

struct hs_chronus_pool {
    uint64_t gpus, jobs;
    struct hs_job_chain chains[HS_CHRONUS_STATES];
    struct hs_job_queue waiting[HS_CHRONUS_LEVELS + 1];
    struct hs_running_class spot[HS_CHRONUS_CLASSES]; /* jobs without a lease, and their GPUs */
    uint64_t spot_gpus[HS_CHRONUS_CLASSES];
    uint64_t *used;   /* GPUs planned, by lease modulo HS_CHRONUS_LEASES */
    int64_t timer_us; /* the last one that was set */
    bool is_woken;    /* a job came or went since the last tick, */
    bool is_freed;    /* went at this instant, */
    bool is_odd;      /* or came or went since the last odd minute (compat) */
};

struct hs_chronus_scratch {
    struct hs_choice_link link; /* in a waiting queue or one of jobs on spot GPUs */
    struct hs_job_chain_link chain;
    enum hs_chronus_state state;
    enum hs_chronus_level level;
    bool is_leased; /* has a lease now */
    bool is_forced;
    bool is_free;   /* in the program that is being solved */
    uint32_t gpus;  /* as they count in leases */
    uint32_t need;  /* leases */
    int64_t due_us; /* its deadline; of several the one it is accepted for, else the last */
    int64_t end;    /* number of the first lease too late for it */
    uint64_t plan[HS_CHRONUS_WORDS], tried[HS_CHRONUS_WORDS]; /* sets of leases, like used */
};

static inline struct hs_chronus_scratch *hs_chronus_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static inline hs_job_id hs_chronus_next(const struct hs_view *v, hs_job_id job)
{
    return hs_chronus_of(v, job)->chain.after;
}

/* ---- leases (chronus_lease.c) ---- */

/* GPUs of a gang as they count in leases: 1, 2, 4, .. up to a node, then whole nodes. */
uint32_t hs_chronus_gpus(uint32_t gpus, uint32_t node_gpus);
/* What a restart costs such a gang. */
int64_t hs_chronus_cost_us(const struct hs_chronus *o, uint32_t gpus);
/* What a job has left to do, with costs that it has to pay, as predicted. */
int64_t hs_chronus_left_us(const struct hs_chronus *o, const struct hs_view *v, hs_job_id job);
/* Puts a job into the chain of another state; leases planned for it are free again, unless it stays
 * accepted. */
void hs_chronus_move(struct hs_chronus_pool *pool, const struct hs_view *v, hs_job_id job,
                     enum hs_chronus_state state);
/* A fresh job is accepted, if the plan has room for it by its deadline, or unaccepted. */
void hs_chronus_admit(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v, hs_job_id job);
/* At a boundary: the plan anew, and which jobs have a lease from now on. */
void hs_chronus_renew(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v);
