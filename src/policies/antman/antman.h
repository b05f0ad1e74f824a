/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of AntMan (README.md says what it does):
 *
 *     antman.c        tenants and quotas, conversion and upgrade; events, one decision
 *     antman_place.c  GPUs of guaranteed jobs, reservations; GPUs of opportunistic jobs
 *     antman_local.c  the coordinator of each GPU: caps and memory limits
 *
 * A GPU has an owner, a guaranteed job, and guests, the opportunistic jobs on it. Sums are updated
 * while the plan is written, so that each part sees what the others have decided. Links to jobs and
 * GPUs are numbers + 1, so that zeroed state is empty.
 */
#ifndef HORUS_POLICIES_ANTMAN_ANTMAN_H
#define HORUS_POLICIES_ANTMAN_ANTMAN_H

#include "policies/lib/allocation_map.h"
#include "policies/lib/capacity_tree.h"
#include "policies/lib/vc_queues.h"

#define HS_ANTMAN_GUESTS_MOST 16 /* guests of one GPU whose memory is shared out */
#define HS_ANTMAN_CHUNKS_MOST 20 /* chunks of a job's peak memory */

enum hs_antman_role {
    HS_ANTMAN_NONE,
    HS_ANTMAN_QUEUED,        /* waits for quota, in the queue of its tenant */
    HS_ANTMAN_RESERVING,     /* is charged to its quota, waits for GPUs */
    HS_ANTMAN_GUARANTEED,    /* placed, owner of its GPUs */
    HS_ANTMAN_WAITING,       /* waits to be placed as an opportunistic job */
    HS_ANTMAN_OPPORTUNISTIC, /* placed as one */
};

/* Scratch of a job. */
struct hs_antman_job {
    struct hs_job_queue_link link;  /* of its queue, by role */
    struct hs_job_queue_link other; /* of class `auto`: in `autos` or `upgradable` */
    uint32_t util_pm;
    uint32_t peak_mib, least_mib;           /* of its GPU memory; 0: not known */
    uint32_t limit_mib;                     /* in force; 0 = none */
    uint32_t old_limit_mib, old_usable_mib; /* limit, and memory within it, before this decision */
    uint32_t cap_steps;                     /* of the cap in force */
    uint32_t first_allocation;
    uint32_t reserved_count; /* GPUs reserved for it */
    uint32_t next_review;    /* next of `first_review` */
    enum hs_antman_role role : 8;
    bool is_reviewed : 1;
    bool is_new : 1;          /* placed in this decision */
    bool has_grown : 1;       /* it needs more memory than at its start */
    bool needs_more : 1;      /* it has just come to need more memory */
    bool has_surged : 1;      /* an owner beyond its limit, to the end of its mini-batch */
    bool is_step_awaited : 1; /* that end */
};

/* All 0 at first, so that GPUs that were never used cost no memory. */
struct hs_antman_gpu {
    uint32_t owner;    /* 0 = none */
    uint32_t reserved; /* for this guaranteed job; 0 = none */
    uint32_t guests;
    uint32_t guest_pm;         /* sum of their utilizations */
    uint64_t least_mib;        /* and of the least memory that they need */
    uint32_t steps, most;      /* of the caps of guests: now, and at most */
    int64_t since_us;          /* start of its clock: when the owner came */
    int64_t tick_us;           /* of the timer that is set; 0 = none */
    int64_t known_us;          /* from when on the window covers all jobs that are there */
    int64_t changed_us;        /* last change of its utilization */
    uint32_t next_coordinated; /* next of `first_coordinated` */
    bool is_unsettled;         /* changed within the window */
    bool is_coordinated;
};

struct hs_antman_tenant {
    struct hs_job_queue queue;
    struct hs_job_queue upgradable; /* opportunistic jobs of class `auto` */
    uint64_t quota, charged;        /* GPUs */
    int64_t round, waiting_round;   /* of its last job */
    bool is_blocked;                /* in this pass */
};

struct hs_antman {
    /* parameters */
    double util_thr, step, mem_chunk;
    int64_t window_us, tick_us, init_us, conv_wait_us;
    double shrink_ms_per_gb, growth_ms_per_gb;
    int64_t host_gb;
    bool has_ramp;
    /* state */
    int64_t host_mib;
    uint32_t thr_pm, step_pm, full_steps, chunks;
    struct hs_antman_gpu *gpus;
    uint32_t *open;       /* per node: GPUs without owner and reservation, */
    uint32_t *reserved;   /* and those that are reserved */
    uint32_t *node_taken; /* per node: GPUs chosen for the gang that is being placed; else 0 */
    bool *is_freed;       /* per node: it is in `freed`: */
    uint32_t *freed;      /* nodes where a GPU may have become usable since the last pass */
    uint32_t *looked;     /* scratch: those that are looked at now */
    uint32_t *chosen;     /* GPUs of that gang */
    uint32_t *node_gpus;  /* scratch: usable GPUs of one node, cheapest first */
    uint32_t *due;        /* GPUs whose tick is now */
    uint32_t due_count, gpu_count, chosen_count, freed_count;
    uint64_t open_gpus, reserved_gpus;
    struct hs_antman_tenant *tenants;
    uint32_t tenant_count;
    struct hs_job_queue reserving, waiting, autos;
    int64_t round, waiting_round; /* of the last job that was served */
    int64_t reservations;         /* made so far: their order */
    struct hs_allocation_map allocations;
    struct hs_capacity_tree candidates;     /* GPUs by load, for opportunistic jobs */
    uint32_t *unsettled, unsettled_count;   /* GPUs */
    uint32_t first_coordinated;             /* list of GPUs to be coordinated */
    uint32_t first_review;                  /* list of jobs whose cap and limit may change */
    int64_t sample_at_us, conversion_at_us; /* of the last timers set */
    bool is_woken;                          /* a job came or left */
    bool is_sampled;                        /* it is time to look at utilizations */
};

