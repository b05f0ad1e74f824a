/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operands of `horus report` are, and the manifests and summaries of finished runs.
 */
#include "report/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *hs_page_path(struct hs_page *page, const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    int len = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (len < 0 || (size_t)len >= sizeof path)
        return NULL;
    return hs_arena_text(&page->arena, path, (size_t)len);
}

static enum hs_status no_memory(struct hs_page *page)
{
    return hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "out of memory, or a path too long");
}

/* Without memory of the page, so that a lack of it is not taken for the lack of a file. */
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
    if (path == NULL)
        return no_memory(page);
    enum hs_status s = hs_rowfile_open(&f, path, columns, page->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = each(ctx, &f);
    if (s == HS_E_MEMORY || s == HS_E_LIMIT)
        s = hs_fail(page->diag, s, &(struct hs_place){.file = path}, NULL,
                    "more rows than memory holds");
    if (s == HS_END && listed != NULL && listed->hash != hs_input_hash(f.input))
        hs_report(page->diag, HS_WARNING, &(struct hs_place){.file = path},
                  "`horus verify` says more",
                  "not the file that the manifest lists: it was changed after the run");
    hs_rowfile_close(&f);
    return s == HS_END ? HS_OK : s;
}

enum hs_status hs_page_add_run(struct hs_page *page, const char *dir)
{
    if (page->run_count == HS_PAGE_RUNS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs", HS_PAGE_RUNS_MAX);
    struct hs_page_run *run = &page->runs[page->run_count++];
    run->dir = dir;
    HS_TRY(hs_runmanifest_open(&run->manifest, dir, page->diag));
    const char *path = hs_page_path(page, dir, "summary.json");
    if (path == NULL)
        return no_memory(page);
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

static const char *policy_of(const struct hs_page_run *run)
{
    const char *policy = hs_json_text(hs_json_get(run->manifest.config, "policy"));
    return policy != NULL ? policy : "";
}

/* The label that tells all runs apart: the policy, else the name of the directory, else its path.
 */
enum naming { BY_POLICY, BY_NAME, BY_PATH };

static const char *label_of(struct hs_page *page, const struct hs_page_run *run, enum naming naming)
{
    return naming == BY_POLICY ? policy_of(run)
           : naming == BY_NAME ? base_name(page, run->dir)
                               : run->dir;
}

static bool tells_apart(struct hs_page *page, enum naming naming)
{
    for (uint32_t i = 0; i < page->run_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const char *a = label_of(page, &page->runs[i], naming),
                       *b = label_of(page, &page->runs[k], naming);
            if (a == NULL || b == NULL || strcmp(a, b) == 0)
                return false;
        }
    return true;
}

enum hs_status hs_page_open_runs(struct hs_page *page, const char *const *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        HS_TRY(hs_page_add_run(page, paths[i]));
    enum naming naming = BY_POLICY;
    while (naming != BY_PATH && !tells_apart(page, naming))
        naming++;
    for (uint32_t i = 0; i < count; i++) {
        const char *label = label_of(page, &page->runs[i], naming);
        if (label == NULL)
            return no_memory(page);
        HS_TRY(hs_page_add_group(page, label, page->runs[i].summary.card, i, 1));
    }
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

static enum hs_status make_room(struct hs_page *page)
{
    page->runs = hs_alloc_zeroed(HS_PAGE_RUNS_MAX, sizeof *page->runs);
    page->groups = hs_alloc_zeroed(HS_PAGE_GROUPS_MAX, sizeof *page->groups);
    page->rows = hs_alloc_zeroed(HS_PAGE_GROUPS_MAX, sizeof *page->rows);
    return page->runs != NULL && page->groups != NULL && page->rows != NULL ? HS_OK
                                                                            : no_memory(page);
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
    HS_TRY(make_room(page));
    if (page->kind == HS_PAGE_RUNS)
        HS_TRY(hs_page_open_runs(page, paths, count));
    else if (page->kind == HS_PAGE_SWEEP)
        HS_TRY(hs_page_open_sweep(page, paths[0]));
    else
        HS_TRY(hs_page_open_comparison(page, paths[0]));
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
