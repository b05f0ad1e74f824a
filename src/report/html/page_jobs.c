/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs: cumulative distributions of completion times, waits and slowdowns, all groups in one plot,
 * and bars of means by class of jobs, one bar per group. A curve is evaluated exactly, at no more
 * points than can be distinguished.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report/html/page.h"
#include "report/stats/exact.h"

/* ---- values of the jobs in the statistics of summary.json: completed, inside the window of
 * --warmup and --cooldown ---- */

#define JOBS_MAX (UINT32_MAX / 2)
#define VALUES   6u
#define LATENESS 5u /* its kind: the only value that may be negative */
#define NONE     INT64_MIN
#define ON_PAGE  3u /* values drawn on the page: the first of them */

/* name: used by --metric, and after a quantile in the metrics of a summary: p50_jct */
static const struct value_kind {
    const char *heading, *noun, *name, *column;
    enum hs_runcolumn_kind axis;
} value_kinds[VALUES] = {
    {"Job completion time", "JCT", "jct", "turnaround_time", HS_COLUMN_TIME},
    {"Wait until the first start", "wait", "wait", "waiting_time", HS_COLUMN_TIME},
    {"Slowdown: JCT / run time alone", "slowdown", "slowdown", "slowdown", HS_COLUMN_PLAIN},
    {"Queueing delay (all time without GPUs)", "queueing delay", "queueing_delay", "queueing_delay",
     HS_COLUMN_TIME},
    {"Slowdown while running", "run slowdown", "run_slowdown", "run_slowdown", HS_COLUMN_PLAIN},
    {"Lateness: end - deadline", "lateness", "lateness", "lateness", HS_COLUMN_TIME},
};

/* One kind of value of a group's jobs: microseconds, or millionths of a slowdown; ascending. */
struct job_values {
    int64_t *values;
    uint32_t count;
};

struct curves {
    struct hs_page *page;
    struct job_values of[HS_PAGE_DRAWN_MAX][VALUES];
    uint32_t what; /* index of the kind drawn */
    struct hs_chart chart;
};

/* value: -1 = it has none; of lateness NONE. */
struct job_row {
    int64_t submit_us, value[VALUES];
    const char *success;
};

struct job_reading {
    struct job_row *rows; /* completed jobs */
    uint32_t count, cap;
    int64_t last_submit_us; /* of any job */
};

static enum hs_status read_job(void *ctx, const struct hs_rowfile *f)
{
    struct job_reading *r = ctx;
    struct job_row row = {.value = {-1, -1, -1, -1, -1, NONE}};
    HS_TRY(hs_rowfile_read(f, &row));
    r->last_submit_us = row.submit_us > r->last_submit_us ? row.submit_us : r->last_submit_us;
    if (strcmp(row.success, "1") != 0)
        return HS_OK;
    *hs_push(r->rows, r->count, r->cap, JOBS_MAX) = row;
    return HS_OK;
}

/* Appends the jobs of a run that are inside its window. */
static enum hs_status read_run(struct job_reading *r, struct hs_runmanifest *run,
                               const struct hs_rowcell *cells)
{
    const uint32_t first = r->count;
    r->last_submit_us = 0;
    HS_TRY(hs_rowfile_each(run, "jobs.csv", cells, read_job, r));
    const int64_t from_us = hs_runmanifest_duration_us(run, "warmup"),
                  to_us = r->last_submit_us - hs_runmanifest_duration_us(run, "cooldown");
    uint32_t kept = first;
    for (uint32_t i = first; i < r->count; i++)
        if (r->rows[i].submit_us >= from_us && r->rows[i].submit_us <= to_us)
            r->rows[kept++] = r->rows[i];
    r->count = kept;
    return HS_OK;
}

/* Reads the wanted kinds (bits 1 << kind) of all runs of each group. O(jobs log jobs). */
static enum hs_status read_groups(struct curves *s, uint32_t wanted)
{
    struct hs_rowcell cells[2 + VALUES + 1] = {
        {"submission_time", HS_ROWCELL_TIME_OR_NONE, offsetof(struct job_row, submit_us)},
        {"success", HS_ROWCELL_TEXT, offsetof(struct job_row, success)}};
    struct job_reading r = {.rows = NULL};
    enum hs_status status = HS_OK;
    for (uint32_t v = 0, column = 2; v < VALUES; v++)
        if (wanted >> v & 1)
            cells[column++] = (struct hs_rowcell){
                value_kinds[v].column, v == LATENESS ? HS_ROWCELL_SIGNED_IF_ANY : HS_ROWCELL_NUMBER,
                offsetof(struct job_row, value) + v * sizeof(int64_t)};
    for (uint32_t g = 0; g < s->page->drawn && status == HS_OK; g++) {
        const struct hs_page_group *group = &s->page->groups[g];
        r.count = 0;
        for (uint32_t k = 0; k < group->count && status == HS_OK; k++)
            if (hs_page_has(s->page, g, "jobs.csv"))
                status = read_run(&r, &s->page->runs[group->first + k].manifest, cells);
        for (uint32_t v = 0; v < VALUES; v++) {
            struct job_values *of = &s->of[g][v];
            of->values = hs_arena_alloc(&s->page->arena, (r.count + 1ull) * sizeof *of->values);
            for (uint32_t i = 0; i < r.count; i++)
                if (r.rows[i].value[v] >= (v == LATENESS ? NONE + 1 : 0))
                    of->values[of->count++] = r.rows[i].value[v];
            qsort(of->values, of->count, sizeof *of->values, hs_order_at);
        }
    }
    hs_free(r.rows);
    return status;
}