/* One decision. */
struct hs_antman_pass {
    struct hs_antman *s;
    const struct hs_view *v;
    struct hs_plan *p;
    int64_t now_us;
};

static inline struct hs_antman_job *hs_antman_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* A guest comes to the GPU (1), or leaves it (-1). */
static inline void hs_antman_count_guest(struct hs_antman_gpu *g, const struct hs_antman_job *j,
                                         int times)
{
    g->guests += (uint32_t)times;
    g->guest_pm += (uint32_t)times * j->util_pm;
    g->least_mib += (uint64_t)times * j->least_mib;
}

/* ---- antman_place.c ---- */

/* Starts the job on the chosen GPUs. */
void hs_antman_start(const struct hs_antman_pass *x, hs_job_id job, enum hs_antman_role role);
/* Chooses GPUs for a guaranteed job; false: too few are usable. before: so many GPUs are reserved
 * for jobs that come before it; those of others it may take. */
bool hs_antman_place(const struct hs_antman_pass *x, hs_job_id job, uint64_t before);
/* Reserves all GPUs that it could use. */
void hs_antman_reserve(const struct hs_antman_pass *x, hs_job_id job, uint64_t before);
void hs_antman_unreserve(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* More GPUs of the node may be usable for guaranteed jobs. */
void hs_antman_note_freed(struct hs_antman *s, uint32_t node);
/* owner: job + 1; 0 = none. */
void hs_antman_set_owner(struct hs_antman *s, const struct hs_view *v, uint32_t gpu,
                         uint32_t owner);
/* Utilization an opportunistic job adds: the size by which `waiting` is searched. */
uint32_t hs_antman_need_pm(const struct hs_view *v, hs_job_id job, bool *is_constrained);
/* Starts opportunistic jobs. */
void hs_antman_fill(const struct hs_antman_pass *x);
/* The utilization of the GPU changes now, or which jobs may join it. */
void hs_antman_unsettle(struct hs_antman *s, const struct hs_view *v, uint32_t gpu);
const char *hs_antman_check_gpus(const struct hs_antman *s, const struct hs_view *v);

/* ---- antman_local.c ---- */

/* Caps in steps, the same for all guests of a GPU. Utilizations and steps are per mille.
 * Steps that make a cap of 1; the last one may be short. */
uint32_t hs_antman_full_steps(uint32_t step_pm);
/* Q32, rounded down: k steps of 0.1 are never more than k / 10. */
uint64_t hs_antman_cap_q32(uint32_t step_pm, uint32_t steps);
/* The most steps at which cap x guest_pm is within what the owner's utilization leaves. */
uint32_t hs_antman_most_steps(uint32_t step_pm, uint32_t owner_pm, uint32_t guest_pm);

struct hs_antman_share {
    uint32_t least_mib, peak_mib; /* least <= peak */
    uint32_t given_mib;           /* the result */
};
/* Speed of job i under a limit > 0, Q32. */
typedef uint64_t hs_antman_speed_q32(const void *ctx, uint32_t i, uint32_t limit_mib);
/* Splits room_mib among guests so that the sum of their speeds is large; chunks: in a peak. At most
 * room_mib in all, unless the least alone are more. */
void hs_antman_split(struct hs_antman_share *shares, uint32_t count, uint32_t room_mib,
                     uint32_t chunks, hs_antman_speed_q32 *speed_of, const void *ctx);

/* Memory for a new job: the guests there shrink to the least if they must. */
void hs_antman_make_room(const struct hs_antman_pass *x, uint32_t gpu, uint32_t mib);
/* Sets the limit; 0: none. */
void hs_antman_limit(const struct hs_antman_pass *x, hs_job_id job, uint32_t mib);
/* The GPU is to be coordinated, or the job reviewed, in this decision or the next. */
void hs_antman_touch(struct hs_antman *s, uint32_t gpu);
void hs_antman_review(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* The job is gone. */
void hs_antman_forget(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* A job came to the GPU: the ramp of its guests begins anew. */
void hs_antman_begin_ramp(const struct hs_antman_pass *x, uint32_t gpu);
/* The owner has come less than `init` ago, and guests make way. */
bool hs_antman_is_settling(const struct hs_antman *s, const struct hs_antman_gpu *g,
                           int64_t now_us);
/* Kills jobs whose memory has grown beyond device and host; true if there are any. */
bool hs_antman_kill(const struct hs_antman_pass *x);
/* Writes caps and limits, after all jobs are placed. */
void hs_antman_coordinate(const struct hs_antman_pass *x);

#endif
