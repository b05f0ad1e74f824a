/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep: reads its points, on the swept axes, with the drawn metrics, from sweep.csv; assigns a
 * role to each axis; draws curves of the metrics over the numeric axis, a line per policy, with
 * intervals over the seeds; the same as tables whose cells are shaded by value; and a list of the
 * points. Reading costs O(points x values of an axis).
 */
#include <inttypes.h>
#include <math.h>

#include "report/html/page.h"

#define AXES_MAX   12u
#define VALUES_MAX 256u /* per axis */
#define POINTS_MAX 100000u

/* Default metrics of the page. */
static const char *const page_metrics[HS_FIGURE_METRICS_MAX + 1] = {
    "mean_jct",       "p99_jct", "mean_wait", "p99_wait", "mean_bounded_slowdown",
    "gpu_allocation", NULL};

enum part {
    FIXED,     /* one value, or determined by the value of another axis */
    LINE,      /* one line per value: policies if they are swept */
    X,         /* the numeric axis with most values */
    REPLICATE, /* seeds: means and intervals are taken over them */
    FACET,     /* one chart per value */
    PARTS,
};

struct axis {
    const char *key;                /* as in the experiment: "load"; NULL: a dummy with one value */
    const char *values[VALUES_MAX]; /* ascending if all are numbers, else in order of appearance */
    double numbers[VALUES_MAX];
    uint32_t column, count;
    bool is_numeric;
    enum part part;
};

struct point {
    const char *run, *state, *exit;
    uint32_t at[AXES_MAX + 2];           /* its index on each axis */
    double value[HS_FIGURE_METRICS_MAX]; /* per metric; NaN = none */
    uint32_t number[PARTS]; /* number of its combination of the FACET, REPLICATE axes */
    bool is_done;
};

struct hs_sweeptable {
    struct axis axes[AXES_MAX + 2]; /* after the swept axes a dummy line and x axis */
    struct point *points;
    uint32_t axis_count, point_count, point_cap;
    const char *const *metrics;
    uint32_t metric_columns[HS_FIGURE_METRICS_MAX], metric_count;
    const struct axis *line, *x;
    uint32_t facets, replicates;
    bool is_assumed;                /* some utilization is assumed */
    const char *workload, *cluster; /* of the completed points, NULL if they differ */
};

/* ---- the file ---- */

enum { RUN, STATE, EXIT, WORKLOAD, CLUSTER, ASSUMED, NAMED };

struct reading {
    struct hs_sweeptable *t;
    struct hs_arena *arena;
    struct hs_csv *csv;
    struct hs_diag *diag;
    uint32_t named[NAMED];
    bool has_done; /* a completed point was read */
};

static const char *keep(const struct reading *r, const struct hs_csv_row *row, uint32_t column)
{
    return column < row->count ? hs_arena_text(r->arena, row->fields[column], row->lengths[column])
                               : "";
}

/* Requested columns must exist; default ones may be missing. */
static enum hs_status read_head(struct reading *r, const struct hs_csv_row *row)
{
    static const char prefix[] = "axis_", *const names[NAMED] = {"run",     "state",
                                                                 "exit",    "workload",
                                                                 "cluster", HS_ASSUMED_SHARE};
    struct hs_sweeptable *t = r->t;
    for (uint32_t c = 0; c < row->count; c++) {
        if (strncmp(row->fields[c], prefix, strlen(prefix)) != 0)
            continue;
        if (t->axis_count == AXES_MAX)
            return hs_fail(r->diag, HS_E_LIMIT, HS_AT(hs_csv_place(r->csv, c)), NULL,
                           "a report draws sweeps of at most %u keys", AXES_MAX);
        t->axes[t->axis_count++] =
            (struct axis){.key = keep(r, row, c) + strlen(prefix), .column = c};
    }
    for (uint32_t m = 0; m < t->metric_count; m++) {
        t->metric_columns[m] = hs_renamed_column(row, t->metrics[m]);
        if (t->metric_columns[m] >= row->count && t->metrics != page_metrics)
            return hs_csv_fail(r->csv, 0, NULL, "there is no column '%s'", t->metrics[m]);
    }
    for (int i = 0; i < NAMED; i++)
        r->named[i] = hs_csv_column(row, names[i]);
    if (r->named[RUN] >= row->count || r->named[STATE] >= row->count)
        return hs_csv_fail(r->csv, 0, NULL,
                           "not the table of a sweep: there is no column run or state");
    return HS_OK;
}

