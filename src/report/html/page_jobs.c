/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs: cumulative distributions of their completion times, waits and slowdowns, all groups in one
 * plot, and means by class of jobs as bars, a bar a group. A curve is evaluated at no more places
 * than can be told apart, at each exactly.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/html/page.h"
#include "report/html/page_data.h"

/* ---- distributions ---- */

#define POINTS_MAX 512u
#define PROBES     28u /* columns with a tooltip */
#define HEIGHT     220.0
#define HALF       0.5 /* of the jobs: an axis of shares may begin above it */
#define MICRO      1e6 /* of values in a second, or in a slowdown of 1 */
#define NARROW     5.0 /* a slowdown in a figure below this ratio has an even axis */
#define ON_PAGE    3u  /* values of a job that the page draws: the first of them */

/* name: of --metric, and behind a quantile in the metrics of a summary: p50_jct */
static const struct value_kind {
    const char *heading, *noun, *name;
    enum hs_axis axis;
} value_kinds[HS_JOBVALUES] = {
    {"Job completion time", "JCT", "jct", HS_AXIS_TIME},
    {"Wait until the first start", "wait", "wait", HS_AXIS_TIME},
    {"Slowdown: JCT / run time alone", "slowdown", "slowdown", HS_AXIS_PLAIN},
    {"Queueing delay (all time without GPUs)", "queueing delay", "queueing_delay", HS_AXIS_TIME},
    {"Slowdown while running", "run slowdown", "run_slowdown", HS_AXIS_PLAIN},
};

struct curves {
    struct hs_page *page;
    struct hs_jobvalues of[HS_PAGE_DRAWN_MAX];
    uint32_t drawn;
    enum hs_jobvalue what;
    struct hs_chart chart;
};

/* From the value that 1 % of all positive ones are below, for the group where that is least, to
 * the largest. False if there is nothing to draw: no value above 0. */
static bool find_range(const struct curves *s, double *from, double *to)
{
    *from = (double)INFINITY;
    *to = 0;
    for (uint32_t g = 0; g < s->drawn; g++) {
        const int64_t *values = s->of[g].of[s->what];
        const uint32_t count = s->of[g].count[s->what], zeros = hs_rank(values, count, 0);
        if (zeros == count)
            continue;
        const double low = (double)hs_nearest_rank(values + zeros, count - zeros, 10) / MICRO,
                     high = (double)values[count - 1] / MICRO;
        *from = low < *from ? low : *from;
        *to = high > *to ? high : *to;
    }
    return *to > 0;
}

static double share_at(const struct curves *s, uint32_t group, double value)
{
    const uint32_t count = s->of[group].count[s->what];
    return (double)hs_rank(s->of[group].of[s->what], count, llround(value * MICRO)) / count;
}

/* Where most jobs are at or below the begin of the axis in all groups, what happens above is
 * drawn alone: from the last full tenth on. */
static double least_share(const struct curves *s, double from)
{
    double least = 1;
    for (uint32_t g = 0; g < s->drawn; g++)
        if (s->of[g].count[s->what] > 0 && share_at(s, g, from) < least)
            least = share_at(s, g, from);
    return least < HALF ? 0 : least < 1 ? floor(10 * least) / 10 : 0.9;
}

