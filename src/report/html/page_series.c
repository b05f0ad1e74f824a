/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cluster over time: GPU allocation and utilization, the queue, and the causes of waiting. A
 * panel a group and chart, one below the other on one axis of time, so that runs are compared by
 * eye. Then a bar a group with all of its waiting, by cause.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "report/html/html.h"
#include "report/html/page.h"
#include "report/html/page_data.h"

const struct hs_wait_cause hs_wait_causes[HS_WAITS] = {
    [HS_WAIT_RESOURCES] = {"resources", "insufficient resources, too few GPUs are free", "w0"},
    [HS_WAIT_FRAGMENTATION] = {"fragmentation", "enough are free, on no node together", "w1"},
    [HS_WAIT_CONSTRAINT] = {"constraint", "placement constraint, the gang takes several nodes",
                            "w2"},
    [HS_WAIT_QUOTA] = {"quota", "its virtual cluster has no room", "w3"},
    [HS_WAIT_PRIORITY] = {"priority", "head-of-line blocking or lower priority", "w4"},
};

#define BUCKETS_ALONE 360u /* of a run that is alone on the page */
#define BUCKETS_MANY  180u
#define PROBES_ALONE  60u /* columns with a tooltip */
#define PROBES_MANY   24u

enum { TIME, METRIC, KEY, VALUE };
static const char *const columns[] = {"time", "metric", "key", "value", NULL};

enum series { HELD, UTIL, PENDING, SUSPENDED, FRAGMENTED, FIXED };
static const char *const fixed_names[FIXED] = {"gpus_held", "util_model", "pending", "suspended",
                                               "fragmented"};

/* One run: the fixed series, then one a cause of waiting. */
struct track {
    struct hs_buckets of[FIXED + HS_WAITS];
    double gpus; /* of the cluster; 0 = unknown */
    bool is_read;
};

struct series_section {
    struct hs_page *page;
    struct track tracks[HS_PAGE_DRAWN_MAX];
    uint32_t drawn, buckets, reading;
    double span_s;
};

/* ---- reading ---- */

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct series_section *s = ctx;
    const char *metric = hs_rowfile_text(f, METRIC), *time = hs_rowfile_text(f, TIME),
               *key = hs_present_name(hs_rowfile_text(f, KEY)), *number = hs_rowfile_text(f, VALUE);
    double time_s, value;
    uint32_t series = 0;
    if (!hs_parse_double(time, strlen(time), &time_s))
        return hs_rowfile_bad(f, TIME, "a time in seconds");
    if (!hs_parse_double(number, strlen(number), &value))
        return hs_rowfile_bad(f, VALUE, "a number");
    while (series < FIXED && strcmp(fixed_names[series], metric) != 0)
        series++;
    if (series == FIXED && strcmp(metric, "gpus_waiting") == 0)
        while (series < FIXED + HS_WAITS && strcmp(hs_wait_causes[series - FIXED].key, key) != 0)
            series++;
    else if (series == FIXED)
        return HS_OK;
    struct hs_buckets *b = &s->tracks[s->reading].of[series];
    if (series == FIXED + HS_WAITS)
        return HS_OK;
    if (b->of == NULL)
        hs_buckets_open(b, &s->page->arena, s->buckets, s->span_s);
    hs_buckets_put(b, time_s, value);
    return HS_OK;
}

static enum hs_status add_gpus(void *ctx, const struct hs_rowfile *f)
{
    double *gpus = ctx;
    uint64_t count = 0;
    HS_TRY(hs_rowfile_count(f, 0, &count));
    *gpus += (double)count;
    return HS_OK;
}

static enum hs_status read_track(struct series_section *s, uint32_t group)
{
    static const char *const gpu_columns[] = {"gpus", NULL};
    const struct hs_page_group *g = &s->page->groups[group];
    struct track *track = &s->tracks[group];
    if (!hs_page_has(s->page, g, "series.csv"))
        return HS_OK;
    s->reading = group;
    track->is_read = true;
    HS_TRY(hs_page_read(s->page, &s->page->runs[g->first], "series.csv", columns, read_row, s));
    for (uint32_t i = 0; i < FIXED + HS_WAITS; i++)
        if (track->of[i].of != NULL)
            hs_buckets_finish(&track->of[i]);
    if (hs_page_has(s->page, g, "nodes.csv"))
        HS_TRY(hs_page_read(s->page, &s->page->runs[g->first], "nodes.csv", gpu_columns, add_gpus,
                            &track->gpus));
    return HS_OK;
}

