/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page: its head, its sections in order, and its tables: the runs, all metrics (cells are
 * rounded; the attribute data-value has all digits), and assumptions, configuration, inputs and
 * outputs with their hashes, checks and warnings, from the manifests. What differs between runs
 * with the same inputs (host, times) is omitted, so that the page does not differ either.
 */
#include "report/html/page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/fixed.h"

#define TITLE_GROUPS  4u /* groups named in the title */
#define COLUMNS_SHOWN 8  /* as many as fit beside each other; "All metrics" has the others */

/* ---- operands ---- */

/* Returns DIR/NAME, allocated in the page's arena. */
static const char *path_of(struct hs_page *page, const char *dir, const char *name)
{
    const char *path = HS_PATH("%s/%s", dir, name);
    return hs_arena_text(&page->arena, path, strlen(path));
}

bool hs_page_has(const struct hs_page *page, uint32_t group, const char *name)
{
    const struct hs_page_group *g = &page->groups[group];
    return g->count > 0 && hs_rundir_has(page->runs[g->first].manifest.dir, name);
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

enum hs_status hs_page_add_group(struct hs_page *page, const char *label,
                                 const struct hs_json *card, uint32_t first, uint32_t count)
{
    if (page->group_count == HS_PAGE_GROUPS_MAX)
        return hs_fail(page->diag, HS_E_LIMIT, NULL, "make several reports",
                       "a report has at most %u runs or policies", HS_PAGE_GROUPS_MAX);
    page->rows[page->group_count] =
        (struct hs_table_row){.label = label,
                              .can = hs_json_text(hs_json_get(card, "can")),
                              .summary = count > 0 ? &page->runs[first].summary.summary : NULL};
    page->groups[page->group_count++] = (struct hs_page_group){first, count, card};
    page->drawn += page->drawn < HS_PAGE_DRAWN_MAX;
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

/* Chooses labels that are unique among the runs: policies, else directory names, else paths. */
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
        HS_TRY(hs_page_add_group(page, labels[i], page->runs[i].summary.card, i, 1));
    return HS_OK;
}

/* ---- a comparison ---- */

/* Adds the policies of the manifest with their kept runs; the runs of a policy are adjacent. */
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
            if (!hs_rundir_is_name(name))
                return hs_fail(page->diag, HS_E_INPUT, HS_AT({.file = page->manifest.dir}), NULL,
                               "a run of the manifest lies outside the directory");
            const char *dir = path_of(page, path_of(page, page->manifest.dir, HS_RUNS_DIR), name);
            if (access(dir, F_OK) == 0)
                HS_TRY(add_run(page, dir));
        }
        if (policy != NULL)
            HS_TRY(hs_page_add_group(page, policy, hs_renamed_get(p, "assumptions"), first,
                                     page->run_count - first));
    }
    return HS_OK;
}

/* The figures of a group, to which its row of the table points. */
struct hs_page_figures {
    struct hs_summary summary;
    struct hs_replicated means[HS_METRICS_MAX], ratios[HS_METRICS_MAX];
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
    struct hs_page *page = ctx;
    struct compare_row row = {.policy = NULL};
    uint32_t g = 0;
    HS_TRY(hs_rowfile_read(f, &row));
    while (g < page->group_count && strcmp(page->rows[g].label, row.policy) != 0)
        g++;
    if (g == page->group_count)
        return hs_rowfile_bad(f, "policy", "a policy of the manifest");
    struct hs_page_figures *of = &page->figures[g];
    if (of->summary.count == HS_METRICS_MAX)
        return hs_rowfile_bad(f, "metric", "one of the metrics that a summary has room for");
    const char *metric = hs_present_name(row.metric);
    of->means[of->summary.count] = row.mean;
    of->ratios[of->summary.count] = row.ratio;
    of->summary.metrics[of->summary.count++] = (struct hs_metric){
        .name = hs_arena_text(&page->arena, metric, strlen(metric)),
        .unit = hs_arena_text(&page->arena, row.unit, strlen(row.unit)),
        .value = row.mean.value,
    };
    return HS_OK;
}

enum { SECOND, LOW, HIGH };
static const struct hs_rowcell order_cells[] = {
    {"second", HS_ROWCELL_TEXT, sizeof(char *) * SECOND},
    {"ratio_low", HS_ROWCELL_TEXT_IF_ANY, sizeof(char *) * LOW},
    {"ratio_high", HS_ROWCELL_TEXT_IF_ANY, sizeof(char *) * HIGH},
    {NULL, HS_ROWCELL_TEXT, 0},
};

