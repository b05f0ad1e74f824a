/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep: curves of its metrics over the numeric axis, a line a policy, with intervals over the
 * seeds; the same as tables whose cells are shaded by their value; and its points.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/replicated.h"
#include "report/svg.h"
#include "report/sweeptable.h"

#define HEIGHT     220.0
#define FACETS_MAX 6u   /* drawn */
#define POINTS_MAX 400u /* listed */
#define WIDE_RANGE 30   /* largest / smallest from which on an axis is logarithmic */
#define NO_AXIS    UINT32_MAX

struct view {
    struct hs_page *page;
    const struct hs_sweeptable *t;
    uint32_t facet, metric;
    struct hs_runcolumn column;
    uint32_t lines, places;
    struct hs_replicated *cells;  /* lines x places */
    struct hs_replicated *ratios; /* to the first line */
    double *values, *firsts;      /* of the replicates */
};

static struct hs_replicated *cell_of(const struct view *v, uint32_t line, uint32_t x)
{
    return &v->cells[(size_t)line * v->places + x];
}

static void fill_cells(struct view *v)
{
    v->column = hs_runcolumn_of(hs_sweep_metrics[v->metric]);
    for (uint32_t x = 0; x < v->places; x++) {
        hs_sweeptable_cell(v->t, v->facet, 0, x, v->metric, v->firsts);
        for (uint32_t line = 0; line < v->lines; line++) {
            hs_sweeptable_cell(v->t, v->facet, line, x, v->metric, v->values);
            *cell_of(v, line, x) = hs_replicated_mean(v->values, 1, v->t->replicates);
            v->ratios[(size_t)line * v->places + x] =
                hs_replicated_ratio(v->values, v->firsts, 1, v->t->replicates);
        }
    }
}

static const char *line_name(const struct view *v, uint32_t line)
{
    return v->t->line != NO_AXIS ? v->t->axes[v->t->line].values[line] : "all runs";
}

static const char *place_name(const struct view *v, uint32_t x)
{
    return v->t->x != NO_AXIS ? v->t->axes[v->t->x].values[x] : "";
}

/* "tiresias, load 0.8: mean JCT 1.02 h, +-2.1%, 3 runs". */
static void cell_text(const struct view *v, uint32_t line, uint32_t x, char text[HS_HTML_SAY_MAX])
{
    const struct hs_replicated *cell = cell_of(v, line, x);
    char value[HS_COLUMN_TEXT_SIZE], spread[HS_COLUMN_TEXT_SIZE];
    hs_runcolumn_text(&v->column, cell->value, value);
    hs_runcolumn_spread_text(cell->value, cell->low, cell->high, spread);
    (void)snprintf(text, HS_HTML_SAY_MAX, "%s%s%s %s: %s %s%s%s, %" PRIu32 " %s",
                   line_name(v, line), v->t->x != NO_AXIS ? ", " : "",
                   v->t->x != NO_AXIS ? v->t->axes[v->t->x].key : "", place_name(v, x),
                   v->column.title, value, spread[0] != '\0' ? ", " : "", spread, cell->runs,
                   cell->runs == 1 ? "run" : "runs");
}

/* ---- curves ---- */

static void find_range(const struct view *v, double *least, double *most)
{
    const uint32_t drawn = v->lines < HS_PAGE_DRAWN_MAX ? v->lines : HS_PAGE_DRAWN_MAX;
    *least = (double)INFINITY;
    *most = 0;
    for (uint32_t line = 0; line < drawn; line++)
        for (uint32_t x = 0; x < v->places; x++) {
            const struct hs_replicated *cell = cell_of(v, line, x);
            const double high = cell->high > cell->value ? cell->high : cell->value;
            *most = high > *most ? high : *most;
            *least = cell->value < *least ? cell->value : *least;
        }
}

/* Names stand at even distances, numbers where they belong. */
static double x_value(const struct view *v, uint32_t x)
{
    const struct hs_sweeptable_axis *axis = &v->t->axes[v->t->x];
    return axis->is_numeric ? axis->numbers[x] : x;
}

static void put_band(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    char class[32];
    struct hs_path path;
    bool is_any = false;
    (void)snprintf(class, sizeof class, "interval %s", hs_page_colour(line));
    hs_path_begin(&path, c->out, class);
    for (uint32_t x = 0; x < v->places; x++)
        if (!isnan(cell_of(v, line, x)->high)) {
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->high));
            is_any = true;
        }
    for (uint32_t x = v->places; x-- > 0;)
        if (!isnan(cell_of(v, line, x)->low))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->low));
    if (is_any)
        hs_path_close(&path);
    hs_path_end(&path, NULL);
}

