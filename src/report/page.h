/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus report`: finished runs, a comparison or a sweep as one page that needs nothing else - no
 * network, no script, no other file. The same directories give the same bytes.
 *
 *     enum hs_status s = hs_page_open(&page, paths, count, diag);   // reads manifests, summaries
 *     if (s == HS_OK)
 *         s = hs_page_write(&page, out);                           // and the rows of the runs
 *     hs_page_close(&page);                                         // also after a failed open
 *
 * Runs of one policy in a comparison are a group: their figures are means, their jobs are pooled.
 * Any other run is a group by itself. Memory: 24 bytes a job.
 */
#ifndef HORUS_REPORT_PAGE_H
#define HORUS_REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/rowfile.h"
#include "report/runmanifest.h"
#include "report/runsummary.h"
#include "report/sweeptable.h"

enum hs_page_kind { HS_PAGE_RUNS, HS_PAGE_COMPARISON, HS_PAGE_SWEEP };

#define HS_PAGE_FILE "report.html" /* in the directory of a run */

#define HS_PAGE_RUNS_MAX   512u
#define HS_PAGE_GROUPS_MAX 64u
#define HS_PAGE_DRAWN_MAX  8u /* groups: there are as many colours */

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
    const char *dir;                /* of the comparison or sweep; NULL for runs */
    struct hs_runmanifest manifest; /* of it */
    struct hs_sweeptable *sweep;    /* NULL unless it is one */
};

/* HS_E_USAGE if a comparison or sweep does not stand alone, HS_E_INPUT for a directory that is not
 * finished. paths are borrowed. */
HS_MUST_USE enum hs_status hs_page_open(struct hs_page *page, const char *const *paths,
                                        uint32_t count, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_page_write(struct hs_page *page, struct hs_output *out);
void hs_page_close(struct hs_page *page);

/* ---- between the files of this module ---- */

/* Fill page->groups. */
HS_MUST_USE enum hs_status hs_page_open_runs(struct hs_page *page, const char *const *paths,
                                             uint32_t count);
HS_MUST_USE enum hs_status hs_page_open_comparison(struct hs_page *page, const char *dir);
HS_MUST_USE enum hs_status hs_page_open_sweep(struct hs_page *page, const char *dir);
HS_MUST_USE enum hs_status hs_page_add_run(struct hs_page *page, const char *dir);
HS_MUST_USE enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                             const struct hs_json *card, uint32_t first,
                                             uint32_t count);
const char *hs_page_path(struct hs_page *page, const char *dir, const char *name);

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

/* View boxes as wide as the page on a desk, where a unit is a pixel: the whole, and one of three.
 */
#define HS_PAGE_WIDTH 944.0
#define HS_PAGE_THIRD 298.0

/* The sections, in their order. Each begins with a heading of its own. */
void hs_page_style(struct hs_output *out);
void hs_page_head(struct hs_page *page); /* title, what was simulated, key figures */
void hs_page_summary(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_cdf(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_series(struct hs_page *page);
void hs_page_classes(struct hs_page *page);
HS_MUST_USE enum hs_status hs_page_nodes(struct hs_page *page);
void hs_page_waiting(struct hs_page *page);
void hs_page_sweep_head(struct hs_page *page); /* of a sweep, in place of hs_page_head */
HS_MUST_USE enum hs_status hs_page_sweep(struct hs_page *page); /* results and points */
void hs_page_method(struct hs_page *page);

/* <section id=...><h2>. Closed by hs_page_end_section. */
void hs_page_begin_section(struct hs_page *page, const char *id, const char *heading);
void hs_page_end_section(struct hs_page *page);
/* A paragraph in a smaller face; the text is escaped. */
HS_PRINTF(2, 3) void hs_page_note(struct hs_page *page, const char *fmt, ...);
/* Seconds: all charts over time have one axis, that of the longest run drawn; 0 = no time. */
double hs_page_span(const struct hs_page *page);
/* Whether a drawn group has the file; says which have it not, and why. */
bool hs_page_can_draw(struct hs_page *page, const char *name);
/* Coloured names of the drawn groups; nothing for one. */
void hs_page_legend(struct hs_page *page);
/* What keeps jobs waiting, so that all together are all of the waiting: shape stands for
 * fragmentation and locality in runs that do not tell them apart. */
enum hs_wait {
    HS_WAIT_CAPACITY,
    HS_WAIT_FRAGMENTATION,
    HS_WAIT_LOCALITY,
    HS_WAIT_QUOTA,
    HS_WAIT_ORDER,
    HS_WAIT_SHAPE,
    HS_WAITS
};
struct hs_wait_cause {
    const char *key; /* in series.csv */
    const char *meaning, *colour;
};
extern const struct hs_wait_cause hs_wait_causes[HS_WAITS];
/* "k0" ... "k7". */
const char *hs_page_colour(uint32_t group);

#endif
