/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact integrals over time of the state of a run, and their values at equally spaced marks.
 *
 *     hs_timeline_step(&t, instant);                      // at every change
 *     hs_timeline_close(&t, end_us);
 *     mean = hs_timeline_part(&t, HS_CH_GPUS_HELD, k) / width;
 *
 * There are at most HS_TIMELINE_MARKS marks: when they run out, every second one is dropped and
 * the spacing doubles, so memory does not depend on the length of the run. A mark holds the
 * integral from time 0, which is why dropping marks loses nothing. O(1) per change, amortised.
 */
#ifndef HORUS_REPORT_TIMELINE_H
#define HORUS_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/observe.h"
#include "horus/status.h"

enum hs_channel {
    HS_CH_RUNNING,
    HS_CH_PENDING,
    HS_CH_SUSPENDED,
    HS_CH_GPUS_HELD,
    HS_CH_GPUS_SHARED,
    HS_CH_GPUS_ALLOCATED, /* thousandths of GPUs: shares as what they are */
    HS_CH_UTIL_MODEL,     /* per mille of a GPU, summed over GPUs */
    HS_CH_UTIL_SUM,
    /* what is of waiting: 0 while no job waits */
    HS_CH_WAITING,
    HS_CH_FRAGMENTED = HS_CH_WAITING,
    HS_CH_WAIT_CAPACITY, /* GPUs wanted, by cause */
    HS_CH_WAIT_SHAPE,
    HS_CH_WAIT_QUOTA,
    HS_CH_WAIT_ORDER,
    HS_CH_WAIT_FRAGMENTATION, /* the two parts of shape */
    HS_CH_WAIT_LOCALITY,
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

struct hs_timeline {
    int64_t time_us; /* of the last change, mark, or the end */
    int64_t width_us;
    uint32_t used;                /* mark k is at (k + 1) * width_us */
    bool is_mixed;                /* jobs share GPUs, want shares of them, or are suspended */
    bool is_waiting;              /* the values from HS_CH_WAITING on count */
    bool is_loaded;               /* a job waits; the integrals of that are complete once closed */
    uint64_t value[HS_CH_SERIES]; /* what holds from time_us on */
    hs_u128 sum[HS_CHANNELS];     /* value x us, up to time_us; settled where it is read */
    /* allocated: over the GPUs held, as whole ones; util: of the sum over the model; and x us */
    int64_t over_allocated, over_util;
    hs_u128 over_allocated_sum, over_util_sum;
    hs_u128 (*marks)[HS_CH_SERIES];
};

HS_MUST_USE enum hs_status hs_timeline_open(struct hs_timeline *t);
void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant);
void hs_timeline_close(struct hs_timeline *t, int64_t end_us); /* integrals up to end_us */
/* Intervals that the run is cut into, the last perhaps shorter; start of interval k (of k == count:
 * the end); integral of a channel of series.csv over interval k. */
uint32_t hs_timeline_intervals(const struct hs_timeline *t);
int64_t hs_timeline_start_us(const struct hs_timeline *t, uint32_t k);
hs_u128 hs_timeline_part(const struct hs_timeline *t, enum hs_channel channel, uint32_t k);
void hs_timeline_free(struct hs_timeline *t);

/* The channels' values in an instant. */
void hs_channels_of(const struct hs_instant *instant, uint64_t value[HS_CH_SERIES]);
/* metric and key of series.csv. */
const char *hs_channel_metric(enum hs_channel channel);
const char *hs_channel_key(enum hs_channel channel);

#endif