static void put_line(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    char class[32], title[HS_HTML_SAY_MAX];
    struct hs_path path;
    (void)snprintf(class, sizeof class, "line %s", hs_page_colour(line));
    hs_path_begin(&path, c->out, class);
    for (uint32_t x = 0; x < v->places; x++)
        if (!isnan(cell_of(v, line, x)->value))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->value));
    hs_path_end(&path, line_name(v, line));
    for (uint32_t x = 0; x < v->places; x++) {
        if (isnan(cell_of(v, line, x)->value))
            continue;
        cell_text(v, line, x, title);
        hs_svg_dot(c->out, hs_page_colour(line), hs_scale_at(&c->x, x_value(v, x)),
                   hs_scale_at(&c->y, cell_of(v, line, x)->value), title);
    }
}

static enum hs_axis axis_of(const struct hs_runcolumn *column)
{
    return column->kind == HS_COLUMN_TIME    ? HS_AXIS_TIME
           : column->kind == HS_COLUMN_SHARE ? HS_AXIS_SHARE
                                             : HS_AXIS_PLAIN;
}

static void put_x_axis(const struct view *v, const struct hs_chart *c)
{
    const struct hs_sweeptable_axis *axis = &v->t->axes[v->t->x];
    if (axis->is_numeric)
        hs_chart_x_axis(c, HS_AXIS_PLAIN, 6);
    for (uint32_t x = 0; x < v->places && !axis->is_numeric; x++)
        hs_svg_text(c->out, hs_scale_at(&c->x, x), c->bottom + 15, "middle", "tick",
                    axis->values[x]);
    hs_svg_text(c->out, (c->left + c->right) / 2, c->height - 4, "middle", "tick", axis->key);
}

static void put_chart(const struct view *v)
{
    struct hs_output *out = v->page->out;
    const uint32_t drawn = v->lines < HS_PAGE_DRAWN_MAX ? v->lines : HS_PAGE_DRAWN_MAX;
    double least, most;
    find_range(v, &least, &most);
    const bool is_log = least > 0 && most / least >= WIDE_RANGE;
    struct hs_chart c = {
        .width = HS_PAGE_THIRD,
        .height = HEIGHT,
        .left = 48,
        .right = HS_PAGE_THIRD - 10,
        .top = 8,
        .bottom = HEIGHT - 38,
        .x = {.from = x_value(v, 0), .to = x_value(v, v->places - 1)},
        .y = {.from = is_log ? least / 1.2 : 0, .to = most, .is_log = is_log},
    };
    hs_say(out, "<figure><figcaption>");
    hs_html_text(out, v->column.title);
    hs_say(out, "</figcaption>\n");
    if (most > 0) {
        hs_chart_begin(&c, out, v->column.title);
        hs_chart_y_axis(&c, axis_of(&v->column), 6);
        put_x_axis(v, &c);
        for (uint32_t line = drawn; line-- > 0;)
            put_band(v, &c, line);
        for (uint32_t line = drawn; line-- > 0;)
            put_line(v, &c, line);
        hs_chart_end(&c);
    } else {
        hs_page_note(v->page, "0 everywhere.");
    }
    hs_say(out, "</figure>\n");
}

static void put_charts(struct view *v)
{
    if (v->t->x == NO_AXIS || v->places < 2)
        return;
    hs_say(v->page->out, "<div class=\"charts\">\n");
    for (v->metric = 0; v->metric < HS_SWEEP_METRICS; v->metric++) {
        fill_cells(v);
        put_chart(v);
    }
    hs_say(v->page->out, "</div>\n");
}

/* ---- matrices ---- */

static double best_of(const struct view *v, uint32_t x)
{
    double best = (double)NAN;
    for (uint32_t line = 0; line < v->lines && v->lines > 1; line++) {
        const double value = cell_of(v, line, x)->value;
        if (v->column.best == HS_BEST_NONE || isnan(value))
            continue;
        if (isnan(best) || (v->column.best == HS_BEST_MOST ? value > best : value < best))
            best = value;
    }
    return best;
}

/* 0 for the smallest value of the matrix to 4 for the largest, by ratios where they are wide. */
static uint32_t shade(double value, double least, double most)
{
    if (isnan(value) || !(most > least))
        return 0;
    const bool is_log = least > 0 && most / least >= WIDE_RANGE;
    const double part =
        is_log ? log(value / least) / log(most / least) : (value - least) / (most - least);
    return (uint32_t)lround(4 * part);
}

static void put_matrix_cell(const struct view *v, uint32_t line, uint32_t x, double least,
                            double most)
{
    const struct hs_replicated *cell = cell_of(v, line, x),
                               *ratio = &v->ratios[(size_t)line * v->places + x];
    char class[16], below[HS_COLUMN_TEXT_SIZE];
    if (line == 0)
        hs_runcolumn_spread_text(cell->value, cell->low, cell->high, below);
    else
        hs_runcolumn_ratio_text(ratio->value, (double)NAN, (double)NAN, below);
    (void)snprintf(class, sizeof class, "s%" PRIu32 "%s", shade(cell->value, least, most),
                   cell->value == best_of(v, x) ? " best" : "");
    hs_html_cell(v->page->out, &v->column, cell->value, class, below);
}