/* Returns how many of count ascending values are at or below limit. O(log count). */
static uint32_t rank_of(const int64_t *values, uint32_t count, int64_t limit)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (values[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the smallest of count > 0 values with at least permille/1000 of them at or below it. */
static int64_t nearest_rank(const int64_t *values, uint32_t count, uint32_t permille)
{
    const uint64_t rank = ((uint64_t)count * permille + 999) / 1000;
    return values[rank > 0 ? rank - 1 : 0];
}

/* ---- distributions ---- */

#define POINTS_MAX 512u
#define PROBES     28u /* columns with a tooltip */
#define HALF       0.5 /* share of jobs up to which an axis of shares may begin above 0 */
#define MICRO      1e6 /* values per second, or per slowdown of 1 */
#define NARROW     5.0 /* a figure of slowdowns below this ratio has a linear axis */

/* The range begins at the 1 % quantile of positive values, of the group where it is least, and ends
 * at the maximum. Returns false if no value is above 0. */
static bool find_range(const struct curves *s, double *from, double *to)
{
    *from = (double)INFINITY;
    *to = 0;
    for (uint32_t g = 0; g < s->page->drawn; g++) {
        const int64_t *values = s->of[g][s->what].values;
        const uint32_t count = s->of[g][s->what].count, zeros = rank_of(values, count, 0);
        if (zeros == count)
            continue;
        const double low = (double)nearest_rank(values + zeros, count - zeros, 10) / MICRO,
                     high = (double)values[count - 1] / MICRO;
        *from = low < *from ? low : *from;
        *to = high > *to ? high : *to;
    }
    return *to > 0;
}

static double share_at(const struct curves *s, uint32_t group, double value)
{
    const struct job_values *of = &s->of[group][s->what];
    return (double)rank_of(of->values, of->count, llround(value * MICRO)) / of->count;
}

/* Returns where the axis of shares begins: above 0, at a full tenth, if in all groups most jobs are
 * at or below the start of the other axis. */
static double least_share(const struct curves *s, double from)
{
    double least = 1;
    for (uint32_t g = 0; g < s->page->drawn; g++)
        if (s->of[g][s->what].count > 0 && share_at(s, g, from) < least)
            least = share_at(s, g, from);
    return least < HALF ? 0 : least < 1 ? floor(10 * least) / 10 : 0.9;
}

/* Of lateness: from the value that 1 % are below, where that is least, to the one that 99 % are not
 * above, where that is most; 0 is inside. The few that are very late would leave the others no room
 * on an axis that cannot be logarithmic. */
static bool set_lateness_scales(struct curves *s)
{
    double from = 0, to = 0;
    for (uint32_t g = 0; g < s->page->drawn; g++) {
        const struct job_values *of = &s->of[g][LATENESS];
        if (of->count == 0)
            continue;
        from = fmin(from, (double)nearest_rank(of->values, of->count, 10) / MICRO);
        to = fmax(to, (double)nearest_rank(of->values, of->count, 990) / MICRO);
    }
    s->chart.x = (struct hs_scale){.from = from, .to = to > from ? to : from + 1};
    s->chart.y = (struct hs_scale){.from = 0, .to = 1};
    return to > from;
}

/* Returns false if there is nothing to draw. */
static bool set_scales(struct curves *s, enum hs_figure_scale scale)
{
    double from, to;
    if (s->what == LATENESS)
        return set_lateness_scales(s);
    if (!find_range(s, &from, &to))
        return false;
    const bool is_slowdown = value_kinds[s->what].axis == HS_COLUMN_PLAIN;
    double low = is_slowdown && from >= 1 ? 1 : pow(10, floor(log10(from)));
    const bool is_log =
        scale == HS_FIGURE_LOG || (scale == HS_FIGURE_AUTO && !(is_slowdown && to < NARROW * low));
    if (!is_log)
        low = is_slowdown && from >= 1 ? 1 : 0;
    else if (to < 10 * low)
        to = 10 * low;
    s->chart.x = (struct hs_scale){.from = low, .to = to > low ? to : low + 1, .is_log = is_log};
    s->chart.y = (struct hs_scale){.from = least_share(s, low), .to = 1};
    return true;
}

static double quantile_of(const struct job_values *of, uint32_t permille)
{
    return of->count > 0 ? (double)nearest_rank(of->values, of->count, permille) / MICRO
                         : (double)NAN;
}

/* A value of the kind drawn, valid until the end of the block. */
#define VALUE(s, value)                                                                            \
    (value_kinds[(s)->what].axis == HS_COLUMN_TIME ? HS_TIME(value) : HS_TEXT("%.3g", value))

/* ---- curves ---- */

static uint32_t points_of(const struct curves *s)
{
    return s->page->drawn > 3 ? POINTS_MAX / 2 : POINTS_MAX;
}

/* The last point is the maximum itself, regardless of rounding. */
static double point_value(const struct curves *s, uint32_t i)
{
    const struct hs_chart *c = &s->chart;
    const double step = (c->right - c->left) / (points_of(s) - 1);
    return i + 1 < points_of(s) ? hs_scale_value(&c->x, c->left + i * step) : c->x.to;
}

/* Rows of the steps of a curve that its points distinguish, each at the last job below it. */
static void put_steps(const struct curves *s, uint32_t group)
{
    const struct value_kind *kind = &value_kinds[s->what];
    const struct job_values *of = &s->of[group][s->what];
    for (uint32_t i = 0, before = UINT32_MAX; i < points_of(s); i++) {
        const uint32_t rank = rank_of(of->values, of->count, llround(point_value(s, i) * MICRO));
        if (rank == before)
            continue;
        before = rank;
        hs_csvw_row(s->page->points, HS_POINT_CELLS, s->page->rows[group].label, "",
                    HS_AXIS_NAME(kind->name, kind->axis),
                    i == 0 ? s->chart.x.from : (double)of->values[rank - 1] / MICRO, (double)NAN,
                    "share", (double)rank / of->count, (double)NAN, (double)NAN);
    }
}

static void put_curve(const struct curves *s, uint32_t group)
{
    const struct hs_chart *c = &s->chart;
    const uint32_t points = points_of(s);
    const double step = (c->right - c->left) / (points - 1);
    struct hs_path path;
    hs_path_begin(&path, c->out, "line", hs_page_colour(group));
    double y = hs_scale_at(&c->y, share_at(s, group, c->x.from));
    hs_path_to(&path, c->left, c->bottom);
    hs_path_to(&path, c->left, y);
    for (uint32_t i = 1; i < points; i++) {
        const double x = c->left + i * step;
        hs_path_to(&path, x, y);
        y = hs_scale_at(&c->y, share_at(s, group, point_value(s, i)));
        hs_path_to(&path, x, y);
    }
    hs_path_end(&path,
                HS_TEXT("%s: median %s %s", s->page->rows[group].label, value_kinds[s->what].noun,
                        VALUE(s, quantile_of(&s->of[group][s->what], 500))));
}

static void put_quantiles(const struct curves *s, uint32_t group)
{
    static const uint32_t permilles[] = {500, 900, 990};
    const struct hs_chart *c = &s->chart;
    for (size_t i = 0; i < HS_COUNT_OF(permilles); i++) {
        const double value = quantile_of(&s->of[group][s->what], permilles[i]);
        if (value < c->x.from || permilles[i] < 1000 * c->y.from)
            continue;
        hs_svg_dot(c->out, hs_page_colour(group), hs_scale_at(&c->x, value),
                   hs_scale_at(&c->y, permilles[i] / 1000.0),
                   HS_TEXT("%s: p%" PRIu32 " %s %s", s->page->rows[group].label, permilles[i] / 10,
                           value_kinds[s->what].noun, VALUE(s, value)));
    }
}

/* Draws tooltips with the values of all curves at a point. */
static void put_probes(const struct curves *s)
{
    const struct hs_chart *c = &s->chart;
    const double step = (c->right - c->left) / PROBES;
    for (uint32_t i = 0; i < PROBES; i++) {
        const double value = hs_scale_value(&c->x, c->left + (i + 0.5) * step);
        char title[HS_TEXT_SIZE] = "";
        hs_append(title, sizeof title, "%s up to %s:", value_kinds[s->what].noun, VALUE(s, value));
        for (uint32_t g = 0; g < s->page->drawn; g++)
            if (s->of[g][s->what].count > 0)
                hs_append(title, sizeof title, "%s %s %.1f %%", g == 0 ? "" : ",",
                          s->page->group_count > 1 ? s->page->rows[g].label : "",
                          100 * share_at(s, g, value));
        hs_svg_rect(c->out, "probe", NULL, c->left + i * step, c->top, step, c->bottom - c->top,
                    title);
    }
}

/* Draws the chart, whose scales are set; on a page with tooltips and dots. */
static void put_plot(struct curves *s, const struct hs_frame *frame, uint32_t index,
                     bool has_values)
{
    const struct value_kind *kind = &value_kinds[s->what];
    const bool is_page = s->page->figure == NULL;
    const uint32_t column = index % frame->columns;
    hs_plot_begin(s->page, frame, index / frame->columns, column, &s->chart, kind->heading);
    hs_chart_y_axis(&s->chart, HS_COLUMN_SHARE, 6);
    hs_chart_x_axis(&s->chart, kind->axis, is_page ? 6 : frame->columns == 1 ? 10 : 5, true);
    if (is_page)
        put_probes(s);
    for (uint32_t g = s->page->drawn; g-- > 0 && has_values;)
        if (s->of[g][s->what].count > 0)
            put_curve(s, g);
    for (uint32_t g = 0; g < s->page->drawn && has_values && s->page->points != NULL; g++)
        if (s->of[g][s->what].count > 0)
            put_steps(s, g);
    for (uint32_t g = s->page->drawn; g-- > 0 && is_page;)
        if (s->of[g][s->what].count > 0)
            put_quantiles(s, g);
    hs_plot_end(s->page, &s->chart, kind->heading, column == 0 ? "Share of the jobs" : NULL);
}

static void put_quantile_table(const struct curves *s)
{
    static const struct {
        uint32_t permille;
        const char *name;
    } quantiles[] = {{10, "p1"},   {50, "p5"},     {100, "p10"}, {250, "p25"},
                     {500, "p50"}, {750, "p75"},   {900, "p90"}, {950, "p95"},
                     {990, "p99"}, {999, "p99.9"}, {1000, "max"}};
    const size_t count = HS_COUNT_OF(quantiles);
    struct hs_output *out = s->page->out;
    hs_page_begin_table(s->page, "Quantiles", "figures");
    hs_say(out, "<th></th><th></th><th>jobs</th>");
    for (size_t q = 0; q < count; q++)
        hs_say(out, "<th scope=\"col\">%s</th>", quantiles[q].name);
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t what = 0; what < ON_PAGE; what++)
        for (uint32_t g = 0; g < s->page->drawn; g++) {
            const char *label = s->page->rows[g].label;
            hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\">%s</th>", label, label);
            hs_say(out, "<td class=\"text\">%s</td><td>%" PRIu32 "</td>", value_kinds[what].noun,
                   s->of[g][what].count);
            for (size_t q = 0; q < count; q++)
                hs_page_metric_cell(s->page,
                                    HS_TEXT("%s_%s", quantiles[q].name, value_kinds[what].name),
                                    quantile_of(&s->of[g][what], quantiles[q].permille));
            hs_say(out, "</tr>\n");
        }
    hs_say(out, HS_TABLE_END "</details>\n");
}

