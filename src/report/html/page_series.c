/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cluster over time: GPU allocation and utilization, the queue, and the causes of waiting. One
 * panel per group and chart, stacked on a common time axis for comparison. Then one bar per group
 * with its total waiting, by cause; and with the work lost to failures and other causes.
 */
#include <math.h>

#include "base/fixed.h"
#include "report/html/page.h"

/* Causes of waiting; together they are all of the waiting. */
enum { FRAGMENTATION = 1, CAUSES = 5 };
static const struct {
    const char *key; /* in series.csv */
    const char *meaning, *colour;
} causes[CAUSES] = {
    {"resources", "insufficient resources, too few GPUs are free", "w0"},
    {"fragmentation", "enough are free, but not on one node", "w1"},
    {"constraint", "placement constraint, the gang needs several nodes", "w2"},
    {"quota", "its virtual cluster has too few GPUs or too little quota left", "w3"},
    {"priority", "head-of-line blocking or lower priority", "w4"},
};

#define BUCKETS_ALONE 360u /* for a single run on the page */
#define BUCKETS_MANY  180u
#define PROBES_ALONE  60u /* columns with a tooltip */
#define PROBES_MANY   24u

enum series { HELD, UTIL, PENDING, SUSPENDED, OUT, FIXED };
static const char *const fixed_names[FIXED] = {"gpus_held", "util_model", "pending", "suspended",
                                               "gpus_out"};

/* Jobs that machines stopped. */
enum stop { FAULT, DRAIN, STOPS };
static const struct {
    const char *name, *colour; /* name: in segments.csv */
} stops[STOPS] = {{"fault", "w4"}, {"drain", "w1"}};

/* A step function of time: mean, minimum and maximum of each interval. */
struct buckets {
    struct bucket {
        double mean, min, max; /* NaN if unknown */
        double known_s;        /* duration with a value */
    } * of;
    uint32_t count;
    double span_s;
    double time_s, value; /* the last change */
    bool has_value;
};

/* The data of one run: the fixed series, then one series per cause of waiting. */
struct track {
    struct buckets of[FIXED + CAUSES];
    uint32_t *stopped[STOPS]; /* by interval; NULL = none */
    double gpus;              /* of the cluster; 0 = unknown */
    bool is_read;
};

struct series_section {
    struct hs_page *page;
    struct track tracks[HS_PAGE_DRAWN_MAX];
    uint32_t buckets, reading;
};

/* ---- step functions ---- */

static void open_buckets(struct buckets *b, struct hs_arena *arena, uint32_t count, double span_s)
{
    *b = (struct buckets){.count = count, .span_s = span_s};
    b->of = hs_arena_alloc(arena, count * sizeof *b->of);
}

/* Adds the last value, from its time to until_s. */
static void spread(struct buckets *b, double until_s)
{
    const double width = b->span_s / b->count;
    double from = b->time_s;
    if (until_s > b->span_s)
        until_s = b->span_s;
    while (from < until_s) {
        uint32_t i = (uint32_t)(from / width);
        i += (i + 1) * width <= from; /* corrects rounding at the border */
        i = i < b->count ? i : b->count - 1;
        double end = i + 1 < b->count ? (i + 1) * width : b->span_s;
        end = end < until_s ? end : until_s;
        struct bucket *bucket = &b->of[i];
        if (bucket->known_s == 0 || b->value < bucket->min)
            bucket->min = b->value;
        if (bucket->known_s == 0 || b->value > bucket->max)
            bucket->max = b->value;
        bucket->mean += (end - from) * b->value; /* a sum until finish_buckets divides it */
        bucket->known_s += end - from;
        from = end;
    }
}

/* Values come in order of time; later than the span: ignored. O(1) per change and interval. */
static void put_bucket(struct buckets *b, double time_s, double value)
{
    if (b->has_value)
        spread(b, time_s);
    b->time_s = time_s;
    b->value = value;
    b->has_value = true;
}

static void finish_buckets(struct buckets *b)
{
    if (b->has_value)
        spread(b, b->span_s);
    for (uint32_t i = 0; i < b->count; i++) {
        struct bucket *bucket = &b->of[i];
        if (bucket->known_s > 0)
            bucket->mean /= bucket->known_s;
        else
            bucket->mean = bucket->min = bucket->max = (double)NAN;
    }
}

/* ---- reading ---- */