static enum hs_status value_index(const struct reading *r, struct axis *a, const char *text,
                                  uint32_t *index)
{
    for (*index = 0; *index < a->count; ++*index)
        if (strcmp(a->values[*index], text) == 0)
            return HS_OK;
    if (a->count == VALUES_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, HS_AT(hs_csv_place(r->csv, a->column)), NULL,
                       "a report draws at most %u values of a key", VALUES_MAX);
    a->values[a->count++] = hs_arena_text(r->arena, text, strlen(text));
    return HS_OK;
}

/* Keeps workload or cluster as long as all completed points have the same. */
static void take_what(const struct reading *r, const char **what, const char *text)
{
    if (!r->has_done)
        *what = text;
    else if (*what != NULL && strcmp(*what, text) != 0)
        *what = NULL;
}

static enum hs_status read_point(struct reading *r, const struct hs_csv_row *row)
{
    struct hs_sweeptable *t = r->t;
    struct point *p = hs_push(t->points, t->point_count, t->point_cap, POINTS_MAX);
    *p = (struct point){.run = keep(r, row, r->named[RUN]),
                        .state = keep(r, row, r->named[STATE]),
                        .exit = keep(r, row, r->named[EXIT])};
    p->is_done = strcmp(p->state, "done") == 0;
    for (uint32_t a = 0; a < t->axis_count; a++) {
        const uint32_t column = t->axes[a].column;
        HS_TRY(
            value_index(r, &t->axes[a], column < row->count ? row->fields[column] : "", &p->at[a]));
    }
    for (uint32_t m = 0; m < t->metric_count; m++) {
        const uint32_t column = t->metric_columns[m];
        if (column >= row->count ||
            !hs_parse_double(row->fields[column], row->lengths[column], &p->value[m]))
            p->value[m] = (double)NAN;
    }
    if (p->is_done) {
        take_what(r, &t->workload, keep(r, row, r->named[WORKLOAD]));
        take_what(r, &t->cluster, keep(r, row, r->named[CLUSTER]));
        r->has_done = true;
        const uint32_t column = r->named[ASSUMED];
        double share;
        if (column < row->count &&
            hs_parse_double(row->fields[column], row->lengths[column], &share) && share > 0)
            t->is_assumed = true;
    }
    return HS_OK;
}

/* ---- roles of axes ---- */

static void sort_values(struct hs_sweeptable *t, uint32_t axis)
{
    struct axis *a = &t->axes[axis], sorted = *a;
    uint32_t new_index[VALUES_MAX];
    a->is_numeric = true;
    for (uint32_t i = 0; i < a->count && a->is_numeric; i++)
        a->is_numeric = hs_parse_double(a->values[i], strlen(a->values[i]), &a->numbers[i]);
    if (!a->is_numeric)
        return;
    for (uint32_t i = 0; i < a->count; i++) { /* linear search: there are few values */
        uint32_t rank = 0;
        for (uint32_t k = 0; k < a->count; k++)
            rank += a->numbers[k] < a->numbers[i] || (a->numbers[k] == a->numbers[i] && k < i);
        new_index[i] = rank;
        sorted.values[rank] = a->values[i];
        sorted.numbers[rank] = a->numbers[i];
    }
    sorted.is_numeric = true;
    *a = sorted;
    for (uint32_t p = 0; p < t->point_count; p++)
        t->points[p].at[axis] = new_index[t->points[p].at[axis]];
}

/* Tells whether the value on axis a is a function of that on axis b, over all points. */
static bool follows(const struct hs_sweeptable *t, uint32_t a, uint32_t b)
{
    uint32_t value[VALUES_MAX];
    bool is_known[VALUES_MAX] = {false};
    for (uint32_t p = 0; p < t->point_count; p++) {
        const uint32_t at = t->points[p].at[b];
        if (is_known[at] && value[at] != t->points[p].at[a])
            return false;
        is_known[at] = true;
        value[at] = t->points[p].at[a];
    }
    return true;
}

/* Returns the axis without a role that has most values; of numbers, or of names. */
static struct axis *longest_free(struct hs_sweeptable *t, bool is_numeric)
{
    struct axis *longest = NULL;
    for (struct axis *a = t->axes; a < t->axes + t->axis_count; a++)
        if (a->part == FACET && a->is_numeric == is_numeric &&
            (longest == NULL || a->count > longest->count))
            longest = a;
    return longest;
}

/* Assigns the line or x axis, unless it is assigned or axis is NULL; axes determined by it become
 * fixed. */
static void take_part(struct hs_sweeptable *t, struct axis *axis, enum part part)
{
    const struct axis **taken = part == X ? &t->x : &t->line;
    if (*taken != NULL || axis == NULL)
        return;
    *taken = axis;
    axis->part = part;
    for (uint32_t a = 0; a < t->axis_count; a++)
        if (t->axes[a].part == FACET && follows(t, a, (uint32_t)(axis - t->axes)))
            t->axes[a].part = FIXED;
}

