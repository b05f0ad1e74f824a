/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawing functions of pages and figures: markup, scales and the values marked on an axis, compact
 * paths, plots; and figures for papers: one SVG with a legend above and plots in rows and columns.
 * Colours are those of the page (Okabe and Ito), written out, because converters of SVG do not know
 * CSS variables. Line widths are ten times their apparent size: paths are in tenths.
 */
#include "report/html/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "base/fixed.h"

/* ---- markup ---- */

/* Returns the bytes of the character at `text` if it is complete and allowed in XML 1.0; else 0. */
static size_t character_length(const char *text)
{
    const bool is_control = (unsigned char)text[0] < 0x20 && strchr("\t\n\r", text[0]) == NULL,
               is_none = strncmp(text, "\xef\xbf\xbe", 3) == 0 || /* U+FFFE and U+FFFF */
                         strncmp(text, "\xef\xbf\xbf", 3) == 0;
    return is_control || is_none ? 0 : hs_utf8_len(text, strnlen(text, 4));
}

/* Writes text that is safe between tags and in quoted attributes: & < > " ' are escaped; invalid
 * UTF-8, and characters that XML does not allow, become U+FFFD. */
static void put_text(struct hs_output *out, const char *text)
{
    static const char special[] = "&<>\"'", replacement[] = "\xef\xbf\xbd";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*text != '\0') {
        const char *found = strchr(special, *text);
        const size_t len = character_length(text);
        if (found != NULL)
            hs_say(out, "%s", escapes[found - special]);
        else if (len > 0)
            hs_output_put(out, text, len);
        else
            hs_output_put(out, replacement, sizeof replacement - 1);
        text += len > 0 ? len : 1;
    }
}

static int64_t tenths(double length)
{
    return llround(10 * length);
}

void hs_markup(struct hs_output *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    for (const char *next; *fmt != '\0'; fmt = next) {
        next = fmt + strcspn(fmt, "%");
        hs_output_put(out, fmt, (size_t)(next - fmt));
        if (*next == '\0')
            break;
        const bool is_long = next[1] == 'l';
        next += is_long ? 2 : 1;
        if (*next == 's')
            put_text(out, va_arg(args, const char *));
        else if (*next == 'f') { /* "12", "12.5" */
            const int64_t value = tenths(va_arg(args, double)), size = value < 0 ? -value : value;
            hs_say(out, "%s%" PRId64, value < 0 ? "-" : "", size / 10);
            if (size % 10 != 0)
                hs_say(out, ".%" PRId64, size % 10);
        } else if (*next == 'u')
            hs_say(out, "%" PRIu64, is_long ? va_arg(args, uint64_t) : va_arg(args, uint32_t));
        else
            hs_output_put(out, "%", 1);
        next++;
    }
    va_end(args);
}

/* ---- scales ---- */

#define MINUTE 60.0
#define HOUR   3600.0
#define DAY    86400.0

/* Distances of marks on a time axis. */
static const double time_steps[] = {
    0.001,      0.002,      0.005,       0.01,        0.02,        0.05,      0.1,      0.2,
    0.5,        1,          2,           5,           10,          15,        30,       MINUTE,
    2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,      2 * HOUR, 3 * HOUR,
    6 * HOUR,   12 * HOUR,  DAY,         2 * DAY,     5 * DAY,     10 * DAY,  20 * DAY, 50 * DAY,
    100 * DAY,  200 * DAY,  500 * DAY,   1000 * DAY,  2000 * DAY,  5000 * DAY};
/* Marks of a logarithmic time axis. */
static const double time_marks[] = {1e-6, 1e-5,     1e-4,      0.001,       0.01, 0.1,
                                    1,    10,       MINUTE,    10 * MINUTE, HOUR, 6 * HOUR,
                                    DAY,  10 * DAY, 100 * DAY, 1000 * DAY};

#define DATES_MOST 9u /* marks of an axis of dates */

#define NARROW 60 /* below this ratio a logarithmic time axis is marked like a linear one */