struct series_row {
    const char *metric, *key;
    int64_t time_us;
    double value;
};
static const struct hs_rowcell series_cells[] = {
    {"time", HS_ROWCELL_TIME, offsetof(struct series_row, time_us)},
    {"metric", HS_ROWCELL_TEXT, offsetof(struct series_row, metric)},
    {"key", HS_ROWCELL_TEXT, offsetof(struct series_row, key)},
    {"value", HS_ROWCELL_DOUBLE, offsetof(struct series_row, value)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct series_section *s = ctx;
    struct series_row row;
    uint32_t series = 0;
    HS_TRY(hs_rowfile_read(f, &row));
    while (series < FIXED && strcmp(fixed_names[series], row.metric) != 0)
        series++;
    if (series == FIXED && strcmp(row.metric, "gpus_waiting") != 0)
        return HS_OK;
    while (series >= FIXED && series < FIXED + CAUSES &&
           strcmp(causes[series - FIXED].key, hs_present_name(row.key)) != 0)
        series++;
    if (series == FIXED + CAUSES)
        return HS_OK;
    if (isnan(row.value))
        return hs_rowfile_bad(f, "value", "a number");
    struct buckets *b = &s->tracks[s->reading].of[series];
    if (b->of == NULL)
        open_buckets(b, &s->page->arena, s->buckets, s->page->span_s);
    put_bucket(b, (double)row.time_us / HS_US_PER_S, row.value);
    return HS_OK;
}

static enum hs_status add_gpus(void *ctx, const struct hs_rowfile *f)
{
    double *gpus = ctx;
    uint64_t count;
    HS_TRY(hs_rowfile_read(f, &count));
    *gpus += (double)count;
    return HS_OK;
}

struct stop_row {
    const char *ended_by;
    int64_t end_us;
};
static const struct hs_rowcell stop_cells[] = {
    {"end", HS_ROWCELL_TIME, offsetof(struct stop_row, end_us)},
    {"ended_by", HS_ROWCELL_TEXT, offsetof(struct stop_row, ended_by)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_stop(void *ctx, const struct hs_rowfile *f)
{
    struct series_section *s = ctx;
    struct stop_row row;
    HS_TRY(hs_rowfile_read(f, &row));
    for (int k = 0; k < STOPS; k++)
        if (strcmp(row.ended_by, stops[k].name) == 0) {
            uint32_t **of = &s->tracks[s->reading].stopped[k];
            const double share = (double)row.end_us / HS_US_PER_S / s->page->span_s;
            if (*of == NULL)
                *of = hs_arena_alloc(&s->page->arena, s->buckets * sizeof **of);
            (*of)[(uint32_t)fmin(share * s->buckets, s->buckets - 1)]++;
        }
    return HS_OK;
}

double hs_page_end_s(const struct hs_page *page, uint32_t group)
{
    const struct hs_page_run *run = &page->runs[page->groups[group].first];
    if (page->groups[group].count == 0)
        return 0;
    const double makespan = hs_summary_get(&run->summary.summary, "makespan");
    /* unfinished jobs may run until the horizon */
    return hs_summary_get(&run->summary.summary, "n_unfinished") > 0
               ? fmax(makespan, (double)hs_runmanifest_horizon_us(&run->manifest) / HS_US_PER_S)
               : makespan;
}

/* Reads the first run of each group. */
static enum hs_status open_section(struct series_section *s, struct hs_page *page)
{
    static const struct hs_rowcell gpu_cells[] = {{"gpus", HS_ROWCELL_COUNT, 0},
                                                  {NULL, HS_ROWCELL_TEXT, 0}};
    const bool is_alone = page->figure == NULL && page->group_count == 1;
    *s = (struct series_section){.page = page, .buckets = is_alone ? BUCKETS_ALONE : BUCKETS_MANY};
    for (uint32_t g = 0; g < page->drawn; g++) {
        struct track *track = &s->tracks[g];
        if (!hs_page_has(s->page, g, "series.csv"))
            continue;
        struct hs_runmanifest *run = &page->runs[page->groups[g].first].manifest;
        const double end_s = hs_page_end_s(page, g);
        s->reading = g;
        track->is_read = true;
        HS_TRY(hs_rowfile_each(run, "series.csv", series_cells, read_row, s));
        for (uint32_t i = 0; i < FIXED + CAUSES; i++)
            if (track->of[i].of != NULL) {
                if (end_s < page->span_s) /* nothing is held after the end */
                    put_bucket(&track->of[i], end_s, 0);
                finish_buckets(&track->of[i]);
            }
        if (track->of[OUT].of != NULL && hs_page_has(s->page, g, "segments.csv"))
            HS_TRY(hs_rowfile_each(run, "segments.csv", stop_cells, add_stop, s));
        if (hs_page_has(s->page, g, "nodes.csv"))
            HS_TRY(hs_rowfile_each(run, "nodes.csv", gpu_cells, add_gpus, &track->gpus));
    }
    return HS_OK;
}

/* ---- a panel ---- */

/* Returns the sum of the means of `count` series from `first` on, in an interval. */
static double level(const struct series_section *s, uint32_t group, uint32_t first, uint32_t count,
                    uint32_t interval)
{
    double sum = 0;
    for (uint32_t k = first; k < first + count; k++) {
        const struct bucket *of = s->tracks[group].of[k].of;
        if (of != NULL && !isnan(of[interval].mean))
            sum += of[interval].mean;
    }
    return sum;
}

/* Returns the maximum of level() over all groups and intervals. */
static double largest(const struct series_section *s, uint32_t first, uint32_t count)
{
    double most = 0;
    for (uint32_t g = 0; g < s->page->drawn; g++)
        for (uint32_t i = 0; i < s->buckets; i++)
            most = fmax(most, level(s, g, first, count, i));
    return most;
}

static double x_of(const struct series_section *s, const struct hs_chart *c, uint32_t bucket)
{
    return hs_scale_at(&c->x, s->page->span_s * bucket / s->buckets);
}

/* A layer: its upper edge is the sum of `count` series from `first` on times the factor; its lower
 * edge, unless it is a line, the sum of the first `below` of them. */
struct layer {
    const char *class, *colour, *title; /* colour: NULL = that of the group */
    uint32_t first, count, below;
    double factor;
    /* a band lies between minimum and maximum and has no colour; a roof below all GPUs */
    enum { AREA, LINE, BAND, ROOF } kind;
    const char *unit; /* of points; NULL = gpus */
};

static double y_value(const struct series_section *s, uint32_t group, const struct layer *l,
                      bool is_top, uint32_t i)
{
    const struct bucket *of = s->tracks[group].of[l->first].of;
    if (l->kind == ROOF)
        return s->tracks[group].gpus - (is_top ? 0 : level(s, group, l->first, l->count, i));
    if (l->kind != BAND)
        return l->factor * level(s, group, l->first, is_top ? l->count : l->below, i);
    if (of == NULL || isnan(of[i].mean))
        return 0;
    return is_top ? of[i].max : of[i].min;
}

/* Leaves out causes that are not in the legend. y is the height of an area. */
static void put_points(const struct series_section *s, uint32_t group, const struct layer *l)
{
    const bool is_line = l->kind == LINE, is_cause = l->first == FIXED;
    const char *part = is_cause ? l->title : l->count > 1 ? "waiting" : fixed_names[l->first];
    const double span_s = s->page->span_s;
    if (is_cause && !(largest(s, FIXED + l->below, 1) > 0))
        return;
    for (uint32_t i = 0; i < s->buckets; i++) {
        const double upper = y_value(s, group, l, true, i),
                     lower = is_line ? (double)NAN : y_value(s, group, l, false, i);
        hs_csvw_row(s->page->points, HS_POINT_CELLS, s->page->rows[group].label, part, "time_s",
                    span_s * i / s->buckets, span_s * (i + 1) / s->buckets,
                    l->unit != NULL ? l->unit : "gpus", is_line ? upper : upper - lower, lower,
                    is_line ? (double)NAN : upper);
    }
}

static void put_layer(const struct series_section *s, const struct hs_chart *c, uint32_t group,
                      const struct layer *l)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, l->class,
                  l->kind == BAND     ? NULL
                  : l->colour != NULL ? l->colour
                                      : hs_page_colour(group));
    for (uint32_t i = 0; i < s->buckets; i++) {
        const double y = hs_scale_at(&c->y, y_value(s, group, l, true, i));
        hs_path_to(&path, x_of(s, c, i), y);
        hs_path_to(&path, x_of(s, c, i + 1), y);
    }
    for (uint32_t i = s->buckets; i-- > 0 && l->kind != LINE;) {
        const double y = hs_scale_at(&c->y, y_value(s, group, l, false, i));
        hs_path_to(&path, x_of(s, c, i + 1), y);
        hs_path_to(&path, x_of(s, c, i), y);
    }
    if (l->kind != LINE)
        hs_path_close(&path);
    hs_path_end(&path, l->title);
    if (s->page->points != NULL)
        put_points(s, group, l);
}

/* ---- charts: what a panel holds ---- */

enum chart { GPUS, QUEUE, WAITING, CHARTS };

/* Without profiles nothing is known of utilization. */
static bool is_used(const struct hs_page *page, uint32_t group)
{
    return !isnan(hs_summary_get(page->rows[group].summary, "gpu_utilization"));
}

/* Whether the chart would be of GPU allocation and utilization, but has only the former. */
static bool is_bare(const struct hs_page *page, enum chart chart)
{
    bool is_any = chart != GPUS;
    for (uint32_t g = 0; g < page->drawn; g++)
        is_any |= is_used(page, g);
    return !is_any;
}

static const struct {
    const char *heading, *note;
    double height;         /* of the panel */
    uint32_t first, count; /* series */
} charts[CHARTS] = {
    {"GPU allocation and GPU utilization (modelled)",
     "Area: allocated GPUs. Line: modelled utilization x GPUs. ", 120, HELD, 1},
    {"Waiting jobs", "Lighter: pending before the first start; darker: suspended after it. ", 90,
     PENDING, 2},
    {"GPUs requested by waiting jobs, by cause of waiting", "", 90, FIXED, CAUSES},
};

static void put_layers(const struct series_section *s, const struct hs_chart *c, uint32_t group,
                       enum chart chart)
{
    const double gpus = s->tracks[group].gpus;
    const uint32_t has_out = gpus > 0 && s->tracks[group].of[OUT].of != NULL;
    const struct layer layers[CHARTS][4] = {
        [GPUS] = {{"area", NULL, NULL, HELD, 1, 0, 1, AREA, NULL},
                  {"band", NULL, NULL, HELD, s->page->group_count == 1 && s->page->figure == NULL,
                   0, 1, BAND, NULL},
                  {"layer", "w0", "out of service", OUT, has_out, 0, 1, ROOF, NULL},
                  {"line", NULL, NULL, UTIL,
                   s->page->figure == NULL && gpus > 0 && is_used(s->page, group), 0, gpus, LINE,
                   NULL}}, /* as a share of all GPUs */
        [QUEUE] = {{"area", NULL, NULL, PENDING, 2, 0, 1, AREA, NULL},
                   {"area dark", NULL, NULL, SUSPENDED, 1, 0, 1, AREA, NULL}}};
    for (int i = 0; i < 4; i++)
        if (layers[chart][i].count > 0)
            put_layer(s, c, group, &layers[chart][i]);
    for (uint32_t k = 0; k < CAUSES && chart == WAITING; k++)
        if (s->tracks[group].of[FIXED + k].of != NULL)
            put_layer(s, c, group,
                      &(struct layer){"layer", causes[k].colour, causes[k].key, FIXED, k + 1, k, 1,
                                      AREA, NULL});
}

static uint32_t stopped_between(const struct track *t, enum stop k, uint32_t from, uint32_t to)
{
    uint32_t sum = 0;
    for (uint32_t i = from; i < to && t->stopped[k] != NULL; i++)
        sum += t->stopped[k][i];
    return sum;
}

static void put_stops(const struct series_section *s, const struct hs_chart *c, uint32_t group)
{
    const double span_s = s->page->span_s;
    for (uint32_t i = 0; i < s->buckets; i++)
        for (int k = 0; k < STOPS; k++) {
            const uint32_t stopped = stopped_between(&s->tracks[group], (enum stop)k, i, i + 1);
            if (stopped == 0)
                continue;
            hs_svg_rect(c->out, "layer", stops[k].colour, x_of(s, c, i), c->bottom + 1 + 3 * k,
                        fmax(2, x_of(s, c, 1) - x_of(s, c, 0)), 3, NULL);
            if (s->page->points != NULL)
                hs_csvw_row(s->page->points, HS_POINT_CELLS, s->page->rows[group].label,
                            HS_TEXT("stopped_by_%s", stops[k].name), "time_s",
                            span_s * i / s->buckets, span_s * (i + 1) / s->buckets, "jobs",
                            (double)stopped, (double)NAN, (double)NAN);
        }
}

/* Sets the keys of what machines did in any group; returns their number. */
static uint32_t outage_keys(const struct series_section *s, struct hs_figure_key keys[1 + STOPS])
{
    static const char *const labels[STOPS] = {"jobs stopped by failures", "jobs stopped by drains"};
    uint32_t count = 0;
    if (largest(s, OUT, 1) > 0)
        keys[count++] = (struct hs_figure_key){"layer", "w0", "GPUs out of service, free"};
    for (int k = 0; k < STOPS; k++) {
        uint32_t stopped = 0;
        for (uint32_t g = 0; g < s->page->drawn; g++)
            stopped += stopped_between(&s->tracks[g], (enum stop)k, 0, s->buckets);
        if (stopped > 0)
            keys[count++] = (struct hs_figure_key){"layer", stops[k].colour, labels[k]};
    }
    return count;
}

/* ---- tooltips ---- */

static double mean_between(const struct buckets *b, uint32_t from, uint32_t to)
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

static void put_probes(const struct series_section *s, const struct hs_chart *c, uint32_t group,
                       enum chart chart)
{
    const uint32_t probes = s->page->group_count > 1 ? PROBES_MANY : PROBES_ALONE;
    const struct buckets *of = s->tracks[group].of;
    for (uint32_t i = 0; i < probes; i++) {
        const uint32_t from = i * s->buckets / probes, to = (i + 1) * s->buckets / probes;
        char text[HS_TEXT_SIZE] = "";
        hs_append(text, sizeof text, "%s:", HS_TIME(s->page->span_s * from / s->buckets));
        if (chart == GPUS)
            hs_append(text, sizeof text, " GPU allocation %.4g", mean_between(&of[HELD], from, to));
        if (chart == GPUS && is_used(s->page, group))
            hs_append(text, sizeof text, ", utilization %.1f %%",
                      100 * mean_between(&of[UTIL], from, to));
        if (chart == GPUS && of[OUT].of != NULL)
            hs_append(text, sizeof text,
                      ", out of service %.4g, stopped %u by failures, %u by drains",
                      mean_between(&of[OUT], from, to),
                      stopped_between(&s->tracks[group], FAULT, from, to),
                      stopped_between(&s->tracks[group], DRAIN, from, to));
        else if (chart == QUEUE)
            hs_append(text, sizeof text, " %.4g pending, %.4g suspended",
                      mean_between(&of[PENDING], from, to), mean_between(&of[SUSPENDED], from, to));
        for (uint32_t k = 0; k < CAUSES && chart == WAITING; k++)
            if (of[FIXED + k].of != NULL)
                hs_append(text, sizeof text, " %s %.4g", causes[k].key,
                          mean_between(&of[FIXED + k], from, to));
        hs_svg_rect(c->out, "probe", NULL, x_of(s, c, from), c->top,
                    x_of(s, c, to) - x_of(s, c, from), c->bottom - c->top, text);
    }
}

/* ---- the section ---- */

static const char time_title[] = "Time since the first submission";

static double top_of(const struct series_section *s, enum chart chart)
{
    double top = largest(s, charts[chart].first, charts[chart].count);
    for (uint32_t g = 0; g < s->page->drawn && chart == GPUS; g++)
        top = s->tracks[g].gpus > top ? s->tracks[g].gpus : top;
    return top;
}

/* Marks none, half and all of the GPUs. */
static void put_gpu_marks(const struct hs_chart *c, double gpus)
{
    struct hs_tick marks[3];
    for (uint32_t i = 0; i < 3; i++) {
        marks[i].value = gpus * i / 2;
        hs_short_number(marks[i].label, marks[i].value);
    }
    hs_chart_y_marks(c, marks, 3);
}

/* Sets the keys of a chart: of what machines did, or of the causes for which any group waits. */
static uint32_t chart_keys(const struct series_section *s, enum chart chart,
                           struct hs_figure_key keys[CAUSES])
{
    uint32_t count = chart == GPUS ? outage_keys(s, keys) : 0;
    for (uint32_t k = 0; chart == WAITING && k < CAUSES; k++)
        if (largest(s, FIXED + k, 1) > 0)
            keys[count++] = (struct hs_figure_key){"layer", causes[k].colour, causes[k].key};
    return count;
}

static bool is_assumed(const struct hs_page *page)
{
    const struct hs_run_table table = {.rows = page->rows, .row_count = page->group_count};
    return hs_table_is_assumed(&table, "gpu_utilization");
}

/* Beside the name of the group, if there is one; what was lost only where there is room. */
static void put_losses(const struct hs_page *page, const struct hs_chart *c, uint32_t group)
{
    const struct hs_summary *of = page->rows[group].summary;
    const size_t name = page->group_count > 1 ? strlen(page->rows[group].label) + 2 : 0;
    const double lost_h = hs_summary_get(of, "fault_lost_gpu_seconds") / 3600;
    const char *text = HS_TEXT("availability %.4g %%, %s GPU h lost",
                               100 * hs_summary_get(of, "availability"), HS_SHORT_NUMBER(lost_h));
    const bool has_room = HS_NAME_LETTER * (double)(name + strlen(text)) < c->right - c->left + 10;
    hs_svg_text(c->out, c->right, c->top - 6, "end", "name",
                has_room ? text : HS_TEXT("%.*s", (int)strcspn(text, ","), text));
}

static void put_panel(const struct series_section *s, const struct hs_frame *frame, uint32_t group,
                      enum chart chart, double top, bool is_last)
{
    const bool is_page = s->page->figure == NULL;
    struct hs_chart c = {.x = {.from = 0, .to = s->page->span_s}, .y = {.from = 0, .to = top}};
    hs_plot_begin(s->page, frame, group, 0, &c, charts[chart].heading);
    if (chart == GPUS && s->tracks[group].gpus > 0)
        put_gpu_marks(&c, s->tracks[group].gpus);
    else
        hs_chart_y_axis(&c, HS_COLUMN_PLAIN, is_page ? 4 : 5);
    if (is_last || !is_page)
        hs_page_time_axis(s->page, &c, is_last);
    put_layers(s, &c, group, chart);
    if (chart == GPUS)
        put_stops(s, &c, group);
    if (chart == GPUS && !is_page)
        put_losses(s->page, &c, group);
    hs_plot_name(s->page, &c, group);
    if (is_page)
        put_probes(s, &c, group, chart);
    hs_plot_end(s->page, &c, is_last ? time_title : NULL,
                chart == GPUS ? "GPUs held" : "GPUs wanted");
}

static void put_chart(const struct series_section *s, enum chart chart)
{
    struct hs_output *out = s->page->out;
    const bool is_one = s->page->group_count == 1;
    const double top = top_of(s, chart), above = is_one ? 8 : 18;
    struct hs_figure_key keys[CAUSES];
    uint32_t last = s->page->drawn;
    while (last > 0 && !s->tracks[last - 1].is_read)
        last--;
    hs_say(out, "<figure class=\"stack\"><figcaption>%s</figcaption>\n",
           is_bare(s->page, chart) ? "GPU allocation" : charts[chart].heading);
    hs_page_keys(s->page, keys, chart_keys(s, chart, keys));
    for (uint32_t g = 0; g < last && top > 0; g++) {
        const bool is_last = g + 1 == last;
        const struct hs_frame frame = {.width = HS_PAGE_WIDTH,
                                       .height = charts[chart].height - above,
                                       .margin = {52, 14, above, is_last ? 22 : 4}};
        if (s->tracks[g].is_read)
            put_panel(s, &frame, g, chart, top, is_last);
    }
    if (top > 0)
        HS_PAGE_NOTE(s->page, "%s%s%s",
                     is_bare(s->page, chart) ? "Allocated GPUs. " : charts[chart].note,
                     chart == GPUS && is_assumed(s->page)
                         ? "Utilization is assumed: it depends on profiles drawn for the jobs. "
                         : "",
                     chart == GPUS && is_one
                         ? "Shaded: from the smallest to the largest value of the interval."
                         : "");
    else
        HS_PAGE_NOTE(s->page, "None at any time.");
    hs_say(out, "</figure>\n");
}

enum hs_status hs_put_time(struct hs_page *page)
{
    struct series_section s;
    HS_TRY(open_section(&s, page));
    for (uint32_t chart = 0; chart < CHARTS; chart++)
        put_chart(&s, (enum chart)chart);
    if (page->kind == HS_PAGE_COMPARISON && page->run_count > page->group_count)
        HS_PAGE_NOTE(page, "Of several runs of a policy the first is drawn.");
    return HS_OK;
}

/* ---- the figures ---- */

/* The plots of 'time': GPUs held, utilization as a share, waiting jobs. */
static const struct time_plot {
    enum series first;
    uint32_t count;
    const char *title, *unit;
} time_plots[] = {{HELD, 1, "GPUs held", "gpus"},
                  {UTIL, 1, "GPU utilization", "share"},
                  {PENDING, 2, "Jobs waiting", "jobs"}};

/* One line per group; of utilization if it is known. */
static void put_lines(const struct series_section *s, const struct hs_frame *frame, uint32_t row,
                      const struct time_plot *p)
{
    struct hs_page *page = s->page;
    const bool is_last = row + 1 == frame->rows, is_util = p->first == UTIL;
    const double top = is_util ? 1 : top_of(s, p->first == HELD ? GPUS : QUEUE);
    struct hs_chart c = {.x = {.from = 0, .to = page->span_s},
                         .y = {.from = 0, .to = top > 0 ? top : 1}};
    hs_plot_begin(page, frame, row, 0, &c, NULL);
    if (p->first == HELD && s->tracks[0].gpus > 0)
        put_gpu_marks(&c, top);
    else
        hs_chart_y_axis(&c, is_util ? HS_COLUMN_SHARE : HS_COLUMN_PLAIN, 5);
    hs_chart_x_axis(&c, HS_COLUMN_TIME, 10, is_last);
    for (uint32_t g = 0; g < page->drawn; g++)
        if (!is_util || is_used(page, g))
            put_layer(s, &c, g,
                      &(struct layer){"line", NULL, NULL, p->first, p->count, 0, 1, LINE, p->unit});
    hs_plot_end(page, &c, is_last ? time_title : NULL,
                is_util && is_assumed(page) ? "GPU utilization, assumed" : p->title);
}

enum hs_status hs_draw_time(struct hs_page *page)
{
    const bool is_without_util = is_bare(page, GPUS);
    struct hs_frame frame = {.rows = is_without_util ? 2 : 3,
                             .columns = 1,
                             .height = 130,
                             .margin = {66, 16, 12, 6},
                             .last = 34};
    struct series_section s;
    HS_TRY(open_section(&s, page));
    hs_figure_begin_groups(page, &frame, "line");
    for (uint32_t row = 0; row < frame.rows; row++)
        put_lines(&s, &frame, row, &time_plots[row > 0 && is_without_util ? 2 : row]);
    return HS_OK;
}

static enum hs_status draw_panels(struct hs_page *page, enum chart chart)
{
    const bool is_one = page->group_count == 1;
    struct hs_frame frame = {.rows = page->group_count,
                             .columns = 1,
                             .height = is_one ? 240 : 130,
                             .margin = {66, 16, is_one && chart != GPUS ? 10 : 20, 8},
                             .last = 34};
    struct hs_figure_key keys[CAUSES];
    struct series_section s;
    HS_TRY(open_section(&s, page));
    const double top = top_of(&s, chart);
    hs_figure_begin(page, &frame, keys, chart_keys(&s, chart, keys));
    for (uint32_t g = 0; g < page->drawn; g++)
        put_panel(&s, &frame, g, chart, top > 0 ? top : 1, g + 1 == page->drawn);
    return HS_OK;
}

enum hs_status hs_draw_waits(struct hs_page *page)
{
    return draw_panels(page, WAITING);
}

enum hs_status hs_draw_faults(struct hs_page *page)
{
    if (!hs_page_has_metric(page, "availability"))
        return hs_fail(page->diag, HS_E_INPUT, NULL, "runs with --events or --faults",
                       "no run has machines that fail or are drained");
    return draw_panels(page, GPUS);
}

/* ---- bars: one a group, divided by cause ---- */

#define BAR_HEIGHT      18.0
#define ROW_HEIGHT      26.0
#define SECONDS_OF_HOUR 3600.0

/* Parts of a bar in GPU-seconds; 0 if the run does not state them. */
struct bars {
    double (*part)(const struct hs_summary *s, uint32_t cause);
    struct bar_cause {
        const char *key, *meaning, *colour;
    } causes[CAUSES];
    uint32_t count;
    const char *label, *none;
};

static double total_of(const struct bars *b, const struct hs_summary *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < b->count; k++)
        sum += b->part(s, k);
    return sum;
}