static void put_matrix(const struct view *v)
{
    struct hs_output *out = v->page->out;
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = 0; i < v->lines * v->places; i++) {
        most = v->cells[i].value > most ? v->cells[i].value : most;
        least = v->cells[i].value < least ? v->cells[i].value : least;
    }
    hs_say(out, "<div class=\"wide\"><table class=\"figures matrix\"><thead><tr><th>");
    hs_html_text(out, v->t->x != NO_AXIS ? v->t->axes[v->t->x].key : "");
    hs_say(out, "</th>");
    for (uint32_t x = 0; x < v->places; x++) {
        hs_say(out, "<th scope=\"col\">");
        hs_html_text(out, place_name(v, x));
        hs_say(out, "</th>");
    }
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t line = 0; line < v->lines; line++) {
        hs_say(out, "<tr data-run=\"");
        hs_html_text(out, line_name(v, line));
        hs_say(out, "\"><th scope=\"row\">");
        hs_html_text(out, line_name(v, line));
        hs_say(out, "</th>");
        for (uint32_t x = 0; x < v->places; x++)
            put_matrix_cell(v, line, x, least, most);
        hs_say(out, "</tr>\n");
    }
    hs_say(out, "</tbody></table></div>\n");
}

static void put_matrices(struct view *v)
{
    for (v->metric = 0; v->metric < HS_SWEEP_METRICS; v->metric++) {
        fill_cells(v);
        hs_say(v->page->out, "<details%s><summary>", v->metric == 0 ? " open=\"open\"" : "");
        hs_html_text(v->page->out, v->column.title);
        hs_say(v->page->out, "</summary>\n");
        put_matrix(v);
        hs_say(v->page->out, "</details>\n");
    }
}

/* ---- points ---- */

static void put_point(const struct hs_page *page, const struct hs_sweeptable *t, uint32_t index)
{
    const struct hs_sweeptable_point *p = &t->points[index];
    struct hs_output *out = page->out;
    hs_say(out, "<tr%s><td>%" PRIu32 "</td><td class=\"text\">",
           p->is_done ? "" : " class=\"failed\"", index + 1);
    hs_html_text(out, p->run);
    hs_say(out, "</td><td class=\"text\">");
    hs_html_text(out, p->state);
    if (!p->is_done && p->exit[0] != '\0')
        hs_html_say(out, ", exit %s", p->exit);
    hs_say(out, "</td>");
    for (uint32_t a = 0; a < t->axis_count; a++) {
        hs_say(out, "<td>");
        hs_html_text(out, t->axes[a].values[p->at[a]]);
        hs_say(out, "</td>");
    }
    for (uint32_t m = 0; m < HS_SWEEP_METRICS; m++) {
        const struct hs_runcolumn column = hs_runcolumn_of(hs_sweep_metrics[m]);
        hs_html_cell(out, &column, p->value[m], NULL, "");
    }
    hs_say(out, "</tr>\n");
}

static void put_points(struct hs_page *page, const struct hs_sweeptable *t)
{
    struct hs_output *out = page->out;
    hs_page_begin_section(page, "points", "Points");
    if (t->point_count > POINTS_MAX) {
        hs_page_note(page, "There are %" PRIu32 ", too many to list: they are in sweep.csv.",
                     t->point_count);
        hs_page_end_section(page);
        return;
    }
    hs_say(out,
           "<details><summary>All %" PRIu32 " points</summary>\n<div class=\"wide\"><table "
           "class=\"figures points\"><thead><tr><th>point</th><th>run</th><th>state</th>",
           t->point_count);
    for (uint32_t a = 0; a < t->axis_count; a++) {
        hs_say(out, "<th>");
        hs_html_text(out, t->axes[a].key);
        hs_say(out, "</th>");
    }
    for (uint32_t m = 0; m < HS_SWEEP_METRICS; m++)
        hs_say(out, "<th>%s</th>", hs_runcolumn_of(hs_sweep_metrics[m]).title);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < t->point_count; i++)
        put_point(page, t, i);
    hs_say(out, "</tbody></table></div></details>\n");
    hs_page_end_section(page);
}

/* ---- the page ---- */

