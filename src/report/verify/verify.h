/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify RUN`: an independent check of a schedule. Rebuilds it from segments.csv only and
 * compares it with the trace, the cluster and summary.json: no GPU is held twice (unless the card
 * allows sharing), gangs are complete, nothing starts before its submission, every job's work is
 * done, sums agree. Includes nothing of engine/ or model/; it has its own parser of clusters. Keeps
 * about 50 bytes per job in memory, the ids; the rest where base/spill.h puts it: about 620 bytes
 * per job, at least 64 per segment.
 */
#pragma once

#include "report/run/manifest.h"
#include "traces/trace_stream.h"

/* Prints a list of checks with counts, or as JSON. Returns HS_E_DIFFERS if a check fails, after
 * printing its first faults. */
HS_MUST_USE enum hs_status hs_verify_run(const char *run_dir, bool as_json, struct hs_output *out,
                                         struct hs_diag *diag);

/* ---- between the files of this module: the contents of the run's files, and the rules ----
 *
 * A rule is a row of a table: a title, the words for its counts, and functions that count the items
 * they check and report faults, called in this order: `run` once, `segment` for each segment of a
 * job of the trace in order of time, `job` for each job with a row in jobs.csv; if its items are
 * "jobs", each counts as checked. */

#define VERIFY_NANO      INT64_C(1000000000) /* unit of mean_rate, printed with 9 decimals */
#define VERIFY_GPU_MILLI 1000                /* thousandths of a whole GPU */
#define VERIFY_NONE      UINT32_MAX          /* no job of the trace; no node */

/* Values of the configuration key `retries`. */
enum verify_retries { VERIFY_MERGE, VERIFY_ATTEMPTS, VERIFY_GENERATE };
enum { VERIFY_PARTITION = 1 };                 /* of the configuration key `vc` */
enum { VERIFY_GAVEL = 1, VERIFY_ELASTICFLOW }; /* of the key `deadlines` */

/* A row of jobs.csv; times and slowdowns -1 = empty. */
struct verify_row {
    int64_t submit_us, start_us, finish_us, wait_us, turnaround_us;
    int64_t work_us, run_us, pending_us, colocated_us, overhead_us, lost_ns;
    hs_i128 milli_us;   /* thousandths of GPUs x time held */
    uint32_t gpu_milli; /* share of each GPU */
    int64_t slowdown_ppm, run_slowdown_ppm;
    int64_t util_ppm;                 /* utilization of its GPUs when alone; -1 = unknown */
    int64_t progress_us, host_mib_us; /* progress_us: first progress, -1 = none */
    int64_t deadline_us, late_us;     /* -1, INT64_MIN = none */
    int64_t value_us, most_us;        /* of deadline options, in millionths; -1 = none */
    uint64_t preemptions, migrations, ooms, attempts, switches, gpus, nodes;
    enum hs_job_class job_class;
    uint32_t type; /* GPU type, in run->types; 0 = none */
    int64_t line;  /* 0 = the job has no row */
    bool is_done, is_rejected;
};

/* Sums over the segments of one job. */
struct verify_sum {
    int64_t first_start_us, last_end_us; /* -1 = no segment */
    int64_t run_us, colocated_us;
    hs_i128 milli_us; /* thousandths of GPUs x time held */
    hs_i128 done;     /* sum of mean_rate x length, in 1e-9 us of isolated run time */
    uint64_t segments, preemptions, migrations, ooms, failures, suspensions;
    uint64_t faults, drains, other_losses; /* stops by failures, by drains; other losses of work */
    hs_i128 lost_done;         /* part of done in segments ended by `oom`, `profile` or `fault` */
    int64_t lost_us;           /* length of these segments */
    hs_i128 fault_lost;        /* of the others ended by `fault`: work since a checkpoint, */
    int64_t full, empty;       /* how many of them may be a whole interval more, or less, */
    int64_t interval_us;       /* that of the last of them */
    hs_i128 attempt_done;      /* part of done since the last failure, not lost by `oom` */
    int64_t attempt_us;        /* time in segments since the last failure */
    int64_t finish_us;         /* end of the segment that ended by `finish`; -1 = none */
    int64_t suspended_from_us; /* -1 = not suspended */
    int64_t on_host_us;        /* time suspended before the next segment x GPUs it had */
    uint32_t suspended_gpus;
    uint32_t suspended_node; /* node of the first of these GPUs; VERIFY_NONE = not suspended */
    int64_t first_long_us;   /* start of the first segment of positive length; -1 = none */
    uint32_t last_nodes, last_node; /* of the last segment: how many, the first of them */
    bool is_full_speed;             /* every mean_rate is 1 as printed */
    bool is_progress_placed;        /* a segment contains the first progress */
};

struct verify_job {
    const char *id;
    int64_t submit_us;
    int64_t recorded_us;              /* run time in the trace */
    int64_t deadline_us;              /* in the trace; -1 = none */
    int64_t work_us;                  /* the same, or from jobs.csv if attempts are generated */
    bool has_ran;                     /* the trace names the GPU type it ran on, */
    bool has_range;                   /* its elastic range */
    uint32_t first_attempt, attempts; /* in run->attempts_us; 0 = one */
    uint32_t first_option, options;   /* in run->options */
    uint32_t gpus, gpus_min, gpus_max;
    uint32_t gpu_milli; /* requested share of each GPU, from the trace */
    uint32_t types;     /* in run->types: allowed types joined by '|'; 0 = any */
    uint32_t worker_cpus_milli, worker_mem_mib; /* on the host, per GPU; 0 = not in the trace */
    uint32_t persistent_mib;                    /* kept GPU memory, per GPU; 0 = not in the trace */
    uint32_t vc, user;                          /* in run->vcs, run->users */
    enum hs_job_class job_class;
    struct verify_row row;
    struct verify_sum sum;
};

struct verify_node {
    uint32_t first_gpu;
    uint32_t type;                         /* of its GPUs, in run->types */
    int64_t cpus_milli, mem_mib;           /* 0 = unlimited */
    int64_t cpus_milli_used, mem_mib_used; /* current use in the sweep */
    uint32_t owner;                        /* 1 + VC of the first job seen there */
    uint32_t rack, first_event, events;
    uint32_t last_window; /* in run->windows; 0 = none */
    uint32_t held;        /* GPUs, while capacity is followed */
    bool is_out;
};

/* An event of a machine; by node, then time, then as given. */
struct verify_event {
    int64_t at_us;
    uint32_t node, number;
    int change;
    bool is_out;        /* the node is out of service after it */
    bool stops, drains; /* ends the placements of all its jobs: by failure, by drain */
};

/* A time in which a node is reserved. user, vc: 0 = any. next: another of the node; 0 = none. */
struct verify_window {
    int64_t start_us, end_us, line;
    uint32_t user, vc, next;
};

/* A GPU in the sweep over time. sum: sum of its holders' indices: the index if there is one. */
struct verify_gpu {
    uint32_t longest; /* 1 + the segment, among those seen, that holds it longest */
    uint32_t holders; /* jobs that hold it entirely */
    uint32_t milli;   /* sum of the shares of the others */
    uint64_t sum;
    int64_t since_us, shared_from_us;
    uint32_t tenants; /* all jobs on it, since busy_from_us */
    int64_t busy_from_us;
    hs_i128 used; /* 1e-15 us of GPU time used since then by jobs that left */
};

/* Number of GPUs that a segment shares now, and since when it shares any. */
struct verify_company {
    int64_t from_us;
    uint32_t gpus;
};

/* The simulated setup according to the manifest. */
struct verify_setup {
    struct hs_trace_options trace;
    const char *cluster, *sort, *window, *faults, *events, *reservations;
    int32_t time_unit, vc;
    int32_t retries; /* enum verify_retries */
    int32_t deadlines;
    double skip_bad_rows, overcommit;
#define VERIFY_YOUNG_DALY (-1) /* a checkpoint_us: by the law, the cost and the nodes */
    int64_t checkpoint_us, checkpoint_cost_us; /* checkpoint_us 0 = none */
    struct verify_law {
        int64_t mtbf_us, rack_mtbf_us, repair_us;
        double shape;
    } law;            /* of faults */
    int64_t until_us; /* HS_TIME_MAX = no horizon */
    int64_t warmup_us, cooldown_us;
    double gpu_time; /* most that jobs use of a GPU together; 0 = no limit, unknown */
    bool is_sharing, is_slicing, is_throttling, is_resizing, is_resizing_any, is_profiling,
        is_allotting, is_preempting, is_reserving; /* capabilities of the policy */
    bool is_forked;                                /* the capabilities are those of both policies */
    bool is_interleaving; /* a job in the background may stand still beside others */
    bool loses_at_events; /* compat=muri of muri and antman: work, of which no segment tells */
};

struct verify_run {
    const char *dir;
    struct hs_diag *diag;
    struct hs_arena arena;
    struct hs_spill spill; /* the arrays of jobs and segments */
    struct hs_intern ids;  /* of jobs: id n is jobs[n - 1] */
    struct hs_intern vcs, users;
    struct hs_intern types; /* of GPUs, and the sets of them that jobs want */
    struct hs_runmanifest manifest;
    struct verify_setup setup;
    struct verify_node *nodes; /* node_count, plus a sentinel that begins at gpu_count */
    struct verify_gpu *gpus;
    struct verify_company *company; /* per segment */
    struct verify_job *jobs;
    struct hs_schedule schedule; /* sorted by (start, end, line) before the schedule rules run */
    int64_t *attempts_us;        /* of the trace's jobs, concatenated */
    struct hs_deadline_option *options; /* likewise */
    uint32_t node_count, gpu_count, job_count, attempt_count, option_count;
    uint32_t node_cap, job_cap, attempt_cap, option_cap;
    hs_i128 held_us;      /* GPU time with at least one holder */
    hs_i128 shared_us;    /* GPU time with at least two that hold it entirely */
    hs_i128 used;         /* 1e-15 us of GPU time used by jobs at their utilization */
    hs_i128 used_error;   /* bound of its error: digits of mean_rate, and the part of the last
                             microsecond after the end of a job */
    hs_i128 allocated_us; /* allocated GPU time in thousandths, counting shares */
    bool has_deadlines;   /* some job has one, in the trace or in jobs.csv */
    bool is_divided;      /* some job has a share of its GPUs */
    struct hs_intern node_names; /* from nodes.csv: id - 1 is the node */
    bool has_nodes;
    struct verify_event *events;
    struct verify_window *windows; /* from 1 on */
    uint32_t event_count, event_cap, window_count, window_cap;
    bool has_numbered_windows;
    int64_t epoch_us, end_us; /* first submission by the clock of the trace; end of the run */
    hs_i128 out_us;           /* GPU time out of service that no job held */
    uint32_t strange_rows;    /* rows of jobs.csv whose id is not in the trace */
    int64_t strange_line;     /* line of the first of them */
    uint64_t trace_hash, trace_bytes;
};

/* ---- rules ---- */

#define VERIFY_LINES     3
#define VERIFY_LINE_SIZE 320

struct verify_check {
    struct verify_run *run;
    uint64_t looked, faults;
    char note[VERIFY_LINE_SIZE]; /* printed after the counts; "" = none */
    char lines[VERIFY_LINES][VERIFY_LINE_SIZE];
    const char *skipped; /* why it was skipped; NULL = it was not */
};

/* "ok    <title>: 12,345 <things>, 0 <faults>" */
struct verify_rule {
    const char *title, *things, *faults;
    enum hs_status (*run)(struct verify_check *c);
    void (*segment)(struct verify_check *c, const struct hs_placed *segment);
    void (*job)(struct verify_check *c, const struct verify_job *job);
    const char *skipped; /* why, if there was nothing to check; NULL: not skipped then */
    const char *slicing_note, *throttling_note; /* used under policies with that capability */
};

/* Applies rules, without printing; with several, only the first may have a `run`, and no job or
 * segment function may read what another one of them writes. *checks must be zeroed. */
#define VERIFY_TOGETHER 8
HS_MUST_USE enum hs_status verify_apply(struct verify_run *run, const struct verify_rule *rules,
                                        uint32_t count, struct verify_check *checks);
/* Of the schedule, then of jobs.csv; of deadlines, machines and reservations, where there are any;
 * end with a NULL title. */
extern const struct verify_rule verify_schedule_rules[], verify_job_rules[],
    verify_deadline_rules[], verify_outage_rules[], verify_window_rules[], verify_summary_rules[];
/* Reads the events of machines, or draws them again; and the reservations. */
HS_MUST_USE enum hs_status verify_machines_load(struct verify_run *run);
/* Whether a node is, or may be, out of service at the end of the run. */
bool verify_has_outage_at_end(const struct verify_run *run);

/* Whether all work of a placement is lost. */
static inline bool verify_is_lost(const struct verify_run *run, const struct hs_placed *seg)
{
    return seg->ended_by == HS_SEGMENT_OOM || seg->ended_by == HS_SEGMENT_PROFILE ||
           (seg->ended_by == HS_SEGMENT_FAULT && run->setup.checkpoint_us == 0);
}

/* Counts a fault and keeps the text of the first three: as it is (file NULL), prefixed
 * "jobs.csv:12", or prefixed "jobs.csv:12: job j1". */
HS_PRINTF(5, 6)
void verify_fault(struct verify_check *c, const char *file, int64_t line, const char *id,
                  const char *fmt, ...);
#define VERIFY_FAULT(c, ...)        verify_fault(c, NULL, 0, NULL, __VA_ARGS__)
#define VERIFY_FAULT_JOB(c, j, ...) verify_fault(c, "jobs.csv", (j)->row.line, (j)->id, __VA_ARGS__)
#define VERIFY_FAULT_SEGMENT(c, seg, ...)                                                          \
    verify_fault(c, "segments.csv", (seg)->line, verify_id_of((c)->run, seg), __VA_ARGS__)
#define VERIFY_FAULT_LINE(c, seg, ...)                                                             \
    verify_fault(c, "segments.csv", (seg)->line, NULL, __VA_ARGS__)
/* Returns the id of a segment's job; "?" if it is not in the trace. */
const char *verify_id_of(const struct verify_run *run, const struct hs_placed *seg);
/* Returns num / den in millionths, rounded half up; -1 if num is missing (-1) or den is 0. */
int64_t verify_ppm(int64_t num, int64_t den);

/* ---- GPUs and nodes of a segment ---- */

/* A position in the ranges of a segment; initially VERIFY_FIRST_PLACE. */
struct verify_place {
    uint32_t range, id; /* id: a GPU or a node */
};
#define VERIFY_FIRST_PLACE ((struct verify_place){0, VERIFY_NONE})
/* Goes on to the next GPU or node, range by range: a node in two ranges is visited twice. */
bool verify_next_place(const struct verify_run *run, const struct hs_placed *seg, bool is_node,
                       struct verify_place *p);
/* O(log nodes). */
uint32_t verify_node_of(const struct verify_run *run, uint32_t gpu);