static void put_bar(struct hs_page *page, const struct bars *b, const struct hs_chart *c,
                    uint32_t group, double y)
{
    const struct hs_summary *s = page->rows[group].summary;
    double from = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        const struct bar_cause *cause = &b->causes[k];
        const double seconds = b->part(s, k), hours = seconds / SECONDS_OF_HOUR;
        if (!(seconds > 0))
            continue;
        hs_svg_rect(c->out, "layer", cause->colour, hs_scale_at(&c->x, from), y,
                    hs_scale_at(&c->x, from + hours) - hs_scale_at(&c->x, from), BAR_HEIGHT,
                    HS_TEXT("%s: %.4g GPU-hours, %.1f %%: %s, %s", page->rows[group].label, hours,
                            100 * seconds / total_of(b, s), cause->key, cause->meaning));
        from += hours;
    }
}

/* Returns false, after a note, if all bars are empty. */
static bool put_bars(struct hs_page *page, const struct bars *b)
{
    const uint32_t drawn = page->drawn;
    const bool is_one = page->group_count == 1;
    double most = 0, left = is_one ? 14 : 150;
    for (uint32_t g = 0; g < drawn && !is_one; g++) /* letters of 12 px are up to 7 wide */
        left = fmax(left, fmin(12 + 7 * (double)strlen(page->rows[g].label), HS_PAGE_WIDTH / 2));
    const struct hs_frame frame = {
        .width = HS_PAGE_WIDTH, .height = ROW_HEIGHT * drawn, .margin = {left, 14, 4, 36}};
    for (uint32_t g = 0; g < drawn; g++)
        most = fmax(most, total_of(b, page->rows[g].summary));
    if (!(most > 0)) {
        HS_PAGE_NOTE(page, "%s", b->none);
        return false;
    }
    hs_say(page->out, "<p class=\"legend\">");
    for (uint32_t k = 0; k < b->count; k++) {
        bool is_in_any = false;
        for (uint32_t g = 0; g < drawn; g++)
            is_in_any = is_in_any || b->part(page->rows[g].summary, k) > 0;
        if (is_in_any)
            hs_say(page->out, "<span><i class=\"%s\"></i>%s: %s</span> ", b->causes[k].colour,
                   b->causes[k].key, b->causes[k].meaning);
    }
    hs_say(page->out, "</p>\n<figure>\n");
    struct hs_chart c = {.x = {.from = 0, .to = most / SECONDS_OF_HOUR}, .y = {.from = 0, .to = 1}};
    hs_plot_begin(page, &frame, 0, 0, &c, b->label);
    hs_chart_x_axis(&c, HS_COLUMN_PLAIN, 7, true);
    hs_svg_text(c.out, c.right, c.bottom + 32, "end", "tick", "GPU-hours");
    for (uint32_t g = 0; g < drawn; g++) {
        put_bar(page, b, &c, g, c.top + ROW_HEIGHT * g + 4);
        if (!is_one)
            hs_svg_text(c.out, c.left - 8, c.top + ROW_HEIGHT * g + 17, "end", "name",
                        page->rows[g].label);
    }
    hs_plot_end(page, &c, NULL, NULL);
    hs_say(page->out, "</figure>\n");
    return true;
}