/* The first row has the best policy; its ratio is absent below two runs, and in old files. */
static enum hs_status read_order(void *ctx, const struct hs_rowfile *f)
{
    struct hs_page *page = ctx;
    const char *row[] = {"", "", ""};
    double low, high;
    HS_TRY(hs_rowfile_read(f, row));
    if (page->next == NULL && hs_parse_double(row[LOW], strlen(row[LOW]), &low) &&
        hs_parse_double(row[HIGH], strlen(row[HIGH]), &high))
        page->to_next = (struct hs_replicated){.low = low, .high = high};
    if (page->next == NULL)
        page->next = hs_arena_text(&page->arena, row[SECOND], strlen(row[SECOND]));
    return HS_OK;
}

static enum hs_status open_comparison(struct hs_page *page)
{
    HS_TRY(add_policies(page));
    if (page->group_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, HS_AT({.file = page->manifest.dir}), NULL,
                       "the manifest of the comparison names no policies");
    page->figures = hs_arena_alloc(&page->arena, page->group_count * sizeof *page->figures);
    for (uint32_t g = 0; g < page->group_count; g++) {
        struct hs_page_figures *of = &page->figures[g];
        const struct hs_summary *first = page->rows[g].summary;
        if (first != NULL) { /* classes of the first run, as compare.csv has none */
            memcpy(of->summary.classes, first->classes,
                   first->class_count * sizeof *first->classes);
            of->summary.class_count = first->class_count;
        }
        page->rows[g].summary = &of->summary;
        page->rows[g].means = of->means;
        page->rows[g].ratios = g > 0 ? of->ratios : NULL;
    }
    HS_TRY(hs_rowfile_each(&page->manifest, "order.csv", order_cells, read_order, page));
    return hs_rowfile_each(&page->manifest, "compare.csv", compare_cells, read_row, page);
}

/* ---- kind of a directory ---- */

static enum hs_status check_operand(struct hs_page *page, const char *path, uint32_t count,
                                    enum hs_page_kind *kind)
{
    const struct hs_place place = {.file = path};
    if (access(path, F_OK) != 0)
        return hs_fail(page->diag, HS_E_IO, &place, NULL, "cannot open: %s", strerror(errno));
    *kind = hs_rundir_has(path, "compare.csv") ? HS_PAGE_COMPARISON
            : hs_rundir_has(path, "sweep.csv") ? HS_PAGE_SWEEP
                                               : HS_PAGE_RUNS;
    if (hs_rundir_has(path, "paired.csv"))
        return hs_fail(page->diag, HS_E_USAGE, &place, "name the two runs themselves",
                       "a comparison of two runs job by job is not reported");
    if (*kind != HS_PAGE_RUNS && count > 1)
        return hs_fail(page->diag, HS_E_USAGE, &place, "make a report of it alone",
                       "a %s cannot be combined with other operands",
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
    return page->kind == HS_PAGE_SWEEP ? hs_page_read_sweep(page, NULL, NULL)
                                       : open_comparison(page);
}

void hs_page_close(struct hs_page *page)
{
    for (uint32_t i = 0; i < page->run_count; i++) {
        hs_runmanifest_close(&page->runs[i].manifest);
        hs_json_close(page->runs[i].summary.doc);
    }
    hs_page_close_sweep(page);
    hs_runmanifest_close(&page->manifest);
    hs_free(page->runs);
    hs_free(page->groups);
    hs_free(page->rows);
    hs_arena_free(&page->arena);
}

/* ---- shared by sections ---- */

void hs_page_begin_table(struct hs_page *page, const char *summary, const char *class)
{
    if (summary != NULL)
        hs_say(page->out, "<details><summary>%s</summary>\n", summary);
    hs_say(page->out, "<div class=\"wide\"><table class=\"%s\"><thead><tr>", class);
}

void hs_page_metric_head(struct hs_page *page, const char *metric)
{
    hs_markup(page->out, "<th scope=\"col\" title=\"%s\">%s</th>", metric,
              HS_TITLE(hs_runcolumn_of(metric).title));
}

void hs_page_metric_table(struct hs_page *page, const char *const *metrics, size_t count,
                          bool has_ids)
{
    hs_page_begin_table(page, NULL, "figures");
    hs_say(page->out, "<th></th>");
    for (size_t m = 0; m < count; m++)
        hs_page_metric_head(page, metrics[m]);
    hs_say(page->out, HS_TABLE_ROWS);
    for (uint32_t g = 0; g < page->group_count; g++) {
        const char *label = page->rows[g].label;
        hs_say(page->out, "<tr");
        if (has_ids)
            hs_markup(page->out, " data-run=\"%s\"", label);
        hs_markup(page->out, "><th scope=\"row\">%s</th>", label);
        for (size_t m = 0; m < count; m++)
            hs_page_metric_cell(page, metrics[m],
                                hs_summary_get(page->rows[g].summary, metrics[m]));
        hs_say(page->out, "</tr>\n");
    }
    hs_say(page->out, HS_TABLE_END "\n");
}

/* Writes the rest of a start tag and the value after it. */
static void put_value(struct hs_output *out, const struct hs_runcolumn *column, double value)
{
    hs_markup(out, " data-metric=\"%s\"", column->metric);
    if (!isnan(value))
        hs_say(out, " data-value=\"%s\"", HS_DIGITS(value));
    hs_markup(out, ">%s", HS_COLUMN_TEXT(column, value));
}

void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below)
{
    hs_say(out, "<td");
    if (class != NULL)
        hs_say(out, " class=\"%s\"", class);
    put_value(out, column, value);
    if (below[0] != '\0')
        hs_markup(out, "<small>%s</small>", below);
    hs_say(out, "</td>");
}