double hs_scale_at(const struct hs_scale *s, double value)
{
    if (value <= s->from)
        value = s->from;
    if (value >= s->to)
        value = s->to;
    double share = s->is_log ? log(value / s->from) / log(s->to / s->from)
                             : (value - s->from) / (s->to - s->from);
    return s->at_from + share * (s->at_to - s->at_from);
}

double hs_scale_value(const struct hs_scale *s, double at)
{
    double share = (at - s->at_from) / (s->at_to - s->at_from);
    return s->is_log ? s->from * pow(s->to / s->from, share) : s->from + share * (s->to - s->from);
}

const char *hs_short_number(char text[HS_TICK_LABEL_SIZE], double value)
{
    static const char *const thousands[] = {"", "k", "M", "G", "T", "P"};
    size_t power = 0;
    while (fabs(value) >= 999.5 && power + 1 < HS_COUNT_OF(thousands)) {
        value /= 1000;
        power++;
    }
    snprintf(text, HS_TICK_LABEL_SIZE, "%.3g%s", value, thousands[power]);
    return text;
}

/* Sets a mark; a time is labelled in the largest unit that divides the step. */
static void set_tick(struct hs_tick *tick, double value, enum hs_runcolumn_kind axis, double step)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{DAY, "d"}, {HOUR, "h"}, {MINUTE, "min"}, {1, "s"}};
    size_t u = 0;
    tick->value = value;
    while (u + 1 < HS_COUNT_OF(units) && step < units[u].seconds)
        u++;
    if (axis == HS_COLUMN_SHARE)
        snprintf(tick->label, sizeof tick->label, "%.6g %%", 100 * value);
    else if (axis != HS_COLUMN_TIME || value == 0)
        hs_short_number(tick->label, value);
    else
        snprintf(tick->label, sizeof tick->label, "%.6g %s", value / units[u].seconds,
                 units[u].name);
}

/* Returns the smallest distance of at least `least`: one of time_steps, or 1, 2 or 5 times a power
 * of ten. */
static double step_of(enum hs_runcolumn_kind axis, double least)
{
    static const double steps[] = {1, 2, 5};
    const double power = pow(10, floor(log10(least)));
    least *= 1 - 1e-12;
    for (size_t i = 0; axis == HS_COLUMN_TIME && i < HS_COUNT_OF(time_steps); i++)
        if (time_steps[i] >= least)
            return time_steps[i];
    for (size_t i = 0; i < HS_COUNT_OF(steps); i++)
        if (steps[i] * power >= least)
            return steps[i] * power;
    return 10 * power;
}

static bool is_inside(const struct hs_scale *s, double value)
{
    return value >= s->from * (1 - 1e-9) && value <= s->to * (1 + 1e-9);
}

/* Chooses every second or third of the values if they are too many. */
static uint32_t chosen_ticks(const struct hs_scale *s, const double *values, size_t count,
                             uint32_t wanted, struct hs_tick ticks[HS_TICKS_MAX])
{
    size_t first = 0, end = count;
    while (first < end && !is_inside(s, values[first]))
        first++;
    while (end > first && !is_inside(s, values[end - 1]))
        end--;
    const size_t stride = (end - first + wanted - 1) / wanted;
    uint32_t put = 0;
    for (size_t i = first; i < end; i += stride)
        set_tick(&ticks[put++], values[i], HS_COLUMN_TIME, values[i]);
    return put;
}

/* Marks powers of ten: every second, third ... if many; times 1, 2 and 5 if few. */
static uint32_t log_ticks(const struct hs_scale *s, enum hs_runcolumn_kind axis, uint32_t wanted,
                          struct hs_tick ticks[HS_TICKS_MAX])
{
    const double low = ceil(log10(s->from) - 1e-9), high = floor(log10(s->to) + 1e-9);
    const uint32_t decades = high >= low ? (uint32_t)(high - low) + 1 : 0;
    const bool has_between = 3 * (decades + 1) <= wanted;
    const double stride = decades > wanted ? ceil((double)decades / wanted) : 1;
    uint32_t count = 0;
    for (double power = low - 1; power <= high + 0.5; power += power < low ? 1 : stride)
        for (int i = 0; i < (has_between ? 3 : 1); i++) {
            static const double times[] = {1, 2, 5};
            const double value = times[i] * pow(10, power);
            if (is_inside(s, value) && count < wanted)
                set_tick(&ticks[count++], value, axis, value);
        }
    return count;
}

