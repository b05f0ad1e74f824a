/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep: curves of its metrics over the numeric axis, a line a policy, with intervals over the
 * seeds; the same as tables whose cells are shaded by their value; and its points.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/intervals.h"
#include "report/html/page.h"

#define FACETS_MAX 6u   /* drawn */
#define POINTS_MAX 400u /* listed */
#define WIDE_RANGE 30   /* largest / smallest from which on an axis is logarithmic */

struct view {
    struct hs_page *page;
    const struct hs_sweeptable *t;
    uint32_t facet, metric;
    struct hs_runcolumn column;
    struct hs_replicated *cells;  /* lines x places */
    struct hs_replicated *ratios; /* to the first line */
    double *values;               /* of each cell its replicates */
};

static struct hs_replicated *cell_of(const struct view *v, uint32_t line, uint32_t x)
{
    return &v->cells[(size_t)line * v->t->places + x];
}

static void fill_cells(struct view *v)
{
    const uint32_t replicates = v->t->replicates;
    v->column = hs_runcolumn_of(v->t->metrics[v->metric]);
    hs_sweeptable_values(v->t, v->facet, v->metric, v->values);
    for (uint32_t i = 0; i < v->t->lines * v->t->places; i++) {
        const double *values = v->values + (size_t)i * replicates,
                     *firsts = v->values + (size_t)(i % v->t->places) * replicates;
        v->cells[i] = hs_replicated_mean(values, 1, replicates);
        v->ratios[i] = hs_replicated_ratio(values, firsts, 1, replicates);
    }
}

static const char *line_name(const struct view *v, uint32_t line)
{
    return v->t->line != HS_SWEEP_NONE ? v->t->axes[v->t->line].values[line] : "all runs";
}

static const char *place_name(const struct view *v, uint32_t x)
{
    return v->t->x != HS_SWEEP_NONE ? v->t->axes[v->t->x].values[x] : "";
}

/* ---- curves ---- */

/* Names stand at even distances, numbers where they belong. */
static double x_value(const struct view *v, uint32_t x)
{
    const struct hs_sweeptable_axis *axis = &v->t->axes[v->t->x];
    return axis->is_numeric ? axis->numbers[x] : x;
}

static void put_band(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    struct hs_path path;
    bool is_any = false;
    hs_path_begin(&path, c->out, "interval", hs_page_colour(line));
    for (uint32_t x = 0; x < v->t->places; x++)
        if (!isnan(cell_of(v, line, x)->high)) {
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->high));
            is_any = true;
        }
    for (uint32_t x = v->t->places; x-- > 0;)
        if (!isnan(cell_of(v, line, x)->low))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->low));
    if (is_any)
        hs_path_close(&path);
    hs_path_end(&path, NULL);
}

/* With tooltips: "tiresias, load 0.8: mean JCT 1.02 h, +-2.1%, 3 runs". */
static void put_line(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "line", hs_page_colour(line));
    for (uint32_t x = 0; x < v->t->places; x++)
        if (!isnan(cell_of(v, line, x)->value))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->value));
    hs_path_end(&path, line_name(v, line));
    for (uint32_t x = 0; x < v->t->places; x++) {
        const struct hs_replicated *cell = cell_of(v, line, x);
        char value[HS_COLUMN_TEXT_SIZE], spread[HS_COLUMN_TEXT_SIZE];
        if (isnan(cell->value))
            continue;
        hs_runcolumn_spread_text(cell->value, cell->low, cell->high, spread);
        hs_svg_dot(c->out, hs_page_colour(line), hs_scale_at(&c->x, x_value(v, x)),
                   hs_scale_at(&c->y, cell->value),
                   HS_TEXT("%s, %s %s: %s %s%s%s, %" PRIu32 " %s", line_name(v, line),
                           v->t->axes[v->t->x].key, place_name(v, x), v->column.title,
                           hs_runcolumn_text(&v->column, cell->value, value),
                           spread[0] != '\0' ? ", " : "", spread, cell->runs,
                           cell->runs == 1 ? "run" : "runs"));
    }
}

/* False if all values are 0. The axis begins at 0, or is logarithmic. */
static bool set_scales(const struct view *v, struct hs_chart *c, enum hs_figure_scale scale)
{
    const uint32_t drawn = v->t->lines < HS_PAGE_DRAWN_MAX ? v->t->lines : HS_PAGE_DRAWN_MAX;
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = 0; i < drawn * v->t->places; i++) {
        most = fmax(most, fmax(v->cells[i].value, v->cells[i].high));
        least = fmin(least, v->cells[i].value);
    }
    const bool is_log = least > 0 && (scale == HS_FIGURE_LOG ||
                                      (scale == HS_FIGURE_AUTO && most / least >= WIDE_RANGE));
    c->x = (struct hs_scale){.from = x_value(v, 0), .to = x_value(v, v->t->places - 1)};
    c->y = (struct hs_scale){.from = is_log ? least / 1.2 : 0, .to = most, .is_log = is_log};
    return most > 0;
}

