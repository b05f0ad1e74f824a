/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of report.c: the files that a run writes row by row, and exact integrals over time.
 * results/README.md describes the columns.
 */
#pragma once

#include <stdio.h>

#include "report/report.h"

/* ---- the state over time ---- */

/* The channels of series.csv: name, columns `metric` and `key`, value of a struct hs_instant.
 * ALLOCATED: thousandths of GPUs, counting shares; UTIL: per mille of a GPU, summed over GPUs;
 * WAIT: requested GPUs by cause, FRAGMENTATION and CONSTRAINT being parts of PLACEMENT. */
#define HS_SERIES_CHANNELS(CHANNEL)                                                                \
    CHANNEL(RUNNING, "running", "", now->running)                                                  \
    CHANNEL(PENDING, "pending", "", now->pending)                                                  \
    CHANNEL(SUSPENDED, "suspended", "", now->suspended)                                            \
    CHANNEL(GPUS_HELD, "gpus_held", "", now->gpus_held)                                            \
    CHANNEL(GPUS_SHARED, "gpus_shared", "", now->gpus_shared)                                      \
    CHANNEL(GPUS_ALLOCATED, "gpus_allocated", "", now->milli_held)                                 \
    CHANNEL(UTIL_MODEL, "util_model", "", now->load_pm_q32)                                        \
    CHANNEL(UTIL_SUM, "util_sum", "", now->solo_pm_q32)                                            \
    CHANNEL(FRAGMENTED, "fragmented", "", now->gpus_fragmented)                                    \
    CHANNEL(WAIT_RESOURCES, "gpus_waiting", "resources", now->wait_resources)                      \
    CHANNEL(WAIT_PLACEMENT, "gpus_waiting", "placement", now->wait_placement)                      \
    CHANNEL(WAIT_QUOTA, "gpus_waiting", "quota", now->wait_quota)                                  \
    CHANNEL(WAIT_PRIORITY, "gpus_waiting", "priority", now->wait_priority)                         \
    CHANNEL(WAIT_FRAGMENTATION, "gpus_waiting", "fragmentation",                                   \
            now->wait_placement - now->wait_constraint)                                            \
    CHANNEL(WAIT_CONSTRAINT, "gpus_waiting", "constraint", now->wait_constraint)                   \
    CHANNEL(GPUS_OUT, "gpus_out", "", now->gpus_out) /* last: only in runs with --events */

#define HS_CHANNEL_NAME(name, metric, key, value) HS_CH_##name,
enum hs_channel {
    HS_SERIES_CHANNELS(HS_CHANNEL_NAME) HS_CH_SERIES, /* series.csv has those before */
    /* the same while a job waits ("loaded"): integrals only */
    HS_CH_LOADED = HS_CH_SERIES, /* 0 or 1 */
    HS_CH_HELD_LOADED,
    HS_CH_UTIL_MODEL_LOADED,
    HS_CH_UTIL_SUM_LOADED,
    HS_CHANNELS
};

#define HS_TIMELINE_MARKS    2048u
#define HS_TIMELINE_WIDTH_US INT64_C(1000000) /* initial distance of the marks */

/* Exact integrals over time of the state of a run, and their values at equidistant marks.
 *
 *     t.width_us = HS_TIMELINE_WIDTH_US;
 *     t.marked = HS_CH_SERIES;                            // all else is 0
 *     hs_timeline_step(&t, instant);                      // at every change
 *     hs_timeline_advance(&t, end_us);
 *
 * There are at most HS_TIMELINE_MARKS marks: when they are used up, every second one is dropped and
 * the distance doubles, so memory does not depend on the length of the run. A mark stores the
 * integral from time 0, so dropping marks loses nothing. O(1) per change, amortised. */