/* Returns at most `wanted` (2 to HS_TICKS_MAX) marks, spaced by 1, 2 or 5 times a power of ten, or
 * by time_steps. Logarithmic: powers of ten, times 2 and 5 if there is space; for times 1 s, 10 s,
 * 1 min, 10 min, 1 h, 6 h, 1 d, 10 d ..., or the marks of a linear axis. */
static uint32_t scale_ticks(const struct hs_scale *s, enum hs_runcolumn_kind axis, uint32_t wanted,
                            struct hs_tick ticks[HS_TICKS_MAX])
{
    if (s->is_log && axis == HS_COLUMN_TIME)
        return s->to / s->from < NARROW
                   ? chosen_ticks(s, time_steps, HS_COUNT_OF(time_steps), wanted, ticks)
                   : chosen_ticks(s, time_marks, HS_COUNT_OF(time_marks), wanted, ticks);
    if (s->is_log)
        return log_ticks(s, axis, wanted, ticks);
    const double step = step_of(axis, (s->to - s->from) / (wanted - 1));
    uint32_t count = 0;
    for (double k = ceil(s->from / step - 1e-9); count < wanted; k++) {
        if (k * step > s->to + 1e-9 * step)
            break;
        set_tick(&ticks[count++], k * step + 0.0, axis, step); /* + 0.0 avoids -0 */
    }
    return count;
}

/* ---- marks ---- */

static void put_step(struct hs_path *p)
{
    const int64_t dx = p->to_x - p->x, dy = p->to_y - p->y;
    if (dx != 0 && dy != 0)
        hs_say(p->out, "l%" PRId64 "%s%" PRId64, dx, dy < 0 ? "" : " ", dy);
    else if (dx != 0)
        hs_say(p->out, "h%" PRId64, dx);
    else if (dy != 0)
        hs_say(p->out, "v%" PRId64, dy);
    p->x = p->to_x;
    p->y = p->to_y;
}

/* Writes <ELEMENT class="CLASS COLOUR" */
static void put_element(struct hs_output *out, const char *element, const char *class,
                        const char *colour)
{
    hs_say(out, "<%s class=\"%s%s%s\"", element, class, colour != NULL ? " " : "",
           colour != NULL ? colour : "");
}

static void end_element(struct hs_output *out, const char *element, const char *title)
{
    if (title != NULL)
        hs_markup(out, "><title>%s</title></%s>", title, element);
    else
        hs_say(out, "/>");
}

void hs_path_begin(struct hs_path *p, struct hs_output *out, const char *class, const char *colour)
{
    *p = (struct hs_path){.out = out};
    put_element(out, "path", class, colour);
    hs_say(out, " transform=\"scale(.1)\" d=\"");
}

void hs_path_move(struct hs_path *p, double x, double y)
{
    put_step(p);
    p->x = p->to_x = tenths(x);
    p->y = p->to_y = tenths(y);
    hs_say(p->out, "M%" PRId64 " %" PRId64, p->x, p->y);
    p->is_open = true;
}

void hs_path_to(struct hs_path *p, double x, double y)
{
    if (!p->is_open) {
        hs_path_move(p, x, y);
        return;
    }
    const int64_t to_x = tenths(x), to_y = tenths(y);
    const bool goes_on_h = p->to_y == p->y && to_y == p->to_y &&
                           HS_ORDER(to_x, p->to_x) * HS_ORDER(p->to_x, p->x) >= 0;
    const bool goes_on_v = p->to_x == p->x && to_x == p->to_x &&
                           HS_ORDER(to_y, p->to_y) * HS_ORDER(p->to_y, p->y) >= 0;
    if (!goes_on_h && !goes_on_v)
        put_step(p);
    p->to_x = to_x;
    p->to_y = to_y;
}