/* x: the requested axis, or NULL. */
static void give_parts(struct hs_sweeptable *t, struct axis *x)
{
    struct axis *line = NULL, *none = t->axes + t->axis_count;
    for (struct axis *a = t->axes; a < none; a++) {
        const bool is_seed = strcmp(a->key, "seed") == 0 || strcmp(a->key, "assign_seed") == 0;
        a->part = a->count < 2 ? FIXED : is_seed ? REPLICATE : FACET;
        if (a->part == FACET && strcmp(a->key, "policy") == 0 && a != x)
            line = a;
    }
    take_part(t, x, X);
    take_part(t, line, LINE);
    take_part(t, longest_free(t, true), X);
    take_part(t, longest_free(t, false), LINE);
    take_part(t, longest_free(t, true), LINE);
    take_part(t, longest_free(t, false), X);
    none[0] = (struct axis){.values = {"all runs"}, .count = 1};
    none[1] = (struct axis){.values = {""}, .count = 1};
    t->line = t->line != NULL ? t->line : &none[0];
    t->x = t->x != NULL ? t->x : &none[1];
}

/* Numbers the combinations of the axes of a role in order of appearance. */
static uint32_t combine(struct hs_sweeptable *t, enum part part)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < t->point_count; p++) {
        uint32_t found = count;
        for (uint32_t before = 0; before < p && found == count; before++) {
            bool is_same = true;
            for (uint32_t a = 0; a < t->axis_count && is_same; a++)
                is_same = t->axes[a].part != part || t->points[p].at[a] == t->points[before].at[a];
            if (is_same)
                found = t->points[before].number[part];
        }
        t->points[p].number[part] = found;
        count += found == count;
    }
    return count;
}

static enum hs_status find_axis(struct hs_sweeptable *t, const char *key, const char *path,
                                struct hs_diag *diag, struct axis **axis)
{
    char swept[256] = "";
    for (*axis = t->axes; *axis < t->axes + t->axis_count; ++*axis) {
        if ((*axis)->count > 1 && strcmp((*axis)->key, key) == 0)
            return HS_OK;
        hs_append(swept, sizeof swept, " %s", (*axis)->key);
    }
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), NULL,
                   "'%s' was not swept; there are:%s", key, swept);
}

/* x: key of the x axis; NULL = the one with most numbers. */
static enum hs_status read_table(struct hs_sweeptable *t, struct hs_arena *arena, const char *path,
                                 const char *const *metrics, const char *x, struct hs_diag *diag)
{
    struct reading r = {.t = t, .arena = arena, .diag = diag};
    struct hs_input *input;
    struct hs_csv_row row;
    struct axis *axis = NULL;
    *t = (struct hs_sweeptable){.metrics = metrics};
    while (metrics[t->metric_count] != NULL)
        t->metric_count++;
    HS_TRY(hs_regular_check(path, diag));
    HS_TRY(hs_input_open(&input, path, diag));
    hs_csv_open(&r.csv, input, ',', diag);
    enum hs_status s = hs_csv_next(r.csv, &row);
    if (s == HS_OK)
        s = read_head(&r, &row);
    while (s == HS_OK && (s = hs_csv_next(r.csv, &row)) == HS_OK)
        s = read_point(&r, &row);
    hs_csv_close(r.csv);
    hs_input_close(input);
    if (s != HS_END)
        return s;
    for (uint32_t a = 0; a < t->axis_count; a++)
        sort_values(t, a);
    if (x != NULL)
        HS_TRY(find_axis(t, x, path, diag, &axis));
    give_parts(t, axis);
    t->facets = combine(t, FACET);
    t->replicates = combine(t, REPLICATE);
    return HS_OK;
}

/* Formats "gpus = 8, order = fit": the common values of a facet; "" if there is only one facet. */
static void facet_text(const struct hs_sweeptable *t, uint32_t facet, char text[HS_TEXT_SIZE])
{
    const struct point *p = t->points;
    text[0] = '\0';
    while (p->number[FACET] != facet)
        p++;
    for (uint32_t a = 0; a < t->axis_count; a++)
        if (t->axes[a].part == FACET)
            hs_append(text, HS_TEXT_SIZE, "%s%s = %s", text[0] != '\0' ? ", " : "", t->axes[a].key,
                      t->axes[a].values[p->at[a]]);
}

