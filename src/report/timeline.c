/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Integrals are sums of (value x microseconds) in 128 bits: no rounding, whatever the length of
 * the run. See timeline.h.
 */
#include "report/timeline.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

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
    [HS_CH_WAIT_CAPACITY] = {"gpus_waiting", "capacity"},
    [HS_CH_WAIT_SHAPE] = {"gpus_waiting", "shape"},
    [HS_CH_WAIT_QUOTA] = {"gpus_waiting", "quota"},
    [HS_CH_WAIT_ORDER] = {"gpus_waiting", "order"},
    [HS_CH_WAIT_FRAGMENTATION] = {"gpus_waiting", "fragmentation"},
    [HS_CH_WAIT_LOCALITY] = {"gpus_waiting", "locality"},
};

static inline void add(struct hs_timeline *t, enum hs_channel channel, uint64_t dt_us)
{
    t->sum[channel] += (hs_u128)t->value[channel] * dt_us;
}

static inline hs_u128 times(int64_t value, uint64_t dt_us)
{
    return (hs_u128)((hs_i128)value * (hs_i128)dt_us);
}

/* Where jobs have whole GPUs to themselves, and where nobody waits, the rest is 0. */
static void integrate(struct hs_timeline *t, int64_t until_us)
{
    uint64_t dt_us = (uint64_t)(until_us - t->time_us);
    add(t, HS_CH_RUNNING, dt_us);
    add(t, HS_CH_PENDING, dt_us);
    add(t, HS_CH_GPUS_HELD, dt_us);
    add(t, HS_CH_UTIL_MODEL, dt_us);
    if (t->is_mixed) {
        add(t, HS_CH_SUSPENDED, dt_us);
        add(t, HS_CH_GPUS_SHARED, dt_us);
        t->over_allocated_sum += times(t->over_allocated, dt_us);
        t->over_util_sum += times(t->over_util, dt_us);
    }
    t->time_us = until_us;
    if (!t->is_waiting)
        return;
    HS_UNROLL
    for (int c = HS_CH_WAITING; c < HS_CH_WAIT_FRAGMENTATION; c++)
        t->sum[c] += (hs_u128)t->value[c] * dt_us;
    t->sum[HS_CH_WAIT_LOCALITY] += (hs_u128)t->value[HS_CH_WAIT_LOCALITY] * dt_us;
}

/* Where integrals are read: those that follow from others. */
static void settle(struct hs_timeline *t)
{
    t->sum[HS_CH_GPUS_ALLOCATED] = t->sum[HS_CH_GPUS_HELD] * HS_GPU_MILLI + t->over_allocated_sum;
    t->sum[HS_CH_UTIL_SUM] = t->sum[HS_CH_UTIL_MODEL] + t->over_util_sum;
    t->sum[HS_CH_WAIT_FRAGMENTATION] = t->sum[HS_CH_WAIT_SHAPE] - t->sum[HS_CH_WAIT_LOCALITY];
}

/* From now on a job waits, or none: the integrals of loaded time lose what the plain ones have at
 * its begin and gain what they have at its end. */
static void set_loaded(struct hs_timeline *t, bool is_loaded)
{
    static const struct {
        enum hs_channel plain, loaded;
    } pairs[] = {{HS_CH_GPUS_HELD, HS_CH_HELD_LOADED},
                 {HS_CH_UTIL_MODEL, HS_CH_UTIL_MODEL_LOADED},
                 {HS_CH_UTIL_SUM, HS_CH_UTIL_SUM_LOADED}};
    hs_u128 sign = is_loaded ? -(hs_u128)1 : 1;
    settle(t);
    t->is_loaded = is_loaded;
    t->sum[HS_CH_LOADED] += sign * (uint64_t)t->time_us;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        t->sum[pairs[i].loaded] += sign * t->sum[pairs[i].plain];
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
        settle(t);
        memcpy(t->marks[t->used++], t->sum, sizeof *t->marks);
    }
    if (now_us > t->time_us)
        integrate(t, now_us);
}

enum hs_status hs_timeline_open(struct hs_timeline *t)
{
    *t = (struct hs_timeline){.width_us = HS_TIMELINE_WIDTH_US};
    t->marks = hs_alloc_zeroed(HS_TIMELINE_MARKS, sizeof *t->marks);
    return t->marks != NULL ? HS_OK : HS_E_MEMORY;
}

static void waiting_of(const struct hs_instant *instant, uint64_t value[HS_CH_SERIES])
{
    value[HS_CH_FRAGMENTED] = instant->gpus_fragmented;
    value[HS_CH_WAIT_CAPACITY] = instant->wait_capacity;
    value[HS_CH_WAIT_SHAPE] = instant->wait_shape;
    value[HS_CH_WAIT_QUOTA] = instant->wait_quota;
    value[HS_CH_WAIT_ORDER] = instant->wait_order;
    value[HS_CH_WAIT_LOCALITY] = instant->wait_locality;
}

void hs_channels_of(const struct hs_instant *instant, uint64_t value[HS_CH_SERIES])
{
    value[HS_CH_RUNNING] = instant->running;
    value[HS_CH_PENDING] = instant->pending;
    value[HS_CH_SUSPENDED] = instant->suspended;
    value[HS_CH_GPUS_HELD] = instant->gpus_held;
    value[HS_CH_GPUS_SHARED] = instant->gpus_shared;
    value[HS_CH_GPUS_ALLOCATED] = instant->milli_held;
    value[HS_CH_UTIL_MODEL] = instant->util_model_pm;
    value[HS_CH_UTIL_SUM] = instant->util_sum_pm;
    waiting_of(instant, value);
    value[HS_CH_WAIT_FRAGMENTATION] = instant->wait_shape - instant->wait_locality;
}

void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant)
{
    if (instant->is_still) /* it is integrated with what follows */
        return;
    advance(t, instant->time_us);
    t->value[HS_CH_RUNNING] = instant->running;
    t->value[HS_CH_PENDING] = instant->pending;
    t->value[HS_CH_SUSPENDED] = instant->suspended;
    t->value[HS_CH_GPUS_HELD] = instant->gpus_held;
    t->value[HS_CH_GPUS_SHARED] = instant->gpus_shared;
    t->value[HS_CH_UTIL_MODEL] = instant->util_model_pm;
    t->over_allocated = (int64_t)(instant->milli_held - instant->gpus_held * HS_GPU_MILLI);
    t->over_util = (int64_t)(instant->util_sum_pm - instant->util_model_pm);
    t->is_mixed = (instant->suspended | instant->gpus_shared | (uint64_t)t->over_allocated |
                   (uint64_t)t->over_util) != 0;
    bool is_loaded = instant->pending + instant->suspended > 0;
    if (is_loaded != t->is_loaded)
        set_loaded(t, is_loaded);
    t->is_waiting = is_loaded || instant->gpus_wanted > 0;
    if (t->is_waiting)
        waiting_of(instant, t->value);
}

void hs_timeline_close(struct hs_timeline *t, int64_t end_us)
{
    advance(t, end_us);
    settle(t);
    if (t->is_loaded)
        set_loaded(t, false);
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

const char *hs_channel_key(enum hs_channel channel)
{
    return channel_names[channel].key;
}