void hs_path_close(struct hs_path *p)
{
    put_step(p);
    hs_say(p->out, "z");
    p->is_open = false;
}

void hs_path_end(struct hs_path *p, const char *title)
{
    put_step(p);
    hs_say(p->out, "\"");
    end_element(p->out, "path", title);
}

#define BOX " x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\""

void hs_svg_rect(struct hs_output *out, const char *class, const char *colour, double x, double y,
                 double width, double height, const char *title)
{
    put_element(out, "rect", class, colour);
    hs_markup(out, BOX, x, y, width, height);
    end_element(out, "rect", title);
}

void hs_svg_image(struct hs_output *out, double x, double y, double width, double height,
                  const unsigned char *png, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    hs_markup(out, "<image preserveAspectRatio=\"none\"" BOX " href=\"data:image/png;base64,", x, y,
              width, height);
    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const uint32_t three = (uint32_t)png[i] << 16 | (left > 1 ? (uint32_t)png[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)png[i + 2] : 0);
        const char four[] = {letters[three >> 18], letters[three >> 12 & 63],
                             left > 1 ? letters[three >> 6 & 63] : '=',
                             left > 2 ? letters[three & 63] : '='};
        hs_output_put(out, four, sizeof four);
    }
    hs_say(out, "\"/>\n");
}

void hs_svg_dot(struct hs_output *out, const char *colour, double x, double y, const char *title)
{
    put_element(out, "circle", "dot", colour);
    hs_markup(out, " r=\"3\" cx=\"%f\" cy=\"%f\"", x, y);
    end_element(out, "circle", title);
}

void hs_svg_text(struct hs_output *out, double x, double y, const char *anchor, const char *class,
                 const char *text)
{
    hs_markup(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%f\" y=\"%f\">%s</text>", class,
              anchor, x, y, text);
}

/* ---- charts ---- */

#define LABEL_BELOW 15.0
#define LABEL_ASIDE 7.0
#define LABEL_RAISE 4.0  /* half the height of a digit */
#define TITLE_BELOW 32.0 /* of the x axis */
#define TITLE_ASIDE 49.0
#define TICK_LETTER 6.2 /* mean width of a letter of a label */

static void put_marks(const struct hs_chart *c, bool is_x, const struct hs_tick *ticks,
                      uint32_t count, bool has_labels)
{
    const struct hs_scale *scale = is_x ? &c->x : &c->y;
    struct hs_path path;
    hs_path_begin(&path, c->out, "grid", NULL);
    for (uint32_t i = 0; i < count; i++) {
        const double at = hs_scale_at(scale, ticks[i].value);
        hs_path_move(&path, is_x ? at : c->left, is_x ? c->top : at);
        hs_path_to(&path, is_x ? at : c->right, is_x ? c->bottom : at);
    }
    hs_path_end(&path, NULL);
    for (uint32_t i = 0; i < count && has_labels; i++) {
        const double at = hs_scale_at(scale, ticks[i].value);
        hs_svg_text(c->out, is_x ? at : c->left - LABEL_ASIDE,
                    is_x ? c->bottom + LABEL_BELOW : at + LABEL_RAISE, is_x ? "middle" : "end",
                    "tick", ticks[i].label);
    }
}

/* Tells whether the labels below an axis do not touch. */
static bool are_apart(const struct hs_scale *s, const struct hs_tick *ticks, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const double letters = (double)(strlen(ticks[i - 1].label) + strlen(ticks[i].label)) / 2;
        if (hs_scale_at(s, ticks[i].value) - hs_scale_at(s, ticks[i - 1].value) <
            TICK_LETTER * letters + 2)
            return false;
    }
    return true;
}