void hs_page_close_sweep(struct hs_page *page)
{
    if (page->sweep != NULL)
        hs_free(page->sweep->points);
    page->sweep = NULL;
}

enum hs_status hs_page_read_sweep(struct hs_page *page, const char *const *metrics, const char *x)
{
    hs_page_close_sweep(page);
    page->sweep = hs_arena_alloc(&page->arena, sizeof *page->sweep);
    page->group_count = page->drawn = 0;
    const char *path = HS_PATH("%s/sweep.csv", page->manifest.dir);
    struct hs_sweeptable *t = page->sweep;
    HS_TRY(
        read_table(t, &page->arena, path, metrics != NULL ? metrics : page_metrics, x, page->diag));
    if (t->point_count == 0)
        return hs_fail(page->diag, HS_E_INPUT, HS_AT({.file = path}), NULL,
                       "the sweep has no points");
    for (uint32_t line = 0; t->line->key != NULL && line < t->line->count; line++)
        HS_TRY(hs_page_add_group(page, t->line->values[line], NULL, 0, 0));
    return HS_OK;
}

/* ---- texts and limits ---- */

#define FACETS_MAX 6u   /* drawn */
#define LISTED_MAX 400u /* points */
#define WIDE_RANGE 30   /* from this ratio of largest / smallest an axis is logarithmic */

/* Writes "60 runs of sample on 10x8:V100: policy x 4, load x 5, seed x 3.", and what is missing. */
void hs_page_sweep_head(struct hs_page *page)
{
    const struct hs_sweeptable *t = page->sweep;
    struct hs_output *out = page->out;
    uint32_t failed = 0, missing = 0;
    const char *before = ": ";
    char finding[HS_FINDING_SIZE];
    if (hs_page_sweep_finding(page, finding)[0] != '\0')
        hs_markup(out, "<p class=\"finding\">%s</p>\n", finding);
    hs_say(out, "<p class=\"lead\">%" PRIu32 " runs", t->point_count);
    if (t->workload != NULL)
        hs_markup(out, " of <b>%s</b>", t->workload);
    if (t->cluster != NULL)
        hs_markup(out, " on <b>%s</b>", t->cluster);
    for (uint32_t a = 0; a < t->axis_count; a++)
        if (t->axes[a].count > 1) {
            hs_markup(out, "%s%u values of %s", before, t->axes[a].count, t->axes[a].key);
            before = ", ";
        }
    hs_say(out, ".</p>\n");
    for (uint32_t i = 0; i < t->point_count; i++) {
        const bool has_failed = strcmp(t->points[i].state, "failed") == 0;
        failed += has_failed;
        missing += !has_failed && !t->points[i].is_done;
    }
    if (failed + missing > 0)
        hs_say(out,
               "<p class=\"caution\">%" PRIu32 " of %" PRIu32 " points failed and %" PRIu32
               " have not run: means are over the others.</p>\n",
               failed, t->point_count, missing);
}

void hs_page_swept(const struct hs_page *page, const char *key, char text[HS_PAGE_VALUE_SIZE])
{
    const struct hs_sweeptable *t = page->sweep;
    size_t len = 0;
    for (uint32_t a = 0; t != NULL && a < t->axis_count; a++)
        for (uint32_t i = 0; strcmp(t->axes[a].key, key) == 0 && i < t->axes[a].count; i++) {
            const size_t left = HS_PAGE_VALUE_SIZE - len;
            const int put =
                snprintf(text + len, left, "%s%s", i == 0 ? "swept: " : ", ", t->axes[a].values[i]);
            len += put > 0 && (size_t)put < left ? (size_t)put : 0;
        }
}

struct view {
    struct hs_page *page;
    const struct hs_sweeptable *t;
    uint32_t facet, metric, lines, places;
    struct hs_runcolumn column;
    struct hs_replicated *cells;  /* lines x places */
    struct hs_replicated *ratios; /* relative to the first line */
    double *values;               /* replicates of each cell */
};

static struct hs_replicated *cell_of(const struct view *v, uint32_t line, uint32_t x)
{
    return &v->cells[(size_t)line * v->places + x];
}

