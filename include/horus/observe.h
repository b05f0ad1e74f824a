/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Observers of a run: the engine calls every observer once for each change, in order of time;
 * observers write rows and integrals and never influence the run.
 *
 *     struct hs_observer o = {.ctx = &writer, .on_finish = write_row};
 *
 * Pointers inside the records are valid only during the call; but a text other than `id` and
 * `reason` that comes again at the same address in a run is the same text. Times: microseconds
 * since the trace epoch. All calls are optional (NULL). A failure ends the run with that status.
 */
#ifndef HORUS_OBSERVE_H
#define HORUS_OBSERVE_H

#include "horus/view.h"

/* A job at its first submission. */
struct hs_submission {
    const char *user, *vc; /* "" if the trace has none */
    uint64_t index;        /* row among the jobs taken from the trace, from 0 */
    uint32_t slot;         /* among the jobs in the system; another job's once it has ended */
    int64_t work_us;       /* isolated run time, of all attempts, rounded down */
    uint32_t gpus;
    uint32_t gpu_milli;  /* of each of them, in thousandths; 1000 = whole */
    uint32_t profile;    /* row of the catalogue; HS_NO_PROFILE = none */
    int32_t gpu_util_pm; /* -1 = unknown */
    enum hs_figure_from util_from;
};

/* Everything known of a job at the moment of the call. */
struct hs_job_record {
    const char *id;
    const char *user, *vc; /* "" if the trace has none */
    const char *model, *dataset, *batch, *precision;
    const char *gpu_type;          /* of its last placement; "" if never placed */
    const char *reason;            /* REJECTED: why; else "" */
    uint64_t index;                /* row among the jobs taken from the trace, from 0 */
    uint32_t user_index, vc_index; /* the same for the same name; small */
    uint32_t profile;              /* row of the catalogue; HS_NO_PROFILE = none */
    uint32_t slot;                 /* as of its submission */
    uint32_t gpus;
    uint32_t gpu_milli;     /* of each of them, in thousandths; 1000 = whole */
    uint32_t nodes_spanned; /* of its last placement */
    int64_t submit_us;
    int64_t first_start_us; /* -1 = never started */
    int64_t finish_us;      /* -1 = not finished */
    /* Isolated run time, rounded up; of all attempts, like the rest of the record. */
    int64_t work_us;
    int64_t deadline_us; /* -1 = none */
    /* at its end, where it has deadline options: of the first that it met, 0 where it met none or
     * did not do its work, and the most of all; else 0 and -1. Thousandths */
    int64_t value_milli, value_most_milli;
    int64_t done_ns; /* work done and not lost, ns of isolated run time */
    int64_t lost_ns;
    int64_t run_us;            /* time holding GPUs, overhead included */
    int64_t overhead_us;       /* part of run_us that paid a cost */
    int64_t colocated_us;      /* part of run_us on at least one shared GPU */
    int64_t gpu_us;            /* sum over GPUs of the time held, whatever share of them */
    int64_t first_progress_us; /* when it first made progress; -1 = never */
    int64_t host_mib_us;       /* its memory on the host over time, of all its GPUs */
    uint32_t switches;         /* suspensions and pauses */
    enum hs_job_class job_class;
    uint32_t preemptions, migrations, ooms;
    uint32_t retries; /* attempts that failed, each submitted again */
    int32_t gpu_util_pm;
    int32_t predicted_util_pm; /* the policy's prediction; -1 = none */
    int64_t estimate_us; /* run time of its last attempt, as estimated for the policy; -1 = none */
    enum hs_profile_from profile_from;
    enum hs_figure_from util_from, mem_from;
    enum hs_job_state state;
    enum hs_outcome outcome;
};

/* Thousandths of GPUs that it requests, and holds unless it was resized. */
static inline uint64_t hs_record_milli(const struct hs_job_record *job)
{
    return (uint64_t)job->gpus * job->gpu_milli;
}

#define HS_SEGMENT_END_LIST(X)                                                                     \
    X(FINISH, "finish")                                                                            \
    X(PREEMPT, "preempt")                                                                          \
    X(SUSPEND, "suspend") /* preempted, its process stays on the host */                           \
    X(MIGRATE, "migrate")                                                                          \
    X(KILL, "kill")                                                                                \
    X(OOM, "oom")         /* its GPU ran out of memory: what was done in it is lost */             \
    X(HORIZON, "horizon") /* cut by --until */                                                     \
    X(FAILURE, "failure") /* the attempt failed and is submitted again at that instant */          \
    X(PROFILE, "profile") /* its profile is taken: what was done in it is lost */                  \
    X(FAULT, "fault") /* a node of it failed: what was done since its last checkpoint is lost */   \
    X(DRAIN, "drain") /* a node of it is drained: it is submitted again, nothing is lost */        \
    X(FORK, "fork")   /* the run goes on under another policy from then on; nothing is lost */

enum hs_segment_end {
#define HS_SEGMENT_END_ENUM(name, text) HS_SEGMENT_##name,
    HS_SEGMENT_END_LIST(HS_SEGMENT_END_ENUM)
#undef HS_SEGMENT_END_ENUM
        HS_SEGMENT_ENDS
};
const char *hs_segment_end_text(enum hs_segment_end end);