/* ---- why jobs waited ---- */

static double wait_of(const struct hs_summary *s, uint32_t cause)
{
    double seconds = hs_summary_get(s, HS_TEXT("wait_%s_gpu_seconds", causes[cause].key));
    if (cause == FRAGMENTATION)
        seconds = hs_summary_get(s, "wait_placement_gpu_seconds") -
                  hs_summary_get(s, "wait_constraint_gpu_seconds");
    return seconds > 0 ? seconds : 0;
}

enum hs_status hs_put_waiting(struct hs_page *page)
{
    struct bars b = {.part = wait_of,
                     .count = CAUSES,
                     .label = "GPU-hours of waiting by cause",
                     .none = "No job waited."};
    for (uint32_t k = 0; k < CAUSES; k++)
        b.causes[k] = (struct bar_cause){causes[k].key, causes[k].meaning, causes[k].colour};
    if (put_bars(page, &b))
        HS_PAGE_NOTE(page, "GPUs requested by waiting jobs x time. At any time a job has one cause "
                           "of waiting; 'All metrics' above has the figures.");
    return HS_OK;
}

/* ---- what machines cost ---- */

static double loss_of(const struct hs_summary *s, uint32_t cause)
{
    const double by_faults = hs_summary_get(s, "fault_lost_gpu_seconds");
    const double seconds = cause == 0   ? by_faults
                           : cause == 1 ? hs_summary_get(s, "lost_gpu_seconds") - by_faults
                                        : hs_summary_get(s, "overhead_gpu_seconds");
    return seconds > 0 ? seconds : 0;
}

