/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The directory of a comparison: figures of each policy from compare.csv, and its runs where they
 * were kept.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/timeparse.h"
#include "report/page.h"

enum { POLICY, METRIC, UNIT, MEAN, LOW, HIGH, RATIO, RATIO_LOW, RATIO_HIGH, RUNS };
static const char *const columns[] = {"policy", "metric",    "unit",       "mean", "low", "high",
                                      "ratio",  "ratio_low", "ratio_high", "runs", NULL};

static enum hs_status no_memory(const struct hs_page *page)
{
    return hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

/* ---- policies and their runs, from the manifest ---- */

/* Adds the kept runs of a policy; its seeds stand together. */
static enum hs_status add_runs(struct hs_page *page, const char *policy, uint32_t *count)
{
    const struct hs_json *cells = hs_json_get(hs_json_root(page->manifest.doc), "cells");
    *count = 0;
    for (const struct hs_json *c = hs_json_first(cells); c != NULL; c = hs_json_next(c)) {
        const char *name = hs_json_text(hs_json_get(c, "run")),
                   *of = hs_json_text(hs_json_get(c, "policy"));
        char local[HS_PATH_SIZE];
        if (name == NULL || of == NULL || strcmp(of, policy) != 0)
            continue;
        (void)snprintf(local, sizeof local, HS_RUNS_DIR "/%s", name);
        const char *dir = hs_page_path(page, page->dir, local);
        if (dir == NULL)
            return no_memory(page);
        if (access(dir, F_OK) != 0)
            continue;
        HS_TRY(hs_page_add_run(page, dir));
        (*count)++;
    }
    return HS_OK;
}

static enum hs_status add_policies(struct hs_page *page)
{
    const struct hs_json *policies = hs_json_get(hs_json_root(page->manifest.doc), "policies");
    for (const struct hs_json *p = hs_json_first(policies); p != NULL; p = hs_json_next(p)) {
        const char *name = hs_json_text(hs_json_get(p, "policy"));
        const uint32_t first = page->run_count;
        uint32_t count;
        if (name == NULL)
            continue;
        HS_TRY(add_runs(page, name, &count));
        HS_TRY(hs_page_add_group(page, name, hs_json_get(p, "card"), first, count));
    }
    return HS_OK;
}

/* ---- figures, from compare.csv ---- */

/* The figures of a group while they are read: its row of the table points to all three. */
struct figures {
    struct hs_summary summary;
    struct hs_replicated means[HS_METRICS_MAX], ratios[HS_METRICS_MAX];
};

struct reading {
    struct hs_page *page;
    struct figures *of[HS_PAGE_GROUPS_MAX];
};

static double cell(const struct hs_rowfile *f, uint32_t column)
{
    const char *text = hs_rowfile_text(f, column);
    double value;
    return hs_parse_double(text, strlen(text), &value) ? value : (double)NAN;
}

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct reading *r = ctx;
    const char *metric = hs_rowfile_text(f, METRIC), *unit = hs_rowfile_text(f, UNIT);
    uint32_t g = 0;
    while (g < r->page->group_count &&
           strcmp(r->page->groups[g].label, hs_rowfile_text(f, POLICY)) != 0)
        g++;
    if (g == r->page->group_count)
        return hs_rowfile_bad(f, POLICY, "a policy of the manifest");
    struct figures *of = r->of[g];
    if (of->summary.count == HS_METRICS_MAX)
        return hs_rowfile_bad(f, METRIC, "one of the metrics that a summary has room for");
    const uint32_t m = of->summary.count++;
    of->means[m] = (struct hs_replicated){cell(f, MEAN), cell(f, LOW), cell(f, HIGH), 0};
    of->ratios[m] =
        (struct hs_replicated){cell(f, RATIO), cell(f, RATIO_LOW), cell(f, RATIO_HIGH), 0};
    of->summary.metrics[m] = (struct hs_metric){
        .name = hs_arena_text(&r->page->arena, metric, strlen(metric)),
        .unit = hs_arena_text(&r->page->arena, unit, strlen(unit)),
        .value = of->means[m].value,
    };
    return of->summary.metrics[m].name != NULL && of->summary.metrics[m].unit != NULL ? HS_OK
                                                                                      : HS_E_MEMORY;
}

/* Classes are those of the first run: compare.csv has none. */
static void take_classes(const struct hs_page *page, const struct hs_page_group *group,
                         struct hs_summary *summary)
{
    if (group->count == 0)
        return;
    const struct hs_summary *first = &page->runs[group->first].summary.summary;
    memcpy(summary->classes, first->classes, first->class_count * sizeof *first->classes);
    summary->class_count = first->class_count;
}

enum hs_status hs_page_open_comparison(struct hs_page *page, const char *dir)
{
    struct reading reading = {.page = page};
    page->dir = dir;
    HS_TRY(hs_runmanifest_open(&page->manifest, dir, page->diag));
    HS_TRY(add_policies(page));
    if (page->group_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, &(struct hs_place){.file = dir}, NULL,
                       "the manifest of the comparison names no policies");
    for (uint32_t g = 0; g < page->group_count; g++) {
        struct figures *of = hs_arena_alloc(&page->arena, sizeof *of);
        if (of == NULL)
            return no_memory(page);
        reading.of[g] = of;
        take_classes(page, &page->groups[g], &of->summary);
        page->groups[g].figures.summary = &of->summary;
        page->groups[g].figures.means = of->means;
        page->groups[g].figures.ratios = g > 0 ? of->ratios : NULL;
    }
    const struct hs_page_run place = {.dir = dir, .manifest = page->manifest};
    return hs_page_read(page, &place, "compare.csv", columns, read_row, &reading);
}
