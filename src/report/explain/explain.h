/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why jobs waited, from the files of a finished run: manifest, jobs.csv, segments.csv and, if it is
 * there, decisions.csv. Which job held what is rebuilt from the segments in order of time, and each
 * moment of waiting is booked to the cause that the engine books it to (results/README.md), so that
 * over all jobs the times, multiplied by the GPUs that they want, are the figures of summary.json.
 *
 *     HS_TRY(hs_explain_load(&explain, dir, diag));
 *     HS_TRY(hs_explain_find(explain, "j0815", &job));
 *     hs_explain_say_job(explain, job, &style, out);
 *     hs_explain_close(explain);                             // also after a failed load
 */
#ifndef HORUS_REPORT_EXPLAIN_EXPLAIN_H
#define HORUS_REPORT_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "horus/observe.h"
#include "model/cluster.h"
#include "report/run/manifest.h"

struct hs_explain_style {
    bool use_utf8;
    bool as_json;
};

struct hs_explain;

/* O(segments log segments). HS_E_INPUT for a directory that is not of one run, that has no
 * jobs.csv and segments.csv, or whose files contradict each other. */
HS_MUST_USE enum hs_status hs_explain_load(struct hs_explain **explain, const char *dir,
                                           struct hs_diag *diag);
/* HS_E_INPUT with the nearest name if the run has no such job. */
HS_MUST_USE enum hs_status hs_explain_find(const struct hs_explain *explain, const char *id,
                                           uint32_t *job, struct hs_diag *diag);
/* One job: where its time went, its stages, the jobs that went ahead of it or beside it, its
 * decisions. One of these two is called, once. */
HS_MUST_USE enum hs_status hs_explain_say_job(struct hs_explain *explain, uint32_t job,
                                              const struct hs_explain_style *style,
                                              struct hs_output *out);
/* All jobs: GPU-hours waited by cause, over time, and the jobs that waited most. */
HS_MUST_USE enum hs_status hs_explain_say_run(struct hs_explain *explain,
                                              const struct hs_explain_style *style,
                                              struct hs_output *out);
void hs_explain_close(struct hs_explain *explain);

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

struct explain_range {
    uint32_t first, last; /* GPU ids */
};

struct explain_segment {
    int64_t start_us, end_us;
    int64_t rate_ppb; /* mean; -1 = none */
    uint32_t job, next_of_job;
    uint32_t first_range, ranges, gpus;
    uint32_t tenants;
    enum hs_segment_end ended_by;
};

struct explain_job {
    const char *id, *user, *vc_name, *model, *status;
    int64_t submit_us, end_us; /* end_us: of the job, or of the run */
    int64_t start_us;          /* first; -1 = never */
    int64_t isolated_us, run_us, pending_us, overhead_us, colocated_us, lost_ns;
    uint32_t gpus;
    uint32_t gpu_milli;                   /* of each GPU */
    uint32_t vc;                          /* of the cluster */
    uint32_t first_segment, last_segment; /* EXPLAIN_NONE = none */
    uint32_t class;
    uint64_t preemptions, migrations, ooms, switches;
    bool is_done;
    int64_t wait_us[EXPLAIN_PHASES][EXPLAIN_CAUSES];
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

struct hs_explain {
    const char *dir;
    struct hs_diag *diag;
    struct hs_intern ids; /* of jobs: id n is jobs[n - 1] */
    struct hs_intern texts;
    struct hs_runmanifest manifest;
    struct hs_cluster cluster;
    bool has_cluster, has_decisions;
    bool may_borrow, is_sharing;
    const char *policy, *order, *scan; /* by the manifest; "?" where it does not say */
    struct explain_job *jobs;
    struct explain_segment *segments; /* in the order of the file: of their ends */
    struct explain_range *ranges;
    uint32_t job_count, segment_count, range_count;
    uint32_t job_cap, segment_cap, range_cap;
    struct explain_class *classes;
    uint32_t class_count, class_cap;
    int64_t begin_us, end_us; /* first submission, end of the run */
    explain_waits total, interval[EXPLAIN_INTERVALS];
    uint32_t watched; /* the job whose stages and decisions are kept; EXPLAIN_NONE = of none */
    struct explain_stage *stages;
    struct explain_decision *decisions;
    uint32_t stage_count, stage_cap, decision_count, decision_cap;
};

extern const char *const explain_cause_names[EXPLAIN_CAUSES];

/* Books all waits; with x->watched also its stages and its decisions. Once. */
HS_MUST_USE enum hs_status explain_replay(struct hs_explain *x);
/* Begin of a twelfth of the run; of the one behind the last: the end of the run. */
int64_t explain_interval_us(const struct hs_explain *x, uint32_t interval);

/* ---- the other jobs, as one job met them ---- */

#define EXPLAIN_NAMED   5u
#define EXPLAIN_LONGEST 10u /* jobs that are named of a run */

/* Jobs in the order in which they did it; the first are named. */
struct explain_list {
    uint32_t count;
    uint32_t named;
    uint32_t jobs[EXPLAIN_LONGEST];
    int64_t us[EXPLAIN_LONGEST]; /* when, or for how long */
};

struct explain_around {
    struct explain_list overtaken; /* submitted later, first started while it waited */
    struct explain_list freed;     /* held GPUs of its first placement before, last one first */
    struct explain_list beside;    /* on its GPUs, longest first; us: for how long */
    uint32_t idle_gpus;            /* of its first placement that no job had held before */
};

/* Of the job that is watched, after explain_replay(). */
void explain_look_around(const struct hs_explain *x, struct explain_around *around);
/* The EXPLAIN_LONGEST jobs that waited longest, longest first. */
void explain_find_longest(const struct hs_explain *x, struct explain_list *list);

#endif
