/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cumulative distributions of completion time, wait and slowdown on a logarithmic axis, all groups
 * in one plot. A curve is taken at no more places than can be told apart, at each exactly.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/jobvalues.h"
#include "report/page.h"
#include "report/svg.h"

#define POINTS_MAX 512u
#define PROBES     28u /* columns with a tooltip */
#define HEIGHT     220.0
#define HALF       0.5 /* of the jobs: an axis of shares may begin above it */
#define MICRO      1e6 /* of values in a second, or in a slowdown of 1 */

static const struct what {
    const char *heading, *noun, *suffix; /* suffix: of the metric, "jct" of p50_jct */
    enum hs_axis axis;
} whats[HS_JOBVALUES] = {
    {"Job completion time", "JCT", "jct", HS_AXIS_TIME},
    {"Wait until the first start", "wait", "wait", HS_AXIS_TIME},
    {"Slowdown: JCT / run time alone", "slowdown", "slowdown", HS_AXIS_PLAIN},
};

struct section {
    struct hs_page *page;
    struct hs_jobvalues of[HS_PAGE_DRAWN_MAX];
    uint32_t drawn;
    enum hs_jobvalue what;
    struct hs_chart chart;
};

/* ---- the axis ---- */

/* From the value that 1 % of all positive ones are below, for the group where that is least, to
 * the largest. False if there is nothing to draw: no value above 0. */
static bool find_range(const struct section *s, double *from, double *to)
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

static double share_at(const struct section *s, uint32_t group, double value)
{
    const uint32_t count = s->of[group].count[s->what];
    return (double)hs_rank(s->of[group].of[s->what], count, llround(value * MICRO)) / count;
}

/* Where most jobs are at or below the begin of the axis in all groups, what happens above is
 * drawn alone: from the last full tenth on. */
static double least_share(const struct section *s, double from)
{
    double least = 1;
    for (uint32_t g = 0; g < s->drawn; g++)
        if (s->of[g].count[s->what] > 0 && share_at(s, g, from) < least)
            least = share_at(s, g, from);
    return least < HALF ? 0 : least < 1 ? floor(10 * least) / 10 : 0.9;
}

static void set_scales(struct section *s, double from, double to)
{
    double low = pow(10, floor(log10(from)));
    if (s->what == HS_JOBVALUE_SLOWDOWN && from >= 1)
        low = 1;
    if (to < 10 * low)
        to = 10 * low;
    s->chart = (struct hs_chart){.width = HS_PAGE_THIRD,
                                 .height = HEIGHT,
                                 .left = 44,
                                 .right = HS_PAGE_THIRD - 10,
                                 .top = 8,
                                 .bottom = HEIGHT - 24,
                                 .x = {.from = low, .to = to, .is_log = true},
                                 .y = {.from = least_share(s, low), .to = 1}};
}

static void value_text(const struct section *s, double value, char text[HS_COLUMN_TEXT_SIZE])
{
    if (whats[s->what].axis == HS_AXIS_TIME)
        hs_table_time(text, value);
    else
        (void)snprintf(text, HS_COLUMN_TEXT_SIZE, "%.3g", value);
}

/* ---- curves ---- */

static void put_curve(const struct section *s, uint32_t group)
{
    const struct hs_chart *c = &s->chart;
    const uint32_t points = s->drawn > 3 ? POINTS_MAX / 2 : POINTS_MAX;
    const double step = (c->right - c->left) / (points - 1);
    char class[16], title[HS_HTML_SAY_MAX], median[HS_COLUMN_TEXT_SIZE];
    struct hs_path path;
    (void)snprintf(class, sizeof class, "line %s", hs_page_colour(group));
    hs_path_begin(&path, c->out, class);
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
    value_text(s,
               (double)hs_nearest_rank(s->of[group].of[s->what], s->of[group].count[s->what], 500) /
                   MICRO,
               median);
    (void)snprintf(title, sizeof title, "%s: median %s %s", s->page->groups[group].label,
                   whats[s->what].noun, median);
    hs_path_end(&path, title);
}

/* Dots at the quantiles that papers quote. */
static void put_quantiles(const struct section *s, uint32_t group)
{
    static const uint32_t permilles[] = {500, 900, 990};
    const struct hs_chart *c = &s->chart;
    for (size_t i = 0; i < sizeof permilles / sizeof *permilles; i++) {
        const double value = (double)hs_nearest_rank(s->of[group].of[s->what],
                                                     s->of[group].count[s->what], permilles[i]) /
                             MICRO;
        char text[HS_COLUMN_TEXT_SIZE], title[HS_HTML_SAY_MAX];
        if (value < c->x.from || permilles[i] < 1000 * c->y.from)
            continue;
        value_text(s, value, text);
        (void)snprintf(title, sizeof title, "%s: p%" PRIu32 " %s %s", s->page->groups[group].label,
                       permilles[i] / 10, whats[s->what].noun, text);
        hs_svg_dot(c->out, hs_page_colour(group), hs_scale_at(&c->x, value),
                   hs_scale_at(&c->y, permilles[i] / 1000.0), title);
    }
}

