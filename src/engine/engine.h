/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The event engine: simulates jobs under a policy (MODEL.md 8). An instant is: finishes and ends of
 * costs, submissions, timers, then one decide() of the policy, the invariants, and the observers.
 *
 *     HS_TRY(hs_engine_open(&engine, &config, diag));
 *     hs_engine_observe(engine, &observer);
 *     HS_TRY(hs_engine_run(engine, source));
 *     hs_engine_figures(engine, &figures);
 *
 * Single-threaded; no allocation after the largest number of live jobs was reached.
 */
#pragma once

#include "horus/observe.h"
#include "horus/policy.h"
#include "model/host.h"
#include "model/interference.h"
#include "model/machine.h"
#include "model/predictor.h"
#include "model/reservations.h"
#include "model/speed.h"
#include "model/stages.h"

/* The limit that ended a run before its last job. */
enum hs_stop { HS_STOP_NONE, HS_STOP_UNTIL, HS_STOP_EVENTS, HS_STOP_POLL };

#define HS_YOUNG_DALY (-1) /* an interval of checkpoints */

enum hs_check { HS_CHECK_OFF, HS_CHECK_FAST, HS_CHECK_FULL };

struct hs_engine_config {
    const struct hs_cluster *cluster;
    const struct hs_policy_ops *policy;
    const void *policy_state; /* with parameters set; state_size bytes, copied */
    enum hs_check check;
    uint64_t seed;        /* for the noise of estimates */
    int64_t begin_us;     /* of a fork, its time; else 0 */
    uint64_t jitter_seed; /* 0 = ties by row and lowest node; else random */
    int64_t until_us;     /* horizon; HS_TIME_MAX = none */
    uint64_t max_events;  /* ends the run after the instant that reaches it; 0 = none */
    /* True rates (MODEL.md 4, 5). NULL: no interference; the speeds of the cluster. */
    const struct hs_interference *interference;
    const struct hs_speed *speed;
    /* NULL, or where the policy does not interleave: jobs that share GPUs interfere instead. */
    const struct hs_stages *stages;
    const struct hs_host *host; /* speed by CPUs and host memory; NULL: independent */
    bool has_locality;          /* a spread gang is slowed according to `speed` */
    uint64_t rack_q32;          /* speed of a gang in more racks than it needs; 0: that in one */
    /* Predictions of utilization and memory; NULL: true values. */
    const struct hs_predictor *predictor;
    /* Data of the models trained, for the view; NULL, 0: unknown. */
    const struct hs_catalogue *catalogue; /* jobs' profiles are its rows */
    const struct hs_overheads *restart;
    const struct hs_overheads *memcurve; /* speed under a memory limit; NULL: unchanged */
    uint32_t storage_mib_per_s;          /* for saving and restoring checkpoints */
    uint32_t max_tenants;                /* jobs per GPU with HS_CAN_COLOCATE; 1..HS_TENANTS_MAX */
    uint32_t memory_reserve_mib;         /* of a shared GPU, not usable by its tenants */
    int64_t oom_delay_us;                /* from a start that overflows its GPU to the kill */
    uint32_t oom_retries;                /* after this many kills a job never shares */
    int64_t startup_us;                  /* cost of a first start (MODEL.md 7) */
    const struct hs_machines *machines;  /* NULL: all nodes are always in service */
    /* After a fault a job goes on from the work at which it last saved: its placement began, or
     * each checkpoint_us of work after that; 0: only there; HS_YOUNG_DALY: by the law of
     * `machines`, the cost, and the nodes of the placement. */
    int64_t checkpoint_us;
    /* Of each, by which a job is slower: interval / (interval + cost). */
    int64_t checkpoint_cost_us;
    int64_t restart_us; /* cost of the start after a fault or a drain, besides startup_us */
    /* NULL: none; else the policy can nothing of HS_BARS_RESERVATIONS */
    const struct hs_reservations *reservations;
    /* Called after every 16th instant; HS_END ends the run like its horizon, a failure aborts it.
     * May be NULL. */
    enum hs_status (*poll)(void *ctx, const struct hs_instant *instant);
    void *poll_ctx;
    /* Called before the run is ended by until_us; may be NULL. */
    enum hs_status (*at_until)(void *poll_ctx);
};

/* For the manifest's volatile part and the benchmark. */
struct hs_engine_figures {
    uint64_t events, instants, decisions, jobs, finished, failed, rejected, unfinished;
    uint64_t peak_live_jobs, checks;
    uint64_t shares_divided; /* jobs with shares of GPUs, as requested */
    uint64_t shares_rounded; /* jobs that request a share and get whole GPUs: no HS_CAN_DIVIDE */
    uint64_t interrupts;     /* jobs stopped by faults and drains */
    uint64_t mem_capped;     /* jobs whose profile states more memory than any GPU has */
    uint64_t unnamed;        /* jobs not in the file of estimates */
    uint64_t fork_running;   /* jobs that held GPUs at a fork */
    uint64_t fork_kept;      /* of those, the ones that the new policy put back there at once */
    const struct hs_reservation *unused; /* for a user without jobs, the first; NULL: none */
    /* the policy read these of a job */
    bool reads_priority, reads_deadline, reads_class, reads_loss;
    int64_t end_us;   /* last instant */
    int64_t epoch_us; /* trace clock of time 0 */
    enum hs_stop stop;
    bool has_shared_turns; /* the policy switched from turns to shares of time */
};

struct hs_engine;

HS_MUST_USE enum hs_status hs_engine_open(struct hs_engine **engine,
                                          const struct hs_engine_config *config,
                                          struct hs_diag *diag);
/* Must be called before the run; the observer is copied, at most 8. */
HS_MUST_USE enum hs_status hs_engine_observe(struct hs_engine *engine,
                                             const struct hs_observer *observer);
HS_MUST_USE enum hs_status hs_engine_run(struct hs_engine *engine, struct hs_job_source source);
/* Goes on with a run from the place where it called poll or at_until, in the image of another
 * process. */
HS_MUST_USE enum hs_status hs_engine_continue(struct hs_engine *engine, int64_t until_us);
/* Replaces an engine that is at its horizon by one in which the same run goes on under another
 * policy, from config->begin_us on: same cluster, machines, reservations and costs. The source
 * begins with the first record of the trace. *engine is to be closed after a failure, too. */
HS_MUST_USE enum hs_status hs_engine_fork(struct hs_engine **engine,
                                          const struct hs_engine_config *config,
                                          struct hs_job_source source);
void hs_engine_get_figures(const struct hs_engine *engine, struct hs_engine_figures *figures);
void hs_engine_close(struct hs_engine *engine);
