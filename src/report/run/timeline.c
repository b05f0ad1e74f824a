/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a run over time. Integrals are sums of (value x microseconds) in 128 bits: no
 * rounding, whatever the length of the run; a mean in series.csv is an integral divided once,
 * printed with six decimals.
 */
#include <stddef.h>
#include <string.h>

#include "report/run/observers.h"
#include "report/stats/exact.h"

static void integrate(struct hs_timeline *t, int64_t until_us)
{
    const uint64_t dt_us = (uint64_t)(until_us - t->time_us);
    t->time_us = until_us;
    HS_UNROLL
    for (int c = 0; c < HS_CH_SERIES; c++)
        if (t->value[c] != 0) /* most are: without waiting jobs, shared GPUs, utilizations */
            t->sum[c] += (hs_u128)t->value[c] * dt_us;
    if (t->value[HS_CH_PENDING] + t->value[HS_CH_SUSPENDED] == 0)
        return;
    t->sum[HS_CH_LOADED] += dt_us;
    t->sum[HS_CH_HELD_LOADED] += (hs_u128)t->value[HS_CH_GPUS_HELD] * dt_us;
    t->sum[HS_CH_UTIL_MODEL_LOADED] += (hs_u128)t->value[HS_CH_UTIL_MODEL] * dt_us;
    t->sum[HS_CH_UTIL_SUM_LOADED] += (hs_u128)t->value[HS_CH_UTIL_SUM] * dt_us;
}

/* Marks on the way are set; those that do not fit lose every second one. */
void hs_timeline_advance(struct hs_timeline *t, int64_t now_us)
{
    while (HS_UNLIKELY(now_us - t->width_us >= (int64_t)t->used * t->width_us)) {
        if (t->used == HS_TIMELINE_MARKS) {
            t->used /= 2;
            t->width_us *= 2;
            for (uint32_t k = 0; k < t->used; k++)
                memcpy(t->marks[k], t->marks[2 * k + 1], sizeof t->marks[k]);
            continue;
        }
        integrate(t, (int64_t)(t->used + 1) * t->width_us);
        memcpy(t->marks[t->used++], t->sum, sizeof *t->marks);
    }
    if (now_us > t->time_us)
        integrate(t, now_us);
}

#define SET_VALUE(name, metric, key, expression) value[HS_CH_##name] = expression;
static void channels_of(const struct hs_instant *now, uint64_t value[HS_CH_SERIES])
{
    HS_SERIES_CHANNELS(SET_VALUE)
}

void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant)
{
    if (instant->is_still) /* it is integrated with what follows */
        return;
    hs_timeline_advance(t, instant->time_us);
    channels_of(instant, t->value);
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

/* ---- series.csv ---- */

#define MILLIONTHS UINT64_C(1000000)
#define DECIMALS   6

/* Tidy: time,metric,key,value. Three samplings: the timeline's intervals (written at the end, at no
 * cost during the run), fixed intervals (time-weighted means, written as they pass), or every
 * change. */
struct series {
    struct hs_row_file file;
    int64_t start_us;             /* of the fixed interval */
    hs_u128 before[HS_CH_SERIES]; /* integrals up to there */
    bool has_rows;
};

/* integral over dt_us > 0 as a mean: utilization as a share of the GPUs, thousandths as GPUs, the
 * rest as counts. */
static void put_mean(struct series *s, int64_t time_us, int channel, hs_u128 integral,
                     int64_t dt_us)
{
#define NAMES(name, metric, key, expression) {metric, key},
    static const char *const names[HS_CH_SERIES][2] = {HS_SERIES_CHANNELS(NAMES)};
    struct hs_csvw *w = &s->file.csv;
    hs_u128 den = (hs_u128)(uint64_t)dt_us;
    if (channel == HS_CH_UTIL_MODEL || channel == HS_CH_UTIL_SUM)
        den *= s->file.report->options.cluster->gpu_count * UINT64_C(1000);
    else if (channel == HS_CH_GPUS_ALLOCATED)
        den *= 1000;
    hs_csvw_seconds(w, time_us);
    hs_csvw_text(w, names[channel][0]);
    hs_csvw_text(w, names[channel][1]);
    hs_csvw_ratio(w, den > 0 ? hs_exact_scaled(integral, den, MILLIONTHS) : 0,
                  den > 0 ? MILLIONTHS : 0, DECIMALS);
    hs_csvw_end(w);
}

/* The rows of [start, until), and a new interval from there. The timeline stands at the last change
 * before. */
static void end_interval(struct series *s, int64_t until_us)
{
    const struct hs_timeline *t = &s->file.report->timeline;
    for (int c = 0; c < HS_CH_SERIES; c++) {
        hs_u128 sum = t->sum[c] + (hs_u128)t->value[c] * (uint64_t)(until_us - t->time_us);
        put_mean(s, s->start_us, c, sum - s->before[c], until_us - s->start_us);
        s->before[c] = sum;
    }
    s->start_us = until_us;
}

static void end_intervals(struct series *s, int64_t now_us)
{
    const int64_t sample_us = s->file.report->options.sample_us;
    while (now_us - s->start_us >= sample_us)
        end_interval(s, s->start_us + sample_us);
}

/* Called before the timeline steps to the instant. */
static enum hs_status on_instant(void *state, const struct hs_instant *instant)
{
    struct series *s = state;
    const struct hs_report *r = s->file.report;
    uint64_t value[HS_CH_SERIES];
    if (r->options.sample_us > 0) {
        end_intervals(s, instant->time_us);
        return HS_OK;
    }
    channels_of(instant, value);
    for (int c = 0; c < HS_CH_SERIES; c++)
        if (!s->has_rows || value[c] != r->timeline.value[c])
            put_mean(s, instant->time_us, c, value[c], 1);
    s->has_rows = true;
    return HS_OK;
}

static void series_open(void *state)
{
    struct series *s = state;
    if (s->file.report->options.sample_us == 0)
        s->file.observer.on_instant = NULL;
}

static enum hs_status series_finish(void *state, int64_t end_us)
{
    struct series *s = state;
    struct hs_timeline *t = &s->file.report->timeline;
    if (s->file.report->options.sample_us > 0) {
        end_intervals(s, end_us);
        if (end_us > s->start_us)
            end_interval(s, end_us);
    }
    if (s->file.report->options.sample_us != 0)
        return HS_OK;
    hs_timeline_advance(t, end_us);
    for (uint32_t k = 0; k < hs_timeline_intervals(t); k++) {
        int64_t start_us = hs_timeline_start_us(t, k);
        int64_t dt_us = hs_timeline_start_us(t, k + 1) - start_us;
        for (int c = 0; c < HS_CH_SERIES; c++)
            put_mean(s, start_us, c, hs_timeline_part(t, (enum hs_channel)c, k), dt_us);
    }
    return HS_OK;
}

const struct hs_row_format hs_series_file = {.output = HS_OUT_SERIES,
                                             .name = "series.csv",
                                             .header = "time,metric,key,value",
                                             .state_size = sizeof(struct series),
                                             .observer = {.on_instant = on_instant},
                                             .open = series_open,
                                             .finish = series_finish};
