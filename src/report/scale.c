/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See scale.h.
 */
#include "report/scale.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define MINUTE 60.0
#define HOUR   3600.0
#define DAY    86400.0

/* What an axis of time may be divided by. */
static const double time_steps[] = {
    0.001,      0.002,      0.005,       0.01,        0.02,        0.05,      0.1,      0.2,
    0.5,        1,          2,           5,           10,          15,        30,       MINUTE,
    2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,      2 * HOUR, 3 * HOUR,
    6 * HOUR,   12 * HOUR,  DAY,         2 * DAY,     5 * DAY,     10 * DAY,  20 * DAY, 50 * DAY,
    100 * DAY,  200 * DAY,  500 * DAY,   1000 * DAY,  2000 * DAY,  5000 * DAY};
/* Marks of a logarithmic one. */
static const double time_marks[] = {1e-6, 1e-5,     1e-4,      0.001,       0.01, 0.1,
                                    1,    10,       MINUTE,    10 * MINUTE, HOUR, 6 * HOUR,
                                    DAY,  10 * DAY, 100 * DAY, 1000 * DAY};

#define NARROW 60 /* a logarithmic axis of time below this ratio has marks like an even one */

#define COUNT(array) (sizeof(array) / sizeof *(array))

double hs_scale_at(const struct hs_scale *s, double value)
{
    double low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
    if (value <= low)
        value = low;
    if (value >= high)
        value = high;
    double share = s->is_log ? log(value / s->from) / log(s->to / s->from)
                             : (value - s->from) / (s->to - s->from);
    return s->at_from + share * (s->at_to - s->at_from);
}

double hs_scale_value(const struct hs_scale *s, double at)
{
    double share = (at - s->at_from) / (s->at_to - s->at_from);
    return s->is_log ? s->from * pow(s->to / s->from, share) : s->from + share * (s->to - s->from);
}

void hs_short_number(char text[HS_TICK_LABEL_SIZE], double value)
{
    static const char *const thousands[] = {"", "k", "M", "G", "T", "P"};
    size_t power = 0;
    while (fabs(value) >= 999.5 && power + 1 < COUNT(thousands)) {
        value /= 1000;
        power++;
    }
    snprintf(text, HS_TICK_LABEL_SIZE, "%.3g%s", value, thousands[power]);
}

/* In the largest unit that divides the step. */
static void label_time(char text[HS_TICK_LABEL_SIZE], double value, double step)
{
    if (value == 0)
        snprintf(text, HS_TICK_LABEL_SIZE, "0");
    else if (step >= DAY)
        snprintf(text, HS_TICK_LABEL_SIZE, "%.6g d", value / DAY);
    else if (step >= HOUR)
        snprintf(text, HS_TICK_LABEL_SIZE, "%.6g h", value / HOUR);
    else if (step >= MINUTE)
        snprintf(text, HS_TICK_LABEL_SIZE, "%.6g min", value / MINUTE);
    else
        snprintf(text, HS_TICK_LABEL_SIZE, "%.6g s", value);
}

static void label(struct hs_tick *tick, enum hs_axis axis, double step)
{
    if (axis == HS_AXIS_TIME)
        label_time(tick->label, tick->value, step);
    else if (axis == HS_AXIS_SHARE)
        snprintf(tick->label, sizeof tick->label, "%.6g %%", 100 * tick->value);
    else
        hs_short_number(tick->label, tick->value);
}

/* 1, 2 or 5 times a power of ten, not below least. */
static double plain_step(double least)
{
    double power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++) {
        static const double steps[] = {1, 2, 5};
        if (steps[i] * power >= least * (1 - 1e-12))
            return steps[i] * power;
    }
    return 10 * power;
}

static double step_of(enum hs_axis axis, double least)
{
    for (size_t i = 0; axis == HS_AXIS_TIME && i < COUNT(time_steps); i++)
        if (time_steps[i] >= least * (1 - 1e-12))
            return time_steps[i];
    return plain_step(least);
}

static uint32_t even_ticks(const struct hs_scale *s, enum hs_axis axis, uint32_t wanted,
                           struct hs_tick ticks[HS_TICKS_MAX])
{
    const double step = step_of(axis, (s->to - s->from) / (wanted - 1));
    uint32_t count = 0;
    for (double k = ceil(s->from / step - 1e-9); count < wanted; k++) {
        if (k * step > s->to + 1e-9 * step)
            break;
        ticks[count].value = k * step + 0.0; /* no -0 */
        label(&ticks[count++], axis, step);
    }
    return count;
}

static bool is_inside(const struct hs_scale *s, double value)
{
    return value >= s->from * (1 - 1e-9) && value <= s->to * (1 + 1e-9);
}

/* Every second or third of them where they are too many. */
static uint32_t chosen_ticks(const struct hs_scale *s, const double *values, size_t count,
                             uint32_t wanted, struct hs_tick ticks[HS_TICKS_MAX])
{
    size_t first = 0, end = count;
    while (first < end && !is_inside(s, values[first]))
        first++;
    while (end > first && !is_inside(s, values[end - 1]))
        end--;
    const size_t stride = (end - first + wanted - 1) / wanted;
    uint32_t put = 0;
    for (size_t i = first; i < end; i += stride) {
        ticks[put].value = values[i];
        label(&ticks[put++], HS_AXIS_TIME, values[i]);
    }
    return put;
}

/* Powers of ten, every second, third ... where they are many; times 1, 2 and 5 where few. */
static uint32_t log_ticks(const struct hs_scale *s, enum hs_axis axis, uint32_t wanted,
                          struct hs_tick ticks[HS_TICKS_MAX])
{
    const double low = ceil(log10(s->from) - 1e-9), high = floor(log10(s->to) + 1e-9);
    const uint32_t decades = high >= low ? (uint32_t)(high - low) + 1 : 0;
    const bool has_between = 3 * (decades + 1) <= wanted;
    const double stride = decades > wanted ? ceil((double)decades / wanted) : 1;
    uint32_t count = 0;
    for (double power = low - 1; power <= high + 0.5; power += power < low ? 1 : stride)
        for (int i = 0; i < (has_between ? 3 : 1); i++) {
            static const double times[] = {1, 2, 5};
            double value = times[i] * pow(10, power);
            if (!is_inside(s, value) || count == wanted)
                continue;
            ticks[count].value = value;
            label(&ticks[count++], axis, value);
        }
    return count;
}

uint32_t hs_scale_ticks(const struct hs_scale *s, enum hs_axis axis, uint32_t wanted,
                        struct hs_tick ticks[HS_TICKS_MAX])
{
    if (!s->is_log)
        return even_ticks(s, axis, wanted, ticks);
    if (axis == HS_AXIS_TIME && s->to / s->from < NARROW)
        return chosen_ticks(s, time_steps, COUNT(time_steps), wanted, ticks);
    if (axis == HS_AXIS_TIME)
        return chosen_ticks(s, time_marks, COUNT(time_marks), wanted, ticks);
    return log_ticks(s, axis, wanted, ticks);
}
