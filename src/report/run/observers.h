/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The observers of a run: those that write row files while the run goes on, and the exact integrals
 * over time from which series.csv and the metrics are made. report.c opens and closes them;
 * results/README.md says what the columns mean.
 */
#ifndef HORUS_REPORT_RUN_OBSERVERS_H
#define HORUS_REPORT_RUN_OBSERVERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "data/csvwrite.h"
#include "horus/observe.h"
#include "report/report.h"
#include "report/run/temp_records.h"
#include "report/stats/bounds.h"
#include "report/stats/stats.h"

/* ---- jobs.csv, segments.csv, decisions.csv (rows.c) ---- */

/* A row a job, in the order in which jobs end; first the 13 columns of evalys' JobSet under their
 * own names, then ours. */
struct hs_jobs_file {
    struct hs_csvw csv;
    struct hs_csvtexts texts;
    const char *workload; /* borrowed */
    uint32_t *gpus;       /* of the last segment, and the index of its job */
    uint32_t gpu_count, gpus_cap;
    uint64_t gpus_of;
};
HS_MUST_USE enum hs_status hs_jobs_file_open(struct hs_jobs_file *f, const char *path,
                                             const char *workload, struct hs_diag *diag);
struct hs_observer hs_jobs_file_observer(struct hs_jobs_file *f);
void hs_jobs_file_free(struct hs_jobs_file *f); /* the csv is closed by its user */
/* What a job ends with: its recorded outcome when it ran to its end, else its state. */
const char *hs_job_status_text(const struct hs_job_record *job);

/* A row an uninterrupted placement, in the order in which they end: the exact Gantt chart. */
HS_MUST_USE enum hs_status hs_segments_open(struct hs_csvw *csv, const char *path,
                                            struct hs_diag *diag);
struct hs_observer hs_segments_observer(struct hs_csvw *csv);

/* A row an action of the policy, with what led to it. */
struct hs_decisions {
    struct hs_csvw csv;
    char by_order[160], by_preemption[160]; /* the reasons where the policy gives none */
};
/* semantics: of the policy; NULL: actions that it does not explain have no reason. */
HS_MUST_USE enum hs_status hs_decisions_open(struct hs_decisions *d, const char *path,
                                             const struct hs_semantics *semantics,
                                             struct hs_diag *diag);
struct hs_observer hs_decisions_observer(struct hs_decisions *d);

/* ---- nodes.csv (nodes.c) ---- */

struct hs_node_gpu {
    int64_t since_us; /* the account is complete up to here */
    uint32_t node;
    uint32_t tenants;
    uint32_t util_pm; /* sum over the tenants; unknown counts 0 */
    bool is_divided;  /* they have shares of it, which is no sharing */
};

struct hs_node_account {
    uint64_t held_us, shared_us; /* GPU x us */
    hs_u128 util_pm_us;
    uint64_t placements;
};

/* A row a node, from own counts of the tenants of every GPU. O(gang) a placement, memory
 * O(GPUs). */
struct hs_nodes {
    const struct hs_cluster *cluster; /* borrowed */
    struct hs_node_gpu *gpus;
    struct hs_node_account *accounts;
    bool has_util; /* the utilization of at least one job is known */
};
void hs_nodes_open(struct hs_nodes *n, const struct hs_cluster *cluster);
struct hs_observer hs_nodes_observer(struct hs_nodes *n);
/* span_us: time over which the means are taken. */
HS_MUST_USE enum hs_status hs_nodes_write(const struct hs_nodes *n, const char *path,
                                          int64_t span_us, struct hs_output_file *file,
                                          struct hs_diag *diag);
void hs_nodes_free(struct hs_nodes *n);

/* ---- jobs.swf (swf.c) ---- */

/* The schedule in the Standard Workload Format, version 2.2, of the Parallel Workloads Archive
 * (Chapin et al., JSSPP 1999; D. Feitelson, "The Standard Workload Format",
 * www.cs.huji.ac.il/labs/parallel/workload/swf.html): a line a job in order of submission, 18
 * numbers, -1 for what is not known. A processor is a GPU.
 *
 * Jobs end in another order than they come: what is known of one waits in a file, in its place.
 * Memory O(users + virtual clusters). */
struct hs_swf {
    const struct hs_report_options *options; /* borrowed; NULL = not open */
    struct hs_diag *diag;
    struct hs_temp_records records;
    struct hs_intern users, vcs; /* numbered in order of submission */
    uint64_t gpus_of;            /* index of the job of the last segment, and its GPUs */
    uint32_t gpu_count;
};
void hs_swf_open(struct hs_swf *s, const struct hs_report_options *options, struct hs_diag *diag);
struct hs_observer hs_swf_observer(struct hs_swf *s);
HS_MUST_USE enum hs_status hs_swf_write(struct hs_swf *s, const char *path,
                                        struct hs_output_file *file, struct hs_diag *diag);
