/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a run over time. Integrals are sums of (value x microseconds) in 128 bits: no
 * rounding, whatever the length of the run; a mean in series.csv is an integral divided once,
 * printed with six decimals.
 */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "report/run/observers.h"
#include "report/stats/exact.h"

static const struct {
    const char *metric, *key;
} channel_names[HS_CH_SERIES] = {
    [HS_CH_RUNNING] = {"running", ""},
    [HS_CH_PENDING] = {"pending", ""},
    [HS_CH_SUSPENDED] = {"suspended", ""},
    [HS_CH_GPUS_HELD] = {"gpus_held", ""},
    [HS_CH_GPUS_SHARED] = {"gpus_shared", ""},
    [HS_CH_GPUS_ALLOCATED] = {"gpus_allocated", ""},
    [HS_CH_UTIL_MODEL] = {"util_model", ""},
    [HS_CH_UTIL_SUM] = {"util_sum", ""},
    [HS_CH_FRAGMENTED] = {"fragmented", ""},
    [HS_CH_WAIT_RESOURCES] = {"gpus_waiting", "resources"},
    [HS_CH_WAIT_PLACEMENT] = {"gpus_waiting", "placement"},
    [HS_CH_WAIT_QUOTA] = {"gpus_waiting", "quota"},
    [HS_CH_WAIT_PRIORITY] = {"gpus_waiting", "priority"},
    [HS_CH_WAIT_FRAGMENTATION] = {"gpus_waiting", "fragmentation"},
    [HS_CH_WAIT_CONSTRAINT] = {"gpus_waiting", "constraint"},
};

static void integrate(struct hs_timeline *t, int64_t until_us)
{
    static const enum hs_channel while_loaded[] = {
        [HS_CH_HELD_LOADED - HS_CH_HELD_LOADED] = HS_CH_GPUS_HELD,
        [HS_CH_UTIL_MODEL_LOADED - HS_CH_HELD_LOADED] = HS_CH_UTIL_MODEL,
        [HS_CH_UTIL_SUM_LOADED - HS_CH_HELD_LOADED] = HS_CH_UTIL_SUM};
    const uint64_t dt_us = (uint64_t)(until_us - t->time_us);
    t->time_us = until_us;
    for (int c = 0; c < HS_CH_SERIES; c++)
        t->sum[c] += (hs_u128)t->value[c] * dt_us;
    if (t->value[HS_CH_PENDING] + t->value[HS_CH_SUSPENDED] == 0)
        return;
    t->sum[HS_CH_LOADED] += dt_us;
    for (int c = HS_CH_HELD_LOADED; c < HS_CHANNELS; c++)
        t->sum[c] += (hs_u128)t->value[while_loaded[c - HS_CH_HELD_LOADED]] * dt_us;
}

static void drop_every_second(struct hs_timeline *t)
{
    for (uint32_t k = 0; k < HS_TIMELINE_MARKS / 2; k++)
        memcpy(t->marks[k], t->marks[2 * k + 1], sizeof t->marks[k]);
    t->used = HS_TIMELINE_MARKS / 2;
    t->width_us *= 2;
}

/* The integrals up to now_us, and the marks on the way. */
static void advance(struct hs_timeline *t, int64_t now_us)
{
    while (HS_UNLIKELY(now_us - t->width_us >= (int64_t)t->used * t->width_us)) {
        if (t->used == HS_TIMELINE_MARKS) {
            drop_every_second(t);
            continue;
        }
        integrate(t, (int64_t)(t->used + 1) * t->width_us);
        memcpy(t->marks[t->used++], t->sum, sizeof *t->marks);
    }
    if (now_us > t->time_us)
        integrate(t, now_us);
}

void hs_timeline_open(struct hs_timeline *t)
{
    *t = (struct hs_timeline){.width_us = HS_TIMELINE_WIDTH_US};
    t->marks = hs_alloc_zeroed(HS_TIMELINE_MARKS, sizeof *t->marks);
}

static void channels_of(const struct hs_instant *instant, uint64_t value[HS_CH_SERIES])
{
    value[HS_CH_RUNNING] = instant->running;
    value[HS_CH_PENDING] = instant->pending;
    value[HS_CH_SUSPENDED] = instant->suspended;
    value[HS_CH_GPUS_HELD] = instant->gpus_held;
    value[HS_CH_GPUS_SHARED] = instant->gpus_shared;
    value[HS_CH_GPUS_ALLOCATED] = instant->milli_held;
    value[HS_CH_UTIL_MODEL] = instant->util_model_pm;
    value[HS_CH_UTIL_SUM] = instant->util_sum_pm;
    value[HS_CH_FRAGMENTED] = instant->gpus_fragmented;
    value[HS_CH_WAIT_RESOURCES] = instant->wait_resources;
    value[HS_CH_WAIT_PLACEMENT] = instant->wait_placement;
    value[HS_CH_WAIT_QUOTA] = instant->wait_quota;
    value[HS_CH_WAIT_PRIORITY] = instant->wait_priority;
    value[HS_CH_WAIT_FRAGMENTATION] = instant->wait_placement - instant->wait_constraint;
    value[HS_CH_WAIT_CONSTRAINT] = instant->wait_constraint;
}

void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant)
{
    if (instant->is_still) /* it is integrated with what follows */
        return;
    advance(t, instant->time_us);
    channels_of(instant, t->value);
}

void hs_timeline_close(struct hs_timeline *t, int64_t end_us)
{
    advance(t, end_us);
}

uint32_t hs_timeline_intervals(const struct hs_timeline *t)
{
    return t->used + ((int64_t)t->used * t->width_us < t->time_us ? 1 : 0);
}

int64_t hs_timeline_start_us(const struct hs_timeline *t, uint32_t k)
{
    int64_t start = (int64_t)k * t->width_us;
    return start < t->time_us ? start : t->time_us;
}

hs_u128 hs_timeline_part(const struct hs_timeline *t, enum hs_channel channel, uint32_t k)
{
    hs_u128 before = k > 0 ? t->marks[k - 1][channel] : 0;
    return (k < t->used ? t->marks[k][channel] : t->sum[channel]) - before;
}

void hs_timeline_free(struct hs_timeline *t)
{
    hs_free(t->marks);
    t->marks = NULL;
}

const char *hs_channel_metric(enum hs_channel channel)
{
    return channel_names[channel].metric;
}

/* ---- series.csv ---- */

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
    hs_csvw_text(&s->csv, channel_names[channel].metric);
    hs_csvw_text(&s->csv, channel_names[channel].key);
    hs_csvw_ratio(&s->csv, den > 0 ? hs_exact_scaled(integral, den, MILLIONTHS) : 0,
                  den > 0 ? MILLIONTHS : 0, DECIMALS);
    hs_csvw_end(&s->csv);
}

static void add_up(struct hs_series *s, int64_t until_us)
{
    uint64_t dt = (uint64_t)(until_us - s->time_us);
    for (int c = 0; c < HS_CH_SERIES; c++)
        s->sum[c] += (hs_u128)s->value[c] * dt;
    s->time_us = until_us;
}

/* The rows of [start, until), and a new interval from there. */
static void end_interval(struct hs_series *s, int64_t until_us)
{
    add_up(s, until_us);
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
    add_up(s, instant->time_us);
    channels_of(instant, s->value);
    return HS_OK;
}

static enum hs_status step_exact(void *ctx, const struct hs_instant *instant)
{
    struct hs_series *s = ctx;
    uint64_t value[HS_CH_SERIES];
    channels_of(instant, value);
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
