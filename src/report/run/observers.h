/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What report.c puts together: the files that a run writes row by row, and the exact integrals over
 * time. results/README.md says what the columns mean.
 */
#ifndef HORUS_REPORT_RUN_OBSERVERS_H
#define HORUS_REPORT_RUN_OBSERVERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "data/csvwrite.h"
#include "horus/observe.h"
#include "report/report.h"
#include "report/stats/stats.h"

/* ---- the state over time ---- */

/* The channels of series.csv: name, columns `metric` and `key`, value by a struct hs_instant.
 * ALLOCATED: thousandths of GPUs, shares as what they are; UTIL: per mille of a GPU, summed over
 * GPUs; WAIT: GPUs wanted, by cause, FRAGMENTATION and CONSTRAINT being the parts of PLACEMENT. */
#define HS_SERIES_CHANNELS(CHANNEL)                                                                \
    CHANNEL(RUNNING, "running", "", now->running)                                                  \
    CHANNEL(PENDING, "pending", "", now->pending)                                                  \
    CHANNEL(SUSPENDED, "suspended", "", now->suspended)                                            \
    CHANNEL(GPUS_HELD, "gpus_held", "", now->gpus_held)                                            \
    CHANNEL(GPUS_SHARED, "gpus_shared", "", now->gpus_shared)                                      \
    CHANNEL(GPUS_ALLOCATED, "gpus_allocated", "", now->milli_held)                                 \
    CHANNEL(UTIL_MODEL, "util_model", "", now->util_model_pm)                                      \
    CHANNEL(UTIL_SUM, "util_sum", "", now->util_sum_pm)                                            \
    CHANNEL(FRAGMENTED, "fragmented", "", now->gpus_fragmented)                                    \
    CHANNEL(WAIT_RESOURCES, "gpus_waiting", "resources", now->wait_resources)                      \
    CHANNEL(WAIT_PLACEMENT, "gpus_waiting", "placement", now->wait_placement)                      \
    CHANNEL(WAIT_QUOTA, "gpus_waiting", "quota", now->wait_quota)                                  \
    CHANNEL(WAIT_PRIORITY, "gpus_waiting", "priority", now->wait_priority)                         \
    CHANNEL(WAIT_FRAGMENTATION, "gpus_waiting", "fragmentation",                                   \
            now->wait_placement - now->wait_constraint)                                            \
    CHANNEL(WAIT_CONSTRAINT, "gpus_waiting", "constraint", now->wait_constraint)

#define HS_CHANNEL_NAME(name, metric, key, value) HS_CH_##name,
enum hs_channel {
    HS_SERIES_CHANNELS(HS_CHANNEL_NAME) HS_CH_SERIES, /* channels above this: of series.csv */
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
 *     t.width_us = HS_TIMELINE_WIDTH_US;                  // all else is 0
 *     hs_timeline_step(&t, instant);                      // at every change
 *     hs_timeline_advance(&t, end_us);
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
    hs_u128 marks[HS_TIMELINE_MARKS][HS_CH_SERIES];
};
void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant);
void hs_timeline_advance(struct hs_timeline *t, int64_t now_us); /* integrals up to now_us */
/* Intervals that the run is cut into, the last perhaps shorter; start of interval k (of k == count:
 * the end); integral of a channel of series.csv over interval k. */
uint32_t hs_timeline_intervals(const struct hs_timeline *t);
int64_t hs_timeline_start_us(const struct hs_timeline *t, uint32_t k);
hs_u128 hs_timeline_part(const struct hs_timeline *t, enum hs_channel channel, uint32_t k);

/* ---- the report ---- */

/* An open file; the state of a format begins with it. */
struct hs_row_file {
    struct hs_csvw csv;
    const struct hs_row_format *format;
    struct hs_observer observer;
    struct hs_report *report; /* whose options and timeline it uses */
};

/* A file with a row for each of something, written while the run goes on or when it is over. */
struct hs_row_format {
    uint32_t output; /* its bit of the options */
    const char *name, *header;
    size_t state_size;
    struct hs_observer observer; /* ctx becomes the state */
    /* All may be NULL. open: makes the zeroed state ready; finish: writes what is left, at the end
     * of the run; free: the state but for the file. */
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
    int64_t span_us;             /* first submission to the last instant, once the run is over */
    struct hs_observer observer; /* of the figures */
    struct hs_row_file *open[HS_ROW_FILES];
    struct hs_output_file files[HS_ROW_FILES];
    uint32_t open_count, file_count;
};

#endif
