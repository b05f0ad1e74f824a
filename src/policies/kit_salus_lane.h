/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lanes of Salus: who sits in which, and the memory of GPUs. A job, here a session, keeps P of each
 * of its GPUs as long as it lives, and needs E more during a mini-batch; those of a lane take turns
 * with their E. A lane belongs to g GPUs and takes gangs of g (on one GPU it is Salus' own).
 *
 *     paper  a lane is as large as the largest E it has seen; all P and all lanes fit the GPU. May
 *            grow for a newcomer.
 *     code   a lane is cut for its first job, P + E, and takes others as far as that reaches
 *     one    one lane a GPU, which has all of it
 *
 * Figures are inflated as Salus' driver does: P' = infl_p P, P' + E' = infl_total (P' + E), at most
 * what the GPU has. Without an estimate, or after the GPU ran out of memory, a job gets it whole.
 *
 * Cost: O(GPUs of the lane x lanes on them x log), and O(members) when one leaves.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_LANE_H
#define HORUS_POLICIES_KIT_SALUS_LANE_H

#include "policies/kit_order.h"
#include "policies/kit_salus_rooms.h"

enum hs_salus_model { HS_SALUS_PAPER, HS_SALUS_CODE, HS_SALUS_ONE };

#define HS_NO_LANE UINT32_MAX
#define HS_NO_SEAT UINT32_MAX

/* What a job asks of each of its GPUs. */
struct hs_salus_need {
    int64_t kept_mib, all_mib; /* P', P' + E' */
    uint32_t peak_mib;         /* P + E; 0 = not known */
    bool is_alone;             /* the whole GPU, nobody beside it */
};

/* First in the scratch of each job. */
struct hs_salus_job {
    struct hs_order_link waits; /* while it is not admitted */
    struct hs_salus_need need;
    struct hs_room least; /* of any GPU */
    uint32_t kind;        /* + 1, of those that were refused; 0 = none */
    bool is_fresh;        /* not tried yet since it came */
    /* while the plan is written that admits it */
    bool is_newcomer, starts_waiting;
    bool is_ready; /* admitted, and its start-up is over */
    hs_job_id next_newcomer;
    /* while it is admitted */
    uint32_t lane;              /* + 1; 0 = none */
    hs_job_id before, after;    /* in the queue of its lane */
    int64_t kept_mib, rest_mib; /* P', E' there */
    int64_t used_ns, since_us;  /* time of its mini-batches, up to since_us */
    uint64_t share_q32;         /* of the time of its lane since then; 0 = it is paused */
    uint64_t wanted_q32;        /* from now on */
    uint64_t given_q32;         /* the last that was not 0 */
    uint64_t steps;             /* rr: mini-batches since somebody came */
    int64_t declared_us;
    const char *reason; /* not admitted but turned away */
};

struct hs_salus_seat {
    uint32_t gpu, lane, next_of_lane, next_on_gpu;
};

struct hs_salus_gpu {
    int64_t capacity_mib; /* C */
    int64_t used_mib;
    uint32_t first_seat, lanes, sessions, pool;
    uint32_t step; /* of its room for one more lane; HS_SALUS_STEPS: it is in no count */
    bool is_whole; /* somebody has it alone */
};

struct hs_salus_lane {
    uint32_t first_seat, gpus, pool, members;
    hs_job_id first, last; /* queue of its members */
    int64_t capacity_mib;  /* least C of its GPUs */
    int64_t size_mib;      /* paper, one: of what takes turns; code: of all */
    int64_t cut_mib;       /* code: the room that it had left when it was cut */
    int64_t kept_mib;      /* sum of P' */
    int64_t most_mib;      /* largest E' */
    /* turns */
    hs_job_id runner; /* exact: whose mini-batch runs, or HS_NO_JOB */
    int64_t began_us; /* exact: when its turn began */
    bool is_fluid, has_ended, is_awaited, awaits;
    int64_t due_us, level_ns; /* fluid fair: when those who run have used as much as the next */
    uint32_t next_free, next_touched;
    uint64_t indexed; /* number of the change after which it was indexed last */
    bool is_touched;  /* something happened: somebody else may have the turn */
};

#define HS_SALUS_FREED 16 /* nodes, beyond which all are looked at */
#define HS_SALUS_STEPS 64 /* in which room on GPUs is counted */

/* Jobs that cannot use each other's GPUs have pools of their own. */
struct hs_salus_pool {
    uint32_t freed[HS_SALUS_FREED]; /* nodes where room was made since the last scan */
    uint32_t freed_count;           /* more than HS_SALUS_FREED: wherever */
    uint32_t open[HS_SALUS_STEPS];  /* GPUs that have lanes and room for one more, by step */
};

struct hs_salus_lanes {
    enum hs_salus_model model;
    int64_t reserve_mib, max_sessions, infl_p_millionths, infl_total_millionths;
    struct hs_salus_gpu *gpus;
    struct hs_salus_seat *seats;
    struct hs_salus_lane *lanes;
    struct hs_salus_pool *pools;
    uint32_t gpu_count, pool_count, per_gpu; /* lanes on one GPU at most */
    uint32_t seats_used, free_seat, lanes_used, free_lane;
    uint64_t sessions, changes;
    bool has_grown; /* a job came to need more than it was admitted for */
    int64_t least_capacity_mib, most_capacity_mib;
    struct hs_rooms gpu_rooms;  /* GPUs that have lanes and room for more, fewest lanes first */
    struct hs_rooms lane_rooms; /* that have room, by (GPUs, members) */
};

static inline struct hs_salus_job *hs_salus_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* GPUs and what they have, after the parameters are set: all that a plain server needs. */
HS_MUST_USE enum hs_status hs_salus_gpus_init(struct hs_salus_lanes *l, const struct hs_view *v);
/* And lanes on them. */
HS_MUST_USE enum hs_status hs_salus_lanes_init(struct hs_salus_lanes *l, const struct hs_view *v);
/* Of a job that has come, or whose GPU ran out of memory. */
struct hs_salus_need hs_salus_need(const struct hs_salus_lanes *l, const struct hs_view *v,
                                   hs_job_id job);
/* On a GPU that has so much. */
struct hs_room hs_salus_clip(const struct hs_salus_need *need, int64_t capacity_mib);
/* Wherever it may go it needs at least this. */
struct hs_room hs_salus_least(const struct hs_salus_lanes *l, const struct hs_salus_need *need);
/* No GPU could have it, if its estimate is right. */
bool hs_salus_is_too_large(const struct hs_salus_lanes *l, const struct hs_salus_need *need);
/* Could the job have all of this GPU? */
bool hs_salus_suits(const struct hs_salus_lanes *l, uint32_t gpu, const struct hs_salus_need *need);
/* Room for a new lane. */
uint64_t hs_salus_free_mib(const struct hs_salus_lanes *l, uint32_t gpu);
/* That is enough for the job. */
bool hs_salus_may_open(const struct hs_salus_lanes *l, uint32_t gpu,
                       const struct hs_salus_need *need);
/* GPUs of the pool that have lanes and room for another of this size, or a few more than that. */
uint64_t hs_salus_open_gpus(const struct hs_salus_lanes *l, uint32_t pool, uint64_t mib);
/* What each worker of a gang may need at most for lanes of its own, where so many GPUs are idle, or
 * a little more; 0: there is no room for it at all. */
uint64_t hs_salus_gang_mib(const struct hs_salus_lanes *l, uint32_t pool, uint64_t idle,
                           uint32_t gpus);
/* Room for one more member. */
struct hs_room hs_salus_room(const struct hs_salus_lanes *l, uint32_t lane);
bool hs_salus_fits(const struct hs_salus_lanes *l, uint32_t lane, const struct hs_salus_need *need);
uint32_t hs_salus_pool(const struct hs_view *v, hs_job_id job);
/* GPUs of a lane in the tree of its pool have this key with so many members. */
uint64_t hs_salus_lane_key(uint32_t gpus, uint32_t members);

/* Opens a lane for the job, on these GPUs, ascending. */
void hs_salus_lane_open(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job,
                        const uint32_t *gpus, uint32_t count);
void hs_salus_lane_join(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job,
                        uint32_t lane);
/* Frees what it had, and closes the lane if it was the last. */
void hs_salus_lane_leave(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job);
/* It needs more or less than it did. */
void hs_salus_lane_renew(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job);
/* To the tail of the queue of its lane. */
void hs_salus_requeue(struct hs_salus_lanes *l, const struct hs_view *v, hs_job_id job);
/* NULL, or the rule broken. O(GPUs x lanes on one + members) (kit_salus_check.c). */
const char *hs_salus_lanes_check(const struct hs_salus_lanes *l, const struct hs_view *v);

#endif