void hs_page_metric_cell(struct hs_page *page, const char *metric, double value)
{
    const struct hs_runcolumn column = hs_runcolumn_of(metric);
    hs_html_cell(page->out, &column, value, NULL, "");
}

static const char *const files_of[][3] = {[HS_FROM_JOBS] = {"jobs.csv"},
                                          [HS_FROM_SERIES] = {"series.csv"},
                                          [HS_FROM_SEGMENTS] = {"segments.csv", "nodes.csv"}};

/* Tells whether some drawn run has each file of the source. */
static bool has_files(const struct hs_page *page, enum hs_page_source source)
{
    for (const char *const *name = files_of[source]; *name != NULL; name++) {
        uint32_t having = 0;
        for (uint32_t g = 0; g < page->drawn; g++)
            having += hs_page_has(page, g, *name);
        if (having == 0)
            return false;
    }
    return true;
}

/* Notes the drawn runs without a file of the source; a figure needs the files of all. */
static enum hs_status note_missing(struct hs_page *page, enum hs_page_source source)
{
    for (const char *const *name = files_of[source]; *name != NULL; name++)
        for (uint32_t g = 0; g < page->drawn; g++) {
            const struct hs_page_group *group = &page->groups[g];
            const bool has_run = group->count > 0;
            if (hs_page_has(page, g, *name))
                continue;
            if (page->figure != NULL)
                return hs_fail(page->diag, HS_E_INPUT,
                               HS_AT({.file = has_run ? page->runs[group->first].manifest.dir
                                                      : page->manifest.dir}),
                               "repeat it with --outputs=all",
                               has_run ? "there is no %s: --outputs left it out"
                                       : "the comparison kept no runs, hence no %s",
                               *name);
            HS_PAGE_NOTE(page, "%s has no %s and is left out.", page->rows[g].label, *name);
        }
    return HS_OK;
}

/* Times before 1990 are those of a clock that begins with the trace. */
#define CALENDAR_US (INT64_C(7305) * 86400 * HS_US_PER_S)

/* Returns the origin of time of the drawn runs if all have the same; else 0. */
static int64_t origin_of(const struct hs_page *page)
{
    int64_t origin_us = 0;
    for (uint32_t g = 0; g < page->drawn; g++) {
        if (page->groups[g].count == 0)
            return 0;
        const struct hs_json *root = hs_json_root(page->runs[page->groups[g].first].manifest.doc);
        const double own_s = hs_json_number(hs_json_get(root, "origin"));
        const int64_t own_us = own_s > 0 ? (int64_t)own_s * HS_US_PER_S : 0;
        if (own_us < CALENDAR_US || (g > 0 && own_us != origin_us))
            return 0;
        origin_us = own_us;
    }
    return origin_us;
}

bool hs_page_can_draw(struct hs_page *page, enum hs_page_source source, enum hs_status *status)
{
    *status = note_missing(page, source);
    if (*status != HS_OK || !has_files(page, source))
        return false;
    if (source < HS_FROM_SERIES)
        return true;
    page->origin_us = origin_of(page);
    page->span_s = 0;
    for (uint32_t g = 0; g < page->drawn; g++)
        page->span_s = fmax(page->span_s, hs_page_end_s(page, g));
    if (page->span_s > 0)
        return true;
    if (page->figure == NULL)
        HS_PAGE_NOTE(page, "Left out: no time passed in the simulation.");
    else
        *status = hs_fail(page->diag, HS_E_INPUT, NULL, NULL, "no time passed in the simulation");
    return false;
}