/* O(points + values). */
static void fill_cells(struct view *v)
{
    const struct hs_sweeptable *t = v->t;
    const uint32_t replicates = t->replicates, cells = v->lines * v->places;
    v->column = hs_runcolumn_of(t->metrics[v->metric]);
    if (t->is_assumed)
        hs_runcolumn_assume(&v->column);
    for (size_t i = 0; i < (size_t)cells * replicates; i++)
        v->values[i] = (double)NAN;
    for (const struct point *p = t->points; p < t->points + t->point_count; p++)
        if (p->is_done && p->number[FACET] == v->facet)
            v->values[((size_t)p->at[t->line - t->axes] * v->places + p->at[t->x - t->axes]) *
                          replicates +
                      p->number[REPLICATE]] = p->value[v->metric];
    for (uint32_t i = 0; i < cells; i++) {
        const double *values = v->values + (size_t)i * replicates,
                     *firsts = v->values + (size_t)(i % v->places) * replicates;
        v->cells[i] = hs_replicated_mean(values, 1, replicates);
        v->ratios[i] = hs_replicated_ratio(values, firsts, 1, replicates);
    }
}

/* ---- curves ---- */

/* Names are equidistant, numbers are placed by value. */
static double x_value(const struct view *v, uint32_t x)
{
    return v->t->x->is_numeric ? v->t->x->numbers[x] : x;
}

/* Draws along the upper ends of the intervals and back along the lower ends. */
static void put_band(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "interval", hs_page_colour(line));
    for (uint32_t i = 0; i < 2 * v->places; i++) {
        const bool is_back = i >= v->places;
        const uint32_t x = is_back ? 2 * v->places - 1 - i : i;
        const double end = is_back ? cell_of(v, line, x)->low : cell_of(v, line, x)->high;
        if (!isnan(end))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)), hs_scale_at(&c->y, end));
    }
    if (path.is_open)
        hs_path_close(&path);
    hs_path_end(&path, NULL);
}

/* Draws a line with tooltips: "tiresias, load 0.8: mean JCT 1.02 h, +-2.1%, 3 runs". */
static void put_line(const struct view *v, const struct hs_chart *c, uint32_t line)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "line", hs_page_colour(line));
    for (uint32_t x = 0; x < v->places; x++)
        if (!isnan(cell_of(v, line, x)->value))
            hs_path_to(&path, hs_scale_at(&c->x, x_value(v, x)),
                       hs_scale_at(&c->y, cell_of(v, line, x)->value));
    hs_path_end(&path, v->t->line->values[line]);
    for (uint32_t x = 0; x < v->places; x++) {
        const struct hs_replicated *cell = cell_of(v, line, x);
        char spread[HS_COLUMN_TEXT_SIZE];
        if (isnan(cell->value))
            continue;
        hs_runcolumn_spread_text(cell->value, cell->low, cell->high, spread);
        hs_svg_dot(c->out, hs_page_colour(line), hs_scale_at(&c->x, x_value(v, x)),
                   hs_scale_at(&c->y, cell->value),
                   HS_TEXT("%s, %s %s: %s %s%s%s, %" PRIu32 " %s", v->t->line->values[line],
                           v->t->x->key, v->t->x->values[x], v->column.title,
                           HS_COLUMN_TEXT(&v->column, cell->value), spread[0] != '\0' ? ", " : "",
                           spread, cell->runs, cell->runs == 1 ? "run" : "runs"));
    }
}

/* Returns false if all values are 0. The axis begins at 0, or is logarithmic. */
static bool set_scales(const struct view *v, struct hs_chart *c, enum hs_figure_scale scale)
{
    const uint32_t drawn = v->lines < HS_PAGE_DRAWN_MAX ? v->lines : HS_PAGE_DRAWN_MAX;
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = 0; i < drawn * v->places; i++) {
        most = fmax(most, fmax(v->cells[i].value, v->cells[i].high));
        least = fmin(least, v->cells[i].value);
    }
    const bool is_log = least > 0 && (scale == HS_FIGURE_LOG ||
                                      (scale == HS_FIGURE_AUTO && most / least >= WIDE_RANGE));
    c->x = (struct hs_scale){.from = x_value(v, 0), .to = x_value(v, v->places - 1)};
    c->y = (struct hs_scale){.from = is_log ? least / 1.2 : 0, .to = most, .is_log = is_log};
    return most > 0;
}

static void put_points(const struct view *v, const char *facet)
{
    const struct axis *x = v->t->x;
    for (uint32_t i = 0; i < v->lines * v->places; i++)
        if (!isnan(v->cells[i].value))
            hs_csvw_row(v->page->points, HS_NAMED_POINT_CELLS, v->t->line->values[i / v->places],
                        facet, x->key, x->values[i % v->places], (double)NAN,
                        HS_AXIS_NAME(v->column.metric, v->column.kind), v->cells[i].value,
                        v->cells[i].low, v->cells[i].high);
}

