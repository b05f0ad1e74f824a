/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of the page: its head, the runs, all metrics (what a cell shows is rounded; its
 * attribute data-value has every digit), and what was run: assumptions, configuration, inputs
 * and outputs with their hashes, checks and warnings, from the manifests. What differs from one run
 * of the same thing to the next (host, times) is left out, so that the page does not differ either.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/html/page.h"

#define COLUMNS_SHOWN 10

#define VALUE_SIZE 1024

/* ---- objects of manifests and cards ---- */

/* The text of a member; "" for none. */
static const char *text_of(const struct hs_json *object, const char *key)
{
    const char *text = hs_json_text(hs_json_get(object, key));
    return text != NULL ? text : "";
}

/* A value as one line: lists with commas. */
static void value_text(const struct hs_json *value, char text[VALUE_SIZE])
{
    char number[HS_RUNMANIFEST_NUMBER_SIZE];
    size_t len = 0;
    text[0] = '\0';
    if (hs_json_kind(value) == HS_JSON_ARRAY) {
        for (const struct hs_json *v = hs_json_first(value); v != NULL && len < VALUE_SIZE;
             v = hs_json_next(v)) {
            const char *one = hs_runmanifest_text(v, number);
            int put = snprintf(text + len, VALUE_SIZE - len, "%s%s", len > 0 ? ", " : "",
                               one != NULL ? one : "...");
            len += put > 0 ? (size_t)put : 0;
        }
        return;
    }
    const char *one = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "yes" : "no")
                                                          : hs_runmanifest_text(value, number);
    (void)snprintf(text, VALUE_SIZE, "%s", one != NULL ? one : "");
}

/* Of a column: the card of a group, or the configuration of its first run. */
typedef const struct hs_json *(*object_of)(const struct hs_page *page, uint32_t group);

static const struct hs_json *card_of(const struct hs_page *page, uint32_t group)
{
    return page->groups[group].card;
}

static const struct hs_json *config_of(const struct hs_page *page, uint32_t group)
{
    return page->kind == HS_PAGE_RUNS ? page->runs[page->groups[group].first].manifest.config
                                      : page->manifest.config;
}

/* A comparison and a sweep have one configuration, however many groups. */
static uint32_t columns_of(const struct hs_page *page, object_of of)
{
    return of == config_of && page->kind != HS_PAGE_RUNS ? 1 : page->group_count;
}