/* ---- objects of manifests and cards ---- */

/* Returns the text of a member; "" if absent. */
static const char *text_of(const struct hs_json *object, const char *key)
{
    const char *text = hs_json_text(hs_json_get(object, key));
    return text != NULL ? text : "";
}

/* Formats a value as one line; lists with commas. */
static void value_text(const struct hs_json *value, char text[HS_PAGE_VALUE_SIZE])
{
    char number[HS_RUNMANIFEST_NUMBER_SIZE];
    text[0] = '\0';
    if (hs_json_kind(value) == HS_JSON_ARRAY) {
        for (const struct hs_json *v = hs_json_first(value); v != NULL; v = hs_json_next(v)) {
            const char *one = hs_runmanifest_text(v, number);
            hs_append(text, HS_PAGE_VALUE_SIZE, "%s%s", text[0] != '\0' ? ", " : "",
                      one != NULL ? one : "...");
        }
        return;
    }
    const char *one = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "yes" : "no")
                                                          : hs_runmanifest_text(value, number);
    (void)snprintf(text, HS_PAGE_VALUE_SIZE, "%s", one != NULL ? one : "");
}

/* The objects that a table lists by key: cards of the groups, or configurations of their first
 * runs; a comparison or sweep has one configuration, regardless of the number of groups. */
enum stated { CARD, CONFIG };

static const struct hs_json *object_of(const struct hs_page *page, enum stated of, uint32_t group)
{
    return of == CARD                   ? page->groups[group].card
           : page->kind == HS_PAGE_RUNS ? page->runs[page->groups[group].first].manifest.config
                                        : page->manifest.config;
}

static uint32_t columns_of(const struct hs_page *page, enum stated of)
{
    return of == CONFIG && page->kind != HS_PAGE_RUNS ? 1 : page->group_count;
}