/* Draws the curves of the metric over the x axis. */
static void put_plot(const struct view *v, const struct hs_frame *frame)
{
    const uint32_t drawn = v->lines < HS_PAGE_DRAWN_MAX ? v->lines : HS_PAGE_DRAWN_MAX;
    const struct axis *axis = v->t->x;
    const bool is_page = v->page->figure == NULL;
    struct hs_chart c = {.out = v->page->out};
    char text[HS_TEXT_SIZE];
    if (is_page)
        hs_markup(c.out, "<figure><figcaption>%s</figcaption>\n", v->column.title);
    if (!set_scales(v, &c, is_page ? HS_FIGURE_AUTO : v->page->figure->scale)) {
        c.y.to = 1;
        if (is_page) {
            HS_PAGE_NOTE(v->page, "0 everywhere.");
            hs_say(c.out, "</figure>\n");
            return;
        }
    }
    hs_plot_begin(v->page, frame,
                  v->facet * (frame->rows / v->t->facets) + v->metric / frame->columns,
                  v->metric % frame->columns, &c, v->column.title);
    hs_chart_y_axis(&c, v->column.kind, 6);
    if (axis->is_numeric)
        hs_chart_x_axis(&c, HS_COLUMN_PLAIN, 6, true);
    for (uint32_t x = 0; x < v->places && !axis->is_numeric; x++)
        hs_svg_text(c.out, hs_scale_at(&c.x, x), c.bottom + 15, "middle", "tick", axis->values[x]);
    hs_svg_text(c.out, (c.left + c.right) / 2, c.bottom + 34, "middle", "tick", axis->key);
    for (uint32_t line = drawn; line-- > 0;)
        put_band(v, &c, line);
    for (uint32_t line = drawn; line-- > 0;)
        put_line(v, &c, line);
    facet_text(v->t, v->facet, text);
    if (v->page->points != NULL)
        put_points(v, text);
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
    for (uint32_t line = 0; line < v->lines && v->lines > 1; line++) {
        const double value = cell_of(v, line, x)->value;
        if (v->column.best != HS_BEST_NONE &&
            (isnan(best) || (v->column.best == HS_BEST_MOST ? value > best : value < best)))
            best = value;
    }
    return best;
}