static bool is_alike(const struct hs_page *page, object_of of, const char *key)
{
    char first[VALUE_SIZE], other[VALUE_SIZE];
    value_text(hs_json_get(of(page, 0), key), first);
    for (uint32_t g = 1; g < columns_of(page, of); g++) {
        value_text(hs_json_get(of(page, g), key), other);
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* ---- head ---- */

/* "2000 jobs of sample on 16x8:V100 under 4 policies." */
static void say_what(struct hs_page *page)
{
    struct hs_output *out = page->out;
    const struct hs_json *card = page->groups[0].card;
    const double jobs = hs_summary_get(page->groups[0].figures.summary, "n_jobs");
    bool is_same = !isnan(jobs);
    for (uint32_t g = 1; g < page->group_count; g++)
        is_same = is_same && hs_summary_get(page->groups[g].figures.summary, "n_jobs") == jobs;
    hs_say(out, "<p class=\"lead\">");
    if (!is_alike(page, card_of, "workload")) {
        hs_say(out, "Different workloads");
    } else {
        if (is_same)
            hs_say(out, "%.0f jobs of ", jobs);
        hs_markup(out, is_same ? "<b>%s</b>" : "Jobs of <b>%s</b>", text_of(card, "workload"));
    }
    if (is_alike(page, card_of, "cluster"))
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

/* What every reader should know before a figure: jobs that the statistics leave out. */
static void warn(struct hs_page *page)
{
    static const struct {
        const char *metric, *text;
    } kinds[] = {{"n_rejected", "rejected, because they can never fit"},
                 {"n_unfinished", "cut by the end of the simulation"},
                 {"n_failed", "ended before their work was done"}};
    if (!is_alike(page, card_of, "workload") || !is_alike(page, card_of, "cluster"))
        hs_say(page->out, "<p class=\"caution\">The runs differ in workload or cluster: ratios "
                          "and best marks below compare different problems.</p>\n");
    for (uint32_t g = 0; g < page->group_count; g++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const struct hs_table_row *row = &page->groups[g].figures;
            const double jobs = hs_summary_get(row->summary, kinds[k].metric);
            if (!(jobs > 0))
                continue;
            hs_say(page->out, "<p class=\"caution\">");
            if (page->group_count > 1)
                hs_markup(page->out, "%s: ", row->label);
            hs_say(page->out,
                   "%.6g of %.0f jobs were %s; statistics of jobs are over the others.</p>\n", jobs,
                   hs_summary_get(row->summary, "n_jobs"), kinds[k].text);
        }
}

void hs_page_head(struct hs_page *page)
{
    static const char *const tiles[] = {"mean_jct", "p99_jct",        "mean_wait",       "p99_wait",
                                        "makespan", "gpu_allocation", "gpu_utilization", NULL};
    say_what(page);
    warn(page);
    if (page->group_count > 1)
        return;
    hs_say(page->out, "<dl class=\"tiles\">\n");
    for (const char *const *metric = tiles; *metric != NULL; metric++) {
        const struct hs_runcolumn column = hs_runcolumn_of(*metric);
        hs_markup(page->out, "<div><dt>%s</dt><dd", column.title);
        hs_html_value(page->out, &column, hs_summary_get(page->groups[0].figures.summary, *metric));
        hs_say(page->out, "</dd></div>\n");
    }
    hs_say(page->out, "</dl>\n");
}

/* ---- figures ---- */

static void put_labels(struct hs_page *page, uint32_t count)
{
    for (uint32_t g = 0; g < count; g++)
        hs_markup(page->out, "<th scope=\"col\">%s</th>", page->groups[g].label);
}

/* A row a run. The first has intervals of its means below them, the others ratios to it. */
static void put_runs(struct hs_page *page, const struct hs_run_table *table)
{
    struct hs_output *out = page->out;
    struct hs_runcolumn chosen[COLUMNS_SHOWN];
    uint32_t count = 0;
    for (const char *const *m = hs_table_run_columns; *m != NULL && count < COLUMNS_SHOWN; m++) {
        chosen[count] = hs_runcolumn_of(*m);
        count += hs_table_is_telling(table, &chosen[count]);
    }
    hs_say(out, "<div class=\"wide\"><table class=\"figures\"><thead><tr><th></th>");
    for (uint32_t c = 0; c < count; c++)
        hs_markup(out, "<th scope=\"col\" title=\"%s\">%s</th>", chosen[c].metric, chosen[c].title);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t g = 0; g < page->group_count; g++) {
        const struct hs_table_row *row = &page->groups[g].figures;
        hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\"><i class=\"%s\"></i>%s</th>",
                  row->label, g < HS_PAGE_DRAWN_MAX ? hs_page_colour(g) : "", row->label);
        for (uint32_t c = 0; c < count; c++) {
            const double value = hs_summary_get(row->summary, chosen[c].metric);
            char below[HS_COLUMN_TEXT_SIZE];
            hs_table_below(row, chosen[c].metric, below);
            hs_html_cell(out, &chosen[c], value,
                         value == hs_table_best(table, &chosen[c]) ? "best" : NULL, below);
        }
        hs_say(out, "</tr>\n");
    }
    hs_say(out, "</tbody></table></div>\n");
}

static void put_metric(struct hs_page *page, const struct hs_run_table *table, uint32_t index)
{
    struct hs_output *out = page->out;
    const struct hs_metric *metric = &page->groups[0].figures.summary->metrics[index];
    const struct hs_runcolumn column = hs_runcolumn_of(metric->name);
    const double best = hs_table_best(table, &column);
    const char *why = NULL; /* it is absent */
    hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>", metric->name,
              strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
    for (uint32_t g = 0; g < page->group_count; g++) {
        const struct hs_summary *summary = page->groups[g].figures.summary;
        const double value = hs_summary_get(summary, metric->name);
        hs_html_cell(out, &column, value, value == best ? "best" : NULL, "");
        if (why == NULL && index < summary->count)
            why = summary->metrics[index].absent_because;
    }
    hs_markup(out, "<td class=\"text\">%s</td></tr>\n", why != NULL ? why : "");
}

void hs_page_summary(struct hs_page *page)
{
    const struct hs_run_table table = {.rows = page->rows, .row_count = page->group_count};
    hs_page_begin_section(page, "summary", "Summary");
    if (page->group_count > 1) {
        put_runs(page, &table);
        if (page->kind == HS_PAGE_COMPARISON)
            hs_page_note(
                page,
                "Means over the runs of each policy; below, the ratio to %s with its 95 %% "
                "interval over pairs of runs (of %s itself: half the interval of its "
                "mean). The best of each column is marked.",
                page->groups[0].label, page->groups[0].label);
        else
            hs_page_note(page,
                         "Below each value its ratio to %s. The best of each column is marked.",
                         page->groups[0].label);
    }
    hs_say(page->out, "<details><summary>All metrics</summary>\n<div class=\"wide\"><table "
                      "class=\"figures all\"><thead><tr><th></th><th></th>");
    put_labels(page, page->group_count);
    hs_say(page->out, "<th></th></tr></thead>\n<tbody>\n");
    for (uint32_t m = 0; m < page->groups[0].figures.summary->count; m++)
        put_metric(page, &table, m);
    hs_page_end_table(page);
    hs_page_end_section(page);
}

/* ---- what was run ---- */

/* Of a key that a sweep went through, its values; else one of the configuration. */
static void column_text(const struct hs_page *page, object_of of, uint32_t column, const char *key,
                        char text[VALUE_SIZE])
{
    const struct hs_sweeptable *t = of == config_of ? page->sweep : NULL;
    size_t len = 0;
    value_text(hs_json_get(of(page, column), key), text);
    for (uint32_t a = 0; t != NULL && a < t->axis_count; a++)
        for (uint32_t i = 0; strcmp(t->axes[a].key, key) == 0 && i < t->axes[a].count; i++) {
            const int put = snprintf(text + len, VALUE_SIZE - len, "%s%s",
                                     i == 0 ? "swept: " : ", ", t->axes[a].values[i]);
            len += put > 0 && (size_t)put < VALUE_SIZE - len ? (size_t)put : 0;
        }
}

/* A row a key: one cell across all groups where they agree. */
static void put_row(struct hs_page *page, object_of of, const char *key)
{
    struct hs_output *out = page->out;
    char text[VALUE_SIZE];
    hs_markup(out, "<tr><th scope=\"row\">%s</th>", key);
    if (is_alike(page, of, key)) {
        column_text(page, of, 0, key, text);
        hs_markup(out, "<td class=\"text\" colspan=\"%u\">%s</td></tr>\n", columns_of(page, of),
                  text);
        return;
    }
    for (uint32_t g = 0; g < columns_of(page, of); g++) {
        column_text(page, of, g, key, text);
        hs_markup(out, "<td class=\"text\">%s</td>", text);
    }
    hs_say(out, "</tr>\n");
}

/* Keys of the first group, then those that only later ones have. */
static void put_object(struct hs_page *page, object_of of)
{
    struct hs_output *out = page->out;
    hs_say(out, "<div class=\"wide\"><table class=\"method\">");
    if (columns_of(page, of) > 1) {
        hs_say(out, "<thead><tr><th></th>");
        put_labels(page, columns_of(page, of));
        hs_say(out, "</tr></thead>\n");
    }
    hs_say(out, "<tbody>\n");
    for (uint32_t g = 0; g < columns_of(page, of); g++)
        for (const struct hs_json *v = hs_json_first(of(page, g)); v != NULL; v = hs_json_next(v)) {
            bool is_new = true;
            for (uint32_t before = 0; before < g && is_new; before++)
                is_new = hs_json_get(of(page, before), hs_json_key(v)) == NULL;
            if (is_new)
                put_row(page, of, hs_json_key(v));
        }
    hs_say(out, "</tbody></table></div>\n");
}

static void put_file(struct hs_output *out, const struct hs_json *file, const char *name)
{
    static const char *const counts[] = {"rows", "bytes"};
    hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>", name,
              text_of(file, "role"));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[VALUE_SIZE];
        value_text(hs_json_get(file, counts[i]), text);
        hs_markup(out, "<td>%s</td>", strcmp(text, "0") == 0 ? "" : text);
    }
    hs_markup(out, "<td class=\"text\"><code>%s</code></td></tr>\n", text_of(file, "xxh3_64"));
}

