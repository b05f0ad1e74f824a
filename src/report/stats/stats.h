/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of jobs: counts and sums while the run goes on, and a record of 24 or 64 bytes a
 * completed job in temporary files, from which means and exact quantiles of wait, JCT and slowdowns
 * are found at the end, for all jobs and for each class. Memory does not grow with the number of
 * jobs.
 *
 * Slowdowns are integers, parts per million rounded half up, so that they sort and sum exactly.
 */
#ifndef HORUS_REPORT_STATS_STATS_H
#define HORUS_REPORT_STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "horus/observe.h"
#include "report/run/summary.h"
#include "report/run/temp_records.h"

/* ---- classes of completed jobs: all; by GPUs, quintile of the user among all users by GPU time,
 * recorded outcome, class that the user asked for (where any job asks for one), virtual cluster
 * ---- */

enum {
    HS_CLASS_ALL = 0,
    HS_CLASS_GPUS = 1, /* 0, 1, 2-4, 5-8, 9-16, 17-32, >32 */
    HS_CLASS_GPUS_COUNT = 7,
    HS_CLASS_QUINTILE = HS_CLASS_GPUS + HS_CLASS_GPUS_COUNT,
    HS_CLASS_QUINTILES = 5,
    HS_CLASS_OUTCOME = HS_CLASS_QUINTILE + HS_CLASS_QUINTILES,
    HS_CLASS_JOB = HS_CLASS_OUTCOME + HS_OUTCOME_COUNT, /* enum hs_job_class */
    HS_CLASS_VC = HS_CLASS_JOB + HS_JOB_CLASS_COUNT,
    /* named VCs; jobs of further ones share the last class, "(others)" */
    HS_CLASS_VCS_MAX = HS_CLASSES_MAX - HS_CLASS_VC
};

/* HS_CLASS_GPUS + this: the class of a gang of so many GPUs. */
uint32_t hs_class_of_gpus(uint32_t gpus);
/* Kind and name of class `index`, above 0 and below HS_CLASS_VC. */
void hs_class_name(uint32_t index, struct hs_class *out);

/* ---- statistics ---- */

enum hs_measure {
    HS_M_WAIT,
    HS_M_JCT,
    HS_M_SLOWDOWN,
    HS_M_RUN_SLOWDOWN, /* time holding GPUs over isolated run time */
    HS_M_BOUNDED,
    HS_M_PROGRESS, /* from submission to first progress; of a job without work, to its end */
    HS_MEASURES
};

/* Bounded slowdown counts jobs shorter than this as this long (Feitelson & Rudolph, JSSPP 1998). */
#define HS_BOUND_US INT64_C(10000000)

struct hs_user_account {
    hs_u128 milli_us;      /* thousandths of GPUs held x time, all jobs */
    hs_u128 need, sojourn; /* sums of thousandths x isolated and x JCT, for the fairness index */
    uint64_t jobs;         /* completed */
    uint8_t quintile;      /* once the users are ranked */
};

struct hs_stats {
    struct hs_diag *diag;
    int64_t warmup_us, cooldown_us;
    struct hs_temp_records plain, samples; /* of completed jobs: packed; all others */
    struct hs_user_account *users;         /* by the engine's ids: memory follows them, not jobs */
    uint32_t user_cap;
    struct hs_intern vcs;
    uint32_t *vc_of; /* by the engine's ids: VC + 1; 0 = no job of it yet */
    uint32_t vc_of_cap;
    /* some completed job has a name of that kind, or asks for a class */
    bool has_users, has_vcs, has_job_classes;
    uint64_t submitted, done, failed, rejected, unfinished;
    uint64_t preemptions, migrations, ooms, retries, switches;
    uint64_t policy_counter[HS_POLICY_COUNTER_COUNT];        /* what the policy counted */
    uint64_t deadlines, deadline_misses;                     /* jobs with one; not done by then */
    int64_t first_submit_us, last_submit_us, last_finish_us; /* -1 = none */
    hs_u128 done_milli_ns, lost_milli_ns, overhead_milli_us; /* times thousandths of GPUs */
    hs_u128 host_mib_us;
    hs_u128 in_system_us;         /* sum of the times between submission and end */
    hs_u128 done_run_us, work_us; /* of completed jobs */
    hs_u128 run_us, colocated_us; /* of all jobs */
    bool has_util;                /* the GPU utilization of some job is known */
    bool has_faster;              /* JCT or run of a completed job below its isolated run time */
    /* results of hs_stats_finish() */
    uint64_t counted;                       /* jobs inside the window */
    double figure[HS_MEASURES][HS_FIGURES]; /* NaN without jobs */
    double mean_queueing_delay; /* time without GPUs, after preemptions too; NaN without jobs */
    double jain;                /* NaN with fewer than two users */
};

/* dir: of the temporary file, or NULL for /tmp. Only jobs submitted at least warmup_us after the
 * first and cooldown_us before the last count in the figures. */
void hs_stats_open(struct hs_stats *s, const char *dir, int64_t warmup_us, int64_t cooldown_us,
                   struct hs_diag *diag);
/* A job came; it ended, as on_finish of an observer is called. */
void hs_stats_submit(struct hs_stats *s, int64_t now_us, const struct hs_submission *job);
HS_MUST_USE enum hs_status hs_stats_end(struct hs_stats *s, int64_t now_us,
                                        const struct hs_job_record *job);
/* Fills the results and the classes of the summary. */
HS_MUST_USE enum hs_status hs_stats_finish(struct hs_stats *s, struct hs_summary *summary);
void hs_stats_close(struct hs_stats *s);

#endif