/* ---- a panel ---- */

/* The largest sum of so many series from `first` on, over all groups. */
static double largest(const struct series_section *s, uint32_t first, uint32_t count)
{
    double most = 0;
    for (uint32_t g = 0; g < s->drawn; g++)
        for (uint32_t i = 0; i < s->buckets; i++) {
            double sum = 0;
            for (uint32_t k = first; k < first + count; k++) {
                const struct hs_buckets *b = &s->tracks[g].of[k];
                if (b->of != NULL && !isnan(b->of[i].max))
                    sum += b->of[i].mean;
            }
            most = sum > most ? sum : most;
        }
    return most;
}

static double x_of(const struct series_section *s, const struct hs_chart *c, uint32_t bucket)
{
    return hs_scale_at(&c->x, s->span_s * bucket / s->buckets);
}

/* Steps along the levels, from left to right. */
static void put_top(const struct series_section *s, const struct hs_chart *c, struct hs_path *path,
                    const double *level)
{
    for (uint32_t i = 0; i < s->buckets; i++) {
        const double y = hs_scale_at(&c->y, level[i]);
        hs_path_to(path, x_of(s, c, i), y);
        hs_path_to(path, x_of(s, c, i + 1), y);
    }
}

static void put_area(const struct series_section *s, const struct hs_chart *c, const char *class,
                     const char *colour, const double *top, const double *bottom, const char *title)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, class, colour);
    put_top(s, c, &path, top);
    for (uint32_t i = s->buckets; i-- > 0;) {
        const double y = hs_scale_at(&c->y, bottom[i]);
        hs_path_to(&path, x_of(s, c, i + 1), y);
        hs_path_to(&path, x_of(s, c, i), y);
    }
    hs_path_close(&path);
    hs_path_end(&path, title);
}

enum level { MEAN, MIN, MAX };

static void take_level(const struct series_section *s, const struct track *t, uint32_t series,
                       enum level what, double level[BUCKETS_ALONE])
{
    const struct hs_buckets *b = &t->of[series];
    for (uint32_t i = 0; i < s->buckets; i++) {
        double value = 0;
        if (b->of != NULL && !isnan(b->of[i].mean))
            value = what == MEAN ? b->of[i].mean : what == MIN ? b->of[i].min : b->of[i].max;
        level[i] = series == UTIL ? value * t->gpus : value; /* a share of all GPUs */
    }
}

static void put_line(const struct series_section *s, const struct hs_chart *c, const double *level,
                     const char *colour)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "line", colour);
    put_top(s, c, &path, level);
    hs_path_end(&path, NULL);
}

/* ---- charts: what a panel holds ---- */

enum chart { GPUS, QUEUE, WAITING, CHARTS };

static const struct {
    const char *heading, *note;
    double height;         /* of a panel */
    uint32_t first, count; /* series */
} charts[CHARTS] = {
    {"GPU allocation and GPU utilization (modelled)",
     "Filled: GPUs that jobs hold. Line: modelled utilization x GPUs. ", 120, HELD, 1},
    {"Jobs that wait", "Pending before the first start; stronger, suspended after it. ", 90,
     PENDING, 2},
    {"GPUs that waiting jobs want, by what keeps them waiting", "", 90, FIXED, HS_WAITS},
};

static void put_gpus(const struct series_section *s, const struct hs_chart *c, uint32_t group)
{
    const struct track *t = &s->tracks[group];
    double level[BUCKETS_ALONE], zero[BUCKETS_ALONE] = {0};
    take_level(s, t, HELD, MEAN, level);
    put_area(s, c, "area", hs_page_colour(group), level, zero, NULL);
    if (s->page->group_count == 1) {
        double low[BUCKETS_ALONE], high[BUCKETS_ALONE];
        take_level(s, t, HELD, MIN, low);
        take_level(s, t, HELD, MAX, high);
        put_area(s, c, "band", NULL, high, low, NULL);
    }
    if (t->gpus > 0) {
        take_level(s, t, UTIL, MEAN, level);
        put_line(s, c, level, hs_page_colour(group));
    }
}

