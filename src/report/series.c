/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of series.csv. Means are exact integrals divided once, printed with six decimals; the
 * default sampling costs nothing during the run because the timeline is kept anyway.
 */
#include "report/series.h"

#include <string.h>

#include "report/exact.h"

#define MILLIONTHS UINT64_C(1000000)
#define DECIMALS   6

/* integral over dt_us > 0 as a mean: utilization as a share of the GPUs, thousandths as GPUs, the
 * rest as counts. */
static void row_mean(struct hs_series *s, int64_t time_us, enum hs_channel channel,
                     hs_u128 integral, int64_t dt_us)
{
    hs_u128 den = (hs_u128)(uint64_t)dt_us;
    if (channel == HS_CH_UTIL_MODEL || channel == HS_CH_UTIL_SUM)
        den *= s->gpus * 1000;
    else if (channel == HS_CH_GPUS_ALLOCATED)
        den *= 1000;
    hs_csvw_seconds(&s->csv, time_us);
    hs_csvw_text(&s->csv, hs_channel_metric(channel));
    hs_csvw_text(&s->csv, hs_channel_key(channel));
    hs_csvw_ratio(&s->csv, den > 0 ? hs_exact_scaled(integral, den, MILLIONTHS) : 0,
                  den > 0 ? MILLIONTHS : 0, DECIMALS);
    hs_csvw_end(&s->csv);
}

static void integrate(struct hs_series *s, int64_t until_us)
{
    uint64_t dt = (uint64_t)(until_us - s->time_us);
    for (int c = 0; c < HS_CH_SERIES; c++)
        s->sum[c] += (hs_u128)s->value[c] * dt;
    s->time_us = until_us;
}

/* The rows of [start, until), and a new interval from there. */
static void end_interval(struct hs_series *s, int64_t until_us)
{
    integrate(s, until_us);
    for (int c = 0; c < HS_CH_SERIES; c++)
        row_mean(s, s->start_us, (enum hs_channel)c, s->sum[c], until_us - s->start_us);
    memset(s->sum, 0, sizeof s->sum);
    s->start_us = until_us;
}

static enum hs_status step_interval(void *ctx, const struct hs_instant *instant)
{
    struct hs_series *s = ctx;
    while (instant->time_us - s->start_us >= s->sample_us)
        end_interval(s, s->start_us + s->sample_us);
    integrate(s, instant->time_us);
    hs_channels_of(instant, s->value);
    return HS_OK;
}

static enum hs_status step_exact(void *ctx, const struct hs_instant *instant)
{
    struct hs_series *s = ctx;
    uint64_t value[HS_CH_SERIES];
    hs_channels_of(instant, value);
    for (int c = 0; c < HS_CH_SERIES; c++)
        if (!s->has_value || value[c] != s->value[c])
            row_mean(s, instant->time_us, (enum hs_channel)c, value[c], 1);
    memcpy(s->value, value, sizeof value);
    s->has_value = true;
    return HS_OK;
}

enum hs_status hs_series_open(struct hs_series *s, const char *path, int64_t sample_us,
                              uint64_t gpus, struct hs_diag *diag)
{
    memset(s, 0, sizeof *s);
    s->sample_us = sample_us;
    s->gpus = gpus;
    return hs_csvw_open(&s->csv, path, "time,metric,key,value", diag);
}

struct hs_observer hs_series_observer(struct hs_series *s)
{
    struct hs_observer observer = {.ctx = s};
    if (s->sample_us != 0)
        observer.on_instant = s->sample_us > 0 ? step_interval : step_exact;
    return observer;
}

void hs_series_finish(struct hs_series *s, int64_t end_us, const struct hs_timeline *timeline)
{
    if (s->sample_us > 0) {
        while (end_us - s->start_us >= s->sample_us)
            end_interval(s, s->start_us + s->sample_us);
        if (end_us > s->start_us)
            end_interval(s, end_us);
    }
    if (s->sample_us != 0)
        return;
    uint32_t count = hs_timeline_intervals(timeline);
    for (uint32_t k = 0; k < count; k++) {
        int64_t start_us = hs_timeline_start_us(timeline, k);
        int64_t dt_us = hs_timeline_start_us(timeline, k + 1) - start_us;
        for (int c = 0; c < HS_CH_SERIES; c++) {
            enum hs_channel channel = (enum hs_channel)c;
            row_mean(s, start_us, channel, hs_timeline_part(timeline, channel, k), dt_us);
        }
    }
}
