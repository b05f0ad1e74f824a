/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Integrals are sums of (value x microseconds) in 128 bits: no rounding, whatever the length of
 * the run. See timeline.h.
 */
#include "report/timeline.h"

#include <stdbool.h>
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

static void integrate(const struct hs_timeline *t, int64_t until_us, hs_u128 sum[HS_CHANNELS])
{
    for (int c = 0; c < HS_CHANNELS; c++)
        sum[c] = (hs_u128)t->value[c] * (uint64_t)until_us - t->lead[c];
}

static void drop_every_second(struct hs_timeline *t)
{
    for (uint32_t k = 0; k < HS_TIMELINE_MARKS / 2; k++)
        memcpy(t->marks[k], t->marks[2 * k + 1], sizeof t->marks[k]);
    t->used = HS_TIMELINE_MARKS / 2;
    t->width_us *= 2;
}

static void mark(struct hs_timeline *t)
{
    integrate(t, (int64_t)(t->used + 1) * t->width_us, t->marks[t->used]);
    t->used++;
}

/* Sets the marks up to now_us. */
static void advance(struct hs_timeline *t, int64_t now_us)
{
    while (now_us - t->width_us >= (int64_t)t->used * t->width_us) {
        if (t->used == HS_TIMELINE_MARKS)
            drop_every_second(t);
        else
            mark(t);
    }
    if (now_us > t->time_us)
        t->time_us = now_us;
}

enum hs_status hs_timeline_open(struct hs_timeline *t)
{
    *t = (struct hs_timeline){.width_us = HS_TIMELINE_WIDTH_US};
    t->marks = hs_alloc_zeroed(HS_TIMELINE_MARKS, sizeof *t->marks);
    return t->marks != NULL ? HS_OK : HS_E_MEMORY;
}

void hs_channels_of(const struct hs_instant *instant, uint64_t value[HS_CHANNELS])
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
    value[HS_CH_WAIT_CAPACITY] = instant->wait_capacity;
    value[HS_CH_WAIT_SHAPE] = instant->wait_shape;
    value[HS_CH_WAIT_QUOTA] = instant->wait_quota;
    value[HS_CH_WAIT_ORDER] = instant->wait_order;
    value[HS_CH_WAIT_FRAGMENTATION] = instant->wait_shape - instant->wait_locality;
    value[HS_CH_WAIT_LOCALITY] = instant->wait_locality;
    uint64_t loaded = instant->pending + instant->suspended > 0;
    value[HS_CH_LOADED] = loaded;
    value[HS_CH_HELD_LOADED] = loaded * instant->gpus_held;
    value[HS_CH_UTIL_MODEL_LOADED] = loaded * instant->util_model_pm;
    value[HS_CH_UTIL_SUM_LOADED] = loaded * instant->util_sum_pm;
    for (int c = HS_CH_USED; c < HS_CHANNELS; c++)
        value[c] = 0;
}

/* Most instants change two channels or three: they are looked for in blocks. */
static bool is_same(const uint64_t a[HS_CHANNEL_BLOCK], const uint64_t b[HS_CHANNEL_BLOCK])
{
    _Static_assert(HS_CHANNEL_BLOCK == 4, "all of a block are compared");
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

static void change(struct hs_timeline *t, int first, const uint64_t value[HS_CHANNELS],
                   int64_t now_us)
{
    for (int c = first; c < first + HS_CHANNEL_BLOCK; c++) {
        t->lead[c] += (hs_u128)((hs_i128)(int64_t)(value[c] - t->value[c]) * now_us);
        t->value[c] = value[c];
    }
}

void hs_timeline_step(struct hs_timeline *t, const struct hs_instant *instant)
{
    uint64_t value[HS_CHANNELS];
    hs_channels_of(instant, value);
    advance(t, instant->time_us);
    for (int c = 0; c < HS_CHANNELS; c += HS_CHANNEL_BLOCK)
        if (!is_same(&value[c], &t->value[c]))
            change(t, c, value, instant->time_us);
}

void hs_timeline_close(struct hs_timeline *t, int64_t end_us)
{
    advance(t, end_us);
    integrate(t, t->time_us, t->sum);
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
