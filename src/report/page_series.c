/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cluster over time: GPUs held and at work, the queue, and what waiting jobs wait for. A panel
 * a group and chart, one below the other on one axis of time, so that runs are compared by eye.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "report/buckets.h"
#include "report/html.h"
#include "report/page.h"
#include "report/svg.h"

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

struct section {
    struct hs_page *page;
    struct track tracks[HS_PAGE_DRAWN_MAX];
    uint32_t drawn, buckets, reading;
    double span_s;
};

/* ---- reading ---- */

static uint32_t cause_of(const char *key)
{
    uint32_t k = 0;
    while (k < HS_WAITS && strcmp(hs_wait_causes[k].key, key) != 0)
        k++;
    return k;
}

static enum hs_status put_value(struct section *s, uint32_t series, double time_s, double value)
{
    struct hs_buckets *b = &s->tracks[s->reading].of[series];
    if (b->of == NULL)
        HS_TRY(hs_buckets_open(b, s->buckets, s->span_s));
    hs_buckets_put(b, time_s, value);
    return HS_OK;
}

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct section *s = ctx;
    const char *metric = hs_rowfile_text(f, METRIC), *time = hs_rowfile_text(f, TIME),
               *number = hs_rowfile_text(f, VALUE);
    double time_s, value;
    uint32_t series = 0;
    if (!hs_parse_double(time, strlen(time), &time_s))
        return hs_rowfile_bad(f, TIME, "a time in seconds");
    if (!hs_parse_double(number, strlen(number), &value))
        return hs_rowfile_bad(f, VALUE, "a number");
    while (series < FIXED && strcmp(fixed_names[series], metric) != 0)
        series++;
    if (series == FIXED && strcmp(metric, "gpus_waiting") == 0)
        series = FIXED + cause_of(hs_rowfile_text(f, KEY));
    else if (series == FIXED)
        return HS_OK;
    return series < FIXED + HS_WAITS ? put_value(s, series, time_s, value) : HS_OK;
}

static enum hs_status add_gpus(void *ctx, const struct hs_rowfile *f)
{
    double *gpus = ctx;
    uint64_t count = 0;
    HS_TRY(hs_rowfile_count(f, 0, &count));
    *gpus += (double)count;
    return HS_OK;
}

static enum hs_status read_track(struct section *s, uint32_t group)
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
    if (track->of[FIXED + HS_WAIT_FRAGMENTATION].of != NULL) /* then its parts are told apart */
        hs_buckets_free(&track->of[FIXED + HS_WAIT_SHAPE]);
    if (hs_page_has(s->page, g, "nodes.csv"))
        HS_TRY(hs_page_read(s->page, &s->page->runs[g->first], "nodes.csv", gpu_columns, add_gpus,
                            &track->gpus));
    return HS_OK;
}

/* ---- a panel ---- */

static double largest(const struct section *s, const uint32_t *series, uint32_t count)
{
    double most = 0;
    for (uint32_t g = 0; g < s->drawn; g++)
        for (uint32_t i = 0; i < s->buckets; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < count; k++) {
                const struct hs_buckets *b = &s->tracks[g].of[series[k]];
                if (b->of != NULL && !isnan(b->of[i].max))
                    sum += b->of[i].mean;
            }
            most = sum > most ? sum : most;
        }
    return most;
}

static double x_of(const struct section *s, const struct hs_chart *c, uint32_t bucket)
{
    return hs_scale_at(&c->x, s->span_s * bucket / s->buckets);
}

/* A value of a series as high as it is drawn: utilization is a share of all GPUs. */
static double height_of(const struct track *t, uint32_t series, double value)
{
    return series == UTIL ? value * t->gpus : value;
}

/* Steps along the levels, from left to right. */
static void put_top(const struct section *s, const struct hs_chart *c, struct hs_path *path,
                    const double *level)
{
    for (uint32_t i = 0; i < s->buckets; i++) {
        const double y = hs_scale_at(&c->y, level[i]);
        hs_path_to(path, x_of(s, c, i), y);
        hs_path_to(path, x_of(s, c, i + 1), y);
    }
}

static void put_area(const struct section *s, const struct hs_chart *c, const char *class,
                     const double *top, const double *bottom, const char *title)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, class);
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

static void take_level(const struct section *s, const struct track *t, uint32_t series,
                       enum level what, double level[BUCKETS_ALONE])
{
    const struct hs_buckets *b = &t->of[series];
    for (uint32_t i = 0; i < s->buckets; i++) {
        double value = 0;
        if (b->of != NULL && !isnan(b->of[i].mean))
            value = what == MEAN ? b->of[i].mean : what == MIN ? b->of[i].min : b->of[i].max;
        level[i] = height_of(t, series, value);
    }
}

static void put_line(const struct section *s, const struct hs_chart *c, const struct track *t,
                     uint32_t series, const char *class)
{
    double level[BUCKETS_ALONE];
    struct hs_path path;
    take_level(s, t, series, MEAN, level);
    hs_path_begin(&path, c->out, class);
    put_top(s, c, &path, level);
    hs_path_end(&path, NULL);
}

/* ---- charts: what a panel holds ---- */

enum chart { GPUS, QUEUE, WAITING, CHARTS };

static const struct {
    const char *heading, *note;
    double height; /* of a panel */
} charts[CHARTS] = {
    {"GPUs held, and at work", "Filled: GPUs that jobs hold. Line: modelled utilization x GPUs. ",
     120},
    {"Jobs that wait", "Pending before the first start; stronger, suspended after it. ", 90},
    {"GPUs that waiting jobs want, by what keeps them waiting", "", 90},
};