struct hs_timeline {
    int64_t time_us; /* of the last change, mark, or the end */
    int64_t width_us, next_mark_us;
    uint32_t used;               /* mark k is at (k + 1) * width_us */
    uint32_t marked;             /* number of channels with marks, the first ones */
    uint64_t value[HS_CHANNELS]; /* current values, since time_us */
    hs_u128 less[HS_CHANNELS];   /* value x time - less is the integral, so that a step costs only
                                    what changes */
    hs_u128 sum[HS_CHANNELS];    /* integrals up to the last hs_timeline_advance */
    hs_u128 marks[HS_TIMELINE_MARKS][HS_CH_SERIES];
};
/* Integral of a channel, in value x us, from time 0 to a time not before the last change. */
static inline hs_u128 hs_timeline_integral(const struct hs_timeline *t, int channel, int64_t to_us)
{
    return (hs_u128)t->value[channel] * (uint64_t)to_us - t->less[channel];
}
void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant);
void hs_timeline_advance(struct hs_timeline *t, int64_t now_us); /* integrates up to now_us */
/* Draws the mean number of held GPUs over time as levels. */
void hs_timeline_draw(const struct hs_timeline *t, uint32_t gpus, char text[HS_SPARKLINE_SIZE]);

/* ---- temporary records (temp_records.c) ----
 *
 * Records stored outside memory: added once, read repeatedly from the start. The first
 * HS_TEMP_RECORDS_BUFFER bytes appended stay in memory; the rest is written to a temporary file,
 * unlinked immediately after its creation, so that a crash leaves nothing behind; with checkpoints,
 * at the end.
 *
 *     HS_TRY(hs_temp_records_add(&s, &place, diag));
 *     *(struct thing *)place = (struct thing){...};
 *     while ((status = hs_temp_records_next(&s, &records, &count, diag)) == HS_OK) // a block
 *         ... */

#define HS_TEMP_RECORDS_BUFFER (256u * 1024u)

struct hs_temp_records {
    char *buffer;
    const char *dir; /* of the temporary file; borrowed */
    uint32_t record_size, buffer_records;
    uint32_t buffered; /* records in the buffer that are not yet in the file */
    uint64_t count;    /* records in all */
    uint64_t next;     /* reading: first record of the next block */
    uint64_t kept;     /* of the blocks read, if is_kept */
    bool is_kept;      /* hs_temp_records_keep was called in this replay */
    FILE *file;        /* NULL while the buffer suffices */
    char *path;        /* of the file, which with checkpoints stays until the end */
    struct hs_image_part part;
};

/* dir NULL: /tmp. */
void hs_temp_records_open(struct hs_temp_records *s, uint32_t record_size, const char *dir);
/* Appends the buffer to the file. */
HS_MUST_USE enum hs_status hs_temp_records_flush(struct hs_temp_records *s, struct hs_diag *diag);
/* Appends a record; *record points to where the caller writes it at once. */
HS_MUST_USE static inline enum hs_status hs_temp_records_add(struct hs_temp_records *s,
                                                             void **record, struct hs_diag *diag)
{
    if (HS_UNLIKELY(s->buffered == s->buffer_records))
        HS_TRY(hs_temp_records_flush(s, diag));
    *record = s->buffer + (size_t)s->buffered * s->record_size;
    s->buffered++;
    s->count++;
    return HS_OK;
}
/* Stores the record with this number, 0, 1, ..., in any order; not to be mixed with
 * hs_temp_records_add. Numbers that were never stored read as zero bytes. */
HS_MUST_USE enum hs_status hs_temp_records_put_at(struct hs_temp_records *s, uint64_t number,
                                                  const void *record, struct hs_diag *diag);
/* Returns the next block of at least one record, valid until the next call; HS_END after the last,
 * then starts again. No record may be added after the first call. */
HS_MUST_USE enum hs_status hs_temp_records_next(struct hs_temp_records *s, void **records,
                                                uint32_t *count, struct hs_diag *diag);
/* Of the block that was returned last the first `count` records stay, the others are dropped; the
 * next replay returns what stayed. To be called for each block of a replay, or for none. */
HS_MUST_USE enum hs_status hs_temp_records_keep(struct hs_temp_records *s, uint32_t count,
                                                struct hs_diag *diag);
void hs_temp_records_close(struct hs_temp_records *s);

/* ---- statistics of jobs (stats.c) ----
 *
 * Counts and sums during the run, and a record of 24 or 64 bytes per completed job in temporary
 * files, from which means and exact quantiles of wait, JCT and slowdowns are computed at the end,
 * for all jobs and for each class. Memory does not grow with the jobs.
 *
 * Slowdowns are integers, parts per million rounded half up, so that they sort and sum exactly. */

enum hs_measure {
    HS_M_WAIT,
    HS_M_JCT,
    HS_M_SLOWDOWN,
    HS_M_RUN_SLOWDOWN, /* time with GPUs over isolated run time */
    HS_M_BOUNDED,
    HS_M_PROGRESS, /* from submission to first progress; for a job without work, to its end */
    HS_MEASURES
};