void hs_chart_x_axis(const struct hs_chart *c, enum hs_runcolumn_kind axis, uint32_t wanted,
                     bool has_labels)
{
    struct hs_tick ticks[HS_TICKS_MAX];
    uint32_t count = scale_ticks(&c->x, axis, wanted, ticks);
    while (!are_apart(&c->x, ticks, count) && wanted > 2)
        count = scale_ticks(&c->x, axis, --wanted, ticks);
    put_marks(c, true, ticks, count, has_labels);
}

/* "Jan 2", or "12:30" between days; the first mark is "Jan 2, 2024 12:30". */
static void date_label(struct hs_tick *tick, int64_t us, bool is_first)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char date[HS_FMT_MAX + 1];
    date[hs_fmt_datetime(date, us)] = '\0'; /* 2017-10-09 07:00:55 */
    const char *month = months + 3 * ((date[5] - '0') * 10 + date[6] - '1');
    const int day = (date[8] - '0') * 10 + date[9] - '0';
    const bool is_midnight = strncmp(date + 11, "00:00", 5) == 0;
    if (is_first)
        (void)snprintf(tick->label, sizeof tick->label, "%.3s %d, %.4s%s%.5s", month, day, date,
                       is_midnight ? "" : " ", is_midnight ? "" : date + 11);
    else if (is_midnight)
        (void)snprintf(tick->label, sizeof tick->label, "%.3s %d", month, day);
    else
        (void)snprintf(tick->label, sizeof tick->label, "%.5s", date + 11);
}

void hs_page_time_axis(const struct hs_page *page, const struct hs_chart *c, bool has_labels)
{
    struct hs_tick ticks[HS_TICKS_MAX];
    const double step = step_of(HS_COLUMN_TIME, (c->x.to - c->x.from) / (DATES_MOST - 1));
    const int64_t step_us = (int64_t)step * HS_US_PER_S;
    uint32_t count = 0;
    if (page->figure != NULL || page->origin_us == 0 || step < MINUTE) {
        hs_chart_x_axis(c, HS_COLUMN_TIME, 10, has_labels);
        return;
    }
    for (int64_t at = (page->origin_us + step_us - 1) / step_us * step_us; count < DATES_MOST;
         at += step_us) {
        ticks[count].value = (double)(at - page->origin_us) / HS_US_PER_S;
        if (ticks[count].value > c->x.to)
            break;
        date_label(&ticks[count], at, count == 0);
        count++;
    }
    put_marks(c, true, ticks, count, has_labels);
}

void hs_chart_y_marks(const struct hs_chart *c, const struct hs_tick *ticks, uint32_t count)
{
    put_marks(c, false, ticks, count, true);
}

void hs_chart_y_axis(const struct hs_chart *c, enum hs_runcolumn_kind axis, uint32_t wanted)
{
    struct hs_tick ticks[HS_TICKS_MAX];
    hs_chart_y_marks(c, ticks, scale_ticks(&c->y, axis, wanted, ticks));
}

/* ---- figures ---- */

#define TITLE_HEIGHT 24.0
#define KEY_HEIGHT   18.0
#define KEY_GAP      16.0
#define KEY_MARK     22.0 /* width of a line or square, and the gap after it */
#define LETTER       HS_NAME_LETTER
#define PLOT_WIDTH   220.0 /* least width of a plot beside others */

/* The kinds of figures, and the options each accepts in addition to those of all. */
static const struct {
    const char *name;
    hs_page_part *draw;
    enum hs_page_source source;
    bool is_of_sweep; /* accepts --x, and the directory of a sweep */
    bool has_metrics, has_scale, has_classes;
} kinds[HS_FIGURE_KINDS] = {
    {"cdf", hs_draw_cdf, HS_FROM_JOBS, false, true, true, false},
    {"classes", hs_draw_classes, HS_FROM_SUMMARY, false, true, true, true},
    {"faults", hs_draw_faults, HS_FROM_SERIES, false, false, false, false},
    {"gantt", hs_draw_gantt, HS_FROM_SEGMENTS, false, false, false, false},
    {"heat", hs_draw_heat, HS_FROM_SEGMENTS, false, false, false, false},
    {"pareto", hs_draw_pareto, HS_FROM_SUMMARY, false, true, true, false},
    {"sweep", hs_draw_sweep, HS_FROM_SUMMARY, true, true, true, false},
    {"time", hs_draw_time, HS_FROM_SERIES, false, false, false, false},
    {"waits", hs_draw_waits, HS_FROM_SERIES, false, false, false, false},
};

