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
#include "report/report.h"
#include "report/run/run_table.h"
#include "report/run/rowfile.h"
#include "report/run/manifest.h"
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
    const char *dir;
    struct hs_runmanifest manifest;
    struct hs_runsummary summary;
};

struct hs_page_group {
    const char *label;
    uint32_t first, count;       /* of its runs; 0 of a comparison that kept none */
    const struct hs_json *card;  /* semantics, an object */
    struct hs_table_row figures; /* label and summary; of a comparison ratios or means, too */
};

struct hs_page {
    struct hs_diag *diag;
    struct hs_output *out;
    struct hs_arena arena;
    enum hs_page_kind kind;
    struct hs_page_run *runs;
    struct hs_page_group *groups;
    struct hs_table_row *rows; /* the figures of the groups, in a row */
    uint32_t run_count, group_count;
    const char *dir;                        /* of the comparison or sweep; NULL for runs */
    struct hs_runmanifest manifest;         /* of it */
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

/* ---- between the files of this module ---- */

/* DIR/NAME in the memory of the page. */
const char *hs_page_path(struct hs_page *page, const char *dir, const char *name);
/* HS_E_LIMIT past HS_PAGE_GROUPS_MAX. */
HS_MUST_USE enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                             const struct hs_json *card, uint32_t first,
                                             uint32_t count);
/* Groups that are drawn: the first HS_PAGE_DRAWN_MAX. */
uint32_t hs_page_drawn(const struct hs_page *page);
/* Is the file in the directory of the group's first run? */
bool hs_page_has(const struct hs_page *page, const struct hs_page_group *group, const char *name);
/* The rows of a file of a run; columns as for hs_rowfile_open. each() reads one row. A file that is
 * not the one that the manifest lists is warned of. */
HS_MUST_USE enum hs_status
hs_page_read(struct hs_page *page, const struct hs_page_run *run, const char *name,
             const char *const *columns,
             enum hs_status (*each)(void *ctx, const struct hs_rowfile *f), void *ctx);
/* The table of the sweep, its lines as the groups of the page. metrics as for hs_sweeptable_read;
 * x: the swept key along the axis, NULL = the one of most numbers. */
HS_MUST_USE enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics,
                                              const char *x);

/* View boxes as wide as the page on a desk, where a unit is a pixel: the whole, and one of three.
 */
#define HS_PAGE_WIDTH 944.0
#define HS_PAGE_THIRD 298.0

/* The sections, in their order. Each begins with a heading of its own. */
void hs_page_head(struct hs_page *page); /* title, what was simulated, key figures */
void hs_page_summary(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_cdf(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_series(struct hs_page *page);
void hs_page_classes(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_nodes(struct hs_page *page);
void hs_page_waiting(struct hs_page *page);
void hs_page_sweep_head(struct hs_page *page); /* of a sweep, in place of hs_page_head */
void hs_page_sweep(struct hs_page *page);      /* results and points */
void hs_page_method(struct hs_page *page);

/* <section id=...><h2>. Closed by hs_page_end_section. */
void hs_page_begin_section(struct hs_page *page, const char *id, const char *heading);
void hs_page_end_section(struct hs_page *page);
/* A paragraph in a smaller face; the text is escaped. */
HS_PRINTF(2, 3) void hs_page_note(struct hs_page *page, const char *fmt, ...);
/* <details> with a table in it, up to the first cell of its head; and its end. */
void hs_page_begin_table(struct hs_page *page, const char *summary);
void hs_page_end_table(struct hs_page *page);
/* Seconds: all charts over time have one axis, that of the longest run drawn; 0 = no time. */
double hs_page_span(const struct hs_page *page);
/* Whether a drawn group has the file; says which have it not, and why. */
bool hs_page_can_draw(struct hs_page *page, const char *name);
/* Coloured names of the drawn groups; nothing for one. */
void hs_page_legend(struct hs_page *page);
/* What keeps jobs waiting: all together are all of the waiting. */
enum hs_wait {
    HS_WAIT_RESOURCES,
    HS_WAIT_FRAGMENTATION,
    HS_WAIT_CONSTRAINT,
    HS_WAIT_QUOTA,
    HS_WAIT_PRIORITY,
    HS_WAITS
};
struct hs_wait_cause {
    const char *key; /* in series.csv */
    const char *meaning, *colour;
};
extern const struct hs_wait_cause hs_wait_causes[HS_WAITS];
/* "k0" ... "k7". */
const char *hs_page_colour(uint32_t group);

/* ---- figures ---- */

/* Plots of one size in rows and columns, and the room around each. */
struct hs_frame {
    uint32_t rows, columns;
    double height;                    /* of a plot; that of the options comes first */
    double left, right, above, below; /* of each plot */
    double first;                     /* more at the left of the first column */
    double last;                      /* more below the last row */
    double top;                       /* set by hs_figure_begin */
};
/* An entry of the legend: a line, or a square of "area", "layer" ... */
struct hs_figure_key {
    const char *class, *colour, *label;
};
void hs_figure_begin(struct hs_page *page, struct hs_frame *frame, const struct hs_figure_key *keys,
                     uint32_t count);
/* The same with the drawn groups as keys; none for one group. */
void hs_figure_begin_groups(struct hs_page *page, struct hs_frame *frame, const char *class);
/* Sets the edges and places the chart, whose scales are set. */
void hs_figure_panel(struct hs_page *page, const struct hs_frame *frame, uint32_t row,
                     uint32_t column, struct hs_chart *chart);
/* Lines along the axes, and their titles; NULL = none. */
void hs_figure_axes(const struct hs_chart *chart, const char *x_title, const char *y_title);
void hs_figure_end(struct hs_page *page);
/* HS_E_INPUT unless every drawn group has the file. */
HS_MUST_USE enum hs_status hs_figure_need(struct hs_page *page, const char *name);
/* The names of options->metrics, else of the preset, NULL behind the last. HS_E_USAGE where there
 * are too many. */
#define HS_FIGURE_METRICS_MAX 6u
HS_MUST_USE enum hs_status hs_figure_metrics(struct hs_page *page, const char *preset,
                                             const char *names[HS_FIGURE_METRICS_MAX + 1]);

/* The kinds, each in the file of its section. */
HS_MUST_USE enum hs_status hs_figure_cdf(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_classes(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_gantt(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_heat(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_sweep(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_time(struct hs_page *page);
HS_MUST_USE enum hs_status hs_figure_waits(struct hs_page *page);

#endif