static bool is_alike(const struct hs_page *page, enum stated of, const char *key)
{
    char first[HS_PAGE_VALUE_SIZE], other[HS_PAGE_VALUE_SIZE];
    value_text(hs_json_get(object_of(page, of, 0), key), first);
    for (uint32_t g = 1; g < columns_of(page, of); g++) {
        value_text(hs_json_get(object_of(page, of, g), key), other);
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* ---- head ---- */

/* Writes "2000 jobs of sample on 16x8:V100 under 4 policies." */
static void say_what(struct hs_page *page)
{
    struct hs_output *out = page->out;
    const struct hs_json *card = page->groups[0].card;
    const double jobs = hs_summary_get(page->rows[0].summary, "n_jobs");
    bool is_same = !isnan(jobs);
    for (uint32_t g = 1; g < page->group_count; g++)
        is_same = is_same && hs_summary_get(page->rows[g].summary, "n_jobs") == jobs;
    hs_say(out, "<p class=\"lead\">");
    if (!is_alike(page, CARD, "workload")) {
        hs_say(out, "Different workloads");
    } else {
        if (is_same)
            hs_say(out, "%.0f jobs of ", jobs);
        hs_markup(out, is_same ? "<b>%s</b>" : "Jobs of <b>%s</b>", text_of(card, "workload"));
    }
    if (is_alike(page, CARD, "cluster"))
        hs_markup(out, " on <b>%s</b>", text_of(card, "cluster"));
    else
        hs_say(out, " on different clusters");
    if (page->group_count == 1)
        hs_markup(out, ", scheduled by <b>%s</b>", text_of(card, "policy"));
    else
        hs_say(out, page->kind == HS_PAGE_COMPARISON ? ", scheduled by %u policies" : ", %u runs",
               page->group_count);
    hs_say(out, ".</p>\n");
}

/* Warns of jobs that are not in the statistics. */
static void warn(struct hs_page *page)
{
    static const struct {
        const char *metric, *text;
    } kinds[] = {{"n_rejected", "rejected, because they can never fit"},
                 {"n_unfinished", "cut by the end of the simulation"},
                 {"n_failed", "ended before their work was done"}};
    if (!is_alike(page, CARD, "workload") || !is_alike(page, CARD, "cluster"))
        hs_say(page->out, "<p class=\"caution\">The runs differ in workload or cluster: ratios "
                          "and best marks below compare different problems.</p>\n");
    for (uint32_t g = 0; g < page->group_count; g++)
        for (size_t k = 0; k < HS_COUNT_OF(kinds); k++) {
            const struct hs_table_row *row = &page->rows[g];
            const double jobs = hs_summary_get(row->summary, kinds[k].metric);
            if (!(jobs > 0))
                continue;
            hs_say(page->out, "<p class=\"caution\">");
            if (page->group_count > 1)
                hs_markup(page->out, "%s: ", row->label);
            hs_say(page->out, "%.6g of %.0f jobs were %s; statistics of jobs are over the others.",
                   jobs, hs_summary_get(row->summary, "n_jobs"), kinds[k].text);
            for (uint32_t i = 0; k == 0 && i < row->summary->rejection_count; i++) {
                const struct hs_rejection *rejection = &row->summary->rejections[i];
                hs_markup(page->out, "%s %s: %" PRIu64,
                          i > 0 ? ";" : " By reason:", rejection->reason, rejection->jobs);
            }
            hs_say(page->out, "</p>\n");
        }
}

static void put_head(struct hs_page *page)
{
    static const char *const tiles[] = {"mean_jct",        "p95_jct",  "p99_jct",  "mean_wait",
                                        "p95_wait",        "p99_wait", "makespan", "gpu_allocation",
                                        "gpu_utilization", NULL};
    const struct hs_run_table table = {.rows = page->rows,
                                       .row_count = page->group_count,
                                       .next = page->next,
                                       .to_next = page->to_next};
    char finding[HS_FINDING_SIZE];
    if (is_alike(page, CARD, "workload") && is_alike(page, CARD, "cluster") &&
        hs_table_finding(&table, finding)[0] != '\0')
        hs_markup(page->out, "<p class=\"finding\">%s</p>\n", finding);
    say_what(page);
    warn(page);
    if (page->group_count > 1)
        return;
    hs_say(page->out, "<dl class=\"tiles\">\n");
    for (const char *const *metric = tiles; *metric != NULL; metric++) {
        const struct hs_runcolumn column = hs_runcolumn_of(*metric);
        if (isnan(hs_summary_get(page->rows[0].summary, *metric)))
            continue;
        hs_markup(page->out, "<div><dt>%s</dt><dd", column.title);
        put_value(page->out, &column, hs_summary_get(page->rows[0].summary, *metric));
        hs_say(page->out, "</dd></div>\n");
    }
    hs_say(page->out, "</dl>\n");
}

/* ---- the summary ---- */

static void put_labels(struct hs_page *page, uint32_t count)
{
    for (uint32_t g = 0; g < count; g++)
        hs_markup(page->out, "<th scope=\"col\">%s</th>", page->rows[g].label);
}

/* One row per run: the first has intervals of its means below the values, the others ratios. */
static void put_runs(struct hs_page *page, const struct hs_run_table *table)
{
    struct hs_output *out = page->out;
    struct hs_runcolumn chosen[COLUMNS_SHOWN];
    uint32_t count = 0;
    const char *metric;
    for (uint32_t i = 0; (metric = hs_table_run_column(i)) != NULL && count < COLUMNS_SHOWN; i++) {
        chosen[count] = hs_runcolumn_of(metric);
        count += hs_table_is_telling(table, &chosen[count]);
    }
    hs_page_begin_table(page, NULL, "figures");
    hs_say(out, "<th></th>");
    for (uint32_t c = 0; c < count; c++)
        hs_page_metric_head(page, chosen[c].metric);
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t g = 0; g < page->group_count; g++) {
        const struct hs_table_row *row = &page->rows[g];
        hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\"><i class=\"%s\"></i>%s</th>",
                  row->label, g < HS_PAGE_DRAWN_MAX ? hs_page_colour(g) : "", row->label);
        for (uint32_t c = 0; c < count; c++) {
            const double value = hs_summary_get(row->summary, chosen[c].metric);
            hs_html_cell(out, &chosen[c], value,
                         value == hs_table_best(table, &chosen[c]) ? "best" : NULL,
                         HS_BELOW(row, chosen[c].metric));
        }
        hs_say(out, "</tr>\n");
    }
    hs_say(out, HS_TABLE_END "\n");
    for (uint32_t c = 0; c < count; c++)
        if (hs_table_is_assumed(table, chosen[c].metric))
            HS_PAGE_NOTE(page, "%s is assumed: it depends on profiles drawn for the jobs.",
                         chosen[c].title);
}

