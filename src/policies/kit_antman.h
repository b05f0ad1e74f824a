/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of antman, whose definition is in antman.c:
 *
 *     kit_antman.c             what happened, and one decision
 *     kit_antman_queue.c       tenants, quotas, conversion and upgrade
 *     kit_antman_guaranteed.c  GPUs of guaranteed jobs, reservations
 *     kit_antman_spare.c       GPUs of opportunistic jobs
 *     kit_antman_local.c       the coordinator of each GPU: caps and memory limits
 *     kit_antman_ramp.c, kit_antman_memory.c   its arithmetic
 *
 * Books are kept while the plan is written, so that every part sees what the others have said.
 */
#ifndef HORUS_POLICIES_KIT_ANTMAN_H
#define HORUS_POLICIES_KIT_ANTMAN_H

#include "policies/kit_antman_ramp.h"
#include "policies/kit_holds.h"
#include "policies/kit_least.h"
#include "policies/kit_order.h"

enum hs_antman_role {
    HS_ANTMAN_NOBODY,
    HS_ANTMAN_QUEUED,     /* with its tenant, for quota */
    HS_ANTMAN_RESERVING,  /* has its quota, waits for GPUs */
    HS_ANTMAN_GUARANTEED, /* placed */
    HS_ANTMAN_HOPING,     /* waits to be placed as an opportunistic job */
    HS_ANTMAN_SPARE,      /* placed as one */
};

/* In the scratch of each job. */
struct hs_antman_job {
    struct hs_order_link link;  /* of its queue, by role */
    struct hs_order_link other; /* of a class `auto`: among those to be converted, or upgraded */
    uint32_t util_pm;
    uint32_t peak_mib, least_mib;  /* of its memory; 0: not known */
    uint32_t limit_mib;            /* as it was told; 0 = none */
    uint32_t told_mib, before_mib; /* the same, and what it could use, before this decision */
    uint32_t steps;                /* of its cap, as it was told */
    uint32_t first_hold;
    uint32_t first_reserved, reserved_count; /* GPUs, + 1 */
    uint32_t next_moved;                     /* job + 1, of those the coordinators look at */
    enum hs_antman_role role : 8;
    bool is_moved : 1;
    bool is_new : 1;                          /* placed in this decision */
    bool has_grown : 1;                       /* needs more memory than at its start */
    bool needs_more : 1;                      /* memory than before, just now */
    bool has_surged : 1, is_step_awaited : 1; /* an owner that needs other memory than before */
};

/* All 0 at first, so that GPUs which nobody has had yet cost no memory. */
struct hs_antman_gpu {
    uint32_t owner;                        /* the guaranteed job, + 1; 0 = none */
    uint32_t reserved;                     /* for a guaranteed job, + 1; 0 = for none */
    uint32_t next_reserved, prev_reserved; /* GPUs of that job, + 1 */
    uint32_t spares;                       /* opportunistic jobs, */
    uint32_t spare_pm;                     /* their utilizations */
    uint64_t least_mib;                    /* and the least memory they need */
    uint32_t steps, most;
    int64_t since_us;      /* its clock: when the owner came */
    int64_t tick_us;       /* of the timer that is set; 0 = none */
    int64_t known_us;      /* when the window is all of it with whoever came last */
    int64_t changed_us;    /* when its utilization last changed */
    uint32_t newer, older; /* of the GPUs that changed lately, + 1 */
    uint32_t next_touched; /* + 1, of those to be coordinated now */
    bool is_unsettled, is_touched;
};

struct hs_antman_tenant {
    struct hs_order queue;
    struct hs_order upgradable; /* of class `auto`, placed as opportunistic jobs */
    uint64_t quota, charged;
    int64_t round, spare_round; /* of its last job */
    bool is_blocked;            /* in this pass */
};

struct hs_antman {
    double util_thr, step, mem_chunk;
    int64_t window_us, tick_us, init_us, conv_wait_us;
    double shrink_ms_per_gb, growth_ms_per_gb;
    int64_t host_gb;
    bool has_ramp; /* parameters up to here */
    int64_t host_mib;
    uint32_t thr_pm, step_pm, full_steps, chunks;
    struct hs_antman_gpu *gpus;
    uint32_t *open;       /* per node: GPUs without owner and reservation, */
    uint32_t *reserved;   /* and those that are reserved */
    uint32_t *node_taken; /* per node: chosen for the gang that is being placed; else 0 */
    bool *is_chosen;      /* per node: the same; else false */
    bool *is_freed;       /* per node: a GPU of it may be usable that was not in the last pass, */
    uint32_t *freed;      /* and these nodes, */
    uint32_t *looked;     /* scratch: those that are looked at now */
    uint32_t *chosen;     /* GPUs of that gang */
    uint32_t *node_gpus;  /* scratch: of one node, the cheapest first */
    uint32_t *hidden;     /* scratch: GPUs closed within one search */
    uint32_t *due;        /* GPUs whose tick is now */
    uint32_t due_count, gpu_count, chosen_count, freed_count;
    uint64_t open_gpus, reserved_gpus;
    struct hs_antman_tenant *tenants;
    uint32_t tenant_count;
    struct hs_order reserving, hoping, autos;
    int64_t round, spare_round; /* of the last job that was served */
    int64_t reservations;       /* made so far: their order */
    struct hs_holds holds;
    struct hs_least candidates;
    uint32_t newest, oldest; /* of the GPUs that changed within a window, + 1 */
    uint32_t first_touched, first_moved;
    int64_t sample_at_us, conversion_at_us; /* of the last timers set */
    bool is_woken;                          /* somebody came or went */
    bool is_sampled;                        /* or it is time to look at utilizations */
};

