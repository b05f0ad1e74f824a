/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures for papers: one SVG with a legend above and plots in rows and columns. Colours are those
 * of the page (Okabe and Ito), written out: an SVG may not rely on variables of CSS, which
 * converters do not know. Widths of lines are ten times as large as they look: paths are in tenths.
 */
#include <stdio.h>
#include <string.h>

#include "report/html/page.h"

#define TITLE_HEIGHT 24.0
#define KEY_HEIGHT   18.0
#define KEY_GAP      16.0
#define KEY_MARK     22.0 /* width of a line or square, and the blank behind it */
#define LETTER       6.4  /* mean width of one at 12 pixels */

static const struct hs_figure *const kinds[HS_FIGURE_KINDS] = {
    &hs_figure_cdf,   &hs_figure_classes, &hs_figure_gantt, &hs_figure_heat,
    &hs_figure_sweep, &hs_figure_time,    &hs_figure_waits,
};

const char *hs_figure_kind(size_t index)
{
    return index < HS_FIGURE_KINDS ? kinds[index]->name : NULL;
}

/* dash: of a line, tenths, so that curves differ in grey print, too. */
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
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
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

uint32_t hs_page_group_keys(const struct hs_page *page, const char *class,
                            struct hs_figure_key keys[HS_PAGE_DRAWN_MAX])
{
    const uint32_t count = page->group_count > 1 ? hs_page_drawn(page) : 0;
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
    const uint32_t count = hs_page_group_keys(page, NULL, keys);
    if (count > 0)
        hs_page_keys(page, keys, count);
    if (page->group_count > HS_PAGE_DRAWN_MAX)
        hs_page_note(page, "Drawn are the first %u of %u; the tables have all.", HS_PAGE_DRAWN_MAX,
                     page->group_count);
}

/* Puts the keys of a figure in rows from `top` on; returns how many rows. Only counts them where it
 * is not `shown`. */
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
            struct hs_path path;
            hs_path_begin(&path, page->out, key->class, key->colour);
            hs_path_to(&path, x, y);
            hs_path_to(&path, x + KEY_MARK - 5, y);
            hs_path_end(&path, NULL);
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

void hs_figure_end(struct hs_page *page)
{
    hs_say(page->out, "</svg>\n");
}

void hs_plot_begin(struct hs_page *page, const struct hs_frame *f, uint32_t row, uint32_t column,
                   struct hs_chart *c, const char *label)
{
    c->out = page->out;
    if (page->figure == NULL) {
        hs_chart_place(c, f->margin.left, f->width - f->margin.right, f->margin.above,
                       f->margin.above + f->height);
        hs_svg_begin(c->out, f->width, c->bottom + f->margin.below, label);
        return;
    }
    const double width = (page->figure->width - f->first) / f->columns,
                 left = f->first + width * column,
                 top = f->top + row * (f->margin.above + f->height + f->margin.below) +
                       f->margin.above;
    hs_chart_place(c, left + f->margin.left, f->first + width * (column + 1) - f->margin.right, top,
                   top + f->height);
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
    if (page->figure == NULL)
        hs_say(c->out, "</svg>\n");
    else
        hs_chart_titles(c, x_title, y_title);
}

/* ---- what is drawn ---- */

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
    const struct hs_figure *figure = kinds[kind];
    const char *unused = o->metrics != NULL && !figure->has_metrics         ? "metric"
                         : o->by != NULL && !figure->has_classes            ? "by"
                         : o->x != NULL && !figure->is_of_sweep             ? "x"
                         : o->scale != HS_FIGURE_AUTO && !figure->has_scale ? "scale"
                                                                            : NULL;
    page->out = out;
    page->figure = o;
    if (unused != NULL)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "horus help plot tells what each kind takes",
                       "a figure of kind '%s' takes no --%s", figure->name, unused);
    if ((page->kind == HS_PAGE_SWEEP) != figure->is_of_sweep)
        return hs_fail(page->diag, HS_E_USAGE, NULL, NULL,
                       figure->is_of_sweep ? "a figure of kind '%s' needs the directory of a sweep"
                                           : "a figure of kind '%s' needs runs, or a comparison",
                       figure->name);
    if (!figure->is_of_sweep && page->group_count > HS_PAGE_DRAWN_MAX)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "name those that matter",
                       "a figure has room for %u runs or policies, not for %u", HS_PAGE_DRAWN_MAX,
                       page->group_count);
    return figure->draw(page);
}