/* False if there is nothing to draw. */
static bool set_scales(struct curves *s, enum hs_figure_scale scale)
{
    double from, to;
    if (!find_range(s, &from, &to))
        return false;
    const bool is_slowdown = value_kinds[s->what].axis == HS_AXIS_PLAIN;
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

static double quantile_of(const struct curves *s, uint32_t group, enum hs_jobvalue what,
                          uint32_t permille)
{
    const struct hs_jobvalues *of = &s->of[group];
    return of->count[what] > 0
               ? (double)hs_nearest_rank(of->of[what], of->count[what], permille) / MICRO
               : (double)NAN;
}

static void value_text(const struct curves *s, double value, char text[HS_COLUMN_TEXT_SIZE])
{
    if (value_kinds[s->what].axis == HS_AXIS_TIME)
        hs_table_time(text, value);
    else
        (void)snprintf(text, HS_COLUMN_TEXT_SIZE, "%.3g", value);
}

/* ---- curves ---- */

static void put_curve(const struct curves *s, uint32_t group)
{
    const struct hs_chart *c = &s->chart;
    const uint32_t points = s->drawn > 3 ? POINTS_MAX / 2 : POINTS_MAX;
    const double step = (c->right - c->left) / (points - 1);
    char title[HS_HTML_SAY_MAX], median[HS_COLUMN_TEXT_SIZE];
    struct hs_path path;
    hs_path_begin(&path, c->out, "line", hs_page_colour(group));
    double y = hs_scale_at(&c->y, share_at(s, group, c->x.from));
    hs_path_to(&path, c->left, c->bottom);
    hs_path_to(&path, c->left, y);
    for (uint32_t i = 1; i < points; i++) {
        const double x = c->left + i * step;
        /* the last one is the maximum itself, whatever rounding makes of it */
        const double value = i + 1 < points ? hs_scale_value(&c->x, x) : c->x.to;
        hs_path_to(&path, x, y);
        y = hs_scale_at(&c->y, share_at(s, group, value));
        hs_path_to(&path, x, y);
    }
    value_text(s, quantile_of(s, group, s->what, 500), median);
    (void)snprintf(title, sizeof title, "%s: median %s %s", s->page->groups[group].label,
                   value_kinds[s->what].noun, median);
    hs_path_end(&path, title);
}

/* Dots at the quantiles that papers quote. */
static void put_quantiles(const struct curves *s, uint32_t group)
{
    static const uint32_t permilles[] = {500, 900, 990};
    const struct hs_chart *c = &s->chart;
    for (size_t i = 0; i < sizeof permilles / sizeof *permilles; i++) {
        const double value = quantile_of(s, group, s->what, permilles[i]);
        char text[HS_COLUMN_TEXT_SIZE], title[HS_HTML_SAY_MAX];
        if (value < c->x.from || permilles[i] < 1000 * c->y.from)
            continue;
        value_text(s, value, text);
        (void)snprintf(title, sizeof title, "%s: p%" PRIu32 " %s %s", s->page->groups[group].label,
                       permilles[i] / 10, value_kinds[s->what].noun, text);
        hs_svg_dot(c->out, hs_page_colour(group), hs_scale_at(&c->x, value),
                   hs_scale_at(&c->y, permilles[i] / 1000.0), title);
    }
}

/* What all curves say at a place, when one points there. */
static void put_probes(const struct curves *s)
{
    const struct hs_chart *c = &s->chart;
    const double step = (c->right - c->left) / PROBES;
    for (uint32_t i = 0; i < PROBES; i++) {
        char title[HS_HTML_SAY_MAX], text[HS_COLUMN_TEXT_SIZE];
        const double value = hs_scale_value(&c->x, c->left + (i + 0.5) * step);
        value_text(s, value, text);
        int len = snprintf(title, sizeof title, "%s up to %s:", value_kinds[s->what].noun, text);
        for (uint32_t g = 0; g < s->drawn && len > 0 && (size_t)len < sizeof title; g++)
            if (s->of[g].count[s->what] > 0)
                len += snprintf(title + len, sizeof title - (size_t)len, "%s %s %.1f %%",
                                g == 0 ? "" : ",",
                                s->page->group_count > 1 ? s->page->groups[g].label : "",
                                100 * share_at(s, g, value));
        hs_svg_rect(c->out, "probe", NULL, c->left + i * step, c->top, step, c->bottom - c->top,
                    title);
    }
}

static void put_chart(struct curves *s)
{
    struct hs_output *out = s->page->out;
    hs_say(out, "<figure><figcaption>%s</figcaption>\n", value_kinds[s->what].heading);
    s->chart = (struct hs_chart){.width = HS_PAGE_THIRD,
                                 .height = HEIGHT,
                                 .left = 44,
                                 .right = HS_PAGE_THIRD - 10,
                                 .top = 8,
                                 .bottom = HEIGHT - 24};
    if (!set_scales(s, HS_FIGURE_LOG)) {
        hs_page_note(s->page, "No job has one above 0.");
    } else {
        hs_chart_begin(&s->chart, out, value_kinds[s->what].heading);
        hs_chart_y_axis(&s->chart, HS_AXIS_SHARE, 6);
        hs_chart_x_axis(&s->chart, value_kinds[s->what].axis, 6);
        put_probes(s);
        for (uint32_t g = s->drawn; g-- > 0;)
            if (s->of[g].count[s->what] > 0)
                put_curve(s, g);
        for (uint32_t g = s->drawn; g-- > 0;)
            if (s->of[g].count[s->what] > 0)
                put_quantiles(s, g);
        hs_chart_end(&s->chart);
    }
    hs_say(out, "</figure>\n");
}

static const struct {
    uint32_t permille;
    const char *name;
} quantiles[] = {{10, "p1"},   {50, "p5"},     {100, "p10"}, {250, "p25"},
                 {500, "p50"}, {750, "p75"},   {900, "p90"}, {950, "p95"},
                 {990, "p99"}, {999, "p99.9"}, {1000, "max"}};
#define QUANTILES (sizeof quantiles / sizeof *quantiles)

static void put_quantile_table(const struct curves *s)
{
    struct hs_output *out = s->page->out;
    hs_page_begin_table(s->page, "Quantiles");
    hs_say(out, "<th></th><th></th><th>jobs</th>");
    for (size_t q = 0; q < QUANTILES; q++)
        hs_say(out, "<th scope=\"col\">%s</th>", quantiles[q].name);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t what = 0; what < ON_PAGE; what++)
        for (uint32_t g = 0; g < s->drawn; g++) {
            const char *label = s->page->groups[g].label;
            hs_markup(out, "<tr data-run=\"%s\"><th scope=\"row\">%s</th>", label, label);
            hs_say(out, "<td class=\"text\">%s</td><td>%" PRIu32 "</td>", value_kinds[what].noun,
                   s->of[g].count[what]);
            for (size_t q = 0; q < QUANTILES; q++) {
                char name[32];
                (void)snprintf(name, sizeof name, "%s_%s", quantiles[q].name,
                               value_kinds[what].name);
                const struct hs_runcolumn column = hs_runcolumn_of(name);
                hs_html_cell(out, &column,
                             quantile_of(s, g, (enum hs_jobvalue)what, quantiles[q].permille), NULL,
                             "");
            }
            hs_say(out, "</tr>\n");
        }
    hs_page_end_table(s->page);
}