static void put_queue(const struct series_section *s, const struct hs_chart *c, uint32_t group)
{
    const struct track *t = &s->tracks[group];
    double suspended[BUCKETS_ALONE], both[BUCKETS_ALONE], zero[BUCKETS_ALONE] = {0};
    take_level(s, t, SUSPENDED, MEAN, suspended);
    take_level(s, t, PENDING, MEAN, both);
    for (uint32_t i = 0; i < s->buckets; i++)
        both[i] += suspended[i];
    put_area(s, c, "area", hs_page_colour(group), both, zero, NULL);
    put_area(s, c, "area dark", hs_page_colour(group), suspended, zero, NULL);
}

static void put_causes(const struct series_section *s, const struct hs_chart *c, uint32_t group)
{
    double bottom[BUCKETS_ALONE] = {0}, top[BUCKETS_ALONE];
    for (uint32_t k = 0; k < HS_WAITS; k++) {
        take_level(s, &s->tracks[group], FIXED + k, MEAN, top);
        for (uint32_t i = 0; i < s->buckets; i++)
            top[i] += bottom[i];
        if (s->tracks[group].of[FIXED + k].of != NULL)
            put_area(s, c, "layer", hs_wait_causes[k].colour, top, bottom, hs_wait_causes[k].key);
        memcpy(bottom, top, sizeof bottom);
    }
}

/* ---- tooltips ---- */

static double mean_between(const struct hs_buckets *b, uint32_t from, uint32_t to)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t i = from; i < to && b->of != NULL; i++)
        if (!isnan(b->of[i].mean)) {
            sum += b->of[i].mean;
            known++;
        }
    return known > 0 ? sum / known : 0;
}

static void probe_text(const struct series_section *s, const struct track *t, enum chart chart,
                       uint32_t from, uint32_t to, char text[HS_HTML_SAY_MAX])
{
    char when[HS_TABLE_TIME_SIZE];
    hs_table_time(when, s->span_s * from / s->buckets);
    if (chart == GPUS) {
        (void)snprintf(text, HS_HTML_SAY_MAX, "%s: GPU allocation %.4g, utilization %.1f %%", when,
                       mean_between(&t->of[HELD], from, to),
                       100 * mean_between(&t->of[UTIL], from, to));
    } else if (chart == QUEUE) {
        (void)snprintf(text, HS_HTML_SAY_MAX, "%s: %.4g pending, %.4g suspended", when,
                       mean_between(&t->of[PENDING], from, to),
                       mean_between(&t->of[SUSPENDED], from, to));
    } else {
        int len = snprintf(text, HS_HTML_SAY_MAX, "%s:", when);
        for (uint32_t k = 0; k < HS_WAITS && len > 0 && len < HS_HTML_SAY_MAX; k++)
            if (t->of[FIXED + k].of != NULL)
                len += snprintf(text + len, HS_HTML_SAY_MAX - (size_t)len, " %s %.4g",
                                hs_wait_causes[k].key, mean_between(&t->of[FIXED + k], from, to));
    }
}

static void put_probes(const struct series_section *s, const struct hs_chart *c, uint32_t group,
                       enum chart chart)
{
    const uint32_t probes = s->page->group_count > 1 ? PROBES_MANY : PROBES_ALONE;
    for (uint32_t i = 0; i < probes; i++) {
        const uint32_t from = i * s->buckets / probes, to = (i + 1) * s->buckets / probes;
        char text[HS_HTML_SAY_MAX];
        probe_text(s, &s->tracks[group], chart, from, to, text);
        hs_svg_rect(c->out, "probe", NULL, x_of(s, c, from), c->top,
                    x_of(s, c, to) - x_of(s, c, from), c->bottom - c->top, text);
    }
}

/* ---- the section ---- */

static double top_of(const struct series_section *s, enum chart chart)
{
    double top = largest(s, charts[chart].first, charts[chart].count);
    for (uint32_t g = 0; g < s->drawn && chart == GPUS; g++)
        top = s->tracks[g].gpus > top ? s->tracks[g].gpus : top;
    return top;
}

/* None, half and all of them. */
static void put_gpu_marks(const struct hs_chart *c, double gpus)
{
    struct hs_tick marks[3];
    for (uint32_t i = 0; i < 3; i++) {
        marks[i].value = gpus * i / 2;
        hs_short_number(marks[i].label, marks[i].value);
    }
    hs_chart_y_marks(c, marks, 3);
}

