/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Head of the page, the table of the runs and that of all metrics. What a cell shows is rounded;
 * its attribute data-value has every digit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/runcolumn.h"

#define COLUMNS_SHOWN 10

static const char *card_text(const struct hs_page_group *group, const char *key)
{
    const char *text = hs_json_text(hs_json_get(group->card, key));
    return text != NULL ? text : "";
}

static bool is_alike(const struct hs_page *page, const char *key)
{
    for (uint32_t g = 1; g < page->group_count; g++)
        if (strcmp(card_text(&page->groups[0], key), card_text(&page->groups[g], key)) != 0)
            return false;
    return true;
}

/* ---- head ---- */

static void say_jobs(struct hs_page *page)
{
    const double jobs = hs_summary_get(page->groups[0].figures.summary, "n_jobs");
    bool is_same = true;
    for (uint32_t g = 1; g < page->group_count; g++)
        is_same = is_same && hs_summary_get(page->groups[g].figures.summary, "n_jobs") == jobs;
    if (is_same && !isnan(jobs))
        hs_html_say(page->out, "%.0f jobs of ", jobs);
    else
        hs_html_say(page->out, "Jobs of ");
}

/* "2000 jobs of sample on 16x8:V100 under 4 policies." */
static void say_what(struct hs_page *page)
{
    struct hs_output *out = page->out;
    hs_say(out, "<p class=\"lead\">");
    if (is_alike(page, "workload")) {
        say_jobs(page);
        hs_say(out, "<b>");
        hs_html_text(out, card_text(&page->groups[0], "workload"));
        hs_say(out, "</b>");
    } else {
        hs_say(out, "Different workloads");
    }
    if (is_alike(page, "cluster")) {
        hs_say(out, " on <b>");
        hs_html_text(out, card_text(&page->groups[0], "cluster"));
        hs_say(out, "</b>");
    } else {
        hs_say(out, " on different clusters");
    }
    if (page->group_count == 1) {
        hs_say(out, ", scheduled by <b>");
        hs_html_text(out, card_text(&page->groups[0], "policy"));
        hs_say(out, "</b>");
    } else if (page->kind == HS_PAGE_COMPARISON) {
        hs_say(out, ", scheduled by %" PRIu32 " policies", page->group_count);
    } else {
        hs_say(out, ", %" PRIu32 " runs", page->group_count);
    }
    hs_say(out, ".</p>\n");
}

static void warn_different(struct hs_page *page)
{
    if (!is_alike(page, "workload") || !is_alike(page, "cluster"))
        hs_say(page->out, "<p class=\"caution\">The runs differ in workload or cluster: ratios "
                          "and best marks below compare different problems.</p>\n");
}

/* What every reader should know before a figure: jobs that the statistics leave out. */
static void warn_left_out(struct hs_page *page)
{
    static const struct {
        const char *metric, *text;
    } kinds[] = {{"n_rejected", "rejected, because they can never fit"},
                 {"n_unfinished", "cut by the end of the simulation"},
                 {"n_failed", "ended before their work was done"}};
    for (uint32_t g = 0; g < page->group_count; g++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const struct hs_table_row *row = &page->groups[g].figures;
            const double jobs = hs_summary_get(row->summary, kinds[k].metric);
            if (!(jobs > 0))
                continue;
            hs_say(page->out, "<p class=\"caution\">");
            if (page->group_count > 1)
                hs_html_say(page->out, "%s: ", row->label);
            hs_html_say(page->out,
                        "%.6g of %.0f jobs were %s; statistics of jobs are over the others.", jobs,
                        hs_summary_get(row->summary, "n_jobs"), kinds[k].text);
            hs_say(page->out, "</p>\n");
        }
}

