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
#ifndef HORUS_REPORT_HTML_PAGE_H
#define HORUS_REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/memory.h"
#include "report/compare/sweeptable.h"
#include "report/html/chart.h"
#include "report/run/manifest.h"
#include "report/run/run_table.h"
#include "report/run/summary.h"

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
    uint32_t run_count, group_count;
    struct hs_runmanifest manifest;         /* of the comparison or sweep */
    struct hs_sweeptable *sweep;            /* NULL unless it is one */
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

/* A section of the page, under a heading of its own. */
struct hs_page_section {
    const char *id, *heading;
    enum hs_status (*put)(struct hs_page *page);
};
extern const struct hs_page_section hs_page_distributions, hs_page_classes, hs_page_time,
    hs_page_waiting, hs_page_nodes, hs_page_results, hs_page_points;

/* A kind of figure, and which options it takes beside those of all. */
struct hs_figure {
    const char *name;
    enum hs_status (*draw)(struct hs_page *page);
    bool is_of_sweep; /* takes --x, and the directory of a sweep */
    bool has_metrics, has_scale, has_classes;
};
extern const struct hs_figure hs_figure_cdf, hs_figure_classes, hs_figure_gantt, hs_figure_heat,
    hs_figure_sweep, hs_figure_time, hs_figure_waits;

/* Groups that are drawn: the first HS_PAGE_DRAWN_MAX. */
uint32_t hs_page_drawn(const struct hs_page *page);
/* "k0" ... "k7". */
const char *hs_page_colour(uint32_t group);
/* Is the file in the directory of the group's first run? */
bool hs_page_has(const struct hs_page *page, uint32_t group, const char *name);
/* Whether there is what is drawn from the files, NULL behind the last. A page goes without groups
 * that lack one, and says so; a figure needs all, else *status is HS_E_INPUT. */
bool hs_page_can_draw(struct hs_page *page, const char *const *names, enum hs_status *status);
/* The same of what is drawn over time. *span_s: all charts have one axis, that of the longest run
 * drawn. */
bool hs_page_can_draw_time(struct hs_page *page, const char *const *names, double *span_s,
                           enum hs_status *status);
/* The table of the sweep, its lines as the groups of the page. metrics as for hs_sweeptable_read;
 * x: the swept key along the axis, NULL = the one of most numbers. */
HS_MUST_USE enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics,
                                              const char *x);

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

/* ---- plots: of a page each a picture of its own, of a figure parts of one ---- */

#define HS_PAGE_WIDTH                                                                              \
    944.0                   /* view boxes as wide as the page on a desk, where a unit is a pixel,  \
                             */
#define HS_PAGE_THIRD 298.0 /* and as one of three */

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
void hs_figure_end(struct hs_page *page);
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

/* ---- figures, for tests too ---- */

/* A step function of time: mean, smallest and largest value of each interval.
 *
 *     hs_buckets_open(&b, &arena, 360, span_s);
 *     hs_buckets_put(&b, time_s, value);                // holds until the next one
 *     hs_buckets_finish(&b);
 *     ... b.of[i].mean ...
 */
struct hs_bucket {
    double mean, min, max; /* NaN where nothing is known */
    double known_s;        /* time with a value */
};
struct hs_buckets {
    struct hs_bucket *of;
    uint32_t count;
    double span_s;
    double time_s, value; /* the last change */
    bool has_value;
};
/* span_s > 0. */
void hs_buckets_open(struct hs_buckets *b, struct hs_arena *arena, uint32_t count, double span_s);
/* In order of time; times past the span are not counted. O(1) a change and an interval. */
void hs_buckets_put(struct hs_buckets *b, double time_s, double value);
void hs_buckets_finish(struct hs_buckets *b); /* the last value holds until the end */

/* How many of count ascending values are at or below limit. O(log count). */
uint32_t hs_rank(const int64_t *values, uint32_t count, int64_t limit);
/* The smallest value with at least permille/1000 of all values at or below it; count > 0. */
int64_t hs_nearest_rank(const int64_t *values, uint32_t count, uint32_t permille);

#endif