/* Returns 0 for the smallest value of the matrix to 4 for the largest; logarithmic if wide. */
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
    for (uint32_t i = 0; i < v->lines * v->places; i++) {
        most = fmax(most, v->cells[i].value);
        least = fmin(least, v->cells[i].value);
    }
    hs_page_begin_table(v->page, NULL, "figures matrix");
    hs_markup(out, "<th>%s</th>", v->t->x->key != NULL ? v->t->x->key : "");
    for (uint32_t x = 0; x < v->places; x++)
        hs_markup(out, "<th scope=\"col\">%s</th>", v->t->x->values[x]);
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t line = 0; line < v->lines; line++) {
        hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\">%s</th>", v->t->line->values[line],
                  v->t->line->values[line]);
        for (uint32_t x = 0; x < v->places; x++) {
            const struct hs_replicated *cell = cell_of(v, line, x),
                                       *ratio = &v->ratios[(size_t)line * v->places + x];
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

enum hs_status hs_put_points(struct hs_page *page)
{
    const struct hs_sweeptable *t = page->sweep;
    struct hs_output *out = page->out;
    if (t->point_count > LISTED_MAX) {
        HS_PAGE_NOTE(page, "There are %" PRIu32 ", too many to list: they are in sweep.csv.",
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
        const struct point *p = &t->points[i];
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

/* ---- the page ---- */

/* Draws the charts and tables of a facet. */
static void put_facet(struct view *v)
{
    static const struct hs_frame frame = {
        .rows = 1, .columns = 1, .width = HS_PAGE_THIRD, .height = 174, .margin = {48, 10, 8, 38}};
    struct hs_output *out = v->page->out;
    char text[HS_TEXT_SIZE];
    facet_text(v->t, v->facet, text);
    if (text[0] != '\0')
        hs_markup(out, "<h3>%s</h3>\n", text);
    if (v->places > 1) {
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
    const uint64_t cells = (uint64_t)t->line->count * t->x->count;
    return (struct view){
        .page = page,
        .t = t,
        .lines = t->line->count,
        .places = t->x->count,
        .cells = hs_arena_alloc(&page->arena, cells * sizeof(struct hs_replicated)),
        .ratios = hs_arena_alloc(&page->arena, cells * sizeof(struct hs_replicated)),
        .values = hs_arena_alloc(&page->arena, cells * t->replicates * sizeof(double))};
}

enum hs_status hs_put_results(struct hs_page *page)
{
    struct view v = view_of(page);
    hs_page_legend(page);
    for (v.facet = 0; v.facet < v.t->facets && v.facet < FACETS_MAX; v.facet++)
        put_facet(&v);
    if (v.t->facets > FACETS_MAX)
        HS_PAGE_NOTE(page, "The first %u of %" PRIu32 " combinations; sweep.csv has all.",
                     FACETS_MAX, v.t->facets);
    HS_PAGE_NOTE(
        page,
        "Means over the runs at a point; shaded, their 95 %% interval by Student's t where "
        "there are several seeds. In the tables, darker is larger, the best of each "
        "column is marked, and below a value is its ratio to %s over the same seeds (of "
        "%s itself: half the interval of its mean).",
        v.t->line->values[0], v.t->line->values[0]);
    return HS_OK;
}

/* ---- the finding ---- */

/* How often a line has the least of the first metric, over facets and places. */
struct wins {
    uint32_t of[VALUES_MAX], winner, chance;
    uint32_t equal, shared;         /* cells where no line differs; where several have the least */
    double least, most;             /* of the winner, where it wins */
    double ratio_least, ratio_most; /* there, to the first line */
};

/* Tells whether the line has less than every other. */
static bool has_least(const struct view *v, uint32_t line, uint32_t x)
{
    const double own = cell_of(v, line, x)->value;
    bool is_least = !isnan(own), is_less = false;
    for (uint32_t i = 0; i < v->lines && is_least; i++) {
        const double other = cell_of(v, i, x)->value;
        is_less |= own < other;
        is_least = i == line || isnan(other) || own < other;
    }
    return is_least && is_less;
}

/* Tells whether all cells with a value have the same. */
static bool is_level(const struct view *v, uint32_t x)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (uint32_t i = 0; i < v->lines; i++) {
        least = fmin(least, cell_of(v, i, x)->value); /* of NAN and another: the other */
        most = fmax(most, cell_of(v, i, x)->value);
    }
    return least == most;
}

/* Tells whether the line's ratio to another over the same seeds may be 1. */
static bool is_chance(const struct view *v, uint32_t line, uint32_t x)
{
    const uint32_t runs = v->t->replicates;
    const double *own = v->values + ((size_t)line * v->places + x) * runs;
    bool is_any = false;
    for (uint32_t i = 0; i < v->lines; i++) {
        const double *other = v->values + ((size_t)i * v->places + x) * runs;
        const struct hs_replicated ratio = hs_replicated_ratio(own, other, 1, runs);
        is_any |= i != line && ratio.low < ratio.high && ratio.high >= 1;
    }
    return is_any;
}

static void count_wins(struct view *v, struct wins *wins)
{
    for (v->facet = 0; v->facet < v->t->facets; v->facet++) {
        fill_cells(v);
        for (uint32_t x = 0; x < v->places; x++) {
            uint32_t known = 0, line = 0;
            for (uint32_t i = 0; i < v->lines; i++)
                known += isnan(cell_of(v, i, x)->value) ? 0 : 1;
            while (line < v->lines && !has_least(v, line, x))
                line++;
            if (line < v->lines)
                wins->of[line]++;
            else if (known > 1)
                *(is_level(v, x) ? &wins->equal : &wins->shared) += 1;
        }
    }
    for (uint32_t line = 0; line < v->lines; line++)
        wins->winner = wins->of[line] > wins->of[wins->winner] ? line : wins->winner;
    wins->least = wins->ratio_least = (double)INFINITY;
    for (v->facet = 0; v->facet < v->t->facets; v->facet++) {
        fill_cells(v);
        for (uint32_t x = 0; x < v->places; x++) {
            const struct hs_replicated *ratio = &v->ratios[(size_t)wins->winner * v->places + x];
            if (!has_least(v, wins->winner, x))
                continue;
            wins->least = fmin(wins->least, cell_of(v, wins->winner, x)->value);
            wins->most = fmax(wins->most, cell_of(v, wins->winner, x)->value);
            wins->ratio_least = fmin(wins->ratio_least, ratio->value);
            wins->ratio_most = fmax(wins->ratio_most, ratio->value);
            wins->chance += is_chance(v, wins->winner, x);
        }
    }
}

/* "The mean JCT is lowest under srtf at 4 of 5 values of load" */
static void say_winner(const struct view *v, const struct wins *wins, uint32_t cells, char *text)
{
    const struct axis *line = v->t->line;
    const bool is_policy = strcmp(line->key, "policy") == 0;
    hs_append(text, HS_FINDING_SIZE, "The mean JCT is lowest under %s%s%.80s",
              is_policy ? "" : line->key, is_policy ? "" : " = ", line->values[wins->winner]);
    if (cells > 1)
        hs_append(text, HS_FINDING_SIZE, " at %" PRIu32 " of %" PRIu32 " %s%.40s",
                  wins->of[wins->winner], cells, v->t->facets == 1 ? "values of " : "combinations",
                  v->t->facets == 1 ? v->t->x->key : "");
}

/* ": 0.98 h to 1.06 h, 0.0977 to 0.532 times that under fifo" */
static void say_by_how_much(const struct view *v, const struct wins *wins, char *text)
{
    const char *from = HS_COLUMN_TEXT(&v->column, wins->least);
    const char *to = HS_COLUMN_TEXT(&v->column, wins->most);
    hs_append(text, HS_FINDING_SIZE, ": %s", from);
    if (strcmp(from, to) != 0)
        hs_append(text, HS_FINDING_SIZE, " to %s", to);
    if (wins->winner > 0 && wins->ratio_least <= wins->ratio_most) {
        hs_append(text, HS_FINDING_SIZE, ", %.3g", wins->ratio_least);
        if (wins->of[wins->winner] > 1)
            hs_append(text, HS_FINDING_SIZE, " to %.3g", wins->ratio_most);
        hs_append(text, HS_FINDING_SIZE, " times that under %.80s", v->t->line->values[0]);
    }
    if (wins->chance > 0)
        hs_append(text, HS_FINDING_SIZE, " (at %" PRIu32 " the difference may be chance)",
                  wins->chance);
}

const char *hs_page_sweep_finding(struct hs_page *page, char text[HS_FINDING_SIZE])
{
    struct view v = view_of(page);
    struct wins wins = {0};
    uint32_t won = 0;
    text[0] = '\0';
    count_wins(&v, &wins);
    for (uint32_t i = 0; i < v.lines; i++)
        won += wins.of[i];
    if (won == 0 && wins.shared > 0)
        hs_append(text, HS_FINDING_SIZE,
                  "No single %.40s has the lowest mean JCT: several are equal.", v.t->line->key);
    else if (won == 0 && wins.equal > 0)
        hs_append(text, HS_FINDING_SIZE, "The mean JCT is equal under each %.40s.", v.t->line->key);
    if (won == 0)
        return text;
    say_winner(&v, &wins, won + wins.equal + wins.shared, text);
    say_by_how_much(&v, &wins, text);
    for (uint32_t i = 0; i < v.lines; i++)
        if (i != wins.winner && wins.of[i] > 0)
            hs_append(text, HS_FINDING_SIZE, "; at %" PRIu32 " under %.80s", wins.of[i],
                      v.t->line->values[i]);
    if (wins.shared > 0)
        hs_append(text, HS_FINDING_SIZE, "; at %" PRIu32 " several are equal", wins.shared);
    if (wins.equal > 0)
        hs_append(text, HS_FINDING_SIZE, "; at %" PRIu32 " all are equal", wins.equal);
    hs_append(text, HS_FINDING_SIZE, ".");
    return text;
}

/* ---- the figure ---- */

/* The part of the names that distinguishes the facets is written above each row of plots. */
enum hs_status hs_draw_sweep(struct hs_page *page)
{
    const struct hs_place place = {.file = page->manifest.dir};
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    HS_TRY(hs_figure_metrics(page, "mean_jct,mean_wait,gpu_allocation", names));
    HS_TRY(hs_page_read_sweep(page, names, page->figure->x));
    struct view v = view_of(page);
    if (v.places < 2)
        return hs_fail(page->diag, HS_E_INPUT, &place, NULL,
                       "nothing was swept that could be the axis of a figure");
    if (v.lines > HS_PAGE_DRAWN_MAX || v.t->facets > FACETS_MAX)
        return hs_fail(page->diag, HS_E_INPUT, &place, "--x=KEY takes another axis",
                       "%" PRIu32 " curves in %" PRIu32 " rows; a figure has at most %u in %u",
                       v.lines, v.t->facets, HS_PAGE_DRAWN_MAX, FACETS_MAX);
    const uint32_t columns = hs_figure_columns(page, v.t->metric_count);
    struct hs_frame frame = {.rows = v.t->facets * ((v.t->metric_count + columns - 1) / columns),
                             .columns = columns,
                             .height = v.t->metric_count == 1 ? 320 : 200,
                             .margin = {66, 12, v.t->facets > 1 ? 26 : 10, 40}};
    hs_figure_begin_groups(page, &frame, "line");
    for (v.facet = 0; v.facet < v.t->facets; v.facet++)
        for (v.metric = 0; v.metric < v.t->metric_count; v.metric++) {
            fill_cells(&v);
            put_plot(&v, &frame);
        }
    return HS_OK;
}