static enum hs_status read_groups(struct curves *s, uint32_t wanted)
{
    for (uint32_t g = 0; g < s->drawn; g++)
        if (hs_page_has(s->page, &s->page->groups[g], "jobs.csv"))
            HS_TRY(hs_jobvalues_read(&s->of[g], s->page, &s->page->groups[g], wanted));
    return HS_OK;
}

static void free_groups(struct curves *s)
{
    for (uint32_t g = 0; g < s->drawn; g++)
        hs_jobvalues_free(&s->of[g]);
}

enum hs_status hs_page_cdf(struct hs_page *page)
{
    struct curves s = {.page = page, .drawn = hs_page_drawn(page)};
    hs_page_begin_section(page, "distributions", "Distributions");
    enum hs_status status = HS_OK;
    if (hs_page_can_draw(page, "jobs.csv") &&
        (status = read_groups(&s, (1u << ON_PAGE) - 1)) == HS_OK) {
        hs_page_legend(page);
        hs_say(page->out, "<div class=\"charts\">\n");
        for (uint32_t what = 0; what < ON_PAGE; what++) {
            s.what = (enum hs_jobvalue)what;
            put_chart(&s);
        }
        hs_say(page->out, "</div>\n");
        hs_page_note(
            page,
            "Share of jobs at or below a value, on a logarithmic axis. A curve rises at the "
            "left edge by what is below the axis, such as jobs that did not wait; where that "
            "is most of them, the axis of shares does not begin at 0. Dots: p50, p90, p99.%s",
            page->kind == HS_PAGE_COMPARISON ? " Jobs of all runs of a policy together." : "");
        put_quantile_table(&s);
    }
    free_groups(&s);
    hs_page_end_section(page);
    return status;
}

