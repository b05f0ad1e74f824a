/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The AntMan policy (see README.md). Files:
 *
 *     antman.c        tenants and quotas, conversion and upgrade; the coordinator of each GPU: caps
 *                     and memory limits; events, one decision
 *     antman_place.c  GPUs of guaranteed jobs, reservations; GPUs of opportunistic jobs; checks
 *     antman_muri.c   compat=muri, another policy over the same state
 *
 * A GPU has an owner, which is a guaranteed job, and guests, which are opportunistic jobs. Sums are
 * updated while the plan is written, so that each part considers the decisions before it. Links to
 * jobs and GPUs are numbers + 1, so that a zeroed state is empty.
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/capacity_tree.h"
#include "policies/lib/vc_queues.h"

enum hs_antman_role {
    HS_ANTMAN_NONE,
    HS_ANTMAN_QUEUED,        /* waits for quota, in the queue of its tenant */
    HS_ANTMAN_RESERVING,     /* charged to its quota, waits for GPUs */
    HS_ANTMAN_GUARANTEED,    /* placed, owner of its GPUs */
    HS_ANTMAN_WAITING,       /* waits to be placed as an opportunistic job */
    HS_ANTMAN_OPPORTUNISTIC, /* placed as an opportunistic job */
};

/* The scratch record of a job. */
struct hs_antman_job {
    struct hs_job_queue_link link;  /* in the queue of its role */
    struct hs_job_queue_link other; /* of class `auto`: in `autos` or `upgradable` */
    uint32_t util_pm;
    uint32_t peak_mib, least_mib;           /* of its GPU memory; 0: unknown */
    uint32_t limit_mib;                     /* current memory limit; 0 = none */
    uint32_t old_limit_mib, old_usable_mib; /* before this decision */
    uint32_t cap_steps;                     /* its current cap */
    uint32_t first_allocation;
    uint32_t reserved_count; /* number of GPUs reserved for it */
    uint32_t next_review;    /* successor in the list `first_review` */
    uint32_t node;           /* compat=muri: number + 1 of that which it waits for */
    uint64_t rate_q32;       /* compat=muri: until this event */
    enum hs_antman_role role : 8;
    bool is_reviewed : 1;
    bool is_new : 1;          /* placed in this decision */
    bool has_grown : 1;       /* it needs more memory than at its start */
    bool needs_more : 1;      /* its demand has just grown */
    bool has_surged : 1;      /* owner over its limit until the end of its mini-batch */
    bool is_step_awaited : 1; /* that end is awaited */
    bool is_alone : 1;        /* it shares no GPU */
    uint32_t kind : 11;       /* while it waits: number of its kind */
};

/* Initially all 0, so that the pages of unused GPUs occupy no memory. */
struct hs_antman_gpu {
    uint32_t owner;    /* 0 = none */
    uint32_t reserved; /* guaranteed job it is reserved for; 0 = none */
    uint32_t guests;
    uint32_t guest_pm;         /* sum of their utilizations */
    uint64_t least_mib;        /* sum of the least memory they need */
    double load;               /* compat=muri */
    uint32_t steps, most;      /* caps of guests: current and highest allowed */
    int64_t since_us;          /* when its ramp began: arrival of the owner */
    int64_t tick_us;           /* time of the timer set; 0 = none */
    int64_t known_us;          /* from then on the window covers all present jobs */
    int64_t changed_us;        /* last change of its utilization */
    uint32_t next_coordinated; /* successor in the list `first_coordinated` */
    bool is_unsettled;         /* changed within the window */
    bool is_coordinated;
};

/* Waiting jobs of equal gang size and least memory. With many kinds both are rounded down to powers
 * of two for the kinds made from then on, at most 33 x 33. */
#define HS_ANTMAN_KINDS 2048u
struct hs_antman_kind {
    struct hs_job_queue jobs;
    uint32_t least_gpus, least_mib;
    uint64_t limit; /* jobs that add this util_pm or more find no GPUs */
    bool is_used;
};
struct hs_antman_kinds {
    struct hs_antman_kind of[HS_ANTMAN_KINDS]; /* by a hash of size and memory */
    uint32_t used[HS_ANTMAN_KINDS];            /* numbers of those that ever had a job */
    uint32_t used_count;
    uint32_t jobs;                               /* of all kinds */
    struct hs_merge_head heads[HS_ANTMAN_KINDS]; /* scratch */
};

/* Utilizations that no sum reaches: what a GPU without jobs has left, and a job that must be alone
 * demands; what one without an owner has left. */
#define HS_ANTMAN_WHOLE   (UINT32_MAX - 1)
#define HS_ANTMAN_UNOWNED (UINT32_MAX - 2)

struct hs_antman_tenant {
    struct hs_job_queue queue;
    struct hs_job_queue upgradable; /* opportunistic jobs of class `auto` */
    uint64_t quota, charged;        /* GPUs */
    int64_t round, waiting_round;   /* round of its last job */
    uint32_t waiting;               /* number of its opportunistic jobs that wait */
    bool is_blocked;                /* no more of its jobs fit in this pass */
};