enum outage_cell { GANG, JOBS, HIT, FAULTS, DRAINS, RUN_TIME, TO_FAULT, LOST, ETTR, OUTAGE_CELLS };
#define CELL(name, i)                                                                              \
    {                                                                                              \
        name, HS_ROWCELL_DOUBLE, sizeof(double) * (i)                                              \
    }
static const struct hs_rowcell outage_cells[] = {CELL("gpus", GANG),
                                                 CELL("jobs", JOBS),
                                                 CELL("jobs_hit", HIT),
                                                 CELL("faults", FAULTS),
                                                 CELL("drains", DRAINS),
                                                 CELL("run_time", RUN_TIME),
                                                 CELL("mean_time_to_fault", TO_FAULT),
                                                 CELL("lost_gpu_seconds", LOST),
                                                 CELL("ettr", ETTR),
                                                 {NULL, HS_ROWCELL_TEXT, 0}};

struct outage_table {
    struct hs_page *page;
    uint32_t group;
};

static enum hs_status put_outage_row(void *ctx, const struct hs_rowfile *f)
{
    const struct outage_table *t = ctx;
    struct hs_output *out = t->page->out;
    double of[OUTAGE_CELLS];
    HS_TRY(hs_rowfile_read(f, of));
    hs_say(out, "<tr>");
    if (t->page->group_count > 1)
        hs_markup(out, "<th scope=\"row\">%s</th>", t->page->rows[t->group].label);
    hs_say(out, "<td>%.0f</td>", of[GANG]);
    for (int i = JOBS; i < OUTAGE_CELLS; i++)
        hs_page_metric_cell(t->page, outage_cells[i].column, of[i]);
    hs_say(out, "</tr>\n");
    return HS_OK;
}

