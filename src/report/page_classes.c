/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs by kind: bars beside the names of the classes, a bar a group.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/svg.h"

#define ROWS_MAX    12u /* classes of a kind; of virtual clusters those with most jobs */
#define LABEL_WIDTH 168.0
#define BAR_HEIGHT  11.0
#define BAR_MANY    6.5 /* of each of several groups */
#define ROW_GAP     10.0

static const struct kind {
    const char *name, *heading;
} kinds[] = {
    {"gpus", "By number of GPUs"},
    {"outcome", "By what the trace recorded of the job"},
    {"class", "By what its user asked for"},
    {"user_quintile", "By user: fifths of the users, from the lightest (q1) to the heaviest (q5)"},
    {"vc", "By virtual cluster"},
};

/* The classes of one kind that are shown, as they are in the first group that has them. */
struct rows {
    struct hs_page *page;
    const char *kind;
    const struct hs_class *of[ROWS_MAX];
    uint32_t count, left_out;
};

static uint32_t measure_index(const char *name)
{
    uint32_t index = 0;
    while (hs_class_measure(index) != NULL && strcmp(hs_class_measure(index), name) != 0)
        index++;
    return index;
}

static const struct hs_class *find_class(const struct hs_summary *s, const char *kind,
                                         const char *name)
{
    for (uint32_t i = 0; i < s->class_count; i++)
        if (strcmp(s->classes[i].kind, kind) == 0 && strcmp(s->classes[i].name, name) == 0)
            return &s->classes[i];
    return NULL;
}

static double measure_of(const struct rows *r, uint32_t group, uint32_t row, const char *measure)
{
    const struct hs_class *class =
        find_class(r->page->groups[group].figures.summary, r->kind, r->of[row]->name);
    return class != NULL ? class->value[measure_index(measure)] : (double)NAN;
}

/* With too many classes, the smallest goes. */
static void add_row(struct rows *r, const struct hs_class *class)
{
    uint32_t least = 0;
    if (r->count < ROWS_MAX) {
        r->of[r->count++] = class;
        return;
    }
    r->left_out++;
    for (uint32_t i = 1; i < r->count; i++)
        least = r->of[i]->jobs < r->of[least]->jobs ? i : least;
    if (class->jobs <= r->of[least]->jobs)
        return;
    for (uint32_t i = least; i + 1 < r->count; i++)
        r->of[i] = r->of[i + 1];
    r->of[r->count - 1] = class;
}

static void find_rows(struct rows *r)
{
    for (uint32_t g = 0; g < r->page->group_count; g++) {
        const struct hs_summary *s = r->page->groups[g].figures.summary;
        for (uint32_t i = 0; i < s->class_count; i++) {
            bool is_new = strcmp(s->classes[i].kind, r->kind) == 0;
            for (uint32_t before = 0; before < g && is_new; before++)
                is_new = find_class(r->page->groups[before].figures.summary, r->kind,
                                    s->classes[i].name) == NULL;
            if (is_new)
                add_row(r, &s->classes[i]);
        }
    }
}

/* ---- bars of completion times ---- */

static double longest_jct(const struct rows *r)
{
    double most = 0;
    for (uint32_t g = 0; g < hs_page_drawn(r->page); g++)
        for (uint32_t i = 0; i < r->count; i++) {
            const double jct = measure_of(r, g, i, "mean_jct");
            most = jct > most ? jct : most;
        }
    return most;
}

/* The bar of a group: completion time, and in it the wait before the first start. */
static void put_bar(const struct rows *r, const struct hs_chart *c, uint32_t group, uint32_t row,
                    double y, double height)
{
    const double jct = measure_of(r, group, row, "mean_jct"),
                 wait = measure_of(r, group, row, "mean_wait"),
                 slowdown = measure_of(r, group, row, "mean_bounded_slowdown");
    char jct_text[HS_TABLE_TIME_SIZE], wait_text[HS_TABLE_TIME_SIZE], title[HS_HTML_SAY_MAX],
        class[32];
    if (isnan(jct) || isnan(wait))
        return;
    hs_table_time(jct_text, jct);
    hs_table_time(wait_text, wait);
    (void)snprintf(title, sizeof title, "%s, %s: mean JCT %s, of it %s wait; bounded slowdown %.3g",
                   r->page->groups[group].label, r->of[row]->name, jct_text, wait_text, slowdown);
    (void)snprintf(class, sizeof class, "area %s", hs_page_colour(group));
    hs_svg_rect(c->out, class, c->left, y, hs_scale_at(&c->x, jct) - c->left, height, title);
    (void)snprintf(class, sizeof class, "solid %s", hs_page_colour(group));
    hs_svg_rect(c->out, class, c->left, y, hs_scale_at(&c->x, wait) - c->left, height, title);
    if (r->page->group_count == 1) {
        (void)snprintf(title, sizeof title, "%s, %s wait", jct_text, wait_text);
        hs_svg_text(c->out, hs_scale_at(&c->x, jct) + 6, y + height - 2, "start", "value", title);
    }
}