struct hs_user_account {
    hs_u128 milli_us;      /* thousandths of GPUs held x time, over all jobs */
    hs_u128 need, sojourn; /* sums of thousandths x isolated and x JCT, for the fairness index */
    uint64_t jobs;         /* completed */
    uint8_t quintile;      /* set when the users are ranked */
};

struct hs_stats {
    struct hs_diag *diag;
    int64_t warmup_us, cooldown_us;
    struct hs_temp_records samples; /* records of completed jobs */
    struct hs_user_account *users;  /* indexed by the engine's user ids */
    uint32_t user_cap;
    struct hs_intern vcs;
    uint32_t *vc_of; /* indexed by the engine's ids: VC + 1; 0 = no job of it yet */
    uint32_t vc_of_cap;
    /* whether some completed job has a user, a VC, a requested class */
    bool has_users, has_vcs, has_job_classes;
    uint64_t submitted, done, failed, rejected, unfinished;
    uint64_t preemptions, migrations, ooms, retries, switches;
    uint64_t policy_counter[HS_POLICY_COUNTER_COUNT];        /* counters of the policy */
    int64_t first_submit_us, last_submit_us, last_finish_us; /* -1 = none */
    hs_u128 done_milli_ns, lost_milli_ns, overhead_milli_us, run_milli_us; /* x GPU thousandths */
    hs_u128 host_mib_us;
    struct hs_deadline_stats *deadlines; /* NULL: no job that ended has one */
    hs_u128 in_system_us;                /* sum over jobs of the time from submission to end */
    hs_u128 done_run_us, work_us;        /* of completed jobs */
    hs_u128 run_us, colocated_us;        /* of all jobs */
    uint64_t assumed_util; /* jobs with the utilization of a drawn profile, or an assumed one */
    bool has_util;         /* the GPU utilization of some job is known */
    bool has_faster;       /* a completed job has JCT or run time below its isolated run time */
    /* results of hs_stats_finish() */
    uint64_t counted;                       /* jobs inside the window */
    hs_u128 jct_us;                         /* sum of theirs */
    double figure[HS_MEASURES][HS_FIGURES]; /* NaN without jobs */
    double mean_queueing_delay;             /* time without GPUs; NaN without jobs */
    double jain;                            /* NaN with fewer than two users */
};

/* dir: of the temporary file, or NULL for /tmp. Figures include only jobs submitted at least
 * warmup_us after the first and cooldown_us before the last. */
void hs_stats_open(struct hs_stats *s, const char *dir, int64_t warmup_us, int64_t cooldown_us,
                   struct hs_diag *diag);
/* Called when a job arrives, and when it ends, as on_finish of an observer. */
void hs_stats_submit(struct hs_stats *s, int64_t now_us, const struct hs_submission *job);
HS_MUST_USE enum hs_status hs_stats_end(struct hs_stats *s, int64_t now_us,
                                        const struct hs_job_record *job);
/* Computes the results and the classes of the summary. */
HS_MUST_USE enum hs_status hs_stats_finish(struct hs_stats *s, struct hs_summary *summary);
void hs_stats_close(struct hs_stats *s);

/* A value of a job in parts per million or microseconds, and its submission. */
struct hs_timed_value {
    int64_t submit_us;
    uint64_t ppm; /* modulo 2^64 where it may be negative */
};
/* Figures of such values, of jobs submitted before the cooldown. */
struct hs_figures {
    uint64_t count;
    hs_i128 sum;
    double value[HS_FIGURES], above_1; /* share of those above 1; NaN without any */
};
/* least: not above any of the values, which are less than 2^63 above it. */
HS_MUST_USE enum hs_status hs_stats_figures(const struct hs_stats *s,
                                            struct hs_temp_records *values, int64_t least,
                                            struct hs_figures *figures);

/* ---- deadlines (deadlines.c) ---- */

/* Of jobs.csv, behind all others where a job has a deadline; and of deadlines.csv. */
#define HS_DEADLINE_COLUMNS ",deadline,lateness,value,value_most"
#define HS_DEADLINES_HEADER                                                                        \
    "kind,name,deadlines,deadline_misses,deadline_rejected,deadline_miss_share,mean_lateness,"     \
    "max_lateness,deadline_met_gpu_seconds,value_kept,value_most"

