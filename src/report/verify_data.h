/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus verify` holds in memory: the run as its files tell it. The trace, jobs.csv and
 * segments.csv are all kept, so memory is O(jobs + segments), unlike a simulation.
 *
 *     struct verify_run run = {.dir = "results/x", .diag = diag};
 *     enum hs_status s = verify_load(&run);          // verify_load.c, verify_manifest.c
 *     ... checks of verify_schedule.c and verify_sums.c ...
 *     verify_free(&run);
 */
#ifndef HORUS_REPORT_VERIFY_DATA_H
#define HORUS_REPORT_VERIFY_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/memory.h"
#include "horus/compiler.h"
#include "report/runmanifest.h"
#include "traces/trace.h"

#define VERIFY_NANO      INT64_C(1000000000) /* unit of a printed mean_rate: 9 decimals */
#define VERIFY_GPU_MILLI 1000                /* thousandths of a whole GPU */
#define VERIFY_NO_JOB    UINT32_MAX
#define VERIFY_NO_NODE   UINT32_MAX

enum verify_ended {
    VERIFY_FINISH,
    VERIFY_PREEMPT,
    VERIFY_SUSPEND,
    VERIFY_MIGRATE,
    VERIFY_KILL,
    VERIFY_HORIZON,
    VERIFY_OOM,
    VERIFY_FAILURE,
};

/* Values of the key `retries` of the configuration. */
enum verify_retries { VERIFY_MERGE, VERIFY_ATTEMPTS, VERIFY_GENERATE };

/* Inclusive range of GPU ids. */
struct verify_range {
    uint32_t first, last;
};

struct verify_segment {
    int64_t start_us, end_us;
    int64_t rate_nano; /* mean_rate x 1e9; -1 = empty (a segment of no length) */
    int64_t line;
    uint32_t job; /* VERIFY_NO_JOB: an id that the trace does not have */
    uint32_t range_first, range_count, gpus;
    uint32_t tenants;
    enum verify_ended ended_by;
};

/* A row of jobs.csv; times and slowdowns -1 = empty. */
struct verify_row {
    int64_t submit_us, start_us, finish_us, wait_us, turnaround_us;
    int64_t work_us, run_us, pending_us, colocated_us, overhead_us, lost_ns;
    hs_i128 milli_us;   /* thousandths of GPUs x time held */
    uint32_t gpu_milli; /* of each GPU */
    int64_t slowdown_ppm, run_slowdown_ppm;
    int64_t progress_us, host_mib_us; /* progress_us: on the clock, -1 = none */
    uint64_t preemptions, migrations, ooms, attempts, switches, gpus, nodes;
    enum hs_job_class job_class;
    int64_t line; /* 0 = the job has no row */
    bool is_done, is_rejected;
};

/* What the segments of one job add up to. */
struct verify_sum {
    int64_t first_start_us, last_end_us; /* -1 = no segment */
    int64_t run_us, colocated_us;
    hs_i128 milli_us; /* thousandths of GPUs x time held */
    hs_i128 done;     /* sum of mean_rate x length: 1e-9 us of isolated run time */
    uint64_t segments, preemptions, migrations, ooms, failures;
    hs_i128 oom_done;     /* part of done: in segments that ended by `oom` */
    int64_t oom_us;       /* their length */
    hs_i128 attempt_done; /* part of done: since the last failure, not lost by `oom` */
    int64_t attempt_us;   /* time since then in segments */
    int64_t finish_us;    /* end of the segment ended by `finish`; -1 = none */
    uint64_t suspensions;
    int64_t suspended_from_us; /* -1 = it is not */
    int64_t on_host_us;        /* suspended until the next segment, times the GPUs it had */
    uint32_t suspended_gpus;
    uint32_t suspended_node; /* of the first of them; VERIFY_NO_NODE = the last segment did not
                                end so */
    int64_t first_long_us;   /* begin of the first segment of any length; -1 = none */
    uint32_t last_nodes;
    bool is_full_speed;      /* every mean_rate is printed as 1 */
    bool is_progress_placed; /* a segment has its first progress in it */
};

struct verify_job {
    const char *id;
    int64_t submit_us;
    int64_t recorded_us;              /* run time in the trace */
    int64_t work_us;                  /* the same, or by jobs.csv where attempts were made up */
    uint32_t first_attempt, attempts; /* in run->attempts_us; 0 = one */
    uint32_t gpus, gpus_min, gpus_max;
    uint32_t gpu_milli; /* that it wants of each, by the trace */
    uint32_t types;     /* in run->types: those that will do, joined by '|'; 0 = any */
    uint32_t worker_cpus_milli,
        worker_mem_mib; /* of the host, for each GPU; 0 = not in the trace */
    uint32_t
        persistent_mib; /* GPU memory between mini-batches, of each GPU; 0 = not in the trace */
    uint32_t vc;        /* in run->vcs */
    enum hs_job_class job_class;
    struct verify_row row;
    struct verify_sum sum;
};

struct verify_node {
    uint32_t type;               /* of its GPUs, in run->types */
    int64_t cpus_milli, mem_mib; /* 0 = never the limit */
};

struct verify_cluster {
    uint32_t *node_first; /* node_count + 1 first GPU ids */
    struct verify_node *nodes;
    uint32_t node_count, gpu_count, first_cap, node_cap;
};

/* What the manifest says that the run was made of. */
struct verify_made_of {
    struct hs_trace_options trace;
    const char *cluster;
    int64_t until_us; /* HS_TIME_MAX = no horizon */
    int64_t warmup_us, cooldown_us;
    bool is_sharing, is_slicing, is_throttling, is_resizing; /* what the policy may do */
    bool is_partitioned;
    enum verify_retries retries;
};

struct verify_run {
    const char *dir;
    struct hs_diag *diag;
    struct hs_arena arena;
    struct hs_intern ids; /* of jobs: id n is jobs[n - 1] */
    struct hs_intern vcs;
    struct hs_intern types; /* of GPUs, and the sets of them that jobs want */
    struct hs_runmanifest manifest;
    struct verify_made_of made_of;
    struct verify_cluster cluster;
    struct verify_job *jobs;
    struct verify_segment *segments;
    struct verify_range *ranges;
    int64_t *attempts_us; /* of the trace's jobs, one after another */
    uint32_t job_count, segment_count, range_count, attempt_count;
    uint32_t job_cap, segment_cap, range_cap, attempt_cap;
    hs_i128 held_us, shared_us; /* GPU time with one holder or more, with two or more that have it
                                   whole */
    hs_i128 allocated_us;       /* the first in thousandths, shares as what they are */
    bool is_divided;            /* some job has a share of its GPUs */
    uint32_t strange_rows;      /* rows of jobs.csv whose id the trace does not have */
    int64_t strange_line;       /* the first of them */
    uint64_t trace_hash, trace_bytes;
};

#define VERIFY_PATH_SIZE 4096

/* DIR/name. */
HS_MUST_USE enum hs_status verify_path(const struct verify_run *run, const char *name,
                                       char path[VERIFY_PATH_SIZE]);
/* manifest.json into run->manifest and run->made_of. */
HS_MUST_USE enum hs_status verify_load_manifest(struct verify_run *run);
/* A shape or a JSON file, read for itself. */
HS_MUST_USE enum hs_status verify_load_cluster(struct verify_run *run, const char *spec);
/* The manifest, then all that it names, then jobs.csv and segments.csv. */
HS_MUST_USE enum hs_status verify_load(struct verify_run *run);
void verify_free(struct verify_run *run);

#endif