enum hs_status hs_put_outages(struct hs_page *page)
{
    static const char *const metrics[] = {"availability", "jobs_hit", "faults", "drains", "ettr"};
    static const struct bars b = {
        .part = loss_of,
        .causes = {{"failures", "work since the last checkpoint", "w4"},
                   {"others", "work lost to out-of-memory failures or profiling", "w1"},
                   {"overhead", "starts, restarts, checkpoints on preemption", "w0"}},
        .count = 3,
        .label = "GPU-hours lost by cause",
        .none = "No work was lost."};
    struct outage_table t = {.page = page};
    struct hs_output *out = page->out;
    hs_page_metric_table(page, metrics, HS_COUNT_OF(metrics), false);
    HS_PAGE_NOTE(page, "Availability: share of GPUs x time in service, or held until a drain was "
                       "over. ETTR: work kept / time of jobs on GPUs; slow GPUs, sharing and "
                       "checkpoints lower it in addition to the losses in the bars.");
    (void)put_bars(page, &b);
    hs_page_begin_table(page, "By gang size", "figures");
    if (page->group_count > 1)
        hs_say(out, "<th></th>");
    hs_say(out, "<th>GPUs, at most</th>");
    for (int i = JOBS; i < OUTAGE_CELLS; i++)
        hs_page_metric_head(page, outage_cells[i].column);
    hs_say(out, HS_TABLE_ROWS);
    for (t.group = 0; t.group < page->drawn; t.group++)
        if (hs_page_has(page, t.group, "outages.csv"))
            HS_TRY(hs_rowfile_each(&page->runs[page->groups[t.group].first].manifest, "outages.csv",
                                   outage_cells, put_outage_row, &t));
    hs_say(out, HS_TABLE_END "</details>\n");
    return HS_OK;
}