enum hs_status hs_put_distributions(struct hs_page *page)
{
    static const struct hs_frame frame = {
        .columns = ON_PAGE, .width = HS_PAGE_THIRD, .height = 188, .margin = {44, 10, 8, 24}};
    struct curves s = {.page = page};
    HS_TRY(read_groups(&s, (1u << ON_PAGE) - 1));
    hs_page_legend(page);
    hs_say(page->out, "<div class=\"charts\">\n");
    for (s.what = 0; s.what < ON_PAGE; s.what++) {
        hs_say(page->out, "<figure><figcaption>%s</figcaption>\n", value_kinds[s.what].heading);
        if (set_scales(&s, HS_FIGURE_LOG))
            put_plot(&s, &frame, s.what, true);
        else
            HS_PAGE_NOTE(page, "No job has a value above 0.");
        hs_say(page->out, "</figure>\n");
    }
    hs_say(page->out, "</div>\n");
    HS_PAGE_NOTE(page,
                 "Share of jobs at or below a value, on a logarithmic axis. A curve begins at the "
                 "share of jobs below the axis, such as jobs that did not wait; if these are most "
                 "jobs, the vertical axis does not begin at 0. Dots: p50, p90, p99.%s",
                 page->kind == HS_PAGE_COMPARISON ? " A curve has the jobs of all runs of a policy."
                                                  : "");
    put_quantile_table(&s);
    return HS_OK;
}

