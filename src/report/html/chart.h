/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Markup that is HTML, SVG and well-formed XML, and charts in it: scales and the round values that
 * mark an axis, paths of few bytes, rectangles, dots, texts. Lengths are units of the view box, y
 * grows downwards. Colours and line widths come from a style sheet, by class.
 *
 *     struct hs_chart c = {.out = out, .x = {.from = 1, .to = 86400, .is_log = true},
 *                          .y = {.from = 0, .to = 1}};
 *     hs_chart_place(&c, 44, 290, 8, 196);
 *     hs_chart_x_axis(&c, HS_AXIS_TIME, 6, true);
 *     hs_path_begin(&path, out, "line", "k0");
 *     for (...) hs_path_to(&path, hs_scale_at(&c.x, value), hs_scale_at(&c.y, share));
 *     hs_path_end(&path, "fifo: median 5.1 min");
 */
#ifndef HORUS_REPORT_HTML_CHART_H
#define HORUS_REPORT_HTML_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"

/* ---- markup ---- */

#define HS_HTML_SAY_MAX 1024 /* bytes of a text that is composed before it is escaped */
/* A text that is good until the end of the block. */
#define HS_TEXT(...) hs_text((char[HS_HTML_SAY_MAX]){0}, __VA_ARGS__)
HS_PRINTF(2, 3)
const char *hs_text(char text[HS_HTML_SAY_MAX], const char *fmt, ...);

/* Markup whose %s are escaped (& < > " ', and what is no UTF-8 or not in XML); of other conversions
 * it knows %u, "%" PRIu64 and %%. hs_say writes plain markup. */
HS_PRINTF(2, 3)
void hs_markup(struct hs_output *out, const char *fmt, ...);

/* ---- scales ---- */

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
 * power of ten, or by the divisions of clocks and calendars. Logarithmic: powers of ten, times 2
 * and 5 where there is room; of times 1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 10 d ..., or the
 * divisions of an even axis. */
uint32_t hs_scale_ticks(const struct hs_scale *scale, enum hs_axis axis, uint32_t wanted,
                        struct hs_tick ticks[HS_TICKS_MAX]);

/* "950", "12k", "3.4M": three digits and the thousands. */
void hs_short_number(char text[HS_TICK_LABEL_SIZE], double value);

/* ---- marks; class: "line", colour: "k0" or NULL ---- */

/* A path in tenths of a unit, each step relative to the last: 4 to 6 bytes a point. Steps in one
 * direction along an axis are joined. */
struct hs_path {
    struct hs_output *out;
    int64_t x, y;       /* the end of what is written, tenths */
    int64_t to_x, to_y; /* a step that is not written yet leads there */
    bool is_open;
};
void hs_path_begin(struct hs_path *path, struct hs_output *out, const char *class,
                   const char *colour);
void hs_path_move(struct hs_path *path, double x, double y);
void hs_path_to(struct hs_path *path, double x, double y); /* the first one moves */
void hs_path_close(struct hs_path *path);                  /* back to its begin */
void hs_path_end(struct hs_path *path, const char *title); /* tooltip; NULL = none */

/* title: tooltip, NULL = none. */
void hs_svg_rect(struct hs_output *out, const char *class, const char *colour, double x, double y,
                 double width, double height, const char *title);
void hs_svg_image(struct hs_output *out, double x, double y, double width, double height,
                  const unsigned char *png, size_t len);
void hs_svg_dot(struct hs_output *out, const char *colour, double x, double y, const char *title);
/* anchor: "start", "middle", "end". */
void hs_svg_text(struct hs_output *out, double x, double y, const char *anchor, const char *class,
                 const char *text);

/* ---- charts ---- */

/* A picture of this view box. label: its content in words. */
void hs_svg_begin(struct hs_output *out, double width, double height, const char *label);

struct hs_chart {
    struct hs_output *out;
    double left, right, top, bottom; /* edges of the plot; set by hs_chart_place, like the ends */
    struct hs_scale x, y;            /* of the scales, at_from and at_to */
};
void hs_chart_place(struct hs_chart *chart, double left, double right, double top, double bottom);
/* Grid lines across the plot at the values of an axis, and labels beside it. */
void hs_chart_x_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted,
                     bool has_labels);
void hs_chart_y_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted);
/* The same at given values. */
void hs_chart_y_marks(const struct hs_chart *chart, const struct hs_tick *ticks, uint32_t count);
/* Lines along the axes, and their titles, NULL = none. */
void hs_chart_titles(const struct hs_chart *chart, const char *x_title, const char *y_title);

#endif