/* A job with a deadline ended, as on_finish of an observer is called; makes s->deadlines. */
HS_MUST_USE enum hs_status hs_deadlines_end(struct hs_stats *s, int64_t now_us,
                                            const struct hs_job_record *job);
/* Of jobs with one; d may be NULL. misses: of those, not done by it. */
uint64_t hs_deadlines_count(const struct hs_deadline_stats *d, uint64_t *misses);
/* Adds the metrics of deadlines after all others, if a job has one; s NULL: without values. */
HS_MUST_USE enum hs_status hs_deadlines_fill(const struct hs_stats *s, struct hs_summary *summary);
/* deadlines.csv; d is not NULL. */
HS_MUST_USE enum hs_status hs_deadlines_write(const struct hs_deadline_stats *d,
                                              const struct hs_rundir *dir,
                                              struct hs_output_file *file, struct hs_diag *diag);
void hs_deadlines_close(struct hs_deadline_stats *d);

/* ---- figures on request (extras.c) ---- */

struct hs_extras;
/* Returns NULL if no optional figure is requested; the functions below accept NULL. Its observer
 * must precede that of jobs.csv. */
struct hs_extras *hs_extras_open(const struct hs_report_options *options, struct hs_stats *stats,
                                 struct hs_observer *observer);
/* Names appended to the columns of jobs.csv, and the cells of the job that ended last. */
const char *hs_extras_columns(const struct hs_report_options *options);
void hs_extras_put(const struct hs_extras *extras, struct hs_csvw *w);
HS_MUST_USE enum hs_status hs_extras_fill(struct hs_extras *extras, struct hs_summary *summary,
                                          int64_t span_us);
void hs_extras_close(struct hs_extras *extras);

/* ---- failures and drains (outages.c) ---- */

struct hs_outages;
/* Returns NULL if the run has no events of machines; close and fill accept NULL. */
struct hs_outages *hs_outages_open(const struct hs_report_options *options,
                                   struct hs_observer *observer);
/* outages.csv; o is not NULL. */
HS_MUST_USE enum hs_status hs_outages_write(const struct hs_outages *o, const struct hs_rundir *dir,
                                            struct hs_output_file *file, struct hs_diag *diag);
/* Adds the metrics of outages. out_us: GPUs out of service that no job held, times us. */
void hs_outages_fill(const struct hs_outages *o, struct hs_summary *summary, hs_u128 out_us,
                     int64_t span_us);
void hs_outages_close(struct hs_outages *o);

/* ---- the report ---- */

/* Appends a metric; unit "1": a plain ratio. A NaN requires a reason. */
void hs_summary_add(struct hs_summary *s, const char *name, const char *unit, double value,
                    const char *absent_because);

/* An open row file; the state of each format begins with it. */
struct hs_row_file {
    struct hs_csvw csv;
    const struct hs_row_format *format;
    struct hs_observer observer;
    struct hs_report *report; /* whose options and timeline it uses */
};

/* A file with a row per item, written during the run or at its end. */
struct hs_row_format {
    uint32_t output; /* its bit in options.outputs */
    const char *name, *header;
    size_t state_size;
    struct hs_observer observer; /* ctx becomes the state */
    /* Each may be NULL. open: initializes the zeroed state; finish: writes the remaining rows at
     * the end of the run; free: frees the state except the file. */
    void (*open)(void *state);
    enum hs_status (*finish)(void *state, int64_t end_us);
    void (*free)(void *state);
};
/* In the order of the manifest. */
#define HS_ROW_FILES 6
extern const struct hs_row_format *const hs_row_formats[HS_ROW_FILES];

struct hs_report {
    struct hs_report_options options;
    struct hs_diag *diag;
    struct hs_timeline timeline;
    struct hs_stats stats;
    struct hs_bounds *bounds;
    struct hs_extras *extras;   /* NULL: not requested */
    int64_t span_us;            /* first submission to last instant; set at the end of the run */
    struct hs_outages *outages; /* NULL: no events of machines */
    struct hs_observer observer, extras_observer, outages_observer; /* of the figures */
    struct hs_row_file *open[HS_ROW_FILES];
    struct hs_output_file files[HS_ROW_FILES + 2]; /* and deadlines.csv, outages.csv */
    uint32_t open_count, file_count;
};
