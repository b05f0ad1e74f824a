/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of the Salus policies (README.md says what they do):
 *
 *     salus.c         parameters, events, one decision; which member of a lane runs; the records
 *     salus_lanes.c   memory: which job may be in which lane
 *     salus_admit.c   which waiting jobs are tried; the GPUs or the lane of one that is admitted
 *
 * A lane is a slice group (horus/policy.h) of jobs that take turns with the memory that a
 * mini-batch needs; the word is that of Salus. A lane belongs to g GPUs and takes gangs of g. P is
 * what a job keeps of each GPU as long as it is admitted, E what it needs beside that during a
 * mini-batch. Both are inflated as Salus' driver does: P' = infl_p P and P' + E' = infl_total (P' +
 * E), at most what the GPU has.
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/capacity_tree.h"
#include "policies/lib/vc_queues.h"

/* The two kinds of hs_capacity: free for a new member in all, and for what it keeps between
 * mini-batches; of a job, what it needs of both. */
enum { HS_SALUS_ALL, HS_SALUS_KEPT };

/* Which member of a lane has the next mini-batch. */
enum hs_salus_rule {
    HS_SALUS_FIFO, /* the one submitted first has all turns */
    HS_SALUS_SRTF, /* least declared - used time; a job that outran its declaration goes on */
    HS_SALUS_PACK, /* in the order in which mini-batches are ready: members alternate */
    HS_SALUS_FAIR, /* least time used since its admission: a new member catches up first */
    HS_SALUS_RR,   /* fewest mini-batches since a member was last added */
};

enum hs_salus_startup { HS_SALUS_FIXED, HS_SALUS_BY_MODEL };
enum hs_salus_mode { HS_SALUS_AUTO, HS_SALUS_EXACT, HS_SALUS_PROCESSOR_SHARING };

/* How large a lane is. */
enum hs_salus_model {
    HS_SALUS_PAPER, /* the largest E of its members so far; all P and all lanes fit the GPU */
    HS_SALUS_CODE,  /* cut for its first member, P + E; takes others as far as that reaches */
    HS_SALUS_ONE,   /* one lane a GPU, which has all of it */
};

#define HS_NO_LANE UINT32_MAX

/* What a job asks of each of its GPUs. */
struct hs_salus_need {
    int64_t kept_mib, all_mib; /* P', P' + E' */
    uint32_t peak_mib;         /* P + E; 0 = not known */
    bool is_alone;             /* it shares no GPU: no estimate, or its GPU ran out of memory */
};

/* Scratch of a job. */
struct hs_salus_job {
    struct hs_job_queue_link waits; /* first: while it is not admitted */
    struct hs_salus_need need;
    struct hs_capacity least; /* of a blocked job: what it needs of any GPU */
    uint32_t demand_class;    /* of a blocked job, + 1; 0 = none */
    bool is_fresh;            /* not tried since its submission */
    /* while the plan is written that admits it */
    bool is_candidate, starts_waiting;
    bool is_ready; /* admitted, and its start-up is over */
    hs_job_id next_candidate;
    /* while it is admitted */
    uint32_t lane;                 /* + 1; 0 = none */
    struct hs_job_chain_link turn; /* in the queue of its lane */
    int64_t kept_mib, rest_mib;    /* P', E' there */
    int64_t used_ns, since_us;     /* time of its mini-batches, up to since_us */
    uint64_t share_q32;            /* of the time of its lane since then; 0 = paused */
    uint64_t wanted_q32;           /* from now on */
    uint64_t given_q32;            /* the last that was not 0 */
    uint64_t steps;                /* rr: mini-batches since a member was added */
    int64_t declared_us;
    const char *reason; /* of a rejected job */
};

struct hs_salus_gpu {
    int64_t capacity_mib; /* of lanes in all */
    int64_t used_mib;
    uint32_t lanes, sessions, pool;
    uint32_t step; /* of its room for one more lane; HS_SALUS_STEPS: it has none */
    bool is_whole; /* a job has it alone */
};

struct hs_salus_lane {
    uint32_t first_slot, gpus, pool, members;
    struct hs_job_chain queue; /* of its members */
    int64_t capacity_mib;      /* least of its GPUs */
    int64_t size_mib;          /* paper, one: of what takes turns; code: of all */
    int64_t cut_mib;           /* code: the room that was left when it was cut */
    int64_t kept_mib;          /* sum of P' */
    int64_t most_mib;          /* largest E' */
    /* turns */
    hs_job_id runner; /* exact: the member that runs, or HS_NO_JOB */
    int64_t began_us; /* exact: when its turn began */
    bool is_processor_sharing, has_ended, is_awaited, awaits;
    int64_t due_us,
        level_ns; /* shares by fair: when those that run have used as much as the next */
    uint32_t next_free, next_touched;
    bool is_touched; /* something happened: the turn may go to another member */
};

#define HS_SALUS_FREED 16 /* nodes, beyond which all are looked at */
#define HS_SALUS_STEPS 64 /* classes of room on a GPU that are counted */

/* Of the jobs that may use the same GPUs: a virtual cluster, or all. */
struct hs_salus_pool {
    uint32_t freed[HS_SALUS_FREED]; /* nodes where room was made since the last scan */
    uint32_t freed_count;           /* more than HS_SALUS_FREED: anywhere */
    uint32_t open[HS_SALUS_STEPS];  /* GPUs that have lanes and room for one more, by step */
};