/* ---- deadlines ---- */

bool hs_page_has_metric(const struct hs_page *page, const char *metric)
{
    for (uint32_t g = 0; g < page->group_count; g++)
        if (!isnan(hs_summary_get(page->rows[g].summary, metric)))
            return true;
    return false;
}

enum hs_status hs_put_deadlines(struct hs_page *page)
{
    static const struct hs_frame frame = {
        .columns = 1, .width = HS_PAGE_WIDTH, .height = 188, .margin = {44, 10, 8, 24}};
    static const char *const metrics[] = {"deadlines",
                                          "deadline_misses",
                                          "deadline_rejected",
                                          "deadline_miss_share",
                                          "p50_lateness",
                                          "p95_lateness",
                                          "p99_lateness",
                                          "max_lateness",
                                          "slo_mean_jct",
                                          "best_effort_mean_jct",
                                          "deadline_met_gpu_seconds",
                                          "value_kept_share"};
    struct curves s = {.page = page, .what = LATENESS};
    const char *shown[HS_COUNT_OF(metrics)];
    enum hs_status status = HS_OK;
    uint32_t count = 0;
    for (size_t m = 0; m < HS_COUNT_OF(metrics); m++)
        if (hs_page_has_metric(page, metrics[m]))
            shown[count++] = metrics[m];
    hs_page_metric_table(page, shown, count, true);
    if (!hs_page_can_draw(page, HS_FROM_JOBS, &status))
        return status;
    HS_TRY(read_groups(&s, 1u << LATENESS));
    hs_page_legend(page);
    hs_say(page->out, "<figure><figcaption>%s</figcaption>\n", value_kinds[LATENESS].heading);
    if (set_lateness_scales(&s))
        put_plot(&s, &frame, 0, true);
    else
        HS_PAGE_NOTE(page, "No job with a deadline was completed before or after it.");
    hs_say(page->out, "</figure>\n");
    HS_PAGE_NOTE(page, "Share of the completed jobs with at most this lateness (negative: before "
                       "the deadline), from the 1st to the 99th percentile. A job that was "
                       "rejected or not completed has missed its deadline and has no lateness. "
                       "deadlines.csv has the figures by virtual cluster and user.");
    return HS_OK;
}