const char *hs_figure_kind(size_t index)
{
    return index < HS_FIGURE_KINDS ? kinds[index].name : NULL;
}

/* dash: of a line, in tenths; distinguishes curves in grey print. */
static const struct colour {
    const char *name, *value, *dash;
} colours[] = {{"k0", "#0072b2", "none"},  {"k1", "#d55e00", "70 25"},
               {"k2", "#009e73", "20 20"}, {"k3", "#b6568b", "100 25 20 25"},
               {"k4", "#c98500", "none"},  {"k5", "#56b4e9", "70 25"},
               {"k6", "#6b6f76", "20 20"}, {"k7", "#999933", "100 25 20 25"},
               {"w0", "#8796a8", "none"},  {"w1", "#e69f00", "none"},
               {"w2", "#f3cf7b", "none"},  {"w3", "#cc79a7", "none"},
               {"w4", "#d55e00", "none"}};

static void put_style(struct hs_output *out)
{
    hs_say(out, "<style>\n"
                "text{font:11px 'DejaVu Sans',Arial,Helvetica,sans-serif;fill:#222}\n"
                "text.name{font-size:12px}text.title{font-size:15px}text.job{font-size:9px}\n"
                ".grid{stroke:#e3e6ea;stroke-width:8;fill:none}\n"
                ".axis{stroke:#5c6670;stroke-width:8;fill:none}\n"
                ".stop{stroke:#1b1f24;stroke-width:12;fill:none}\n"
                ".lost{stroke:#b2182b;stroke-width:24;fill:none}\n"
                ".probe{fill:none}\n"
                ".line{fill:none;stroke-width:18;stroke-linejoin:round}\n"
                ".area{fill-opacity:.32}.interval{fill-opacity:.16}\n"
                ".bar{fill-opacity:.55;stroke:#fff;stroke-width:.5}\n"
                ".cell{fill:#1f83c4;shape-rendering:crispEdges}\n");
    for (size_t i = 0; i < HS_COUNT_OF(colours); i++)
        hs_say(out, ".%s{fill:%s}.line.%s{fill:none;stroke:%s;stroke-dasharray:%s}\n",
               colours[i].name, colours[i].value, colours[i].name, colours[i].value,
               colours[i].dash);
    hs_say(out, "</style>\n");
}

const char *hs_page_colour(uint32_t group)
{
    return colours[group % HS_PAGE_DRAWN_MAX].name;
}

/* ---- legends ---- */

/* Sets keys for the drawn groups. Returns their number; 0 if there is only one group. */
static uint32_t group_keys(const struct hs_page *page, const char *class,
                           struct hs_figure_key keys[HS_PAGE_DRAWN_MAX])
{
    const uint32_t count = page->group_count > 1 ? page->drawn : 0;
    for (uint32_t g = 0; g < count; g++)
        keys[g] = (struct hs_figure_key){class, hs_page_colour(g), page->rows[g].label};
    return count;
}

void hs_page_keys(struct hs_page *page, const struct hs_figure_key *keys, uint32_t count)
{
    hs_say(page->out, "<p class=\"legend\">");
    for (uint32_t i = 0; i < count; i++)
        hs_markup(page->out, "<span><i class=\"%s\"></i>%s</span> ", keys[i].colour, keys[i].label);
    hs_say(page->out, "</p>\n");
}

