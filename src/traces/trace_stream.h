/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One iterator over any trace: recognises the format by content, reads it as a stream, restores the
 * order of rows within a bounded window, applies filters and limits, and counts what it drops, by
 * reason.
 *
 *     struct hs_trace_options o;  hs_trace_options_default(&o);  o.path = "cluster_log.csv";
 *     HS_TRY(hs_trace_open(&t, &o, diag));
 *     while ((s = hs_trace_next(t, &job)) == HS_OK) ...
 */
#pragma once

#include "base/io.h"
#include "horus/trace.h"

enum hs_attempts { HS_ATTEMPTS_MERGE, HS_ATTEMPTS_SPLIT, HS_ATTEMPTS_SUM };
enum hs_cpu_jobs { HS_CPU_JOBS_SKIP, HS_CPU_JOBS_KEEP };
enum hs_openb_pending { HS_OPENB_PENDING_DROP, HS_OPENB_PENDING_RUN };
enum hs_zero_duration { HS_ZERO_KEEP, HS_ZERO_DROP, HS_ZERO_ONE_SECOND };

#define HS_REPLAY_LEAST 1e-6 /* of load and scale */
#define HS_REPLAY_MOST  1e6

#define HS_SORT_ALL           ((uint64_t)INT64_MAX)
#define HS_SORT_WINDOW        8192    /* default: rows buffered to restore order */
#define HS_TRACE_TIME_UNIT_US 1000000 /* of most formats */

struct hs_trace_cache;

/* Keeps submissions in [from_us, to_us). */
struct hs_trace_window {
    int64_t from_us, to_us;        /* since the first submission; defaults 0, INT64_MAX */
    bool is_from_date, is_to_date; /* instead on the trace's clock */
};

/* Fewest rows to which the tolerated share of bad ones applies while reading. */
#define HS_BAD_MEASURE 1000

struct hs_trace_options {
    const char *path;
    const char *format;     /* NULL or "auto": by content */
    const char *map;        /* "submit_time=timestamp,..." or a JSON file; NULL = native names */
    const char *map_values; /* "state:Succeeded=completed,...": words of a column by native ones */
    int64_t time_unit_us;   /* of numbers; 0 (default) = that of the format or map */
    const char *gavel_throughputs; /* file of steps per second, for the gavel format; NULL = none */
    bool writes_gavel;             /* that file may be used only for writing */
    int32_t philly_attempts, cpu_jobs, zero_duration, openb_pending; /* enums above */
    bool keeps_recorded; /* reads the recorded start and end of jobs as well, where there are any */
    bool keeps_attempts; /* keeps the times of all attempts of a job, whatever philly_attempts says;
                            refused for a format without attempts */
    const char *outcomes; /* "completed,failed": keeps only these; NULL = all */
    uint64_t sort_window; /* rows buffered to restore order, up to 1/64 more; HS_SORT_ALL = all */
    uint64_t max_jobs;    /* stops after this many accepted jobs; 0 = all */
    struct hs_trace_window window;
    /* Load divides the gaps between submissions: twice the load is twice the jobs in the same time.
     * The scale multiplies the trace's times, both gaps and times of jobs (durations, attempts,
     * time to a deadline, gpu_mem_later_after): a scale of 0.1 replays a trace in a tenth of the
     * time at the same load. Step times and preemption costs are properties of models and machines
     * and are not scaled. */
    double load, scale_time;    /* 1 = as recorded */
    double sample;              /* share of the jobs kept, chosen by id and seed; 1 = all */
    uint64_t seed;              /* of that, and of the jobs of gen:NAME without a seed */
    uint64_t gpus;              /* of the cluster, for gen:NAME,load=X; 0 = unknown */
    uint32_t skip_bad_permille; /* bad rows tolerated; 0 = strict */
    const struct hs_trace_cache *trace_cache; /* the trace of these options at load and scale 1, in
                                                 memory; NULL = read path */
};

/* Why a row was not accepted, counted by kind; `trace info` and the manifest print the text.
 * Dropped: by a rule of the format selected by the options. */
#define HS_DROP_LIST(X)                                                                            \
    X(CPU_JOB, "CPU job (0 GPUs)")                                                                 \
    X(STILL_RUNNING, "still running at the snapshot")                                              \
    X(NEVER_STARTED, "never started")                                                              \
    X(NO_TIMES, "start or end missing")                                                            \
    X(NO_DEMAND, "number of processors not known")                                                 \
    X(SHARD, "shard of a GPU, whose size is not known")                                            \
    X(PARTIAL, "part of the run of a job")                                                         \
    X(ZERO_DURATION, "duration 0")                                                                 \
    X(OUTCOME, "outcome not asked for")                                                            \
    X(WINDOW, "before the time window, behind which none is read")                                 \
    X(SAMPLE, "not in the sample")

enum hs_drop {
#define HS_DROP_ENUM(name, text) HS_DROP_##name,
    HS_DROP_LIST(HS_DROP_ENUM)
#undef HS_DROP_ENUM
        HS_DROP_COUNT
};
extern const char *const hs_drop_texts[HS_DROP_COUNT];

