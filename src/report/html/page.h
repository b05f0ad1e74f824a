/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus report` and `horus plot`: finished runs, a comparison or a sweep as one self-contained
 * page (no network, no other file; complete without its script) or as one figure. Both draw with
 * the same functions; the same directories give the same bytes.
 *
 *     enum hs_status s = hs_page_open(&page, paths, count, diag);   // reads manifests, summaries
 *     if (s == HS_OK)
 *         s = hs_page_write(&page, out);                           // and the rows of the runs
 *     hs_page_close(&page);                                         // also after a failed open
 *
 * Runs of one policy in a comparison form a group: their figures are averaged, their jobs pooled.
 * Any other run is a group by itself. Memory: 24 bytes per job.
 */
#pragma once

#include <stdio.h>

#include "report/run/run_table.h"

enum hs_page_kind { HS_PAGE_RUNS, HS_PAGE_COMPARISON, HS_PAGE_SWEEP };

#define HS_PAGE_FILE "report.html" /* in the directory of a run */

#define HS_PAGE_RUNS_MAX   512u
#define HS_PAGE_GROUPS_MAX 64u
#define HS_PAGE_DRAWN_MAX  8u /* groups drawn: the number of colours */

/* Options of a figure. Text NULL selects the default of the kind. */
struct hs_figure_options {
    const char *title, *metrics; /* metrics: names separated by commas */
    const char *by;              /* kind of the classes */
    const char *x;               /* swept key on the x axis */
    double width, height;        /* pixels: of the picture; of a plot in it, 0 = default */
    enum hs_figure_scale { HS_FIGURE_AUTO, HS_FIGURE_LINEAR, HS_FIGURE_LOG } scale;
};

struct hs_page_run {
    struct hs_runmanifest manifest;
    struct hs_runsummary summary;
};

struct hs_page_group {
    uint32_t first, count;      /* its runs; 0 for a comparison without kept runs */
    const struct hs_json *card; /* semantics, an object */
};

struct hs_page {
    struct hs_diag *diag;
    struct hs_output *out;
    struct hs_arena arena;
    enum hs_page_kind kind;
    struct hs_page_run *runs;
    struct hs_page_group *groups;
    struct hs_table_row *rows;              /* label, summary; for a comparison ratios or means */
    uint32_t run_count, group_count, drawn; /* drawn: groups drawn */
    double span_s;     /* length of the time axis of all charts: the longest drawn run */
    int64_t origin_us; /* its 0 since 1970; 0 = unknown, or not the same for all */
    struct hs_runmanifest manifest;         /* of the comparison or sweep */
    struct hs_sweeptable *sweep;            /* NULL unless it is a sweep */
    struct hs_page_figures *figures;        /* of each group of a comparison */
    const char *next;                       /* of a comparison: the policy next to the best */
    struct hs_replicated to_next;           /* ratio of the best to it */
    const struct hs_figure_options *figure; /* NULL while a page is written */
    struct hs_csvw *points; /* rows of HS_POINT_HEAD for what is drawn; NULL = none */
};

/* Returns HS_E_USAGE if a comparison or sweep is not the only path, HS_E_INPUT for an unfinished
 * directory. paths are borrowed. */
HS_MUST_USE enum hs_status hs_page_open(struct hs_page *page, const char *const *paths,
                                        uint32_t count, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_page_write(struct hs_page *page, struct hs_output *out);
/* Writes one figure as SVG. kind: index of hs_figure_kind. Returns HS_E_USAGE for options that the
 * kind does not support, HS_E_INPUT if a required file is missing or contains nothing to draw. */
HS_MUST_USE enum hs_status hs_figure_write(struct hs_page *page, uint32_t kind,
                                           const struct hs_figure_options *options,
                                           struct hs_output *out);
void hs_page_close(struct hs_page *page);

/* The points of a figure as CSV, in the order of its legend. x_name, y_name: with the unit, jct_s.
 * x to x_end: the time of a value that is a mean; lower to upper: an interval, or the edges of an
 * area. */
#define HS_POINT_HEAD        "series,part,x_name,x,x_end,y_name,y,lower,upper"
#define HS_POINT_CELLS       "%s %s %s %g %g %s %g %g %g"
#define HS_NAMED_POINT_CELLS "%s %s %s %s %g %s %g %g %g" /* x is a text */
/* The name of a metric with its unit, valid until the end of the block. */
#define HS_AXIS_NAME(metric, kind) HS_TEXT("%s%s", metric, (kind) == HS_COLUMN_TIME ? "_s" : "")

/* Returns "cdf", "classes", ...; NULL after the last. */
#define HS_FIGURE_KINDS 9u
const char *hs_figure_kind(size_t index);

/* ---- between the files of this module: what there is to draw ---- */

/* Sections of a page (listed in page.c) and kinds of figures (listed in figure.c). */
typedef enum hs_status hs_page_part(struct hs_page *page);
HS_MUST_USE hs_page_part hs_put_distributions, hs_put_deadlines, hs_put_classes, hs_put_teams,
    hs_put_backtest, hs_put_time, hs_put_waiting, hs_put_outages, hs_put_nodes, hs_put_results,
    hs_put_points, hs_draw_cdf, hs_draw_classes, hs_draw_faults, hs_draw_gantt, hs_draw_heat,
    hs_draw_pareto, hs_draw_sweep, hs_draw_time, hs_draw_waits;

/* Returns "k0" ... "k7". */
const char *hs_page_colour(uint32_t group);
/* Tells whether the directory of the group's first run contains the file. */
bool hs_page_has(const struct hs_page *page, uint32_t group, const char *name);
/* The files that a section or figure needs; from HS_FROM_SERIES on it shows values over time.
 * Sections on deadlines are omitted if no job has one, those on failures without events of
 * machines.
 */
enum hs_page_source {
    HS_FROM_SUMMARY,
    HS_FROM_JOBS,
    HS_FROM_DEADLINES,
    HS_FROM_OUTAGES,
    HS_FROM_BACKTEST, /* omitted if no run is one */
    HS_FROM_SERIES,
    HS_FROM_SEGMENTS
};
/* Tells whether these files exist and, for values over time, whether time passed; sets span_s. A
 * page omits groups that lack a file, with a note; for a figure *status becomes HS_E_INPUT. */
bool hs_page_can_draw(struct hs_page *page, enum hs_page_source source, enum hs_status *status);
/* When the first run of the group ended. */
double hs_page_end_s(const struct hs_page *page, uint32_t group);
/* Tells whether some group has a value of the metric. */
bool hs_page_has_metric(const struct hs_page *page, const char *metric);
/* Adds the runs from `first` on as one group. */
HS_MUST_USE enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                             const struct hs_json *card, uint32_t first,
                                             uint32_t count);

/* ---- a sweep (page_sweep.c) ---- */

/* Reads the table of a sweep; its lines become the groups of the page. metrics: columns of the
 * file, NULL-terminated, borrowed, HS_E_INPUT if one is missing; NULL = default. x: the key of the
 * x axis, HS_E_INPUT unless it was swept; NULL = the key with most numeric values. */
HS_MUST_USE enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics,
                                              const char *x);
void hs_page_close_sweep(struct hs_page *page);
void hs_page_sweep_head(struct hs_page *page);
/* What its first metric, mean JCT, comes to: under which line it is least, and how often; "" with
 * one line. Cost: O(facets x (points + cells x lines)). */
const char *hs_page_sweep_finding(struct hs_page *page, char text[HS_FINDING_SIZE]);
#define HS_PAGE_VALUE_SIZE 1024
/* Appends the values that a key took in the sweep; leaves the text unchanged for other keys. */
void hs_page_swept(const struct hs_page *page, const char *key, char text[HS_PAGE_VALUE_SIZE]);

/* ---- parts of a page ---- */

/* Writes a paragraph in a smaller font; the text is escaped. */
#define HS_PAGE_NOTE(page, ...)                                                                    \
    hs_markup((page)->out, "<p class=\"note\">%s</p>\n", HS_TEXT(__VA_ARGS__))
/* Begins a table up to the first cell of its head, inside <details> unless summary is NULL. */
void hs_page_begin_table(struct hs_page *page, const char *summary, const char *class);
#define HS_TABLE_ROWS "</tr></thead>\n<tbody>\n" /* after the last cell of the head */
#define HS_TABLE_END  "</tbody></table></div>"
/* Writes the head of a metric's column. */
void hs_page_metric_head(struct hs_page *page, const char *metric);
/* A table of metrics, a row for each group; has_ids: with the attribute data-run. */
void hs_page_metric_table(struct hs_page *page, const char *const *metrics, size_t count,
                          bool has_ids);
/* Writes a cell with a rounded value; the attribute data-value has all digits and is absent for
 * NaN. class: of the cell, NULL = none. below: a second line, "" = none. */
void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below);
/* The same without class and second line. */
void hs_page_metric_cell(struct hs_page *page, const char *metric, double value);

/* ---- markup ---- */

/* Writes markup with escaped %s (& < > " ', and characters invalid in UTF-8 or XML); also supports
 * %u, "%" PRIu64, %f (a length, one decimal) and %%. hs_say writes plain markup. */
HS_PRINTF(2, 3)
void hs_markup(struct hs_output *out, const char *fmt, ...);

/* The title of a metric, valid until the end of the block; one without is its name, with blanks for
 * underscores. */
#define HS_TITLE_SIZE   80
#define HS_TITLE(title) hs_title_text((char[HS_TITLE_SIZE]){0}, title)
static inline const char *hs_title_text(char text[HS_TITLE_SIZE], const char *title)
{
    (void)snprintf(text, HS_TITLE_SIZE, "%s", title);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    return text;
}

/* ---- scales ---- */

struct hs_scale {
    double from, to; /* from < to; both above 0 where is_log */
    double at_from, at_to;
    bool is_log;
};

/* Returns the position of the value; values outside the scale map to its nearer end. */
double hs_scale_at(const struct hs_scale *scale, double value);
/* Returns the value at a position (inverse of hs_scale_at). */
double hs_scale_value(const struct hs_scale *scale, double at);

#define HS_TICKS_MAX       16u
#define HS_TICK_LABEL_SIZE 24
struct hs_tick {
    double value;
    char label[HS_TICK_LABEL_SIZE];
};

/* Formats "950", "12k", "3.4M": three digits and a unit. */
const char *hs_short_number(char text[HS_TICK_LABEL_SIZE], double value); /* returns text */
#define HS_SHORT_NUMBER(value) hs_short_number((char[HS_TICK_LABEL_SIZE]){0}, value)

/* ---- marks; class: "line", colour: "k0" or NULL ---- */

/* A path in tenths of a unit with relative steps: 4 to 6 bytes per point. Consecutive steps in one
 * direction along an axis are merged. */
struct hs_path {
    struct hs_output *out;
    int64_t x, y;       /* end of the written part, tenths */
    int64_t to_x, to_y; /* end of a step that is not written yet */
    bool is_open;
};
void hs_path_begin(struct hs_path *path, struct hs_output *out, const char *class,
                   const char *colour);
void hs_path_move(struct hs_path *path, double x, double y);
void hs_path_to(struct hs_path *path, double x, double y); /* the first call moves to the point */
void hs_path_close(struct hs_path *path);                  /* draws to the first point */
void hs_path_end(struct hs_path *path, const char *title); /* tooltip; NULL = none */

/* title: tooltip, NULL = none. */
void hs_svg_rect(struct hs_output *out, const char *class, const char *colour, double x, double y,
                 double width, double height, const char *title);
static inline void hs_svg_line(struct hs_output *out, const char *class, const char *colour,
                               double x, double y, double to_x, double to_y)
{
    struct hs_path path;
    hs_path_begin(&path, out, class, colour);
    hs_path_to(&path, x, y);
    hs_path_to(&path, to_x, to_y);
    hs_path_end(&path, NULL);
}
void hs_svg_image(struct hs_output *out, double x, double y, double width, double height,
                  const unsigned char *png, size_t len);
void hs_svg_dot(struct hs_output *out, const char *colour, double x, double y, const char *title);
/* anchor: "start", "middle", "end". */
void hs_svg_text(struct hs_output *out, double x, double y, const char *anchor, const char *class,
                 const char *text);

/* ---- charts ---- */

struct hs_chart {
    struct hs_output *out;
    double left, right, top, bottom; /* edges of the plot; set, like the ends */
    struct hs_scale x, y;            /* of the scales, by hs_plot_begin */
};
/* Draws grid lines at the values of an axis, and labels beside it. */
void hs_chart_x_axis(const struct hs_chart *chart, enum hs_runcolumn_kind axis, uint32_t wanted,
                     bool has_labels);
/* The axis of simulated time: dates of the trace on a page where they are known, else times since
 * the first submission. */
void hs_page_time_axis(const struct hs_page *page, const struct hs_chart *chart, bool has_labels);
void hs_chart_y_axis(const struct hs_chart *chart, enum hs_runcolumn_kind axis, uint32_t wanted);
/* The same at given values. */
void hs_chart_y_marks(const struct hs_chart *chart, const struct hs_tick *ticks, uint32_t count);

/* ---- plots: of a page each a picture of its own, of a figure parts of one ---- */

/* Widths of view boxes: the whole page, where a unit is a pixel, and a third of it. */
#define HS_PAGE_WIDTH 944.0
#define HS_PAGE_THIRD 298.0

/* Plots of equal size in rows and columns, and the margins of each. */
struct hs_frame {
    uint32_t rows, columns;
    double width, height; /* of a picture on a page; of a plot unless the options set it */
    struct hs_margin {
        double left, right, above, below;
    } margin;
    double first; /* additional margin left of the first column */
    double last;  /* additional margin below the last row */
    double top;   /* set by hs_figure_begin */
};
/* An entry of a legend: a line, or a square of "area", "layer" ... */
struct hs_figure_key {
    const char *class, *colour, *label;
};
/* Returns how many of the plots stand side by side in the figure. */
uint32_t hs_figure_columns(const struct hs_page *page, uint32_t plots);
#define HS_NAME_LETTER 6.4 /* mean width of a letter of a name, at 12 pixels */
void hs_figure_begin(struct hs_page *page, struct hs_frame *frame, const struct hs_figure_key *keys,
                     uint32_t count);
/* The same with one key for each drawn group, none if there is only one group. */
void hs_figure_begin_groups(struct hs_page *page, struct hs_frame *frame, const char *class);
/* Draws the legend of these keys. */
void hs_page_keys(struct hs_page *page, const struct hs_figure_key *keys, uint32_t count);
/* Draws the legend of the drawn groups, if there are several. */
void hs_page_legend(struct hs_page *page);
/* Positions the chart, whose scales are set. label: a text that describes its content. */
void hs_plot_begin(struct hs_page *page, const struct hs_frame *frame, uint32_t row,
                   uint32_t column, struct hs_chart *chart, const char *label);
/* Writes the name of the group above its plot if there are several groups. */
void hs_plot_name(const struct hs_page *page, const struct hs_chart *chart, uint32_t group);
/* Draws, in a figure, axis lines and axis titles; NULL = no title. */
void hs_plot_end(const struct hs_page *page, const struct hs_chart *chart, const char *x_title,
                 const char *y_title);
/* Splits options->metrics, or else the preset, into names, NULL-terminated. HS_E_USAGE if there are
 * too many. */
#define HS_FIGURE_METRICS_MAX 6u
HS_MUST_USE enum hs_status hs_figure_metrics(struct hs_page *page, const char *preset,
                                             const char *names[HS_FIGURE_METRICS_MAX + 1]);