static void put_panel(const struct series_section *s, uint32_t group, enum chart chart, double top,
                      bool is_last)
{
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = charts[chart].height + (is_last ? 22 : 4),
                         .left = 52,
                         .right = HS_PAGE_WIDTH - 14,
                         .top = s->page->group_count > 1 ? 18 : 8,
                         .bottom = charts[chart].height,
                         .x = {.from = 0, .to = s->span_s},
                         .y = {.from = 0, .to = top}};
    hs_chart_begin(&c, s->page->out, charts[chart].heading);
    if (chart == GPUS && s->tracks[group].gpus > 0)
        put_gpu_marks(&c, s->tracks[group].gpus);
    else
        hs_chart_y_axis(&c, HS_AXIS_PLAIN, 4);
    if (is_last)
        hs_chart_x_axis(&c, HS_AXIS_TIME, 10);
    if (chart == GPUS)
        put_gpus(s, &c, group);
    else if (chart == QUEUE)
        put_queue(s, &c, group);
    else
        put_causes(s, &c, group);
    if (s->page->group_count > 1)
        hs_svg_text(c.out, c.left, 11, "start", "name", s->page->groups[group].label);
    put_probes(s, &c, group, chart);
    hs_chart_end(&c);
}

static void put_chart(const struct series_section *s, enum chart chart)
{
    struct hs_output *out = s->page->out;
    const double top = top_of(s, chart);
    uint32_t last = s->drawn;
    while (last > 0 && !s->tracks[last - 1].is_read)
        last--;
    hs_say(out, "<figure class=\"stack\"><figcaption>%s</figcaption>\n", charts[chart].heading);
    if (chart == WAITING && top > 0) {
        hs_say(out, "<p class=\"legend\">");
        for (uint32_t k = 0; k < HS_WAITS; k++) {
            if (largest(s, FIXED + k, 1) > 0)
                hs_say(out, "<span><i class=\"%s\"></i>%s</span> ", hs_wait_causes[k].colour,
                       hs_wait_causes[k].key);
        }
        hs_say(out, "</p>\n");
    }
    if (top > 0)
        for (uint32_t g = 0; g < last; g++)
            if (s->tracks[g].is_read)
                put_panel(s, g, chart, top, g + 1 == last);
    if (top > 0)
        hs_page_note(s->page, "%s%s", charts[chart].note,
                     chart == GPUS && s->page->group_count == 1
                         ? "Shaded: between smallest and largest value of the interval."
                         : "");
    else
        hs_page_note(s->page, "None at any time.");
    hs_say(out, "</figure>\n");
}

static enum hs_status read_tracks(struct series_section *s)
{
    for (uint32_t g = 0; g < s->drawn; g++)
        HS_TRY(read_track(s, g));
    return HS_OK;
}

enum hs_status hs_page_series(struct hs_page *page)
{
    struct series_section s = {.page = page,
                               .drawn = hs_page_drawn(page),
                               .buckets = page->group_count > 1 ? BUCKETS_MANY : BUCKETS_ALONE,
                               .span_s = hs_page_span(page)};
    hs_page_begin_section(page, "time", "Over time");
    const bool can_draw = hs_page_can_draw(page, "series.csv");
    if (can_draw && !(s.span_s > 0)) {
        hs_page_note(page, "Left out: no time passed in the simulation.");
    } else if (can_draw) {
        HS_TRY(read_tracks(&s));
        for (uint32_t chart = 0; chart < CHARTS; chart++)
            put_chart(&s, (enum chart)chart);
        if (page->kind == HS_PAGE_COMPARISON)
            hs_page_note(page, "Of several runs of a policy the first is drawn.");
    }
    hs_page_end_section(page);
    return HS_OK;
}

/* ---- the figures ---- */

static enum hs_status open_figure(struct series_section *s, struct hs_page *page)
{
    *s = (struct series_section){.page = page,
                                 .drawn = page->group_count,
                                 .buckets = BUCKETS_MANY,
                                 .span_s = hs_page_span(page)};
    HS_TRY(hs_figure_need(page, "series.csv"));
    if (!(s->span_s > 0))
        return hs_fail(page->diag, HS_E_INPUT, NULL, NULL, "no time passed in the simulation");
    return read_tracks(s);
}