static enum hs_status put_summary(struct hs_page *page)
{
    const struct hs_run_table table = {.rows = page->rows, .row_count = page->group_count};
    const char *first = page->rows[0].label;
    struct hs_output *out = page->out;
    if (page->group_count > 1) {
        put_runs(page, &table);
        if (page->kind == HS_PAGE_COMPARISON && !isnan(page->rows[0].means[0].low))
            HS_PAGE_NOTE(page,
                         "Means over the runs of each policy; below, the ratio to %s with its 95 "
                         "%% interval over pairs of runs (of %s itself: half the interval of its "
                         "mean). The best of each column is marked.",
                         first, first);
        else
            HS_PAGE_NOTE(page,
                         "Below each value is its ratio to %s. The best of each column is marked.",
                         first);
    }
    hs_page_begin_table(page, "All metrics", "figures all");
    hs_say(out, "<th></th><th></th>");
    put_labels(page, page->group_count);
    hs_say(out, "<th></th>" HS_TABLE_ROWS);
    for (uint32_t m = 0; m < page->rows[0].summary->count; m++) {
        const struct hs_metric *metric = &page->rows[0].summary->metrics[m];
        const struct hs_runcolumn column = hs_runcolumn_of(metric->name);
        const double best = hs_table_best(&table, &column);
        const char *why = NULL; /* why it is absent */
        hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>", metric->name,
                  hs_is_listed("1,s", ',', metric->unit) ? ""
                                                         : metric->unit); /* 6.10 d has its own */
        for (uint32_t g = 0; g < page->group_count; g++) {
            const struct hs_summary *of = page->rows[g].summary;
            const double value = hs_summary_get(of, metric->name);
            hs_html_cell(out, &column, value, value == best ? "best" : NULL, "");
            if (why == NULL && m < of->count)
                why = of->metrics[m].absent_because;
        }
        hs_markup(out, "<td class=\"text\">%s</td></tr>\n", why != NULL ? why : "");
    }
    hs_say(out, HS_TABLE_END "</details>\n");
    return HS_OK;
}

/* ---- setup of the runs ---- */

/* One row per key, with a single cell across all groups if they agree: keys of the first group,
 * then those that only later groups have. */
static void put_object(struct hs_page *page, enum stated of)
{
    struct hs_output *out = page->out;
    const uint32_t columns = columns_of(page, of);
    char text[HS_PAGE_VALUE_SIZE];
    hs_say(out, "<div class=\"wide\"><table class=\"method\">");
    if (columns > 1) {
        hs_say(out, "<thead><tr><th></th>");
        put_labels(page, columns);
        hs_say(out, "</tr></thead>\n");
    }
    hs_say(out, "<tbody>\n");
    for (uint32_t g = 0; g < columns; g++) {
        const struct hs_json *v = hs_json_first(object_of(page, of, g));
        for (; v != NULL; v = hs_json_next(v)) {
            const char *key = hs_json_key(v);
            const bool alike = is_alike(page, of, key);
            bool is_new = true;
            for (uint32_t before = 0; before < g && is_new; before++)
                is_new = hs_json_get(object_of(page, of, before), key) == NULL;
            value_text(hs_json_get(object_of(page, of, g), key), text);
            if (!is_new || (of == CARD && alike && text[0] == '\0')) /* nothing is said of it */
                continue;
            hs_markup(out, "<tr><th scope=\"row\">%s</th>", key);
            for (uint32_t c = 0; c < (alike ? 1 : columns); c++) {
                value_text(hs_json_get(object_of(page, of, c), key), text);
                if (of == CONFIG)
                    hs_page_swept(page, key, text);
                hs_say(out, "<td class=\"text\"");
                if (alike)
                    hs_say(out, " colspan=\"%" PRIu32 "\"", columns);
                hs_markup(out, ">%s</td>", text);
            }
            hs_say(out, "</tr>\n");
        }
    }
    hs_say(out, HS_TABLE_END "\n");
}

/* Writes the files of a list; member `name` is their name. */
static void put_files(struct hs_output *out, const struct hs_json *list, const char *name)
{
    static const char *const counts[] = {"rows", "bytes"};
    for (const struct hs_json *f = hs_json_first(list); f != NULL; f = hs_json_next(f)) {
        if (strcmp(text_of(f, name), HS_PAGE_FILE) == 0) /* the page cannot list itself */
            continue;
        hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>", text_of(f, name),
                  text_of(f, "role"));
        for (size_t i = 0; i < HS_COUNT_OF(counts); i++) {
            char text[HS_PAGE_VALUE_SIZE];
            value_text(hs_json_get(f, counts[i]), text);
            hs_markup(out, "<td>%s</td>", strcmp(text, "0") == 0 ? "" : text);
        }
        hs_markup(out, "<td class=\"text\"><code>%s</code></td></tr>\n", text_of(f, "xxh3_64"));
    }
}

