/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of lucid share. Numbers of sections are those of Hu et al., ASPLOS'23.
 */
#pragma once

#include "policies/lib/params.h"
#include "policies/lib/vc_queues.h"

#define HS_LUCID_GANG    8                      /* the largest that shares GPUs: one node (3.5.1) */
#define HS_LUCID_CLASSES (HS_LUCID_GANG + 1)    /* by gang; 0: larger ones, and jobs without GPUs */
#define HS_LUCID_SETS    (HS_LUCID_CLASSES + 1) /* and jobs that no scan has seen yet */
#define HS_LUCID_FRESH   HS_LUCID_CLASSES
#define HS_LUCID_NODES   64 /* set aside at most */

enum hs_lucid_profile { HS_LUCID_PROFILE_NODES, HS_LUCID_PROFILE_KNOWN };
enum hs_lucid_score { HS_LUCID_SCORE_TREE, HS_LUCID_SCORE_TABLE, HS_LUCID_SCORE_UTILSUM };
enum hs_lucid_sharing { HS_LUCID_SHARING_ON, HS_LUCID_SHARING_OFF, HS_LUCID_SHARING_ADAPT };
enum hs_lucid_packing { HS_LUCID_PACKING_BINDER, HS_LUCID_PACKING_NAIVE };
enum hs_lucid_first { HS_LUCID_FIRST_PACK, HS_LUCID_FIRST_EXCLUSIVE };

struct hs_lucid_vc {
    struct hs_job_queue sets[HS_LUCID_SETS];        /* waiting jobs, by key */
    struct hs_job_queue hosts[2][HS_LUCID_CLASSES]; /* jobs alone on their GPUs, in order of start:
                                                       those that no waiting job was held against
                                                       yet [1], and the others [0] */
    int64_t most_key[HS_LUCID_CLASSES];             /* of the former */
    bool is_awake, has_release;
};

/* Jobs, and GPUs that they want, submitted in each bin of 600 s. */
struct hs_lucid_counts {
    uint32_t jobs, gpus;
};

struct hs_lucid {
    int32_t profile, score, sharing, packing, first;
    int64_t profile_nodes, profile_us, limit, check_us;
    int64_t tree_bandwidth_pm, tree_util_pm, score_sum, capacity, mem_mib;
    double ratio, low;
    bool is_estimating, counts_left, keeps, scales;
    const char *forecast_file;
    struct hs_preempt_cost cost;
    struct hs_estimate_choice estimate; /* parameters up to here */
    struct hs_lucid_vc *vcs;
    uint32_t vc_count;
    int64_t starts;
    uint64_t passes;
    /* profiler */
    struct hs_job_chain arrived, profiling; /* the latter in order of their ends */
    struct hs_job_queue to_profile;         /* by gang */
    uint32_t aside[HS_LUCID_NODES], aside_count;
    uint32_t lent; /* a node of the virtual clusters + 1; 0 = none */
    int64_t loan_us;
    bool is_open, is_evicting;
    /* adaptive sharing */
    struct hs_lucid_counts *bins; /* a ring */
    int64_t bin;                  /* of the last submission */
    const int64_t *series;        /* of the file, in millionths of jobs */
    uint32_t series_count;
    int64_t checked_us;
    int64_t timer_us; /* of the next check */
    bool shares;      /* by the last check */
    /* compat */
    int32_t compat; /* 0 = off */
    const char *compat_speeds;
    /* Of each kind as a guest of each, then as its host, in millionths. */
    const int64_t *pair_speeds;
    uint32_t kinds;
    double gpu_speed;
    int64_t act_us;              /* of the next action */
    struct hs_job_queue actions; /* running jobs, by when they are to be paused or resumed */
    struct hs_lucid_run *runs;
    uint32_t going_runs, waiting_runs; /* end of the former, begin of the latter */
    uint32_t aside_free[HS_LUCID_NODES];
};

enum hs_lucid_where {
    HS_LUCID_ARRIVED,
    HS_LUCID_TO_PROFILE,
    HS_LUCID_PROFILING,
    HS_LUCID_WAITING,
    HS_LUCID_RUNNING,
    HS_LUCID_GONE,
};

struct hs_lucid_job {
    struct hs_job_queue_link link; /* of a set, or of those to be profiled */
    struct hs_job_queue_link host;
    struct hs_job_chain_link chain;
    int64_t key;                  /* GPUs times predicted duration, us */
    int64_t due_us;               /* its profile ends */
    int64_t started;              /* number of its start: the order of hosts */
    uint64_t pass;                /* in which it was tried last */
    int64_t held_from_us;         /* its GPUs in the virtual cluster */
    hs_job_id partner;            /* HS_NO_JOB = none */
    uint32_t gpus[HS_LUCID_GANG]; /* of a job that may share */
    uint32_t node;
    uint32_t mem_mib; /* 0: not known: it shares with none */
    int32_t util_pm;
    uint8_t where, set, score;
    bool is_host, is_new_host;
    /* compat */
    bool is_paused;
    uint32_t kind; /* row of the catalogue */
    double rest, speed;
    int64_t second; /* the last that was taken from the rest */
    int64_t end_us;
};

static inline struct hs_lucid_job *hs_lucid_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* lucid.c: the job waits for GPUs of its virtual cluster. */
void hs_lucid_wait(struct hs_lucid *s, const struct hs_view *v, hs_job_id job);

/* lucid_compat.c */
enum hs_status hs_lucid_compat_init(struct hs_lucid *s, const struct hs_view *v);
enum hs_status hs_lucid_compat_come(struct hs_lucid *s, const struct hs_view *v, hs_job_id job);
void hs_lucid_compat_start(struct hs_lucid *s, const struct hs_view *v, hs_job_id job);
/* Whether its partner may be a host again. */
bool hs_lucid_compat_end(struct hs_lucid *s, const struct hs_view *v, hs_job_id job);
void hs_lucid_compat_decide(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p);
void hs_lucid_compat_wake(struct hs_lucid *s, const struct hs_view *v, struct hs_plan *p);