#define HS_ROUNDED_TEXT "to thousandths, above one to whole GPUs"

struct hs_trace_counts {
    uint64_t rows;     /* data rows or elements read */
    uint64_t accepted; /* jobs returned */
    uint64_t bad;      /* rows skipped under skip_bad_permille */
    uint64_t reordered;
    uint64_t rounded; /* jobs whose GPUs were rounded up, HS_ROUNDED_TEXT */
    uint64_t folded;  /* jobs whose attempts were merged into one */
    uint64_t drops[HS_DROP_COUNT];
};

struct hs_trace;

void hs_trace_options_default(struct hs_trace_options *options);
/* Borrows options and its strings until close. */
HS_MUST_USE enum hs_status hs_trace_open(struct hs_trace **trace,
                                         const struct hs_trace_options *options,
                                         struct hs_diag *diag);
/* Returns jobs in order of (submit_us, row); the record is valid until the next call. Fails with
 * HS_E_INPUT at the first bad row (strict), or when bad rows exceed the tolerated share. */
HS_MUST_USE enum hs_status hs_trace_next(struct hs_trace *trace, struct hs_trace_job **job);
struct hs_job_source hs_trace_source(struct hs_trace *trace);
const char *hs_trace_format_name(const struct hs_trace *trace);
void hs_trace_get_counts(const struct hs_trace *trace, struct hs_trace_counts *counts);
const char *hs_trace_path(const struct hs_trace *trace); /* "<stdin>" for "-" */
/* Estimates the total number of jobs from the share of the file read; 0 = unknown (a pipe). */
double hs_trace_expected(const struct hs_trace *trace);
/* Hash and size of the whole decompressed file: reads the rest, after which no job may be
 * requested. */
HS_MUST_USE enum hs_status hs_trace_identity(struct hs_trace *trace, uint64_t *hash,
                                             uint64_t *bytes);
void hs_trace_close(struct hs_trace *trace);

/* Parses "10d..20d", "2017-10-01..2017-12-01", "..30d", "2020-04-01 12:00:00..": times since the
 * first submission, or dates of the trace's clock. HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_trace_window_parse(const char *text, struct hs_trace_window *window,
                                                 struct hs_diag *diag);
/* Formats "2020-04-01 00:00:00" if the trace's clock is a calendar (from 1990 on), else seconds;
 * returns text. */
#define HS_CLOCK_TEXT 40
const char *hs_trace_clock_text(char text[HS_CLOCK_TEXT], int64_t us);

/* A trace in memory, read once and replayed any number of times, by the points of a sweep. A trace
 * opened on a cache returns the same jobs and counts as one that reads the file, at any load and
 * time scale.
 *
 *     HS_TRY(hs_trace_cache_record(&cache, &options, diag));
 *     options.trace_cache = cache; // may be NULL: then the file is read
 *
 * Reads the whole trace with the options, but at load and scale 1. *trace_cache is NULL if the
 * trace is refused or has bad rows, so that each run reports them. 300 bytes per job. */
HS_MUST_USE enum hs_status hs_trace_cache_record(struct hs_trace_cache **trace_cache,
                                                 const struct hs_trace_options *options,
                                                 struct hs_diag *diag);
/* Returns equal keys for options that give the same cache, whatever their load and scale. */
uint64_t hs_trace_cache_key(const struct hs_trace_options *options);
void hs_trace_cache_free(struct hs_trace_cache *trace_cache); /* NULL is allowed */

/* ---- reports on a trace, without a simulation ---- */

/* The properties of a cluster needed for validation; set by src/cli from model/cluster. */
struct hs_trace_pool {
    const char *name; /* GPU type or VC */
    uint64_t gpus;
};
enum { HS_POOL_GPU_TYPE, HS_POOL_VC, HS_POOL_KINDS };
struct hs_trace_capacity {
    const struct hs_trace_pool *pools[HS_POOL_KINDS];
    uint32_t counts[HS_POOL_KINDS]; /* no VCs: VCs of jobs are ignored */
    uint64_t gpus;
};

/* Prints counts, span, GPU mix, quantiles of durations and inter-arrival times, as JSON if asked
 * for. */
HS_MUST_USE enum hs_status hs_trace_info(const struct hs_trace_options *options, bool as_json,
                                         struct hs_output *out, struct hs_diag *diag);
/* Prints the distance of a trace from the reference: distances of duration, GPUs, gaps and
 * outcomes, ratios. Both are kept in memory, 32 to 64 bytes per job. */
HS_MUST_USE enum hs_status hs_trace_compare(const struct hs_trace_options *reference,
                                            const struct hs_trace_options *options,
                                            struct hs_output *out, struct hs_diag *diag);
/* Reads the whole file despite faults; lists every fault by kind with its first lines and the
 * option that would repair it, offered load by GPU type and VC, the jobs that can never fit, and
 * the command that runs the file. cluster may be NULL; given: the file and options for that.
 * HS_E_INPUT if there is at least one fault. */
HS_MUST_USE enum hs_status hs_trace_validate(const struct hs_trace_options *options,
                                             const struct hs_trace_capacity *cluster,
                                             const char *given, struct hs_output *out,
                                             struct hs_diag *diag);
