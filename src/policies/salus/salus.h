/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Salus policies (see README.md). Files:
 *
 *     salus.c         parameters, events, one decision, turns within a lane, policy records
 *     salus_lanes.c   memory: which jobs may share a lane
 *     salus_admit.c   which waiting jobs are tried, and on which GPUs or in which lane they start
 *
 * A lane (Salus' term) is a slice group (horus/policy.h) of jobs that take turns with the memory
 * that a mini-batch needs. A lane uses g GPUs and holds jobs that ask for g GPUs. P is the memory
 * that a job keeps on each GPU while it is admitted, E what it needs in addition during a
 * mini-batch. Both are inflated as in Salus' driver: P' = infl_p P and P' + E' = infl_total (P' +
 * E), at most the capacity of the GPU.
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/capacity_tree.h"
#include "policies/lib/vc_queues.h"

/* Indices of hs_capacity: total memory, and memory kept between mini-batches. They index the free
 * memory of a lane or GPU and the demand of a job. */
enum { HS_SALUS_ALL, HS_SALUS_KEPT };

/* The rule that selects the member of a lane that runs the next mini-batch. */
enum hs_salus_rule {
    HS_SALUS_FIFO, /* earliest submission */
    HS_SALUS_SRTF, /* least declared - used time; may become negative */
    HS_SALUS_PACK, /* longest ready mini-batch: members alternate */
    HS_SALUS_FAIR, /* least time used since admission */
    HS_SALUS_RR,   /* fewest mini-batches since a member was last added */
};

enum hs_salus_startup { HS_SALUS_FIXED, HS_SALUS_BY_MODEL };
enum hs_salus_mode { HS_SALUS_AUTO, HS_SALUS_EXACT, HS_SALUS_PROCESSOR_SHARING };

/* How the size of a lane is determined. */
enum hs_salus_model {
    HS_SALUS_PAPER, /* the largest E of any member so far; all P and all lanes fit the GPU */
    HS_SALUS_CODE,  /* fixed at its first member's P + E; further members must fit into that */
    HS_SALUS_ONE,   /* one lane per GPU, with all of its memory */
};

#define HS_NO_LANE UINT32_MAX

/* The demand of a job on each of its GPUs. */
struct hs_salus_need {
    int64_t kept_mib, all_mib; /* P', P' + E' */
    uint32_t peak_mib;         /* P + E; 0 = unknown */
    bool is_alone;             /* shares no GPU: it has no estimate, or ran out of memory before */
};

/* The scratch record of a job. */
struct hs_salus_job {
    struct hs_job_queue_link waits; /* must be first; used while the job is not admitted */
    struct hs_salus_need need;
    struct hs_capacity least; /* blocked job: its least demand on any GPU */
    uint32_t demand_class;    /* blocked job: number + 1; 0 = none */
    bool is_fresh;            /* not tried since its submission */
    /* used while the plan that admits the job is written */
    bool is_candidate, starts_waiting;
    bool is_ready; /* admitted, and start-up is over */
    hs_job_id next_candidate;
    /* used while the job is admitted */
    uint32_t lane;                 /* number + 1; 0 = none */
    struct hs_job_chain_link turn; /* its link in the queue of its lane */
    int64_t kept_mib, rest_mib;    /* P', E' in its lane */
    int64_t used_ns, since_us;     /* time of its mini-batches, up to since_us */
    uint64_t share_q32;            /* its share of the lane's time since since_us; 0 = paused */
    uint64_t wanted_q32;           /* its share from now on */
    uint64_t given_q32;            /* its last share above 0 */
    uint64_t steps;                /* rr: mini-batches since a member was added */
    int64_t declared_us;
    const char *reason; /* why it was rejected */
};

struct hs_salus_gpu {
    int64_t capacity_mib; /* available to lanes */
    int64_t used_mib;
    uint32_t lanes, sessions, pool;
    uint32_t step; /* class of free memory for one more lane; HS_SALUS_STEPS: none */
    bool is_whole; /* one job uses it exclusively */
};

struct hs_salus_lane {
    uint32_t first_slot, gpus, pool, members;
    struct hs_job_chain queue; /* its members */
    int64_t capacity_mib;      /* minimum over its GPUs */
    int64_t size_mib; /* paper, one: of the memory used in turns; code: of all its memory */
    int64_t cut_mib;  /* code: the free memory when the lane was opened */
    int64_t kept_mib; /* sum of P' */
    int64_t most_mib; /* largest E' */
    /* turns */
    hs_job_id runner; /* exact: the running member, or HS_NO_JOB */
    int64_t began_us; /* exact: start of its turn */
    bool is_processor_sharing, has_ended, is_awaited, awaits;
    int64_t due_us;
    int64_t level_ns; /* shares by fair: used time at which the next member joins the runners */
    uint32_t next_free, next_touched;
    bool is_touched; /* it changed: another member may have the next turn */
};

#define HS_SALUS_FREED 16 /* nodes listed; beyond that, a scan considers all nodes */
#define HS_SALUS_STEPS 64 /* classes of free memory by which GPUs are counted */

/* State of the jobs that may use the same GPUs: those of a virtual cluster, or all. */
struct hs_salus_pool {
    uint32_t freed[HS_SALUS_FREED]; /* nodes where memory was freed since the last scan */
    uint32_t freed_count;           /* above HS_SALUS_FREED: any node */
    uint32_t open[HS_SALUS_STEPS];  /* GPUs with lanes and room, by class of free memory */
};

struct hs_salus {
    /* parameters */
    int32_t rule /* enum hs_salus_rule */, lanes_of, mode, startup_by, types;
    int64_t fluid_above, exact_turns, reserve_mib, max_sessions, poll_us, startup_us, step_us;
    double infl_p, infl_total;
    struct hs_estimate_choice estimate; /* used by srtf */
    /* state */
    const struct hs_view *v;
    struct hs_plan *p; /* of the current decision */
    enum hs_salus_model model;
    int64_t infl_p_millionths, infl_total_millionths;
    int64_t turns; /* mini-batches awaited so far */
    bool has_told; /* the warning about exact_turns was issued */
    bool is_plain; /* without lanes; `waiting` is a plain queue */
    struct hs_salus_gpu *gpus;
    struct hs_allocation_map on; /* maps GPUs to lanes (in place of jobs) */
    struct hs_map_entry *slots;  /* its entries: one per GPU of a lane */
    struct hs_salus_lane *lanes;
    struct hs_salus_pool *pools;
    uint32_t gpu_count, pool_count, per_gpu; /* per_gpu: most lanes on a GPU */
    uint32_t lanes_used, free_lane;
    uint64_t sessions; /* members of all lanes */
    bool has_grown;    /* a job needs more memory than it was admitted for */
    int64_t least_capacity_mib, most_capacity_mib;
    struct hs_capacity_tree gpu_tree;      /* GPUs with lanes and room, by number of lanes */
    struct hs_capacity_tree lane_tree;     /* lanes with room, by (GPUs << 32 | members) */
    struct hs_vc_queues waiting;           /* fresh jobs; if is_plain, all waiting jobs */
    struct hs_salus_demand_class *classes; /* blocked jobs of equal demand */
    uint32_t *first_class;                 /* per VC: number + 1 */
    struct hs_job_queue *blocked;          /* per VC: blocked jobs without a class */
    struct hs_merge_head *heads;           /* scratch of a scan over classes and queues */
    struct hs_job_place *nodes;            /* in the order of hs_place_node_is_before */
    uint32_t *picks, *picks_pm; /* GPUs of the job that is being placed, and their utilizations */
    uint32_t pick_count;
    hs_job_id first_candidate, last_candidate;
    uint32_t touched; /* list of changed lanes, or HS_NO_LANE */
    bool is_awake;    /* a job arrived or left since the last scan */
    int64_t armed_us; /* time of the next poll */
};

static inline struct hs_salus_job *hs_salus_job(const struct hs_salus *s, hs_job_id job)
{
    return hs_view_scratch(s->v, job);
}

/* ---- salus_lanes.c ---- */

/* Initializes the GPUs' capacities and, unless s->is_plain, the lanes; parameters must be set. */
void hs_salus_lanes_init(struct hs_salus *s);
/* Returns the demand of the job; recomputed after its GPU ran out of memory. */
struct hs_salus_need hs_salus_need(const struct hs_salus *s, hs_job_id job);
/* Returns the demand, limited to a GPU of this capacity. */
struct hs_capacity hs_salus_clip(const struct hs_salus_need *need, int64_t capacity_mib);
/* Tells whether the job fits the GPU if nothing else uses it. */
bool hs_salus_suits(const struct hs_salus *s, uint32_t gpu, const struct hs_salus_need *need);
/* Memory available to a new lane. */
uint64_t hs_salus_free_mib(const struct hs_salus *s, uint32_t gpu);
/* Number of GPUs of the pool that have lanes and room for another of this size, or of slightly
 * less. O(HS_SALUS_STEPS). */
uint64_t hs_salus_open_gpus(const struct hs_salus *s, uint32_t pool, uint64_t mib);
bool hs_salus_fits(const struct hs_salus *s, uint32_t lane, const struct hs_salus_need *need);

/* Opens a lane for the job on these GPUs, which must be in ascending order. This and the next three
 * cost O(GPUs of the lane x lanes on them x log lanes) and O(members). */
void hs_salus_lane_open(struct hs_salus *s, hs_job_id job, const uint32_t *gpus, uint32_t count);
void hs_salus_lane_join(struct hs_salus *s, hs_job_id job, uint32_t lane);
/* Removes the job; closes the lane if it was the last member. */
void hs_salus_lane_leave(struct hs_salus *s, hs_job_id job);
/* Recomputes the job's demand and its lane's size. */
void hs_salus_lane_renew(struct hs_salus *s, hs_job_id job);
/* Moves the job to the tail of its lane's queue. O(1). */
void hs_salus_requeue(struct hs_salus *s, hs_job_id job);
/* Returns NULL or the violated invariant. O(GPUs x lanes on one + members). */
const char *hs_salus_lanes_check(const struct hs_salus *s);

/* ---- salus_admit.c ---- */

void hs_salus_queue_init(struct hs_salus *s);
void hs_salus_queue_add(struct hs_salus *s, hs_job_id job);
void hs_salus_queue_remove(struct hs_salus *s, hs_job_id job);
/* Admits and rejects waiting jobs; with lanes, both are listed as candidates. */
void hs_salus_queue_scan(struct hs_salus *s);
/* Writes the plan of the scan again; candidates now start as their lanes chose. */
void hs_salus_queue_repeat(struct hs_salus *s);
const char *hs_salus_queue_check(const struct hs_salus *s);

/* ---- salus.c ---- */

/* Called after the job was admitted to its lane. */
void hs_salus_came(struct hs_salus *s, hs_job_id job);