static void put_tile(struct hs_page *page, const char *metric)
{
    const struct hs_runcolumn column = hs_runcolumn_of(metric);
    const double value = hs_summary_get(page->groups[0].figures.summary, metric);
    char text[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_text(&column, value, text);
    hs_say(page->out, "<div><dt>");
    hs_html_text(page->out, column.title);
    hs_say(page->out, "</dt><dd data-metric=\"%s\"", metric);
    if (!isnan(value)) {
        hs_say(page->out, " data-value=\"");
        hs_html_number(page->out, value);
        hs_say(page->out, "\"");
    }
    hs_say(page->out, ">");
    hs_html_text(page->out, text);
    hs_say(page->out, "</dd></div>\n");
}

void hs_page_head(struct hs_page *page)
{
    static const char *const tiles[] = {"mean_jct", "p99_jct",        "mean_wait",       "p99_wait",
                                        "makespan", "gpu_allocation", "gpu_utilization", NULL};
    say_what(page);
    warn_different(page);
    warn_left_out(page);
    if (page->group_count > 1)
        return;
    hs_say(page->out, "<dl class=\"tiles\">\n");
    for (const char *const *metric = tiles; *metric != NULL; metric++)
        put_tile(page, *metric);
    hs_say(page->out, "</dl>\n");
}

/* ---- the table of the runs ---- */

static uint32_t choose_columns(const struct hs_run_table *table,
                               struct hs_runcolumn chosen[COLUMNS_SHOWN])
{
    uint32_t count = 0;
    for (const char *const *m = hs_table_run_columns; *m != NULL && count < COLUMNS_SHOWN; m++) {
        chosen[count] = hs_runcolumn_of(*m);
        count += hs_table_is_telling(table, &chosen[count]);
    }
    return count;
}

static void put_name(struct hs_page *page, uint32_t group)
{
    hs_say(page->out, "<th scope=\"row\"><i class=\"%s\"></i>",
           group < HS_PAGE_DRAWN_MAX ? hs_page_colour(group) : "");
    hs_html_text(page->out, page->groups[group].label);
    hs_say(page->out, "</th>");
}

/* The first row has intervals of its means below them, the others ratios to it. */
static void put_figure(struct hs_page *page, uint32_t group, const struct hs_runcolumn *column,
                       double best)
{
    const struct hs_table_row *row = &page->groups[group].figures;
    const double value = hs_summary_get(row->summary, column->metric);
    char below[HS_COLUMN_TEXT_SIZE];
    hs_table_below(row, column->metric, below);
    hs_html_cell(page->out, column, value, value == best ? "best" : NULL, below);
}

static void put_runs(struct hs_page *page, const struct hs_run_table *table)
{
    struct hs_output *out = page->out;
    struct hs_runcolumn chosen[COLUMNS_SHOWN];
    double best[COLUMNS_SHOWN];
    const uint32_t count = choose_columns(table, chosen);
    hs_say(out, "<div class=\"wide\"><table class=\"figures\"><thead><tr><th></th>");
    for (uint32_t c = 0; c < count; c++) {
        best[c] = hs_table_best(table, &chosen[c]);
        hs_say(out, "<th scope=\"col\" title=\"%s\">", chosen[c].metric);
        hs_html_text(out, chosen[c].title);
        hs_say(out, "</th>");
    }
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t g = 0; g < page->group_count; g++) {
        hs_say(out, "<tr data-run=\"");
        hs_html_text(out, page->groups[g].label);
        hs_say(out, "\">");
        put_name(page, g);
        for (uint32_t c = 0; c < count; c++)
            put_figure(page, g, &chosen[c], best[c]);
        hs_say(out, "</tr>\n");
    }
    hs_say(out, "</tbody></table></div>\n");
}

/* ---- all metrics ---- */

static const char *absence_of(const struct hs_page *page, uint32_t metric)
{
    const char *why = NULL;
    for (uint32_t g = 0; g < page->group_count && why == NULL; g++)
        if (metric < page->groups[g].figures.summary->count)
            why = page->groups[g].figures.summary->metrics[metric].absent_because;
    return why;
}

static void put_metric(struct hs_page *page, const struct hs_run_table *table, uint32_t index)
{
    struct hs_output *out = page->out;
    const struct hs_metric *metric = &page->groups[0].figures.summary->metrics[index];
    const struct hs_runcolumn column = hs_runcolumn_of(metric->name);
    const double best = hs_table_best(table, &column);
    const char *why = absence_of(page, index);
    hs_say(out, "<tr><th scope=\"row\">");
    hs_html_text(out, metric->name);
    hs_say(out, "</th><td class=\"text\">");
    hs_html_text(out, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
    hs_say(out, "</td>");
    for (uint32_t g = 0; g < page->group_count; g++) {
        const double value = hs_summary_get(page->groups[g].figures.summary, metric->name);
        hs_html_cell(out, &column, value, value == best ? "best" : NULL, "");
    }
    hs_say(out, "<td class=\"text\">");
    if (why != NULL)
        hs_html_text(out, why);
    hs_say(out, "</td></tr>\n");
}

static void put_metrics(struct hs_page *page, const struct hs_run_table *table)
{
    struct hs_output *out = page->out;
    hs_say(out, "<details><summary>All metrics</summary>\n<div class=\"wide\"><table "
                "class=\"figures all\"><thead><tr><th></th><th></th>");
    for (uint32_t g = 0; g < page->group_count; g++) {
        hs_say(out, "<th scope=\"col\">");
        hs_html_text(out, page->groups[g].label);
        hs_say(out, "</th>");
    }
    hs_say(out, "<th></th></tr></thead>\n<tbody>\n");
    for (uint32_t m = 0; m < page->groups[0].figures.summary->count; m++)
        put_metric(page, table, m);
    hs_say(out, "</tbody></table></div></details>\n");
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
    put_metrics(page, &table);
    hs_page_end_section(page);
}
