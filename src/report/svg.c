/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See svg.h.
 */
#include "report/svg.h"

#include <inttypes.h>
#include <math.h>

#include "report/html.h"

static int64_t tenths(double length)
{
    return llround(10 * length);
}

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

void hs_path_begin(struct hs_path *p, struct hs_output *out, const char *class)
{
    *p = (struct hs_path){.out = out};
    hs_say(out, "<path class=\"%s\" transform=\"scale(.1)\" d=\"", class);
}

void hs_path_move(struct hs_path *p, double x, double y)
{
    put_step(p);
    p->x = p->to_x = tenths(x);
    p->y = p->to_y = tenths(y);
    hs_say(p->out, "M%" PRId64 " %" PRId64, p->x, p->y);
    p->is_open = true;
}

static int sign(int64_t value)
{
    return (value > 0) - (value < 0);
}

void hs_path_to(struct hs_path *p, double x, double y)
{
    if (!p->is_open) {
        hs_path_move(p, x, y);
        return;
    }
    const int64_t to_x = tenths(x), to_y = tenths(y);
    const bool goes_on_h =
        p->to_y == p->y && to_y == p->to_y && sign(to_x - p->to_x) * sign(p->to_x - p->x) >= 0;
    const bool goes_on_v =
        p->to_x == p->x && to_x == p->to_x && sign(to_y - p->to_y) * sign(p->to_y - p->y) >= 0;
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
    if (title == NULL) {
        hs_say(p->out, "\"/>");
        return;
    }
    hs_say(p->out, "\"><title>");
    hs_html_text(p->out, title);
    hs_say(p->out, "</title></path>");
}

void hs_svg_length(struct hs_output *out, double length)
{
    const int64_t value = tenths(length), size = value < 0 ? -value : value;
    hs_say(out, "%s%" PRId64, value < 0 ? "-" : "", size / 10);
    if (size % 10 != 0)
        hs_say(out, ".%" PRId64, size % 10);
}

static void put_attribute(struct hs_output *out, const char *name, double length)
{
    hs_say(out, " %s=\"", name);
    hs_svg_length(out, length);
    hs_say(out, "\"");
}

void hs_svg_rect(struct hs_output *out, const char *class, double x, double y, double width,
                 double height, const char *title)
{
    hs_say(out, "<rect class=\"%s\"", class);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    if (title == NULL) {
        hs_say(out, "/>");
        return;
    }
    hs_say(out, "><title>");
    hs_html_text(out, title);
    hs_say(out, "</title></rect>");
}

void hs_svg_dot(struct hs_output *out, const char *class, double x, double y, const char *title)
{
    hs_say(out, "<circle class=\"dot %s\" r=\"3\"", class);
    put_attribute(out, "cx", x);
    put_attribute(out, "cy", y);
    hs_say(out, "><title>");
    hs_html_text(out, title);
    hs_say(out, "</title></circle>");
}

void hs_svg_text(struct hs_output *out, double x, double y, const char *anchor, const char *class,
                 const char *text)
{
    hs_say(out, "<text class=\"%s\" text-anchor=\"%s\"", class, anchor);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    hs_say(out, ">");
    hs_html_text(out, text);
    hs_say(out, "</text>");
}

void hs_chart_begin(struct hs_chart *c, struct hs_output *out, const char *label)
{
    c->out = out;
    c->x.at_from = c->left;
    c->x.at_to = c->right;
    c->y.at_from = c->bottom;
    c->y.at_to = c->top;
    hs_say(out, "<svg viewBox=\"0 0 ");
    hs_svg_length(out, c->width);
    hs_say(out, " ");
    hs_svg_length(out, c->height);
    hs_say(out, "\" role=\"img\" aria-label=\"");
    hs_html_text(out, label);
    hs_say(out, "\">\n");
}

#define LABEL_BELOW 15.0
#define LABEL_ASIDE 7.0
#define LABEL_RAISE 4.0 /* half the height of a digit */

void hs_chart_x_axis(const struct hs_chart *c, enum hs_axis axis, uint32_t wanted)
{
    struct hs_tick ticks[HS_TICKS_MAX];
    const uint32_t count = hs_scale_ticks(&c->x, axis, wanted, ticks);
    struct hs_path path;
    hs_path_begin(&path, c->out, "grid");
    for (uint32_t i = 0; i < count; i++) {
        const double x = hs_scale_at(&c->x, ticks[i].value);
        hs_path_move(&path, x, c->top);
        hs_path_to(&path, x, c->bottom);
    }
    hs_path_end(&path, NULL);
    for (uint32_t i = 0; i < count; i++)
        hs_svg_text(c->out, hs_scale_at(&c->x, ticks[i].value), c->bottom + LABEL_BELOW, "middle",
                    "tick", ticks[i].label);
}

void hs_chart_y_marks(const struct hs_chart *c, const struct hs_tick *ticks, uint32_t count)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "grid");
    for (uint32_t i = 0; i < count; i++) {
        const double y = hs_scale_at(&c->y, ticks[i].value);
        hs_path_move(&path, c->left, y);
        hs_path_to(&path, c->right, y);
    }
    hs_path_end(&path, NULL);
    for (uint32_t i = 0; i < count; i++)
        hs_svg_text(c->out, c->left - LABEL_ASIDE, hs_scale_at(&c->y, ticks[i].value) + LABEL_RAISE,
                    "end", "tick", ticks[i].label);
}

void hs_chart_y_axis(const struct hs_chart *c, enum hs_axis axis, uint32_t wanted)
{
    struct hs_tick ticks[HS_TICKS_MAX];
    hs_chart_y_marks(c, ticks, hs_scale_ticks(&c->y, axis, wanted, ticks));
}

void hs_chart_end(const struct hs_chart *c)
{
    hs_say(c->out, "</svg>\n");
}