static void put_stated(struct hs_output *out, const struct hs_json *root, const char *key)
{
    const struct hs_json *value = hs_json_get(root, key), *count = hs_json_first(value);
    char text[HS_PAGE_VALUE_SIZE];
    if (hs_json_text(value) == NULL && count == NULL)
        return;
    hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s", key, text_of(root, key));
    for (bool is_first = true; count != NULL; count = hs_json_next(count), is_first = false) {
        value_text(count, text);
        hs_markup(out, "%s%s %s", is_first ? "" : ", ", hs_json_key(count), text);
    }
    hs_say(out, "</td></tr>\n");
}

/* Warnings, or files and program, from a manifest. label: "", or the run's label and ": ". */
static void put_warnings(struct hs_page *page, const struct hs_json *root, const char *label)
{
    for (const struct hs_json *w = hs_json_first(hs_json_get(root, "warnings")); w != NULL;
         w = hs_json_next(w))
        if (hs_json_text(w) != NULL)
            hs_markup(page->out, "<p class=\"caution\">%s%s%s</p>\n", label,
                      label[0] != '\0' ? ": " : "", hs_json_text(w));
}

static void put_manifest(struct hs_page *page, const struct hs_json *root, const char *label)
{
    static const char *const keys[] = {"version",   "commit", "compiler", "flags",
                                       "libraries", "engine", "assigned", "checks"};
    struct hs_output *out = page->out;
    const char *colon = label[0] != '\0' ? ": " : "";
    hs_markup(out, "<details><summary>Inputs and outputs%s%s</summary>\n", colon, label);
    hs_page_begin_table(page, NULL, "figures");
    hs_say(out,
           "<th>file</th><th>role</th><th>rows</th><th>bytes</th><th>XXH3-64</th>" HS_TABLE_ROWS);
    put_files(out, hs_json_get(root, "inputs"), "path");
    put_files(out, hs_json_get(root, "outputs"), "name");
    hs_say(out, HS_TABLE_END "\n</details>\n");
    hs_markup(out, "<details><summary>Program and checks%s%s</summary>\n", colon, label);
    hs_say(out, "<div class=\"wide\"><table class=\"method\"><tbody>\n");
    for (size_t i = 0; i < HS_COUNT_OF(keys); i++)
        put_stated(out, root, keys[i]);
    hs_say(out, HS_TABLE_END "\n</details>\n");
}

/* Calls put for the manifest of a comparison or sweep, or for that of each run, with its label if
 * there are several. */
static void with_manifests(struct hs_page *page,
                           void (*put)(struct hs_page *page, const struct hs_json *root,
                                       const char *label))
{
    if (page->kind != HS_PAGE_RUNS)
        put(page, hs_json_root(page->manifest.doc), "");
    for (uint32_t g = 0; g < page->group_count && page->kind == HS_PAGE_RUNS; g++)
        put(page, hs_json_root(page->runs[page->groups[g].first].manifest.doc),
            page->group_count > 1 ? page->rows[g].label : "");
}

static enum hs_status put_method(struct hs_page *page)
{
    with_manifests(page, put_warnings);
    if (page->kind != HS_PAGE_SWEEP)
        put_object(page, CARD);
    hs_say(page->out, "<details><summary>Configuration</summary>\n");
    put_object(page, CONFIG);
    hs_say(page->out, "</details>\n");
    with_manifests(page, put_manifest);
    return HS_OK;
}

/* ---- the page ---- */

static const struct section {
    const char *id, *heading;
    hs_page_part *put;
    enum hs_page_source source;
} of_runs[] = {{"summary", "Summary", put_summary, HS_FROM_SUMMARY},
               {"distributions", "Distributions", hs_put_distributions, HS_FROM_JOBS},
               {"backtest", "Compared with the recorded schedule", hs_put_backtest,
                HS_FROM_BACKTEST},
               {"deadlines", "Deadlines", hs_put_deadlines, HS_FROM_DEADLINES},
               {"time", "Over time", hs_put_time, HS_FROM_SERIES},
               {"waiting", "Causes of waiting", hs_put_waiting, HS_FROM_SUMMARY},
               {"failures", "Failures and drains", hs_put_outages, HS_FROM_OUTAGES},
               {"classes", "Classes of jobs", hs_put_classes, HS_FROM_SUMMARY},
               {"teams", "Users and virtual clusters", hs_put_teams, HS_FROM_JOBS},
               {"nodes", "Nodes", hs_put_nodes, HS_FROM_SEGMENTS},
               {"method", "Method", put_method, HS_FROM_SUMMARY},
               {.id = NULL}},
  of_a_sweep[] = {{"results", "Results", hs_put_results, HS_FROM_SUMMARY},
                  {"points", "Points", hs_put_points, HS_FROM_SUMMARY},
                  {"method", "Method", put_method, HS_FROM_SUMMARY},
                  {.id = NULL}};

