/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live jobs and their seats. A job lives in a slot from its submission to its end; slots and seats
 * are recycled, so memory follows the number of live jobs, not the length of the trace. A seat is
 * one job on one GPU, linked both from the job (ascending GPU ids) and from the GPU. A job that
 * will fail and be submitted again keeps its slot; its attempts to come are a chain in a third
 * pool.
 *
 *     HS_TRY(hs_jobs_add(&jobs, &slot));
 *     for (uint32_t s = job->first_seat; s != HS_NO_SEAT; s = jobs.seats[s].next_of_job) ...
 */
#ifndef HORUS_MODEL_JOB_H
#define HORUS_MODEL_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fixed.h"
#include "horus/trace.h"
#include "horus/view.h"
#include "model/freeindex.h"
#include "model/predictor.h"

#define HS_NO_SEAT       UINT32_MAX
#define HS_NO_ATTEMPT    UINT32_MAX
#define HS_LIVE_JOBS_MAX (1u << 28)

struct hs_seat {
    uint32_t gpu;
    uint32_t job;
    uint32_t next_of_job;
    uint32_t next_on_gpu;
};

/* A run to come of a job that fails before. */
struct hs_attempt {
    int64_t work_us;
    uint32_t next;
};

struct hs_job {
    /* progress */
    struct hs_work work; /* of this attempt */
    uint64_t rate_q32;
    uint64_t share_q32, cap_q32;
    int64_t synced_us;       /* everything below is true up to here */
    int64_t cost_left_us;    /* owed before it makes progress */
    int64_t finish_us;       /* of its event in the heap; HS_TIME_MAX if none */
    int64_t oom_us;          /* when its overflow of a GPU kills it; HS_TIME_MAX if none */
    int64_t alarm_ns;        /* the policy is told when so much work is done; HS_TIME_MAX: never */
    int64_t at_step_ns;      /* work done when it was last told; -1 = never */
    uint64_t mem_factor_q32; /* what its memory limit makes of its rate */
    /* placement */
    uint32_t first_seat;
    uint32_t gpus_held;
    uint32_t shared_gpus; /* of those, with another tenant */
    uint32_t nodes_spanned;
    uint8_t state; /* enum hs_job_state */
    uint8_t plan;  /* marks of the plan being written; 0 between decisions */
    uint8_t outcome;
    uint32_t lane;        /* of time slices; 0 = none */
    uint32_t unit;        /* of the lane, whose jobs take their turns together; 0 = none */
    uint8_t keeps;        /* enum hs_keeps: of its GPU memory when others of the lane run */
    bool is_waiting;      /* placed, and has not had its first turn yet */
    bool is_active;       /* on its GPUs: neither paused nor waiting for a turn */
    bool is_background;   /* fills what others leave idle */
    bool is_hosted;       /* suspended, its process is on the host */
    uint32_t gpus_hosted; /* so many of them, */
    uint32_t node_hosted; /* of this node, for one */
    uint32_t plan_action; /* of the plan being written: the one that released it */
    bool is_constrained;
    bool is_live;
    bool is_alone; /* may not be put beside others: by the policy, or ran out of GPU memory too
                      often */
    /* demand */
    uint32_t gpus, gpus_min, gpus_max;
    uint32_t gpu_milli;        /* of each; HS_GPU_MILLI = whole */
    uint32_t gpu_mem_mib;      /* what it uses per GPU: its peak, or the limit it was given */
    uint32_t gpu_mem_peak_mib; /* as things stand: at first, or after later_ns */
    uint32_t gpu_mem_first_mib, gpu_mem_later_mib;
    uint32_t gpu_mem_persistent_mib;
    uint32_t mem_limit_mib; /* that the policy gave it; 0 = none */
    uint32_t mem_claim_mib; /* what plans count for it per GPU, beside others of its lane */
    uint32_t checkpoint_mib;
    int64_t later_ns;       /* work done when its memory changes; HS_TIME_MAX: never */
    int64_t step_ns;        /* a mini-batch; 0 = not known */
    uint8_t job_class;      /* enum hs_job_class */
    int32_t load[HS_LOADS]; /* what it adds to the sums of a GPU that it shares */
    int32_t gpu_util_pm;
    uint32_t profile;     /* HS_NO_PROFILE = none */
    uint8_t profile_from; /* enum hs_profile_from */
    struct hs_estimate estimate;
    int64_t estimate_run_us; /* -1 = none was asked for */
    int32_t priority;
    struct hs_ask ask;
    /* identity */
    uint64_t index, rank;
    char *id;
    uint32_t id_cap;
    uint32_t user, vc_name, model, dataset, batch, precision; /* interned */
    int64_t submit_us, deadline_us, preempt_cost_us;          /* submit_us: of this attempt */
    /* attempts: what a policy sees is the present one, a job of its own; observers see the whole */
    uint32_t attempt;      /* from 0 */
    uint32_t next_attempt; /* HS_NO_ATTEMPT: this one does not fail */
    int64_t arrived_us;    /* submission of the first */
    int64_t began_us;      /* first start of the first, once it has failed; else -1 */
    int64_t all_ns;        /* work of all attempts */
    int64_t past_ns;       /* of those that failed */
    /* account */
    int64_t first_start_us;                                     /* of this attempt */
    int64_t segment_start_us, segment_done_ns, segment_cost_us; /* done and owed at its start */
    uint64_t segment_carry;                                     /* of work, likewise */
    uint32_t segment_max_tenants;
    int64_t attained_us, run_us, overhead_us, colocated_us, gpu_us, lost_ns;
    int64_t first_progress_us; /* of all attempts; -1 = never */
    int64_t host_mib;          /* of all its GPUs, now */
    int64_t host_mib_us;
    uint32_t preemptions, migrations, ooms, switches;
    uint32_t gpu_type; /* of its last placement; UINT32_MAX = never placed */
};