/* The values that --metric names; *wanted has their bits. */
static enum hs_status choose_values(struct hs_page *page, enum hs_jobvalue chosen[],
                                    uint32_t *count, uint32_t *wanted)
{
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    HS_TRY(hs_figure_metrics(page, "jct,wait,slowdown", names));
    for (*count = 0, *wanted = 0; names[*count] != NULL; ++*count) {
        uint32_t v = 0;
        while (v < HS_JOBVALUES && strcmp(value_kinds[v].name, names[*count]) != 0)
            v++;
        if (v == HS_JOBVALUES)
            return hs_fail(
                page->diag, HS_E_USAGE, NULL, NULL,
                "no metric '%s' of a cdf: jct, wait, slowdown, queueing_delay or run_slowdown",
                names[*count]);
        chosen[*count] = (enum hs_jobvalue)v;
        *wanted |= 1u << v;
    }
    return HS_OK;
}

static enum hs_status draw_values(struct curves *s, const enum hs_jobvalue chosen[], uint32_t count)
{
    struct hs_page *page = s->page;
    uint32_t jobs = 0;
    for (uint32_t g = 0; g < s->drawn; g++)
        jobs += s->of[g].count[chosen[0]];
    if (jobs == 0)
        return hs_fail(page->diag, HS_E_INPUT, NULL, NULL,
                       "no job counts in any of the runs: done, and inside the window of "
                       "--warmup and --cooldown");
    const uint32_t columns = count < 3 ? count : 3;
    struct hs_frame frame = {.rows = (count + columns - 1) / columns,
                             .columns = columns,
                             .height = columns == 1 ? 320 : 200,
                             .left = 66,
                             .right = 14,
                             .above = 10,
                             .below = 40};
    hs_figure_begin_groups(page, &frame, "line");
    for (uint32_t i = 0; i < count; i++) {
        s->what = chosen[i];
        const bool has_values = set_scales(s, page->figure->scale);
        if (!has_values) /* the axis of values that are all 0 */
            s->chart.x = (struct hs_scale){.from = 0, .to = 1};
        hs_figure_panel(page, &frame, i / columns, i % columns, &s->chart);
        hs_chart_y_axis(&s->chart, HS_AXIS_SHARE, 6);
        hs_chart_x_axis(&s->chart, value_kinds[s->what].axis, columns == 1 ? 10 : 5);
        for (uint32_t g = s->drawn; g-- > 0 && has_values;)
            if (s->of[g].count[s->what] > 0)
                put_curve(s, g);
        hs_figure_axes(&s->chart, value_kinds[s->what].heading,
                       i % columns == 0 ? "Share of the jobs" : NULL);
    }
    hs_figure_end(page);
    return HS_OK;
}

enum hs_status hs_figure_cdf(struct hs_page *page)
{
    struct curves s = {.page = page, .drawn = page->group_count};
    enum hs_jobvalue chosen[HS_FIGURE_METRICS_MAX];
    uint32_t count, wanted;
    HS_TRY(hs_figure_need(page, "jobs.csv"));
    HS_TRY(choose_values(page, chosen, &count, &wanted));
    enum hs_status status = read_groups(&s, wanted);
    if (status == HS_OK)
        status = draw_values(&s, chosen, count);
    free_groups(&s);
    return status;
}

/* ---- classes ---- */

#define ROWS_MAX    12u /* classes of a kind; of virtual clusters those with most jobs */
#define LABEL_WIDTH 168.0
#define BAR_HEIGHT  11.0
#define BAR_MANY    6.5 /* of each of several groups */
#define ROW_GAP     10.0