/* A text, or the members of an object. */
static void put_stated(struct hs_output *out, const struct hs_json *root, const char *key)
{
    const struct hs_json *value = hs_json_get(root, key), *count = hs_json_first(value);
    char text[VALUE_SIZE];
    if (hs_json_text(value) == NULL && count == NULL)
        return;
    hs_markup(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s", key, text_of(root, key));
    for (bool is_first = true; count != NULL; count = hs_json_next(count), is_first = false) {
        value_text(count, text);
        hs_markup(out, "%s%s %s", is_first ? "" : ", ", hs_json_key(count), text);
    }
    hs_say(out, "</td></tr>\n");
}

static void begin_details(struct hs_page *page, const char *heading, const char *label)
{
    hs_markup(page->out, "<details><summary>%s%s%s</summary>\n", heading, label != NULL ? ": " : "",
              label != NULL ? label : "");
}

/* Files and program. The page itself is no output that it could list. */
static void put_manifest(struct hs_page *page, const struct hs_json *root, const char *label)
{
    static const char *const keys[] = {"version",   "commit", "compiler", "flags",
                                       "libraries", "engine", "assigned", "checks"};
    struct hs_output *out = page->out;
    begin_details(page, "Inputs and outputs", label);
    hs_say(out, "<div class=\"wide\"><table class=\"figures\"><thead><tr><th>file</th><th>role</th>"
                "<th>rows</th><th>bytes</th><th>XXH3-64</th></tr></thead>\n<tbody>\n");
    for (const struct hs_json *f = hs_json_first(hs_json_get(root, "inputs")); f != NULL;
         f = hs_json_next(f))
        put_file(out, f, text_of(f, "path"));
    for (const struct hs_json *f = hs_json_first(hs_json_get(root, "outputs")); f != NULL;
         f = hs_json_next(f))
        if (strcmp(text_of(f, "name"), HS_PAGE_FILE) != 0)
            put_file(out, f, text_of(f, "name"));
    hs_say(out, "</tbody></table></div>\n</details>\n");
    begin_details(page, "Program and checks", label);
    hs_say(out, "<div class=\"wide\"><table class=\"method\"><tbody>\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put_stated(out, root, keys[i]);
    hs_say(out, "</tbody></table></div>\n</details>\n");
}

static void put_warnings(struct hs_page *page, const struct hs_json *root, const char *label)
{
    for (const struct hs_json *w = hs_json_first(hs_json_get(root, "warnings")); w != NULL;
         w = hs_json_next(w))
        if (hs_json_text(w) != NULL)
            hs_markup(page->out, "<p class=\"caution\">%s%s%s</p>\n", label != NULL ? label : "",
                      label != NULL ? ": " : "", hs_json_text(w));
}

/* The manifest of a comparison or sweep, or that of each run with its label where there are
 * several. */
static void with_manifests(struct hs_page *page,
                           void (*put)(struct hs_page *page, const struct hs_json *root,
                                       const char *label))
{
    if (page->kind != HS_PAGE_RUNS)
        put(page, hs_json_root(page->manifest.doc), NULL);
    for (uint32_t g = 0; g < page->group_count && page->kind == HS_PAGE_RUNS; g++)
        put(page, hs_json_root(page->runs[page->groups[g].first].manifest.doc),
            page->group_count > 1 ? page->groups[g].label : NULL);
}

void hs_page_method(struct hs_page *page)
{
    hs_page_begin_section(page, "method", "What was run");
    with_manifests(page, put_warnings);
    if (page->kind != HS_PAGE_SWEEP)
        put_object(page, card_of);
    begin_details(page, "Configuration", NULL);
    put_object(page, config_of);
    hs_say(page->out, "</details>\n");
    with_manifests(page, put_manifest);
    hs_page_end_section(page);
}