static void put_rows(const struct rows *r)
{
    const uint32_t drawn = hs_page_drawn(r->page);
    const double bar = drawn > 1 ? BAR_MANY : BAR_HEIGHT, row_height = bar * drawn + ROW_GAP;
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = 4 + row_height * r->count + 22,
                         .left = LABEL_WIDTH,
                         .right = HS_PAGE_WIDTH -
                                  (drawn > 1 ? 14 : 130), /* room for the value behind the bar */
                         .top = 4,
                         .bottom = 4 + row_height * r->count,
                         .x = {.from = 0, .to = longest_jct(r)},
                         .y = {.from = 0, .to = 1}};
    char text[HS_CLASS_NAME_MAX + 40];
    hs_chart_begin(&c, r->page->out, "Mean completion time and wait");
    hs_chart_x_axis(&c, HS_AXIS_TIME, 7);
    for (uint32_t i = 0; i < r->count; i++) {
        const double y = c.top + row_height * i + ROW_GAP / 2;
        (void)snprintf(text, sizeof text, "%s", r->of[i]->name);
        hs_svg_text(c.out, c.left - 74, y + bar * drawn / 2 + 4, "end", "name", text);
        (void)snprintf(text, sizeof text, "%" PRIu64 " jobs", r->of[i]->jobs);
        hs_svg_text(c.out, c.left - 8, y + bar * drawn / 2 + 4, "end", "tick", text);
        for (uint32_t g = 0; g < drawn; g++)
            put_bar(r, &c, g, i, y + bar * g, bar - (drawn > 1 ? 1 : 0));
    }
    hs_chart_end(&c);
}

/* ---- the table ---- */

static void put_table(const struct rows *r)
{
    static const char *const measures[] = {"mean_wait",
                                           "p50_wait",
                                           "p99_wait",
                                           "mean_jct",
                                           "p50_jct",
                                           "p99_jct",
                                           "mean_bounded_slowdown",
                                           "mean_run_slowdown",
                                           NULL};
    struct hs_output *out = r->page->out;
    hs_say(out, "<details><summary>Figures</summary>\n<div class=\"wide\"><table "
                "class=\"figures\"><thead><tr><th></th><th></th><th>jobs</th>");
    for (const char *const *m = measures; *m != NULL; m++)
        hs_say(out, "<th scope=\"col\" title=\"%s\">%s</th>", *m, hs_runcolumn_of(*m).title);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t g = 0; g < r->page->group_count; g++) {
            const struct hs_class *class =
                find_class(r->page->groups[g].figures.summary, r->kind, r->of[i]->name);
            if (class == NULL)
                continue;
            hs_say(out, "<tr data-class=\"%s ", r->kind);
            hs_html_text(out, class->name);
            hs_say(out, "\"><th scope=\"row\">");
            hs_html_text(out, class->name);
            hs_say(out, "</th><td class=\"text\">");
            if (r->page->group_count > 1)
                hs_html_text(out, r->page->groups[g].label);
            hs_say(out, "</td><td>%" PRIu64 "</td>", class->jobs);
            for (const char *const *m = measures; *m != NULL; m++) {
                const struct hs_runcolumn column = hs_runcolumn_of(*m);
                hs_html_cell(out, &column, class->value[measure_index(*m)], NULL, "");
            }
            hs_say(out, "</tr>\n");
        }
    hs_say(out, "</tbody></table></div></details>\n");
}

static bool put_kind(struct hs_page *page, const struct kind *kind)
{
    struct rows rows = {.page = page, .kind = kind->name};
    find_rows(&rows);
    if (rows.count < 2 || !(longest_jct(&rows) > 0)) /* one kind is all jobs */
        return false;
    hs_say(page->out, "<figure><figcaption>%s</figcaption>\n", kind->heading);
    put_rows(&rows);
    if (rows.left_out > 0)
        hs_page_note(page, "The %u with most jobs; %" PRIu32 " more are in summary.json.", ROWS_MAX,
                     rows.left_out);
    put_table(&rows);
    hs_say(page->out, "</figure>\n");
    return true;
}

void hs_page_classes(struct hs_page *page)
{
    bool is_any = false;
    hs_page_begin_section(page, "classes", "Kinds of jobs");
    hs_page_legend(page);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        is_any = put_kind(page, &kinds[k]) || is_any;
    if (!is_any)
        hs_page_note(page, page->run_count == 0
                               ? "Left out: the comparison kept no runs. Repeat it with "
                                 "--outputs=all."
                               : "Left out: all jobs that ran to their end are of one kind.");
    else
        hs_page_note(
            page,
            "Bars: mean completion time; the strong part of each is the mean wait before the "
            "first start.%s",
            page->kind == HS_PAGE_COMPARISON ? " Of the first run of each policy." : "");
    hs_page_end_section(page);
}