static enum hs_axis axis_of(const struct hs_runcolumn *column)
{
    return column->kind == HS_COLUMN_TIME    ? HS_AXIS_TIME
           : column->kind == HS_COLUMN_SHARE ? HS_AXIS_SHARE
                                             : HS_AXIS_PLAIN;
}

/* The curves of the metric over the x axis. */
static void put_plot(const struct view *v, const struct hs_frame *frame)
{
    const uint32_t drawn = v->t->lines < HS_PAGE_DRAWN_MAX ? v->t->lines : HS_PAGE_DRAWN_MAX;
    const struct hs_sweeptable_axis *axis = &v->t->axes[v->t->x];
    const bool is_page = v->page->figure == NULL;
    struct hs_chart c = {.out = v->page->out};
    char text[HS_HTML_SAY_MAX];
    if (is_page)
        hs_markup(c.out, "<figure><figcaption>%s</figcaption>\n", v->column.title);
    if (!set_scales(v, &c, is_page ? HS_FIGURE_AUTO : v->page->figure->scale)) {
        c.y.to = 1;
        if (is_page) {
            hs_page_note(v->page, "0 everywhere.");
            hs_say(c.out, "</figure>\n");
            return;
        }
    }
    hs_plot_begin(v->page, frame, v->facet, v->metric, &c, v->column.title);
    hs_chart_y_axis(&c, axis_of(&v->column), 6);
    if (axis->is_numeric)
        hs_chart_x_axis(&c, HS_AXIS_PLAIN, 6, true);
    for (uint32_t x = 0; x < v->t->places && !axis->is_numeric; x++)
        hs_svg_text(c.out, hs_scale_at(&c.x, x), c.bottom + 15, "middle", "tick", axis->values[x]);
    hs_svg_text(c.out, (c.left + c.right) / 2, c.bottom + 34, "middle", "tick", axis->key);
    for (uint32_t line = drawn; line-- > 0;)
        put_band(v, &c, line);
    for (uint32_t line = drawn; line-- > 0;)
        put_line(v, &c, line);
    hs_sweeptable_facet(v->t, v->facet, text, sizeof text);
    if (!is_page && v->metric == 0)
        hs_svg_text(c.out, c.left, c.top - 10, "start", "name", text);
    hs_plot_end(v->page, &c, NULL, v->column.title);
    if (is_page)
        hs_say(c.out, "</figure>\n");
}

/* ---- matrices ---- */

static double best_of(const struct view *v, uint32_t x)
{
    double best = (double)NAN;
    for (uint32_t line = 0; line < v->t->lines && v->t->lines > 1; line++) {
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

static void put_matrix(const struct view *v)
{
    struct hs_output *out = v->page->out;
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = 0; i < v->t->lines * v->t->places; i++) {
        most = fmax(most, v->cells[i].value);
        least = fmin(least, v->cells[i].value);
    }
    hs_page_begin_table(v->page, NULL, "figures matrix");
    hs_markup(out, "<th>%s</th>", v->t->x != HS_SWEEP_NONE ? v->t->axes[v->t->x].key : "");
    for (uint32_t x = 0; x < v->t->places; x++)
        hs_markup(out, "<th scope=\"col\">%s</th>", place_name(v, x));
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t line = 0; line < v->t->lines; line++) {
        hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\">%s</th>", line_name(v, line),
                  line_name(v, line));
        for (uint32_t x = 0; x < v->t->places; x++) {
            const struct hs_replicated *cell = cell_of(v, line, x),
                                       *ratio = &v->ratios[(size_t)line * v->t->places + x];
            char below[HS_COLUMN_TEXT_SIZE];
            if (line == 0)
                hs_runcolumn_spread_text(cell->value, cell->low, cell->high, below);
            else
                hs_runcolumn_ratio_text(ratio->value, (double)NAN, (double)NAN, below);
            hs_html_cell(out, &v->column, cell->value,
                         HS_TEXT("s%" PRIu32 "%s", shade(cell->value, least, most),
                                 cell->value == best_of(v, x) ? " best" : ""),
                         below);
        }
        hs_say(out, "</tr>\n");
    }
    hs_say(out, HS_TABLE_END "\n");
}

/* ---- points ---- */