static void put_band(const struct section *s, const struct hs_chart *c, const struct track *t,
                     uint32_t series, const char *class)
{
    double low[BUCKETS_ALONE], high[BUCKETS_ALONE];
    if (s->page->group_count > 1)
        return;
    take_level(s, t, series, MIN, low);
    take_level(s, t, series, MAX, high);
    put_area(s, c, class, high, low, NULL);
}

static void put_gpus(const struct section *s, const struct hs_chart *c, uint32_t group)
{
    const struct track *t = &s->tracks[group];
    double level[BUCKETS_ALONE], zero[BUCKETS_ALONE] = {0};
    char class[32];
    (void)snprintf(class, sizeof class, "area %s", hs_page_colour(group));
    take_level(s, t, HELD, MEAN, level);
    put_area(s, c, class, level, zero, NULL);
    put_band(s, c, t, HELD, "band");
    (void)snprintf(class, sizeof class, "line %s", hs_page_colour(group));
    if (t->gpus > 0)
        put_line(s, c, t, UTIL, class);
}

static void put_queue(const struct section *s, const struct hs_chart *c, uint32_t group)
{
    const struct track *t = &s->tracks[group];
    double suspended[BUCKETS_ALONE], both[BUCKETS_ALONE], zero[BUCKETS_ALONE] = {0};
    char class[32];
    take_level(s, t, SUSPENDED, MEAN, suspended);
    take_level(s, t, PENDING, MEAN, both);
    for (uint32_t i = 0; i < s->buckets; i++)
        both[i] += suspended[i];
    (void)snprintf(class, sizeof class, "area %s", hs_page_colour(group));
    put_area(s, c, class, both, zero, NULL);
    (void)snprintf(class, sizeof class, "area dark %s", hs_page_colour(group));
    put_area(s, c, class, suspended, zero, NULL);
}

static void put_causes(const struct section *s, const struct hs_chart *c, uint32_t group)
{
    double bottom[BUCKETS_ALONE] = {0}, top[BUCKETS_ALONE];
    for (uint32_t k = 0; k < HS_WAITS; k++) {
        char class[32];
        take_level(s, &s->tracks[group], FIXED + k, MEAN, top);
        for (uint32_t i = 0; i < s->buckets; i++)
            top[i] += bottom[i];
        (void)snprintf(class, sizeof class, "layer %s", hs_wait_causes[k].colour);
        if (s->tracks[group].of[FIXED + k].of != NULL)
            put_area(s, c, class, top, bottom, hs_wait_causes[k].key);
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

static void probe_text(const struct section *s, const struct track *t, enum chart chart,
                       uint32_t from, uint32_t to, char text[HS_HTML_SAY_MAX])
{
    char when[HS_TABLE_TIME_SIZE];
    hs_table_time(when, s->span_s * from / s->buckets);
    if (chart == GPUS) {
        (void)snprintf(text, HS_HTML_SAY_MAX, "%s: %.4g GPUs held, utilization %.1f %%", when,
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

static void put_probes(const struct section *s, const struct hs_chart *c, uint32_t group,
                       enum chart chart)
{
    const uint32_t probes = s->page->group_count > 1 ? PROBES_MANY : PROBES_ALONE;
    for (uint32_t i = 0; i < probes; i++) {
        const uint32_t from = i * s->buckets / probes, to = (i + 1) * s->buckets / probes;
        char text[HS_HTML_SAY_MAX];
        probe_text(s, &s->tracks[group], chart, from, to, text);
        hs_svg_rect(c->out, "probe", x_of(s, c, from), c->top, x_of(s, c, to) - x_of(s, c, from),
                    c->bottom - c->top, text);
    }
}

/* ---- the section ---- */

static double top_of(const struct section *s, enum chart chart)
{
    static const uint32_t held[] = {HELD}, queue[] = {PENDING, SUSPENDED};
    uint32_t causes[HS_WAITS];
    for (uint32_t k = 0; k < HS_WAITS; k++)
        causes[k] = FIXED + k;
    double top = chart == GPUS    ? largest(s, held, 1)
                 : chart == QUEUE ? largest(s, queue, 2)
                                  : largest(s, causes, HS_WAITS);
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

static void put_panel(const struct section *s, uint32_t group, enum chart chart, double top,
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

static void put_chart(const struct section *s, enum chart chart)
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
            const uint32_t cause = FIXED + k;
            if (largest(s, &cause, 1) > 0)
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

enum hs_status hs_page_series(struct hs_page *page)
{
    struct section s = {.page = page,
                        .drawn = hs_page_drawn(page),
                        .buckets = page->group_count > 1 ? BUCKETS_MANY : BUCKETS_ALONE};
    enum hs_status status = HS_OK;
    s.span_s = hs_page_span(page);
    hs_page_begin_section(page, "time", "Over time");
    const bool can_draw = hs_page_can_draw(page, "series.csv");
    if (can_draw && !(s.span_s > 0)) {
        hs_page_note(page, "Left out: no time passed in the simulation.");
    } else if (can_draw) {
        for (uint32_t g = 0; g < s.drawn && status == HS_OK; g++)
            status = read_track(&s, g);
        for (uint32_t chart = 0; chart < CHARTS && status == HS_OK; chart++)
            put_chart(&s, (enum chart)chart);
        if (status == HS_OK && page->kind == HS_PAGE_COMPARISON)
            hs_page_note(page, "Of several runs of a policy the first is drawn.");
    }
    for (uint32_t g = 0; g < s.drawn; g++)
        for (uint32_t i = 0; i < FIXED + HS_WAITS; i++)
            hs_buckets_free(&s.tracks[g].of[i]);
    hs_page_end_section(page);
    return status;
}