/* The level of a group in a panel of the figure of kind time. */
static void line_level(const struct series_section *s, uint32_t group, enum chart chart,
                       double *level)
{
    double more[BUCKETS_ALONE];
    static const uint32_t series[] = {HELD, UTIL, PENDING};
    struct track track = s->tracks[group];
    track.gpus = 1; /* utilization as a share */
    take_level(s, &track, series[chart], MEAN, level);
    if (series[chart] != PENDING)
        return;
    take_level(s, &track, SUSPENDED, MEAN, more);
    for (uint32_t i = 0; i < s->buckets; i++)
        level[i] += more[i];
}

enum hs_status hs_figure_time(struct hs_page *page)
{
    static const char *const titles[] = {"GPU allocation", "GPU utilization", "Jobs waiting"};
    struct hs_frame frame = {.rows = 3,
                             .columns = 1,
                             .height = 130,
                             .left = 66,
                             .right = 16,
                             .above = 12,
                             .below = 6,
                             .last = 34};
    struct series_section s;
    HS_TRY(open_figure(&s, page));
    hs_figure_begin_groups(page, &frame, "line");
    for (uint32_t row = 0; row < 3; row++) {
        const double top = row == 1 ? 1 : top_of(&s, row == 0 ? GPUS : QUEUE);
        struct hs_chart c = {.x = {.from = 0, .to = s.span_s},
                             .y = {.from = 0, .to = top > 0 ? top : 1}};
        hs_figure_panel(page, &frame, row, 0, &c);
        if (row == 0 && s.tracks[0].gpus > 0)
            put_gpu_marks(&c, top);
        else
            hs_chart_y_axis(&c, row == 1 ? HS_AXIS_SHARE : HS_AXIS_PLAIN, 5);
        hs_chart_x_marks(&c, HS_AXIS_TIME, 10, row == 2);
        for (uint32_t g = 0; g < s.drawn; g++) {
            double level[BUCKETS_ALONE];
            line_level(&s, g, (enum chart)row, level);
            put_line(&s, &c, level, hs_page_colour(g));
        }
        hs_figure_axes(&c, row == 2 ? "Time since the first submission" : NULL, titles[row]);
    }
    hs_figure_end(page);
    return HS_OK;
}

enum hs_status hs_figure_waits(struct hs_page *page)
{
    struct hs_frame frame = {.rows = page->group_count,
                             .columns = 1,
                             .height = page->group_count == 1 ? 240 : 130,
                             .left = 66,
                             .right = 16,
                             .above = page->group_count == 1 ? 10 : 20,
                             .below = 6,
                             .last = 34};
    struct hs_figure_key keys[HS_WAITS];
    uint32_t count = 0;
    struct series_section s;
    HS_TRY(open_figure(&s, page));
    const double top = top_of(&s, WAITING);
    for (uint32_t k = 0; k < HS_WAITS && top > 0; k++) {
        if (largest(&s, FIXED + k, 1) > 0)
            keys[count++] =
                (struct hs_figure_key){"layer", hs_wait_causes[k].colour, hs_wait_causes[k].key};
    }
    hs_figure_begin(page, &frame, keys, count);
    for (uint32_t g = 0; g < s.drawn; g++) {
        struct hs_chart c = {.x = {.from = 0, .to = s.span_s},
                             .y = {.from = 0, .to = top > 0 ? top : 1}};
        const bool is_last = g + 1 == s.drawn;
        hs_figure_panel(page, &frame, g, 0, &c);
        hs_chart_y_axis(&c, HS_AXIS_PLAIN, 5);
        hs_chart_x_marks(&c, HS_AXIS_TIME, 10, is_last);
        put_causes(&s, &c, g);
        if (page->group_count > 1)
            hs_svg_text(c.out, c.left + 4, c.top - 6, "start", "name", page->groups[g].label);
        hs_figure_axes(&c, is_last ? "Time since the first submission" : NULL, "GPUs wanted");
    }
    hs_figure_end(page);
    return HS_OK;
}

/* ---- why jobs waited: a bar a group, divided by cause ---- */

#define LABEL_WIDTH     150.0
#define BAR_HEIGHT      18.0
#define ROW_HEIGHT      26.0
#define SECONDS_OF_HOUR 3600.0

