/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operands of `horus report` and `horus plot`: manifests and summaries of finished runs; a
 * comparison, whose figures of each policy come from compare.csv, with its runs where they were
 * kept; the table of a sweep.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/html/page.h"

/* DIR/NAME in the memory of the page. */
static const char *path_of(struct hs_page *page, const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    const int len = snprintf(path, sizeof path, "%s/%s", dir, name); /* cut, it is no file */
    return hs_arena_text(&page->arena, path, len > 0 ? strlen(path) : 0);
}

static bool has_file(const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    const int len = snprintf(path, sizeof path, "%s/%s", dir, name);
    return len > 0 && (size_t)len < sizeof path && access(path, F_OK) == 0;
}

bool hs_page_has(const struct hs_page *page, uint32_t group, const char *name)
{
    const struct hs_page_group *g = &page->groups[group];
    return g->count > 0 && has_file(page->runs[g->first].manifest.dir, name);
}

static enum hs_status add_run(struct hs_page *page, const char *dir)
{
    if (page->run_count == HS_PAGE_RUNS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs", HS_PAGE_RUNS_MAX);
    struct hs_page_run *run = &page->runs[page->run_count++];
    HS_TRY(hs_runmanifest_open(&run->manifest, dir, page->diag));
    return hs_runsummary_load(&run->summary, path_of(page, dir, "summary.json"), page->diag);
}

/* The runs from `first` on as one group. */
static enum hs_status add_group(struct hs_page *page, const char *label, const struct hs_json *card,
                                uint32_t first, uint32_t count)
{
    if (page->group_count == HS_PAGE_GROUPS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs or policies", HS_PAGE_GROUPS_MAX);
    page->rows[page->group_count] = (struct hs_table_row){
        .label = label, .summary = count > 0 ? &page->runs[first].summary.summary : NULL};
    page->groups[page->group_count++] = (struct hs_page_group){first, count, card};
    return HS_OK;
}

/* ---- runs ---- */

static const char *base_name(struct hs_page *page, const char *dir)
{
    size_t end = strlen(dir), begin;
    while (end > 1 && dir[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && dir[begin - 1] != '/';)
        begin--;
    return hs_arena_text(&page->arena, dir + begin, end - begin);
}

/* Labels that tell all runs apart: their policies, else the names of their directories, else the
 * paths. */
static enum hs_status open_runs(struct hs_page *page, const char *const *paths, uint32_t count)
{
    enum { BY_POLICY, BY_NAME, BY_PATH };
    const char *labels[HS_PAGE_GROUPS_MAX];
    bool is_told_apart = false;
    for (uint32_t i = 0; i < count; i++)
        HS_TRY(add_run(page, paths[i]));
    for (int naming = BY_POLICY; naming <= BY_PATH && !is_told_apart; naming++) {
        is_told_apart = true;
        for (uint32_t i = 0; i < count; i++) {
            const char *policy = hs_json_text(hs_json_get(page->runs[i].manifest.config, "policy"));
            labels[i] = naming == BY_POLICY ? (policy != NULL ? policy : "")
                        : naming == BY_NAME ? base_name(page, paths[i])
                                            : paths[i];
            for (uint32_t k = 0; k < i; k++)
                is_told_apart = is_told_apart && strcmp(labels[i], labels[k]) != 0;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        HS_TRY(add_group(page, labels[i], page->runs[i].summary.card, i, 1));
    return HS_OK;
}

/* ---- a comparison ---- */

/* The policies of the manifest, each with its kept runs; those of its seeds stand together. */
static enum hs_status add_policies(struct hs_page *page)
{
    const struct hs_json *root = hs_json_root(page->manifest.doc);
    const struct hs_json *p = hs_json_first(hs_json_get(root, "policies"));
    for (; p != NULL; p = hs_json_next(p)) {
        const char *policy = hs_json_text(hs_json_get(p, "policy"));
        const uint32_t first = page->run_count;
        const struct hs_json *c = hs_json_first(hs_json_get(root, "cells"));
        for (; c != NULL && policy != NULL; c = hs_json_next(c)) {
            const char *name = hs_json_text(hs_json_get(c, "run")),
                       *of = hs_json_text(hs_json_get(c, "policy"));
            if (name == NULL || of == NULL || strcmp(of, policy) != 0)
                continue;
            const char *dir = path_of(page, path_of(page, page->manifest.dir, HS_RUNS_DIR), name);
            if (access(dir, F_OK) == 0)
                HS_TRY(add_run(page, dir));
        }
        if (policy != NULL)
            HS_TRY(add_group(page, policy, hs_renamed_get(p, "assumptions"), first,
                             page->run_count - first));
    }
    return HS_OK;
}

/* The figures of a group: its row of the table points to all three. */
struct group_figures {
    struct hs_summary summary;
    struct hs_replicated means[HS_METRICS_MAX], ratios[HS_METRICS_MAX];
};

struct compare_reading {
    struct hs_page *page;
    struct group_figures *of; /* each group */
};

struct compare_row {
    const char *policy, *metric, *unit;
    struct hs_replicated mean, ratio;
};
#define AT(field) offsetof(struct compare_row, field)

static const struct hs_rowcell compare_cells[] = {
    {"policy", HS_ROWCELL_TEXT, AT(policy)},
    {"metric", HS_ROWCELL_TEXT, AT(metric)},
    {"unit", HS_ROWCELL_TEXT, AT(unit)},
    {"mean", HS_ROWCELL_DOUBLE, AT(mean.value)},
    {"low", HS_ROWCELL_DOUBLE, AT(mean.low)},
    {"high", HS_ROWCELL_DOUBLE, AT(mean.high)},
    {"ratio", HS_ROWCELL_DOUBLE, AT(ratio.value)},
    {"ratio_low", HS_ROWCELL_DOUBLE, AT(ratio.low)},
    {"ratio_high", HS_ROWCELL_DOUBLE, AT(ratio.high)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct compare_reading *r = ctx;
    struct compare_row row = {.policy = NULL};
    uint32_t g = 0;
    HS_TRY(hs_rowfile_read(f, &row));
    while (g < r->page->group_count && strcmp(r->page->rows[g].label, row.policy) != 0)
        g++;
    if (g == r->page->group_count)
        return hs_rowfile_bad(f, "policy", "a policy of the manifest");
    struct group_figures *of = &r->of[g];
    if (of->summary.count == HS_METRICS_MAX)
        return hs_rowfile_bad(f, "metric", "one of the metrics that a summary has room for");
    const char *metric = hs_present_name(row.metric);
    of->means[of->summary.count] = row.mean;
    of->ratios[of->summary.count] = row.ratio;
    of->summary.metrics[of->summary.count++] = (struct hs_metric){
        .name = hs_arena_text(&r->page->arena, metric, strlen(metric)),
        .unit = hs_arena_text(&r->page->arena, row.unit, strlen(row.unit)),
        .value = row.mean.value,
    };
    return HS_OK;
}

static enum hs_status open_comparison(struct hs_page *page)
{
    struct compare_reading reading = {.page = page};
    HS_TRY(add_policies(page));
    if (page->group_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, &(struct hs_place){.file = page->manifest.dir}, NULL,
                       "the manifest of the comparison names no policies");
    reading.of = hs_arena_alloc(&page->arena, page->group_count * sizeof *reading.of);
    for (uint32_t g = 0; g < page->group_count; g++) {
        struct group_figures *of = &reading.of[g];
        const struct hs_summary *first = page->rows[g].summary;
        if (first != NULL) { /* classes of the first run: compare.csv has none */
            memcpy(of->summary.classes, first->classes,
                   first->class_count * sizeof *first->classes);
            of->summary.class_count = first->class_count;
        }
        page->rows[g].summary = &of->summary;
        page->rows[g].means = of->means;
        page->rows[g].ratios = g > 0 ? of->ratios : NULL;
    }
    return hs_rowfile_each(&page->manifest, "compare.csv", compare_cells, read_row, &reading);
}

/* ---- a sweep ---- */

enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics, const char *x)
{
    const char *path = path_of(page, page->manifest.dir, "sweep.csv");
    if (page->sweep != NULL)
        hs_sweeptable_free(page->sweep);
    page->sweep = hs_arena_alloc(&page->arena, sizeof *page->sweep);
    page->group_count = 0;
    HS_TRY(hs_sweeptable_read(page->sweep, path, metrics, x, page->diag));
    const struct hs_sweeptable *t = page->sweep;
    if (t->point_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the sweep has no points");
    for (uint32_t line = 0; t->line != HS_SWEEP_NONE && line < t->axes[t->line].count; line++)
        HS_TRY(add_group(page, t->axes[t->line].values[line], NULL, 0, 0));
    return HS_OK;
}

/* ---- what a directory is ---- */

static enum hs_status check_operand(struct hs_page *page, const char *path, uint32_t count,
                                    enum hs_page_kind *kind)
{
    const struct hs_place place = {.file = path};
    if (access(path, F_OK) != 0)
        return hs_fail(page->diag, HS_E_IO, &place, NULL, "cannot open: %s", strerror(errno));
    *kind = has_file(path, "compare.csv") ? HS_PAGE_COMPARISON
            : has_file(path, "sweep.csv") ? HS_PAGE_SWEEP
                                          : HS_PAGE_RUNS;
    if (has_file(path, "paired.csv"))
        return hs_fail(page->diag, HS_E_USAGE, &place, "name the two runs themselves",
                       "a comparison of two runs job by job is not reported");
    if (*kind != HS_PAGE_RUNS && count > 1)
        return hs_fail(page->diag, HS_E_USAGE, &place, "make a report of it alone",
                       "a %s does not stand beside other operands",
                       *kind == HS_PAGE_SWEEP ? "sweep" : "comparison");
    return HS_OK;
}

enum hs_status hs_page_open(struct hs_page *page, const char *const *paths, uint32_t count,
                            struct hs_diag *diag)
{
    *page = (struct hs_page){.diag = diag};
    for (uint32_t i = 0; i < count; i++) {
        enum hs_page_kind kind = HS_PAGE_RUNS;
        HS_TRY(check_operand(page, paths[i], count, &kind));
        page->kind = i == 0 ? kind : page->kind;
    }
    page->runs = hs_alloc_zeroed(HS_PAGE_RUNS_MAX, sizeof *page->runs);
    page->groups = hs_alloc_zeroed(HS_PAGE_GROUPS_MAX, sizeof *page->groups);
    page->rows = hs_alloc_zeroed(HS_PAGE_GROUPS_MAX, sizeof *page->rows);
    if (page->kind == HS_PAGE_RUNS)
        return open_runs(page, paths, count);
    HS_TRY(hs_runmanifest_open(&page->manifest, paths[0], diag));
    return page->kind == HS_PAGE_SWEEP ? hs_page_read_sweep(page, hs_sweep_metrics, NULL)
                                       : open_comparison(page);
}

void hs_page_close(struct hs_page *page)
{
    for (uint32_t i = 0; i < page->run_count; i++) {
        hs_runmanifest_close(&page->runs[i].manifest);
        hs_runsummary_close(&page->runs[i].summary);
    }
    if (page->sweep != NULL)
        hs_sweeptable_free(page->sweep);
    hs_runmanifest_close(&page->manifest);
    hs_free(page->runs);
    hs_free(page->groups);
    hs_free(page->rows);
    hs_arena_free(&page->arena);
}