void hs_page_legend(struct hs_page *page)
{
    struct hs_figure_key keys[HS_PAGE_DRAWN_MAX];
    const uint32_t count = group_keys(page, NULL, keys);
    if (count > 0)
        hs_page_keys(page, keys, count);
    if (page->group_count > HS_PAGE_DRAWN_MAX)
        HS_PAGE_NOTE(page, "Only the first %u of %u are drawn; the tables have all.",
                     HS_PAGE_DRAWN_MAX, page->group_count);
}

/* Draws the keys of a figure in rows from `top` on; returns the number of rows. Only counts them
 * unless `shown`. */
static uint32_t put_keys(struct hs_page *page, const struct hs_figure_key *keys, uint32_t count,
                         double top, bool shown)
{
    double x = KEY_GAP;
    uint32_t row = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_figure_key *key = &keys[i];
        const double width = KEY_MARK + LETTER * (double)strlen(key->label) + KEY_GAP;
        if (x > KEY_GAP && x + width > page->figure->width) {
            row++;
            x = KEY_GAP;
        }
        const double y = top + KEY_HEIGHT * (row + 0.5);
        if (shown && (strcmp(key->class, "line") == 0 || key->colour == NULL)) {
            hs_svg_line(page->out, key->class, key->colour, x, y, x + KEY_MARK - 5, y);
        } else if (shown) {
            hs_svg_rect(page->out, key->class, key->colour, x + 5, y - 5, 10, 10, NULL);
        }
        if (shown)
            hs_svg_text(page->out, x + KEY_MARK, y + 4, "start", "name", key->label);
        x += width;
    }
    return count > 0 ? row + 1 : 0;
}

/* ---- plots ---- */

uint32_t hs_figure_columns(const struct hs_page *page, uint32_t plots)
{
    const uint32_t most = (uint32_t)fmax(page->figure->width / PLOT_WIDTH, 1);
    return plots < most ? plots : most;
}