/* One decision. */
struct hs_antman_pass {
    struct hs_antman *s;
    const struct hs_view *v;
    struct hs_plan *p;
    int64_t now_us;
};

struct hs_antman_job *hs_antman_job(const struct hs_view *v, hs_job_id job);

/* kit_antman.c */
HS_MUST_USE enum hs_status hs_antman_init(struct hs_antman *s, const struct hs_view *v);
void hs_antman_event(struct hs_antman *s, const struct hs_view *v, const struct hs_event *event);
void hs_antman_decide(struct hs_antman *s, const struct hs_view *v, struct hs_plan *p);
/* The plan says that the job starts on the chosen GPUs. */
void hs_antman_start(const struct hs_antman_pass *x, hs_job_id job, enum hs_antman_role role);

/* kit_antman_queue.c */
void hs_antman_enqueue(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* Out of whatever it is in, with its quota and reservations; not its GPUs. */
void hs_antman_dequeue(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* An opportunistic job is about to start. */
void hs_antman_served(const struct hs_antman_pass *x, hs_job_id job);
void hs_antman_serve(const struct hs_antman_pass *x);
const char *hs_antman_check_queues(const struct hs_antman *s, const struct hs_view *v);

/* kit_antman_guaranteed.c */
/* before: so many GPUs are reserved for jobs that come before it; the others are not in its way. */
bool hs_antman_place(const struct hs_antman_pass *x, hs_job_id job, uint64_t before);
/* All GPUs that it could use; it is too few of them. */
void hs_antman_reserve(const struct hs_antman_pass *x, hs_job_id job, uint64_t before);
void hs_antman_unreserve(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* There may be more for a guaranteed job on the node. */
void hs_antman_note_freed(struct hs_antman *s, uint32_t node);
/* 0: none. */
void hs_antman_set_owner(struct hs_antman *s, const struct hs_view *v, uint32_t gpu,
                         uint32_t owner);
const char *hs_antman_check_gpus(const struct hs_antman *s, const struct hs_view *v);

/* kit_antman_spare.c */
/* What an opportunistic job needs of the time of a GPU: what the set of those that wait is searched
 * by. */
uint32_t hs_antman_need_pm(const struct hs_view *v, hs_job_id job, bool *is_constrained);
void hs_antman_fill(const struct hs_antman_pass *x);
/* Sets a timer for the next sample, if somebody waits who may then find a candidate. */
void hs_antman_watch(const struct hs_antman_pass *x);
/* The utilization of the GPU changes now, or who may join it. */
void hs_antman_unsettle(struct hs_antman *s, const struct hs_view *v, uint32_t gpu);

/* kit_antman_local.c */
/* Memory for a newcomer: the opportunistic jobs there shrink to the least if they must. */
void hs_antman_make_room(const struct hs_antman_pass *x, uint32_t gpu, uint32_t mib);
/* MiB, before its start or at any time; 0: all that it needs. */
void hs_antman_limit(const struct hs_antman_pass *x, hs_job_id job, uint32_t mib);
/* Caps and limits on the GPU are to be looked at in this decision or the next. */
void hs_antman_touch(struct hs_antman *s, uint32_t gpu);
void hs_antman_move(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* It is gone. */
void hs_antman_forget(struct hs_antman *s, const struct hs_view *v, hs_job_id job);
/* Somebody came to it. */
void hs_antman_begin_ramp(const struct hs_antman_pass *x, uint32_t gpu);
/* Its owner has just come, and the others make way. */
bool hs_antman_is_settling(const struct hs_antman *s, const struct hs_antman_gpu *g,
                           int64_t now_us);
void hs_antman_tick(const struct hs_antman_pass *x, uint32_t gpu);
/* Ends jobs whose memory has grown beyond everything. */
bool hs_antman_kill(const struct hs_antman_pass *x);
/* What the coordinators say, after everybody is placed. */
void hs_antman_coordinate(const struct hs_antman_pass *x);

#endif