/* What all curves say at a place, when one points there. */
static void put_probes(const struct section *s)
{
    const struct hs_chart *c = &s->chart;
    const double step = (c->right - c->left) / PROBES;
    for (uint32_t i = 0; i < PROBES; i++) {
        char title[HS_HTML_SAY_MAX], text[HS_COLUMN_TEXT_SIZE];
        const double value = hs_scale_value(&c->x, c->left + (i + 0.5) * step);
        value_text(s, value, text);
        int len = snprintf(title, sizeof title, "%s up to %s:", whats[s->what].noun, text);
        for (uint32_t g = 0; g < s->drawn && len > 0 && (size_t)len < sizeof title; g++)
            if (s->of[g].count[s->what] > 0)
                len += snprintf(title + len, sizeof title - (size_t)len, "%s %s %.1f %%",
                                g == 0 ? "" : ",",
                                s->page->group_count > 1 ? s->page->groups[g].label : "",
                                100 * share_at(s, g, value));
        hs_svg_rect(c->out, "probe", c->left + i * step, c->top, step, c->bottom - c->top, title);
    }
}

static void put_chart(struct section *s)
{
    struct hs_output *out = s->page->out;
    double from, to;
    hs_say(out, "<figure><figcaption>%s</figcaption>\n", whats[s->what].heading);
    if (!find_range(s, &from, &to)) {
        hs_page_note(s->page, "No job has one above 0.");
    } else {
        set_scales(s, from, to);
        hs_chart_begin(&s->chart, out, whats[s->what].heading);
        hs_chart_y_axis(&s->chart, HS_AXIS_SHARE, 6);
        hs_chart_x_axis(&s->chart, whats[s->what].axis, 6);
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

/* ---- the table ---- */

static const struct {
    uint32_t permille;
    const char *name;
} quantiles[] = {{10, "p1"},   {50, "p5"},     {100, "p10"}, {250, "p25"},
                 {500, "p50"}, {750, "p75"},   {900, "p90"}, {950, "p95"},
                 {990, "p99"}, {999, "p99.9"}, {1000, "max"}};
#define QUANTILES (sizeof quantiles / sizeof *quantiles)

static void put_quantile_row(const struct section *s, uint32_t group, enum hs_jobvalue what)
{
    struct hs_output *out = s->page->out;
    const struct hs_jobvalues *of = &s->of[group];
    hs_say(out, "<tr data-run=\"");
    hs_html_text(out, s->page->groups[group].label);
    hs_say(out, "\"><th scope=\"row\">");
    hs_html_text(out, s->page->groups[group].label);
    hs_say(out, "</th><td class=\"text\">%s</td><td>%" PRIu32 "</td>", whats[what].noun,
           of->count[what]);
    for (size_t q = 0; q < QUANTILES; q++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s_%s", quantiles[q].name, whats[what].suffix);
        const struct hs_runcolumn column = hs_runcolumn_of(name);
        const double value =
            of->count[what] == 0
                ? (double)NAN
                : (double)hs_nearest_rank(of->of[what], of->count[what], quantiles[q].permille) /
                      MICRO;
        hs_html_cell(out, &column, value, NULL, "");
    }
    hs_say(out, "</tr>\n");
}

static void put_table(const struct section *s)
{
    struct hs_output *out = s->page->out;
    hs_say(out, "<details><summary>Quantiles</summary>\n<div class=\"wide\"><table "
                "class=\"figures\"><thead><tr><th></th><th></th><th>jobs</th>");
    for (size_t q = 0; q < QUANTILES; q++)
        hs_say(out, "<th scope=\"col\">%s</th>", quantiles[q].name);
    hs_say(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t what = 0; what < HS_JOBVALUES; what++)
        for (uint32_t g = 0; g < s->drawn; g++)
            put_quantile_row(s, g, (enum hs_jobvalue)what);
    hs_say(out, "</tbody></table></div></details>\n");
}

/* ---- the section ---- */

static enum hs_status read_groups(struct section *s)
{
    for (uint32_t g = 0; g < s->drawn; g++)
        if (hs_page_has(s->page, &s->page->groups[g], "jobs.csv"))
            HS_TRY(hs_jobvalues_read(&s->of[g], s->page, &s->page->groups[g]));
    return HS_OK;
}

static void put_section(struct section *s)
{
    hs_page_legend(s->page);
    hs_say(s->page->out, "<div class=\"charts\">\n");
    for (uint32_t what = 0; what < HS_JOBVALUES; what++) {
        s->what = (enum hs_jobvalue)what;
        put_chart(s);
    }
    hs_say(s->page->out, "</div>\n");
    hs_page_note(s->page,
                 "Share of jobs at or below a value, on a logarithmic axis. A curve rises at the "
                 "left edge by what is below the axis, such as jobs that did not wait; where that "
                 "is most of them, the axis of shares does not begin at 0. Dots: p50, p90, p99.%s",
                 s->page->kind == HS_PAGE_COMPARISON ? " Jobs of all runs of a policy together."
                                                     : "");
    put_table(s);
}

enum hs_status hs_page_cdf(struct hs_page *page)
{
    struct section s = {.page = page, .drawn = hs_page_drawn(page)};
    hs_page_begin_section(page, "distributions", "Distributions");
    enum hs_status status = HS_OK;
    if (hs_page_can_draw(page, "jobs.csv") && (status = read_groups(&s)) == HS_OK)
        put_section(&s);
    for (uint32_t g = 0; g < s.drawn; g++)
        hs_jobvalues_free(&s.of[g]);
    hs_page_end_section(page);
    return status;
}