struct hs_salus {
    /* parameters */
    int32_t rule_param, lanes_of, mode, startup_by;
    int64_t fluid_above, exact_turns, reserve_mib, max_sessions, poll_us, startup_us, step_us;
    double infl_p, infl_total;
    struct hs_estimate_choice estimate; /* srtf */
    /* state */
    const struct hs_view *v;
    struct hs_plan *p; /* of the present decision */
    enum hs_salus_rule rule;
    enum hs_salus_model model;
    int64_t infl_p_millionths, infl_total_millionths;
    int64_t turns; /* mini-batches that were awaited */
    bool has_told; /* that there were exact_turns of them */
    bool is_plain; /* no lanes: `waiting` is a plain queue */
    struct hs_salus_gpu *gpus;
    struct hs_allocation_map on; /* lanes, in the place of jobs, on their GPUs, */
    struct hs_map_entry *slots;  /* and its entries: one GPU of one lane each */
    struct hs_salus_lane *lanes;
    struct hs_salus_pool *pools;
    uint32_t gpu_count, pool_count, per_gpu; /* lanes on one GPU at most */
    uint32_t lanes_used, free_lane;
    uint64_t sessions; /* jobs in all lanes */
    bool has_grown;    /* a job came to need more than it was admitted for */
    int64_t least_capacity_mib, most_capacity_mib;
    struct hs_capacity_tree gpu_tree;  /* GPUs with lanes and room for one more, by their lanes */
    struct hs_capacity_tree lane_tree; /* lanes with room for a member, by
                                          (GPUs << 32 | members) */
    struct hs_vc_queues waiting;       /* fresh jobs; plain: all that wait */
    struct hs_salus_demand_class *classes; /* blocked jobs of equal demand, */
    uint32_t *first_class;                 /* per VC: number + 1; */
    struct hs_job_queue *blocked;          /* per VC: those in no class */
    struct hs_merge_head *heads;           /* scratch of a scan over all these */
    uint32_t *picks, *picks_pm; /* GPUs of the job that is being placed; scratch: their */
    uint32_t pick_count;        /* utilizations */
    hs_job_id first_candidate, last_candidate;
    uint32_t touched; /* lanes to look at: the first, or HS_NO_LANE */
    bool is_awake;    /* a job came or left since the last scan */
    int64_t armed_us; /* timer of the next poll */
};

static inline struct hs_salus_job *hs_salus_job(const struct hs_salus *s, hs_job_id job)
{
    return hs_view_scratch(s->v, job);
}

/* ---- salus_lanes.c ---- */

/* GPUs and their capacity, after the parameters are set, and lanes unless the server is plain. */
void hs_salus_lanes_init(struct hs_salus *s);
/* Of a job at its submission, or after its GPU ran out of memory. */
struct hs_salus_need hs_salus_need(const struct hs_salus *s, hs_job_id job);
/* The need on a GPU of this capacity. */
struct hs_capacity hs_salus_clip(const struct hs_salus_need *need, int64_t capacity_mib);
/* The job fits the GPU when nothing else is on it. */
bool hs_salus_suits(const struct hs_salus *s, uint32_t gpu, const struct hs_salus_need *need);
/* Room for a new lane. */
uint64_t hs_salus_free_mib(const struct hs_salus *s, uint32_t gpu);
/* GPUs of the pool that have lanes and room for another of this size, or for slightly less.
 * O(HS_SALUS_STEPS). */
uint64_t hs_salus_open_gpus(const struct hs_salus *s, uint32_t pool, uint64_t mib);
bool hs_salus_fits(const struct hs_salus *s, uint32_t lane, const struct hs_salus_need *need);

/* Opens a lane for the job on these GPUs, ascending. This and the next three cost
 * O(GPUs of the lane x lanes on them x log lanes) and O(members). */
void hs_salus_lane_open(struct hs_salus *s, hs_job_id job, const uint32_t *gpus, uint32_t count);
void hs_salus_lane_join(struct hs_salus *s, hs_job_id job, uint32_t lane);
/* Closes the lane with its last member. */
void hs_salus_lane_leave(struct hs_salus *s, hs_job_id job);
/* The job needs more or less than before. */
void hs_salus_lane_renew(struct hs_salus *s, hs_job_id job);
/* To the tail of the queue of its lane. O(1). */
void hs_salus_requeue(struct hs_salus *s, hs_job_id job);
/* NULL, or the rule broken. O(GPUs x lanes on one + members). */
const char *hs_salus_lanes_check(const struct hs_salus *s);

/* ---- salus_admit.c ---- */

void hs_salus_queue_init(struct hs_salus *s);
void hs_salus_queue_add(struct hs_salus *s, hs_job_id job);
void hs_salus_queue_remove(struct hs_salus *s, hs_job_id job);
/* Admits and rejects; with lanes, both are listed as candidates. */
void hs_salus_queue_scan(struct hs_salus *s);
/* Writes the plan of the scan again, with candidates that start as their lanes decided. */
void hs_salus_queue_repeat(struct hs_salus *s);
const char *hs_salus_queue_check(const struct hs_salus *s);

/* ---- salus.c ---- */

/* The job was admitted to its lane. */
void hs_salus_came(struct hs_salus *s, hs_job_id job);
