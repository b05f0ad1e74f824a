/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Explains why jobs waited, from the files of a finished run: manifest, jobs.csv, segments.csv and,
 * if present, decisions.csv. The allocations are rebuilt from the segments in order of time, and
 * each interval of waiting is assigned to its cause as the engine does (results/README.md): summed
 * over all jobs, time x requested GPUs equals the figures of summary.json.
 */
#pragma once

#include "model/machine.h"
#include "model/reservations.h"
#include "report/run/manifest.h"

/* Prints for one job: its time by use, its stages, the jobs that overtook it or ran beside it, its
 * decisions. Prints for all jobs (job_id NULL): GPU-hours waited by cause and over time, and the
 * jobs that waited longest. O(segments log segments). Returns HS_E_INPUT if dir is not one run,
 * lacks jobs.csv or segments.csv, has contradicting files, or has no such job. Memory: about 50
 * bytes per job, the ids; the rest where base/spill.h puts it. */
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

/* The event that a wait follows. */
enum explain_phase {
    EXPLAIN_FIRST,     /* the submission */
    EXPLAIN_PREEMPTED, /* a segment ended by the policy */
    EXPLAIN_FAILED,    /* a segment ended by failure, fault, drain or lack of memory */
    EXPLAIN_PHASES,
};

#define EXPLAIN_NONE      UINT32_MAX
#define EXPLAIN_INTERVALS 12

/* A change of nodes. subject: a node; of windows a reservation. */
enum explain_kind { EXPLAIN_MACHINE, EXPLAIN_WINDOW_END, EXPLAIN_WINDOW_BEGIN };
struct explain_change {
    int64_t at_us;
    uint32_t subject, number;
    enum explain_kind kind;
    enum hs_machine_change change;
};

/* Why waiting jobs cannot have GPUs that are free. */
enum explain_lack { EXPLAIN_OUT, EXPLAIN_RESERVED, EXPLAIN_LACKS };

struct explain_job {
    const char *id, *user, *vc_name, *model, *status;
    const char *profile_from;  /* non-empty: a drawn profile; the model is assumed */
    int64_t submit_us, end_us; /* end_us: end of the job, or of the run */
    int64_t start_us;          /* first start; -1 = never */
    int64_t isolated_us, run_us, pending_us, overhead_us, colocated_us, lost_ns;
    uint32_t gpus;
    uint32_t gpu_milli;     /* of each GPU */
    uint32_t vc;            /* of the cluster */
    uint32_t first_segment; /* EXPLAIN_NONE = none */
    uint32_t class;
    uint64_t preemptions, migrations, ooms, switches;
    bool is_done;
    int64_t wait_us[EXPLAIN_PHASES][EXPLAIN_CAUSES];
    /* of its segments so far, while the replay is prepared */
    int64_t held_us, last_end_us; /* last_end_us: initially its submission */
    enum explain_phase phase;
    bool may_wait, is_wrong;
    uint32_t next, previous; /* in the list of its class while it waits: index + 1 */
};

/* Jobs that request equally many GPUs of one pool always have the same cause of waiting. */
struct explain_class {
    uint32_t vc, gpus, gpu_milli;
    uint32_t waiting;     /* number of jobs waiting now */
    uint32_t first, last; /* of them, in the order in which they began to; index + 1 */
    int64_t sum_us[EXPLAIN_CAUSES];
};

/* An interval in which the watched job waited, or held GPUs. */
struct explain_stage {
    int64_t from_us, to_us;
    uint32_t segment; /* EXPLAIN_NONE: it waited, for the causes in wait_us */
    int64_t wait_us[EXPLAIN_CAUSES];
    /* part of it in which GPUs out of service, or reserved, would have been enough */
    int64_t lack_us[EXPLAIN_LACKS];
    uint32_t window; /* a reservation of others then, as it was open; EXPLAIN_NONE = none */
};

/* A row of decisions.csv; time and value are in millionths. */
struct explain_decision {
    const char *job, *action, *gpus, *trigger, *plan_reason;
    int64_t time_us, value;
};

/* Requested GPUs x waiting time, by cause. */
typedef hs_u128 explain_waits[EXPLAIN_CAUSES];

#define EXPLAIN_NAMED   5u
#define EXPLAIN_LONGEST 10u /* length of lists of jobs of a run */

/* A list of jobs, in order of the event; the first ones are named. */
struct explain_list {
    uint32_t count, named;
    uint32_t jobs[EXPLAIN_LONGEST];
    int64_t us[EXPLAIN_LONGEST]; /* time of the event, or its duration */
};

struct explain {
    const char *dir;
    struct hs_diag *diag;
    struct hs_spill spill; /* the arrays of jobs and segments */
    struct hs_intern ids;  /* of jobs: id n is jobs[n - 1] */
    struct hs_intern texts;
    struct hs_runmanifest manifest;
    struct hs_cluster cluster;
    struct hs_arena arena;
    struct hs_reservations reservations;
    struct explain_change *changes; /* in order of time */
    uint32_t change_count, change_cap;
    int64_t epoch_us; /* time 0 by the clock of the trace */
    bool has_cluster, has_decisions;
    bool may_borrow, is_sharing;
    const char *policy, *order, *scan; /* from the manifest; order, scan: "?" if not stated */
    struct hs_schedule schedule;       /* in the order of the file: by end */
    struct explain_job *jobs;
    struct explain_class *classes;
    uint32_t job_count, job_cap, class_count, class_cap;
    int64_t begin_us, end_us; /* first submission, end of the run */
    explain_waits total, interval[EXPLAIN_INTERVALS];
    struct explain_list longest; /* the jobs that waited longest, longest first */
    /* of the watched job; EXPLAIN_NONE = no job is watched */
    uint32_t watched;
    struct explain_stage *stages;
    struct explain_decision *decisions;
    uint32_t stage_count, stage_cap, decision_count, decision_cap;
    struct explain_list overtaken; /* submitted later, but first started while it waited */
    struct explain_list freed;     /* previous holders of its first GPUs, last one first */
    struct explain_list beside;    /* jobs on its GPUs, longest first; us: shared time */
    struct explain_list heads;     /* jobs that headed the line while it waited, longest first */
    enum explain_cause head_causes[EXPLAIN_NAMED]; /* what these waited for at last */
    uint32_t idle_gpus; /* of its first GPUs, those with no previous holder */
};

extern const char *const explain_cause_names[EXPLAIN_CAUSES];

/* Loads the run and assigns all waits to causes. */
HS_MUST_USE enum hs_status explain_open(struct explain *x, const char *dir, const char *job_id,
                                        struct hs_diag *diag);
/* Returns the start of an interval, a twelfth of the run; after the last: the end of the run. */
int64_t explain_interval_us(const struct explain *x, uint32_t interval);
void explain_close(struct explain *x); /* also after a failure */