enum hs_status hs_draw_cdf(struct hs_page *page)
{
    struct hs_frame frame = {.margin = {66, 14, 10, 40}};
    struct curves s = {.page = page};
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    uint32_t chosen[HS_FIGURE_METRICS_MAX], count = 0, wanted = 0, jobs = 0;
    HS_TRY(hs_figure_metrics(page, "jct,wait,slowdown", names));
    for (; names[count] != NULL; count++) {
        uint32_t v = 0;
        while (v < VALUES && strcmp(value_kinds[v].name, names[count]) != 0)
            v++;
        if (v == VALUES)
            return hs_fail(
                page->diag, HS_E_USAGE, NULL, NULL,
                "no metric '%s' of a cdf: jct, wait, slowdown, queueing_delay, run_slowdown or "
                "lateness",
                names[count]);
        chosen[count] = v;
        wanted |= 1u << v;
    }
    HS_TRY(read_groups(&s, wanted));
    for (uint32_t g = 0; g < page->drawn; g++)
        jobs += s.of[g][chosen[0]].count;
    if (jobs == 0)
        return hs_fail(page->diag, HS_E_INPUT, NULL, NULL,
                       "no run has a completed job inside the window of --warmup and --cooldown");
    frame.columns = hs_figure_columns(page, count < 3 ? count : 3);
    frame.rows = (count + frame.columns - 1) / frame.columns;
    frame.height = count == 1 ? 320 : 200;
    hs_figure_begin_groups(page, &frame, "line");
    for (uint32_t i = 0; i < count; i++) {
        s.what = chosen[i];
        const bool has_values = set_scales(&s, page->figure->scale);
        if (!has_values) /* an axis for values that are all 0 */
            s.chart.x = (struct hs_scale){.from = 0, .to = 1};
        put_plot(&s, &frame, i, has_values);
    }
    return HS_OK;
}

/* ---- classes ---- */

#define ROWS_MAX 12u /* classes of a kind; for virtual clusters those with most jobs */
#define ROW_GAP  10.0

/* The classes shown of one kind, and the corresponding class of every group, NULL if it has
 * none. */
struct rows {
    struct hs_page *page;
    const char *kind;
    const struct hs_class *first[ROWS_MAX], *of[ROWS_MAX][HS_PAGE_GROUPS_MAX];
    uint32_t count, left_out;
};