static bool is_wanted(const struct hs_page *page, const struct section *section)
{
    bool has_backtest = section->source != HS_FROM_BACKTEST;
    for (uint32_t g = 0; g < page->drawn && !has_backtest; g++)
        has_backtest = hs_page_has(page, g, "backtest.csv");
    return has_backtest &&
           (section->source != HS_FROM_DEADLINES ||
            hs_page_has_metric(page, "deadline_miss_share")) &&
           (section->source != HS_FROM_OUTAGES || hs_page_has_metric(page, "availability"));
}

/* Tells whether the runs have what a section shows. */
static bool is_shown(const struct hs_page *page, const struct section *section)
{
    return has_files(page, section->source) &&
           (section->put != hs_put_classes || page->run_count > 0);
}

/* Writes links to the sections, and the names of those left out. */
static void put_contents(struct hs_page *page, const struct section *sections)
{
    const char *separator = page->run_count == 0
                                ? "<p class=\"note\">Left out, as the comparison kept no runs: "
                                : "<p class=\"note\">Left out, as their files were not kept: ";
    hs_say(page->out, "<nav>");
    for (const struct section *s = sections; s->id != NULL; s++)
        if (is_wanted(page, s) && is_shown(page, s))
            hs_say(page->out, "<a href=\"#%s\">%s</a> ", s->id, s->heading);
    hs_say(page->out, "</nav>\n");
    for (const struct section *s = sections; s->id != NULL; s++) {
        if (!is_wanted(page, s) || is_shown(page, s))
            continue;
        hs_say(page->out, "%s%s", separator, s->heading);
        separator = ", ";
    }
    if (separator[0] == ',')
        hs_say(page->out, ". Repeat with --outputs=all.</p>\n");
}

static void put_title(struct hs_page *page)
{
    const struct hs_json *of = page->kind == HS_PAGE_SWEEP
                                   ? hs_json_get(hs_json_root(page->manifest.doc), "sweep")
                                   : page->groups[0].card;
    hs_markup(page->out, "%s", text_of(of, page->kind == HS_PAGE_SWEEP ? "name" : "workload"));
    for (uint32_t g = 0; g < page->group_count && g < TITLE_GROUPS; g++)
        hs_markup(page->out, "%s%s", g == 0 ? ": " : ", ", page->rows[g].label);
    if (page->group_count > TITLE_GROUPS)
        hs_say(page->out, ", ...");
}

/* SHA-256 of what stands between the tags of the script, in Base64: the only script that runs. */
#define SCRIPT_HASH "sha256-qkl7FW+F14H0Z0W/dUSD5nNJ/VjtkFfVtN4HV3PPVNM="

/* The content security policy guarantees that nothing is fetched, whatever a name in a trace
 * contains. */
enum hs_status hs_page_write(struct hs_page *page, struct hs_output *out)
{
    static const char comment_end[] = "*/\n"; /* of a head that is omitted */
    const struct section *const sections = page->kind == HS_PAGE_SWEEP ? of_a_sweep : of_runs;
    const char *css = strstr(hs_builtin_find(HS_BUILTIN "report.css")->data, comment_end);
    const char *script =
        strstr(hs_builtin_find(HS_BUILTIN "report.js")->data, comment_end) + strlen(comment_end);
    enum hs_status status;
    page->out = out;
    hs_say(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; img-src data:; script-src '" SCRIPT_HASH "'\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    put_title(page);
    hs_say(out, "</title>\n<style>\n");
    hs_output_put(out, css + strlen(comment_end), strlen(css) - strlen(comment_end));
    hs_say(out, "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"brand\">horus "
                "report</p>\n<h1>");
    put_title(page);
    hs_say(out, "</h1>\n");
    if (page->kind == HS_PAGE_SWEEP)
        hs_page_sweep_head(page);
    else
        put_head(page);
    put_contents(page, sections);
    hs_say(out, "</header>\n");
    for (const struct section *s = sections; s->id != NULL && out->error == 0; s++) {
        if (!is_wanted(page, s) || !is_shown(page, s))
            continue;
        hs_say(out, "<section id=\"%s\">\n<h2>%s</h2>\n", s->id, s->heading);
        if (hs_page_can_draw(page, s->source, &status))
            HS_TRY(s->put(page));
        hs_say(out, "</section>\n");
    }
    hs_say(out, "</main>\n<script>//<![CDATA[\n");
    hs_output_put(out, script, strlen(script));
    hs_say(out, "//]]></script>\n</body>\n</html>\n");
    return HS_OK;
}
