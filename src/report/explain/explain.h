/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why jobs waited, from the files of a finished run: manifest, jobs.csv, segments.csv and, if it is
 * there, decisions.csv. Which job held what is rebuilt from the segments in order of time, and each
 * moment of waiting is booked to the cause that the engine books it to (results/README.md), so that
 * over all jobs the times, multiplied by the GPUs that they want, are the figures of summary.json.
 */
#pragma once

#include "model/cluster.h"
#include "report/run/manifest.h"

/* Of one job, where its time went, its stages, the jobs that went ahead of it or beside it, its
 * decisions; of all (job_id NULL) GPU-hours waited by cause, over time, and the jobs that waited
 * most. O(segments log segments). HS_E_INPUT for a directory that is not of one run, has no
 * jobs.csv and segments.csv, whose files contradict each other, or that has no such job. */
HS_MUST_USE enum hs_status hs_explain(const char *dir, const char *job_id, bool as_json,
                                      bool use_utf8, struct hs_output *out, struct hs_diag *diag);

/* ---- between the files of this module ---- */

enum explain_cause {
    EXPLAIN_RESOURCES,
    EXPLAIN_FRAGMENTATION,
    EXPLAIN_CONSTRAINT,
    EXPLAIN_QUOTA,
    EXPLAIN_PRIORITY,
    EXPLAIN_CAUSES,
};

/* What a wait follows. */
enum explain_phase {
    EXPLAIN_FIRST,     /* the submission */
    EXPLAIN_PREEMPTED, /* a segment that the policy ended */
    EXPLAIN_FAILED,    /* one that ended by failure or for want of memory */
    EXPLAIN_PHASES,
};

#define EXPLAIN_NONE      UINT32_MAX
#define EXPLAIN_INTERVALS 12

struct explain_job {
    const char *id, *user, *vc_name, *model, *status;
    const char *profile_from;  /* a drawn one: the model is assumed */
    int64_t submit_us, end_us; /* end_us: of the job, or of the run */
    int64_t start_us;          /* first; -1 = never */
    int64_t isolated_us, run_us, pending_us, overhead_us, colocated_us, lost_ns;
    uint32_t gpus;
    uint32_t gpu_milli;     /* of each GPU */
    uint32_t vc;            /* of the cluster */
    uint32_t first_segment; /* EXPLAIN_NONE = none */
    uint32_t class;
    uint64_t preemptions, migrations, ooms, switches;
    bool is_done;
    int64_t wait_us[EXPLAIN_PHASES][EXPLAIN_CAUSES];
    /* of its segments so far, when the replay is prepared */
    int64_t held_us, last_end_us; /* last_end_us: its submission, before the first */
    enum explain_phase phase;
    bool may_wait, is_wrong;
};

/* Jobs that want as many GPUs of one pool wait for the same cause at any moment. */
struct explain_class {
    uint32_t vc, gpus, gpu_milli;
    uint32_t waiting; /* jobs, now */
    int64_t sum_us[EXPLAIN_CAUSES];
};

/* A stretch of waiting, or of holding GPUs, of the job that is watched. */
struct explain_stage {
    int64_t from_us, to_us;
    uint32_t segment; /* EXPLAIN_NONE: it waited, for these causes */
    int64_t wait_us[EXPLAIN_CAUSES];
};

/* A row of decisions.csv; time and value are in millionths. */
struct explain_decision {
    const char *job, *action, *gpus, *trigger, *plan_reason;
    int64_t time_us, value;
};

/* GPUs wanted x time, by cause. */
typedef hs_u128 explain_waits[EXPLAIN_CAUSES];

#define EXPLAIN_NAMED   5u
#define EXPLAIN_LONGEST 10u /* jobs that are named of a run */

/* Jobs in the order in which they did it; the first are named. */
struct explain_list {
    uint32_t count, named;
    uint32_t jobs[EXPLAIN_LONGEST];
    int64_t us[EXPLAIN_LONGEST]; /* when, or for how long */
};

struct explain {
    const char *dir;
    struct hs_diag *diag;
    struct hs_intern ids; /* of jobs: id n is jobs[n - 1] */
    struct hs_intern texts;
    struct hs_runmanifest manifest;
    struct hs_cluster cluster;
    bool has_cluster, has_decisions;
    bool may_borrow, is_sharing;
    const char *policy, *order, *scan; /* by the manifest; order, scan: "?" where it says nothing */
    struct hs_schedule schedule;       /* in the order of the file: of their ends */
    struct explain_job *jobs;
    struct explain_class *classes;
    uint32_t job_count, job_cap, class_count, class_cap;
    int64_t begin_us, end_us; /* first submission, end of the run */
    explain_waits total, interval[EXPLAIN_INTERVALS];
    struct explain_list longest; /* jobs that waited longest, longest first */
    /* of the job that is told of; EXPLAIN_NONE = of none */
    uint32_t watched;
    struct explain_stage *stages;
    struct explain_decision *decisions;
    uint32_t stage_count, stage_cap, decision_count, decision_cap;
    struct explain_list overtaken; /* submitted later, first started while it waited */
    struct explain_list freed;     /* held GPUs of its first placement before, last one first */
    struct explain_list beside;    /* on its GPUs, longest first; us: for how long */
    uint32_t idle_gpus;            /* of its first placement that no job had held before */
};

extern const char *const explain_cause_names[EXPLAIN_CAUSES];

/* Loads the run and books all waits. */
HS_MUST_USE enum hs_status explain_open(struct explain *x, const char *dir, const char *job_id,
                                        struct hs_diag *diag);
/* Begin of a twelfth of the run; of the one behind the last: the end of the run. */
int64_t explain_interval_us(const struct explain *x, uint32_t interval);
void explain_close(struct explain *x); /* also after a failure */