static uint32_t measure_index(const char *name)
{
    uint32_t index = 0;
    while (index < HS_CLASS_MEASURES && strcmp(hs_class_measures[index], name) != 0)
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

/* Adds a class; replaces the smallest if there are too many. */
static void add_row(struct rows *r, const struct hs_class *class)
{
    uint32_t least = 0;
    if (r->count == ROWS_MAX) {
        r->left_out++;
        for (uint32_t i = 1; i < r->count; i++)
            least = r->first[i]->jobs < r->first[least]->jobs ? i : least;
        if (class->jobs <= r->first[least]->jobs)
            return;
        for (r->count--; least < r->count; least++)
            r->first[least] = r->first[least + 1];
    }
    r->first[r->count++] = class;
}

static struct rows rows_of(struct hs_page *page, const char *kind)
{
    struct rows r = {.page = page, .kind = kind};
    for (uint32_t g = 0; g < page->group_count; g++) {
        const struct hs_summary *s = page->rows[g].summary;
        for (uint32_t i = 0; i < s->class_count; i++) {
            bool is_new = strcmp(s->classes[i].kind, kind) == 0;
            for (uint32_t before = 0; before < g && is_new; before++)
                is_new = find_class(page->rows[before].summary, kind, s->classes[i].name) == NULL;
            if (is_new)
                add_row(&r, &s->classes[i]);
        }
    }
    for (uint32_t i = 0; i < r.count; i++)
        for (uint32_t g = 0; g < page->group_count; g++)
            r.of[i][g] = find_class(page->rows[g].summary, kind, r.first[i]->name);
    return r;
}

/* The mean over the runs of a group that have the class. */
static double measure_of(const struct rows *r, uint32_t group, uint32_t row, const char *measure)
{
    const struct hs_page_group *runs = &r->page->groups[group];
    const uint32_t index = measure_index(measure);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < runs->count; k++) {
        const struct hs_summary *s = &r->page->runs[runs->first + k].summary.summary;
        const struct hs_class *class = find_class(s, r->kind, r->first[row]->name);
        if (class == NULL || isnan(class->value[index]))
            continue;
        sum += class->value[index];
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

static double largest(const struct rows *r, const char *measure)
{
    double most = 0;
    for (uint32_t g = 0; g < r->page->drawn; g++)
        for (uint32_t i = 0; i < r->count; i++)
            most = fmax(most, measure_of(r, g, i, measure));
    return most;
}

/* Draws the bar of a group: completion time, and within it the wait before the first start. */
static void put_bar(const struct rows *r, const struct hs_chart *c, uint32_t group, uint32_t row,
                    double y, double height)
{
    const double jct = measure_of(r, group, row, "mean_jct"),
                 wait = measure_of(r, group, row, "mean_wait");
    const char *colour = hs_page_colour(group);
    if (isnan(jct) || isnan(wait))
        return;
    const char *title = HS_TEXT("%s, %s: mean JCT %s, of it %s wait; bounded slowdown %.3g",
                                r->page->rows[group].label, r->first[row]->name, HS_TIME(jct),
                                HS_TIME(wait), measure_of(r, group, row, "mean_bounded_slowdown"));
    hs_svg_rect(c->out, "area", colour, c->left, y, hs_scale_at(&c->x, jct) - c->left, height,
                title);
    hs_svg_rect(c->out, "solid", colour, c->left, y, hs_scale_at(&c->x, wait) - c->left, height,
                title);
    if (r->page->group_count == 1)
        hs_svg_text(c->out, hs_scale_at(&c->x, jct) + 6, y + height - 2, "start", "value",
                    HS_TEXT("%s, %s wait", HS_TIME(jct), HS_TIME(wait)));
}

static void put_rows(const struct rows *r)
{
    const uint32_t drawn = r->page->drawn;
    const double bar = drawn > 1 ? 6.5 : 11, row_height = bar * drawn + ROW_GAP;
    const struct hs_frame frame = {
        .width = HS_PAGE_WIDTH,
        .height = row_height * r->count,
        .margin = {168, drawn > 1 ? 14 : 130, 4, 22}}; /* 130: for the value after the bar */
    struct hs_chart c = {.x = {.from = 0, .to = largest(r, "mean_jct")}, .y = {.from = 0, .to = 1}};
    hs_plot_begin(r->page, &frame, 0, 0, &c, "Mean completion time and wait");
    hs_chart_x_axis(&c, HS_COLUMN_TIME, 7, true);
    for (uint32_t i = 0; i < r->count; i++) {
        const double y = c.top + row_height * i + ROW_GAP / 2, middle = y + bar * drawn / 2 + 4;
        hs_svg_text(c.out, c.left - 74, middle, "end", "name", r->first[i]->name);
        hs_svg_text(c.out, c.left - 8, middle, "end", "tick",
                    HS_TEXT("%" PRIu64 " jobs", r->first[i]->jobs));
        for (uint32_t g = 0; g < drawn; g++)
            put_bar(r, &c, g, i, y + bar * g, bar - (drawn > 1 ? 1 : 0));
    }
    hs_plot_end(r->page, &c, NULL, NULL);
}

static void put_class_table(const struct rows *r)
{
    static const char *const measures[] = {"mean_wait",
                                           "p50_wait",
                                           "p99_wait",
                                           "mean_jct",
                                           "p50_jct",
                                           "p99_jct",
                                           "mean_bounded_slowdown",
                                           "mean_run_slowdown"};
    const size_t count = HS_COUNT_OF(measures);
    struct hs_output *out = r->page->out;
    hs_page_begin_table(r->page, "Figures", "figures");
    hs_say(out, "<th></th><th></th><th>jobs</th>");
    for (size_t m = 0; m < count; m++)
        hs_page_metric_head(r->page, measures[m]);
    hs_say(out, HS_TABLE_ROWS);
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t g = 0; g < r->page->group_count; g++) {
            const struct hs_class *class = r->of[i][g];
            if (class == NULL)
                continue;
            hs_markup(out,
                      "<tr data-class=\"%s %s\"><th scope=\"row\">%s</th><td class=\"text\">%s</td>"
                      "<td>%" PRIu64 "</td>",
                      r->kind, class->name, class->name,
                      r->page->group_count > 1 ? r->page->rows[g].label : "", class->jobs);
            for (size_t m = 0; m < count; m++)
                hs_page_metric_cell(r->page, measures[m], measure_of(r, g, i, measures[m]));
            hs_say(out, "</tr>\n");
        }
    hs_say(out, HS_TABLE_END "</details>\n");
}

enum hs_status hs_put_classes(struct hs_page *page)
{
    static const struct {
        const char *name, *heading;
    } kinds[] = {{"gpus", "By number of GPUs"},
                 {"outcome", "By recorded outcome"},
                 {"class", "By class of the job"},
                 {"user_quintile",
                  "By user: fifths of the users, from the lightest (q1) to the heaviest (q5)"},
                 {"vc", "By virtual cluster"}};
    bool is_any = false;
    hs_page_legend(page);
    for (size_t k = 0; k < HS_COUNT_OF(kinds); k++) {
        const struct rows rows = rows_of(page, kinds[k].name);
        if (rows.count < 2 || !(largest(&rows, "mean_jct") > 0)) /* a single class: all jobs */
            continue;
        is_any = true;
        hs_say(page->out, "<figure><figcaption>%s</figcaption>\n", kinds[k].heading);
        put_rows(&rows);
        if (rows.left_out > 0)
            HS_PAGE_NOTE(page, "The %u with most jobs; %" PRIu32 " more are in summary.json.",
                         ROWS_MAX, rows.left_out);
        put_class_table(&rows);
        hs_say(page->out, "</figure>\n");
    }
    if (!is_any)
        HS_PAGE_NOTE(page, "Left out: all completed jobs are of one class.");
    else
        HS_PAGE_NOTE(page,
                     "Bars: mean completion time; the darker part of each is the mean wait before "
                     "the first start.%s",
                     page->kind == HS_PAGE_COMPARISON ? " Means over the runs of each policy."
                                                      : "");
    return HS_OK;
}

/* ---- the figure ---- */

/* Draws bars of one measure; a large slowdown has a logarithmic axis that begins at 1. */
static void put_measure(struct hs_page *page, const struct hs_frame *frame, const struct rows *r,
                        uint32_t index, const char *measure)
{
    const uint32_t column = index % frame->columns;
    const struct hs_runcolumn shown = hs_runcolumn_of(measure);
    const enum hs_figure_scale scale = page->figure->scale;
    const double most = largest(r, measure), row_height = frame->height / r->count,
                 bar = row_height * 0.84 / page->group_count;
    const bool is_log = scale == HS_FIGURE_LOG ||
                        (scale == HS_FIGURE_AUTO && most > 20 && shown.kind == HS_COLUMN_RATIO);
    struct hs_chart c = {
        .x = {.from = is_log ? (shown.kind == HS_COLUMN_RATIO ? 1 : most / 1e4) : 0,
              .to = most > 0 ? most * 1.02 : 1,
              .is_log = is_log}};
    hs_plot_begin(page, frame, index / frame->columns, column, &c, NULL);
    hs_chart_x_axis(&c, shown.kind, 5, true);
    if (column == 0 && strcmp(r->kind, "gpus") == 0) /* other names say what they are */
        hs_svg_text(c.out, c.left - 6, c.top - 2, "end", "name", "GPUs");
    for (uint32_t i = 0; i < r->count; i++) {
        const double y = c.top + row_height * (i + 0.08);
        if (column == 0)
            hs_svg_text(c.out, c.left - 6, y + row_height * 0.42 + 4, "end", "name",
                        r->first[i]->name);
        for (uint32_t g = 0; g < page->group_count; g++) {
            const double value = measure_of(r, g, i, measure);
            if (!isnan(value))
                hs_svg_rect(c.out, "solid", hs_page_colour(g), c.left, y + bar * g,
                            hs_scale_at(&c.x, value) - c.left, bar * 0.92,
                            HS_TEXT("%s, %s: %s", page->rows[g].label, r->first[i]->name,
                                    HS_COLUMN_TEXT(&shown, value)));
            if (page->points != NULL)
                hs_csvw_row(page->points, HS_NAMED_POINT_CELLS, page->rows[g].label, "", r->kind,
                            r->first[i]->name, (double)NAN, HS_AXIS_NAME(measure, shown.kind),
                            value, (double)NAN, (double)NAN);
        }
    }
    hs_plot_end(page, &c, shown.title, NULL);
}

enum hs_status hs_draw_classes(struct hs_page *page)
{
    const struct rows rows = rows_of(page, page->figure->by != NULL ? page->figure->by : "gpus");
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    uint32_t count = 0;
    size_t longest = strlen("GPUs");
    HS_TRY(hs_figure_metrics(page, "mean_wait,mean_jct,mean_slowdown", names));
    for (; names[count] != NULL; count++)
        if (measure_index(names[count]) == HS_CLASS_MEASURES)
            return hs_fail(page->diag, HS_E_USAGE, NULL, "see 'Classes' in results/README.md",
                           "classes have no metric '%s'", names[count]);
    if (rows.count == 0)
        return hs_fail(page->diag, HS_E_INPUT, NULL,
                       "--by is gpus, vc, user_quintile, outcome or class",
                       "no run has classes by '%s'", rows.kind);
    for (uint32_t i = 0; i < rows.count; i++)
        longest = strlen(rows.first[i]->name) > longest ? strlen(rows.first[i]->name) : longest;
    const uint32_t columns = hs_figure_columns(page, count);
    struct hs_frame frame = {.rows = (count + columns - 1) / columns,
                             .columns = columns,
                             .height = rows.count * (10 + 8.0 * page->group_count),
                             .first = 16 + 6.4 * (double)(longest < 20 ? longest : 20),
                             .margin = {10, 12, 14, 40}};
    hs_figure_begin_groups(page, &frame, "solid");
    for (uint32_t m = 0; m < count; m++)
        put_measure(page, &frame, &rows, m, names[m]);
    return HS_OK;
}

/* ---- the figure of two metrics ---- */

#define WIDE_RANGE 30 /* from this ratio of largest / smallest an axis is logarithmic */

static double metric_of(const struct hs_page *page, uint32_t group, const char *metric)
{
    return hs_summary_get(page->rows[group].summary, metric);
}

static struct hs_scale metric_scale(const struct hs_page *page, const char *metric)
{
    const enum hs_figure_scale scale = page->figure->scale;
    double least = (double)INFINITY, most = 0;
    for (uint32_t g = 0; g < page->group_count; g++) {
        least = fmin(least, metric_of(page, g, metric));
        most = fmax(most, metric_of(page, g, metric));
    }
    const bool is_log = least > 0 && (scale == HS_FIGURE_LOG ||
                                      (scale == HS_FIGURE_AUTO && most / least >= WIDE_RANGE));
    return (struct hs_scale){.from = is_log ? least / 1.3 : 0,
                             .to = most > 0 ? most * (is_log ? 1.3 : 1.08) : 1,
                             .is_log = is_log};
}

static bool is_in_front(const struct hs_page *page, const char *const *names, uint32_t group)
{
    const struct hs_run_table table = {.rows = page->rows, .row_count = page->group_count};
    return hs_table_is_pareto(&table, names, group);
}

/* Steps through the points that no other dominates, in the order of x. */
static void put_front(const struct hs_page *page, const struct hs_chart *c,
                      const char *const *names)
{
    struct hs_path path;
    double last = -(double)INFINITY, y = 0;
    bool is_first = true;
    hs_path_begin(&path, c->out, "axis", NULL);
    for (;;) {
        uint32_t next = page->group_count;
        for (uint32_t g = 0; g < page->group_count; g++)
            if (is_in_front(page, names, g) && metric_of(page, g, names[0]) > last &&
                (next == page->group_count ||
                 metric_of(page, g, names[0]) < metric_of(page, next, names[0])))
                next = g;
        if (next == page->group_count)
            break;
        last = metric_of(page, next, names[0]);
        const double x = hs_scale_at(&c->x, last);
        if (!is_first)
            hs_path_to(&path, x, y);
        y = hs_scale_at(&c->y, metric_of(page, next, names[1]));
        hs_path_to(&path, x, y);
        is_first = false;
    }
    hs_path_end(&path, "no other is better in one and as good in the other");
}

struct dot_label {
    double left, right, y;
};

/* Finds a place of a label beside its dot: the first on which no other label stands. */
static struct dot_label place_label(const struct hs_chart *c, const struct dot_label *others,
                                    uint32_t count, double x, double y, const char *text)
{
    const double width = HS_NAME_LETTER * (double)strlen(text);
    const bool is_right = x > c->left + 0.75 * (c->right - c->left) || x + width > c->right;
    struct dot_label at = {0};
    for (uint32_t place = 0, taken = 1; place < 16 && taken > 0; place++) {
        const bool is_before = (place / 2 % 2 == 0) == is_right; /* the dot */
        at.left = is_before ? fmax(x - 7 - width, 4) : fmin(x + 7, c->right + 20 - width);
        at.right = at.left + width;
        at.y = place % 2 == 0 ? y - 6 - 14 * (place / 4) : y + 14 * (1 + place / 4);
        taken = 0;
        for (uint32_t i = 0; i < count; i++)
            taken += fabs(others[i].y - at.y) < 12 && others[i].left < at.right &&
                     at.left < others[i].right;
    }
    return at;
}

enum hs_status hs_draw_pareto(struct hs_page *page)
{
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    struct hs_frame frame = {.rows = 1, .columns = 1, .height = 320, .margin = {66, 24, 12, 40}};
    HS_TRY(hs_figure_metrics(page, "mean_jct,p99_jct", names));
    if (names[1] == NULL || names[2] != NULL)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "--metric=mean_jct,fairness_jain",
                       "a figure of this kind has two metrics");
    for (uint32_t g = 0; g < page->group_count; g++)
        for (int m = 0; m < 2; m++)
            if (isnan(metric_of(page, g, names[m])))
                return hs_fail(page->diag, HS_E_INPUT, NULL, NULL, "%s has no '%s'",
                               page->rows[g].label, names[m]);
    const struct hs_runcolumn x = hs_runcolumn_of(names[0]), y = hs_runcolumn_of(names[1]);
    struct hs_chart c = {.x = metric_scale(page, names[0]), .y = metric_scale(page, names[1])};
    struct dot_label labels[HS_PAGE_DRAWN_MAX];
    hs_figure_begin(page, &frame, NULL, 0);
    hs_plot_begin(page, &frame, 0, 0, &c, NULL);
    hs_chart_x_axis(&c, x.kind, 7, true);
    hs_chart_y_axis(&c, y.kind, 7);
    put_front(page, &c, names);
    for (uint32_t g = 0; g < page->group_count; g++) {
        const double at = hs_scale_at(&c.x, metric_of(page, g, names[0])),
                     to = hs_scale_at(&c.y, metric_of(page, g, names[1]));
        hs_svg_dot(c.out, hs_page_colour(g), at, to,
                   HS_TEXT("%s: %s %s, %s %s", page->rows[g].label, x.title,
                           HS_COLUMN_TEXT(&x, metric_of(page, g, names[0])), y.title,
                           HS_COLUMN_TEXT(&y, metric_of(page, g, names[1]))));
        labels[g] = place_label(&c, labels, g, at, to, page->rows[g].label);
        hs_svg_text(c.out, labels[g].left, labels[g].y, "start", "name", page->rows[g].label);
        if (page->points != NULL)
            hs_csvw_row(page->points, HS_POINT_CELLS, page->rows[g].label,
                        is_in_front(page, names, g) ? "front" : "", HS_AXIS_NAME(names[0], x.kind),
                        metric_of(page, g, names[0]), (double)NAN, HS_AXIS_NAME(names[1], y.kind),
                        metric_of(page, g, names[1]), (double)NAN, (double)NAN);
    }
    hs_plot_end(page, &c, x.title, y.title);
    return HS_OK;
}
