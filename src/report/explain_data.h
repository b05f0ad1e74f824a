/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the explanation of a run: its jobs and segments in memory, and what is booked.
 */
#ifndef HORUS_REPORT_EXPLAIN_DATA_H
#define HORUS_REPORT_EXPLAIN_DATA_H

#include "base/intern.h"
#include "base/memory.h"
#include "horus/trace.h"
#include "model/cluster.h"
#include "report/explain.h"
#include "report/rowfile.h"
#include "report/runmanifest.h"

enum explain_cause {
    EXPLAIN_CAPACITY,
    EXPLAIN_FRAGMENTATION,
    EXPLAIN_LOCALITY,
    EXPLAIN_QUOTA,
    EXPLAIN_ORDER,
    EXPLAIN_CAUSES,
};

/* What a wait follows. */
enum explain_phase {
    EXPLAIN_FIRST,     /* its submission */
    EXPLAIN_PREEMPTED, /* a segment that the policy ended */
    EXPLAIN_FAILED,    /* one that ended by failure or for want of memory */
    EXPLAIN_PHASES,
};

enum explain_end {
    EXPLAIN_END_FINISH,
    EXPLAIN_END_PREEMPT,
    EXPLAIN_END_SUSPEND,
    EXPLAIN_END_MIGRATE,
    EXPLAIN_END_KILL,
    EXPLAIN_END_OOM,
    EXPLAIN_END_HORIZON,
    EXPLAIN_END_FAILURE,
    EXPLAIN_ENDS,
};

#define EXPLAIN_NONE      UINT32_MAX
#define EXPLAIN_INTERVALS 12
#define EXPLAIN_PATH_SIZE 4096

struct explain_range {
    uint32_t first, last; /* GPU ids */
};

struct explain_segment {
    int64_t start_us, end_us;
    int64_t rate_ppb; /* mean; -1 = none */
    uint32_t job, next_of_job;
    uint32_t first_range, ranges, gpus;
    uint32_t tenants;
    enum explain_end ended_by;
};