void hs_figure_begin(struct hs_page *page, struct hs_frame *f, const struct hs_figure_key *keys,
                     uint32_t count)
{
    struct hs_output *out = page->out;
    const struct hs_figure_options *o = page->figure;
    const double head = o->title != NULL ? TITLE_HEIGHT : 4;
    f->height = o->height > 0 ? o->height : f->height;
    f->top = head + (count > 0 ? KEY_HEIGHT * put_keys(page, keys, count, head, false) + 4 : 0);
    const double height =
        f->top + f->rows * (f->margin.above + f->height + f->margin.below) + f->last;
    hs_say(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
           o->width, height, o->width, height);
    put_style(out);
    hs_say(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    if (o->title != NULL)
        hs_svg_text(out, o->width / 2, 17, "middle", "title", o->title);
    (void)put_keys(page, keys, count, head, true);
}

void hs_figure_begin_groups(struct hs_page *page, struct hs_frame *frame, const char *class)
{
    struct hs_figure_key keys[HS_PAGE_DRAWN_MAX];
    const uint32_t count = group_keys(page, class, keys);
    hs_figure_begin(page, frame, keys, count);
}

void hs_plot_begin(struct hs_page *page, const struct hs_frame *f, uint32_t row, uint32_t column,
                   struct hs_chart *c, const char *label)
{
    const bool is_page = page->figure == NULL;
    const double width = is_page ? f->width : (page->figure->width - f->first) / f->columns,
                 first = is_page ? 0 : f->first + width * column,
                 end = is_page ? width : f->first + width * (column + 1),
                 top = is_page ? 0 : f->top + row * (f->margin.above + f->height + f->margin.below);
    c->out = page->out;
    c->left = c->x.at_from = first + f->margin.left;
    c->right = c->x.at_to = end - f->margin.right;
    c->top = c->y.at_to = top + f->margin.above;
    c->bottom = c->y.at_from = c->top + f->height;
    if (!is_page)
        return;
    hs_markup(c->out, "<svg viewBox=\"0 0 %f %f\" role=\"img\" aria-label=\"%s\">\n", f->width,
              c->bottom + f->margin.below, label);
}

void hs_plot_name(const struct hs_page *page, const struct hs_chart *c, uint32_t group)
{
    const bool is_page = page->figure == NULL;
    if (page->group_count > 1)
        hs_svg_text(c->out, is_page ? c->left : c->left + 4, is_page ? 11 : c->top - 6, "start",
                    "name", page->rows[group].label);
}

void hs_plot_end(const struct hs_page *page, const struct hs_chart *c, const char *x_title,
                 const char *y_title)
{
    struct hs_path path;
    if (page->figure == NULL) {
        hs_say(c->out, "</svg>\n");
        return;
    }
    hs_path_begin(&path, c->out, "axis", NULL);
    hs_path_to(&path, c->left, c->top);
    hs_path_to(&path, c->left, c->bottom);
    hs_path_to(&path, c->right, c->bottom);
    hs_path_end(&path, NULL);
    if (x_title != NULL)
        hs_svg_text(c->out, (c->left + c->right) / 2, c->bottom + TITLE_BELOW, "middle", "name",
                    HS_TITLE(x_title));
    if (y_title == NULL)
        return;
    hs_markup(c->out, "<g transform=\"translate(%f %f) rotate(-90)\">", c->left - TITLE_ASIDE,
              (c->top + c->bottom) / 2);
    hs_svg_text(c->out, 0, 0, "middle", "name", HS_TITLE(y_title));
    hs_say(c->out, "</g>\n");
}

/* ---- kinds of figures ---- */

enum hs_status hs_figure_metrics(struct hs_page *page, const char *preset,
                                 const char *names[HS_FIGURE_METRICS_MAX + 1])
{
    const char *at = page->figure->metrics != NULL ? page->figure->metrics : preset;
    uint32_t count = 0;
    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        if (count == HS_FIGURE_METRICS_MAX)
            return hs_fail(page->diag, HS_E_USAGE, NULL, NULL, "--metric has at most %u names",
                           HS_FIGURE_METRICS_MAX);
        names[count++] = hs_present_name(hs_arena_text(&page->arena, at, length));
        at += length + (at[length] == ',');
    }
    names[count] = NULL;
    return count > 0 ? HS_OK
                     : hs_fail(page->diag, HS_E_USAGE, NULL, NULL, "--metric names no metric");
}

enum hs_status hs_figure_write(struct hs_page *page, uint32_t kind,
                               const struct hs_figure_options *o, struct hs_output *out)
{
    static const char *const needs[] = {"runs, or a comparison", "the directory of a sweep"};
    const bool is_of_sweep = kinds[kind].is_of_sweep;
    const char *unused = o->metrics != NULL && !kinds[kind].has_metrics         ? "metric"
                         : o->by != NULL && !kinds[kind].has_classes            ? "by"
                         : o->x != NULL && !is_of_sweep                         ? "x"
                         : o->scale != HS_FIGURE_AUTO && !kinds[kind].has_scale ? "scale"
                                                                                : NULL;
    page->out = out;
    page->figure = o;
    if (unused != NULL)
        return hs_fail(page->diag, HS_E_USAGE, NULL,
                       "'horus help plot' lists the options of each kind",
                       "a figure of kind '%s' takes no --%s", kinds[kind].name, unused);
    if ((page->kind == HS_PAGE_SWEEP) != is_of_sweep)
        return hs_fail(page->diag, HS_E_USAGE, NULL, NULL, "a figure of kind '%s' needs %s",
                       kinds[kind].name, needs[is_of_sweep]);
    if (!is_of_sweep && page->group_count > HS_PAGE_DRAWN_MAX)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "name only some of them",
                       "a figure has at most %u runs or policies, not %u", HS_PAGE_DRAWN_MAX,
                       page->group_count);
    enum hs_status status;
    if (hs_page_can_draw(page, kinds[kind].source, &status))
        status = kinds[kind].draw(page);
    if (status == HS_OK)
        hs_say(out, "</svg>\n");
    return status;
}