static enum hs_status put_points(struct hs_page *page)
{
    const struct hs_sweeptable *t = page->sweep;
    struct hs_output *out = page->out;
    if (t->point_count > POINTS_MAX) {
        hs_page_note(page, "There are %" PRIu32 ", too many to list: they are in sweep.csv.",
                     t->point_count);
        return HS_OK;
    }
    hs_page_begin_table(page, HS_TEXT("All %" PRIu32 " points", t->point_count), "figures points");
    hs_say(out, "<th>point</th><th>run</th><th>state</th>");
    for (uint32_t a = 0; a < t->axis_count; a++)
        hs_markup(out, "<th>%s</th>", t->axes[a].key);
    for (uint32_t m = 0; m < t->metric_count; m++)
        hs_say(out, "<th>%s</th>", hs_runcolumn_of(t->metrics[m]).title);
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t i = 0; i < t->point_count; i++) {
        const struct hs_sweeptable_point *p = &t->points[i];
        hs_say(out, "<tr%s><td>%" PRIu32 "</td>", p->is_done ? "" : " class=\"failed\"", i + 1);
        hs_markup(out, "<td class=\"text\">%s</td><td class=\"text\">%s", p->run, p->state);
        if (!p->is_done && p->exit[0] != '\0')
            hs_markup(out, ", exit %s", p->exit);
        hs_say(out, "</td>");
        for (uint32_t a = 0; a < t->axis_count; a++)
            hs_markup(out, "<td>%s</td>", t->axes[a].values[p->at[a]]);
        for (uint32_t m = 0; m < t->metric_count; m++)
            hs_page_metric_cell(page, t->metrics[m], p->value[m]);
        hs_say(out, "</tr>\n");
    }
    hs_say(out, HS_TABLE_END "</details>\n");
    return HS_OK;
}

const struct hs_page_section hs_page_points = {"points", "Points", put_points};

/* ---- the page ---- */

/* The charts and tables of a facet. */
static void put_facet(struct view *v)
{
    static const struct hs_frame frame = {
        .width = HS_PAGE_THIRD, .height = 174, .margin = {48, 10, 8, 38}};
    struct hs_output *out = v->page->out;
    char text[HS_HTML_SAY_MAX];
    hs_sweeptable_facet(v->t, v->facet, text, sizeof text);
    if (text[0] != '\0')
        hs_markup(out, "<h3>%s</h3>\n", text);
    if (v->t->x != HS_SWEEP_NONE && v->t->places > 1) {
        hs_say(out, "<div class=\"charts\">\n");
        for (v->metric = 0; v->metric < v->t->metric_count; v->metric++) {
            fill_cells(v);
            put_plot(v, &frame);
        }
        hs_say(out, "</div>\n");
    }
    for (v->metric = 0; v->metric < v->t->metric_count; v->metric++) {
        fill_cells(v);
        hs_say(out, "<details%s>", v->metric == 0 ? " open=\"open\"" : "");
        hs_markup(out, "<summary>%s</summary>\n", v->column.title);
        put_matrix(v);
        hs_say(out, "</details>\n");
    }
}

static struct view view_of(struct hs_page *page)
{
    const struct hs_sweeptable *t = page->sweep;
    const uint64_t cells = (uint64_t)t->lines * t->places;
    return (struct view){
        .page = page,
        .t = t,
        .cells = hs_arena_alloc(&page->arena, cells * sizeof(struct hs_replicated)),
        .ratios = hs_arena_alloc(&page->arena, cells * sizeof(struct hs_replicated)),
        .values = hs_arena_alloc(&page->arena, cells * t->replicates * sizeof(double))};
}

static enum hs_status put_results(struct hs_page *page)
{
    struct view v = view_of(page);
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
    return HS_OK;
}

const struct hs_page_section hs_page_results = {"results", "Results", put_results};

/* ---- the figure ---- */

/* The part of a curve's name that tells the facets apart stands above each row of plots. */
static enum hs_status draw_sweep(struct hs_page *page)
{
    const struct hs_place place = {.file = page->manifest.dir};
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    struct hs_figure_key keys[HS_PAGE_DRAWN_MAX];
    HS_TRY(hs_figure_metrics(page, "mean_jct,mean_wait,gpu_utilization", names));
    HS_TRY(hs_page_read_sweep(page, names, page->figure->x));
    struct view v = view_of(page);
    if (v.t->x == HS_SWEEP_NONE || v.t->places < 2)
        return hs_fail(page->diag, HS_E_INPUT, &place, NULL,
                       "nothing was swept that could be the axis of a figure");
    if (v.t->lines > HS_PAGE_DRAWN_MAX || v.t->facets > FACETS_MAX)
        return hs_fail(page->diag, HS_E_INPUT, &place, "--x=KEY takes another axis",
                       "%" PRIu32 " curves in %" PRIu32 " rows; a figure has room for %u in %u",
                       v.t->lines, v.t->facets, HS_PAGE_DRAWN_MAX, FACETS_MAX);
    struct hs_frame frame = {.rows = v.t->facets,
                             .columns = v.t->metric_count,
                             .height = v.t->metric_count == 1 ? 320 : 200,
                             .margin = {66, 12, v.t->facets > 1 ? 26 : 10, 40}};
    hs_figure_begin(page, &frame, keys, hs_page_group_keys(page, "line", keys));
    for (v.facet = 0; v.facet < v.t->facets; v.facet++)
        for (v.metric = 0; v.metric < v.t->metric_count; v.metric++) {
            fill_cells(&v);
            put_plot(&v, &frame);
        }
    hs_figure_end(page);
    return HS_OK;
}

const struct hs_figure hs_figure_sweep = {.name = "sweep",
                                          .draw = draw_sweep,
                                          .is_of_sweep = true,
                                          .has_metrics = true,
                                          .has_scale = true};