/* "60 runs of sample on 10x8:V100: policy x 4, load x 5, seed x 3." */
static void say_what(struct hs_page *page, const struct hs_sweeptable *t)
{
    struct hs_output *out = page->out;
    bool is_first = true;
    hs_say(out, "<p class=\"lead\">%" PRIu32 " runs", t->point_count);
    if (t->workload != NULL) {
        hs_say(out, " of <b>");
        hs_html_text(out, t->workload);
        hs_say(out, "</b>");
    }
    if (t->cluster != NULL) {
        hs_say(out, " on <b>");
        hs_html_text(out, t->cluster);
        hs_say(out, "</b>");
    }
    for (uint32_t a = 0; a < t->axis_count; a++) {
        if (t->axes[a].count < 2)
            continue;
        hs_html_say(out, "%s%" PRIu32 " values of %s", is_first ? ": " : ", ", t->axes[a].count,
                    t->axes[a].key);
        is_first = false;
    }
    hs_say(out, ".</p>\n");
}

static void warn_unfinished(struct hs_page *page, const struct hs_sweeptable *t)
{
    uint32_t failed = 0, missing = 0;
    for (uint32_t i = 0; i < t->point_count; i++) {
        const bool has_failed = strcmp(t->points[i].state, "failed") == 0;
        failed += has_failed;
        missing += !has_failed && !t->points[i].is_done;
    }
    if (failed + missing == 0)
        return;
    hs_say(page->out, "<p class=\"caution\">");
    hs_html_say(page->out,
                "%" PRIu32 " of %" PRIu32 " points failed and %" PRIu32
                " have not run: means are over the others.",
                failed, t->point_count, missing);
    hs_say(page->out, "</p>\n");
}

void hs_page_sweep_head(struct hs_page *page)
{
    say_what(page, page->sweep);
    warn_unfinished(page, page->sweep);
}

static void put_facet(struct view *v)
{
    char text[HS_HTML_SAY_MAX];
    hs_sweeptable_facet(v->t, v->facet, text, sizeof text);
    if (text[0] != '\0') {
        hs_say(v->page->out, "<h3>");
        hs_html_text(v->page->out, text);
        hs_say(v->page->out, "</h3>\n");
    }
    put_charts(v);
    put_matrices(v);
}

static enum hs_status open_view(struct view *v, struct hs_page *page)
{
    const struct hs_sweeptable *t = page->sweep;
    *v = (struct view){
        .page = page, .t = t, .lines = hs_sweeptable_lines(t), .places = hs_sweeptable_places(t)};
    const uint64_t cells = (uint64_t)v->lines * v->places;
    v->cells = hs_arena_alloc(&page->arena, cells * sizeof *v->cells);
    v->ratios = hs_arena_alloc(&page->arena, cells * sizeof *v->ratios);
    v->values = hs_arena_alloc(&page->arena, (t->replicates + 1) * sizeof *v->values);
    v->firsts = hs_arena_alloc(&page->arena, (t->replicates + 1) * sizeof *v->firsts);
    return v->cells != NULL && v->ratios != NULL && v->values != NULL && v->firsts != NULL
               ? HS_OK
               : hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

enum hs_status hs_page_sweep(struct hs_page *page)
{
    struct view v;
    HS_TRY(open_view(&v, page));
    hs_page_begin_section(page, "results", "Results");
    hs_page_legend(page);
    for (v.facet = 0; v.facet < v.t->facets && v.facet < FACETS_MAX; v.facet++)
        put_facet(&v);
    if (v.t->facets > FACETS_MAX)
        hs_page_note(page, "The first %u of %" PRIu32 " combinations; sweep.csv has all.",
                     FACETS_MAX, v.t->facets);
    hs_page_note(
        page,
        "Means over the runs at a point; shaded, their 95 %% interval by Student's t where "
        "there are several seeds. In the tables, darker is larger, the best of each "
        "column is marked, and below a value is its ratio to %s over the same seeds (of "
        "%s itself: half the interval of its mean).",
        line_name(&v, 0), line_name(&v, 0));
    hs_page_end_section(page);
    put_points(page, page->sweep);
    return HS_OK;
}

/* A group a line, for the legend. */
enum hs_status hs_page_open_sweep(struct hs_page *page, const char *dir)
{
    const char *path = hs_page_path(page, dir, "sweep.csv");
    page->dir = dir;
    page->sweep = hs_arena_alloc(&page->arena, sizeof *page->sweep);
    if (path == NULL || page->sweep == NULL)
        return hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(hs_runmanifest_open(&page->manifest, dir, page->diag));
    HS_TRY(hs_sweeptable_read(page->sweep, path, page->diag));
    const struct hs_sweeptable *t = page->sweep;
    if (t->point_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the sweep has no points");
    for (uint32_t line = 0; t->line != NO_AXIS && line < t->axes[t->line].count; line++)
        HS_TRY(hs_page_add_group(page, t->axes[t->line].values[line], NULL, 0, 0));
    return HS_OK;
}