struct hs_antman {
    /* parameters */
    double util_thr, step, mem_chunk;
    int64_t window_us, tick_us, init_us, conv_wait_us;
    double shrink_ms_per_gb, growth_ms_per_gb;
    int64_t host_gb;
    int32_t types;  /* enum hs_place_types */
    int32_t compat; /* 1: muri */
    bool has_ramp;
    /* state */
    const struct hs_view *v;
    struct hs_plan *p; /* of the current decision */
    int64_t now_us, host_mib, shrink_ns_per_gb, growth_ns_per_gb;
    uint32_t thr_pm, step_pm, full_steps, chunks;
    struct hs_antman_gpu *gpus;
    uint32_t *open;       /* per node: GPUs without owner and reservation */
    uint32_t *reserved;   /* per node: reserved GPUs */
    uint32_t *node_taken; /* per node: GPUs chosen for the gang being placed; else 0 */
    bool *is_freed;       /* per node: listed in `freed` */
    uint32_t *freed;      /* nodes where a GPU may have become usable since the last pass */
    uint32_t *looked;     /* scratch: the nodes considered in this pass */
    uint32_t *chosen;     /* the GPUs chosen for the gang */
    uint32_t *node_gpus;  /* scratch: usable GPUs of one node, cheapest first */
    uint32_t *due;        /* GPUs whose tick is due */
    uint32_t due_count, gpu_count, chosen_count, freed_count;
    uint64_t open_gpus, reserved_gpus;
    struct hs_antman_tenant *tenants;
    uint32_t tenant_count;
    struct hs_job_queue reserving, autos;
    struct hs_antman_kinds *kinds; /* of waiting opportunistic jobs */
    int64_t round, waiting_round;  /* round of the last job served */
    int64_t reservations;          /* number made so far: the key of their order */
    struct hs_allocation_map allocations;
    struct hs_map_entry *entries;           /* entries of the map */
    struct hs_capacity_tree candidates;     /* GPUs by load, for opportunistic jobs */
    uint32_t *unsettled, unsettled_count;   /* GPUs */
    uint32_t first_coordinated;             /* list of GPUs to coordinate */
    uint32_t first_review;                  /* list of jobs whose cap and limit may change */
    int64_t sample_at_us, conversion_at_us; /* times of the last timers set */
    bool is_woken;                          /* a job arrived or left */
    bool has_gained; /* a waiting job may find GPUs that it did not find in the last pass */
    bool is_sampled; /* a sample of utilizations is due */
    struct hs_job_queue waiting;  /* compat=muri */
    struct hs_job_queue placed;   /* compat=muri: jobs that hold GPUs */
    struct hs_job_place *by_load; /* compat=muri, scratch: GPUs */
    int64_t decided_us;           /* compat=muri: time of the last decision */
};

static inline struct hs_antman_job *hs_antman_job(const struct hs_antman *s, hs_job_id job)
{
    return hs_view_scratch(s->v, job);
}

/* ---- antman_place.c ---- */

/* Starts a guaranteed job that is charged to its quota, or reserves all GPUs that it could use.
 * before: number of GPUs reserved for earlier jobs; it may take those reserved for later jobs. */
void hs_antman_place_or_reserve(struct hs_antman *s, hs_job_id job, uint64_t before);
/* Serves jobs with reservations, in the order in which these were made. */
void hs_antman_serve_reserving(struct hs_antman *s);
void hs_antman_unreserve(struct hs_antman *s, hs_job_id job);
/* Notes that more GPUs of the node may be usable for guaranteed jobs. */
void hs_antman_note_freed(struct hs_antman *s, uint32_t node);
/* owner: job + 1; 0 = none. */
void hs_antman_set_owner(struct hs_antman *s, uint32_t gpu, uint32_t owner);
/* Returns the memory that a guaranteed job needs on each GPU, by which `reserving` is searched. */
uint32_t hs_antman_need_mib(const struct hs_view *v, hs_job_id job, bool *is_constrained);
/* Adds an opportunistic job to the waiting ones of its kind, or removes it. */
void hs_antman_wait(struct hs_antman *s, hs_job_id job, int64_t round);
void hs_antman_unwait(struct hs_antman *s, hs_job_id job);
/* The order of candidates: by load, then, unless types=any, as hs_place_node_is_before; then by id.
 */
uint64_t hs_antman_candidate_key(const struct hs_antman *s, uint32_t gpu, uint32_t load_pm);
/* Removes from *knows what `types` does not need. */
void hs_antman_needs(const void *state, uint32_t *can, uint32_t *knows);
/* Chooses the GPU for a worker, if the job may have it and its node has CPUs and host memory. */
void hs_antman_choose(struct hs_antman *s, hs_job_id job, uint32_t gpu);
/* Ends the choice: whether it is so many GPUs. */
bool hs_antman_has_chosen(struct hs_antman *s, uint32_t gpus);
/* Starts opportunistic jobs. */
void hs_antman_fill(struct hs_antman *s);
/* Notes that the GPU's utilization, or its room for other jobs, changes now. */
void hs_antman_unsettle(struct hs_antman *s, uint32_t gpu);
const char *hs_antman_check(const void *state, const struct hs_view *v);

/* ---- antman.c ---- */

/* Starts the job on the chosen GPUs. */
void hs_antman_start(struct hs_antman *s, hs_job_id job, enum hs_antman_role role);
/* Removes the job from its queue, its reservations and its charge. */
void hs_antman_dequeue(struct hs_antman *s, hs_job_id job);
/* Tells whether the owner arrived less than `init` ago, during which guests are paused. */
bool hs_antman_is_settling(const struct hs_antman *s, const struct hs_antman_gpu *g);

/* ---- antman_muri.c ---- */

void hs_antman_muri_event(struct hs_antman *s, const struct hs_event *event);
void hs_antman_muri_decide(struct hs_antman *s);
