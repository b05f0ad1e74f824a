/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The event engine: jobs in, schedule out (MODEL.md 8). One instant is: finishes and ends of costs,
 * submissions, timers, then one decide() of the policy, then the invariants, then the observers.
 *
 *     HS_TRY(hs_engine_open(&engine, &config, diag));
 *     hs_engine_observe(engine, &observer);
 *     HS_TRY(hs_engine_run(engine, source));
 *     hs_engine_figures(engine, &figures);
 *
 * Single-threaded; no allocation once the largest number of live jobs has been seen.
 */
#pragma once

#include "horus/observe.h"
#include "horus/policy.h"
#include "model/host.h"
#include "model/interference.h"
#include "model/predictor.h"
#include "model/speed.h"

/* What cut a run before its last job ended. */
enum hs_stop { HS_STOP_NONE, HS_STOP_UNTIL, HS_STOP_EVENTS, HS_STOP_POLL };

enum hs_check { HS_CHECK_OFF, HS_CHECK_FAST, HS_CHECK_FULL };

struct hs_engine_config {
    const struct hs_cluster *cluster;
    const struct hs_policy_ops *policy;
    const void *policy_state; /* parameters filled in; state_size bytes, copied */
    enum hs_check check;
    uint64_t seed;        /* of the run: of the noise of estimates */
    uint64_t jitter_seed; /* 0 = ties by row and lowest node; else drawn */
    int64_t until_us;     /* horizon; HS_TIME_MAX = none */
    uint64_t max_events;  /* cuts the run behind the instant that reaches it; 0 = none */
    /* The truth about rates (MODEL.md 4, 5). NULL: no interference; the speeds of the cluster. */
    const struct hs_interference *interference;
    const struct hs_speed *speed;
    const struct hs_host *host; /* speed by CPUs and host memory; NULL: these do not matter */
    bool has_locality;          /* a spread gang is slowed as `speed` says */
    /* Predictions of utilization and memory; NULL: the truth. */
    const struct hs_predictor *predictor;
    /* Tables of the models that jobs train, for the view; NULL, 0: unknown. */
    const struct hs_catalogue *catalogue; /* that the profiles of the jobs are rows of */
    const struct hs_overheads *restart;
    const struct hs_overheads *memcurve; /* speed under a memory limit; NULL: it costs nothing */
    uint32_t storage_mib_per_s;          /* at which one job saves and restores a checkpoint */
    uint32_t max_tenants;                /* jobs per GPU with HS_CAN_COLOCATE; 1..HS_TENANTS_MAX */
    uint32_t memory_reserve_mib;         /* of a shared GPU, not for its tenants */
    int64_t oom_delay_us;                /* from a start that overflows its GPU to the kill */
    uint32_t oom_retries;                /* after so many kills a job runs only alone */
    int64_t startup_us;                  /* cost of a first start (MODEL.md 7) */
    /* Called behind every 16th instant; HS_END cuts the run there, as its horizon would, a failure
     * ends it. May be NULL. */
    enum hs_status (*poll)(void *ctx, const struct hs_instant *instant);
    void *poll_ctx;
};

/* For the manifest's volatile part and the benchmark. */
struct hs_engine_figures {
    uint64_t events, instants, decisions, jobs, finished, failed, rejected, unfinished;
    uint64_t peak_live_jobs, checks;
    uint64_t shares_divided; /* jobs that ask for a share of their GPUs and get it */
    uint64_t shares_rounded; /* jobs that ask for a share and get whole GPUs: no HS_CAN_DIVIDE */
    uint64_t mem_capped;     /* jobs with more memory, by the profile, than any GPU has */
    uint64_t unnamed;        /* jobs that the file of estimates does not name */
    bool reads_priority, reads_deadline, reads_class; /* the policy asked for those of a job */
    int64_t end_us;                                   /* last instant */
    int64_t epoch_us;                                 /* trace clock of time 0 */
    enum hs_stop stop;
    bool has_shared_turns; /* the policy gave shares of time for turns from some moment on */
};

struct hs_engine;

HS_MUST_USE enum hs_status hs_engine_open(struct hs_engine **engine,
                                          const struct hs_engine_config *config,
                                          struct hs_diag *diag);
/* Before the run; the observer is copied, at most 8. */
HS_MUST_USE enum hs_status hs_engine_observe(struct hs_engine *engine,
                                             const struct hs_observer *observer);
HS_MUST_USE enum hs_status hs_engine_run(struct hs_engine *engine, struct hs_job_source source);
void hs_engine_get_figures(const struct hs_engine *engine, struct hs_engine_figures *figures);
void hs_engine_close(struct hs_engine *engine);
