/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inline SVG: paths of few bytes, and the frame of a chart with its axes. Lengths are units of the
 * view box, y grows downwards. Colours and line widths are the style sheet's, by class.
 *
 *     hs_chart_begin(&chart, out, "Job completion time");   // after its edges and scales are set
 *     hs_chart_x_axis(&chart, HS_AXIS_TIME, 6);
 *     hs_path_begin(&path, out, "line k0");
 *     for (...) hs_path_to(&path, x, y);
 *     hs_path_end(&path, "fifo: median 5.1 min");
 *     hs_chart_end(&chart);
 */
#ifndef HORUS_REPORT_SVG_H
#define HORUS_REPORT_SVG_H

#include <stdint.h>

#include "base/io.h"
#include "report/scale.h"

/* A path in tenths of a unit, each step relative to the last: 4 to 6 bytes a point. Steps in one
 * direction along an axis are put together. */
struct hs_path {
    struct hs_output *out;
    int64_t x, y;       /* where it has come, tenths */
    int64_t to_x, to_y; /* a step that is not written yet leads there */
    bool is_open;
};
void hs_path_begin(struct hs_path *path, struct hs_output *out, const char *class);
void hs_path_move(struct hs_path *path, double x, double y);
void hs_path_to(struct hs_path *path, double x, double y); /* the first one moves */
void hs_path_close(struct hs_path *path);                  /* back to where it began */
void hs_path_end(struct hs_path *path, const char *title); /* tooltip; NULL = none */

/* A coordinate or length, to a tenth: "12", "12.5". */
void hs_svg_length(struct hs_output *out, double length);
/* <rect class=...> that may have a tooltip, NULL = none. */
void hs_svg_rect(struct hs_output *out, const char *class, double x, double y, double width,
                 double height, const char *title);
/* A dot in the colour of a class. */
void hs_svg_dot(struct hs_output *out, const char *class, double x, double y, const char *title);
/* anchor: "start", "middle", "end". */
void hs_svg_text(struct hs_output *out, double x, double y, const char *anchor, const char *class,
                 const char *text);

struct hs_chart {
    struct hs_output *out;
    double width, height;            /* of the view box */
    double left, right, top, bottom; /* edges of the plot inside it */
    struct hs_scale x, y;            /* at_from and at_to are set by hs_chart_begin */
};
/* label: what it shows, for who cannot see it. */
void hs_chart_begin(struct hs_chart *chart, struct hs_output *out, const char *label);
/* Marks and labels below the plot, and grid lines across it. */
void hs_chart_x_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted);
void hs_chart_y_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted);
/* At places of one's own. */
void hs_chart_y_marks(const struct hs_chart *chart, const struct hs_tick *ticks, uint32_t count);
void hs_chart_end(const struct hs_chart *chart);

#endif