struct explain_job {
    const char *id;
    int64_t submit_us, end_us; /* end_us: of the job, or of the run */
    int64_t start_us;          /* first; -1 = never */
    int64_t isolated_us, run_us, pending_us, overhead_us, colocated_us, lost_ns;
    uint32_t gpus, nodes;
    uint32_t gpu_milli;                              /* of each GPU */
    uint32_t user, vc_name, model, status, gpu_type; /* in texts */
    uint32_t vc;                                     /* of the cluster */
    uint32_t first_segment, last_segment;            /* EXPLAIN_NONE = none */
    uint32_t segments, class;
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

/* GPUs wanted x time, by cause. */
typedef hs_u128 explain_waits[EXPLAIN_CAUSES];

struct hs_explain {
    const char *dir;
    struct hs_diag *diag;
    struct hs_arena arena;
    struct hs_intern ids; /* of jobs: id n is jobs[n - 1] */
    struct hs_intern texts;
    struct hs_runmanifest manifest;
    struct hs_cluster cluster;
    bool has_cluster, has_decisions;
    bool may_borrow, is_sharing;
    const char *policy, *order, *scan; /* by the manifest; may be NULL */
    struct explain_job *jobs;
    struct explain_segment *segments; /* in the order of the file: of their ends */
    struct explain_range *ranges;
    uint32_t job_count, segment_count, range_count;
    uint32_t job_cap, segment_cap, range_cap;
    struct explain_class *classes;
    uint32_t class_count, class_cap;
    int64_t begin_us, end_us; /* first submission, end of the run */
    explain_waits total, interval[EXPLAIN_INTERVALS];
    uint32_t watched; /* whose stages are kept; EXPLAIN_NONE = nobody's */
    struct explain_stage *stages;
    uint32_t stage_count, stage_cap;
};

extern const char *const explain_cause_names[EXPLAIN_CAUSES];
extern const char *const explain_end_names[EXPLAIN_ENDS];

/* manifest.json, the cluster that it names, jobs.csv and segments.csv. */
HS_MUST_USE enum hs_status explain_load(struct hs_explain *x);
/* Books all waits; with x->watched its stages, too. Once. */
HS_MUST_USE enum hs_status explain_replay(struct hs_explain *x);
/* Begin of a twelfth of the run; of the one behind the last: its end. */
int64_t explain_interval_us(const struct hs_explain *x, uint32_t interval);

static inline int64_t explain_sum_us(const int64_t us[EXPLAIN_CAUSES])
{
    int64_t sum_us = 0;
    for (int c = 0; c < EXPLAIN_CAUSES; c++)
        sum_us += us[c];
    return sum_us;
}

/* ---- what is found out about one job (explain_around.c) ---- */

#define EXPLAIN_NAMED 5

/* Jobs in the order in which they did it; the first are named. */
struct explain_list {
    uint32_t count;
    uint32_t named;
    uint32_t jobs[EXPLAIN_NAMED];
    int64_t us[EXPLAIN_NAMED]; /* when, or for how long */
};

struct explain_around {
    struct explain_list overtaken; /* submitted later, first started while it waited */
    struct explain_list freed;     /* held GPUs of its first placement before, last one first */
    struct explain_list beside;    /* on its GPUs, longest first; us: for how long */
    uint32_t idle_gpus;            /* of its first placement that nobody had held before */
};

HS_MUST_USE enum hs_status explain_look_around(const struct hs_explain *x, uint32_t job,
                                               struct explain_around *around);

/* ---- telling ---- */

/* "1.50 h" into a text of HS_TABLE_TIME_SIZE bytes. */
void explain_length(char *text, int64_t us);
/* Exact seconds, for an eye or a calculation; at least EXPLAIN_SECONDS_SIZE bytes. */
#define EXPLAIN_SECONDS_SIZE 40
void explain_seconds(char text[EXPLAIN_SECONDS_SIZE], int64_t us);
/* "0-7 16", cut with "..." where it gets long: for an eye, or with room for every range. */
#define EXPLAIN_GPUS_SIZE  44
#define EXPLAIN_RANGE_SIZE 28u /* a blank, two ids, and " ..." behind */
void explain_gpus(const struct hs_explain *x, const struct explain_segment *s, char *text,
                  size_t size);
/* A share as a bar of at most `cells` cells, two blanks before it; nothing for a small one. */
void explain_bar(struct hs_output *out, const struct hs_explain_style *style, double share,
                 uint32_t cells);
/* What the causes that were met mean, and what they mean where GPUs are shared. */
void explain_say_causes(const struct hs_explain *x, const bool is_met[EXPLAIN_CAUSES],
                        struct hs_output *out);
/* Calls `tell` for each row of decisions.csv that is of the job, to its first error. */
enum {
    EXPLAIN_D_TIME,
    EXPLAIN_D_JOB,
    EXPLAIN_D_ACTION,
    EXPLAIN_D_GPUS,
    EXPLAIN_D_SET,
    EXPLAIN_D_VALUE,
    EXPLAIN_D_TRIGGER,
    EXPLAIN_D_BECAUSE
};
typedef enum hs_status explain_tell_decision(void *ctx, const struct hs_rowfile *row);
HS_MUST_USE enum hs_status explain_each_decision(const struct hs_explain *x, uint32_t job,
                                                 explain_tell_decision *tell, void *ctx);
/* Reads them all before the first word is said: what is told is whole. */
HS_MUST_USE enum hs_status explain_vet_decisions(const struct hs_explain *x, uint32_t job);
HS_MUST_USE enum hs_status explain_json_job(const struct hs_explain *x, uint32_t job,
                                            const struct explain_around *around,
                                            struct hs_output *out);
void explain_json_run(const struct hs_explain *x, struct hs_output *out);
/* The ten that waited longest, longest first; how many there are. */
#define EXPLAIN_LONGEST 10
uint32_t explain_longest(const struct hs_explain *x, uint32_t jobs[EXPLAIN_LONGEST]);

#endif