/* One uninterrupted placement. gpus: global GPU ids, ascending. */
struct hs_segment {
    const struct hs_job_record *job;
    int64_t start_us, end_us;
    int64_t done_ns; /* work done in it */
    int64_t lost_ns; /* FAULT: part of done_ns, since the last checkpoint; else 0 */
    const uint32_t *gpus;
    uint32_t gpu_count;
    uint32_t max_tenants; /* most jobs seen on one of its GPUs, itself included */
    enum hs_segment_end ended_by;
};

/* What a policy did to a job. */
#define HS_DECISION_LIST(X)                                                                        \
    X(START, "start")           /* it was pending */                                               \
    X(RESUME, "resume")         /* it was suspended */                                             \
    X(MIGRATE, "migrate")       /* from its GPUs to others, in one plan */                         \
    X(PREEMPT, "preempt")       /* off its GPUs */                                                 \
    X(SUSPEND, "suspend")       /* the same; its process stays on the host */                      \
    X(KILL, "kill")             /* the same, for good */                                           \
    X(REJECT, "reject")         /* refused before its start */                                     \
    X(PAUSE, "pause")           /* stopped, stays on its GPUs */                                   \
    X(UNPAUSE, "unpause")       /* continues there */                                              \
    X(SHARE, "share")           /* its share of the time of its slice group */                     \
    X(THROTTLE, "throttle")     /* its speed is capped */                                          \
    X(BACKGROUND, "background") /* it uses what other jobs leave idle */                           \
    X(FOREGROUND, "foreground") /* no longer in the background */                                  \
    X(LIMIT, "limit")           /* of its GPU memory; 0: no limit */                               \
    X(ADD_OVERHEAD, "owe")      /* a cost to pay before it makes progress */

enum hs_decision_kind {
#define HS_DECISION_ENUM(name, text) HS_DECISION_##name,
    HS_DECISION_LIST(HS_DECISION_ENUM)
#undef HS_DECISION_ENUM
};
const char *hs_decision_text(enum hs_decision_kind kind);

/* One action of a plan that was applied, in the order of application: at one time all that take
 * GPUs from a job, then all that give it some (a migration among these), then the others. */
struct hs_decision {
    const struct hs_job_record *job;
    enum hs_decision_kind kind;
    uint32_t triggers;    /* bit per enum hs_event_kind that the policy received at this time */
    const uint32_t *gpus; /* ascending: those taken or given up; of the other kinds those held */
    uint32_t gpu_count;
    /* START, RESUME, MIGRATE: cost that it owes now; PREEMPT, SUSPEND, OWE: cost that is added, us.
     * SHARE, THROTTLE: Q32. LIMIT: MiB per GPU. Else 0. */
    uint64_t value;
    const char *plan_reason; /* static text of the policy; NULL: none */
};

/* The state from time_us to the next instant. */
struct hs_instant {
    int64_t time_us;
    uint64_t running, pending, suspended; /* jobs; running = placed */
    uint64_t gpus_held, gpus_shared;      /* GPUs with >= 1, >= 2 tenants */
    uint64_t milli_held;                  /* thousandths of GPUs: 1000 of one held whole */
    uint64_t gpus_out;                    /* GPUs that no job holds, of nodes out of service */
    uint64_t gpus_wanted;                 /* by pending and suspended jobs; a share counts as 1 */
    uint64_t gpus_fragmented; /* free GPUs when one waiting job would fit in number, else 0 */
    uint64_t load_pm_q32;     /* busy part of each GPU, per mille, Q32, summed; unknown: 0 */
    uint64_t solo_pm_q32;     /* the same if no job slowed another, at most 1 of each GPU */
    /* gpus_wanted by cause of waiting */
    uint64_t wait_resources, wait_placement, wait_quota, wait_priority;
    uint64_t wait_constraint; /* part of wait_placement: of gangs larger than any node */
    uint64_t policy_counter[HS_POLICY_COUNTER_COUNT]; /* so far */
    bool is_still; /* as the instant before except for the time: timers fired without effect */
};

struct hs_observer {
    void *ctx;
    enum hs_status (*on_submit)(void *ctx, int64_t now_us, const struct hs_submission *job);
    enum hs_status (*on_start)(void *ctx, int64_t now_us, const struct hs_job_record *job,
                               const uint32_t *gpus, uint32_t gpu_count);
    enum hs_status (*on_segment)(void *ctx, const struct hs_segment *segment);
    enum hs_status (*on_decision)(void *ctx, int64_t now_us, const struct hs_decision *decision);
    /* DONE, FAILED or REJECTED; also, at a horizon, once for each unfinished job. */
    enum hs_status (*on_finish)(void *ctx, int64_t now_us, const struct hs_job_record *job);
    /* REJECTED only, for an observer that needs no other end. */
    enum hs_status (*on_reject)(void *ctx, int64_t now_us, const struct hs_job_record *job);
    enum hs_status (*on_instant)(void *ctx, const struct hs_instant *instant);
    /* It only counts and writes nothing about single jobs. If all observers do, records of jobs
     * have no texts except user, VC and reason (the others are NULL), no predictions and no
     * estimates: filling them costs as much as the rest. A rejection has all fields. */
    bool is_counts_only;
};

#endif
