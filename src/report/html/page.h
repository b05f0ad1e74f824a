/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus report` and `horus plot`: finished runs, a comparison or a sweep as one page that needs
 * nothing else - no network, no script, no other file - or as one figure. Both draw with the same
 * functions; the same directories give the same bytes.
 *
 *     enum hs_status s = hs_page_open(&page, paths, count, diag);   // reads manifests, summaries
 *     if (s == HS_OK)
 *         s = hs_page_write(&page, out);                           // and the rows of the runs
 *     hs_page_close(&page);                                         // also after a failed open
 *
 * Runs of one policy in a comparison are a group: their figures are means, their jobs are pooled.
 * Any other run is a group by itself. Memory: 24 bytes a job.
 */
#pragma once

#include "report/run/run_table.h"

enum hs_page_kind { HS_PAGE_RUNS, HS_PAGE_COMPARISON, HS_PAGE_SWEEP };

#define HS_PAGE_FILE "report.html" /* in the directory of a run */

#define HS_PAGE_RUNS_MAX   512u
#define HS_PAGE_GROUPS_MAX 64u
#define HS_PAGE_DRAWN_MAX  8u /* groups: there are as many colours */

/* What a figure shows besides its kind. Texts are NULL where the kind's own choice stands. */
struct hs_figure_options {
    const char *title, *metrics; /* metrics: names with commas between */
    const char *by;              /* kind of the classes */
    const char *x;               /* swept key along the axis */
    double width, height;        /* pixels: of the picture; of a plot in it, 0 = the kind's own */
    enum hs_figure_scale { HS_FIGURE_AUTO, HS_FIGURE_LINEAR, HS_FIGURE_LOG } scale;
};

struct hs_page_run {
    struct hs_runmanifest manifest;
    struct hs_runsummary summary;
};

struct hs_page_group {
    uint32_t first, count;      /* of its runs; 0 of a comparison that kept none */
    const struct hs_json *card; /* semantics, an object */
};

struct hs_page {
    struct hs_diag *diag;
    struct hs_output *out;
    struct hs_arena arena;
    enum hs_page_kind kind;
    struct hs_page_run *runs;
    struct hs_page_group *groups;
    struct hs_table_row
        *rows; /* of each group label and summary; of a comparison ratios or means */
    uint32_t run_count, group_count, drawn; /* drawn: groups, the first HS_PAGE_DRAWN_MAX */
    double span_s; /* all charts over time have one axis, that of the longest run drawn */
    struct hs_runmanifest manifest;         /* of the comparison or sweep */
    struct hs_sweeptable *sweep;            /* NULL unless it is one */
    struct hs_page_figures *figures;        /* of each group of a comparison */
    const struct hs_figure_options *figure; /* NULL while a page is written */
};

/* HS_E_USAGE if a comparison or sweep does not stand alone, HS_E_INPUT for a directory that is not
 * finished. paths are borrowed. */
HS_MUST_USE enum hs_status hs_page_open(struct hs_page *page, const char *const *paths,
                                        uint32_t count, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_page_write(struct hs_page *page, struct hs_output *out);
/* One figure as SVG. kind: index of hs_figure_kind. HS_E_USAGE for what the kind does not draw,
 * HS_E_INPUT where a file that it needs is not there, or has nothing to draw. */
HS_MUST_USE enum hs_status hs_figure_write(struct hs_page *page, uint32_t kind,
                                           const struct hs_figure_options *options,
                                           struct hs_output *out);
void hs_page_close(struct hs_page *page);

/* "cdf", "classes", ...; NULL past the last. */
#define HS_FIGURE_KINDS 7u
const char *hs_figure_kind(size_t index);

/* ---- between the files of this module: what there is to draw ---- */

/* The sections of a page, named in page.c, and the kinds of figures, named in figure.c. */
typedef enum hs_status hs_page_part(struct hs_page *page);
HS_MUST_USE hs_page_part hs_put_distributions, hs_put_deadlines, hs_put_classes, hs_put_time,
    hs_put_waiting, hs_put_nodes, hs_put_results, hs_put_points, hs_draw_cdf, hs_draw_classes,
    hs_draw_gantt, hs_draw_heat, hs_draw_sweep, hs_draw_time, hs_draw_waits;

/* "k0" ... "k7". */
const char *hs_page_colour(uint32_t group);
/* Is the file in the directory of the group's first run? */
bool hs_page_has(const struct hs_page *page, uint32_t group, const char *name);
/* The files that a section or figure is drawn from; from HS_FROM_SERIES on, over time. There are no
 * sections from deadlines where no job has one. */
enum hs_page_source {
    HS_FROM_SUMMARY,
    HS_FROM_JOBS,
    HS_FROM_DEADLINES,
    HS_FROM_SERIES,
    HS_FROM_SEGMENTS
};
/* Whether they are there, and time has passed for what is drawn over it; finds span_s. A page goes
 * without groups that lack one, and says so; a figure needs all, else *status is HS_E_INPUT. */
bool hs_page_can_draw(struct hs_page *page, enum hs_page_source source, enum hs_status *status);
/* Has a job of any group a deadline? */
bool hs_page_has_deadlines(const struct hs_page *page);
/* The runs from `first` on as one group. */
HS_MUST_USE enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                             const struct hs_json *card, uint32_t first,
                                             uint32_t count);

/* ---- a sweep (page_sweep.c) ---- */

/* Its table, its lines as the groups of the page. metrics: columns of the file, NULL behind the
 * last, borrowed; HS_E_INPUT where one is not there; NULL = those of the page. x: the key along the
 * axis, HS_E_INPUT unless it was swept; NULL = the one of most numbers. */
HS_MUST_USE enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics,
                                              const char *x);
void hs_page_close_sweep(struct hs_page *page);
void hs_page_sweep_head(struct hs_page *page);
#define HS_PAGE_VALUE_SIZE 1024
/* The values that a key took in a sweep; any other key leaves the text as it is. */
void hs_page_swept(const struct hs_page *page, const char *key, char text[HS_PAGE_VALUE_SIZE]);

/* ---- parts of a page ---- */

/* A paragraph in a smaller face; the text is escaped. */
HS_PRINTF(2, 3) void hs_page_note(struct hs_page *page, const char *fmt, ...);
/* A table of a class, up to the first cell of its head; in <details> unless summary is NULL. */
void hs_page_begin_table(struct hs_page *page, const char *summary, const char *class);
#define HS_TABLE_ROWS "</tr></thead>\n<tbody>\n" /* behind the last cell of the head */
#define HS_TABLE_END  "</tbody></table></div>"
/* The head of a column of that metric. */
void hs_page_metric_head(struct hs_page *page, const char *metric);
/* A cell with a value, rounded: every digit stands in the attribute data-value, which is absent for
 * NaN. class: of the cell, NULL = none. below: a second line, "" = none. */
void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below);
/* The same with neither. */
void hs_page_metric_cell(struct hs_page *page, const char *metric, double value);

/* ---- markup ---- */

#define HS_HTML_SAY_MAX 1024 /* bytes of a text that is composed before it is escaped */
/* A text that is good until the end of the block. */
#define HS_TEXT(...) hs_text((char[HS_HTML_SAY_MAX]){0}, __VA_ARGS__)
HS_PRINTF(2, 3)
const char *hs_text(char text[HS_HTML_SAY_MAX], const char *fmt, ...);

/* Markup whose %s are escaped (& < > " ', and what is no UTF-8 or not in XML); of other conversions
 * it knows %u, "%" PRIu64, %f (a length, to a tenth) and %%. hs_say writes plain markup. */
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

struct hs_chart {
    struct hs_output *out;
    double left, right, top, bottom; /* edges of the plot; set by hs_plot_begin, like the ends */
    struct hs_scale x, y;            /* of the scales, at_from and at_to */
};
/* Grid lines across the plot at the values of an axis, and labels beside it. */
void hs_chart_x_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted,
                     bool has_labels);
void hs_chart_y_axis(const struct hs_chart *chart, enum hs_axis axis, uint32_t wanted);
/* The same at given values. */
void hs_chart_y_marks(const struct hs_chart *chart, const struct hs_tick *ticks, uint32_t count);

/* ---- plots: of a page each a picture of its own, of a figure parts of one ---- */

/* View boxes as wide as the page on a desk, where a unit is a pixel, and as one of three. */
#define HS_PAGE_WIDTH 944.0
#define HS_PAGE_THIRD 298.0

/* Plots of one size in rows and columns, and the room around each. */
struct hs_frame {
    uint32_t rows, columns;
    double width, height; /* of a picture on a page; of a plot, that of the options comes first */
    struct hs_margin {
        double left, right, above, below;
    } margin;
    double first; /* more at the left of the first column */
    double last;  /* more below the last row */
    double top;   /* set by hs_figure_begin */
};
/* An entry of a legend: a line, or a square of "area", "layer" ... */
struct hs_figure_key {
    const char *class, *colour, *label;
};
void hs_figure_begin(struct hs_page *page, struct hs_frame *frame, const struct hs_figure_key *keys,
                     uint32_t count);
/* The drawn groups as keys; returns how many: none for one group. */
uint32_t hs_page_group_keys(const struct hs_page *page, const char *class,
                            struct hs_figure_key keys[HS_PAGE_DRAWN_MAX]);
/* Squares and names. */
void hs_page_keys(struct hs_page *page, const struct hs_figure_key *keys, uint32_t count);
/* Those of the drawn groups; nothing for one. */
void hs_page_legend(struct hs_page *page);
/* Places the chart, whose scales are set. label: its content in words. */
void hs_plot_begin(struct hs_page *page, const struct hs_frame *frame, uint32_t row,
                   uint32_t column, struct hs_chart *chart, const char *label);
/* The name of the group above its plot, where there are several. */
void hs_plot_name(const struct hs_page *page, const struct hs_chart *chart, uint32_t group);
/* In a figure with lines along the axes and their titles; NULL = none. */
void hs_plot_end(const struct hs_page *page, const struct hs_chart *chart, const char *x_title,
                 const char *y_title);
/* The names of options->metrics, else of the preset, NULL behind the last. HS_E_USAGE
 * where there are too many. */
#define HS_FIGURE_METRICS_MAX 6u
HS_MUST_USE enum hs_status hs_figure_metrics(struct hs_page *page, const char *preset,
                                             const char *names[HS_FIGURE_METRICS_MAX + 1]);