static const struct class_kind {
    const char *name, *heading;
} class_kinds[] = {
    {"gpus", "By number of GPUs"},
    {"outcome", "By what the trace recorded of the job"},
    {"class", "By what its user asked for"},
    {"user_quintile", "By user: fifths of the users, from the lightest (q1) to the heaviest (q5)"},
    {"vc", "By virtual cluster"},
};
#define CLASS_KINDS (sizeof class_kinds / sizeof *class_kinds)

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

static double largest(const struct rows *r, const char *measure)
{
    double most = 0;
    for (uint32_t g = 0; g < hs_page_drawn(r->page); g++)
        for (uint32_t i = 0; i < r->count; i++) {
            const double value = measure_of(r, g, i, measure);
            most = value > most ? value : most;
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
    const char *colour = hs_page_colour(group);
    char jct_text[HS_TABLE_TIME_SIZE], wait_text[HS_TABLE_TIME_SIZE], title[HS_HTML_SAY_MAX];
    if (isnan(jct) || isnan(wait))
        return;
    hs_table_time(jct_text, jct);
    hs_table_time(wait_text, wait);
    (void)snprintf(title, sizeof title, "%s, %s: mean JCT %s, of it %s wait; bounded slowdown %.3g",
                   r->page->groups[group].label, r->of[row]->name, jct_text, wait_text, slowdown);
    hs_svg_rect(c->out, "area", colour, c->left, y, hs_scale_at(&c->x, jct) - c->left, height,
                title);
    hs_svg_rect(c->out, "solid", colour, c->left, y, hs_scale_at(&c->x, wait) - c->left, height,
                title);
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
                         .x = {.from = 0, .to = largest(r, "mean_jct")},
                         .y = {.from = 0, .to = 1}};
    char text[40];
    hs_chart_begin(&c, r->page->out, "Mean completion time and wait");
    hs_chart_x_axis(&c, HS_AXIS_TIME, 7);
    for (uint32_t i = 0; i < r->count; i++) {
        const double y = c.top + row_height * i + ROW_GAP / 2;
        hs_svg_text(c.out, c.left - 74, y + bar * drawn / 2 + 4, "end", "name", r->of[i]->name);
        (void)snprintf(text, sizeof text, "%" PRIu64 " jobs", r->of[i]->jobs);
        hs_svg_text(c.out, c.left - 8, y + bar * drawn / 2 + 4, "end", "tick", text);
        for (uint32_t g = 0; g < drawn; g++)
            put_bar(r, &c, g, i, y + bar * g, bar - (drawn > 1 ? 1 : 0));
    }
    hs_chart_end(&c);
}

/* ---- the table ---- */

static void put_class_table(const struct rows *r)
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
    hs_page_begin_table(r->page, "Figures");
    hs_say(out, "<th></th><th></th><th>jobs</th>");
    for (const char *const *m = measures; *m != NULL; m++)
        hs_say(out, "<th scope=\"col\" title=\"%s\">%s</th>", *m, hs_runcolumn_of(*m).title);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t g = 0; g < r->page->group_count; g++) {
            const struct hs_class *class =
                find_class(r->page->groups[g].figures.summary, r->kind, r->of[i]->name);
            if (class == NULL)
                continue;
            hs_markup(out,
                      "<tr data-class=\"%s %s\"><th scope=\"row\">%s</th><td class=\"text\">%s</td>"
                      "<td>%" PRIu64 "</td>",
                      r->kind, class->name, class->name,
                      r->page->group_count > 1 ? r->page->groups[g].label : "", class->jobs);
            for (const char *const *m = measures; *m != NULL; m++) {
                const struct hs_runcolumn column = hs_runcolumn_of(*m);
                hs_html_cell(out, &column, class->value[measure_index(*m)], NULL, "");
            }
            hs_say(out, "</tr>\n");
        }
    hs_page_end_table(r->page);
}

