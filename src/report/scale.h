/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values to places on paper, and the round values at which an axis is marked.
 *
 *     struct hs_scale x = {.from = 1, .to = 86400, .at_from = 40, .at_to = 340, .is_log = true};
 *     uint32_t count = hs_scale_ticks(&x, HS_AXIS_TIME, 6, ticks);
 *     ... hs_scale_at(&x, ticks[0].value), ticks[0].label ...
 */
#ifndef HORUS_REPORT_SCALE_H
#define HORUS_REPORT_SCALE_H

#include <stdbool.h>
#include <stdint.h>

struct hs_scale {
    double from, to; /* from < to; both above 0 where is_log */
    double at_from, at_to;
    bool is_log;
};

/* Values outside of the scale come to its nearer end. */
double hs_scale_at(const struct hs_scale *scale, double value);
/* The value at a place; of a logarithmic scale too. */
double hs_scale_value(const struct hs_scale *scale, double at);

enum hs_axis {
    HS_AXIS_PLAIN, /* "0.5", "20", "3k" */
    HS_AXIS_SHARE, /* "40 %" */
    HS_AXIS_TIME,  /* "10 min", "6 h", "2 d" */
};

#define HS_TICKS_MAX       16u
#define HS_TICK_LABEL_SIZE 24
struct hs_tick {
    double value;
    char label[HS_TICK_LABEL_SIZE];
};

/* At most `wanted` (2 to HS_TICKS_MAX) values from low to high, evenly spaced by 1, 2 or 5 times a
 * power of ten, or by what clocks and calendars count in. Logarithmic: powers of ten, times 2 and 5
 * where there is room; of times 1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 10 d ..., or what an even
 * axis may be divided by. */
uint32_t hs_scale_ticks(const struct hs_scale *scale, enum hs_axis axis, uint32_t wanted,
                        struct hs_tick ticks[HS_TICKS_MAX]);

/* "950", "12k", "3.4M": three digits and the thousands. */
void hs_short_number(char text[HS_TICK_LABEL_SIZE], double value);

#endif
