/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operands of `horus report` and `horus plot`: manifests and summaries of finished runs, and a
 * comparison, whose figures of each policy come from compare.csv, with its runs where they were
 * kept.
 */
#include "report/html/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/timeparse.h"

const char *hs_page_path(struct hs_page *page, const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    const int len = snprintf(path, sizeof path, "%s/%s", dir, name); /* cut, it is no file */
    return hs_arena_text(&page->arena, path, len > 0 ? strlen(path) : 0);
}

static bool has_file(const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    int len = snprintf(path, sizeof path, "%s/%s", dir, name);
    return len > 0 && (size_t)len < sizeof path && access(path, F_OK) == 0;
}

bool hs_page_has(const struct hs_page *page, const struct hs_page_group *group, const char *name)
{
    return group->count > 0 && has_file(page->runs[group->first].dir, name);
}

enum hs_status hs_page_read(struct hs_page *page, const struct hs_page_run *run, const char *name,
                            const char *const *columns,
                            enum hs_status (*each)(void *ctx, const struct hs_rowfile *f),
                            void *ctx)
{
    struct hs_rowfile f;
    const char *path = hs_page_path(page, run->dir, name);
    const struct hs_runmanifest_file *listed = hs_runmanifest_file(&run->manifest, name);
    enum hs_status s = hs_rowfile_open(&f, path, columns, page->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = each(ctx, &f);
    if (s == HS_END && listed != NULL && listed->hash != hs_input_hash(f.input))
        hs_report(page->diag, HS_WARNING, &(struct hs_place){.file = path},
                  "`horus verify` says more",
                  "not the file that the manifest lists: it was changed after the run");
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

static enum hs_status add_run(struct hs_page *page, const char *dir)
{
    if (page->run_count == HS_PAGE_RUNS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs", HS_PAGE_RUNS_MAX);
    struct hs_page_run *run = &page->runs[page->run_count++];
    run->dir = dir;
    HS_TRY(hs_runmanifest_open(&run->manifest, dir, page->diag));
    const char *path = hs_page_path(page, dir, "summary.json");
    return hs_runsummary_load(&run->summary, path, page->diag);
}

enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                 const struct hs_json *card, uint32_t first, uint32_t count)
{
    if (page->group_count == HS_PAGE_GROUPS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs or policies", HS_PAGE_GROUPS_MAX);
    struct hs_page_group *group = &page->groups[page->group_count++];
    *group = (struct hs_page_group){.label = label, .card = card, .first = first, .count = count};
    group->figures = (struct hs_table_row){
        .label = label,
        .summary = count > 0 ? &page->runs[first].summary.summary : NULL,
    };
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

/* The label that tells all runs apart: the policy, else the name of the directory, else its path.
 */
enum naming { BY_POLICY, BY_NAME, BY_PATH };

static const char *label_of(struct hs_page *page, const struct hs_page_run *run, enum naming naming)
{
    const char *policy = hs_json_text(hs_json_get(run->manifest.config, "policy"));
    return naming == BY_POLICY ? (policy != NULL ? policy : "")
           : naming == BY_NAME ? base_name(page, run->dir)
                               : run->dir;
}

static bool tells_apart(struct hs_page *page, enum naming naming)
{
    for (uint32_t i = 0; i < page->run_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const char *a = label_of(page, &page->runs[i], naming),
                       *b = label_of(page, &page->runs[k], naming);
            if (strcmp(a, b) == 0)
                return false;
        }
    return true;
}

static enum hs_status open_runs(struct hs_page *page, const char *const *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        HS_TRY(add_run(page, paths[i]));
    enum naming naming = BY_POLICY;
    while (naming != BY_PATH && !tells_apart(page, naming))
        naming++;
    for (uint32_t i = 0; i < count; i++) {
        const char *label = label_of(page, &page->runs[i], naming);
        HS_TRY(hs_page_add_group(page, label, page->runs[i].summary.card, i, 1));
    }
    return HS_OK;
}

/* ---- a comparison ---- */

enum { POLICY, METRIC, UNIT, MEAN, LOW, HIGH, RATIO, RATIO_LOW, RATIO_HIGH, RUNS };
static const char *const columns[] = {"policy", "metric",    "unit",       "mean", "low", "high",
                                      "ratio",  "ratio_low", "ratio_high", "runs", NULL};

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
        if (access(dir, F_OK) != 0)
            continue;
        HS_TRY(add_run(page, dir));
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
        HS_TRY(hs_page_add_group(page, name, hs_renamed_get(p, "assumptions"), first, count));
    }
    return HS_OK;
}

/* ---- figures, from compare.csv ---- */

/* The figures of a group while they are read: its row of the table points to all three. */
struct figures {
    struct hs_summary summary;
    struct hs_replicated means[HS_METRICS_MAX], ratios[HS_METRICS_MAX];
};

struct compare_reading {
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
    struct compare_reading *r = ctx;
    const char *metric = hs_present_name(hs_rowfile_text(f, METRIC)),
               *unit = hs_rowfile_text(f, UNIT);
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
    return HS_OK;
}

static enum hs_status open_comparison(struct hs_page *page, const char *dir)
{
    struct compare_reading reading = {.page = page};
    HS_TRY(add_policies(page));
    if (page->group_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, &(struct hs_place){.file = dir}, NULL,
                       "the manifest of the comparison names no policies");
    for (uint32_t g = 0; g < page->group_count; g++) {
        struct figures *of = hs_arena_alloc(&page->arena, sizeof *of);
        reading.of[g] = of;
        if (page->groups[g].count > 0) { /* classes of the first run: compare.csv has none */
            const struct hs_summary *first = &page->runs[page->groups[g].first].summary.summary;
            memcpy(of->summary.classes, first->classes,
                   first->class_count * sizeof *first->classes);
            of->summary.class_count = first->class_count;
        }
        page->groups[g].figures.summary = &of->summary;
        page->groups[g].figures.means = of->means;
        page->groups[g].figures.ratios = g > 0 ? of->ratios : NULL;
    }
    const struct hs_page_run place = {.dir = dir, .manifest = page->manifest};
    return hs_page_read(page, &place, "compare.csv", columns, read_row, &reading);
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
    if (page->kind == HS_PAGE_RUNS) {
        HS_TRY(open_runs(page, paths, count));
    } else {
        page->dir = paths[0];
        HS_TRY(hs_runmanifest_open(&page->manifest, page->dir, page->diag));
        HS_TRY(page->kind == HS_PAGE_SWEEP ? hs_page_read_sweep(page, hs_sweep_metrics, NULL)
                                           : open_comparison(page, page->dir));
    }
    for (uint32_t i = 0; i < page->group_count; i++)
        page->rows[i] = page->groups[i].figures;
    return HS_OK;
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

uint32_t hs_page_drawn(const struct hs_page *page)
{
    return page->group_count < HS_PAGE_DRAWN_MAX ? page->group_count : HS_PAGE_DRAWN_MAX;
}