/* GPU-seconds; NaN where the run does not tell. */
static double wait_of(const struct hs_summary *s, enum hs_wait cause)
{
    char name[HS_HTML_SAY_MAX];
    if (cause == HS_WAIT_FRAGMENTATION)
        return hs_summary_get(s, "wait_placement_gpu_seconds") -
               hs_summary_get(s, "wait_constraint_gpu_seconds");
    (void)snprintf(name, sizeof name, "wait_%s_gpu_seconds", hs_wait_causes[cause].key);
    return hs_summary_get(s, name);
}

static double total_wait(const struct hs_summary *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < HS_WAITS; k++)
        sum += wait_of(s, (enum hs_wait)k) > 0 ? wait_of(s, (enum hs_wait)k) : 0;
    return sum;
}

static void put_waits(struct hs_page *page, const struct hs_chart *c, uint32_t group, double y)
{
    const struct hs_summary *s = page->groups[group].figures.summary;
    double from = 0;
    for (uint32_t k = 0; k < HS_WAITS; k++) {
        const struct hs_wait_cause *cause = &hs_wait_causes[k];
        const double seconds = wait_of(s, (enum hs_wait)k), hours = seconds / SECONDS_OF_HOUR;
        char title[HS_HTML_SAY_MAX];
        if (!(seconds > 0))
            continue;
        (void)snprintf(title, sizeof title, "%s: %.4g GPU-hours, %.1f %%: %s, %s",
                       page->groups[group].label, hours, 100 * seconds / total_wait(s), cause->key,
                       cause->meaning);
        hs_svg_rect(c->out, "layer", cause->colour, hs_scale_at(&c->x, from), y,
                    hs_scale_at(&c->x, from + hours) - hs_scale_at(&c->x, from), BAR_HEIGHT, title);
        from += hours;
    }
}

static void put_wait_chart(struct hs_page *page, double most)
{
    const uint32_t drawn = hs_page_drawn(page);
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = 4 + ROW_HEIGHT * drawn + 36,
                         .left = page->group_count > 1 ? LABEL_WIDTH : 14,
                         .right = HS_PAGE_WIDTH - 14,
                         .top = 4,
                         .bottom = 4 + ROW_HEIGHT * drawn,
                         .x = {.from = 0, .to = most / SECONDS_OF_HOUR},
                         .y = {.from = 0, .to = 1}};
    hs_chart_begin(&c, page->out, "GPU-hours of waiting by cause");
    hs_chart_x_axis(&c, HS_AXIS_PLAIN, 7);
    hs_svg_text(c.out, c.right, c.height - 4, "end", "tick", "GPU-hours");
    for (uint32_t g = 0; g < drawn; g++) {
        put_waits(page, &c, g, c.top + ROW_HEIGHT * g + 4);
        if (page->group_count > 1)
            hs_svg_text(c.out, c.left - 8, c.top + ROW_HEIGHT * g + 17, "end", "name",
                        page->groups[g].label);
    }
    hs_chart_end(&c);
}

void hs_page_waiting(struct hs_page *page)
{
    double most = 0;
    hs_page_begin_section(page, "waiting", "Why jobs waited");
    for (uint32_t g = 0; g < hs_page_drawn(page); g++) {
        const double total = total_wait(page->groups[g].figures.summary);
        most = total > most ? total : most;
    }
    if (most > 0) {
        hs_say(page->out, "<p class=\"legend\">");
        for (uint32_t k = 0; k < HS_WAITS; k++) {
            bool is_in_any = false;
            for (uint32_t g = 0; g < hs_page_drawn(page); g++)
                is_in_any = is_in_any || wait_of(page->groups[g].figures.summary, k) > 0;
            if (is_in_any)
                hs_say(page->out, "<span><i class=\"%s\"></i>%s: %s</span> ",
                       hs_wait_causes[k].colour, hs_wait_causes[k].key, hs_wait_causes[k].meaning);
        }
        hs_say(page->out, "</p>\n<figure>\n");
        put_wait_chart(page, most);
        hs_say(page->out, "</figure>\n");
        hs_page_note(page, "GPUs wanted by waiting jobs x time. A job waits for one cause at a "
                           "time; 'All metrics' above has the figures.");
    } else {
        hs_page_note(page, "No job waited.");
    }
    hs_page_end_section(page);
}