static bool put_kind(struct hs_page *page, const struct class_kind *kind)
{
    struct rows rows = {.page = page, .kind = kind->name};
    find_rows(&rows);
    if (rows.count < 2 || !(largest(&rows, "mean_jct") > 0)) /* one kind is all jobs */
        return false;
    hs_say(page->out, "<figure><figcaption>%s</figcaption>\n", kind->heading);
    put_rows(&rows);
    if (rows.left_out > 0)
        hs_page_note(page, "The %u with most jobs; %" PRIu32 " more are in summary.json.", ROWS_MAX,
                     rows.left_out);
    put_class_table(&rows);
    hs_say(page->out, "</figure>\n");
    return true;
}

void hs_page_classes(struct hs_page *page)
{
    bool is_any = false;
    hs_page_begin_section(page, "classes", "Kinds of jobs");
    hs_page_legend(page);
    for (size_t k = 0; k < CLASS_KINDS; k++)
        is_any = put_kind(page, &class_kinds[k]) || is_any;
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

/* ---- the figure ---- */

/* Bars of one measure; the axis of a slowdown that is large is logarithmic, from 1. */
static void put_measure(struct hs_page *page, const struct hs_frame *frame, const struct rows *r,
                        uint32_t column, const char *measure)
{
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
    hs_figure_panel(page, frame, 0, column, &c);
    hs_chart_x_axis(&c, shown.kind == HS_COLUMN_TIME ? HS_AXIS_TIME : HS_AXIS_PLAIN, 5);
    for (uint32_t i = 0; i < r->count; i++) {
        const double y = c.top + row_height * (i + 0.08);
        if (column == 0)
            hs_svg_text(c.out, c.left - 6, y + row_height * 0.42 + 4, "end", "name",
                        r->of[i]->name);
        for (uint32_t g = 0; g < page->group_count; g++) {
            const double value = measure_of(r, g, i, measure);
            char text[HS_COLUMN_TEXT_SIZE], title[HS_HTML_SAY_MAX];
            if (isnan(value))
                continue;
            hs_runcolumn_text(&shown, value, text);
            (void)snprintf(title, sizeof title, "%s, %s: %s", page->groups[g].label, r->of[i]->name,
                           text);
            hs_svg_rect(c.out, "solid", hs_page_colour(g), c.left, y + bar * g,
                        hs_scale_at(&c.x, value) - c.left, bar * 0.92, title);
        }
    }
    hs_figure_axes(&c, shown.title, NULL);
}

enum hs_status hs_figure_classes(struct hs_page *page)
{
    struct rows rows = {.page = page, .kind = page->figure->by != NULL ? page->figure->by : "gpus"};
    const char *names[HS_FIGURE_METRICS_MAX + 1];
    uint32_t count = 0;
    size_t longest = 0;
    HS_TRY(hs_figure_metrics(page, "mean_wait,mean_jct,mean_slowdown", names));
    for (; names[count] != NULL; count++)
        if (hs_class_measure(measure_index(names[count])) == NULL)
            return hs_fail(page->diag, HS_E_USAGE, NULL, "see 'Classes' in results/README.md",
                           "classes have no metric '%s'", names[count]);
    find_rows(&rows);
    if (rows.count == 0)
        return hs_fail(page->diag, HS_E_INPUT, NULL,
                       "--by is gpus, vc, user_quintile, outcome or class",
                       "no run has classes by '%s'", rows.kind);
    for (uint32_t i = 0; i < rows.count; i++)
        longest = strlen(rows.of[i]->name) > longest ? strlen(rows.of[i]->name) : longest;
    struct hs_frame frame = {.rows = 1,
                             .columns = count,
                             .height = rows.count * (10 + 8.0 * page->group_count),
                             .first = 16 + 6.4 * (double)(longest < 20 ? longest : 20),
                             .left = 10,
                             .right = 12,
                             .above = 8,
                             .below = 40};
    hs_figure_begin_groups(page, &frame, "solid");
    for (uint32_t m = 0; m < count; m++)
        put_measure(page, &frame, &rows, m, names[m]);
    hs_figure_end(page);
    return HS_OK;
}