void hs_swf_close(struct hs_swf *s);

/* ---- the state over time, and series.csv (timeline.c) ---- */

enum hs_channel {
    HS_CH_RUNNING,
    HS_CH_PENDING,
    HS_CH_SUSPENDED,
    HS_CH_GPUS_HELD,
    HS_CH_GPUS_SHARED,
    HS_CH_GPUS_ALLOCATED, /* thousandths of GPUs: shares as what they are */
    HS_CH_UTIL_MODEL,     /* per mille of a GPU, summed over GPUs */
    HS_CH_UTIL_SUM,
    HS_CH_FRAGMENTED,
    HS_CH_WAIT_RESOURCES, /* GPUs wanted, by cause */
    HS_CH_WAIT_PLACEMENT,
    HS_CH_WAIT_QUOTA,
    HS_CH_WAIT_PRIORITY,
    HS_CH_WAIT_FRAGMENTATION, /* the two parts of placement */
    HS_CH_WAIT_CONSTRAINT,
    HS_CH_SERIES, /* channels above this are those of series.csv */
    /* the same while a job waits ("loaded"): integrals only */
    HS_CH_LOADED = HS_CH_SERIES, /* of 0 or 1 */
    HS_CH_HELD_LOADED,
    HS_CH_UTIL_MODEL_LOADED,
    HS_CH_UTIL_SUM_LOADED,
    HS_CHANNELS
};

#define HS_TIMELINE_MARKS    2048u
#define HS_TIMELINE_WIDTH_US INT64_C(1000000) /* spacing of the marks at the start */

/* Exact integrals over time of the state of a run, and their values at equally spaced marks.
 *
 *     hs_timeline_step(&t, instant);                      // at every change
 *     hs_timeline_close(&t, end_us);
 *     mean = hs_timeline_part(&t, HS_CH_GPUS_HELD, k) / width;
 *
 * There are at most HS_TIMELINE_MARKS marks: when they run out, every second one is dropped and
 * the spacing doubles, so memory does not depend on the length of the run. A mark holds the
 * integral from time 0, which is why dropping marks loses nothing. O(1) a change, amortised. */
struct hs_timeline {
    int64_t time_us; /* of the last change, mark, or the end */
    int64_t width_us;
    uint32_t used;                /* mark k is at (k + 1) * width_us */
    uint64_t value[HS_CH_SERIES]; /* what holds from time_us on */
    hs_u128 sum[HS_CHANNELS];     /* value x us, up to time_us */
    hs_u128 (*marks)[HS_CH_SERIES];
};
void hs_timeline_open(struct hs_timeline *t);
void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant);
void hs_timeline_close(struct hs_timeline *t, int64_t end_us); /* integrals up to end_us */
/* Intervals that the run is cut into, the last perhaps shorter; start of interval k (of k == count:
 * the end); integral of a channel of series.csv over interval k. */
uint32_t hs_timeline_intervals(const struct hs_timeline *t);
int64_t hs_timeline_start_us(const struct hs_timeline *t, uint32_t k);
hs_u128 hs_timeline_part(const struct hs_timeline *t, enum hs_channel channel, uint32_t k);
void hs_timeline_free(struct hs_timeline *t);
/* The column `metric` of series.csv. */
const char *hs_channel_metric(enum hs_channel channel);

/* series.csv, tidy: time,metric,key,value. Three samplings: the timeline's intervals (written at
 * the end, at no cost during the run), fixed intervals (time-weighted means, written as they pass),
 * or every change. */
struct hs_series {
    struct hs_csvw csv;
    int64_t sample_us; /* 0, -1 or the interval */
    uint64_t gpus;     /* of the cluster: utilization is a share of them */
    int64_t time_us, start_us;
    uint64_t value[HS_CH_SERIES];
    hs_u128 sum[HS_CH_SERIES]; /* of the interval begun at start_us */
    bool has_value;
};
HS_MUST_USE enum hs_status hs_series_open(struct hs_series *s, const char *path, int64_t sample_us,
                                          uint64_t gpus, struct hs_diag *diag);
struct hs_observer hs_series_observer(struct hs_series *s);
/* timeline: closed at end_us. Writes what is left; the file stays open for hs_csvw_close(). */
void hs_series_finish(struct hs_series *s, int64_t end_us, const struct hs_timeline *timeline);

/* ---- the metrics (metrics.c) ---- */

struct hs_metrics_source {
    const struct hs_report_options *options;
    const struct hs_stats *stats;       /* finished */
    const struct hs_timeline *timeline; /* closed */
    const struct hs_bounds *bounds;     /* finished */
    uint64_t gpus;                      /* of the cluster */
    int64_t span_us;                    /* first submission to the last instant */
};
/* The metrics of src/MODEL.md in a fixed order, and the sparkline; a metric that does not apply is
 * listed with the reason. */
void hs_metrics_fill(struct hs_summary *summary, const struct hs_metrics_source *source);

#endif