struct hs_jobs {
    struct hs_job *jobs;
    uint32_t cap, high; /* slots ever used */
    uint32_t *free_slots;
    uint32_t free_count, free_cap;
    struct hs_seat *seats;
    uint32_t seat_cap, seat_high, free_seat; /* free seats are chained by next_of_job */
    struct hs_attempt *attempts;
    uint32_t attempt_cap, attempt_high, free_attempt; /* free ones are chained by next */
    unsigned char *scratch;                           /* scratch_size bytes a slot: the policy's */
    uint32_t scratch_cap;
    uint32_t scratch_size;
    uint64_t live;
};

void hs_jobs_init(struct hs_jobs *jobs, uint32_t scratch_size);
/* A zeroed slot (its id buffer is kept) and zeroed scratch. O(1) amortised. */
HS_MUST_USE enum hs_status hs_jobs_add(struct hs_jobs *jobs, uint32_t *slot);
HS_MUST_USE enum hs_status hs_jobs_set_id(struct hs_job *job, const char *id);
/* The run times of a new job's attempts: the first is its work now, the others follow. */
HS_MUST_USE enum hs_status hs_jobs_set_attempts(struct hs_jobs *jobs, uint32_t slot,
                                                const int64_t *attempts_us, uint32_t count);
/* The job failed: its work is that of its next attempt, which it must have; zeroed scratch. */
void hs_jobs_retry(struct hs_jobs *jobs, uint32_t slot);
void hs_jobs_remove(struct hs_jobs *jobs, uint32_t slot);
/* A free seat, unlinked. */
HS_MUST_USE enum hs_status hs_jobs_seat(struct hs_jobs *jobs, uint32_t *seat);
void hs_jobs_free_seat(struct hs_jobs *jobs, uint32_t seat);
/* Work done in this attempt and in those that failed. */
static inline int64_t hs_job_done_ns(const struct hs_job *job)
{
    return job->past_ns + job->work.done_ns;
}
void hs_jobs_free(struct hs_jobs *jobs);

#endif
